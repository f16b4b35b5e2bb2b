/* SPDX-License-Identifier: Apache-2.0 */
/* Archives of arrays: stored, deflated, zip64, SciPy's sparse matrices, and damaged ones. */
#include "support/ask.h"
#include "support/folder.h"
#include "support/made.h"
#include "support/views_read.h"

#include <string.h>

static const double first[6] = {1, 2, 3, 4, 5, 6};                     /* 3 x 2 */
static const double second[12] = {1, 0, 0, 7, 0, 2, 0, 8, 0, 0, 3, 9}; /* 3 x 4 */

static made array(const char *descr, onefold_type type, const char *shape, const double *values,
                  size_t count)
{
    made bytes = {0};
    made_npy_header(&bytes, descr, 0, shape);
    for (size_t e = 0; e < count; e++)
        made_value(&bytes, type, values[e], 0);
    return bytes;
}

static void add(made_zip *zip, const char *name, made contents, int deflate)
{
    made_zip_add(zip, name, &contents, deflate);
    made_free(&contents);
}

static made_zip two_views(int zip64, int deflate)
{
    made_zip zip = {.zip64 = zip64};
    add(&zip, "view_1.npy", array("<f8", ONEFOLD_FLOAT64, "(3, 2)", first, 6), deflate);
    add(&zip, "readme.txt", array("<f8", ONEFOLD_FLOAT64, "(3, 2)", first, 6), deflate);
    add(&zip, "view_2.npy", array("|u1", ONEFOLD_UINT8, "(3, 4)", second, 12), deflate);
    add(&zip, "labels.npy", array("<i4", ONEFOLD_INT32, "(3,)", (double[]){4, 4, 9}, 3), deflate);
    made_zip_end(&zip);
    return zip;
}

static void stored_and_deflated_also_beyond_32_bits(void **state)
{
    const char *path = folder_path(state, "v.npz");
    for (int zip64 = 0; zip64 < 2; zip64++)
        for (int deflate = 0; deflate < 2; deflate++) {
            made_zip zip = two_views(zip64, deflate);
            made_save(&zip.bytes, path);
            onefold_dataset *data = read_one(path, NULL);
            assert_int_equal(onefold_dataset_describe(data)->views, 2);
            expect_view(data, 0, "view_1", "dense", 2, first);
            expect_view(data, 1, "view_2", "dense", 4, second);
            assert_int_equal(ask_data_view(data, 1).type, ONEFOLD_UINT8);
            expect_truth(data, "4 4 9");
            onefold_dataset_free(data);
            made_zip_free(&zip);
        }
}

static void truncated_and_damaged_archives_are_refused(void **state)
{
    const char *path = folder_path(state, "cut.npz");
    for (int kind = 0; kind < 4; kind++) {
        made_zip zip = two_views(kind / 2, kind % 2);
        for (size_t size = 4; size < zip.bytes.size; size++) {
            made_save_part(&zip.bytes, size, path);
            read_fails(path, NULL, ONEFOLD_BAD_DATA, "truncated or damaged");
        }
        size_t refused = 0;
        for (size_t at = 4; at < zip.bytes.size; at++) {
            zip.bytes.data[at] ^= 0x81;
            made_save(&zip.bytes, path);
            onefold_dataset *data = NULL;
            onefold_status status = onefold_dataset_read(&data, NULL, &path, 1, NULL);
            assert_true(status == ONEFOLD_OK || status == ONEFOLD_BAD_DATA);
            refused += status != ONEFOLD_OK;
            onefold_dataset_free(data);
            zip.bytes.data[at] ^= 0x81;
        }
        assert_true(refused > zip.bytes.size / 3); /* every byte of an array is under a checksum */
        made_zip_free(&zip);
    }
}

static void archives_without_arrays_are_refused(void **state)
{
    const char *path = folder_path(state, "none.npz");
    made_zip zip = {.zip64 = 0};
    made_zip_end(&zip);
    made_save(&zip.bytes, path);
    read_fails(path, NULL, ONEFOLD_BAD_DATA, "no arrays");
    made_zip_free(&zip);
    zip = (made_zip){.zip64 = 0};
    made words = {0};
    made_text(&words, "no array at all, though it is named so");
    add(&zip, "x.npy", words, 0);
    made_zip_end(&zip);
    made_save(&zip.bytes, path);
    read_fails(path, NULL, ONEFOLD_BAD_DATA, "x: it is not an array");
    made_zip_free(&zip);
}

