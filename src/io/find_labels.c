/* SPDX-License-Identifier: Apache-2.0 */
/* Which variables are labels: by name and contents, or the one that was asked for. */
#include "io/read.h"

#include <string.h>
#include <unistd.h>

/* Adds a candidate after those that are at least as sure. */
static void add_candidate(of_reading *reading, const of_labels *labels)
{
    size_t at = reading->labels.count++;
    for (; at > 0 && reading->labels.list[at - 1].surely < labels->surely; at--)
        reading->labels.list[at] = reading->labels.list[at - 1];
    reading->labels.list[at] = *labels;
}

/* By rule: under a usual name, or a file of its own among several, and never all different. */
static onefold_status find_in_file(of_reading *reading, size_t f)
{
    of_file *file = &reading->files.file[f];
    if (file->cells) /* the columns of obs are many: one is the truth where it is named */
        return ONEFOLD_OK;
    for (size_t t = 0; t < file->count; t++) {
        const of_variable *variable = &file->top[t].variable;
        int alone = reading->files.count > 1 && file->count == 1 &&
                    (variable->kind == OF_VARIABLE_TEXT || variable->matrix.rows == 1 ||
                     variable->matrix.columns == 1);
        if ((!alone && !of_name_of_labels(variable->name)) || variable->are_ids)
            continue;
        of_labels labels;
        int found;
        OF_TRY(of_labels_from(reading->arena, variable, &labels, &found));
        if (!found || labels.length < 2 || labels.classes == labels.length)
            continue;
        reading->files.is_label[f][t] = 1;
        labels.file = file;
        if (!labels.ids)
            OF_TRY(of_file_ids(reading->arena, file, labels.length, &labels.ids));
        add_candidate(reading, &labels);
    }
    return ONEFOLD_OK;
}

/* The variable of that name, at the top or in a cell. */
static const of_variable *look_up(const of_variable *variable, const char *name)
{
    if (strcmp(variable->name, name) == 0)
        return variable;
    const of_variable *found = NULL;
    for (size_t i = 0; variable->kind == OF_VARIABLE_CELL && i < variable->count && !found; i++)
        found = look_up(&variable->item[i], name);
    return found;
}

/* Looks in all files, or in `only` one where that is not SIZE_MAX. */
static onefold_status find_named(of_reading *reading, const char *name, size_t only, int *taken)
{
    for (size_t f = 0; f < reading->files.count; f++)
        for (size_t t = 0; t < reading->files.file[f].count && (only == SIZE_MAX || f == only);
             t++) {
            const of_variable *variable = look_up(&reading->files.file[f].top[t].variable, name);
            if (!variable)
                continue;
            of_labels labels;
            int found;
            OF_TRY(of_labels_from(reading->arena, variable, &labels, &found));
            if (!found)
                return of_hint(of_fail(ONEFOLD_BAD_DATA, "%s: %s holds no labels",
                                       reading->files.file[f].path, name),
                               "labels are whole numbers or strings, one per sample, or one-hot");
            reading->files.is_label[f][t] = 1;
            if (!labels.ids)
                OF_TRY(of_file_ids(reading->arena, &reading->files.file[f], labels.length,
                                   &labels.ids));
            add_candidate(reading, &labels);
            *taken = 1;
            return ONEFOLD_OK;
        }
    return ONEFOLD_OK;
}

/* The one of a file that was asked for by name. */
static onefold_status labels_named(of_arena *arena, const of_file *file, const char *name,
                                   of_labels *labels)
{
    int found = 0;
    for (size_t t = 0; t < file->count && !found; t++) {
        const of_variable *variable = look_up(&file->top[t].variable, name);
        if (variable)
            OF_TRY(of_labels_from(arena, variable, labels, &found));
        if (variable && !found)
            return of_hint(of_fail(ONEFOLD_BAD_DATA, "%s: %s holds no labels", file->path, name),
                           "labels are whole numbers or strings, one per sample, or one-hot");
    }
    if (!found)
        return of_hint(
            of_fail(ONEFOLD_BAD_DATA, "%s has no column or variable %s", file->path, name),
            "FILE:COLUMN names a column in the header of a table, or a variable");
    return labels->ids ? ONEFOLD_OK : of_file_ids(arena, file, labels->length, &labels->ids);
}

