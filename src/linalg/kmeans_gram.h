/* SPDX-License-Identifier: Apache-2.0 */
/* k-means of samples whose inner products are given: for kernels, and where columns outnumber
 * samples. */
#ifndef OF_LINALG_KMEANS_GRAM_H
#define OF_LINALG_KMEANS_GRAM_H

#include "linalg/kmeans.h"

/* Clusters n samples by their Gram matrix G (n x n, both triangles, ldg apart), with the options
 * and the iterations of of_kmeans. `diagonal` (n) stands for that of G if not NULL. G need not be
 * positive definite: the cost may then be negative, and never exceeds that of `from_labels` all the
 * same. Here `from` is
 * (n + 1) x clusters: the inner products of samples and centres, and in the last row the squared
 * lengths of centres. A cluster without samples in `from_labels` starts at the origin. `single` has
 * no effect. Fills `labels` (n). Memory: n x clusters numbers for each replicate that runs. */
onefold_status of_kmeans_gram(of_context *context, const of_kmeans_options *options, size_t n,
                              const double *G, size_t ldg, const double *diagonal, int32_t *labels,
                              of_kmeans_result *result);

#endif
