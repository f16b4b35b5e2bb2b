/* SPDX-License-Identifier: Apache-2.0 */
/* Weights that the caller fixes or bounds, and the views' parts: through the public header. */
#include "onefold.h"

#include "support/ask.h"
#include "support/check.h"
#include "support/paper_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 240, VIEWS = 3, CLUSTERS = 4 };

static onefold_dataset *make(double missing)
{
    onefold_synth_options synth = ONEFOLD_SYNTH_OPTIONS_INIT;
    onefold_dataset *data = NULL;
    synth.samples = SAMPLES;
    synth.views = VIEWS;
    synth.clusters = CLUSTERS;
    synth.separation = 3;
    synth.missing = missing;
    CHECK_OK(onefold_dataset_synth(&data, NULL, &synth));
    return data;
}

/* The methods whose weights can be fixed. */
static const char *const methods[] = {"os-lfmvc-cs", "onefold"};
enum { METHODS = 2 };

static onefold_fit_options options_of(size_t method, const char *weights)
{
    onefold_fit_options options = paper_options();
    options.method = methods[method];
    options.clusters = CLUSTERS;
    options.weights = weights;
    return options;
}

static double weight_of(const onefold_result *result, size_t view)
{
    const onefold_view_fit *info = onefold_result_describe(result)->view[view];
    return info->weight;
}

/* The objective never falls; the squares of the weights add up to 1, or, of onefold, they do. */
static onefold_fit_info check_run(const onefold_result *result, size_t method)
{
    double sum = 0;
    const onefold_fit_info *info = onefold_result_describe(result);
    for (size_t t = 1; t < info->iterations; t++)
        assert_true(info->trace[t] >= info->trace[t - 1] * (1 - 1e-12));
    for (size_t i = 0; i < VIEWS; i++)
        sum += weight_of(result, i) * (method ? 1 : weight_of(result, i));
    CHECK_CLOSE(sum, 1, 1e-10, 0);
    return *info;
}

static void weights_are_as_asked(void **state)
{
    (void)state;
    onefold_dataset *data = make(0), *lacking = make(0.2);
    static const onefold_stop stops[] = {ONEFOLD_STOP_RELATIVE, ONEFOLD_STOP_SETTLED};
    static const onefold_start starts[] = {ONEFOLD_START_ALIGNED, ONEFOLD_START_PAPER};
    for (size_t way = 0; way < 6; way++) { /* onefold has no use for starts and ends */
        size_t method = way / 4;
        onefold_result *result = NULL;
        onefold_fit_options options = options_of(method, "0.7,0.1..0.2,auto");
        if (!method) {
            options.stop = stops[way % 2];
            options.start = starts[way / 2 % 2];
        }
        CHECK_OK(onefold_fit(&result, NULL, data, &options));
        check_run(result, method);
        CHECK_CLOSE(weight_of(result, 0), 0.7, method ? 1e-14 : 0, 0);
        assert_true(weight_of(result, 1) >= 0.1 - 1e-14 && weight_of(result, 1) <= 0.2 + 1e-14);
        onefold_result_free(result);
        options.weights = "1,1,2";
        CHECK_OK(onefold_fit(&result, NULL, way % 2 ? lacking : data, &options));
        check_run(result, method);
        for (size_t i = 0; i < VIEWS; i++)
            CHECK_CLOSE(weight_of(result, i), (i == 2 ? 2 : 1) / (method ? 4 : sqrt(6)), 1e-14, 0);
        onefold_result_free(result);
    }
    onefold_dataset_free(data);
    onefold_dataset_free(lacking);
}

