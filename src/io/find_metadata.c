/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables about the samples: beside tables of numbers, one that holds words alone is no view and no
 * vocabulary. It is matched by id, offered for the truth and shown on the page.
 */
#include "data/dataset_names.h"
#include "io/match_parts.h"

#include <stdio.h>
#include <string.h>

#define HARDLY 0.1 /* as where files are matched */

/* Its columns: lists of texts that are no ids. */
static int is_column(const of_variable *variable)
{
    return variable->kind == OF_VARIABLE_TEXT && !variable->are_ids;
}

/* Whether one of its columns has a word twice, and is not there as labels. */
static onefold_status has_classes(const of_reading *reading, size_t f, int *has)
{
    OF_SCRATCH(scratch, reading->arena->context);
    const of_file *file = &reading->files.file[f];
    *has = 0;
    for (size_t t = 0; t < file->count && !*has; t++) {
        const of_variable *variable = &file->top[t].variable;
        of_name_index index;
        if (!is_column(variable) || reading->files.is_label[f][t])
            continue;
        OF_TRY(of_name_index_make(&scratch, variable->text, variable->count, &index));
        *has = index.repeated > 0;
    }
    return ONEFOLD_OK;
}

static onefold_status is_metadata(const of_reading *reading, size_t f, int *is)
{
    OF_SCRATCH(scratch, reading->arena->context);
    const of_file *file = &reading->files.file[f];
    size_t own = 0, rows = 0, fitting = 0, others = 0, named = 0;
    const char *const *names = NULL;
    int classes;
    of_ids ids;
    *is = 0;
    for (size_t t = 0; t < file->count; t++) {
        const of_variable *variable = &file->top[t].variable;
        own += is_column(variable) && !reading->files.is_label[f][t];
        rows = variable->count;
        names = variable->matrix.row_names;
    }
    if (!file->only_words || !own || !file->headed)
        return ONEFOLD_OK;
    OF_TRY(of_ids_make(&scratch, names, rows, &ids));
    for (size_t m = 0; m < reading->views.count; m++) {
        const of_matrix *matrix = &reading->views.found[m].matrix;
        const char *const *sides[2] = {matrix->row_names, matrix->column_names};
        size_t lengths[2] = {matrix->rows, matrix->columns};
        others++;
        fitting += matrix->rows == rows;
        named += matrix->row_names != NULL;
        for (int s = 0; s < 2 && !*is; s++) {
            of_ids side;
            OF_TRY(of_ids_make(&scratch, sides[s], lengths[s], &side));
            *is = of_ids_overlap(&side, &ids) >= HARDLY;
        }
    }
    if (*is)
        return ONEFOLD_OK;
    OF_TRY(has_classes(reading, f, &classes));
    *is = classes && ((named && ids.usable) || (others && fitting == others));
    return ONEFOLD_OK;
}

onefold_status of_reading_find_metadata(of_reading *reading)
{
    of_read_metadata *list;
    OF_TRY(OF_NEW_ZERO(reading->arena, &list, reading->files.count, 1));
    reading->metadata = list;
    for (size_t f = 0; f < reading->files.count && reading->files.count > 1; f++) {
        const of_file *file = &reading->files.file[f];
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
