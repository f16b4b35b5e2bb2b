/* SPDX-License-Identifier: Apache-2.0 */
/* Whole fits with the work over all samples on a GPU, beside the CPU's. */
#include "oracle/gpu_kernels.h"
#include "support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void fits_agree_with_the_cpus(void **state)
{
    (void)state;
    static const struct {
        size_t n, columns;
        double missing;
        onefold_precision precision;
        double near;
        const char *says;
    } cases[] = {
        {700, 6, 0, ONEFOLD_DOUBLE, 1e-10, "of 0 of 2 views"},
        {700, 6, 0, ONEFOLD_SINGLE, 1e-5, "of 0 of 2 views"},
        {600, 6, 0.1, ONEFOLD_DOUBLE, 1e-10, "of 0 of 2 views"},
        {132000, 5, 0, ONEFOLD_SINGLE, 1e-5, NULL},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int slow = cases[c].n > 1000 && !gpu_is_real() && !check_everything(); /* emulated */
        const char *says = cases[c].says ? cases[c].says
                           : slow        ? "of 1 of 1 views"
                                         : "of 2 of 2 views";
        onefold_dataset *dataset =
            gpu_dataset(cases[c].n, slow ? 1 : 2, 4, cases[c].columns, cases[c].missing, 0);
        onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
        options.method = "os-lfmvc-cs";
        options.clusters = slow ? 2 : 4;
        options.restarts = slow ? 1 : 2;
        options.landmarks = cases[c].n <= 1000 ? 0 : slow ? 16 : 40;
        options.precision = cases[c].precision;
        options.max_iterations = cases[c].n <= 1000 || gpu_is_real() ? 20 : slow ? 1 : 3;
        gpu_ran cpu = gpu_fit(ONEFOLD_DEVICE_CPU, dataset, &options),
                gpu = gpu_fit(ONEFOLD_DEVICE_GPU, dataset, &options);
        assert_string_equal(cpu.note, "");
        assert_non_null(strstr(gpu.note, says));
        gpu_check_agreement(&gpu, &cpu, cases[c].n, cases[c].near);
        if (!slow) {
            gpu_ran again = gpu_fit(ONEFOLD_DEVICE_GPU, dataset, &options);
            assert_memory_equal(gpu.labels, again.labels, cases[c].n * sizeof *gpu.labels);
            assert_true(gpu.objective == again.objective);
            free(again.labels);
        }
        free(cpu.labels);
        free(gpu.labels);
        onefold_dataset_free(dataset);
    }
}

/* Nobody asks for the embedding: the same answer without it, on a GPU and on the CPU. */
static void embeddings_can_be_left_out(void **state)
{
    (void)state;
    enum { N = 700 };
    onefold_dataset *dataset = gpu_dataset(N, 2, 4, 6, 0, 0);
    for (int device = 0; device < 2; device++)
        for (int without = 0; without < 2; without++) {
            onefold_context *context;
            onefold_result *result;
            onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
            static int32_t labels[N];
            static double objective;
            options.method = "os-lfmvc-cs";
            options.clusters = 4;
            options.restarts = 2;
            options.no_embedding = without;
            CHECK_OK(onefold_context_create(&context, NULL));
            CHECK_OK(onefold_context_set_device(context,
                                                device ? ONEFOLD_DEVICE_GPU : ONEFOLD_DEVICE_CPU));
            CHECK_OK(onefold_fit(&result, context, dataset, &options));
            const onefold_fit_info *info = onefold_result_describe(result);
            assert_int_equal(info->embedding == NULL, without);
            if (without) {
                assert_memory_equal(onefold_result_describe(result)->labels, labels, sizeof labels);
                assert_true(info->objective == objective);
            }
            memcpy(labels, onefold_result_describe(result)->labels, sizeof labels);
            objective = info->objective;
            onefold_result_free(result);
            onefold_context_free(context);
        }
    onefold_dataset_free(dataset);
}

