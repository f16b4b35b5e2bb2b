/* SPDX-License-Identifier: Apache-2.0 */
/* The solver's estimate of time grows with the work, and has no more iterations than are allowed.
 * How near it is to the clock is measured by bench. */
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

static of_method_estimate estimated(size_t n, const onefold_fit_options *options,
                                    const of_work *rates)
{
    of_method_estimate estimate = {0};
    of_cs_work(of_context_or_default(NULL), n, P, K, M, MU, options, 1, &estimate);
    estimate.seconds_fit = of_work_seconds(&estimate.fit, rates);
    assert_true(isfinite(estimate.seconds_fit) && estimate.seconds_fit > 0);
    return estimate;
}

static void it_grows_with_the_work(void **state)
{
    (void)state;
    onefold_fit_options few = options_of(10, 5), usual = options_of(10, 100),
                        single = options_of(1, 100);
    double now = estimated(30000, &usual, &rates_made).seconds_fit;
    assert_true(estimated(30000, &few, &rates_made).seconds_fit < now);
    assert_true(estimated(30000, &single, &rates_made).seconds_fit < now / 5);
    assert_true(estimated(32768, &usual, &rates_made).seconds_fit > 1.05 * now);
    assert_true(estimated(65536, &usual, &rates_made).seconds_fit > now);
    assert_int_equal(estimated(30000, &few, &rates_made).iterations, 50);
    /* above 2^15 samples only one run sees all of them */
    of_method_estimate large = estimated(1000000, &usual, &rates_made);
    assert_true(large.seconds_fit < 20 * now && large.passes < 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_grows_with_the_work),
    };
    of_blas_enter();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    of_blas_leave();
    return failed;
}
