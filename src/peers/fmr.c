/* SPDX-License-Identifier: Apache-2.0 */
/*
 * FMR (Li et al., IJCAI 2019): a latent representation that agrees with all views, and its low-rank
 * self-representation.
 *
 *     min -tr(K H'H)/(n-1)^2 + l1 ||Z||_* + l2 ||E||_{2,1}   with H = HZ + E
 *
 * K = centred M'M, M the stacked unit-length features. By alternating directions with J = Z and a
 * growing penalty u. In the code H is `latent`, Z `self`, J `low`, E `noise`; multipliers are
 * divided by u (`..._dual`).
 *
 * With H = U diag(value) basis', Z, J and the multiplier of J = Z lie in the span of the basis. H
 * rarely changes after the first iteration. While it does not, the steps work in coordinates of the
 * basis, latent x samples, and form no samples x samples matrix. When it does, the basis is
 * completed to samples x samples.
 */
#include "peers/common.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the basis: right singular vectors of H, or of all space --------------------------------- */

/* Allocates a basis of this width, with all coordinates zero. */
static onefold_status allocate_basis(of_fmr *f, size_t width)
{
    size_t n = f->samples;
    f->basis_arena = of_arena_make(f->now.context);
    f->width = width;
    OF_TRY(OF_NEW(&f->basis_arena, &f->basis, n, width));
    return OF_NEW_ALL_ZERO(&f->basis_arena, {&f->value, width, 1}, {&f->self, width, n},
                           {&f->low, width, n}, {&f->low_dual, width, n});
}

/* H = rotation diag(value) basis', into the first columns of the basis. */
static onefold_status factorise(of_fmr *f)
{
    size_t n = f->samples, d = f->latent_rows, r = f->values;
    OF_SCRATCH(scratch, f->now.context);
    double *copy, *vt;
    OF_TRY(OF_NEW_ALL(&scratch, {&copy, d, n}, {&vt, r, n}));
    if (!of_counts(f->now.context))
        memcpy(copy, f->latent, d * n * sizeof *copy);
    OF_TRY(of_svd(f->now.context, d, n, copy, f->value, f->rotation, vt));
    if (!of_counts(f->now.context))
        of_transpose(r, n, vt, r, f->basis, n);
    return ONEFOLD_OK;
}

/* Completes the first `values` columns of the basis (samples x samples). */
static onefold_status complete(of_fmr *f)
{
    size_t n = f->samples, r = f->values;
    OF_SCRATCH(scratch, f->now.context);
    double *tau, *kept;
    OF_TRY(OF_NEW_ALL(&scratch, {&tau, n, 1}, {&kept, n, r}));
    memcpy(kept, f->basis, n * r * sizeof *kept);
    OF_TRY(of_lapack_dgeqrf(f->now.context, n, r, f->basis, tau));
    OF_TRY(of_lapack_dorgqr(f->now.context, n, n, r, f->basis, tau));
    memcpy(f->basis, kept, n * r * sizeof *kept);
    return ONEFOLD_OK;
}

/* H has changed: changes to a basis of all space that begins with its right singular vectors. Z and
 * the multiplier are in the span of the former ones. */
static onefold_status change_basis(of_fmr *f)
{
    size_t n = f->samples;
    OF_SCRATCH(scratch, f->now.context);
    double *self, *low_dual;
    OF_TRY(OF_NEW_ALL(&scratch, {&self, n, n}, {&low_dual, n, n}));
    OF_TRY(of_fmr_self(f, self));
    OF_TRY(of_team_gemm(f->now.context, 'N', 'N', n, n, f->width, 1, f->basis, n, f->low_dual,
                        f->width, 0, low_dual, n));
    of_arena_free(&f->basis_arena);
    OF_TRY(allocate_basis(f, n));
    OF_TRY(factorise(f));
    OF_TRY(complete(f));
    OF_TRY(of_team_gemm(f->now.context, 'T', 'N', n, n, n, 1, f->basis, n, self, n, 0, f->self, n));
    return of_team_gemm(f->now.context, 'T', 'N', n, n, n, 1, f->basis, n, low_dual, n, 0,
                        f->low_dual, n);
}

