/* SPDX-License-Identifier: Apache-2.0 */
/* Which matrices of a file of single cells are wanted, and the samples of each in the file's order.
 */
#include "io/h5ad.h"

#ifdef ONEFOLD_WITH_HDF5

#include "io/match.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- what is wanted ----------------------------------------------------------------------- */

/* The next word of a list with commas, without blanks around it; NULL at the end. */
static const char *next_word(const char *list, char word[OF_H5AD_NAME])
{
    size_t length = strcspn(list, ",");
    const char *rest = list[length] ? list + length + 1 : NULL;
    while (length && isspace((unsigned char)*list))
        list++, length--;
    while (length && isspace((unsigned char)list[length - 1]))
        length--;
    snprintf(word, OF_H5AD_NAME, "%.*s", (int)length, list);
    return rest;
}

/* Whether a matrix is wanted, and under which name: `plain` where nothing was asked for, or a
 * number was. */
static int is_wanted(const of_h5ad_part *of, const char *path, int plain, char name[OF_H5AD_NAME])
{
    char word[OF_H5AD_NAME], whole[OF_H5AD_NAME + 8];
    const char *list = of->file->wishes.views;
    int counted = !list;
    if (!of->modality)
        snprintf(name, OF_H5AD_NAME, "%s", path);
    else if (strcmp(path, "X") == 0)
        snprintf(name, OF_H5AD_NAME, "%s", of->modality);
    else
        snprintf(name, OF_H5AD_NAME, "%.200s/%.300s", of->modality, path);
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
            snprintf(name, OF_H5AD_NAME, "%s", word);
            return 1;
        }
    }
    return plain && counted;
}

/* ---- matrices ----------------------------------------------------------------------------- */

onefold_status of_h5ad_add_other(of_file *file, const char *name, const char *what)
{
    of_top *top;
    OF_TRY(of_file_add(file, &top, name));
    top->variable = of_variable_other(top->variable.name, what);
    return ONEFOLD_OK;
}

/* Rows in the order of the file's samples; those it lacks are missing. */
static onefold_status place_rows(const of_h5ad_part *of, of_owner *store, of_matrix *matrix)
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

static onefold_status add_matrix(const of_h5ad_part *of, const char *path, int plain)
{
    char name[OF_H5AD_NAME];
    of_top *top;
    const char *what;
    size_t count = 0;
    const char *const *columns = NULL;
    if (!is_wanted(of, path, plain, name))
        return of_h5ad_add_other(of->file, name, "a matrix that was not asked for");
    OF_TRY(of_file_add(of->file, &top, name));
    of_variable *variable = &top->variable;
    onefold_status status =
        of_h5ad_matrix(of->file, top->store, of->group, path, &variable->matrix, &what);
    if (status == ONEFOLD_OK && what)
        status = of_fail(ONEFOLD_BAD_DATA, "it is %s", what);
    if (status == ONEFOLD_OK && strncmp(path, "obsm/", 5) != 0)
        status = of_h5ad_index(of->file, top->store, of->group, "var", &count, &columns);
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

onefold_status of_h5ad_add_members(const of_h5ad_part *of, const char *folder)
{
    char path[OF_H5AD_NAME], member[256];
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

onefold_status of_h5ad_add_matrices(const of_h5ad_part *of)
{
    if (H5Lexists(of->group, "X", H5P_DEFAULT) > 0)
        OF_TRY(add_matrix(of, "X", 1));
    OF_TRY(of_h5ad_add_members(of, "layers"));
    return of_h5ad_add_members(of, "obsm");
}

#endif
