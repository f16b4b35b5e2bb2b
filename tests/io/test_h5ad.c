/* SPDX-License-Identifier: Apache-2.0 */
/* Files of single cells: .h5ad as anndata writes it, .h5mu as its specification has it, written by
 * h5py. What is read is what was written; what cannot be read is refused. */
#include "support/ask.h"
#include "support/check.h"
#include "support/folder.h"
#include "support/made.h"
#include "support/views_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef ONEFOLD_WITH_HDF5

/* 40 cells x 6 genes; cell j has the label j % 4. */
static const char writer[] =
    "import warnings; warnings.simplefilter('ignore')\n"
    "import anndata, h5py, numpy as np, pandas as pd, scipy.sparse as sp\n"
    "from anndata.experimental import write_elem\n"
    "n, p = 40, 6\n"
    "y = np.arange(n) % 4\n"
    "dense = (np.arange(n * p).reshape(n, p) % 7 * (np.arange(p) % 2 == 0)).astype('float32')\n"
    "names = ['cell\\u00e9_%d' % j for j in range(n)]\n"
    "genes = pd.DataFrame(index=['gene%d' % i for i in range(p)])\n"
    "obs = pd.DataFrame({'cell_type': pd.Categorical(np.array(['B', 'T', 'NK', '<b>'])[y]),\n"
    "    'number': y, 'word': ['w%d' % k for k in y], 'flag': y == 1,\n"
    "    'nullable': pd.array(y, dtype='Int64'), 'truth': pd.array(y == 2, dtype='boolean'),\n"
    "    'years': pd.Categorical(1990 + y),\n"
    "    'holes': pd.array([None if j == 3 else 1 for j in range(n)], dtype='Int64'),\n"
    "    'gaps': pd.Categorical([None if j == 3 else 'a' for j in range(n)]),\n"
    "    'measure': y + 0.5}, index=names)\n"
    "cells = anndata.AnnData(sp.csr_matrix(dense), obs=obs, var=genes)\n"
    "cells.layers['by_column'] = sp.csc_matrix(dense)\n"
    "cells.layers['dense'] = dense\n"
    "cells.obsm['X_pca'] = np.arange(2.0 * n).reshape(n, 2)\n"
    "cells.obsm['frame'] = pd.DataFrame({'a': np.arange(n)}, index=names)\n"
    "def write_mudata(path, modalities, maps, order, user=512):\n"
    "    with h5py.File(path, 'w', userblock_size=user) as f:\n"
    "        f.attrs['encoding-type'] = 'MuData'\n"
    "        f.attrs['encoding-version'] = '0.1.0'\n"
    "        f.attrs['axis'] = 0\n"
    "        write_elem(f, 'obs', obs)\n"
    "        mod = f.create_group('mod')\n"
    "        for name, one in modalities.items():\n"
    "            write_elem(mod, name, one)\n"
    "        if order: mod.attrs['mod-order'] = order\n"
    "        for name, one in maps.items():\n"
    "            write_elem(f.require_group('obsmap'), name, one)\n"
    "        write_elem(f, 'obsm', {'X_all': np.arange(3.0 * n).reshape(n, 3)})\n"
    "    with open(path, 'r+b') as f:\n"
    "        f.write(b'MuData (format-version=0.1.0;creator=h5py)'.ljust(user, b'\\0'))\n"
    "cells.write_h5ad('plain.h5ad')\n"
    "cells.write_h5ad('gzip.h5ad', compression='gzip')\n"
    "order = np.random.default_rng(1).permutation(30) + 10\n"
    "other = cells[order].copy()\n"
    "where = np.zeros(n, 'uint32'); where[order] = np.arange(30) + 1\n"
    "whole = np.arange(1, n + 1, dtype='uint32')\n"
    "both = {'rna': cells, 'prot': other}\n"
    "maps = {'rna': whole, 'prot': where}\n"
    "write_mudata('a.h5mu', both, maps, ['rna', 'prot'])\n"
    "write_mudata('b.h5mu', both, maps, None, user=1024)\n"
    "write_mudata('c.h5mu', both, {'rna': whole}, ['rna', 'prot'])\n"
    "maps['prot'] = where + 40\n"
    "write_mudata('d.h5mu', both, maps, ['rna', 'prot'])\n"
    "cells.write_h5ad('a.h5ad')\n"
    "cells[np.arange(n)[::-1][:30]].copy().write_h5ad('b.h5ad')\n"
    "cells.write_h5ad('lzf.h5ad', compression='lzf')\n"
    "def filtered(name, number):\n" /* by a filter that nobody here has: its number is all there is
                                     */
    "    cells.write_h5ad(name)\n"
    "    with h5py.File(name, 'r+') as f:\n"
    "        old = f['X/data'] if isinstance(f['X'], h5py.Group) else f['X']\n"
    "        path, shape, attrs = old.name, old.shape, dict(old.attrs)\n"
    "        del f[path]\n"
    "        how = h5py.h5p.create(h5py.h5p.DATASET_CREATE)\n"
    "        how.set_chunk(shape)\n"
    "        how.set_filter(number, h5py.h5z.FLAG_OPTIONAL, (0,))\n"
    "        space = h5py.h5s.create_simple(shape)\n"
    "        new = h5py.h5d.create(f.id, path.encode(), h5py.h5t.IEEE_F32LE, space, how)\n"
    "        new.write_direct_chunk((0,) * len(shape), b'x' * 40)\n"
    "        for key, value in attrs.items(): f[path].attrs[key] = value\n"
    "filtered('blosc.h5ad', 32001)\n"
    "filtered('unknown.h5ad', 40321)\n"
    "cells.write_h5ad('old.h5ad')\n"
    "with h5py.File('old.h5ad', 'r+') as f: del f.attrs['encoding-type']\n"
    "with h5py.File('none.h5', 'w') as f: f['a'] = np.arange(3)\n"
    "cells.write_h5ad('no_x.h5ad')\n"
    "with h5py.File('no_x.h5ad', 'r+') as f: del f['X']\n"
    "write_mudata('axis.h5mu', {'a': cells}, {}, ['a'])\n"
    "with h5py.File('axis.h5mu', 'r+') as f: f.attrs['axis'] = 1\n"
    "def change(name, what):\n"
    "    cells.write_h5ad(name)\n"
    "    with h5py.File(name, 'r+') as f: what(f)\n"
    "def put(f, path, at, value): f[path][at] = value\n"
    "change('1.h5ad', lambda f: put(f, 'X/indices', 3, 6))\n"
    "change('2.h5ad', lambda f: put(f, 'X/indices', 3, -1))\n"
    "change('3.h5ad', lambda f: put(f, 'X/indptr', 5, 10 ** 6))\n"
    "change('4.h5ad', lambda f: put(f, 'X/indptr', 5, 0))\n"
    "change('5.h5ad', lambda f: f['X'].attrs.__setitem__('shape', [41, 6]))\n"
    "change('6.h5ad', lambda f: f['X'].attrs.__delitem__('shape'))\n"
    "change('7.h5ad', lambda f: f['obs'].attrs.__delitem__('_index'))\n"
    "change('8.h5ad', lambda f: f.__delitem__('obs'))\n"
    "change('9.h5ad', lambda f: f.__delitem__('var/_index'))\n"
    "change('10.h5ad', lambda f: f['X'].attrs.__setitem__('shape', [40, 2 ** 60]))\n"
    "change('11.h5ad', lambda f: f['X'].attrs.__setitem__('encoding-type', 'odd'))\n"
    "change('12.h5ad', lambda f: f['X'].__delitem__('data'))\n"
    "change('code.h5ad', lambda f: put(f, 'obs/cell_type/codes', 3, 9))\n"
    "cells.write_h5ad('whole.h5ad')\n"
    "write_mudata('whole.h5mu', {'a': cells}, {}, ['a'])\n"
    "where = np.r_[np.arange(1, 31), np.zeros(10)].astype('uint32')\n"
    "write_mudata('fail.h5mu', {'a': cells, 'b': cells[:30].copy()},\n"
    "    {'a': np.arange(1, n + 1), 'b': where}, ['b', 'a'])\n";

