/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LSGMC (Lan et al., IEEE TNNLS): one low-rank core behind the views' symmetric
 * self-representation.
 *
 *     min sum_v ||E_v||_{2,1} + lambda ||C||_Sp^q   with X_v = X_v Z_v + E_v,  Z_v = L_v C R_v',
 *     L_v'L_v = R_v'R_v = I,  Z_v = J_v = J_v'
 *
 * by alternating directions with a growing penalty u. In the code Z is `self`, E `noise`, C `core`,
 * L and R `left` and `right`, and multipliers are divided by u (`..._dual`). J is the symmetric
 * part of one matrix, `mirror`, and its multiplier Q3 is u times the skew part. Features are X_v =
 * Q diag(value) basis'; noise is kept without Q, which changes no length of a column. The Z step
 * gives basis'Z, and so X Z without a further product.
 */
#include "peers/common.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double next_penalty(const of_lsgmc *l)
{
    return fmin(l->penalty * 2.8, 1e8);
}

/* ---- a view's step ------------------------------------------------------------------------- */

enum { BLOCK = 32 }; /* side of the blocks in which a matrix and its transpose are read */

/* out = -dual + near * A + far * A', square. */
static void mix_with_transpose(size_t n, const double *dual, double near, double far,
                               const double *a, double *out)
{
    for (size_t j0 = 0; j0 < n; j0 += BLOCK)
        for (size_t i0 = 0; i0 < n; i0 += BLOCK)
            for (size_t j = j0; j < of_size_least(j0 + BLOCK, n); j++)
                for (size_t i = i0; i < of_size_least(i0 + BLOCK, n); i++)
                    out[i + j * n] = near * a[i + j * n] + far * a[j + i * n] - dual[i + j * n];
}

/* A = Z + share times the skew part of A, square. */
static void renew_mirror(size_t n, const double *self, double share, double *a)
{
    for (size_t j0 = 0; j0 < n; j0 += BLOCK)
        for (size_t i0 = j0; i0 < n; i0 += BLOCK)
            for (size_t j = j0; j < of_size_least(j0 + BLOCK, n); j++)
                for (size_t i = i0 > j ? i0 : j; i < of_size_least(i0 + BLOCK, n); i++) {
                    double skew = share * (a[i + j * n] - a[j + i * n]) / 2;
                    a[i + j * n] = self[i + j * n] + skew;
                    a[j + i * n] = self[j + i * n] - skew;
                }
}

/* E = X - XZ + dual with columns shortened by 1/u. */
static void noise_step(const of_lsgmc *l, of_lsgmc_view *view)
{
    size_t rank = view->features.rank;
    if (of_counts(l->now.context))
        return;
    for (size_t j = 0; j < l->samples; j++)
        for (size_t i = 0; i < rank; i++) {
            size_t at = i + j * rank;
            view->noise[at] = view->turned[at] - view->features.value[i] * view->basis_self[at] +
                              view->noise_dual[at];
        }
    view->noise_lengths = of_threshold_columns(rank, l->samples, view->noise, 1 / l->penalty);
}

/* B = op(A) (thin with its columns scaled by the core's values); n x core rank. */
static onefold_status thin_image(const of_lsgmc *l, char op, const double *a, const double *thin,
                                 double *b)
{
    size_t n = l->samples, rank = l->spectrum.rank;
    OF_TRY(of_team_gemm(l->now.context, op, 'N', n, rank, n, 1, a, n, thin, n, 0, b, n));
    for (size_t k = 0; k < rank && !of_counts(l->now.context); k++)
        cblas_dscal((int)n, l->spectrum.value[k], b + k * n, 1);
    return ONEFOLD_OK;
}

