/* SPDX-License-Identifier: Apache-2.0 */

#include "linalg/blas.h"
#include "oracle/plain.h"
#include "peers/common.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* rows x columns with the given singular values (min(rows, columns) of them). */
static double *with_values(uint64_t index, size_t rows, size_t columns, const double *value)
{
    size_t side = rows < columns ? rows : columns;
    double *u = plain_new(rows, side), *v = plain_new(columns, side);
    check_random(31, 2 * index, rows, side, u);
    check_random(31, 2 * index + 1, columns, side, v);
    CHECK_OK(of_qr(NULL, rows, side, u, NULL));
    CHECK_OK(of_qr(NULL, columns, side, v, NULL));
    for (size_t j = 0; j < side; j++)
        for (size_t i = 0; i < rows; i++)
            u[i + j * rows] *= value[j];
    double *flipped = plain_flip(columns, side, v);
    double *a = plain_times(rows, side, columns, u, flipped);
    free(u);
    free(v);
    free(flipped);
    return a;
}

static void columns_are_orthonormal(size_t rows, size_t columns, const double *x, double tolerance)
{
    for (size_t j = 0; j < columns; j++)
        for (size_t i = 0; i <= j; i++) {
            double dot = 0;
            for (size_t k = 0; k < rows; k++)
                dot += x[k + i * rows] * x[k + j * rows];
            CHECK_CLOSE(dot, i == j, 0, tolerance);
        }
}

/* A v = s u and A'u = s v, to `tolerance` of the largest value. */
static void triplets_hold(size_t rows, size_t columns, const double *a, const of_spectrum *s,
                          double tolerance)
{
    double *flipped = plain_flip(rows, columns, a);
    double *av = plain_times(rows, columns, s->rank, a, s->right);
    double *au = plain_times(columns, rows, s->rank, flipped, s->left);
    for (size_t k = 0; k < s->rank; k++) {
        for (size_t i = 0; i < rows; i++)
            CHECK_CLOSE(av[i + k * rows], s->value[k] * s->left[i + k * rows], 0, tolerance);
        for (size_t i = 0; i < columns; i++)
            CHECK_CLOSE(au[i + k * columns], s->value[k] * s->right[i + k * columns], 0, tolerance);
    }
    free(flipped);
    free(av);
    free(au);
}

/* The spectrum above a cut of a matrix whose values are known. */
static void check_known(uint64_t index, size_t rows, size_t columns, const double *value,
                        double cut)
{
    size_t side = rows < columns ? rows : columns, above = 0;
    while (above < side && value[above] > cut)
        above++;
    double *a = with_values(index, rows, columns, value);
    double *kept = plain_copy(rows, columns, a);
    OF_SCRATCH(arena, NULL);
    of_spectrum both, one;
    CHECK_OK(
        of_spectrum_above(of_context_or_default(NULL), &arena, rows, columns, a, cut, 1, &both));
    CHECK_OK(
        of_spectrum_above(of_context_or_default(NULL), &arena, rows, columns, a, cut, 0, &one));
    assert_memory_equal(a, kept, rows * columns * sizeof *a);
    assert_int_equal(both.rank, above);
    assert_int_equal(one.rank, above);
    for (size_t i = 0; i < above; i++) {
        CHECK_CLOSE(both.value[i], value[i], 0, 1e-14 * value[0]);
        CHECK_CLOSE(one.value[i], value[i], 0, 1e-11 * value[0]);
    }
    columns_are_orthonormal(rows, above, both.left, 1e-13);
    columns_are_orthonormal(columns, above, both.right, 1e-13);
    columns_are_orthonormal(side, above, rows <= columns ? one.left : one.right, 1e-13);
    triplets_hold(rows, columns, a, &both, 1e-11 * value[0]);
    free(a);
    free(kept);
}

static void known_spectra_are_cut_where_asked(void **state)
{
    (void)state;
    static const size_t shape[][2] = {{60, 60}, {40, 90}, {90, 40}, {1, 7}, {7, 1}, {1, 1}};
    for (size_t s = 0; s < sizeof shape / sizeof *shape; s++) {
        size_t side = shape[s][0] < shape[s][1] ? shape[s][0] : shape[s][1];
        double slow[60], steep[60];
        for (size_t i = 0; i < side; i++) {
            slow[i] = 3 - 2.0 * (double)i / (double)side;
            steep[i] = 7 * pow(0.6, (double)i);
        }
        double cuts[] = {0, 1e-9, 1e-4, 0.03, 1.51, 2.885, 100};
        for (size_t c = 0; c < sizeof cuts / sizeof *cuts; c++) {
            check_known(10 * s + c, shape[s][0], shape[s][1], slow, cuts[c]);
            check_known(10 * s + c + 100, shape[s][0], shape[s][1], steep, cuts[c]);
        }
    }
}

/* Few of many values, and values close to each other. */
static void few_and_clustered_values_are_found(void **state)
{
    (void)state;
    enum { SIDE = 120 };
    double value[SIDE];
    for (size_t i = 0; i < SIDE; i++)
        value[i] = i < 5 ? 2 + 1e-7 * (double)(5 - i) : 0.5 - 1e-3 * (double)i;
    check_known(300, SIDE, SIDE, value, 1);
    check_known(301, SIDE, SIDE + 30, value, 0.4905); /* between two of them */
    for (size_t i = 0; i < SIDE; i++)
        value[i] = i < 40 ? 1 : 0; /* multiplicity, and a null space */
    check_known(302, SIDE, SIDE, value, 0.5);
}

