/* SPDX-License-Identifier: Apache-2.0 */
/* The small-matrix form against the literal dense one: the objective after every single step, every
 * label of every iteration, and X P, X S', X Y' at its end. */
#include "base/random.h"
#include "linalg/blas.h"
#include "oracle/plain.h"
#include "support/check.h"
#include "support/follow.h"
#include "support/partitions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct watcher {
    follower follower;
    size_t changes; /* labels that changed over all iterations, or sweeps that gained */
} watcher;

/* The paper's start drawn again: P = polar(G), S and labels. */
static cs_dense *draw_paper_start(const follower *f, const of_cs_state *state)
{
    const of_cs_problem *q = f->problem;
    size_t n = q->X->samples, m = q->m, r = n < m ? n : m;
    double *G = plain_new(n, m), *S = plain_new(m, n), *u = plain_new(n, r), *v = plain_new(m, r),
           *s = plain_new(r, 1);
    int32_t *labels = malloc(n * sizeof *labels);
    for (size_t j = 0; j < n; j++) {
        of_random random = of_random_make(q->options->seed, OF_PURPOSE_PAPER_START, j);
        for (size_t i = 0; i < m; i++)
            G[j + i * n] = of_random_normal(&random);
        for (size_t i = 0; i < m; i++)
            S[i + j * m] = of_random_normal(&random);
        double length = plain_frobenius(m, 1, S + j * m);
        for (size_t i = 0; i < m; i++)
            S[i + j * m] = (q->options->nonneg ? fabs(S[i + j * m]) : S[i + j * m]) / length;
        labels[j] = (int32_t)of_random_below(&random, q->mu);
    }
    plain_svd(n, m, G, u, s, v);
    double *vt = plain_flip(m, r, v), *P = plain_times(n, r, m, u, vt);
    for (size_t i = 0; i < q->p * q->k * q->k; i++) /* W = I, beta = 1/sqrt(p) */
        assert_true(state->W[i] == (i % (q->k * q->k) % (q->k + 1) == 0));
    for (size_t i = 0; i < q->p; i++)
        CHECK_CLOSE(state->beta[i], 1 / sqrt((double)q->p), 1e-15, 0);
    cs_dense *d =
        cs_dense_make(n, q->p, q->k, m, q->mu, q->options->variant == ONEFOLD_VARIANT_PRINTED,
                      q->options->nonneg, f->X, state->W, state->beta, P, S, labels);
    free(G);
    free(S);
    free(u);
    free(v);
    free(s);
    free(vt);
    free(P);
    free(labels);
    return d;
}

static void same_matrix(size_t rows, size_t columns, const double *got, double *want,
                        const char *name)
{
    for (size_t i = 0; i < rows * columns; i++)
        if (!(fabs(got[i] - want[i]) < 1e-8))
            fail_msg("%s[%zu]: %.17g, not %.17g", name, i, got[i], want[i]);
    free(want);
}

static void same_state(const follower *f, const of_cs_state *state)
{
    const cs_dense *d = f->dense;
    size_t n = d->n, pk = d->p * d->k;
    double *St = plain_flip(d->m, n, d->S), *Y = cs_dense_Y(d), *Yt = plain_flip(d->mu, n, Y);
    same_matrix(pk, d->m, state->XS, plain_times(pk, n, d->m, f->X, St), "XS");
    same_matrix(pk, d->m, state->XP, plain_times(pk, n, d->m, f->X, d->P), "XP");
    same_matrix(pk, d->mu, state->XY, plain_times(pk, n, d->mu, f->X, Yt), "XY");
    same_matrix(d->k, d->mu, state->C, plain_copy(d->k, d->mu, d->C), "C");
    same_matrix(d->p, 1, state->beta, plain_copy(d->p, 1, d->beta), "beta");
    free(St);
    free(Y);
    free(Yt);
    size_t *count = calloc(d->mu, sizeof *count);
    for (size_t j = 0; j < n; j++)
        count[state->labels[j]]++;
    for (size_t c = 0; c < d->mu; c++)
        assert_int_equal(state->sizes[c], count[c]);
    free(count);
}

