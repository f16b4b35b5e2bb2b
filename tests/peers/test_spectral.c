/* SPDX-License-Identifier: Apache-2.0 */
#include "peers/common.h"

#include "linalg/blas.h"
#include "linalg/factor.h"
#include "oracle/plain_eigen.h"
#include "support/check.h"
#include "support/problem.h"
#include "support/sample_kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void few_samples_have_the_vectors_of_jacobi(void **state)
{
    (void)state;
    enum { N = 30, C = 4 };
    double **kernel = sample_kernels(1, N, 1, C), value[C], u[N * C], slow[C], v[N * C];
    CHECK_OK(of_spectral_top(of_context_or_default(NULL), N, C, kernel[0], value, u));
    plain_eigen_top(N, C, kernel[0], slow, v);
    for (int k = 0; k < C; k++) {
        size_t at = 0;
        CHECK_CLOSE(value[k], slow[k], 1e-12, 0);
        for (size_t i = 1; i < N; i++)
            if (fabs(v[i + k * N]) > fabs(v[at + k * N]))
                at = i;
        double sign = v[at + k * N] > 0 ? 1 : -1;
        for (int i = 0; i < N; i++)
            CHECK_CLOSE(u[i + k * N], sign * v[i + k * N], 0, 1e-10);
    }
    sample_free(1, kernel);
}

/* A with the given leading eigenvalues, the rest spread over [least, 1). */
static double *made_matrix(size_t n, size_t lead, const double *leading, double least)
{
    double *q = malloc(n * n * sizeof *q), *scaled = malloc(n * n * sizeof *scaled);
    double *a = malloc(n * n * sizeof *a);
    of_context *context = of_context_or_default(NULL);
    check_random(17, n, n, n, q);
    CHECK_OK(of_qr(context, n, n, q, NULL));
    for (size_t j = 0; j < n; j++) {
        double value =
            j < lead ? leading[j] : least + (1 - least) * (double)(n - j) / (double)(n + 1 - lead);
        for (size_t i = 0; i < n; i++)
            scaled[i + j * n] = value * q[i + j * n];
    }
    CHECK_OK(of_team_gemm(context, 'N', 'T', n, n, n, 1, scaled, n, q, n, 0, a, n));
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < j; i++)
            a[i + j * n] = a[j + i * n];
    free(q);
    free(scaled);
    return a;
}

static void check_pairs(size_t n, size_t c, const double *a, const double *value, const double *u)
{
    double *residual = malloc(n * c * sizeof *residual), *gram = malloc(c * c * sizeof *gram);
    of_gemm('N', 'N', n, c, n, 1, a, n, u, n, 0, residual, n);
    for (size_t k = 0; k < c; k++) {
        cblas_daxpy((int)n, -value[k], u + k * n, 1, residual + k * n, 1);
        assert_true(cblas_dnrm2((int)n, residual + k * n, 1) <= 1e-10 * value[0]);
    }
    of_gemm('T', 'N', c, c, n, 1, u, n, u, n, 0, gram, c);
    for (size_t e = 0; e < c * c; e++)
        CHECK_CLOSE(gram[e], e % (c + 1) == 0, 0, 1e-12);
    free(residual);
    free(gram);
}

/* n large enough that the vectors are iterated for: with gaps, with a value that occurs four times,
 * and with negative eigenvalues larger in modulus. */
static void many_samples_have_their_eigenpairs(void **state)
{
    (void)state;
    enum { N = 620, C = 6 };
    static const double leading[3][C] = {
        {40, 20, 10, 8, 5, 3}, {9, 5, 5, 5, 5, 2}, {6, 5, 4, 3, 2, 1.5}};
    static const double least[3] = {0, 0, -50};
    for (int m = 0; m < 3; m++) {
        double *a = made_matrix(N, C, leading[m], least[m]), value[C];
        double *u = malloc(N * C * sizeof *u);
        of_context *context = of_context_or_default(NULL);
        CHECK_OK(of_spectral_top(context, N, C, a, value, u));
        for (int k = 0; k < C; k++)
            CHECK_CLOSE(value[k], leading[m][k], 1e-10, 0);
        check_pairs(N, C, a, value, u);
        free(a);
        free(u);
    }
}

