/* SPDX-License-Identifier: Apache-2.0 */
/* Labels: which variables of a file are labels, and files of labels. */
#include "base/distinct.h"
#include "io/find.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- forms: a row, a column, one-hot, a copy per view, text --------------------------------- */

/* A row or a column of whole numbers, or a cell of single numbers. (A cell of strings is a list.)
 */
static onefold_status from_numbers(of_arena *arena, const of_variable *variable, of_labels *labels)
{
    int cell = variable->kind == OF_VARIABLE_CELL, column = variable->matrix.columns == 1;
    size_t length = cell ? variable->count : variable->matrix.rows * variable->matrix.columns;
    OF_TRY(OF_NEW(arena, &labels->value, length, 1));
    for (size_t i = 0; i < length; i++) {
        const of_variable *from = cell ? &variable->item[i] : variable;
        if (cell && (!of_variable_is_dense(from) ||
                     from->matrix.rows * from->matrix.columns * from->pages != 1))
            return ONEFOLD_OK;
        double value =
            of_matrix_get(&from->matrix, !cell && column ? i : 0, cell || column ? 0 : i);
        if (fabs(value) > 9007199254740992.0 || value != floor(value))
            return ONEFOLD_OK;
        labels->value[i] = (int64_t)value;
    }
    labels->length = length;
    return ONEFOLD_OK;
}

/* The place of the 1 in each row, from 1, if all other entries are 0, or all are -1. */
static int read_one_hot(const of_matrix *matrix, int64_t *value)
{
    double low = 0;
    for (size_t j = 0; j < matrix->rows; j++) {
        size_t high = 0;
        for (size_t c = 0; c < matrix->columns; c++) {
            double at = of_matrix_get(matrix, j, c);
            if (at == -1 && j == 0 && (c == 0 || (c == 1 && high == 1)))
                low = -1;
            if (at == 1)
                value[j] = (int64_t)c + 1;
            else if (at != low)
                return 0;
            high += at == 1;
        }
        if (high != 1)
            return 0;
    }
    return 1;
}

static onefold_status from_one_hot(of_arena *arena, const of_variable *variable, of_labels *labels)
{
    of_matrix matrix = variable->matrix;
    if (matrix.columns > matrix.rows)
        matrix = of_matrix_transposed(&matrix);
    OF_TRY(OF_NEW(arena, &labels->value, matrix.rows, 1));
    if (matrix.columns < matrix.rows && read_one_hot(&matrix, labels->value))
        labels->length = matrix.rows;
    labels->how = "one-hot";
    return ONEFOLD_OK;
}

/* A cell with a copy of the labels for each view. */
static onefold_status from_copies(of_arena *arena, const of_variable *cell, of_labels *labels)
{
    for (size_t i = 0; i < cell->count; i++) {
        of_labels copy;
        if (cell->item[i].kind == OF_VARIABLE_OTHER)
            continue;
        OF_TRY(of_labels_from(arena, &cell->item[i], &copy));
        if (copy.length < 2) {
            labels->length = 0;
            return ONEFOLD_OK;
        }
        if (!labels->length)
            *labels = copy;
    }
    labels->how = cell->count > 1 ? "a copy per view, of which the first is taken" : NULL;
    return ONEFOLD_OK;
}

static onefold_status from_texts(of_arena *arena, const of_variable *variable, of_labels *labels)
{
    size_t n = variable->count, classes = 0;
    const char **name;
    OF_TRY(OF_NEW(arena, &name, n, 1));
    OF_TRY(OF_NEW(arena, &labels->value, n, 1));
    memcpy(name, variable->text, n * sizeof *name);
    qsort(name, n, sizeof *name, of_compare_texts);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || strcmp(name[i], name[classes - 1]) != 0)
            name[classes++] = name[i];
    for (size_t i = 0; i < n; i++) {
        const char **at =
            bsearch(&variable->text[i], name, classes, sizeof *name, of_compare_texts);
        labels->value[i] = at - name;
    }
    labels->class_name = name;
    labels->length = n;
    return ONEFOLD_OK;
}

onefold_status of_labels_from(of_arena *arena, const of_variable *variable, of_labels *labels)
{
    *labels = (of_labels){.name = variable->name};
    if (variable->kind == OF_VARIABLE_TEXT) {
        OF_TRY(from_texts(arena, variable, labels));
    } else if (variable->kind == OF_VARIABLE_CELL) {
        OF_TRY(from_numbers(arena, variable, labels));
        if (!labels->length)
            OF_TRY(from_copies(arena, variable, labels));
    } else if (variable->kind != OF_VARIABLE_OTHER && variable->pages == 1) {
        OF_TRY(of_matrix_is_vector(&variable->matrix) ? from_numbers(arena, variable, labels)
                                                      : from_one_hot(arena, variable, labels));
    }
    labels->name = variable->name;
    labels->ids = variable->kind == OF_VARIABLE_TEXT || variable->matrix.rows == labels->length
                      ? variable->matrix.row_names
                      : NULL;
    labels->certainty = of_name_of_labels(variable->name);
    OF_SCRATCH(scratch, arena->context);
    int64_t *distinct;
    return labels->length ? of_distinct(&scratch, labels->value, labels->length, &distinct,
                                        &labels->classes, NULL)
                          : ONEFOLD_OK;
}