static onefold_status follow(void *user, of_cs_step step, size_t iteration,
                             const of_cs_state *state, double J)
{
    watcher *watch = user;
    follower *f = &watch->follower;
    if (step == OF_CS_START && f->problem->options->start == ONEFOLD_START_PAPER) {
        f->dense = draw_paper_start(f, state);
    } else if (step == OF_CS_START) {
        follow_aligned_start(f, state);
    } else {
        int32_t *before = malloc(f->dense->n * sizeof *before);
        memcpy(before, f->dense->labels, f->dense->n * sizeof *before);
        follow_step(f, step);
        for (size_t j = 0; j < f->dense->n; j++)
            watch->changes += before[j] != f->dense->labels[j];
        free(before);
    }
    follow_objective(f, step, iteration, J);
    if (step == OF_CS_Y)
        assert_memory_equal(state->labels, f->dense->labels, f->dense->n * sizeof *state->labels);
    if (step == OF_CS_START || step == OF_CS_Y)
        same_state(f, state);
    return ONEFOLD_OK;
}

typedef struct size_set {
    size_t n, p, k, m, mu;
    double noise;
} size_set;

static const size_set SIZES[] = {
    {60, 3, 6, 6, 3, 1},   {50, 2, 6, 3, 4, 1},    {45, 3, 5, 11, 5, 2},  {40, 4, 4, 1, 2, 1},
    {70, 1, 7, 7, 4, 1},   {30, 5, 3, 3, 3, 3},    {20, 2, 20, 20, 4, 1}, {64, 2, 8, 16, 1, 1},
    {24, 3, 10, 4, 10, 2}, {130, 6, 4, 5, 4, 0.5},
};

static void compare_all(onefold_start start, onefold_variant variant, int nonneg)
{
    size_t changes = 0;
    for (size_t s = 0; s < sizeof SIZES / sizeof *SIZES; s++) {
        size_set z = SIZES[s];
        double *X = partitions_random(z.n, z.p, z.k, z.mu, z.noise, 70 + s);
        of_stack stack = of_stack_double(X, z.p * z.k, z.n);
        onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
        options.start = start;
        options.variant = variant;
        options.nonneg = nonneg;
        options.max_iterations = 8;
        options.tolerance = -1;
        options.seed = 5;
        of_cs_problem problem = {&stack, z.p, z.k, z.m, z.mu, &options, NULL};
        watcher w = {{&problem, X, NULL, 0}, 0};
        of_cs_watch watch = {&w, follow};
        of_cs_result result;
        OF_SCRATCH(scratch, NULL);
        int32_t *labels = malloc(z.n * sizeof *labels);
        for (size_t j = 0; j < z.n; j++)
            labels[j] = (int32_t)(j / 2 % z.mu);
        of_cs_given given = {.labels = labels};
        CHECK_OK(of_cs_run(NULL, &scratch, &problem, start == ONEFOLD_START_PAPER ? NULL : &given,
                           &watch, &result));
        double *H = cs_dense_H(w.follower.dense);
        same_matrix(z.k, z.n, result.H.held, H, "H");
        changes += w.changes;
        cs_dense_free(w.follower.dense);
        free(labels);
        free(X);
    }
    assert_true(changes > 200); /* labels did move, or nothing was compared */
}

static void equals_the_dense_form(void **state)
{
    (void)state;
    compare_all(ONEFOLD_START_ALIGNED, ONEFOLD_VARIANT_EXACT, 0);
}
static void equals_the_dense_form_with_S_nonnegative(void **state)
{
    (void)state;
    compare_all(ONEFOLD_START_ALIGNED, ONEFOLD_VARIANT_EXACT, 1);
}
static void equals_the_dense_form_as_printed(void **state)
{
    (void)state;
    compare_all(ONEFOLD_START_ALIGNED, ONEFOLD_VARIANT_PRINTED, 0);
}
static void equals_the_dense_form_from_the_papers_start(void **state)
{
    (void)state;
    compare_all(ONEFOLD_START_PAPER, ONEFOLD_VARIANT_EXACT, 0);
}
static void equals_the_dense_form_from_the_papers_start_nonnegative(void **state)
{
    (void)state;
    compare_all(ONEFOLD_START_PAPER, ONEFOLD_VARIANT_PRINTED, 1);
}

/* ---- the start ------------------------------------------------------------------------------ */

