/* SPDX-License-Identifier: Apache-2.0 */
/* How often each cluster meets each class: a table that holds its non-zero cells only, so that any
 * number of clusters and classes takes memory in proportion to the samples. */
#ifndef OF_SCORE_CONTINGENCY_H
#define OF_SCORE_CONTINGENCY_H

#include "base/memory.h"

typedef struct of_contingency {
    size_t samples;
    size_t rows, columns;  /* distinct labels of the first and of the second labelling */
    const size_t *row_sum; /* samples of each */
    const size_t *column_sum;
    const size_t *start;          /* row i has the cells start[i] .. start[i+1]-1 */
    const size_t *column, *count; /* of each cell; columns rise within a row, counts are > 0 */
} of_contingency;

/* The table of two labellings by any integers; rows and columns are in rising order of label. Its
 * arrays are from `arena`. */
onefold_status of_contingency_make(of_arena *arena, of_contingency *table, const int64_t *labels,
                                   const int64_t *truth, size_t samples);

#endif
