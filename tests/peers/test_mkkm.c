/* SPDX-License-Identifier: Apache-2.0 */

#include "linalg/blas.h"
#include "oracle/mkkm.h"
#include "peers/common.h"
#include "support/check.h"
#include "support/problem.h"
#include "support/sample_kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void every_iteration_is_the_restated_one(void **state)
{
    (void)state;
    enum { N = 35, P = 4, C = 3, STEPS = 12 };
    for (uint64_t seed = 0; seed < 4; seed++) {
        double **kernel = sample_kernels(seed, N, P, C);
        OF_SCRATCH(scratch, NULL);
        oracle_mkkm slow;
        of_mkkm fast;
        oracle_mkkm_start(&slow, N, P, C, (const double *const *)kernel);
        CHECK_OK(of_mkkm_start(&scratch, N, P, C, (const double *const *)kernel, NULL, &fast));
        for (int step = 0; step < STEPS; step++) {
            oracle_mkkm_step(&slow);
            CHECK_OK(of_mkkm_step(&fast));
            CHECK_CLOSE(fast.now.objective, slow.J, 1e-10, 0);
            for (int i = 0; i < P; i++) {
                CHECK_CLOSE(fast.weight[i], slow.t[i], 1e-9, 0);
                CHECK_CLOSE(fast.cost[i], slow.a[i], 1e-9, 0);
            }
            for (int k = 0; k < C; k++)
                CHECK_CLOSE(fast.value[k], slow.value[k], 1e-10, 0);
        }
        oracle_mkkm_end(&slow);
        of_arena_free(&scratch);
        sample_free(P, kernel);
    }
}

/* Some weights fixed, some bounded, some left to the method. */
static void bounded_iterations_are_the_restated_ones(void **state)
{
    (void)state;
    enum { N = 35, P = 4, C = 3, STEPS = 8 };
    static const double lower[][P] = {{0.4, 0, 0, 0}, {0, 0.1, 0.5, 0}, {0.1, 0.2, 0.3, 0.4}},
                        upper[][P] = {{0.4, 1, 1, 1}, {0.05, 0.3, 0.6, 1}, {0.1, 0.2, 0.3, 0.4}};
    for (size_t b = 0; b < 3; b++) {
        const of_beta_bounds bounds = {lower[b], upper[b]};
        double **kernel = sample_kernels(30 + b, N, P, C), before = INFINITY;
        OF_SCRATCH(scratch, NULL);
        oracle_mkkm slow;
        of_mkkm fast;
        oracle_mkkm_start(&slow, N, P, C, (const double *const *)kernel);
        oracle_mkkm_bound(&slow, lower[b], upper[b]);
        CHECK_OK(of_mkkm_start(&scratch, N, P, C, (const double *const *)kernel, &bounds, &fast));
        for (int step = 0; step < STEPS; step++) {
            oracle_mkkm_step(&slow);
            CHECK_OK(of_mkkm_step(&fast));
            CHECK_CLOSE(fast.now.objective, slow.J, 1e-9, 0);
            assert_true(fast.now.objective <= before * (1 + 1e-12));
            before = fast.now.objective;
            double sum = 0;
            for (int i = 0; i < P; i++) {
                CHECK_CLOSE(fast.weight[i], slow.t[i], 1e-8, 1e-12);
                assert_true(fast.weight[i] >= lower[b][i] && fast.weight[i] <= upper[b][i]);
                sum += fast.weight[i];
            }
            CHECK_CLOSE(sum, 1, 0, 1e-14);
        }
        oracle_mkkm_end(&slow);
        of_arena_free(&scratch);
        sample_free(P, kernel);
    }
}

/* Each half of an iteration minimises over its own variables, so the objective never rises, and
 * the constraints hold. */
