/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Robust multi-view spectral clustering (Xia, Pan, Du, Yin 2014) on transition matrices T_i:
 *
 *     min ||P||_* + lambda sum_i ||E_i||_1   with T_i = P + E_i, P >= 0, P 1 = 1
 *
 * by alternating directions with Q = P. All matrices are stored transposed, so that a row of P,
 * which is projected on the simplex, is contiguous: column j of `p` is row j of P.
 */
#include "peers/common.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- walks ----------------------------------------------------------------------------------- */

onefold_status of_rmsc_transition(of_context *context, size_t n, double *kernel)
{
    double least = 0;
    OF_COUNTED(context);
    for (size_t e = 0; e < n * n; e++)
        least = kernel[e] < least ? kernel[e] : least;
    for (size_t j = 0; j < n; j++) {
        double *column = kernel + j * n, sum = 0;
        for (size_t i = 0; i < n; i++) {
            column[i] -= least;
            sum += column[i];
        }
        for (size_t i = 0; i < n; i++)
            column[i] = sum > 0 ? column[i] / sum : 1 / (double)n;
    }
    return ONEFOLD_OK;
}

/* Inverse iteration with I - (1 - d) P', which is never singular. From the uniform vector the first
 * step has an error of order d, the second of d^2. */
onefold_status of_rmsc_stationary(of_context *context, size_t samples, const double *p, double *pi)
{
    const double d = 1e-9;
    OF_SCRATCH(scratch, context);
    double *matrix;
    OF_TRY(OF_NEW(&scratch, &matrix, samples, samples));
    if (of_counts(context))
        return of_lapack_dgesv(context, samples, matrix, pi);
    for (size_t j = 0; j < samples; j++)
        pi[j] = 1 / (double)samples;
    for (int step = 0; step < 2; step++) {
        double sum = 0;
        for (size_t e = 0; e < samples * samples; e++)
            matrix[e] = (d - 1) * p[e];
        for (size_t j = 0; j < samples; j++)
            matrix[j + j * samples] += 1;
        OF_TRY(of_lapack_dgesv(context, samples, matrix, pi));
        for (size_t i = 0; i < samples; i++) {
            pi[i] = fmax(pi[i], 0);
            sum += pi[i];
        }
        for (size_t i = 0; i < samples; i++)
            pi[i] /= sum;
    }
    return ONEFOLD_OK;
}

onefold_status of_rmsc_laplacian(of_context *context, size_t n, const double *p, const double *pi,
                                 double *l)
{
    OF_COUNTED(context);
    double least = pi[0], most = pi[0];
    for (size_t i = 1; i < n; i++) {
        least = fmin(least, pi[i]);
        most = fmax(most, pi[i]);
    }
    int plain = least <= 1e-14 * most; /* no scaling by Pi^-1/2: some entry of pi is 0 */
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
            double forth = p[j + i * n], back = p[i + j * n]; /* P_ij, P_ji */
            double ratio = plain ? 1 : sqrt(pi[i] / pi[j]);
            l[i + j * n] =
                plain ? (pi[i] * forth + pi[j] * back) / 2 : (ratio * forth + back / ratio) / 2;
        }
    return ONEFOLD_OK;
}

/* ---- the iteration --------------------------------------------------------------------------- */

enum { COLUMNS = 8 }; /* of a piece of work */
static const double MOST_PENALTY = 1e10;

static void piece_columns(const of_rmsc *run, size_t index, size_t *first, size_t *end)
{
    *first = index * COLUMNS;
    *end = *first + COLUMNS < run->samples ? *first + COLUMNS : run->samples;
}

onefold_status of_rmsc_start(of_arena *arena, of_rmsc *run)
{
    size_t samples = run->samples, views = run->views;
    OF_SCRATCH(scratch, run->now.context);
    double *weight;
    OF_TRY(OF_NEW(arena, &run->multiplier, views, 1));
    for (size_t i = 0; i < views; i++)
        OF_TRY(OF_NEW_ZERO(arena, &run->multiplier[i], samples, samples));
    OF_TRY(OF_NEW_ALL_ZERO(arena, {&run->p, samples, samples}, {&run->q, samples, samples},
                           {&run->z, samples, samples}));
    OF_TRY(OF_NEW_ALL(arena, {&run->target, samples, samples}, {&run->column, samples, 2}));
    OF_TRY(OF_NEW_THERE(&scratch, &weight, views, 1));
    for (size_t i = 0; i < views; i++)
        weight[i] = 1;
    return of_kernels_combine(run->now.context, samples, views,
                              (const double *const *)run->transition, weight, run->target);
}