/* L, then R: the best fits to (Z + dual) R C' and (Z + dual)'L C nearest those before. */
static onefold_status rotation_step(const of_lsgmc *l, of_lsgmc_view *view, double *square)
{
    size_t n = l->samples, rank = l->spectrum.rank;
    OF_SCRATCH(scratch, l->now.context);
    double *image;
    if (rank == 0)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(&scratch, &image, n, rank));
    for (size_t i = 0; i < n * n && !of_counts(l->now.context); i++)
        square[i] = view->self[i] + view->core_dual[i];
    OF_TRY(thin_image(l, 'N', square, view->right_core, image));
    OF_TRY(of_polar_nearest(l->now.context, n, rank, image, view->left, view->left_core));
    OF_TRY(thin_image(l, 'T', square, view->left_core, image));
    return of_polar_nearest(l->now.context, n, rank, image, view->right, view->right_core);
}

/* to += sign * left diag(the core's values) right'; both thin, n x core rank. */
static onefold_status add_core(const of_lsgmc *l, const double *left, const double *right,
                               double sign, double *to)
{
    size_t n = l->samples, rank = l->spectrum.rank;
    OF_SCRATCH(scratch, l->now.context);
    double *scaled;
    if (rank == 0)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(&scratch, &scaled, n, rank));
    for (size_t k = 0; k < rank && !of_counts(l->now.context); k++)
        for (size_t i = 0; i < n; i++)
            scaled[i + k * n] = l->spectrum.value[k] * left[i + k * n];
    return of_team_gemm(l->now.context, 'N', 'T', n, n, rank, sign, scaled, n, right, n, 1, to, n);
}

/* Z = (2I + X'X)^-1 [X'(dual - E + X) + target], target = LCR' - dual + J - Q3/u: a division in the
 * basis, half the target orthogonal to it. */
static onefold_status self_step(const of_lsgmc *l, of_lsgmc_view *view, double *target)
{
    size_t n = l->samples, rank = view->features.rank;
    const double *value = view->features.value, *basis = view->features.basis;
    OF_SCRATCH(scratch, l->now.context);
    double *along;
    OF_TRY(OF_NEW(&scratch, &along, rank, n));
    if (!of_counts(l->now.context))
        mix_with_transpose(n, view->core_dual, (1 - l->before) / 2, (1 + l->before) / 2,
                           view->mirror, target);
    OF_TRY(add_core(l, view->left_core, view->right_core, 1, target));
    OF_COUNTED(l->now.context);
    OF_TRY(
        of_team_gemm(l->now.context, 'T', 'N', rank, n, n, 1, basis, n, target, n, 0, along, rank));
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < rank; i++) {
            size_t at = i + j * rank;
            double pull = view->noise_dual[at] - view->noise[at] + view->turned[at];
            view->basis_self[at] = (value[i] * pull + along[at]) / (2 + value[i] * value[i]);
            along[at] = view->basis_self[at] - along[at] / 2;
        }
    for (size_t i = 0; i < n * n; i++)
        view->self[i] = target[i] / 2;
    if (rank == 0)
        return ONEFOLD_OK;
    return of_team_gemm(l->now.context, 'N', 'N', n, n, rank, 1, basis, n, along, rank, 1,
                        view->self, n);
}

/* A view's step before the core: E, L, R, Z, J. */
static onefold_status view_first(void *task, size_t index)
{
    of_lsgmc *l = task;
    of_lsgmc_view *view = &l->views[index];
    OF_SCRATCH(scratch, l->now.context);
    double *square;
    OF_TRY(of_context_check(l->now.context));
    OF_TRY(OF_NEW(&scratch, &square, l->samples, l->samples));
    noise_step(l, view);
    OF_TRY(rotation_step(l, view, square));
    OF_TRY(self_step(l, view, square));
    if (!of_counts(l->now.context))
        renew_mirror(l->samples, view->self, l->before, view->mirror);
    return ONEFOLD_OK;
}

