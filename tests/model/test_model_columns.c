/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of new samples are taken by name: any order, and others among them, give the same labels;
 * those that are missing are named; a model file has the names. */
#include "onefold.h"

#include "model/model.h"
#include "support/check.h"
#include "support/folder.h"

#include <stdlib.h>
#include <string.h>

enum { N = 40, D = 6, K = 2 };

static const char *const names[] = {"TP53", "BRCA1", "MYC", "EGFR", "KRAS", "PTEN"};

static double number(size_t sample, size_t column)
{
    return 10.0 * (double)((sample + column) % K) + (double)((sample * 13 + column * 7) % 11) / 10;
}

/* Column i is column from[i] of the training data; one past the last is another one. */
static onefold_dataset *make(int sparse, const size_t *from, size_t columns, int named)
{
    const char *own[D + 2];
    double values[N * (D + 2)];
    size_t start[N + 1];
    uint32_t column[N * (D + 2)];
    for (size_t i = 0; i < columns; i++)
        own[i] = from[i] < D ? names[from[i]] : "other";
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < columns; i++) {
            values[j * columns + i] = from[i] < D ? number(j, from[i]) : 99;
            column[j * columns + i] = (uint32_t)i;
        }
    for (size_t j = 0; j <= N; j++)
        start[j] = j * columns;
    onefold_dataset *data = NULL;
    CHECK_OK(onefold_dataset_create(&data, NULL, N));
    if (sparse)
        CHECK_OK(onefold_dataset_add_sparse(data, "genes", columns, start, column, values));
    else
        CHECK_OK(onefold_dataset_add_dense(data, "genes", values, columns, columns, 1));
    if (named)
        CHECK_OK(onefold_dataset_set_column_names(data, 0, own));
    return data;
}

static onefold_result *fit(const char *kernel, int sparse, int named)
{
    static const size_t all[] = {0, 1, 2, 3, 4, 5};
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_result *result = NULL;
    options.clusters = K;
    options.kernel = kernel;
    options.keep_model = 1;
    onefold_dataset *data = make(sparse, all, D, named);
    CHECK_OK(onefold_fit(&result, NULL, data, &options));
    onefold_dataset_free(data);
    return result;
}

static onefold_status label(const onefold_model *model, onefold_dataset *data, int32_t *labels,
                            double *confidence)
{
    onefold_prediction prediction = ONEFOLD_PREDICTION_INIT;
    prediction.labels = labels;
    prediction.confidence = confidence;
    onefold_status status = onefold_predict(&prediction, NULL, model, data, 0, N);
    onefold_dataset_free(data);
    return status;
}

static void any_order_gives_the_same(void **state)
{
    (void)state;
    static const char *const kernels[] = {"rbf", "linear", "cosine"};
    static const size_t all[] = {0, 1, 2, 3, 4, 5}, moved[] = {3, 5, 0, 2, 1, 4},
                        more[] = {9, 5, 4, 3, 9, 2, 1, 0};
    for (int k = 0; k < 3; k++)
        for (int from = 0; from < 2; from++)
            for (int to = 0; to < 2; to++) {
                onefold_result *result = fit(kernels[k], from, 1);
                const onefold_model *model = onefold_result_describe(result)->model;
                int32_t want[N], got[N];
                double sure[N], again[N];
                CHECK_OK(label(model, make(to, all, D, 1), want, sure));
                assert_memory_equal(want, onefold_result_describe(result)->labels, sizeof want);
                CHECK_OK(label(model, make(to, moved, D, 1), got, again));
                assert_memory_equal(got, want, sizeof want);
                assert_memory_equal(again, sure, sizeof sure);
                CHECK_OK(label(model, make(to, more + 1, 3, 1), got, again) == ONEFOLD_BAD_DATA
                             ? ONEFOLD_OK
                             : ONEFOLD_FAULT);
                assert_non_null(strstr(onefold_last_error(), "lacks 3 of the 6 columns"));
                CHECK_OK(label(model, make(to, more, 8, 1), got, again) == ONEFOLD_BAD_DATA
                             ? ONEFOLD_OK
                             : ONEFOLD_FAULT); /* "other" is there twice */
                CHECK_OK(label(model, make(to, more + 1, 7, 1), got, again));
                assert_memory_equal(got, want, sizeof want);
                assert_memory_equal(again, sure, sizeof sure);
                CHECK_OK(label(model, make(to, all, D, 0), got, again)); /* by order */
                assert_memory_equal(got, want, sizeof want);
                onefold_result_free(result);
            }
}

