/* SPDX-License-Identifier: Apache-2.0 */

#include "linalg/blas.h"
#include "oracle/plain.h"
#include "oracle/rmsc.h"
#include "peers/common.h"
#include "support/check.h"
#include "support/problem.h"
#include "support/sample_kernels.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A run with the usual penalty, started. */
static of_rmsc start(of_context *context, of_arena *arena, size_t n, size_t views,
                     double *const *walk, double lambda)
{
    of_rmsc run = {.now.context = context,
                   .samples = n,
                   .views = views,
                   .transition = walk,
                   .lambda = lambda,
                   .penalty = 1e-3,
                   .growth = 1.9};
    CHECK_OK(of_rmsc_start(arena, &run));
    return run;
}

/* Transition matrices, transposed, in place of made kernels. */
static double **made_walks(uint64_t seed, size_t n, size_t views, size_t clusters)
{
    double **kernel = sample_raw_kernels(seed, n, views, clusters);
    for (size_t i = 0; i < views; i++)
        CHECK_OK(of_rmsc_transition(of_context_or_default(NULL), n, kernel[i]));
    return kernel;
}

/* The largest |P - Q|. */
static double gap_of(const of_rmsc *run)
{
    double largest = 0;
    for (size_t i = 0; i < run->samples * run->samples; i++)
        largest = fmax(largest, fabs(run->p[i] - run->q[i]));
    return largest;
}

static void every_iteration_is_the_restated_one(void **state)
{
    (void)state;
    enum { N = 24, P = 3, STEPS = 32 };
    static const double lambda[3] = {0.005, 0.05, 0.5};
    for (int l = 0; l < 3; l++) {
        double **walk = made_walks((uint64_t)l, N, P, 3), *plain[P];
        for (int i = 0; i < P; i++)
            plain[i] = plain_flip(N, N, walk[i]);
        OF_SCRATCH(scratch, NULL);
        oracle_rmsc slow;
        oracle_rmsc_start(&slow, N, P, (const double *const *)plain, lambda[l], 1e-3, 1.9);
        of_rmsc fast = start(scratch.context, &scratch, N, P, walk, lambda[l]);
        for (int step = 0; step < STEPS; step++) {
            oracle_rmsc_step(&slow);
            CHECK_OK(of_rmsc_step(&fast));
            assert_true(fast.now.objective == fast.nuclear + lambda[l] * fast.error);
            CHECK_CLOSE(fast.now.objective, slow.nuclear_Q + lambda[l] * slow.error, 1e-9, 1e-13);
            assert_int_equal(fast.rank, slow.rank);
            CHECK_CLOSE(fast.residual, slow.residual, 1e-6, 1e-12);
            CHECK_CLOSE(gap_of(&fast), slow.gap, 1e-6, 1e-11);
            for (int i = 0; i < N; i++)
                for (int j = 0; j < N; j++)
                    CHECK_CLOSE(fast.p[j + i * N], slow.P[i + j * N], 0, 1e-11);
        }
        oracle_rmsc_end(&slow);
        of_arena_free(&scratch);
        for (int i = 0; i < P; i++)
            free(plain[i]);
        sample_free(P, walk);
    }
}

/* The constraints hold in every iteration, the multipliers stay within lambda, and the residuals
 * die out. */
