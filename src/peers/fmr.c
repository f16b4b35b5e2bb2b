/* SPDX-License-Identifier: Apache-2.0 */
/* FMR as a method: options, estimate, start, iterations, labels. */
#include "peers/fmr.h"

#include "base/clock.h"
#include "base/random.h"
#include "method/peers.h"
#include "peers/common.h"

#include <stdio.h>
#include <string.h>

enum { LOW, NOISE, LEVEL, STEP, LATENT, STEPS, TOLERANCE, ITERATIONS, END };
static const of_method_option options[] = {
    {"l1", NULL, 1e-4, 1e-12, 1e6, "weight of the representation's rank"},
    {"l2", NULL, 1e-6, 0, 1e6, "weight of the noise"},
    {"eps", NULL, -5e7, -1e15, 0,
     "agreement with the views at which the latent part stops to grow"},
    {"alpha", NULL, 100, 1e-9, 1e9, "step of that growth"},
    {"latent", NULL, 200, 1, 1e6, "rows of the latent representation"},
    {"steps", NULL, 20000, 1, 1e9, "the most steps of growth in an iteration"},
    {"tol", NULL, 1e-4, 0, 1e6, "largest row of what is unexplained at which it stops"},
    {"iterations", NULL, 500, 1, 1e6, "the most iterations"},
    OF_SPECTRAL_OPTIONS,
};

static size_t least(size_t x, size_t y)
{
    return x < y ? x : y;
}

static double seconds(of_context *context, const of_problem *problem)
{
    size_t n = problem->dataset->samples, d = (size_t)problem->own[LATENT], all = 0;
    double side = (double)n, height = (double)least(d, n), rows = (double)d, product = 0;
    for (size_t v = 0; v < problem->dataset->view_count; v++)
        all += problem->dataset->views[v].columns;
    double whole = (double)least(all, n); /* rows of the similarity */
    product = side * side * (double)all + 130 * side * height * (14 * height + 4 * rows) +
              30 * 2 * side * side * height;
    return of_estimate_seconds(context, product,
                               9 * whole * whole * whole + 130 * 6 * height * height * height) +
           of_spectral_seconds(context, n, problem->options->clusters);
}

/* Uniform numbers, each sample's from a stream of its own. */
static void draw_start(uint64_t seed, size_t rows, size_t samples, double *latent)
{
    for (size_t j = 0; j < samples; j++) {
        of_random random = of_random_make(seed, OF_PURPOSE_FMR_START, j);
        for (size_t i = 0; i < rows; i++)
            latent[i + j * rows] = of_random_uniform(&random);
    }
}

static onefold_status start(of_context *context, const of_problem *problem, of_fmr *f)
{
    size_t n = problem->dataset->samples, views = problem->dataset->view_count, *rows;
    const double *own = problem->own;
    size_t d = (size_t)own[LATENT];
    of_fmr_options settings = OF_FMR_OPTIONS_INIT;
    OF_SCRATCH(scratch, context);
    double *latent;
    settings.low_weight = own[LOW];
    settings.noise_weight = own[NOISE];
    settings.level = own[LEVEL];
    settings.step = own[STEP];
    settings.max_steps = (size_t)own[STEPS];
    settings.tolerance = own[TOLERANCE];
    settings.max_iterations = (size_t)own[ITERATIONS];
    OF_TRY(OF_NEW_THERE(&scratch, &rows, views, 1));
    OF_TRY(OF_NEW(&scratch, &latent, d, n));
    for (size_t v = 0; v < views; v++)
        rows[v] = problem->dataset->views[v].columns;
    if (!of_counts(context))
        draw_start(problem->options->seed, d, n, latent);
    return of_fmr_start(f, context, &settings, n, views, rows, of_features_of_dataset,
                        (void *)problem->dataset, d, latent);
}

static onefold_status iterate(of_context *context, of_fmr *f, of_outcome *outcome)
{
    size_t most = f->options.max_iterations;
    OF_TRY(OF_NEW(&outcome->arena, &outcome->trace, most, 1));
    while (!f->converged && f->iteration < most) {
        char detail[96];
        snprintf(detail, sizeof detail, "rank %zu, residuals %.1e and %.1e", f->rank,
                 f->residual_latent, f->residual_low);
        of_context_progress(context, "fit", (double)f->iteration, (double)most,
                            f->iteration ? detail : NULL);
        OF_TRY(of_fmr_step(f));
        if (of_counts(context))
            break;
        outcome->trace[f->iteration - 1] = f->objective;
    }
    outcome->objective = f->objective;
    outcome->iterations = f->iteration;
    outcome->converged = f->converged;
    return ONEFOLD_OK;
}

/* Runs FMR and leaves its representation (samples x samples, from `arena`). */
static onefold_status represent(of_context *context, const of_problem *problem, of_arena *arena,
                                of_fmr *f, double **self, of_outcome *outcome)
{
    double started = of_clock_seconds();
    OF_TRY(start(context, problem, f));
    outcome->seconds_base = of_clock_seconds() - started;
    OF_TRY(iterate(context, f, outcome));
    OF_TRY(OF_NEW(arena, self, f->samples, f->samples));
    return of_fmr_self(f, *self);
}

static onefold_status run(of_context *context, const of_problem *problem, of_outcome *outcome)
{
    double started = of_clock_seconds(), *self;
    OF_SCRATCH(scratch, context);
    of_fmr f;
    memset(&f, 0, sizeof f);
    onefold_status status = represent(context, problem, &scratch, &f, &self, outcome);
    of_fmr_end(&f);
    OF_TRY(status);
    if (!of_counts(context))
        of_fmr_affinity(problem->dataset->samples, self);
    OF_TRY(of_affinity_labels(context, problem, problem->own + END, self, outcome));
    outcome->seconds_fit = of_clock_seconds() - started - outcome->seconds_base;
    return ONEFOLD_OK;
}

const of_method of_method_fmr = {
    .name = "fmr",
    .why_no_weights = "it learns one representation of all views, in which each counts alike",
    .title = "flexible multi-view representation learning",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .seconds = seconds,
    .run = run,
    .grid = "l1=1e-4,l2=1e-8,eps=-5e10,alpha=100,latent=200/"
            "l1=1e-4,l2=1e-8,eps=-5e8,alpha=100,latent=300/"
            "l1=1e-3,l2=1e-6,eps=-5e8,alpha=10,latent=200/"
            "l1=1e-4,l2=1e-7,eps=-5e5,alpha=10,latent=800/"
            "l1=1e-4,l2=1e-6,eps=-5e7,alpha=100,latent=200",
    .ends_in_kmeans = 1,
};
