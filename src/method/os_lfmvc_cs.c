/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The iteration of OS-LFMVC-CS (docs/method.md section 3): W, beta, P and C on small matrices, S
 * and Y by a pass over the data (os_lfmvc_cs_pass.c), then the test of convergence (section 2).
 */
#include "method/os_lfmvc_cs.h"

#include "linalg/blas.h"
#include "linalg/factor.h"

#include <math.h>
#include <string.h>

/* Eigenvalues of F = H H' below this share of the largest are dropped; J loses in proportion. */
static const double RANK_TOLERANCE = 1e-13;

void of_cs_set_B(const of_cs_sizes *sizes, of_cs_state *now)
{
    size_t block = sizes->k * sizes->k;
    for (size_t d = 0; d < sizes->p; d++)
        for (size_t i = 0; i < block; i++)
            now->B[d * block + i] = now->beta[d] * now->W[d * block + i];
}

/* J = <B XS, B XP> + <C, B XY>. */
static double objective(const of_cs_sizes *sizes, of_cs_runner *run)
{
    size_t k = sizes->k, m = sizes->m, mu = sizes->mu, pk = sizes->pk;
    const of_cs_state *now = &run->now;
    of_gemm('N', 'N', k, m, pk, 1, now->B, k, now->XS, pk, 0, run->M0, k);
    of_gemm('N', 'N', k, m, pk, 1, now->B, k, now->XP, pk, 0, run->M1, k);
    of_gemm('N', 'N', k, mu, pk, 1, now->B, k, now->XY, pk, 0, run->BXY, k);
    return of_dot(k, m, run->M0, run->M1) + of_dot(k, mu, now->C, run->BXY);
}

/* Calls the function that watches the run, if any. */
static onefold_status notify(const of_cs_solver *s, of_cs_runner *run, of_cs_step step, size_t t)
{
    if (!s->watch)
        return ONEFOLD_OK;
    return s->watch->step(s->watch->user, step, t, &run->now, objective(&s->sizes, run));
}

/* ---- W (section 3) --------------------------------------------------------------------------- */

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

/* W_d = polar(RS XP_d' + RP XS_d' + C XY_d'), each with the newest others. Updates US and UP. */
static onefold_status step_W(const of_cs_solver *s, of_cs_runner *run, size_t t)
{
    const of_cs_sizes *sizes = &s->sizes;
    size_t k = sizes->k, m = sizes->m, mu = sizes->mu, pk = sizes->pk;
    of_cs_state *now = &run->now;
    memset(run->TS, 0, k * m * sizeof(double));
    memset(run->TP, 0, k * m * sizeof(double));
    for (size_t d = 0; d < sizes->p; d++) {
        rotate_view(sizes, run, d);
        add_view(sizes, run, d, now->beta[d]);
    }
    for (size_t i = 0; i < sizes->p; i++) {
        size_t d = s->given && s->given->order ? s->given->order[i] : i;
        double *W = now->W + d * k * k;
        if (now->beta[d] == 0)
            continue;
        add_view(sizes, run, d, -now->beta[d]); /* TS, TP are now RS = R S' and RP = R P */
        of_gemm('N', 'T', k, k, m, 1, run->TS, k, now->XP + d * k, pk, 0, run->G, k);
        if (s->problem->options->variant == ONEFOLD_VARIANT_EXACT)
            of_gemm('N', 'T', k, k, m, 1, run->TP, k, now->XS + d * k, pk, 1, run->G, k);
        of_gemm('N', 'T', k, k, mu, 1, now->C, k, now->XY + d * k, pk, 1, run->G, k);
        OF_TRY(of_polar(s->context, k, k, run->G, OF_POLAR_NEAR, W));
        rotate_view(sizes, run, d);
        add_view(sizes, run, d, now->beta[d]);
        if (s->watch)
            of_cs_set_B(sizes, now);
        OF_TRY(notify(s, run, OF_CS_W, t));
    }
    return ONEFOLD_OK;
}

/* ---- beta (section 4) ------------------------------------------------------------------------ */

/* beta (section 4) from the US and UP of the W-step. Updates B. */
static onefold_status step_beta(const of_cs_solver *s, of_cs_runner *run)
{
    const of_cs_sizes *sizes = &s->sizes;
    size_t k = sizes->k, mu = sizes->mu, p = sizes->p, pk = sizes->pk, km = k * sizes->m;
    of_cs_state *now = &run->now;
    of_gemm('T', 'N', p, p, km, 0.5, run->US, km, run->UP, km, 0, run->A, p);
    of_gemm('T', 'N', p, p, km, 0.5, run->UP, km, run->US, km, 1, run->A, p);
    for (size_t i = 0; i < p; i++) {
        of_gemm('N', 'N', k, mu, k, 1, now->W + i * k * k, k, now->XY + i * k, pk, 0, run->BXY, k);
        run->f[i] = of_dot(k, mu, now->C, run->BXY);
    }
    OF_TRY(of_beta_step(s->context, s->problem->bounds, p, run->A, run->f, now->beta));
    of_cs_set_B(sizes, now);
    return ONEFOLD_OK;
}

