/* SPDX-License-Identifier: Apache-2.0 */
/* Which variables become views and labels, and which side the samples are. */
#include "io/find.h"

#include "support/check.h"
#include "support/folder.h"
#include "support/made.h"
#include "support/views_read.h"

#include <stdlib.h>
#include <string.h>

enum { N = 6 };
static const double y[N] = {1, 2, 1, 3, 2, 1};

/* Element (sample j, column i) of made view v, and a matrix of them: rows or columns are samples.
 */
static double at(size_t v, size_t j, size_t i)
{
    return (double)((v * 37 + j * 11 + i * 5) % 50) + 1;
}

static double *view(size_t v, size_t columns, int rows_are_samples)
{
    static double values[4][400];
    static int next;
    double *matrix = values[next++ % 4];
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < columns; i++)
            matrix[rows_are_samples ? i * N + j : j * columns + i] = at(v, j, i);
    return matrix;
}

static void expect(const onefold_dataset *data, size_t place, const char *name, size_t v,
                   size_t columns)
{
    double want[400];
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < columns; i++)
            want[j * columns + i] = at(v, j, i);
    expect_view(data, place, name, "dense", columns, want);
}

/* A made view as a matrix of the file. */
static void put(made *file, const char *name, size_t v, size_t columns, int rows_are_samples)
{
    made_mat_dense(file, name, rows_are_samples ? N : columns, rows_are_samples ? columns : N,
                   OF_F64, view(v, columns, rows_are_samples), 0);
}

static void put_labels(made *file, const char *name)
{
    made_mat_dense(file, name, N, 1, OF_U8, y, 0);
}

static made start(void)
{
    made file = {0};
    made_mat_header(&file, 0);
    return file;
}

/* Reads a made file and frees it. */
static onefold_dataset *read_made(void **state, made *file, const onefold_read_options *options)
{
    const char *path = folder_path(state, "f.mat");
    made_save(file, path);
    made_free(file);
    return read_one(path, options);
}

static void fails_made(void **state, made *file, const onefold_read_options *options,
                       onefold_status status, const char *text)
{
    const char *path = folder_path(state, "f.mat");
    made_save(file, path);
    made_free(file);
    read_fails(path, options, status, text);
}

/* ---- views -------------------------------------------------------------------------------- */

static void cells_of_any_shape(void **state)
{
    static const size_t shape[][3] = {{1, 4, 0}, {4, 1, 0}, {2, 2, 0}, {1, 1, 4}};
    for (size_t s = 0; s < 4; s++) {
        made file = start(), cell = {0};
        for (size_t v = 0; v < 4; v++)
            put(&cell, "", v, 2 + v, v % 2);
        put_labels(&file, "gt");
        made_mat_array(&file, MADE_CELL, shape[s], "anything", &cell, 0);
        onefold_dataset *data = read_made(state, &file, NULL);
        assert_int_equal(onefold_dataset_describe(data)->views, 4);
        for (size_t v = 0; v < 4; v++) {
            char name[32];
            snprintf(name, sizeof name, "anything{%zu}", v + 1);
            expect(data, v, name, v, 2 + v);
        }
        expect_truth(data, "1 2 1 3 2 1");
        onefold_dataset_free(data);
        made_free(&cell);
    }
    made file = start(), inner = {0}, outer = {0}; /* cells within a cell */
    for (size_t v = 0; v < 2; v++) {
        inner.size = 0;
        put(&inner, "", v, 3 + v, 1);
        made_mat_array(&outer, MADE_CELL, (size_t[3]){1, 1, 0}, "", &inner, 0);
    }
    made_mat_array(&file, MADE_CELL, (size_t[3]){2, 1, 0}, "X", &outer, 0);
    onefold_dataset *data = read_made(state, &file, NULL);
    expect(data, 0, "X{1}{1}", 0, 3);
    expect(data, 1, "X{2}{1}", 1, 4);
    onefold_dataset_free(data);
    made_free(&inner);
    made_free(&outer);
}

