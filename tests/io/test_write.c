/* SPDX-License-Identifier: Apache-2.0 */
/* Labels and matrices in every format, the files of a data set, and failures of writing. */
#include "io/atomic_file.h"

#include "data/dataset.h"
#include "support/check.h"
#include "support/folder.h"
#include "support/written.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int32_t labels[5] = {0, 3, 1, 1, 2};
/* 3 rows of 2, each followed by a number that is not theirs */
static const double matrix[9] = {0.1, -2, 99, 1e-300, 1.0 / 3, 99, 123456789, -1e22, 99};

static void expect_text(const char *path, const char *text)
{
    char *got = folder_read(path, NULL);
    assert_string_equal(got, text);
    free(got);
}

static void labels_and_matrices_as_text(void **state)
{
    const char *lines = "0\n3\n1\n1\n2\n";
    CHECK_OK(onefold_labels_write(labels, NULL, 5, NULL, NULL, folder_path(state, "l.csv")));
    CHECK_OK(onefold_labels_write(labels, NULL, 5, NULL, NULL, folder_path(state, "l.txt")));
    expect_text(folder_path(state, "l.csv"), "sample,cluster\n1,0\n2,3\n3,1\n4,1\n5,2\n");
    expect_text(folder_path(state, "l.txt"), lines);
    CHECK_OK(onefold_matrix_write(matrix, 3, 2, 3, NULL, folder_path(state, "m.csv")));
    CHECK_OK(onefold_matrix_write(matrix, 3, 2, 3, NULL, folder_path(state, "m.txt")));
    expect_text(folder_path(state, "m.csv"),
                "0.1,-2\n1e-300,0.3333333333333333\n123456789,-1e+22\n");
    expect_text(folder_path(state, "m.txt"),
                "0.1 -2\n1e-300 0.3333333333333333\n123456789 -1e+22\n");
    assert_int_equal(folder_count(state), 4);
}

static void numpy_and_scipy_read_labels_and_matrices(void **state)
{
    CHECK_OK(onefold_labels_write(labels, NULL, 5, NULL, NULL, folder_path(state, "l.npy")));
    CHECK_OK(onefold_labels_write(labels, NULL, 5, NULL, NULL, folder_path(state, "l.mat")));
    CHECK_OK(onefold_labels_write(labels, NULL, 0, NULL, NULL, folder_path(state, "none.npy")));
    CHECK_OK(onefold_matrix_write(matrix, 3, 2, 3, NULL, folder_path(state, "m.npy")));
    CHECK_OK(onefold_matrix_write(matrix, 3, 2, 3, NULL, folder_path(state, "m.MAT")));
    assert_int_equal(folder_count(state), 5);
    CHECK_PYTHON(state, "numpy,scipy.io",
                 "import numpy as np, scipy.io\n"
                 "def same(a, b):\n"
                 "    assert a.shape == b.shape and a.dtype == b.dtype and (a == b).all(), (a, b)\n"
                 "l = np.array([0, 3, 1, 1, 2], dtype=np.int32)\n"
                 "m = np.array([[0.1, -2], [1e-300, 1 / 3], [123456789, -1e22]])\n"
                 "same(np.load('l.npy'), l)\n"
                 "same(np.load('none.npy'), l[:0])\n"
                 "same(scipy.io.loadmat('l.mat')['labels'], l[:, None])\n"
                 "same(np.load('m.npy'), m)\n"
                 "same(scipy.io.loadmat('m.MAT', appendmat=False)['X'], m)\n");
}

static void endings_that_name_no_format_are_refused(void **state)
{
    static const char *const names[] = {"l.doc", "l", ".csv/l", "csv"}, *const tables[] = {"l.tsv",
                                                                                           "l.npz"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        CHECK_FAILS(onefold_labels_write(labels, NULL, 5, NULL, NULL, folder_path(state, names[i])),
                    ONEFOLD_USAGE, "data cannot be written in a format with this ending");
        assert_string_equal(onefold_last_hint(),
                            "end the name in one of .npy, .csv, .tsv, .txt, .mat, .npz");
    }
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) { /* of labels alone */
        double number = 1;
        CHECK_FAILS(onefold_matrix_write(&number, 1, 1, 1, NULL, folder_path(state, tables[i])),
                    ONEFOLD_USAGE, "data cannot be written in a format with this ending");
        assert_string_equal(onefold_last_hint(), "end the name in one of .npy, .csv, .txt, .mat");
    }
    onefold_dataset *dataset = written_mixed();
    CHECK_FAILS(onefold_dataset_write(dataset, NULL, folder_path(state, "d.txt")), ONEFOLD_USAGE,
                "d.txt: data cannot be written in a format with this ending");
    assert_int_equal(folder_count(state), 0);
    onefold_dataset_free(dataset);
}

