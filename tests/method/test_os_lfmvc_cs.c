/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of OS-LFMVC-CS (docs/method.md section 8): no step lowers the objective, the
 * constraints hold, and the result depends on its input alone. */
#include "method/os_lfmvc_cs.h"

#include "linalg/blas.h"
#include "linalg/factor.h"
#include "support/check.h"
#include "support/partitions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the objective and the constraints, step by step ---------------------------------------- */

typedef struct observer {
    const of_cs_problem *problem;
    const double *X;
    double J;    /* before this step */
    double drop; /* the largest relative fall of J in one step */
    size_t steps;
} observer;

/* Columns of A (rows x columns) are orthonormal to 1e-10. */
static void orthonormal(size_t rows, size_t columns, const double *A)
{
    double *Z = malloc(columns * columns * sizeof *Z);
    of_gemm('T', 'N', columns, columns, rows, 1, A, rows, A, rows, 0, Z, columns);
    for (size_t j = 0; j < columns; j++)
        for (size_t i = 0; i < columns; i++)
            CHECK_CLOSE(Z[i + j * columns], i == j, 0, 1e-10);
    free(Z);
}

/* P'P <= I. P lies in the span of H's rows after a P-step, so P'P = R'(H H')^-1 R; H is of full
 * rank here. Unit columns of S show in ||X S'|| only; the dense form holds them. */
static void P_is_short(const observer *o, const of_cs_state *state)
{
    const of_cs_problem *q = o->problem;
    size_t k = q->k, m = q->m, n = q->X->samples, pk = q->p * k;
    double *H = malloc(k * n * 8), *F = malloc(k * k * 8), *e = malloc((k + m) * 8),
           *VR = malloc(k * m * 8), *PP = malloc(m * m * 8);
    of_gemm('N', 'N', k, n, pk, 1, state->B, k, o->X, pk, 0, H, k);
    of_gemm('N', 'T', k, k, n, 1, H, k, H, k, 0, F, k);
    CHECK_OK(of_eigh(NULL, k, F, e));
    of_gemm('T', 'N', k, m, k, 1, F, k, state->R, k, 0, VR, k);
    for (size_t j = 0; j < m; j++)
        for (size_t i = 0; i < k; i++)
            VR[i + j * k] /= sqrt(e[i]);
    of_gemm('T', 'N', m, m, k, 1, VR, k, VR, k, 0, PP, m);
    CHECK_OK(of_eigh(NULL, m, PP, e));
    assert_true(e[0] <= 1 + 1e-10);
    size_t isometric = m < k ? m : k;
    assert_true(e[isometric - 1] >= 1 - 1e-10); /* of full rank here: an isometry where it can be */
    free(H);
    free(F);
    free(e);
    free(VR);
    free(PP);
}

static onefold_status observe(void *user, of_cs_step step, size_t iteration,
                              const of_cs_state *state, double J)
{
    observer *o = user;
    const of_cs_problem *q = o->problem;
    (void)iteration;
    assert_true(isfinite(J));
    if (step != OF_CS_START)
        o->drop = fmax(o->drop, (o->J - J) / fabs(J));
    o->J = J;
    o->steps++;
    double square = 0;
    for (size_t i = 0; i < q->p; i++) {
        orthonormal(q->k, q->k, state->W + i * q->k * q->k);
        assert_true(state->beta[i] >= 0);
        square += state->beta[i] * state->beta[i];
    }
    CHECK_CLOSE(square, 1, 0, 1e-10);
    orthonormal(q->k, q->mu, state->C);
    if (step == OF_CS_P)
        P_is_short(o, state);
    size_t total = 0;
    for (size_t c = 0; c < q->mu; c++)
        total += state->sizes[c];
    assert_int_equal(total, q->X->samples);
    return ONEFOLD_OK;
}

/* Runs one start and gives the largest relative fall of J in any step. */
static double largest_drop(const double *X, size_t n, size_t p, size_t k, size_t m, size_t mu,
                           onefold_start start, onefold_variant variant, int nonneg, uint64_t seed)
{
    of_stack stack = of_stack_double(X, p * k, n);
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    options.start = start;
    options.variant = variant;
    options.nonneg = nonneg;
    options.seed = seed;
    options.max_iterations = 30;
    options.tolerance = -1;
    of_cs_problem problem = {&stack, p, k, m, mu, &options, NULL};
    observer o = {&problem, X, 0, 0, 0};
    of_cs_watch watch = {&o, observe};
    of_cs_result result;
    OF_SCRATCH(scratch, NULL);
    CHECK_OK(of_cs_run(NULL, &scratch, &problem, NULL, &watch, &result));
    assert_true(o.steps >= 1 + 30 * 5);
    for (size_t t = 1; variant == ONEFOLD_VARIANT_EXACT && t < result.end[0].iterations; t++)
        assert_true(result.trace[t] >= result.trace[t - 1] * (1 - 1e-12));
    return o.drop;
}

