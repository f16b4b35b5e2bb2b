/* SPDX-License-Identifier: Apache-2.0 */
#include "peers/common.h"

#include "linalg/blas.h"
#include "oracle/plain.h"
#include "support/check.h"
#include "support/subspace.h"
#include "support/views.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 150, COLUMNS = 9 };

/* Numbers with many zeros, and sample 3 all zero. */
static double *numbers(void)
{
    double *x = plain_new(COLUMNS, N);
    check_random(95, 0, COLUMNS, N, x);
    for (size_t i = 0; i < COLUMNS * N; i++)
        x[i] = x[i] > 0.5 || i / COLUMNS == 3 ? 0 : x[i];
    return x;
}

/* Dense and sparse views of the same numbers give each sample over its length, zero stays zero. */
static void samples_have_unit_length(void **state)
{
    (void)state;
    OF_SCRATCH(arena, subspace_context());
    double *x = numbers(), *dense = plain_new(COLUMNS, N), *sparse = plain_new(COLUMNS, N);
    of_view views[] = {views_dense(N, COLUMNS, x), views_sparse(&arena, N, COLUMNS, x)};
    of_dataset set = {.samples = N, .view_count = 2, .views = views};
    CHECK_OK(of_features_load(subspace_context(), &set, 0, dense));
    CHECK_OK(of_features_load(subspace_context(), &set, 1, sparse));
    assert_memory_equal(dense, sparse, COLUMNS * N * sizeof *dense);
    for (size_t j = 0; j < N; j++) {
        double length = plain_frobenius(COLUMNS, 1, x + j * COLUMNS);
        CHECK_CLOSE(plain_frobenius(COLUMNS, 1, dense + j * COLUMNS), j != 3, 1e-14, 0);
        for (size_t i = 0; i < COLUMNS && j != 3; i++)
            CHECK_CLOSE(dense[i + j * COLUMNS] * length, x[i + j * COLUMNS], 1e-14, 0);
    }
    free(x);
    free(dense);
    free(sparse);
}

static void absent_samples_are_zero(void **state)
{
    (void)state;
    double *x = numbers(), *out = plain_new(COLUMNS, N);
    uint8_t present[2 * N];
    memset(present, 1, sizeof present);
    present[2 * 5 + 1] = present[2 * 6] = 0; /* sample 5 in view 1, sample 6 in view 0 */
    of_view views[] = {views_dense(N, COLUMNS, x), views_dense(N, COLUMNS, x)};
    of_dataset set = {.samples = N, .view_count = 2, .views = views, .present = present};
    CHECK_OK(of_features_load(subspace_context(), &set, 1, out));
    CHECK_CLOSE(plain_frobenius(COLUMNS, 1, out + 5 * COLUMNS), 0, 0, 0);
    CHECK_CLOSE(plain_frobenius(COLUMNS, 1, out + 6 * COLUMNS), 1, 1e-14, 0);
    free(x);
    free(out);
}

/* The Gram matrix, which is all that counts, survives the reduction. */
static void reduction_keeps_products(void **state)
{
    (void)state;
    static const size_t shapes[][2] = {{6, 20}, {20, 20}, {50, 20}, {1, 5}, {5, 1}};
    for (size_t s = 0; s < 5; s++)
        for (size_t rank = 1; rank <= 6; rank += 5) { /* of less than full rank too */
            size_t rows = shapes[s][0], n = shapes[s][1];
            double *left = plain_new(rows, rank), *right = plain_new(rank, n);
            check_random(96, 2 * s, rows, rank, left);
            check_random(96, 2 * s + 1, rank, n, right);
            double *x = plain_times(rows, rank, n, left, right), *copy = plain_copy(rows, n, x);
            OF_SCRATCH(arena, subspace_context());
            of_reduced_features r;
            CHECK_OK(of_features_reduce(subspace_context(), &arena, rows, n, copy, &r));
            size_t full = rows < n ? rows : n;
            assert_int_equal(r.rank, rank < full ? rank : full);
            for (size_t j = 0; j < n; j++)
                for (size_t i = 0; i < n; i++) {
                    double want = 0, got = 0;
                    for (size_t k = 0; k < rows; k++)
                        want += x[k + i * rows] * x[k + j * rows];
                    for (size_t k = 0; k < r.rank; k++)
                        got += r.basis[i + k * n] * r.basis[j + k * n] * r.value[k] * r.value[k];
                    CHECK_CLOSE(got, want, 1e-11, 1e-11);
                }
            for (size_t j = 0; j < r.rank; j++)
                for (size_t i = 0; i <= j; i++)
                    CHECK_CLOSE(of_dot(n, 1, r.basis + i * n, r.basis + j * n), i == j, 0, 1e-13);
            free(left);
            free(right);
            free(x);
            free(copy);
        }
}

static void a_zero_view_has_rank_zero(void **state)
{
    (void)state;
    double x[7 * 4] = {0};
    OF_SCRATCH(arena, subspace_context());
    of_reduced_features r;
    CHECK_OK(of_features_reduce(subspace_context(), &arena, 7, 4, x, &r));
    assert_int_equal(r.rank, 0);
    CHECK_OK(of_features_reduce(subspace_context(), &arena, 4, 7, x, &r));
    assert_int_equal(r.rank, 0);
}

int main(void)
{
    of_blas_enter();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_have_unit_length),
        cmocka_unit_test(absent_samples_are_zero),
        cmocka_unit_test(reduction_keeps_products),
        cmocka_unit_test(a_zero_view_has_rank_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
