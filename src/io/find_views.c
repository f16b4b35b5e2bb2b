/* SPDX-License-Identifier: Apache-2.0 */
/* Which matrices become views: the likeliest group of each file, or those that were asked for;
 * which tables are about the samples, and which lists name columns. */
#include "data/dataset.h"
#include "io/match.h"
#include "io/read.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Its columns: lists of texts that are no ids. */
static int is_column(const of_variable *variable)
{
    return variable->kind == OF_VARIABLE_TEXT && !variable->are_ids;
}

/* Whether one of its columns has a word twice, and is not there as labels. */
static onefold_status has_classes(const of_reading *reading, size_t f, int *has)
{
    OF_SCRATCH(scratch, reading->arena->context);
    const of_file *file = &reading->file[f];
    *has = 0;
    for (size_t t = 0; t < file->count && !*has; t++) {
        const of_variable *variable = &file->top[t].variable;
        of_name_index index;
        if (!is_column(variable) || file->top[t].is_label)
            continue;
        OF_TRY(of_name_index_make(&scratch, variable->text, variable->count, &index));
        *has = index.repeated > 0;
    }
    return ONEFOLD_OK;
}

static onefold_status is_metadata(const of_reading *reading, size_t f, int *is)
{
    OF_SCRATCH(scratch, reading->arena->context);
    const of_file *file = &reading->file[f];
    size_t own = 0, rows = 0, fitting = 0, others = 0, named = 0;
    const char *const *names = NULL;
    int classes;
    of_ids ids;
    *is = 0;
    for (size_t t = 0; t < file->count; t++) {
        const of_variable *variable = &file->top[t].variable;
        own += is_column(variable) && !file->top[t].is_label;
        rows = variable->count;
        names = variable->matrix.row_names;
    }
    if (!file->only_words || !own || !file->headed)
        return ONEFOLD_OK;
    OF_TRY(of_ids_make(&scratch, names, rows, &ids));
    for (size_t m = 0; m < reading->found_count; m++) {
        const of_matrix *matrix = &reading->found[m].matrix;
        const char *const *sides[2] = {matrix->row_names, matrix->column_names};
        size_t lengths[2] = {matrix->rows, matrix->columns};
        others++;
        fitting += matrix->rows == rows;
        named += matrix->row_names != NULL;
        for (int s = 0; s < 2 && !*is; s++) {
            of_ids side;
            OF_TRY(of_ids_make(&scratch, sides[s], lengths[s], &side));
            *is = of_ids_overlap(&side, &ids) >= OF_HARDLY;
        }
    }
    if (*is)
        return ONEFOLD_OK;
    OF_TRY(has_classes(reading, f, &classes));
    *is = classes && ((named && ids.usable) || (others && fitting == others));
    return ONEFOLD_OK;
}

static onefold_status find_metadata(of_reading *reading)
{
    of_read_metadata *list;
    OF_TRY(OF_NEW_ZERO(reading->arena, &list, reading->file_count, 1));
    reading->metadata = list;
    for (size_t f = 0; f < reading->file_count && reading->file_count > 1; f++) {
        const of_file *file = &reading->file[f];
        int is;
        OF_TRY(is_metadata(reading, f, &is));
        if (!is)
            continue;
        of_read_metadata *made = &list[reading->metadata_count++];
        made->file = file;
        OF_TRY(OF_NEW(reading->arena, &made->column, file->count, 1));
        for (size_t t = 0; t < file->count; t++) {
            const of_variable *variable = &file->top[t].variable;
            made->ids = variable->matrix.row_names;
            made->rows = variable->count;
            if (is_column(variable))
                made->column[made->count++] = variable;
        }
    }
    return ONEFOLD_OK;
}

int of_reading_is_metadata(const of_reading *reading, const of_file *file)
{
    for (size_t i = 0; i < reading->metadata_count; i++)
        if (reading->metadata[i].file == file)
            return 1;
    return 0;
}

/* "sex, stage" */
static void list_columns(const of_read_metadata *of, char text[512])
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t c = 0; c < of->count && used < 420; c++)
        used += (size_t)snprintf(text + used, 90, "%s%.80s", c ? ", " : "", of->column[c]->name);
}