static void one_file_per_view_and_the_truth_beside_them(void **state)
{
    onefold_dataset *dataset = written_mixed();
    CHECK_OK(onefold_dataset_write(dataset, NULL, folder_path(state, "a.b.npy")));
    CHECK_OK(onefold_dataset_write(dataset, NULL, folder_path(state, "a.csv")));
    CHECK_OK(onefold_dataset_write(dataset, NULL, folder_path(state, "a.tsv")));
    CHECK_OK(onefold_dataset_write(dataset, NULL, folder_path(state, "a.mtx")));
    onefold_dataset_free(dataset);
    assert_int_equal(folder_count(state), 20);
    int status =
        folder_python(state, "numpy,scipy.io",
                      WRITTEN_PYTHON
                      "import scipy.io\n"
                      "for v, x in enumerate([x1, x2, x3, x4], 1):\n"
                      "    same(np.load(f'a.b.{v}.npy'), x)\n"
                      "    assert (np.loadtxt(f'a.{v}.csv', delimiter=',', ndmin=2) == x).all()\n"
                      "    assert (np.loadtxt(f'a.{v}.tsv', delimiter='\\t', ndmin=2) == x).all()\n"
                      "    m = scipy.io.mmread(f'a.{v}.mtx')\n"
                      "    assert (v == 4) == (not isinstance(m, np.ndarray))\n"
                      "    m = m if v < 4 else m.toarray()\n"
                      "    assert m.shape == x.shape and (m == x).all()\n"
                      "same(np.load('a.b.truth.npy'), y)\n"
                      "for name in ['a.truth.csv', 'a.truth.tsv', 'a.truth.txt']:\n"
                      "    assert (np.loadtxt(name) == y).all()\n");
    if (status == -1)
        skip();
    assert_int_equal(status, 0);
}

static void one_view_keeps_the_name_it_was_given(void **state)
{
    onefold_dataset *dataset;
    CHECK_OK(onefold_dataset_create(&dataset, NULL, 3));
    CHECK_OK(onefold_dataset_add_dense(dataset, NULL, matrix, 2, 3, 1));
    CHECK_OK(onefold_dataset_write(dataset, NULL, folder_path(state, "one.csv")));
    expect_text(folder_path(state, "one.csv"),
                "0.1,-2\n1e-300,0.3333333333333333\n123456789,-1e+22\n");
    assert_int_equal(folder_count(state), 1);
    onefold_dataset_free(dataset);
}

static void the_same_data_gives_the_same_bytes(void **state)
{
    static const char *const pairs[][2] = {{"a.mat", "b.mat"}, {"a.npz", "b.npz"}};
    onefold_dataset *dataset = written_mixed();
    for (int p = 0; p < 2; p++) {
        char *bytes[2];
        size_t size[2];
        for (int i = 0; i < 2; i++) {
            CHECK_OK(onefold_dataset_write(dataset, NULL, folder_path(state, pairs[p][i])));
            bytes[i] = folder_read(folder_path(state, pairs[p][i]), &size[i]);
        }
        assert_int_equal(size[0], size[1]);
        assert_memory_equal(bytes[0], bytes[1], size[0]);
        free(bytes[0]);
        free(bytes[1]);
    }
    onefold_dataset_free(dataset);
}

/* On a disk with too little room, by one byte or more: an error that names the file, the old files
 * unchanged, and no new file. */
static void a_full_disk_leaves_everything_as_it_was(void **state)
{
    static const char *const names[] = {"d.mat", "d.npz", "d.npy", "d.csv", "d.mtx"};
    onefold_dataset *dataset = written_mixed();
    for (size_t f = 0; f < sizeof names / sizeof *names; f++) {
        const char *path = folder_path(state, names[f]);
        CHECK_OK(onefold_dataset_write(dataset, NULL, path));
        size_t files = folder_count(state), whole;
        char biggest[64];
        snprintf(biggest, sizeof biggest, "%s%s", f < 2 ? "d" : "d.4", names[f] + 1);
        char *old = folder_read(folder_path(state, biggest), &whole);
        for (size_t step = 0; step <= 8; step++) {
            folder_limit_files(step < 8 ? whole * step / 8 : whole - 1);
            onefold_status status = onefold_dataset_write(dataset, NULL, path);
            folder_limit_files(SIZE_MAX);
            CHECK_FAILS(status, ONEFOLD_IO, "cannot be written: File too large");
            assert_non_null(strstr(onefold_last_error(), "/d."));
            assert_int_equal(folder_count(state), files);
        }
        size_t size;
        char *now = folder_read(folder_path(state, biggest), &size);
        assert_int_equal(size, whole);
        assert_memory_equal(now, old, whole);
        free(old);
        free(now);
    }
    onefold_dataset_free(dataset);
}

