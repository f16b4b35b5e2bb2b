/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The steps of an iteration that work on small matrices: W, beta, P and C, and the objective
 * (docs/method.md section 3). None of them reads the data.
 */
#include "method/os_lfmvc_cs_parts.h"

#include "linalg/blas.h"
#include "linalg/factor.h"
#include "method/beta_step.h"

#include <math.h>
#include <string.h>

/* Eigenvalues of F = H H' below this share of the largest are taken for zero. What is lost of J is
 * in proportion to them. */
static const double RANK_TOLERANCE = 1e-13;

/* All 0. Of many samples those of a run on a card are never touched here. */
static onefold_status new_labels(of_arena *arena, size_t n, int32_t **labels)
{
    enum { MANY = 1 << 20 };
    if (n < MANY)
        return OF_NEW_ZERO(arena, labels, n, 1);
    return of_arena_allocate_untouched(arena, (void **)labels, sizeof **labels, n, 1, n);
}

onefold_status of_cs_runner_make(of_arena *arena, const of_cs_sizes *sizes,
                                 const onefold_fit_options *options, of_cs_runner *run)
{
    size_t k = sizes->k, m = sizes->m, mu = sizes->mu, p = sizes->p, pk = sizes->pk;
    of_cs_runner made = {.trace = NULL};
    OF_TRY(OF_NEW(arena, &made.now.W, k, pk));
    OF_TRY(OF_NEW(arena, &made.now.beta, p, 1));
    OF_TRY(OF_NEW(arena, &made.now.B, k, pk));
    OF_TRY(OF_NEW(arena, &made.now.XS, pk, m));
    OF_TRY(OF_NEW(arena, &made.now.XP, pk, m));
    OF_TRY(OF_NEW(arena, &made.now.XY, pk, mu));
    OF_TRY(OF_NEW(arena, &made.now.R, k, m + mu));
    made.now.C = made.now.R + k * m;
    OF_TRY(new_labels(arena, sizes->n, &made.now.labels));
    OF_TRY(OF_NEW_ZERO(arena, &made.now.sizes, mu, 1));
    OF_TRY(OF_NEW(arena, &made.trace, options->max_iterations, 1));
    OF_TRY(OF_NEW(arena, &made.US, pk, m));
    OF_TRY(OF_NEW(arena, &made.UP, pk, m));
    OF_TRY(OF_NEW(arena, &made.TS, k, m));
    OF_TRY(OF_NEW(arena, &made.TP, k, m));
    OF_TRY(OF_NEW(arena, &made.T, pk, k));
    OF_TRY(OF_NEW(arena, &made.F, k, k));
    OF_TRY(OF_NEW(arena, &made.G, k, k));
    OF_TRY(OF_NEW(arena, &made.value, k, 1));
    OF_TRY(OF_NEW(arena, &made.M0, k, m));
    OF_TRY(OF_NEW(arena, &made.M1, k, m));
    OF_TRY(OF_NEW(arena, &made.BXY, k, mu));
    OF_TRY(OF_NEW(arena, &made.A, p, p));
    OF_TRY(OF_NEW(arena, &made.f, p, 1));
    if (options->stop == ONEFOLD_STOP_SETTLED) {
        OF_TRY(OF_NEW(arena, &made.last.W, k, pk));
        OF_TRY(OF_NEW(arena, &made.last.beta, p, 1));
        OF_TRY(OF_NEW(arena, &made.last.XS, pk, m));
        OF_TRY(OF_NEW(arena, &made.last.XY, pk, mu));
    }
    *run = made;
    return ONEFOLD_OK;
}

void of_cs_set_B(const of_cs_sizes *sizes, of_cs_state *now)
{
    size_t block = sizes->k * sizes->k;
    for (size_t d = 0; d < sizes->p; d++)
        for (size_t i = 0; i < block; i++)
            now->B[d * block + i] = now->beta[d] * now->W[d * block + i];
}

double of_cs_objective(const of_cs_sizes *sizes, of_cs_runner *run)
{
    size_t k = sizes->k, m = sizes->m, mu = sizes->mu, pk = sizes->pk;
    const of_cs_state *now = &run->now;
    of_gemm('N', 'N', k, m, pk, 1, now->B, k, now->XS, pk, 0, run->M0, k);
    of_gemm('N', 'N', k, m, pk, 1, now->B, k, now->XP, pk, 0, run->M1, k);
    of_gemm('N', 'N', k, mu, pk, 1, now->B, k, now->XY, pk, 0, run->BXY, k);
    return of_dot(k, m, run->M0, k, run->M1, k) + of_dot(k, mu, now->C, k, run->BXY, k);
}

