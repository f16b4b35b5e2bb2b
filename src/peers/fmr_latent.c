/* SPDX-License-Identifier: Apache-2.0 */
/*
 * FMR's latent representation: the similarity it follows, its growth, its descent, and its
 * factorisation. See fmr.h for the names.
 *
 * In the first iteration everything but H is zero and every step of the descent is
 * H <- H (I + step (2 K/(n-1)^2 - u I)): in the eigenvectors of K each direction is multiplied by a
 * number of its own, so that all steps together cost one eigenproblem and two products.
 */
#include "peers/fmr.h"

#include "linalg/blas.h"
#include "linalg/factor.h"
#include "linalg/parallel.h"

#include <math.h>
#include <string.h>

/* ---- similarity ----------------------------------------------------------------------------- */

/* Takes from every row its mean over the samples. */
static void centre_rows(size_t rows, size_t samples, double *x, size_t ldx, double *mean)
{
    memset(mean, 0, rows * sizeof *mean);
    for (size_t j = 0; j < samples; j++)
        for (size_t i = 0; i < rows; i++)
            mean[i] += x[i + j * ldx] / (double)samples;
    for (size_t j = 0; j < samples; j++)
        for (size_t i = 0; i < rows; i++)
            x[i + j * ldx] -= mean[i];
}

onefold_status of_fmr_similarity_make(of_fmr *f, size_t view_count, const size_t *rows,
                                      of_features_source features, void *source)
{
    size_t n = f->samples, all = 0, done = 0;
    of_fmr_similarity *s = &f->similarity;
    for (size_t v = 0; v < view_count; v++)
        OF_TRY(of_size_add(&all, all, rows[v]));
    if (all < n) {
        s->rows = all;
        OF_TRY(OF_NEW(&f->arena, &s->factor, all, n));
    } else
        OF_TRY(OF_NEW_ZERO(&f->arena, &s->whole, n, n));
    for (size_t v = 0; v < view_count; v++) {
        OF_SCRATCH(scratch, f->context);
        double *x, *mean;
        OF_TRY(of_context_check(f->context));
        OF_TRY(OF_NEW(&scratch, &x, rows[v], n));
        OF_TRY(OF_NEW(&scratch, &mean, rows[v], 1));
        OF_TRY(features(source, f->context, v, x));
        centre_rows(rows[v], n, x, rows[v], mean);
        if (s->whole && rows[v] > 0)
            OF_TRY(of_team_syrk(f->context, 'T', n, rows[v], 1, x, rows[v], 1, s->whole, n));
        for (size_t j = 0; j < n && s->factor; j++)
            memcpy(s->factor + done + j * all, x + j * rows[v], rows[v] * sizeof *x);
        done += rows[v];
    }
    return ONEFOLD_OK;
}

/* out = H K (latent_rows x samples). */
static onefold_status times_similarity(const of_fmr *f, const double *latent, double *out)
{
    size_t n = f->samples, d = f->latent_rows;
    const of_fmr_similarity *s = &f->similarity;
    OF_SCRATCH(scratch, f->context);
    double *half;
    if (s->whole)
        return of_team_gemm(f->context, 'N', 'N', d, n, n, 1, latent, d, s->whole, n, 0, out, d);
    OF_TRY(OF_NEW(&scratch, &half, d, s->rows));
    OF_TRY(of_team_gemm(f->context, 'N', 'T', d, s->rows, n, 1, latent, d, s->factor, s->rows, 0,
                        half, d));
    return of_team_gemm(f->context, 'N', 'N', d, n, s->rows, 1, half, d, s->factor, s->rows, 0, out,
                        d);
}

/* ---- growth --------------------------------------------------------------------------------- */

/* H seen along the eigenvectors of K, or of factor factor', which has the same eigenvalues. */
typedef struct growth {
    size_t count;
    double *value;  /* count: eigenvalues */
    double *vector; /* count x count */
    double *along;  /* latent_rows x count: H (factor') vector */
    double *pull;   /* count: value times the squared length of H along the direction */
    double *times;  /* count: what the direction has been multiplied by so far */
    double *gained; /* count: (times - rest) / value, which stays exact as the value vanishes */
    double rest;    /* what directions of value zero have been multiplied by */
    double square;  /* ||H||_F^2 at the start */
} growth;