onefold_status of_reading_assign_metadata(of_reading *reading, of_dataset *dataset)
{
    size_t columns = 0, n = dataset->samples;
    for (size_t i = 0; i < reading->metadata_count; i++)
        columns += reading->metadata[i].count;
    OF_TRY(OF_NEW(&dataset->arena, &dataset->metadata, columns, 1));
    for (size_t i = 0; i < reading->metadata_count; i++) {
        const of_read_metadata *of = &reading->metadata[i];
        char list[512], end[96] = "";
        size_t none = 0;
        if (!of->from && of->rows != n)
            return of_hint(of_fail(ONEFOLD_BAD_DATA,
                                   "%s has words about %zu samples and no ids, and there are %zu",
                                   of->file->path, of->rows, n),
                           "give it a column of the ids that the views have");
        for (size_t c = 0; c < of->count; c++) {
            const char **text;
            of_metadata *to = &dataset->metadata[dataset->metadata_count];
            OF_TRY(OF_NEW(reading->arena, &text, n, 1));
            none = 0;
            for (size_t j = 0; j < n; j++) {
                size_t from = of->from ? of->from[j] : j;
                text[j] = from == SIZE_MAX ? "" : of->column[c]->text[from];
                none += from == SIZE_MAX;
            }
            char *name;
            OF_TRY(of_arena_string(&dataset->arena, &name, "%s", of->column[c]->name));
            OF_TRY(of_dataset_names_copy(&dataset->arena, n, text, &to->text));
            to->name = name;
            dataset->metadata_count++;
        }
        list_columns(of, list);
        if (!of->from)
            snprintf(end, sizeof end, "; its rows are taken in the order of the samples");
        else if (none)
            snprintf(end, sizeof end, "; it has no row for %zu of the %zu samples", none, n);
        OF_TRY(of_reading_say(reading, OF_SAID_METADATA, of->file->path, list, end));
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
        return variable->matrix.rows == 1 || variable->matrix.columns == 1
                   ? "a single row or column"
                   : "a matrix";
    }
}

/* Why a file gives no view, with what there is in it. */
static onefold_status nothing_found(const of_file *file)
{
    char list[512] = "";
    size_t used = 0;
    for (size_t t = 0; t < file->count && used < sizeof list - 1; t++) {
        const of_variable *variable = &file->top[t].variable;
        int wrote =
            snprintf(list + used, sizeof list - used, "%s%s is %s", t ? ", " : "", variable->name,
                     file->top[t].is_label ? "labels" : what_it_is(variable));
        used += wrote > 0 ? (size_t)wrote : 0;
    }
    if (file->count == 0)
        return of_fail(ONEFOLD_BAD_DATA, "%s: there are no variables in it", file->path);
    size_t texts = 0, first = file->count;
    for (size_t t = file->count; t-- > 0;) {
        const of_variable *variable = &file->top[t].variable;
        texts += variable->kind == OF_VARIABLE_TEXT && variable->count;
        first = variable->are_ids || file->top[t].is_label ? first : t;
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

/* ---- column names --------------------------------------------------------------------------- */

/*
 * Names of columns from lists of texts: in a container column_names1 for view 1, a cell
 * column_names with a list for each view, or a single list under a usual name that is as long as a
 * side of one view alone; among several files, one that is such a list.
 */

/* Text `i` of a list of texts, or of a cell with a text in each place; NULL where it is neither. */
static const char *text_at(const of_variable *variable, size_t i)
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
        if (!text_at(variable, i))
            return 0;
    return variable->count > 0;
}

/* The texts of such a list. */
static onefold_status list_texts(of_arena *arena, const of_variable *list,
                                 const char *const **texts)
{
    const char **copy;
    OF_TRY(OF_NEW(arena, &copy, list->count, 1));
    for (size_t i = 0; i < list->count; i++)
        copy[i] = text_at(list, i);
    *texts = copy;
    return ONEFOLD_OK;
}

onefold_status of_file_ids(of_arena *arena, const of_file *file, size_t count,
                           const char *const **ids)
{
    *ids = NULL;
    for (size_t t = 0; t < file->count && count; t++) {
        const of_variable *list = &file->top[t].variable;
        if (of_name_of_ids(list->name) && !list->are_ids && is_list(list) && list->count == count)
            return list_texts(arena, list, ids);
    }
    return ONEFOLD_OK;
}

/* Gives a matrix the names, of the side that they are as many as. */
static onefold_status give(of_arena *arena, of_found *found, const of_variable *list,
                           const of_variable *top)
{
    const char *const *names;
    of_matrix *matrix = &found->matrix;
    if (list->count != matrix->columns && list->count != matrix->rows)
        return ONEFOLD_OK;
    OF_TRY(list_texts(arena, list, &names));
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
    const char *const *names;
    if (!all_have(found, count, list->count))
        return ONEFOLD_OK;
    OF_TRY(list_texts(arena, list, &names));
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
            if (strcmp(text_at(text[1], i), text_at(text[1], j)) == 0)
                return text[0];
    return text[1];
}

/* Whether a file is nothing but a list of texts. */
static int is_names(const of_file *file)
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
    const of_file *file = &reading->file[f];
    const of_variable *list = names_in(file);
    size_t named_ids = 0;
    for (size_t m = 0; is_file_of_ids(file) && m < reading->found_count; m++) {
        of_found *found = &reading->found[m];
        if (found->matrix.row_names || !all_have(found, 1, list->count))
            continue;
        OF_TRY(name_samples(reading->arena, found, 1, list));
        named_ids++;
    }
    if (named_ids)
        return ONEFOLD_OK;
    of_found *named = only_one(reading->found, reading->found_count, list->count);
    if (!named)
        return of_hint(nothing_found(file),
                       "a list of words names columns where one view, and no other, has a side of "
                       "%zu",
                       list->count);
    return give(reading->arena, named, list, list);
}