static void constraints_hold_and_residuals_vanish(void **state)
{
    (void)state;
    enum { N = 60, P = 4 };
    double **walk = made_walks(9, N, P, 4);
    OF_SCRATCH(scratch, NULL);
    of_rmsc run = start(scratch.context, &scratch, N, P, walk, 0.02);
    for (int step = 0; step < 40; step++) {
        CHECK_OK(of_rmsc_step(&run));
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int i = 0; i < N; i++) {
                assert_true(run.p[i + j * N] >= 0);
                sum += run.p[i + j * N];
            }
            CHECK_CLOSE(sum, 1, 0, 1e-13);
        }
        for (int i = 0; i < P; i++)
            for (int e = 0; e < N * N; e++)
                assert_true(fabs(run.multiplier[i][e]) <= run.lambda * (1 + 1e-6));
    }
    assert_true(run.residual < 1e-8);
    assert_true(gap_of(&run) < 1e-7);
    assert_true(run.penalty == 1e-3 * pow(1.9, 40) ||
                fabs(run.penalty / (1e-3 * pow(1.9, 40)) - 1) < 1e-12);
    of_arena_free(&scratch);
    sample_free(P, walk);
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    enum { N = 150, P = 3 };
    double **walk = made_walks(11, N, P, 4), *first = malloc(2 * N * N * sizeof *first);
    for (int threads = 1; threads <= 3; threads++) {
        onefold_context *context;
        CHECK_OK(onefold_context_create(&context, NULL));
        CHECK_OK(onefold_context_set_threads(context, threads));
        OF_SCRATCH(scratch, context);
        of_rmsc run = start(context, &scratch, N, P, walk, 0.005);
        for (int step = 0; step < 25; step++)
            CHECK_OK(of_rmsc_step(&run));
        if (threads == 1) {
            memcpy(first, run.p, N * N * sizeof *first);
            memcpy(first + N * N, run.q, N * N * sizeof *first);
        } else {
            assert_memory_equal(first, run.p, N * N * sizeof *first);
            assert_memory_equal(first + N * N, run.q, N * N * sizeof *first);
        }
        of_arena_free(&scratch);
        onefold_context_free(context);
    }
    free(first);
    sample_free(P, walk);
}

static void transitions_are_rows_over_their_sums(void **state)
{
    (void)state;
    /* symmetric; the last sample is like no other; the least entry of the second is negative */
    double plain[9] = {2, 1, 0, 1, 3, 0, 0, 0, 0}, shifted[9] = {2, -1, 0, -1, 3, 1, 0, 1, 4};
    of_context *context = of_context_or_default(NULL);
    CHECK_OK(of_rmsc_transition(context, 3, plain));
    static const double want[9] = {2 / 3.0, 1 / 3.0, 0, 0.25, 0.75, 0, 1 / 3.0, 1 / 3.0, 1 / 3.0};
    for (int e = 0; e < 9; e++)
        CHECK_CLOSE(plain[e], want[e], 0, 1e-16);
    CHECK_OK(of_rmsc_transition(context, 3, shifted));
    static const double moved[9] = {3 / 4.0, 0,       1 / 4.0, 0,      4 / 6.0,
                                    2 / 6.0, 1 / 8.0, 2 / 8.0, 5 / 8.0};
    for (int e = 0; e < 9; e++)
        CHECK_CLOSE(shifted[e], moved[e], 0, 1e-16);
}

static void the_stationary_vector_is_where_walks_tend_to(void **state)
{
    (void)state;
    enum { N = 50 };
    for (uint64_t seed = 0; seed < 3; seed++) {
        double **walk = made_walks(seed, N, 1, 3), pi[N], want[N];
        double *plain = plain_flip(N, N, walk[0]);
        CHECK_OK(of_rmsc_stationary(of_context_or_default(NULL), N, walk[0], pi));
        oracle_rmsc_stationary(N, plain, want);
        for (int i = 0; i < N; i++)
            CHECK_CLOSE(pi[i], want[i], 1e-10, 0);
        double *l = plain_new(N, N), *literal = oracle_rmsc_laplacian(N, plain, want);
        CHECK_OK(of_rmsc_laplacian(of_context_or_default(NULL), N, walk[0], pi, l));
        for (int e = 0; e < N * N; e++)
            CHECK_CLOSE(l[e], literal[e], 0, 1e-12);
        free(l);
        free(literal);
        free(plain);
        sample_free(1, walk);
    }
}

/* Two closed classes and a transient sample: a walk from the uniform distribution ends in the pair
 * with probability 1/2 + 1/16. */
