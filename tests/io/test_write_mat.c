/* SPDX-License-Identifier: Apache-2.0 */
/* Data sets as .mat, read by SciPy. */
#include "io/atomic_file.h"

#include "support/check.h"
#include "support/folder.h"
#include "support/written.h"

#include <stdlib.h>
#include <string.h>

static void views_of_every_storage_are_read_back(void **state)
{
    onefold_dataset *dataset = written_mixed();
    CHECK_OK(onefold_dataset_write(dataset, NULL, folder_path(state, "d.mat")));
    onefold_dataset_free(dataset);
    CHECK_PYTHON(state, "numpy,scipy.io",
                 WRITTEN_PYTHON "import scipy.io, scipy.sparse\n"
                                "m = scipy.io.loadmat('d.mat')\n"
                                "assert [k for k in m if k[0] != '_'] == ['X', 'Y']\n"
                                "assert m['X'].shape == (1, 4) and m['__header__'].startswith(\n"
                                "    b'MATLAB 5.0 MAT-file, written by Onefold')\n"
                                "for c, x in zip(m['X'][0], [x1, x2, x3]):\n"
                                "    same(c, x)\n"
                                "s = m['X'][0, 3]\n"
                                "assert scipy.sparse.issparse(s) and s.nnz == (x4 > 0).sum()\n"
                                "assert (s.toarray() == x4).all() and s.shape == x4.shape\n"
                                "same(m['Y'], y[:, None].astype(float))\n");
}

static void every_type_and_order_is_read_back(void **state)
{
    for (int type = 0; type < (int)OF_TYPE_COUNT; type++)
        for (int columns_first = 0; columns_first < 2; columns_first++) {
            char name[32];
            snprintf(name, sizeof name, "%s%d.mat", onefold_name(ONEFOLD_NAMES_TYPE, type),
                     columns_first);
            of_view view = written_dense((of_type)type, 3, 5, columns_first);
            OF_ATOMIC_FILE(file);
            CHECK_OK(of_atomic_open(&file, NULL, folder_path(state, name)));
            CHECK_OK(of_write_mat(&file, "a_name", &view));
            CHECK_OK(of_atomic_commit(&file));
            free((void *)view.data);
        }
    CHECK_PYTHON(state, "numpy,scipy.io",
                 WRITTEN_PYTHON
                 "import scipy.io\n"
                 "x = numerator(3, 5)\n"
                 "for t in ['float64', 'float32', 'int8', 'uint8', 'int16', 'uint16', 'int32',\n"
                 "          'uint32', 'int64', 'uint64']:\n"
                 "    for o in '01':\n"
                 "        m = scipy.io.loadmat(t + o + '.mat')['a_name']\n"
                 "        same(m, (x / 4 if t[0] == 'f' else x * x if t[0] == 'u' else x)\n"
                 "             .astype(t))\n");
}

/* Elements of up to four bytes share their tag; names of every length about that. */
static void small_arrays_and_names_of_all_lengths(void **state)
{
    static const char name[] = "abcdefghi";
    for (size_t length = 1; length <= 9; length++) {
        char variable[16], path[32];
        snprintf(variable, sizeof variable, "%.*s", (int)length, name);
        snprintf(path, sizeof path, "%zu.mat", length);
        of_view view = written_dense(OF_U8, length, 1, 0);
        OF_ATOMIC_FILE(file);
        CHECK_OK(of_atomic_open(&file, NULL, folder_path(state, path)));
        CHECK_OK(of_write_mat(&file, variable, &view));
        CHECK_OK(of_atomic_commit(&file));
        free((void *)view.data);
    }
    CHECK_PYTHON(state, "numpy,scipy.io",
                 WRITTEN_PYTHON "import scipy.io\n"
                                "for n in range(1, 10):\n"
                                "    m = scipy.io.loadmat(f'{n}.mat')['abcdefghi'[:n]]\n"
                                "    same(m, (numerator(n, 1) ** 2).astype(np.uint8))\n");
}

