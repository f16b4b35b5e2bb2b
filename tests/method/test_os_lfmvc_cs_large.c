/* SPDX-License-Identifier: Apache-2.0 */
/* Restarts at large n: the best restart of the sample is finished on all samples, in double or
 * single precision, and finds what a run from the true labels finds. */
#include "method/os_lfmvc_cs.h"

#include "linalg/factor.h"
#include "support/check.h"
#include "support/paper_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 140000, P = 2, K = 8, MU = 4, PK = P * K };

/* Two noisy partitions of N samples in four clusters, rows orthonormal: PK x N. Half of the rows
 * are noise alone. */
static double *partitions(void)
{
    double *X = malloc(N * PK * sizeof *X), *one = malloc(N * K * sizeof *one);
    for (size_t v = 0; v < P; v++) {
        check_random(11, v, N, K, one); /* N x K, to be made orthonormal by columns */
        for (size_t j = 0; j < N; j++)
            one[j + (j % MU) * N] += 3;
        CHECK_OK(of_qr(of_context_or_default(NULL), N, K, one, NULL));
        for (size_t j = 0; j < N; j++)
            for (size_t r = 0; r < K; r++)
                X[j * PK + v * K + r] = one[j + r * N];
    }
    free(one);
    return X;
}

/* The share of samples that agree when each cluster of `one` gets its most frequent label in
 * `other`. */
static double agreement(const int32_t *one, const int32_t *other)
{
    size_t count[MU][MU] = {{0}}, right = 0;
    for (size_t j = 0; j < N; j++)
        count[one[j]][other[j]]++;
    for (size_t c = 0; c < MU; c++) {
        size_t most = 0;
        for (size_t l = 0; l < MU; l++)
            most = count[c][l] > most ? count[c][l] : most;
        right += most;
    }
    return (double)right / N;
}

static int32_t *true_labels(void)
{
    int32_t *labels = malloc(N * sizeof *labels);
    for (size_t j = 0; j < N; j++)
        labels[j] = (int32_t)(j % MU);
    return labels;
}

static void the_winner_of_the_sample_is_finished_on_all(void **state)
{
    (void)state;
    OF_SCRATCH(arena, NULL);
    double *X = partitions();
    int32_t *labels = true_labels();
    of_stack stack = of_stack_double(X, PK, N);
    onefold_fit_options options = solver_options();
    of_cs_problem problem = {&stack, P, K, K, MU, &options, NULL};
    of_cs_result large, truth;
    assert_true(of_cs_sample_size(N) < N && of_cs_sample_size(32769) == 32768 &&
                of_cs_sample_size(32768) == 32768);
    CHECK_OK(of_cs_run(arena.context, &arena, &problem, NULL, NULL, &large));
    assert_int_equal(large.restarts, 10);
    assert_true(agreement(labels, large.labels) > 0.95);
    const of_cs_end *best = &large.end[large.best_restart];
    assert_int_equal(best->clusters_used, MU);
    CHECK_CLOSE(large.trace[best->iterations - 1], best->J, 0, 0);
    for (size_t t = 1; t < best->iterations; t++)
        assert_true(large.trace[t] >= large.trace[t - 1] * (1 - 1e-12));

    of_cs_given given = {.labels = labels};
    CHECK_OK(of_cs_run(arena.context, &arena, &problem, &given, NULL, &truth));
    CHECK_CLOSE(best->J, truth.end[0].J, 1e-4, 0);
    free(labels);
    free(X);
}

/* A run on many samples ends when next to no label changes. Further iterations until J converges
 * raise J by little and change next to no label. */
static void a_settled_run_is_where_it_would_end(void **state)
{
    (void)state;
    OF_SCRATCH(arena, NULL);
    double *X = partitions();
    of_stack stack = of_stack_double(X, PK, N);
    onefold_fit_options options = solver_options(), patient = solver_options();
    of_cs_problem problem = {&stack, P, K, K, MU, &options, NULL},
                  on = {&stack, P, K, K, MU, &patient, NULL};
    of_cs_result settled, rested;
    CHECK_OK(of_cs_run(arena.context, &arena, &problem, NULL, NULL, &settled));
    const of_cs_end *best = &settled.end[settled.best_restart];
    double change = settled.trace[best->iterations - 1] - settled.trace[best->iterations - 2];
    assert_true(best->converged && change <= 1e-5 * best->J);
    patient.tolerance = 1e-10;
    patient.max_iterations = 300;
    of_cs_given given = {.W = settled.W, .beta = settled.beta, .labels = settled.labels};
    CHECK_OK(of_cs_run(arena.context, &arena, &on, &given, NULL, &rested));
    assert_true(rested.end[0].iterations > best->iterations);
    assert_true(rested.end[0].J >= best->J * (1 - 1e-12));
    CHECK_CLOSE(rested.end[0].J, best->J, 1e-4, 0);
    size_t moved = 0;
    for (size_t j = 0; j < N; j++)
        moved += rested.labels[j] != settled.labels[j];
    printf("settled after %zu iterations, at rest %zu later; %zu samples of %d moved\n",
           best->iterations, rested.end[0].iterations, moved, N);
    assert_true(moved <= N / 1000);
    free(X);
}

static void bits_do_not_depend_on_threads_and_labels_hardly_on_precision(void **state)
{
    (void)state;
    double *X = partitions();
    float *single = malloc(N * PK * sizeof *single);
    for (size_t i = 0; i < N * PK; i++)
        single[i] = (float)X[i];
    int32_t *first = malloc(N * sizeof *first);
    double J = 0;
    for (int run = 0; run < 4; run++) { /* 1, 2, 3 threads in double, then single */
        onefold_context *context = NULL;
        CHECK_OK(onefold_context_create(&context, NULL));
        CHECK_OK(onefold_context_set_threads(context, run + 1));
        {
            OF_SCRATCH(arena, context);
            of_stack stack = of_stack_double(X, PK, N);
            if (run == 3) {
                stack.type = OF_STACK_SINGLE;
                stack.data = single;
            }
            onefold_fit_options options = solver_options();
            options.restarts = 2;
            options.max_iterations = 20;
            of_cs_problem problem = {&stack, P, K, K, MU, &options, NULL};
            of_cs_result result;
            CHECK_OK(of_cs_run(context, &arena, &problem, NULL, NULL, &result));
            if (run == 0) {
                memcpy(first, result.labels, N * sizeof *first);
                J = result.end[result.best_restart].J;
            } else if (run < 3) {
                assert_memory_equal(result.labels, first, N * sizeof *first);
                assert_true(result.end[result.best_restart].J == J);
            } else {
                assert_true(agreement(first, result.labels) >= 0.999);
            }
        }
        onefold_context_free(context);
    }
    free(X);
    free(single);
    free(first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_winner_of_the_sample_is_finished_on_all),
        cmocka_unit_test(a_settled_run_is_where_it_would_end),
        cmocka_unit_test(bits_do_not_depend_on_threads_and_labels_hardly_on_precision),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
