/* SPDX-License-Identifier: Apache-2.0 */
/* Files of single cells for tests. */
#include "support/made_cells.h"

#include "support/check.h"
#include "support/folder.h"

#ifdef ONEFOLD_WITH_HDF5

const double cells_numbers[CELLS * GENES] = {1, 2, 3, 4, 5, 6, 7, 8};
const char *const cells_names[CELLS] = {"a", "b", "c", "d"};
const char *const cells_genes[GENES] = {"g", "h"};

hid_t cells_text_type(size_t size)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size ? size : H5T_VARIABLE);
    return type;
}

void cells_set_texts(hid_t object, const char *name, const char *const *texts, size_t count,
                     size_t size)
{
    hsize_t side = count;
    hid_t type = cells_text_type(size),
          space = count ? H5Screate_simple(1, &side, NULL) : H5Screate(H5S_SCALAR);
    if (H5Aexists(object, name) > 0)
        H5Adelete(object, name);
    hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(attribute, type, size ? (const void *)texts[0] : (const void *)texts) >=
                0);
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
}

void cells_set_text(hid_t object, const char *name, const char *text)
{
    cells_set_texts(object, name, &text, 0, 0);
}

void cells_set_numbers(hid_t object, const char *name, const double *values, size_t count)
{
    hsize_t side = count;
    hid_t space = H5Screate_simple(1, &side, NULL);
    if (H5Aexists(object, name) > 0)
        H5Adelete(object, name);
    hid_t attribute = H5Acreate2(object, name, H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(attribute, H5T_NATIVE_DOUBLE, values) >= 0);
    H5Aclose(attribute);
    H5Sclose(space);
}

void cells_put(hid_t where, const char *path, hid_t type, hid_t native, int rank,
               const hsize_t *sides, const void *values, const char *encoding)
{
    if (H5Lexists(where, path, H5P_DEFAULT) > 0)
        H5Ldelete(where, path, H5P_DEFAULT);
    hid_t space = rank ? H5Screate_simple(rank, sides, NULL) : H5Screate(H5S_SCALAR);
    hid_t set = H5Dcreate2(where, path, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(set >= 0);
    if (values)
        assert_true(H5Dwrite(set, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    if (*encoding)
        cells_set_text(set, "encoding-type", encoding);
    H5Dclose(set);
    H5Sclose(space);
}

void cells_put_numbers(hid_t where, const char *path, size_t rows, size_t columns,
                       const double *values, const char *encoding)
{
    cells_put(where, path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, columns ? 2 : 1,
              (hsize_t[]){rows, columns}, values, encoding);
}

void cells_put_texts(hid_t where, const char *path, size_t count, const char *const *texts)
{
    hid_t type = cells_text_type(0);
    cells_put(where, path, type, type, 1, (hsize_t[]){count}, texts, "string-array");
    H5Tclose(type);
}

hid_t cells_put_group(hid_t where, const char *path, const char *encoding)
{
    if (H5Lexists(where, path, H5P_DEFAULT) > 0)
        H5Ldelete(where, path, H5P_DEFAULT);
    hid_t group = H5Gcreate2(where, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (*encoding)
        cells_set_text(group, "encoding-type", encoding);
    return group;
}

void cells_put_frame(hid_t where, const char *path, size_t count, const char *const *names)
{
    hid_t group = cells_put_group(where, path, "dataframe");
    cells_set_text(group, "_index", "_index");
    cells_put_texts(group, "_index", count, names);
    H5Gclose(group);
}

void cells_put_whole(hid_t where)
{
    cells_set_text(where, "encoding-type", "anndata");
    cells_put_frame(where, "obs", CELLS, cells_names);
    cells_put_frame(where, "var", GENES, cells_genes);
    cells_put_numbers(where, "X", CELLS, GENES, cells_numbers, "array");
}

void cells_put_modality(hid_t where, const char *name, size_t rows)
{
    hid_t group = cells_put_group(where, name, "");
    cells_set_text(group, "encoding-type", "anndata");
    cells_put_frame(group, "obs", rows, cells_names);
    cells_put_frame(group, "var", GENES, cells_genes);
    cells_put_numbers(group, "X", rows, GENES, cells_numbers, "array");
    H5Gclose(group);
}

void cells_make_mudata(hid_t file)
{
    cells_set_text(file, "encoding-type", "MuData");
    cells_put_frame(file, "obs", CELLS, cells_names);
    H5Ldelete(file, "X", H5P_DEFAULT);
    H5Ldelete(file, "var", H5P_DEFAULT);
    hid_t modalities = cells_put_group(file, "mod", "");
    cells_put_modality(modalities, "one", CELLS);
    cells_put_modality(modalities, "two", CELLS);
    H5Gclose(modalities);
}

void cells_put_sparse(hid_t file)
{
    static const double start[] = {0, 1, 2, 3, 4}, index[] = {0, 0, 0, 0}, one[] = {1, 1, 1, 1};
    hid_t group = cells_put_group(file, "X", "csr_matrix");
    cells_set_numbers(group, "shape", (double[]){CELLS, GENES}, 2);
    cells_put_numbers(group, "indptr", 5, 0, start, "array");
    cells_put_numbers(group, "indices", 4, 0, index, "array");
    cells_put_numbers(group, "data", 4, 0, one, "array");
    H5Gclose(group);
}

void cells_put_nullable(hid_t file, size_t values, size_t mask)
{
    static const double zeros[CELLS];
    hid_t group = cells_put_group(file, "obs/kind", "nullable-integer");
    cells_put_numbers(group, "values", values, 0, cells_numbers, "array");
    cells_put_numbers(group, "mask", mask, 0, zeros, "array");
    H5Gclose(group);
}

void cells_put_map(hid_t file, size_t count, const double *rows)
{
    cells_make_mudata(file);
    H5Gclose(cells_put_group(file, "obsmap", ""));
    cells_put_numbers(file, "obsmap/one", count, 0, rows, "array");
}

void cells_put_codes(hid_t file, const double *codes, int words)
{
    hid_t group = cells_put_group(file, "obs/kind", "categorical");
    cells_put_numbers(group, "codes", CELLS, 0, codes, "array");
    if (words)
        cells_put_texts(group, "categories", 2, cells_genes);
    else
        cells_put_numbers(group, "categories", 2, 0, (double[]){1990, 1991}, "array");
    H5Gclose(group);
}

void cells_put_masked(hid_t file, const double *mask)
{
    cells_put_nullable(file, CELLS, CELLS);
    cells_put_numbers(file, "obs/kind/values", CELLS, 0, (double[]){3, 4, 4, 3}, "array");
    cells_put_numbers(file, "obs/kind/mask", CELLS, 0, mask, "array");
}

void cells_no_change(hid_t file)
{
    (void)file;
}

const char *cells_file(void **state, void (*change)(hid_t file))
{
    const char *path = folder_path(state, "made.h5ad");
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(file >= 0);
    cells_put_whole(file);
    change(file);
    assert_true(H5Fclose(file) >= 0);
    return path;
}

onefold_read_options cells_asked(const char *views, const char *truth)
{
    onefold_read_options options = ONEFOLD_READ_OPTIONS_INIT;
    options.views = views;
    options.truth = truth;
    return options;
}

#endif
