/* SPDX-License-Identifier: Apache-2.0 */
/* Which matrices become views: the likeliest group of each file, or those that the option `views`
 * names. Which tables are about the samples, and which lists name columns. */
#include "io/find.h"

#include "base/number.h"

#include <stdio.h>
#include <string.h>

/* ---- metadata: tables of words about the samples -------------------------------------------- */

/* Whether a text is a column of words, and not of ids. */
static int is_column(const of_variable *variable)
{
    return variable->kind == OF_VARIABLE_TEXT && !variable->are_ids;
}

/* Sets file->is_metadata, once views are known. A table of words is metadata if it has the ids of a
 * view; or if one of its columns repeats a word and is no labels, and its rows fit all views. */
static onefold_status find_metadata(const of_reading *reading, of_file *file)
{
    OF_SCRATCH(scratch, reading->arena->context);
    size_t columns = 0, fitting = 0, named = 0, repeated = 0;
    of_ids ids, side;
    for (size_t t = 0; file->only_words && file->has_header && t < file->count; t++) {
        const of_variable *column = &file->top[t].variable;
        of_name_index index;
        if (!is_column(column) || file->top[t].is_label)
            continue;
        columns++;
        OF_TRY(of_name_index_make(&scratch, column->text, column->count, &index));
        repeated += index.repeated;
    }
    if (!columns)
        return ONEFOLD_OK;
    const of_variable *last = &file->top[file->count - 1].variable;
    OF_TRY(of_ids_make(&scratch, last->matrix.row_names, last->count, &ids));
    for (size_t m = 0; m < reading->found_count; m++) {
        const of_matrix *matrix = &reading->found[m].matrix;
        fitting += matrix->rows == last->count;
        named += matrix->row_names != NULL;
        OF_TRY(of_ids_make(&scratch, matrix->row_names, matrix->rows, &side));
        file->is_metadata |= of_ids_overlap(&side, &ids) >= OF_MIN_OVERLAP;
        OF_TRY(of_ids_make(&scratch, matrix->column_names, matrix->columns, &side));
        file->is_metadata |= of_ids_overlap(&side, &ids) >= OF_MIN_OVERLAP;
    }
    file->is_metadata |= repeated && ((named && ids.usable) ||
                                      (reading->found_count && fitting == reading->found_count));
    return ONEFOLD_OK;
}

onefold_status of_reading_assign_metadata(of_reading *reading, of_dataset *dataset)
{
    OF_SCRATCH(scratch, dataset->arena.context);
    size_t columns = 0, n = dataset->samples;
    const char **text;
    for (size_t f = 0; f < reading->file_count; f++)
        columns += reading->file[f].is_metadata ? reading->file[f].count : 0;
    OF_TRY(OF_NEW(&dataset->arena, &dataset->metadata, columns, 1));
    OF_TRY(OF_NEW(&scratch, &text, columns ? n : 0, 1));
    for (size_t f = 0; f < reading->file_count; f++) {
        const of_file *file = &reading->file[f];
        char end[96] = "";
        of_list list = {.used = 0}; /* "sex, stage" */
        size_t none = 0;
        if (!file->is_metadata)
            continue;
        if (!file->metadata_row && file->top[0].variable.count != n)
            return of_hint(of_fail(ONEFOLD_BAD_DATA,
                                   "%s has words about %zu samples and no ids, and there are %zu",
                                   file->path, file->top[0].variable.count, n),
                           "give it a column of the ids that the views have");
        for (size_t t = 0; t < file->count; t++) {
            const of_variable *column = &file->top[t].variable;
            if (!is_column(column))
                continue;
            of_metadata *to = &dataset->metadata[dataset->metadata_count];
            none = 0;
            for (size_t j = 0; j < n; j++) { /* in the order of the samples */
                size_t from = file->metadata_row ? file->metadata_row[j] : j;
                text[j] = from == SIZE_MAX ? "" : column->text[from];
                none += from == SIZE_MAX;
            }
            OF_TRY(OF_TEXT(&dataset->arena, &to->name, "%s", column->name));
            OF_TRY(of_dataset_names_copy(&dataset->arena, n, text, &to->text));
            dataset->metadata_count++;
            of_list_add(&list, "%.80s", column->name);
        }
        if (!file->metadata_row)
            snprintf(end, sizeof end, "; its rows are taken in the order of the samples");
        else if (none)
            snprintf(end, sizeof end, "; it has no row for %zu of the %zu samples", none, n);
        OF_TRY(of_reading_note(reading, OF_NOTE_METADATA, file->path, list.text, end));
    }
    return ONEFOLD_OK;
}

