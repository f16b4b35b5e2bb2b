/* SPDX-License-Identifier: Apache-2.0 */
/* Whole fits whose base partitions a GPU makes by one route or another, beside the CPU's. */
#include "oracle/gpu_kernels.h"
#include "support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The GPU's fit is the CPU's, and it made the partitions that the note is to say. */
static void check_fits(const onefold_dataset *dataset, size_t n, const onefold_fit_options *options,
                       const char *says, double near)
{
    gpu_ran cpu = gpu_fit(ONEFOLD_DEVICE_CPU, dataset, options),
            gpu = gpu_fit(ONEFOLD_DEVICE_GPU, dataset, options);
    assert_string_equal(cpu.note, "");
    if (!strstr(gpu.note, says))
        fail_msg("'%s' is not in '%s'", says, gpu.note);
    gpu_check_agreement(&gpu, &cpu, n, near);
    if (gpu_is_real() || check_everything()) {
        gpu_ran again = gpu_fit(ONEFOLD_DEVICE_GPU, dataset, options);
        assert_memory_equal(gpu.labels, again.labels, n * sizeof *gpu.labels);
        assert_true(gpu.objective == again.objective);
        free(again.labels);
    }
    free(cpu.labels);
    free(gpu.labels);
}

/* Partitions of the samples that have a view are the CPU's, of more than 131 072 of them too. */
static void views_that_samples_lack(void **state)
{
    (void)state;
    enum { N = 134000, D = 3 };
    if (!gpu_is_real() && !check_everything()) /* many samples take long where a GPU is emulated */
        return;
    onefold_dataset *dataset = gpu_dataset(N, 2, 4, D, 0.02, 0);
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    options.method = "os-lfmvc-cs";
    options.clusters = 4;
    options.dims = 4;
    options.restarts = 1;
    options.landmarks = 40;
    options.precision = ONEFOLD_SINGLE;
    options.max_iterations = 5;
    check_fits(dataset, N, &options, "of 0 of 2 views", 1e-5);
    onefold_dataset_free(dataset);
}

/* By landmarks of fewer samples, which are worked in double precision. */
static void landmarks_of_few_samples(void **state)
{
    (void)state;
    enum { N = 1000 };
    static const struct {
        double missing;
        onefold_precision precision;
        double near;
    } cases[] = {
        {0, ONEFOLD_DOUBLE, 1e-10}, {0.1, ONEFOLD_DOUBLE, 1e-10}, {0, ONEFOLD_SINGLE, 1e-5}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        onefold_dataset *dataset = gpu_dataset(N, 2, 4, 6, cases[c].missing, 0);
        onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
        options.method = "os-lfmvc-cs";
        options.clusters = 4;
        options.restarts = 2;
        options.base = ONEFOLD_BASE_NYSTROM;
        options.landmarks = 50;
        options.precision = cases[c].precision;
        check_fits(dataset, N, &options,
                   cases[c].missing > 0 ? "of 0 of 2 views" : "of 2 of 2 views", cases[c].near);
        onefold_dataset_free(dataset);
    }
}

/* ---- the Gram matrix of the columns ---------------------------------------------------------- */

static onefold_fit_options gram_options(const char *kernel, onefold_precision precision)
{
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    options.method = "os-lfmvc-cs";
    options.clusters = 4;
    options.restarts = 2;
    options.kernel = kernel;
    options.precision = precision;
    return options;
}

static void kernels_that_are_products(void **state)
{
    (void)state;
    static const struct {
        size_t n;
        const char *kernel;
        double missing;
        onefold_precision precision;
        double near;
        const char *says;
    } cases[] = {
        {900, "linear", 0, ONEFOLD_DOUBLE, 1e-10, "of 2 of 2 views"},
        {900, "cosine", 0, ONEFOLD_DOUBLE, 1e-10, "of 2 of 2 views"},
        {900, "cosine", 0.1, ONEFOLD_SINGLE, 1e-5, "of 0 of 2 views"},
        {700, "linear", 0.1, ONEFOLD_DOUBLE, 1e-10, "of 0 of 2 views"},
        {700, "linear,rbf", 0, ONEFOLD_DOUBLE, 1e-10, "of 1 of 2 views"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        onefold_dataset *dataset = gpu_dataset(cases[c].n, 2, 4, 7, cases[c].missing, 0);
        onefold_fit_options options = gram_options(cases[c].kernel, cases[c].precision);
        check_fits(dataset, cases[c].n, &options, cases[c].says, cases[c].near);
        onefold_dataset_free(dataset);
    }
}

/* Four clusters far from 0, as floats and as doubles with a step, a column of constants. */
static onefold_dataset *far_away(size_t n, size_t columns, double offset)
{
    onefold_dataset *dataset;
    double *x = gpu_numbers(columns + 1, n, 71);
    float *single = malloc(columns * n * sizeof *single);
    CHECK_OK(onefold_dataset_create(&dataset, NULL, n));
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < columns; i++) {
            double *at = &x[i + j * (columns + 1)];
            *at = i == 2 ? offset : offset + 0.3 * *at + 8 * (double)(j * 7 % 4 == i);
            single[i + j * columns] = (float)(*at - offset + 1000);
        }
    CHECK_OK(onefold_dataset_add_dense(dataset, "doubles", x, columns, columns + 1, 1));
    CHECK_OK(onefold_dataset_add_dense_single(dataset, "floats", single, columns, columns, 1));
    free(x);
    free(single);
    return dataset;
}

