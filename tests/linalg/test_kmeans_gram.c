/* SPDX-License-Identifier: Apache-2.0 */
#include "linalg/kmeans_gram.h"

#include "linalg/blas.h"
#include "oracle/moves.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Groups of unequal spread in many columns: rows x n. */
static double *make_wide(size_t rows, size_t n, size_t groups, double apart, uint64_t index)
{
    double *X = malloc(rows * n * sizeof *X), *centre = malloc(rows * groups * sizeof *X);
    check_random(21, 2 * index, rows, n, X);
    check_random(21, 2 * index + 1, rows, groups, centre);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < rows; i++)
            X[i + j * rows] += apart * centre[i + j % groups * rows];
    free(centre);
    return X;
}

/* The first so many steps and sweeps from given labels are those of the restatement. */
static void same_as_restated(size_t n, size_t k, const double *G, int32_t *from)
{
    int32_t *labels = malloc(n * 4), *want = malloc(n * 4);
    of_kmeans_options o = {.clusters = k, .from_labels = from};
    of_kmeans_result result = {0, 0, 0};
    for (size_t most = 1; most <= 40; most++) {
        memcpy(want, from, n * 4);
        oracle_kmeans(n, k, G, most, n <= 64 * k, want);
        o.max_iterations = most;
        CHECK_OK(of_kmeans_gram(NULL, &o, n, G, n, NULL, labels, &result));
        assert_memory_equal(labels, want, n * 4);
        CHECK_CLOSE(result.cost, oracle_cost(n, k, G, want), 1e-10, 0);
        if (result.converged)
            break;
    }
    assert_true(result.converged);
    free(labels);
    free(want);
}

static void equals_the_restatement_step_by_step(void **state)
{
    (void)state;
    enum { N = 36 };
    double G[N * N];
    for (uint64_t p = 0; p < 12; p++) {
        size_t rows = p % 3 == 0 ? 400 : p % 3 == 1 ? 30 : 3, k = 2 + p % 4;
        double *X = make_wide(rows, N, 3, 0.3, p);
        int32_t from[N];
        for (size_t j = 0; j < N; j++)
            from[j] = (int32_t)(j * 7 / 3 % k);
        oracle_gram(rows, N, X, G);
        same_as_restated(N, k, G, from);
        memset(from, 0, sizeof from); /* all clusters but one are empty */
        same_as_restated(N, k, G, from);
        free(X);
    }
}

/* The diagonal that is given stands for that of G, and samples without data may be there. */
static void takes_the_diagonal_that_is_given(void **state)
{
    (void)state;
    enum { ROWS = 60, N = 50, LD = 53, K = 3 };
    double *X = make_wide(ROWS, N, K, 0.4, 90), G[LD * N], diagonal[N];
    int32_t labels[2][N];
    memset(X + 7 * ROWS, 0, ROWS * sizeof *X);
    memset(X + 31 * ROWS, 0, ROWS * sizeof *X);
    of_gemm('T', 'N', N, N, ROWS, 1, X, ROWS, X, ROWS, 0, G, LD);
    of_kmeans_options o = {.clusters = K, .replicates = 4, .max_iterations = 100, .seed = 2};
    of_kmeans_result result[2];
    CHECK_OK(of_kmeans_gram(NULL, &o, N, G, LD, NULL, labels[0], &result[0]));
    for (size_t j = 0; j < N; j++) {
        diagonal[j] = G[j + j * LD];
        G[j + j * LD] += (double)j - 20;
    }
    CHECK_OK(of_kmeans_gram(NULL, &o, N, G, LD, diagonal, labels[1], &result[1]));
    assert_memory_equal(labels[0], labels[1], sizeof labels[0]);
    CHECK_CLOSE(result[0].cost, result[1].cost, 1e-12, 0);
    assert_true(result[0].converged);
    free(X);
}

