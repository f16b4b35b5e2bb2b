/* SPDX-License-Identifier: Apache-2.0 */
/* Multiple kernel k-means: eigenvectors of the weighted kernel and weights from them, in turn. */
#include "peers/mkkm.h"

#include "base/clock.h"
#include "linalg/blas.h"
#include "peers/common.h"

#include <math.h>
#include <string.h>

onefold_status of_mkkm_start(of_arena *arena, size_t samples, size_t views, size_t clusters,
                             const double *const *kernel, const of_beta_bounds *bounds,
                             of_mkkm *run)
{
    of_mkkm made = {.samples = samples,
                    .views = views,
                    .clusters = clusters,
                    .kernel = kernel,
                    .bounds = bounds};
    OF_TRY(OF_NEW_THERE(arena, &made.trace, views, 1));
    OF_TRY(OF_NEW_THERE(arena, &made.weight, views, 1));
    OF_TRY(OF_NEW_THERE(arena, &made.cost, views, 1));
    OF_TRY(OF_NEW(arena, &made.sum, samples, samples));
    OF_TRY(OF_NEW(arena, &made.value, clusters, 1));
    OF_TRY(OF_NEW(arena, &made.vector, samples, clusters));
    OF_TRY(OF_NEW(arena, &made.product, samples, clusters));
    for (size_t i = 0; i < views; i++)
        made.trace[i] = of_kernels_trace(arena->context, samples, kernel[i]);
    of_kernels_weigh(views, NULL, NULL, bounds, made.weight);
    OF_TRY(of_kernels_check(views, made.trace));
    *run = made;
    return ONEFOLD_OK;
}

onefold_status of_mkkm_step(of_context *context, of_mkkm *run)
{
    size_t n = run->samples, c = run->clusters;
    OF_SCRATCH(scratch, context);
    double *square;
    OF_TRY(OF_NEW_THERE(&scratch, &square, run->views, 1));
    for (size_t i = 0; i < run->views; i++)
        square[i] = run->weight[i] * run->weight[i];
    OF_TRY(of_kernels_combine(context, n, run->views, run->kernel, square, run->sum));
    OF_TRY(of_spectral_top(context, n, c, run->sum, run->value, run->vector));
    run->iterations++;
    OF_COUNTED(context);
    for (size_t i = 0; i < run->views; i++) {
        OF_TRY(of_team_gemm(context, 'N', 'N', n, c, n, 1, run->kernel[i], n, run->vector, n, 0,
                            run->product, n));
        double left = run->trace[i] - of_dot(n, c, run->vector, n, run->product, n);
        run->cost[i] = fmax(left, OF_KERNELS_FLOOR * run->trace[i]);
    }
    of_kernels_weigh(run->views, run->cost, run->trace, run->bounds, run->weight);
    run->objective = 0;
    for (size_t i = 0; i < run->views; i++)
        run->objective += run->weight[i] * run->weight[i] * run->cost[i];
    return ONEFOLD_OK;
}

/* ---- the method ---------------------------------------------------------------------------- */

enum { TOLERANCE, ITERATIONS, END };
static const of_method_option options[] = {
    {"tol", NULL, 1e-4, 0, 1, "relative change of the objective at which it stops"},
    {"iterations", NULL, 50, 1, 1e6, "the most iterations"},
    OF_SPECTRAL_OPTIONS,
};

static void count_work(of_context *context, const of_problem *problem, of_method_estimate *estimate)
{
    (void)context;
    of_spectral_work(problem->dataset->samples, problem->options->clusters, 6, &estimate->fit);
}

static onefold_status step(of_context *context, const of_problem *problem, void *state,
                           of_outcome *outcome, char *detail)
{
    of_mkkm *run = state;
    double before = outcome->objective;
    (void)detail;
    OF_TRY(of_mkkm_step(context, run));
    outcome->objective = run->objective;
    outcome->converged = run->iterations > 2 &&
                         fabs(before - run->objective) < problem->own[TOLERANCE] * fabs(before);
    return ONEFOLD_OK;
}

static onefold_status run(of_context *context, const of_problem *problem, of_outcome *outcome)
{
    double started = of_clock_seconds(), **kernel;
    OF_SCRATCH(scratch, context);
    of_mkkm state;
    OF_TRY(of_kernels_load(context, &scratch, problem, OF_CENTRED_NORMALISED, &kernel));
    double ready = of_clock_seconds();
    OF_TRY(of_mkkm_start(&scratch, problem->dataset->samples, problem->dataset->view_count,
                         problem->options->clusters, (const double *const *)kernel, problem->bounds,
                         &state));
    OF_TRY(
        of_peer_iterate(context, problem, (size_t)problem->own[ITERATIONS], step, &state, outcome));
    OF_TRY(of_kernels_report(problem, state.weight, outcome));
    OF_TRY(of_spectral_labels(context, problem, problem->own + END, state.vector,
                              problem->dataset->samples, outcome));
    outcome->seconds_base = ready - started;
    outcome->seconds_fit = of_clock_seconds() - ready;
    return ONEFOLD_OK;
}

const of_method of_method_mkkm = {
    .name = "mkkm",
    .title = "multiple kernel k-means",
    OF_PEER_PARTS,
    .weights = OF_WEIGHTS_SUM,
};