static void missing_ones_are_named(void **state)
{
    (void)state;
    static const size_t fewer[] = {0, 2, 3, 5}, renamed[] = {0, 9, 2, 3, 4, 5};
    onefold_result *result = fit("rbf", 0, 1);
    const onefold_model *model = onefold_result_describe(result)->model;
    int32_t labels[N];
    CHECK_FAILS(label(model, make(0, fewer, 4, 1), labels, NULL), ONEFOLD_BAD_DATA, "BRCA1, KRAS");
    CHECK_FAILS(label(model, make(0, renamed, 6, 1), labels, NULL), ONEFOLD_BAD_DATA, "BRCA1");
    CHECK_FAILS(label(model, make(0, fewer, 4, 0), labels, NULL), ONEFOLD_BAD_DATA, "4 columns");
    onefold_result_free(result);
}

/* `views` views of columns under these names; column i is column i of the training data. */
static onefold_dataset *named_as(const char *const *own, size_t columns, size_t views)
{
    onefold_dataset *data = NULL;
    double values[N * 2 * D];
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < columns; i++)
            values[j * columns + i] = number(j, i);
    CHECK_OK(onefold_dataset_create(&data, NULL, N));
    for (size_t v = 0; v < views; v++) {
        CHECK_OK(
            onefold_dataset_add_dense(data, v ? "more" : "genes", values, columns, columns, 1));
        CHECK_OK(onefold_dataset_set_column_names(data, v, own));
    }
    return data;
}

static void expect_remarks(const onefold_model *model, onefold_dataset *data, const char *want)
{
    char *text = NULL;
    CHECK_OK(onefold_model_remarks(&text, model, data));
    assert_string_equal(text, want);
    onefold_free(text);
    onefold_dataset_free(data);
}

/* Columns that the model does not have are ignored, and the first ones are named. */
static void others_are_remarked_on(void **state)
{
    (void)state;
    static const char *const more[] = {"TP53", "BRCA1", "MYC", "EGFR", "KRAS", "PTEN",
                                       "n1",   "n2",    "n3",  "n4",   "n5"};
    onefold_result *result = fit("rbf", 0, 1);
    const onefold_model *model = onefold_result_describe(result)->model;
    onefold_dataset *data = named_as(more, D, 1);
    char *text = NULL;
    CHECK_FAILS(onefold_model_remarks(NULL, model, data), ONEFOLD_USAGE, "a place for them");
    CHECK_FAILS(onefold_model_remarks(&text, NULL, data), ONEFOLD_USAGE, "a model");
    CHECK_FAILS(onefold_model_remarks(&text, model, NULL), ONEFOLD_USAGE, "a data set");
    expect_remarks(model, data, "");
    expect_remarks(model, named_as(more, D + 1, 1),
                   "genes: 1 column that the model does not have is ignored: n1");
    expect_remarks(model, named_as(more, D + 2, 1),
                   "genes: 2 columns that the model does not have are ignored: n1, n2");
    expect_remarks(model, named_as(more, D + 5, 1),
                   "genes: 5 columns that the model does not have are ignored: n1, n2, n3, n4, "
                   "...");
    expect_remarks(model, named_as(more, D + 1, 2), ""); /* it has one view */
    int32_t labels[N];
    CHECK_FAILS(label(model, named_as(more + 5, 1, 1), labels, NULL), ONEFOLD_BAD_DATA,
                "lacks 5 of the 6 columns that the model's view 'genes' has: TP53, BRCA1, MYC, "
                "EGFR, ...");
    onefold_result_free(result);
}