/* The projection is max(x - t, 0), with the t that makes the sum 1. Entries at or below a lower
 * bound of t become 0; each pass drops these and raises the bound, until none is left to drop
 * (Michelot 1986). This is exact, in a few passes, without sorting. */
void of_simplex_project(size_t length, double *x)
{
    double top = x[0];
    for (size_t i = 1; i < length; i++)
        top = x[i] > top ? x[i] : top;
    /* t is relative to the largest entry, in [-1, 0): no digits are lost for large x. */
    double t = -1;
    for (size_t kept = length + 1;;) {
        double sum = 0;
        size_t count = 0;
        for (size_t i = 0; i < length; i++) {
            double below = x[i] - top;
            int above = below > t;
            sum += above ? below : 0;
            count += (size_t)above;
        }
        if (count >= kept)
            break;
        kept = count;
        t = (sum - 1) / (double)count;
    }
    for (size_t i = 0; i < length; i++) {
        double above = x[i] - top - t;
        x[i] = above > 0 ? above : 0;
    }
}

/* P: rows of (Q - Z/u + target) / (views + 1) on the simplex; then target becomes P + Z/u. */
static onefold_status project_piece(void *task, size_t index)
{
    of_rmsc *run = task;
    size_t n = run->samples, first, end;
    piece_columns(run, index, &first, &end);
    double share = 1 / (double)(run->views + 1), inverse = 1 / run->penalty;
    for (size_t j = first; j < end; j++) {
        double *p = run->p + j * n, *target = run->target + j * n;
        const double *q = run->q + j * n, *z = run->z + j * n;
        for (size_t i = 0; i < n; i++)
            p[i] = (q[i] - z[i] * inverse + target[i]) * share;
        of_simplex_project(n, p);
        for (size_t i = 0; i < n; i++)
            target[i] = p[i] + z[i] * inverse;
    }
    return ONEFOLD_OK;
}

/* E, Y and Z of the piece's rows, and the target of the next P step. */
static onefold_status split_piece(void *task, size_t index)
{
    of_rmsc *run = task;
    size_t n = run->samples, first, end;
    piece_columns(run, index, &first, &end);
    double u = run->penalty, next = fmin(u * run->growth, MOST_PENALTY);
    double inverse = 1 / u, after = 1 / next, cut = run->lambda / u;
    for (size_t j = first; j < end; j++) {
        double *target = run->target + j * n, *z = run->z + j * n, *figure = run->column + 2 * j;
        const double *p = run->p + j * n, *q = run->q + j * n;
        figure[0] = figure[1] = 0;
        memset(target, 0, n * sizeof *target);
        for (size_t v = 0; v < run->views; v++) {
            const double *t = run->transition[v] + j * n;
            double *y = run->multiplier[v] + j * n, rest = 0;
            for (size_t i = 0; i < n; i++) {
                double a = t[i] - p[i] - y[i] * inverse, held = a < cut ? a : cut;
                double e = a - (held > -cut ? held : -cut), left = t[i] - e - p[i];
                y[i] -= u * left;
                target[i] += t[i] - e - y[i] * after;
                figure[0] += fabs(e);
                rest += fabs(left);
            }
            figure[1] = fmax(figure[1], rest);
        }
        for (size_t i = 0; i < n; i++)
            z[i] += u * (p[i] - q[i]);
    }
    return ONEFOLD_OK;
}

onefold_status of_rmsc_step(void *opaque)
{
    of_rmsc *run = opaque;
    of_context *context = run->now.context;
    size_t n = run->samples, pieces = (n + COLUMNS - 1) / COLUMNS;
    OF_TRY(of_team_run(context, pieces, project_piece, run));
    OF_TRY(of_threshold_singular(context, n, n, run->target, 1 / run->penalty, run->q, &run->rank,
                                 &run->nuclear));
    OF_COUNTED(context);
    OF_TRY(of_team_run(context, pieces, split_piece, run));
    run->error = run->residual = 0;
    for (size_t j = 0; j < n; j++) {
        run->error += run->column[2 * j];
        run->residual = fmax(run->residual, run->column[2 * j + 1]);
    }
    run->penalty = fmin(run->penalty * run->growth, MOST_PENALTY);
    run->now.iteration++;
    run->now.objective = run->nuclear + run->lambda * run->error;
    run->now.converged = run->residual < run->tolerance;
    of_number_print(run->now.detail, OF_DETAIL, "rank %zu, residual %.1e", run->rank,
                    run->residual);
    return ONEFOLD_OK;
}