static int written;

/* All files at once: starting Python takes longer than writing them. */
static void need_files(void **state)
{
    if (!written)
        CHECK_PYTHON(state, "anndata,h5py", writer);
    written = 1;
}

static onefold_dataset *read(const char *path, const char *views, const char *truth)
{
    onefold_dataset *data = NULL;
    onefold_read_options options = ONEFOLD_READ_OPTIONS_INIT;
    options.views = views;
    options.truth = truth;
    CHECK_OK(onefold_dataset_read(&data, NULL, &path, 1, &options));
    return data;
}

static double expected(size_t j, size_t i)
{
    return i % 2 == 0 ? (double)((6 * j + i) % 7) : 0;
}

/* The view has the 40 x 6 numbers, but for samples that lack it. */
static void check_genes(const onefold_dataset *data, size_t view, const char *name)
{
    onefold_view_info info = ONEFOLD_VIEW_INFO_INIT;
    double values[6];
    CHECK_OK(onefold_dataset_view(data, view, &info));
    assert_string_equal(info.name, name);
    assert_int_equal(info.columns, 6);
    assert_string_equal(ask_column_name(data, view, 5), "gene5");
    for (size_t j = 0; j < 40; j++) {
        if (!ask_present(data, j, view))
            continue;
        CHECK_OK(onefold_dataset_values(values, data, view, j, 1));
        for (size_t i = 0; i < 6; i++)
            CHECK_CLOSE(values[i], expected(j, i), 0, 0);
    }
}

