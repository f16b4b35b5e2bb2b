/* SPDX-License-Identifier: Apache-2.0 */
/* Files of single cells made by HDF5 itself, right but for one thing: what the readers take that
 * anndata does not write, and what they refuse, each by its sentence. */
#include "support/check.h"
#include "support/folder.h"
#include "support/made.h"
#include "support/views_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef ONEFOLD_WITH_HDF5

#include <hdf5.h>

enum { CELLS = 4, GENES = 2, MANY = 14 };

static const double numbers[CELLS * GENES] = {1, 2, 3, 4, 5, 6, 7, 8};
static const char *const cells[] = {"a", "b", "c", "d"};
static const char *const genes[] = {"g", "h"};

/* ---- parts of a file ---------------------------------------------------------------------- */

static hid_t text_type(size_t size)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size ? size : H5T_VARIABLE);
    return type;
}

/* An attribute of texts: one, or a list of `count`; of `size` bytes each, or 0: as they are. */
static void set_texts(hid_t object, const char *name, const char *const *texts, size_t count,
                      size_t size)
{
    hsize_t side = count;
    hid_t type = text_type(size),
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

static void set_text(hid_t object, const char *name, const char *text)
{
    set_texts(object, name, &text, 0, 0);
}

static void set_numbers(hid_t object, const char *name, const double *values, size_t count)
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

/* A dataset with its encoding ("": none); rank sides. */
static void put(hid_t where, const char *path, hid_t type, hid_t native, int rank,
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
        set_text(set, "encoding-type", encoding);
    H5Dclose(set);
    H5Sclose(space);
}

static void put_numbers(hid_t where, const char *path, size_t rows, size_t columns,
                        const double *values, const char *encoding)
{
    put(where, path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, columns ? 2 : 1, (hsize_t[]){rows, columns},
        values, encoding);
}

static void put_texts(hid_t where, const char *path, size_t count, const char *const *texts)
{
    hid_t type = text_type(0);
    put(where, path, type, type, 1, (hsize_t[]){count}, texts, "string-array");
    H5Tclose(type);
}

static hid_t put_group(hid_t where, const char *path, const char *encoding)
{
    if (H5Lexists(where, path, H5P_DEFAULT) > 0)
        H5Ldelete(where, path, H5P_DEFAULT);
    hid_t group = H5Gcreate2(where, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (*encoding)
        set_text(group, "encoding-type", encoding);
    return group;
}

static void put_frame(hid_t where, const char *path, size_t count, const char *const *names)
{
    hid_t group = put_group(where, path, "dataframe");
    set_text(group, "_index", "_index");
    put_texts(group, "_index", count, names);
    H5Gclose(group);
}

/* obs, var, X. */
static void put_cells(hid_t where)
{
    set_text(where, "encoding-type", "anndata");
    put_frame(where, "obs", CELLS, cells);
    put_frame(where, "var", GENES, genes);
    put_numbers(where, "X", CELLS, GENES, numbers, "array");
}

static void put_modality(hid_t where, const char *name, size_t rows)
{
    hid_t group = put_group(where, name, "");
    set_text(group, "encoding-type", "anndata");
    put_frame(group, "obs", rows, cells);
    put_frame(group, "var", GENES, genes);
    put_numbers(group, "X", rows, GENES, numbers, "array");
    H5Gclose(group);
}

/* Two modalities of all cells, in no order, without maps. */
static void make_mudata(hid_t file)
{
    set_text(file, "encoding-type", "MuData");
    put_frame(file, "obs", CELLS, cells);
    H5Ldelete(file, "X", H5P_DEFAULT);
    H5Ldelete(file, "var", H5P_DEFAULT);
    hid_t modalities = put_group(file, "mod", "");
    put_modality(modalities, "one", CELLS);
    put_modality(modalities, "two", CELLS);
    H5Gclose(modalities);
}

/* A sparse matrix of 4 x 2 at X: 1 in each row's first column. */
static void put_sparse(hid_t file)
{
    static const double start[] = {0, 1, 2, 3, 4}, index[] = {0, 0, 0, 0}, one[] = {1, 1, 1, 1};
    hid_t group = put_group(file, "X", "csr_matrix");
    set_numbers(group, "shape", (double[]){CELLS, GENES}, 2);
    put_numbers(group, "indptr", 5, 0, start, "array");
    put_numbers(group, "indices", 4, 0, index, "array");
    put_numbers(group, "data", 4, 0, one, "array");
    H5Gclose(group);
}

static void put_nullable(hid_t file, size_t values, size_t mask)
{
    static const double zeros[CELLS];
    hid_t group = put_group(file, "obs/kind", "nullable-integer");
    put_numbers(group, "values", values, 0, numbers, "array");
    put_numbers(group, "mask", mask, 0, zeros, "array");
    H5Gclose(group);
}

/* ---- changes: what is taken --------------------------------------------------------------- */

static void many_columns(hid_t file)
{
    char name[64];
    hid_t old = put_group(file, "obs/__categories", "");
    H5Gclose(old);
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "obs/column_%02d_with_a_name_of_forty_letters_", i);
        put_numbers(file, name, CELLS, 0, numbers, "array");
    }
}

