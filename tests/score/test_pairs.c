/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs counted one by one, and the adjusted Rand index as its definition has it. */
#include "score/score.h"

#include "base/random.h"
#include "support/check.h"

#include <math.h>

static void pairs_are_counted(void **state)
{
    (void)state;
    double counted = 0;
    for (size_t n = 0; n < 50; n++) {
        CHECK_CLOSE(of_pairs(n), counted, 0, 0);
        counted += (double)n;
    }
    CHECK_CLOSE(of_pairs((size_t)1 << 26), 2251799780130816.0, 0, 0); /* 2^25 (2^26 - 1) */
}

/* (index - expected) / (largest - expected), the pairs found by looking at each. */
static void the_index_is_that_of_its_definition(void **state)
{
    (void)state;
    enum { N = 40 };
    for (uint64_t trial = 0; trial < 100; trial++) {
        of_random random = of_random_make(12, OF_PURPOSE_TEST, trial);
        size_t a[N], b[N];
        double both = 0, first = 0, second = 0, all = 0;
        for (size_t i = 0; i < N; i++) {
            a[i] = of_random_below(&random, 2 + trial % 5);
            b[i] = trial % 3 ? of_random_below(&random, 4) : a[i] / 2;
            for (size_t j = 0; j < i; j++) {
                both += a[i] == a[j] && b[i] == b[j];
                first += a[i] == a[j];
                second += b[i] == b[j];
                all++;
            }
        }
        double expected = first * second / all, largest = (first + second) / 2;
        if (largest > expected)
            CHECK_CLOSE(of_adjusted_rand(both, first, second, all),
                        (both - expected) / (largest - expected), 1e-12, 1e-13);
    }
}

static void labellings_that_cannot_differ(void **state)
{
    (void)state;
    CHECK_CLOSE(of_adjusted_rand(10, 10, 10, 10), 1, 0, 0); /* one cluster in both */
    CHECK_CLOSE(of_adjusted_rand(0, 0, 0, 10), 1, 0, 0);    /* every sample alone in both */
    CHECK_CLOSE(of_adjusted_rand(0, 0, 10, 10), 0, 0, 0);   /* one against the other */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_counted),
        cmocka_unit_test(the_index_is_that_of_its_definition),
        cmocka_unit_test(labellings_that_cannot_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