/* The view's rotations times the singular vectors of the new core. */
static onefold_status rotate_core(const of_lsgmc *l, of_lsgmc_view *view)
{
    size_t n = l->samples, rank = l->spectrum.rank;
    of_arena_release(&view->arena, view->left_core);
    of_arena_release(&view->arena, view->right_core);
    view->left_core = view->right_core = NULL;
    if (rank == 0)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW_ALL(&view->arena, {&view->left_core, n, rank}, {&view->right_core, n, rank}));
    OF_TRY(of_team_gemm(l->now.context, 'N', 'N', n, rank, n, 1, view->left, n, l->spectrum.left, n,
                        0, view->left_core, n));
    return of_team_gemm(l->now.context, 'N', 'N', n, rank, n, 1, view->right, n, l->spectrum.right,
                        n, 0, view->right_core, n);
}

/* A view's step after the core: Q1/u and Q2/u for the next u, and the distance. */
static onefold_status view_last(void *task, size_t index)
{
    of_lsgmc *l = task;
    of_lsgmc_view *view = &l->views[index];
    size_t n = l->samples, rank = view->features.rank;
    double next = next_penalty(l), ratio = l->penalty / next, *left_over;
    OF_SCRATCH(scratch, l->now.context);
    OF_TRY(rotate_core(l, view));
    OF_TRY(OF_NEW(&scratch, &left_over, n, n));
    if (!of_counts(l->now.context))
        memcpy(left_over, view->self, n * n * sizeof *left_over);
    OF_TRY(add_core(l, view->left_core, view->right_core, -1, left_over));
    OF_COUNTED(l->now.context);
    for (size_t i = 0; i < n * n; i++)
        view->core_dual[i] = ratio * (view->core_dual[i] + left_over[i]);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < rank; i++) {
            size_t at = i + j * rank;
            double d =
                view->turned[at] - view->features.value[i] * view->basis_self[at] - view->noise[at];
            view->noise_dual[at] = ratio * (view->noise_dual[at] + d);
        }
    view->distance_before = view->distance;
    return of_largest_row(l->now.context, n, n, view->self, l->core, &view->distance);
}

/* Works on every view: in parallel where views divide evenly among the threads, else one after the
 * other with the threads inside. The bits are the same. */
static onefold_status each_view(of_lsgmc *l, of_team_work work)
{
    size_t threads = of_team_size(l->now.context);
    int at_once = l->view_count >= 2 * threads || l->view_count % threads == 0;
    OF_TRY(of_team_each(l->now.context, at_once, l->view_count, work, l));
    /* counting: what each view keeps */
    return at_once && of_counts(l->now.context)
               ? of_team_each(l->now.context, 0, l->view_count, work, l)
               : ONEFOLD_OK;
}

/* ---- start --------------------------------------------------------------------------------- */

static onefold_status start_view(of_lsgmc *l, of_lsgmc_view *view)
{
    size_t n = l->samples, rank = view->features.rank;
    OF_TRY(OF_NEW(&view->arena, &view->turned, rank, n));
    OF_TRY(OF_NEW_ALL_ZERO(&view->arena, {&view->self, n, n}, {&view->mirror, n, n},
                           {&view->core_dual, n, n}, {&view->left, n, n}, {&view->right, n, n},
                           {&view->basis_self, rank, n}, {&view->noise, rank, n},
                           {&view->noise_dual, rank, n}));
    for (size_t i = 0; i < n && !of_counts(l->now.context); i++)
        view->left[i + i * n] = view->right[i + i * n] = 1;
    for (size_t j = 0; j < n && !of_counts(l->now.context); j++)
        for (size_t i = 0; i < rank; i++)
            view->turned[i + j * rank] = view->features.value[i] * view->features.basis[j + i * n];
    return ONEFOLD_OK;
}

