/* SPDX-License-Identifier: Apache-2.0 */
/* Combinations of options, on small data of every kind: results are consistent, threads change
 * nothing, and a kept model labels its samples as the fit. */
#include "onefold.h"

#include "support/check.h"
#include "support/mixed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 36, VIEWS_MOST = 4 };

/* ---- data --------------------------------------------------------------------------------- */

static void add(onefold_dataset *data, const char *name, size_t columns, uint64_t seed,
                double apart, int holes)
{
    double *values = malloc(SAMPLES * columns * sizeof *values);
    check_random(seed, 7, columns, SAMPLES, values);
    for (size_t j = 0; j < SAMPLES; j++)
        for (size_t i = 0; i < columns; i++) {
            values[j * columns + i] += i % MIXED_CLUSTERS == j % MIXED_CLUSTERS ? apart : 0;
            if (holes && j % 6 == (size_t)holes)
                values[j * columns + i] = NAN;
        }
    CHECK_OK(onefold_dataset_add_dense(data, name, values, columns, columns, 1));
    free(values);
}

static onefold_dataset *dense(int holes, size_t columns)
{
    onefold_dataset *data = NULL;
    CHECK_OK(onefold_dataset_create(&data, NULL, SAMPLES));
    add(data, "a", columns, 1, 6, 0);
    add(data, "b", columns + 1, 2, 6, holes ? 4 : 0);
    return data;
}

static onefold_dataset *wide(void)
{
    return dense(0, 12);
}

static onefold_dataset *narrow(void)
{
    return dense(0, 2);
}

static onefold_dataset *with_gaps(void)
{
    return dense(1, 12);
}

static onefold_dataset *every_kind(void)
{
    return mixed(SAMPLES, 0, SAMPLES);
}

static onefold_dataset *kernels_alone(void)
{
    return mixed_some(SAMPLES, 0, SAMPLES, 8);
}

static onefold_dataset *links_alone(void)
{
    return mixed_some(SAMPLES, 0, SAMPLES, 4);
}

/* A view without clusters beside one with clusters. */
static onefold_dataset *noise_beside(void)
{
    onefold_dataset *data = NULL;
    CHECK_OK(onefold_dataset_create(&data, NULL, SAMPLES));
    add(data, "a", 9, 1, 7, 0);
    add(data, "noise", 9, 3, 0, 0);
    return data;
}

/* ---- what must hold ----------------------------------------------------------------------- */

static onefold_result *fit(onefold_context *context, const onefold_dataset *data,
                           const onefold_fit_options *options)
{
    onefold_result *result = NULL;
    if (onefold_fit(&result, context, data, options) != ONEFOLD_OK)
        fail_msg("%s, %s: %s", options->method, options->weights, onefold_last_error());
    return result;
}

static void check_labels(const onefold_result *result, const onefold_fit_options *options)
{
    const int32_t *labels = onefold_result_describe(result)->labels;
    size_t sizes[MIXED_CLUSTERS] = {0}, used = 0;
    const onefold_fit_info *info = onefold_result_describe(result);
    for (size_t j = 0; j < SAMPLES; j++) {
        assert_true(labels[j] >= 0 && labels[j] < MIXED_CLUSTERS);
        sizes[labels[j]]++;
    }
    for (size_t c = 0; c < MIXED_CLUSTERS; c++) {
        assert_int_equal(sizes[c], info->sizes[c]);
        used += sizes[c] > 0;
    }
    assert_int_equal(used, info->clusters_used);
    assert_int_equal(info->confidence == NULL, options->bare != 0);
    for (size_t j = 0; info->confidence && j < SAMPLES; j++)
        assert_true(info->confidence[j] >= 0 && info->confidence[j] <= 1);
    assert_int_equal(info->explained, options->explain > 0);
    size_t chosen = 0;
    for (size_t i = 0; i < info->candidates; i++) {
        const onefold_candidate *one = onefold_result_describe(result)->candidate[i];
        chosen += one->chosen != 0;
        assert_true(!one->chosen || one->eligible);
    }
    assert_int_equal(chosen, info->candidates > 0);
}

/* Weights meet the option: "1,..." all equal, "0.3..0.8,auto,..." the first within bounds; they, or
 * the squares of the paper's method, add up to 1. */
