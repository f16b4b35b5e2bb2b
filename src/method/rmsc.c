/* SPDX-License-Identifier: Apache-2.0 */
/* Robust multi-view spectral clustering as a method: options, estimate, input, iterations, labels.
 */
#include "method/rmsc.h"

#include "base/clock.h"
#include "method/kernels.h"
#include "method/peers.h"
#include "method/spectral.h"

#include <stdio.h>

enum { LAMBDA, INPUT, TOLERANCE, ITERATIONS, END };
enum { TRANSITION, SIGNED };
static const of_method_option options[] = {
    {"lambda", NULL, 0.005, 0, 1e6, "weight of what a view has beside the common walk"},
    {"input", "transition|signed", TRANSITION, 0, 1,
     "walks on kernels as they are, or centred and normalised kernels"},
    {"tol", NULL, 0, 0, 1e3,
     "largest row of T - P - E at which it stops; 0: 1e-6, or 1e-5 if signed"},
    {"iterations", NULL, 0, 0, 1e6, "the most iterations; 0: 300, or 100 if signed"},
    OF_SPECTRAL_OPTIONS,
};

/* What the two kinds of input differ in, as published. */
static const struct {
    double penalty, growth, tolerance, iterations;
} kinds[] = {[TRANSITION] = {1e-3, 1.9, 1e-6, 300}, [SIGNED] = {1e-4, 1.6, 1e-5, 100}};

static int is_signed(const of_problem *problem)
{
    return problem->own[INPUT] == SIGNED;
}

static onefold_status estimate(of_context *context, const of_problem *problem, size_t *bytes,
                               double *seconds)
{
    size_t n = problem->dataset->samples, clusters = problem->options->clusters;
    size_t views = problem->dataset->view_count;
    *bytes = 0;
    OF_TRY(of_estimate_add(bytes, 2 * views + 4 + 6, n, n)); /* 6: thresholding, at its fullest */
    OF_TRY(of_estimate_add(bytes, 4, n, clusters + 10));
    OF_TRY(of_estimate_add_kernel(bytes, problem));
    double side = (double)n;
    *seconds = 18 * of_estimate_seconds(context, 3 * side * side * side, 2 * side * side * side) +
               of_spectral_seconds(context, n, clusters);
    return ONEFOLD_OK;
}

static onefold_status iterate(of_context *context, const of_problem *problem, of_rmsc *run,
                              of_outcome *outcome)
{
    int kind = is_signed(problem) ? SIGNED : TRANSITION;
    double tolerance =
        problem->own[TOLERANCE] > 0 ? problem->own[TOLERANCE] : kinds[kind].tolerance;
    size_t most =
        (size_t)(problem->own[ITERATIONS] > 0 ? problem->own[ITERATIONS] : kinds[kind].iterations);
    OF_TRY(OF_NEW(&outcome->arena, &outcome->trace, most, 1));
    while (!outcome->converged && run->iterations < most) {
        char detail[96];
        snprintf(detail, sizeof detail, "rank %zu, residual %.1e", run->rank, run->residual);
        OF_TRY(of_context_check(context));
        of_context_progress(context, "fit", (double)run->iterations, (double)most,
                            run->iterations ? detail : NULL);
        OF_TRY(of_rmsc_step(context, run));
        outcome->objective = run->nuclear + run->options.lambda * run->error;
        outcome->trace[run->iterations - 1] = outcome->objective;
        outcome->converged = run->residual < tolerance;
    }
    outcome->iterations = run->iterations;
    return of_kernels_report(problem, NULL, outcome);
}

/* The embedding (samples x clusters) from P. */
static onefold_status embed(of_context *context, const of_problem *problem, const double *p,
                            double *vector)
{
    size_t n = problem->dataset->samples, clusters = problem->options->clusters;
    OF_SCRATCH(scratch, context);
    double *pi, *l, *value;
    OF_TRY(OF_NEW(&scratch, &pi, n, 1));
    OF_TRY(OF_NEW(&scratch, &value, clusters, 1));
    OF_TRY(OF_NEW(&scratch, &l, n, n));
    OF_TRY(of_rmsc_stationary(context, n, p, pi));
    OF_TRY(of_rmsc_laplacian(context, n, p, pi, l));
    if (is_signed(problem))
        of_rmsc_scale(n, l, pi);
    return of_spectral_top(context, n, clusters, l, n, NULL, value, vector, n);
}

/* A kernel that is the same everywhere makes a walk that goes anywhere: no labels come of it where
 * no other view has a better one. */
static onefold_status check_walks(of_context *context, const of_problem *problem,
                                  double *const *kernel)
{
    size_t n = problem->dataset->samples, views = problem->dataset->view_count;
    for (size_t i = 0; i < views; i++)
        for (size_t e = 1; e < n * n; e++)
            if (kernel[i][e] != kernel[i][0])
                return ONEFOLD_OK;
    return of_kernel_zero(context, &problem->dataset->views[0]);
}

static onefold_status run(of_context *context, const of_problem *problem, of_outcome *outcome)
{
    size_t n = problem->dataset->samples, views = problem->dataset->view_count;
    int kind = is_signed(problem) ? SIGNED : TRANSITION;
    of_rmsc_options settings = {problem->own[LAMBDA], kinds[kind].penalty, kinds[kind].growth,
                                1e10};
    double started = of_clock_seconds(), **kernel, *vector;
    OF_SCRATCH(scratch, context);
    OF_SCRATCH(matrices, context);
    of_rmsc state;
    OF_TRY(OF_NEW(&scratch, &vector, n, problem->options->clusters));
    OF_TRY(of_kernels_load(context, &matrices, problem,
                           kind == SIGNED ? OF_CENTRED_NORMALISED : OF_RAW, &kernel));
    if (kind == TRANSITION && n > 1)
        OF_TRY(check_walks(context, problem, kernel));
    for (size_t i = 0; i < views && kind == TRANSITION; i++)
        OF_TRY(of_rmsc_transition(context, n, kernel[i]));
    double ready = of_clock_seconds();
    OF_TRY(of_rmsc_start(context, &matrices, n, views, kernel, &settings, &state));
    OF_TRY(iterate(context, problem, &state, outcome));
    OF_TRY(embed(context, problem, state.p, vector));
    of_arena_free(&matrices);
    OF_TRY(of_spectral_labels(context, problem, problem->own + END, vector, n, outcome));
    outcome->seconds_base = ready - started;
    outcome->seconds_fit = of_clock_seconds() - ready;
    return ONEFOLD_OK;
}

const of_method of_method_rmsc = {
    .name = "rmsc",
    .why_no_weights = "it learns one transition matrix that all views share, and each counts alike",
    .title = "robust multi-view spectral clustering",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .estimate = estimate,
    .run = run,
    .grid = "lambda=0.005|0.01|0.05|0.1"
            "/input=signed,lambda=0.00390625|0.015625|0.0625|0.25|1",
    .ends_in_kmeans = 1,
};
