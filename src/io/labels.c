/* SPDX-License-Identifier: Apache-2.0 */
/* Labels in all the shapes they are stored in: a row, a column, one-hot, a copy per view, text. */
#include "base/distinct.h"
#include "io/find.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int is_whole(double value)
{
    return fabs(value) <= 9007199254740992.0 && value == floor(value);
}

/* A row or a column of whole numbers. */
static onefold_status from_vector(of_arena *arena, const of_variable *variable, of_labels *labels,
                                  int *found)
{
    size_t length = variable->matrix.rows * variable->matrix.columns;
    OF_TRY(OF_NEW(arena, &labels->value, length, 1));
    for (size_t i = 0; i < length; i++) {
        double value = variable->matrix.columns == 1 ? of_matrix_get(&variable->matrix, i, 0)
                                                     : of_matrix_get(&variable->matrix, 0, i);
        if (!is_whole(value))
            return ONEFOLD_OK;
        labels->value[i] = (int64_t)value;
    }
    labels->length = length;
    *found = 1;
    return ONEFOLD_OK;
}

/* The place of the one high entry of each sample, if all other entries are low (0, or -1). */
static int read_one_hot(const of_variable *variable, int by_row, int64_t *value)
{
    size_t samples = by_row ? variable->matrix.rows : variable->matrix.columns;
    size_t classes = by_row ? variable->matrix.columns : variable->matrix.rows;
    double low = 0;
    for (size_t j = 0; j < samples; j++) {
        size_t high = 0;
        for (size_t c = 0; c < classes; c++) {
            double at = by_row ? of_matrix_get(&variable->matrix, j, c)
                               : of_matrix_get(&variable->matrix, c, j);
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

static onefold_status from_one_hot(of_arena *arena, const of_variable *variable, of_labels *labels,
                                   int *found)
{
    for (int by_row = 1; by_row >= 0 && !*found; by_row--) {
        size_t samples = by_row ? variable->matrix.rows : variable->matrix.columns;
        size_t classes = by_row ? variable->matrix.columns : variable->matrix.rows;
        if (classes >= samples)
            continue;
        OF_TRY(OF_NEW(arena, &labels->value, samples, 1));
        *found = read_one_hot(variable, by_row, labels->value);
        labels->length = samples;
    }
    labels->how = "one-hot";
    return ONEFOLD_OK;
}

/* One string or one number in each element. */
static onefold_status from_scalars(of_arena *arena, const of_variable *cell, of_labels *labels,
                                   int *found)
{
    size_t texts = 0, numbers = 0;
    for (size_t i = 0; i < cell->count; i++) {
        const of_variable *item = &cell->item[i];
        texts += item->kind == OF_VARIABLE_TEXT && item->count == 1;
        numbers += of_variable_is_dense(item) &&
                   item->matrix.rows * item->matrix.columns * item->pages == 1;
    }
    if (cell->count == 0 || (texts != cell->count && numbers != cell->count))
        return ONEFOLD_OK;
    const char **text = NULL;
    if (texts)
        OF_TRY(OF_NEW(arena, &text, cell->count, 1));
    else
        OF_TRY(OF_NEW(arena, &labels->value, cell->count, 1));
    for (size_t i = 0; i < cell->count; i++) {
        double value = texts ? 0 : of_matrix_get(&cell->item[i].matrix, 0, 0);
        if (!is_whole(value))
            return ONEFOLD_OK;
        if (texts)
            text[i] = cell->item[i].text[0];
        else
            labels->value[i] = (int64_t)value;
    }
    labels->text = text;
    labels->length = cell->count;
    *found = 1;
    return ONEFOLD_OK;
}

static int same_labels(const of_labels *a, const of_labels *b)
{
    if (a->length != b->length || !a->value != !b->value)
        return 0;
    for (size_t i = 0; i < a->length; i++)
        if (a->value ? a->value[i] != b->value[i] : strcmp(a->text[i], b->text[i]) != 0)
            return 0;
    return 1;
}

/* A copy in each element, one per view. */
static onefold_status from_copies(of_arena *arena, const of_variable *cell, of_labels *labels,
                                  int *found)
{
    for (size_t i = 0; i < cell->count; i++) {
        of_labels copy;
        int is = 0;
        if (cell->item[i].kind == OF_VARIABLE_OTHER)
            continue;
        OF_TRY(of_labels_from(arena, &cell->item[i], &copy, &is));
        if (!is || copy.length < 2) {
            *found = 0;
            return ONEFOLD_OK;
        }
        if (!*found)
            *labels = copy;
        else if (!same_labels(labels, &copy))
            labels->how = "copies that differ, of which the first was taken";
        *found = 1;
    }
    if (*found && !labels->how)
        labels->how = cell->count > 1 ? "a copy per view" : NULL;
    return ONEFOLD_OK;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static onefold_status count_classes(of_context *context, of_labels *labels)
{
    OF_SCRATCH(scratch, context);
    size_t n = labels->length;
    labels->classes = n > 0;
    if (labels->text) {
        const char **sorted;
        OF_TRY(OF_NEW(&scratch, &sorted, n, 1));
        memcpy(sorted, labels->text, n * sizeof *sorted);
        qsort(sorted, n, sizeof *sorted, compare_texts);
        for (size_t i = 1; i < n; i++)
            labels->classes += strcmp(sorted[i], sorted[i - 1]) != 0;
    } else {
        int64_t *distinct;
        OF_TRY(of_distinct(&scratch, labels->value, n, &distinct, &labels->classes, NULL));
    }
    return ONEFOLD_OK;
}

onefold_status of_labels_from(of_arena *arena, const of_variable *variable, of_labels *labels,
                              int *found)
{
    *labels = (of_labels){.name = variable->name};
    *found = 0;
    if (variable->matrix.source)
        return ONEFOLD_OK;
    if (variable->kind == OF_VARIABLE_TEXT) {
        labels->text = variable->text;
        labels->length = variable->count;
        *found = 1;
    } else if (variable->kind == OF_VARIABLE_CELL) {
        OF_TRY(from_scalars(arena, variable, labels, found));
        if (!*found)
            OF_TRY(from_copies(arena, variable, labels, found));
    } else if (variable->kind != OF_VARIABLE_OTHER && variable->pages == 1) {
        if (variable->matrix.rows == 1 || variable->matrix.columns == 1)
            OF_TRY(from_vector(arena, variable, labels, found));
        else
            OF_TRY(from_one_hot(arena, variable, labels, found));
    }
    labels->name = variable->name;
    labels->ids = variable->kind == OF_VARIABLE_TEXT || variable->matrix.rows == labels->length
                      ? variable->matrix.row_names
                      : NULL;
    labels->surely = of_name_of_labels(variable->name);
    return *found ? count_classes(arena->context, labels) : ONEFOLD_OK;
}

/* Classes named by strings are numbered in the order of their names. */
static onefold_status assign_texts(of_dataset *dataset, const of_labels *labels)
{
    size_t n = labels->length, classes = 0;
    OF_SCRATCH(scratch, dataset->arena.context);
    OF_SCRATCH(kept, dataset->arena.context);
    const char **sorted, **names;
    int32_t *truth;
    OF_TRY(OF_NEW(&scratch, &sorted, n, 1));
    OF_TRY(OF_NEW(&kept, &names, labels->classes, 1));
    OF_TRY(OF_NEW(&kept, &truth, n, 1));
    memcpy(sorted, labels->text, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare_texts);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || strcmp(sorted[i], sorted[classes - 1]) != 0)
            sorted[classes++] = sorted[i];
    for (size_t c = 0; c < classes; c++) {
        char *copy;
        OF_TRY(of_arena_string(&kept, &copy, "%s", sorted[c]));
        names[c] = copy;
    }
    for (size_t i = 0; i < n; i++) {
        const char **at = bsearch(&labels->text[i], sorted, classes, sizeof *sorted, compare_texts);
        truth[i] = (int32_t)(at - sorted);
    }
    of_arena_adopt(&dataset->arena, &kept);
    dataset->truth = truth;
    dataset->class_names = names;
    dataset->class_count = classes;
    return ONEFOLD_OK;
}

onefold_status of_labels_assign(of_dataset *dataset, const of_labels *labels)
{
    return labels->text ? assign_texts(dataset, labels)
                        : of_dataset_set_labels(dataset, labels->value);
}