/* ---- similarity ----------------------------------------------------------------------------- */

/* K, from the centred features of one view at a time. */
static onefold_status make_similarity(of_fmr *f, const of_dataset *dataset)
{
    size_t n = f->samples;
    OF_TRY(OF_NEW_ZERO(&f->arena, &f->similarity, n, n));
    for (size_t v = 0; v < dataset->view_count; v++) {
        OF_SCRATCH(scratch, f->now.context);
        size_t rows = dataset->views[v].columns;
        double *x, *mean;
        OF_TRY(of_context_check(f->now.context));
        OF_TRY(OF_NEW(&scratch, &x, rows, n));
        OF_TRY(OF_NEW_ZERO(&scratch, &mean, rows, 1));
        OF_TRY(of_features_load(f->now.context, dataset, v, x));
        for (size_t j = 0; j < n && !of_counts(f->now.context); j++)
            for (size_t i = 0; i < rows; i++)
                mean[i] += x[i + j * rows] / (double)n;
        for (size_t j = 0; j < n && !of_counts(f->now.context); j++)
            for (size_t i = 0; i < rows; i++)
                x[i + j * rows] -= mean[i];
        if (rows > 0)
            OF_TRY(of_team_syrk(f->now.context, 'T', n, rows, 1, x, rows, 1, f->similarity, n));
    }
    return ONEFOLD_OK;
}

/* out = H K (latent_rows x samples). */
static onefold_status times_similarity(const of_fmr *f, double *out)
{
    size_t n = f->samples, d = f->latent_rows;
    return of_team_gemm(f->now.context, 'N', 'N', d, n, n, 1, f->latent, d, f->similarity, n, 0,
                        out, d);
}

/* ---- growth: the first iteration --------------------------------------------------------------
 *
 * Everything but H is zero, and a step of the descent is H <- H (I + step (2 K/(n-1)^2 - u I)). In
 * the eigenvectors of K this multiplies each direction by a number, so that all steps together cost
 * one eigenproblem and two products.
 */

/* (n-1)^2 */
static double scale_of(const of_fmr *f)
{
    return (double)(f->samples - 1) * (double)(f->samples - 1);
}

/* Steps of the descent, for each eigenvector of K (arrays of samples): `value` is its eigenvalue,
 * `square` the squared length of H along it at the start, `times` the product of its factors. */
static onefold_status take_steps(of_fmr *f, const double *value, const double *square,
                                 double *times)
{
    double scale = scale_of(f), slope = 2 * f->step / scale, rest = 1 - f->step * f->penalty;
    for (;; f->steps++) {
        double pulled = 0, all = 0;
        for (size_t i = 0; i < f->samples; i++) {
            double now = square[i] * times[i] * times[i];
            pulled += value[i] * now;
            all += now;
        }
        f->agreement = -pulled / scale;
        f->latent_value = f->agreement + f->penalty / 2 * sqrt(all);
        if (!(f->latent_value >= f->level) || f->steps >= f->max_steps)
            return ONEFOLD_OK;
        if (f->steps == 0 && !(2 * value[0] / scale > f->penalty))
            return of_hint(of_fail(ONEFOLD_BAD_DATA,
                                   "the latent representation does not grow: the views agree by "
                                   "%.3g, and more than %.3g is needed",
                                   2 * fmax(0, value[0]) / scale, f->penalty),
                           "fmr suits fewer samples, or views whose samples differ more; use "
                           "another method");
        for (size_t i = 0; i < f->samples; i++)
            times[i] *= rest + slope * value[i];
    }
}

