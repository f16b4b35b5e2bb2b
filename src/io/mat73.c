/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MATLAB 7.3 files, which are HDF5. The HDF5 library is called directly: matio opens a truncated
 * file as one without variables, lets HDF5 print, counts elements in an int, and takes memory past
 * the account.
 */
#include "io/file.h"

#ifndef ONEFOLD_WITH_HDF5

onefold_status of_read_mat73(of_file *file)
{
    (void)file;
    return of_hint(of_fail(ONEFOLD_UNSUPPORTED, "this build cannot read MATLAB 7.3 files"),
                   "save with -v7, or build with ONEFOLD_WITH_HDF5=ON");
}

#else

#include "io/build.h"
#include "io/hdf.h"

#include <string.h>

typedef struct mat73 {
    of_file *file;
    of_owner *store;
    size_t *references; /* how many more there can be: cells that hold themselves come to an end */
} mat73;

static onefold_status read_object(mat73 reader, hid_t object, const char *name, int depth,
                                  of_variable *variable);

/* ---- data sets ------------------------------------------------------------------------------ */

/* MATLAB's sides: HDF5 has them the other way round. *more is the product of those that follow. */
static onefold_status read_sides(hid_t dataset, size_t side[3], size_t *more, size_t *elements)
{
    size_t all[H5S_MAX_RANK];
    int rank;
    OF_TRY(of_hdf_sides(dataset, all, &rank, elements));
    *more = 1;
    for (int d = 0; d < 3 || d < rank; d++)
        if (d < 3)
            side[d] = d < rank ? all[rank - 1 - d] : 1;
        else
            *more *= all[rank - 1 - d];
    return ONEFOLD_OK;
}

static onefold_status read_cell(mat73 reader, hid_t dataset, const char *name, int depth,
                                size_t elements, of_variable *variable)
{
    enum { DEEPEST = 16 };
    const void *data = NULL;
    if (depth > DEEPEST)
        return *variable = of_variable_other(name, "a cell within too many others"), ONEFOLD_OK;
    if (elements > *reader.references)
        return of_hdf_damaged();
    *reader.references -= elements;
    OF_TRY(of_hdf_elements(reader.file, reader.store, dataset, H5T_STD_REF_OBJ, sizeof(hobj_ref_t),
                           elements, &data));
    OF_TRY(OF_NEW_ZERO(&reader.store->arena, &variable->item, elements, 1));
    variable->kind = OF_VARIABLE_CELL;
    variable->count = elements;
    for (size_t i = 0; i < elements; i++) {
        char *item_name;
        OF_TRY(of_arena_string(&reader.store->arena, &item_name, "%s{%zu}", name, i + 1));
        hid_t item =
            H5Rdereference2(dataset, H5P_DEFAULT, H5R_OBJECT, (const hobj_ref_t *)data + i);
        if (item < 0)
            return of_blame(of_hdf_damaged(), "%s", item_name);
        onefold_status status = read_object(reader, item, item_name, depth + 1, &variable->item[i]);
        H5Oclose(item);
        OF_TRY(status);
    }
    return of_build_list(&reader.store->arena, variable);
}

static onefold_status read_dataset(mat73 reader, hid_t dataset, const char *name, int depth,
                                   of_variable *variable)
{
    char class[64];
    size_t side[3], more, elements;
    hid_t native = -1;
    of_hdf_text_attribute(dataset, "MATLAB_class", class, sizeof class);
    OF_TRY(read_sides(dataset, side, &more, &elements));
    if (elements == 0 || of_hdf_number_attribute(dataset, "MATLAB_empty"))
        return *variable = of_variable_other(name, "empty"), ONEFOLD_OK;
    if (more > 1)
        return *variable = of_variable_other(name, "an array of more than three dimensions"),
               ONEFOLD_OK;
    of_array numbers = {NULL, of_hdf_type(dataset, &native), elements, reader.store};
    *variable = (of_variable){.name = name};
    of_build_dense(variable, &numbers, side, 0);
    if (strcmp(class, "cell") == 0)
        return read_cell(reader, dataset, name, depth, elements, variable);
    if (numbers.type == OF_TYPE_COUNT)
        return *variable = of_variable_other(name, "complex, or of a type that is not read"),
               ONEFOLD_OK;
    OF_TRY(of_hdf_elements(reader.file, reader.store, dataset, native, of_type_size(numbers.type),
                           elements, &numbers.data));
    variable->matrix.data = numbers.data;
    return strcmp(class, "char") == 0
               ? of_build_text(&reader.store->arena, side[0], side[1], 0, &numbers, variable)
               : ONEFOLD_OK;
}