/* ---- longer steps, --stop settled (section 2) --------------------------------------------------
 *
 * Where more rows hold noise than clusters, J rises slowly for hundreds of iterations: the
 * rotations align the noise of the views, always in the same direction. So W and beta are
 * extrapolated. The pass shows whether J rises; if it falls, the plain step is used instead.
 */

/* Extrapolates W and beta and sets run->extrapolated; run->last has what undoes it. */
static onefold_status extrapolate(const of_cs_solver *s, of_cs_runner *run, size_t iteration)
{
    const of_cs_sizes *sizes = &s->sizes;
    size_t k = sizes->k, block = k * k, pk = sizes->pk;
    of_cs_state *now = &run->now;
    of_cs_last *last = &run->last;
    run->extrapolated = iteration > 1 && !run->undone;
    last->moved = iteration > 1 ? run->moved : sizes->n;
    run->undone = 0;
    memcpy(last->XS, now->XS, pk * sizes->m * sizeof(double));
    memcpy(last->XY, now->XY, pk * sizes->mu * sizeof(double));
    if (!run->extrapolated) {
        memcpy(last->W, now->W, k * pk * sizeof(double));
        memcpy(last->beta, now->beta, sizes->p * sizeof(double));
        return ONEFOLD_OK;
    }
    for (size_t d = 0; d < sizes->p; d++) {
        double *W = now->W + d * block, *before = last->W + d * block;
        /* 2 W - W_before has no singular value below 1: its polar factor is unique. */
        for (size_t e = 0; e < block; e++)
            run->G[e] = 2 * W[e] - before[e];
        memcpy(before, W, block * sizeof(double));
        OF_TRY(of_polar(s->context, k, k, run->G, OF_POLAR_NEAR, W));
    }
    for (size_t i = 0; i < sizes->p; i++) {
        double plain = now->beta[i];
        now->beta[i] = fmax(2 * plain - last->beta[i], 0);
        last->beta[i] = plain;
    }
    /* the nearest point within the bounds, or the plain step where there is none */
    if (!of_beta_bounds_point(s->problem->bounds, OF_WEIGHTS_SQUARES, sizes->p, now->beta,
                              now->beta))
        memcpy(now->beta, last->beta, sizes->p * sizeof(double));
    of_cs_set_B(sizes, now);
    return ONEFOLD_OK;
}

/* ---- P (section 3) --------------------------------------------------------------------------- */

onefold_status of_cs_factor_H(const of_cs_solver *s, of_cs_runner *run, size_t *rank)
{
    size_t k = s->sizes.k, pk = s->sizes.pk;
    of_gemm('N', 'T', pk, k, pk, 1, s->N, pk, run->now.B, k, 0, run->T, pk);
    of_gemm('N', 'N', k, k, pk, 1, run->now.B, k, run->T, pk, 0, run->F, k);
    OF_TRY(of_eigh(s->context, k, run->F, run->value));
    *rank = 0;
    while (*rank < k && run->value[*rank] > RANK_TOLERANCE * run->value[0])
        run->value[*rank] = sqrt(run->value[*rank]), ++*rank;
    return ONEFOLD_OK;
}

void of_cs_set_P(const of_cs_solver *s, of_cs_runner *run, size_t rank)
{
    size_t k = s->sizes.k, m = s->sizes.m, pk = s->sizes.pk, ld = rank ? rank : 1;
    for (size_t e = 0; e < rank * m; e++)
        run->M0[e] = run->value[e % rank] * run->M1[e];
    of_gemm('N', 'N', k, m, rank, 1, run->F, k, run->M0, ld, 0, run->now.R, k);
    for (size_t e = 0; e < rank * m; e++)
        run->M0[e] = run->M1[e] / run->value[e % rank];
    of_gemm('N', 'N', k, m, rank, 1, run->F, k, run->M0, ld, 0, run->M1, k);
    of_gemm('N', 'N', pk, m, k, 1, run->T, pk, run->M1, k, 0, run->now.XP, pk);
}

onefold_status of_cs_step_P(const of_cs_solver *s, of_cs_runner *run)
{
    size_t k = s->sizes.k, m = s->sizes.m, pk = s->sizes.pk, rank;
    OF_TRY(of_cs_factor_H(s, run, &rank));
    of_gemm('N', 'N', k, m, pk, 1, run->now.B, k, run->now.XS, pk, 0, run->TS, k);
    of_gemm('T', 'N', rank, m, k, 1, run->F, k, run->TS, k, 0, run->M0, rank ? rank : 1);
    for (size_t e = 0; e < rank * m; e++)
        run->M0[e] *= run->value[e % rank];
    OF_TRY(of_polar(s->context, rank, m, run->M0, OF_POLAR_DROP, run->M1));
    of_cs_set_P(s, run, rank);
    return ONEFOLD_OK;
}

/* ---- C (section 3) --------------------------------------------------------------------------- */