static onefold_status grow(of_fmr *f)
{
    size_t n = f->samples, d = f->latent_rows;
    OF_SCRATCH(scratch, f->now.context);
    double *value, *vector, *along, *square, *times; /* along: H vector */
    OF_TRY(OF_NEW_ALL(&scratch, {&value, n, 1}, {&square, n, 1}, {&times, n, 1}, {&along, d, n},
                      {&vector, n, n}));
    if (!of_counts(f->now.context))
        memcpy(vector, f->similarity, n * n * sizeof *vector);
    OF_TRY(of_eigh(f->now.context, n, vector, value));
    OF_TRY(
        of_team_gemm(f->now.context, 'N', 'N', d, n, n, 1, f->latent, d, vector, n, 0, along, d));
    OF_COUNTED(f->now.context);
    for (size_t i = 0; i < n; i++) {
        square[i] = of_dot(d, 1, along + i * d, along + i * d);
        times[i] = 1;
    }
    OF_TRY(take_steps(f, value, square, times));
    if (f->steps == 0)
        return ONEFOLD_OK;
    for (size_t i = 0; i < n; i++)
        cblas_dscal((int)d, times[i], along + i * d, 1);
    return of_team_gemm(f->now.context, 'N', 'T', d, n, n, 1, along, d, vector, n, 0, f->latent, d);
}

/* ---- descent --------------------------------------------------------------------------------- */

/* The value of H from the residual and the multiplier. */
static double latent_value(const of_fmr *f)
{
    size_t n = f->samples, d = f->latent_rows;
    return f->agreement + f->penalty * of_dot(d, n, f->noise_dual, f->residual) +
           f->penalty / 2 * sqrt(of_dot(d, n, f->residual, f->residual));
}

/* Gradient steps of H, with Z and the multiplier fixed. */
static onefold_status descend(of_fmr *f)
{
    size_t n = f->samples, d = f->latent_rows;
    double scale = scale_of(f), step = f->step, *self, *hk, *slope; /* hk: H K */
    OF_SCRATCH(scratch, f->now.context);
    OF_TRY(OF_NEW_ALL(&scratch, {&self, n, n}, {&hk, d, n}, {&slope, d, n}));
    OF_TRY(of_fmr_self(f, self));
    OF_TRY(times_similarity(f, hk));
    for (; f->latent_value >= f->level && f->steps < f->max_steps; f->steps++) {
        OF_TRY(of_context_check(f->now.context));
        for (size_t i = 0; i < d * n; i++)
            slope[i] = f->penalty * (f->noise_dual[i] + f->residual[i]);
        for (size_t i = 0; i < d * n; i++)
            f->latent[i] -= step * (slope[i] - 2 * hk[i] / scale);
        OF_TRY(of_team_gemm(f->now.context, 'N', 'T', d, n, n, step, slope, d, self, n, 1,
                            f->latent, d));
        for (size_t i = 0; i < d * n; i++)
            f->residual[i] = f->latent[i] - f->noise[i];
        OF_TRY(of_team_gemm(f->now.context, 'N', 'N', d, n, n, -1, f->latent, d, self, n, 1,
                            f->residual, d));
        OF_TRY(times_similarity(f, hk));
        f->agreement = -of_dot(d, n, hk, f->latent) / scale;
        f->latent_value = latent_value(f);
    }
    return ONEFOLD_OK;
}

/* H: descends until its value is below the level, and is factorised if it changed. */
static onefold_status latent_step(of_fmr *f)
{
    f->steps = 0;
    if (f->now.iteration == 0) {
        OF_TRY(grow(f));
        return factorise(f);
    }
    f->latent_value = latent_value(f);
    if (f->latent_value < f->level)
        return ONEFOLD_OK;
    OF_TRY(descend(f));
    return change_basis(f);
}

static const double GROWTH = 1.1, MOST_PENALTY = 1e10; /* of the penalty */

