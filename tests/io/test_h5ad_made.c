/* SPDX-License-Identifier: Apache-2.0 */
/* Files of single cells that are unusual, made by HDF5 itself: what the readers take that anndata
 * does not write, columns as truth, and rows in another order. */
#include "support/ask.h"
#include "support/check.h"
#include "support/folder.h"
#include "support/made.h"
#include "support/made_cells.h"
#include "support/views_read.h"

#include <stdlib.h>
#include <string.h>

#ifdef ONEFOLD_WITH_HDF5

static void numbered_names(hid_t file)
{
    cells_put_numbers(file, "obs/_index", CELLS, 0, (double[]){7, 8.5, 9, 10}, "array");
}

static void fixed_texts(hid_t file)
{
    hid_t type = cells_text_type(3);
    cells_put(file, "obs/_index", type, type, 1, (hsize_t[]){CELLS}, "abcx\0\0y\0\0z\0",
              "string-array");
    H5Tclose(type);
}

static void fixed_encoding(hid_t file)
{
    cells_set_texts(file, "encoding-type", (const char *[]){"anndata"}, 0, 7);
}

static void never_written(hid_t file)
{
    cells_put_numbers(file, "X", CELLS, GENES, NULL, "array");
}

static void within_its_header(hid_t file)
{
    H5Ldelete(file, "X", H5P_DEFAULT);
    hid_t how = H5Pcreate(H5P_DATASET_CREATE),
          space = H5Screate_simple(2, (hsize_t[]){CELLS, GENES}, NULL);
    H5Pset_layout(how, H5D_COMPACT);
    hid_t set = H5Dcreate2(file, "X", H5T_IEEE_F64LE, space, H5P_DEFAULT, how, H5P_DEFAULT);
    H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, cells_numbers);
    cells_set_text(set, "encoding-type", "array");
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(how);
}

static void no_encoding_of_the_file(hid_t file)
{
    cells_make_mudata(file);
    H5Adelete(file, "encoding-type");
}

static void other_case(hid_t file)
{
    cells_make_mudata(file);
    cells_set_text(file, "encoding-type", "mudata");
}

static void order_that_is_none(hid_t file)
{
    cells_make_mudata(file);
    hid_t modalities = H5Gopen2(file, "mod", H5P_DEFAULT);
    cells_set_texts(modalities, "mod-order", (const char *[]){"two"}, 1, 0);
    H5Gclose(modalities);
}

static void order_of_fixed_texts(hid_t file)
{
    cells_make_mudata(file);
    hid_t modalities = H5Gopen2(file, "mod", H5P_DEFAULT);
    cells_set_texts(modalities, "mod-order", (const char *[]){"twoone"}, 2, 3);
    H5Gclose(modalities);
}

static void order_of_numbers(hid_t file)
{
    cells_make_mudata(file);
    hid_t modalities = H5Gopen2(file, "mod", H5P_DEFAULT);
    cells_set_numbers(modalities, "mod-order", (double[]){2, 1}, 2);
    H5Gclose(modalities);
}

static void ordered(hid_t file)
{
    cells_make_mudata(file);
    hid_t modalities = H5Gopen2(file, "mod", H5P_DEFAULT);
    cells_set_texts(modalities, "mod-order", (const char *[]){"two", "one"}, 2, 0);
    H5Gclose(modalities);
}

/* Two axes, which have no meaning. */
static void axes(hid_t file)
{
    cells_make_mudata(file);
    cells_set_numbers(file, "axis", (double[]){1, 1}, 2);
}

static void words_as_axis(hid_t file)
{
    cells_make_mudata(file);
    cells_set_text(file, "axis", "1");
}

static void kinds_by_words(hid_t file)
{
    cells_put_codes(file, (double[]){0, 1, 1, 0}, 1);
}

static void kinds_by_numbers(hid_t file)
{
    cells_put_codes(file, (double[]){0, 1, 1, 0}, 0);
}

static void kinds_that_could_lack(hid_t file)
{
    cells_put_masked(file, (double[]){0, 0, 0, 0});
}

static void yes_and_no(hid_t file)
{
    hid_t type = H5Tenum_create(H5T_STD_I8LE);
    signed char no = 0, yes = 1;
    H5Tenum_insert(type, "FALSE", &no);
    H5Tenum_insert(type, "TRUE", &yes);
    cells_put(file, "obs/kind", type, type, 1, (hsize_t[]){CELLS}, "\0\1\1\0", "array");
    H5Tclose(type);
}

