/* SPDX-License-Identifier: Apache-2.0 */
/* What the cases of failing calls work on: data sets and files. */
#include "faults/failures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { N = FAILURE_SAMPLES, COLUMNS = FAILURE_COLUMNS, MANY = 300 };
onefold_context *failure_context;
onefold_dataset *failure_dense, *failure_sparse, *failure_lacking, *failure_thin, *failure_kernels,
    *failure_graph, *failure_mixed, *failure_wide, *failure_many;
onefold_dataset *failure_turned, *failure_thin_turned;
onefold_result *failure_result;
const char *failure_names[N];

static onefold_status make(onefold_dataset **made, size_t samples, size_t columns, double density,
                           double missing)
{
    onefold_synth_options options = ONEFOLD_SYNTH_OPTIONS_INIT;
    size_t both[2] = {columns, columns + 1};
    options.samples = samples;
    options.clusters = 3;
    options.views = 2;
    options.columns = both;
    options.density = density;
    options.missing = missing;
    TRY(onefold_dataset_synth(made, failure_context, &options));
    if (samples == N)
        TRY(onefold_dataset_set_sample_names(*made, failure_names));
    return columns < N ? onefold_dataset_set_column_names(*made, 0, failure_names) : ONEFOLD_OK;
}

/* A kernel, its links as a graph, and both of them beside the features of `failure_dense`. */
static onefold_status make_kernels(void)
{
    static double kernel[N * N], values[4 * N], entry[N * N];
    static size_t start[N + 1];
    static uint32_t column[N * N];
    size_t count = 0;
    TRY(onefold_dataset_values(values, failure_dense, 1, 0, N));
    for (size_t j = 0; j < N; j++) {
        for (size_t i = 0; i < N; i++) {
            double square = 0;
            for (size_t r = 0; r < 4; r++)
                square += pow(values[4 * j + r] - values[4 * i + r], 2);
            kernel[i + N * j] = exp(-square / 20);
            if (i != j && kernel[i + N * j] > 0.05) {
                column[count] = (uint32_t)i;
                entry[count++] = kernel[i + N * j];
            }
        }
        start[j + 1] = count;
    }
    TRY(onefold_dataset_create(&failure_kernels, failure_context, N));
    TRY(onefold_dataset_add_kernel(failure_kernels, "one", kernel));
    TRY(onefold_dataset_add_kernel(failure_kernels, "two", kernel));
    TRY(onefold_dataset_create(&failure_graph, failure_context, N));
    TRY(onefold_dataset_add_sparse(failure_graph, "one", N, start, column, entry));
    TRY(onefold_dataset_add_sparse(failure_graph, "two", N, start, column, entry));
    TRY(onefold_dataset_create(&failure_mixed, failure_context, N));
    TRY(onefold_dataset_add_dense(failure_mixed, "dense", values, 4, 4, 1));
    TRY(onefold_dataset_add_sparse(failure_mixed, "sparse", N, start, column, entry));
    TRY(onefold_dataset_add_kernel(failure_mixed, "kernel", kernel));
    return onefold_dataset_set_column_names(failure_mixed, 0, failure_names);
}

/* Both views of a data set, the first one's columns backwards, by name, and before them one more.
 */
static onefold_status turn(onefold_dataset **made, const onefold_dataset *of, size_t columns,
                           int sparse)
{
    static double values[2][16 * N], entry[16 * N];
    static size_t start[N + 1];
    static uint32_t column[16 * N];
    const char *names[16] = {"another"};
    size_t width = columns + 1; /* as the second view has by itself */
    TRY(onefold_dataset_create(made, failure_context, N));
    for (size_t v = 0; v < 2; v++) {
        size_t count = 0;
        TRY(onefold_dataset_values(values[0], of, v, 0, N));
        for (size_t j = 0; j < N; j++) {
            for (size_t i = 0; i < width; i++) {
                double *to = &values[1][j * width + i];
                if (v == 1)
                    *to = values[0][j * width + i];
                else
                    *to = i == 0 ? 1 : values[0][j * columns + columns - i];
                if (*to != 0) {
                    column[count] = (uint32_t)i;
                    entry[count++] = *to;
                }
            }
            start[j + 1] = count;
        }
        TRY(sparse ? onefold_dataset_add_sparse(*made, NULL, width, start, column, entry)
                   : onefold_dataset_add_dense(*made, NULL, values[1], width, width, 1));
    }
    for (size_t i = 1; i < width; i++)
        names[i] = failure_names[columns - i];
    return onefold_dataset_set_column_names(*made, 0, names);
}

/* ---- files ---------------------------------------------------------------------------------- */

/* A table of the first samples by rising or falling number, some cells empty. */
static void write_table(const char *path, size_t first, int step, int holes, const char *header)
{
    FILE *out = fopen(path, "w");
    fprintf(out, "%s\n", header);
    for (size_t i = 0; i < N - first; i++) {
        size_t j = step > 0 ? first + i : N - 1 - i;
        fprintf(out, "n%zu,%zu.5,%s,%zu\n", j, j % 3 * 4, holes && j % 5 == 1 ? "" : "1.25",
                j * 7 % 5);
    }
    fclose(out);
}