/* Gives the matrices names for their columns, or rows, from the lists of texts beside them; refuses
 * a file that is such a list and fits no view. */
static onefold_status name_columns(of_reading *reading)
{
    for (size_t f = 0, first = 0, end; f < reading->file_count; f++, first = end) {
        const of_file *file = &reading->file[f];
        for (end = first; end < reading->found_count && reading->found[end].file == file;)
            end++;
        if (file->cells || of_reading_is_metadata(reading, file)) /* its matrices have names */
            continue;
        if (end == first && !has_labels(file) && is_names(file))
            OF_TRY(name_by_file(reading, f));
        for (size_t t = 0; t < file->count && end > first; t++)
            if (!file->top[t].is_label && file->count > 1 && !file->top[t].variable.are_ids &&
                of_name_of_ids(file->top[t].variable.name) && is_list(&file->top[t].variable))
                OF_TRY(name_samples(reading->arena, reading->found + first, end - first,
                                    &file->top[t].variable));
        for (size_t t = 0; t < file->count && end > first; t++)
            if (!file->top[t].is_label)
                OF_TRY(name_by(reading->arena, reading->found + first, end - first,
                               &file->top[t].variable));
        for (size_t m = first; m < end; m++) { /* its group may be asked for as a whole */
            of_matrix *same = &file->groups[0].found[m - first].matrix;
            const char *name = same->name;
            file->groups[0].found[m - first] = reading->found[m];
            same->name = name;
        }
    }
    return ONEFOLD_OK;
}

/* ---- views ---------------------------------------------------------------------------------- */

/* Adds the matrices of a group to a list. */
static onefold_status add_group(of_arena *arena, of_group *to, const of_group *group)
{
    of_found *found;
    OF_TRY(OF_NEW(arena, &found, to->count + group->count, 1));
    if (to->count)
        memcpy(found, to->found, to->count * sizeof *found);
    for (size_t m = 0; m < group->count; m++) {
        found[to->count + m] = group->found[m];
        found[to->count + m].kernel = group->kernels != 0;
    }
    to->found = found;
    to->count += group->count;
    return ONEFOLD_OK;
}

/* One matrix alone. */
static onefold_status add_one(of_arena *arena, of_group *to, of_found *found, int kernel)
{
    return add_group(arena, to, &(of_group){.count = 1, .found = found, .kernels = kernel});
}

/* ---- by name -------------------------------------------------------------------------------- */

typedef int (*compare)(const char *a, const char *b);