onefold_status of_lsgmc_start(of_lsgmc *l, of_context *context, const of_dataset *dataset)
{
    size_t samples = dataset->samples, view_count = dataset->view_count;
    l->now.context = context;
    l->arena = of_arena_make(context);
    l->spectrum_arena = of_arena_make(context);
    l->samples = samples;
    l->stop_value = INFINITY;
    OF_TRY(OF_NEW_ZERO(&l->arena, &l->views, view_count, 1));
    OF_TRY(OF_NEW(&l->arena, &l->mixed, samples, samples));
    OF_TRY(OF_NEW_ZERO(&l->arena, &l->core, samples, samples));
    for (size_t v = 0; v < view_count; v++)
        l->views[v].arena = of_arena_make(context);
    l->view_count = view_count;
    for (size_t v = 0; v < view_count; v++) {
        OF_SCRATCH(scratch, context);
        size_t rows = dataset->views[v].columns;
        double *x;
        OF_TRY(of_context_check(context));
        OF_TRY(OF_NEW(&scratch, &x, rows, samples));
        OF_TRY(of_features_load(context, dataset, v, x));
        OF_TRY(of_features_reduce(context, &l->views[v].arena, rows, samples, x,
                                  &l->views[v].features));
        OF_TRY(start_view(l, &l->views[v]));
    }
    return ONEFOLD_OK;
}

void of_lsgmc_end(of_lsgmc *l)
{
    for (size_t v = 0; v < l->view_count; v++)
        of_arena_free(&l->views[v].arena);
    l->view_count = 0;
    of_arena_free(&l->spectrum_arena);
    of_arena_free(&l->arena);
}

/* ---- one iteration ------------------------------------------------------------------------- */

/* The mean over views of L'(Z + dual)R, where L and R may be identities. */
static onefold_status mix_views(of_lsgmc *l)
{
    size_t n = l->samples;
    double share = 1.0 / (double)l->view_count;
    OF_SCRATCH(scratch, l->now.context);
    double *sum, *half;
    OF_TRY(OF_NEW_ALL(&scratch, {&sum, n, n}, {&half, n, n}));
    OF_COUNTED(l->now.context);
    memset(l->mixed, 0, n * n * sizeof *l->mixed);
    for (size_t v = 0; v < l->view_count; v++) {
        const of_lsgmc_view *view = &l->views[v];
        if (!l->rotated) {
            for (size_t i = 0; i < n * n; i++)
                l->mixed[i] += share * (view->self[i] + view->core_dual[i]);
            continue;
        }
        for (size_t i = 0; i < n * n; i++)
            sum[i] = view->self[i] + view->core_dual[i];
        OF_TRY(
            of_team_gemm(l->now.context, 'N', 'N', n, n, n, 1, sum, n, view->right, n, 0, half, n));
        OF_TRY(of_team_gemm(l->now.context, 'T', 'N', n, n, n, share, view->left, n, half, n, 1,
                            l->mixed, n));
    }
    return ONEFOLD_OK;
}

/* Counts the memory of core_step: a full spectrum, then a core of at most about half its rank. */
static onefold_status count_core(of_lsgmc *l)
{
    size_t n = l->samples, rank = n / 2 + 1;
    OF_SCRATCH(scratch, l->now.context);
    double *scaled;
    OF_TRY(of_spectrum_above(l->now.context, &scratch, n, n, l->mixed, 1, 1, &l->spectrum));
    of_arena_free(&scratch);
    OF_TRY(OF_NEW_ALL(&l->spectrum_arena, {&l->spectrum.left, n, rank},
                      {&l->spectrum.right, n, rank}));
    OF_TRY(OF_NEW(&scratch, &scaled, n, rank));
    l->spectrum.rank = rank;
    return ONEFOLD_OK;
}

double of_power_cut(double weight, double power)
{
    if (!(weight > 0))
        return 0;
    double edge = pow(2 * weight * (1 - power), 1 / (2 - power));
    return edge + weight * power * pow(edge, power - 1);
}

double of_power_threshold(double value, double weight, double power)
{
    if (!(value > of_power_cut(weight, power)))
        return 0;
    double x = value;
    for (int step = 0; step < 3; step++)
        x = value - weight * power * pow(x, power - 1);
    return x;
}