/* A matrix of rank 2 asked for 5 vectors: five orthonormal ones come back. */
static void lost_rank_still_gives_orthonormal_vectors(void **state)
{
    (void)state;
    enum { N = 560, C = 5 };
    double *a = malloc(N * N * sizeof *a), value[C], *u = malloc(N * C * sizeof *u);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i + j * N] = (i % 2 == j % 2) + 2.0 * (i % 3 == 0) * (j % 3 == 0);
    CHECK_OK(of_spectral_top(of_context_or_default(NULL), N, C, a, value, u));
    check_pairs(N, C, a, value, u);
    for (int k = 3; k < C; k++)
        CHECK_CLOSE(value[k], 0, 0, 1e-10 * value[0]);
    free(a);
    free(u);
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    static const size_t sides[2] = {120, 700};
    enum { C = 7 };
    for (int s = 0; s < 2; s++) {
        size_t n = sides[s];
        static const double leading[C] = {9, 8, 7, 6, 5, 4, 3};
        double *a = made_matrix(n, C, leading, 0), value[C];
        double *first = malloc(n * C * sizeof *first), *u = malloc(n * C * sizeof *u);
        for (int threads = 1; threads <= 3; threads++) {
            onefold_context *context;
            CHECK_OK(onefold_context_create(&context, NULL));
            CHECK_OK(onefold_context_set_threads(context, threads));
            CHECK_OK(of_spectral_top(context, n, C, a, value, u));
            if (threads == 1)
                memcpy(first, u, n * C * sizeof *u);
            else
                assert_memory_equal(first, u, n * C * sizeof *u);
            onefold_context_free(context);
        }
        free(a);
        free(first);
        free(u);
    }
}

static void labels_come_from_the_repeat_of_least_cost(void **state)
{
    (void)state;
    enum { N = 60, C = 5 };
    double **kernel = sample_kernels(2, N, 1, C), u[N * C];
    static const double end[2] = {0, 1};
    check_random(4, 0, N, C, u);
    for (int k = 0; k < C; k++)
        u[7 + k * N] = 0; /* a zero row stays zero */
    int32_t first[N];
    for (int threads = 1; threads <= 3; threads++) {
        problem_case of;
        problem_of_kernels(&of, N, 1, (const double *const *)kernel, C, threads);
        of.options.restarts = 8;
        of_outcome outcome = {.arena = of_arena_make(of.context)};
        CHECK_OK(of_spectral_labels(of.context, &of.problem, end, NULL, u, &outcome));
        assert_int_equal(outcome.restarts, 8);
        assert_int_equal(outcome.embedding_rows, C);
        size_t best = outcome.best_restart;
        for (size_t r = 0; r < 8; r++) {
            assert_true(outcome.restart_objective[best] <= outcome.restart_objective[r]);
            assert_true(r >= best ||
                        outcome.restart_objective[r] > outcome.restart_objective[best]);
            of_kmeans_options options = {.clusters = C,
                                         .replicates = 1,
                                         .max_iterations = 100,
                                         .start = OF_KMEANS_PLUSPLUS,
                                         .index = r};
            of_kmeans_result result;
            int32_t labels[N];
            CHECK_OK(
                of_kmeans(of.context, &options, C, N, outcome.embedding, C, labels, NULL, &result));
            assert_true(result.cost == outcome.restart_objective[r]);
            if (r == best)
                assert_memory_equal(labels, outcome.labels, sizeof labels);
        }
        for (int j = 0; j < N; j++)
            CHECK_CLOSE(cblas_dnrm2(C, outcome.embedding + j * C, 1), j != 7, 0, 1e-14);
        if (threads == 1)
            memcpy(first, outcome.labels, sizeof first);
        else
            assert_memory_equal(first, outcome.labels, sizeof first);
        of_arena_free(&outcome.arena);
        problem_close(&of);
    }
    sample_free(1, kernel);
}

int main(void)
{
    of_blas_enter();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_samples_have_the_vectors_of_jacobi),
        cmocka_unit_test(many_samples_have_their_eigenpairs),
        cmocka_unit_test(lost_rank_still_gives_orthonormal_vectors),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(labels_come_from_the_repeat_of_least_cost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
