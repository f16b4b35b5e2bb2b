/* SPDX-License-Identifier: Apache-2.0 */

#include "linalg/blas.h"
#include "linalg/factor.h"
#include "oracle/lsgmc.h"
#include "oracle/plain.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static of_context *here(void)
{
    return of_context_or_default(NULL);
}

static double *random_orthonormal(uint64_t index, size_t rows, size_t columns)
{
    double *a = plain_new(rows, columns);
    check_random(51, index, rows, columns, a);
    CHECK_OK(of_qr(here(), rows, columns, a, NULL));
    return a;
}

static void is_orthogonal(size_t n, const double *q)
{
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i <= j; i++)
            CHECK_CLOSE(of_dot(n, 1, q + i * n, q + j * n), i == j, 0, 1e-13);
}

/* B of the given rank; T orthonormal; Q orthogonal: the fast form against the literal one. */
static void check_case(uint64_t index, size_t n, size_t thin, size_t rank)
{
    double *q = random_orthonormal(4 * index, n, n),
           *t = random_orthonormal(4 * index + 1, n, thin);
    double *left = plain_new(n, rank), *right = plain_new(rank, thin);
    check_random(52, 2 * index, n, rank, left);
    check_random(52, 2 * index + 1, rank, thin, right);
    double *b = plain_times(n, rank, thin, left, right), *t_flip = plain_flip(n, thin, t);
    double *a = plain_times(n, thin, n, b, t_flip), *qt = plain_times(n, n, thin, q, t);
    double *want = plain_copy(n, n, q);
    oracle_polar_nearest(n, a, want);
    CHECK_OK(of_polar_nearest(here(), n, thin, b, q, qt));
    for (size_t i = 0; i < n * n; i++)
        CHECK_CLOSE(q[i], want[i], 0, 1e-11);
    is_orthogonal(n, q);
    double *again = plain_times(n, n, thin, q, t);
    for (size_t i = 0; i < n * thin; i++)
        CHECK_CLOSE(qt[i], again[i], 0, 1e-13);
    /* it is a maximiser: <Q, A> is the sum of A's singular values */
    double *u = plain_new(n, n), *s = plain_new(n, 1), *v = plain_new(n, n), sum = 0;
    plain_svd(n, n, a, u, s, v);
    for (size_t i = 0; i < n; i++)
        sum += s[i];
    CHECK_CLOSE(of_dot(n, n, q, a), sum, 1e-12, 1e-12);
    double *all[] = {q, t, left, right, b, t_flip, a, qt, want, again, u, s, v};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

static void the_thin_form_equals_the_literal_one(void **state)
{
    (void)state;
    static const size_t cases[][3] = {{12, 3, 3}, {12, 1, 1},   {12, 12, 12}, {20, 7, 4},
                                      {9, 6, 6},  {15, 14, 14}, {1, 1, 1},    {40, 5, 5}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        check_case(c, cases[c][0], cases[c][1], cases[c][2]);
}

static void zero_leaves_the_factor_alone(void **state)
{
    (void)state;
    enum { N = 8, THIN = 2 };
    double *q = random_orthonormal(100, N, N), *t = random_orthonormal(101, N, THIN);
    double *qt = plain_times(N, N, THIN, q, t), *before = plain_copy(N, N, q);
    double b[N * THIN] = {0};
    CHECK_OK(of_polar_nearest(here(), N, THIN, b, q, qt));
    assert_memory_equal(q, before, N * N * sizeof *q);
    free(q);
    free(t);
    free(qt);
    free(before);
}

/* A maximiser stays unchanged. One that is turned a little moves a little, without losing digits to
 * a small angle. */
static void small_angles_keep_their_digits(void **state)
{
    (void)state;
    enum { N = 16, THIN = 3 };
    static const double angles[] = {0, 1e-12, 1e-8, 1e-4};
    for (size_t k = 0; k < 4; k++) {
        double *q = random_orthonormal(110, N, N), *t = random_orthonormal(111, N, THIN);
        double *qt = plain_times(N, N, THIN, q, t), *b = plain_copy(N, THIN, qt);
        double *before = plain_copy(N, N, q), *push = plain_new(N, THIN), moved = 0;
        check_random(53, 0, N, THIN, push);
        plain_add(N * THIN, b, angles[k], push);
        for (size_t i = 0; i < N * THIN; i++)
            b[i] *= 3 + (double)(i / N); /* distinct singular values */
        CHECK_OK(of_polar_nearest(here(), N, THIN, b, q, qt));
        is_orthogonal(N, q);
        for (size_t i = 0; i < N * N; i++)
            moved = fmax(moved, fabs(q[i] - before[i]));
        assert_true(moved <= 5 * angles[k] + 1e-14);
        assert_true(moved >= 0.1 * angles[k]);
        free(q);
        free(t);
        free(qt);
        free(b);
        free(before);
        free(push);
    }
}

/* The result is the nearest of all maximisers: others, by rotations of the free part, are farther
 * from the old factor. */
static void no_other_maximiser_is_nearer(void **state)
{
    (void)state;
    enum { N = 10, THIN = 3 };
    double *old = random_orthonormal(120, N, N), *t = random_orthonormal(121, N, THIN);
    double *q = plain_copy(N, N, old), *qt = plain_times(N, N, THIN, q, t);
    double b[N * THIN];
    check_random(54, 0, N, THIN, b);
    CHECK_OK(of_polar_nearest(here(), N, THIN, b, q, qt));
    double reach = of_dot(N, N, q, old); /* ||Q - old||^2 = 2 N - 2 <Q, old> */
    for (uint64_t trial = 0; trial < 50; trial++) {
        /* Q (T T' + free Givens turns of the complement of T) maximises too */
        double *all = plain_new(N, N);
        check_random(55, trial, N, N, all);
        memcpy(all, t, N * THIN * sizeof *t);
        CHECK_OK(of_qr(here(), N, N, all, NULL));
        double angle = 0.02 * (double)(trial + 1);
        double *other = plain_times(N, N, N, q, all), *back = plain_flip(N, N, all);
        for (size_t i = 0; i < N; i++) {
            double x = other[i + (N - 2) * N], y = other[i + (N - 1) * N];
            other[i + (N - 2) * N] = cos(angle) * x - sin(angle) * y;
            other[i + (N - 1) * N] = sin(angle) * x + cos(angle) * y;
        }
        double *turned = plain_times(N, N, N, other, back);
        assert_true(of_dot(N, N, turned, old) < reach);
        free(all);
        free(other);
        free(back);
        free(turned);
    }
    free(old);
    free(t);
    free(q);
    free(qt);
}

/* Many calls in a row, each with another B: Q stays orthogonal, errors add up and do not grow. */
static void errors_do_not_grow_from_call_to_call(void **state)
{
    (void)state;
    enum { N = 30, THIN = 8, CALLS = 200 };
    double *q = random_orthonormal(140, N, N);
    for (uint64_t call = 0; call < CALLS; call++) {
        double *t = random_orthonormal(141 + call, N, THIN), *b = plain_new(N, THIN);
        double *qt = plain_times(N, N, THIN, q, t);
        check_random(57, call, N, THIN, b);
        CHECK_OK(of_polar_nearest(here(), N, THIN, b, q, qt));
        free(t);
        free(b);
        free(qt);
    }
    is_orthogonal(N, q);
    free(q);
}

static void threads_do_not_change_bits(void **state)
{
    (void)state;
    enum { N = 250, THIN = 40 };
    double *q = random_orthonormal(130, N, N), *t = random_orthonormal(131, N, THIN);
    double *b = plain_new(N, THIN), *first = NULL, *qt = plain_times(N, N, THIN, q, t);
    check_random(56, 0, N, THIN, b);
    for (int threads = 1; threads <= 3; threads++) {
        onefold_context *context;
        CHECK_OK(onefold_context_create(&context, NULL));
        CHECK_OK(onefold_context_set_threads(context, threads));
        double *mine = plain_copy(N, N, q), *bb = plain_copy(N, THIN, b);
        double *mine_t = plain_copy(N, THIN, qt);
        CHECK_OK(of_polar_nearest(context, N, THIN, bb, mine, mine_t));
        if (!first)
            first = plain_copy(N, N, mine);
        assert_memory_equal(mine, first, N * N * sizeof *mine);
        assert_int_equal(context->bytes, 0);
        onefold_context_free(context);
        free(mine);
        free(bb);
        free(mine_t);
    }
    free(q);
    free(t);
    free(b);
    free(first);
    free(qt);
}

int main(void)
{
    of_blas_enter();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_thin_form_equals_the_literal_one),
        cmocka_unit_test(zero_leaves_the_factor_alone),
        cmocka_unit_test(small_angles_keep_their_digits),
        cmocka_unit_test(no_other_maximiser_is_nearer),
        cmocka_unit_test(errors_do_not_grow_from_call_to_call),
        cmocka_unit_test(threads_do_not_change_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