static void kernels_become_one_tensor(void **state)
{
    for (int same_type = 0; same_type < 2; same_type++) {
        onefold_dataset *dataset = written_kernels(same_type);
        const char *name = same_type ? "same.mat" : "mixed.mat";
        CHECK_OK(onefold_dataset_write(dataset, NULL, folder_path(state, name)));
        onefold_dataset_free(dataset);
    }
    CHECK_PYTHON(state, "numpy,scipy.io",
                 "import numpy as np, scipy.io\n"
                 "j = np.arange(6)\n"
                 "k = [1 / (1 + v + abs(j[:, None] - j)) for v in range(2)]\n"
                 "s, m = [scipy.io.loadmat(f + '.mat')['KH'] for f in ['same', 'mixed']]\n"
                 "assert s.shape == (6, 6, 2) and s.dtype == m.dtype == np.float64\n"
                 "assert (s == np.stack(k, 2)).all()\n"
                 "assert (m == np.stack([k[0], k[1].astype(np.float32)], 2)).all()\n");
}

static void an_empty_sparse_view_is_read_back(void **state)
{
    static const size_t start[4] = {0};
    onefold_dataset *dataset;
    CHECK_OK(onefold_dataset_create(&dataset, NULL, 3));
    CHECK_OK(onefold_dataset_add_sparse(dataset, NULL, 7, start, NULL, NULL));
    CHECK_OK(onefold_dataset_write(dataset, NULL, folder_path(state, "d.mat")));
    onefold_dataset_free(dataset);
    CHECK_PYTHON(state, "scipy.io",
                 "import scipy.io\n"
                 "s = scipy.io.loadmat('d.mat')['X'][0, 0]\n"
                 "assert s.shape == (3, 7) and s.nnz == 0\n");
}

static void classes_with_names_keep_them(void **state)
{
    static const char *names[3] = {"sport", "\xc3\xa9t\xc3\xa9 \xe2\x82\xac", "b"};
    onefold_dataset *dataset = written_mixed();
    dataset->set.class_names = names;
    CHECK_OK(onefold_dataset_write(dataset, NULL, folder_path(state, "d.mat")));
    onefold_dataset_free(dataset);
    CHECK_PYTHON(state, "numpy,scipy.io",
                 WRITTEN_PYTHON "import scipy.io\n"
                                "names = ['sport', '\\u00e9t\\u00e9 \\u20ac', 'b']\n"
                                "got = [str(c[0]) for c in scipy.io.loadmat('d.mat')['Y'][:, 0]]\n"
                                "assert got == [names[i + 1] for i in y], got\n");
}

static void large_labels_keep_their_digits(void **state)
{
    double value[3] = {1, 2, 3};
    int64_t truth[3] = {INT64_MIN, 0, INT64_MAX};
    onefold_dataset *dataset;
    CHECK_OK(onefold_dataset_create(&dataset, NULL, 3));
    CHECK_OK(onefold_dataset_add_dense(dataset, NULL, value, 1, 1, 1));
    CHECK_OK(onefold_dataset_set_truth(dataset, truth, NULL));
    CHECK_OK(onefold_dataset_write(dataset, NULL, folder_path(state, "d.mat")));
    onefold_dataset_free(dataset);
    CHECK_PYTHON(state, "scipy.io",
                 "import scipy.io\n"
                 "y = scipy.io.loadmat('d.mat')['Y']\n"
                 "assert y[:, 0].tolist() == [-2 ** 63, 0, 2 ** 63 - 1], y\n");
}

static void what_the_format_cannot_count_is_refused(void **state)
{
    OF_ATOMIC_FILE(file);
    CHECK_OK(of_atomic_open(&file, NULL, folder_path(state, "d.mat")));
    /* nothing of these is ever read */
    of_view wide = {.storage = OF_DENSE,
                    .samples = 70000,
                    .columns = 70000,
                    .type = OF_F64,
                    .sample_step = 70000,
                    .column_step = 1};
    CHECK_FAILS(of_write_mat(&file, "X", &wide), ONEFOLD_UNSUPPORTED,
                "it has 39 GB, and a MATLAB file of version 5 holds 4.3 GB");
    assert_string_equal(onefold_last_hint(), "write an .npz instead");
    wide.samples = (size_t)INT32_MAX + 1;
    wide.columns = 1;
    CHECK_FAILS(of_write_mat(&file, "X", &wide), ONEFOLD_UNSUPPORTED,
                "d.mat cannot hold a view of 2147483648 x 1");
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_make, folder_remove)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(views_of_every_storage_are_read_back),
        IN_FOLDER(every_type_and_order_is_read_back),
        IN_FOLDER(small_arrays_and_names_of_all_lengths),
        IN_FOLDER(kernels_become_one_tensor),
        IN_FOLDER(an_empty_sparse_view_is_read_back),
        IN_FOLDER(classes_with_names_keep_them),
        IN_FOLDER(large_labels_keep_their_digits),
        IN_FOLDER(what_the_format_cannot_count_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