static void folders_that_are_not_there_are_refused(void **state)
{
    static const char *const names[] = {"none/d.mat", "none/d.npz", "none/d.csv", "file/d.npy"};
    onefold_dataset *dataset = written_mixed();
    CHECK_OK(onefold_labels_write(labels, NULL, 5, NULL, NULL, folder_path(state, "l.csv")));
    assert_int_equal(rename(folder_path(state, "l.csv"), folder_path(state, "file")), 0);
    for (size_t f = 0; f < sizeof names / sizeof *names; f++) {
        CHECK_FAILS(onefold_dataset_write(dataset, NULL, folder_path(state, names[f])), ONEFOLD_IO,
                    "cannot be written");
        assert_string_equal(onefold_last_hint(), "make its folder first");
    }
    assert_int_equal(folder_count(state), 1);
    onefold_dataset_free(dataset);
}

static void every_allocation_may_fail(void **state)
{
    static const char *const names[] = {"d.mat", "d.npz", "d.npy", "d.csv", "d.mtx"};
    onefold_context *context;
    CHECK_OK(onefold_context_create(&context, NULL));
    onefold_dataset *dataset = written_mixed();
    for (size_t f = 0; f < sizeof names / sizeof *names; f++) {
        size_t before = folder_count(state);
        for (long failing = 0;; failing++) {
            atomic_store(&context->allocations_until_failure, failing);
            onefold_status status =
                onefold_dataset_write(dataset, context, folder_path(state, names[f]));
            if (status == ONEFOLD_OK) {
                assert_true(failing >= 5);
                break;
            }
            CHECK_FAILS(status, ONEFOLD_NO_MEMORY, "an allocation was made to fail");
            assert_int_equal(folder_count(state), before);
            assert_int_equal(atomic_load(&context->bytes), 0);
        }
    }
    assert_int_equal(atomic_load(&context->bytes), 0);
    onefold_dataset_free(dataset);
    onefold_context_free(context);
}

static void what_makes_no_sense_is_refused(void **state)
{
    onefold_dataset *dataset;
    CHECK_OK(onefold_dataset_create(&dataset, NULL, 3));
    CHECK_FAILS(onefold_dataset_write(dataset, NULL, folder_path(state, "d.mat")), ONEFOLD_USAGE,
                "there are no views to write");
    CHECK_FAILS(onefold_dataset_write(NULL, NULL, "d.mat"), ONEFOLD_USAGE, "needs a data set");
    CHECK_FAILS(onefold_dataset_write(dataset, NULL, NULL), ONEFOLD_USAGE, "and a path");
    onefold_dataset_free(dataset);

    /* kernels beside features would be read back as features */
    static const double kernel[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    CHECK_OK(onefold_dataset_create(&dataset, NULL, 3));
    CHECK_OK(onefold_dataset_add_kernel(dataset, NULL, kernel));
    CHECK_OK(onefold_dataset_add_dense(dataset, NULL, kernel, 2, 3, 1));
    CHECK_FAILS(onefold_dataset_write(dataset, NULL, folder_path(state, "d.npz")),
                ONEFOLD_UNSUPPORTED, "d.npz cannot hold kernels beside other views");
    assert_int_equal(folder_count(state), 0);
    CHECK_OK(onefold_dataset_write(dataset, NULL, folder_path(state, "d.npy")));
    assert_int_equal(folder_count(state), 2);
    onefold_dataset_free(dataset);
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_make, folder_remove)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(labels_and_matrices_as_text),
        IN_FOLDER(numpy_and_scipy_read_labels_and_matrices),
        IN_FOLDER(endings_that_name_no_format_are_refused),
        IN_FOLDER(one_file_per_view_and_the_truth_beside_them),
        IN_FOLDER(one_view_keeps_the_name_it_was_given),
        IN_FOLDER(the_same_data_gives_the_same_bytes),
        IN_FOLDER(a_full_disk_leaves_everything_as_it_was),
        IN_FOLDER(folders_that_are_not_there_are_refused),
        IN_FOLDER(every_allocation_may_fail),
        IN_FOLDER(what_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
