/* SPDX-License-Identifier: Apache-2.0 */
/* FMR's iteration in the coordinates of its basis. See fmr.h for the names. */
#include "peers/fmr.h"

#include "base/team.h"
#include "linalg/blas.h"
#include "linalg/parallel.h"
#include "linalg/threshold.h"

#include <math.h>
#include <string.h>

/* Leaving the outside part out of the J step's spectrum moves J by no more than this. */
static const double LEAST_SHARE_OUTSIDE = 1e-11;

onefold_status of_fmr_start(of_fmr *f, of_context *context, const of_fmr_options *options,
                            size_t samples, size_t view_count, const size_t *rows,
                            of_features_source features, void *source, size_t latent_rows,
                            const double *latent)
{
    size_t n = samples, d = latent_rows;
    memset(f, 0, sizeof *f);
    f->context = context;
    f->arena = of_arena_make(context);
    f->basis_arena = of_arena_make(context);
    f->outside_arena = of_arena_make(context);
    f->options = *options;
    f->samples = n;
    f->latent_rows = d;
    f->values = n < d ? n : d;
    f->penalty = options->penalty;
    if (n < 2)
        return of_fail(ONEFOLD_BAD_DATA, "fmr needs at least two samples");
    OF_TRY(of_fmr_similarity_make(f, view_count, rows, features, source));
    OF_TRY(OF_NEW(&f->arena, &f->latent, d, n));
    OF_TRY(OF_NEW(&f->arena, &f->turn, d, f->values));
    OF_TRY(OF_NEW_ZERO(&f->arena, &f->noise, d, n));
    OF_TRY(OF_NEW_ZERO(&f->arena, &f->noise_dual, d, n));
    OF_TRY(OF_NEW(&f->arena, &f->residual, d, n));
    memcpy(f->latent, latent, d * n * sizeof *latent);
    return of_fmr_open_basis(f, f->values);
}

void of_fmr_end(of_fmr *f)
{
    of_arena_free(&f->outside_arena);
    of_arena_free(&f->basis_arena);
    of_arena_free(&f->arena);
}

/* ---- J -------------------------------------------------------------------------------------- */

/* What Z + Y2/u + ridge I has outside the basis, times X (samples x rank): outside (outside_rows'
 * X) + ridge (X - basis basis'X). */
static onefold_status outside_image(const of_fmr *f, size_t rank, const double *x, double *image)
{
    size_t n = f->samples, k = f->width;
    OF_SCRATCH(scratch, f->context);
    double *inside, *met;
    OF_TRY(OF_NEW(&scratch, &inside, k, rank));
    OF_TRY(OF_NEW(&scratch, &met, f->rank, rank));
    OF_TRY(of_team_gemm(f->context, 'T', 'N', k, rank, n, 1, f->basis, n, x, n, 0, inside, k));
    for (size_t i = 0; i < n * rank; i++)
        image[i] = f->options.ridge * x[i];
    OF_TRY(of_team_gemm(f->context, 'N', 'N', n, rank, k, -f->options.ridge, f->basis, n, inside, k,
                        1, image, n));
    if (f->rank == 0)
        return ONEFOLD_OK;
    OF_TRY(of_team_gemm(f->context, 'T', 'N', f->rank, rank, n, 1, f->outside_rows, n, x, n, 0, met,
                        f->rank));
    return of_team_gemm(f->context, 'N', 'N', n, rank, f->rank, 1, f->outside, n, met, f->rank, 1,
                        image, n);
}

/* The part of J outside the basis, from the spectrum of the part inside, A (width x samples). The
 * right singular vectors X are A'left / value; J has outside what A has there, times X, each
 * column scaled like its value. `fits` says whether neglecting the outside part in the spectrum
 * itself, which is of second order, is below rounding. */
