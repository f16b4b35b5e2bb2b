/* SPDX-License-Identifier: Apache-2.0 */
/* Tiny data of hostile values through every method. What comes out is in range and a number, the
 * objective of OS-LFMVC-CS never falls, another number of threads gives the same bits, and the
 * model gives the samples it was fitted on the labels that they have. */
#include "fuzz/fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SAMPLES = 16, MOST_COLUMNS = 8, METHODS = 9, KERNELS = 8 };

static double value(unsigned byte)
{
    static const double odd[] = {0,   -0.0,     1,    -1,       1e-300, 1e300, -1e300, 5e-324,
                                 NAN, INFINITY, 1e14, 1e14 + 2, 1e-160, 1e160, 1e-8,   3};
    return byte < 16 ? odd[byte] : (double)((int)byte - 128) / 16;
}

/* A view of dense values, sparse values, or a kernel. */
static onefold_status add_view(onefold_dataset *data, fuzz_bytes *rest, size_t samples)
{
    static double values[MOST_SAMPLES * MOST_SAMPLES];
    static uint32_t column[MOST_SAMPLES * MOST_COLUMNS];
    size_t start[MOST_SAMPLES + 1] = {0};
    unsigned kind = fuzz_take(rest);
    size_t columns = 1 + fuzz_take(rest) % MOST_COLUMNS, count = 0;
    if (kind % 4 == 3) {
        for (size_t i = 0; i < samples; i++)
            for (size_t j = 0; j <= i; j++)
                values[i * samples + j] = values[j * samples + i] = value(fuzz_take(rest));
        return onefold_dataset_add_kernel(data, NULL, values);
    }
    if (kind % 4 == 2) {
        for (size_t j = 0; j < samples; j++) {
            for (uint32_t i = 0; i < columns; i++) {
                unsigned byte = fuzz_take(rest);
                if (byte % 3)
                    continue;
                column[count] = i;
                values[count++] = value(byte);
            }
            start[j + 1] = count;
        }
        return onefold_dataset_add_sparse(data, NULL, columns, start, column, values);
    }
    for (size_t i = 0; i < samples * columns; i++)
        values[i] = value(fuzz_take(rest));
    return onefold_dataset_add_dense(data, NULL, values, columns, columns, 1);
}

static onefold_fit_options pick_options(fuzz_bytes *rest, size_t samples)
{
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    unsigned method = fuzz_take(rest), more = fuzz_take(rest), kernel = fuzz_take(rest);
    options.clusters = 1 + fuzz_take(rest) % (samples + 1);
    /* half of the inputs go to the two methods of our own */
    options.method = method & 128 ? onefold_method_describe(method % METHODS)->name
                     : method & 1 ? "os-lfmvc-cs"
                                  : "onefold";
    options.kernel = onefold_kernel_name(kernel % KERNELS);
    options.restarts = 1 + more % 3;
    options.start = (onefold_start)(more >> 2 & 1);
    options.variant = (onefold_variant)(more >> 3 & 1);
    options.nonneg = (int)(more >> 4 & 1);
    options.stop = (onefold_stop)((more >> 5) % 3);
    options.precision = (onefold_precision)(kernel >> 7);
    options.base = (onefold_base)((kernel >> 5) % 3);
    options.max_iterations = 8;
    return options;
}

static onefold_context *two_threads(void)
{
    static onefold_context *context;
    if (!context) {
        fuzz_demand(onefold_context_create(&context, NULL) == ONEFOLD_OK, "there is a context");
        (void)!onefold_context_set_threads(context, 2);
        (void)!onefold_context_set_memory_limit(context, (size_t)256 << 20);
    }
    return context;
}

static int is_ours(const char *method)
{
    return strcmp(method, "os-lfmvc-cs") == 0 || strcmp(method, "onefold") == 0;
}

/* J is a sum of products of at most `rows` ones: what it loses to rounding is of its own size. */
static void check_trace(const onefold_result *result, const onefold_fit_options *options)
{
    const onefold_fit_info *info = onefold_result_describe(result);
    if (!is_ours(options->method) || options->variant != ONEFOLD_VARIANT_EXACT || !info->trace)
        return;
    for (size_t i = 1; i < info->iterations; i++)
        fuzz_demand(info->trace[i] >= info->trace[i - 1] - 1e-8 * (1 + fabs(info->trace[i])),
                    "the objective never falls");
}

static void check_same(const onefold_result *one, const onefold_result *two, size_t samples)
{
    const onefold_fit_info a = *onefold_result_describe(one), b = *onefold_result_describe(two);
    fuzz_demand(memcmp(a.labels, b.labels, samples * sizeof(int32_t)) == 0,
                "two runs have the same labels");
    fuzz_demand(memcmp(&a.objective, &b.objective, sizeof a.objective) == 0,
                "two runs have the same objective");
    fuzz_demand(a.embedding_rows == b.embedding_rows &&
                    (!a.embedding || memcmp(a.embedding, b.embedding,
                                            a.embedding_rows * samples * sizeof(double)) == 0),
                "two runs have the same embedding");
}

static void check_model(const onefold_result *result, const onefold_dataset *data, size_t samples)
{
    int32_t labels[MOST_SAMPLES];
    double confidence[MOST_SAMPLES], distance[MOST_SAMPLES];
    onefold_prediction prediction = ONEFOLD_PREDICTION_INIT;
    prediction.labels = labels;
    prediction.confidence = confidence;
    prediction.distance = distance;
    const onefold_model *model = onefold_result_describe(result)->model;
    fuzz_demand(model != NULL, "a model was kept");
    if (!fuzz_worked(onefold_predict(&prediction, fuzz_context(), model, data, 0, samples)))
        fuzz_demand(0, "a model predicts the samples that it was fitted on");
    for (size_t j = 0; j < samples; j++) {
        fuzz_demand(labels[j] == onefold_result_describe(result)->labels[j],
                    "predicting the samples of the fit gives their labels");
        fuzz_demand(confidence[j] >= 0 && confidence[j] <= 1, "confidence is in range");
        fuzz_demand(distance[j] >= 0 && distance[j] <= 1, "distance is in range");
    }
}

static void fit(const onefold_dataset *data, const onefold_fit_options *options, size_t samples)
{
    onefold_result *one = NULL, *two = NULL;
    onefold_status status = onefold_fit(&one, fuzz_context(), data, options);
    fuzz_demand(onefold_fit(&two, two_threads(), data, options) == status,
                "two runs come to the same");
    if (fuzz_worked(status)) {
        fuzz_check_result(one, samples);
        check_trace(one, options);
        check_same(one, two, samples);
        if (options->keep_model)
            check_model(one, data, samples);
    }
    onefold_result_free(one);
    onefold_result_free(two);
}

int fuzz_fit(const uint8_t *bytes, size_t size)
{
    fuzz_bytes rest = {bytes, size};
    onefold_dataset *data = NULL;
    size_t samples = 1 + fuzz_take(&rest) % MOST_SAMPLES, views = 1 + fuzz_take(&rest) % 3;
    onefold_fit_options options = pick_options(&rest, samples);
    unsigned keep = fuzz_take(&rest);
    fuzz_demand(onefold_dataset_create(&data, fuzz_context(), samples) == ONEFOLD_OK, "data");
    (void)!onefold_dataset_set_impute(data, (onefold_impute)(keep >> 1 & 1));
    int whole = 1;
    for (size_t v = 0; v < views; v++)
        whole &= fuzz_worked(add_view(data, &rest, samples));
    options.keep_model = (int)(keep & 1);
    if (whole)
        fit(data, &options, samples);
    onefold_dataset_free(data);
    return 0;
}