static void numbered_variables_in_the_order_of_their_numbers(void **state)
{
    static const struct {
        const char *name[4];
    } cases[] = {{{"X10", "X9", "X2", "X1"}},
                 {{"view_4", "view_3", "view_02", "view_1"}},
                 {{"fea3_raw", "fea2_raw", "fea1_raw", "fea0_raw"}}};
    for (size_t c = 0; c < 3; c++) {
        made file = start();
        for (size_t v = 0; v < 4; v++)
            put(&file, cases[c].name[v], v, 2 + v, v % 2);
        put(&file, "other", 9, 3, 1);
        put_labels(&file, "Y");
        onefold_dataset *data = read_made(state, &file, NULL);
        assert_int_equal(onefold_dataset_describe(data)->views, 4);
        for (size_t v = 0; v < 4; v++)
            expect(data, v, cases[c].name[3 - v], 3 - v, 5 - v);
        expect_note(data, "other: passed over");
        onefold_dataset_free(data);
    }
}

/* Whole words count, and not parts of words. */
static void what_names_say(void **state)
{
    (void)state;
    static const char *const decoys[] = {"index",     "trainIdx",      "trainidx", "idx_1",
                                         "test_fold", "MissingStatus", "perm",     "params",
                                         "mask2",     "view_index"};
    static const char *const views[] = {"proteinfold", "manifold", "latest", "transmission",
                                        "wind",        "border",   "X",      "image",
                                        "unmasked",    "contest"};
    for (size_t i = 0; i < 10; i++) {
        assert_true(of_name_of_decoy(decoys[i]));
        assert_false(of_name_of_decoy(views[i]));
    }
    static const struct {
        const char *name;
        int certainty;
    } labels[] = {{"Y", 2},         {"gnd", 2},      {"True_Labels", 2}, {"labels_all", 1},
                  {"cell_type", 1}, {"class_id", 1}, {"class_sizes", 0}, {"label_names", 0},
                  {"num_class", 0}, {"x", 0},        {"yy", 0},          {"class_meaning", 0}};
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        assert_int_equal(of_name_of_labels(labels[i].name), labels[i].certainty);
}

static void free_names_that_share_a_side(void **state)
{
    for (int labels = 0; labels < 2; labels++) {
        made file = start();
        put(&file, "image", 0, 4, 1);
        put(&file, "text", 1, 5, 0);
        made_mat_dense(&file, "weights", 5, 4, OF_F64, view(2, 4, 0), 0);
        put(&file, "train_index", 3, 3, 1);
        made_mat_dense(&file, "sigma", 1, 1, OF_F64, y, 0);
        made_mat_dense(&file, "order", N, 1, OF_F64, y, 0);
        made_mat_text(&file, "info", 1, 3, "abc");
        if (labels)
            put_labels(&file, "truelabel");
        onefold_dataset *data = read_made(state, &file, NULL);
        assert_int_equal(onefold_dataset_describe(data)->views, 2);
        expect(data, 0, "image", 0, 4);
        expect(data, 1, "text", 1, 5);
        expect_note(data, "weights: passed over");
        expect_note(data, "train_index: passed over");
        expect_truth(data, labels ? "1 2 1 3 2 1" : "");
        onefold_dataset_free(data);
    }
}

static void a_second_copy_is_not_taken_twice(void **state)
{
    made file = start(), cell = {0};
    for (size_t v = 0; v < 2; v++)
        put(&cell, "", v, 3 + v, 1);
    put(&file, "X1", 0, 3, 1);
    put(&file, "X2", 1, 4, 1);
    made_mat_array(&file, MADE_CELL, (size_t[3]){1, 2, 0}, "X", &cell, 0);
    made_mat_array(&file, MADE_CELL, (size_t[3]){1, 2, 0}, "backup", &cell, 0);
    put_labels(&file, "gt");
    onefold_dataset *data = read_made(state, &file, NULL);
    assert_int_equal(onefold_dataset_describe(data)->views, 2);
    expect(data, 0, "X{1}", 0, 3);
    expect(data, 1, "X{2}", 1, 4);
    expect_note(data, "X1: passed over");
    expect_note(data, "backup: passed over");
    onefold_dataset_free(data);
    made_free(&cell);
    file = start(); /* under free names: the same, also transposed */
    put(&file, "a", 0, 3, 1);
    put(&file, "b", 1, 3, 1);
    put(&file, "c", 0, 3, 0);
    made_mat_sparse(&file, "d", N, 3, OF_F64, view(1, 3, 1), 0);
    onefold_dataset *twins = read_made(state, &file, NULL);
    assert_int_equal(onefold_dataset_describe(twins)->views, 2);
    expect(twins, 0, "a", 0, 3);
    expect(twins, 1, "b", 1, 3);
    expect_note(twins, "c: ignored, as a holds the same");
    expect_note(twins, "d: ignored, as b holds the same");
    onefold_dataset_free(twins);
}