/* `auto` goes by what a fit takes here and there: not for small ones, and for large ones once. */
static void auto_goes_by_the_estimate(void **state)
{
    (void)state;
    static const size_t size[] = {700, 1000000};
    for (int large = 0; large < 2; large++) {
        onefold_context *context;
        onefold_estimate *estimate;
        onefold_estimate_info cpu, chosen, gpu;
        onefold_estimate_info *info[] = {&cpu, &gpu, &chosen};
        onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
        onefold_dataset *dataset = gpu_dataset(size[large], 1, 4, 4, 0, 0);
        options.method = "os-lfmvc-cs";
        options.clusters = 4;
        options.precision = ONEFOLD_SINGLE;
        for (int device = ONEFOLD_DEVICE_CPU; device <= ONEFOLD_DEVICE_AUTO; device++) {
            CHECK_OK(onefold_context_create(&context, NULL));
            CHECK_OK(onefold_context_set_threads(context, 1));
            CHECK_OK(onefold_context_set_device(context, (onefold_device)device));
            CHECK_OK(onefold_fit_estimate(&estimate, context, dataset, &options, 1));
            *info[device] = *onefold_estimate_describe(estimate);
            onefold_estimate_free(estimate);
            onefold_context_free(context);
        }
        assert_int_equal(cpu.gpu_bytes, 0);
        assert_true(gpu.gpu_bytes > 0);
        assert_int_equal(chosen.gpu_bytes > 0, large);
        if (large)
            assert_true(gpu.seconds_base + gpu.seconds_fit < cpu.seconds_base + cpu.seconds_fit);
        onefold_dataset_free(dataset);
    }
}

/* ---- predict -------------------------------------------------------------------------------- */

typedef struct predicted {
    int32_t *labels;
    double *confidence, *distance, *embedding;
    size_t on_gpu;
    onefold_status status;
} predicted;

static predicted predict(onefold_device device, const onefold_model *model,
                         const onefold_dataset *dataset, size_t first, size_t count)
{
    onefold_context *context;
    onefold_predictor *predictor;
    onefold_prediction out = ONEFOLD_PREDICTION_INIT;
    const onefold_model_info *info = onefold_model_describe(model);
    predicted made = {.labels = malloc(count * sizeof(int32_t)),
                      .confidence = malloc(count * sizeof(double)),
                      .distance = malloc(count * sizeof(double)),
                      .embedding = malloc(count * info->dims * sizeof(double))};
    out.labels = made.labels;
    out.confidence = made.confidence;
    out.distance = made.distance;
    out.embedding = made.embedding;
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_context_set_device(context, device));
    CHECK_OK(onefold_predictor_create(&predictor, context, model));
    made.status = onefold_predictor_feed(predictor, dataset, first, count, &out);
    made.on_gpu = onefold_predictor_on_gpu(predictor);
    onefold_predictor_free(predictor);
    onefold_context_free(context);
    return made;
}

static void let_go(predicted *made)
{
    free(made->labels);
    free(made->confidence);
    free(made->distance);
    free(made->embedding);
}

/* A model of two dense views by landmarks. */
static onefold_result *fit_model(const onefold_dataset *dataset, onefold_precision precision)
{
    onefold_result *result;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    options.method = "os-lfmvc-cs";
    options.clusters = 4;
    options.restarts = 2;
    options.base = ONEFOLD_BASE_NYSTROM;
    options.dims = 4;
    options.landmarks = 40;
    options.precision = precision;
    options.keep_model = 1;
    CHECK_OK(onefold_fit(&result, NULL, dataset, &options));
    return result;
}

