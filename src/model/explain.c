/* SPDX-License-Identifier: Apache-2.0 */
/* Labels of each view by itself against the fused ones, and against each other. */
#include "model/explain.h"

#include "score/recurrence.h"

#include <math.h>

/* The samples that both labellings have a label for, side by side. */
static size_t shared_samples(const int32_t *a, const int32_t *b, size_t n, int32_t *first,
                             int32_t *second)
{
    size_t count = 0;
    for (size_t j = 0; j < n; j++)
        if (a[j] >= 0 && b[j] >= 0) {
            first[count] = a[j];
            second[count++] = b[j];
        }
    return count;
}

typedef struct comparison {
    of_context *context;
    size_t samples, clusters;
    int32_t *first, *second; /* room */
    double *jaccard;         /* clusters: room */
} comparison;

static onefold_status compare(comparison *c, const int32_t *a, const int32_t *b, double *nmi,
                              double *jaccard)
{
    double ari;
    size_t count = shared_samples(a, b, c->samples, c->first, c->second);
    OF_TRY(of_recurrence(c->context, c->first, c->clusters, c->second, c->clusters, count, &ari,
                         jaccard));
    return of_recurrence_nmi(c->context, c->first, c->clusters, c->second, c->clusters, count, nmi);
}

onefold_status of_explain(of_context *context, of_outcome *outcome, onefold_fit_info *info)
{
    size_t n = info->samples, p = info->views, mu = info->clusters;
    const int32_t *own = outcome->own_labels;
    if (!own)
        return ONEFOLD_OK;
    OF_SCRATCH(scratch, context);
    comparison c = {.context = context, .samples = n, .clusters = mu};
    double *agreement, *between, *by_cluster;
    OF_TRY(OF_NEW(&scratch, &c.first, n, 1));
    OF_TRY(OF_NEW(&scratch, &c.second, n, 1));
    OF_TRY(OF_NEW(&scratch, &c.jaccard, mu, 1));
    OF_TRY(OF_NEW(&outcome->arena, &agreement, p, 1));
    OF_TRY(OF_NEW(&outcome->arena, &between, p, p));
    OF_TRY(OF_NEW(&outcome->arena, &by_cluster, p, mu));
    for (size_t i = 0; i < p; i++) {
        OF_TRY(compare(&c, outcome->labels, own + i * n, &agreement[i], c.jaccard));
        for (size_t a = 0; a < mu; a++)
            by_cluster[i + a * p] = isnan(c.jaccard[a]) ? 0 : c.jaccard[a];
        for (size_t h = 0; h <= i; h++) {
            OF_TRY(compare(&c, own + i * n, own + h * n, &between[i + h * p], c.jaccard));
            between[h + i * p] = between[i + h * p];
        }
    }
    info->agreement = agreement;
    info->view_agreement = between;
    info->cluster_agreement = by_cluster;
    info->confidence = outcome->confidence;
    return ONEFOLD_OK;
}