static void a_cell_of_index_vectors_is_no_group_of_views(void **state)
{
    made file = start(), cell = {0}, index = {0};
    for (size_t v = 0; v < 2; v++)
        put(&cell, "", v, 3 + v, 0);
    for (size_t v = 0; v < 3; v++)
        made_mat_dense(&index, "", N, 1, OF_U16, y, 0);
    made_mat_array(&file, MADE_CELL, (size_t[3]){1, 3, 0}, "index", &index, 0);
    made_mat_array(&file, MADE_CELL, (size_t[3]){2, 1, 0}, "zz", &cell, 0);
    put(&file, "fold1", 6, 2, 1);
    put(&file, "fold2", 7, 2, 1);
    made_mat_dense(&file, "MissingStatus", N, 2, OF_U8, view(5, 2, 1), 0); /* no zeros and ones */
    onefold_dataset *data = read_made(state, &file, NULL);
    assert_int_equal(onefold_dataset_describe(data)->views, 2);
    expect(data, 0, "zz{1}", 0, 3);
    expect_truth(data, "");
    expect_note(data, "index: passed over");
    expect_note(data, "fold2: passed over");
    onefold_dataset_free(data);
    made_free(&cell);
    made_free(&index);
}

/* ---- kernels ------------------------------------------------------------------------------ */

static void kernels(double *values, size_t n, size_t count)
{
    for (size_t p = 0; p < count; p++)
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < n; i++)
                values[(p * n + j) * n + i] = (double)((i + 1) * (j + 1) + p) + (i == j ? 50 : 0);
}

static void tensors_of_kernels(void **state)
{
    double values[3 * N * N];
    kernels(values, N, 3);
    made file = start();
    made_mat_tensor(&file, "KH", N, N, 3, values);
    put_labels(&file, "Y");
    onefold_dataset *data = read_made(state, &file, NULL);
    assert_int_equal(onefold_dataset_describe(data)->views, 3);
    for (size_t v = 0; v < 3; v++) {
        char name[32];
        snprintf(name, sizeof name, "KH(%zu)", v + 1);
        expect_view(data, v, name, "kernel", N, values + v * N * N);
    }
    onefold_dataset_free(data);
    made array = {0}; /* NumPy's order: the number of the kernel comes first */
    made_npy_header(&array, "<f8", 0, "(3, 6, 6)");
    for (size_t e = 0; e < 3 * N * N; e++)
        made_value(&array, OF_F64, values[e], 0);
    const char *path = folder_path(state, "kernels.npy");
    made_save(&array, path);
    data = read_one(path, NULL);
    for (size_t v = 0; v < 3; v++)
        assert_int_equal(data->set.views[v].storage, OF_KERNEL);
    expect_view(data, 2, "kernels(3)", "kernel", N, values + 2 * N * N);
    onefold_dataset_free(data);
    made_free(&array);
    file = start(); /* not symmetric: views, if the labels say so, and nothing without them */
    values[1] += 1;
    made_mat_tensor(&file, "T", N, N, 3, values);
    put_labels(&file, "Y");
    data = read_made(state, &file, NULL);
    assert_int_equal(onefold_dataset_describe(data)->views, 3);
    assert_int_equal(data->set.views[0].storage, OF_DENSE);
    onefold_dataset_free(data);
    file = start();
    made_mat_tensor(&file, "T", N, N, 3, values);
    fails_made(state, &file, NULL, ONEFOLD_BAD_DATA, "nothing in it can be a view");
}