onefold_status of_cs_step_C(const of_cs_solver *s, of_cs_runner *run)
{
    size_t k = s->sizes.k, mu = s->sizes.mu, pk = s->sizes.pk;
    of_cs_state *now = &run->now;
    of_gemm('N', 'N', k, mu, pk, 1, now->B, k, now->XY, pk, 0, run->BXY, k);
    return of_polar(s->context, k, mu, run->BXY, OF_POLAR_NEAR, now->C);
}

/* ---- stop (section 2) ------------------------------------------------------------------------ */

/* ONEFOLD_STOP_SETTLED: the gain of two iterations; four times the tolerance where few labels
 * change. */
static int has_settled(const of_cs_solver *s, const of_cs_runner *run, size_t iterations)
{
    enum { FEW = 5000, FACTOR = 4 };
    double J = run->trace[iterations - 1], gain = J - run->trace[iterations - 3],
           tolerance = 2 * s->problem->options->tolerance * fabs(J);
    int few_move = run->moved <= s->sizes.n / FEW && run->last.moved <= s->sizes.n / FEW;
    return gain <= (few_move ? FACTOR * tolerance : tolerance);
}

/* With many samples, J can rise slowly for a hundred iterations without a new label, while the
 * rotations align the noise of the views. So ten times the tolerance is enough where next to no
 * label changes. */
static int has_converged(const of_cs_solver *s, const of_cs_runner *run, size_t iterations)
{
    enum { FEW = 100000, FACTOR = 10 };
    const onefold_fit_options *options = s->problem->options;
    if (iterations < 2)
        return 0;
    if (options->stop == ONEFOLD_STOP_SETTLED)
        return iterations > 2 && has_settled(s, run, iterations);
    double J = run->trace[iterations - 1], change = J - run->trace[iterations - 2],
           tolerance = options->tolerance * fabs(J);
    if (options->stop == ONEFOLD_STOP_PAPER)
        return change * change < 1e-3;
    int few_move = of_cs_sample_size(s->sizes.n) < s->sizes.n && run->moved <= s->sizes.n / FEW;
    return fabs(change) <= (few_move ? FACTOR * tolerance : tolerance);
}

/* ---- the iteration (section 3) --------------------------------------------------------------- */

/* W and beta of the plain step, S and Y before the pass. P and C have to be computed again. */
static void undo_extrapolation(const of_cs_sizes *sizes, of_cs_runner *run)
{
    of_cs_state *now = &run->now;
    memcpy(now->W, run->last.W, sizes->k * sizes->pk * sizeof(double));
    memcpy(now->beta, run->last.beta, sizes->p * sizeof(double));
    memcpy(now->XS, run->last.XS, sizes->pk * sizes->m * sizeof(double));
    memcpy(now->XY, run->last.XY, sizes->pk * sizes->mu * sizeof(double));
    of_cs_set_B(sizes, now);
    run->undone = 1;
}

onefold_status of_cs_iterate(const of_cs_solver *s, of_cs_runner *run, size_t from, size_t to)
{
    const onefold_fit_options *options = s->problem->options;
    of_cs_end *end = &run->end;
    if (from == 0)
        OF_TRY(notify(s, run, OF_CS_START, 0));
    for (size_t t = from + 1; t <= to && !end->converged; t++) {
        OF_TRY(of_context_check(s->context));
        OF_TRY(step_W(s, run, t));
        OF_TRY(step_beta(s, run));
        OF_TRY(notify(s, run, OF_CS_BETA, t));
        if (options->stop == ONEFOLD_STOP_SETTLED)
            OF_TRY(extrapolate(s, run, t));
        if (run->extrapolated)
            OF_TRY(notify(s, run, OF_CS_EXTRAPOLATE, t));
        size_t moved = 0;
        for (;;) {
            OF_TRY(of_cs_step_P(s, run));
            OF_TRY(notify(s, run, OF_CS_P, t));
            OF_TRY(of_cs_step_C(s, run));
            OF_TRY(notify(s, run, OF_CS_C, t));
            OF_TRY(of_cs_pass(s, 0, run));
            if (s->watch)
                OF_TRY(of_cs_pass_labels(s->problem->X, run));
            OF_TRY(notify(s, run, OF_CS_Y, t));
            if (run->undone || !run->extrapolated || !(objective(&s->sizes, run) < end->J))
                break;
            moved = run->moved;
            undo_extrapolation(&s->sizes, run);
            OF_TRY(notify(s, run, OF_CS_UNDO, t));
        }
        run->moved += moved; /* a label that changes back counts twice: the run may go on longer */
        end->J = run->trace[t - 1] = objective(&s->sizes, run);
        end->iterations = t;
        end->converged = has_converged(s, run, t);
        end->clusters_used = 0;
        for (size_t c = 0; c < s->sizes.mu; c++)
            end->clusters_used += run->now.sizes[c] > 0;
        if (s->restarts == 1)
            of_context_progress(s->context, "fit", (double)t, (double)options->max_iterations,
                                NULL);
    }
    return ONEFOLD_OK;
}
