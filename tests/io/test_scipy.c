/* SPDX-License-Identifier: Apache-2.0 */
/* Every value of real files, and of files SciPy, NumPy and the library itself write, is the one
 * that SciPy reads. */
#include "support/ask.h"
#include "support/folder.h"
#include "support/made.h"
#include "support/views_read.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *numbered(void **state, int number, const char *what, size_t part)
{
    char name[64];
    snprintf(name, sizeof name, "%d-%s%zu", number, what, part);
    return folder_path(state, name);
}

/* Writes what is not 0 in each view as (sample, column, value), and the class names of the samples,
 * into files whose names start with the number. */
static void dump(void **state, const onefold_dataset *data, int number)
{
    size_t n = onefold_dataset_describe(data)->samples;
    made shapes = {0}, names = {0};
    for (size_t v = 0; v < onefold_dataset_describe(data)->views; v++) {
        size_t columns = ask_data_view(data, v).columns;
        made bytes = {0};
        double *sample = malloc(columns * sizeof *sample);
        for (size_t j = 0; j < n; j++) {
            CHECK_OK(onefold_dataset_values(sample, data, v, j, 1));
            for (size_t i = 0; i < columns; i++)
                if (sample[i] != 0)
                    made_put(&bytes, (double[]){(double)j, (double)i, sample[i]},
                             3 * sizeof(double));
        }
        free(sample);
        char shape[64];
        snprintf(shape, sizeof shape, "%zu %zu\n", n, columns);
        made_save(&bytes, numbered(state, number, "v", v));
        made_text(&shapes, shape);
        made_free(&bytes);
    }
    const int32_t *truth = onefold_dataset_describe(data)->truth;
    for (size_t j = 0; truth && j < n; j++) {
        made_text(&names, onefold_dataset_describe(data)->class_names[(size_t)truth[j]]);
        made_text(&names, "\n");
    }
    made_save(&shapes, numbered(state, number, "shapes", 0));
    made_save(&names, numbered(state, number, "truth", 0));
    made_free(&shapes);
    made_free(&names);
}

/* The start of the program that compares: one run of Python serves all files. */
static void begin(made *program)
{
    made_text(
        program,
        "import numpy as np, scipy.io, scipy.sparse as sp\n"
        "def same(k, want, truth):\n"
        "    shapes = [tuple(map(int, s.split())) for s in open('%d-shapes0' % k)]\n"
        "    assert len(shapes) == len(want), (k, len(shapes), len(want))\n"
        "    for i, (s, w) in enumerate(zip(shapes, want)):\n"
        "        assert s == w.shape, (k, i, s, w.shape)\n"
        "        t = np.fromfile('%d-v%d' % (k, i)).reshape(-1, 3)\n"
        "        got = sp.csr_matrix((t[:, 2], (t[:, 0].astype(int), t[:, 1].astype(int))), s)\n"
        "        assert (got != sp.csr_matrix(w, dtype=float)).nnz == 0, (k, i)\n"
        "    names = open('%d-truth0' % k).read().split()\n"
        "    assert names == [str(int(x)) for x in np.ravel(truth)], (k, names[:9])\n");
}

/* `views` and `truth` are Python for the list of sample x column arrays and the labels, in terms of
 * the path `f` and the variables `m` of the file. */
static void add(void **state, made *program, int number, const char *path, const char *views,
                const char *truth)
{
    onefold_dataset *data = read_one(path, NULL);
    dump(state, data, number);
    onefold_dataset_free(data);
    char lines[2048];
    snprintf(lines, sizeof lines,
             "f = '%s'\n"
             "m = scipy.io.loadmat(f) if f.endswith('.mat') else None\n"
             "same(%d, %s, %s)\n",
             path, number, views, truth);
    made_text(program, lines);
}

static void end(void **state, made *program)
{
    made_put(program, "", 1);
    int status = folder_python(state, "numpy,scipy.io,scipy.sparse", (const char *)program->data);
    made_free(program);
    if (status == -1)
        skip();
    assert_int_equal(status, 0);
}

static void real_files(void **state)
{
    static const struct {
        const char *path, *views, *truth;
    } files[] = {
        {"data/3sources/3sources.mat", "[x.T for x in m['data'][0]]", "m['truelabel'][0, 0]"},
        {"data/bbcsport/BBCSport.mat", "[x.T for x in m['data'][0]]", "m['truelabel'][0, 1]"},
        {"data/citeseer/CiteSeer.mat", "m['fea'][0]", "m['gt']"},
        {"data/cora/Cora_4view_sparse.mat",
         "[m['data'][0, 0], m['data'][1, 0].T, m['data'][2, 0], m['data'][3, 0]]",
         "m['truelabel'][0, 0]"},
        {"data/handwritten/Handwritten.mat", "m['X'][:, 0]", "m['y']"},
        {"data/msrc/MSRCV1_6view.mat", "[x.T for x in m['X'][0]]", "m['Y']"},
        {"data/layouts/X1toX6_Yrow_HW.mat", "[m['X%d' % i] for i in range(1, 7)]", "m['Y']"},
        {"data/layouts/onehot_sparse_uint8_Wisconsin.mat",
         "[m['adjacency_matrix'], m['features_all']]", "m['labels_all'].argmax(1) + 1"},
        {"data/kernels/liver_Kmatrix.mat", "[m['KH'][:, :, i] for i in range(6)]", "m['Y']"},
        {"data/layouts/zero_based_int64_float32_Cora.mat", "m['X'][0]", "m['Y']"},
        {"data/reuters/Reuters-600_fullvocab_triplets.mat",
         "[sp.coo_matrix((t[:, 2], (t[:, 0] - 1, t[:, 1] - 1)), (600, int(t[:, 1].max()))) for t "
         "in "
         "m['X'][0]]",
         "m['Y']"},
        {"data/rosmap/1_tr.csv", "[np.loadtxt(f, delimiter=',')]", "[]"},
        {"data/snareseq/SNAREseq_atac_feat.npy", "[np.load(f)]", "[]"},
    };
    if (!check_shared("data/MANIFEST.tsv"))
        skip();
    made program = {0};
    begin(&program);
    for (size_t f = 0; f < sizeof files / sizeof *files; f++)
        add(state, &program, (int)f, check_shared(files[f].path), files[f].views, files[f].truth);
    end(state, &program);
}