onefold_status of_fmr_start(of_fmr *f, of_context *context, const of_dataset *dataset,
                            size_t latent_rows, const double *latent)
{
    size_t n = dataset->samples, d = latent_rows;
    f->now.context = context;
    f->arena = of_arena_make(context);
    f->basis_arena = of_arena_make(context);
    f->samples = n;
    f->latent_rows = d;
    f->values = n < d ? n : d;
    if (n < 2)
        return of_fail(ONEFOLD_BAD_DATA, "fmr needs at least two samples");
    OF_TRY(make_similarity(f, dataset));
    OF_TRY(OF_NEW_ALL(&f->arena, {&f->latent, d, n}, {&f->rotation, d, f->values},
                      {&f->residual, d, n}));
    OF_TRY(OF_NEW_ALL_ZERO(&f->arena, {&f->noise, d, n}, {&f->noise_dual, d, n}));
    if (!of_counts(context))
        memcpy(f->latent, latent, d * n * sizeof *latent);
    return allocate_basis(f, f->values);
}

void of_fmr_end(of_fmr *f)
{
    of_arena_free(&f->basis_arena);
    of_arena_free(&f->arena);
}

/* ---- J -------------------------------------------------------------------------------------- */

/* J = Z + Y2/u with singular values reduced by l1/u. */
static onefold_status low_step(of_fmr *f)
{
    size_t n = f->samples, k = f->width;
    OF_SCRATCH(scratch, f->now.context);
    double *a;
    OF_TRY(OF_NEW(&scratch, &a, k, n));
    for (size_t i = 0; i < k * n && !of_counts(f->now.context); i++)
        a[i] = f->self[i] + f->low_dual[i];
    return of_threshold_singular(f->now.context, k, n, a, f->low_weight / f->penalty, f->low,
                                 &f->rank, &f->low_values);
}

/* ---- Z and E -------------------------------------------------------------------------------- */

/* Z = (H'H + I)^-1 [J - Y2/u + H'(H - E + Y1/u)] in coordinates, where H'H is diagonal; its new
 * multiplier, Z - (J - Y2/u); and turned = rotation'(H - HZ). No digits cancel for large H. */
static onefold_status self_step(of_fmr *f, double *turned)
{
    size_t n = f->samples, d = f->latent_rows, k = f->width, r = f->values;
    OF_SCRATCH(scratch, f->now.context);
    double *rest, *rotated;
    OF_TRY(OF_NEW_ALL(&scratch, {&rest, d, n}, {&rotated, r, n}));
    OF_COUNTED(f->now.context);
    for (size_t i = 0; i < d * n; i++)
        rest[i] = f->noise[i] - f->noise_dual[i];
    OF_TRY(
        of_team_gemm(f->now.context, 'T', 'N', r, n, d, 1, f->rotation, d, rest, d, 0, rotated, r));
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < k; i++) {
            size_t at = i + j * k;
            double s = f->value[i], target = f->low[at] - f->low_dual[at], raise = 0;
            if (i < r) {
                double p = rotated[i + j * r], q = s * s + 1, b = f->basis[j + i * n];
                raise = s * (s * (b - target) - p) / q;
                turned[i + j * r] = s * (b - target + s * p) / q;
            }
            f->self[at] = target + raise;
            f->low_dual[at] = raise;
        }
    return ONEFOLD_OK;
}

/* E = H - HZ + Y1/u with columns shortened by l2/u; its multiplier, and the residual. */
static onefold_status noise_step(of_fmr *f, const double *turned)
{
    size_t n = f->samples, d = f->latent_rows, r = f->values;
    OF_TRY(of_team_gemm(f->now.context, 'N', 'N', d, n, r, 1, f->rotation, d, turned, r, 0,
                        f->residual, d));
    for (size_t i = 0; i < d * n; i++)
        f->noise[i] = f->residual[i] + f->noise_dual[i];
    f->noise_lengths = of_threshold_columns(d, n, f->noise, f->noise_weight / f->penalty);
    for (size_t i = 0; i < d * n; i++) {
        f->residual[i] -= f->noise[i];
        f->noise_dual[i] += f->residual[i];
    }
    return ONEFOLD_OK;
}

/* ---- stopping ------------------------------------------------------------------------------- */

