/* SPDX-License-Identifier: Apache-2.0 */
/* The assignment problem on a contingency table: the best one-to-one matching of rows to columns.
 */
#ifndef OF_SCORE_ASSIGNMENT_H
#define OF_SCORE_ASSIGNMENT_H

#include "score/contingency.h"

enum { OF_UNMATCHED = -1 };

/* The largest sum of counts over cells of which no two share a row or a column. `match` (one per
 * row, or NULL) gives the column of each row, or OF_UNMATCHED where it gains nothing. */
onefold_status of_assignment(of_context *context, const of_contingency *table, size_t *total,
                             int64_t *match);

#endif