static void predictions_agree_with_the_cpus(void **state)
{
    (void)state;
    enum { N = 1500, FIRST = 130, COUNT = 1300 };
    onefold_dataset *dataset = gpu_dataset(N, 2, 4, 6, 0, 0);
    onefold_result *result = fit_model(dataset, ONEFOLD_SINGLE);
    const onefold_model *model = onefold_result_describe(result)->model;
    predicted cpu = predict(ONEFOLD_DEVICE_CPU, model, dataset, FIRST, COUNT),
              gpu = predict(ONEFOLD_DEVICE_GPU, model, dataset, FIRST, COUNT);
    size_t others = 0;
    CHECK_OK(cpu.status);
    CHECK_OK(gpu.status);
    assert_int_equal(cpu.on_gpu, 0);
    assert_int_equal(gpu.on_gpu, COUNT);
    for (size_t j = 0; j < COUNT; j++) {
        others += cpu.labels[j] != gpu.labels[j];
        assert_true(fabs(cpu.confidence[j] - gpu.confidence[j]) < 1e-3);
        assert_true(fabs(cpu.distance[j] - gpu.distance[j]) < 1e-3);
        for (size_t r = 0; r < 4; r++)
            assert_true(fabs(cpu.embedding[j * 4 + r] - gpu.embedding[j * 4 + r]) < 1e-4);
    }
    assert_true(others <= COUNT / 1000);
    let_go(&cpu);
    let_go(&gpu);
    onefold_result_free(result);
    result = fit_model(dataset, ONEFOLD_DOUBLE); /* the GPU has nothing for double precision */
    gpu = predict(ONEFOLD_DEVICE_GPU, onefold_result_describe(result)->model, dataset, 0, N);
    CHECK_OK(gpu.status);
    assert_int_equal(gpu.on_gpu, 0);
    let_go(&gpu);
    onefold_result_free(result);
    onefold_dataset_free(dataset);
}

/* Values that have to be looked at are the CPU's: of a file that is read as it is labelled, samples
 * that lack a view are labelled, and single missing values refused, with the CPU's sentence. */
static void missing_values_are_the_cpus(void **state)
{
    (void)state;
    enum { N = 600, D = 6 };
    onefold_dataset *dataset = gpu_dataset(N, 2, 4, D, 0, 0), *lacking;
    onefold_result *result = fit_model(dataset, ONEFOLD_SINGLE);
    const onefold_model *model = onefold_result_describe(result)->model;
    onefold_read_options reading = ONEFOLD_READ_OPTIONS_INIT;
    char path[2][64];
    const char *paths[2] = {path[0], path[1]};
    double *x = malloc(N * D * sizeof *x);
    reading.pass_once = 1;
    for (int single = 0; single < 2; single++) {
        for (int v = 0; v < 2; v++) {
            snprintf(path[v], sizeof path[v], "/tmp/onefold-gpu-%ld.%d.npy", (long)getpid(), v);
            for (size_t e = 0; e < N * D; e++)
                x[e] = (double)((e + (size_t)v) * 7 % 11) - 5;
            for (size_t i = 0; v == 1 && i < (single ? 1 : D); i++)
                x[17 * D + i] = NAN;
            CHECK_OK(onefold_matrix_write(x, N, D, D, NULL, path[v]));
        }
        CHECK_OK(onefold_dataset_read(&lacking, NULL, paths, 2, &reading));
        predicted cpu = predict(ONEFOLD_DEVICE_CPU, model, lacking, 0, N),
                  gpu = predict(ONEFOLD_DEVICE_GPU, model, lacking, 0, N);
        assert_int_equal(cpu.status, gpu.status);
        assert_int_equal(cpu.status == ONEFOLD_OK, !single);
        assert_int_equal(gpu.on_gpu, 0);
        if (!single)
            assert_memory_equal(cpu.labels, gpu.labels, N * sizeof *cpu.labels);
        let_go(&cpu);
        let_go(&gpu);
        onefold_dataset_free(lacking);
        remove(path[0]);
        remove(path[1]);
    }
    free(x);
    onefold_result_free(result);
    onefold_dataset_free(dataset);
}