static void short_columns(hid_t file)
{
    char name[32];
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "obs/c%02d", i);
        put_numbers(file, name, CELLS, 0, numbers, "array");
    }
}

static void numbered_names(hid_t file)
{
    put_numbers(file, "obs/_index", CELLS, 0, (double[]){7, 8.5, 9, 10}, "array");
}

static void fixed_texts(hid_t file)
{
    hid_t type = text_type(3);
    put(file, "obs/_index", type, type, 1, (hsize_t[]){CELLS}, "abcx\0\0y\0\0z\0", "string-array");
    H5Tclose(type);
}

static void fixed_encoding(hid_t file)
{
    set_texts(file, "encoding-type", (const char *[]){"anndata"}, 0, 7);
}

static void never_written(hid_t file)
{
    put_numbers(file, "X", CELLS, GENES, NULL, "array");
}

static void within_its_header(hid_t file)
{
    H5Ldelete(file, "X", H5P_DEFAULT);
    hid_t how = H5Pcreate(H5P_DATASET_CREATE),
          space = H5Screate_simple(2, (hsize_t[]){CELLS, GENES}, NULL);
    H5Pset_layout(how, H5D_COMPACT);
    hid_t set = H5Dcreate2(file, "X", H5T_IEEE_F64LE, space, H5P_DEFAULT, how, H5P_DEFAULT);
    H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers);
    set_text(set, "encoding-type", "array");
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(how);
}

static void no_encoding_of_the_file(hid_t file)
{
    make_mudata(file);
    H5Adelete(file, "encoding-type");
}

static void other_case(hid_t file)
{
    make_mudata(file);
    set_text(file, "encoding-type", "mudata");
}

static void order_that_is_none(hid_t file)
{
    make_mudata(file);
    hid_t modalities = H5Gopen2(file, "mod", H5P_DEFAULT);
    set_texts(modalities, "mod-order", (const char *[]){"two"}, 1, 0);
    H5Gclose(modalities);
}

static void order_of_fixed_texts(hid_t file)
{
    make_mudata(file);
    hid_t modalities = H5Gopen2(file, "mod", H5P_DEFAULT);
    set_texts(modalities, "mod-order", (const char *[]){"twoone"}, 2, 3);
    H5Gclose(modalities);
}

static void order_of_numbers(hid_t file)
{
    make_mudata(file);
    hid_t modalities = H5Gopen2(file, "mod", H5P_DEFAULT);
    set_numbers(modalities, "mod-order", (double[]){2, 1}, 2);
    H5Gclose(modalities);
}

static void ordered(hid_t file)
{
    make_mudata(file);
    hid_t modalities = H5Gopen2(file, "mod", H5P_DEFAULT);
    set_texts(modalities, "mod-order", (const char *[]){"two", "one"}, 2, 0);
    H5Gclose(modalities);
}

/* Two axes: not a number that means anything. */
static void axes(hid_t file)
{
    make_mudata(file);
    set_numbers(file, "axis", (double[]){1, 1}, 2);
}

static void words_as_axis(hid_t file)
{
    make_mudata(file);
    set_text(file, "axis", "1");
}

/* ---- changes: what is refused ------------------------------------------------------------- */

static void no_change(hid_t file)
{
    (void)file;
}

static void only_obs(hid_t file)
{
    H5Ldelete(file, "X", H5P_DEFAULT);
}

static void layers_of_long_names(hid_t file)
{
    char name[128];
    H5Ldelete(file, "X", H5P_DEFAULT);
    H5Gclose(put_group(file, "layers", ""));
    for (int i = 0; i < 8; i++) {
        snprintf(name, sizeof name, "layers/%d_%0*d", i, 80, 0);
        put_numbers(file, name, CELLS, GENES, numbers, "array");
    }
}

static void layers_not_a_group(hid_t file)
{
    put_numbers(file, "layers", 1, 0, numbers, "array");
}

static void a_layer_of_an_endless_name(hid_t file)
{
    char name[400];
    H5Gclose(put_group(file, "layers", ""));
    snprintf(name, sizeof name, "layers/%0*d", 300, 0);
    put_numbers(file, name, CELLS, GENES, numbers, "array");
}

static void rows_short(hid_t file)
{
    put_numbers(file, "X", CELLS - 1, GENES, numbers, "array");
}

static void columns_short(hid_t file)
{
    put_numbers(file, "X", CELLS, 1, numbers, "array");
}

static void a_group_as_array(hid_t file)
{
    H5Gclose(put_group(file, "X", "array"));
}

static void one_side(hid_t file)
{
    put_numbers(file, "X", CELLS, 0, numbers, "array");
}

