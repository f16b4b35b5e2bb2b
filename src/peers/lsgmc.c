/* SPDX-License-Identifier: Apache-2.0 */
/* LSGMC as a method: options, estimate, iterations, labels. */
#include "peers/lsgmc.h"

#include "base/clock.h"
#include "base/team.h"
#include "linalg/blas.h"
#include "linalg/factor.h"
#include "method/peers.h"
#include "peers/common.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From LSGMC's summed representation to an affinity: the strong entries, then their geometry. */

double of_lsgmc_share(size_t samples)
{
    enum { LEAST_SAMPLES = 137 }; /* below, the formula passes 1 */
    return samples < LEAST_SAMPLES ? 1 : 0.032 + 1 / (0.018 * (double)samples - 1.42);
}

/* ---- strong entries ------------------------------------------------------------------------ */

typedef struct entry {
    double size;
    size_t row;
} entry;

static int larger_first(const void *x, const void *y)
{
    const entry *a = x, *b = y;
    if (a->size != b->size)
        return a->size > b->size ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

typedef struct retaining {
    of_context *context;
    size_t n;
    double *a, share;
} retaining;

static onefold_status retain_column(void *task, size_t column, int worker)
{
    const retaining *r = task;
    double *a = r->a + column * r->n, total = 0, sum = 0;
    OF_SCRATCH(scratch, r->context);
    entry *entries;
    (void)worker;
    OF_TRY(of_arena_allocate(&scratch, (void **)&entries, sizeof *entries, r->n, 1));
    OF_COUNTED(r->context);
    for (size_t i = 0; i < r->n; i++) {
        entries[i] = (entry){fabs(a[i]), i};
        total += entries[i].size;
    }
    qsort(entries, r->n, sizeof *entries, larger_first);
    size_t kept = 0;
    while (kept < r->n && (kept == 0 || sum < r->share * total))
        sum += entries[kept++].size;
    for (size_t k = kept; k < r->n; k++)
        a[entries[k].row] = 0;
    return ONEFOLD_OK;
}

onefold_status of_lsgmc_retain(of_context *context, size_t n, double *a, double share)
{
    retaining r = {context, n, a, share};
    if (share >= 1)
        return ONEFOLD_OK;
    if (of_counts(context))
        return of_team_count(context, n, retain_column, &r);
    return of_team_run(context, n, retain_column, &r);
}

/* ---- affinity ------------------------------------------------------------------------------ */

static const double LEAST_VALUE = 1e-6; /* singular values up to this count for nothing */

/* Left singular vectors and values of A (n x n, destroyed), descending. From the eigenvectors of
 * AA' where rounding, which squaring lifts to about 1e-8 of the largest value, stays well below the
 * least value that counts; else from A itself. */
static onefold_status left_spectrum(of_context *context, size_t n, double *a, double *vector,
                                    double *value)
{
    OF_SCRATCH(scratch, context);
    OF_TRY(of_team_syrk(context, 'N', n, n, 1, a, n, 0, vector, n));
    OF_TRY(of_eigh(context, n, vector, n, value));
    if (!of_counts(context) && 10 * DBL_EPSILON * value[0] < LEAST_VALUE * LEAST_VALUE) {
        for (size_t i = 0; i < n; i++)
            value[i] = sqrt(fmax(0, value[i]));
        return ONEFOLD_OK;
    }
    double *vt;
    OF_TRY(OF_NEW(&scratch, &vt, n, n));
    return of_svd(context, n, n, a, n, value, vector, n, vt, n);
}

onefold_status of_lsgmc_affinity(of_context *context, size_t n, double *a, double *affinity)
{
    OF_SCRATCH(scratch, context);
    double *vector, *value, *scale;
    OF_TRY(OF_NEW(&scratch, &vector, n, n));
    OF_TRY(OF_NEW(&scratch, &value, n, 1));
    OF_TRY(OF_NEW_ZERO(&scratch, &scale, n, 1));
    for (size_t j = 0; j < n && !of_counts(context); j++)
        for (size_t i = 0; i < n; i++)
            if (a[i + j * n] != 0)
                scale[i] = 1; /* this row is not zero */
    OF_TRY(left_spectrum(context, n, a, vector, value));
    OF_COUNTED(context);
    size_t rank = 0;
    while (rank < n && value[rank] > LEAST_VALUE)
        rank++;
    for (size_t k = 0; k < rank; k++)
        cblas_dscal((int)n, sqrt(value[k]), vector + k * n, 1);
    OF_TRY(of_team_syrk(context, 'N', n, rank, 1, vector, n, 0, affinity, n));
    for (size_t i = 0; i < n; i++)
        scale[i] = scale[i] != 0 && affinity[i + i * n] > 0 ? 1 / sqrt(affinity[i + i * n]) : 0;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
            double cosine = affinity[i + j * n] * (scale[i] * scale[j]);
            affinity[i + j * n] = cosine * cosine;
        }
    return ONEFOLD_OK;
}

