/* SPDX-License-Identifier: Apache-2.0 */
/* What is written is read back by the library's own parser and compared, key by key. */
#include "report/json.h"

#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifndef ONEFOLD_WITH_JSON

static void a_build_without_json_says_so(void **state)
{
    (void)state;
    CHECK_FAILS(of_json_check(), ONEFOLD_UNSUPPORTED, "JSON");
    CHECK_FAILS(of_json_error(stdout, ONEFOLD_USAGE, "", ""), ONEFOLD_UNSUPPORTED, "JSON");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_build_without_json_says_so)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

#include <jansson.h>

static const onefold_view_fit views[2] = {
    {"pixels", "rbf", "", 0.6, 1e-12, 4, 64, "dense", 0, 0},
    {"caf\xe9 \"x\"", "graph", "krylov", 0.8, 2e-9, 3, 6, "sparse", 5, 1},
};
static const double trace[3] = {1.0, 4.0 / 3, 1.4142135623730951};
static const double objectives[2] = {1.25, 1.4142135623730951};
static const size_t iterations[2] = {7, 3}, used[2] = {2, 3}, sizes[3] = {2, 3, 1};
static const int32_t labels[6] = {1, 0, 1, 2, 0, 1};
static const onefold_fit_info info = {
    .struct_size = sizeof(onefold_fit_info),
    .method = "os-lfmvc-cs",
    .samples = 6,
    .clusters = 3,
    .clusters_used = 3,
    .dims = 6,
    .anchors = 7,
    .views = 2,
    .view = views,
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
    .note = "",
};
static const onefold_scores scores = {
    sizeof(onefold_scores), 0.5, 0.25, 0.25, 0.3, 0.35, 0.75, -0.1, 0.4, 0.45, NAN, 3, 2};
static const of_fit_report report = {&info, labels, &scores, 42,   2,
                                     0.125, 0.5,    1000000, NULL, NULL};

/* What the call writes, parsed; *text is the text itself where asked for. */
#define WRITTEN(call, text) parse_written(((void)(tmp = tmpfile()), (call)), (text))
static FILE *tmp;

static json_t *parse_written(onefold_status status, char **text)
{
    CHECK_OK(status);
    long size = ftell(tmp);
    char *all = calloc((size_t)size + 1, 1);
    rewind(tmp);
    assert_int_equal(fread(all, 1, (size_t)size, tmp), size);
    fclose(tmp);
    assert_int_equal(all[size - 1], '\n');
    assert_ptr_equal(strchr(all, '\n'), all + size - 1); /* one line */
    json_t *object = json_loads(all, 0, NULL);
    assert_non_null(object);
    if (text)
        *text = all;
    else
        free(all);
    return object;
}

