/* SPDX-License-Identifier: Apache-2.0 */
/* How well clusters stand apart where they were found, without any truth. */
#ifndef OF_SCORE_SILHOUETTE_H
#define OF_SCORE_SILHOUETTE_H

#include "base/memory.h"

/* The simplified silhouette of the columns of X (rows x samples), each taken at unit length (a zero
 * column stays zero): the mean over samples of (b - a) / max(a, b), a being the distance to the
 * mean of the sample's own cluster and b to the nearest mean of another. From -1 to 1. A sample
 * alone in its cluster counts 0, as does every sample where there is one cluster only. */
onefold_status of_silhouette(of_context *context, size_t rows, size_t samples, const double *X,
                             size_t ldx, const int32_t *labels /* 0 .. clusters-1 */,
                             size_t clusters, double *silhouette);

#endif