static onefold_status low_outside(of_fmr *f, const double *a, const of_spectrum *spectrum,
                                  const double *factor, int *fits)
{
    size_t n = f->samples, k = f->width, rank = spectrum->rank;
    double *x, *image, error = 0;
    OF_SCRATCH(fresh, f->context);
    OF_TRY(OF_NEW(&fresh, &x, n, rank));
    OF_TRY(OF_NEW(&fresh, &image, n, rank));
    OF_TRY(of_team_gemm(f->context, 'T', 'N', n, rank, k, 1, a, k, spectrum->left, k, 0, x, n));
    for (size_t i = 0; i < rank; i++)
        cblas_dscal((int)n, 1 / spectrum->value[i], x + i * n, 1);
    OF_TRY(outside_image(f, rank, x, image));
    for (size_t i = 0; i < rank; i++) {
        error += of_dot(n, 1, image + i * n, n, image + i * n, n) / spectrum->value[i];
        cblas_dscal((int)n, factor[i], image + i * n, 1);
    }
    *fits = error < LEAST_SHARE_OUTSIDE;
    if (!*fits)
        return ONEFOLD_OK;
    of_arena_free(&f->outside_arena);
    of_arena_adopt(&f->outside_arena, &fresh);
    f->outside = image;
    f->outside_rows = x;
    return ONEFOLD_OK;
}

/* J = the singular values of Z + Y2/u + ridge I shortened by l1/u. */
static onefold_status low_step(of_fmr *f)
{
    size_t n = f->samples, k = f->width;
    double cut = f->options.low_weight / f->penalty, *a, *factor;
    OF_SCRATCH(scratch, f->context);
    of_spectrum spectrum;
    OF_TRY(OF_NEW(&scratch, &a, k, n));
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < k; i++)
            a[i + j * k] = f->self[i + j * k] + f->low_dual[i + j * k] +
                           f->options.ridge * f->basis[j + i * n];
    OF_TRY(of_spectrum_above_short(f->context, &scratch, k, n, a, k, cut, &spectrum));
    OF_TRY(OF_NEW(&scratch, &factor, spectrum.rank, 1));
    f->low_values = 0;
    for (size_t i = 0; i < spectrum.rank; i++) {
        f->low_values += spectrum.value[i] - cut;
        factor[i] = (spectrum.value[i] - cut) / spectrum.value[i];
    }
    if (k < n && spectrum.rank > 0) {
        int fits;
        OF_TRY(low_outside(f, a, &spectrum, factor, &fits));
        if (!fits) {
            OF_TRY(of_fmr_change_basis(f, 0));
            return low_step(f);
        }
    }
    f->rank = spectrum.rank;
    return of_spectrum_scale(f->context, k, n, a, k, &spectrum, factor, f->low, k);
}

/* ---- Z and E -------------------------------------------------------------------------------- */

/* Z = (H'H + I)^-1 [J - Y2/u + H'(H - E + Y1/u)] in coordinates, where H'H is diagonal; its new
 * multiplier, which is what Z exceeds J - Y2/u by; and turn'(H - HZ), each written so that no
 * digits cancel however large the values of H are. */
static onefold_status self_step(of_fmr *f, double *turned)
{
    size_t n = f->samples, d = f->latent_rows, k = f->width, r = f->values;
    OF_SCRATCH(scratch, f->context);
    double *pull, *seen;
    OF_TRY(OF_NEW(&scratch, &pull, d, n));
    OF_TRY(OF_NEW(&scratch, &seen, r, n));
    for (size_t i = 0; i < d * n; i++)
        pull[i] = f->noise[i] - f->noise_dual[i];
    OF_TRY(of_team_gemm(f->context, 'T', 'N', r, n, d, 1, f->turn, d, pull, d, 0, seen, r));
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < k; i++) {
            size_t at = i + j * k;
            double s = f->value[i], target = f->low[at] - f->low_dual[at], raise = 0;
            if (i < r) {
                double p = seen[i + j * r], q = s * s + 1, b = f->basis[j + i * n];
                raise = s * (s * (b - target) - p) / q;
                turned[i + j * r] = s * (b - target + s * p) / q;
            }
            f->self[at] = target + raise;
            f->low_dual[at] = raise;
        }
    return ONEFOLD_OK;
}

/* E = the columns of H - HZ + Y1/u shortened by l2/u; its multiplier, and the residual. */
static onefold_status noise_step(of_fmr *f, const double *turned)
{
    size_t n = f->samples, d = f->latent_rows, r = f->values;
    OF_TRY(
        of_team_gemm(f->context, 'N', 'N', d, n, r, 1, f->turn, d, turned, r, 0, f->residual, d));
    for (size_t i = 0; i < d * n; i++)
        f->noise[i] = f->residual[i] + f->noise_dual[i];
    f->noise_lengths =
        of_threshold_columns(d, n, f->noise, d, f->options.noise_weight / f->penalty);
    for (size_t i = 0; i < d * n; i++) {
        f->residual[i] -= f->noise[i];
        f->noise_dual[i] += f->residual[i];
    }
    return ONEFOLD_OK;
}