onefold_status of_labels_assign(of_dataset *dataset, const of_labels *labels)
{
    OF_SCRATCH(scratch, dataset->arena.context);
    const char **name;
    OF_TRY(of_dataset_set_labels(dataset, labels->value, NULL));
    if (!labels->class_name)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(&scratch, &name, dataset->class_count, 1));
    for (size_t j = 0; j < dataset->samples; j++)
        name[dataset->truth[j]] = labels->class_name[labels->value[j]];
    return of_dataset_names_copy(&dataset->arena, dataset->class_count, name,
                                 &dataset->class_names);
}

/* ---- which variables are labels ------------------------------------------------------------- */

/* Inserts a candidate after those that are at least as certain. */
static void add_candidate(of_reading *reading, const of_labels *labels)
{
    size_t at = reading->label_count++;
    for (; at > 0 && reading->labels[at - 1].certainty < labels->certainty; at--)
        reading->labels[at] = reading->labels[at - 1];
    reading->labels[at] = *labels;
}

/* Labels without ids take those of a list beside them under a usual name. */
static void find_ids(const of_file *file, of_labels *labels)
{
    for (size_t t = 0; t < file->count && labels->length && !labels->ids; t++) {
        const of_variable *list = &file->top[t].variable;
        if (list->kind == OF_VARIABLE_TEXT && list->count == labels->length && !list->are_ids &&
            of_name_of_ids(list->name))
            labels->ids = list->text;
    }
}

/* Finds labels by rule: a variable under a usual name, or the only variable of one of several
 * files. Labels are never all different. */
static onefold_status find_in_file(of_reading *reading, size_t f)
{
    of_file *file = &reading->file[f];
    if (file->single_cell) /* of the many columns of obs, the option `truth` names the truth */
        return ONEFOLD_OK;
    for (size_t t = 0; t < file->count; t++) {
        const of_variable *variable = &file->top[t].variable;
        int alone = reading->file_count > 1 && file->count == 1 &&
                    (variable->kind == OF_VARIABLE_TEXT || of_matrix_is_vector(&variable->matrix));
        if ((!alone && !of_name_of_labels(variable->name)) || variable->are_ids)
            continue;
        of_labels labels;
        OF_TRY(of_labels_from(reading->arena, variable, &labels));
        if (labels.length < 2 || labels.classes == labels.length)
            continue;
        file->top[t].is_label = 1;
        labels.file = file;
        find_ids(file, &labels);
        add_candidate(reading, &labels);
    }
    return ONEFOLD_OK;
}

/* The labels in the variable of this name, with their ids. *top is NULL where there is no such
 * variable; a variable without labels is refused. */
static onefold_status find_variable(of_arena *arena, const of_file *file, const char *name,
                                    of_labels *labels, of_top **top)
{
    *top = NULL;
    for (size_t t = 0; t < file->count && !*top; t++)
        if (strcmp(file->top[t].variable.name, name) == 0)
            *top = &file->top[t];
    if (!*top)
        return ONEFOLD_OK;
    OF_TRY(of_labels_from(arena, &(*top)->variable, labels));
    if (!labels->length)
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "%s: %s holds no labels", file->path, name),
                       "labels are whole numbers or strings, one per sample, or one-hot");
    find_ids(file, labels);
    return ONEFOLD_OK;
}

/* Splits "FILE:COLUMN", if FILE exists. Otherwise *path is all of it, and *column is NULL. */
static onefold_status labels_split(of_arena *arena, const char *truth, char **path,
                                   const char **column)
{
    const char *colon = strrchr(truth, ':');
    *column = NULL;
    OF_TRY(of_arena_string(arena, path, "%s", truth));
    if (!colon || !colon[1] || colon == truth || access(truth, F_OK) == 0)
        return ONEFOLD_OK;
    (*path)[colon - truth] = '\0';
    if (access(*path, F_OK) == 0)
        *column = colon + 1;
    else
        (*path)[colon - truth] = ':';
    return ONEFOLD_OK;
}

/* The labels of a file of labels: the variable that file->options.truth names, or one under a usual
 * name, or else the only one that holds labels. */
static onefold_status labels_of_file(of_arena *arena, const of_file *file, of_labels *labels)
{
    of_labels best = {0}, candidate;
    const char *requested = file->options.truth;
    size_t count = 0;
    of_top *top;
    if (requested) {
        OF_TRY(find_variable(arena, file, requested, labels, &top));
        return top ? ONEFOLD_OK
                   : of_hint(of_fail(ONEFOLD_BAD_DATA, "%s has no column or variable %s",
                                     file->path, requested),
                             "FILE:COLUMN names a column in the header of a table, or a variable");
    }
    for (size_t t = 0; t < file->count; t++) {
        if (file->top[t].variable.are_ids)
            continue;
        OF_TRY(of_labels_from(arena, &file->top[t].variable, &candidate));
        if (candidate.length < 2)
            continue;
        if (count == 0 || candidate.certainty > best.certainty)
            best = candidate;
        count += candidate.certainty > 0 || best.certainty == 0;
    }
    if (!best.name)
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "%s: there are no labels in it", file->path),
                       "labels are whole numbers or strings, one per sample, or one-hot");
    if (best.certainty == 0 && count > 1)
        return of_hint(
            of_fail(ONEFOLD_BAD_DATA, "%s: more than one variable may be the labels", file->path),
            "give them one of the usual names, such as Y, gt or labels");
    *labels = best;
    find_ids(file, labels);
    return ONEFOLD_OK;
}