static void the_objective_never_rises(void **state)
{
    (void)state;
    enum { N = 60, P = 5, C = 4 };
    for (uint64_t seed = 10; seed < 20; seed++) {
        double **kernel = sample_kernels(seed, N, P, C), before = INFINITY, gram[C * C];
        OF_SCRATCH(scratch, NULL);
        of_mkkm run;
        CHECK_OK(of_mkkm_start(&scratch, N, P, C, (const double *const *)kernel, NULL, &run));
        for (int step = 0; step < 30; step++) {
            CHECK_OK(of_mkkm_step(&run));
            assert_true(run.now.objective <= before * (1 + 1e-12));
            before = run.now.objective;
            double sum = 0;
            for (int i = 0; i < P; i++) {
                assert_true(run.weight[i] >= 0);
                sum += run.weight[i];
            }
            CHECK_CLOSE(sum, 1, 0, 1e-14);
            of_gemm('T', 'N', C, C, N, 1, run.vector, N, run.vector, N, 0, gram, C);
            for (int e = 0; e < C * C; e++)
                CHECK_CLOSE(gram[e], e % (C + 1) == 0, 0, 1e-12);
        }
        of_arena_free(&scratch);
        sample_free(P, kernel);
    }
}

/* Weights do not depend on the order of views, and a scale of all kernels changes the objective
 * alone. */
static void order_and_scale_of_the_views_do_not_matter(void **state)
{
    (void)state;
    enum { N = 30, P = 3, C = 3 };
    double **kernel = sample_kernels(3, N, P, C), *scaled[P];
    const double *turned[P] = {kernel[2], kernel[0], kernel[1]};
    OF_SCRATCH(scratch, NULL);
    of_mkkm plain, order, scale;
    for (int i = 0; i < P; i++) {
        CHECK_OK(OF_NEW(&scratch, &scaled[i], N, N));
        for (int e = 0; e < N * N; e++)
            scaled[i][e] = 8 * kernel[i][e];
    }
    CHECK_OK(of_mkkm_start(&scratch, N, P, C, (const double *const *)kernel, NULL, &plain));
    CHECK_OK(of_mkkm_start(&scratch, N, P, C, turned, NULL, &order));
    CHECK_OK(of_mkkm_start(&scratch, N, P, C, (const double *const *)scaled, NULL, &scale));
    for (int step = 0; step < 5; step++) {
        CHECK_OK(of_mkkm_step(&plain));
        CHECK_OK(of_mkkm_step(&order));
        CHECK_OK(of_mkkm_step(&scale));
        for (int i = 0; i < P; i++) {
            CHECK_CLOSE(order.weight[(i + 1) % P], plain.weight[i], 1e-11, 0);
            CHECK_CLOSE(scale.weight[i], plain.weight[i], 1e-11, 0);
        }
        CHECK_CLOSE(scale.now.objective, 8 * plain.now.objective, 1e-11, 0);
    }
    of_arena_free(&scratch);
    sample_free(P, kernel);
}

/* A view of zeros has weight 0. A view of cost 0 gets all weight, without a division by zero. */
static void empty_and_exhausted_views_are_sound(void **state)
{
    (void)state;
    enum { N = 30, P = 3, C = 3 };
    double **kernel = sample_kernels(4, N, P, C);
    OF_SCRATCH(scratch, NULL);
    of_mkkm run;
    memset(kernel[1], 0, N * N * sizeof **kernel);
    memset(kernel[2], 0, N * N * sizeof **kernel);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            kernel[2][i + j * N] = i % 2 == j % 2 ? 1 : -1; /* rank 1 */
    CHECK_OK(of_mkkm_start(&scratch, N, P, C, (const double *const *)kernel, NULL, &run));
    for (int step = 0; step < 4; step++) {
        CHECK_OK(of_mkkm_step(&run));
        assert_true(run.weight[1] == 0);
        CHECK_CLOSE(run.weight[0] + run.weight[2], 1, 0, 1e-14);
        assert_true(isfinite(run.now.objective));
    }
    assert_true(run.weight[2] > 0.999);
    memset(kernel[0], 0, N * N * sizeof **kernel);
    memset(kernel[2], 0, N * N * sizeof **kernel);
    CHECK_FAILS(of_mkkm_start(&scratch, N, P, C, (const double *const *)kernel, NULL, &run),
                ONEFOLD_BAD_DATA, "no view distinguishes any two samples");
    of_arena_free(&scratch);
    sample_free(P, kernel);
}

