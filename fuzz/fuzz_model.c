/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a model, with the checksum and the size repaired, so that what lies behind them is
 * reached; a model that is taken predicts. */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { HEAD = 24, TAIL = 4, N = 12 };

static void predict(const onefold_model *model)
{
    const onefold_model_info *info = onefold_model_describe(model);
    onefold_dataset *data = NULL;
    int32_t labels[N];
    double *values = NULL;
    onefold_prediction prediction = ONEFOLD_PREDICTION_INIT;
    prediction.labels = labels;
    if (onefold_dataset_create(&data, fuzz_context(), N) != ONEFOLD_OK)
        return;
    for (size_t v = 0; v < info->views && v < 4; v++) {
        const onefold_model_view_info *view = info->view[v];
        if (view->columns == 0 || view->columns > 100)
            continue;
        values = calloc(N * view->columns, sizeof *values);
        for (size_t i = 0; values && i < N * view->columns; i++)
            values[i] = (double)(i * 2654435761u % 97) - 48;
        if (values)
            (void)!onefold_dataset_add_dense(data, view->name, values, view->columns, view->columns,
                                             1);
        free(values);
    }
    if (fuzz_worked(onefold_predict(&prediction, fuzz_context(), model, data, 0, N)))
        for (size_t j = 0; j < N; j++)
            fuzz_demand(labels[j] >= 0 && (size_t)labels[j] < info->clusters,
                        "labels are in range");
    onefold_dataset_free(data);
}

int fuzz_model(const uint8_t *bytes, size_t size)
{
    if (size < HEAD + TAIL || size > 1 << 20)
        return 0;
    uint8_t *copy = malloc(size);
    memcpy(copy, bytes, size);
    uint64_t whole = size;
    uint32_t sum;
    memcpy(copy + 16, &whole, sizeof whole);
    sum = (uint32_t)crc32(crc32(0, NULL, 0), copy, (uInt)(size - TAIL));
    memcpy(copy + size - TAIL, &sum, sizeof sum);
    onefold_model *model = NULL;
    if (fuzz_worked(onefold_model_decode(&model, fuzz_context(), copy, size))) {
        predict(model);
        onefold_model_free(model);
    }
    free(copy);
    return 0;
}