/* An entry that claims gigabytes is refused by the size its bytes can become. */
static void claims_are_not_believed(void **state)
{
    const char *path = folder_path(state, "claims.npz");
    for (int deflate = 0; deflate < 2; deflate++) {
        made_zip zip = {.zip64 = 0};
        add(&zip, "x.npy", array("<f8", ONEFOLD_FLOAT64, "(3, 2)", first, 6), deflate);
        memcpy(zip.directory.data + 24, "\377\377\377\176", 4); /* the size in the directory */
        made_zip_end(&zip);
        made_save(&zip.bytes, path);
        read_fails(path, NULL, ONEFOLD_BAD_DATA, deflate ? "larger than it can be" : "two sizes");
        made_zip_free(&zip);
    }
    made_zip zip = {.zip64 = 0};
    add(&zip, "x.npy", array("<f8", ONEFOLD_FLOAT64, "(3, 2)", first, 6), 0);
    zip.directory.data[10] = 12; /* bzip2 */
    made_zip_end(&zip);
    made_save(&zip.bytes, path);
    read_fails(path, NULL, ONEFOLD_BAD_DATA, "method 12");
    made_zip_free(&zip);
}

/* The parts of a 3 x 4 matrix as SciPy saves them. */
static void scipy_sparse_matrices_are_one_variable(void **state)
{
    static const double by_row_index[] = {0, 3, 1, 3, 2, 3}, by_row_start[] = {0, 2, 4, 6},
                        by_row_value[] = {1, 7, 2, 8, 3, 9};
    static const double by_column_index[] = {0, 1, 2, 2, 0, 1}, by_column_start[] = {0, 1, 2, 3, 6},
                        by_column_value[] = {1, 2, 3, 9, 7, 8}; /* the last column is not sorted */
    static const double row[] = {2, 0, 1, 2, 1, 0, 0}, column[] = {3, 0, 1, 2, 3, 3, 3},
                        value[] = {9, 1, 2, 3, 8, 3, 4}; /* 7 in two parts */
    static const double shape[] = {3, 4};
    static const char *const formats[] = {"csr", "csc", "coo"};
    const char *path = folder_path(state, "words.npz");
    for (int f = 0; f < 3; f++) {
        made_zip zip = {.zip64 = 0};
        made format = {0};
        made_npy_header(&format, "|S3", 0, "()");
        made_text(&format, formats[f]);
        if (f < 2) {
            add(&zip, "indices.npy",
                array("<i4", ONEFOLD_INT32, "(6,)", f ? by_column_index : by_row_index, 6), f);
            add(&zip, "indptr.npy",
                array("<i8", ONEFOLD_INT64, f ? "(5,)" : "(4,)", f ? by_column_start : by_row_start,
                      f ? 5 : 4),
                1);
        } else {
            add(&zip, "row.npy", array("<i4", ONEFOLD_INT32, "(7,)", row, 7), 1);
            add(&zip, "col.npy", array("<i4", ONEFOLD_INT32, "(7,)", column, 7), 1);
        }
        add(&zip, "format.npy", format, 1);
        add(&zip, "shape.npy", array("<i8", ONEFOLD_INT64, "(2,)", shape, 2), 1);
        add(&zip, "data.npy",
            f == 2 ? array("<f4", ONEFOLD_FLOAT32, "(7,)", value, 7)
                   : array("<f8", ONEFOLD_FLOAT64, "(6,)", f ? by_column_value : by_row_value, 6),
            f);
        made_zip_end(&zip);
        made_save(&zip.bytes, path);
        onefold_dataset *data = read_one(path, NULL);
        assert_int_equal(onefold_dataset_describe(data)->samples, 3);
        expect_view(data, 0, "words", "sparse", 4, second);
        assert_int_equal(ask_data_view(data, 0).nonzeros, 6);
        onefold_dataset_free(data);
        every_allocation_fails(&path, 1, NULL);
        made_zip_free(&zip);
    }
}

/* A name that only ends in "format". */
static void another_word_is_no_sparse_matrix(void **state)
{
    const char *path = folder_path(state, "format.npz");
    made_zip zip = {.zip64 = 0};
    made format = {0};
    made_npy_header(&format, "|S3", 0, "()");
    made_text(&format, "csr");
    add(&zip, "X.npy", array("<f8", ONEFOLD_FLOAT64, "(3, 2)", first, 6), 0);
    add(&zip, "reformat.npy", format, 0);
    made_zip_end(&zip);
    made_save(&zip.bytes, path);
    onefold_dataset *data = read_one(path, NULL);
    assert_int_equal(onefold_dataset_describe(data)->views, 1);
    expect_view(data, 0, "X", "dense", 2, first);
    onefold_dataset_free(data);
    made_zip_free(&zip);
}

