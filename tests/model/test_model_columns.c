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
                const onefold_model *model = onefold_result_model(result);
                int32_t want[N], got[N];
                double sure[N], again[N];
                CHECK_OK(label(model, make(to, all, D, 1), want, sure));
                assert_memory_equal(want, onefold_result_labels(result), sizeof want);
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
    const onefold_model *model = onefold_result_model(result);
    int32_t labels[N];
    CHECK_FAILS(label(model, make(0, fewer, 4, 1), labels, NULL), ONEFOLD_BAD_DATA, "BRCA1, KRAS");
    CHECK_FAILS(label(model, make(0, renamed, 6, 1), labels, NULL), ONEFOLD_BAD_DATA, "BRCA1");
    CHECK_FAILS(label(model, make(0, fewer, 4, 0), labels, NULL), ONEFOLD_BAD_DATA, "4 columns");
    onefold_result_free(result);
}

static void names_are_in_the_file(void **state)
{
    const char *path = folder_path(state, "a.model");
    for (int named = 0; named < 2; named++) {
        onefold_result *result = fit("rbf", 0, named);
        onefold_model *model = NULL;
        CHECK_OK(onefold_model_write(onefold_result_model(result), NULL, path));
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
        cmocka_unit_test_setup_teardown(names_are_in_the_file, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