typedef struct size_set {
    size_t n, p, k, m, mu;
    double noise;
} size_set;

static const size_set SIZES[] = {
    {200, 3, 8, 8, 4, 1},  {150, 2, 6, 3, 5, 2},  {120, 4, 5, 12, 5, 3},  {100, 5, 4, 1, 2, 1},
    {90, 1, 7, 7, 4, 1},   {60, 6, 3, 3, 3, 5},   {300, 2, 10, 20, 1, 1}, {80, 3, 10, 4, 10, 2},
    {1500, 3, 6, 6, 6, 2}, {2500, 2, 5, 8, 3, 1},
};

static void no_step_lowers_the_objective(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof SIZES / sizeof *SIZES; s++) {
        size_set z = SIZES[s];
        double *X = partitions_random(z.n, z.p, z.k, z.mu, z.noise, 300 + s);
        for (int start = 0; start < 2; start++)
            for (int nonneg = 0; nonneg < 2; nonneg++) {
                double drop = largest_drop(X, z.n, z.p, z.k, z.m, z.mu, (onefold_start)start,
                                           ONEFOLD_VARIANT_EXACT, nonneg, s);
                assert_true(drop <= 1e-12);
            }
        free(X);
    }
}

static const char *const KERNELS[] = {"AR10P", "YALE", "liver"};

static void real_data_has_no_step_that_lowers_the_objective(void **state)
{
    (void)state;
    const size_t clusters[] = {10, 15, 2};
    for (int f = 0; f < 3; f++) {
        char path[64];
        size_t n, p, mu = clusters[f], k = 2 * mu;
        snprintf(path, sizeof path, "data/kernels/%s_Kmatrix.mat", KERNELS[f]);
        double *X = partitions_from_kernels(path, &n, &p, k, NULL);
        if (!X)
            skip();
        for (int start = 0; start < 2; start++)
            for (int nonneg = 0; nonneg < 2; nonneg++)
                for (size_t m = mu; m <= 4 * mu; m *= 2)
                    assert_true(largest_drop(X, n, p, k, m, mu, (onefold_start)start,
                                             ONEFOLD_VARIANT_EXACT, nonneg, 3) <= 1e-12);
        free(X);
    }
}

/* The printed W-step lacks a term, and some step lowers the objective, by far more than rounding.
 */
static void the_printed_variant_does_lower_it(void **state)
{
    (void)state;
    double drop = 0;
    for (size_t s = 0; s < sizeof SIZES / sizeof *SIZES; s++) {
        size_set z = SIZES[s];
        double *X = partitions_random(z.n, z.p, z.k, z.mu, z.noise, 300 + s);
        drop = fmax(drop, largest_drop(X, z.n, z.p, z.k, z.m, z.mu, ONEFOLD_START_PAPER,
                                       ONEFOLD_VARIANT_PRINTED, 0, s));
        free(X);
    }
    assert_true(drop > 1e-4);
}

/* ---- transformed inputs --------------------------------------------------------------------- */

typedef struct outcome {
    int32_t *labels;
    double J, *beta, *trace;
    size_t iterations;
} outcome;

/* One run from given W and labels, `iterations` long, with the W-step in `order`. */
static outcome run_given(const double *X, const size_set *z, const double *W, const int32_t *labels,
                         const size_t *order, int nonneg, of_arena *arena)
{
    of_stack stack = of_stack_double(X, z->p * z->k, z->n);
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    options.tolerance = -1;
    options.max_iterations = 15;
    options.nonneg = nonneg;
    of_cs_problem problem = {&stack, z->p, z->k, z->m, z->mu, &options, NULL};
    of_cs_given given = {.W = W, .labels = labels, .order = order};
    of_cs_result r;
    CHECK_OK(of_cs_run(NULL, arena, &problem, &given, NULL, &r));
    outcome o = {r.labels, r.end[0].J, r.beta, r.trace, r.end[0].iterations};
    return o;
}

static void same_outcome(const outcome *a, const outcome *b, size_t n, const size_t *where,
                         double tolerance)
{
    for (size_t t = 0; t < a->iterations; t++)
        CHECK_CLOSE(a->trace[t], b->trace[t], tolerance, 0);
    for (size_t j = 0; j < n; j++)
        assert_int_equal(a->labels[j], b->labels[where ? where[j] : j]);
}

static const size_set MOVED = {140, 4, 6, 6, 4, 1.5};

