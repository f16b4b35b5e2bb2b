/* SPDX-License-Identifier: Apache-2.0 */
/* Problems for methods, and what is compared with reference numbers in the same way everywhere. */
#include "support/problem.h"
#include "support/ask.h"
#include "support/paper_options.h"
#include "support/rates.h"

#include "data/dataset.h"
#include "linalg/blas.h"
#include "method/base_stage.h"
#include "support/check.h"
#include "support/sample_kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void finish(problem_case *of, size_t clusters, of_kernel_kind kind)
{
    const of_dataset *dataset = &of->dataset->set;
    of_kernel *kernels;
    of_blas_enter();
    of->arena = of_arena_make(of->context);
    of->options = paper_options();
    of->options.clusters = clusters;
    of->options.dims = of->options.anchors = 2 * clusters;
    CHECK_OK(OF_NEW(&of->arena, &kernels, dataset->view_count, 1));
    for (size_t i = 0; i < dataset->view_count; i++)
        CHECK_OK(of_kernel_make(of->context, &of->arena, &dataset->views[i], kind, &kernels[i]));
    of->problem = (of_problem){
        .dataset = dataset, .kernels = kernels, .options = &of->options, .own = of->own};
    CHECK_OK(of_base_stage_decide(&of->arena, &of->problem));
}

int problem_open(problem_case *of, const char *path, of_kernel_kind kind, int threads)
{
    const char *full = check_shared(path);
    if (!full)
        return 0;
    memset(of, 0, sizeof *of);
    CHECK_OK(onefold_context_create(&of->context, NULL));
    CHECK_OK(onefold_context_set_threads(of->context, threads));
    onefold_status status = onefold_dataset_read(&of->dataset, of->context, &full, 1, NULL);
    if (status == ONEFOLD_UNSUPPORTED) {
        printf("skipped: %s: %s\n", path, onefold_last_error());
        onefold_context_free(of->context);
        return 0;
    }
    CHECK_OK(status);
    finish(of, onefold_dataset_describe(of->dataset)->classes, kind);
    return 1;
}

reference *problem_open_reference(problem_case *of, const of_method *method, const char *set)
{
    char data[64], numbers[64];
    snprintf(data, sizeof data, "data/kernels/%s_Kmatrix.mat", set);
    snprintf(numbers, sizeof numbers, "%s-%s.json", method->name, set);
    reference *from = reference_open(numbers);
    if (!from)
        skip();
    if (!problem_open(of, data, OF_KERNEL_PRECOMPUTED, 2)) {
        reference_close(from);
        skip();
    }
    return from;
}

void problem_check_sets(void (*check)(const char *set))
{
    static const char *const sets[] = {"AR10P", "YALE", "liver"};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        print_message("  %s\n", sets[i]);
        check(sets[i]);
    }
}

void problem_of_kernels(problem_case *of, size_t samples, size_t views, const double *const *kernel,
                        size_t clusters, int threads)
{
    memset(of, 0, sizeof *of);
    CHECK_OK(onefold_context_create(&of->context, NULL));
    CHECK_OK(onefold_context_set_threads(of->context, threads));
    CHECK_OK(onefold_dataset_create(&of->dataset, of->context, samples));
    for (size_t i = 0; i < views; i++)
        CHECK_OK(onefold_dataset_add_kernel(of->dataset, NULL, kernel[i]));
    finish(of, clusters, OF_KERNEL_PRECOMPUTED);
}

void problem_close(problem_case *of)
{
    of_arena_free(&of->arena);
    onefold_dataset_free(of->dataset);
    onefold_context_free(of->context);
}

void problem_defaults(problem_case *of, const of_method *method)
{
    assert_true(method->option_count <= PROBLEM_OWN);
    for (size_t i = 0; i < method->option_count; i++)
        of->own[i] = method->options[i].standard;
}

void problem_set(problem_case *of, const of_method *method, const char *name, double value)
{
    for (size_t i = 0; i < method->option_count; i++)
        if (strcmp(method->options[i].name, name) == 0) {
            of->own[i] = value;
            return;
        }
    fail_msg("%s has no option %s", method->name, name);
}

void problem_run(problem_case *of, const of_method *method, of_outcome *outcome)
{
    *outcome = (of_outcome){.arena = of_arena_make(of->context)};
    CHECK_OK(method->run(of->context, &of->problem, outcome));
}

double **problem_kernels(problem_case *of, of_finish how)
{
    size_t n = of->problem.dataset->samples, views = of->problem.dataset->view_count;
    double **kernel;
    CHECK_OK(OF_NEW(&of->arena, &kernel, views, 1));
    for (size_t i = 0; i < views; i++) {
        CHECK_OK(OF_NEW(&of->arena, &kernel[i], n, n));
        CHECK_OK(of_kernel_matrix(of->context, &of->problem.kernels[i], how, kernel[i]));
    }
    return kernel;
}

