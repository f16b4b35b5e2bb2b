/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clusters samples that lack views, and labels a new one that has only one of them.
 *
 * Two views of 300 samples in three groups. Every fourth sample lacks the first view, which its
 * table says; every fifth lacks the second, whose row is NaN. examples/README.md says how to
 * compile it.
 */
#include <onefold.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SAMPLES = 300, COLUMNS = 2, GROUPS = 3 };

static int failed(onefold_status status)
{
    if (status == ONEFOLD_OK)
        return 0;
    fprintf(stderr, "missing: %s\n", onefold_last_error());
    return 1;
}

/* A number between -1 and 1 that looks random and is the same everywhere. */
static double noise(size_t at)
{
    uint32_t bits = (uint32_t)at * 2654435761u;
    bits = (bits ^ bits >> 15) * 2246822519u;
    return (double)(bits ^ bits >> 13) / 2147483648.0 - 1;
}

/* Sample j of a view: near the corner of its group. */
static void place(double *x, size_t j, size_t view, size_t group)
{
    for (size_t i = 0; i < COLUMNS; i++)
        x[i] = 4 * (double)((group + view + i) % GROUPS == 0) - 3 * (double)(group == view) +
               noise(j * 7 + view * 3 + i);
}

static onefold_status make_data(onefold_dataset **data)
{
    static double x[2][SAMPLES * COLUMNS];
    static uint8_t present[SAMPLES * 2];
    for (size_t j = 0; j < SAMPLES; j++) {
        for (size_t v = 0; v < 2; v++)
            place(x[v] + j * COLUMNS, j, v, j % GROUPS);
        present[2 * j] = j % 4 != 0;
        present[2 * j + 1] = 1;
        if (j % 5 == 0 && j % 4 != 0)
            for (size_t i = 0; i < COLUMNS; i++)
                x[1][j * COLUMNS + i] = NAN; /* a row of NaN is missing by itself */
    }
    onefold_status status = onefold_dataset_create(data, NULL, SAMPLES);
    for (size_t v = 0; v < 2 && status == ONEFOLD_OK; v++)
        status =
            onefold_dataset_add_dense(*data, v ? "second" : "first", x[v], COLUMNS, COLUMNS, 1);
    return status == ONEFOLD_OK ? onefold_dataset_set_present(*data, present) : status;
}

/* A new sample of the last group, of which only the second view is known. */
static onefold_status label_new(const onefold_model *model, int32_t *label)
{
    double x[2][COLUMNS] = {{NAN, NAN}};
    onefold_dataset *fresh = NULL;
    onefold_prediction prediction = ONEFOLD_PREDICTION_INIT;
    prediction.labels = label;
    place(x[1], SAMPLES + 1, 1, GROUPS - 1);
    onefold_status status = onefold_dataset_create(&fresh, NULL, 1);
    for (size_t v = 0; v < 2 && status == ONEFOLD_OK; v++)
        status =
            onefold_dataset_add_dense(fresh, v ? "second" : "first", x[v], COLUMNS, COLUMNS, 1);
    if (status == ONEFOLD_OK)
        status = onefold_predict(&prediction, NULL, model, fresh, 0, 1);
    onefold_dataset_free(fresh);
    return status;
}

int main(void)
{
    onefold_dataset *data = NULL;
    onefold_result *result = NULL;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    int32_t label = -1;
    size_t agree = 0;
    options.clusters = GROUPS;
    options.keep_model = 1;
    int bad = failed(make_data(&data)) || failed(onefold_fit(&result, NULL, data, &options)) ||
              failed(label_new(onefold_result_describe(result)->model, &label));
    if (!bad) {
        const onefold_fit_info *info = onefold_result_describe(result);
        const int32_t *labels = info->labels;
        for (size_t j = 0; j < SAMPLES; j++)
            agree += labels[j] == labels[j % GROUPS];
        for (size_t v = 0; v < info->views; v++) {
            const onefold_view_fit *view = info->view[v];
            printf("%-8s weight %.2f, %zu of %d samples lack it\n", view->name, view->weight,
                   view->missing, (int)SAMPLES);
        }
        printf("%zu of %d samples are with their group\n", agree, (int)SAMPLES);
        printf("the new sample is in the last group: %s\n",
               label == labels[GROUPS - 1] ? "yes" : "no");
    }
    onefold_result_free(result);
    onefold_dataset_free(data);
    return bad;
}
