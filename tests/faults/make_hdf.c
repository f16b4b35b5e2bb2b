/* SPDX-License-Identifier: Apache-2.0 */
/* make_hdf MAT [H5AD [H5MU]]: writes files that only HDF5 can, for the runs with faults: a
 * MATLAB 7.3 file of two views of 60 samples, cells as anndata has them, and two kinds of them as
 * MuData has. */
#include <hdf5.h>
#include <stdio.h>
#include <string.h>

enum { SAMPLES = 60, COLUMNS = 4, HEAD = 512, GENES = 6 };

static int write_mat(const char *path)
{
    static double values[SAMPLES * COLUMNS];
    static const char *const names[] = {"A", "B"};
    char head[HEAD] = "MATLAB 7.3 MAT-file";
    hid_t how = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_userblock(how, HEAD);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, how, H5P_DEFAULT);
    hsize_t sides[2] = {COLUMNS, SAMPLES};
    hid_t space = H5Screate_simple(2, sides, NULL);
    for (int v = 0; v < 2; v++) {
        for (int i = 0; i < SAMPLES * COLUMNS; i++)
            values[i] = (i % SAMPLES) % 3 * 5 + 0.1 * ((i * 7 + v) % 11);
        hid_t set = H5Dcreate2(file, names[v], H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT,
                               H5P_DEFAULT);
        if (H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
            return 1;
        H5Dclose(set);
    }
    H5Sclose(space);
    H5Fclose(file);
    H5Pclose(how);
    memcpy(head + 124, "\0\2IM", 4);
    FILE *out = fopen(path, "r+b");
    if (!out || fwrite(head, 1, HEAD, out) != HEAD)
        return 1;
    return fclose(out) != 0;
}

/* ---- cells ---------------------------------------------------------------------------------- */

static hid_t text_type(void)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

static void attribute(hid_t of, const char *name, hid_t type, hsize_t count, const void *value)
{
    hid_t space = count ? H5Screate_simple(1, &count, NULL) : H5Screate(H5S_SCALAR);
    hid_t made = H5Acreate2(of, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(made, type, value);
    H5Aclose(made);
    H5Sclose(space);
}

static void encode(hid_t of, const char *encoding)
{
    const char *version = "0.2.0";
    attribute(of, "encoding-type", text_type(), 0, &encoding);
    attribute(of, "encoding-version", text_type(), 0, &version);
}

static hid_t group(hid_t parent, const char *name, const char *encoding)
{
    hid_t made = H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    encode(made, encoding);
    return made;
}

static void array(hid_t parent, const char *name, hid_t type, hsize_t rows, hsize_t columns,
                  const void *values)
{
    hsize_t sides[2] = {rows, columns};
    hid_t space = H5Screate_simple(columns ? 2 : 1, sides, NULL);
    hid_t made = H5Dcreate2(parent, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(made, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    encode(made, H5Tget_class(type) == H5T_STRING ? "string-array" : "array");
    H5Dclose(made);
    H5Sclose(space);
}

/* A table whose rows are named, with a column of three kinds where `kind` is not 0. */
static void table(hid_t parent, const char *name, const char *row, int rows, int kind)
{
    static char texts[SAMPLES][16];
    static signed char codes[SAMPLES];
    const char *names[SAMPLES], *index = "_index", *kinds[] = {"B", "NK", "T"}, *column = "kind";
    hid_t made = group(parent, name, "dataframe");
    for (int i = 0; i < rows; i++) {
        snprintf(texts[i], sizeof texts[i], "%s%d", row, i);
        names[i] = texts[i];
        codes[i] = (signed char)(i % 3);
    }
    attribute(made, "_index", text_type(), 0, &index);
    attribute(made, "column-order", text_type(), kind ? 1 : 0, &column);
    array(made, "_index", text_type(), (hsize_t)rows, 0, names);
    if (kind) {
        hid_t list = group(made, "kind", "categorical");
        unsigned char ordered = 0;
        attribute(list, "ordered", H5T_NATIVE_UCHAR, 0, &ordered);
        array(list, "codes", H5T_NATIVE_SCHAR, (hsize_t)rows, 0, codes);
        array(list, "categories", text_type(), 3, 0, kinds);
        H5Gclose(list);
    }
    H5Gclose(made);
}

static void cells(hid_t at, const char *gene)
{
    static double values[2 * SAMPLES], whole[SAMPLES * 2];
    static long long columns[2 * SAMPLES], starts[SAMPLES + 1], shape[2] = {SAMPLES, GENES};
    for (int j = 0; j < SAMPLES; j++) {
        for (int e = 0; e < 2; e++) {
            columns[2 * j + e] = e ? 3 + j % 2 : j % 3;
            values[2 * j + e] = 1 + (j * 7 + e) % 5;
            whole[2 * j + e] = j % 3 * 4 + 0.1 * ((j + e) % 7);
        }
        starts[j + 1] = 2 * j + 2;
    }
    table(at, "obs", "cell", SAMPLES, 1);
    table(at, "var", gene, GENES, 0);
    hid_t X = group(at, "X", "csr_matrix");
    attribute(X, "shape", H5T_NATIVE_LLONG, 2, shape);
    array(X, "data", H5T_NATIVE_DOUBLE, 2 * SAMPLES, 0, values);
    array(X, "indices", H5T_NATIVE_LLONG, 2 * SAMPLES, 0, columns);
    array(X, "indptr", H5T_NATIVE_LLONG, SAMPLES + 1, 0, starts);
    H5Gclose(X);
    hid_t more = group(at, "obsm", "dict");
    array(more, "X_pca", H5T_NATIVE_DOUBLE, SAMPLES, 2, whole);
    H5Gclose(more);
}

static int write_cells(const char *path)
{
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    encode(file, "anndata");
    cells(file, "gene");
    return H5Fclose(file) < 0;
}

static int write_kinds(const char *path)
{
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    encode(file, "MuData");
    table(file, "obs", "cell", SAMPLES, 1);
    hid_t both = group(file, "mod", "dict");
    for (int m = 0; m < 2; m++) {
        hid_t one = group(both, m ? "prot" : "rna", "anndata");
        cells(one, m ? "protein" : "gene");
        H5Gclose(one);
    }
    H5Gclose(both);
    return H5Fclose(file) < 0;
}

int main(int count, char **words)
{
    if (count < 2)
        return 2;
    return write_mat(words[1]) || (count > 2 && write_cells(words[2])) ||
           (count > 3 && write_kinds(words[3]));
}
