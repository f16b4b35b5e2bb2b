/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of columns from lists of texts: in a container column_names1 for view 1, a cell
 * column_names with a list for each view, or a single list under a usual name that is as long as a
 * side of one view alone; among several files, one that is such a list.
 */
#include "io/read.h"

#include <string.h>

const char *of_reading_text(const of_variable *variable, size_t i)
{
    if (variable->kind == OF_VARIABLE_TEXT)
        return variable->text[i];
    const of_variable *item = &variable->item[i];
    return item->kind == OF_VARIABLE_TEXT && item->count == 1 ? item->text[0] : NULL;
}

/* Whether it is a list of texts: one in each place. */
static int is_list(const of_variable *variable)
{
    if (variable->kind != OF_VARIABLE_TEXT && variable->kind != OF_VARIABLE_CELL)
        return 0;
    for (size_t i = 0; i < variable->count; i++)
        if (!of_reading_text(variable, i))
            return 0;
    return variable->count > 0;
}

onefold_status of_file_ids(of_arena *arena, const of_file *file, size_t count,
                           const char *const **ids)
{
    const char **names;
    *ids = NULL;
    for (size_t t = 0; t < file->count && count; t++) {
        const of_variable *list = &file->top[t].variable;
        if (!of_name_of_ids(list->name) || list->are_ids || !is_list(list) || list->count != count)
            continue;
        OF_TRY(OF_NEW(arena, &names, count, 1));
        for (size_t i = 0; i < count; i++)
            names[i] = of_reading_text(list, i);
        *ids = names;
        return ONEFOLD_OK;
    }
    return ONEFOLD_OK;
}

/* Gives a matrix the names, of the side that they are as many as. */
static onefold_status give(of_arena *arena, of_found *found, const of_variable *list,
                           const of_variable *top)
{
    const char **names;
    of_matrix *matrix = &found->matrix;
    if (list->count != matrix->columns && list->count != matrix->rows)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(arena, &names, list->count, 1));
    for (size_t i = 0; i < list->count; i++)
        names[i] = of_reading_text(list, i);
    if (list->count == matrix->columns) {
        matrix->column_names = names;
        found->listed_columns = 1;
    }
    if (list->count == matrix->rows) {
        matrix->row_names = names;
        found->listed_rows = 1;
    }
    found->named_by = top;
    return ONEFOLD_OK;
}

/* The one matrix of a file that has a side of this length; NULL where there are none or several. */
static of_found *only_one(of_found *found, size_t count, size_t length)
{
    of_found *one = NULL;
    for (size_t m = 0; m < count; m++)
        if (found[m].matrix.rows == length || found[m].matrix.columns == length) {
            if (one)
                return NULL;
            one = &found[m];
        }
    return one;
}

/* What one variable names among the `count` views of its file. */
static onefold_status name_by(of_arena *arena, of_found *found, size_t count,
                              const of_variable *variable)
{
    size_t number;
    if (!of_name_of_columns(variable->name, &number))
        return ONEFOLD_OK;
    if (!is_list(variable)) {
        for (size_t m = 0; variable->kind == OF_VARIABLE_CELL && variable->count == count &&
                           number == 0 && m < count;
             m++)
            if (is_list(&variable->item[m]))
                OF_TRY(give(arena, &found[m], &variable->item[m], variable));
        return ONEFOLD_OK;
    }
    of_found *named = number == 0       ? only_one(found, count, variable->count)
                      : number <= count ? &found[number - 1]
                                        : NULL;
    return named ? give(arena, named, variable, variable) : ONEFOLD_OK;
}

/* Whether every matrix has a side of this length. */
static int all_have(const of_found *found, size_t count, size_t length)
{
    for (size_t m = 0; m < count; m++)
        if (found[m].matrix.rows != length && found[m].matrix.columns != length)
            return 0;
    return 1;
}

/* A list of ids is of the samples: the side of that length of every view of the file, which has no
 * names yet. */
static onefold_status name_samples(of_arena *arena, of_found *found, size_t count,
                                   const of_variable *list)
{
    const char **names;
    if (!all_have(found, count, list->count))
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(arena, &names, list->count, 1));
    for (size_t i = 0; i < list->count; i++)
        names[i] = of_reading_text(list, i);
    for (size_t m = 0; m < count; m++) {
        if (found[m].matrix.rows == list->count && !found[m].matrix.row_names)
            found[m].matrix.row_names = names;
        else if (found[m].matrix.rows != list->count && !found[m].matrix.column_names)
            found[m].matrix.column_names = names;
        found[m].ids_by = list;
    }
    return ONEFOLD_OK;
}