static void cells_of_kernels_go_by_name_and_symmetry(void **state)
{
    double values[N * N];
    kernels(values, N, 1);
    static const struct {
        const char *name;
        of_storage storage;
    } cases[] = {{"K", OF_KERNEL}, {"kernels", OF_KERNEL}, {"KH", OF_KERNEL}, {"W", OF_DENSE}};
    for (size_t c = 0; c < 5; c++) {
        made file = start(), cell = {0};
        if (c == 4)
            values[1] += 1;
        made_mat_dense(&cell, "", N, N, OF_F64, values, 0);
        made_mat_dense(&cell, "", N, N, OF_F64, values, 0);
        made_mat_array(&file, MADE_CELL, (size_t[3]){1, 2, 0}, cases[c % 4].name, &cell, 0);
        onefold_dataset *data = read_made(state, &file, NULL);
        assert_int_equal(data->set.views[1].storage, c == 4 ? OF_DENSE : cases[c].storage);
        onefold_dataset_free(data);
        made_free(&cell);
    }
}

static void pages_of_a_tensor_as_views(void **state)
{
    double values[3 * 4 * N];
    for (size_t e = 0; e < 3 * 4 * N; e++)
        values[e] = (double)e + 0.5;
    made file = start();
    made_mat_tensor(&file, "fea", N, 4, 3, values); /* samples x columns x views */
    put_labels(&file, "gnd");
    onefold_dataset *data = read_made(state, &file, NULL);
    assert_int_equal(onefold_dataset_describe(data)->views, 3);
    double want[4 * N];
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < 4; i++)
            want[j * 4 + i] = values[(2 * 4 + i) * N + j];
    expect_view(data, 2, "fea(3)", "dense", 4, want);
    onefold_dataset_free(data);
}

/* ---- labels ------------------------------------------------------------------------------- */

static void labels_under_the_usual_names(void **state)
{
    static const char *const names[] = {
        "Y",           "y",     "gt",          "gnd",       "truth",  "labels",
        "label",       "Label", "truelabel",   "trueLabel", "LABELS", "labels_all",
        "true_labels", "class", "GroundTruth", "target",    "y_true", "truelabels"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int row = 0; row < 2; row++) {
            made file = start();
            put(&file, "X", 0, 4, 1);
            made_mat_dense(&file, names[i], row ? 1 : N, row ? N : 1, OF_F64, y, 0);
            onefold_dataset *data = read_made(state, &file, NULL);
            assert_int_equal(onefold_dataset_describe(data)->views, 1);
            expect_truth(data, "1 2 1 3 2 1");
            onefold_dataset_free(data);
        }
}