/* C: the mixed matrix with thresholded singular values. Sets its term of the objective. */
static onefold_status core_step(of_lsgmc *l)
{
    size_t n = l->samples;
    double weight = l->lambda / ((double)l->view_count * l->penalty);
    double power = l->power;
    of_arena_free(&l->spectrum_arena);
    l->spectrum.rank = 0;
    if (of_counts(l->now.context))
        return count_core(l);
    OF_TRY(of_spectrum_above(l->now.context, &l->spectrum_arena, n, n, l->mixed,
                             of_power_cut(weight, power), 1, &l->spectrum));
    l->now.objective = 0;
    memset(l->core, 0, n * n * sizeof *l->core);
    if (l->spectrum.rank == 0)
        return ONEFOLD_OK;
    for (size_t k = 0; k < l->spectrum.rank; k++) {
        l->spectrum.value[k] = of_power_threshold(l->spectrum.value[k], weight, power);
        l->now.objective += l->lambda * pow(l->spectrum.value[k], power);
    }
    l->rotated = 1;
    return add_core(l, l->spectrum.left, l->spectrum.right, 1, l->core);
}

onefold_status of_lsgmc_step(void *run)
{
    of_lsgmc *l = run;
    OF_TRY(each_view(l, view_first));
    OF_TRY(mix_views(l));
    OF_TRY(core_step(l));
    OF_TRY(each_view(l, view_last));
    double change = 0;
    for (size_t v = 0; v < l->view_count; v++) {
        double before = l->views[v].distance_before, more = l->views[v].distance - before;
        l->now.objective += l->views[v].noise_lengths;
        change += more == 0 ? 0 : more / before;
    }
    l->now.iteration++;
    l->stop_value = l->now.iteration > 1 ? change : INFINITY;
    double next = next_penalty(l);
    l->before = l->penalty / next;
    l->penalty = next;
    l->now.converged = fabs(l->stop_value) < l->tolerance && (l->early || l->spectrum.rank > 0);
    if (l->now.iteration > 1)
        of_number_print(l->now.detail, OF_DETAIL, "rank %zu, change %.1e", l->spectrum.rank,
                        l->stop_value);
    return ONEFOLD_OK;
}

/* ---- strong entries ------------------------------------------------------------------------ */

double of_lsgmc_share(size_t samples)
{
    enum { LEAST_SAMPLES = 137 }; /* below, the formula passes 1 */
    return samples < LEAST_SAMPLES ? 1 : 0.032 + 1 / (0.018 * (double)samples - 1.42);
}

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

static onefold_status retain_column(void *task, size_t column)
{
    const retaining *r = task;
    double *a = r->a + column * r->n, total = 0, sum = 0;
    OF_SCRATCH(scratch, r->context);
    entry *entries;
    OF_TRY(OF_NEW(&scratch, &entries, r->n, 1));
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
    return of_team_each(context, 1, n, retain_column, &r);
}

/* ---- affinity ------------------------------------------------------------------------------ */

static const double LEAST_SQUARE = 1e-12; /* squares of singular values up to this are left out */

