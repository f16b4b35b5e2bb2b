/* SPDX-License-Identifier: Apache-2.0 */
#include "oracle/plain_eigen.h"
#include "peers/common.h"
#include "support/check.h"
#include "support/problem.h"
#include "support/sample_kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { P = 3 };

/* Restated: the weighted mean kernel's leading eigenvectors by Jacobi, rows to unit length. */
static void check_mean(const of_beta_bounds *bounds, const double *weight)
{
    enum { N = 40, C = 4 };
    double **given = sample_raw_kernels(1, N, P, C), **kernel = sample_kernels(1, N, P, C);
    double mean[N * N] = {0}, value[C], u[N * C];
    problem_case of;
    of_outcome outcome;
    problem_of_kernels(&of, N, P, (const double *const *)given, C, 2);
    problem_defaults(&of, &of_method_avg_kkm);
    of.problem.bounds = bounds;
    problem_run(&of, &of_method_avg_kkm, &outcome);
    double trace = 0;
    for (int i = 0; i < P; i++)
        for (int e = 0; e < N * N; e++)
            mean[e] += kernel[i][e] * weight[i];
    plain_eigen_top(N, C, mean, value, u);
    for (int j = 0; j < N; j++)
        trace += mean[j + j * N];
    CHECK_CLOSE(outcome.objective, trace - value[0] - value[1] - value[2] - value[3], 1e-12, 0);
    /* unit rows differ by a rotation at most: their inner products do not */
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double want = 0, a = 0, b = 0, got = 0;
            for (int k = 0; k < C; k++) {
                want += u[i + k * N] * u[j + k * N];
                a += u[i + k * N] * u[i + k * N];
                b += u[j + k * N] * u[j + k * N];
                got += outcome.embedding[k + i * C] * outcome.embedding[k + j * C];
            }
            CHECK_CLOSE(got, want / sqrt(a * b), 0, 1e-10);
        }
    assert_int_equal(outcome.iterations, 1);
    assert_true(outcome.converged && outcome.embedding_rows);
    for (int i = 0; i < P; i++)
        CHECK_CLOSE(outcome.views[i].weight, weight[i], 1e-15, 0);
    of_arena_free(&outcome.arena);
    problem_close(&of);
    sample_free(P, given);
    sample_free(P, kernel);
}

static void the_embedding_is_that_of_the_mean_kernel(void **state)
{
    (void)state;
    static const double alike[P] = {1.0 / P, 1.0 / P, 1.0 / P};
    check_mean(NULL, alike);
}

/* Weights that are not fixed are equal, within bounds. */
static void weights_may_be_fixed_or_bounded(void **state)
{
    (void)state;
    static const double lower[P] = {0.5, 0, 0}, upper[P] = {0.5, 1, 0.1}, want[P] = {0.5, 0.4, 0.1};
    const of_beta_bounds bounds = {lower, upper};
    check_mean(&bounds, want);
}

static void check_reference(const char *set)
{
    problem_case of;
    reference *from = problem_open_reference(&of, &of_method_avg_kkm, set);
    size_t n = of.problem.dataset->samples, c = of.options.clusters;
    double **kernel = problem_kernels(&of, OF_CENTRED_NORMALISED), *mean = kernel[0], *value, *u;
    problem_check_kernels(&of, kernel, from);
    CHECK_OK(OF_NEW(&of.arena, &value, c + 1, 1));
    CHECK_OK(OF_NEW(&of.arena, &u, n, c + 1));
    size_t views = of.problem.dataset->view_count;
    double square = 0;
    for (size_t e = 0; e < n * n; e++) {
        for (size_t i = 1; i < views; i++)
            mean[e] += kernel[i][e];
        mean[e] /= (double)views;
        square += mean[e] * mean[e];
    }
    CHECK_CLOSE(sqrt(square), reference_number(from, "frobenius"), 1e-10, 0);
    CHECK_OK(of_spectral_top(of.context, n, c + 1, mean, value, u));
    for (size_t i = 0; i <= c; i++)
        CHECK_CLOSE(value[i], reference_number(from, "eigenvalues_top_c_plus_1.%zu", i), 1e-10, 0);
    problem_check_projector(from, "projector", n, c, u);

    of_outcome outcome;
    problem_defaults(&of, &of_method_avg_kkm);
    problem_run(&of, &of_method_avg_kkm, &outcome);
    CHECK_CLOSE(outcome.objective, reference_number(from, "objective_trace_minus_top_c"), 1e-8, 0);
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

/* ProteinFold with linear kernels: ACC, NMI and purity that published code gives on this file. */
static void real_protein_folds_score_as_published_code_does(void **state)
{
    (void)state;
    problem_case of;
    if (!problem_open(&of, "data/proteinfold/ProteinFold.mat", OF_KERNEL_LINEAR, 2))
        skip();
    static const double want[3] = {0.297, 0.402, 0.369};
    double mean[4];
    of_outcome outcome;
    problem_defaults(&of, &of_method_avg_kkm);
    problem_run(&of, &of_method_avg_kkm, &outcome);
    problem_scores(&of, of.options.clusters, outcome.embedding, OF_KMEANS_SAMPLES, mean);
    for (int s = 0; s < 3; s++)
        CHECK_CLOSE(mean[s], want[s], 0, 0.015);
    of_arena_free(&outcome.arena);
    problem_close(&of);
}

static void views_that_are_all_alike_are_refused(void **state)
{
    (void)state;
    enum { N = 12 };
    double ones[N * N];
    for (int e = 0; e < N * N; e++)
        ones[e] = 1;
    const double *kernel[2] = {ones, ones};
    problem_case of;
    problem_of_kernels(&of, N, 2, kernel, 3, 1);
    problem_defaults(&of, &of_method_avg_kkm);
    of_outcome outcome = {.arena = of_arena_make(of.context)};
    CHECK_FAILS(of_method_avg_kkm.run(of.context, &of.problem, &outcome), ONEFOLD_BAD_DATA,
                "no view distinguishes any two samples");
    of_arena_free(&outcome.arena);
    problem_close(&of);
}

static void the_method_keeps_its_promises(void **state)
{
    (void)state;
    problem_check_promises(&of_method_avg_kkm, 560, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_embedding_is_that_of_the_mean_kernel),
        cmocka_unit_test(weights_may_be_fixed_or_bounded),
        cmocka_unit_test(real_sets_are_as_referenced),
        cmocka_unit_test(real_protein_folds_score_as_published_code_does),
        cmocka_unit_test(views_that_are_all_alike_are_refused),
        cmocka_unit_test(the_method_keeps_its_promises),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