/* 6 features of N cells, as 10x Genomics writes them. */
static void write_cells(const char *folder)
{
    char path[64];
    mkdir(folder, 0777);
    snprintf(path, sizeof path, "%s/matrix.mtx", folder);
    FILE *out = fopen(path, "w");
    fprintf(out, "%%%%MatrixMarket matrix coordinate integer general\n6 %d %d\n", N, 2 * N);
    for (int j = 0; j < N; j++)
        fprintf(out, "%d %d 3\n%d %d %d\n", j % 3 + 1, j + 1, j % 2 + 4, j + 1, j % 4 + 1);
    fclose(out);
    snprintf(path, sizeof path, "%s/barcodes.tsv", folder);
    out = fopen(path, "w");
    for (int j = 0; j < N; j++)
        fprintf(out, "cell%d\n", j);
    fclose(out);
    snprintf(path, sizeof path, "%s/features.tsv", folder);
    out = fopen(path, "w");
    for (int i = 0; i < 6; i++)
        fprintf(out, "id%d\tgene%d\t%s\n", i, i, i < 3 ? "Gene Expression" : "Antibody Capture");
    fclose(out);
}

static void write_present(void)
{
    FILE *out = fopen("present.csv", "w");
    for (int j = 0; j < N; j++)
        fprintf(out, "1,%d\n", j % 4 != 0);
    fclose(out);
}

static void write_fit(void)
{
    FILE *out = fopen("in.json", "w");
    fputs(
        "{\"onefold\": \"0\", \"samples\": 3, \"clusters\": 2, \"sizes\": [2, 1], \"views\": [],"
        " \"labels\": [0, 1, 0], \"confidence\": [1, 0.5, null], \"sample_names\": [\"c\", \"a\", "
        "\"b\"]}\n",
        out);
    fclose(out);
}

static onefold_status make_files(const char *maker)
{
    char command[512];
    TRY(onefold_dataset_write(failure_dense, failure_context, "in.npz"));
    TRY(onefold_dataset_write(failure_dense, failure_context, "in.mat"));
    TRY(onefold_dataset_write(failure_dense, failure_context, "in.csv"));
    TRY(onefold_dataset_write(failure_dense, failure_context, "in.tsv"));
    TRY(onefold_dataset_write(failure_dense, failure_context, "in.npy"));
    TRY(onefold_dataset_write(failure_sparse, failure_context, "in.mtx"));
    TRY(onefold_dataset_write(failure_sparse, failure_context, "sparse.npz"));
    TRY(onefold_dataset_write(failure_sparse, failure_context, "sparse.mat"));
    TRY(onefold_dataset_write(failure_lacking, failure_context, "lacking.npz"));
    TRY(onefold_dataset_write(failure_thin, failure_context, "lacking.mat"));
    TRY(onefold_dataset_write(failure_kernels, failure_context, "kernels.mat"));
    write_table("other.csv", 0, -1, 0, "id,a,b,c");
    write_table("few.csv", 4, -1, 0, "id,a,b,c");
    write_table("holes.csv", 0, 1, 1, "id,a,b,c");
    write_table("groups.csv", 0, 1, 0, "id,x_1,x_2,y_1");
    write_table("packed.csv", 0, 1, 0, "id,a,b,c");
    write_cells("cells");
    write_cells("packed");
    write_present();
    write_fit();
    snprintf(command, sizeof command,
             "gzip packed.csv packed/* && '%s' seven.mat cells.h5ad cells.h5mu",
             maker ? maker : "true");
    return system(command) == 0 ? ONEFOLD_OK : ONEFOLD_IO;
}

static onefold_status make_all(const char *maker)
{
    onefold_fit_options fit = ONEFOLD_FIT_OPTIONS_INIT;
    static char texts[N][8];
    for (size_t j = 0; j < N; j++) {
        snprintf(texts[j], sizeof texts[j], "n%zu", j);
        failure_names[j] = texts[j];
    }
    TRY(make(&failure_dense, N, COLUMNS, 1, 0));
    TRY(make(&failure_sparse, N, 8, 0.5, 0));
    TRY(make(&failure_lacking, N, COLUMNS, 1, 0.2));
    TRY(make(&failure_thin, N, 8, 0.5, 0.2));
    TRY(make(&failure_wide, N, 40, 1, 0));
    TRY(make(&failure_many, MANY, 280, 0.1, 0));
    TRY(make_kernels());
    TRY(turn(&failure_turned, failure_dense, COLUMNS, 0));
    TRY(turn(&failure_thin_turned, failure_sparse, 8, 1));
    fit.clusters = 3;
    TRY(onefold_fit(&failure_result, failure_context, failure_dense, &fit));
    return make_files(maker);
}

onefold_status failure_prepare(const char *maker)
{
    onefold_status status = make_all(maker);
    if (status != ONEFOLD_OK)
        printf("it could not be prepared: %s\n", onefold_last_error());
    return status;
}

void failure_done(void)
{
    onefold_dataset *const all[] = {failure_dense,  failure_sparse,     failure_lacking,
                                    failure_thin,   failure_kernels,    failure_graph,
                                    failure_mixed,  failure_wide,       failure_many,
                                    failure_turned, failure_thin_turned};
    failure_forget_fits();
    onefold_result_free(failure_result);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        onefold_dataset_free(all[i]);
}
