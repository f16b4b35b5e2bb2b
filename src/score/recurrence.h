/* SPDX-License-Identifier: Apache-2.0 */
/* How far the clusters of one labelling come back in another, as a whole and one by one. */
#ifndef OF_SCORE_RECURRENCE_H
#define OF_SCORE_RECURRENCE_H

#include "base/memory.h"

/* Labels are 0 .. clusters - 1 of each; a sample with a negative label in either is left out. Each
 * of the three may be NULL where it is not wanted:
 *
 *     ari          the adjusted Rand index, as onefold_score has it
 *     nmi          mutual information over the larger entropy, as onefold_score has it; 0 where no
 *                  sample is left
 *     jaccard[a]   for each cluster of the first, the largest |A and B| / |A or B| over the
 * clusters B of the second: 1 where cluster a is there again, sample by sample; NaN where it has no
 * sample
 *
 * Memory goes with the product of the two numbers of clusters. */
onefold_status of_recurrence(of_context *context, const int32_t *first, size_t first_clusters,
                             const int32_t *second, size_t second_clusters, size_t samples,
                             double *ari, double *nmi, double *jaccard);

#endif
