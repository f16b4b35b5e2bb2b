/* SPDX-License-Identifier: Apache-2.0 */
/* NumPy arrays of every type, order and byte order, and damaged ones. */
#include "support/ask.h"
#include "support/folder.h"
#include "support/made.h"
#include "support/views_read.h"

#include <math.h>
#include <string.h>

enum { ROWS = 5, COLUMNS = 3 };
static const double values[ROWS * COLUMNS] = {1, 2, 3, 0, 5, 6, 70, 8, 9, 10, 0, 12, 13, 14, 100};

static const struct {
    const char *descr; /* without the byte order */
    onefold_type type;
} types[] = {{"f8", ONEFOLD_FLOAT64}, {"f4", ONEFOLD_FLOAT32}, {"i1", ONEFOLD_INT8},
             {"u1", ONEFOLD_UINT8},   {"i2", ONEFOLD_INT16},   {"u2", ONEFOLD_UINT16},
             {"i4", ONEFOLD_INT32},   {"u4", ONEFOLD_UINT32},  {"i8", ONEFOLD_INT64},
             {"u8", ONEFOLD_UINT64}};

static made array(const char *descr, onefold_type type, int fortran, int big)
{
    made file = {0};
    made_npy_header(&file, descr, fortran, "(5, 3)");
    for (size_t e = 0; e < ROWS * COLUMNS; e++) {
        size_t r = fortran ? e % ROWS : e / COLUMNS, c = fortran ? e / ROWS : e % COLUMNS;
        made_value(&file, type, values[r * COLUMNS + c], big);
    }
    return file;
}

static void every_type_order_and_byte_order(void **state)
{
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (int fortran = 0; fortran < 2; fortran++)
            for (int big = 0; big < 2; big++) {
                char descr[8];
                snprintf(descr, sizeof descr, "%c%s",
                         types[t].descr[1] == '1' ? '|'
                         : big                    ? '>'
                                                  : '<',
                         types[t].descr);
                made file = array(descr, types[t].type, fortran, big);
                const char *path = folder_path(state, "a.npy");
                made_save(&file, path);
                onefold_dataset *data = read_one(path, NULL);
                assert_int_equal(onefold_dataset_describe(data)->samples, ROWS);
                expect_view(data, 0, "a", "dense", COLUMNS, values);
                assert_int_equal(ask_data_view(data, 0).type, types[t].type);
                onefold_dataset_free(data);
                made_free(&file);
            }
}

static void truth_values_and_halves(void **state)
{
    const char *path = folder_path(state, "b.npy");
    made file = {0};
    made_npy_header(&file, "|b1", 0, "(2, 2)");
    made_put(&file, "\1\0\0\1", 4);
    made_save(&file, path);
    onefold_dataset *data = read_one(path, NULL);
    expect_view(data, 0, "b", "dense", 2, (double[]){1, 0, 0, 1});
    assert_int_equal(ask_data_view(data, 0).type, ONEFOLD_UINT8);
    onefold_dataset_free(data);
    made_free(&file);
    /* 1, -2, 65504, the smallest normal and subnormal half, 0.333251953125, -0, 0 */
    static const uint16_t half[] = {0x3c00, 0xc000, 0x7bff, 0x0400, 0x0001, 0x3555, 0x8000, 0};
    static const double want[] = {
        1, -2, 65504, 6.103515625e-05, 5.9604644775390625e-08, 0.333251953125, -0.0, 0};
    for (int big = 0; big < 2; big++) {
        made_npy_header(&file, big ? ">f2" : "<f2", 0, "(4, 2)");
        for (int i = 0; i < 8; i++)
            made_number(&file, half[i], 2, big);
        made_save(&file, path);
        data = read_one(path, NULL);
        expect_view(data, 0, "b", "dense", 2, want);
        onefold_dataset_free(data);
        made_free(&file);
    }
    made_npy_header(&file, "<f2", 0, "(2, 1)");
    made_number(&file, 0x3c00, 2, 0);
    made_number(&file, 0x7e00, 2, 0); /* a NaN stays one */
    made_save(&file, path);
    read_fails(path, NULL, ONEFOLD_BAD_DATA, "sample 2 lacks every view");
    made_free(&file);
}