static void check_run(problem_case *of, const reference *from)
{
    size_t n = of->problem.dataset->samples, c = of->options.clusters;
    size_t views = of->problem.dataset->view_count;
    size_t iterations = (size_t)reference_number(from, "iterations");
    double **kernel = problem_kernels(of, OF_CENTRED_NORMALISED), *value, *u;
    problem_check_kernels(of, kernel, from);
    of_mkkm run;
    CHECK_OK(OF_NEW(&of->arena, &value, c + 1, 1));
    CHECK_OK(OF_NEW(&of->arena, &u, n, c + 1));
    CHECK_OK(of_mkkm_start(&of->arena, n, views, c, (const double *const *)kernel, NULL, &run));
    for (size_t t = 0; t < iterations; t++) {
        CHECK_OK(of_mkkm_step(&run));
        CHECK_CLOSE(run.now.objective, reference_number(from, "objective_trace.%zu", t), 1e-8, 0);
        for (size_t i = 0; i < views; i++) {
            CHECK_CLOSE(run.weight[i], reference_number(from, "weights_trace.%zu.%zu", t, i), 1e-8,
                        0);
            CHECK_CLOSE(run.cost[i], reference_number(from, "a_trace.%zu.%zu", t, i), 1e-8, 0);
        }
        CHECK_OK(of_spectral_top(of->context, n, c + 1, run.sum, value, u));
        for (size_t k = 0; k <= c; k++) {
            double want =
                reference_number(from, "eigenvalues_top_c_plus_1_per_iteration.%zu.%zu", t, k);
            CHECK_CLOSE(value[k], want, 1e-10, 0);
            if (k < c)
                CHECK_CLOSE(run.value[k], want, 1e-10, 0);
        }
    }
    problem_check_projector(from, "projector", n, c, run.vector);
}

static void check_reference(const char *set)
{
    problem_case of;
    reference *from = problem_open_reference(&of, &of_method_mkkm, set);
    check_run(&of, from);
    of_outcome outcome;
    problem_defaults(&of, &of_method_mkkm);
    problem_run(&of, &of_method_mkkm, &outcome);
    assert_int_equal(outcome.iterations, (size_t)reference_number(from, "iterations"));
    assert_true(outcome.converged);
    for (size_t i = 0; i < of.problem.dataset->view_count; i++)
        CHECK_CLOSE(outcome.views[i].weight, reference_number(from, "final_weights.%zu", i), 1e-8,
                    0);
    size_t c = of.options.clusters;
    problem_check_labels(&of, c, outcome.embedding, OF_KMEANS_SAMPLES, from, "labels");
    problem_check_labels(&of, c, outcome.embedding, OF_KMEANS_PLUSPLUS, from, "labels");
    of_arena_free(&outcome.arena);
    problem_close(&of);
    reference_close(from);
}

static void real_sets_are_as_referenced(void **state)
{
    (void)state;
    problem_check_sets(check_reference);
}

static void the_method_keeps_its_promises(void **state)
{
    (void)state;
    problem_check_promises(&of_method_mkkm, 560, 2);
}

int main(void)
{
    of_blas_enter();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_iteration_is_the_restated_one),
        cmocka_unit_test(bounded_iterations_are_the_restated_ones),
        cmocka_unit_test(the_objective_never_rises),
        cmocka_unit_test(order_and_scale_of_the_views_do_not_matter),
        cmocka_unit_test(empty_and_exhausted_views_are_sound),
        cmocka_unit_test(real_sets_are_as_referenced),
        cmocka_unit_test(the_method_keeps_its_promises),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