static void several_stationary_vectors_give_the_even_start(void **state)
{
    (void)state;
    /* rows: 1 <-> 2, 3 -> 3, 4 -> 1 or 3 with chance 1/4 and 3/4 */
    double walk[16] = {0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0.25, 0, 0.75, 0}, pi[4], l[16];
    static const double want[4] = {0.28125, 0.28125, 0.4375, 0};
    CHECK_OK(of_rmsc_stationary(of_context_or_default(NULL), 4, walk, pi));
    for (int i = 0; i < 4; i++)
        CHECK_CLOSE(pi[i], want[i], 0, 1e-6);
    CHECK_OK(of_rmsc_laplacian(of_context_or_default(NULL), 4, walk, want, l));
    /* a zero in pi: (Pi P + P'Pi) / 2, without a division */
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            CHECK_CLOSE(l[i + j * 4], (want[i] * walk[j + i * 4] + want[j] * walk[i + j * 4]) / 2,
                        0, 1e-16);
}

/* ---- reference numbers --------------------------------------------------------------------- */

static double nuclear_norm(size_t n, const double *a, double *values)
{
    double *copy = plain_copy(n, n, a), sum = 0, none[1];
    lapack_int side = (lapack_int)n;
    assert_int_equal(
        LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'N', side, side, copy, side, values, none, 1, none, 1), 0);
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    free(copy);
    return sum;
}

static void check_iteration(const of_rmsc *run, const reference *from, size_t which, size_t t)
{
    char place[32];
    snprintf(place, sizeof place, "runs.%zu", which);
    double *values = plain_new(run->samples, 1);
    double nuclear = nuclear_norm(run->samples, run->p, values);
    struct {
        const char *name;
        double value, relative, absolute;
    } want[] = {
        {"residual_trace", run->residual, 1e-4, 1e-9},
        {"max_abs_P_minus_Q_trace", gap_of(run), 1e-4, 1e-9},
        {"frobenius_P_trace", plain_frobenius(run->samples, run->samples, run->p), 1e-8, 0},
        {"nuclear_P_trace", nuclear, 1e-8, 0},
        {"lambda_sum_abs_E_trace", run->lambda * run->error, 1e-8, 1e-14},
        {"nuclear_Q_trace", run->nuclear, 1e-8, 0},
    };
    for (size_t w = 0; w < sizeof want / sizeof *want; w++)
        CHECK_CLOSE(want[w].value, reference_number(from, "%s.%s.%zu", place, want[w].name, t),
                    want[w].relative, want[w].absolute);
    CHECK_CLOSE((double)run->rank, reference_number(from, "%s.rank_Q_trace.%zu", place, t), 0, 1);
    free(values);
}

/* U' (c x n) with unit columns; new memory. */
static double *unit_rows(size_t n, size_t c, const double *u)
{
    double *rows = plain_flip(n, c, u);
    for (size_t j = 0; j < n; j++)
        cblas_dscal((int)c, 1 / cblas_dnrm2((int)c, rows + j * c, 1), rows + j * c, 1);
    return rows;
}

