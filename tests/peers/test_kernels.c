/* SPDX-License-Identifier: Apache-2.0 */
#include "peers/common.h"

#include "oracle/literal_kernel.h"
#include "oracle/mkkm.h"
#include "support/check.h"
#include "support/problem.h"
#include "support/sample_kernels.h"

#include <math.h>
#include <string.h>

static void kernels_are_loaded_as_they_are_or_finished(void **state)
{
    (void)state;
    enum { N = 25, P = 3 };
    double **given = sample_raw_kernels(1, N, P, 3), **finished = sample_kernels(1, N, P, 3), **got;
    problem_case of;
    problem_of_kernels(&of, N, P, (const double *const *)given, 3, 2);
    CHECK_OK(of_kernels_load(of.context, &of.arena, &of.problem, OF_RAW, &got));
    for (int i = 0; i < P; i++)
        for (int e = 0; e < N * N; e++)
            CHECK_CLOSE(got[i][e], given[i][e], 1e-15, 0);
    CHECK_OK(of_kernels_load(of.context, &of.arena, &of.problem, OF_CENTRED_NORMALISED, &got));
    for (int i = 0; i < P; i++)
        for (int e = 0; e < N * N; e++)
            CHECK_CLOSE(got[i][e], finished[i][e], 0, 1e-13);
    problem_close(&of);
    sample_free(P, given);
    sample_free(P, finished);
}

static void sums_are_weighted_entry_by_entry(void **state)
{
    (void)state;
    enum { N = 37, P = 3 };
    static double kernel[P][N * N], sum[N * N];
    static const double weight[P] = {0.5, -2, 3};
    const double *const pointer[P] = {kernel[0], kernel[1], kernel[2]};
    for (int i = 0; i < P; i++)
        check_random(2, (uint64_t)i, N, N, kernel[i]);
    CHECK_OK(of_kernels_combine(of_context_or_default(NULL), N, P, pointer, weight, sum));
    double trace = 0;
    for (int e = 0; e < N * N; e++) {
        CHECK_CLOSE(sum[e], 0.5 * kernel[0][e] - 2 * kernel[1][e] + 3 * kernel[2][e], 0, 1e-14);
        trace += e % (N + 1) == 0 ? sum[e] : 0;
    }
    CHECK_CLOSE(of_kernels_trace(of_context_or_default(NULL), N, sum), trace, 1e-14, 0);
    /* in place of one of the parts */
    CHECK_OK(of_kernels_combine(of_context_or_default(NULL), N, P, pointer, weight, kernel[0]));
    assert_memory_equal(kernel[0], sum, sizeof sum);
}

/* No other point of the simplex has a smaller sum of w^2 cost. */
static void weights_are_the_minimiser(void **state)
{
    (void)state;
    static const double cost[4] = {2, 5, 0, 0.5}, trace[4] = {3, 9, 0, 4};
    double weight[4], least = 0, sum = 0;
    of_kernels_weigh(4, cost, trace, NULL, weight);
    for (int i = 0; i < 4; i++) {
        least += weight[i] * weight[i] * cost[i];
        sum += weight[i];
    }
    assert_true(weight[2] == 0);
    CHECK_CLOSE(sum, 1, 0, 1e-15);
    CHECK_CLOSE(least, 1 / (1 / 2.0 + 1 / 5.0 + 1 / 0.5), 1e-14, 0);
    of_random random = of_random_make(3, OF_PURPOSE_TEST, 0);
    for (int draw = 0; draw < 1000; draw++) {
        double other[4], total = 0, value = 0;
        for (int i = 0; i < 4; i++)
            total += other[i] = i == 2 ? 0 : of_random_uniform(&random);
        for (int i = 0; i < 4; i++)
            value += other[i] / total * other[i] / total * cost[i];
        assert_true(value >= least * (1 - 1e-14));
    }
}

static void views_without_a_trace_are_refused_together_only(void **state)
{
    (void)state;
    static const double none[3] = {0, 0, 0}, one[3] = {0, 1e-300, 0};
    CHECK_OK(of_kernels_check(3, one));
    CHECK_FAILS(of_kernels_check(3, none), ONEFOLD_BAD_DATA, "every kernel is zero");
}

/* Within bounds: of all ways to put each weight at a bound or between them, the best. */
static void bounded_weights_are_the_best_of_all_ways(void **state)
{
    (void)state;
    enum { P = 5 };
    of_random random = of_random_make(4, OF_PURPOSE_TEST, 0);
    for (int draw = 0; draw < 300; draw++) {
        double cost[P], lower[P], upper[P], weight[P], want[P], most = 0, sum = 0;
        for (int i = 0; i < P; i++) {
            cost[i] = exp(6 * of_random_uniform(&random));
            lower[i] = 0.2 * of_random_uniform(&random);
            upper[i] =
                draw % 3 == i % 3 ? lower[i] : fmin(1, lower[i] + of_random_uniform(&random));
            most += upper[i];
        }
        if (most < 1)
            continue;
        const of_beta_bounds bounds = {lower, upper};
        of_kernels_weigh(P, cost, cost, &bounds, weight);
        oracle_mkkm_weigh(P, cost, lower, upper, want);
        for (int i = 0; i < P; i++) {
            CHECK_CLOSE(weight[i], want[i], 1e-10, 1e-13);
            assert_true(weight[i] >= lower[i] && weight[i] <= upper[i]);
            sum += weight[i];
        }
        CHECK_CLOSE(sum, 1, 0, 1e-14);
    }
    /* a view of trace 0 has the least weight, or what the upper bounds of others leave */
    static const double cost[3] = {1, 0, 2}, trace[3] = {3, 0, 4}, lower[3] = {0, 0.1, 0},
                        wide[3] = {1, 1, 1}, narrow[3] = {0.3, 1, 0.2};
    double weight[3];
    of_beta_bounds bounds = {lower, wide};
    of_kernels_weigh(3, cost, trace, &bounds, weight);
    CHECK_CLOSE(weight[0], 0.6, 1e-14, 0);
    CHECK_CLOSE(weight[1], 0.1, 1e-14, 0);
    CHECK_CLOSE(weight[2], 0.3, 1e-14, 0);
    bounds.upper = narrow;
    of_kernels_weigh(3, cost, trace, &bounds, weight);
    CHECK_CLOSE(weight[0], 0.3, 1e-14, 0);
    CHECK_CLOSE(weight[1], 0.5, 1e-14, 0);
    CHECK_CLOSE(weight[2], 0.2, 1e-14, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounded_weights_are_the_best_of_all_ways),
        cmocka_unit_test(kernels_are_loaded_as_they_are_or_finished),
        cmocka_unit_test(sums_are_weighted_entry_by_entry),
        cmocka_unit_test(weights_are_the_minimiser),
        cmocka_unit_test(views_without_a_trace_are_refused_together_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
