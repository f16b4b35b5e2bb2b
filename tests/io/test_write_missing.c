/* SPDX-License-Identifier: Apache-2.0 */
/* Samples that lack views are written and read back. */
#include "io/atomic_file.h"

#include "data/dataset.h"
#include "support/ask.h"
#include "support/check.h"
#include "support/folder.h"
#include "support/written.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Reads the files back, and compares who is present and their values. */
static void check_back(const onefold_dataset *was, const char *const *paths, size_t count)
{
    onefold_dataset *read = NULL;
    onefold_read_options options = ONEFOLD_READ_OPTIONS_INIT;
    options.no_truth = 1;
    options.samples_are = ONEFOLD_SIDE_ROWS;
    CHECK_OK(onefold_dataset_read(&read, NULL, paths, count, &options));
    assert_int_equal(read->set.view_count, was->set.view_count);
    for (size_t v = 0; v < was->set.view_count; v++) {
        const of_view *a = &was->set.views[v], *b = &read->set.views[v];
        assert_int_equal(b->columns, a->columns);
        double *x = malloc(2 * a->columns * sizeof *x), *y = x + a->columns;
        for (size_t j = 0; j < a->samples; j++) {
            int there = ask_present(was, j, v);
            assert_int_equal(ask_present(read, j, v), there);
            of_view_tile(a, j, 1, x, a->columns);
            of_view_tile(b, j, 1, y, a->columns);
            for (size_t i = 0; there && i < a->columns; i++)
                assert_true(a->storage == OF_KERNEL && !ask_present(was, i, v) ? isnan(y[i]) != 0
                                                                               : x[i] == y[i]);
        }
        free(x);
    }
    onefold_dataset_free(read);
}

static void check_formats(void **state, const onefold_dataset *data, char stem, size_t views,
                          int table)
{
    static const char *const endings[] = {".mat", ".npz", ".npy", ".csv", ".tsv", ".mtx"};
    for (size_t f = 0; f < 6; f++) {
        char name[32];
        const char *paths[8];
        snprintf(name, sizeof name, "%c%s", stem, endings[f]);
        paths[0] = folder_path(state, name);
        size_t before = folder_count(state), count = f < 2 ? 1 : views;
        CHECK_OK(onefold_dataset_write(data, NULL, paths[0]));
        assert_int_equal(folder_count(state) - before,
                         count + (f >= 2 && table) + (f >= 2 && data->set.truth));
        for (size_t v = 0; f >= 2 && v < views; v++) {
            snprintf(name, sizeof name, "%c.%zu%s", stem, v + 1, endings[f]);
            paths[v] = folder_path(state, name);
        }
        if (f >= 2 && table) {
            snprintf(name, sizeof name, "%c.present%s", stem, f == 5 ? ".txt" : endings[f]);
            paths[count++] = folder_path(state, name);
        }
        check_back(data, paths, count);
    }
}

static void made_data_comes_back_from_every_format(void **state)
{
    for (int sparse = 0; sparse < 2; sparse++) {
        onefold_synth_options options = ONEFOLD_SYNTH_OPTIONS_INIT;
        onefold_dataset *data = NULL;
        options.samples = 60;
        options.missing = 0.3;
        options.density = sparse ? 0.3 : 1;
        CHECK_OK(onefold_dataset_synth(&data, NULL, &options));
        assert_non_null(data->set.present);
        check_formats(state, data, sparse ? 's' : 'd', 3, sparse);
        onefold_dataset_free(data);
    }
}

/* Values of missing samples are not written; integers become floating-point numbers. */
static void values_that_do_not_count_are_not_written(void **state)
{
    onefold_dataset *data = written_mixed();
    size_t n = data->set.samples, p = data->set.view_count;
    uint8_t *present = malloc(n * p);
    for (size_t e = 0; e < n * p; e++)
        present[e] = e % 3 != 1;
    CHECK_OK(onefold_dataset_set_present(data, present));
    size_t sparse = 0;
    for (size_t v = 0; v < p; v++)
        sparse += data->set.views[v].storage == OF_SPARSE;
    check_formats(state, data, 'm', p, sparse > 0);
    onefold_dataset_free(data);
    free(present);
}

static void kernels_come_back(void **state)
{
    enum { N = 9 };
    double kernel[2][N * N];
    onefold_dataset *data = NULL;
    CHECK_OK(onefold_dataset_create(&data, NULL, N));
    for (size_t v = 0; v < 2; v++) {
        for (size_t e = 0; e < N * N; e++)
            kernel[v][e] = e / N % N == v + 2 || e % N == v + 2
                               ? NAN
                               : (double)((e / N + 1) * (e % N + 1) + v + (e / N == e % N));
        CHECK_OK(onefold_dataset_add_kernel(data, NULL, kernel[v]));
    }
    static const char *const names[] = {"k.mat", "k.npz"};
    for (size_t f = 0; f < 2; f++) {
        const char *path = folder_path(state, names[f]);
        CHECK_OK(onefold_dataset_write(data, NULL, path));
        check_back(data, &path, 1);
    }
    onefold_dataset_free(data);
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_make, folder_remove)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(made_data_comes_back_from_every_format),
        IN_FOLDER(values_that_do_not_count_are_not_written),
        IN_FOLDER(kernels_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
