/* SPDX-License-Identifier: Apache-2.0 */
/* Values that new samples lack: filled in with what the model keeps of the training samples, never
 * with what the new ones have; files that are passed once give what files that are held give. */
#include "onefold.h"

#include "model/model.h"
#include "support/ask.h"
#include "support/folder.h"
#include "support/mixed.h"
#include "support/paper_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRAIN = 300, FRESH = 91, D = MIXED_DENSE };

static const char *const kernels[] = {"rbf,auto", "linear,cosine", "cosine,linear", "rbf,rbf"};

static onefold_result *fitted(const onefold_dataset *data, const char *kernel)
{
    onefold_fit_options options = paper_options();
    onefold_result *result = NULL;
    options.clusters = MIXED_CLUSTERS;
    options.kernel = kernel;
    options.keep_model = 1;
    CHECK_OK(onefold_fit(&result, NULL, data, &options));
    return result;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Mean or median of a column, over the samples that are present, by the book. */
static double literal_fill(const onefold_dataset *data, size_t view, size_t column, int median)
{
    double known[TRAIN], row[MIXED_WORDS];
    long double sum = 0;
    size_t count = 0;
    for (size_t j = 0; j < TRAIN; j++) {
        if (!ask_present(data, j, view))
            continue;
        of_view_tile(&data->set.views[view], j, 1, row, MIXED_WORDS);
        known[count++] = row[column];
        sum += row[column];
    }
    qsort(known, count, sizeof *known, by_size);
    if (!median)
        return (double)(sum / count);
    return count % 2 ? known[count / 2] : (known[count / 2 - 1] + known[count / 2]) / 2;
}

/* Some samples lack a view. */
static void leave_out(onefold_dataset *data)
{
    uint8_t present[2 * TRAIN];
    for (size_t j = 0; j < TRAIN; j++) {
        present[2 * j] = j % 7 != 3;
        present[2 * j + 1] = j % 5 != 0 || j % 7 == 3;
    }
    CHECK_OK(onefold_dataset_set_present(data, present));
}

static void models_keep_means_or_medians(void **state)
{
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        for (int variant = 0; variant < 4; variant++) {
            int median = variant % 2;
            onefold_dataset *data = mixed_some(TRAIN, 0, TRAIN, 3);
            if (variant > 1)
                leave_out(data);
            CHECK_OK(onefold_dataset_set_impute(data, median ? ONEFOLD_IMPUTE_MEDIAN
                                                             : ONEFOLD_IMPUTE_MEAN));
            onefold_result *result = fitted(data, kernels[k]);
            onefold_model *model = NULL;
            const char *path = folder_path(state, "model");
            CHECK_OK(onefold_model_write(onefold_result_describe(result)->model, NULL, path));
            CHECK_OK(onefold_model_read(&model, NULL, path));
            const onefold_model_info *info = onefold_model_describe(model);
            assert_int_equal(info->impute, median ? ONEFOLD_IMPUTE_MEDIAN : ONEFOLD_IMPUTE_MEAN);
            for (size_t v = 0; v < 2; v++)
                for (size_t i = 0; i < model->rule.source[v].projection[0].raw_columns; i++) {
                    const of_prep *prep = &model->rule.source[v].projection[0].prep;
                    int counts = prep->kept == NULL;
                    for (size_t c = 0; prep->kept && c < prep->columns; c++)
                        counts |= prep->kept[c] == i;
                    if (counts)
                        CHECK_CLOSE(model->view[v].fill[i], literal_fill(data, v, i, median), 1e-12,
                                    1e-14);
                }
            onefold_model_free(model);
            onefold_result_free(result);
            onefold_dataset_free(data);
        }
}

/* New samples as arrays, of two views; `holes` of their values NaN, or what `fill` says. */
static onefold_dataset *with_holes(const onefold_model *model, int fill)
{
    onefold_dataset *from = mixed_some(TRAIN, TRAIN, FRESH, 3), *made = NULL;
    CHECK_OK(onefold_dataset_create(&made, NULL, FRESH));
    CHECK_OK(onefold_dataset_set_impute(made, ONEFOLD_IMPUTE_MODEL));
    for (size_t v = 0; v < 2; v++) {
        size_t d = v ? MIXED_WORDS : D;
        double *x = malloc(FRESH * d * sizeof *x);
        of_view_tile(&from->set.views[v], 0, FRESH, x, d);
        for (size_t e = 0; e < FRESH * d; e++)
            if ((e * 2654435761u >> 7) % 5 == 0)
                x[e] = fill ? model->view[v].fill[e % d] : NAN;
        CHECK_OK(onefold_dataset_add_dense(made, v ? "words" : "dense", x, d, d, 1));
        free(x);
    }
    onefold_dataset_free(from);
    return made;
}

typedef struct answer {
    int32_t labels[FRESH];
    double confidence[FRESH], distance[FRESH];
} answer;

static answer predicted(const onefold_model *model, const onefold_dataset *data)
{
    answer is;
    onefold_prediction prediction = {sizeof prediction, is.labels, is.confidence,
                                     is.distance,       NULL,      NULL};
    memset(&is, 0, sizeof is);
    CHECK_OK(onefold_predict(&prediction, NULL, model, data, 0, FRESH));
    return is;
}

static void missing_values_are_the_training_samples(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        onefold_dataset *train = mixed_some(TRAIN, 0, TRAIN, 3);
        onefold_result *result = fitted(train, kernels[k]);
        const onefold_model *model = onefold_result_describe(result)->model;
        onefold_dataset *holes = with_holes(model, 0), *filled = with_holes(model, 1);
        answer a = predicted(model, holes), b = predicted(model, filled);
        assert_memory_equal(&a, &b, sizeof a);
        /* they cannot be fitted, and are refused where they are not to be filled in */
        onefold_fit_options options = paper_options();
        onefold_result *none = NULL;
        options.clusters = MIXED_CLUSTERS;
        CHECK_FAILS(onefold_fit(&none, NULL, holes, &options), ONEFOLD_USAGE,
                    "read for onefold_predict");
        CHECK_OK(onefold_dataset_set_impute(holes, ONEFOLD_IMPUTE_NONE));
        onefold_prediction prediction = ONEFOLD_PREDICTION_INIT;
        prediction.labels = a.labels;
        CHECK_FAILS(onefold_predict(&prediction, NULL, model, holes, 0, FRESH), ONEFOLD_BAD_DATA,
                    "of view 'dense' lacks");
        onefold_dataset_free(holes);
        onefold_dataset_free(filled);
        onefold_result_free(result);
        onefold_dataset_free(train);
    }
}

