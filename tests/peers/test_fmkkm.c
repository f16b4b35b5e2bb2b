/* SPDX-License-Identifier: Apache-2.0 */
#include "peers/common.h"

#include "linalg/blas.h"
#include "linalg/factor.h"
#include "method/method.h"
#include "oracle/fmkkm.h"
#include "support/check.h"
#include "support/problem.h"
#include "support/sample_kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void every_iteration_is_the_restated_one(void **state)
{
    (void)state;
    enum { N = 32, P = 3, C = 4, STEPS = 25 };
    static const double weight[3][2] = {{32, 64}, {2, 1024}, {512, 8}};
    for (int w = 0; w < 3; w++) {
        double **kernel = sample_kernels((uint64_t)w, N, P, C);
        OF_SCRATCH(scratch, NULL);
        oracle_fmkkm slow;
        of_fmkkm fast;
        oracle_fmkkm_start(&slow, N, P, C, (const double *const *)kernel, weight[w][0],
                           weight[w][1]);
        CHECK_OK(of_fmkkm_start(scratch.context, &scratch, N, P, C, (const double *const *)kernel,
                                weight[w][0], weight[w][1], &fast));
        CHECK_CLOSE(fast.part[0], slow.part[0], 1e-11, 0);
        CHECK_CLOSE(fast.part[1], slow.part[1], 1e-11, 0);
        for (int step = 0; step < STEPS; step++) {
            oracle_fmkkm_step(&slow);
            CHECK_OK(of_fmkkm_step(&fast));
            CHECK_CLOSE(fast.now.objective, slow.J, 1e-9, 0);
            assert_int_equal(fast.search.trials, slow.trials[0]);
            for (int i = 0; i < P; i++) {
                CHECK_CLOSE(fast.g[i], slow.g[i], 1e-8, 0);
                CHECK_CLOSE(fast.a[i], slow.a[i], 1e-8, 0);
                CHECK_CLOSE(fast.view[i].b, slow.b[i], 1e-8, 0);
                assert_int_equal(fast.view[i].search.trials, slow.trials[i + 1]);
            }
        }
        oracle_fmkkm_end(&slow);
        of_arena_free(&scratch);
        sample_free(P, kernel);
    }
}

static void check_orthonormal(size_t n, size_t c, const double *x, double absolute)
{
    double *gram = malloc(c * c * sizeof *gram);
    of_gemm('T', 'N', c, c, n, 1, x, n, x, n, 0, gram, c);
    for (size_t e = 0; e < c * c; e++)
        CHECK_CLOSE(gram[e], e % (c + 1) == 0, 0, absolute);
    free(gram);
}

/* The updated product is K_i X. */
static void check_product(size_t n, size_t c, const double *kernel, const double *x,
                          const double *kx, double relative)
{
    double *product = malloc(n * c * sizeof *product), most = 0;
    of_gemm('N', 'N', n, c, n, 1, kernel, n, x, n, 0, product, n);
    for (size_t e = 0; e < n * c; e++)
        most = fmax(most, fabs(product[e]));
    for (size_t e = 0; e < n * c; e++)
        CHECK_CLOSE(product[e], kx[e], 0, relative * most);
    free(product);
}

/* The objective never rises, the constraints hold, and updated products do not drift, over many
 * more iterations than a run takes. */
static void the_objective_never_rises_and_nothing_drifts(void **state)
{
    (void)state;
    enum { N = 48, P = 4, C = 4, STEPS = 300 };
    for (uint64_t seed = 20; seed < 24; seed++) {
        double **kernel = sample_kernels(seed, N, P, C), before = INFINITY;
        OF_SCRATCH(scratch, NULL);
        of_fmkkm run;
        CHECK_OK(of_fmkkm_start(scratch.context, &scratch, N, P, C, (const double *const *)kernel,
                                32, 64, &run));
        for (int step = 0; step < STEPS; step++) {
            CHECK_OK(of_fmkkm_step(&run));
            assert_true(run.now.objective <= before + 1e-12 * fabs(before));
            before = run.now.objective;
        }
        double g = 0, a = 0, b = 0;
        check_orthonormal(N, C, run.vector, 1e-12);
        for (int i = 0; i < P; i++) {
            const of_fmkkm_view *view = &run.view[i];
            check_orthonormal(N, C, view->own, 1e-12);
            check_orthonormal(C, C, view->rotation, 1e-12);
            check_product(N, C, view->kernel, run.vector, view->product, 1e-11);
            check_product(N, C, view->kernel, view->own, view->own_product, 1e-11);
            assert_true(run.g[i] >= 0 && run.a[i] >= 0 && view->b >= 0);
            g += run.g[i];
            a += run.a[i];
            b += view->b * view->b;
        }
        CHECK_CLOSE(g, 1, 0, 1e-13);
        CHECK_CLOSE(a, 1, 0, 1e-13);
        CHECK_CLOSE(b, 1, 0, 1e-13);
        of_arena_free(&scratch);
        sample_free(P, kernel);
    }
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    enum { N = 130, P = 3, C = 5 };
    double **kernel = sample_kernels(6, N, P, C), first[N * C];
    for (int threads = 1; threads <= 3; threads++) {
        onefold_context *context;
        CHECK_OK(onefold_context_create(&context, NULL));
        CHECK_OK(onefold_context_set_threads(context, threads));
        OF_SCRATCH(scratch, context);
        of_fmkkm run;
        CHECK_OK(of_fmkkm_start(context, &scratch, N, P, C, (const double *const *)kernel, 32, 64,
                                &run));
        for (int step = 0; step < 10; step++)
            CHECK_OK(of_fmkkm_step(&run));
        if (threads == 1)
            memcpy(first, run.vector, sizeof first);
        else
            assert_memory_equal(first, run.vector, sizeof first);
        of_arena_free(&scratch);
        onefold_context_free(context);
    }
    sample_free(P, kernel);
}

