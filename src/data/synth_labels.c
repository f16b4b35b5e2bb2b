/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which cluster a sample of synthetic data is of. Each sample draws from a stream of its own, so
 * that the first n samples are the same whatever comes after them.
 */
#include "data/synth_labels.h"

#include "base/random.h"

#include <math.h>

/* Of the streams of synthetic data, (purpose, what | number): those of the clusters. */
static const uint64_t label_streams = 0;

/* share[c]: the chance of the clusters up to and with c. */
static void sum_shares(double balance, size_t clusters, double *share)
{
    double total = 0;
    for (size_t c = 0; c < clusters; c++) {
        total += clusters > 1 ? pow(balance, (double)c / (double)(clusters - 1)) : 1;
        share[c] = total;
    }
    for (size_t c = 0; c < clusters; c++)
        share[c] /= total;
}

static size_t draw(of_random *random, const double *share, size_t clusters)
{
    double at = of_random_uniform(random);
    size_t low = 0, high = clusters - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (at < share[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

onefold_status of_synth_labels(of_arena *scratch, uint64_t seed, double balance, size_t samples,
                               size_t clusters, int64_t *labels)
{
    double *share;
    OF_TRY(OF_NEW(scratch, &share, clusters, 1));
    sum_shares(balance, clusters, share);
    for (size_t j = 0; j < samples; j++) {
        of_random random = of_random_make(seed, OF_PURPOSE_SYNTH, label_streams | j);
        /* Clusters of one size are drawn as whole numbers, as they were before sizes could differ.
         */
        size_t drawn =
            balance == 1 ? of_random_below(&random, clusters) : draw(&random, share, clusters);
        labels[j] = (int64_t)(j < clusters ? j : drawn);
    }
    return ONEFOLD_OK;
}