static void check_walk(problem_case *of, const of_rmsc *run, const reference *from, size_t which)
{
    size_t n = run->samples, c = of->options.clusters, zeros = 0;
    double *pi = plain_new(n, 1), *l = plain_new(n, n), *value = plain_new(n, 1),
           *u = plain_new(n, c + 1), least = 1, most = 0;
    char place[64];
    nuclear_norm(n, run->p, value);
    for (size_t k = 0; k <= c; k++)
        CHECK_CLOSE(value[k],
                    reference_number(from, "runs.%zu.final_singular_values_of_P_top_c_plus_1.%zu",
                                     which, k),
                    1e-8, 0);
    for (size_t e = 0; e < n * n; e++)
        zeros += run->p[e] == 0;
    assert_int_equal(zeros, (size_t)reference_number(from, "runs.%zu.zero_entries_of_P", which));
    CHECK_OK(of_rmsc_stationary(of->context, n, run->p, pi));
    for (size_t i = 0; i < 10; i++) {
        CHECK_CLOSE(run->p[i],
                    reference_number(from, "runs.%zu.P_first_row_first_10.%zu", which, i), 0, 1e-8);
        CHECK_CLOSE(pi[i], reference_number(from, "runs.%zu.stationary_first_10.%zu", which, i), 0,
                    1e-8);
    }
    for (size_t i = 0; i < n; i++) {
        least = fmin(least, pi[i]);
        most = fmax(most, pi[i]);
    }
    CHECK_CLOSE(least, reference_number(from, "runs.%zu.stationary_min", which), 0, 1e-8);
    CHECK_CLOSE(most, reference_number(from, "runs.%zu.stationary_max", which), 0, 1e-8);
    CHECK_OK(of_rmsc_laplacian(of->context, n, run->p, pi, l));
    CHECK_OK(of_spectral_top(of->context, n, c + 1, l, value, u));
    for (size_t k = 0; k <= c; k++)
        CHECK_CLOSE(value[k],
                    reference_number(from, "runs.%zu.eigenvalues_top_c_plus_1_of_L.%zu", which, k),
                    1e-10, 1e-10);
    if (reference_has(from, "runs.%zu.eigenvalues_top_c_plus_1_of_D_scaled_L", which)) {
        CHECK_OK(of_affinity_normalise(of->context, n, 0, l));
        CHECK_OK(of_spectral_top(of->context, n, c + 1, l, value, u));
        for (size_t k = 0; k <= c; k++)
            CHECK_CLOSE(value[k],
                        reference_number(
                            from, "runs.%zu.eigenvalues_top_c_plus_1_of_D_scaled_L.%zu", which, k),
                        1e-10, 1e-10);
    }
    snprintf(place, sizeof place, "runs.%zu.projector", which);
    problem_check_projector(from, place, n, c, u);
    snprintf(place, sizeof place, "runs.%zu.labels", which);
    double *rows = unit_rows(n, c, u);
    problem_check_labels(of, c, rows, OF_KMEANS_SAMPLES, from, place);
    problem_check_labels(of, c, rows, OF_KMEANS_PLUSPLUS, from, place);
    free(rows);
    free(pi);
    free(l);
    free(value);
    free(u);
}

/* Where no tolerance is given it is the published one. */
static void the_tolerance_is_the_published_one(void **state)
{
    (void)state;
    size_t iterations[2];
    onefold_dataset *data = NULL;
    onefold_synth_options made = ONEFOLD_SYNTH_OPTIONS_INIT;
    made.samples = 40;
    made.clusters = 3;
    CHECK_OK(onefold_dataset_synth(&data, NULL, &made));
    for (int given = 0; given < 2; given++) {
        onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
        onefold_result *result = NULL;
        options.clusters = 3;
        options.method = "rmsc";
        options.method_options = given ? "tol=1e-6" : NULL;
        CHECK_OK(onefold_fit(&result, NULL, data, &options));
        const onefold_fit_info *info = onefold_result_describe(result);
        iterations[given] = info->iterations;
        onefold_result_free(result);
    }
    assert_int_equal(iterations[0], iterations[1]);
    onefold_dataset_free(data);
}

/* The matrices of a run: preprocessed kernels less their least entry, kernels as they are, or
 * preprocessed kernels as they are. */
static double **input_of(problem_case *of, const char *input)
{
    int raw = strcmp(input, "raw") == 0, is_signed = strcmp(input, "signed") == 0;
    double **kernel = problem_kernels(of, raw ? OF_RAW : OF_CENTRED_NORMALISED);
    for (size_t i = 0; i < of->problem.dataset->view_count && !is_signed; i++)
        CHECK_OK(of_rmsc_transition(of->context, of->problem.dataset->samples, kernel[i]));
    return kernel;
}