/* Random views of random types, packed or not, in the shapes that SciPy writes. */
static void files_that_scipy_writes(void **state)
{
    CHECK_PYTHON(
        state, "numpy,scipy.io,scipy.sparse",
        "import numpy as np, scipy.io, scipy.sparse as sp\n"
        "r = np.random.default_rng(7)\n"
        "types = ['f8', 'f4', 'i1', 'u1', 'i2', 'u2', 'i4', 'u4', 'i8', 'u8', '?']\n"
        "for k in range(12):\n"
        "    n, p = int(r.integers(20, 60)), int(r.integers(1, 6))\n"
        "    X = np.empty((1, p), dtype=object)\n"
        "    for v in range(p):\n"
        "        x = r.integers(0, 100, (n, int(r.integers(2, 20)))) * (r.random((n, 1)) < .8)\n"
        "        x = x.astype(types[int(r.integers(len(types)))])\n"
        "        x = x if r.random() < .6 else sp.random(n, x.shape[1], .3, random_state=v)\n"
        "        X[0, v] = x if r.random() < .5 else x.T\n"
        "    scipy.io.savemat('r%d.mat' % k, {'X': X, 'gt': r.integers(1, 4, (n, 1)), 'z': "
        "'text',\n"
        "                     's': {'a': 1}}, do_compression=bool(k % 2))\n");
    made program = {0};
    begin(&program);
    for (int k = 0; k < 12; k++) {
        char name[32];
        snprintf(name, sizeof name, "r%d.mat", k);
        add(state, &program, k, folder_path(state, name),
            "[x if x.shape[0] == m['gt'].size else x.T for x in m['X'].ravel()]", "m['gt']");
    }
    end(state, &program);
}

/* What the library writes is read back, to the bit. */
static void files_that_the_library_writes(void **state)
{
    enum { SAMPLES = 40, COLUMNS = 7 };
    double values[SAMPLES * COLUMNS], kept[SAMPLES * COLUMNS];
    check_random(9, 0, SAMPLES, COLUMNS, values);
    size_t start[SAMPLES + 1], count = 0;
    uint32_t column[SAMPLES * COLUMNS];
    int64_t labels[SAMPLES];
    for (size_t j = 0; j < SAMPLES; j++) {
        start[j] = count;
        labels[j] = (int64_t)(j % 3) + 4;
        for (size_t i = 0; i < COLUMNS; i++)
            if (values[j * COLUMNS + i] > 0.5) {
                column[count] = (uint32_t)i;
                kept[count++] = values[j * COLUMNS + i];
            }
    }
    start[SAMPLES] = count;
    onefold_dataset *data = NULL;
    CHECK_OK(onefold_dataset_create(&data, NULL, SAMPLES));
    CHECK_OK(onefold_dataset_add_dense(data, "a", values, COLUMNS, COLUMNS, 1));
    CHECK_OK(onefold_dataset_add_sparse(data, "b", COLUMNS, start, column, kept));
    CHECK_OK(onefold_dataset_set_truth(data, labels, NULL));
    static const char *const formats[] = {"w.mat", "w.npz"};
    for (size_t f = 0; f < 2; f++) {
        const char *path = folder_path(state, formats[f]);
        CHECK_OK(onefold_dataset_write(data, NULL, path));
        onefold_dataset *again = read_one(path, NULL);
        assert_int_equal(onefold_dataset_describe(again)->views, 2);
        for (size_t v = 0; v < 2; v++) {
            double want[SAMPLES * COLUMNS], got[SAMPLES * COLUMNS];
            assert_int_equal(ask_data_view(again, v).columns, COLUMNS);
            CHECK_OK(onefold_dataset_values(want, data, v, 0, SAMPLES));
            CHECK_OK(onefold_dataset_values(got, again, v, 0, SAMPLES));
            assert_memory_equal(want, got, sizeof want);
        }
        assert_int_equal(onefold_dataset_describe(again)->classes, 3);
        assert_memory_equal(onefold_dataset_describe(again)->truth,
                            onefold_dataset_describe(data)->truth, SAMPLES * sizeof(int32_t));
        onefold_dataset_free(again);
    }
    onefold_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(real_files, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(files_that_scipy_writes, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(files_that_the_library_writes, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
