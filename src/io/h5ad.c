/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of single cells: .h5ad (anndata 0.8 and later) and .h5mu (MuData). Samples are the rows of
 * every matrix, and their names and those of the variables are in the file. Only what was asked
 * for is read: X, or of an .h5mu every modality's X, unless `views` names others.
 */
#include "io/hdf.h"

#ifndef ONEFOLD_WITH_HDF5

onefold_status of_read_h5ad(of_file *file)
{
    (void)file;
    return of_hint(of_fail(ONEFOLD_UNSUPPORTED, "this build cannot read HDF5 files"),
                   "save the views as .npz, .mat or .csv, or build with ONEFOLD_WITH_HDF5=ON");
}

#else

#include "io/match.h"
#include "io/packing.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- data sets ------------------------------------------------------------------------------- */

/* The sides of a data set, two at most (1 where there are fewer); -1 where it has more, or none. */
static int sides_of(hid_t dataset, size_t side[2], size_t *elements)
{
    hsize_t sizes[H5S_MAX_RANK];
    hid_t space = H5Dget_space(dataset);
    int rank = H5Sget_simple_extent_dims(space, sizes, NULL);
    H5Sclose(space);
    if (rank < 1 || rank > 2)
        return -1;
    side[0] = (size_t)sizes[0];
    side[1] = rank > 1 ? (size_t)sizes[1] : 1;
    return of_claimed_size(elements, side[0], side[1]) == ONEFOLD_OK ? rank : -1;
}

/* A data set of numbers at a path below `parent`. */
static onefold_status read_array(of_file *file, of_owner *store, hid_t parent, const char *path,
                                 of_array *array)
{
    hid_t dataset = H5Dopen2(parent, path, H5P_DEFAULT), native = -1;
    size_t side[2];
    *array = (of_array){NULL, OF_F64, 0, store};
    if (sides_of(dataset, side, &array->count) < 0)
        return of_blame(of_hdf_damaged(), "%s", path);
    array->type = of_hdf_type(dataset, &native);
    onefold_status status =
        array->type == OF_TYPE_COUNT
            ? of_fail(ONEFOLD_BAD_DATA, "its numbers are of a type that is not "
                                        "read")
            : of_hdf_elements(file, store, dataset, native, of_type_size(array->type), array->count,
                              &array->data);
    H5Dclose(dataset);
    return status == ONEFOLD_OK ? status : of_blame(status, "%s", path);
}

/* ---- texts ---------------------------------------------------------------------------------- */

/* Copies of texts that HDF5 holds. */
static onefold_status copy_texts(of_arena *arena, size_t count, char *const *found,
                                 const char **texts)
{
    for (size_t i = 0; i < count; i++) {
        char *copy;
        OF_TRY(of_arena_string(arena, &copy, "%s", found[i] ? found[i] : ""));
        of_text_clean(copy);
        texts[i] = copy;
    }
    return ONEFOLD_OK;
}

static onefold_status read_variable_texts(of_owner *store, hid_t dataset, hid_t type, size_t count,
                                          const char **texts)
{
    OF_SCRATCH(scratch, store->arena.context);
    char **found;
    OF_TRY(of_hdf_check_stored(dataset, count));
    OF_TRY(OF_NEW_ZERO(&scratch, &found, count, 1));
    hid_t space = H5Dget_space(dataset), memory = H5Tcopy(H5T_C_S1);
    H5Tset_size(memory, H5T_VARIABLE);
    H5Tset_cset(memory, H5Tget_cset(type));
    onefold_status status = ONEFOLD_OK;
    if (H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, found) < 0)
        status = of_hdf_damaged();
    else
        status = copy_texts(&store->arena, count, found, texts);
    H5Dvlen_reclaim(memory, space, H5P_DEFAULT, found);
    H5Tclose(memory);
    H5Sclose(space);
    return status;
}

/* Texts of one length each, cut at their first zero. */
static onefold_status read_fixed_texts(of_file *file, of_owner *store, hid_t dataset, hid_t type,
                                       size_t count, const char **texts)
{
    size_t size = H5Tget_size(type);
    const void *data = NULL;
    OF_TRY(of_hdf_elements(file, store, dataset, type, size, count, &data));
    for (size_t i = 0; i < count; i++) {
        const char *at = (const char *)data + i * size;
        char *copy;
        OF_TRY(of_arena_string(&store->arena, &copy, "%.*s", (int)strnlen(at, size), at));
        of_text_clean(copy);
        texts[i] = copy;
    }
    return ONEFOLD_OK;
}