/* Bounds that do not bind change nothing; a view of weight 0 has no say. */
static void bounds_that_hold_anyway_change_nothing(void **state)
{
    (void)state;
    onefold_dataset *data = make(0);
    onefold_result *free_one = NULL, *wide = NULL, *without = NULL;
    onefold_fit_options options = options_of(0, NULL);
    CHECK_OK(onefold_fit(&free_one, NULL, data, &options));
    options.weights = "0.01..0.99,auto,auto";
    CHECK_OK(onefold_fit(&wide, NULL, data, &options));
    onefold_fit_info a = check_run(free_one, 0), b = check_run(wide, 0);
    CHECK_CLOSE(a.objective, b.objective, 1e-6, 0);
    assert_memory_equal(onefold_result_describe(free_one)->labels,
                        onefold_result_describe(wide)->labels, SAMPLES * sizeof(int32_t));
    onefold_result_free(free_one);
    onefold_result_free(wide);
    for (size_t m = 0; m < METHODS; m++) {
        options = options_of(m, "0,auto,auto");
        options.view_parts = 1;
        CHECK_OK(onefold_fit(&without, NULL, data, &options));
        check_run(without, m);
        for (size_t j = 0; j < SAMPLES; j++)
            assert_true(onefold_result_describe(without)->view_parts[j * VIEWS] == 0);
        onefold_result_free(without);
    }
    onefold_dataset_free(data);
}

/* Those of the fit are those that the model gives the same samples, whole or lacking views. */
static void parts_are_those_of_the_model(void **state)
{
    (void)state;
    for (size_t way = 0; way < 6; way++) { /* of onefold with the joint partitions, and without */
        onefold_dataset *data = make(way % 2 ? 0.2 : 0);
        onefold_result *kept = NULL, *plain = NULL;
        onefold_fit_options options = options_of(way > 1, way < 4 ? "auto,0.2..0.5,auto" : NULL);
        options.view_parts = 1;
        CHECK_OK(onefold_fit(&plain, NULL, data, &options));
        options.keep_model = 1;
        CHECK_OK(onefold_fit(&kept, NULL, data, &options));
        double *parts = calloc(SAMPLES * VIEWS, sizeof *parts);
        onefold_prediction prediction = ONEFOLD_PREDICTION_INIT;
        prediction.view_part = parts;
        CHECK_OK(onefold_predict(&prediction, NULL, onefold_result_describe(kept)->model, data, 0,
                                 SAMPLES));
        const double *ours = onefold_result_describe(kept)->view_parts,
                     *theirs = onefold_result_describe(plain)->view_parts;
        for (size_t j = 0; j < SAMPLES; j++) {
            assert_int_equal(onefold_result_describe(kept)->labels[j],
                             onefold_result_describe(plain)->labels[j]);
            for (size_t i = 0; i < VIEWS; i++) {
                size_t e = j * VIEWS + i;
                assert_true(ours[e] == parts[e]);
                CHECK_CLOSE(ours[e], theirs[e], 1e-3, 1e-6);
                int has = ask_present(data, j, i);
                if (!has)
                    assert_true(theirs[e] == 0 && ours[e] == 0);
            }
        }
        free(parts);
        onefold_result_free(kept);
        onefold_result_free(plain);
        onefold_dataset_free(data);
    }
}

static void methods_without_them_refuse_by_name(void **state)
{
    (void)state;
    onefold_dataset *data = make(0);
    for (size_t m = 0; onefold_method_describe(m); m++) {
        onefold_result *result = NULL;
        const onefold_method_info *info = onefold_method_describe(m);
        onefold_fit_options options = options_of(0, "1,1,1");
        options.method = info->name;
        if (!info->has_weights)
            CHECK_FAILS(onefold_fit(&result, NULL, data, &options), ONEFOLD_USAGE, info->name);
        options.weights = NULL;
        options.view_parts = 1;
        if (!info->has_view_parts)
            CHECK_FAILS(onefold_fit(&result, NULL, data, &options), ONEFOLD_USAGE, info->name);
        assert_null(result);
    }
    onefold_result *result = NULL;
    for (size_t m = 0; m < METHODS; m++) {
        onefold_fit_options options = options_of(m, "1,1");
        CHECK_FAILS(onefold_fit(&result, NULL, data, &options), ONEFOLD_USAGE,
                    "2 weights are given for 3 views");
    }
    onefold_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_as_asked),
        cmocka_unit_test(bounds_that_hold_anyway_change_nothing),
        cmocka_unit_test(parts_are_those_of_the_model),
        cmocka_unit_test(methods_without_them_refuse_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