/* ---- what every method is held to --------------------------------------------------------- */

void problem_check_threads(const of_method *method, size_t samples, size_t views,
                           const double *const *kernel, size_t clusters)
{
    problem_case of[3];
    of_outcome outcome[3];
    for (int t = 0; t < 3; t++) {
        problem_of_kernels(&of[t], samples, views, kernel, clusters, t + 1);
        problem_defaults(&of[t], method);
        problem_run(&of[t], method, &outcome[t]);
        const of_outcome *first = &outcome[0], *now = &outcome[t];
        assert_int_equal(now->iterations, first->iterations);
        assert_memory_equal(now->labels, first->labels, samples * sizeof *now->labels);
        assert_memory_equal(now->trace, first->trace, now->iterations * sizeof *now->trace);
        assert_memory_equal(now->embedding, first->embedding,
                            samples * now->embedding_rows * sizeof *now->embedding);
        for (size_t i = 0; i < views; i++)
            assert_true(now->views[i].weight == first->views[i].weight);
        assert_true(now->objective == now->trace[now->iterations - 1]);
    }
    for (int t = 0; t < 3; t++) {
        of_arena_free(&outcome[t].arena);
        problem_close(&of[t]);
    }
}

onefold_status problem_bytes(of_context *context, const of_method *method,
                             const of_problem *problem, size_t *bytes)
{
    OF_COUNTING(counting, context);
    of_outcome outcome = {.arena = of_arena_make(counting)};
    onefold_status status = method->run(counting, problem, &outcome);
    *bytes = of_count_peak(counting);
    of_arena_free(&outcome.arena);
    return status;
}

void problem_check_estimate(const of_method *method, size_t samples, size_t views,
                            const double *const *kernel, size_t clusters)
{
    problem_case of;
    of_outcome outcome;
    size_t bytes;
    problem_of_kernels(&of, samples, views, kernel, clusters, 2);
    problem_defaults(&of, method);
    CHECK_OK(problem_bytes(of.context, method, &of.problem, &bytes));
    size_t held = atomic_load(&of.context->bytes);
    atomic_store(&of.context->peak, held);
    problem_run(&of, method, &outcome);
    size_t taken = ask_peak(of.context) - held;
    if (taken > bytes || bytes > 2 * taken)
        fail_msg("%s said %zu bytes and took %zu", method->name, bytes, taken);
    of_method_estimate estimate = {0};
    method->work(of.context, &of.problem, &estimate);
    assert_true(of_work_seconds(&estimate.fit, &rates_made) > 0);
    of_arena_free(&outcome.arena);
    problem_close(&of);
}

static int cancel_after(void *user)
{
    atomic_long *left = user;
    return atomic_fetch_sub(left, 1) <= 0;
}

void problem_check_failures(const of_method *method, size_t samples, size_t views,
                            const double *const *kernel, size_t clusters)
{
    problem_case of;
    problem_of_kernels(&of, samples, views, kernel, clusters, 1);
    problem_defaults(&of, method);
    of.options.restarts = 2;
    size_t held = atomic_load(&of.context->bytes);
    atomic_long left;
    of.context->hooks.user = &left;
    for (int kind = 0; kind < 2; kind++)
        for (long place = 0;; place += 1 + place / 8) {
            of_outcome outcome = {.arena = of_arena_make(of.context)};
            atomic_store(&of.context->allocations_until_failure, kind == 0 ? place : -1);
            atomic_store(&left, place);
            of.context->hooks.cancel = kind == 1 ? cancel_after : NULL;
            onefold_status status = method->run(of.context, &of.problem, &outcome);
            of_arena_free(&outcome.arena);
            assert_int_equal(atomic_load(&of.context->bytes), held);
            if (status == ONEFOLD_OK) {
                assert_true(place > 5);
                break;
            }
            assert_int_equal(status, kind == 0 ? ONEFOLD_NO_MEMORY : ONEFOLD_INTERRUPTED);
        }
    of.context->hooks.cancel = NULL;
    atomic_store(&of.context->allocations_until_failure, -1);
    problem_close(&of);
}

void problem_check_promises(const of_method *method, size_t many, size_t views)
{
    enum { FEW = 30, CLUSTERS = 4 };
    double **small = sample_raw_kernels(41, FEW, views, CLUSTERS);
    double **large = sample_raw_kernels(42, many, views, CLUSTERS);
    problem_check_threads(method, many, views, (const double *const *)large, CLUSTERS);
    problem_check_estimate(method, many, views, (const double *const *)large, CLUSTERS);
    problem_check_failures(method, FEW, views, (const double *const *)small, CLUSTERS);
    sample_free(views, small);
    sample_free(views, large);
}

/* ---- comparisons --------------------------------------------------------------------------- */

enum { SCORES = 4 };