static void check_names(const onefold_dataset *data)
{
    assert_int_equal(onefold_dataset_describe(data)->samples, 40);
    for (size_t j = 0; j < 40; j++) {
        char name[32];
        snprintf(name, sizeof name, "cell\xc3\xa9_%zu", j);
        assert_string_equal(ask_sample_name(data, j), name);
    }
}

static void matrices_of_every_encoding(void **state)
{
    need_files(state);
    static const char *const files[] = {"plain.h5ad", "gzip.h5ad"};
    for (size_t f = 0; f < 2; f++) {
        const char *path = folder_path(state, files[f]);
        onefold_dataset *data = read(path, NULL, NULL);
        assert_int_equal(onefold_dataset_describe(data)->views, 1);
        check_genes(data, 0, "X");
        check_names(data);
        assert_int_equal(onefold_dataset_describe(data)->classes, 0);
        onefold_dataset_free(data);
        data = read(path, "layers/by_column, layers/dense,obsm/X_pca,X", NULL);
        assert_int_equal(onefold_dataset_describe(data)->views, 4);
        check_genes(data, 0, "layers/by_column");
        check_genes(data, 1, "layers/dense");
        check_genes(data, 3, "X");
        check_names(data);
        double pair[2];
        CHECK_OK(onefold_dataset_values(pair, data, 2, 39, 1));
        CHECK_CLOSE(pair[0], 78, 0, 0);
        CHECK_CLOSE(pair[1], 79, 0, 0);
        assert_null(ask_column_name(data, 2, 0));
        onefold_dataset_free(data);
    }
    onefold_read_options options = ONEFOLD_READ_OPTIONS_INIT;
    options.views = "obsm/nix";
    read_fails(folder_path(state, "plain.h5ad"), &options, ONEFOLD_USAGE, "none of the views");
    options.views = "obsm/frame";
    read_fails(folder_path(state, "plain.h5ad"), &options, ONEFOLD_BAD_DATA,
               "obsm/frame: it is a table");
}

