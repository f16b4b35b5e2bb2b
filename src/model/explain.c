/* SPDX-License-Identifier: Apache-2.0 */
/* Labels of each view by itself against the fused ones, and against each other. */
#include "model/explain.h"

#include "score/recurrence.h"

#include <math.h>

onefold_status of_explain(of_context *context, of_outcome *outcome, onefold_fit_info *info)
{
    size_t n = info->samples, p = info->views, mu = info->clusters;
    const int32_t *own = outcome->own_labels;
    if (!own)
        return ONEFOLD_OK;
    OF_SCRATCH(scratch, context);
    double *jaccard, *agreement, *between, *by_cluster;
    OF_TRY(OF_NEW(&scratch, &jaccard, mu, 1));
    OF_TRY(OF_NEW(&outcome->arena, &agreement, p, 1));
    OF_TRY(OF_NEW(&outcome->arena, &between, p, p));
    OF_TRY(OF_NEW(&outcome->arena, &by_cluster, p, mu));
    for (size_t i = 0; i < p; i++) {
        const int32_t *view = own + i * n;
        OF_TRY(
            of_recurrence(context, outcome->labels, mu, view, mu, n, NULL, &agreement[i], jaccard));
        for (size_t a = 0; a < mu; a++)
            by_cluster[i + a * p] = isnan(jaccard[a]) ? 0 : jaccard[a];
        for (size_t h = 0; h <= i; h++) {
            OF_TRY(of_recurrence(context, view, mu, own + h * n, mu, n, NULL, &between[i + h * p],
                                 NULL));
            between[h + i * p] = between[i + h * p];
        }
    }
    info->agreement = agreement;
    info->view_agreement = between;
    info->cluster_agreement = by_cluster;
    info->confidence = outcome->confidence;
    return ONEFOLD_OK;
}