/* A data set of texts at a path below `parent`; *texts is NULL where it holds no texts. */
static onefold_status read_texts(of_file *file, of_owner *store, hid_t parent, const char *path,
                                 size_t *count, const char ***texts)
{
    hid_t dataset = H5Dopen2(parent, path, H5P_DEFAULT), type = H5Dget_type(dataset);
    size_t side[2];
    *texts = NULL;
    if (sides_of(dataset, side, count) < 0)
        return of_blame(of_hdf_damaged(), "%s", path);
    if (H5Tget_class(type) != H5T_STRING)
        return ONEFOLD_OK;
    if (*count > of_inflate_most(file->size))
        return of_blame(of_hdf_damaged(), "%s", path);
    OF_TRY(of_file_unpacks(file, *count * sizeof **texts));
    OF_TRY(OF_NEW(&store->arena, texts, *count, 1));
    onefold_status status = of_hdf_check_filters(dataset);
    if (status == ONEFOLD_OK)
        status = H5Tis_variable_str(type) > 0
                     ? read_variable_texts(store, dataset, type, *count, *texts)
                     : read_fixed_texts(file, store, dataset, type, *count, *texts);
    H5Tclose(type);
    H5Dclose(dataset);
    return status == ONEFOLD_OK ? status : of_blame(status, "%s", path);
}

enum { ENCODING = 64, NAME = 512, PATH = 1024 }; /* room for texts */

/* The data of one set of variables: the file itself, or a modality. */
typedef struct cells_group {
    of_file *file;
    hid_t group;
    const char *modality; /* NULL: the file itself */
    size_t samples;       /* of the file */
    const char *const *names;
    of_owner *store;    /* of the names, and of what follows */
    const size_t *from; /* the row of each sample, SIZE_MAX where it has none; NULL: its own */
    size_t own;         /* rows it has */
} cells_group;

/* ---- elements ------------------------------------------------------------------------------- */

/* The attribute encoding-type of what is at a path; "" where there is none, or nothing there. */
static void read_encoding(hid_t parent, const char *path, char text[ENCODING])
{
    text[0] = '\0';
    hid_t object = H5Oopen(parent, path, H5P_DEFAULT);
    if (object < 0)
        return;
    of_hdf_text_attribute(object, "encoding-type", text, ENCODING);
    H5Oclose(object);
}

/* ---- matrices ------------------------------------------------------------------------------- */

