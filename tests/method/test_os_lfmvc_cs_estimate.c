/* SPDX-License-Identifier: Apache-2.0 */
/* The solver's estimate of time: growing with the work, and by iterations that are cut to those
 * allowed. How near it comes to the clock is a figure of bench, not a test. */
#include "method/os_lfmvc_cs.h"

#include "linalg/blas.h"
#include "support/check.h"
#include "support/rates.h"

#include <math.h>

enum { P = 3, K = 12, M = 12, MU = 6 };

static onefold_fit_options options_of(size_t restarts, size_t iterations)
{
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    options.clusters = MU;
    options.restarts = restarts;
    options.max_iterations = iterations;
    options.tolerance = 0;
    return options;
}

static of_cs_outlook foretold(size_t n, const onefold_fit_options *options, const of_rates *rates)
{
    of_cs_outlook outlook;
    of_cs_foretell(n, P, K, M, MU, options, rates, &outlook);
    assert_true(isfinite(outlook.seconds) && outlook.seconds > 0);
    return outlook;
}

static void it_grows_with_the_work(void **state)
{
    (void)state;
    onefold_fit_options few = options_of(10, 5), usual = options_of(10, 100),
                        single = options_of(1, 100);
    double now = foretold(50000, &usual, &rates_made).seconds;
    assert_true(foretold(50000, &few, &rates_made).seconds < now);
    assert_true(foretold(50000, &single, &rates_made).seconds < now / 5);
    assert_true(foretold(100000, &usual, &rates_made).seconds > 1.9 * now);
    assert_int_equal(foretold(50000, &few, &rates_made).iterations, 50);
    /* above 2^17 samples only one run sees all of them */
    of_cs_outlook large = foretold(1000000, &usual, &rates_made);
    assert_true(large.seconds < 10 * now && large.passes < 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_grows_with_the_work),
    };
    int threads = of_blas_enter();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    of_blas_leave(threads);
    return failed;
}
