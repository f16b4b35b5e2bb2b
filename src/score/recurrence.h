/* SPDX-License-Identifier: Apache-2.0 */
/* How far the clusters of one labelling come back in another, as a whole and one by one. */
#ifndef OF_SCORE_RECURRENCE_H
#define OF_SCORE_RECURRENCE_H

#include "base/memory.h"

/* `ari` is the adjusted Rand index as onefold_score has it. jaccard[a], one per cluster of the
 * first labelling, is the largest |A and B| / |A or B| over the clusters B of the second: 1 where
 * cluster a is there again, sample by sample; NaN where it has no sample. Labels are 0 .. clusters
 * - 1 of each; time and memory go with the product of the two numbers of clusters. */
onefold_status of_recurrence(of_context *context, const int32_t *first, size_t first_clusters,
                             const int32_t *second, size_t second_clusters, size_t samples,
                             double *ari, double *jaccard);

/* The mutual information over the larger entropy, as onefold_score has it, of labels of the same
 * kind; 0 where there are no samples. */
onefold_status of_recurrence_nmi(of_context *context, const int32_t *first, size_t first_clusters,
                                 const int32_t *second, size_t second_clusters, size_t samples,
                                 double *nmi);

#endif