static int has_labels(const of_file *file)
{
    for (size_t t = 0; t < file->count; t++)
        if (file->top[t].is_label)
            return 1;
    return 0;
}

static const char *what_it_is(const of_variable *variable)
{
    switch (variable->kind) {
    case OF_VARIABLE_TEXT:
        return "text";
    case OF_VARIABLE_OTHER:
        return variable->what;
    case OF_VARIABLE_CELL:
        return "a cell without matrices that belong together";
    default:
        return of_matrix_is_vector(&variable->matrix) ? "a single row or column" : "a matrix";
    }
}

/* The error for a file without views, with what each variable is. */
static onefold_status no_view_error(of_file *file)
{
    of_list list = {.used = 0};
    if (file->count == 0)
        return of_fail(ONEFOLD_BAD_DATA, "%s: there are no variables in it", file->path);
    size_t texts = 0;
    for (size_t t = 0; t < file->count; t++) {
        const of_variable *variable = &file->top[t].variable;
        of_list_add(&list, "%s is %s", variable->name,
                    file->top[t].is_label ? "labels" : what_it_is(variable));
        texts += variable->kind == OF_VARIABLE_TEXT;
    }
    return of_hint(
        of_fail(ONEFOLD_BAD_DATA, "%s: nothing in it can be a view: %s", file->path,
                texts > 1 && texts == file->count ? "all of it is words" : list.text),
        "views are matrices of numbers with a side as long as there are samples, or tables of "
        "numbers and of words that repeat");
}

/* ---- names of columns and samples, from lists of texts -------------------------------------- */

/* A container has column_names1 for view 1, a cell column_names with a list for each view, or one
 * list under a usual name that is as long as a side of one view alone. Among several files, a file
 * may be such a list. */

static int is_list(const of_variable *variable)
{
    return variable->kind == OF_VARIABLE_TEXT && variable->count > 0;
}

/* Names each side of a matrix that is as long as the list. */
static void name_sides(of_found *found, const of_variable *list, const of_variable *top)
{
    of_matrix *matrix = &found->matrix;
    if (!of_matrix_has_side(matrix, list->count))
        return;
    if (list->count == matrix->columns) {
        matrix->column_names = list->text;
        found->listed.columns = 1;
    }
    if (list->count == matrix->rows) {
        matrix->row_names = list->text;
        found->listed.rows = 1;
    }
    found->named_by = top;
}

/* Names view `number` from 1, or, where that is 0, the only view with a side as long as the list.
 * Returns whether there is such a view. */
static int name_one(of_found *found, size_t count, size_t number, const of_variable *list)
{
    of_found *named = number && number <= count ? &found[number - 1] : NULL;
    size_t fitting = 0;
    for (size_t m = 0; m < count && !number; m++)
        if (of_matrix_has_side(&found[m].matrix, list->count)) {
            named = &found[m];
            fitting++;
        }
    if (!named || fitting > 1)
        return 0;
    name_sides(named, list, list);
    return 1;
}

/* Names columns of the `count` views of a file by one of its variables, if its name says so. */
static void name_by(of_found *found, size_t count, const of_variable *variable)
{
    size_t number;
    if (!of_name_of_columns(variable->name, &number))
        return;
    if (variable->kind == OF_VARIABLE_CELL && variable->count == count && number == 0)
        for (size_t m = 0; m < count; m++)
            if (is_list(&variable->item[m]))
                name_sides(&found[m], &variable->item[m], variable);
    if (is_list(variable))
        name_one(found, count, number, variable);
}

/* Names the samples of every view without row names that has a side as long as the list. Returns
 * whether there is one. */
