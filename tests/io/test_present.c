/* SPDX-License-Identifier: Apache-2.0 */
/* Which sample has which view, read from files. */
#include "io/find.h"

#include "data/dataset.h"
#include "support/ask.h"
#include "support/check.h"
#include "support/folder.h"
#include "support/made.h"
#include "support/views_read.h"

#include <math.h>
#include <string.h>

enum { N = 6, D = 3 };

/* By column, as a .mat has it. Sample 2 lacks view 1, samples 4 and 5 lack view 2. */
static const double status[2 * N] = {1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 0, 0};

static int wanted(size_t sample, size_t view)
{
    return status[view * N + sample] != 0;
}

/* View v, by column, with rows of NaN where it is missing if `nan`. */
static double *view(size_t v, int nan)
{
    static double values[4][N * D];
    static int next;
    double *x = values[next++ % 4];
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < D; i++)
            x[i * N + j] = nan && !wanted(j, v) ? NAN : (double)((v * 5 + j * 7 + i * 3) % 13);
    return x;
}

static void put_views(made *file, int nan)
{
    made cell = {0};
    for (size_t v = 0; v < 2; v++)
        made_mat_dense(&cell, "", N, D, OF_F64, view(v, nan), 0);
    made_mat_array(file, MADE_CELL, (size_t[3]){1, 2, 0}, "X", &cell, 0);
    made_free(&cell);
}

static const char *save(void **state, made *file)
{
    const char *path = folder_path(state, "d.mat");
    made_save(file, path);
    made_free(file);
    return path;
}

static void expect_status(const onefold_dataset *data)
{
    for (size_t j = 0; j < N; j++)
        for (size_t v = 0; v < 2; v++)
            assert_int_equal(ask_present(data, j, v), wanted(j, v));
}

static void expect_all(const onefold_dataset *data)
{
    assert_null(data->set.present);
}

static void rows_of_nan_in_a_file(void **state)
{
    made file = {0};
    made_mat_header(&file, 0);
    put_views(&file, 1);
    onefold_dataset *data = read_one(save(state, &file), NULL);
    expect_status(data);
    expect_note(data, "X{1}: 1 sample is missing from it: rows of NaN");
    expect_note(data, "X{2}: 2 samples are missing from it: rows of NaN");
    onefold_dataset_free(data);
}

/* The same as zeros and ones, transposed or not, under names of either meaning. */
static void a_matrix_of_zeros_and_ones(void **state)
{
    static const struct {
        const char *name, *note;
        int turned, missing, nan, taken;
    } cases[] = {
        {"MissingStatus", "; 1 where it has the view", 0, 0, 0, 1},
        {"ind", "; 1 where it has the view", 1, 0, 0, 1},
        {"present", "; 1 where it has the view", 0, 0, 0, 1},
        {"is_missing", "; 1 where it lacks the view", 0, 1, 0, 1},
        {"mask", "; 1 where it lacks the view", 0, 1, 1, 1}, /* the rows of NaN say so */
        {"MissingStatus", "; 1 where it lacks the view", 1, 1, 1, 1},
        {"flags", "flags: passed over", 0, 0, 0, 0},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double values[2 * N];
        for (size_t j = 0; j < N; j++)
            for (size_t v = 0; v < 2; v++)
                values[cases[c].turned ? 2 * j + v : v * N + j] =
                    wanted(j, v) != cases[c].missing ? 1 : 0;
        made file = {0};
        made_mat_header(&file, 0);
        put_views(&file, cases[c].nan);
        made_mat_dense(&file, cases[c].name, cases[c].turned ? 2 : N, cases[c].turned ? N : 2,
                       OF_U8, values, 0);
        onefold_dataset *data = read_one(save(state, &file), NULL);
        assert_int_equal(onefold_dataset_describe(data)->views, 2);
        if (cases[c].taken)
            expect_status(data);
        else
            expect_all(data);
        expect_note(data, cases[c].note);
        onefold_dataset_free(data);
    }
}

/* Where the meaning of the name leaves a sample without views, the ones have the other meaning. */
static void ones_that_would_lose_a_sample(void **state)
{
    double values[2 * N];
    for (size_t e = 0; e < 2 * N; e++)
        values[e] = 1 - status[e];
    made file = {0};
    made_mat_header(&file, 0);
    put_views(&file, 0);
    made_mat_dense(&file, "MissingStatus", N, 2, OF_U8, values, 0);
    onefold_dataset *data = read_one(save(state, &file), NULL);
    expect_status(data);
    expect_note(data, "; 1 where it lacks the view");
    onefold_dataset_free(data);
}

/* Rows of NaN come before a matrix that differs from them. */
static void nan_is_believed(void **state)
{
    double values[2 * N];
    memcpy(values, status, sizeof values);
    values[0] = 0;     /* sample 0 has view 1 */
    values[N + 0] = 0; /* and view 2 */
    made file = {0};
    made_mat_header(&file, 0);
    put_views(&file, 1);
    made_mat_dense(&file, "MissingStatus", N, 2, OF_U8, values, 0);
    onefold_dataset *data = read_one(save(state, &file), NULL);
    expect_status(data);
    expect_note(data, "MissingStatus: differs from the rows of NaN in 2 places");
    onefold_dataset_free(data);
}