/* Whether a matrix is one column that counts its rows, from any number on. */
static int counts_rows(const of_variable *variable)
{
    const of_matrix *matrix = &variable->matrix;
    if (!of_variable_is_dense(variable) || matrix->columns != 1 || !matrix->data)
        return 0;
    for (size_t r = 1; r < matrix->rows; r++)
        if (of_matrix_get(matrix, r, 0) != of_matrix_get(matrix, 0, 0) + (double)r)
            return 0;
    return 1;
}

/* The list of names that a file is: one of texts, or a vocabulary with ids. Those are numbers that
 * count, or other texts: of two columns or more the second has the names, unless one is there
 * twice. NULL where it is none. */
static const of_variable *names_in(const of_file *file)
{
    const of_variable *text[3], *only = NULL;
    size_t texts = 0;
    if (file->count == 0 || file->count > 3)
        return NULL;
    for (size_t t = 0; t < file->count; t++) {
        const of_variable *variable = &file->top[t].variable;
        if (is_list(variable))
            text[texts++] = only = variable;
        else if (!counts_rows(variable))
            return NULL;
    }
    if (texts < 2 || texts < file->count)
        return texts == 1 ? only : NULL;
    for (size_t i = 0; i < text[1]->count; i++)
        for (size_t j = 0; j < i && text[1]->count < 10000; j++)
            if (strcmp(of_reading_text(text[1], i), of_reading_text(text[1], j)) == 0)
                return text[0];
    return text[1];
}

int of_reading_is_names(const of_file *file)
{
    return names_in(file) != NULL;
}

/* Whether a file of texts is called as ids are: barcodes.tsv, or out.samples.txt. */
static int is_file_of_ids(const of_file *file)
{
    const char *last = strrchr(file->stem, '.');
    return of_name_of_ids(file->stem) || (last && of_name_of_ids(last + 1));
}

/* A file of names is that of the samples, where it is called so, or of the one view with a side as
 * long. */
static onefold_status name_by_file(of_reading *reading, size_t f)
{
    const of_file *file = &reading->files.file[f];
    const of_variable *list = names_in(file);
    size_t named_ids = 0;
    for (size_t m = 0; is_file_of_ids(file) && m < reading->views.count; m++) {
        of_found *found = &reading->views.found[m];
        if (found->matrix.row_names || !all_have(found, 1, list->count))
            continue;
        OF_TRY(name_samples(reading->arena, found, 1, list));
        named_ids++;
    }
    if (named_ids)
        return ONEFOLD_OK;
    of_found *named = only_one(reading->views.found, reading->views.count, list->count);
    if (!named)
        return of_hint(of_reading_nothing_found(file, reading->files.is_label[f]),
                       "a list of words names columns where one view, and no other, has a side of "
                       "%zu",
                       list->count);
    return give(reading->arena, named, list, list);
}

/* The group they were taken from has the same names: it may be asked for as a whole. */
static void tell_group(const of_reading *reading, size_t f, const of_found *found, size_t count)
{
    for (size_t m = 0; reading->views.group_count[f] && m < count; m++) {
        of_found *same = &reading->views.groups[f][0].found[m];
        same->matrix.column_names = found[m].matrix.column_names;
        same->matrix.row_names = found[m].matrix.row_names;
        same->named_by = found[m].named_by;
        same->ids_by = found[m].ids_by;
        same->listed_rows = found[m].listed_rows;
        same->listed_columns = found[m].listed_columns;
    }
}

onefold_status of_reading_name_columns(of_reading *reading)
{
    for (size_t f = 0, first = 0, end; f < reading->files.count; f++, first = end) {
        const of_file *file = &reading->files.file[f];
        for (end = first; end < reading->views.count && reading->views.found[end].file == file;)
            end++;
        if (file->cells || of_reading_is_metadata(reading, file)) /* its matrices have names */
            continue;
        if (end == first && !memchr(reading->files.is_label[f], 1, file->count) &&
            of_reading_is_names(file))
            OF_TRY(name_by_file(reading, f));
        for (size_t t = 0; t < file->count && end > first; t++)
            if (!reading->files.is_label[f][t] && file->count > 1 &&
                !file->top[t].variable.are_ids && of_name_of_ids(file->top[t].variable.name) &&
                is_list(&file->top[t].variable))
                OF_TRY(name_samples(reading->arena, reading->views.found + first, end - first,
                                    &file->top[t].variable));
        for (size_t t = 0; t < file->count && end > first; t++)
            if (!reading->files.is_label[f][t])
                OF_TRY(name_by(reading->arena, reading->views.found + first, end - first,
                               &file->top[t].variable));
        tell_group(reading, f, reading->views.found + first, end - first);
    }
    return ONEFOLD_OK;
}