/* A mapped array costs no memory beside the map. */
static void arrays_stay_in_the_mapped_file(void **state)
{
    enum { N = 4000, D = 100 };
    made file = {0};
    made_npy_header(&file, "<f8", 1, "(4000, 100)");
    for (size_t e = 0; e < N * D; e++)
        made_value(&file, ONEFOLD_FLOAT64, (double)e, 0);
    const char *path = folder_path(state, "large.npy");
    made_save(&file, path);
    onefold_context *context;
    onefold_dataset *data = NULL;
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_dataset_read(&data, context, &path, 1, NULL));
    assert_true(ask_peak(context) < 100000);
    double got[D];
    CHECK_OK(onefold_dataset_values(got, data, 0, 7, 1));
    for (size_t i = 0; i < D; i++)
        assert_true(got[i] == (double)(i * N + 7));
    onefold_dataset_free(data);
    onefold_context_free(context);
    made_free(&file);
}

/* Version 2 and 3 headers, odd lengths that leave the numbers unaligned, spaces and quotes. */
static void headers_of_every_version(void **state)
{
    static const char *const header[] = {
        "{'descr': '<f8', 'fortran_order': False, 'shape': (5, 3), }",
        "{\"shape\":(5,3),\"fortran_order\":False,\"descr\":\"<f8\"}",
        "{'descr': '=f8', 'fortran_order': False, 'shape': (5L, 3L)}   \n"};
    const char *path = folder_path(state, "v.npy");
    for (int version = 1; version <= 3; version++)
        for (size_t h = 0; h < 3; h++) {
            int refused = version == 3 && strstr(header[h], "5L"); /* by NumPy, too */
            made file = {0};
            made_put(&file, "\x93NUMPY", 6);
            made_number(&file, (uint64_t)version, 1, 0);
            made_number(&file, 0, 1, 0);
            made_number(&file, strlen(header[h]), version == 1 ? 2 : 4, 0);
            made_text(&file, header[h]);
            for (size_t e = 0; e < ROWS * COLUMNS; e++)
                made_value(&file, ONEFOLD_FLOAT64, values[e], 0);
            made_save(&file, path);
            if (refused) {
                read_fails(path, NULL, ONEFOLD_BAD_DATA, "an invalid shape");
            } else {
                onefold_dataset *data = read_one(path, NULL);
                expect_view(data, 0, "v", "dense", COLUMNS, values);
                onefold_dataset_free(data);
            }
            made_free(&file);
        }
}

static void truncated_arrays_are_refused(void **state)
{
    made file = array("<f8", ONEFOLD_FLOAT64, 0, 0);
    const char *path = folder_path(state, "cut.npy");
    for (size_t size = 1; size < file.size; size++) {
        made_save_part(&file, size, path);
        read_fails(path, NULL, ONEFOLD_BAD_DATA, size >= 12 ? "truncated" : "cut.npy: ");
    }
    made_free(&file);
}

static void what_is_no_matrix_of_numbers_is_refused(void **state)
{
    static const struct {
        const char *descr, *shape, *says;
    } cases[] = {
        {"|O", "(5, 3)", "an array of Python objects"},
        {"<c16", "(2, 3)", "complex"},
        {"<M8[ns]", "(3, 3)", "times"},
        {"<f16", "(2, 3)", "of a type that is not read"},
        {"<f8", "(0, 3)", "empty"},
        {"<f8", "(1, 2, 2, 2)", "more than three dimensions"},
        {"<f8", "(-5, 3)", "an invalid shape"},
        {"<f8", "(1 1, 3)", "an invalid shape"},
        {"<f8", "5", "an invalid shape"},
        {"<f8", "(18446744073709551615, 8)", "more than any file holds"},
        {"<f8", "(184467440737095516160, 8)", "an invalid shape"},
        {"<f8", "(1000000000, 1000000)", "truncated"},
        {"<f8", "(1000000000000000000, 4)", "more than any file holds"},
        {"|S9", "(900000000, 90)", "truncated"},
    };
    const char *path = folder_path(state, "no.npy");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        made file = {0};
        made_npy_header(&file, cases[i].descr, 0, cases[i].shape);
        for (int e = 0; e < 16; e++)
            made_value(&file, ONEFOLD_FLOAT64, 1, 0);
        made_save(&file, path);
        read_fails(path, NULL, ONEFOLD_BAD_DATA, cases[i].says);
        made_free(&file);
    }
    made_file(path, "not an array at all");
    read_fails(path, NULL, ONEFOLD_BAD_DATA, "contents are of another format");
}