static onefold_status read_dense(of_file *file, of_owner *store, hid_t parent, const char *path,
                                 of_matrix *matrix, const char **what)
{
    hid_t dataset = H5Dopen2(parent, path, H5P_DEFAULT), native = -1;
    size_t side[2], elements;
    if (dataset < 0)
        return of_hdf_damaged();
    if (sides_of(dataset, side, &elements) != 2)
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
    OF_TRY(read_array(file, store, group, "indptr", &start));
    OF_TRY(read_array(file, store, group, "indices", &index));
    OF_TRY(read_array(file, store, group, "data", &value));
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

/* A matrix at a path: array of two sides, csr_matrix, csc_matrix. *what is NULL, or what it is
 * instead. */
static onefold_status read_matrix(of_file *file, of_owner *store, hid_t parent, const char *path,
                                  of_matrix *matrix, const char **what)
{
    char encoding[ENCODING];
    read_encoding(parent, path, encoding);
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

/* ---- columns of frames ---------------------------------------------------------------------- */

/* Numbers as they are, or else texts. */
static onefold_status read_values(of_file *file, of_owner *store, hid_t parent, const char *path,
                                  of_array *numbers, size_t *count, const char ***texts)
{
    OF_TRY(read_texts(file, store, parent, path, count, texts));
    if (*texts)
        return ONEFOLD_OK;
    OF_TRY(read_array(file, store, parent, path, numbers));
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
    OF_TRY(read_array(file, store, group, "codes", &codes));
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
    OF_TRY(read_array(file, store, group, "mask", &mask));
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
    char encoding[ENCODING];
    read_encoding(parent, path, encoding);
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

/* A column of a data frame as labels: numbers, texts, categorical, nullable. Values that are
 * missing are refused. */
static onefold_status read_variable(of_file *file, of_owner *store, hid_t parent, const char *path,
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

/* The index of a data frame: the names of samples, or of variables. *names is NULL where there is
 * no frame. */
static onefold_status read_index(of_file *file, of_owner *store, hid_t parent, const char *frame,
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
            OF_TRY(OF_TEXT(&store->arena, &texts[i], "%.15g", of_array_get(&numbers, i)));
        }
    }
    *names = texts;
    return ONEFOLD_OK;
}

/* ---- which matrices are wanted, and the samples of each ------------------------------------- */

/* ---- what is wanted ------------------------------------------------------------------------- */

/* The next word of a list with commas, without blanks around it; NULL at the end. */
static const char *next_word(const char *list, char word[NAME])
{
    size_t length = strcspn(list, ",");
    const char *rest = list[length] ? list + length + 1 : NULL;
    while (length && isspace((unsigned char)*list))
        list++, length--;
    while (length && isspace((unsigned char)list[length - 1]))
        length--;
    snprintf(word, NAME, "%.*s", (int)length, list);
    return rest;
}

/* Whether a matrix is wanted, and under which name: `plain` where nothing was asked for, or a
 * number was. */
static int is_wanted(const cells_group *of, const char *path, int plain, char name[NAME])
{
    char word[NAME], whole[NAME + 8];
    const char *list = of->file->wishes.views;
    int counted = !list;
    if (!of->modality)
        snprintf(name, NAME, "%s", path);
    else if (strcmp(path, "X") == 0)
        snprintf(name, NAME, "%s", of->modality);
    else
        snprintf(name, NAME, "%.200s/%.300s", of->modality, path);
    while (list) {
        list = next_word(list, word);
        counted |= *word && word[strspn(word, "0123456789")] == '\0';
        if (of->modality)
            snprintf(whole, sizeof whole, "mod/%.200s/%.300s", of->modality, path);
        else
            snprintf(whole, sizeof whole, "%s", path);
        if (strcasecmp(word, name) == 0 || strcmp(word, whole) == 0 ||
            (of->modality && (strcmp(word, whole + 4) == 0 ||
                              (strcmp(path, "X") == 0 && strncmp(word, "mod/", 4) == 0 &&
                               strcmp(word + 4, of->modality) == 0)))) {
            snprintf(name, NAME, "%s", word);
            return 1;
        }
    }
    return plain && counted;
}

/* ---- matrices ------------------------------------------------------------------------------- */

static onefold_status add_other(of_file *file, const char *name, const char *what)
{
    of_top *top;
    OF_TRY(of_file_add(file, &top, name));
    top->variable = of_variable_other(top->variable.name, what);
    return ONEFOLD_OK;
}

/* Rows in the order of the file's samples; those it lacks are missing. */
static onefold_status place_rows(const cells_group *of, of_owner *store, of_matrix *matrix)
{
    size_t rows = of->from ? of->own : of->samples;
    if (matrix->rows != rows)
        return of_fail(ONEFOLD_BAD_DATA, "it has %zu rows, and there are %zu samples", matrix->rows,
                       rows);
    OF_TRY(of_owner_hold(store, of->store));
    if (of->from)
        OF_TRY(of_matrix_reorder(store, matrix, 1, 0, of->from, of->samples));
    matrix->row_names = of->names;
    return ONEFOLD_OK;
}

static onefold_status add_matrix(const cells_group *of, const char *path, int plain)
{
    char name[NAME];
    of_top *top;
    const char *what;
    size_t count = 0;
    const char *const *columns = NULL;
    if (!is_wanted(of, path, plain, name))
        return add_other(of->file, name, "a matrix that was not asked for");
    OF_TRY(of_file_add(of->file, &top, name));
    of_variable *variable = &top->variable;
    onefold_status status =
        read_matrix(of->file, top->store, of->group, path, &variable->matrix, &what);
    if (status == ONEFOLD_OK && what)
        status = of_fail(ONEFOLD_BAD_DATA, "it is %s", what);
    if (status == ONEFOLD_OK && strncmp(path, "obsm/", 5) != 0)
        status = read_index(of->file, top->store, of->group, "var", &count, &columns);
    if (status == ONEFOLD_OK && columns && count != variable->matrix.columns)
        status = of_fail(ONEFOLD_BAD_DATA, "it has %zu columns, and var %zu",
                         variable->matrix.columns, count);
    if (status == ONEFOLD_OK)
        status = place_rows(of, top->store, &variable->matrix);
    if (status != ONEFOLD_OK)
        return of_blame(status, "%s", name);
    variable->matrix.column_names = columns;
    variable->pages = 1;
    return ONEFOLD_OK;
}

static onefold_status add_members(const cells_group *of, const char *folder)
{
    char path[NAME], member[256];
    H5G_info_t info;
    if (H5Lexists(of->group, folder, H5P_DEFAULT) <= 0)
        return ONEFOLD_OK;
    hid_t group = H5Gopen2(of->group, folder, H5P_DEFAULT);
    if (H5Gget_info(group, &info) < 0)
        return of_blame(of_hdf_damaged(), "%s", folder);
    for (hsize_t i = 0; i < info.nlinks; i++) {
        ssize_t length = H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, member,
                                            sizeof member, H5P_DEFAULT);
        if ((size_t)length >= sizeof member) /* or below 0 */
            return of_blame(of_hdf_damaged(), "%s", folder);
        snprintf(path, sizeof path, "%s/%s", folder, member);
        OF_TRY(add_matrix(of, path, 0));
    }
    H5Gclose(group);
    return ONEFOLD_OK;
}

/* Every matrix of a part that is wanted: X, layers and obsm; or every member of a folder. */
static onefold_status add_matrices(const cells_group *of)
{
    if (H5Lexists(of->group, "X", H5P_DEFAULT) > 0)
        OF_TRY(add_matrix(of, "X", 1));
    OF_TRY(add_members(of, "layers"));
    return add_members(of, "obsm");
}

/* ---- the modalities of an .h5mu ------------------------------------------------------------- */

/* obsmap: 1 and up for the row of each sample, 0 where it has none. */
static onefold_status read_map(cells_group *of, hid_t root)
{
    char path[NAME];
    of_array map;
    size_t *from, own = 0;
    int moved = 0;
    const char *const *names;
    OF_TRY(read_index(of->file, of->store, of->group, "obs", &of->own, &names));
    snprintf(path, sizeof path, "obsmap/%.400s", of->modality);
    if (H5Lexists(root, "obsmap", H5P_DEFAULT) <= 0 || H5Lexists(root, path, H5P_DEFAULT) <= 0) {
        if (of->own == of->samples)
            return ONEFOLD_OK;
        return of_fail(ONEFOLD_BAD_DATA,
                       "it has %zu of the %zu samples, and obsmap does not say "
                       "which",
                       of->own, of->samples);
    }
    OF_TRY(read_array(of->file, of->store, root, path, &map));
    if (map.count != of->samples)
        return of_blame(of_hdf_damaged(), "%s", path);
    OF_TRY(OF_NEW(&of->store->arena, &from, of->samples, 1));
    for (size_t j = 0; j < of->samples; j++) {
        double at = of_array_get(&map, j);
        if (!(at >= 0 && at <= (double)of->own))
            return of_blame(of_hdf_damaged(), "%s", path);
        from[j] = at > 0 ? (size_t)at - 1 : SIZE_MAX;
        moved |= from[j] != j;
        own += at > 0;
    }
    if (own != of->own)
        return of_fail(ONEFOLD_BAD_DATA, "obsmap has %zu of its %zu samples", own, of->own);
    of->from = moved ? from : NULL;
    return ONEFOLD_OK;
}

static onefold_status add_modality(cells_group of, hid_t root, hid_t modalities, const char *name)
{
    of.modality = name;
    of.group = H5Gopen2(modalities, name, H5P_DEFAULT);
    char encoding[ENCODING];
    onefold_status status = ONEFOLD_OK;
    if (of.group < 0)
        status = of_hdf_damaged();
    read_encoding(modalities, name, encoding);
    if (status == ONEFOLD_OK && strcmp(encoding, "anndata") != 0)
        status = of_fail(ONEFOLD_BAD_DATA, "it is not encoded as anndata");
    if (status == ONEFOLD_OK)
        status = read_map(&of, root);
    if (status != ONEFOLD_OK)
        return of_blame(status, "mod/%s", name);
    OF_TRY(add_matrices(&of));
    H5Gclose(of.group);
    return ONEFOLD_OK;
}

/* The attribute mod-order, or the order of the names. */
static onefold_status list_modalities(const of_file *file, of_owner *store, hid_t modalities,
                                      size_t *count, const char ***names)
{
    H5G_info_t info;
    if (H5Gget_info(modalities, &info) < 0 || info.nlinks > file->size)
        return of_hdf_damaged();
    *count = (size_t)info.nlinks;
    OF_TRY(OF_NEW_ZERO(&store->arena, names, *count, 1));
    hid_t order =
        H5Aexists(modalities, "mod-order") > 0 ? H5Aopen(modalities, "mod-order", H5P_DEFAULT) : -1;
    hid_t space = H5Aget_space(order), type = H5Aget_type(order);
    if (H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) > 0 &&
        H5Sget_simple_extent_npoints(space) == (hssize_t)*count) {
        OF_SCRATCH(scratch, store->arena.context);
        char **found;
        OF_TRY(OF_NEW_ZERO(&scratch, &found, *count, 1));
        hid_t memory = H5Tcopy(H5T_C_S1);
        H5Tset_size(memory, H5T_VARIABLE);
        H5Tset_cset(memory, H5Tget_cset(type));
        onefold_status status = H5Aread(order, memory, found) < 0 ? of_hdf_damaged() : ONEFOLD_OK;
        for (size_t i = 0; i < *count && status == ONEFOLD_OK; i++) {
            char *copy = NULL;
            status = of_arena_string(&store->arena, &copy, "%s", found[i] ? found[i] : "");
            (*names)[i] = copy;
        }
        H5Dvlen_reclaim(memory, space, H5P_DEFAULT, found);
        H5Tclose(memory);
        return status;
    }
    for (size_t i = 0; i < *count; i++) {
        char name[NAME], *copy;
        if (H5Lget_name_by_idx(modalities, ".", H5_INDEX_NAME, H5_ITER_INC, (hsize_t)i, name,
                               sizeof name, H5P_DEFAULT) < 0)
            return of_hdf_damaged();
        OF_TRY(of_arena_string(&store->arena, &copy, "%s", name));
        (*names)[i] = copy;
    }
    return ONEFOLD_OK;
}

