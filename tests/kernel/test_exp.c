/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/kernel.h"

#include "base/random.h"
#include "support/check.h"

#include <float.h>
#include <math.h>

/* Distance from e^x, to which long double is near enough, in units of the last of `digits` binary
 * places. */
static double ulps(double got, double x, int digits)
{
    long double exact = expl((long double)x);
    int exponent;
    frexpl(exact, &exponent);
    return (double)(fabsl((long double)got - exact) / ldexpl(1, exponent - digits));
}

static void every_value_is_within_one_ulp(void **state)
{
    (void)state;
    enum { COUNT = 4000 };
    static double x[COUNT], y[COUNT];
    of_random random = of_random_make(1, OF_PURPOSE_TEST, 0);
    const double range[] = {1e-300, 1e-12, 1e-3, 0.5, 3, 40, 708};
    double worst = 0;
    for (size_t r = 0; r < sizeof range / sizeof *range; r++)
        for (int round = 0; round < 50; round++) {
            for (int i = 0; i < COUNT; i++)
                y[i] = x[i] = -range[r] * of_random_uniform(&random);
            of_exp(COUNT, y);
            for (int i = 0; i < COUNT; i++)
                worst = fmax(worst, ulps(y[i], x[i], DBL_MANT_DIG));
        }
    printf("exp: at most %.3f ulp off\n", worst);
    assert_true(worst > 0 && worst < 1);
}

static void single_precision_is_within_an_ulp_and_a_half(void **state)
{
    (void)state;
    enum { COUNT = 4000 };
    static float x[COUNT], y[COUNT];
    of_random random = of_random_make(2, OF_PURPOSE_TEST, 0);
    const double range[] = {1e-30, 1e-6, 1e-3, 0.5, 3, 20, 87};
    double worst = 0;
    for (size_t r = 0; r < sizeof range / sizeof *range; r++)
        for (int round = 0; round < 50; round++) {
            for (int i = 0; i < COUNT; i++)
                y[i] = x[i] = (float)(-range[r] * of_random_uniform(&random));
            of_exp_single(COUNT, y);
            for (int i = 0; i < COUNT; i++)
                worst = fmax(worst, ulps((double)y[i], (double)x[i], FLT_MANT_DIG));
        }
    printf("exp, single: at most %.3f ulp off\n", worst);
    assert_true(worst > 0.5 && worst < 1.5);
    float ends[] = {0, -0.0f, -87.001f, -1e30f, -INFINITY, -FLT_MIN};
    of_exp_single(6, ends);
    assert_true(ends[0] == 1 && ends[1] == 1 && ends[5] == 1);
    assert_true(ends[2] == 0 && ends[3] == 0 && ends[4] == 0);
}

static void the_ends_are_exact(void **state)
{
    (void)state;
    double x[] = {0, -0.0, -708.0000001, -1e4, -1e300, -INFINITY, -707.999, -DBL_MIN};
    of_exp(8, x);
    assert_true(x[0] == 1 && x[1] == 1 && x[7] == 1);
    for (int i = 2; i < 6; i++)
        assert_true(x[i] == 0);
    CHECK_CLOSE(x[6], exp(-707.999), 3e-16, 0);
}

/* The position of a number in the array, and so the copy of the loop, changes no bit. */
static void position_changes_nothing(void **state)
{
    (void)state;
    double together[37], alone;
    for (int i = 0; i < 37; i++)
        together[i] = -0.37 * i * i;
    of_exp(37, together);
    for (int i = 0; i < 37; i++) {
        alone = -0.37 * i * i;
        of_exp(1, &alone);
        assert_memory_equal(&alone, &together[i], sizeof alone);
    }
    float singles[37], single;
    for (int i = 0; i < 37; i++)
        singles[i] = -0.07f * (float)(i * i);
    of_exp_single(37, singles);
    for (int i = 0; i < 37; i++) {
        single = -0.07f * (float)(i * i);
        of_exp_single(1, &single);
        assert_memory_equal(&single, &singles[i], sizeof single);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_value_is_within_one_ulp),
        cmocka_unit_test(single_precision_is_within_an_ulp_and_a_half),
        cmocka_unit_test(the_ends_are_exact),
        cmocka_unit_test(position_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