static void columns_of_every_encoding_are_truth(void **state)
{
    need_files(state);
    const char *path = folder_path(state, "a.h5ad");
    static const struct {
        const char *name, *first, *second; /* of cells 0 and 1 */
        size_t classes;
    } columns[] = {{"obs/cell_type", "B", "T", 4}, {"cell_type", "B", "T", 4},
                   {"obs/number", "0", "1", 4},    {"obs/word", "w0", "w1", 4},
                   {"obs/flag", "0", "1", 2},      {"obs/nullable", "0", "1", 4},
                   {"obs/truth", "0", "0", 2},     {"obs/years", "1990", "1991", 4}};
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
        onefold_dataset *data = read(path, NULL, columns[c].name);
        const int32_t *truth = onefold_dataset_describe(data)->truth;
        assert_non_null(truth);
        assert_int_equal(onefold_dataset_describe(data)->classes, columns[c].classes);
        assert_string_equal(onefold_dataset_describe(data)->class_names[(size_t)truth[0]],
                            columns[c].first);
        assert_string_equal(onefold_dataset_describe(data)->class_names[(size_t)truth[1]],
                            columns[c].second);
        assert_int_equal(truth[4], truth[0]);
        onefold_dataset_free(data);
    }
    static const char *const refused[][2] = {{"obs/nix", "obs has no column nix"},
                                             {"obs/holes", "1 of its 40 values are missing"},
                                             {"obs/gaps", "1 of its 40 values are missing"},
                                             {"obs/measure", "holds no labels"}};
    for (size_t c = 0; c < sizeof refused / sizeof *refused; c++) {
        onefold_dataset *data = NULL;
        onefold_read_options options = ONEFOLD_READ_OPTIONS_INIT;
        options.truth = refused[c][0];
        onefold_status status = onefold_dataset_read(&data, NULL, &path, 1, &options);
        assert_true(status == ONEFOLD_BAD_DATA || status == ONEFOLD_USAGE);
        assert_non_null(strstr(onefold_last_error(), refused[c][1]));
    }
}

static void modalities_are_views(void **state)
{
    need_files(state);
    const char *path = folder_path(state, "a.h5mu");
    onefold_dataset *data = read(path, NULL, "obs/cell_type");
    assert_int_equal(onefold_dataset_describe(data)->views, 2);
    check_names(data);
    check_genes(data, 0, "rna");
    check_genes(data, 1, "prot");
    for (size_t j = 0; j < 40; j++) {
        assert_true(ask_present(data, j, 0));
        assert_int_equal(ask_present(data, j, 1), j >= 10);
    }
    assert_int_equal(onefold_dataset_describe(data)->classes, 4);
    onefold_dataset_free(data);
    data = read(path, "mod/prot/layers/dense,rna,rna/obsm/X_pca,obsm/X_all", NULL);
    assert_int_equal(onefold_dataset_describe(data)->views, 4);
    check_genes(data, 0, "mod/prot/layers/dense");
    check_genes(data, 1, "rna");
    onefold_dataset_free(data);
    data = read(path, "1", NULL);
    check_genes(data, 0, "rna");
    onefold_dataset_free(data);
    onefold_read_options options = ONEFOLD_READ_OPTIONS_INIT;
    options.views = "prot";
    read_fails(path, &options, ONEFOLD_BAD_DATA, "sample 1 lacks every view");
    read_fails(folder_path(state, "b.h5mu"), NULL, ONEFOLD_BAD_DATA, "b.h5mu: ");
    read_fails(folder_path(state, "c.h5mu"), NULL, ONEFOLD_BAD_DATA,
               "mod/prot: it has 30 of the 40 samples");
    read_fails(folder_path(state, "d.h5mu"), NULL, ONEFOLD_BAD_DATA, "obsmap/prot");
}

static void files_of_cells_match_by_name(void **state)
{
    need_files(state);
    const char *paths[2] = {folder_path(state, "a.h5ad"), folder_path(state, "b.h5ad")};
    onefold_dataset *data = NULL;
    CHECK_OK(onefold_dataset_read(&data, NULL, paths, 2, NULL));
    check_names(data);
    check_genes(data, 1, "X");
    assert_false(ask_present(data, 3, 1));
    assert_true(ask_present(data, 39, 1));
    onefold_dataset_free(data);
}