static void parts_that_do_not_fit_are_refused(void **state)
{
    static const double zeros[8], rising[] = {0, 2, 4, 6}, far[] = {0, 3, 1, 3, 2, 9};
    static const struct {
        const char *format, *parts, *says; /* parts: a letter for each that is there */
        double shape[2];
    } cases[] = {
        {"csr", "ipd", "outside", {3, 4}},       {"csr", "id", "do not fit together", {3, 4}},
        {"csc", "ipd", "only 4 starts", {3, 4}}, {"dia", "ipd", "dia form", {3, 4}},
        {"coo", "rcd", "outside", {3, 4}},       {"coo", "rd", "do not fit together", {3, 4}},
        {"csr", "ipd", "a side of 0", {0, 4}},   {"csr", "ipd", "a side of -1", {3, -1}},
        {"coo", "zzd", "damaged", {4e9, 4}}};
    const char *path = folder_path(state, "parts.npz");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        made_zip zip = {.zip64 = 0};
        made format = {0};
        made_npy_header(&format, "|S3", 0, "()");
        made_text(&format, cases[i].format);
        add(&zip, "format.npy", format, 0);
        add(&zip, "shape.npy", array("<i8", ONEFOLD_INT64, "(2,)", cases[i].shape, 2), 0);
        for (const char *part = cases[i].parts; *part; part++)
            if (*part == 'i')
                add(&zip, "indices.npy", array("<i4", ONEFOLD_INT32, "(6,)", far, 6), 0);
            else if (*part == 'p')
                add(&zip, "indptr.npy", array("<i4", ONEFOLD_INT32, "(4,)", rising, 4), 0);
            else if (*part == 'd')
                add(&zip, "data.npy", array("<f8", ONEFOLD_FLOAT64, "(6,)", far, 6), 0);
            else
                add(&zip, *part == 'r' || part == cases[i].parts ? "row.npy" : "col.npy",
                    array("<i8", ONEFOLD_INT64, "(6,)", *part == 'z' ? zeros : far, 6), 0);
        made_zip_end(&zip);
        made_save(&zip.bytes, path);
        read_fails(path, NULL, ONEFOLD_BAD_DATA, cases[i].says);
        made_zip_free(&zip);
    }
}

static void every_allocation_may_fail(void **state)
{
    const char *path = folder_path(state, "memory.npz");
    for (int deflate = 0; deflate < 2; deflate++) {
        made_zip zip = two_views(0, deflate);
        made_save(&zip.bytes, path);
        every_allocation_fails(&path, 1, NULL);
        made_zip_free(&zip);
    }
}

static void numpy_and_scipy_files_are_read(void **state)
{
    CHECK_PYTHON(state, "numpy,scipy.sparse",
                 "import numpy as np, scipy.sparse as sp\n"
                 "a = np.array([[1, 2], [3, 4], [5, 6]], dtype='>f4', order='F')\n"
                 "b = np.array([[1, 0, 0, 7], [0, 2, 0, 8], [0, 0, 3, 9]])\n"
                 "np.savez('plain.npz', view_1=a, view_2=b, labels=[4, 4, 9])\n"
                 "np.savez_compressed('packed.npz', view_1=a, view_2=b, labels=[4, 4, 9])\n"
                 "sp.save_npz('words.npz', sp.csr_matrix(b))\n"
                 "sp.save_npz('words2.npz', sp.coo_matrix(b), compressed=False)\n");
    static const char *const names[] = {"plain.npz", "packed.npz"};
    for (int i = 0; i < 2; i++) {
        onefold_dataset *data = read_one(folder_path(state, names[i]), NULL);
        expect_view(data, 0, "view_1", "dense", 2, first);
        expect_view(data, 1, "view_2", "dense", 4, second);
        expect_truth(data, "4 4 9");
        onefold_dataset_free(data);
    }
    onefold_dataset *data = read_one(folder_path(state, "words.npz"), NULL);
    expect_view(data, 0, "words", "sparse", 4, second);
    onefold_dataset_free(data);
    data = read_one(folder_path(state, "words2.npz"), NULL);
    expect_view(data, 0, "words2", "sparse", 4, second);
    onefold_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(stored_and_deflated_also_beyond_32_bits, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(truncated_and_damaged_archives_are_refused, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(archives_without_arrays_are_refused, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(claims_are_not_believed, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(scipy_sparse_matrices_are_one_variable, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(another_word_is_no_sparse_matrix, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(parts_that_do_not_fit_are_refused, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(every_allocation_may_fail, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(numpy_and_scipy_files_are_read, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
