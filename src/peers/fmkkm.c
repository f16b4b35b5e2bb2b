/* SPDX-License-Identifier: Apache-2.0 */
/* Fusion multiple kernel k-means as a method: options, estimate, iterations until it stops. */
#include "peers/fmkkm.h"

#include "base/clock.h"
#include "peers/kernels.h"
#include "method/peers.h"
#include "peers/spectral.h"

#include <math.h>

enum { L1, L2, TOLERANCE, ITERATIONS, END };
static const of_method_option options[] = {
    {"l1", NULL, 32, 0, 1e12, "weight of the views' own k-means terms"},
    {"l2", NULL, 64, 0, 1e12, "weight of the agreement between the views and the whole"},
    {"tol", NULL, 1e-5, 0, 1, "relative change of the objective at which it stops"},
    {"iterations", NULL, 100, 1, 1e6, "the most iterations"},
    OF_SPECTRAL_OPTIONS,
};

static onefold_status estimate(of_context *context, const of_problem *problem, size_t *bytes,
                               double *seconds)
{
    size_t n = problem->dataset->samples, clusters = problem->options->clusters;
    size_t views = problem->dataset->view_count, workers = (size_t)context->threads;
    *bytes = 0;
    OF_TRY(of_estimate_add(bytes, views + 1, n, n));
    OF_TRY(of_estimate_add(bytes, 4 * views + 8 * workers + 4, n, clusters));
    OF_TRY(of_estimate_add_kernel(bytes, problem));
    OF_TRY(of_size_add(bytes, *bytes, of_spectral_bytes(context, n, clusters)));
    double products = 4.0 * (double)views * (double)n * (double)n * (double)clusters;
    *seconds = (double)(views + 1) * of_spectral_seconds(context, n, clusters) +
               40 * of_estimate_seconds(context, 4 * products, 0);
    return ONEFOLD_OK;
}

/* Iterates; the outcome's trace has room for every iteration. */
static onefold_status iterate(of_context *context, const of_problem *problem, of_fmkkm *run,
                              of_outcome *outcome)
{
    size_t most = (size_t)problem->own[ITERATIONS];
    double before = 0;
    OF_TRY(OF_NEW(&outcome->arena, &outcome->trace, most, 1));
    while (!outcome->converged && run->iterations < most) {
        OF_TRY(of_context_check(context));
        of_context_progress(context, "fit", (double)run->iterations, (double)most, NULL);
        OF_TRY(of_fmkkm_step(context, run));
        outcome->trace[run->iterations - 1] = run->objective;
        outcome->converged =
            run->iterations > 1 &&
            fabs(before - run->objective) < problem->own[TOLERANCE] * fabs(run->objective);
        before = run->objective;
    }
    outcome->objective = run->objective;
    outcome->iterations = run->iterations;
    OF_TRY(of_kernels_report(problem, NULL, outcome));
    for (size_t i = 0; i < run->views; i++)
        outcome->views[i].weight = run->view[i].g;
    return ONEFOLD_OK;
}

static onefold_status run(of_context *context, const of_problem *problem, of_outcome *outcome)
{
    double started = of_clock_seconds(), **kernel;
    size_t n = problem->dataset->samples;
    OF_SCRATCH(scratch, context);
    of_fmkkm state;
    OF_TRY(of_kernels_load(context, &scratch, problem, OF_CENTRED_NORMALISED, &kernel));
    double ready = of_clock_seconds();
    OF_TRY(of_fmkkm_start(context, &scratch, n, problem->dataset->view_count,
                          problem->options->clusters, (const double *const *)kernel,
                          problem->own[L1], problem->own[L2], &state));
    OF_TRY(iterate(context, problem, &state, outcome));
    OF_TRY(of_spectral_labels(context, problem, problem->own + END, state.vector, n, outcome));
    outcome->seconds_base = ready - started;
    outcome->seconds_fit = of_clock_seconds() - ready;
    return ONEFOLD_OK;
}

const of_method of_method_fmkkm = {
    .name = "fmkkm",
    .why_no_weights = "each view has three in its problem, which mean different things",
    .title = "fusion multiple kernel k-means",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .estimate = estimate,
    .run = run,
    .grid = "l1=2|4|8|16|32|64|128|256|512,l2=8|16|32|64|128|256|512|1024",
    .ends_in_kmeans = 1,
};
