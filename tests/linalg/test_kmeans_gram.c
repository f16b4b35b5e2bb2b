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
        oracle_kmeans(n, k, G, most, want);
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

int main(void)
{
    of_blas_enter();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_the_restatement_step_by_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