/* The matrices of every modality of an .h5mu. */
static onefold_status add_modalities(cells_group *of, hid_t root)
{
    size_t count = 0;
    const char **names;
    hid_t modalities = H5Gopen2(root, "mod", H5P_DEFAULT);
    if (modalities < 0)
        return of_fail(ONEFOLD_BAD_DATA, "there are no modalities in it");
    if (of_hdf_number_attribute(root, "axis") != 0)
        return of_hint(of_fail(ONEFOLD_UNSUPPORTED, "its modalities share variables, not samples"),
                       "views are of the same samples: axis must be 0");
    OF_TRY(list_modalities(of->file, of->store, modalities, &count, &names));
    for (size_t i = 0; i < count; i++)
        OF_TRY(add_modality(*of, root, modalities, names[i]));
    return add_members(of, "obsm");
}

/* ---- the file ------------------------------------------------------------------------------- */

enum { COLUMNS_NAMED = 12 };

/* ---- the table of samples ------------------------------------------------------------------- */

/* What obs has, for people. */
static onefold_status describe_obs(of_file *file, hid_t root, char **text)
{
    char list[400] = "", name[64];
    size_t used = 0, shown = 0;
    H5G_info_t info;
    hid_t obs = H5Gopen2(root, "obs", H5P_DEFAULT);
    char index[256];
    if (H5Gget_info(obs, &info) < 0)
        return of_hdf_damaged();
    of_hdf_text_attribute(obs, "_index", index, sizeof index);
    for (hsize_t i = 0; i < info.nlinks && shown < COLUMNS_NAMED; i++) {
        if (H5Lget_name_by_idx(obs, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name,
                               H5P_DEFAULT) < 0 ||
            strcmp(name, index) == 0 || strcmp(name, "__categories") == 0)
            continue;
        int wrote = snprintf(list + used, sizeof list - used, "%s%.40s", shown++ ? ", " : "", name);
        used += used + (size_t)wrote < sizeof list ? (size_t)wrote : 0;
    }
    H5Gclose(obs);
    OF_TRY(of_arena_string(&file->arena, text, "the table of samples, with the columns %s%s",
                           shown ? list : "none", shown == COLUMNS_NAMED ? ", ..." : ""));
    of_text_clean(*text);
    return ONEFOLD_OK;
}