/* X, the aligned W, and labels j mod mu of the problem that is transformed. */
static double *moved_problem(double *W, int32_t *labels)
{
    size_set z = MOVED;
    double *X = partitions_random(z.n, z.p, z.k, z.mu, z.noise, 900), *N = malloc(24 * 24 * 8);
    of_stack stack = of_stack_double(X, z.p * z.k, z.n);
    CHECK_OK(of_cs_backend_of(&stack)->gram(of_context_or_default(NULL), &stack, N));
    CHECK_OK(of_cs_align(of_context_or_default(NULL), z.p, z.k, N, W, NULL));
    for (size_t j = 0; j < z.n; j++)
        labels[j] = (int32_t)(j / 3 % z.mu);
    free(N);
    return X;
}

/* Reordered views, visited in the order they had before, give the same run with reordered weights.
 */
static void reordering_views_reorders_the_weights(void **state)
{
    (void)state;
    enum { P = 4, K = 6, N = 140 };
    const size_t moved[P] = {2, 0, 3, 1}, visit[P] = {1, 3, 0, 2}; /* moved[visit[d]] = d */
    double W[K * P * K], V[K * P * K], *Z = malloc(N * P * K * sizeof *Z);
    int32_t labels[N];
    double *X = moved_problem(W, labels);
    for (size_t i = 0; i < P; i++) { /* view i of Z is view moved[i] of X */
        memcpy(V + i * K * K, W + moved[i] * K * K, K * K * sizeof *V);
        for (size_t j = 0; j < N; j++)
            memcpy(Z + i * K + j * P * K, X + moved[i] * K + j * P * K, K * sizeof *Z);
    }
    for (int nonneg = 0; nonneg < 2; nonneg++) {
        OF_SCRATCH(scratch, NULL);
        outcome a = run_given(X, &MOVED, W, labels, NULL, nonneg, &scratch);
        outcome b = run_given(Z, &MOVED, V, labels, visit, nonneg, &scratch);
        same_outcome(&a, &b, N, NULL, 1e-10);
        for (size_t i = 0; i < P; i++)
            CHECK_CLOSE(b.beta[i], a.beta[moved[i]], 0, 1e-9);
    }
    free(X);
    free(Z);
}

static void reordering_samples_reorders_the_labels(void **state)
{
    (void)state;
    enum { P = 4, K = 6, N = 140 };
    double W[K * P * K], *Z = malloc(N * P * K * sizeof *Z);
    int32_t labels[N], there[N];
    size_t where[N];
    double *X = moved_problem(W, labels);
    for (size_t j = 0; j < N; j++) {
        where[j] = (j * 53 + 17) % N; /* 53 and 140 have no common factor */
        there[where[j]] = labels[j];
        memcpy(Z + where[j] * P * K, X + j * P * K, P * K * sizeof *Z);
    }
    for (int nonneg = 0; nonneg < 2; nonneg++) {
        OF_SCRATCH(scratch, NULL);
        outcome a = run_given(X, &MOVED, W, labels, NULL, nonneg, &scratch);
        outcome b = run_given(Z, &MOVED, W, there, NULL, nonneg, &scratch);
        same_outcome(&a, &b, N, where, 1e-10);
    }
    free(X);
    free(Z);
}

static void rotating_a_base_partition_changes_nothing(void **state)
{
    (void)state;
    enum { P = 4, K = 6, N = 140 };
    double W[K * P * K], V[K * P * K];
    int32_t labels[N];
    double *X = moved_problem(W, labels), *Z = malloc(N * P * K * sizeof *Z);
    memcpy(Z, X, N * P * K * sizeof *Z);
    memcpy(V, W, sizeof V);
    for (size_t i = 0; i < P; i++)
        partitions_rotate(N, P, K, i, 17, Z, V);
    for (int nonneg = 0; nonneg < 2; nonneg++) {
        OF_SCRATCH(scratch, NULL);
        outcome a = run_given(X, &MOVED, W, labels, NULL, nonneg, &scratch);
        outcome b = run_given(Z, &MOVED, V, labels, NULL, nonneg, &scratch);
        same_outcome(&a, &b, N, NULL, 1e-10);
        /* the aligned start finds the rotation by itself */
        if (nonneg)
            continue; /* S >= 0 depends on the basis that the start chooses */
        b = run_given(Z, &MOVED, NULL, labels, NULL, nonneg, &scratch);
        a = run_given(X, &MOVED, NULL, labels, NULL, nonneg, &scratch);
        same_outcome(&a, &b, N, NULL, 1e-9);
    }
    free(X);
    free(Z);
}

