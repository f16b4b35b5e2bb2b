/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of anndata's files: arrays, sparse matrices, and the columns of data frames. */
#include "io/h5ad.h"

#ifdef ONEFOLD_WITH_HDF5
#include "io/inflate.h"

#include <string.h>

enum { PATH = 1024 };

void of_h5ad_encoding(hid_t parent, const char *path, char text[OF_ENCODING])
{
    text[0] = '\0';
    hid_t object = H5Oopen(parent, path, H5P_DEFAULT);
    if (object < 0)
        return;
    of_hdf_text_attribute(object, "encoding-type", text, OF_ENCODING);
    H5Oclose(object);
}

/* ---- matrices ----------------------------------------------------------------------------- */

static onefold_status read_dense(of_file *file, of_owner *store, hid_t parent, const char *path,
                                 of_matrix *matrix, const char **what)
{
    hid_t dataset = H5Dopen2(parent, path, H5P_DEFAULT), native = -1;
    size_t side[2], elements;
    if (dataset < 0)
        return of_hdf_damaged();
    if (of_hdf_sides(dataset, side, &elements) != 2)
        return *what = "an array that is not two-dimensional", ONEFOLD_OK;
    of_type type = of_hdf_type(dataset, &native);
    if (type == OF_TYPE_COUNT)
        return *what = "of a type that is not read", ONEFOLD_OK;
    if (elements == 0)
        return *what = "empty", ONEFOLD_OK;
    *matrix = (of_matrix){.storage = OF_DENSE,
                          .rows = side[0],
                          .columns = side[1],
                          .type = type,
                          .row_step = side[1],
                          .column_step = 1,
                          .owner = store};
    OF_TRY(
        of_hdf_elements(file, store, dataset, native, of_type_size(type), elements, &matrix->data));
    H5Dclose(dataset);
    return ONEFOLD_OK;
}

/* The attribute `shape`, two whole numbers. */
static int read_shape(hid_t group, size_t shape[2])
{
    unsigned long long sides[2] = {0, 0};
    hid_t attribute = H5Aopen(group, "shape", H5P_DEFAULT);
    hid_t space = H5Aget_space(attribute);
    int good = H5Sget_simple_extent_npoints(space) == 2 &&
               H5Aread(attribute, H5T_NATIVE_ULLONG, sides) >= 0;
    H5Sclose(space);
    H5Aclose(attribute);
    shape[0] = (size_t)sides[0];
    shape[1] = (size_t)sides[1];
    return good;
}

static onefold_status read_sparse(of_file *file, of_owner *store, hid_t parent, const char *path,
                                  int by_column, of_matrix *matrix, const char **what)
{
    hid_t group = H5Gopen2(parent, path, H5P_DEFAULT);
    size_t shape[2];
    of_array start, index, value;
    if (!read_shape(group, shape))
        return of_hdf_damaged();
    if (!shape[0] || !shape[1])
        return *what = "empty", ONEFOLD_OK;
    OF_TRY(of_hdf_array(file, store, group, "indptr", &start));
    OF_TRY(of_hdf_array(file, store, group, "indices", &index));
    OF_TRY(of_hdf_array(file, store, group, "data", &value));
    H5Gclose(group);
    size_t lines = shape[by_column ? 1 : 0], width = shape[by_column ? 0 : 1];
    if (start.count != lines + 1 || index.count != value.count)
        return of_hdf_damaged();
    *matrix = (of_matrix){.storage = OF_SPARSE,
                          .rows = shape[0],
                          .columns = shape[1],
                          .by_column = (unsigned char)by_column,
                          .owner = store};
    return of_build_sparse(store, lines, width, &start, &index, &value, &matrix->sparse);
}

onefold_status of_h5ad_matrix(of_file *file, of_owner *store, hid_t parent, const char *path,
                              of_matrix *matrix, const char **what)
{
    char encoding[OF_ENCODING];
    of_h5ad_encoding(parent, path, encoding);
    *what = NULL;
    if (strcmp(encoding, "array") == 0)
        return read_dense(file, store, parent, path, matrix, what);
    if (strcmp(encoding, "csr_matrix") == 0 || strcmp(encoding, "csc_matrix") == 0)
        return read_sparse(file, store, parent, path, encoding[2] == 'c', matrix, what);
    *what = strcmp(encoding, "dataframe") == 0 ? "a table, not a matrix"
            : *encoding                        ? "of an encoding that is not read"
                                               : "without an encoding";
    return ONEFOLD_OK;
}

/* ---- columns of frames -------------------------------------------------------------------- */

/* Numbers as they are, or else texts. */
static onefold_status read_values(of_file *file, of_owner *store, hid_t parent, const char *path,
                                  of_array *numbers, size_t *count, const char ***texts)
{
    OF_TRY(of_hdf_texts(file, store, parent, path, count, texts));
    if (*texts)
        return ONEFOLD_OK;
    OF_TRY(of_hdf_array(file, store, parent, path, numbers));
    *count = numbers->count;
    return ONEFOLD_OK;
}

static onefold_status refuse_missing(size_t missing, size_t count)
{
    return of_hint(of_fail(ONEFOLD_BAD_DATA, "%zu of its %zu values are missing", missing, count),
                   "give every sample a true label, or go on with `no_truth`");
}