/* ---- files -------------------------------------------------------------------------------- */

/* Writes a view of a data set, values that are NaN among them. */
static void write_npy(const onefold_dataset *data, size_t v, const char *path)
{
    const of_view *view = &data->set.views[v];
    double *values = malloc(view->samples * view->columns * sizeof *values);
    of_view_tile(view, 0, view->samples, values, view->columns);
    CHECK_OK(onefold_matrix_write(values, view->samples, view->columns, view->columns, NULL, path));
    free(values);
}

static onefold_dataset *read_files(const char *const *paths, int pass_once, onefold_impute impute)
{
    onefold_read_options options = ONEFOLD_READ_OPTIONS_INIT;
    onefold_dataset *data = NULL;
    options.samples_are = ONEFOLD_SIDE_ROWS;
    options.pass_once = pass_once;
    options.impute = impute;
    CHECK_OK(onefold_dataset_read(&data, NULL, paths, 2, &options));
    return data;
}

static void files_that_are_passed(void **state)
{
    onefold_dataset *train = mixed_some(TRAIN, 0, TRAIN, 3);
    onefold_result *result = fitted(train, "rbf,auto");
    const onefold_model *model = onefold_result_describe(result)->model;
    onefold_dataset *holes = with_holes(model, 0);
    double *first = (double *)holes->set.views[0].data, *words = (double *)holes->set.views[1].data;
    for (size_t i = 0; i < D; i++)
        first[5 * D + i] = NAN; /* lacks the view */
    char paths[2][4096];
    for (size_t v = 0; v < 2; v++) {
        snprintf(paths[v], sizeof paths[v], "%s", folder_path(state, v ? "b.npy" : "a.npy"));
        write_npy(holes, v, paths[v]);
    }
    const char *const both[] = {paths[0], paths[1]};
    onefold_dataset *held = read_files(both, 0, ONEFOLD_IMPUTE_MODEL),
                    *passed = read_files(both, 1, ONEFOLD_IMPUTE_MODEL);
    assert_non_null(held->set.present);
    assert_null(passed->set.present);
    assert_true(passed->set.views[1].passing);
    answer a = predicted(model, held), b = predicted(model, passed);
    assert_memory_equal(&a, &b, sizeof a);
    onefold_dataset_free(held);
    onefold_dataset_free(passed);
    onefold_prediction prediction = ONEFOLD_PREDICTION_INIT;
    prediction.labels = a.labels;
    passed = read_files(both, 1, ONEFOLD_IMPUTE_NONE);
    CHECK_FAILS(onefold_predict(&prediction, NULL, model, passed, 0, FRESH), ONEFOLD_BAD_DATA,
                "sample 1 of view 'a' lacks");
    onefold_dataset_free(passed);
    for (size_t i = 0; i < MIXED_WORDS; i++)
        words[5 * MIXED_WORDS + i] = NAN; /* and now every view */
    write_npy(holes, 1, paths[1]);
    passed = read_files(both, 1, ONEFOLD_IMPUTE_MODEL);
    CHECK_FAILS(onefold_predict(&prediction, NULL, model, passed, 0, FRESH), ONEFOLD_BAD_DATA,
                "sample 6 lacks every view");
    onefold_dataset_free(passed);
    onefold_dataset_free(holes);
    onefold_result_free(result);
    onefold_dataset_free(train);
}