/* On any symmetric matrix the cost falls from that of given labels to one that no move lowers. */
static void needs_no_positive_definite_matrix(void **state)
{
    (void)state;
    enum { N = 40, K = 4 };
    double G[N * N];
    for (uint64_t p = 0; p < 30; p++) {
        int32_t from[N], labels[N];
        of_kmeans_options o = {.clusters = K, .max_iterations = 1000, .from_labels = from};
        of_kmeans_result result;
        check_random(22, p, N, N, G);
        for (size_t j = 0; j < N; j++) {
            from[j] = (int32_t)(j % K);
            for (size_t i = 0; i < j; i++)
                G[i + j * N] = G[j + i * N];
        }
        CHECK_OK(of_kmeans_gram(NULL, &o, N, G, N, NULL, labels, &result));
        assert_true(result.converged);
        assert_true(result.cost < oracle_cost(N, K, G, from));
        CHECK_CLOSE(result.cost, oracle_cost(N, K, G, labels), 1e-10, 1e-10);
        assert_int_equal(oracle_sweep(N, K, G, labels), 0);
        assert_int_equal(oracle_exchange(N, K, G, labels), 0);
    }
}

/* Both k-means, against Lloyd's iteration from the same start: over 200 problems the cost is never
 * larger, and where columns outnumber samples it is lower nearly always. */
static void never_costs_more_than_lloyd(void **state)
{
    (void)state;
    size_t lower = 0, wide = 0;
    for (uint64_t p = 0; p < 200; p++) {
        size_t n = 30 + p % 7 * 15, rows = p % 2 ? 5 * n : 2 + p % 9, k = 2 + p % 5;
        double *X = make_wide(rows, n, 3, 0.1 * (double)(p % 8), 100 + p), *G;
        int32_t *labels = malloc(n * 4);
        of_kmeans_result moved, lloyd;
        of_kmeans_options o = {.clusters = k, .replicates = 1, .max_iterations = 1000, .seed = p};
        G = malloc(n * n * sizeof *G);
        oracle_gram(rows, n, X, G);
        for (int gram = 0; gram < 2; gram++) {
            for (o.lloyd = 0; o.lloyd < 2; o.lloyd++) {
                of_kmeans_result *result = o.lloyd ? &lloyd : &moved;
                if (gram)
                    CHECK_OK(of_kmeans_gram(NULL, &o, n, G, n, NULL, labels, result));
                else
                    CHECK_OK(of_kmeans(NULL, &o, rows, n, X, rows, labels, NULL, result));
                assert_true(result->converged);
            }
            assert_true(moved.cost <= lloyd.cost * (1 + 1e-12));
            int unclear = p % 2 && p % 8 < 4; /* columns outnumber samples, groups overlap */
            lower += unclear && moved.cost < lloyd.cost * (1 - 1e-6);
            wide += (size_t)unclear;
        }
        free(G);
        free(labels);
        free(X);
    }
    assert_true(10 * lower >= 9 * wide);
}

/* Share of information about the truth that labels have, over the larger entropy. */
static double agreement(size_t n, const int32_t *labels, const int32_t *truth)
{
    onefold_scores scores = ONEFOLD_SCORES_INIT;
    CHECK_OK(onefold_score(&scores, ONEFOLD_INT32, labels, truth, n));
    return scores.nmi_max;
}

/* Four types in 150 samples, told by few of 2000 + 5000 + 300 columns. */
static void finds_types_among_thousands_of_columns(void **state)
{
    (void)state;
    enum { N = 150, K = 4, VIEWS = 3, DRAWS = 3 };
    static const size_t columns[VIEWS] = {2000, 5000, 300}, told[VIEWS] = {100, 150, 30};
    static const double apart[VIEWS] = {0.55, 0.55, 0.6};
    double found = 0, lloyd = 0;
    for (uint64_t draw = 0; draw < DRAWS; draw++) {
        size_t rows = 0, d = 7300;
        double *X = malloc(d * N * sizeof *X), effect[150 * K];
        int32_t truth[N], labels[N];
        check_random(23, 10 * draw, d, N, X);
        for (size_t j = 0; j < N; j++)
            truth[j] = (int32_t)(j % K);
        for (size_t v = 0; v < VIEWS; rows += columns[v++]) {
            check_random(23, 10 * draw + 1 + v, told[v], K, effect);
            for (size_t j = 0; j < N; j++)
                for (size_t i = 0; i < told[v]; i++)
                    X[rows + i + j * d] += apart[v] * effect[i + j % K * told[v]];
        }
        of_kmeans_options o = {.clusters = K, .replicates = 10, .max_iterations = 100};
        CHECK_OK(of_kmeans(NULL, &o, d, N, X, d, labels, NULL, NULL));
        found += agreement(N, labels, truth) / DRAWS;
        o.lloyd = 1;
        CHECK_OK(of_kmeans(NULL, &o, d, N, X, d, labels, NULL, NULL));
        lloyd += agreement(N, labels, truth) / DRAWS;
        free(X);
    }
    printf("NMI %.1f, by Lloyd's iteration alone %.1f\n", 100 * found, 100 * lloyd);
    assert_true(found > 0.9);
    assert_true(lloyd < 0.5);
}

