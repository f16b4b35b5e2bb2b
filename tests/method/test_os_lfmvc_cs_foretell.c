/* SPDX-License-Identifier: Apache-2.0 */
/* The solver's estimate of time: near the time this thread then works where the iterations are
 * given, growing with the work, and by iterations that are cut to those allowed. */
#include "method/os_lfmvc_cs.h"

#include "base/clock.h"
#include "linalg/blas.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>

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

static void the_estimate_is_near_the_time_that_is_taken(void **state)
{
    (void)state;
#ifdef __SANITIZE_THREAD__
    print_message("our own loops are watched here, BLAS is not: times mean nothing\n");
    skip();
#endif
    enum { ITERATIONS = 15 };
    static const size_t sizes[] = {1000, 20000};
    onefold_context *context = NULL;
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_context_set_threads(context, 1));
    of_rates rates;
    CHECK_OK(of_rates_measure(context, K, &rates));
    for (size_t s = 0; s < 2; s++) {
        OF_SCRATCH(scratch, context);
        size_t n = sizes[s];
        onefold_fit_options options = options_of(4, ITERATIONS);
        double *x;
        CHECK_OK(OF_NEW(&scratch, &x, P * K, n));
        check_random(31, n, P * K, n, x);
        for (size_t i = 0; i < P * K * n; i++)
            x[i] /= sqrt((double)n); /* rows of about unit length */
        of_stack X = of_stack_double(x, P * K, n, P * K);
        of_cs_problem problem = {.X = &X, .p = P, .k = K, .m = M, .mu = MU, .options = &options};
        of_cs_result result;
        of_cs_outlook outlook = foretold(n, &options, &rates);
        assert_int_equal(outlook.iterations, 4 * ITERATIONS);
        double began = of_clock_thread_seconds();
        CHECK_OK(of_cs_solve(context, &scratch, &problem, &result));
        double took = of_clock_thread_seconds() - began;
        if (!(outlook.seconds < 4 * took && took < 4 * outlook.seconds))
            fail_msg("%zu samples: %g s were foretold, %g s it took", n, outlook.seconds, took);
    }
    onefold_context_free(context);
}

static void it_grows_with_the_work(void **state)
{
    (void)state;
    const of_rates rates = {.product = 1e10,
                            .thin = 1e10,
                            .loop = 1e9,
                            .memory = 1e10,
                            .exponential = 5e8,
                            .sparse = 1e9,
                            .factor = 3e9,
                            .polar = 1e-5,
                            .threads = 1,
                            .slowdown = 1};
    onefold_fit_options few = options_of(10, 5), usual = options_of(10, 100),
                        single = options_of(1, 100);
    double now = foretold(50000, &usual, &rates).seconds;
    assert_true(foretold(50000, &few, &rates).seconds < now);
    assert_true(foretold(50000, &single, &rates).seconds < now / 5);
    assert_true(foretold(100000, &usual, &rates).seconds > 1.9 * now);
    assert_int_equal(foretold(50000, &few, &rates).iterations, 50);
    /* above 2^17 samples only one run sees all of them */
    of_cs_outlook large = foretold(1000000, &usual, &rates);
    assert_true(large.seconds < 10 * now && large.passes < 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_estimate_is_near_the_time_that_is_taken),
        cmocka_unit_test(it_grows_with_the_work),
    };
    int threads = of_blas_enter();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    of_blas_leave(threads);
    return failed;
}