static void offsets_are_taken_off(void **state)
{
    (void)state;
    enum { N = 1000 };
    onefold_dataset *dataset = far_away(N, 6, 1e7);
    onefold_fit_options options = gram_options("linear", ONEFOLD_DOUBLE);
    /* columns of 1e7 have 1e-9 of their length left when centred, on the CPU as well */
    check_fits(dataset, N, &options, "of 2 of 2 views", 1e-10);
    onefold_dataset_free(dataset);
}

/* ---- sparse views --------------------------------------------------------------------------- */

static void sparse_views(void **state)
{
    (void)state;
    static const struct {
        const char *kernel;
        size_t columns;
        double missing;
        onefold_precision precision;
        double near;
    } cases[] = {
        {"auto", 60, 0, ONEFOLD_DOUBLE, 1e-10}, /* tf-idf, cosine; by the Gram matrix */
        {"linear", 60, 0, ONEFOLD_DOUBLE, 1e-10},    {"auto", 60, 0.1, ONEFOLD_SINGLE, 1e-5},
        {"auto", 300, 0, ONEFOLD_DOUBLE, 1e-10}, /* by products with it */
        {"linear", 300, 0.1, ONEFOLD_DOUBLE, 1e-10}, {"auto", 300, 0.1, ONEFOLD_SINGLE, 1e-5},
    };
    enum { N = 900, LARGE = 132000 };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        onefold_dataset *dataset = gpu_dataset(N, 2, 4, cases[c].columns, cases[c].missing, 0.2);
        onefold_fit_options options = gram_options(cases[c].kernel, cases[c].precision);
        options.base = ONEFOLD_BASE_NYSTROM;
        options.landmarks = 40;
        check_fits(dataset, N, &options,
                   cases[c].missing > 0 ? "of 0 of 2 views" : "of 2 of 2 views", cases[c].near);
        onefold_dataset_free(dataset);
    }
    if (!gpu_is_real() && !check_everything()) /* many samples take long where a GPU is emulated */
        return;
    onefold_dataset *dataset = gpu_dataset(LARGE, 2, 4, 40, 0, 0.2);
    onefold_fit_options options = gram_options("rbf", ONEFOLD_SINGLE); /* the CPU's */
    options.dims = 4;
    options.restarts = 1;
    options.landmarks = 40;
    options.max_iterations = 5;
    check_fits(dataset, LARGE, &options, "of 0 of 2 views", 1e-5);
    onefold_dataset_free(dataset);
}

/* Products with a kernel that is not formed are the GPU's where there are more columns than half
 * as many as samples, too; the partition is then sent there. A kernel that is formed is the CPU's.
 */
static void other_routes(void **state)
{
    (void)state;
    enum { N = 500 };
    static const char *const cases[][2] = {
        {"auto", "of 2 of 2 views"}, {"graph", "of 2 of 2 views"}, {"rbf", "of 0 of 2 views"}};
    for (size_t c = 0; c < 3; c++) {
        onefold_dataset *dataset = gpu_dataset(N, 2, 4, c == 1 ? N : 300, 0, 0.2);
        onefold_fit_options options = gram_options(cases[c][0], ONEFOLD_DOUBLE);
        options.base = ONEFOLD_BASE_EXACT;
        check_fits(dataset, N, &options, cases[c][1], 1e-10);
        onefold_dataset_free(dataset);
    }
}

