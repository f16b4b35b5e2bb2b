/* SPDX-License-Identifier: Apache-2.0 */
/* JSON is read back by jansson and compared, key by key. */
#include "model/fit.h"
#include "model/model.h"

#include "support/check.h"
#include "support/paper_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

/* not UTF-8: overlong, half a surrogate pair, beyond Unicode, cut off; and a sound character */
static const char odd[] = "a\xc0\xaf"
                          "b\xed\xa0\x80"
                          "c\xf4\x90\x80\x80"
                          "d\xe2\x82 \xe2\x82\xac \"x\"";
static const onefold_view_fit views[2] = {
    {.name = "pixels", .kernel = "rbf", .weight = 0.6, .residual = 1e-12, .rank = 4, .columns = 64},
    {.name = odd,
     .kernel = "graph",
     .route = ONEFOLD_ROUTE_KRYLOV,
     .weight = 0.8,
     .residual = 2e-9,
     .rank = 3,
     .columns = 6,
     .storage = ONEFOLD_STORAGE_SPARSE,
     .missing = 5,
     .named = 1},
};
static const onefold_view_fit *const view_list[2] = {&views[0], &views[1]};
static const double trace[3] = {1.0, 4.0 / 3, 1.4142135623730951};
static const double objectives[2] = {1.25, 1.4142135623730951};
static const size_t iterations[2] = {7, 3}, used[2] = {2, 3}, sizes[3] = {2, 3, 1};
static int32_t labels[6] = {1, 0, 1, 2, 0, 1};
static const onefold_result result = {
    .info = {.labels = labels,
             .view = view_list,
             .method = "os-lfmvc-cs",
             .samples = 6,
             .held = 6,
             .clusters = 3,
             .clusters_used = 3,
             .dims = 6,
             .anchors = 7,
             .views = 2,
             .seed = 42,
             .threads = 2,
             .restarts = 2,
             .best_restart = 1,
             .iterations = 3,
             .converged = 1,
             .objective = 1.4142135623730951,
             .trace = trace,
             .restart_objective = objectives,
             .restart_iterations = iterations,
             .restart_clusters_used = used,
             .sizes = sizes,
             .seconds_base = 0.1,
             .seconds_fit = 0.25,
             .note = ""},
};
static const onefold_scores scores = {
    sizeof(onefold_scores), 0.5, 0.25, 0.25, 0.3, 0.35, 0.75, -0.1, 0.4, 0.45, NAN, 3, 2};

static onefold_report extras_of_a_fit(void)
{
    onefold_report extras = ONEFOLD_REPORT_INIT;
    extras.scores = &scores;
    extras.seconds_read = 0.125;
    extras.seconds_total = 0.5;
    extras.peak_bytes = 1000000;
    return extras;
}

/* The text of a call that makes one, parsed. */
#define MADE(call) parse_made(call)
static char *text;

static const onefold_report plain = ONEFOLD_REPORT_INIT;

/* The text of an object with what surrounds it. */
static onefold_status result_json(const onefold_result *of, onefold_report report)
{
    report.result = of;
    return onefold_report_json(&text, &report);
}

static onefold_status dataset_json(const onefold_dataset *of, onefold_report report)
{
    report.dataset = of;
    return onefold_report_json(&text, &report);
}

static onefold_status estimate_json(const onefold_estimate *of)
{
    onefold_report report = plain;
    report.estimate = of;
    return onefold_report_json(&text, &report);
}

static onefold_status model_json(const onefold_model *of, const onefold_prediction *prediction,
                                 onefold_report report)
{
    report.model = of;
    report.prediction = prediction;
    report.samples = 6;
    return onefold_report_json(&text, &report);
}

static json_t *parse_made(onefold_status status)
{
    char *made = text;
    CHECK_OK(status);
    assert_null(strchr(made, '\n')); /* one line */
    json_t *object = json_loads(made, 0, NULL);
    assert_non_null(object);
    onefold_free(made);
    text = NULL;
    return object;
}