static void the_jacobi_restatement_agrees(void **state)
{
    (void)state;
    enum { ROWS = 25, COLUMNS = 35 };
    double a[ROWS * COLUMNS], u[ROWS * ROWS], s[ROWS], v[COLUMNS * ROWS];
    check_random(32, 0, ROWS, COLUMNS, a);
    plain_svd(ROWS, COLUMNS, a, u, s, v);
    OF_SCRATCH(arena, NULL);
    of_spectrum found;
    CHECK_OK(of_spectrum_above(of_context_or_default(NULL), &arena, ROWS, COLUMNS, a,
                               s[10] * (1 + 1e-9), 1, &found));
    assert_int_equal(found.rank, 10);
    for (size_t k = 0; k < 10; k++) {
        CHECK_CLOSE(found.value[k], s[k], 1e-13, 0);
        double sign = of_dot(ROWS, 1, found.left + k * ROWS, u + k * ROWS) < 0 ? -1 : 1;
        for (size_t i = 0; i < ROWS; i++)
            CHECK_CLOSE(found.left[i + k * ROWS], sign * u[i + k * ROWS], 0, 1e-11);
        for (size_t i = 0; i < COLUMNS; i++)
            CHECK_CLOSE(found.right[i + k * COLUMNS], sign * v[i + k * COLUMNS], 0, 1e-11);
    }
}

static void a_zero_matrix_has_nothing_above_a_cut(void **state)
{
    (void)state;
    double a[12 * 9] = {0};
    double cuts[] = {0, 1e-300, 1};
    for (size_t c = 0; c < 3; c++) {
        OF_SCRATCH(arena, NULL);
        of_spectrum found;
        CHECK_OK(
            of_spectrum_above(of_context_or_default(NULL), &arena, 12, 9, a, cuts[c], 1, &found));
        assert_int_equal(found.rank, 0);
    }
}

/* A matrix of ones has one value, which its row and column sums bound exactly: a cut just below it
 * finds it, one just above does not. */
static void the_bound_on_the_largest_value_hides_none(void **state)
{
    (void)state;
    enum { ROWS = 9, COLUMNS = 16 };
    double a[ROWS * COLUMNS];
    for (int e = 0; e < ROWS * COLUMNS; e++)
        a[e] = e % 2 ? 1 : -1;
    static const double cut[4] = {12 * (1 - 1e-9), 12 * (1 + 1e-9), 12 * (1 + 1e-5), 1e6};
    for (int i = 0; i < 4; i++) {
        OF_SCRATCH(arena, NULL);
        of_spectrum found;
        CHECK_OK(of_spectrum_above(of_context_or_default(NULL), &arena, ROWS, COLUMNS, a, cut[i], 1,
                                   &found));
        assert_int_equal(found.rank, i == 0);
        assert_non_null(found.value);
        assert_non_null(found.left);
        assert_non_null(found.right);
        if (i == 0)
            CHECK_CLOSE(found.value[0], 12, 1e-14, 0);
        of_arena_free(&arena);
    }
}

static void threads_do_not_change_bits(void **state)
{
    (void)state;
    enum { ROWS = 300, COLUMNS = 420 };
    double *a = plain_new(ROWS, COLUMNS);
    check_random(33, 0, ROWS, COLUMNS, a);
    of_spectrum first = {0};
    onefold_context *contexts[3];
    of_arena arenas[3];
    for (int t = 0; t < 3; t++) {
        of_spectrum found;
        CHECK_OK(onefold_context_create(&contexts[t], NULL));
        CHECK_OK(onefold_context_set_threads(contexts[t], t + 1));
        arenas[t] = of_arena_make(contexts[t]);
        CHECK_OK(of_spectrum_above(contexts[t], &arenas[t], ROWS, COLUMNS, a, 25, 1, &found));
        if (t == 0)
            first = found;
        assert_true(found.rank > 20 && found.rank == first.rank);
        assert_memory_equal(found.value, first.value, found.rank * sizeof(double));
        assert_memory_equal(found.left, first.left, ROWS * found.rank * sizeof(double));
        assert_memory_equal(found.right, first.right, COLUMNS * found.rank * sizeof(double));
    }
    for (int t = 0; t < 3; t++) {
        of_arena_free(&arenas[t]);
        onefold_context_free(contexts[t]);
    }
    free(a);
}

static void every_failed_allocation_is_passed_on(void **state)
{
    (void)state;
    double a[20 * 30];
    check_random(34, 0, 20, 30, a);
    onefold_context *context;
    CHECK_OK(onefold_context_create(&context, NULL));
    for (double cut = 0; cut < 5; cut += 3) {
        onefold_status status = ONEFOLD_NO_MEMORY;
        for (long fail = 0; status != ONEFOLD_OK; fail++) {
            OF_SCRATCH(arena, context);
            of_spectrum found;
            context->allocations_until_failure = fail;
            status = of_spectrum_above(context, &arena, 20, 30, a, cut, 1, &found);
            assert_true(status == ONEFOLD_OK || status == ONEFOLD_NO_MEMORY);
            assert_true(fail < 100);
        }
        assert_int_equal(context->bytes, 0);
    }
    onefold_context_free(context);
}

int main(void)
{
    of_blas_enter();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_spectra_are_cut_where_asked),
        cmocka_unit_test(few_and_clustered_values_are_found),
        cmocka_unit_test(the_jacobi_restatement_agrees),
        cmocka_unit_test(a_zero_matrix_has_nothing_above_a_cut),
        cmocka_unit_test(the_bound_on_the_largest_value_hides_none),
        cmocka_unit_test(threads_do_not_change_bits),
        cmocka_unit_test(every_failed_allocation_is_passed_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