void problem_scores(const problem_case *of, size_t rows, const double *embedding,
                    of_kmeans_start start, double mean[SCORES])
{
    enum { REPEATS = 20 };
    size_t n = of->problem.dataset->samples;
    const int32_t *truth = onefold_dataset_describe(of->dataset)->truth;
    int32_t *labels = malloc(n * sizeof *labels);
    int64_t *got = malloc(n * sizeof *got), *want = malloc(n * sizeof *want);
    int threads = of->context->threads;
    of->context->threads = 1; /* thousands of small runs: a team would mostly wait */
    memset(mean, 0, SCORES * sizeof *mean);
    for (size_t r = 0; r < REPEATS; r++) {
        of_kmeans_options options = {.clusters = of->options.clusters,
                                     .replicates = 10,
                                     .max_iterations = 100,
                                     .start = start,
                                     .lloyd = 1, /* as the reference */
                                     .index = r};
        CHECK_OK(of_kmeans(of->context, &options, rows, n, embedding, rows, labels, NULL, NULL));
        for (size_t j = 0; j < n; j++) {
            got[j] = labels[j];
            want[j] = truth[j];
        }
        onefold_scores scores = ONEFOLD_SCORES_INIT;
        CHECK_OK(onefold_score(&scores, ONEFOLD_INT64, got, want, n));
        double value[SCORES] = {scores.acc, scores.nmi_max, scores.purity, scores.ari};
        for (int s = 0; s < SCORES; s++)
            mean[s] += value[s] / REPEATS;
    }
    of->context->threads = threads;
    free(labels);
    free(got);
    free(want);
}

void problem_check_labels(const problem_case *of, size_t rows, const double *embedding,
                          of_kmeans_start start, const reference *from, const char *place)
{
    static const char *const name[SCORES] = {"acc", "nmi_max", "purity", "ari"};
    double mean[SCORES];
    problem_scores(of, rows, embedding, start, mean);
    const char *kind = start == OF_KMEANS_SAMPLES ? "random_sample_start_best_by_distance"
                                                  : "kmeanspp_start_best_by_squared_distance";
    for (int s = 0; s < SCORES; s++) {
        double expected = reference_number(from, "%s.%s.mean.%s", place, kind, name[s]);
        double spread = reference_number(from, "%s.%s.std.%s", place, kind, name[s]);
        CHECK_CLOSE(mean[s], expected, 0, spread + 0.01);
    }
}

void problem_check_kernels(const problem_case *of, double *const *kernel, const reference *from)
{
    size_t n = of->problem.dataset->samples;
    assert_int_equal(n, (size_t)reference_number(from, "input.n"));
    assert_int_equal(of->problem.dataset->view_count,
                     (size_t)reference_number(from, "input.views"));
    assert_int_equal(of->options.clusters, (size_t)reference_number(from, "input.clusters"));
    for (size_t i = 0; i < of->problem.dataset->view_count; i++) {
        double square = 0, sum = 0, least = 0;
        for (size_t e = 0; e < n * n; e++) {
            square += kernel[i][e] * kernel[i][e];
            sum += fabs(kernel[i][e]);
            least = fmin(least, kernel[i][e]);
        }
        struct {
            const char *name;
            double value;
        } want[] = {{"frobenius", sqrt(square)},
                    {"sum_abs", sum},
                    {"min", least},
                    {"entry_1_2", kernel[i][n]},
                    {"entry_1_last", kernel[i][n * (n - 1)]}};
        for (int w = 0; w < 5; w++)
            CHECK_CLOSE(
                want[w].value,
                reference_number(from, "input.kernels_after_preprocessing.%zu.%s", i, want[w].name),
                1e-10, 0);
    }
}

void problem_check_projector(const reference *from, const char *place, size_t samples,
                             size_t columns, const double *u)
{
    double *product = malloc(samples * samples * sizeof *product), fourth = 0, sum = 0;
    of_gemm('N', 'T', samples, samples, columns, 1, u, samples, u, samples, 0, product, samples);
    for (size_t i = 0; i < 10; i++) {
        CHECK_CLOSE(product[i * samples],
                    reference_number(from, "%s.first_row_first_10.%zu", place, i), 0, 1e-8);
        CHECK_CLOSE(product[i * samples + i],
                    reference_number(from, "%s.diagonal_first_10.%zu", place, i), 0, 1e-8);
    }
    for (size_t e = 0; e < samples * samples; e++)
        sum += fabs(product[e]);
    for (size_t i = 0; i < samples; i++)
        fourth += pow(product[i * samples + i], 4);
    CHECK_CLOSE(sum, reference_number(from, "%s.sum_of_abs", place), 1e-8, 0);
    CHECK_CLOSE(fourth, reference_number(from, "%s.sum_of_4th_powers_of_diagonal", place), 1e-7, 0);
    free(product);
}
