/* SPDX-License-Identifier: Apache-2.0 */
/* The agreement of two labellings, and the separation of clusters. */
#ifndef OF_SCORE_SCORE_H
#define OF_SCORE_SCORE_H

#include "base/memory.h"

#include <stddef.h>

/* The samples of each cluster in each class. The table holds nonzero cells only, so its memory is
 * in proportion to the samples for any number of clusters and classes. */

typedef struct of_contingency {
    size_t samples;
    size_t rows, columns;  /* distinct labels of the first and of the second labelling */
    const size_t *row_sum; /* samples of each */
    const size_t *column_sum;
    const size_t *start;          /* row i has the cells start[i] .. start[i+1]-1 */
    const size_t *column, *count; /* of each cell; columns rise within a row, counts are > 0 */
} of_contingency;

/* The table of two labellings by any integers; entry i counts times[i] times (NULL: once). Rows and
 * columns are in rising order of label. Arrays are from `arena`. */
onefold_status of_contingency_make(of_arena *arena, of_contingency *table, const int64_t *labels,
                                   const int64_t *truth, const size_t *times, size_t samples);

enum { OF_UNMATCHED = -1 };

/* The best one-to-one matching of rows to columns. *total: the largest sum of counts over cells of
 * which no two share a row or a column. `match` (one per row, or NULL): the column of each row, or
 * OF_UNMATCHED where it gains nothing. */
onefold_status of_assignment(of_context *context, const of_contingency *table, size_t *total,
                             int64_t *match);

/* The number of pairs of `count` samples. */
double of_pairs(size_t count);

/* The Rand index adjusted for chance, from the numbers of pairs in one cluster of both labellings,
 * of the first, of the second, and of all pairs. 1 where it is 0/0: both labellings are one
 * cluster, or every sample is alone in both. */
double of_adjusted_rand(double both, double first, double second, double all);

/* The simplified silhouette of the columns of X (rows x samples), each scaled to unit length (a
 * zero column stays zero): the mean over samples of (b - a) / max(a, b), a the distance to the mean
 * of the sample's own cluster and b to the nearest mean of another. From -1 to 1. A sample alone in
 * its cluster counts 0, and so do all samples of a single cluster. And the margin of each sample:
 * 1 - a / b, at least 0, and 1 where there is no other cluster. Either result may be NULL. */
OF_PRIVATE onefold_status of_silhouette(of_context *context, size_t rows, size_t samples,
                                        const double *X, size_t ldx,
                                        const int32_t *labels /* 0 .. clusters-1 */,
                                        size_t clusters, double *margin, double *silhouette);

/* The recurrence of the clusters of one labelling in another. Labels are 0 .. clusters - 1; a
 * sample with a negative label in either is left out. Either result may be NULL:
 *
 *     nmi          mutual information over the larger entropy, as in onefold_score; 0 without
 *                  samples
 *     jaccard[a]   for each cluster A of the first, the largest |A and B| / |A or B| over the
 *                  clusters B of the second: 1 where A is a cluster of the second; NaN where A is
 *                  empty
 *
 * Memory is in proportion to the product of the two numbers of clusters. `all`: `samples` are this
 * process's own of so many, which may be split; 0: they are all. */
onefold_status of_recurrence(of_context *context, const int32_t *first, size_t first_clusters,
                             const int32_t *second, size_t second_clusters, size_t samples,
                             size_t all, double *nmi, double *jaccard);

#endif
