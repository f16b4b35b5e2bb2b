/* SPDX-License-Identifier: Apache-2.0 */
/* Data sets as .npz, read by NumPy and SciPy. */
#include "onefold.h"

#include <stdlib.h>

#include "support/check.h"
#include "support/folder.h"
#include "support/written.h"

static void views_of_every_storage_are_read_back(void **state)
{
    onefold_dataset *dataset = written_mixed();
    CHECK_OK(onefold_dataset_write(dataset, NULL, folder_path(state, "d.npz")));
    onefold_dataset_free(dataset);
    CHECK_PYTHON(state, "numpy,scipy.sparse",
                 WRITTEN_PYTHON
                 "import scipy.sparse\n"
                 "z = np.load('d.npz')\n"
                 "assert sorted(z.files) == ['X1', 'X2', 'X3', 'X4.data', 'X4.format',\n"
                 "                           'X4.indices', 'X4.indptr', 'X4.shape', 'Y'], z.files\n"
                 "for name, x in [('X1', x1), ('X2', x2), ('X3', x3), ('Y', y)]:\n"
                 "    same(z[name], x)\n"
                 "assert z['X3'].flags.c_contiguous and z['X1'].flags.c_contiguous\n"
                 "s = scipy.sparse.csr_matrix((z['X4.data'], z['X4.indices'], z['X4.indptr']),\n"
                 "                            shape=z['X4.shape'])\n"
                 "assert z['X4.indices'].dtype == np.int32 and s.nnz == (x4 > 0).sum()\n"
                 "same(s.toarray(), x4)\n");
}

static void kernels_become_one_tensor(void **state)
{
    for (int same_type = 0; same_type < 2; same_type++) {
        onefold_dataset *dataset = written_kernels(same_type);
        const char *name = same_type ? "same.npz" : "mixed.npz";
        CHECK_OK(onefold_dataset_write(dataset, NULL, folder_path(state, name)));
        onefold_dataset_free(dataset);
    }
    CHECK_PYTHON(state, "numpy",
                 "import numpy as np\n"
                 "j = np.arange(6)\n"
                 "k = [1 / (1 + v + abs(j[:, None] - j)) for v in range(2)]\n"
                 "s, m = np.load('same.npz')['KH'], np.load('mixed.npz')['KH']\n"
                 "assert s.shape == (6, 6, 2) and s.dtype == m.dtype == np.float64\n"
                 "assert np.load('same.npz').files == ['KH']\n"
                 "assert (s == np.stack(k, 2)).all()\n"
                 "assert (m == np.stack([k[0], k[1].astype(np.float32)], 2)).all()\n");
}

static void write_with_classes(void **state, const char *const names[3])
{
    onefold_dataset *dataset = written_mixed();
    const int32_t *truth = onefold_dataset_describe(dataset)->truth;
    int64_t *wide = calloc(onefold_dataset_describe(dataset)->samples, sizeof *wide);
    for (size_t j = 0; j < onefold_dataset_describe(dataset)->samples; j++)
        wide[j] = truth[j];
    CHECK_OK(onefold_dataset_set_truth(dataset, wide, names));
    free(wide);
    CHECK_OK(onefold_dataset_write(dataset, NULL, folder_path(state, "d.npz")));
    onefold_dataset_free(dataset);
}

static void classes_with_names_keep_them(void **state)
{
    static const char *const names[3] = {"sport", "\xc3\xa9t\xc3\xa9 \xe2\x82\xac \xf0\x9f\x99\x82",
                                         ""};
    write_with_classes(state, names);
    CHECK_PYTHON(state, "numpy",
                 WRITTEN_PYTHON
                 "names = np.array(['sport', '\\u00e9t\\u00e9 \\u20ac \\U0001f642', ''])\n"
                 "same(np.load('d.npz')['Y'], names[y + 1])\n");
}

/* As integers, "01", "1" and "+1" would be one class. */
static void names_that_only_read_as_integers_stay_texts(void **state)
{
    static const char *const names[3] = {"01", "1", "+1"};
    write_with_classes(state, names);
    CHECK_PYTHON(state, "numpy",
                 WRITTEN_PYTHON "names = np.array(['01', '1', '+1'])\n"
                                "same(np.load('d.npz')['Y'], names[y + 1])\n");
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_make, folder_remove)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(views_of_every_storage_are_read_back),
        IN_FOLDER(kernels_become_one_tensor),
        IN_FOLDER(classes_with_names_keep_them),
        IN_FOLDER(names_that_only_read_as_integers_stay_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