/* P = Q E: Q the right singular vectors of H that belong to eigenvectors v of H H' whose entry of
 * largest modulus is positive; E uses them in turn, round after round with changing sign, and has
 * rows of unit length. */
static double *first_P(const double *H, size_t n, size_t k, size_t m)
{
    double *Ht = plain_flip(k, n, H), *F = plain_times(k, n, k, H, Ht), *u = plain_new(k, k),
           *e = plain_new(k, 1), *v = plain_new(k, k), *P = plain_new(n, m);
    plain_svd(k, k, F, u, e, v);
    for (size_t j = 0; j < m; j++) {
        const double *vector = v + j % k * k;
        double most = 0, uses = 0;
        for (size_t i = 0; i < k; i++)
            most = fabs(vector[i]) > fabs(most) ? vector[i] : most;
        for (size_t other = j % k; other < m; other += k)
            uses++;
        double scale = (most < 0 ? -1 : 1) * (j / k % 2 ? -1 : 1) / sqrt(uses * e[j % k]);
        double *q = plain_times(n, k, 1, Ht, vector);
        plain_add(n, P + j * n, scale, q);
        free(q);
    }
    free(Ht);
    free(F);
    free(u);
    free(e);
    free(v);
    return P;
}

static onefold_status check_start(void *user, of_cs_step step, size_t iteration,
                                  const of_cs_state *state, double J)
{
    watcher *watch = user;
    follower *f = &watch->follower;
    const of_cs_problem *q = f->problem;
    size_t n = q->X->samples, pk = q->p * q->k;
    (void)iteration;
    if (step != OF_CS_START)
        return ONEFOLD_OK;
    double *H = plain_times(q->k, pk, n, state->B, f->X), *P = first_P(H, n, q->k, q->m);
    f->dense = cs_dense_make(n, q->p, q->k, q->m, q->mu, 0, q->options->nonneg, f->X, state->W,
                             state->beta, P, NULL, state->labels);
    int sweeps = q->options->nonneg || q->m < q->k ? 2 : 0; /* besides the first */
    for (int sweep = 0; sweep < sweeps; sweep++) {
        double before = cs_dense_objective(f->dense);
        cs_dense_step_P(f->dense);
        cs_dense_step_S(f->dense);
        watch->changes += cs_dense_objective(f->dense) > before * (1 + 1e-6); /* it was worth it */
    }
    CHECK_CLOSE(J, cs_dense_objective(f->dense), 1e-9, 0);
    same_state(f, state);
    cs_dense_free(f->dense);
    free(H);
    free(P);
    return ONEFOLD_OK;
}

static void starts_with_a_few_sweeps_of_P_and_S(void **state)
{
    (void)state;
    size_t gains = 0;
    for (size_t s = 0; s < sizeof SIZES / sizeof *SIZES; s++)
        for (int nonneg = 0; nonneg < 2; nonneg++) {
            size_set z = SIZES[s];
            if (z.p == 1 || z.n == z.k)
                continue; /* H H' is a multiple of I: any basis is one of eigenvectors */
            double *X = partitions_random(z.n, z.p, z.k, z.mu, z.noise, 70 + s);
            of_stack stack = of_stack_double(X, z.p * z.k, z.n);
            onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
            options.nonneg = nonneg;
            options.max_iterations = 1;
            of_cs_problem problem = {&stack, z.p, z.k, z.m, z.mu, &options, NULL};
            watcher w = {{&problem, X, NULL, 0}, 0};
            of_cs_watch watch = {&w, check_start};
            of_cs_result result;
            OF_SCRATCH(scratch, NULL);
            CHECK_OK(of_cs_run(NULL, &scratch, &problem, NULL, &watch, &result));
            gains += w.changes;
            free(X);
        }
    assert_true(gains > 10);
}

int main(void)
{
    of_blas_enter();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_the_dense_form),
        cmocka_unit_test(equals_the_dense_form_with_S_nonnegative),
        cmocka_unit_test(equals_the_dense_form_as_printed),
        cmocka_unit_test(equals_the_dense_form_from_the_papers_start),
        cmocka_unit_test(equals_the_dense_form_from_the_papers_start_nonnegative),
        cmocka_unit_test(starts_with_a_few_sweeps_of_P_and_S),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