static void labels_in_every_shape(void **state)
{
    double hot[3 * N], turned[3 * N], signs[3 * N];
    for (size_t j = 0; j < N; j++)
        for (size_t c = 0; c < 3; c++) {
            hot[c * N + j] = turned[j * 3 + c] = y[j] == (double)c + 1;
            signs[c * N + j] = y[j] == (double)c + 1 ? 1 : -1;
        }
    for (int shape = 0; shape < 8; shape++) {
        made file = start(), cell = {0};
        const char *want = "1 2 1 3 2 1";
        put(&file, "X", 0, 4, 1);
        if (shape == 0) {
            made_mat_dense(&file, "Y", N, 3, OF_U8, hot, 0);
        } else if (shape == 1) {
            made_mat_dense(&file, "Y", 3, N, OF_F64, turned, 0);
        } else if (shape == 2) {
            made_mat_sparse(&file, "Y", N, 3, OF_U8, hot, 0);
        } else if (shape == 3) {
            made_mat_dense(&file, "Y", N, 3, OF_I8, signs, 0);
        } else if (shape == 4) { /* one copy per view */
            for (int v = 0; v < 3; v++)
                made_mat_dense(&cell, "", v ? N : 1, v ? 1 : N, OF_U8, y, 0);
            made_mat_array(&file, MADE_CELL, (size_t[3]){1, 3, 0}, "truelabel", &cell, 0);
        } else if (shape == 5) { /* a number in each element */
            for (int j = 0; j < N; j++)
                made_mat_dense(&cell, "", 1, 1, OF_U8, y + j, 0);
            made_mat_array(&file, MADE_CELL, (size_t[3]){N, 1, 0}, "Y", &cell, 0);
        } else if (shape == 6) {
            made_mat_dense(&file, "Y", N, 1, OF_I16, (double[]){-1, 1, -1, 1, 1, -1}, 0);
            want = "-1 1 -1 1 1 -1";
        } else {
            made_mat_sparse(&file, "Y", N, 1, OF_F64, (double[]){0, 1, 0, 2, 0, 1}, 0);
            want = "0 1 0 2 0 1";
        }
        onefold_dataset *data = read_made(state, &file, NULL);
        assert_int_equal(onefold_dataset_describe(data)->views, 1);
        expect_truth(data, want);
        if (shape < 4)
            expect_note(data, "Y: true labels of 3 classes (one-hot)");
        if (shape == 4)
            expect_note(data, "truelabel: true labels of 3 classes (a copy per view, of which the "
                              "first is taken)");
        onefold_dataset_free(data);
        made_free(&cell);
    }
}

static void of_copies_the_first_is_taken(void **state)
{
    made file = start(), cell = {0};
    put(&file, "X", 0, 4, 1);
    made_mat_dense(&cell, "", N, 1, OF_U8, y, 0);
    made_mat_dense(&cell, "", N, 1, OF_U8, (double[]){1, 1, 1, 3, 2, 1}, 0);
    made_mat_array(&file, MADE_CELL, (size_t[3]){1, 2, 0}, "gt", &cell, 0);
    onefold_dataset *data = read_made(state, &file, NULL);
    expect_truth(data, "1 2 1 3 2 1");
    expect_note(data, "a copy per view, of which the first is taken");
    onefold_dataset_free(data);
    made_free(&cell);
}

/* A usual name is not enough: fractions, and numbers that all differ, are no labels. */
static void what_is_no_labels(void **state)
{
    made file = start();
    put(&file, "X", 0, 4, 1);
    put(&file, "Y", 1, 5, 1); /* a second view under a name that labels often have */
    onefold_dataset *data = read_made(state, &file, NULL);
    assert_int_equal(onefold_dataset_describe(data)->views, 2);
    expect(data, 1, "Y", 1, 5);
    expect_truth(data, "");
    onefold_dataset_free(data);
    file = start();
    put(&file, "X", 0, 4, 1);
    made_mat_dense(&file, "y", N, 1, OF_F64, (double[]){0.5, 1, 2, 1, 2, 1}, 0);
    made_mat_dense(&file, "label", N, 1, OF_F64, (double[]){1, 2, 3, 4, 5, 6}, 0);
    data = read_made(state, &file, NULL);
    assert_int_equal(onefold_dataset_describe(data)->views, 1);
    expect_truth(data, "");
    onefold_dataset_free(data);
}

static void surer_names_and_fitting_lengths_come_first(void **state)
{
    made file = start();
    put(&file, "X", 0, 4, 1);
    made_mat_dense(&file, "class_sizes", 1, 3, OF_F64, (double[]){3, 2, 3}, 0);
    made_mat_dense(&file, "sublabels", N, 1, OF_F64, (double[]){9, 9, 8, 8, 7, 7}, 0);
    put_labels(&file, "gt");
    onefold_dataset *data = read_made(state, &file, NULL);
    expect_truth(data, "1 2 1 3 2 1");
    expect_note(data, "sublabels: passed over");
    onefold_dataset_free(data);
}