/* The labels that the option `truth` names: in the files of the data, or in a file beside them. */
static onefold_status find_requested(of_reading *reading, const char *truth, of_labels *labels)
{
    char *path;
    const char *column;
    of_file *file;
    OF_TRY(labels_split(reading->arena, truth, &path, &column));
    for (size_t f = 0; f < reading->file_count; f++) {
        file = &reading->file[f];
        of_top *top;
        int own = column && strcmp(file->path, path) == 0;
        OF_TRY(find_variable(reading->arena, file, own ? column : truth, labels, &top));
        if (top) {
            top->is_label = 1;
            labels->file = file;
            return ONEFOLD_OK;
        }
        if (own)
            return of_fail(ONEFOLD_USAGE, "%s has no column or variable %s", path, column);
    }
    if (!column && access(truth, F_OK) != 0 && !strpbrk(truth, "/."))
        return of_hint(of_fail(ONEFOLD_USAGE, "there is no variable and no file named %s", truth),
                       "the truth is a column or variable of the data, the path of a file, or "
                       "FILE:COLUMN");
    OF_TRY(of_reading_beside(reading, path, column, &file));
    OF_TRY(labels_of_file(reading->arena, file, labels));
    labels->file = file;
    return ONEFOLD_OK;
}

onefold_status of_reading_find_labels(of_reading *reading)
{
    size_t most = 1;
    for (size_t f = 0; f < reading->file_count; f++)
        most += reading->file[f].count;
    OF_TRY(OF_NEW(reading->arena, &reading->labels, most, 1));
    for (size_t f = 0; f < reading->file_count; f++)
        OF_TRY(find_in_file(reading, f));
    reading->label_total = reading->label_count;
    if (!reading->truth)
        return ONEFOLD_OK;
    of_labels requested;
    OF_TRY(find_requested(reading, reading->truth, &requested));
    memmove(reading->labels + 1, reading->labels, reading->label_total++ * sizeof requested);
    reading->labels[0] = requested;
    reading->label_count = 1;
    return ONEFOLD_OK;
}

/* ---- files of labels: the truth of a data set without views --------------------------------- */

/* The name of a class as a whole number, or -1. */
static int32_t number_of(const char *name)
{
    enum { MOST_DIGITS = 9 };
    size_t digits = strspn(name, "0123456789");
    if (!digits || digits > MOST_DIGITS || name[digits] || (name[0] == '0' && digits > 1))
        return -1;
    return (int32_t)strtol(name, NULL, 10);
}

static onefold_status read_labels(of_dataset **named, of_context *context, const char *path)
{
    OF_SCRATCH(scratch, context);
    __attribute__((cleanup(of_file_close))) of_file file = {0};
    of_labels labels;
    char *name;
    onefold_read_options options = ONEFOLD_READ_OPTIONS_INIT;
    OF_TRY(labels_split(&scratch, path, &name, &options.truth));
    OF_TRY(of_file_read(&file, context, name, &options, -1));
    OF_TRY(labels_of_file(&scratch, &file, &labels));
    OF_TRY(of_dataset_make(named, context, labels.length));
    OF_TRY(of_labels_assign(*named, &labels));
    OF_TRY(of_dataset_note(*named, "%s", labels.name));
    /* the number of the run; "" where these are not a run's labels with ids */
    char run[OF_RUN_TEXT] = "";
    uint64_t sum = 0;
    int known =
        labels.ids && (strcmp(labels.name, "cluster") == 0 || strcmp(labels.name, "labels") == 0);
    for (size_t c = 0; known && c < (*named)->class_count; c++)
        known = number_of((*named)->class_names[c]) >= 0;
    for (size_t j = 0; known && j < labels.length; j++)
        sum += of_run_part(labels.ids[j], strlen(labels.ids[j]), j,
                           number_of((*named)->class_names[(*named)->truth[j]]));
    if (known)
        of_run_text(of_run_end(sum, labels.length), run);
    OF_TRY(of_dataset_note(*named, "%s", run));
    return labels.ids ? of_dataset_names_copy(&(*named)->arena, labels.length, labels.ids,
                                              &(*named)->sample_names)
                      : ONEFOLD_OK;
}

onefold_status onefold_labels_read(onefold_dataset **labels, onefold_context *context,
                                   const char *path)
{
    if (!labels || !path)
        return of_fail(ONEFOLD_USAGE, "reading labels needs a place for them and a file");
    of_dataset *named = NULL;
    onefold_status status = read_labels(&named, of_context_or_default(context), path);
    return of_object_give(labels, named, status);
}