static void a_file_named_for_it(void **state)
{
    onefold_read_options options = ONEFOLD_READ_OPTIONS_INIT;
    options.present = folder_path(state, "p.csv");
    made file = {0};
    made_mat_header(&file, 0);
    put_views(&file, 0);
    const char *path = save(state, &file);
    made_file(options.present, "1,1\n1,1\n0,1\n1,1\n1,0\n1,0\n");
    onefold_dataset *data = read_one(path, &options);
    expect_status(data);
    onefold_dataset_free(data);

    options.views = "X{2}"; /* a column of those there were */
    made_file(options.present, "1,1\n1,1\n0,1\n1,1\n1,1\n1,1\n");
    data = read_one(path, &options);
    expect_all(data);
    onefold_dataset_free(data);
    options.views = "1";
    read_fails(path, &options, ONEFOLD_BAD_DATA, "sample 3 lacks every view");

    options.views = NULL;
    made_file(options.present, "1,1\n1,1\n0,0\n1,1\n0,1\n0,0\n");
    read_fails(path, &options, ONEFOLD_BAD_DATA,
               "sample 3 lacks every view, and it is not the only one");
    made_file(options.present, "1,1\n1,1\n0,1\n");
    read_fails(path, &options, ONEFOLD_BAD_DATA,
               "p is 3 x 2, where there are 6 samples and 2 views");
    made_file(options.present, "1,1\n1,2\n0,1\n1,1\n1,1\n1,1\n");
    read_fails(path, &options, ONEFOLD_BAD_DATA, "there is no table of zeros and ones in it");
    options.present = folder_path(state, "none.csv");
    read_fails(path, &options, ONEFOLD_IO, "none.csv");
}

/* One of several files under such a name is no view. */
static void one_file_per_view_and_who_is_present(void **state)
{
    const char *paths[] = {folder_path(state, "a.csv"), folder_path(state, "b.csv"),
                           folder_path(state, "d.present.csv")};
    made_file(paths[0], "1,2\n3,4\n5,6\n7,8\n9,1\n2,3\n");
    made_file(paths[1], "1,2,7\n3,4,7\n5,6,8\n7,8,8\n9,1,9\n2,3,9\n");
    made_file(paths[2], "1,1\n1,1\n0,1\n1,1\n1,0\n1,0\n");
    onefold_dataset *data = NULL;
    CHECK_OK(onefold_dataset_read(&data, NULL, paths, 3, NULL));
    assert_int_equal(onefold_dataset_describe(data)->views, 2);
    expect_status(data);
    onefold_dataset_free(data);
}

/* Values of missing samples are never read. */
static void single_values(void **state)
{
    onefold_read_options options = ONEFOLD_READ_OPTIONS_INIT;
    options.present = folder_path(state, "p.csv");
    const char *path = folder_path(state, "a.csv"), *both[] = {path, folder_path(state, "b.csv")};
    made_file(both[1], "1,2\n3,4\n5,6\n7,8\n9,1\n2,3\n");
    made_file(path, "1,2\n3,NA\ninf,nan\n7,\n9,1\n2,3\n");
    made_file(options.present, "1,1\n1,1\n0,1\n1,1\n1,1\n1,1\n");
    onefold_dataset *data = NULL;
    CHECK_FAILS(onefold_dataset_read(&data, NULL, both, 2, &options), ONEFOLD_BAD_DATA,
                "a: 2 values of 2 samples are missing (NaN), the first in line 2, column 2");
    options.impute = ONEFOLD_IMPUTE_MEAN;
    CHECK_OK(onefold_dataset_read(&data, NULL, both, 2, &options));
    double got[4];
    of_view_tile(&data->set.views[0], 1, 1, got, 2);
    of_view_tile(&data->set.views[0], 3, 1, got + 2, 2);
    assert_true(got[0] == 3 && got[1] == 2 && got[2] == 7 && got[3] == 2);
    expect_note(data, "a: 2 missing values of 2 samples are filled in");
    onefold_dataset_free(data);
    data = NULL;
    options.present = NULL;
    CHECK_FAILS(onefold_dataset_read(&data, NULL, both, 2, &options), ONEFOLD_BAD_DATA,
                "a: line 3, column 1 is infinite");
    assert_null(data);
}

static void every_allocation_may_fail(void **state)
{
    onefold_read_options options = ONEFOLD_READ_OPTIONS_INIT;
    options.present = folder_path(state, "p.csv");
    options.impute = ONEFOLD_IMPUTE_MEDIAN;
    const char *both[] = {folder_path(state, "a.csv"), folder_path(state, "b.csv")};
    made_file(both[0], "1,2\n3,NA\nnan,nan\n7,\n9,1\n2,3\n");
    made_file(both[1], "1,2\n3,4\n5,6\n7,8\n9,1\n2,3\n");
    made_file(options.present, "1,1\n1,1\n0,1\n1,1\n1,1\n1,0\n");
    every_allocation_fails(both, 2, &options);
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_make, folder_remove)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(rows_of_nan_in_a_file),
        IN_FOLDER(a_matrix_of_zeros_and_ones),
        IN_FOLDER(ones_that_would_lose_a_sample),
        IN_FOLDER(nan_is_believed),
        IN_FOLDER(a_file_named_for_it),
        IN_FOLDER(one_file_per_view_and_who_is_present),
        IN_FOLDER(single_values),
        IN_FOLDER(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