static onefold_status growth_start(of_fmr *f, of_arena *arena, growth *g)
{
    size_t n = f->samples, d = f->latent_rows;
    const of_fmr_similarity *s = &f->similarity;
    double *seen = f->latent;
    g->count = s->whole ? n : s->rows;
    OF_TRY(OF_NEW(arena, &g->value, g->count, 1));
    OF_TRY(OF_NEW(arena, &g->pull, g->count, 1));
    OF_TRY(OF_NEW(arena, &g->times, g->count, 1));
    OF_TRY(OF_NEW_ZERO(arena, &g->gained, g->count, 1));
    OF_TRY(OF_NEW(arena, &g->along, d, g->count));
    OF_TRY(OF_NEW(arena, &g->vector, g->count, g->count));
    if (s->whole)
        memcpy(g->vector, s->whole, n * n * sizeof *g->vector);
    else {
        OF_TRY(OF_NEW(arena, &seen, d, g->count));
        OF_TRY(of_team_syrk(f->context, 'N', s->rows, n, 1, s->factor, s->rows, 0, g->vector,
                            s->rows));
        OF_TRY(of_team_gemm(f->context, 'N', 'T', d, s->rows, n, 1, f->latent, d, s->factor,
                            s->rows, 0, seen, d));
    }
    OF_TRY(of_eigh(f->context, g->count, g->vector, g->count, g->value));
    OF_TRY(of_team_gemm(f->context, 'N', 'N', d, g->count, g->count, 1, seen, d, g->vector,
                        g->count, 0, g->along, d));
    for (size_t i = 0; i < g->count; i++) {
        double square = of_dot(d, 1, g->along + i * d, d, g->along + i * d, d);
        g->pull[i] = s->whole ? square * g->value[i] : square;
        g->times[i] = 1;
    }
    g->rest = 1;
    g->square = of_dot(d, n, f->latent, d, f->latent, d);
    return ONEFOLD_OK;
}

/* The agreement term and the whole value of H as it has grown so far, when Z = E = Y1 = 0. */
static double growth_value(const of_fmr *f, const growth *g, double *agreement)
{
    double scale = (double)(f->samples - 1) * (double)(f->samples - 1), pulled = 0;
    double square = g->rest * g->rest * g->square;
    for (size_t i = 0; i < g->count; i++) {
        pulled += g->pull[i] * g->times[i] * g->times[i];
        square += g->pull[i] * g->gained[i] * (g->times[i] + g->rest);
    }
    *agreement = -pulled / scale;
    return *agreement + f->penalty / 2 * sqrt(fmax(0, square));
}

static void growth_step(const of_fmr *f, growth *g)
{
    double scale = (double)(f->samples - 1) * (double)(f->samples - 1);
    double slope = 2 * f->options.step / scale, rest = 1 - f->options.step * f->penalty;
    for (size_t i = 0; i < g->count; i++) {
        double factor = rest + slope * g->value[i];
        g->gained[i] = factor * g->gained[i] + slope * g->rest;
        g->times[i] *= factor;
    }
    g->rest *= rest;
}

/* H after all steps: rest H + sum over directions of gained times H K along them. */
static onefold_status growth_end(of_fmr *f, growth *g)
{
    size_t n = f->samples, d = f->latent_rows;
    const of_fmr_similarity *s = &f->similarity;
    OF_SCRATCH(scratch, f->context);
    double *back;
    for (size_t i = 0; i < g->count; i++)
        cblas_dscal((int)d, s->whole ? g->times[i] : g->gained[i], g->along + i * d, 1);
    if (s->whole)
        return of_team_gemm(f->context, 'N', 'T', d, n, n, 1, g->along, d, g->vector, n, 0,
                            f->latent, d);
    OF_TRY(OF_NEW(&scratch, &back, d, g->count));
    OF_TRY(of_team_gemm(f->context, 'N', 'T', d, g->count, g->count, 1, g->along, d, g->vector,
                        g->count, 0, back, d));
    return of_team_gemm(f->context, 'N', 'N', d, n, s->rows, 1, back, d, s->factor, s->rows,
                        g->rest, f->latent, d);
}