static void labels_that_fit_nothing_are_refused(void **state)
{
    onefold_read_options none = ONEFOLD_READ_OPTIONS_INIT;
    none.no_truth = 1;
    for (int ignore = 0; ignore < 2; ignore++) {
        made file = start();
        put(&file, "X", 0, 4, 1);
        made_mat_dense(&file, "gt", 5, 1, OF_U8, y, 0);
        if (!ignore) {
            fails_made(state, &file, NULL, ONEFOLD_BAD_DATA,
                       "gt has 5 labels, and no side of all the views is that long (X is 6 x 4)");
            assert_non_null(strstr(onefold_last_hint(), "`no_truth`"));
            continue;
        }
        onefold_dataset *data = read_made(state, &file, &none);
        assert_int_equal(onefold_dataset_describe(data)->samples, N);
        expect_truth(data, "");
        onefold_dataset_free(data);
    }
}

/* ---- sides -------------------------------------------------------------------------------- */

static void samples_may_be_rows_and_columns_in_one_cell(void **state)
{
    for (int labels = 0; labels < 2; labels++) {
        made file = start(), cell = {0};
        put(&cell, "", 0, 4, 0);
        put(&cell, "", 1, 5, 1);
        put(&cell, "", 2, 4, 1);
        made_mat_array(&file, MADE_CELL, (size_t[3]){1, 3, 0}, "X", &cell, 0);
        if (labels)
            put_labels(&file, "y");
        onefold_dataset *data = read_made(state, &file, NULL);
        expect(data, 0, "X{1}", 0, 4);
        expect(data, 1, "X{2}", 1, 5);
        expect(data, 2, "X{3}", 2, 4);
        expect_note(data, labels ? "X{1}: 4 x 6 float64, samples are columns, as y has 6 entries"
                                 : "X{1}: 4 x 6 float64, samples are columns, the side all the "
                                   "views share");
        onefold_dataset_free(data);
        made_free(&cell);
    }
}

static void where_nothing_tells_the_option_decides(void **state)
{
    onefold_read_options options = ONEFOLD_READ_OPTIONS_INIT;
    static const onefold_side sides[] = {ONEFOLD_SIDE_AUTO, ONEFOLD_SIDE_ROWS,
                                         ONEFOLD_SIDE_COLUMNS};
    for (int s = 0; s < 3; s++) {
        made file = start(), cell = {0};
        put(&cell, "", 0, 4, 1);
        put(&cell, "", 1, 4, 1);
        made_mat_array(&file, MADE_CELL, (size_t[3]){1, 2, 0}, "X", &cell, 0);
        options.samples_are = sides[s];
        onefold_dataset *data = read_made(state, &file, &options);
        assert_int_equal(onefold_dataset_describe(data)->samples, s == 2 ? 4 : N);
        expect_note(data, s == 0 ? "samples are rows, assumed" : "as was asked for");
        onefold_dataset_free(data);
        made_free(&cell);
    }
    options.samples_are = ONEFOLD_SIDE_COLUMNS; /* labels decide first */
    made file = start();
    put(&file, "X", 0, 4, 1);
    put_labels(&file, "y");
    fails_made(state, &file, &options, ONEFOLD_USAGE,
               "columns cannot be the samples: X is 6 x 4, and there are 6");
}

/* A square view has its samples on the side of the others; a sparse one stays as it is stored. */
static void square_views(void **state)
{
    for (int rows = 0; rows < 2; rows++)
        for (int sparse = 0; sparse < 2; sparse++) {
            made file = start(), cell = {0};
            double square[N * N], *matrix = view(0, N, 1), want[N * N];
            memcpy(square, matrix, sizeof square);
            put(&cell, "", 1, 4, rows);
            if (sparse)
                made_mat_sparse(&cell, "", N, N, OF_F64, square, 0);
            else
                made_mat_dense(&cell, "", N, N, OF_F64, square, 0);
            made_mat_array(&file, MADE_CELL, (size_t[3]){1, 2, 0}, "X", &cell, 0);
            put_labels(&file, "y");
            onefold_dataset *data = read_made(state, &file, NULL);
            for (size_t j = 0; j < N; j++)
                for (size_t i = 0; i < N; i++)
                    want[j * N + i] = rows || sparse ? at(0, j, i) : at(0, i, j);
            expect_view(data, 1, "X{2}", sparse ? "sparse" : "dense", N, want);
            onefold_dataset_free(data);
            made_free(&cell);
        }
}