static void check_weights(const onefold_result *result, size_t views,
                          const onefold_fit_options *options)
{
    const char *asked = options->weights;
    int squares = strcmp(options->method, "os-lfmvc-cs") == 0;
    double sum = 0, first = 0, view_weight[VIEWS_MOST];
    for (size_t i = 0; i < views; i++) {
        const onefold_view_fit *view = onefold_result_describe(result)->view[i];
        view_weight[i] = view->weight;
        sum += squares ? view->weight * view->weight : view->weight;
        assert_true(view->weight >= 0);
    }
    CHECK_CLOSE(sum, 1, 1e-9, 0);
    first = view_weight[0];
    if (asked && asked[0] == '1')
        for (size_t i = 0; i < views; i++)
            CHECK_CLOSE(view_weight[i], first, 1e-9, 0);
    else if (asked && views > 1)
        assert_true(first >= 0.3 - 1e-9 && first <= 0.8 + 1e-9);
}

/* The parts of all views are those of the label that was given. */
static void check_parts(const onefold_result *result, size_t views)
{
    const double *parts = onefold_result_describe(result)->view_parts;
    assert_non_null(parts);
    for (size_t e = 0; e < SAMPLES * views; e++)
        assert_true(isfinite(parts[e]));
}

static void check_model(const onefold_result *result, const onefold_dataset *data)
{
    int32_t again[SAMPLES];
    onefold_prediction prediction = ONEFOLD_PREDICTION_INIT;
    prediction.labels = again;
    CHECK_OK(onefold_predict(&prediction, NULL, onefold_result_describe(result)->model, data, 0,
                             SAMPLES));
    const int32_t *labels = onefold_result_describe(result)->labels;
    for (size_t j = 0; j < SAMPLES; j++)
        if (again[j] != labels[j])
            fail_msg("sample %zu is in %d by the model, and %d by the fit", j, again[j], labels[j]);
}

/* ---- combinations ------------------------------------------------------------------------- */

static onefold_fit_options combination(unsigned number, size_t views)
{
    static const char *const weights[2][VIEWS_MOST] = {
        {"1", "1,1", "1,1,1", "1,1,1,1"},
        {"auto", "0.3..0.8,auto", "0.3..0.8,auto,auto", "0.3..0.8,auto,auto,auto"}};
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    options.clusters = MIXED_CLUSTERS;
    int paper = number % 4 == 3; /* some options are refused by onefold */
    options.method = paper ? "os-lfmvc-cs" : "onefold";
    options.effort = (onefold_effort)(paper ? 0 : number % 4);
    options.restarts = 2;
    options.weights = number / 4 % 3 ? weights[number / 4 % 3 - 1][views - 1] : NULL;
    options.bare = number % 5 == 4;
    options.picture = !options.bare && number % 3 == 1;
    options.view_parts = number % 2;
    options.explain = !options.bare && number % 7 < 3 ? 2 : 0;
    options.keep_model = number % 3 != 2;
    options.precision = paper && number % 11 == 6 ? ONEFOLD_SINGLE : ONEFOLD_DOUBLE;
    options.base = paper && number % 13 == 5 ? ONEFOLD_BASE_NYSTROM : ONEFOLD_BASE_AUTO;
    options.landmarks = number % 13 == 5 ? 12 : 0;
    options.no_embedding = number % 9 == 8;
    options.nonneg = paper && number % 17 == 3;
    return options;
}

static void what_must_hold_holds(void **state)
{
    (void)state;
    enum { EACH = 48 };
    static onefold_dataset *(*const kinds[])(void) = {
        wide, narrow, with_gaps, every_kind, links_alone, noise_beside, kernels_alone};
    onefold_context *one, *two;
    CHECK_OK(onefold_context_create(&one, NULL));
    CHECK_OK(onefold_context_create(&two, NULL));
    CHECK_OK(onefold_context_set_threads(one, 1));
    CHECK_OK(onefold_context_set_threads(two, 2));
    for (size_t d = 0; d < sizeof kinds / sizeof *kinds; d++) {
        onefold_dataset *data = kinds[d]();
        size_t views = onefold_dataset_describe(data)->views;
        for (unsigned c = 0; c < EACH; c += check_everything() ? 1 : 3) {
            onefold_fit_options options = combination(c + 5 * (unsigned)d, views);
            onefold_result *result = fit(one, data, &options), *other = fit(two, data, &options);
            check_labels(result, &options);
            assert_memory_equal(onefold_result_describe(result)->labels,
                                onefold_result_describe(other)->labels, SAMPLES * sizeof(int32_t));
            check_weights(result, views, &options);
            if (options.view_parts)
                check_parts(result, views);
            else
                assert_null(onefold_result_describe(result)->view_parts);
            if (options.keep_model)
                check_model(result, data);
            else
                assert_null(onefold_result_describe(result)->model);
            onefold_result_free(result);
            onefold_result_free(other);
        }
        onefold_dataset_free(data);
    }
    onefold_context_free(one);
    onefold_context_free(two);
}