/* Models and wishes that the GPU has nothing for: labelled by the CPU, to the bit. */
static void other_models_are_the_cpus(void **state)
{
    (void)state;
    enum { N = 300 };
    static const struct {
        const char *method, *kernel;
        onefold_base base;
        size_t landmarks;
        double missing;
        int parts; /* the views' parts are asked for */
    } cases[] = {
        {"onefold", "rbf", ONEFOLD_BASE_AUTO, 0, 0, 0},
        {"os-lfmvc-cs", "linear", ONEFOLD_BASE_EXACT, 0, 0, 0},
        {"os-lfmvc-cs", "cosine", ONEFOLD_BASE_EXACT, 0, 0, 0},
        {"os-lfmvc-cs", "knn", ONEFOLD_BASE_AUTO, 0, 0, 0},
        {"os-lfmvc-cs", "subspace", ONEFOLD_BASE_AUTO, 0, 0, 0},
        {"os-lfmvc-cs", "rbf", ONEFOLD_BASE_NYSTROM, 40, 0.2, 0},
        {"os-lfmvc-cs", "rbf", ONEFOLD_BASE_NYSTROM, 40, 0, 1},
        {"onefold", "rbf", ONEFOLD_BASE_AUTO, 40, 0.2, 1},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        onefold_dataset *dataset = gpu_dataset(N, 2, 4, 6, cases[c].missing, 0);
        onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
        onefold_result *result;
        int32_t labels[2][N];
        double parts[2][2 * N];
        options.method = cases[c].method;
        options.kernel = cases[c].kernel;
        options.base = cases[c].base;
        options.landmarks = cases[c].landmarks;
        options.clusters = 4;
        options.restarts = 2;
        if (strcmp(cases[c].method, "onefold") != 0) /* it is in double precision */
            options.precision = ONEFOLD_SINGLE;
        options.keep_model = 1;
        CHECK_OK(onefold_fit(&result, NULL, dataset, &options));
        for (int gpu = 0; gpu < 2; gpu++) {
            onefold_context *context;
            onefold_predictor *predictor;
            onefold_prediction out = ONEFOLD_PREDICTION_INIT;
            out.labels = labels[gpu];
            out.view_part = cases[c].parts ? parts[gpu] : NULL;
            CHECK_OK(onefold_context_create(&context, NULL));
            CHECK_OK(
                onefold_context_set_device(context, gpu ? ONEFOLD_DEVICE_GPU : ONEFOLD_DEVICE_CPU));
            CHECK_OK(onefold_predictor_create(&predictor, context,
                                              onefold_result_describe(result)->model));
            CHECK_OK(onefold_predictor_feed(predictor, dataset, 0, N, &out));
            CHECK_OK(onefold_predictor_feed(predictor, dataset, N, 0, &out)); /* nothing */
            assert_int_equal(onefold_predictor_on_gpu(predictor), 0);
            onefold_predictor_free(predictor);
            onefold_context_free(context);
        }
        assert_memory_equal(labels[0], labels[1], sizeof labels[0]);
        if (cases[c].parts)
            assert_memory_equal(parts[0], parts[1], sizeof parts[0]);
        onefold_result_free(result);
        onefold_dataset_free(dataset);
    }
}

/* The default method has no work for a GPU: its labels are the CPU's to the bit, and it says so. */
static void the_default_is_the_cpus(void **state)
{
    (void)state;
    enum { N = 3000 };
    onefold_dataset *dataset = gpu_dataset(N, 2, 4, 6, 0, 0);
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_context *context[2];
    onefold_result *result[2];
    const onefold_fit_info *info[2];
    options.clusters = 4;
    for (int gpu = 0; gpu < 2; gpu++) {
        CHECK_OK(onefold_context_create(&context[gpu], NULL));
        CHECK_OK(onefold_context_set_device(context[gpu],
                                            gpu ? ONEFOLD_DEVICE_GPU : ONEFOLD_DEVICE_CPU));
        CHECK_OK(onefold_fit(&result[gpu], context[gpu], dataset, &options));
        info[gpu] = onefold_result_describe(result[gpu]);
    }
    assert_memory_equal(info[0]->labels, info[1]->labels, N * sizeof *info[0]->labels);
    assert_true(!strstr(info[0]->note, "by the CPU"));
    assert_non_null(strstr(info[1]->note, "by the CPU, which is faster at this"));
    for (int gpu = 0; gpu < 2; gpu++) {
        onefold_result_free(result[gpu]);
        onefold_context_free(context[gpu]);
    }
    onefold_dataset_free(dataset);
}