static void three_sides(hid_t file)
{
    put(file, "X", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 3, (hsize_t[]){2, 2, 2}, numbers, "array");
}

static void no_side(hid_t file)
{
    put(file, "X", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 0, NULL, numbers, "array");
}

static void sides_beyond_memory(hid_t file)
{
    put(file, "X", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2,
        (hsize_t[]){(hsize_t)1 << 40, (hsize_t)1 << 20}, NULL, "array");
}

static void larger_than_the_file_can_hold(hid_t file)
{
    put(file, "X", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2, (hsize_t[]){(hsize_t)1 << 33, 2}, NULL,
        "array");
}

static void enum_of_two_bytes(hid_t file)
{
    hid_t type = H5Tenum_create(H5T_STD_I16LE);
    short one = 1;
    H5Tenum_insert(type, "one", &one);
    put(file, "X", type, type, 2, (hsize_t[]){1, 1}, &one, "array");
    H5Tclose(type);
}

static void empty(hid_t file)
{
    put_numbers(file, "X", CELLS, 0, numbers, "array");
    put(file, "X", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2, (hsize_t[]){CELLS, 0}, NULL, "array");
}

static void without_encoding(hid_t file)
{
    put_numbers(file, "X", CELLS, GENES, numbers, "");
}

static void encoded_by_numbers(hid_t file)
{
    hid_t set = H5Dopen2(file, "X", H5P_DEFAULT);
    set_numbers(set, "encoding-type", numbers, 1);
    H5Dclose(set);
}

static void encoded_twice(hid_t file)
{
    hid_t set = H5Dopen2(file, "X", H5P_DEFAULT);
    set_texts(set, "encoding-type", (const char *[]){"array", "array"}, 2, 0);
    H5Dclose(set);
}

static void encoded_by_nothing(hid_t file)
{
    hid_t set = H5Dopen2(file, "X", H5P_DEFAULT);
    set_texts(set, "encoding-type", (const char *[]){NULL}, 0, 0);
    H5Dclose(set);
}

static void encoded_at_length(hid_t file)
{
    char word[600];
    memset(word, 'x', sizeof word);
    word[599] = '\0';
    hid_t set = H5Dopen2(file, "X", H5P_DEFAULT);
    set_text(set, "encoding-type", word);
    H5Dclose(set);
}

static void encoded_at_fixed_length(hid_t file)
{
    char word[600];
    const char *start = word;
    memset(word, 'x', sizeof word);
    hid_t set = H5Dopen2(file, "X", H5P_DEFAULT);
    set_texts(set, "encoding-type", &start, 0, sizeof word);
    H5Dclose(set);
}

static void shape_of_three(hid_t file)
{
    put_sparse(file);
    hid_t group = H5Gopen2(file, "X", H5P_DEFAULT);
    set_numbers(group, "shape", (double[]){CELLS, GENES, 1}, 3);
    H5Gclose(group);
}

static void shape_of_words(hid_t file)
{
    put_sparse(file);
    hid_t group = H5Gopen2(file, "X", H5P_DEFAULT);
    set_texts(group, "shape", (const char *[]){"4", "2"}, 2, 0);
    H5Gclose(group);
}

static void no_columns(hid_t file)
{
    put_sparse(file);
    hid_t group = H5Gopen2(file, "X", H5P_DEFAULT);
    set_numbers(group, "shape", (double[]){CELLS, 0}, 2);
    H5Gclose(group);
}

static void no_rows(hid_t file)
{
    put_sparse(file);
    hid_t group = H5Gopen2(file, "X", H5P_DEFAULT);
    set_numbers(group, "shape", (double[]){0, GENES}, 2);
    H5Gclose(group);
}

static void fewer_values_than_indices(hid_t file)
{
    put_sparse(file);
    put_numbers(file, "X/data", 3, 0, numbers, "array");
}

static void values_of_three_sides(hid_t file)
{
    put_sparse(file);
    put(file, "X/data", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 3, (hsize_t[]){1, 2, 2}, numbers,
        "array");
}

static void values_that_are_texts(hid_t file)
{
    put_sparse(file);
    put_texts(file, "X/data", CELLS, cells);
}

static void names_of_three_sides(hid_t file)
{
    hid_t type = text_type(1);
    put(file, "obs/_index", type, type, 3, (hsize_t[]){1, 2, 2}, "abcd", "string-array");
    H5Tclose(type);
}

static void names_without_end(hid_t file)
{
    hid_t type = text_type(1);
    put(file, "obs/_index", type, type, 1, (hsize_t[]){(hsize_t)1 << 36}, NULL, "string-array");
    H5Tclose(type);
}

static void names_of_no_encoding(hid_t file)
{
    put_numbers(file, "obs/_index", CELLS, 0, numbers, "");
}

static void names_of_another_encoding(hid_t file)
{
    put_numbers(file, "obs/_index", CELLS, 0, numbers, "rec-array");
}

static void names_in_two_categories(hid_t file)
{
    put_numbers(file, "obs/_index", CELLS, 0, numbers, "categorical");
}