static int name_samples(of_found *found, size_t count, const of_variable *list)
{
    int used = 0;
    for (size_t m = 0; m < count; m++) {
        of_matrix *matrix = &found[m].matrix;
        if (matrix->row_names || !of_matrix_has_side(matrix, list->count))
            continue;
        if (matrix->rows == list->count)
            matrix->row_names = list->text;
        else if (!matrix->column_names)
            matrix->column_names = list->text;
        found[m].listed.ids_columns = matrix->columns == list->count;
        found[m].ids_by = list;
        used = 1;
    }
    return used;
}

/* The list of a file that is one list of texts, with or without row numbers; or NULL. */
static const of_variable *find_names(const of_file *file)
{
    const of_variable *list = NULL;
    for (size_t t = 0; t < file->count; t++) {
        const of_variable *variable = &file->top[t].variable;
        const of_matrix *matrix = &variable->matrix;
        if (is_list(variable) && !list) {
            list = variable;
            continue;
        }
        if (!of_variable_is_dense(variable) || matrix->columns != 1)
            return NULL;
        for (size_t r = 1; r < matrix->rows; r++)
            if (of_matrix_get(matrix, r, 0) != of_matrix_get(matrix, 0, 0) + (double)r)
                return NULL;
    }
    return list;
}

/* A file that is a list names the samples if its own name says so, else the only view with a side
 * as long. */
static onefold_status name_by_file(of_reading *reading, of_file *file)
{
    const of_variable *list = file->names;
    const char *last = strrchr(file->stem, '.'); /* barcodes.tsv, or out.samples.txt */
    int ids = of_name_of_ids(file->stem) || (last && of_name_of_ids(last + 1));
    if ((ids && name_samples(reading->found, reading->found_count, list)) ||
        name_one(reading->found, reading->found_count, 0, list))
        return ONEFOLD_OK;
    return of_hint(no_view_error(file),
                   "a list of words names columns where one view, and no other, has a side of %zu",
                   list->count);
}

/* Names sides of matrices by the lists beside them. A file that is a list and fits no view is
 * refused. */
static onefold_status name_columns(of_reading *reading)
{
    for (size_t f = 0, first = 0, end; f < reading->file_count; f++, first = end) {
        of_file *file = &reading->file[f];
        for (end = first; end < reading->found_count && reading->found[end].file == file;)
            end++;
        if (file->single_cell || file->is_metadata) /* names are set already, or not needed */
            continue;
        if (end == first && !has_labels(file) && file->names)
            OF_TRY(name_by_file(reading, file));
        for (size_t t = 0; t < file->count && end > first; t++)
            if (!file->top[t].is_label && file->count > 1 && !file->top[t].variable.are_ids &&
                of_name_of_ids(file->top[t].variable.name) && is_list(&file->top[t].variable))
                name_samples(reading->found + first, end - first, &file->top[t].variable);
        for (size_t t = 0; t < file->count && end > first; t++)
            if (!file->top[t].is_label)
                name_by(reading->found + first, end - first, &file->top[t].variable);
        for (size_t m = first; m < end; m++) { /* the option `views` may name the whole group */
            of_matrix *same = &file->groups[0].found[m - first].matrix;
            const char *name = same->name;
            file->groups[0].found[m - first] = reading->found[m];
            same->name = name;
        }
    }
    return ONEFOLD_OK;
}

static onefold_status add_matrices(of_arena *arena, of_group *to, const of_found *more,
                                   size_t count)
{
    OF_TRY(OF_GROW(arena, &to->found, to->count, &to->room, to->count + count));
    memcpy(to->found + to->count, more, count * sizeof *more);
    to->count += count;
    return ONEFOLD_OK;
}

/* ---- the option `views` --------------------------------------------------------------------- */