/* ---- groups --------------------------------------------------------------------------------- */

/* A part of a sparse matrix; none at all is how an empty one is stored. */
static onefold_status read_member(mat73 reader, hid_t group, const char *part, of_array *array)
{
    *array = (of_array){NULL, OF_F64, 0, reader.store};
    if (H5Lexists(group, part, H5P_DEFAULT) > 0)
        OF_TRY(of_hdf_array(reader.file, reader.store, group, part, array));
    return array->type == OF_TYPE_COUNT ? of_hdf_damaged() : ONEFOLD_OK;
}

static onefold_status read_group(mat73 reader, hid_t group, const char *name, of_variable *variable)
{
    size_t rows = (size_t)of_hdf_number_attribute(group, "MATLAB_sparse");
    if (H5Aexists(group, "MATLAB_sparse") <= 0)
        return *variable = of_variable_other(name, "a struct"), ONEFOLD_OK;
    of_array start, index, value;
    OF_TRY(read_member(reader, group, "jc", &start));
    OF_TRY(read_member(reader, group, "ir", &index));
    OF_TRY(read_member(reader, group, "data", &value));
    if (rows == 0 || start.count < 2)
        return *variable = of_variable_other(name, "empty"), ONEFOLD_OK;
    *variable = (of_variable){.name = name};
    return of_build_compressed(reader.store, variable, rows, start.count - 1, 1, &start, &index,
                               &value);
}

static onefold_status read_object(mat73 reader, hid_t object, const char *name, int depth,
                                  of_variable *variable)
{
    H5I_type_t kind = H5Iget_type(object);
    onefold_status status = ONEFOLD_OK;
    if (kind == H5I_DATASET)
        status = read_dataset(reader, object, name, depth, variable);
    else if (kind == H5I_GROUP)
        status = read_group(reader, object, name, variable);
    else
        *variable = of_variable_other(name, "a type");
    return status == ONEFOLD_BAD_DATA && variable->kind != OF_VARIABLE_CELL
               ? of_blame(status, "%s", name)
               : status;
}

/* ---- the file ------------------------------------------------------------------------------- */

static onefold_status read_variable(of_file *file, hid_t root, hsize_t link, size_t *references)
{
    char name[128] = "";
    if (of_hdf_member(root, link, name, sizeof name) < 0)
        return of_hdf_damaged();
    if (name[0] == '#') /* MATLAB's own */
        return ONEFOLD_OK;
    of_top *top;
    OF_TRY(of_file_add(file, &top, name));
    hid_t object = H5Oopen(root, name, H5P_DEFAULT);
    if (object < 0)
        return of_blame(of_hdf_damaged(), "%s", name);
    mat73 reader = {file, top->store, references};
    onefold_status status = read_object(reader, object, top->variable.name, 0, &top->variable);
    H5Oclose(object);
    return status;
}

static onefold_status read_variables(of_file *file, hid_t root)
{
    H5G_info_t info;
    size_t references = file->size / sizeof(hobj_ref_t);
    if (H5Gget_info(root, &info) < 0)
        return of_hdf_damaged();
    for (hsize_t link = 0; link < info.nlinks; link++)
        OF_TRY(read_variable(file, root, link, &references));
    return ONEFOLD_OK;
}

onefold_status of_read_mat73(of_file *file)
{
    return of_hdf_read(file, "MATLAB 7.3", read_variables);
}

#endif