static void a_short_column(hid_t file)
{
    put_numbers(file, "obs/kind", CELLS - 1, 0, numbers, "array");
}

static void a_short_mask(hid_t file)
{
    put_nullable(file, CELLS, CELLS - 1);
}

static void no_mask(hid_t file)
{
    put_nullable(file, CELLS, CELLS);
    H5Ldelete(file, "obs/kind/mask", H5P_DEFAULT);
}

static void no_values(hid_t file)
{
    put_nullable(file, CELLS, CELLS);
    H5Ldelete(file, "obs/kind/values", H5P_DEFAULT);
}

static void no_modalities(hid_t file)
{
    make_mudata(file);
    H5Ldelete(file, "mod", H5P_DEFAULT);
}

static void a_modality_that_is_none(hid_t file)
{
    make_mudata(file);
    put_numbers(file, "mod/two", 1, 0, numbers, "array");
}

static void a_modality_of_another_encoding(hid_t file)
{
    make_mudata(file);
    hid_t group = H5Gopen2(file, "mod/two", H5P_DEFAULT);
    set_text(group, "encoding-type", "raw");
    H5Gclose(group);
}

static void an_order_with_a_hole(hid_t file)
{
    make_mudata(file);
    hid_t modalities = H5Gopen2(file, "mod", H5P_DEFAULT);
    set_texts(modalities, "mod-order", (const char *[]){"one", NULL}, 2, 0);
    H5Gclose(modalities);
}

static void put_map(hid_t file, size_t count, const double *rows)
{
    make_mudata(file);
    H5Gclose(put_group(file, "obsmap", ""));
    put_numbers(file, "obsmap/one", count, 0, rows, "array");
}

static void a_short_map(hid_t file)
{
    put_map(file, CELLS - 1, (double[]){1, 2, 3});
}

static void a_map_below_zero(hid_t file)
{
    put_map(file, CELLS, (double[]){1, -2, 3, 4});
}

static void a_map_that_lacks_one(hid_t file)
{
    put_map(file, CELLS, (double[]){1, 2, 3, 0});
}

/* ---- changes: columns of the table of cells, filters, maps ---------------------------------- */

static void put_codes(hid_t file, const double *codes, int words)
{
    hid_t group = put_group(file, "obs/kind", "categorical");
    put_numbers(group, "codes", CELLS, 0, codes, "array");
    if (words)
        put_texts(group, "categories", 2, genes);
    else
        put_numbers(group, "categories", 2, 0, (double[]){1990, 1991}, "array");
    H5Gclose(group);
}

static void kinds_by_words(hid_t file)
{
    put_codes(file, (double[]){0, 1, 1, 0}, 1);
}

static void kinds_by_numbers(hid_t file)
{
    put_codes(file, (double[]){0, 1, 1, 0}, 0);
}

static void kinds_beyond(hid_t file)
{
    put_codes(file, (double[]){0, 1, 2, 0}, 1);
}

static void kinds_of_some(hid_t file)
{
    put_codes(file, (double[]){0, -1, 1, -1}, 0);
}

static void put_masked(hid_t file, const double *mask)
{
    put_nullable(file, CELLS, CELLS);
    put_numbers(file, "obs/kind/values", CELLS, 0, (double[]){3, 4, 4, 3}, "array");
    put_numbers(file, "obs/kind/mask", CELLS, 0, mask, "array");
}

static void kinds_that_could_lack(hid_t file)
{
    put_masked(file, (double[]){0, 0, 0, 0});
}

static void kinds_that_lack_one(hid_t file)
{
    put_masked(file, (double[]){0, 0, 1, 0});
}

static void yes_and_no(hid_t file)
{
    hid_t type = H5Tenum_create(H5T_STD_I8LE);
    signed char no = 0, yes = 1;
    H5Tenum_insert(type, "FALSE", &no);
    H5Tenum_insert(type, "TRUE", &yes);
    put(file, "obs/kind", type, type, 1, (hsize_t[]){CELLS}, "\0\1\1\0", "array");
    H5Tclose(type);
}

static void by_column(hid_t file)
{
    hid_t group = put_group(file, "X", "csc_matrix");
    set_numbers(group, "shape", (double[]){CELLS, GENES}, 2);
    put_numbers(group, "indptr", 3, 0, (double[]){0, 4, 4}, "array");
    put_numbers(group, "indices", 4, 0, (double[]){0, 1, 2, 3}, "array");
    put_numbers(group, "data", 4, 0, (double[]){1, 1, 1, 1}, "array");
    H5Gclose(group);
}

static void fewer_starts(hid_t file)
{
    put_sparse(file);
    put_numbers(file, "X/indptr", 4, 0, (double[]){0, 1, 2, 3}, "array");
}