enum { LAMBDA, POWER, STOP, TOLERANCE, ITERATIONS, END };
static const of_method_option options[] = {
    {"lambda", NULL, 10, 1e-12, 1e12, "weight of the common core's rank"},
    {"q", NULL, 0.9, 1e-3, 1, "power of the singular values in it"},
    {"stop", "guarded|early", 0, 0, 1, "wait until the core has left zero, or do as published"},
    {"tol", NULL, 0.01, 0, 1e6, "relative change at which it stops"},
    {"iterations", NULL, 30, 1, 1e6, "the most iterations"},
    OF_SPECTRAL_OPTIONS,
};

static double seconds(of_context *context, const of_problem *problem)
{
    size_t n = problem->dataset->samples;
    double side = (double)n, product = 0, factor = (9 + 15 * 4) * side * side * side;
    for (size_t v = 0; v < problem->dataset->view_count; v++) {
        double columns = (double)problem->dataset->views[v].columns, height = fmin(columns, side);
        /* about 15 iterations, of which 8 with a core, of a rank of about n / 10 */
        product += side * side * (8 * (4 + 3) * side + 15 * 4 * height);
        factor += columns * height * side * 2 + 9 * height * height * side;
    }
    return of_estimate_seconds(context, product, factor) +
           of_spectral_seconds(context, n, problem->options->clusters);
}

static onefold_status iterate(of_context *context, of_lsgmc *l, of_outcome *outcome)
{
    size_t most = l->options.max_iterations;
    OF_TRY(OF_NEW(&outcome->arena, &outcome->trace, most, 1));
    while (!l->converged && l->iteration < most) {
        char detail[96];
        snprintf(detail, sizeof detail, "rank %zu, change %.1e", l->spectrum.rank, l->stop_value);
        of_context_progress(context, "fit", (double)l->iteration, (double)most,
                            l->iteration > 1 ? detail : NULL);
        OF_TRY(of_lsgmc_step(l));
        if (of_counts(context))
            return of_lsgmc_step(l); /* with a core by then */
        outcome->trace[l->iteration - 1] = l->objective;
    }
    outcome->objective = l->objective;
    outcome->iterations = l->iteration;
    outcome->converged = l->converged;
    if (l->spectrum.rank == 0)
        outcome->note = "the core common to the views is still zero: a smaller lambda would let it "
                        "grow";
    return ONEFOLD_OK;
}

/* Runs LSGMC and leaves the sum of the views' representations (samples x samples). */
static onefold_status represent(of_context *context, const of_problem *problem, of_lsgmc *l,
                                double *sum, of_outcome *outcome)
{
    size_t n = problem->dataset->samples, views = problem->dataset->view_count, *rows;
    const double *own = problem->own;
    double started = of_clock_seconds();
    of_lsgmc_options settings = OF_LSGMC_OPTIONS_INIT;
    OF_SCRATCH(scratch, context);
    settings.lambda = own[LAMBDA];
    settings.power = own[POWER];
    settings.early = own[STOP] != 0;
    settings.tolerance = own[TOLERANCE];
    settings.max_iterations = (size_t)own[ITERATIONS];
    OF_TRY(OF_NEW_THERE(&scratch, &rows, views, 1));
    for (size_t v = 0; v < views; v++)
        rows[v] = problem->dataset->views[v].columns;
    OF_TRY(of_lsgmc_start(l, context, &settings, n, views, rows, of_features_of_dataset,
                          (void *)problem->dataset));
    outcome->seconds_base = of_clock_seconds() - started;
    OF_TRY(iterate(context, l, outcome));
    OF_COUNTED(context);
    memset(sum, 0, n * n * sizeof *sum);
    for (size_t v = 0; v < views; v++)
        for (size_t i = 0; i < n * n; i++)
            sum[i] += l->views[v].self[i];
    return ONEFOLD_OK;
}

static onefold_status run(of_context *context, const of_problem *problem, of_outcome *outcome)
{
    size_t n = problem->dataset->samples;
    double started = of_clock_seconds(), *sum, *affinity;
    OF_SCRATCH(scratch, context);
    of_lsgmc l;
    memset(&l, 0, sizeof l);
    OF_TRY(OF_NEW(&scratch, &sum, n, n));
    onefold_status status = represent(context, problem, &l, sum, outcome);
    of_lsgmc_end(&l);
    OF_TRY(status);
    OF_TRY(OF_NEW(&scratch, &affinity, n, n));
    OF_TRY(of_lsgmc_retain(context, n, sum, of_lsgmc_share(n)));
    OF_TRY(of_lsgmc_affinity(context, n, sum, affinity));
    of_arena_release(&scratch, sum);
    OF_TRY(of_affinity_labels(context, problem, problem->own + END, affinity, outcome));
    outcome->seconds_fit = of_clock_seconds() - started - outcome->seconds_base;
    return ONEFOLD_OK;
}

const of_method of_method_lsgmc = {
    .name = "lsgmc",
    .why_no_weights = "it learns one core behind all views, and each counts alike",
    .title = "low-rank symmetric affinity graph",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .seconds = seconds,
    .run = run,
    .grid = "lambda=0.00001|0.0001|0.001|0.01|0.1|1|10|100,"
            "q=0.01|0.1|0.2|0.3|0.4|0.5|0.6|0.7|0.8|0.9",
    .ends_in_kmeans = 1,
};