/* ---- W ------------------------------------------------------------------------------------ */

/* US_d = W_d XS_d and UP_d = W_d XP_d. */
static void rotate_view(const of_cs_sizes *sizes, of_cs_runner *run, size_t d)
{
    size_t k = sizes->k, m = sizes->m, pk = sizes->pk;
    const double *W = run->now.W + d * k * k;
    of_gemm('N', 'N', k, m, k, 1, W, k, run->now.XS + d * k, pk, 0, run->US + d * k * m, k);
    of_gemm('N', 'N', k, m, k, 1, W, k, run->now.XP + d * k, pk, 0, run->UP + d * k * m, k);
}

/* TS += scale US_d and TP += scale UP_d. */
static void add_view(const of_cs_sizes *sizes, of_cs_runner *run, size_t d, double scale)
{
    size_t km = sizes->k * sizes->m;
    of_add(km, scale, run->US + d * km, run->TS);
    of_add(km, scale, run->UP + d * km, run->TP);
}

onefold_status of_cs_step_W(of_context *context, const of_cs_sizes *sizes, of_cs_runner *run,
                            onefold_variant variant, const size_t *order, const of_cs_watch *watch,
                            size_t iteration)
{
    size_t k = sizes->k, m = sizes->m, mu = sizes->mu, pk = sizes->pk;
    of_cs_state *now = &run->now;
    memset(run->TS, 0, k * m * sizeof(double));
    memset(run->TP, 0, k * m * sizeof(double));
    for (size_t d = 0; d < sizes->p; d++) {
        rotate_view(sizes, run, d);
        add_view(sizes, run, d, now->beta[d]);
    }
    for (size_t i = 0; i < sizes->p; i++) {
        size_t d = order ? order[i] : i;
        double *W = now->W + d * k * k;
        if (now->beta[d] == 0)
            continue;
        add_view(sizes, run, d, -now->beta[d]); /* TS, TP are now RS = R S' and RP = R P */
        of_gemm('N', 'T', k, k, m, 1, run->TS, k, now->XP + d * k, pk, 0, run->G, k);
        if (variant == ONEFOLD_VARIANT_EXACT)
            of_gemm('N', 'T', k, k, m, 1, run->TP, k, now->XS + d * k, pk, 1, run->G, k);
        of_gemm('N', 'T', k, k, mu, 1, now->C, k, now->XY + d * k, pk, 1, run->G, k);
        OF_TRY(of_polar_near(context, k, k, run->G, k, W, k, W, k));
        rotate_view(sizes, run, d);
        add_view(sizes, run, d, now->beta[d]);
        if (!watch)
            continue;
        of_cs_set_B(sizes, now);
        OF_TRY(watch->step(watch->user, OF_CS_W, iteration, now, of_cs_objective(sizes, run)));
    }
    return ONEFOLD_OK;
}

/* ---- beta --------------------------------------------------------------------------------- */

onefold_status of_cs_step_beta(of_context *context, const of_cs_sizes *sizes, of_cs_runner *run)
{
    size_t k = sizes->k, mu = sizes->mu, p = sizes->p, pk = sizes->pk, km = k * sizes->m;
    of_cs_state *now = &run->now;
    of_gemm('T', 'N', p, p, km, 0.5, run->US, km, run->UP, km, 0, run->A, p);
    of_gemm('T', 'N', p, p, km, 0.5, run->UP, km, run->US, km, 1, run->A, p);
    for (size_t i = 0; i < p; i++) {
        of_gemm('N', 'N', k, mu, k, 1, now->W + i * k * k, k, now->XY + i * k, pk, 0, run->BXY, k);
        run->f[i] = of_dot(k, mu, now->C, k, run->BXY, k);
    }
    if (run->bounds)
        OF_TRY(of_beta_bounds_step(context, run->bounds, p, run->A, run->f, now->beta));
    else
        OF_TRY(of_beta_step(context, p, run->A, run->f, now->beta));
    of_cs_set_B(sizes, now);
    return ONEFOLD_OK;
}

/* ---- P ------------------------------------------------------------------------------------ */