/* ---- stopping ------------------------------------------------------------------------------- */

static onefold_status latent_residual(const of_fmr *f, double *norm)
{
    size_t n = f->samples, d = f->latent_rows;
    OF_SCRATCH(scratch, f->context);
    double *sum;
    OF_TRY(OF_NEW_ZERO(&scratch, &sum, d, 1));
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < d; i++)
            sum[i] += fabs(f->residual[i + j * d]);
    *norm = 0;
    for (size_t i = 0; i < d; i++)
        *norm = fmax(*norm, sum[i]);
    return ONEFOLD_OK;
}

/* The largest row sum is at least the root mean square over rows of their lengths; where that
 * alone keeps the run going, Z - J need not be formed. */
static onefold_status measure(of_fmr *f)
{
    size_t n = f->samples, k = f->width;
    double square = 0;
    for (size_t i = 0; i < k * n; i++)
        square += (f->self[i] - f->low[i]) * (f->self[i] - f->low[i]);
    f->residual_low = sqrt(square / (double)n);
    OF_TRY(latent_residual(f, &f->residual_latent));
    if (f->residual_low < f->options.tolerance && f->residual_latent < f->options.tolerance)
        OF_TRY(of_fmr_low_residual(f, &f->residual_low));
    f->converged =
        f->residual_low < f->options.tolerance && f->residual_latent < f->options.tolerance;
    return ONEFOLD_OK;
}

onefold_status of_fmr_step(of_fmr *f)
{
    double *turned;
    OF_SCRATCH(scratch, f->context);
    OF_TRY(of_context_check(f->context));
    OF_TRY(OF_NEW(&scratch, &turned, f->values, f->samples));
    OF_TRY(of_fmr_latent_step(f));
    OF_TRY(low_step(f));
    OF_TRY(self_step(f, turned));
    OF_TRY(noise_step(f, turned));
    OF_TRY(measure(f));
    f->objective = f->agreement + f->options.low_weight * f->low_values +
                   f->options.noise_weight * f->noise_lengths;
    double next = fmin(f->penalty * f->options.growth, f->options.most_penalty);
    for (size_t i = 0; i < f->width * f->samples; i++)
        f->low_dual[i] *= f->penalty / next;
    for (size_t i = 0; i < f->latent_rows * f->samples; i++)
        f->noise_dual[i] *= f->penalty / next;
    f->penalty = next;
    f->iteration++;
    return ONEFOLD_OK;
}

/* ---- what comes of it ----------------------------------------------------------------------- */

onefold_status of_fmr_self(const of_fmr *f, double *self)
{
    size_t n = f->samples;
    OF_TRY(of_team_gemm(f->context, 'N', 'N', n, n, f->width, 1, f->basis, n, f->self, f->width, 0,
                        self, n));
    if (!f->outside || f->rank == 0)
        return ONEFOLD_OK;
    return of_team_gemm(f->context, 'N', 'T', n, n, f->rank, 1, f->outside, n, f->outside_rows, n,
                        1, self, n);
}

onefold_status of_fmr_low_residual(const of_fmr *f, double *norm)
{
    size_t n = f->samples, k = f->width;
    OF_SCRATCH(scratch, f->context);
    double *difference, *formed, *sum;
    OF_TRY(OF_NEW(&scratch, &difference, k, n));
    OF_TRY(OF_NEW(&scratch, &formed, n, n));
    OF_TRY(OF_NEW_ZERO(&scratch, &sum, n, 1));
    for (size_t i = 0; i < k * n; i++)
        difference[i] = f->self[i] - f->low[i];
    OF_TRY(
        of_team_gemm(f->context, 'N', 'N', n, n, k, 1, f->basis, n, difference, k, 0, formed, n));
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            sum[i] += fabs(formed[i + j * n]);
    *norm = 0;
    for (size_t i = 0; i < n; i++)
        *norm = fmax(*norm, sum[i]);
    return ONEFOLD_OK;
}

void of_fmr_affinity(size_t n, double *a)
{
    for (size_t j = 0; j < n; j++)
        for (size_t i = j; i < n; i++)
            a[i + j * n] = a[j + i * n] = fabs(a[i + j * n]) + fabs(a[j + i * n]);
}
