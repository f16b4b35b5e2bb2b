/* SPDX-License-Identifier: Apache-2.0 */
/*
 * About how long the solver will take (docs/method.md section 3): the operations of a pass and of
 * the steps on small matrices over the rates of this machine, times as many iterations as runs
 * usually take. Weights stand between the count and the clock, as in
 * partition/partition_estimate.c.
 */
#include "method/os_lfmvc_cs_parts.h"

#include <math.h>

static const struct {
    double pass, small, kmeans; /* weights */
    double iterations;          /* of a run from its start */
    double finishing;           /* of the winner on all samples, where they are many */
    double lloyd;               /* iterations of a k-means */
} TYPICAL = {1, 1, 1, 18, 30, 25};

double of_cs_pass_flops(double n, double p, double k, double m, double mu)
{
    return 2 * n * (p * k * k + k * (m + mu) + p * k * m);
}

/* One iteration of one run on n samples, when all threads are busy. */
static double iteration_seconds(const of_cs_sizes *z, double n, double small_at_once,
                                const of_rates *rates)
{
    double p = (double)z->p, k = (double)z->k, m = (double)z->m, mu = (double)z->mu;
    double flops = of_cs_pass_flops(n, p, k, m, mu),
           numbers = n * (p * k + 2 * m + 3 * mu), /* of plain loops */
        small = (p + 3) * rates->polar +
                rates->threads * (2 * p * k * p * k * k + 8 * p * k * k * m) / rates->thin;
    return TYPICAL.pass * (flops / rates->thin + numbers / rates->loop) +
           TYPICAL.small * small / small_at_once;
}

/* k-means of every start: every second one has 16 replicates where that is cheap. */
static double start_seconds(const of_cs_sizes *z, double n, double restarts, const of_rates *rates)
{
    double k = (double)z->k, mu = (double)z->mu;
    double runs = n * k * mu <= 2097152 ? restarts + 15 * floor(restarts / 2) : restarts;
    return TYPICAL.kmeans * runs * n *
           (k * mu * (3 + 2 * TYPICAL.lloyd) / rates->thin +
            (k + mu) * TYPICAL.lloyd / rates->loop);
}

/* N, the alignment, and every restart. */
static double solve_seconds(const of_cs_sizes *z, double n, double restarts, double iterations,
                            const of_rates *rates)
{
    double pk = (double)z->pk, together = fmin(restarts, rates->threads);
    return n * pk * pk / rates->product + 4 * pk * pk * pk / rates->factor +
           10 * (double)z->p * rates->polar + start_seconds(z, n, restarts, rates) +
           restarts * (iterations + 3) * iteration_seconds(z, n, together, rates);
}

void of_cs_estimate_time(size_t n, size_t p, size_t k, size_t m, size_t mu,
                         const onefold_fit_options *options, const of_rates *rates,
                         of_cs_estimate *estimate)
{
    of_cs_sizes z = {n, p, k, m, mu, p * k};
    double restarts = (double)options->restarts, most = (double)options->max_iterations,
           each = fmin(TYPICAL.iterations, most);
    if (!of_cs_races(n) || options->restarts == 1 || options->start == ONEFOLD_START_PAPER) {
        estimate->seconds = solve_seconds(&z, (double)n, restarts, each, rates);
        estimate->iterations = (size_t)(restarts * each);
        estimate->passes =
            (size_t)(of_cs_restarts_are_pieces(&z, options->restarts, OF_CS_SHARED_CACHE)
                         ? restarts * (each + 3) + 3
                         : each + 6);
        return;
    }
    double last = fmin(TYPICAL.finishing, most), sample = (double)of_cs_sample_size(n);
    estimate->seconds = solve_seconds(&z, sample, restarts, each, rates) +
                        solve_seconds(&z, (double)n, 1, last, rates);
    estimate->iterations = (size_t)last;
    estimate->passes = (size_t)last + 6;
}