static double real_at(const json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

static const char *text_at(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static void a_fit_has_the_keys_of_the_contract(void **state)
{
    (void)state;
    onefold_report extras = extras_of_a_fit();
    json_t *fit = MADE(result_json(&result, extras));
    static const char *const order[] = {
        "onefold",      "method",     "samples",   "clusters",  "clusters_used", "dims",
        "anchors",      "seed",       "run",       "threads",   "views",         "restarts",
        "best_restart", "iterations", "converged", "objective", "trace",         "runs",
        "labels",       "sizes",      "scores",    "seconds",   "peak_bytes"};
    const char *key;
    json_t *value;
    size_t at = 0;
    json_object_foreach(fit, key, value) assert_string_equal(key, order[at++]);
    assert_int_equal(at, sizeof order / sizeof *order);
    assert_string_equal(text_at(fit, "onefold"), ONEFOLD_VERSION);
    assert_true(real_at(fit, "objective") == result.info.objective); /* every bit */
    for (size_t i = 0; i < 3; i++)
        assert_true(json_number_value(json_array_get(json_object_get(fit, "trace"), i)) ==
                    trace[i]);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(json_integer_value(json_array_get(json_object_get(fit, "labels"), i)),
                         labels[i]);
    assert_int_equal(json_array_size(json_object_get(fit, "trace")), 3);
    json_t *run = json_array_get(json_object_get(fit, "runs"), 0);
    assert_true(real_at(run, "iterations") == 7 && real_at(run, "clusters_used") == 2);
    json_t *got = json_object_get(fit, "scores");
    assert_true(real_at(got, "ari") == -0.1 && real_at(got, "acc") == 0.5);
    assert_true(json_is_null(json_object_get(got, "recall"))); /* NaN is written as null */
    json_t *seconds = json_object_get(fit, "seconds");
    assert_true(real_at(seconds, "read") == 0.125 && real_at(seconds, "base") == 0.1 &&
                real_at(seconds, "fit") == 0.25 && real_at(seconds, "total") == 0.5);
    json_t *view = json_array_get(json_object_get(fit, "views"), 0);
    assert_true(json_is_null(json_object_get(view, "base"))); /* the method takes no partitions */
    view = json_array_get(json_object_get(fit, "views"), 1);
    assert_string_equal(text_at(view, "base"), "krylov");
    assert_memory_equal(text_at(view, "name"), "a\xef\xbf\xbd", 4);
    assert_non_null(strstr(text_at(view, "name"), "\xe2\x82\xac \"x\""));
    assert_true(real_at(view, "weight") == 0.8 && real_at(view, "columns") == 6);
    json_decref(fit);
    extras.seconds_read = 0; /* is a time, too */
    fit = MADE(result_json(&result, extras));
    assert_true(real_at(json_object_get(fit, "seconds"), "read") == 0);
    json_decref(fit);
}

static void what_is_not_known_is_left_out(void **state)
{
    (void)state;
    onefold_result noted = result;
    noted.info.note = "a sentence";
    json_t *fit = MADE(result_json(&noted, plain));
    assert_null(json_object_get(fit, "scores"));
    assert_null(json_object_get(fit, "peak_bytes"));
    assert_null(json_object_get(json_object_get(fit, "seconds"), "read"));
    assert_string_equal(text_at(fit, "note"), "a sentence");
    json_decref(fit);
}

/* The second view has names; the first, which has none, is left out of what is explained. */
static void why_is_told_where_it_is_known(void **state)
{
    (void)state;
    static const double agreement[2] = {0.5, 0.75}, between[4] = {1, 0.25, 0.25, 1},
                        by_cluster[6] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6},
                        confidence[6] = {0, 0.125, 0.25, 0.5, 0.75, 1},
                        parts[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    static const size_t count[6] = {0, 2, 0, 0, 0, 1};
    static const onefold_column column[12] = {
        [2] = {"goal", 4, 0.875}, [3] = {"vo\"te", 0, -0.5}, [10] = {"gene", 5, 0.25}};
    onefold_result why = result;
    why.info.agreement = agreement;
    why.info.view_agreement = between;
    why.info.cluster_agreement = by_cluster;
    why.info.confidence = confidence;
    why.info.explain = 2;
    why.info.explained = 1;
    why.column_count = count;
    why.column = column;
    why.info.view_parts = parts;
    json_t *fit = MADE(result_json(&why, plain)), *part = json_object_get(fit, "agreement");
    json_t *pair = json_array_get(json_array_get(json_object_get(part, "views"), 0), 1);
    assert_true(json_number_value(pair) == 0.25);
    json_t *third = json_array_get(json_object_get(part, "clusters"), 2);
    assert_true(json_number_value(json_array_get(third, 1)) == 0.6);
    assert_true(real_at(json_array_get(json_object_get(fit, "views"), 1), "agreement") == 0.75);
    assert_true(json_number_value(json_array_get(json_object_get(fit, "confidence"), 1)) == 0.125);
    json_t *last = json_array_get(json_object_get(fit, "view_parts"), 5);
    assert_true(json_number_value(json_array_get(last, 1)) == 12);
    json_t *explain = json_object_get(fit, "explain");
    assert_int_equal(json_array_size(explain), 3);
    for (size_t c = 0; c < 3; c++) {
        json_t *cluster = json_array_get(explain, c), *view = json_array_get(cluster, 0);
        json_t *columns = json_object_get(view, "columns");
        assert_int_equal(json_array_size(cluster), 1);
        assert_int_equal(json_array_size(columns), count[2 * c + 1]);
        assert_non_null(strstr(text_at(view, "view"), "\"x\""));
        for (size_t r = 0; r < count[2 * c + 1]; r++) {
            const onefold_column *want = &column[(2 * c + 1) * 2 + r];
            json_t *got = json_array_get(columns, r);
            assert_string_equal(text_at(got, "name"), want->name);
            assert_true(real_at(got, "index") == (double)want->index);
            assert_true(real_at(got, "strength") == want->strength);
        }
    }
    json_decref(fit);
}

static void the_largest_seeds_keep_their_digits(void **state)
{
    (void)state;
    onefold_result seeded = result;
    seeded.info.seed = INT64_MAX;
    json_t *fit = MADE(result_json(&seeded, plain));
    assert_true(json_integer_value(json_object_get(fit, "seed")) == INT64_MAX);
    json_decref(fit);
    seeded.info.seed = UINT64_MAX;
    fit = MADE(result_json(&seeded, plain));
    assert_string_equal(text_at(fit, "seed"), "18446744073709551615");
    json_decref(fit);
}

static onefold_dataset *small_dataset(void)
{
    onefold_dataset *dataset = NULL;
    const double values[6] = {1, 0, 3, 0, 0, 6};
    const int64_t truth[3] = {5, -1, 5};
    CHECK_OK(onefold_dataset_create(&dataset, NULL, 3));
    CHECK_OK(onefold_dataset_add_dense(dataset, "x", values, 2, 2, 1));
    CHECK_OK(onefold_dataset_set_truth(dataset, truth, NULL));
    return dataset;
}

static void data_sets_and_estimates_are_objects(void **state)
{
    (void)state;
    onefold_dataset *dataset = small_dataset();
    onefold_estimate *estimate = NULL;
    onefold_fit_options options = paper_options();
    onefold_report extras = ONEFOLD_REPORT_INIT;
    const char *path = "x.npy";
    options.clusters = 2;
    CHECK_OK(onefold_fit_estimate(&estimate, NULL, dataset, &options, 0));
    extras.paths = &path;
    extras.path_count = 1;
    extras.estimate = estimate;
    json_t *object = MADE(dataset_json(dataset, extras));
    json_t *view = json_array_get(json_object_get(object, "views"), 0);
    assert_true(real_at(view, "density") == 0.5 && real_at(view, "nonzeros") == 3);
    assert_string_equal(text_at(view, "kernel"), "rbf");
    assert_non_null(text_at(view, "reason"));
    assert_int_equal(json_array_size(json_object_get(object, "classes")), 2);
    assert_string_equal(json_string_value(json_array_get(json_object_get(object, "files"), 0)),
                        path);
    assert_true(real_at(json_object_get(object, "estimate"), "input_bytes") == 48);
    assert_true(real_at(json_object_get(object, "estimate"), "clusters") == 2);
    json_decref(object);
    object = MADE(estimate_json(estimate));
    assert_true(real_at(json_object_get(object, "bytes"), "input") == 48);
    assert_null(json_object_get(json_object_get(object, "seconds"), "total"));
    json_decref(object);
    onefold_estimate_free(estimate);
    onefold_dataset_free(dataset);
}

static void models_and_predictions_are_objects(void **state)
{
    (void)state;
    static const onefold_model_view_info shown[1] = {{.name = "x",
                                                      .kernel = "rbf",
                                                      .prep = ONEFOLD_PREP_STANDARDISE,
                                                      .route = ONEFOLD_ROUTE_NYSTROM,
                                                      .columns = 9,
                                                      .kept_columns = 8,
                                                      .rank = 3,
                                                      .points = 40,
                                                      .weight = 0.5,
                                                      .bytes = 123}};
    static const onefold_model_view_info *const list[1] = {&shown[0]};
    static const onefold_model model = {.info = {.version = "0.1.0",
                                                 .samples = 100,
                                                 .clusters = 3,
                                                 .dims = 6,
                                                 .views = 1,
                                                 .view = list,
                                                 .seed = 7,
                                                 .precision = ONEFOLD_SINGLE,
                                                 .impute = ONEFOLD_IMPUTE_MEDIAN,
                                                 .bytes = 4567,
                                                 .distance_mean = 0.25,
                                                 .distance_most = 0.5,
                                                 .run = "00000000000000ab"}};
    onefold_report extras = ONEFOLD_REPORT_INIT;
    extras.model_path = "a.model";
    json_t *object = MADE(model_json(&model, NULL, extras)),
           *view = json_array_get(json_object_get(object, "views"), 0);
    assert_string_equal(text_at(object, "model"), "a.model");
    assert_string_equal(text_at(object, "precision"), "single");
    assert_string_equal(text_at(object, "impute"), "median");
    assert_string_equal(text_at(object, "run"), "00000000000000ab");
    assert_true(real_at(object, "bytes") == 4567 && real_at(object, "distance_most") == 0.5);
    assert_true(json_is_false(json_object_get(object, "holds_samples")));
    assert_true(real_at(view, "points") == 40 && real_at(view, "kept_columns") == 8 &&
                real_at(view, "columns") == 9 && real_at(view, "weight") == 0.5);
    assert_string_equal(text_at(view, "prep"), "standardise");
    json_decref(object);
    double confidence[6] = {0, 0.5, 1, 0.25, 0.125, 1.0 / 3},
           distance[6] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
    onefold_prediction made = {sizeof made, labels, confidence, distance, NULL, NULL};
    extras.seconds_predict = 0.5;
    object = MADE(model_json(&model, &made, extras));
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(json_integer_value(json_array_get(json_object_get(object, "labels"), i)),
                         labels[i]);
        assert_true(json_real_value(json_array_get(json_object_get(object, "confidence"), i)) ==
                    confidence[i]);
        assert_true(json_real_value(json_array_get(json_object_get(object, "distance"), i)) ==
                    distance[i]);
    }
    for (size_t c = 0; c < 3; c++)
        assert_int_equal(json_integer_value(json_array_get(json_object_get(object, "sizes"), c)),
                         c == 1   ? 3
                         : c == 0 ? 2
                                  : 1);
    assert_true(real_at(object, "far") == 1 &&
                real_at(json_object_get(object, "training"), "samples") == 100 &&
                real_at(json_object_get(object, "seconds"), "predict") == 0.5);
    assert_null(json_object_get(object, "scores"));
    json_decref(object);
    extras.scores = &scores;
    object = MADE(model_json(&model, &made, extras));
    assert_true(real_at(json_object_get(object, "scores"), "acc") == 0.5);
    json_decref(object);
    onefold_result kept = result;
    kept.info.model = &model;
    extras.model_path = "b.model";
    object = MADE(result_json(&kept, extras));
    assert_string_equal(text_at(json_object_get(object, "model"), "file"), "b.model");
    assert_true(real_at(json_object_get(object, "model"), "bytes") == 4567);
    json_decref(object);
}

static void what_cannot_be_told_is_refused(void **state)
{
    (void)state;
    onefold_report extras = ONEFOLD_REPORT_INIT;
    onefold_prediction none = ONEFOLD_PREDICTION_INIT;
    static const onefold_model model = {.info = {.clusters = 3}};
    CHECK_FAILS(onefold_report_json(NULL, &extras), ONEFOLD_USAGE, "a place");
    CHECK_FAILS(onefold_report_json(&text, &extras), ONEFOLD_USAGE, "nothing in the report");
    CHECK_FAILS(model_json(&model, &none, extras), ONEFOLD_USAGE, "no labels");
    CHECK_FAILS(model_json(NULL, &none, extras), ONEFOLD_USAGE, "needs its model");
    extras.struct_size = 0;
    CHECK_FAILS(result_json(&result, extras), ONEFOLD_USAGE, "struct_size");
    assert_null(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fit_has_the_keys_of_the_contract),
        cmocka_unit_test(what_is_not_known_is_left_out),
        cmocka_unit_test(why_is_told_where_it_is_known),
        cmocka_unit_test(the_largest_seeds_keep_their_digits),
        cmocka_unit_test(data_sets_and_estimates_are_objects),
        cmocka_unit_test(models_and_predictions_are_objects),
        cmocka_unit_test(what_cannot_be_told_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
