/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/kernel.h"

#include "oracle/literal_kernel.h"
#include "support/check.h"

#include <math.h>
#include <string.h>

enum { N = 90 };
static double k[N * N], literal[N * N];

static void random_kernel(uint64_t seed, size_t columns)
{
    static double x[N * N];
    check_random(seed, 0, columns, N, x);
    literal_linear(N, columns, x, k);
}

static void it_is_the_literal_centring_and_normalising(void **state)
{
    (void)state;
    random_kernel(1, 12);
    memcpy(literal, k, sizeof k);
    literal_finish(N, 0, literal);
    CHECK_OK(of_centre_normalise(of_context_or_default(NULL), N, k));
    for (size_t i = 0; i < N * N; i++)
        CHECK_CLOSE(k[i], literal[i], 0, 1e-14);
    for (size_t j = 0; j < N; j++)
        assert_true(k[j * N + j] == 1);
}

/* Entries within 1e-9 of 1: seven of their sixteen digits tell them apart, and not one of these is
 * lost. 1 is subtracted exactly for the literal one; centring without subtracting the mean first
 * would be wrong in the fifth digit. */
static void nearly_equal_entries_keep_their_digits(void **state)
{
    (void)state;
    random_kernel(2, 5);
    for (size_t i = 0; i < N * N; i++) {
        k[i] = 1 + 1e-10 * k[i];
        literal[i] = k[i] - 1;
    }
    literal_finish(N, 0, literal);
    CHECK_OK(of_centre_normalise(of_context_or_default(NULL), N, k));
    for (size_t i = 0; i < N * N; i++)
        CHECK_CLOSE(k[i], literal[i], 0, 1e-13);
}

static void a_positive_factor_or_an_added_constant_changes_nothing(void **state)
{
    (void)state;
    random_kernel(3, 7);
    memcpy(literal, k, sizeof k);
    for (size_t i = 0; i < N * N; i++)
        literal[i] = 3e-7 * (k[i] + 11);
    CHECK_OK(of_centre_normalise(of_context_or_default(NULL), N, k));
    CHECK_OK(of_centre_normalise(of_context_or_default(NULL), N, literal));
    for (size_t i = 0; i < N * N; i++)
        CHECK_CLOSE(k[i], literal[i], 0, 1e-13);
}

/* Constant kernels, zeros, and one sample that lies in the middle of the others. */
static void rows_without_a_diagonal_become_zero(void **state)
{
    (void)state;
    const double constant[] = {0, 1, -3e5, 1.0 / 3};
    for (int c = 0; c < 4; c++) {
        for (size_t i = 0; i < N * N; i++)
            k[i] = constant[c];
        CHECK_OK(of_centre_normalise(of_context_or_default(NULL), N, k));
        for (size_t i = 0; i < N * N; i++)
            assert_true(k[i] == 0);
    }
    double x[N] = {0};
    for (int j = 1; j < N; j++)
        x[j] = j % 2 ? j : -(j - 1); /* sums to 0 without the last */
    x[N - 1] = 0;
    literal_linear(N, 1, x, k);
    CHECK_OK(of_centre_normalise(of_context_or_default(NULL), N, k));
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < N; i++)
            CHECK_CLOSE(k[j * N + i],
                        (x[i] > 0) - (x[i] < 0) == 0 || x[j] == 0 ? 0
                        : x[i] * x[j] > 0                         ? 1
                                                                  : -1,
                        0, 1e-14);
}

static void what_is_not_finite_is_refused(void **state)
{
    (void)state;
    random_kernel(4, 3);
    k[17 * N + 3] = k[3 * N + 17] = NAN;
    CHECK_FAILS(of_centre_normalise(of_context_or_default(NULL), N, k), ONEFOLD_BAD_DATA,
                "not finite");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_the_literal_centring_and_normalising),
        cmocka_unit_test(nearly_equal_entries_keep_their_digits),
        cmocka_unit_test(a_positive_factor_or_an_added_constant_changes_nothing),
        cmocka_unit_test(rows_without_a_diagonal_become_zero),
        cmocka_unit_test(what_is_not_finite_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