/* The largest row sum of |Z - J| is at least the root mean square of the lengths of rows. Z - J is
 * formed only where this bound is below the tolerance. */
static onefold_status measure(of_fmr *f)
{
    size_t n = f->samples, k = f->width;
    double square = 0;
    for (size_t i = 0; i < k * n; i++)
        square += (f->self[i] - f->low[i]) * (f->self[i] - f->low[i]);
    f->residual_low = sqrt(square / (double)n);
    OF_TRY(
        of_largest_row(f->now.context, f->latent_rows, n, f->residual, NULL, &f->residual_latent));
    if (f->residual_low < f->tolerance && f->residual_latent < f->tolerance)
        OF_TRY(of_fmr_low_residual(f, &f->residual_low));
    f->now.converged = f->residual_low < f->tolerance && f->residual_latent < f->tolerance;
    return ONEFOLD_OK;
}

onefold_status of_fmr_step(void *run)
{
    of_fmr *f = run;
    double *turned;
    OF_SCRATCH(scratch, f->now.context);
    OF_TRY(of_context_check(f->now.context));
    OF_TRY(OF_NEW(&scratch, &turned, f->values, f->samples));
    OF_TRY(latent_step(f));
    OF_TRY(low_step(f));
    OF_TRY(self_step(f, turned));
    OF_COUNTED(f->now.context);
    OF_TRY(noise_step(f, turned));
    OF_TRY(measure(f));
    f->now.objective =
        f->agreement + f->low_weight * f->low_values + f->noise_weight * f->noise_lengths;
    double next = fmin(f->penalty * GROWTH, MOST_PENALTY);
    for (size_t i = 0; i < f->width * f->samples; i++)
        f->low_dual[i] *= f->penalty / next;
    for (size_t i = 0; i < f->latent_rows * f->samples; i++)
        f->noise_dual[i] *= f->penalty / next;
    f->penalty = next;
    f->now.iteration++;
    of_number_print(f->now.detail, OF_DETAIL, "rank %zu, residuals %.1e and %.1e", f->rank,
                    f->residual_latent, f->residual_low);
    return ONEFOLD_OK;
}

/* ---- results --------------------------------------------------------------------------------- */

onefold_status of_fmr_self(const of_fmr *f, double *self)
{
    size_t n = f->samples;
    return of_team_gemm(f->now.context, 'N', 'N', n, n, f->width, 1, f->basis, n, f->self, f->width,
                        0, self, n);
}

onefold_status of_fmr_low_residual(const of_fmr *f, double *norm)
{
    size_t n = f->samples, k = f->width;
    OF_SCRATCH(scratch, f->now.context);
    double *difference, *formed;
    OF_TRY(OF_NEW_ALL(&scratch, {&difference, k, n}, {&formed, n, n}));
    for (size_t i = 0; i < k * n; i++)
        difference[i] = f->self[i] - f->low[i];
    OF_TRY(of_team_gemm(f->now.context, 'N', 'N', n, n, k, 1, f->basis, n, difference, k, 0, formed,
                        n));
    return of_largest_row(f->now.context, n, n, formed, NULL, norm);
}

void of_fmr_affinity(size_t n, double *a)
{
    for (size_t j = 0; j < n; j++)
        for (size_t i = j; i < n; i++)
            a[i + j * n] = a[j + i * n] = fabs(a[i + j * n]) + fabs(a[j + i * n]);
}

/* ---- the method ---------------------------------------------------------------------------- */