/* The column of obs that is the truth, where one was asked for. */
static onefold_status add_truth(const cells_group *of)
{
    const char *truth = of->file->wishes.truth;
    char path[NAME], *what;
    int said = truth && strncmp(truth, "obs/", 4) == 0;
    OF_TRY(describe_obs(of->file, of->group, &what));
    if (truth && strlen(truth) < NAME - 8) {
        snprintf(path, sizeof path, "%s%s", said ? "" : "obs/", truth);
        if (!strchr(path + 4, '/') && H5Lexists(of->group, path, H5P_DEFAULT) > 0) {
            of_top *top;
            OF_TRY(of_file_add(of->file, &top, truth));
            OF_TRY(read_variable(of->file, top->store, of->group, path, &top->variable));
            if (top->variable.count != of->samples)
                return of_blame(of_hdf_damaged(), "%s", path);
            OF_TRY(of_owner_hold(top->store, of->store));
            top->variable.matrix.row_names = of->names;
        } else if (said) {
            return of_hint(of_fail(ONEFOLD_USAGE, "obs has no column %s", truth + 4), "obs is %s",
                           what);
        }
    }
    return add_other(of->file, "obs", what);
}

/* ---- the file ------------------------------------------------------------------------------- */

static onefold_status nothing_to_read(const of_file *file)
{
    char list[400] = "";
    size_t used = 0;
    for (size_t t = 0; t < file->count; t++) {
        if (file->top[t].variable.kind == OF_VARIABLE_MATRIX)
            return ONEFOLD_OK;
        const char *name = file->top[t].variable.name;
        if (used + strlen(name) + 3 > sizeof list)
            continue;
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", name);
    }
    if (file->wishes.views)
        return of_hint(of_fail(ONEFOLD_USAGE, "it has none of the views %s", file->wishes.views),
                       "there are: %s", list);
    return of_hint(of_fail(ONEFOLD_BAD_DATA, "it has no X"), "name matrices with `views`: %s",
                   *list ? list : "there are none");
}

