/* SPDX-License-Identifier: Apache-2.0 */
#include "linalg/factor.h"

#include "linalg/blas.h"
#include "oracle/plain.h"
#include "peers/common.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* U max(S - cut, 0) V' from the Jacobi restatement; the number of values left and their sum. */
static double *plain_threshold(size_t rows, size_t columns, const double *a, double cut,
                               size_t *rank, double *sum)
{
    size_t side = rows < columns ? rows : columns;
    double *u = plain_new(rows, side), *s = plain_new(side, 1), *v = plain_new(columns, side);
    plain_svd(rows, columns, a, u, s, v);
    *rank = 0;
    *sum = 0;
    for (size_t k = 0; k < side; k++) {
        double left = fmax(s[k] - cut, 0);
        *rank += left > 0;
        *sum += left;
        for (size_t i = 0; i < rows; i++)
            u[i + k * rows] *= left;
    }
    double *flipped = plain_flip(columns, side, v);
    double *b = plain_times(rows, side, columns, u, flipped);
    free(u);
    free(s);
    free(v);
    free(flipped);
    return b;
}

static void singular_values_are_cut_as_restated(void **state)
{
    (void)state;
    static const size_t shape[][2] = {{30, 30}, {20, 45}, {45, 20}, {1, 8}};
    static const double cuts[] = {0, 1e-7, 0.5, 4, 9, 1000};
    for (size_t s = 0; s < 4; s++)
        for (size_t c = 0; c < 6; c++) {
            size_t rows = shape[s][0], columns = shape[s][1], rank, want_rank;
            double *a = plain_new(rows, columns), *b = plain_new(rows, columns);
            double sum, want_sum;
            check_random(41, s, rows, columns, a);
            double *want = plain_threshold(rows, columns, a, cuts[c], &want_rank, &want_sum);
            CHECK_OK(of_threshold_singular(of_context_or_default(NULL), rows, columns, a, cuts[c],
                                           b, &rank, &sum));
            assert_int_equal(rank, want_rank);
            CHECK_CLOSE(sum, want_sum, 1e-12, 0);
            for (size_t e = 0; e < rows * columns; e++)
                CHECK_CLOSE(b[e], want[e], 0, 1e-12);
            free(a);
            free(b);
            free(want);
        }
}

/* B minimises ||B - A||^2/2 + cut sum(s(B)) exactly when (A - B)/cut is a subgradient: spectral
 * norm at most 1, and <A - B, B> = cut times the sum. */
static void what_is_taken_off_is_a_subgradient(void **state)
{
    (void)state;
    enum { ROWS = 40, COLUMNS = 33 };
    const double cut = 3.2;
    double a[ROWS * COLUMNS], b[ROWS * COLUMNS], sum, dot = 0;
    double u[ROWS * COLUMNS], s[COLUMNS], v[COLUMNS * COLUMNS];
    size_t rank;
    check_random(42, 0, ROWS, COLUMNS, a);
    CHECK_OK(
        of_threshold_singular(of_context_or_default(NULL), ROWS, COLUMNS, a, cut, b, &rank, &sum));
    assert_true(rank > 5 && rank < COLUMNS);
    for (size_t i = 0; i < ROWS * COLUMNS; i++) {
        a[i] -= b[i];
        dot += a[i] * b[i];
    }
    CHECK_CLOSE(dot, cut * sum, 1e-12, 0);
    plain_svd(ROWS, COLUMNS, a, u, s, v);
    for (size_t i = 0; i < rank; i++)
        CHECK_CLOSE(s[i], cut, 1e-12, 0);
    assert_true(s[rank] < cut);
}

static double power_cost(double x, double value, double weight, double power)
{
    return (x - value) * (x - value) / 2 + weight * pow(x, power);
}