static void by_column(hid_t file)
{
    hid_t group = cells_put_group(file, "X", "csc_matrix");
    cells_set_numbers(group, "shape", (double[]){CELLS, GENES}, 2);
    cells_put_numbers(group, "indptr", 3, 0, (double[]){0, 4, 4}, "array");
    cells_put_numbers(group, "indices", 4, 0, (double[]){0, 1, 2, 3}, "array");
    cells_put_numbers(group, "data", 4, 0, (double[]){1, 1, 1, 1}, "array");
    H5Gclose(group);
}

/* The first modality has the cells in another order, and its last row is the second cell's. */
static void a_map_that_moves(hid_t file)
{
    cells_put_map(file, CELLS, (double[]){1, 4, 2, 3});
}

static void a_map_that_leaves_as_it_is(hid_t file)
{
    cells_put_map(file, CELLS, (double[]){1, 2, 3, 4});
}

/* A modality of three of the cells, c, a and d, with X as `put_x` makes it. */
static void put_three(hid_t file, void (*put_x)(hid_t group))
{
    cells_make_mudata(file);
    hid_t modalities = H5Gopen2(file, "mod", H5P_DEFAULT);
    cells_put_modality(modalities, "one", CELLS - 1);
    hid_t group = H5Gopen2(modalities, "one", H5P_DEFAULT);
    put_x(group);
    H5Gclose(group);
    H5Gclose(modalities);
    H5Gclose(cells_put_group(file, "obsmap", ""));
    cells_put_numbers(file, "obsmap/one", CELLS, 0, (double[]){2, 0, 1, 3}, "array");
}

static void put_single(hid_t group)
{
    cells_put(group, "X", H5T_IEEE_F32LE, H5T_NATIVE_DOUBLE, 2, (hsize_t[]){3, GENES},
              cells_numbers, "array");
}

/* 5 0, 0 6, 7 8 */
static void put_rows(hid_t group)
{
    hid_t x = cells_put_group(group, "X", "csr_matrix");
    cells_set_numbers(x, "shape", (double[]){3, GENES}, 2);
    cells_put_numbers(x, "indptr", 4, 0, (double[]){0, 1, 2, 4}, "array");
    cells_put_numbers(x, "indices", 4, 0, (double[]){0, 1, 0, 1}, "array");
    cells_put_numbers(x, "data", 4, 0, (double[]){5, 6, 7, 8}, "array");
    H5Gclose(x);
}

static void put_columns(hid_t group)
{
    hid_t x = cells_put_group(group, "X", "csc_matrix");
    cells_set_numbers(x, "shape", (double[]){3, GENES}, 2);
    cells_put_numbers(x, "indptr", 3, 0, (double[]){0, 2, 4}, "array");
    cells_put_numbers(x, "indices", 4, 0, (double[]){0, 2, 1, 2}, "array");
    cells_put_numbers(x, "data", 4, 0, (double[]){5, 7, 6, 8}, "array");
    H5Gclose(x);
}

static void three_of_single(hid_t file)
{
    put_three(file, put_single);
}

static void three_by_row(hid_t file)
{
    put_three(file, put_rows);
}

static void three_by_column(hid_t file)
{
    put_three(file, put_columns);
}