static void damaged_headers_do_no_harm(void **state)
{
    made file = array(">i4", ONEFOLD_INT32, 0, 1);
    const char *path = folder_path(state, "damaged.npy");
    for (size_t at = 6; at < 128; at++)
        for (int bit = 0; bit < 8; bit++) {
            file.data[at] ^= (unsigned char)(1 << bit);
            made_save(&file, path);
            onefold_dataset *data = NULL;
            onefold_status status = onefold_dataset_read(&data, NULL, &path, 1, NULL);
            assert_true(status == ONEFOLD_OK || status == ONEFOLD_BAD_DATA);
            onefold_dataset_free(data);
            file.data[at] ^= (unsigned char)(1 << bit);
        }
    made_free(&file);
}

static void labels_beside_the_views(void **state)
{
    made file = array("<f8", ONEFOLD_FLOAT64, 0, 0), labels = {0}, words = {0};
    const char *paths[] = {folder_path(state, "a.npy"), folder_path(state, "y.npy")};
    const char *text = folder_path(state, "names.npy");
    made_save(&file, paths[0]);
    made_npy_header(&labels, "<i8", 0, "(5,)");
    for (int j = 0; j < 5; j++)
        made_value(&labels, ONEFOLD_INT64, j % 2 ? -1 : 1, 0);
    made_save(&labels, paths[1]);
    onefold_dataset *data = NULL;
    CHECK_OK(onefold_dataset_read(&data, NULL, paths, 2, NULL));
    assert_int_equal(onefold_dataset_describe(data)->views, 1);
    expect_truth(data, "1 -1 1 -1 1");
    onefold_dataset_free(data);
    made_npy_header(&words, "<U3", 0, "(5,)"); /* \u00e9 is two bytes of UTF-8 */
    static const uint32_t letters[15] = {'a', 'b', 0, 0xe9, 0, 0, 'a', 'b', 0, 'z', 'z', 'z', 0xe9};
    for (int i = 0; i < 15; i++)
        made_number(&words, letters[i], 4, 0);
    made_save(&words, text);
    onefold_read_options options = ONEFOLD_READ_OPTIONS_INIT;
    options.truth = text;
    data = read_one(paths[0], &options);
    expect_truth(data, "ab \xc3\xa9 ab zzz \xc3\xa9");
    onefold_dataset_free(data);
    made_free(&words);
    made_npy_header(&words, "|S2", 0, "(5,)");
    made_put(&words, "b\0aab\0aaca", 10);
    made_save(&words, text);
    data = read_one(paths[0], &options);
    expect_truth(data, "b aa b aa ca");
    onefold_dataset_free(data);
    made_free(&file);
    made_free(&labels);
    made_free(&words);
}

static void every_allocation_may_fail(void **state)
{
    made file = array(">f8", ONEFOLD_FLOAT64, 0, 1);
    const char *path = folder_path(state, "memory.npy");
    made_save(&file, path);
    every_allocation_fails(&path, 1, NULL);
    made_free(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_type_order_and_byte_order, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(truth_values_and_halves, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(arrays_stay_in_the_mapped_file, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(headers_of_every_version, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(truncated_arrays_are_refused, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(what_is_no_matrix_of_numbers_is_refused, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(damaged_headers_do_no_harm, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(labels_beside_the_views, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(every_allocation_may_fail, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
