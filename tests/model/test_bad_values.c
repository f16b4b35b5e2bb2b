/* SPDX-License-Identifier: Apache-2.0 */
/* Every public function, given each value that makes no sense: NULL, numbers that are no enum's,
 * infinite tolerances, sizes and places beyond the end. A sentence each time, and out-parameters as
 * they were. That no function was left out is held by tests/house/test_bad_values_listed.c. */
#include "support/check.h"
#include "support/folder.h"

#include <math.h>
#include <onefold.h>
#include <stdlib.h>
#include <string.h>

enum { N = 30, UNKNOWN = 77 };
static const size_t HUGE_SIZE = (size_t)-1;

static onefold_dataset *data;
static onefold_result *result;
static onefold_estimate *estimate;
static onefold_choice *choice;
static double values[N * 2];
static int64_t truth[N];
static int32_t labels[N];

/* The call fails, with a sentence that is its own. */
#define REFUSED(call)                                                                              \
    do {                                                                                           \
        (void)onefold_fit(NULL, NULL, NULL, NULL); /* another sentence before it */                \
        onefold_status status_ = (call);                                                           \
        if (status_ >= 0 || !*onefold_last_error() ||                                              \
            strstr(onefold_last_error(), "onefold_fit needs"))                                     \
            fail_msg("%s gave %d: %s", #call, (int)status_, onefold_last_error());                 \
    } while (0)

/* The call gives nothing. */
#define NOTHING(call)                                                                              \
    do {                                                                                           \
        if (call)                                                                                  \
            fail_msg("%s gave something", #call);                                                  \
    } while (0)

static int make_objects(void **state)
{
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_choose_options range = ONEFOLD_CHOOSE_OPTIONS_INIT;
    for (size_t i = 0; i < N * 2; i++)
        values[i] = (double)(i * 2654435761u % 97) / 97 + (i / 2 % 3 == 0 ? 9 : 0);
    for (size_t j = 0; j < N; j++)
        labels[j] = (int32_t)(truth[j] = j % 3 == 0);
    options.clusters = 2;
    options.keep_model = 1;
    options.method = "os-lfmvc-cs";
    range.most = 3;
    CHECK_OK(onefold_dataset_create(&data, NULL, N));
    CHECK_OK(onefold_dataset_add_dense(data, "a", values, 2, 2, 1));
    CHECK_OK(onefold_fit(&result, NULL, data, &options));
    CHECK_OK(onefold_fit_estimate(&estimate, NULL, data, &options, 0));
    options = (onefold_fit_options)ONEFOLD_FIT_OPTIONS_INIT;
    CHECK_OK(onefold_choose(&choice, NULL, data, &options, &range));
    return folder_make(state);
}

static int free_objects(void **state)
{
    onefold_choice_free(choice);
    onefold_estimate_free(estimate);
    onefold_result_free(result);
    onefold_dataset_free(data);
    return folder_remove(state);
}

static void contexts(void **state)
{
    (void)state;
    onefold_context *context = NULL;
    onefold_hooks hooks = ONEFOLD_HOOKS_INIT;
    REFUSED(onefold_context_create(NULL, NULL));
    hooks.struct_size = 0;
    REFUSED(onefold_context_create(&context, &hooks));
    hooks.struct_size = HUGE_SIZE;
    REFUSED(onefold_context_create(&context, &hooks));
    assert_null(context);
    REFUSED(onefold_context_set_threads(NULL, 1));
    REFUSED(onefold_context_set_memory_limit(NULL, 1));
    REFUSED(onefold_context_set_device(NULL, ONEFOLD_DEVICE_CPU));
    REFUSED(onefold_context_join(NULL));
    CHECK_OK(onefold_context_create(&context, NULL));
    REFUSED(onefold_context_set_threads(context, -1));
    REFUSED(onefold_context_set_device(context, (onefold_device)3));
    CHECK_OK(onefold_context_set_device(context, ONEFOLD_DEVICE_AUTO)); /* GPU or none */
    CHECK_OK(onefold_context_set_device(context, ONEFOLD_DEVICE_CPU));
    REFUSED(onefold_context_hold_outputs(NULL));
    REFUSED(onefold_context_place_outputs(NULL));
    REFUSED(onefold_context_place_outputs(context)); /* none are held */
    REFUSED(onefold_context_check_output(NULL, "x"));
    REFUSED(onefold_context_check_output(context, NULL));
    CHECK_OK(onefold_context_check_output(context, "x"));
    CHECK_OK(onefold_context_hold_outputs(context));
    CHECK_OK(onefold_context_hold_outputs(context));
    CHECK_OK(onefold_context_place_outputs(context));
    REFUSED(onefold_context_place_outputs(context));
    onefold_context_free(context);
    onefold_context_free(NULL);
    NOTHING(onefold_context_describe(NULL));
    CHECK_OK(onefold_context_agree(NULL, ONEFOLD_OK));
}

static void faults_of_nothing(void **state)
{
    (void)state;
    assert_int_equal(onefold_mapped_fault(NULL), 0);
}

static void names_of_enums(void **state)
{
    (void)state;
    static const int numbers[] = {UNKNOWN, -77, 1 << 30};
    for (size_t i = 0; i < 3; i++) {
        int number = numbers[i];
        assert_non_null(onefold_name(ONEFOLD_NAMES_STATUS, number));
        NOTHING(onefold_name(ONEFOLD_NAMES_STORAGE, number));
        NOTHING(onefold_name(ONEFOLD_NAMES_TYPE, number));
        NOTHING(onefold_name(ONEFOLD_NAMES_IMPUTE, number));
        NOTHING(onefold_name(ONEFOLD_NAMES_START, number));
        NOTHING(onefold_name(ONEFOLD_NAMES_VARIANT, number));
        NOTHING(onefold_name(ONEFOLD_NAMES_STOP, number));
        NOTHING(onefold_name(ONEFOLD_NAMES_BASE, number));
        NOTHING(onefold_name(ONEFOLD_NAMES_PRECISION, number));
        NOTHING(onefold_name(ONEFOLD_NAMES_ROUTE, number));
        NOTHING(onefold_name(ONEFOLD_NAMES_PREP, number));
        NOTHING(onefold_name(ONEFOLD_NAMES_KMEANS_START, number));
        NOTHING(onefold_name(ONEFOLD_NAMES_MEASURE, number));
    }
    NOTHING(onefold_name((onefold_names)UNKNOWN, 0));
    NOTHING(onefold_name((onefold_names)-1, 0));
    NOTHING(onefold_kernel_name(HUGE_SIZE));
    NOTHING(onefold_nearest(NULL, NULL, 0));
}

static void reading_and_writing(void **state)
{
    onefold_dataset *made = NULL;
    onefold_dataset *read = NULL;
    const char *none = NULL, *empty = "", *path = folder_path(state, "none.csv");
    char *text = NULL;
    onefold_read_options options = ONEFOLD_READ_OPTIONS_INIT;
    REFUSED(onefold_dataset_read(NULL, NULL, &path, 1, NULL));
    REFUSED(onefold_dataset_read(&made, NULL, NULL, 1, NULL));
    REFUSED(onefold_dataset_read(&made, NULL, &path, 0, NULL));
    REFUSED(onefold_dataset_read(&made, NULL, &none, 1, NULL));
    REFUSED(onefold_dataset_read(&made, NULL, &empty, 1, NULL));
    CHECK_OK(onefold_matrix_write(values, N, 2, 2, NULL, path));
#define READ_WITH(field, value)                                                                    \
    do {                                                                                           \
        onefold_read_options bad = options;                                                        \
        bad.field = value;                                                                         \
        REFUSED(onefold_dataset_read(&made, NULL, &path, 1, &bad));                                \
    } while (0)
    READ_WITH(samples_are, (onefold_side)UNKNOWN);
    READ_WITH(impute, (onefold_impute)UNKNOWN);
    READ_WITH(match, (onefold_match)UNKNOWN);
    READ_WITH(header, (onefold_header)UNKNOWN);
    READ_WITH(views, "99");
    READ_WITH(truth, "nothing-of-this-name");
    READ_WITH(present, "nothing-of-this-name");
    READ_WITH(ids, "nothing-of-this-name");
    READ_WITH(struct_size, 0);
    assert_null(made);
    REFUSED(onefold_dataset_write(NULL, NULL, path));
    REFUSED(onefold_dataset_write(data, NULL, NULL));
    REFUSED(onefold_dataset_write(data, NULL, ""));
    REFUSED(onefold_dataset_outputs(NULL, data, path));
    REFUSED(onefold_dataset_outputs(&text, NULL, path));
    REFUSED(onefold_dataset_outputs(&text, data, NULL));
    REFUSED(onefold_labels_read(NULL, NULL, path));
    REFUSED(onefold_labels_read(&read, NULL, NULL));
    REFUSED(onefold_labels_match(NULL, NULL, NULL));
    REFUSED(onefold_labels_write(NULL, NULL, N, NULL, NULL, path));
    REFUSED(onefold_labels_write(labels, NULL, N, NULL, NULL, NULL));
    REFUSED(onefold_matrix_write(NULL, 1, 1, 1, NULL, path));
    REFUSED(onefold_matrix_write(values, 1, 1, 1, NULL, NULL));
    onefold_labels_writer *writer = NULL;
    REFUSED(onefold_labels_writer_create(NULL, NULL, path, N, NULL, 0));
    REFUSED(onefold_labels_writer_create(&writer, NULL, NULL, N, NULL, 0));
    REFUSED(onefold_labels_writer_add(NULL, labels, values, 1));
    REFUSED(onefold_labels_writer_finish(NULL));
    CHECK_OK(onefold_labels_writer_create(&writer, NULL, folder_path(state, "l.txt"), 2, NULL, 0));
    REFUSED(onefold_labels_writer_add(writer, NULL, NULL, 1));
    onefold_labels_writer_free(writer);
    onefold_labels_writer_free(NULL);
}

static void building(void **state)
{
    (void)state;
    onefold_dataset *made = NULL;
    size_t start[N + 1] = {0}, falling[N + 1] = {0, 5};
    uint32_t column[N];
    for (size_t j = 0; j < N; j++) {
        start[j + 1] = j + 1;
        column[j] = 1;
    }
    REFUSED(onefold_dataset_create(NULL, NULL, 3));
    REFUSED(onefold_dataset_create(&made, NULL, 0));
    REFUSED(onefold_dataset_add_dense(NULL, "b", values, 2, 2, 1));
    REFUSED(onefold_dataset_add_dense(data, "b", NULL, 2, 2, 1));
    REFUSED(onefold_dataset_add_dense(data, "b", values, 0, 2, 1));
    REFUSED(onefold_dataset_add_dense(data, "b", values, HUGE_SIZE, 2, 1));
    REFUSED(onefold_dataset_add_dense_single(NULL, "b", (float *)values, 1, 1, 1));
    REFUSED(onefold_dataset_add_dense_single(data, "b", NULL, 1, 1, 1));
    REFUSED(onefold_dataset_add_dense_single(data, "b", (float *)values, HUGE_SIZE, 1, 1));
    REFUSED(onefold_dataset_add_sparse(NULL, "b", 2, start, column, values));
    REFUSED(onefold_dataset_add_sparse(data, "b", 2, NULL, column, values));
    REFUSED(onefold_dataset_add_sparse(data, "b", 2, start, NULL, values));
    REFUSED(onefold_dataset_add_sparse(data, "b", 2, start, column, NULL));
    REFUSED(onefold_dataset_add_sparse(data, "b", 0, start, column, values));
    REFUSED(onefold_dataset_add_sparse(data, "b", 1, start, column, values));
    REFUSED(onefold_dataset_add_sparse(data, "b", 2, falling, column, values));
    REFUSED(onefold_dataset_add_sparse(data, "b", HUGE_SIZE, start, column, values));
    REFUSED(onefold_dataset_add_kernel(NULL, "b", values));
    REFUSED(onefold_dataset_add_kernel(data, "b", NULL));
    REFUSED(onefold_dataset_borrow_dense(NULL, "b", values, ONEFOLD_FLOAT64, 2, 2, 1));
    REFUSED(onefold_dataset_borrow_dense(data, "b", NULL, ONEFOLD_FLOAT64, 2, 2, 1));
    REFUSED(onefold_dataset_borrow_dense(data, "b", values, (onefold_type)UNKNOWN, 2, 2, 1));
    REFUSED(onefold_dataset_borrow_kernel(NULL, "b", values, ONEFOLD_FLOAT64, N, 1));
    REFUSED(onefold_dataset_borrow_kernel(data, "b", NULL, ONEFOLD_FLOAT64, N, 1));
    REFUSED(onefold_dataset_borrow_sparse(NULL, "b", 2, start, column, ONEFOLD_UINT32, values,
                                          ONEFOLD_FLOAT64));
    REFUSED(onefold_dataset_borrow_sparse(data, "b", 2, NULL, column, ONEFOLD_UINT32, values,
                                          ONEFOLD_FLOAT64));
    REFUSED(onefold_dataset_borrow_sparse(data, "b", 2, start, NULL, ONEFOLD_UINT64, values,
                                          ONEFOLD_FLOAT64));
    REFUSED(onefold_dataset_borrow_sparse(data, "b", 2, start, start, ONEFOLD_UINT64, NULL,
                                          ONEFOLD_FLOAT64));
    REFUSED(onefold_dataset_borrow_sparse(data, "b", 2, start, start, (onefold_type)UNKNOWN, values,
                                          ONEFOLD_FLOAT64));
    REFUSED(onefold_dataset_borrow_sparse(data, "b", 2, start, start, ONEFOLD_UINT64, values,
                                          (onefold_type)UNKNOWN));
    static const char *const holes[N] = {"a"};
    REFUSED(onefold_dataset_set_column_names(NULL, 0, holes));
    REFUSED(onefold_dataset_set_column_names(data, HUGE_SIZE, holes));
    REFUSED(onefold_dataset_set_column_names(data, 0, NULL));
    REFUSED(onefold_dataset_set_column_units(NULL, 0, column));
    REFUSED(onefold_dataset_set_column_units(data, HUGE_SIZE, column));
    REFUSED(onefold_dataset_set_column_units(data, 0, NULL));
    REFUSED(onefold_dataset_set_sample_names(NULL, holes));
    REFUSED(onefold_dataset_set_sample_names(data, NULL));
    REFUSED(onefold_dataset_set_truth(NULL, truth, NULL));
    REFUSED(onefold_dataset_set_truth(data, NULL, NULL));
    REFUSED(onefold_dataset_set_present(NULL, NULL));
    REFUSED(onefold_dataset_set_impute(NULL, ONEFOLD_IMPUTE_NONE));
    REFUSED(onefold_dataset_set_impute(data, (onefold_impute)UNKNOWN));
    onefold_synth_options synth = ONEFOLD_SYNTH_OPTIONS_INIT;
#define SYNTH_WITH(field, value)                                                                   \
    do {                                                                                           \
        onefold_synth_options bad = synth;                                                         \
        bad.field = value;                                                                         \
        REFUSED(onefold_dataset_synth(&made, NULL, &bad));                                         \
    } while (0)
    REFUSED(onefold_dataset_synth(NULL, NULL, &synth));
    SYNTH_WITH(struct_size, 0);
    SYNTH_WITH(samples, 0);
    SYNTH_WITH(samples, HUGE_SIZE);
    SYNTH_WITH(views, 0);
    SYNTH_WITH(views, HUGE_SIZE);
    SYNTH_WITH(clusters, 0);
    SYNTH_WITH(clusters, HUGE_SIZE);
    SYNTH_WITH(separation, NAN);
    SYNTH_WITH(separation, INFINITY);
    SYNTH_WITH(noise, NAN);
    SYNTH_WITH(density, -1);
    SYNTH_WITH(missing, 2);
    SYNTH_WITH(balance, NAN);
    assert_null(made);
    assert_int_equal(onefold_dataset_describe(data)->views, 1);
}

static void queries(void **state)
{
    (void)state;
    onefold_view_info view = ONEFOLD_VIEW_INFO_INIT;
    const char *kernel, *reason;
    double out[2];
    REFUSED(onefold_dataset_view(NULL, 0, &view));
    REFUSED(onefold_dataset_view(data, HUGE_SIZE, &view));
    REFUSED(onefold_dataset_view(data, 0, NULL));
    REFUSED(onefold_dataset_values(NULL, data, 0, 0, 1));
    REFUSED(onefold_dataset_values(out, NULL, 0, 0, 1));
    REFUSED(onefold_dataset_values(out, data, HUGE_SIZE, 0, 1));
    REFUSED(onefold_dataset_values(out, data, 0, 1, HUGE_SIZE));
    REFUSED(onefold_dataset_values(out, data, 0, HUGE_SIZE, 1));
    REFUSED(onefold_dataset_kernel(NULL, 0, &kernel, &reason));
    REFUSED(onefold_dataset_kernel(data, HUGE_SIZE, &kernel, &reason));
    REFUSED(onefold_dataset_kernel(data, 0, NULL, NULL));
    REFUSED(onefold_dataset_kernel(data, 0, &kernel, NULL));
    REFUSED(onefold_dataset_kernel(data, 0, NULL, &reason));
    NOTHING(onefold_dataset_describe(NULL));
    onefold_dataset_free(NULL);
    NOTHING(onefold_method_describe(HUGE_SIZE));
    NOTHING(onefold_method_option(HUGE_SIZE, 0));
    NOTHING(onefold_method_option(0, HUGE_SIZE));
}

/* Each bad option through the fit and the estimate. */
static void refuse_fit(const onefold_fit_options *bad)
{
    onefold_result *made = NULL;
    onefold_estimate *estimated = NULL;
    REFUSED(onefold_fit(&made, NULL, data, bad));
    assert_null(made);
    /* what only the solver knows is not looked at by an estimate that measures nothing */
    if (onefold_fit_estimate(&estimated, NULL, data, bad, 0) == ONEFOLD_OK)
        onefold_estimate_free(estimated);
    else
        assert_null(estimated);
}

static void fitting(void **state)
{
    (void)state;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_estimate *estimated = NULL;
    onefold_result *made = NULL;
    options.clusters = 2;
    options.method = "os-lfmvc-cs";
#define FIT_WITH(field, value)                                                                     \
    do {                                                                                           \
        onefold_fit_options bad = options;                                                         \
        bad.field = value;                                                                         \
        print_message("%s = %s\n", #field, #value);                                                \
        refuse_fit(&bad);                                                                          \
    } while (0)
    FIT_WITH(struct_size, 0);
    FIT_WITH(struct_size, HUGE_SIZE);
    FIT_WITH(clusters, 0);
    FIT_WITH(clusters, HUGE_SIZE);
    FIT_WITH(method, "nothing");
    FIT_WITH(method, "");
    FIT_WITH(method_options, "a=b");
    FIT_WITH(kernel, "nothing");
    FIT_WITH(kernel, "rbf,rbf,rbf");
    FIT_WITH(dims, 1);
    FIT_WITH(anchors, HUGE_SIZE);
    FIT_WITH(restarts, HUGE_SIZE);
    FIT_WITH(start, (onefold_start)UNKNOWN);
    FIT_WITH(variant, (onefold_variant)UNKNOWN);
    FIT_WITH(stop, (onefold_stop)UNKNOWN);
    FIT_WITH(base, (onefold_base)UNKNOWN);
    FIT_WITH(precision, (onefold_precision)UNKNOWN);
    FIT_WITH(effort, (onefold_effort)3);
    FIT_WITH(effort, (onefold_effort)9);
    FIT_WITH(effort, (onefold_effort)-1);
    FIT_WITH(tolerance, NAN);
    FIT_WITH(tolerance, INFINITY);
    FIT_WITH(tolerance, -1);
    FIT_WITH(max_iterations, 0);
    FIT_WITH(max_iterations, HUGE_SIZE);
    FIT_WITH(weights, "x");
    FIT_WITH(weights, "0.1,0.2,0.3");
    onefold_fit_options bad = options;
    bad.stop = (onefold_stop)UNKNOWN;
    REFUSED(onefold_fit_options_check(NULL));
    REFUSED(onefold_fit_options_check(&bad));
    assert_int_equal(onefold_fit(NULL, NULL, data, &options), ONEFOLD_USAGE);
    assert_int_equal(onefold_fit(&made, NULL, NULL, &options), ONEFOLD_USAGE);
    assert_int_equal(onefold_fit(&made, NULL, data, NULL), ONEFOLD_USAGE);
    REFUSED(onefold_fit_estimate(NULL, NULL, data, &options, 0));
    REFUSED(onefold_fit_estimate(&estimated, NULL, NULL, &options, 0));
    REFUSED(onefold_fit_estimate(&estimated, NULL, data, NULL, 0));
    NOTHING(onefold_estimate_describe(NULL));
    REFUSED(onefold_estimate_check_memory(NULL));
    onefold_estimate_free(NULL);
}

static void results(void **state)
{
    (void)state;
    onefold_layout_options layout = ONEFOLD_LAYOUT_OPTIONS_INIT;
    double place[2 * N];
    NOTHING(onefold_result_describe(NULL));
    NOTHING(onefold_result_column(NULL, 0, 0, 0));
    NOTHING(onefold_result_column(result, HUGE_SIZE, 0, 0));
    NOTHING(onefold_result_column(result, 0, HUGE_SIZE, 0));
    NOTHING(onefold_result_column(result, 0, 0, HUGE_SIZE));
    REFUSED(onefold_layout(NULL, NULL, result, &layout));
    REFUSED(onefold_layout(place, NULL, NULL, &layout));
    layout.struct_size = 0;
    REFUSED(onefold_layout(place, NULL, result, &layout));
    onefold_result_free(NULL);
    NOTHING(onefold_choice_describe(NULL));
    onefold_choice_free(NULL);
}

static void choosing_and_comparing(void **state)
{
    (void)state;
    onefold_choice *made = NULL;
    onefold_experiment *run = NULL;
    onefold_fit_options fit = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_choose_options options = ONEFOLD_CHOOSE_OPTIONS_INIT;
    REFUSED(onefold_choose(NULL, NULL, data, &fit, &options));
    REFUSED(onefold_choose(&made, NULL, NULL, &fit, &options));
#define CHOOSE_WITH(field, value)                                                                  \
    do {                                                                                           \
        onefold_choose_options bad = options;                                                      \
        bad.field = value;                                                                         \
        REFUSED(onefold_choose(&made, NULL, data, &fit, &bad));                                    \
    } while (0)
    CHOOSE_WITH(struct_size, 0);
    CHOOSE_WITH(least, HUGE_SIZE);
    CHOOSE_WITH(most, HUGE_SIZE);
    assert_null(made);
    onefold_experiment_options asked = ONEFOLD_EXPERIMENT_OPTIONS_INIT;
#define RUN_WITH(field, value)                                                                     \
    do {                                                                                           \
        onefold_experiment_options bad = asked;                                                    \
        bad.field = value;                                                                         \
        REFUSED(onefold_experiment_check(&fit, &bad));                                             \
        REFUSED(onefold_experiment_run(&run, NULL, data, &fit, &bad));                             \
    } while (0)
    fit.clusters = 2;
    REFUSED(onefold_experiment_plan(NULL, NULL, data, &fit, &asked));
    REFUSED(onefold_experiment_plan(&run, NULL, NULL, &fit, &asked));
    onefold_comparison *compared = NULL;
    REFUSED(onefold_compare(NULL, NULL, values, 2, 2));
    REFUSED(onefold_compare(&compared, NULL, NULL, 2, 2));
    REFUSED(onefold_compare(&compared, NULL, values, HUGE_SIZE / 4, HUGE_SIZE / 4));
    NOTHING(onefold_comparison_describe(compared));
    onefold_comparison_free(NULL);
    onefold_study *study = NULL;
    REFUSED(onefold_study_read(NULL, NULL, "study.json"));
    REFUSED(onefold_study_read(&study, NULL, NULL));
    NOTHING(onefold_study_describe(study));
    onefold_study_free(NULL);
    REFUSED(onefold_text_write(NULL, 1, NULL, "study.json"));
    REFUSED(onefold_text_write("x", 1, NULL, NULL));
    REFUSED(onefold_experiment_run(NULL, NULL, data, &fit, &asked));
    REFUSED(onefold_experiment_run(&run, NULL, NULL, &fit, &asked));
    RUN_WITH(struct_size, 0);
    RUN_WITH(methods, "nothing");
    RUN_WITH(method_options, "nothing:a=b");
    RUN_WITH(grid, "nothing:x");
    RUN_WITH(repeats, 0);
    RUN_WITH(replicates, 0);
    RUN_WITH(kmeans_start, (onefold_kmeans_start)UNKNOWN);
    RUN_WITH(sensitivity, "x");
    assert_null(run);
    onefold_scores scores = ONEFOLD_SCORES_INIT;
    NOTHING(onefold_experiment_describe(NULL));
    onefold_experiment_free(NULL);
    REFUSED(onefold_score(NULL, ONEFOLD_INT64, truth, truth, N));
    REFUSED(onefold_score(&scores, ONEFOLD_INT64, NULL, truth, N));
    REFUSED(onefold_score(&scores, ONEFOLD_INT64, truth, NULL, N));
    REFUSED(onefold_score(&scores, ONEFOLD_INT64, truth, truth, 0));
    REFUSED(onefold_score(NULL, ONEFOLD_INT32, labels, labels, N));
    REFUSED(onefold_score(&scores, ONEFOLD_INT32, NULL, labels, N));
    REFUSED(onefold_score(&scores, ONEFOLD_INT32, labels, NULL, N));
    REFUSED(onefold_score(&scores, ONEFOLD_FLOAT64, labels, labels, N));
    REFUSED(onefold_score(&scores, (onefold_type)UNKNOWN, labels, labels, N));
}

static void models(void **state)
{
    const onefold_model *model = onefold_result_describe(result)->model;
    const char *path = folder_path(state, "model");
    onefold_model *made = NULL;
    void *bytes = NULL;
    size_t size = 0;
    onefold_prediction prediction = ONEFOLD_PREDICTION_INIT;
    onefold_predictor *predictor = NULL;
    prediction.labels = labels;
    REFUSED(onefold_model_write(NULL, NULL, path));
    REFUSED(onefold_model_write(model, NULL, NULL));
    REFUSED(onefold_model_read(NULL, NULL, path));
    REFUSED(onefold_model_read(&made, NULL, NULL));
    REFUSED(onefold_model_read(&made, NULL, path));
    REFUSED(onefold_model_encode(NULL, &size, NULL, model));
    REFUSED(onefold_model_encode(&bytes, NULL, NULL, model));
    REFUSED(onefold_model_encode(&bytes, &size, NULL, NULL));
    REFUSED(onefold_model_decode(NULL, NULL, "x", 1));
    REFUSED(onefold_model_decode(&made, NULL, NULL, 1));
    REFUSED(onefold_model_decode(&made, NULL, "x", 0));
    REFUSED(onefold_model_decode(&made, NULL, "x", 1));
    NOTHING(onefold_model_describe(NULL));
    char *text = NULL;
    REFUSED(onefold_model_remarks(NULL, model, data));
    REFUSED(onefold_model_remarks(&text, NULL, data));
    REFUSED(onefold_model_remarks(&text, model, NULL));
    REFUSED(onefold_predict(NULL, NULL, model, data, 0, N));
    REFUSED(onefold_predict(&prediction, NULL, NULL, data, 0, N));
    REFUSED(onefold_predict(&prediction, NULL, model, NULL, 0, N));
    REFUSED(onefold_predict(&prediction, NULL, model, data, HUGE_SIZE, 1));
    REFUSED(onefold_predict(&prediction, NULL, model, data, 1, HUGE_SIZE));
    REFUSED(onefold_predictor_create(NULL, NULL, model));
    REFUSED(onefold_predictor_create(&predictor, NULL, NULL));
    REFUSED(onefold_predictor_feed(NULL, data, 0, N, &prediction));
    CHECK_OK(onefold_predictor_create(&predictor, NULL, model));
    REFUSED(onefold_predictor_feed(predictor, NULL, 0, N, &prediction));
    REFUSED(onefold_predictor_feed(predictor, data, 0, N, NULL));
    REFUSED(onefold_predictor_feed(predictor, data, N, 1, &prediction));
    assert_int_equal(onefold_predictor_on_gpu(predictor), 0);
    assert_int_equal(onefold_predictor_on_gpu(NULL), 0);
    onefold_predictor_free(predictor);
    onefold_predictor_free(NULL);
    onefold_model_free(NULL);
    onefold_free(NULL);
    NOTHING(onefold_model_is_file(NULL));
    assert_null(made);
}

static void texts(void **state)
{
    const onefold_model *model = onefold_result_describe(result)->model;
    char *text = NULL;
    onefold_prediction prediction = ONEFOLD_PREDICTION_INIT;
    onefold_report report = ONEFOLD_REPORT_INIT;
    REFUSED(onefold_report_json(&text, NULL));
    REFUSED(onefold_report_json(&text, &report)); /* on nothing */
    report.prediction = &prediction;
    REFUSED(onefold_report_json(&text, &report)); /* without its model */
    report.model = model;
    REFUSED(onefold_report_json(&text, &report)); /* without labels */
    report = (onefold_report)ONEFOLD_REPORT_INIT;
    report.result = result;
    REFUSED(onefold_report_json(NULL, &report));
    report.struct_size = 0;
    REFUSED(onefold_report_json(&text, &report));
    report = (onefold_report)ONEFOLD_REPORT_INIT;
    REFUSED(onefold_report_write(NULL, NULL, folder_path(state, "r.html")));
    REFUSED(onefold_report_write(&report, NULL, NULL));
    REFUSED(onefold_report_write(&report, NULL, folder_path(state, "r.html")));
    const char *const files[] = {"no.json", NULL, "no.json"};
    REFUSED(onefold_report_from_json(NULL, 1, NULL, folder_path(state, "r.html")));
    REFUSED(onefold_report_from_json(files, 0, NULL, folder_path(state, "r.html")));
    REFUSED(onefold_report_from_json(files, 2, NULL, folder_path(state, "r.html")));
    REFUSED(onefold_report_from_json(files, 3, NULL, folder_path(state, "r.html")));
    REFUSED(onefold_report_from_json(files, 1, NULL, NULL));
    onefold_free(NULL);
    assert_null(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contexts),
        cmocka_unit_test(faults_of_nothing),
        cmocka_unit_test(names_of_enums),
        cmocka_unit_test(reading_and_writing),
        cmocka_unit_test(building),
        cmocka_unit_test(queries),
        cmocka_unit_test(fitting),
        cmocka_unit_test(results),
        cmocka_unit_test(choosing_and_comparing),
        cmocka_unit_test(models),
        cmocka_unit_test(texts),
    };
    return cmocka_run_group_tests(tests, make_objects, free_objects);
}
