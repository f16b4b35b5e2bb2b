/* SPDX-License-Identifier: Apache-2.0 */
/* A table with the options that say what its columns are, fitted; the model goes through its bytes
 * and labels the same table as the fit did, read with the model's columns, and another table. The
 * pieces of an input lie between lines "@@". */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 60, COLUMNS = 400 };

/* The options that name columns, by the bits of `asked`; `text` must stay as long as they do. */
static void name_columns(onefold_read_options *options, unsigned asked, const char *text)
{
    if (asked & 1)
        options->drop = text;
    if (asked & 2)
        options->columns = text;
    if (asked & 4)
        options->as_category = text;
    if (asked & 8)
        options->as_number = text;
    if (asked & 16)
        options->ids = text;
    if (asked & 32)
        options->truth = text;
    options->no_truth = (int)(asked >> 6 & 1);
}

/* Reads with the columns of a model, and predicts; NULL where either is refused. */
static int32_t *predicted(const onefold_model *model, const char *path,
                          const onefold_read_options *as, size_t *samples)
{
    onefold_read_options options = *as;
    onefold_dataset *data = NULL;
    onefold_prediction prediction = ONEFOLD_PREDICTION_INIT;
    const onefold_model_view_info *view = onefold_model_describe(model)->view[0];
    options.expected = view->column_names;
    options.expected_count = view->column_names ? view->columns : 0;
    if (!fuzz_worked(onefold_dataset_read(&data, fuzz_context(), &path, 1, &options)))
        return NULL;
    *samples = onefold_dataset_describe(data)->samples;
    prediction.labels = calloc(*samples + 1, sizeof *prediction.labels);
    fuzz_demand(prediction.labels != NULL, "there is memory");
    if (!fuzz_worked(onefold_predict(&prediction, fuzz_context(), model, data, 0, *samples))) {
        free(prediction.labels);
        prediction.labels = NULL;
    }
    onefold_dataset_free(data);
    return prediction.labels;
}

static void fit(const onefold_dataset *data, const char *path, const char *other,
                const onefold_read_options *options)
{
    onefold_fit_options how = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_result *result = NULL;
    onefold_model *model = NULL;
    void *bytes = NULL;
    size_t size = 0, samples = onefold_dataset_describe(data)->samples, count = 0;
    how.clusters = 2;
    how.effort = ONEFOLD_EFFORT_QUICK;
    how.keep_model = 1;
    how.explain = 2;
    if (!fuzz_worked(onefold_fit(&result, fuzz_context(), data, &how)))
        return;
    fuzz_check_result(result, samples);
    const onefold_fit_info *info = onefold_result_describe(result);
    fuzz_demand(onefold_model_encode(&bytes, &size, fuzz_context(), info->model) == ONEFOLD_OK &&
                    onefold_model_decode(&model, fuzz_context(), bytes, size) == ONEFOLD_OK,
                "a model can be kept and read");
    int32_t *again = predicted(model, path, options, &count);
    fuzz_demand(again && count == samples &&
                    memcmp(again, info->labels, samples * sizeof *again) == 0,
                "the model labels its own table as the fit did");
    free(again);
    free(predicted(model, other, options, &count));
    onefold_free(bytes);
    onefold_model_free(model);
    onefold_result_free(result);
}

int fuzz_tables(const uint8_t *bytes, size_t size)
{
    fuzz_bytes rest = {bytes, size};
    onefold_read_options options = fuzz_read_options(fuzz_take(&rest) & 0x7f);
    unsigned asked = fuzz_take(&rest);
    fuzz_bytes words = fuzz_piece(&rest), table = fuzz_piece(&rest), others = fuzz_piece(&rest);
    char *text = strndup((const char *)words.at, words.left);
    const char *path = fuzz_save("t.csv", table.at, table.left);
    const char *other = fuzz_save("o.csv", others.at, others.left);
    onefold_dataset *data = NULL;
    fuzz_demand(text != NULL, "there is memory");
    name_columns(&options, asked, text);
    if (fuzz_worked(onefold_dataset_read(&data, fuzz_context(), &path, 1, &options))) {
        onefold_view_info view = ONEFOLD_VIEW_INFO_INIT;
        fuzz_demand(onefold_dataset_view(data, 0, &view) == ONEFOLD_OK, "a view is described");
        if (onefold_dataset_describe(data)->samples <= SAMPLES && view.columns <= COLUMNS)
            fit(data, path, other, &options);
        fuzz_use(data, 0);
    }
    free(text);
    return 0;
}