/* On a Gram matrix, on columns, and on columns that are more than samples. */
static void same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    enum { N = 700, WIDE = 900, LOW = 12, K = 9 };
    double *X = make_wide(WIDE, N, K, 0.1, 91), *G = malloc(N * N * sizeof *G);
    static double centres[2][WIDE * K];
    of_gemm('T', 'N', N, N, WIDE, 1, X, WIDE, X, WIDE, 0, G, N);
    for (int kind = 0; kind < 6; kind++) {
        int32_t labels[2][N];
        of_kmeans_result result[2];
        of_kmeans_options o = {
            .clusters = K, .replicates = kind % 2 ? 5 : 1, .max_iterations = 100};
        const int threads[] = {1, 2, 3, 8};
        for (int t = 0; t < 4; t++) {
            onefold_context *context;
            CHECK_OK(onefold_context_create(&context, NULL));
            CHECK_OK(onefold_context_set_threads(context, threads[t]));
            if (kind < 2)
                CHECK_OK(of_kmeans_gram(context, &o, N, G, N, NULL, labels[t > 0], &result[t > 0]));
            else
                CHECK_OK(of_kmeans(context, &o, kind < 4 ? WIDE : LOW, N, X, WIDE, labels[t > 0],
                                   centres[t > 0], &result[t > 0]));
            onefold_context_free(context);
            assert_memory_equal(labels[0], labels[t > 0], sizeof labels[0]);
            assert_memory_equal(centres[0], centres[t > 0], sizeof centres[0]);
            assert_true(result[0].cost == result[t > 0].cost);
            assert_int_equal(result[0].iterations, result[t > 0].iterations);
        }
    }
    free(G);
    free(X);
}

static int cancel_at_once(void *user)
{
    (void)user;
    return 1;
}

static void refuses_and_fails_cleanly(void **state)
{
    (void)state;
    enum { N = 30, ROWS = 40 };
    double *X = make_wide(ROWS, N, 3, 0.5, 92), G[N * N];
    int32_t labels[N];
    oracle_gram(ROWS, N, X, G);
    of_kmeans_options o = {.clusters = N + 1, .replicates = 2, .max_iterations = 100};
    CHECK_FAILS(of_kmeans_gram(NULL, &o, N, G, N, NULL, labels, NULL), ONEFOLD_USAGE,
                "31 clusters of 30 samples");
    o.clusters = 3;
    onefold_context *context;
    CHECK_OK(onefold_context_create(&context, NULL));
    onefold_status status = ONEFOLD_NO_MEMORY;
    long failed = 0;
    for (; status != ONEFOLD_OK; failed++) {
        atomic_store(&context->allocations_until_failure, failed);
        status = of_kmeans(context, &o, ROWS, N, X, ROWS, labels, NULL, NULL);
        assert_int_equal(atomic_load(&context->bytes), 0);
        assert_true(status == ONEFOLD_OK || status == ONEFOLD_NO_MEMORY);
    }
    assert_true(failed > 10);
    onefold_context_free(context);
    onefold_hooks hooks = ONEFOLD_HOOKS_INIT;
    hooks.cancel = cancel_at_once;
    CHECK_OK(onefold_context_create(&context, &hooks));
    assert_int_equal(of_kmeans_gram(context, &o, N, G, N, NULL, labels, NULL), ONEFOLD_INTERRUPTED);
    onefold_context_free(context);
    free(X);
}

int main(void)
{
    of_blas_enter();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_the_restatement_step_by_step),
        cmocka_unit_test(takes_the_diagonal_that_is_given),
        cmocka_unit_test(needs_no_positive_definite_matrix),
        cmocka_unit_test(never_costs_more_than_lloyd),
        cmocka_unit_test(finds_types_among_thousands_of_columns),
        cmocka_unit_test(same_bits_for_any_number_of_threads),
        cmocka_unit_test(refuses_and_fails_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
