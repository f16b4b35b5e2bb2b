/* SPDX-License-Identifier: Apache-2.0 */
/* Agreement of two labellings, and how well clusters lie apart. */
#ifndef OF_SCORE_SCORE_H
#define OF_SCORE_SCORE_H

#include "base/memory.h"

#include <stddef.h>

/* How often each cluster meets each class: a table that holds its non-zero cells only, so that any
 * number of clusters and classes takes memory in proportion to the samples. */

typedef struct of_contingency {
    size_t samples;
    size_t rows, columns;  /* distinct labels of the first and of the second labelling */
    const size_t *row_sum; /* samples of each */
    const size_t *column_sum;
    const size_t *start;          /* row i has the cells start[i] .. start[i+1]-1 */
    const size_t *column, *count; /* of each cell; columns rise within a row, counts are > 0 */
} of_contingency;

/* The table of two labellings by any integers, of which each entry counts `times` (NULL: once);
 * rows and columns are in rising order of label. Its arrays are from `arena`. */
onefold_status of_contingency_make(of_arena *arena, of_contingency *table, const int64_t *labels,
                                   const int64_t *truth, const size_t *times, size_t samples);

/* The assignment problem on a contingency table: the best one-to-one matching of rows to columns.
 */

enum { OF_UNMATCHED = -1 };

/* The largest sum of counts over cells of which no two share a row or a column. `match` (one per
 * row, or NULL) gives the column of each row, or OF_UNMATCHED where it gains nothing. */
onefold_status of_assignment(of_context *context, const of_contingency *table, size_t *total,
                             int64_t *match);

/* Pairs of samples that share a cluster, and what they say of two labellings. */

/* How many pairs `count` samples make. */
double of_pairs(size_t count);

/* The Rand index adjusted for chance, from the pairs that are together in both labellings, in the
 * first, in the second, and from all pairs. Where it is 0/0 the two are alike (both one cluster, or
 * every sample alone in both): 1. */
double of_adjusted_rand(double both, double first, double second, double all);

/* How well clusters stand apart where they were found, without any truth. */

/* The simplified silhouette of the columns of X (rows x samples), each taken at unit length (a zero
 * column stays zero): the mean over samples of (b - a) / max(a, b), a being the distance to the
 * mean of the sample's own cluster and b to the nearest mean of another. From -1 to 1. A sample
 * alone in its cluster counts 0, as does every sample where there is one cluster only. And the
 * margin of each sample: 1 - a / b, at least 0, and 1 where there is no other cluster. Either may
 * be NULL. */
onefold_status of_silhouette(of_context *context, size_t rows, size_t samples, const double *X,
                             size_t ldx, const int32_t *labels /* 0 .. clusters-1 */,
                             size_t clusters, double *margin, double *silhouette);

/* ---- how far the clusters of one labelling come back in another ------------------------------ */

/* Labels are 0 .. clusters - 1 of each; a sample with a negative label in either is left out.
 * Either result may be NULL where it is not wanted:
 *
 *     nmi          mutual information over the larger entropy, as onefold_score has it; 0 where no
 *                  sample is left
 *     jaccard[a]   for each cluster of the first, the largest |A and B| / |A or B| over the
 * clusters B of the second: 1 where cluster a is there again, sample by sample; NaN where it has no
 * sample
 *
 * Memory goes with the product of the two numbers of clusters. `all`: the samples are this
 * process's own of so many, which may be split; 0: they are all. */
onefold_status of_recurrence(of_context *context, const int32_t *first, size_t first_clusters,
                             const int32_t *second, size_t second_clusters, size_t samples,
                             size_t all, double *nmi, double *jaccard);

#endif