static double real_at(const json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

static void a_fit_has_the_keys_of_the_contract(void **state)
{
    (void)state;
    char *text;
    json_t *fit = WRITTEN(of_json_fit(tmp, &report), &text);
    static const char *const order[] = {
        "onefold",    "method",    "samples",   "clusters",  "clusters_used", "dims",
        "anchors",    "seed",      "threads",   "views",     "restarts",      "best_restart",
        "iterations", "converged", "objective", "trace",     "runs",          "labels",
        "sizes",      "scores",    "seconds",   "peak_bytes"};
    const char *key;
    json_t *value;
    size_t at = 0;
    json_object_foreach(fit, key, value) assert_string_equal(key, order[at++]);
    assert_int_equal(at, sizeof order / sizeof *order);
    assert_string_equal(json_string_value(json_object_get(fit, "onefold")), ONEFOLD_VERSION);
    assert_true(real_at(fit, "objective") == info.objective); /* every bit */
    assert_non_null(strstr(text, "1.3333333333333333"));
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(json_integer_value(json_array_get(json_object_get(fit, "labels"), i)),
                         labels[i]);
    assert_int_equal(json_array_size(json_object_get(fit, "trace")), 3);
    json_t *run = json_array_get(json_object_get(fit, "runs"), 0);
    assert_true(real_at(run, "iterations") == 7 && real_at(run, "clusters_used") == 2);
    json_t *got = json_object_get(fit, "scores");
    assert_true(real_at(got, "ari") == -0.1 && real_at(got, "acc") == 0.5);
    assert_true(json_is_null(json_object_get(got, "recall"))); /* NaN cannot be said */
    json_t *seconds = json_object_get(fit, "seconds");
    assert_true(real_at(seconds, "read") == 0.125 && real_at(seconds, "base") == 0.1 &&
                real_at(seconds, "fit") == 0.25 && real_at(seconds, "total") == 0.5);
    json_t *view = json_array_get(json_object_get(fit, "views"), 0);
    assert_true(json_is_null(json_object_get(view, "base"))); /* the method takes no partitions */
    view = json_array_get(json_object_get(fit, "views"), 1);
    assert_string_equal(json_string_value(json_object_get(view, "base")), "krylov");
    assert_string_equal(json_string_value(json_object_get(view, "name")), "caf\xef\xbf\xbd \"x\"");
    assert_true(real_at(view, "weight") == 0.8 && real_at(view, "columns") == 6);
    json_decref(fit);
    free(text);
}

static void scores_and_note_are_there_only_when_they_are(void **state)
{
    (void)state;
    onefold_fit_info noted = info;
    noted.note = "a sentence";
    of_fit_report bare = report;
    bare.scores = NULL;
    bare.info = &noted;
    json_t *fit = WRITTEN(of_json_fit(tmp, &bare), NULL);
    assert_null(json_object_get(fit, "scores"));
    assert_string_equal(json_string_value(json_object_get(fit, "note")), "a sentence");
    json_decref(fit);
}

/* The second view has names; the first, which has none, is left out of what is explained. */
static void why_is_told_where_it_is_known(void **state)
{
    (void)state;
    static const double agreement[2] = {0.5, 0.75}, between[4] = {1, 0.25, 0.25, 1},
                        by_cluster[6] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6},
                        confidence[6] = {0, 0.125, 0.25, 0.5, 0.75, 1};
    static const size_t count[6] = {0, 2, 0, 0, 0, 1};
    static const onefold_column column[12] = {
        [2] = {"goal", 4, 0.875}, [3] = {"vo\"te", 0, -0.5}, [10] = {"gene", 5, 0.25}};
    onefold_fit_info told = info;
    told.agreement = agreement;
    told.view_agreement = between;
    told.cluster_agreement = by_cluster;
    told.confidence = confidence;
    told.explain = 2;
    told.column_count = count;
    told.column = column;
    of_fit_report why = report;
    why.info = &told;
    json_t *fit = WRITTEN(of_json_fit(tmp, &why), NULL), *part = json_object_get(fit, "agreement");
    json_t *pair = json_array_get(json_array_get(json_object_get(part, "views"), 0), 1);
    assert_true(json_number_value(pair) == 0.25);
    json_t *third = json_array_get(json_object_get(part, "clusters"), 2);
    assert_true(json_number_value(json_array_get(third, 1)) == 0.6);
    assert_true(real_at(json_array_get(json_object_get(fit, "views"), 1), "agreement") == 0.75);
    assert_true(json_number_value(json_array_get(json_object_get(fit, "confidence"), 1)) == 0.125);
    json_t *explain = json_object_get(fit, "explain");
    assert_int_equal(json_array_size(explain), 3);
    for (size_t c = 0; c < 3; c++) {
        json_t *cluster = json_array_get(explain, c), *view = json_array_get(cluster, 0);
        json_t *columns = json_object_get(view, "columns");
        assert_int_equal(json_array_size(cluster), 1);
        assert_int_equal(json_array_size(columns), count[2 * c + 1]);
        assert_non_null(strstr(json_string_value(json_object_get(view, "view")), "\"x\""));
        for (size_t r = 0; r < count[2 * c + 1]; r++) {
            const onefold_column *want = &column[(2 * c + 1) * 2 + r];
            json_t *got = json_array_get(columns, r);
            assert_string_equal(json_string_value(json_object_get(got, "name")), want->name);
            assert_true(real_at(got, "index") == (double)want->index);
            assert_true(real_at(got, "strength") == want->strength);
        }
    }
    json_decref(fit);
}