static void views_of_different_lengths_are_refused(void **state)
{
    made file = start(), cell = {0};
    put(&cell, "", 0, 4, 1);
    put(&cell, "", 1, 3, 1);
    made_mat_dense(&cell, "", 7, 5, OF_F64, view(2, 8, 1), 0);
    made_mat_array(&file, MADE_CELL, (size_t[3]){1, 3, 0}, "X", &cell, 0);
    put(&file, "decoy", 3, 9, 1);
    put_labels(&file, "y");
    fails_made(state, &file, NULL, ONEFOLD_BAD_DATA,
               "the views have different numbers of samples: X{1} is 6 x 4 and X{3} is 7 x 5");
    made_free(&cell);
}

/* ---- triplets ----------------------------------------------------------------------------- */

static void lists_of_sample_column_value(void **state)
{
    /* by column: samples, columns, values; sample 2 has nothing, (1, 3) is there twice */
    static const double one[15] = {1, 1, 1, 3, 4, 3, 1, 3, 2, 5, 10, 20, 5, 30, 40};
    static const double two[12] = {1, 2, 3, 4, 1, 1, 2, 1, -1, 1, 2, 3};
    for (int labels = 0; labels < 2; labels++) {
        made file = start(), cell = {0};
        made_mat_dense(&cell, "", 5, 3, OF_F64, one, 0);
        made_mat_dense(&cell, "", 4, 3, OF_F64, two, 0);
        made_mat_array(&file, MADE_CELL, (size_t[3]){1, 2, 0}, "X", &cell, 0);
        size_t samples = labels ? N : 4;
        if (labels)
            put_labels(&file, "Y");
        onefold_dataset *data = read_made(state, &file, NULL);
        assert_int_equal(onefold_dataset_describe(data)->samples, samples);
        static const double first[5 * N] = {20, 0,  15, 0, 0, 0, 0, 0, 0, 0,
                                            0,  30, 0,  0, 0, 0, 0, 0, 0, 40};
        static const double second[2 * N] = {-1, 0, 1, 0, 0, 2, 3, 0};
        expect_view(data, 0, "X{1}", "sparse", 5, first);
        expect_view(data, 1, "X{2}", "sparse", 2, second);
        onefold_dataset_free(data);
        made_free(&cell);
    }
}

/* Two numbered matrices are a group; a free-named one beside them is not in it. */
static void two_numbers_are_a_group(void **state)
{
    made file = start();
    put(&file, "other", 0, 7, 1);
    put(&file, "X1", 1, 3, 1);
    put(&file, "X2", 2, 4, 1);
    put_labels(&file, "gt");
    onefold_dataset *data = read_made(state, &file, NULL);
    assert_int_equal(onefold_dataset_describe(data)->views, 2);
    expect(data, 0, "X1", 1, 3);
    expect(data, 1, "X2", 2, 4);
    onefold_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(two_numbers_are_a_group, folder_make, folder_remove),
#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)
        TEST(cells_of_any_shape),
        TEST(numbered_variables_in_the_order_of_their_numbers),
        TEST(what_names_say),
        TEST(free_names_that_share_a_side),
        TEST(a_second_copy_is_not_taken_twice),
        TEST(a_cell_of_index_vectors_is_no_group_of_views),
        TEST(tensors_of_kernels),
        TEST(cells_of_kernels_go_by_name_and_symmetry),
        TEST(pages_of_a_tensor_as_views),
        TEST(labels_under_the_usual_names),
        TEST(labels_in_every_shape),
        TEST(of_copies_the_first_is_taken),
        TEST(what_is_no_labels),
        TEST(surer_names_and_fitting_lengths_come_first),
        TEST(labels_that_fit_nothing_are_refused),
        TEST(samples_may_be_rows_and_columns_in_one_cell),
        TEST(where_nothing_tells_the_option_decides),
        TEST(square_views),
        TEST(views_of_different_lengths_are_refused),
        TEST(lists_of_sample_column_value),
#undef TEST
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