/* A view that the GPU has no room for is made by the CPU, and the rest there. */
static void views_without_room(void **state)
{
    (void)state;
    enum { N = 1200 };
    if (gpu_is_real()) /* only the stand-in for a GPU can be small */
        return;
    onefold_dataset *dataset = gpu_dataset(N, 2, 4, 500, 0, 0.2);
    onefold_fit_options options = gram_options("auto", ONEFOLD_DOUBLE);
    setenv("ONEFOLD_EMULATED", "2", 1); /* megabytes */
    check_fits(dataset, N, &options, "of 0 of 2 views, and the solver", 1e-10);
    unsetenv("ONEFOLD_EMULATED");
    onefold_dataset_free(dataset);
}

/* What is kept of partitions that the GPU made labels new samples as the CPU's does. */
static void check_models(onefold_dataset *dataset, const char *kernel)
{
    enum { FIRST = 100, COUNT = 600 };
    onefold_fit_options options = gram_options(kernel, ONEFOLD_DOUBLE);
    int32_t labels[2][COUNT];
    double distance[2][COUNT];
    options.keep_model = 1;
    for (int d = 0; d < 2; d++) {
        onefold_context *context;
        onefold_result *result;
        onefold_prediction out = ONEFOLD_PREDICTION_INIT;
        out.labels = labels[d];
        out.distance = distance[d];
        CHECK_OK(onefold_context_create(&context, NULL));
        CHECK_OK(onefold_context_set_device(context, d ? ONEFOLD_DEVICE_GPU : ONEFOLD_DEVICE_CPU));
        CHECK_OK(onefold_fit(&result, context, dataset, &options));
        CHECK_OK(onefold_predict(&out, NULL, onefold_result_describe(result)->model, dataset, FIRST,
                                 COUNT));
        onefold_result_free(result);
        onefold_context_free(context);
    }
    onefold_scores scores = ONEFOLD_SCORES_INIT; /* clusters have no order */
    CHECK_OK(onefold_score(&scores, ONEFOLD_INT32, labels[0], labels[1], COUNT));
    assert_true(scores.acc == 1);
    for (size_t j = 0; j < COUNT; j++)
        assert_true(fabs(distance[0][j] - distance[1][j]) < 1e-7);
    onefold_dataset_free(dataset);
}

static void models_agree(void **state)
{
    (void)state;
    enum { N = 800 };
    check_models(gpu_dataset(N, 2, 4, 7, 0, 0), "cosine");
    check_models(gpu_dataset(N, 2, 4, 60, 0, 0.2), "auto");
    check_models(gpu_dataset(N, 2, 4, 300, 0, 0.2), "auto");
}

/* Values that cannot be squared are refused with the CPU's sentence, and alike ones too. */
static void refusals_are_the_cpus(void **state)
{
    (void)state;
    enum { N = 300, D = 3 };
    double *x = gpu_numbers(D, N, 72);
    for (int alike = 0; alike < 2; alike++) {
        char said[2][256];
        onefold_dataset *dataset;
        onefold_fit_options options = gram_options("linear", ONEFOLD_DOUBLE);
        for (size_t e = 0; e < D * N; e++)
            x[e] = alike ? 3 : e == 40 * D ? 1e200 : x[e];
        CHECK_OK(onefold_dataset_create(&dataset, NULL, N));
        CHECK_OK(onefold_dataset_add_dense(dataset, "large", x, D, D, 1));
        for (int d = 0; d < 2; d++) {
            onefold_context *context;
            onefold_result *result;
            CHECK_OK(onefold_context_create(&context, NULL));
            CHECK_OK(
                onefold_context_set_device(context, d ? ONEFOLD_DEVICE_GPU : ONEFOLD_DEVICE_CPU));
            assert_int_equal(onefold_fit(&result, context, dataset, &options), ONEFOLD_BAD_DATA);
            snprintf(said[d], sizeof said[d], "%s", onefold_last_error());
            onefold_context_free(context);
        }
        assert_string_equal(said[0], said[1]);
        onefold_dataset_free(dataset);
    }
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(views_without_room),
                                       cmocka_unit_test(views_that_samples_lack),
                                       cmocka_unit_test(landmarks_of_few_samples),
                                       cmocka_unit_test(kernels_that_are_products),
                                       cmocka_unit_test(offsets_are_taken_off),
                                       cmocka_unit_test(sparse_views),
                                       cmocka_unit_test(other_routes),
                                       cmocka_unit_test(models_agree),
                                       cmocka_unit_test(refusals_are_the_cpus)};
    return cmocka_run_group_tests(tests, gpu_find, NULL);
}