/* Packed by filters that nobody has here. */
static void put_filtered(hid_t file, H5Z_filter_t first, H5Z_filter_t second)
{
    H5Ldelete(file, "X", H5P_DEFAULT);
    hsize_t sides[2] = {CELLS, GENES};
    hid_t how = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(2, sides, NULL);
    H5Pset_chunk(how, 2, sides);
    H5Pset_filter(how, first, H5Z_FLAG_OPTIONAL, 0, NULL);
    if (second)
        H5Pset_filter(how, second, H5Z_FLAG_OPTIONAL, 0, NULL);
    hid_t set = H5Dcreate2(file, "X", H5T_IEEE_F64LE, space, H5P_DEFAULT, how, H5P_DEFAULT);
    assert_true(set >= 0);
    set_text(set, "encoding-type", "array");
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(how);
}

static void by_zstandard(hid_t file)
{
    put_filtered(file, 32015, 0);
}

static void by_another(hid_t file)
{
    put_filtered(file, 40321, 32001);
}

static void a_table_as_matrix(hid_t file)
{
    put_frame(file, "X", CELLS, cells);
}

static void an_encoding_of_its_own(hid_t file)
{
    put_numbers(file, "X", CELLS, GENES, numbers, "odd");
}

static void no_table_of_cells(hid_t file)
{
    H5Ldelete(file, "obs", H5P_DEFAULT);
}

static void no_index(hid_t file)
{
    hid_t group = H5Gopen2(file, "obs", H5P_DEFAULT);
    H5Adelete(group, "_index");
    H5Gclose(group);
}

static void of_old(hid_t file)
{
    H5Adelete(file, "encoding-type");
}

static void of_nobody(hid_t file)
{
    H5Adelete(file, "encoding-type");
    H5Ldelete(file, "obs", H5P_DEFAULT);
}

static void shared_variables(hid_t file)
{
    make_mudata(file);
    set_numbers(file, "axis", (double[]){1}, 1);
}

static void fewer_rows_without_a_map(hid_t file)
{
    make_mudata(file);
    hid_t modalities = H5Gopen2(file, "mod", H5P_DEFAULT);
    put_modality(modalities, "two", CELLS - 1);
    H5Gclose(modalities);
}

static void maps_without_this_one(hid_t file)
{
    fewer_rows_without_a_map(file);
    H5Gclose(put_group(file, "obsmap", ""));
}

static void a_map_beyond(hid_t file)
{
    put_map(file, CELLS, (double[]){1, 2, 3, 5});
}

/* The first modality has the cells in another order, and its last row is the second cell's. */
static void a_map_that_moves(hid_t file)
{
    put_map(file, CELLS, (double[]){1, 4, 2, 3});
}

static void a_map_that_leaves_as_it_is(hid_t file)
{
    put_map(file, CELLS, (double[]){1, 2, 3, 4});
}

/* A modality of three of the cells, c, a and d, with X as `put_x` makes it. */
static void put_three(hid_t file, void (*put_x)(hid_t group))
{
    make_mudata(file);
    hid_t modalities = H5Gopen2(file, "mod", H5P_DEFAULT);
    put_modality(modalities, "one", CELLS - 1);
    hid_t group = H5Gopen2(modalities, "one", H5P_DEFAULT);
    put_x(group);
    H5Gclose(group);
    H5Gclose(modalities);
    H5Gclose(put_group(file, "obsmap", ""));
    put_numbers(file, "obsmap/one", CELLS, 0, (double[]){2, 0, 1, 3}, "array");
}

static void put_single(hid_t group)
{
    put(group, "X", H5T_IEEE_F32LE, H5T_NATIVE_DOUBLE, 2, (hsize_t[]){3, GENES}, numbers, "array");
}

/* 5 0, 0 6, 7 8 */
static void put_rows(hid_t group)
{
    hid_t x = put_group(group, "X", "csr_matrix");
    set_numbers(x, "shape", (double[]){3, GENES}, 2);
    put_numbers(x, "indptr", 4, 0, (double[]){0, 1, 2, 4}, "array");
    put_numbers(x, "indices", 4, 0, (double[]){0, 1, 0, 1}, "array");
    put_numbers(x, "data", 4, 0, (double[]){5, 6, 7, 8}, "array");
    H5Gclose(x);
}

static void put_columns(hid_t group)
{
    hid_t x = put_group(group, "X", "csc_matrix");
    set_numbers(x, "shape", (double[]){3, GENES}, 2);
    put_numbers(x, "indptr", 3, 0, (double[]){0, 2, 4}, "array");
    put_numbers(x, "indices", 4, 0, (double[]){0, 2, 1, 2}, "array");
    put_numbers(x, "data", 4, 0, (double[]){5, 7, 6, 8}, "array");
    H5Gclose(x);
}

static void three_of_single(hid_t file)
{
    put_three(file, put_single);
}

static void three_by_row(hid_t file)
{
    put_three(file, put_rows);
}

static void three_by_column(hid_t file)
{
    put_three(file, put_columns);
}

/* ---- the tables --------------------------------------------------------------------------- */

