/* SPDX-License-Identifier: Apache-2.0 */
/* Which matrices become views: the likeliest group of each file, or those that were asked for. */
#include "io/read.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

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
        return variable->matrix.rows == 1 || variable->matrix.columns == 1
                   ? "a single row or column"
                   : "a matrix";
    }
}

onefold_status of_reading_nothing_found(const of_file *file, const unsigned char *is_label)
{
    char list[512] = "";
    size_t used = 0;
    for (size_t t = 0; t < file->count && used < sizeof list - 1; t++) {
        const of_variable *variable = &file->top[t].variable;
        int wrote = snprintf(list + used, sizeof list - used, "%s%s is %s", t ? ", " : "",
                             variable->name, is_label[t] ? "labels" : what_it_is(variable));
        used += wrote > 0 ? (size_t)wrote : 0;
    }
    if (file->count == 0)
        return of_fail(ONEFOLD_BAD_DATA, "%s: there are no variables in it", file->path);
    size_t texts = 0, first = file->count;
    for (size_t t = file->count; t-- > 0;) {
        const of_variable *variable = &file->top[t].variable;
        texts += variable->kind == OF_VARIABLE_TEXT && variable->count;
        first = variable->are_ids || is_label[t] ? first : t;
    }
    if (texts == file->count && texts > 1 && first < texts) { /* a table: one cell says it all */
        const of_variable *column = &file->top[first].variable;
        size_t line;
        OF_TRY(of_read_text_line(file, 0, &line));
        return of_hint(of_fail(ONEFOLD_BAD_DATA,
                               "%s: line %zu, %s%s%s holds \"%.40s\", which is not a number",
                               file->path, line, file->headed ? "column \"" : "", column->name,
                               file->headed ? "\"" : "", column->text[0]),
                       "a view is a table of numbers or of words that come again, with a header "
                       "and ids of its rows at most");
    }
    return of_hint(
        of_fail(ONEFOLD_BAD_DATA, "%s: nothing in it can be a view: %s", file->path, list),
        "views are matrices of numbers with a side as long as there are samples");
}

static onefold_status add_group(of_arena *arena, of_read_views *views, const of_group *group)
{
    of_found *found;
    size_t count = views->count + group->count;
    OF_TRY(OF_NEW(arena, &found, count, 1));
    if (views->count)
        memcpy(found, views->found, views->count * sizeof *found);
    memcpy(found + views->count, group->found, group->count * sizeof *found);
    for (size_t m = views->count; m < count; m++)
        found[m].kernel = group->kernels != 0;
    views->found = found;
    views->count = count;
    return ONEFOLD_OK;
}

/* One matrix alone. */
static onefold_status add_one(of_arena *arena, of_read_views *views, of_found *found, int kernel)
{
    return add_group(arena, views, &(of_group){.count = 1, .found = found, .kernels = kernel});
}

/* ---- by name ------------------------------------------------------------------------------ */

typedef int (*compare)(const char *a, const char *b);

/* Takes what is named so: one of the views found, a whole group, or any matrix there is. */
static onefold_status find_named(const of_reading *reading, of_read_views *asked, const char *name,
                                 compare same, int *taken)
{
    const of_read_views *views = &reading->views;
    *taken = 1;
    for (size_t m = 0; m < views->count; m++)
        if (same(views->found[m].matrix.name, name) == 0)
            return add_one(reading->arena, asked, &views->found[m], views->found[m].kernel);
    for (size_t f = 0; f < reading->files.count; f++)
        for (size_t g = 0; g < views->group_count[f]; g++) {
            const of_group *group = &views->groups[f][g];
            if (group->kind != OF_GROUP_FREE && same(group->name, name) == 0)
                return add_group(reading->arena, asked, group);
            for (size_t m = 0; m < group->count; m++)
                if (same(group->found[m].matrix.name, name) == 0)
                    return add_one(reading->arena, asked, &group->found[m], group->kernels);
        }
    *taken = 0;
    return ONEFOLD_OK;
}

static int as_number(const char *text, size_t *number)
{
    *number = 0;
    if (!*text || strlen(text) > 9)
        return 0;
    for (; *text; text++) {
        if (!isdigit((unsigned char)*text))
            return 0;
        *number = *number * 10 + (size_t)(*text - '0');
    }
    return 1;
}