onefold_status of_labels_split(of_arena *arena, const char *truth, char **path, const char **column)
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

onefold_status of_labels_of_file(of_arena *arena, const of_file *file, of_labels *labels)
{
    if (file->wishes.truth)
        return labels_named(arena, file, file->wishes.truth, labels);
    of_labels best = {0}, candidate;
    size_t count = 0;
    for (size_t t = 0; t < file->count; t++) {
        int found;
        if (file->top[t].variable.are_ids)
            continue;
        OF_TRY(of_labels_from(arena, &file->top[t].variable, &candidate, &found));
        if (!found || candidate.length < 2)
            continue;
        if (count == 0 || candidate.surely > best.surely)
            best = candidate;
        count += candidate.surely > 0 || best.surely == 0;
    }
    if (!best.name)
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "%s: there are no labels in it", file->path),
                       "labels are whole numbers or strings, one per sample, or one-hot");
    if (best.surely == 0 && count > 1)
        return of_hint(
            of_fail(ONEFOLD_BAD_DATA, "%s: more than one variable may be the labels", file->path),
            "give them one of the usual names, such as Y, gt or labels");
    *labels = best;
    return best.ids ? ONEFOLD_OK : of_file_ids(arena, file, best.length, &labels->ids);
}

static onefold_status read_label_file(of_reading *reading, const char *path, const char *column)
{
    size_t f = reading->files.opened;
    of_file *file = &reading->files.file[f];
    of_labels labels;
    of_table_wishes wishes = reading->wishes;
    wishes.truth = column;
    wishes.encode = -1;
    wishes.turned = 0;
    wishes.drop = wishes.columns = wishes.as_category = wishes.as_number = NULL;
    OF_TRY(of_file_read(file, reading->arena->context, path, wishes));
    reading->files.opened++;
    OF_TRY(OF_NEW_ZERO(reading->arena, &reading->files.is_label[f], file->count, 1));
    OF_TRY(of_labels_of_file(reading->arena, file, &labels));
    labels.file = file;
    add_candidate(reading, &labels);
    return ONEFOLD_OK;
}

static onefold_status find_asked(of_reading *reading, const char *truth)
{
    int taken = 0;
    char *path;
    const char *column;
    OF_TRY(find_named(reading, truth, SIZE_MAX, &taken));
    if (taken)
        return ONEFOLD_OK;
    OF_TRY(of_labels_split(reading->arena, truth, &path, &column));
    for (size_t f = 0; column && f < reading->files.count; f++)
        if (strcmp(reading->files.file[f].path, path) == 0) {
            OF_TRY(find_named(reading, column, f, &taken));
            return taken ? ONEFOLD_OK
                         : of_fail(ONEFOLD_USAGE, "%s has no column or variable %s", path, column);
        }
    if (!column && access(truth, F_OK) != 0 && !strpbrk(truth, "/."))
        return of_hint(of_fail(ONEFOLD_USAGE, "there is no variable and no file named %s", truth),
                       "the truth is a column or variable of the data, the path of a file, or "
                       "FILE:COLUMN");
    return read_label_file(reading, path, column);
}

onefold_status of_reading_find_labels(of_reading *reading, const onefold_read_options *options)
{
    size_t most = 1;
    for (size_t f = 0; f < reading->files.count; f++)
        most += reading->files.file[f].count;
    OF_TRY(OF_NEW(reading->arena, &reading->labels.list, most, 1));
    for (size_t f = 0; f < reading->files.count; f++)
        OF_TRY(find_in_file(reading, f));
    if (options->truth && !options->no_truth) {
        OF_TRY(OF_NEW(reading->arena, &reading->labels.passed, reading->labels.count, 1));
        if (reading->labels.count)
            memcpy(reading->labels.passed, reading->labels.list,
                   reading->labels.count * sizeof *reading->labels.list);
        reading->labels.passed_count = reading->labels.count;
        reading->labels.count = 0;
        OF_TRY(find_asked(reading, options->truth));
        reading->labels.truth = options->truth;
    }
    OF_TRY(OF_NEW(reading->arena, &reading->labels.length, reading->labels.count, 1));
    for (size_t i = 0; i < reading->labels.count; i++)
        reading->labels.length[i] = reading->labels.list[i].length;
    return ONEFOLD_OK;
}