enum { LOW, NOISE, LEVEL, STEP, LATENT, STEPS, TOLERANCE, ITERATIONS, END };
static const of_method_option options[] = {
    {"l1", NULL, 1e-4, 1e-12, 1e6, "weight of the representation's rank"},
    {"l2", NULL, 1e-6, 0, 1e6, "weight of the noise"},
    {"eps", NULL, -5e7, -1e15, 0,
     "agreement with the views at which the latent part stops growing"},
    {"alpha", NULL, 100, 1e-9, 1e9, "step of that growth"},
    {"latent", NULL, 200, 1, 1e6, "rows of the latent representation"},
    {"steps", NULL, 20000, 1, 1e9, "maximum number of steps of growth in an iteration"},
    {"tol", NULL, 1e-4, 0, 1e6, "largest row sum of the residuals at which it stops"},
    {"iterations", NULL, 500, 1, 1e6, "maximum number of iterations"},
    OF_SPECTRAL_OPTIONS,
};

static void count_work(of_context *context, const of_problem *problem, of_method_estimate *estimate)
{
    (void)context;
    size_t n = problem->dataset->samples, d = (size_t)problem->own[LATENT], all = 0;
    double side = (double)n, height = (double)of_size_least(d, n), rows = (double)d, product = 0;
    for (size_t v = 0; v < problem->dataset->view_count; v++)
        all += problem->dataset->views[v].columns;
    double whole = (double)of_size_least(all, n); /* rows of the similarity */
    product = side * side * (double)all + 130 * side * height * (14 * height + 4 * rows) +
              30 * 2 * side * side * height;
    estimate->fit.product += product;
    estimate->fit.factor += 9 * whole * whole * whole + 130 * 6 * height * height * height;
    of_spectral_work(n, problem->options->clusters, 1, &estimate->fit);
}

/* Starts from uniform random numbers, with a stream for each sample. */
static onefold_status start(of_context *context, const of_problem *problem, of_fmr *f)
{
    const double *own = problem->own;
    size_t n = problem->dataset->samples, d = (size_t)own[LATENT];
    OF_SCRATCH(scratch, context);
    double *latent;
    f->low_weight = own[LOW];
    f->noise_weight = own[NOISE];
    f->level = own[LEVEL];
    f->step = own[STEP];
    f->max_steps = (size_t)own[STEPS];
    f->tolerance = own[TOLERANCE];
    OF_TRY(OF_NEW(&scratch, &latent, d, n));
    for (size_t j = 0; j < n && !of_counts(context); j++) {
        of_random random = of_random_make(problem->options->seed, OF_PURPOSE_FMR_START, j);
        for (size_t i = 0; i < d; i++)
            latent[i + j * d] = of_random_uniform(&random);
    }
    return of_fmr_start(f, context, problem->dataset, d, latent);
}

static onefold_status run(of_context *context, const of_problem *problem, of_outcome *outcome)
{
    size_t n = problem->dataset->samples;
    double started = of_clock_seconds(), *self;
    OF_SCRATCH(scratch, context);
    __attribute__((cleanup(of_fmr_end))) of_fmr f = OF_FMR_INIT;
    OF_TRY(start(context, problem, &f));
    outcome->seconds_base = of_clock_seconds() - started;
    OF_TRY(of_peer_iterate(&f, of_fmr_step, problem->own[ITERATIONS], outcome));
    OF_TRY(OF_NEW(&scratch, &self, n, n));
    OF_TRY(of_fmr_self(&f, self));
    of_fmr_end(&f);
    if (!of_counts(context))
        of_fmr_affinity(n, self);
    return of_affinity_labels(context, problem, problem->own + END, self, outcome);
}

const of_method of_method_fmr = {
    .name = "fmr",
    .why_no_weights = "it learns one representation of all views, in which each counts alike",
    .title = "flexible multi-view representation learning",
    OF_PEER_PARTS,
    .draws = "the latent representation that it starts from",
    .grid = "l1=1e-4,l2=1e-8,eps=-5e10,alpha=100,latent=200/"
            "l1=1e-4,l2=1e-8,eps=-5e8,alpha=100,latent=300/"
            "l1=1e-3,l2=1e-6,eps=-5e8,alpha=10,latent=200/"
            "l1=1e-4,l2=1e-7,eps=-5e5,alpha=10,latent=800/"
            "l1=1e-4,l2=1e-6,eps=-5e7,alpha=100,latent=200",
};