/* Takes what is named so: one of the views found, a whole group, or any matrix there is. */
static onefold_status find_named(const of_reading *reading, of_group *asked, const char *name,
                                 compare same, int *taken)
{
    *taken = 1;
    for (size_t m = 0; m < reading->found_count; m++)
        if (same(reading->found[m].matrix.name, name) == 0)
            return add_one(reading->arena, asked, &reading->found[m], reading->found[m].kernel);
    for (size_t f = 0; f < reading->file_count; f++)
        for (size_t g = 0; g < reading->file[f].group_count; g++) {
            const of_group *group = &reading->file[f].groups[g];
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

static onefold_status find_asked(const of_reading *reading, of_group *asked, const char *name)
{
    int taken;
    size_t number;
    OF_TRY(find_named(reading, asked, name, strcmp, &taken));
    if (taken)
        return ONEFOLD_OK;
    if (as_number(name, &number)) {
        if (number < 1 || number > reading->found_count)
            return of_fail(ONEFOLD_USAGE, "view %s was asked for, and there are %zu", name,
                           reading->found_count);
        of_found *found = &reading->found[number - 1];
        return add_one(reading->arena, asked, found, found->kernel);
    }
    OF_TRY(find_named(reading, asked, name, strcasecmp, &taken));
    if (taken)
        return ONEFOLD_OK;
    char list[256] = "";
    size_t used = 0;
    for (size_t m = 0; m < reading->found_count && used < sizeof list - 1; m++) {
        int wrote = snprintf(list + used, sizeof list - used, "%s%s", m ? ", " : "",
                             reading->found[m].matrix.name);
        used += wrote > 0 ? (size_t)wrote : 0;
    }
    return of_hint(of_fail(ONEFOLD_USAGE, "there is no view named %s", name),
                   "views are named by number, or as in: %s", list);
}

static onefold_status find_list(of_reading *reading, const char *list)
{
    of_group asked = {.count = 0};
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
    reading->may_repeat = 0;
    reading->found = asked.found;
    reading->found_count = asked.count;
    return ONEFOLD_OK;
}

/* ---- names that the file gives its views ---------------------------------------------------- */

/* view_names has one for each view, as `convert` writes it. */
static onefold_status assign_names(of_reading *reading)
{
    const of_file *file = &reading->file[0];
    for (size_t t = 0; reading->file_count == 1 && t < file->count; t++) {
        const of_variable *variable = &file->top[t].variable;
        if (strcmp(variable->name, "view_names") != 0 || variable->count != reading->found_count ||
            (variable->kind != OF_VARIABLE_TEXT && variable->kind != OF_VARIABLE_CELL))
            continue;
        for (size_t m = 0; m < reading->found_count; m++) {
            const char *text = text_at(variable, m);
            char *name;
            if (!text || !*text)
                continue;
            OF_TRY(of_arena_string(reading->arena, &name, "%s", text));
            reading->found[m].matrix.name = name;
        }
        reading->view_names = variable;
    }
    return ONEFOLD_OK;
}

/* ---- by rule -------------------------------------------------------------------------------- */

onefold_status of_reading_find_views(of_reading *reading)
{
    of_lengths lengths = {reading->labels, reading->label_count};
    of_group all = {.count = 0};
    for (size_t f = 0; f < reading->file_count; f++) {
        of_file *file = &reading->file[f];
        OF_TRY(of_groups_make(reading->arena, file, lengths));
        if (reading->file_count > 1 && is_names(file))
            file->group_count = 0; /* a column that counts is no view */
        if (!file->group_count && reading->file_count == 1)
            return nothing_found(file);
        if (!file->group_count)
            continue;
        OF_TRY(add_group(reading->arena, &all, &file->groups[0]));
        reading->may_repeat |= file->groups[0].kind == OF_GROUP_FREE && file->count > 1;
    }
    reading->found = all.found;
    reading->found_count = all.count;
    OF_TRY(find_metadata(reading));
    for (size_t f = 0; f < reading->file_count; f++) {
        const of_file *file = &reading->file[f];
        if (!file->group_count && !has_labels(file) && !is_names(file) &&
            !of_reading_is_metadata(reading, file))
            return nothing_found(file);
    }
    if (reading->found_count == 0)
        return nothing_found(&reading->file[0]);
    OF_TRY(assign_names(reading));
    OF_TRY(name_columns(reading));
    reading->all = reading->found;
    reading->all_count = reading->found_count;
    return reading->options->views ? find_list(reading, reading->options->views) : ONEFOLD_OK;
}