/* With S free and m >= k the anchors have no further effect. */
static void more_anchors_than_dims_change_nothing(void **state)
{
    (void)state;
    enum { P = 4, K = 6, N = 140 };
    double W[K * P * K];
    int32_t labels[N];
    double *X = moved_problem(W, labels);
    OF_SCRATCH(scratch, NULL);
    size_set z = MOVED;
    outcome a = run_given(X, &z, W, labels, NULL, 0, &scratch);
    for (z.m = 2 * K; z.m <= 4 * K; z.m *= 2) {
        outcome b = run_given(X, &z, W, labels, NULL, 0, &scratch);
        same_outcome(&a, &b, N, NULL, 1e-12);
    }
    z.m = K - 1; /* while fewer do: this is no empty check */
    outcome c = run_given(X, &z, W, labels, NULL, 0, &scratch);
    assert_true(fabs(c.J - a.J) > 1e-6 * a.J);
    free(X);
}

/* T1 = sum_j ||H'h_j|| after a P,S sweep with S free and m >= k, as section 2 says. */
static onefold_status T1_is_the_sum_of_lengths(void *user, of_cs_step step, size_t iteration,
                                               const of_cs_state *state, double J)
{
    const observer *o = user;
    const of_cs_problem *q = o->problem;
    size_t k = q->k, n = q->X->samples, pk = q->p * k;
    (void)iteration;
    if (step != OF_CS_START)
        return ONEFOLD_OK;
    double *H = malloc(k * n * 8), *HH = malloc(n * n * 8), T1 = 0, T2 = 0;
    of_gemm('N', 'N', k, n, pk, 1, state->B, k, o->X, pk, 0, H, k);
    of_gemm('T', 'N', n, n, k, 1, H, k, H, k, 0, HH, n);
    for (size_t j = 0; j < n; j++) {
        T1 += cblas_dnrm2((int)n, HH + j * n, 1);
        T2 += cblas_ddot((int)k, state->C + (size_t)state->labels[j] * k, 1, H + j * k, 1);
    }
    CHECK_CLOSE(J, T1 + T2, 1e-12, 0);
    free(H);
    free(HH);
    return ONEFOLD_OK;
}

static void one_sweep_is_enough_at_the_start(void **state)
{
    (void)state;
    double *X = partitions_random(140, 4, 6, 4, 1.5, 900);
    of_stack stack = of_stack_double(X, 24, 140);
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    options.max_iterations = 1;
    for (size_t m = 6; m < 20; m += 5) {
        of_cs_problem problem = {&stack, 4, 6, m, 4, &options, NULL};
        observer o = {&problem, X, 0, 0, 0};
        of_cs_watch watch = {&o, T1_is_the_sum_of_lengths};
        of_cs_result result;
        OF_SCRATCH(scratch, NULL);
        CHECK_OK(of_cs_run(NULL, &scratch, &problem, NULL, &watch, &result));
    }
    free(X);
}

/* The aligned start is at least as well aligned as fitting every view to the first one. */
static void alignment_beats_fitting_to_the_first_view(void **state)
{
    (void)state;
    enum { P = 5, K = 6, PK = P * K };
    for (uint64_t s = 0; s < 10; s++) {
        double *X = partitions_random(120, P, K, 4, 0.5 + 0.2 * (double)s, 1100 + s), N[PK * PK],
               W[K * PK], A[K * PK], alignment[2], fitted = 0;
        of_stack stack = of_stack_double(X, PK, 120);
        CHECK_OK(of_cs_backend_of(&stack)->gram(of_context_or_default(NULL), &stack, N));
        CHECK_OK(of_cs_align(of_context_or_default(NULL), P, K, N, W, alignment));
        for (size_t i = 0; i < P; i++) { /* polar(H_1 H_i') */
            orthonormal(K, K, W + i * K * K);
            double G[K * K];
            for (size_t j = 0; j < K; j++)
                memcpy(G + j * K, N + (i * K + j) * PK, K * sizeof *G);
            CHECK_OK(of_polar(NULL, K, K, G, OF_POLAR_ANY, A + i * K * K));
        }
        for (size_t i = 0; i < P; i++)
            for (size_t j = 0; j < P; j++) {
                double G[K * K];
                of_gemm('N', 'N', K, K, K, 1, A + j * K * K, K, N + j * K + i * K * PK, PK, 0, G,
                        K);
                fitted += i == j ? 0 : of_dot(K, K, A + i * K * K, G);
            }
        assert_true(alignment[1] >= alignment[0]);
        assert_true(alignment[1] >= fitted);
        free(X);
    }
}

int main(void)
{
    of_blas_enter();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_step_lowers_the_objective),
        cmocka_unit_test(real_data_has_no_step_that_lowers_the_objective),
        cmocka_unit_test(the_printed_variant_does_lower_it),
        cmocka_unit_test(reordering_views_reorders_the_weights),
        cmocka_unit_test(reordering_samples_reorders_the_labels),
        cmocka_unit_test(rotating_a_base_partition_changes_nothing),
        cmocka_unit_test(more_anchors_than_dims_change_nothing),
        cmocka_unit_test(one_sweep_is_enough_at_the_start),
        cmocka_unit_test(alignment_beats_fitting_to_the_first_view),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