/* What an estimate says the GPU would hold is the stack and more, and nothing without a GPU. */
static void estimates_count_the_gpu(void **state)
{
    (void)state;
    enum { N = 3000 };
    onefold_dataset *dataset = gpu_dataset(N, 2, 4, 6, 0, 0);
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    options.method = "os-lfmvc-cs";
    options.clusters = 4;
    for (int device = 0; device < 2; device++) {
        onefold_context *context;
        onefold_estimate *estimate;
        CHECK_OK(onefold_context_create(&context, NULL));
        CHECK_OK(
            onefold_context_set_device(context, device ? ONEFOLD_DEVICE_GPU : ONEFOLD_DEVICE_CPU));
        CHECK_OK(onefold_fit_estimate(&estimate, context, dataset, &options, 0));
        const onefold_estimate_info *info = onefold_estimate_describe(estimate);
        if (device)
            assert_true(info->gpu_bytes > info->partition_bytes);
        else
            assert_int_equal(info->gpu_bytes, 0);
        onefold_estimate_free(estimate);
        onefold_context_free(context);
    }
    onefold_dataset_free(dataset);
}

/* A GPU that is not there, too old or too small, which only the stand-in for one can be. */
static void faults_are_said(void **state)
{
    (void)state;
    enum { N = 3000 };
    static const char *const wrong[][2] = {{"none", "no CUDA-capable device"}, {"old", "driver"}};
    onefold_context *context;
    if (gpu_is_real())
        return;
    CHECK_OK(onefold_context_create(&context, NULL));
    for (size_t i = 0; i < 2; i++) {
        setenv("ONEFOLD_EMULATED", wrong[i][0], 1);
        CHECK_FAILS(onefold_context_set_device(context, ONEFOLD_DEVICE_GPU), ONEFOLD_UNSUPPORTED,
                    wrong[i][1]);
        CHECK_OK(onefold_context_set_device(context, ONEFOLD_DEVICE_AUTO));
    }
    unsetenv("ONEFOLD_EMULATED");
    onefold_context_free(context);
    onefold_dataset *dataset = gpu_dataset(N, 2, 4, 6, 0, 0);
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    options.method = "os-lfmvc-cs";
    options.clusters = 4;
    options.restarts = 2;
    setenv("ONEFOLD_GPU_MEMORY", "20K", 1); /* nor do pieces fit */
    gpu_ran cpu = gpu_fit(ONEFOLD_DEVICE_CPU, dataset, &options),
            small = gpu_fit(ONEFOLD_DEVICE_GPU, dataset, &options);
    unsetenv("ONEFOLD_GPU_MEMORY");
    assert_non_null(strstr(small.note, "too little memory"));
    assert_memory_equal(cpu.labels, small.labels, N * sizeof *cpu.labels);
    assert_true(cpu.objective == small.objective);
    free(cpu.labels);
    free(small.labels);
    onefold_dataset_free(dataset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fits_agree_with_the_cpus),
                                       cmocka_unit_test(embeddings_can_be_left_out),
                                       cmocka_unit_test(auto_goes_by_the_estimate),
                                       cmocka_unit_test(predictions_agree_with_the_cpus),
                                       cmocka_unit_test(missing_values_are_the_cpus),
                                       cmocka_unit_test(other_models_are_the_cpus),
                                       cmocka_unit_test(the_default_is_the_cpus),
                                       cmocka_unit_test(estimates_count_the_gpu),
                                       cmocka_unit_test(faults_are_said)};
    return cmocka_run_group_tests(tests, gpu_find, NULL);
}
