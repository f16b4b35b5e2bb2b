/* SPDX-License-Identifier: Apache-2.0 */
/* Restarts whose passes a GPU makes together: each comes to the bits that it comes to alone. */
#include "oracle/gpu_kernels.h"
#include "support/check.h"

#include "method/os_lfmvc_cs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 700, P = 2, K = 4, M = 4, MU = 3 };

/* Base partitions of which some rows show the clusters, so that runs settle at different times. */
static double *make_stack(void)
{
    double *X = gpu_numbers(P * K, N, 91);
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < (size_t)P * K; i++)
            X[i + j * P * K] = (X[i + j * P * K] + 0.4 * (double)(i % K == j % MU)) / sqrt(N);
    return X;
}

static onefold_context *context_of(int threads)
{
    onefold_context *context;
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_context_set_threads(context, threads));
    CHECK_OK(onefold_context_set_device(context, ONEFOLD_DEVICE_GPU));
    return context;
}

/* All restarts together, or (alone) the one that has this number. */
static void solve(of_context *context, of_arena *arena, const double *X,
                  onefold_precision precision, const onefold_fit_options *options,
                  const size_t *alone, of_cs_result *result)
{
    of_stack stack;
    const of_device_use *use = of_device_for(context, N);
    CHECK_OK(of_stack_device(context, P * K, N, precision, &stack));
    CHECK_OK(
        of_device_status(use, use->table->stack_store(stack.there, 0, P * K, 0, N, X, P * K, 0)));
    of_cs_problem problem = {&stack, P, K, M, MU, options, NULL};
    if (alone) {
        of_cs_given given = {.restart = *alone};
        CHECK_OK(of_cs_run(context, arena, &problem, &given, NULL, result));
    } else
        CHECK_OK(of_cs_run(context, arena, &problem, NULL, NULL, result));
    of_stack_leave(&stack);
}

static void check_restarts(size_t restarts, size_t most, onefold_precision precision, int threads)
{
    double *X = make_stack();
    onefold_context *context = context_of(threads);
    of_arena arena = of_arena_make(context);
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    options.clusters = MU;
    options.restarts = restarts;
    options.max_iterations = most;
    options.tolerance = 1e-4;
    of_cs_result all, one;
    solve(context, &arena, X, precision, &options, NULL, &all);
    size_t at = 0, least = SIZE_MAX, longest = 0;
    for (size_t r = 0; r < restarts; r++) {
        solve(context, &arena, X, precision, &options, &r, &one);
        assert_true(all.end[r].J == one.end[0].J);
        assert_int_equal(all.end[r].iterations, one.end[0].iterations);
        assert_int_equal(all.end[r].converged, one.end[0].converged);
        assert_memory_equal(all.traces + at, one.trace, one.end[0].iterations * sizeof(double));
        at += one.end[0].iterations;
        least = one.end[0].iterations < least ? one.end[0].iterations : least;
        longest = one.end[0].iterations > longest ? one.end[0].iterations : longest;
        if (r == all.best_restart)
            assert_memory_equal(all.labels, one.labels, N * sizeof *one.labels);
    }
    if (restarts > 3 && most > 50) /* else nothing is left out on the way */
        assert_true(least < longest && longest < most);
    of_arena_free(&arena);
    onefold_context_free(context);
    free(X);
}

static void restarts_together_are_those_alone(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; threads += 2) {
        check_restarts(5, 60, ONEFOLD_DOUBLE, threads);
        check_restarts(2, 7, ONEFOLD_SINGLE, threads);
        check_restarts(3, 1, ONEFOLD_DOUBLE, threads);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(restarts_together_are_those_alone),
    };
    return cmocka_run_group_tests(tests, gpu_find, NULL);
}