/* codes and categories: the category of each; a code below 0 is none. */
static onefold_status read_categorical(of_file *file, of_owner *store, hid_t group, size_t *count,
                                       of_array *numbers, const char ***texts)
{
    of_array codes, categories = {0};
    const char **words, **out = NULL;
    double *values = NULL;
    size_t kinds, missing = 0;
    OF_TRY(of_hdf_array(file, store, group, "codes", &codes));
    OF_TRY(read_values(file, store, group, "categories", &categories, &kinds, &words));
    *count = codes.count;
    if (words)
        OF_TRY(OF_NEW(&store->arena, &out, *count, 1));
    else
        OF_TRY(OF_NEW(&store->arena, &values, *count, 1));
    for (size_t j = 0; j < *count; j++) {
        double code = of_array_get(&codes, j);
        if (code >= (double)kinds)
            return of_hdf_damaged();
        missing += !(code >= 0);
        if (!(code >= 0))
            continue;
        if (words)
            out[j] = words[(size_t)code];
        else
            values[j] = of_array_get(&categories, (size_t)code);
    }
    *texts = out;
    *numbers = (of_array){values, OF_F64, *count, store};
    return missing ? refuse_missing(missing, *count) : ONEFOLD_OK;
}

/* values and mask, which is 1 where there is none. */
static onefold_status read_nullable(of_file *file, of_owner *store, hid_t group, size_t *count,
                                    of_array *numbers, const char ***texts)
{
    of_array mask;
    size_t missing = 0;
    OF_TRY(read_values(file, store, group, "values", numbers, count, texts));
    OF_TRY(of_hdf_array(file, store, group, "mask", &mask));
    if (mask.count != *count)
        return of_hdf_damaged();
    for (size_t j = 0; j < *count; j++)
        missing += of_array_get(&mask, j) != 0;
    return missing ? refuse_missing(missing, *count) : ONEFOLD_OK;
}

/* A column, numbers or texts, by its encoding. */
static onefold_status read_column(of_file *file, of_owner *store, hid_t parent, const char *path,
                                  size_t *count, of_array *numbers, const char ***texts)
{
    char encoding[OF_ENCODING];
    of_h5ad_encoding(parent, path, encoding);
    if (strcmp(encoding, "array") == 0 || strcmp(encoding, "string-array") == 0)
        return read_values(file, store, parent, path, numbers, count, texts);
    int categorical = strcmp(encoding, "categorical") == 0;
    if (!categorical && strncmp(encoding, "nullable-", 9) != 0)
        return of_blame(of_fail(ONEFOLD_BAD_DATA, "its encoding%s%s is not read",
                                *encoding ? ", " : "", encoding),
                        "%s", path);
    hid_t group = H5Gopen2(parent, path, H5P_DEFAULT);
    if (group < 0)
        return of_blame(of_hdf_damaged(), "%s", path);
    onefold_status status = categorical
                                ? read_categorical(file, store, group, count, numbers, texts)
                                : read_nullable(file, store, group, count, numbers, texts);
    H5Gclose(group);
    return status == ONEFOLD_OK ? status : of_blame(status, "%s", path);
}

onefold_status of_h5ad_column(of_file *file, of_owner *store, hid_t parent, const char *path,
                              of_variable *variable)
{
    of_array numbers = {0};
    const char **texts = NULL;
    size_t count = 0;
    OF_TRY(read_column(file, store, parent, path, &count, &numbers, &texts));
    variable->pages = 1;
    variable->kind = texts ? OF_VARIABLE_TEXT : OF_VARIABLE_MATRIX;
    variable->count = count;
    variable->text = texts;
    variable->matrix = (of_matrix){.storage = OF_DENSE,
                                   .rows = count,
                                   .columns = 1,
                                   .data = numbers.data,
                                   .type = numbers.type,
                                   .row_step = 1,
                                   .column_step = count,
                                   .owner = store};
    return ONEFOLD_OK;
}

onefold_status of_h5ad_index(of_file *file, of_owner *store, hid_t parent, const char *frame,
                             size_t *count, const char *const **names)
{
    char column[PATH], path[2 * PATH];
    of_array numbers = {0};
    const char **texts = NULL;
    *names = NULL;
    hid_t group = H5Gopen2(parent, frame, H5P_DEFAULT);
    if (group < 0)
        return of_fail(ONEFOLD_BAD_DATA, "%s is not a table in it", frame);
    of_hdf_text_attribute(group, "_index", column, sizeof column);
    H5Gclose(group);
    if (!*column)
        return of_fail(ONEFOLD_BAD_DATA, "%s has no index", frame);
    snprintf(path, sizeof path, "%s/%s", frame, column);
    OF_TRY(read_column(file, store, parent, path, count, &numbers, &texts));
    if (!texts) {
        OF_TRY(OF_NEW(&store->arena, &texts, *count, 1));
        for (size_t i = 0; i < *count; i++) {
            char *text;
            OF_TRY(of_arena_string(&store->arena, &text, "%.15g", of_array_get(&numbers, i)));
            texts[i] = text;
        }
    }
    *names = texts;
    return ONEFOLD_OK;
}

#endif