/* ---- estimates ---------------------------------------------------------------------------- */

/* The estimate of views agrees with the fit. */
static void compare_views(const onefold_estimate *estimate, const onefold_result *result,
                          size_t views)
{
    for (size_t i = 0; i < views; i++) {
        const onefold_view_fit *foreseen = onefold_estimate_describe(estimate)->view[i];
        const onefold_view_fit *made = onefold_result_describe(result)->view[i];
        assert_string_equal(foreseen->name, made->name);
        assert_string_equal(foreseen->kernel, made->kernel);
        assert_int_equal(foreseen->columns, made->columns);
        assert_true(foreseen->seconds >= 0);
    }
}

/* A fit is refused where its estimate is, by the same sentence, and otherwise holds no more memory
 * than estimated. */
static size_t compare_estimate(const onefold_dataset *data, const onefold_fit_options *options,
                               int measure)
{
    onefold_context *context = NULL;
    onefold_estimate *estimate = NULL;
    onefold_result *result = NULL;
    const onefold_estimate_info *info = NULL;
    char sentence[400];
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_context_set_threads(context, 1));
    onefold_status status = onefold_fit_estimate(&estimate, context, data, options, measure);
    snprintf(sentence, sizeof sentence, "%s", status == ONEFOLD_OK ? "" : onefold_last_error());
    if (status == ONEFOLD_OK) {
        info = onefold_estimate_describe(estimate);
        assert_true(info->has_time == measure && info->seconds >= 0 && info->samples == SAMPLES);
        assert_true(info->peak_bytes >= info->input_bytes + info->partition_bytes);
        assert_int_equal(info->model_bytes > 0, options->keep_model != 0);
        CHECK_OK(onefold_context_set_memory_limit(context, info->peak_bytes + (1 << 20)));
    }
    onefold_status fitted = onefold_fit(&result, context, data, options);
    if (fitted != status || (status != ONEFOLD_OK && strcmp(sentence, onefold_last_error()) != 0))
        fail_msg("%s: the estimate says '%s', the fit '%s'", options->method, sentence,
                 fitted == ONEFOLD_OK ? "" : onefold_last_error());
    if (fitted == ONEFOLD_OK)
        compare_views(estimate, result, info->views);
    onefold_estimate_free(estimate);
    onefold_result_free(result);
    onefold_context_free(context);
    return fitted == ONEFOLD_OK;
}

static void estimates_are_of_the_fit(void **state)
{
    (void)state;
    static onefold_dataset *(*const kinds[])(void) = {wide, with_gaps, every_kind, kernels_alone,
                                                      links_alone};
    static const char *const kernels[] = {NULL, "rbf", "linear", "knn", "subspace"};
    size_t fitted = 0, tried = 0;
    for (size_t d = 0; d < sizeof kinds / sizeof *kinds; d++) {
        onefold_dataset *data = kinds[d]();
        for (size_t m = 0; onefold_method_describe(m); m++)
            for (unsigned c = 0; c < 8; c++) {
                onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
                options.clusters = MIXED_CLUSTERS;
                options.method = onefold_method_describe(m)->name;
                options.restarts = 2;
                int all = strcmp(options.method, "onefold") != 0; /* it refuses these */
                if (all)
                    options.max_iterations = 5;
                options.kernel = kernels[c % 5];
                options.base = !all     ? ONEFOLD_BASE_AUTO
                               : c == 5 ? ONEFOLD_BASE_NYSTROM
                               : c == 6 ? ONEFOLD_BASE_EXACT
                                        : ONEFOLD_BASE_AUTO;
                options.landmarks = c == 5 ? 10 : 0;
                options.precision = c == 7 ? ONEFOLD_SINGLE : ONEFOLD_DOUBLE;
                options.picture = c == 1;
                options.explain = c == 2 ? 3 : 0;
                options.keep_model = c == 3;
                fitted += compare_estimate(data, &options, c < 2);
                tried++;
            }
        onefold_dataset_free(data);
    }
    assert_true(fitted > tried / 3 && fitted < tried);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_must_hold_holds),
                                       cmocka_unit_test(estimates_are_of_the_fit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
