/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which views a sample of synthetic data lacks. Each view is left out by chance, and a sample that
 * would lack all of them keeps one of them. The chance is a little above the share that is asked
 * for, by what is kept: q - q^p / p = share.
 */
#include "data/synth_missing.h"

#include "base/random.h"

#include <math.h>

/* Of the streams of synthetic data, (purpose, what | number): those of who lacks what. */
static const uint64_t missing_streams = 1ull << 54;

/* The chance q for the share: the left side rises with q. */
static double chance_of(double share, size_t views)
{
    double low = share, high = 1;
    for (int step = 0; step < 60; step++) {
        double middle = (low + high) / 2;
        if (middle - pow(middle, (double)views) / (double)views < share)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

onefold_status of_synth_missing(uint64_t seed, double share, size_t samples, size_t views,
                                uint8_t *present)
{
    double most = 1 - 1 / (double)views;
    if (share > most)
        return of_hint(of_fail(ONEFOLD_USAGE,
                               "%g of the (sample, view) pairs cannot be left out of %zu view%s: "
                               "every sample needs one",
                               share, views, views == 1 ? "" : "s"),
                       "leave out at most %g of them", most);
    double chance = share == most ? 1 : chance_of(share, views);
    for (size_t j = 0; j < samples; j++) {
        of_random random = of_random_make(seed, OF_PURPOSE_SYNTH, missing_streams | j);
        uint8_t *has = present + j * views;
        size_t kept = 0;
        for (size_t i = 0; i < views; i++)
            kept += has[i] = of_random_uniform(&random) >= chance;
        if (kept == 0)
            has[of_random_below(&random, views)] = 1;
    }
    for (size_t i = 0; i < views; i++) {
        size_t count = 0;
        for (size_t j = 0; j < samples; j++)
            count += present[j * views + i];
        for (size_t j = 0; j < samples && count < 2; j++) {
            count += !present[j * views + i];
            present[j * views + i] = 1;
        }
    }
    return ONEFOLD_OK;
}