/* F = H H' = V L V': V in run->F, the square roots of L in run->value; T = N B'. Gives the rank. */
static onefold_status factor_H(of_context *context, const of_cs_sizes *sizes, const double *N,
                               of_cs_runner *run, size_t *rank)
{
    size_t k = sizes->k, pk = sizes->pk;
    of_gemm('N', 'T', pk, k, pk, 1, N, pk, run->now.B, k, 0, run->T, pk);
    of_gemm('N', 'N', k, k, pk, 1, run->now.B, k, run->T, pk, 0, run->F, k);
    OF_TRY(of_eigh(context, k, run->F, k, run->value));
    *rank = 0;
    while (*rank < k && run->value[*rank] > RANK_TOLERANCE * run->value[0])
        run->value[*rank] = sqrt(run->value[*rank]), ++*rank;
    return ONEFOLD_OK;
}

/* R = V L^(1/2) E and XP = T V L^(-1/2) E for the isometry E (rank x m, in run->M1). */
static void set_P(const of_cs_sizes *sizes, of_cs_runner *run, size_t rank)
{
    size_t k = sizes->k, m = sizes->m, pk = sizes->pk;
    for (size_t j = 0; j < m; j++)
        for (size_t i = 0; i < rank; i++)
            run->M0[i + j * k] = run->value[i] * run->M1[i + j * k];
    of_gemm('N', 'N', k, m, rank, 1, run->F, k, run->M0, k, 0, run->now.R, k);
    for (size_t j = 0; j < m; j++)
        for (size_t i = 0; i < rank; i++)
            run->M0[i + j * k] = run->M1[i + j * k] / run->value[i];
    of_gemm('N', 'N', k, m, rank, 1, run->F, k, run->M0, k, 0, run->M1, k);
    of_gemm('N', 'N', pk, m, k, 1, run->T, pk, run->M1, k, 0, run->now.XP, pk);
}

onefold_status of_cs_step_P(of_context *context, const of_cs_sizes *sizes, const double *N,
                            of_cs_runner *run)
{
    size_t k = sizes->k, m = sizes->m, rank;
    OF_TRY(factor_H(context, sizes, N, run, &rank));
    of_gemm('N', 'N', k, m, sizes->pk, 1, run->now.B, k, run->now.XS, sizes->pk, 0, run->TS, k);
    of_gemm('T', 'N', rank, m, k, 1, run->F, k, run->TS, k, 0, run->M0, k);
    for (size_t j = 0; j < m; j++)
        for (size_t i = 0; i < rank; i++)
            run->M0[i + j * k] *= run->value[i];
    OF_TRY(of_polar(context, rank, m, run->M0, k, 1, run->M1, k));
    set_P(sizes, run, rank);
    return ONEFOLD_OK;
}

/* Signs that do not depend on the LAPACK: the entry of largest modulus in each vector positive. */
static void fix_signs(size_t k, size_t rank, double *V)
{
    for (size_t i = 0; i < rank; i++) {
        double *v = V + i * k;
        if (v[cblas_idamax((int)k, v, 1)] < 0)
            cblas_dscal((int)k, -1, v, 1);
    }
}

/* E has the unit vector j mod rank in column j, its sign changing from one round to the next, and
 * rows of unit length: with m > k every anchor starts in use, which S >= 0 needs to use it at all.
 */
onefold_status of_cs_first_P(of_context *context, const of_cs_sizes *sizes, const double *N,
                             of_cs_runner *run)
{
    size_t k = sizes->k, m = sizes->m, rank;
    OF_TRY(factor_H(context, sizes, N, run, &rank));
    fix_signs(k, rank, run->F);
    memset(run->M1, 0, k * m * sizeof(double));
    for (size_t j = 0; j < m && rank > 0; j++) {
        size_t i = j % rank, uses = m / rank + (i < m % rank);
        run->M1[i + j * k] = (j / rank % 2 ? -1 : 1) / sqrt((double)uses);
    }
    set_P(sizes, run, rank);
    return ONEFOLD_OK;
}

/* ---- C ------------------------------------------------------------------------------------ */

onefold_status of_cs_step_C(of_context *context, const of_cs_sizes *sizes, of_cs_runner *run)
{
    size_t k = sizes->k, mu = sizes->mu;
    of_cs_state *now = &run->now;
    of_gemm('N', 'N', k, mu, sizes->pk, 1, now->B, k, now->XY, sizes->pk, 0, run->BXY, k);
    return of_polar_near(context, k, mu, run->BXY, k, now->C, k, now->C, k);
}
