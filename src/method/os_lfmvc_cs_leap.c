/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Longer steps for OS-LFMVC-CS, and when a run has settled (docs/method.md section 2, "Stop").
 *
 * Where views hold noise in more rows than they hold clusters, J creeps up for hundreds of
 * iterations while the rotations turn the noise of one view after that of the others. The steps
 * point the same way all the time, so W and beta go on as far again as they have just come; what
 * that does to J is seen after the pass, and where J would fall the run goes back and takes the
 * plain step. J still never falls.
 */
#include "method/os_lfmvc_cs_parts.h"

#include "linalg/blas.h"
#include "linalg/factor.h"

#include <math.h>
#include <string.h>

/* beta goes on as W does, stays non-negative and of length 1: two vectors of length 1 without
 * negative entries, so one entry at least has not shrunk, and is left positive. */
static void leap_beta(const of_beta_bounds *bounds, size_t p, double *last, double *beta)
{
    for (size_t i = 0; i < p; i++) {
        double plain = beta[i];
        beta[i] = fmax(2 * plain - last[i], 0);
        last[i] = plain;
    }
    if (bounds) { /* the nearest within them, or where there is none, no leap */
        if (!of_beta_bounds_point(bounds, p, beta, beta))
            memcpy(beta, last, p * sizeof *beta);
        return;
    }
    double length = cblas_dnrm2((int)p, beta, 1);
    for (size_t i = 0; i < p; i++)
        beta[i] /= length;
}

onefold_status of_cs_leap(of_context *context, const of_cs_sizes *sizes, of_cs_runner *run,
                          size_t iteration)
{
    size_t k = sizes->k, block = k * k, pk = sizes->pk;
    of_cs_state *now = &run->now;
    of_cs_last *last = &run->last;
    /* The first step has none before it, and one that follows a step back is better left short. */
    run->leapt = iteration > 1 && !run->went_back;
    last->moved = iteration > 1 ? run->moved : sizes->n;
    run->went_back = 0;
    memcpy(last->XS, now->XS, pk * sizes->m * sizeof(double));
    memcpy(last->XY, now->XY, pk * sizes->mu * sizeof(double));
    if (!run->leapt) {
        memcpy(last->W, now->W, k * pk * sizeof(double));
        memcpy(last->beta, now->beta, sizes->p * sizeof(double));
        return ONEFOLD_OK;
    }
    for (size_t d = 0; d < sizes->p; d++) {
        double *W = now->W + d * block, *before = last->W + d * block;
        /* 2 W - W_before has no singular value below 1: its polar factor is never in doubt. */
        for (size_t e = 0; e < block; e++)
            run->G[e] = 2 * W[e] - before[e];
        memcpy(before, W, block * sizeof(double));
        OF_TRY(of_polar_near(context, k, k, run->G, k, W, k, W, k));
    }
    leap_beta(run->bounds, sizes->p, last->beta, now->beta);
    of_cs_set_B(sizes, now);
    return ONEFOLD_OK;
}

void of_cs_leap_back(const of_cs_sizes *sizes, of_cs_runner *run)
{
    of_cs_state *now = &run->now;
    memcpy(now->W, run->last.W, sizes->k * sizes->pk * sizeof(double));
    memcpy(now->beta, run->last.beta, sizes->p * sizeof(double));
    memcpy(now->XS, run->last.XS, sizes->pk * sizes->m * sizeof(double));
    memcpy(now->XY, run->last.XY, sizes->pk * sizes->mu * sizeof(double));
    of_cs_set_B(sizes, now);
    run->went_back = 1;
}

/* J has come to rest over two iterations, or nearly so while hardly a label changes. */
static int has_calmed(const of_cs_solver *s, const of_cs_runner *run, size_t iterations)
{
    enum { FEW = 5000, NEARLY = 4 };
    if (iterations < 3)
        return 0;
    double J = run->trace[iterations - 1], change = J - run->trace[iterations - 3],
           tolerance = 2 * s->problem->options->tolerance * fabs(J);
    int at_rest = run->moved <= s->sizes.n / FEW && run->last.moved <= s->sizes.n / FEW;
    return change <= (at_rest ? NEARLY * tolerance : tolerance);
}

/* Where there are many samples J can creep up for a hundred iterations while the rotations share
 * out what is noise in all views, and no label is any different for it: there a run has also
 * settled when next to no sample moves and J has nearly come to rest. */
int of_cs_has_settled(const of_cs_solver *s, const of_cs_runner *run, size_t iterations)
{
    enum { FEW = 100000, NEARLY = 10 };
    const onefold_fit_options *options = s->problem->options;
    if (iterations < 2)
        return 0;
    if (options->stop == ONEFOLD_STOP_SETTLED)
        return has_calmed(s, run, iterations);
    double J = run->trace[iterations - 1], change = J - run->trace[iterations - 2],
           tolerance = options->tolerance * fabs(J);
    if (options->stop == ONEFOLD_STOP_PAPER)
        return change * change < 1e-3;
    int at_rest = of_cs_races(s->sizes.n) && run->moved <= s->sizes.n / FEW;
    return fabs(change) <= (at_rest ? NEARLY * tolerance : tolerance);
}
