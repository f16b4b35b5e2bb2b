/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fusion multiple kernel k-means (Zhang et al. 2022):
 *
 *     min tr(K_g (I - HH')) + l1 sum_i a_i^2 tr(K_i (I - H_iH_i')) - l2 tr(H' sum_i b_i H_i W_i)
 *     K_g = sum_i g_i^2 K_i;  H, H_i orthonormal columns; W_i orthogonal; a, g on the simplex;
 *     b >= 0, ||b|| = 1
 *
 * K_i H and K_i H_i are updated along with the steps, so that an iteration takes two products with
 * each kernel, for any number of trials of a line search.
 */
#include "peers/common.h"

#include <math.h>
#include <string.h>

/* ---- the curvilinear step -------------------------------------------------------------------- */

enum { TRIALS = 8 };
static const double FIRST_LENGTH = 5, SHRINK = 0.2, LEAST_FALL = 1e-4;

onefold_status of_stiefel_direction(of_context *context, size_t rows, size_t columns,
                                    const double *x, const double *ax, const double *d,
                                    double *direction)
{
    OF_SCRATCH(scratch, context);
    double *along;
    OF_TRY(OF_NEW(&scratch, &along, columns, columns));
    OF_COUNTED(context);
    for (size_t e = 0; e < rows * columns; e++)
        direction[e] = -2 * ax[e] - d[e];
    of_gemm('T', 'N', columns, columns, rows, 1, direction, rows, x, rows, 0, along, columns);
    of_gemm('N', 'N', rows, columns, columns, -1, x, rows, along, columns, 1, direction, rows);
    return ONEFOLD_OK;
}

/* -<X, AX> - <X, D> */
static double value_at(size_t rows, size_t columns, const double *x, const double *ax,
                       const double *d)
{
    return -of_dot(rows, columns, x, ax) - of_dot(rows, columns, x, d);
}

void of_stiefel_follow(size_t rows, size_t columns, const of_stiefel_step *step, const double *r,
                       const double *m_direction, double *mx)
{
    if (!(step->length > 0))
        return;
    of_add(rows * columns, -step->length, m_direction, mx);
    cblas_dtrsm(CblasColMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, (int)rows,
                (int)columns, 1, r, (int)columns, mx, (int)rows);
}

onefold_status of_stiefel_search(of_context *context, size_t rows, size_t columns, double *x,
                                 const double *ax, const double *d, const double *direction,
                                 const double *a_direction, double *r, of_stiefel_step *step)
{
    OF_SCRATCH(scratch, context);
    double *moved, *product;
    size_t bytes = rows * columns * sizeof *x;
    OF_TRY(OF_NEW_ALL(&scratch, {&moved, rows, columns}, {&product, rows, columns}));
    if (of_counts(context))
        return of_qr(context, rows, columns, moved, r);
    double start = value_at(rows, columns, x, ax, d);
    double slope = LEAST_FALL * of_dot(rows, columns, direction, direction);
    double length = FIRST_LENGTH;
    step->length = 0;
    for (step->trials = 1;; step->trials++, length *= SHRINK) {
        of_stiefel_step trial = {length, step->trials};
        memcpy(moved, x, bytes);
        of_add(rows * columns, -length, direction, moved);
        OF_TRY(of_qr(context, rows, columns, moved, r));
        memcpy(product, ax, bytes);
        of_stiefel_follow(rows, columns, &trial, r, a_direction, product);
        double now = value_at(rows, columns, moved, product, d);
        int enough = now <= start - length * slope;
        if (enough || (step->trials == TRIALS && now < start)) {
            step->length = length;
            memcpy(x, moved, bytes);
        }
        if (enough || step->trials == TRIALS)
            return ONEFOLD_OK;
    }
}

/* ---- weights and objective ----------------------------------------------------------------- */

static int is_live(const of_fmkkm *run, size_t view)
{
    return run->trace[view] > 0;
}

/* b = max(0, fit) at length 1; equal for all live views where no fit is positive. */
static void weigh_fits(of_fmkkm *run)
{
    double square = 0, live = 0;
    for (size_t i = 0; i < run->views; i++) {
        double fit = is_live(run, i) ? fmax(0, run->view[i].fit) : 0;
        square += fit * fit;
        live += is_live(run, i);
    }
    for (size_t i = 0; i < run->views; i++) {
        double fit = square > 0 ? fmax(0, run->view[i].fit) / sqrt(square) : 1 / sqrt(live);
        run->view[i].b = is_live(run, i) ? fit : 0;
    }
}

/* tr(K_i (I - XX')) from X and K_i X. */
static double cost_of(const of_fmkkm *run, size_t view, const double *x, const double *kx)
{
    size_t n = run->samples;
    double left = run->trace[view] - of_dot(n, run->clusters, x, kx);
    return fmax(left, OF_KERNELS_FLOOR * run->trace[view]);
}

static void compute_costs(of_fmkkm *run)
{
    for (size_t i = 0; i < run->views; i++) {
        const of_fmkkm_view *view = &run->view[i];
        run->cost[i] = cost_of(run, i, run->vector, view->product);
        run->own_cost[i] = cost_of(run, i, view->own, view->own_product);
    }
}

static void compute_objective(of_fmkkm *run)
{
    double *part = run->part;
    part[0] = part[1] = part[2] = 0;
    for (size_t i = 0; i < run->views; i++) {
        if (!is_live(run, i))
            continue;
        part[0] += run->g[i] * run->g[i] * run->cost[i];
        part[1] += run->a[i] * run->a[i] * run->own_cost[i];
        part[2] += run->view[i].b * run->view[i].fit;
    }
    run->now.objective = part[0] + run->l1 * part[1] - run->l2 * part[2];
}

/* ---- start --------------------------------------------------------------------------------- */

/* K X for one view's kernel. */
static onefold_status apply(const of_fmkkm *run, const of_fmkkm_view *view, const double *x,
                            double *kx)
{
    size_t n = run->samples;
    return of_team_gemm(run->now.context, 'N', 'N', n, run->clusters, n, 1, view->kernel, n, x, n,
                        0, kx, n);
}

/* H_i and H: the leading eigenvectors of the kernels and of their weighted sum. */
static onefold_status start_vectors(of_fmkkm *run, const double *const *kernel)
{
    size_t n = run->samples, c = run->clusters;
    OF_SCRATCH(scratch, run->now.context);
    double *sum, *value, *square;
    OF_TRY(OF_NEW_ALL(&scratch, {&sum, n, n}, {&value, c, 1}));
    OF_TRY(OF_NEW_THERE(&scratch, &square, run->views, 1));
    for (size_t i = 0; i < run->views; i++) {
        of_fmkkm_view *view = &run->view[i];
        square[i] = run->g[i] * run->g[i];
        if (!is_live(run, i))
            continue;
        OF_TRY(of_spectral_top(run->now.context, n, c, view->kernel, value, view->own));
        OF_TRY(apply(run, view, view->own, view->own_product));
    }
    OF_TRY(of_kernels_combine(run->now.context, n, run->views, kernel, square, sum));
    OF_TRY(of_spectral_top(run->now.context, n, c, sum, value, run->vector));
    for (size_t i = 0; i < run->views; i++)
        if (is_live(run, i))
            OF_TRY(apply(run, &run->view[i], run->vector, run->view[i].product));
    return ONEFOLD_OK;
}

onefold_status of_fmkkm_start(of_context *context, of_arena *arena, size_t samples, size_t views,
                              size_t clusters, const double *const *kernel, double l1, double l2,
                              of_fmkkm *run)
{
    *run = (of_fmkkm){.now.context = context,
                      .samples = samples,
                      .views = views,
                      .clusters = clusters,
                      .l1 = l1,
                      .l2 = l2};
    OF_TRY(OF_NEW_ZERO(arena, &run->view, views, 1));
    OF_TRY(OF_NEW(arena, &run->vector, samples, clusters));
    OF_TRY(OF_NEW_THERE(arena, &run->trace, views, 5));
    run->g = run->trace + views;
    run->a = run->g + views;
    run->cost = run->a + views;
    run->own_cost = run->cost + views;
    for (size_t i = 0; i < views; i++) {
        of_fmkkm_view *view = &run->view[i];
        OF_TRY(OF_NEW_ALL_ZERO(
            arena, {&view->own, samples, clusters}, {&view->rotation, clusters, clusters},
            {&view->product, samples, clusters}, {&view->own_product, samples, clusters}));
        OF_TRY(OF_NEW(arena, &view->k_direction, samples, clusters));
        view->kernel = kernel[i];
        run->trace[i] = of_kernels_trace(context, samples, kernel[i]);
        run->g[i] = run->a[i] = 1 / (double)views;
    }
    OF_TRY(of_kernels_check(views, run->trace));
    OF_TRY(start_vectors(run, kernel));
    OF_COUNTED(context);
    weigh_fits(run); /* no fit yet: b = 1/sqrt(views) */
    compute_costs(run);
    for (size_t i = 0; i < views; i++) {
        of_fmkkm_view *view = &run->view[i];
        for (size_t j = 0; j < clusters; j++)
            view->rotation[j + j * clusters] = 1;
        view->fit = of_dot(samples, clusters, run->vector, view->own);
    }
    compute_objective(run);
    return ONEFOLD_OK;
}

/* ---- steps --------------------------------------------------------------------------------- */

/* W_i = polar(H_i'H). */
static onefold_status rotate_view(void *task, size_t index)
{
    const of_fmkkm *run = task;
    const of_fmkkm_view *view = &run->view[index];
    size_t n = run->samples, c = run->clusters;
    if (!is_live(run, index))
        return ONEFOLD_OK;
    OF_SCRATCH(scratch, run->now.context);
    double *inner;
    OF_TRY(OF_NEW(&scratch, &inner, c, c));
    of_gemm('T', 'N', c, c, n, 1, view->own, n, run->vector, n, 0, inner, c);
    return of_polar(run->now.context, c, c, inner, OF_POLAR_ANY, view->rotation);
}

/* A term of A = sum_i weight_i K_i. */
typedef struct term {
    of_fmkkm_view *view;
    double weight;
    double *product; /* K_i X, updated with X */
} term;

/* One curvilinear step of X with these terms of A. */
static onefold_status step_along(const of_fmkkm *run, size_t count, const term *terms,
                                 const double *d, double *x, of_stiefel_step *search)
{
    size_t n = run->samples, c = run->clusters;
    OF_SCRATCH(scratch, run->now.context);
    double *ax, *direction, *a_direction, *r;
    OF_TRY(OF_NEW_ALL(&scratch, {&direction, n, c}, {&r, c, c}));
    OF_TRY(OF_NEW_ALL_ZERO(&scratch, {&ax, n, c}, {&a_direction, n, c}));
    for (size_t i = 0; i < count && !of_counts(run->now.context); i++)
        of_add(n * c, terms[i].weight, terms[i].product, ax);
    OF_TRY(of_stiefel_direction(run->now.context, n, c, x, ax, d, direction));
    for (size_t i = 0; i < count; i++) {
        OF_TRY(apply(run, terms[i].view, direction, terms[i].view->k_direction));
        if (!of_counts(run->now.context))
            of_add(n * c, terms[i].weight, terms[i].view->k_direction, a_direction);
    }
    OF_TRY(of_stiefel_search(run->now.context, n, c, x, ax, d, direction, a_direction, r, search));
    OF_COUNTED(run->now.context);
    for (size_t i = 0; i < count; i++)
        of_stiefel_follow(n, c, search, r, terms[i].view->k_direction, terms[i].product);
    return ONEFOLD_OK;
}

/* The H step, with A = K_g and D = l2 sum_i b_i H_i W_i. */
static onefold_status step_fused(of_fmkkm *run)
{
    size_t n = run->samples, c = run->clusters, live = 0;
    OF_SCRATCH(scratch, run->now.context);
    double *d;
    term *terms;
    OF_TRY(OF_NEW_ZERO(&scratch, &d, n, c));
    OF_TRY(OF_NEW(&scratch, &terms, run->views, 1));
    for (size_t i = 0; i < run->views; i++) {
        of_fmkkm_view *view = &run->view[i];
        if (!is_live(run, i))
            continue;
        terms[live++] = (term){view, run->g[i] * run->g[i], view->product};
        if (!of_counts(run->now.context))
            of_gemm('N', 'N', n, c, c, run->l2 * view->b, view->own, n, view->rotation, c, 1, d, n);
    }
    return step_along(run, live, terms, d, run->vector, &run->search);
}

/* The H_i step of one view, with A = l1 a_i^2 K_i and D = l2 b_i H W_i', and its new fit. */
static onefold_status step_view(void *task, size_t index)
{
    of_fmkkm *run = task;
    of_fmkkm_view *view = &run->view[index];
    size_t n = run->samples, c = run->clusters;
    if (!is_live(run, index))
        return ONEFOLD_OK;
    OF_SCRATCH(scratch, run->now.context);
    term own = {view, run->l1 * run->a[index] * run->a[index], view->own_product};
    double *d;
    OF_TRY(OF_NEW(&scratch, &d, n, c));
    if (!of_counts(run->now.context))
        of_gemm('N', 'T', n, c, c, run->l2 * view->b, run->vector, n, view->rotation, c, 0, d, n);
    OF_TRY(step_along(run, 1, &own, d, view->own, &view->search));
    OF_COUNTED(run->now.context);
    of_gemm('N', 'N', n, c, c, 1, view->own, n, view->rotation, c, 0, d, n);
    view->fit = of_dot(n, c, run->vector, d);
    return ONEFOLD_OK;
}

onefold_status of_fmkkm_step(void *opaque)
{
    of_fmkkm *run = opaque;
    double before = run->now.objective;
    OF_TRY(of_team_run(run->now.context, run->views, rotate_view, run));
    OF_TRY(step_fused(run));
    OF_TRY(of_team_each(run->now.context, 1, run->views, step_view, run));
    OF_COUNTED(run->now.context);
    compute_costs(run);
    of_kernels_weigh(run->views, run->cost, run->trace, NULL, run->g);
    of_kernels_weigh(run->views, run->own_cost, run->trace, NULL, run->a);
    weigh_fits(run);
    compute_objective(run);
    run->now.converged = ++run->now.iteration > 1 && fabs(before - run->now.objective) <
                                                         run->tolerance * fabs(run->now.objective);
    return ONEFOLD_OK;
}

/* ---- the method ---------------------------------------------------------------------------- */

enum { L1, L2, TOLERANCE, ITERATIONS, END };
static const of_method_option options[] = {
    {"l1", NULL, 32, 0, 1e12, "weight of the views' own k-means terms"},
    {"l2", NULL, 64, 0, 1e12, "weight of the agreement between the views and the whole"},
    {"tol", NULL, 1e-5, 0, 1, "relative change of the objective at which it stops"},
    {"iterations", NULL, 100, 1, 1e6, "maximum number of iterations"},
    OF_SPECTRAL_OPTIONS,
};

static void count_work(of_context *context, const of_problem *problem, of_method_estimate *estimate)
{
    (void)context;
    size_t n = problem->dataset->samples, clusters = problem->options->clusters;
    double views = (double)problem->dataset->view_count, side = (double)n;
    of_spectral_work(n, clusters, views + 1, &estimate->fit);
    estimate->fit.product += 40 * 16 * views * side * side * (double)clusters;
}

static onefold_status run(of_context *context, const of_problem *problem, of_outcome *outcome)
{
    double started = of_clock_seconds(), **kernel;
    OF_SCRATCH(scratch, context);
    of_fmkkm state;
    OF_TRY(of_kernels_load(context, &scratch, problem, OF_CENTRED_NORMALISED, &kernel));
    outcome->seconds_base = of_clock_seconds() - started;
    OF_TRY(of_fmkkm_start(context, &scratch, problem->dataset->samples,
                          problem->dataset->view_count, problem->options->clusters,
                          (const double *const *)kernel, problem->own[L1], problem->own[L2],
                          &state));
    state.tolerance = problem->own[TOLERANCE];
    OF_TRY(of_peer_iterate(&state, of_fmkkm_step, problem->own[ITERATIONS], outcome));
    return of_spectral_labels(context, problem, problem->own + END, state.g, state.vector, outcome);
}

const of_method of_method_fmkkm = {
    .name = "fmkkm",
    .why_no_weights = "each view has three in its problem, which mean different things",
    .title = "fusion multiple kernel k-means",
    OF_PEER_PARTS,
    .grid = "l1=2|4|8|16|32|64|128|256|512,l2=8|16|32|64|128|256|512|1024",
};
