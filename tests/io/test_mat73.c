/* SPDX-License-Identifier: Apache-2.0 */
/* MATLAB 7.3 files, written here with HDF5 as MATLAB lays them out. */
#include "support/ask.h"
#include "support/folder.h"
#include "support/made.h"
#include "support/views_read.h"

#include <stdlib.h>
#include <string.h>

#ifdef ONEFOLD_WITH_HDF5

#include <hdf5.h>

static const double by_column[12] = {1, 0, 3, 0, 5, 6, 0, 8, 0, 10, 11, 100}; /* 4 x 3 */
static const double by_sample[12] = {1, 5, 0, 0, 6, 10, 3, 0, 11, 0, 8, 100};

static void set_class(hid_t object, const char *class)
{
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, strlen(class));
    hid_t attribute = H5Acreate2(object, "MATLAB_class", type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(attribute, type, class) >= 0);
    H5Aclose(attribute);
    H5Tclose(type);
    H5Sclose(space);
}

static void set_number(hid_t object, const char *name, unsigned long long value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(object, name, H5T_STD_U64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(attribute, H5T_NATIVE_ULLONG, &value) >= 0);
    H5Aclose(attribute);
    H5Sclose(space);
}

/* A data set of MATLAB's sides, packed if `packed`, from values in memory type `native`. */
static hid_t put(hid_t where, const char *name, hid_t type, hid_t native, size_t rows,
                 size_t columns, size_t pages, const void *values, const char *class, int packed)
{
    hsize_t sides[3] = {pages, columns, rows};
    int rank = pages ? 3 : 2;
    hid_t space = H5Screate_simple(rank, pages ? sides : sides + 1, NULL);
    hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    if (packed) {
        H5Pset_chunk(how, rank, pages ? sides : sides + 1);
        H5Pset_deflate(how, 3);
    }
    hid_t dataset = H5Dcreate2(where, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
    assert_true(dataset >= 0);
    assert_true(H5Dwrite(dataset, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    if (class)
        set_class(dataset, class);
    H5Pclose(how);
    H5Sclose(space);
    return dataset;
}

static hid_t create(const char *path)
{
    remove(path);
    hid_t how = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_userblock(how, 512);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, how, H5P_DEFAULT);
    H5Pclose(how);
    assert_true(file >= 0);
    return file;
}

/* Ends the file and writes MATLAB's header into the block before HDF5's. */
static void finish(hid_t file, const char *path)
{
    made header = {0};
    made_mat_header(&header, 0);
    memcpy(header.data, "MATLAB 7.3 MAT-file", 19);
    header.data[124] = 0;
    header.data[125] = 2;
    assert_true(H5Fclose(file) >= 0);
    FILE *raw = fopen(path, "r+b");
    assert_int_equal(fwrite(header.data, 1, 128, raw), 128);
    fclose(raw);
    made_free(&header);
}

static void put_labels(hid_t file, const char *name)
{
    H5Dclose(put(file, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 4, 1, 0, (double[]){1, 2, 1, 3},
                 "double", 0));
}

static void put_sparse(hid_t where, const char *name)
{
    static const uint64_t ir[] = {0, 2, 0, 1, 3, 1, 2, 3}, jc[] = {0, 2, 5, 8};
    static const double data[] = {1, 3, 5, 6, 8, 10, 11, 100};
    hid_t group = H5Gcreate2(where, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    set_class(group, "double");
    set_number(group, "MATLAB_sparse", 4);
    hsize_t sides[2] = {8, 4};
    for (int i = 0; i < 3; i++) {
        hid_t space = H5Screate_simple(1, i == 1 ? sides + 1 : sides, NULL);
        hid_t type = i < 2 ? H5T_STD_U64LE : H5T_IEEE_F64LE;
        hid_t part = H5Dcreate2(group,
                                i == 0   ? "ir"
                                : i == 1 ? "jc"
                                         : "data",
                                type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        H5Dwrite(part, i < 2 ? H5T_NATIVE_UINT64 : H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                 i == 0   ? (const void *)ir
                 : i == 1 ? (const void *)jc
                          : (const void *)data);
        H5Dclose(part);
        H5Sclose(space);
    }
    H5Gclose(group);
}

/* A cell of the named objects in the group of references. */
static void put_cell(hid_t file, const char *name, const char *const *items, size_t count)
{
    hobj_ref_t *references = malloc(count * sizeof *references);
    for (size_t i = 0; i < count; i++)
        assert_true(H5Rcreate(&references[i], file, items[i], H5R_OBJECT, -1) >= 0);
    H5Dclose(put(file, name, H5T_STD_REF_OBJ, H5T_STD_REF_OBJ, 1, count, 0, references, "cell", 0));
    free(references);
}

static void make_views(const char *path)
{
    hid_t file = create(path);
    hid_t group = H5Gcreate2(file, "#refs#", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dclose(put(group, "a", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 4, 3, 0, by_column, "double", 1));
    H5Dclose(put(group, "b", H5T_STD_U8LE, H5T_NATIVE_DOUBLE, 3, 4, 0, by_sample, "uint8", 0));
    put_sparse(group, "c");
    H5Dclose(put(group, "d", H5T_STD_U64LE, H5T_NATIVE_UINT64, 1, 2, 0, (uint64_t[]){0, 0},
                 "double", 0));
    hid_t none = H5Dopen2(group, "d", H5P_DEFAULT);
    set_number(none, "MATLAB_empty", 1);
    H5Dclose(none);
    H5Gclose(group);
    put_cell(file, "X", (const char *const[]){"#refs#/a", "#refs#/b", "#refs#/c", "#refs#/d"}, 4);
    put_labels(file, "gt");
    H5Dclose(put(file, "note", H5T_STD_U16LE, H5T_NATIVE_UINT16, 1, 2, 0, (uint16_t[]){'h', 'i'},
                 "char", 0));
    hid_t options = H5Gcreate2(file, "options", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    set_class(options, "struct");
    H5Gclose(options);
    finish(file, path);
}

static void cells_of_dense_and_sparse_matrices(void **state)
{
    const char *path = folder_path(state, "x.mat");
    make_views(path);
    onefold_dataset *data = read_one(path, NULL);
    assert_int_equal(onefold_dataset_describe(data)->views, 3);
    expect_view(data, 0, "X{1}", "dense", 3, by_sample);
    expect_view(data, 1, "X{2}", "dense", 3, by_sample);
    expect_view(data, 2, "X{3}", "sparse", 3, by_sample);
    assert_int_equal(ask_data_view(data, 1).type, ONEFOLD_UINT8);
    expect_truth(data, "1 2 1 3");
    expect_note(data, "note: passed over");
    expect_note(data, "options: passed over, as it is a struct");
    onefold_dataset_free(data);
}

static void numbers_of_every_type(void **state)
{
    const struct {
        hid_t stored;
        onefold_type type;
    } types[] = {{H5T_IEEE_F64LE, ONEFOLD_FLOAT64}, {H5T_IEEE_F32LE, ONEFOLD_FLOAT32},
                 {H5T_STD_I8LE, ONEFOLD_INT8},      {H5T_STD_U8LE, ONEFOLD_UINT8},
                 {H5T_STD_I16LE, ONEFOLD_INT16},    {H5T_STD_U16BE, ONEFOLD_UINT16},
                 {H5T_STD_I32BE, ONEFOLD_INT32},    {H5T_STD_U32LE, ONEFOLD_UINT32},
                 {H5T_STD_I64LE, ONEFOLD_INT64},    {H5T_STD_U64LE, ONEFOLD_UINT64}};
    const char *path = folder_path(state, "t.mat");
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        hid_t file = create(path);
        H5Dclose(put(file, "X", types[t].stored, H5T_NATIVE_DOUBLE, 4, 3, 0, by_column, "double",
                     t % 2));
        put_labels(file, "y");
        finish(file, path);
        onefold_dataset *data = read_one(path, NULL);
        expect_view(data, 0, "X", "dense", 3, by_sample);
        assert_int_equal(ask_data_view(data, 0).type, types[t].type);
        onefold_dataset_free(data);
    }
}

static void kernels_are_pages(void **state)
{
    static const double kernels[8] = {2, 1, 1, 2, 5, -1, -1, 5};
    const char *path = folder_path(state, "k.mat");
    hid_t file = create(path);
    H5Dclose(put(file, "KH", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2, 2, 2, kernels, "double", 0));
    finish(file, path);
    onefold_dataset *data = read_one(path, NULL);
    expect_view(data, 0, "KH(1)", "kernel", 2, kernels);
    expect_view(data, 1, "KH(2)", "kernel", 2, kernels + 4);
    onefold_dataset_free(data);
}

static void truncated_and_damaged_files_are_refused(void **state)
{
    const char *path = folder_path(state, "whole.mat"), *cut = folder_path(state, "cut.mat");
    make_views(path);
    made bytes = {0};
    size_t size;
    char *whole = folder_read(path, &size);
    made_put(&bytes, whole, size);
    for (size_t part = 130; part < size; part += 97) {
        made_save_part(&bytes, part, cut);
        read_fails(cut, NULL, ONEFOLD_BAD_DATA, "cut.mat: ");
        if (part >= 520)
            assert_non_null(strstr(onefold_last_error(), "truncated"));
    }
    size_t found = 0;
    for (size_t at = 512; at + 2 < size; at++)
        if (bytes.data[at] == 0x78 && bytes.data[at + 1] == 0x5e) { /* deflate, level 3 */
            found++;
            bytes.data[at] ^= 0xff;
            made_save(&bytes, cut);
            read_fails(cut, NULL, ONEFOLD_BAD_DATA, "X{1}: it cannot be read");
        }
    assert_int_equal(found, 1);
    free(whole);
    made_free(&bytes);
}

/* Reading a cell that holds itself twice ends. */
static void cells_that_hold_themselves(void **state)
{
    const char *path = folder_path(state, "self.mat");
    hid_t file = create(path);
    hsize_t sides[2] = {2, 1};
    hid_t space = H5Screate_simple(2, sides, NULL);
    hid_t cell =
        H5Dcreate2(file, "X", H5T_STD_REF_OBJ, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    set_class(cell, "cell");
    hobj_ref_t references[2];
    for (int i = 0; i < 2; i++)
        assert_true(H5Rcreate(&references[i], file, "X", H5R_OBJECT, -1) >= 0);
    H5Dwrite(cell, H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, references);
    H5Dclose(cell);
    H5Sclose(space);
    finish(file, path);
    read_fails(path, NULL, ONEFOLD_BAD_DATA, "self.mat: ");
}

static void every_allocation_may_fail(void **state)
{
    const char *path = folder_path(state, "memory.mat");
    make_views(path);
    every_allocation_fails(&path, 1, NULL);
}

/* A dataset within its own header that says it is longer than that: libhdf5 would read on. */
/* ---- variables that are no views, or cannot be read --------------------------------------- */

static void four_sides(hid_t file)
{
    hsize_t sides[4] = {2, 1, 3, 2};
    hid_t space = H5Screate_simple(4, sides, NULL);
    H5Dclose(H5Dcreate2(file, "T", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(space);
}

static void pairs_of_numbers(hid_t file)
{
    hid_t pair = H5Tcreate(H5T_COMPOUND, 16);
    H5Tinsert(pair, "real", 0, H5T_NATIVE_DOUBLE);
    H5Tinsert(pair, "imag", 8, H5T_NATIVE_DOUBLE);
    H5Dclose(put(file, "Z", pair, pair, 2, 3, 0, by_column, "double", 0));
    H5Tclose(pair);
}

static void no_elements(hid_t file)
{
    hsize_t sides[2] = {0, 3};
    hid_t space = H5Screate_simple(2, sides, NULL);
    H5Dclose(H5Dcreate2(file, "E", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(space);
}

static void a_named_type(hid_t file)
{
    hid_t type = H5Tcopy(H5T_IEEE_F64LE);
    H5Tcommit2(file, "kind", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Tclose(type);
}

static void a_struct(hid_t file)
{
    H5Gclose(H5Gcreate2(file, "S", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}

static void empty_sparse(hid_t file)
{
    hid_t group = H5Gcreate2(file, "S", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    set_number(group, "MATLAB_sparse", 4);
    H5Gclose(group);
}

static void sparse_of_no_rows(hid_t file)
{
    put_sparse(file, "S");
    hid_t group = H5Gopen2(file, "S", H5P_DEFAULT);
    H5Adelete(group, "MATLAB_sparse");
    set_number(group, "MATLAB_sparse", 0);
    H5Gclose(group);
}

static void starts_that_are_a_group(hid_t file)
{
    put_sparse(file, "S");
    H5Ldelete(file, "S/jc", H5P_DEFAULT);
    H5Gclose(H5Gcreate2(file, "S/jc", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}

static void values_that_are_texts(hid_t file)
{
    put_sparse(file, "S");
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Ldelete(file, "S/data", H5P_DEFAULT);
    H5Dclose(put(file, "S/data", type, type, 8, 1, 0, "abcdefgh", NULL, 0));
    H5Tclose(type);
}

static void a_link_to_nothing(hid_t file)
{
    H5Lcreate_soft("/nothing", file, "L", H5P_DEFAULT, H5P_DEFAULT);
}

static void a_reference_to_nothing(hid_t file)
{
    hobj_ref_t none[2] = {0, 0};
    H5Dclose(put(file, "C", H5T_STD_REF_OBJ, H5T_STD_REF_OBJ, 1, 2, 0, none, "cell", 0));
}

/* Variables that are no view are passed over beside a view, and named in the error without one. */
static void variables_are_passed_over_or_refused(void **state)
{
    static const struct {
        void (*add)(hid_t file);
        const char *by_itself; /* the sentence of a file that has nothing else */
        int beside;            /* non-zero: beside a view it is passed over */
    } rows[] = {
        {four_sides, "T is an array of more than three", 1},
        {pairs_of_numbers, "Z is complex, or of a type that is not read", 1},
        {no_elements, "E is empty", 1},
        {a_named_type, "kind is a type", 1},
        {a_struct, "S is a struct", 1},
        {empty_sparse, "S is empty", 1},
        {sparse_of_no_rows, "S is empty", 1},
        {starts_that_are_a_group, "S: jc: it cannot be read", 0},
        {values_that_are_texts, "S: data: its numbers are of a type", 0},
        {a_link_to_nothing, "L: it cannot be read", 0},
        {a_reference_to_nothing, "C{1}: it cannot be read", 0},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int beside = 0; beside < 2; beside++) {
            const char *path = folder_path(state, "odd.mat");
            hid_t file = create(path);
            if (beside)
                H5Dclose(put(file, "X", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 4, 3, 0, by_column,
                             "double", 0));
            rows[r].add(file);
            finish(file, path);
            if (beside && rows[r].beside) {
                onefold_dataset *data = read_one(path, NULL);
                assert_int_equal(onefold_dataset_describe(data)->views, 1);
                expect_view(data, 0, "X", "dense", 3, by_sample);
                onefold_dataset_free(data);
            } else {
                read_fails(path, NULL, ONEFOLD_BAD_DATA, rows[r].by_itself);
            }
        }
}

/* MATLAB's layout without its header, and one that is packed as a whole. */
static void by_its_name_or_packed(void **state)
{
    const char *path = folder_path(state, "plain.mat");
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Dclose(put(file, "X", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 4, 3, 0, by_column, "double", 0));
    H5Fclose(file);
    onefold_dataset *data = read_one(path, NULL);
    expect_view(data, 0, "X", "dense", 3, by_sample);
    onefold_dataset_free(data);
    size_t size;
    made bytes = {0};
    char *whole = folder_read(path, &size);
    made_put(&bytes, whole, size);
    made packed = made_packed(&bytes, "gzip");
    made_save(&packed, folder_path(state, "plain.mat.gz"));
    read_fails(folder_path(state, "plain.mat.gz"), NULL, ONEFOLD_BAD_DATA,
               "a compressed MATLAB 7.3 file is not read");
    made_free(&packed);
    made_free(&bytes);
    free(whole);
}

static void less_than_it_says_is_refused(void **state)
{
    size_t size;
    char *bytes = folder_read(OF_TEST_SOURCE "/tests/fuzz/inputs/mat73/less-than-it-says", &size);
    const char *path = folder_path(state, "x.mat");
    made file = {0};
    made_put(&file, bytes + 1, size - 1); /* behind the options of the target */
    made_save(&file, path);
    read_fails(path, NULL, ONEFOLD_BAD_DATA, "the file is truncated or damaged");
    made_free(&file);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(variables_are_passed_over_or_refused, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(by_its_name_or_packed, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(less_than_it_says_is_refused, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(cells_of_dense_and_sparse_matrices, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(numbers_of_every_type, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(kernels_are_pages, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(truncated_and_damaged_files_are_refused, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(cells_that_hold_themselves, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(every_allocation_may_fail, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

static void such_files_are_left_out_of_this_build(void **state)
{
    made file = {0};
    made_mat_header(&file, 0);
    while (file.size < 512)
        made_number(&file, 0, 1, 0);
    made_put(&file, "\x89HDF\r\n\x1a\n", 8);
    const char *path = folder_path(state, "x.mat");
    made_save(&file, path);
    read_fails(path, NULL, ONEFOLD_UNSUPPORTED, "this build cannot read MATLAB 7.3 files");
    made_free(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(
        such_files_are_left_out_of_this_build, folder_make, folder_remove)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