static onefold_status grow(of_fmr *f)
{
    double scale = (double)(f->samples - 1) * (double)(f->samples - 1);
    OF_SCRATCH(scratch, f->context);
    growth g;
    OF_TRY(growth_start(f, &scratch, &g));
    f->latent_value = growth_value(f, &g, &f->agreement);
    if (f->latent_value >= f->options.level && !(2 * g.value[0] / scale > f->penalty))
        return of_hint(
            of_fail(
                ONEFOLD_BAD_DATA,
                "the latent representation does not grow: the views agree by %.3g, and it takes "
                "more than %.3g",
                2 * fmax(0, g.value[0]) / scale, f->penalty),
            "fmr suits fewer samples, or views whose samples differ more; another method will do");
    while (f->latent_value >= f->options.level && f->steps < f->options.max_steps) {
        growth_step(f, &g);
        f->steps++;
        f->latent_value = growth_value(f, &g, &f->agreement);
    }
    return f->steps ? growth_end(f, &g) : ONEFOLD_OK;
}

/* ---- descent --------------------------------------------------------------------------------- */

/* The value of H with the residual and multiplier at hand. */
static double latent_value(const of_fmr *f)
{
    size_t n = f->samples, d = f->latent_rows;
    return f->agreement + f->penalty * of_dot(d, n, f->noise_dual, d, f->residual, d) +
           f->penalty / 2 * sqrt(of_dot(d, n, f->residual, d, f->residual, d));
}

/* -tr(K H'H)/(n-1)^2 given H K. */
static double agreement(const of_fmr *f, const double *pulled)
{
    double scale = (double)(f->samples - 1) * (double)(f->samples - 1);
    return -of_dot(f->latent_rows, f->samples, pulled, f->latent_rows, f->latent, f->latent_rows) /
           scale;
}

/* One step down the slope that Z (samples x samples) and the multiplier give. */
static onefold_status descend(of_fmr *f, const double *self, double *pulled, double *push)
{
    size_t n = f->samples, d = f->latent_rows;
    double scale = (double)(n - 1) * (double)(n - 1), step = f->options.step;
    for (size_t i = 0; i < d * n; i++)
        push[i] = f->penalty * (f->noise_dual[i] + f->residual[i]);
    for (size_t i = 0; i < d * n; i++)
        f->latent[i] -= step * (push[i] - 2 * pulled[i] / scale);
    OF_TRY(of_team_gemm(f->context, 'N', 'T', d, n, n, step, push, d, self, n, 1, f->latent, d));
    for (size_t i = 0; i < d * n; i++)
        f->residual[i] = f->latent[i] - f->noise[i];
    OF_TRY(
        of_team_gemm(f->context, 'N', 'N', d, n, n, -1, f->latent, d, self, n, 1, f->residual, d));
    OF_TRY(times_similarity(f, f->latent, pulled));
    f->agreement = agreement(f, pulled);
    return ONEFOLD_OK;
}

static onefold_status move(of_fmr *f)
{
    size_t n = f->samples, d = f->latent_rows;
    OF_SCRATCH(scratch, f->context);
    double *self, *pulled, *push;
    OF_TRY(OF_NEW(&scratch, &self, n, n));
    OF_TRY(OF_NEW(&scratch, &pulled, d, n));
    OF_TRY(OF_NEW(&scratch, &push, d, n));
    OF_TRY(of_fmr_self(f, self));
    OF_TRY(times_similarity(f, f->latent, pulled));
    while (f->latent_value >= f->options.level && f->steps < f->options.max_steps) {
        OF_TRY(of_context_check(f->context));
        OF_TRY(descend(f, self, pulled, push));
        f->steps++;
        f->latent_value = latent_value(f);
    }
    return ONEFOLD_OK;
}

onefold_status of_fmr_latent_step(of_fmr *f)
{
    f->steps = 0;
    if (f->iteration == 0) {
        OF_TRY(grow(f));
        return of_fmr_factorise(f);
    }
    f->latent_value = latent_value(f);
    if (f->latent_value < f->options.level)
        return ONEFOLD_OK;
    OF_TRY(move(f));
    return of_fmr_change_basis(f, 1);
}
