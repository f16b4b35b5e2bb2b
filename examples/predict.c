/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fits a model on some samples, keeps it in a file, reads it again and labels samples that were not
 * there before: what two programs would do on two days.
 *
 *     predict MODEL          fits, writes MODEL, reads it and predicts
 *
 * examples/README.md says how to compile it.
 */
#include <onefold.h>

#include <stdio.h>
#include <stdlib.h>

enum { OLD = 800, NEW = 200, COLUMNS = 8, CLUSTERS = 4 };

static int failed(onefold_status status)
{
    if (status == ONEFOLD_OK)
        return 0;
    fprintf(stderr, "predict: %s\n", onefold_last_error());
    if (onefold_last_hint()[0])
        fprintf(stderr, "         %s\n", onefold_last_hint());
    return 1;
}

/* A number from -0.5 to 0.5 that depends on its place alone. */
static double noise(unsigned place)
{
    unsigned x = (place ^ 0x5bd1e995u) * 2654435761u;
    for (int round = 0; round < 3; round++)
        x = (x ^ (x >> 15)) * 2246822519u;
    return x / 4294967296.0 - 0.5;
}

/* Two views of samples first .. first+count-1: sample j is in cluster j % CLUSTERS. */
static onefold_status make_data(onefold_dataset **data, unsigned first, unsigned count)
{
    double *values = malloc(sizeof *values * count * COLUMNS);
    onefold_status status = onefold_dataset_create(data, NULL, count);
    for (unsigned view = 0; values && status == ONEFOLD_OK && view < 2; view++) {
        for (unsigned j = 0; j < count; j++)
            for (unsigned i = 0; i < COLUMNS; i++) {
                unsigned cluster = (first + j) % CLUSTERS, column = (cluster + view) % 4;
                values[j * COLUMNS + i] =
                    noise(((first + j) * 2 + view) * COLUMNS + i) + (i % 4 == column ? 2 : 0);
            }
        status = onefold_dataset_add_dense(*data, view ? "shape" : "colour", values, COLUMNS,
                                           COLUMNS, 1);
    }
    free(values);
    return status;
}

/* The first day. */
static onefold_status fit(const char *path)
{
    onefold_dataset *data = NULL;
    onefold_result *result = NULL;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    options.clusters = CLUSTERS;
    options.keep_model = 1;
    options.method = "os-lfmvc-cs";
    options.base = ONEFOLD_BASE_NYSTROM; /* landmarks, so that no training sample is in the model */
    options.landmarks = 50;
    onefold_status status = make_data(&data, 0, OLD);
    if (status == ONEFOLD_OK)
        status = onefold_fit(&result, NULL, data, &options);
    if (status == ONEFOLD_OK)
        status = onefold_model_write(onefold_result_describe(result)->model, NULL, path);
    if (status == ONEFOLD_OK)
        printf("fitted on %d samples\n", OLD);
    onefold_result_free(result);
    onefold_dataset_free(data);
    return status;
}

/* The other day. */
static onefold_status predict(const char *path)
{
    onefold_dataset *data = NULL;
    onefold_model *model = NULL;
    onefold_prediction prediction = ONEFOLD_PREDICTION_INIT;
    int32_t labels[NEW];
    double confidence[NEW], distance[NEW], least = 1, furthest = 0;
    prediction.labels = labels;
    prediction.confidence = confidence;
    prediction.distance = distance;
    onefold_status status = onefold_model_read(&model, NULL, path);
    if (status == ONEFOLD_OK)
        status = make_data(&data, OLD, NEW);
    if (status == ONEFOLD_OK)
        status = onefold_predict(&prediction, NULL, model, data, 0, NEW);
    if (status == ONEFOLD_OK) {
        int agree = 1; /* samples of one cluster have one label, and no other has it */
        for (int j = 0; j < NEW; j++) {
            for (int i = 0; i < j; i++)
                agree &= (labels[i] == labels[j]) == (i % CLUSTERS == j % CLUSTERS);
            least = confidence[j] < least ? confidence[j] : least;
            furthest = distance[j] > furthest ? distance[j] : furthest;
        }
        const onefold_model_info *info = onefold_model_describe(model);
        printf("%s: %zu views, %zu clusters, %s training samples\n", path, info->views,
               info->clusters, info->holds_samples ? "with" : "without");
        printf("%d new samples labelled: %s\n", NEW,
               agree ? "all where they belong" : "some amiss");
        printf("least confidence %.2f, largest distance %.2f (training %.2f)\n", least, furthest,
               info->distance_most);
    }
    onefold_model_free(model);
    onefold_dataset_free(data);
    return status;
}

int main(int count, char **words)
{
    if (count != 2) {
        fprintf(stderr, "usage: predict MODEL\n");
        return 2;
    }
    return failed(fit(words[1])) || failed(predict(words[1]));
}