/* ---- the method ---------------------------------------------------------------------------- */

enum { LAMBDA, INPUT, TOLERANCE, ITERATIONS, END };
enum { TRANSITION, SIGNED };
static const of_method_option options[] = {
    {"lambda", NULL, 0.005, 0, 1e6, "weight of the deviations of views from the common walk"},
    {"input", "transition|signed", TRANSITION, 0, 1,
     "walks on kernels as they are, or centred and normalised kernels"},
    {"tol", NULL, 0, 0, 1e3,
     "largest row sum of T - P - E at which it stops; 0: 1e-6, or 1e-5 if signed"},
    {"iterations", NULL, 0, 0, 1e6, "maximum number of iterations; 0: 300, or 100 if signed"},
    OF_SPECTRAL_OPTIONS,
};

/* The published settings for each kind of input. */
static const struct {
    double penalty, growth, tolerance, iterations;
} kinds[] = {[TRANSITION] = {1e-3, 1.9, 1e-6, 300}, [SIGNED] = {1e-4, 1.6, 1e-5, 100}};

static int is_signed(const of_problem *problem) /* TRANSITION or SIGNED */
{
    return problem->own[INPUT] == SIGNED;
}

static void count_work(of_context *context, const of_problem *problem, of_method_estimate *estimate)
{
    (void)context;
    size_t n = problem->dataset->samples, clusters = problem->options->clusters;
    double cube = (double)n * (double)n * (double)n;
    estimate->fit.product += 18 * 3 * cube;
    estimate->fit.factor += 18 * 2 * cube;
    of_spectral_work(n, clusters, 1, &estimate->fit);
}

/* The embedding (samples x clusters) from P. */
static onefold_status embed(of_context *context, const of_problem *problem, const double *p,
                            double *vector)
{
    size_t n = problem->dataset->samples, clusters = problem->options->clusters;
    OF_SCRATCH(scratch, context);
    double *pi, *l, *value;
    OF_TRY(OF_NEW_ALL(&scratch, {&pi, n, 1}, {&value, clusters, 1}, {&l, n, n}));
    OF_TRY(of_rmsc_stationary(context, n, p, pi));
    OF_TRY(of_rmsc_laplacian(context, n, p, pi, l));
    if (is_signed(problem))
        OF_TRY(of_affinity_normalise(context, n, 0, l));
    return of_spectral_top(context, n, clusters, l, value, vector);
}

/* Refuses kernels that are all constant: their walks distinguish no samples. */
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
    int kind = is_signed(problem);
    const double *own = problem->own;
    double started = of_clock_seconds(), **kernel, *vector,
           most = own[ITERATIONS] > 0 ? own[ITERATIONS] : kinds[kind].iterations;
    OF_SCRATCH(scratch, context);
    OF_SCRATCH(matrices, context);
    OF_TRY(OF_NEW(&scratch, &vector, n, problem->options->clusters));
    OF_TRY(of_kernels_load(context, &matrices, problem,
                           kind == SIGNED ? OF_CENTRED_NORMALISED : OF_RAW, &kernel));
    if (kind == TRANSITION && n > 1 && !of_counts(context))
        OF_TRY(check_walks(context, problem, kernel));
    for (size_t i = 0; i < views && kind == TRANSITION; i++)
        OF_TRY(of_rmsc_transition(context, n, kernel[i]));
    outcome->seconds_base = of_clock_seconds() - started;
    of_rmsc state = {.now.context = context,
                     .samples = n,
                     .views = views,
                     .transition = kernel,
                     .lambda = own[LAMBDA],
                     .penalty = kinds[kind].penalty,
                     .growth = kinds[kind].growth,
                     .tolerance = own[TOLERANCE] > 0 ? own[TOLERANCE] : kinds[kind].tolerance};
    OF_TRY(of_rmsc_start(&matrices, &state));
    OF_TRY(of_peer_iterate(&state, of_rmsc_step, most, outcome));
    OF_TRY(embed(context, problem, state.p, vector));
    of_arena_free(&matrices);
    return of_spectral_labels(context, problem, own + END, NULL, vector, outcome);
}

const of_method of_method_rmsc = {
    .name = "rmsc",
    .why_no_weights = "it learns one transition matrix that all views share, and each counts alike",
    .title = "robust multi-view spectral clustering",
    OF_PEER_PARTS,
    .grid = "lambda=0.005|0.01|0.05|0.1"
            "/input=signed,lambda=0.00390625|0.015625|0.0625|0.25|1",
};
