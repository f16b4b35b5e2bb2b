/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The labels of a candidate, from what the solver found. Where the partitions show the clusters,
 * C' h of a sample is 1 / sqrt(size) in its own cluster and noise of one spread in all others, so
 * that the largest of C' h gives a large cluster's samples away to small ones. Times sqrt(size) it
 * would be 1 for every cluster, but then the small ones lose where clusters overlap; the root of
 * that lies between, and keeps both (docs/method.md section 11).
 */
#include "method/onefold_parts.h"
#include "method/os_lfmvc_cs_parts.h"

#include <math.h>

onefold_status of_candidate_label(of_context *context, size_t n, size_t k, size_t mu,
                                  of_cs_result *result)
{
    OF_SCRATCH(scratch, context);
    of_stack H = of_stack_double(result->H.held, k, n, k);
    double *direction;
    OF_TRY(OF_NEW(&scratch, &direction, mu, k));
    for (size_t c = 0; c < mu; c++) {
        double scale = sqrt(sqrt((double)(result->sizes[c] ? result->sizes[c] : 1)));
        for (size_t r = 0; r < k; r++)
            direction[c + r * mu] = result->C[r + c * k] *= scale;
        result->sizes[c] = 0;
    }
    OF_TRY(of_cs_label(context, &H, mu, direction, result->labels));
    for (size_t j = 0; j < n; j++)
        result->sizes[result->labels[j]]++;
    return ONEFOLD_OK;
}