static onefold_status find_asked(const of_reading *reading, of_read_views *asked, const char *name)
{
    const of_read_views *views = &reading->views;
    int taken;
    size_t number;
    OF_TRY(find_named(reading, asked, name, strcmp, &taken));
    if (taken)
        return ONEFOLD_OK;
    if (as_number(name, &number)) {
        if (number < 1 || number > views->count)
            return of_fail(ONEFOLD_USAGE, "view %s was asked for, and there are %zu", name,
                           views->count);
        of_found *found = &views->found[number - 1];
        return add_one(reading->arena, asked, found, found->kernel);
    }
    OF_TRY(find_named(reading, asked, name, strcasecmp, &taken));
    if (taken)
        return ONEFOLD_OK;
    char list[256] = "";
    size_t used = 0;
    for (size_t m = 0; m < views->count && used < sizeof list - 1; m++) {
        int wrote = snprintf(list + used, sizeof list - used, "%s%s", m ? ", " : "",
                             views->found[m].matrix.name);
        used += wrote > 0 ? (size_t)wrote : 0;
    }
    return of_hint(of_fail(ONEFOLD_USAGE, "there is no view named %s", name),
                   "views are named by number, or as in: %s", list);
}

static onefold_status find_list(of_reading *reading, const char *list)
{
    of_read_views asked = reading->views;
    asked.count = 0;
    char *names, *rest;
    OF_TRY(of_arena_string(reading->arena, &names, "%s", list));
    for (char *name = strtok_r(names, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        while (isspace((unsigned char)*name))
            name++;
        for (char *end = name + strlen(name); end > name && isspace((unsigned char)end[-1]);)
            *--end = '\0';
        OF_TRY(find_asked(reading, &asked, name));
    }
    if (asked.count == 0)
        return of_fail(ONEFOLD_USAGE, "the list of views is empty");
    asked.may_repeat = 0;
    reading->views = asked;
    return ONEFOLD_OK;
}

/* ---- names that the file gives its views ----------------------------------------------------- */

/* view_names has one for each view, as `convert` writes it. */
static onefold_status assign_names(of_reading *reading)
{
    const of_file *file = &reading->files.file[0];
    for (size_t t = 0; reading->files.count == 1 && t < file->count; t++) {
        const of_variable *variable = &file->top[t].variable;
        if (strcmp(variable->name, "view_names") != 0 || variable->count != reading->views.count ||
            (variable->kind != OF_VARIABLE_TEXT && variable->kind != OF_VARIABLE_CELL))
            continue;
        for (size_t m = 0; m < reading->views.count; m++) {
            const char *text = of_reading_text(variable, m);
            char *name;
            if (!text || !*text)
                continue;
            OF_TRY(of_arena_string(reading->arena, &name, "%s", text));
            reading->views.found[m].matrix.name = name;
        }
        reading->views.names = variable;
    }
    return ONEFOLD_OK;
}

/* ---- by rule ------------------------------------------------------------------------------ */

onefold_status of_reading_find_views(of_reading *reading, const onefold_read_options *options)
{
    of_lengths lengths = {reading->labels.length, reading->labels.count};
    OF_TRY(OF_NEW(reading->arena, &reading->views.groups, reading->files.count, 1));
    OF_TRY(OF_NEW(reading->arena, &reading->views.group_count, reading->files.count, 1));
    for (size_t f = 0; f < reading->files.count; f++) {
        of_file *file = &reading->files.file[f];
        OF_TRY(of_groups_make(reading->arena, file, reading->files.is_label[f], lengths,
                              &reading->views.groups[f], &reading->views.group_count[f]));
        if (reading->files.count > 1 && of_reading_is_names(file))
            reading->views.group_count[f] = 0; /* a column that counts is no view */
        if (reading->views.group_count[f]) {
            OF_TRY(add_group(reading->arena, &reading->views, &reading->views.groups[f][0]));
            reading->views.may_repeat |=
                reading->views.groups[f][0].kind == OF_GROUP_FREE && file->count > 1;
            continue;
        }
        if (reading->files.count == 1)
            return of_reading_nothing_found(file, reading->files.is_label[f]);
    }
    OF_TRY(of_reading_find_metadata(reading));
    for (size_t f = 0; f < reading->files.count; f++) {
        const of_file *file = &reading->files.file[f];
        if (!reading->views.group_count[f] && !memchr(reading->files.is_label[f], 1, file->count) &&
            !of_reading_is_names(file) && !of_reading_is_metadata(reading, file))
            return of_reading_nothing_found(file, reading->files.is_label[f]);
    }
    if (reading->views.count == 0)
        return of_reading_nothing_found(&reading->files.file[0], reading->files.is_label[0]);
    OF_TRY(assign_names(reading));
    OF_TRY(of_reading_name_columns(reading));
    reading->views.all = reading->views.found;
    reading->views.all_count = reading->views.count;
    return options->views ? find_list(reading, options->views) : ONEFOLD_OK;
}