/* ---- what keeping a model takes ------------------------------------------------------------ */

static void the_estimate_counts_the_model(void **state)
{
    (void)state;
    static const struct {
        const char *kernel;
        onefold_base base;
        size_t landmarks;
        onefold_precision precision;
    } ways[] = {{"rbf", ONEFOLD_BASE_EXACT, 0, ONEFOLD_DOUBLE},
                {"rbf", ONEFOLD_BASE_NYSTROM, 500, ONEFOLD_SINGLE},
                {"linear", ONEFOLD_BASE_AUTO, 0, ONEFOLD_DOUBLE}};
    onefold_synth_options shape = ONEFOLD_SYNTH_OPTIONS_INIT;
    onefold_dataset *data = NULL;
    shape.samples = 1500;
    static const size_t columns[] = {60, 40, 50};
    shape.columns = columns;
    CHECK_OK(onefold_dataset_synth(&data, NULL, &shape));
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        onefold_context *context = NULL, *beside = NULL; /* an estimate measures the machine */
        onefold_estimate_info with, without;
        onefold_fit_options options = paper_options();
        onefold_result *result = NULL;
        options.clusters = 5;
        options.restarts = 2;
        options.kernel = ways[w].kernel;
        options.base = ways[w].base;
        options.landmarks = ways[w].landmarks;
        options.precision = ways[w].precision;
        CHECK_OK(onefold_context_create(&context, NULL));
        CHECK_OK(onefold_context_set_threads(context, 2));
        CHECK_OK(onefold_context_create(&beside, NULL));
        CHECK_OK(onefold_context_set_threads(beside, 2));
        without = ask_estimate(beside, data, &options);
        options.keep_model = 1;
        with = ask_estimate(beside, data, &options);
        CHECK_OK(onefold_fit(&result, context, data, &options));
        const onefold_model_info *info =
            onefold_model_describe(onefold_result_describe(result)->model);
        assert_int_equal(without.model_bytes, 0);
        print_message("  model of %zu bytes, %zu estimated\n", info->bytes, with.model_bytes);
        assert_true(with.model_bytes >= info->bytes &&
                    with.model_bytes < info->bytes + info->bytes / 50 + 1000);
        assert_true(with.peak_bytes >= without.peak_bytes); /* made beside what is then held */
        size_t held = ask_peak(context) + with.input_bytes;
        if (held > with.peak_bytes)
            fail_msg("%zu bytes were held, where %zu were estimated", held, with.peak_bytes);
        onefold_result_free(result);
        onefold_context_free(context);
        onefold_context_free(beside);
    }
    onefold_dataset_free(data);
}

/* Five rbf views of so many samples go through landmarks, where one of them would not. */
static void the_estimate_is_that_of_the_route_of_the_whole_fit(void **state)
{
    (void)state;
    onefold_dataset *data = NULL;
    onefold_synth_options shape = ONEFOLD_SYNTH_OPTIONS_INIT;
    size_t columns[] = {50, 50, 50, 50, 50}, bytes[2];
    shape.samples = 20000;
    shape.views = 5;
    shape.columns = columns;
    CHECK_OK(onefold_dataset_synth(&data, NULL, &shape));
    for (int nystrom = 0; nystrom < 2; nystrom++) {
        onefold_estimate_info cost;
        onefold_fit_options options = paper_options();
        options.clusters = 10;
        options.kernel = "rbf";
        options.base = nystrom ? ONEFOLD_BASE_NYSTROM : ONEFOLD_BASE_AUTO;
        options.keep_model = 1;
        cost = ask_estimate(NULL, data, &options);
        bytes[nystrom] = cost.model_bytes;
    }
    assert_int_equal(bytes[0], bytes[1]);
    onefold_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(models_keep_means_or_medians, folder_make, folder_remove),
        cmocka_unit_test(missing_values_are_the_training_samples),
        cmocka_unit_test_setup_teardown(files_that_are_passed, folder_make, folder_remove),
        cmocka_unit_test(the_estimate_counts_the_model),
        cmocka_unit_test(the_estimate_is_that_of_the_route_of_the_whole_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