/* With repeated or empty names in the training data, columns are matched by order. */
static void names_that_tell_nothing(void **state)
{
    (void)state;
    static const char *const twice[] = {"a", "b", "a", "c", "d", "e"}, *const empty[] = {"a", "",
                                                                                         "b", "c",
                                                                                         "d", "e"},
                             *const other[] = {"e", "d", "c", "b", "a", "f"};
    for (int which = 0; which < 2; which++) {
        onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
        onefold_result *result = NULL;
        int32_t labels[N];
        options.clusters = K;
        options.keep_model = 1;
        onefold_dataset *data = named_as(which ? empty : twice, D, 1);
        CHECK_OK(onefold_fit(&result, NULL, data, &options));
        onefold_dataset_free(data);
        CHECK_OK(
            label(onefold_result_describe(result)->model, named_as(other, D, 1), labels, NULL));
        assert_memory_equal(labels, onefold_result_describe(result)->labels, sizeof labels);
        expect_remarks(onefold_result_describe(result)->model, named_as(other, D, 1), "");
        onefold_result_free(result);
    }
}

/* Two views are both brought into the model's order. */
static void two_views_by_name(void **state)
{
    (void)state;
    static const char *const turned[] = {"PTEN", "KRAS", "EGFR", "MYC", "BRCA1", "TP53"};
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_result *result = NULL;
    int32_t straight[N], labels[N];
    options.clusters = K;
    options.keep_model = 1;
    onefold_dataset *data = named_as(names, D, 2), *moved = NULL;
    CHECK_OK(onefold_fit(&result, NULL, data, &options));
    const onefold_model *model = onefold_result_describe(result)->model;
    CHECK_OK(label(model, data, straight, NULL));
    double values[N * D];
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < D; i++)
            values[j * D + i] = number(j, D - 1 - i);
    CHECK_OK(onefold_dataset_create(&moved, NULL, N));
    for (size_t v = 0; v < 2; v++) {
        CHECK_OK(onefold_dataset_add_dense(moved, v ? "more" : "genes", values, D, D, 1));
        CHECK_OK(onefold_dataset_set_column_names(moved, v, turned));
    }
    CHECK_OK(label(model, moved, labels, NULL));
    assert_memory_equal(labels, straight, sizeof labels);
    onefold_result_free(result);
}

static void what_is_not_there_is_NULL(void **state)
{
    (void)state;
    onefold_result *result = fit("rbf", 0, 1);
    assert_null(onefold_result_describe(NULL));
    assert_null(onefold_result_column(NULL, 0, 0, 0));
    assert_null(onefold_result_column(result, 0, 0, 0)); /* nothing was explained */
    onefold_result_free(result);
}

static void names_are_in_the_file(void **state)
{
    const char *path = folder_path(state, "a.model");
    for (int named = 0; named < 2; named++) {
        onefold_result *result = fit("rbf", 0, named);
        onefold_model *model = NULL;
        CHECK_OK(onefold_model_write(onefold_result_describe(result)->model, NULL, path));
        CHECK_OK(onefold_model_read(&model, NULL, path));
        assert_int_equal(model->view[0].column_names != NULL, named);
        for (size_t i = 0; named && i < D; i++)
            assert_string_equal(model->view[0].column_names[i], names[i]);
        onefold_model_free(model);
        onefold_result_free(result);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_order_gives_the_same),
        cmocka_unit_test(missing_ones_are_named),
        cmocka_unit_test(others_are_remarked_on),
        cmocka_unit_test(names_that_tell_nothing),
        cmocka_unit_test(two_views_by_name),
        cmocka_unit_test(what_is_not_there_is_NULL),
        cmocka_unit_test_setup_teardown(names_are_in_the_file, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