typedef struct row {
    void (*change)(hid_t file);
    const char *views, *truth;
    onefold_status status;
    const char *sentence, *hint;
} row;

static const char *make(void **state, void (*change)(hid_t file))
{
    const char *path = folder_path(state, "made.h5ad");
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(file >= 0);
    put_cells(file);
    change(file);
    assert_true(H5Fclose(file) >= 0);
    return path;
}

static onefold_read_options asked(const char *views, const char *truth)
{
    onefold_read_options options = ONEFOLD_READ_OPTIONS_INIT;
    options.views = views;
    options.truth = truth;
    return options;
}

static void what_is_wrong_is_refused_by_its_sentence(void **state)
{
    static const char *const damaged = "truncated or damaged";
    char endless[600];
    memset(endless, 'x', sizeof endless);
    endless[599] = '\0';
    const row rows[] = {
        {only_obs, NULL, NULL, ONEFOLD_BAD_DATA, "it has no X", "there are none"},
        {layers_of_long_names, NULL, NULL, ONEFOLD_BAD_DATA, "it has no X", "layers/3_"},
        {layers_not_a_group, NULL, NULL, ONEFOLD_BAD_DATA, "layers: it cannot be read", NULL},
        {a_layer_of_an_endless_name, NULL, NULL, ONEFOLD_BAD_DATA, "layers: it cannot be read",
         NULL},
        {rows_short, NULL, NULL, ONEFOLD_BAD_DATA, "X: it has 3 rows, and there are 4 samples",
         NULL},
        {columns_short, NULL, NULL, ONEFOLD_BAD_DATA, "X: it has 1 columns, and var 2", NULL},
        {a_group_as_array, NULL, NULL, ONEFOLD_BAD_DATA, damaged, NULL},
        {one_side, NULL, NULL, ONEFOLD_BAD_DATA, "X: it is an array that is not two-dimensional",
         NULL},
        {three_sides, NULL, NULL, ONEFOLD_BAD_DATA, "an array that is not two-dimensional", NULL},
        {no_side, NULL, NULL, ONEFOLD_BAD_DATA, "an array that is not two-dimensional", NULL},
        {sides_beyond_memory, NULL, NULL, ONEFOLD_BAD_DATA, damaged, NULL},
        {larger_than_the_file_can_hold, NULL, NULL, ONEFOLD_BAD_DATA, damaged, NULL},
        {enum_of_two_bytes, NULL, NULL, ONEFOLD_BAD_DATA, "X: it is of a type that is not", NULL},
        {empty, NULL, NULL, ONEFOLD_BAD_DATA, "X: it is empty", NULL},
        {without_encoding, NULL, NULL, ONEFOLD_BAD_DATA, "X: it is without an encoding", NULL},
        {encoded_by_numbers, NULL, NULL, ONEFOLD_BAD_DATA, "it is without an encoding", NULL},
        {encoded_twice, NULL, NULL, ONEFOLD_BAD_DATA, "it is without an encoding", NULL},
        {encoded_by_nothing, NULL, NULL, ONEFOLD_BAD_DATA, "it is without an encoding", NULL},
        {encoded_at_length, NULL, NULL, ONEFOLD_BAD_DATA, "it is without an encoding", NULL},
        {encoded_at_fixed_length, NULL, NULL, ONEFOLD_BAD_DATA, "it is without an enc", NULL},
        {shape_of_three, NULL, NULL, ONEFOLD_BAD_DATA, damaged, NULL},
        {shape_of_words, NULL, NULL, ONEFOLD_BAD_DATA, damaged, NULL},
        {no_columns, NULL, NULL, ONEFOLD_BAD_DATA, "X: it is empty", NULL},
        {no_rows, NULL, NULL, ONEFOLD_BAD_DATA, "X: it is empty", NULL},
        {fewer_values_than_indices, NULL, NULL, ONEFOLD_BAD_DATA, damaged, NULL},
        {values_of_three_sides, NULL, NULL, ONEFOLD_BAD_DATA, damaged, NULL},
        {values_that_are_texts, NULL, NULL, ONEFOLD_BAD_DATA, "of a type that is not read", NULL},
        {names_of_three_sides, NULL, NULL, ONEFOLD_BAD_DATA, "obs/_index: it cannot be", NULL},
        {names_without_end, NULL, NULL, ONEFOLD_BAD_DATA, "obs/_index: it cannot be", NULL},
        {names_of_no_encoding, NULL, NULL, ONEFOLD_BAD_DATA, "its encoding is not read", NULL},
        {names_of_another_encoding, NULL, NULL, ONEFOLD_BAD_DATA,
         "obs/_index: its encoding, rec-array is not read", NULL},
        {names_in_two_categories, NULL, NULL, ONEFOLD_BAD_DATA, "obs/_index: it cannot", NULL},
        /* a column as truth */
        {a_short_column, NULL, "kind", ONEFOLD_BAD_DATA, "obs/kind: it cannot be read", NULL},
        {a_short_mask, NULL, "obs/kind", ONEFOLD_BAD_DATA, "obs/kind: it cannot be read", NULL},
        {no_mask, NULL, "obs/kind", ONEFOLD_BAD_DATA, "mask: it cannot be read", NULL},
        {no_values, NULL, "obs/kind", ONEFOLD_BAD_DATA, "values: it cannot be read", NULL},
        {no_change, NULL, "obs/nix", ONEFOLD_USAGE, "obs has no column nix", "the columns none"},
        {short_columns, NULL, "obs/nix", ONEFOLD_USAGE, "obs has no column nix", "c11, ..."},
        {many_columns, NULL, "obs/nix", ONEFOLD_USAGE, "obs has no column nix", "column_00_with"},
        {no_change, NULL, "nix", ONEFOLD_USAGE, "nix", NULL},
        {no_change, NULL, "not/there", ONEFOLD_IO, "not/there: there is no such file", NULL},
        {no_change, NULL, endless, ONEFOLD_USAGE, "xxx", NULL},
        {no_change, "obsm/nix", NULL, ONEFOLD_USAGE, "none of the views obsm/nix", "X"},
        {no_change, " , ", NULL, ONEFOLD_USAGE, "none of the views", "X"},
        /* modalities */
        {no_modalities, NULL, NULL, ONEFOLD_BAD_DATA, "there are no modalities in it", NULL},
        {a_modality_that_is_none, NULL, NULL, ONEFOLD_BAD_DATA, "mod/two: it cannot be", NULL},
        {a_modality_of_another_encoding, NULL, NULL, ONEFOLD_BAD_DATA,
         "mod/two: it is not encoded as anndata", NULL},
        {an_order_with_a_hole, NULL, NULL, ONEFOLD_BAD_DATA, damaged, NULL},
        {a_short_map, NULL, NULL, ONEFOLD_BAD_DATA, "obsmap/one: it cannot be read", NULL},
        {a_map_below_zero, NULL, NULL, ONEFOLD_BAD_DATA, "obsmap/one: it cannot be read", NULL},
        {a_map_that_lacks_one, NULL, NULL, ONEFOLD_BAD_DATA,
         "mod/one: obsmap has 3 of its 4 samples", NULL},
        {shared_variables, NULL, NULL, ONEFOLD_UNSUPPORTED, "share variables, not samples", NULL},
        {fewer_rows_without_a_map, NULL, NULL, ONEFOLD_BAD_DATA,
         "mod/two: it has 3 of the 4 samples, and obsmap does not say which", NULL},
        {maps_without_this_one, NULL, NULL, ONEFOLD_BAD_DATA, "and obsmap does not say", NULL},
        {a_map_beyond, NULL, NULL, ONEFOLD_BAD_DATA, "obsmap/one: it cannot be read", NULL},
        /* columns, filters and kinds of files */
        {kinds_beyond, NULL, "kind", ONEFOLD_BAD_DATA, "obs/kind: it cannot be read", NULL},
        {kinds_of_some, NULL, "kind", ONEFOLD_BAD_DATA, "2 of its 4 values are missing", NULL},
        {kinds_that_lack_one, NULL, "kind", ONEFOLD_BAD_DATA, "1 of its 4 values are", NULL},
        {fewer_starts, NULL, NULL, ONEFOLD_BAD_DATA, damaged, NULL},
        {by_zstandard, NULL, NULL, ONEFOLD_UNSUPPORTED, "compressed by Zstandard", "gzip"},
        {by_another, NULL, NULL, ONEFOLD_UNSUPPORTED, "by HDF5's filter 40321", "gzip"},
        {a_table_as_matrix, NULL, NULL, ONEFOLD_BAD_DATA, "it is a table, not a matrix", NULL},
        {an_encoding_of_its_own, NULL, NULL, ONEFOLD_BAD_DATA, "of an encoding that is not", NULL},
        {no_table_of_cells, NULL, NULL, ONEFOLD_BAD_DATA, "obs is not a table in it", NULL},
        {no_index, NULL, NULL, ONEFOLD_BAD_DATA, "obs has no index", NULL},
        {of_old, NULL, NULL, ONEFOLD_UNSUPPORTED, "anndata before 0.8", "write_h5ad"},
        {of_nobody, NULL, NULL, ONEFOLD_UNSUPPORTED, "neither MATLAB's nor anndata's", NULL},
        {make_mudata, "mod/nix", NULL, ONEFOLD_USAGE, "none of the views mod/nix", "one, two"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        onefold_read_options options = asked(rows[i].views, rows[i].truth);
        read_fails(make(state, rows[i].change), &options, rows[i].status, rows[i].sentence);
        if (rows[i].hint && !strstr(onefold_last_hint(), rows[i].hint))
            fail_msg("%s: the hint is: %s", rows[i].sentence, onefold_last_hint());
    }
}

static void what_is_unusual_is_read(void **state)
{
    static const double zeros[CELLS * GENES],
        firsts[CELLS * GENES] = {1, 0, 1, 0, 1, 0, 1, 0},
                       moved[CELLS * GENES] = {1, 2, 7, 8, 3, 4, 5, 6};
    const struct {
        void (*change)(hid_t file);
        const char *views, *name, *sample;
        const double *values;
        size_t count;
    } rows[] = {
        {no_change, NULL, "X", "b", numbers, 1},
        {no_change, " x ,", "x", "b", numbers, 1},
        {no_change, "1", "X", "b", numbers, 1},
        {put_sparse, NULL, "X", "b", firsts, 1},
        {by_column, NULL, "X", "b", firsts, 1},
        {numbered_names, NULL, "X", "8.5", numbers, 1},
        {fixed_texts, NULL, "X", "x", numbers, 1},
        {fixed_encoding, NULL, "X", "b", numbers, 1},
        {never_written, NULL, "X", "b", zeros, 1},
        {within_its_header, NULL, "X", "b", numbers, 1},
        {make_mudata, NULL, "one", "b", numbers, 2},
        {make_mudata, "mod/two", "mod/two", "b", numbers, 1},
        {make_mudata, "two/X", "two/X", "b", numbers, 1},
        {no_encoding_of_the_file, NULL, "one", "b", numbers, 2},
        {other_case, NULL, "one", "b", numbers, 2},
        {order_that_is_none, NULL, "one", "b", numbers, 2},
        {order_of_fixed_texts, NULL, "one", "b", numbers, 2},
        {order_of_numbers, NULL, "one", "b", numbers, 2},
        {ordered, NULL, "two", "b", numbers, 2},
        {a_map_that_moves, NULL, "one", "b", moved, 2},
        {a_map_that_leaves_as_it_is, NULL, "one", "b", numbers, 2},
        {axes, NULL, "one", "b", numbers, 2},
        {words_as_axis, NULL, "one", "b", numbers, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        onefold_read_options options = asked(rows[i].views, NULL);
        onefold_dataset *data = read_one(make(state, rows[i].change), &options);
        assert_int_equal(onefold_dataset_view_count(data), rows[i].count);
        expect_view(data, 0, rows[i].name, rows[i].values == firsts ? "sparse" : "dense", GENES,
                    rows[i].values);
        assert_string_equal(onefold_dataset_sample_name(data, 1), rows[i].sample);
        onefold_dataset_free(data);
    }
}

/* Rows of every storage go to their samples; a sample without one lacks the view. */
static void rows_go_to_their_samples(void **state)
{
    static const struct {
        void (*change)(hid_t file);
        const char *want;
    } rows[] = {{three_of_single, "dense 3 4, -, 1 2, 5 6 of g h"},
                {three_by_row, "sparse 0 6, -, 5 0, 7 8 of g h"},
                {three_by_column, "sparse 0 6, -, 5 0, 7 8 of g h"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400] = "", want[400];
        onefold_dataset *data = read_one(make(state, rows[i].change), NULL);
        describe_read(data, text, sizeof text);
        snprintf(want, sizeof want, "%s; dense 1 2, 3 4, 5 6, 7 8 of g h; ids a b c d",
                 rows[i].want);
        assert_string_equal(text, want);
        onefold_dataset_free(data);
    }
}

static void columns_are_truth(void **state)
{
    static const struct {
        void (*change)(hid_t file);
        const char *classes;
    } rows[] = {{kinds_by_words, "g h h g"},
                {kinds_by_numbers, "1990 1991 1991 1990"},
                {kinds_that_could_lack, "3 4 4 3"},
                {yes_and_no, "0 1 1 0"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        onefold_read_options options = asked(NULL, i % 2 ? "kind" : "obs/kind");
        onefold_dataset *data = read_one(make(state, rows[i].change), &options);
        expect_truth(data, rows[i].classes);
        onefold_dataset_free(data);
    }
}

static void a_packed_file_is_refused(void **state)
{
    size_t size;
    made bytes = {0};
    char *whole = folder_read(make(state, no_change), &size);
    made_put(&bytes, whole, size);
    made packed = made_packed(&bytes, "gzip");
    made_save(&packed, folder_path(state, "made.h5ad.gz"));
    read_fails(folder_path(state, "made.h5ad.gz"), NULL, ONEFOLD_BAD_DATA,
               "a packed HDF5 file is not read");
    assert_string_equal(onefold_last_hint(), "unpack it first");
    made_free(&packed);
    made_free(&bytes);
    free(whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_wrong_is_refused_by_its_sentence),
        cmocka_unit_test(what_is_unusual_is_read),
        cmocka_unit_test(rows_go_to_their_samples),
        cmocka_unit_test(columns_are_truth),
        cmocka_unit_test(a_packed_file_is_refused),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}

#else

static void such_files_are_left_out(void **state)
{
    (void)state;
    assert_null(strstr(onefold_capabilities(), "hdf5"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(such_files_are_left_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