/* Against a search over a fine grid: zero exactly where zero is best, else near the best. */
static void powers_are_thresholded_at_the_best_point(void **state)
{
    (void)state;
    static const double powers[] = {0.01, 0.1, 0.5, 0.9, 1}, weights[] = {1e-3, 0.2, 3};
    for (size_t p = 0; p < 5; p++)
        for (size_t w = 0; w < 3; w++) {
            double cut = of_power_cut(weights[w], powers[p]);
            for (double share = 0.05; share < 4; share += 0.13) {
                double value = share * cut, best = 0, least = value * value / 2;
                for (int step = 1; step <= 40000; step++) {
                    double x = value * step / 40000;
                    double cost = power_cost(x, value, weights[w], powers[p]);
                    if (cost < least) {
                        least = cost;
                        best = x;
                    }
                }
                double x = of_power_threshold(value, weights[w], powers[p]);
                assert_int_equal(x == 0, best == 0);
                assert_int_equal(x == 0, value <= cut);
                /* three steps end a little above the minimiser, most so at the edge */
                assert_true(x <= value && x >= best - value / 20000);
                assert_true(power_cost(x, value, weights[w], powers[p]) <=
                            least + 0.004 * value * value);
                if (share > 2)
                    CHECK_CLOSE(x, best, 0.01, 0);
            }
        }
}

static void powers_take_exactly_three_steps(void **state)
{
    (void)state;
    const double s = 2.5, w = 0.4, q = 0.3;
    double x1 = s - w * q * pow(s, q - 1), x2 = s - w * q * pow(x1, q - 1);
    CHECK_CLOSE(of_power_threshold(s, w, q), s - w * q * pow(x2, q - 1), 1e-15, 0);
    double t = pow(2 * w * (1 - q), 1 / (2 - q));
    CHECK_CLOSE(of_power_cut(w, q), t + w * q * pow(t, q - 1), 1e-15, 0);
    CHECK_CLOSE(of_power_cut(w, 1), w, 1e-15, 0); /* a power of 1 is soft thresholding */
    CHECK_CLOSE(of_power_threshold(s, w, 1), s - w, 1e-15, 0);
    CHECK_CLOSE(of_power_threshold(s, 0, q), s, 0, 0); /* no weight: no change */
}

static void columns_are_shortened_or_dropped(void **state)
{
    (void)state;
    double a[2 * 4] = {3, 4, 0, 0.5, 0, 0, -6, 8};
    double sum = of_threshold_columns(2, 4, a, 1);
    const double want[2 * 4] = {2.4, 3.2, 0, 0, 0, 0, -5.4, 7.2};
    CHECK_CLOSE(sum, 13, 1e-15, 0);
    for (size_t i = 0; i < 8; i++)
        CHECK_CLOSE(a[i], want[i], 1e-15, 0);
    double exact[2] = {3, 4};
    CHECK_CLOSE(of_threshold_columns(2, 1, exact, 5), 0, 0, 0);
    CHECK_CLOSE(exact[0], 0, 0, 0);
}

static void threads_do_not_change_bits(void **state)
{
    (void)state;
    enum { ROWS = 260, COLUMNS = 230 };
    double *a = plain_new(ROWS, COLUMNS), *b[3];
    check_random(43, 0, ROWS, COLUMNS, a);
    for (int few = 0; few < 2; few++) {
        for (int t = 0; t < 3; t++) {
            onefold_context *context;
            CHECK_OK(onefold_context_create(&context, NULL));
            CHECK_OK(onefold_context_set_threads(context, t + 1));
            b[t] = plain_new(ROWS, COLUMNS);
            size_t rank;
            double sum;
            CHECK_OK(
                of_threshold_singular(context, ROWS, COLUMNS, a, few ? 26 : 5, b[t], &rank, &sum));
            assert_true(few ? rank > 4 && rank < 40 : rank > 120);
            assert_memory_equal(b[t], b[0], ROWS * COLUMNS * sizeof(double));
            assert_int_equal(context->bytes, 0);
            onefold_context_free(context);
        }
        for (int t = 0; t < 3; t++)
            free(b[t]);
    }
    free(a);
}

int main(void)
{
    of_blas_enter();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(singular_values_are_cut_as_restated),
        cmocka_unit_test(what_is_taken_off_is_a_subgradient),
        cmocka_unit_test(powers_are_thresholded_at_the_best_point),
        cmocka_unit_test(powers_take_exactly_three_steps),
        cmocka_unit_test(columns_are_shortened_or_dropped),
        cmocka_unit_test(threads_do_not_change_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
