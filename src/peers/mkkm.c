/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Multiple kernel k-means (Huang, Chuang, Chen 2012):
 *
 *     min over H, t   tr(K_t (I - HH')),  K_t = sum_i t_i^2 K_i,  H'H = I,  t >= 0, sum t = 1
 *
 * H and t are updated in turn: eigenvectors of the weighted kernel, then weights from costs.
 */
#include "peers/common.h"

#include <math.h>
#include <string.h>

onefold_status of_mkkm_start(of_arena *arena, size_t samples, size_t views, size_t clusters,
                             const double *const *kernel, const of_beta_bounds *bounds,
                             of_mkkm *run)
{
    of_mkkm made = {.now.context = arena->context,
                    .samples = samples,
                    .views = views,
                    .clusters = clusters,
                    .kernel = kernel,
                    .bounds = bounds};
    OF_TRY(OF_NEW_THERE(arena, &made.trace, views, 1));
    OF_TRY(OF_NEW_THERE(arena, &made.weight, views, 1));
    OF_TRY(OF_NEW_THERE(arena, &made.cost, views, 1));
    OF_TRY(OF_NEW_ALL(arena, {&made.sum, samples, samples}, {&made.value, clusters, 1},
                      {&made.vector, samples, clusters}, {&made.product, samples, clusters}));
    for (size_t i = 0; i < views; i++)
        made.trace[i] = of_kernels_trace(arena->context, samples, kernel[i]);
    of_kernels_weigh(views, NULL, NULL, bounds, made.weight);
    OF_TRY(of_kernels_check(views, made.trace));
    *run = made;
    return ONEFOLD_OK;
}

onefold_status of_mkkm_step(void *opaque)
{
    of_mkkm *run = opaque;
    of_context *context = run->now.context;
    size_t n = run->samples, c = run->clusters;
    double before = run->now.objective;
    OF_SCRATCH(scratch, context);
    double *square;
    OF_TRY(OF_NEW_THERE(&scratch, &square, run->views, 1));
    for (size_t i = 0; i < run->views; i++)
        square[i] = run->weight[i] * run->weight[i];
    OF_TRY(of_kernels_combine(context, n, run->views, run->kernel, square, run->sum));
    OF_TRY(of_spectral_top(context, n, c, run->sum, run->value, run->vector));
    run->now.iteration++;
    OF_COUNTED(context);
    for (size_t i = 0; i < run->views; i++) {
        OF_TRY(of_team_gemm(context, 'N', 'N', n, c, n, 1, run->kernel[i], n, run->vector, n, 0,
                            run->product, n));
        double left = run->trace[i] - of_dot(n, c, run->vector, run->product);
        run->cost[i] = fmax(left, OF_KERNELS_FLOOR * run->trace[i]);
    }
    of_kernels_weigh(run->views, run->cost, run->trace, run->bounds, run->weight);
    run->now.objective = 0;
    for (size_t i = 0; i < run->views; i++)
        run->now.objective += run->weight[i] * run->weight[i] * run->cost[i];
    run->now.converged =
        run->now.iteration > 2 && fabs(before - run->now.objective) < run->tolerance * fabs(before);
    return ONEFOLD_OK;
}

/* ---- the method ---------------------------------------------------------------------------- */

enum { TOLERANCE, ITERATIONS, END };
static const of_method_option options[] = {
    {"tol", NULL, 1e-4, 0, 1, "relative change of the objective at which it stops"},
    {"iterations", NULL, 50, 1, 1e6, "maximum number of iterations"},
    OF_SPECTRAL_OPTIONS,
};

static void count_work(of_context *context, const of_problem *problem, of_method_estimate *estimate)
{
    (void)context;
    of_spectral_work(problem->dataset->samples, problem->options->clusters, 6, &estimate->fit);
}

static onefold_status run(of_context *context, const of_problem *problem, of_outcome *outcome)
{
    double started = of_clock_seconds(), **kernel;
    OF_SCRATCH(scratch, context);
    of_mkkm state;
    OF_TRY(of_kernels_load(context, &scratch, problem, OF_CENTRED_NORMALISED, &kernel));
    outcome->seconds_base = of_clock_seconds() - started;
    OF_TRY(of_mkkm_start(&scratch, problem->dataset->samples, problem->dataset->view_count,
                         problem->options->clusters, (const double *const *)kernel, problem->bounds,
                         &state));
    state.tolerance = problem->own[TOLERANCE];
    OF_TRY(of_peer_iterate(&state, of_mkkm_step, problem->own[ITERATIONS], outcome));
    return of_spectral_labels(context, problem, problem->own + END, state.weight, state.vector,
                              outcome);
}

const of_method of_method_mkkm = {
    .name = "mkkm",
    .title = "multiple kernel k-means",
    OF_PEER_PARTS,
    .weights = OF_WEIGHTS_SUM,
};