/* The names of the samples need an owner that outlives the reading: a top of their own. */
static onefold_status read_cells(of_file *file, hid_t root, int multimodal)
{
    cells_group of = {.file = file, .group = root};
    onefold_status status = of_owner_make(&of.store, file->context);
    if (status == ONEFOLD_OK)
        status = read_index(file, of.store, root, "obs", &of.samples, &of.names);
    if (status == ONEFOLD_OK)
        status = multimodal ? add_modalities(&of, root) : add_matrices(&of);
    if (status == ONEFOLD_OK)
        status = nothing_to_read(file);
    if (status == ONEFOLD_OK)
        status = add_truth(&of);
    of_owner_release(of.store); /* the matrices hold it */
    return status;
}

static onefold_status read_kind(of_file *file, hid_t root)
{
    char encoding[ENCODING];
    of_hdf_text_attribute(root, "encoding-type", encoding, sizeof encoding);
    file->cells = 1;
    if (strcmp(encoding, "anndata") == 0)
        return read_cells(file, root, 0);
    if (strcmp(encoding, "MuData") == 0 || strcmp(encoding, "mudata") == 0)
        return read_cells(file, root, 1);
    int has_obs = H5Lexists(root, "obs", H5P_DEFAULT) > 0;
    if (has_obs && H5Lexists(root, "mod", H5P_DEFAULT) > 0)
        return read_cells(file, root, 1);
    if (has_obs)
        return of_hint(
            of_fail(ONEFOLD_UNSUPPORTED,
                    "it was written by anndata before 0.8, whose encodings are not read"),
            "write it again: anndata.read_h5ad(path).write_h5ad(path) with anndata 0.8 "
            "or later");
    return of_hint(of_fail(ONEFOLD_UNSUPPORTED, "this HDF5 file is neither MATLAB's nor anndata's "
                                                "(.h5ad) nor MuData's (.h5mu)"),
                   "save the views as .npz, .mat or .csv");
}

onefold_status of_read_h5ad(of_file *file)
{
    if (!file->contents->map)
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "a packed HDF5 file is not read"),
                       "unpack it first");
    return of_hdf_read(file, read_kind);
}

#endif