/* Adds what has this name: a view, a whole group, or any matrix of a group. */
static onefold_status find_named(const of_reading *reading, of_group *requested, const char *name)
{
    for (size_t m = 0; m < reading->found_count; m++)
        if (strcmp(reading->found[m].matrix.name, name) == 0)
            return add_matrices(reading->arena, requested, &reading->found[m], 1);
    for (size_t f = 0; f < reading->file_count; f++)
        for (size_t g = 0; g < reading->file[f].group_count; g++) {
            const of_group *group = &reading->file[f].groups[g];
            if (group->kind != OF_GROUP_FREE && strcmp(group->name, name) == 0)
                return add_matrices(reading->arena, requested, group->found, group->count);
            for (size_t m = 0; m < group->count; m++)
                if (strcmp(group->found[m].matrix.name, name) == 0)
                    return add_matrices(reading->arena, requested, &group->found[m], 1);
        }
    return ONEFOLD_OK;
}

static onefold_status find_requested(const of_reading *reading, of_group *requested,
                                     const char *name)
{
    size_t number, before = requested->count;
    OF_TRY(find_named(reading, requested, name));
    if (requested->count > before)
        return ONEFOLD_OK;
    const char *end = name + strlen(name);
    if (*name && of_number_read_size(name, end, &number) == end) {
        if (number < 1 || number > reading->found_count)
            return of_fail(ONEFOLD_USAGE, "view %s was asked for, and there are %zu", name,
                           reading->found_count);
        return add_matrices(reading->arena, requested, &reading->found[number - 1], 1);
    }
    of_list list = {.used = 0};
    for (size_t m = 0; m < reading->found_count; m++)
        of_list_add(&list, "%s", reading->found[m].matrix.name);
    return of_hint(of_fail(ONEFOLD_USAGE, "there is no view named %s", name),
                   "views are named by number, or as in: %s", list.text);
}

static onefold_status select_views(of_reading *reading, const char *list)
{
    of_group requested = {.count = 0};
    const char *name;
    char *copy;
    for (int length; of_list_next(&list, &name, &length);) {
        OF_TRY(of_arena_string(reading->arena, &copy, "%.*s", length, name));
        OF_TRY(find_requested(reading, &requested, copy));
    }
    if (requested.count == 0)
        return of_fail(ONEFOLD_USAGE, "the list of views is empty");
    reading->may_repeat = 0;
    reading->found = requested.found;
    reading->found_count = requested.count;
    return ONEFOLD_OK;
}

/* ---- all of it ------------------------------------------------------------------------------ */

/* Names views by the list view_names of their file, as `convert` writes it. */
static void name_views(of_reading *reading)
{
    const of_file *file = &reading->file[0];
    for (size_t t = 0; reading->file_count == 1 && t < file->count; t++) {
        const of_variable *list = &file->top[t].variable;
        if (strcmp(list->name, "view_names") != 0 || list->count != reading->found_count ||
            list->kind != OF_VARIABLE_TEXT)
            continue;
        for (size_t m = 0; m < reading->found_count; m++)
            if (*list->text[m])
                reading->found[m].matrix.name = list->text[m];
        reading->view_names = list;
    }
}

onefold_status of_reading_find_views(of_reading *reading)
{
    of_group all = {.count = 0};
    for (size_t f = 0; f < reading->file_count; f++) {
        of_file *file = &reading->file[f];
        OF_TRY(of_groups_make(reading, file));
        file->names = find_names(file);
        if (reading->file_count > 1 && file->names)
            file->group_count = 0; /* row numbers are no view */
        if (!file->group_count && reading->file_count == 1)
            return no_view_error(file);
        if (!file->group_count)
            continue;
        OF_TRY(add_matrices(reading->arena, &all, file->groups[0].found, file->groups[0].count));
        reading->may_repeat |= file->groups[0].kind == OF_GROUP_FREE && file->count > 1;
    }
    reading->found = all.found;
    reading->found_count = all.count;
    for (size_t f = 0; f < reading->file_count; f++) {
        of_file *file = &reading->file[f];
        if (reading->file_count > 1)
            OF_TRY(find_metadata(reading, file));
        if (!file->group_count && !has_labels(file) && !file->names && !file->is_metadata)
            return no_view_error(file);
    }
    if (reading->found_count == 0)
        return no_view_error(&reading->file[0]);
    name_views(reading);
    OF_TRY(name_columns(reading));
    reading->all = reading->found;
    reading->all_count = reading->found_count;
    return reading->given->views ? select_views(reading, reading->given->views) : ONEFOLD_OK;
}
