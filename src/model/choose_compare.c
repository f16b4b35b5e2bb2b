/* SPDX-License-Identifier: Apache-2.0 */
/* How far labels come back over runs on subsamples: medians, as a run may end in a poor optimum now
 * and then. */
#include "model/choose.h"

#include "score/score.h"

#include <math.h>
#include <stdlib.h>

static int rising(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of those that are numbers; 0 where none is. */
static double median(double *values, size_t count)
{
    size_t left = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i]))
            values[left++] = values[i];
    if (!left)
        return 0;
    qsort(values, left, sizeof *values, rising);
    return 0.5 * (values[(left - 1) / 2] + values[left / 2]);
}

/* How far the clusters of run `own` come back in the others. */
static onefold_status compare_with_others(of_context *context, size_t clusters,
                                          const int32_t *labels, size_t n, size_t count, size_t own,
                                          of_choose_return *found)
{
    OF_SCRATCH(scratch, context);
    size_t others = 0;
    double *jaccard, *back, *ari, mean = 0, square = 0;
    OF_TRY(OF_NEW(&scratch, &jaccard, clusters, 1));
    OF_TRY(OF_NEW(&scratch, &back, count, clusters)); /* NaN: the cluster has no sample there */
    OF_TRY(OF_NEW(&scratch, &ari, count, 1));
    for (size_t r = 0; r < count; r++) {
        if (r == own)
            continue;
        OF_TRY(of_recurrence(context, labels + own * n, clusters, labels + r * n, clusters, n,
                             &ari[others], NULL, jaccard)); /* over the samples both runs had */
        mean += ari[others] / (double)(count - 1);
        for (size_t c = 0; c < clusters; c++)
            back[others + c * count] = jaccard[c];
        others++;
    }
    for (size_t r = 0; r < others; r++)
        square += (ari[r] - mean) * (ari[r] - mean);
    found->deviation = others > 1 ? sqrt(square / (double)(others - 1)) : 0;
    found->median = median(ari, others);
    found->weakest = 1;
    for (size_t c = 0; c < clusters; c++)
        found->weakest = fmin(found->weakest, median(back + c * count, others));
    return ONEFOLD_OK;
}

onefold_status of_choose_compare(of_context *context, size_t clusters, const int32_t *labels,
                                 size_t samples, size_t runs, of_choose_return *found)
{
    of_choose_return best = {.median = -2}; /* no index is as low */
    for (size_t r = 0; r < runs; r++) {
        of_choose_return this;
        OF_TRY(compare_with_others(context, clusters, labels, samples, runs, r, &this));
        if (this.median > best.median)
            best = this;
    }
    *found = best;
    return ONEFOLD_OK;
}