static void the_largest_seeds_keep_their_digits(void **state)
{
    (void)state;
    of_fit_report seeded = report;
    seeded.seed = INT64_MAX;
    json_t *fit = WRITTEN(of_json_fit(tmp, &seeded), NULL);
    assert_true(json_integer_value(json_object_get(fit, "seed")) == INT64_MAX);
    json_decref(fit);
    seeded.seed = UINT64_MAX;
    fit = WRITTEN(of_json_fit(tmp, &seeded), NULL);
    assert_string_equal(json_string_value(json_object_get(fit, "seed")), "18446744073709551615");
    json_decref(fit);
}

static void an_error_says_code_message_and_hint(void **state)
{
    (void)state;
    /* overlong, half a surrogate pair, beyond Unicode, cut off, and a sound character */
    const char *bytes = "a\xc0\xaf"
                        "b\xed\xa0\x80"
                        "c\xf4\x90\x80\x80"
                        "d\xe2\x82 \xe2\x82\xac";
    CHECK_OK(of_json_check());
    json_t *object = WRITTEN(of_json_error(tmp, ONEFOLD_BAD_DATA, bytes, "do"), NULL),
           *error = json_object_get(object, "error");
    assert_string_equal(json_string_value(json_object_get(error, "code")), "bad-data");
    const char *message = json_string_value(json_object_get(error, "message"));
    assert_memory_equal(message, "a\xef\xbf\xbd", 4);
    assert_non_null(strstr(message, "\xe2\x82\xac"));
    assert_string_equal(json_string_value(json_object_get(error, "hint")), "do");
    json_decref(object);
}

static onefold_dataset *small_dataset(void)
{
    onefold_dataset *dataset = NULL;
    const double values[6] = {1, 0, 3, 0, 0, 6};
    const int64_t truth[3] = {5, -1, 5};
    CHECK_OK(onefold_dataset_create(&dataset, NULL, 3));
    CHECK_OK(onefold_dataset_add_dense(dataset, "x", values, 2, 2, 1));
    CHECK_OK(onefold_dataset_set_truth(dataset, truth));
    return dataset;
}

static void info_and_files_written_are_objects(void **state)
{
    (void)state;
    onefold_dataset *dataset = small_dataset();
    const char *path = "x.npy", *kernel = "rbf", *reason = "it is dense";
    const size_t class_sizes[2] = {1, 2};
    onefold_cost cost = {sizeof cost, 48, 96, 500, 0.5, 0, 0};
    of_info_report about = {dataset, &path, 1, &kernel, &reason, class_sizes, 2, &cost, 1u << 30};
    json_t *object = WRITTEN(of_json_info(tmp, &about), NULL);
    json_t *view = json_array_get(json_object_get(object, "views"), 0);
    assert_true(real_at(view, "density") == 0.5 && real_at(view, "nonzeros") == 3);
    assert_string_equal(json_string_value(json_object_get(view, "reason")), reason);
    assert_int_equal(json_array_size(json_object_get(object, "classes")), 2);
    assert_true(real_at(json_object_get(object, "cost"), "peak_bytes") == 500);
    json_decref(object);
    object = WRITTEN(of_json_written(tmp, "out.npz", dataset), NULL);
    assert_true(real_at(object, "samples") == 3 && real_at(object, "views") == 1 &&
                real_at(object, "classes") == 2);
    json_decref(object);
    onefold_dataset_free(dataset);
}