onefold_status of_lsgmc_affinity(of_context *context, size_t n, const double *a, double *affinity)
{
    OF_SCRATCH(scratch, context);
    double *vector, *value, *scale;
    OF_TRY(OF_NEW_ALL(&scratch, {&vector, n, n}, {&value, n, 1}));
    OF_TRY(OF_NEW_ZERO(&scratch, &scale, n, 1));
    for (size_t j = 0; j < n && !of_counts(context); j++)
        for (size_t i = 0; i < n; i++)
            if (a[i + j * n] != 0)
                scale[i] = 1; /* this row is not zero */
    OF_TRY(of_team_syrk(context, 'N', n, n, 1, a, n, 0, vector, n));
    OF_TRY(of_eigh(context, n, vector, value));
    OF_COUNTED(context);
    size_t rank = 0;
    while (rank < n && value[rank] > LEAST_SQUARE)
        rank++;
    for (size_t k = 0; k < rank; k++)
        cblas_dscal((int)n, sqrt(sqrt(value[k])), vector + k * n, 1);
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

/* ---- the method ---------------------------------------------------------------------------- */

enum { LAMBDA, POWER, STOP, TOLERANCE, ITERATIONS, END };
static const of_method_option options[] = {
    {"lambda", NULL, 10, 1e-12, 1e12, "weight of the common core's rank"},
    {"q", NULL, 0.9, 1e-3, 1, "power of the singular values in it"},
    {"stop", "guarded|early", 0, 0, 1, "do not stop while the core is zero, or stop as published"},
    {"tol", NULL, 0.01, 0, 1e6, "relative change at which it stops"},
    {"iterations", NULL, 30, 1, 1e6, "maximum number of iterations"},
    OF_SPECTRAL_OPTIONS,
};

static void count_work(of_context *context, const of_problem *problem, of_method_estimate *estimate)
{
    (void)context;
    size_t n = problem->dataset->samples;
    double side = (double)n, product = 0, factor = (9 + 15 * 4) * side * side * side;
    for (size_t v = 0; v < problem->dataset->view_count; v++) {
        double columns = (double)problem->dataset->views[v].columns, height = fmin(columns, side);
        /* about 15 iterations, of which 8 with a core, of a rank of about n / 10 */
        product += side * side * (8 * (4 + 3) * side + 15 * 4 * height);
        factor += columns * height * side * 2 + 9 * height * height * side;
    }
    estimate->fit.product += product;
    estimate->fit.factor += factor;
    of_spectral_work(n, problem->options->clusters, 1, &estimate->fit);
}

static onefold_status step(void *run)
{
    const of_lsgmc *l = run;
    OF_TRY(of_lsgmc_step(run));
    return of_counts(l->now.context) ? of_lsgmc_step(run) : ONEFOLD_OK; /* the second has a core */
}

/* The sum of the views' representations (samples x samples). */
static void add_up(const of_lsgmc *l, double *sum)
{
    size_t n = l->samples;
    memset(sum, 0, n * n * sizeof *sum);
    for (size_t v = 0; v < l->view_count; v++)
        for (size_t i = 0; i < n * n; i++)
            sum[i] += l->views[v].self[i];
}

static onefold_status run(of_context *context, const of_problem *problem, of_outcome *outcome)
{
    size_t n = problem->dataset->samples;
    const double *own = problem->own;
    double started = of_clock_seconds(), *sum, *affinity;
    OF_SCRATCH(scratch, context);
    __attribute__((cleanup(of_lsgmc_end))) of_lsgmc l = OF_LSGMC_INIT;
    l.lambda = own[LAMBDA];
    l.power = own[POWER];
    l.early = own[STOP] != 0;
    l.tolerance = own[TOLERANCE];
    OF_TRY(OF_NEW(&scratch, &sum, n, n));
    OF_TRY(of_lsgmc_start(&l, context, problem->dataset));
    outcome->seconds_base = of_clock_seconds() - started;
    OF_TRY(of_peer_iterate(&l, step, own[ITERATIONS], outcome));
    if (l.spectrum.rank == 0)
        outcome->note = "the core common to the views is still zero: a smaller lambda would let it "
                        "grow";
    if (!of_counts(context))
        add_up(&l, sum);
    of_lsgmc_end(&l);
    OF_TRY(OF_NEW(&scratch, &affinity, n, n));
    OF_TRY(of_lsgmc_retain(context, n, sum, of_lsgmc_share(n)));
    OF_TRY(of_lsgmc_affinity(context, n, sum, affinity));
    of_arena_release(&scratch, sum);
    return of_affinity_labels(context, problem, own + END, affinity, outcome);
}

const of_method of_method_lsgmc = {
    .name = "lsgmc",
    .why_no_weights = "it learns one core behind all views, and each counts alike",
    .title = "low-rank symmetric affinity graph",
    OF_PEER_PARTS,
    .grid = "lambda=0.00001|0.0001|0.001|0.01|0.1|1|10|100,"
            "q=0.01|0.1|0.2|0.3|0.4|0.5|0.6|0.7|0.8|0.9",
};