static void what_cannot_be_read_is_refused_with_what_to_do(void **state)
{
    need_files(state);
    read_fails(folder_path(state, "lzf.h5ad"), NULL, ONEFOLD_UNSUPPORTED, "filter 32000, lzf");
    assert_non_null(strstr(onefold_last_hint(), "gzip"));
    read_fails(folder_path(state, "blosc.h5ad"), NULL, ONEFOLD_UNSUPPORTED, "filter 32001");
    assert_non_null(strstr(onefold_last_hint(), "gzip"));
    read_fails(folder_path(state, "unknown.h5ad"), NULL, ONEFOLD_UNSUPPORTED,
               "compressed by HDF5's filter 40321");
    read_fails(folder_path(state, "old.h5ad"), NULL, ONEFOLD_UNSUPPORTED, "anndata before 0.8");
    assert_non_null(strstr(onefold_last_hint(), "write_h5ad"));
    read_fails(folder_path(state, "none.h5"), NULL, ONEFOLD_UNSUPPORTED, "neither MATLAB's nor");
    read_fails(folder_path(state, "no_x.h5ad"), NULL, ONEFOLD_BAD_DATA, "it has no X");
    assert_non_null(strstr(onefold_last_hint(), "obsm/X_pca"));
    read_fails(folder_path(state, "axis.h5mu"), NULL, ONEFOLD_UNSUPPORTED, "share variables");
}

static void contradictions_are_refused(void **state)
{
    need_files(state);
    for (int k = 1; k <= 12; k++) {
        char name[16];
        snprintf(name, sizeof name, "%d.h5ad", k);
        read_fails(folder_path(state, name), NULL, ONEFOLD_BAD_DATA, name);
    }
    onefold_dataset *data = NULL;
    onefold_read_options options = ONEFOLD_READ_OPTIONS_INIT;
    const char *path = folder_path(state, "code.h5ad");
    options.truth = "obs/cell_type";
    CHECK_FAILS(onefold_dataset_read(&data, NULL, &path, 1, &options), ONEFOLD_BAD_DATA,
                "obs/cell_type: it cannot be read");
}

static void truncated_files_are_refused(void **state)
{
    need_files(state);
    static const char *const files[] = {"whole.h5ad", "whole.h5mu"};
    for (size_t f = 0; f < 2; f++) {
        made bytes = {0};
        size_t size;
        char *whole = folder_read(folder_path(state, files[f]), &size);
        made_put(&bytes, whole, size);
        const char *cut = folder_path(state, "cut.h5ad");
        for (size_t part = 520; part < size; part += 1511) {
            made_save_part(&bytes, part, cut);
            read_fails(cut, NULL, ONEFOLD_BAD_DATA, "truncated");
        }
        free(whole);
        made_free(&bytes);
    }
}

static void every_allocation_may_fail(void **state)
{
    need_files(state);
    const char *path = folder_path(state, "fail.h5mu");
    onefold_read_options options = ONEFOLD_READ_OPTIONS_INIT;
    options.truth = "obs/cell_type";
    every_allocation_fails(&path, 1, &options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrices_of_every_encoding),
        cmocka_unit_test(columns_of_every_encoding_are_truth),
        cmocka_unit_test(modalities_are_views),
        cmocka_unit_test(files_of_cells_match_by_name),
        cmocka_unit_test(what_cannot_be_read_is_refused_with_what_to_do),
        cmocka_unit_test(contradictions_are_refused),
        cmocka_unit_test(truncated_files_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}

#else

static void such_files_are_left_out_of_this_build(void **state)
{
    made file = {0};
    made_put(&file, "\x89HDF\r\n\x1a\n", 8);
    const char *path = folder_path(state, "x.h5ad");
    made_save(&file, path);
    read_fails(path, NULL, ONEFOLD_UNSUPPORTED, "this build cannot read HDF5 files");
    made_free(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(
        such_files_are_left_out_of_this_build, folder_make, folder_remove)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