static void models_and_predictions_are_objects(void **state)
{
    (void)state;
    static const onefold_model_view model_views[1] = {
        {"x", "dense", "rbf", "standardise", "nystrom", 9, 8, 3, 40, 0, 0.5, 123}};
    static const onefold_model_info model = {.version = "0.1.0",
                                             .samples = 100,
                                             .clusters = 3,
                                             .dims = 6,
                                             .views = 1,
                                             .view = model_views,
                                             .seed = 7,
                                             .precision = "single",
                                             .bytes = 4567,
                                             .distance_mean = 0.25,
                                             .distance_most = 0.5};
    json_t *object = WRITTEN(of_json_model(tmp, "a.model", &model), NULL),
           *view = json_array_get(json_object_get(object, "views"), 0);
    assert_string_equal(json_string_value(json_object_get(object, "model")), "a.model");
    assert_true(real_at(object, "bytes") == 4567 && real_at(object, "distance_most") == 0.5);
    assert_true(json_is_false(json_object_get(object, "holds_samples")));
    assert_true(real_at(view, "points") == 40 && real_at(view, "kept_columns") == 8 &&
                real_at(view, "columns") == 9 && real_at(view, "weight") == 0.5);
    assert_string_equal(json_string_value(json_object_get(view, "prep")), "standardise");
    json_decref(object);
    static const double confidence[6] = {0, 0.5, 1, 0.25, 0.125, 1.0 / 3},
                        distance[6] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
    of_predict_report made = {.model = "a.model",
                              .info = &model,
                              .samples = 6,
                              .labels = labels,
                              .confidence = confidence,
                              .distance = distance,
                              .sizes = sizes,
                              .far = 1,
                              .threads = 2,
                              .seconds_predict = 0.5};
    object = WRITTEN(of_json_predict(tmp, &made), NULL);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(json_integer_value(json_array_get(json_object_get(object, "labels"), i)),
                         labels[i]);
        assert_true(json_real_value(json_array_get(json_object_get(object, "confidence"), i)) ==
                    confidence[i]);
        assert_true(json_real_value(json_array_get(json_object_get(object, "distance"), i)) ==
                    distance[i]);
    }
    assert_true(real_at(object, "far") == 1 &&
                real_at(json_object_get(object, "training"), "samples") == 100 &&
                real_at(json_object_get(object, "seconds"), "predict") == 0.5);
    assert_null(json_object_get(object, "scores"));
    json_decref(object);
    made.scores = &scores;
    object = WRITTEN(of_json_predict(tmp, &made), NULL);
    assert_true(real_at(json_object_get(object, "scores"), "acc") == 0.5);
    json_decref(object);
    of_fit_report kept = report;
    kept.model_path = "b.model";
    kept.model = &model;
    object = WRITTEN(of_json_fit(tmp, &kept), NULL);
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(object, "model"), "file")), "b.model");
    assert_true(real_at(json_object_get(object, "model"), "bytes") == 4567);
    json_decref(object);
}

static void a_full_disk_is_an_error(void **state)
{
    (void)state;
    FILE *full = fopen("/dev/full", "w");
    if (!full)
        skip();
    CHECK_FAILS(of_json_fit(full, &report), ONEFOLD_IO, "No space left");
    fclose(full);
}

static long until_failure;

static void *failing_malloc(size_t size)
{
    return until_failure-- > 0 ? malloc(size) : NULL;
}

/* Each allocation fails once; nothing is written, and the leak checker finds nothing lost. */
static void no_memory_is_an_error_wherever_it_happens(void **state)
{
    (void)state;
    json_set_alloc_funcs(failing_malloc, free);
    onefold_status status = ONEFOLD_NO_MEMORY;
    long point = 0;
    for (; status != ONEFOLD_OK && point < 10000; point++) {
        FILE *file = tmpfile();
        until_failure = point;
        status = of_json_fit(file, &report);
        assert_true(status == ONEFOLD_OK || status == ONEFOLD_NO_MEMORY);
        fclose(file);
    }
    json_set_alloc_funcs(malloc, free);
    assert_true(status == ONEFOLD_OK && point > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fit_has_the_keys_of_the_contract),
        cmocka_unit_test(scores_and_note_are_there_only_when_they_are),
        cmocka_unit_test(why_is_told_where_it_is_known),
        cmocka_unit_test(the_largest_seeds_keep_their_digits),
        cmocka_unit_test(an_error_says_code_message_and_hint),
        cmocka_unit_test(info_and_files_written_are_objects),
        cmocka_unit_test(models_and_predictions_are_objects),
        cmocka_unit_test(a_full_disk_is_an_error),
        cmocka_unit_test(no_memory_is_an_error_wherever_it_happens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