/* The method, on its own input, has the result of the steps. */
static void check_method(problem_case *of, const of_rmsc *run, double lambda, int is_signed)
{
    size_t n = run->samples, c = of->options.clusters;
    of_outcome outcome;
    problem_defaults(of, &of_method_rmsc);
    problem_set(of, &of_method_rmsc, "input", is_signed);
    problem_set(of, &of_method_rmsc, "lambda", lambda);
    problem_run(of, &of_method_rmsc, &outcome);
    assert_int_equal(outcome.iterations, run->now.iteration);
    assert_true(outcome.converged);
    assert_true(outcome.objective == run->nuclear + lambda * run->error);
    assert_true(outcome.trace[outcome.iterations - 1] == outcome.objective);
    double *pi = plain_new(n, 1), *l = plain_new(n, n), *value = plain_new(c, 1),
           *u = plain_new(n, c);
    CHECK_OK(of_rmsc_stationary(of->context, n, run->p, pi));
    CHECK_OK(of_rmsc_laplacian(of->context, n, run->p, pi, l));
    if (is_signed)
        CHECK_OK(of_affinity_normalise(of->context, n, 0, l));
    CHECK_OK(of_spectral_top(of->context, n, c, l, value, u));
    double *rows = unit_rows(n, c, u);
    for (size_t e = 0; e < n * c; e++)
        CHECK_CLOSE(outcome.embedding[e], rows[e], 0, 1e-14);
    of_arena_free(&outcome.arena);
    free(pi);
    free(l);
    free(value);
    free(u);
    free(rows);
}

static void check_run(problem_case *of, const reference *from, size_t which)
{
    const char *input = reference_text(from, "runs.%zu.input", which);
    size_t iterations = (size_t)reference_number(from, "runs.%zu.iterations", which);
    of_rmsc run = {.now.context = of->context,
                   .samples = of->problem.dataset->samples,
                   .views = of->problem.dataset->view_count,
                   .transition = input_of(of, input),
                   .lambda = reference_number(from, "runs.%zu.settings.lambda", which),
                   .penalty = reference_number(from, "runs.%zu.settings.u_0", which),
                   .growth = reference_number(from, "runs.%zu.settings.factor", which),
                   .tolerance = reference_number(from, "runs.%zu.settings.tolerance", which)};
    assert_true(reference_number(from, "runs.%zu.settings.u_max", which) == 1e10);
    CHECK_OK(of_rmsc_start(&of->arena, &run));
    for (size_t t = 0; t < iterations; t++) {
        CHECK_OK(of_rmsc_step(&run));
        check_iteration(&run, from, which, t);
        assert_int_equal(run.now.converged, t + 1 == iterations);
    }
    check_walk(of, &run, from, which);
    if (strcmp(input, "shifted") != 0 && run.samples < 200)
        check_method(of, &run, run.lambda, strcmp(input, "signed") == 0);
}

static void check_reference(const char *set)
{
    problem_case of;
    reference *from = problem_open_reference(&of, &of_method_rmsc, set);
    assert_int_equal(reference_length(from, "runs"), 4);
    for (size_t which = 0; which < 4; which++)
        check_run(&of, from, which);
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
    problem_check_promises(&of_method_rmsc, 200, 3);
}

int main(void)
{
    of_blas_enter();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tolerance_is_the_published_one),
        cmocka_unit_test(every_iteration_is_the_restated_one),
        cmocka_unit_test(constraints_hold_and_residuals_vanish),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(transitions_are_rows_over_their_sums),
        cmocka_unit_test(the_stationary_vector_is_where_walks_tend_to),
        cmocka_unit_test(several_stationary_vectors_give_the_even_start),
        cmocka_unit_test(real_sets_are_as_referenced),
        cmocka_unit_test(the_method_keeps_its_promises),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