/* A view of zeros changes nothing but the start, where g and a are 1/views. */
static void a_view_of_zeros_has_no_part(void **state)
{
    (void)state;
    enum { N = 30, C = 3 };
    double **kernel = sample_kernels(7, N, 3, C);
    OF_SCRATCH(scratch, NULL);
    of_fmkkm run;
    memset(kernel[1], 0, N * N * sizeof **kernel);
    CHECK_OK(of_fmkkm_start(scratch.context, &scratch, N, 3, C, (const double *const *)kernel, 32,
                            64, &run));
    for (int step = 0; step < 10; step++) {
        CHECK_OK(of_fmkkm_step(&run));
        assert_true(run.g[1] == 0 && run.a[1] == 0 && run.view[1].b == 0);
        assert_true(isfinite(run.now.objective));
    }
    check_orthonormal(N, C, run.vector, 1e-12);
    of_arena_free(&scratch);
    sample_free(3, kernel);
}

static void check_weights(const of_fmkkm *run, const reference *from, size_t row, double relative)
{
    for (size_t i = 0; i < run->views; i++) {
        CHECK_CLOSE(run->g[i], reference_number(from, "g_trace.%zu.%zu", row, i), relative, 0);
        CHECK_CLOSE(run->a[i], reference_number(from, "a_trace.%zu.%zu", row, i), relative, 0);
        CHECK_CLOSE(run->view[i].b, reference_number(from, "b_trace.%zu.%zu", row, i), relative, 0);
    }
}

/* The eigenvalues of H'K_gH. */
static void check_ritz_values(of_context *context, const of_fmkkm *run, const reference *from)
{
    size_t n = run->samples, c = run->clusters;
    double *inner = calloc(c * c, sizeof *inner), *value = malloc(c * sizeof *value);
    for (size_t i = 0; i < run->views; i++)
        of_gemm('T', 'N', c, c, n, run->g[i] * run->g[i], run->vector, n, run->view[i].product, n,
                1, inner, c);
    CHECK_OK(of_eigh(context, c, inner, value));
    for (size_t k = 0; k < c; k++)
        CHECK_CLOSE(value[k], reference_number(from, "ritz_values_of_final_K_g_on_H.%zu", k), 1e-8,
                    1e-8);
    free(inner);
    free(value);
}

static void check_run(problem_case *of, const reference *from, double relative)
{
    size_t n = of->problem.dataset->samples, c = of->options.clusters, row = 0;
    size_t views = of->problem.dataset->view_count;
    double **kernel = problem_kernels(of, OF_CENTRED_NORMALISED);
    of_fmkkm run;
    problem_check_kernels(of, kernel, from);
    CHECK_OK(of_fmkkm_start(of->context, &of->arena, n, views, c, (const double *const *)kernel,
                            reference_number(from, "settings.l1"),
                            reference_number(from, "settings.l2"), &run));
    for (size_t i = 0; i < 2; i++)
        CHECK_CLOSE(run.part[i], reference_number(from, "start_parts_first_two.%zu", i), relative,
                    0);
    size_t iterations = (size_t)reference_number(from, "iterations");
    for (size_t t = 0; t < iterations; t++) {
        CHECK_OK(of_fmkkm_step(&run));
        CHECK_CLOSE(run.now.objective, reference_number(from, "objective_trace.%zu", t), relative,
                    0);
        for (size_t i = 0; i < 3; i++)
            CHECK_CLOSE(run.part[i], reference_number(from, "objective_parts_trace.%zu.%zu", t, i),
                        relative, 0);
        assert_int_equal(run.search.trials,
                         (size_t)reference_number(from, "line_search_trials_trace.%zu.0", t));
        for (size_t i = 0; i < views; i++)
            assert_int_equal(
                run.view[i].search.trials,
                (size_t)reference_number(from, "line_search_trials_trace.%zu.%zu", t, i + 1));
        if (row < reference_length(from, "weights_at_iterations") &&
            (size_t)reference_number(from, "weights_at_iterations.%zu", row) == t + 1)
            check_weights(&run, from, row++, relative);
    }
    assert_int_equal(row, reference_length(from, "weights_at_iterations"));
    check_ritz_values(of->context, &run, from);
    problem_check_projector(from, "projector", n, c, run.vector);
    problem_check_projector(from, "projector_view_1", n, c, run.view[0].own);
}

static void check_reference(const char *set)
{
    double relative = strcmp(set, "liver") == 0 ? 1e-6 : 1e-8;
    problem_case of;
    reference *from = problem_open_reference(&of, &of_method_fmkkm, set);
    check_run(&of, from, relative);
    of_outcome outcome;
    problem_defaults(&of, &of_method_fmkkm);
    problem_run(&of, &of_method_fmkkm, &outcome);
    assert_int_equal(outcome.iterations, (size_t)reference_number(from, "iterations"));
    assert_int_equal(outcome.converged, reference_true(from, "converged"));
    for (size_t i = 0; i < of.problem.dataset->view_count; i++)
        CHECK_CLOSE(outcome.views[i].weight, reference_number(from, "final_g.%zu", i), relative, 0);
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
    problem_check_promises(&of_method_fmkkm, 560, 2);
}

int main(void)
{
    of_blas_enter();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_iteration_is_the_restated_one),
        cmocka_unit_test(the_objective_never_rises_and_nothing_drifts),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(a_view_of_zeros_has_no_part),
        cmocka_unit_test(real_sets_are_as_referenced),
        cmocka_unit_test(the_method_keeps_its_promises),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