static void what_is_unusual_is_read(void **state)
{
    static const double zeros[CELLS * GENES],
        firsts[CELLS * GENES] = {1, 0, 1, 0, 1, 0, 1, 0},
                       moved[CELLS * GENES] = {1, 2, 7, 8, 3, 4, 5, 6};
    const struct {
        void (*change)(hid_t file);
        const char *views, *name, *sample;
        const double *values;
        size_t count;
    } rows[] = {
        {cells_no_change, NULL, "X", "b", cells_numbers, 1},
        {cells_no_change, " x ,", "x", "b", cells_numbers, 1},
        {cells_no_change, "1", "X", "b", cells_numbers, 1},
        {cells_put_sparse, NULL, "X", "b", firsts, 1},
        {by_column, NULL, "X", "b", firsts, 1},
        {numbered_names, NULL, "X", "8.5", cells_numbers, 1},
        {fixed_texts, NULL, "X", "x", cells_numbers, 1},
        {fixed_encoding, NULL, "X", "b", cells_numbers, 1},
        {never_written, NULL, "X", "b", zeros, 1},
        {within_its_header, NULL, "X", "b", cells_numbers, 1},
        {cells_make_mudata, NULL, "one", "b", cells_numbers, 2},
        {cells_make_mudata, "mod/two", "mod/two", "b", cells_numbers, 1},
        {cells_make_mudata, "two/X", "two/X", "b", cells_numbers, 1},
        {no_encoding_of_the_file, NULL, "one", "b", cells_numbers, 2},
        {other_case, NULL, "one", "b", cells_numbers, 2},
        {order_that_is_none, NULL, "one", "b", cells_numbers, 2},
        {order_of_fixed_texts, NULL, "one", "b", cells_numbers, 2},
        {order_of_numbers, NULL, "one", "b", cells_numbers, 2},
        {ordered, NULL, "two", "b", cells_numbers, 2},
        {a_map_that_moves, NULL, "one", "b", moved, 2},
        {a_map_that_leaves_as_it_is, NULL, "one", "b", cells_numbers, 2},
        {axes, NULL, "one", "b", cells_numbers, 2},
        {words_as_axis, NULL, "one", "b", cells_numbers, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        onefold_read_options options = cells_asked(rows[i].views, NULL);
        onefold_dataset *data = read_one(cells_file(state, rows[i].change), &options);
        assert_int_equal(onefold_dataset_describe(data)->views, rows[i].count);
        expect_view(data, 0, rows[i].name, rows[i].values == firsts ? "sparse" : "dense", GENES,
                    rows[i].values);
        assert_string_equal(ask_sample_name(data, 1), rows[i].sample);
        onefold_dataset_free(data);
    }
}

/* Rows of every storage go to their samples; a sample without one lacks the view. */
static void rows_go_to_their_samples(void **state)
{
    static const struct {
        void (*change)(hid_t file);
        const char *want;
    } rows[] = {{three_of_single, "dense 3 4, -, 1 2, 5 6 of g h"},
                {three_by_row, "sparse 0 6, -, 5 0, 7 8 of g h"},
                {three_by_column, "sparse 0 6, -, 5 0, 7 8 of g h"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400] = "", want[400];
        onefold_dataset *data = read_one(cells_file(state, rows[i].change), NULL);
        describe_read(data, text, sizeof text);
        snprintf(want, sizeof want, "%s; dense 1 2, 3 4, 5 6, 7 8 of g h; ids a b c d",
                 rows[i].want);
        assert_string_equal(text, want);
        onefold_dataset_free(data);
    }
}

static void columns_are_truth(void **state)
{
    static const struct {
        void (*change)(hid_t file);
        const char *classes;
    } rows[] = {{kinds_by_words, "g h h g"},
                {kinds_by_numbers, "1990 1991 1991 1990"},
                {kinds_that_could_lack, "3 4 4 3"},
                {yes_and_no, "0 1 1 0"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        onefold_read_options options = cells_asked(NULL, i % 2 ? "kind" : "obs/kind");
        onefold_dataset *data = read_one(cells_file(state, rows[i].change), &options);
        expect_truth(data, rows[i].classes);
        onefold_dataset_free(data);
    }
}

static void a_packed_file_is_refused(void **state)
{
    size_t size;
    made bytes = {0};
    char *whole = folder_read(cells_file(state, cells_no_change), &size);
    made_put(&bytes, whole, size);
    made packed = made_packed(&bytes, "gzip");
    made_save(&packed, folder_path(state, "made.h5ad.gz"));
    read_fails(folder_path(state, "made.h5ad.gz"), NULL, ONEFOLD_BAD_DATA,
               "a compressed HDF5 file is not read");
    assert_string_equal(onefold_last_hint(), "decompress it first");
    made_free(&packed);
    made_free(&bytes);
    free(whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_unusual_is_read),
        cmocka_unit_test(rows_go_to_their_samples),
        cmocka_unit_test(columns_are_truth),
        cmocka_unit_test(a_packed_file_is_refused),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}

#else

static void such_files_are_left_out(void **state)
{
    (void)state;
    assert_null(strstr(onefold_capabilities(), "hdf5"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(such_files_are_left_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
