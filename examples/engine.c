/* SPDX-License-Identifier: Apache-2.0 */
/* The engine alone: makes two matrices, clusters their rows together, labels new rows by the model.
 * Needs no file and no library but BLAS and LAPACK: it also builds with -DONEFOLD_ENGINE_ONLY=ON.
 */
#include <onefold.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { TRAINING = 240, NEW = 60, GROUPS = 4, COLOURS = 6, SHAPES = 10 };

/* A number from -1 to 1 that looks random, the same in every run. */
static double noise(void)
{
    static uint64_t state = 20;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) / 4503599627370496.0 - 1;
}

/* The group of a row: they come in turn. */
static int group_of(size_t row)
{
    return (int)(row % GROUPS);
}

/* rows x columns numbers, a row contiguous. The colours tell groups 0 and 1 from 2 and 3, and the
 * shapes even groups from odd ones: it takes both to tell all four. */
static double *make_matrix(size_t rows, size_t columns, int colours)
{
    double *matrix = malloc(rows * columns * sizeof *matrix);
    for (size_t i = 0; matrix && i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            int side = colours ? group_of(i) / 2 : group_of(i) % 2;
            matrix[i * columns + j] = (side ? 3 : -3) * (j % 2 ? 1 : -1) + noise();
        }
    return matrix;
}

/* A data set of the two matrices, which it copies. */
static onefold_status make_dataset(onefold_dataset **dataset, size_t rows)
{
    double *colours = make_matrix(rows, COLOURS, 1), *shapes = make_matrix(rows, SHAPES, 0);
    onefold_status status = ONEFOLD_NO_MEMORY;
    if (colours && shapes) {
        status = onefold_dataset_create(dataset, NULL, rows);
        if (status == ONEFOLD_OK) /* sample i of column j lies at i * COLOURS + j */
            status = onefold_dataset_add_dense(*dataset, "colours", colours, COLOURS, COLOURS, 1);
        if (status == ONEFOLD_OK)
            status = onefold_dataset_add_dense(*dataset, "shapes", shapes, SHAPES, SHAPES, 1);
    }
    free(colours);
    free(shapes);
    return status;
}

/* What a fit found. */
static void print_fit(const onefold_fit_info *fit)
{
    printf("%zu samples in %zu clusters by %s\n", fit->samples, fit->clusters_used, fit->method);
    printf("sizes:");
    for (size_t c = 0; c < fit->clusters; c++)
        printf(" %zu", fit->sizes[c]);
    printf("\n");
    for (size_t v = 0; v < fit->views; v++)
        printf("%-8s weight %.2f\n", fit->view[v]->name, fit->view[v]->weight);
}

/* The cluster of each group, from the training samples: the label of its first row. Returns how
 * many of the new rows have the cluster of their group. */
static int count_right(const int32_t *training, const int32_t *labels)
{
    int right = 0;
    for (size_t i = 0; i < NEW; i++)
        right += labels[i] == training[group_of(i)];
    return right;
}

/* Fits, keeps the model, and labels new rows by it. */
static onefold_status cluster(const onefold_dataset *training, const onefold_dataset *others)
{
    onefold_result *result = NULL;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    options.clusters = GROUPS;
    options.keep_model = 1;
    onefold_status status = onefold_fit(&result, NULL, training, &options);
    if (status == ONEFOLD_OK) {
        const onefold_fit_info *fit = onefold_result_describe(result);
        int32_t labels[NEW];
        onefold_prediction prediction = ONEFOLD_PREDICTION_INIT;
        prediction.labels = labels;
        print_fit(fit);
        status = onefold_predict(&prediction, NULL, fit->model, others, 0, NEW);
        if (status == ONEFOLD_OK)
            printf("%d of %d new rows are in the cluster of their group\n",
                   count_right(fit->labels, labels), NEW);
    }
    onefold_result_free(result);
    return status;
}

int main(void)
{
    onefold_dataset *training = NULL, *others = NULL;
    onefold_status status = make_dataset(&training, TRAINING);
    if (status == ONEFOLD_OK)
        status = make_dataset(&others, NEW);
    if (status == ONEFOLD_OK)
        status = cluster(training, others);
    onefold_dataset_free(training);
    onefold_dataset_free(others);
    if (status != ONEFOLD_OK) {
        fprintf(stderr, "engine: %s\n", onefold_last_error());
        return 1;
    }
    return 0;
}
