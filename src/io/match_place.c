/* SPDX-License-Identifier: Apache-2.0 */
/* The samples of all files, and matrices, labels and who is present in their order. */
#include "io/match_parts.h"

#include <string.h>

onefold_status of_match_list_samples(of_matching *match)
{
    of_reading *reading = match->reading;
    OF_SCRATCH(scratch, reading->arena->context);
    const char **all, **ids;
    size_t total = 0, count = 0;
    of_name_index index;
    for (size_t p = 0; p < match->matrices; p++)
        if (match->party[p].chosen != OF_MATCH_NONE)
            total += match->party[p].side[match->party[p].chosen].count;
    OF_TRY(OF_NEW(&scratch, &all, total, 1));
    OF_TRY(OF_NEW(reading->arena, &ids, total, 1));
    const of_ids *first = &match->first->side[match->first->chosen];
    memcpy(all, first->name, first->count * sizeof *all);
    total = first->count;
    for (size_t p = 0; p < match->matrices; p++) {
        const of_match_party *other = &match->party[p];
        if (other->chosen == OF_MATCH_NONE || other == match->first)
            continue;
        const of_ids *more = &other->side[other->chosen];
        memcpy(all + total, more->name, more->count * sizeof *all);
        total += more->count;
    }
    OF_TRY(of_name_index_make(&scratch, all, total, &index));
    for (size_t i = 0; i < total; i++)
        if (of_name_index_find(&index, all[i]) == i)
            ids[count++] = all[i];
    reading->match.ids = ids;
    reading->match.samples = count;
    return ONEFOLD_OK;
}

/* from[j]: where sample j is in a list, SIZE_MAX where it is not. Returns how many are not. */
static onefold_status find_samples(of_matching *match, const of_ids *ids, size_t **from,
                                   size_t *missing, int *moved)
{
    const of_reading *reading = match->reading;
    size_t n = reading->match.samples;
    OF_TRY(OF_NEW(reading->arena, from, n, 1));
    *missing = 0;
    *moved = ids->count != n;
    for (size_t j = 0; j < n; j++) {
        (*from)[j] = of_name_index_find(&ids->index, reading->match.ids[j]);
        *missing += (*from)[j] == SIZE_MAX;
        *moved |= (*from)[j] != j;
    }
    return ONEFOLD_OK;
}

/* Whether both sides of a square matrix have the same names: a kernel, or a graph. */
static int is_both(const of_match_party *one)
{
    return one->side[OF_MATCH_ROWS].usable && one->side[OF_MATCH_COLUMNS].usable &&
           one->side[OF_MATCH_ROWS].count == one->side[OF_MATCH_COLUMNS].count &&
           of_ids_common(&one->side[OF_MATCH_ROWS], &one->side[OF_MATCH_COLUMNS]) ==
               one->side[OF_MATCH_ROWS].count;
}

onefold_status of_match_place_matrix(of_matching *match, of_match_party *one)
{
    of_reading *reading = match->reading;
    of_found *found = one->found;
    of_matrix *matrix = &found->matrix;
    size_t *from, missing;
    int moved, rows = one->chosen == OF_MATCH_ROWS, both = is_both(one);
    OF_TRY(find_samples(match, &one->side[one->chosen], &from, &missing, &moved));
    found->side = rows ? ONEFOLD_SIDE_ROWS : ONEFOLD_SIDE_COLUMNS;
    if (!moved)
        return ONEFOLD_OK;
    if (found->kernel && !both)
        return of_hint(of_fail(ONEFOLD_BAD_DATA,
                               "%s is a kernel whose samples are in another order, and only one of "
                               "its sides has ids",
                               matrix->name),
                       "give its rows and its columns the same ids");
    if (found->file->split)
        return of_hint(
            of_fail(ONEFOLD_UNSUPPORTED,
                    "%s: its samples are in another order than those of %s, and matching "
                    "them is not split over processes",
                    matrix->name, match->first->name),
            "start one process");
    OF_TRY(of_matrix_reorder(found->top->store, matrix, rows, both, from, reading->match.samples));
    if (rows || both)
        matrix->row_names = reading->match.ids;
    if (!rows || both)
        matrix->column_names = reading->match.ids;
    found->absent = missing;
    found->from = rows ? from : NULL;
    reading->match.moved = 1;
    return ONEFOLD_OK;
}

static onefold_status lacks_samples(const of_matching *match, const of_match_party *one,
                                    size_t missing)
{
    const of_reading *reading = match->reading;
    const char *example = "";
    for (size_t j = 0; j < reading->match.samples && !*example; j++)
        if (of_name_index_find(&one->side[OF_MATCH_ROWS].index, reading->match.ids[j]) == SIZE_MAX)
            example = reading->match.ids[j];
    return of_hint(of_fail(ONEFOLD_BAD_DATA, "%s has no label for %zu of the %zu samples, %s first",
                           one->name, missing, reading->match.samples, example),
                   "give every sample a true label, or go on with `no_truth`");
}

onefold_status of_match_place_labels(of_matching *match, of_match_party *one)
{
    of_reading *reading = match->reading;
    of_labels *labels = one->labels;
    size_t n = reading->match.samples, *from, missing;
    int moved;
    const char **text = NULL;
    int64_t *value = NULL;
    if (one->chosen == OF_MATCH_NONE && one->side[OF_MATCH_ROWS].usable) {
        labels->length = 0; /* of other samples */
        return ONEFOLD_OK;
    }
    if (one->chosen == OF_MATCH_NONE)
        return ONEFOLD_OK;
    OF_TRY(find_samples(match, &one->side[OF_MATCH_ROWS], &from, &missing, &moved));
    if (missing && reading->labels.truth)
        return lacks_samples(match, one, missing);
    if (missing) {
        labels->length = 0;
        return of_reading_say(reading, OF_SAID_NO_TRUTH, labels->name, missing, n);
    }
    if (!moved)
        return ONEFOLD_OK;
    if (labels->text)
        OF_TRY(OF_NEW(reading->arena, &text, n, 1));
    else
        OF_TRY(OF_NEW(reading->arena, &value, n, 1));
    for (size_t j = 0; j < n; j++)
        if (text)
            text[j] = labels->text[from[j]];
        else
            value[j] = labels->value[from[j]];
    labels->text = text;
    labels->value = value;
    labels->length = n;
    return ONEFOLD_OK;
}

onefold_status of_match_place_metadata(of_matching *match, of_match_party *one)
{
    size_t *from, missing;
    int moved;
    if (one->chosen == OF_MATCH_NONE)
        return ONEFOLD_OK;
    OF_TRY(find_samples(match, &one->side[OF_MATCH_ROWS], &from, &missing, &moved));
    one->metadata->from = from;
    return ONEFOLD_OK;
}

onefold_status of_match_place_present(of_matching *match)
{
    of_reading *reading = match->reading;
    const of_variable *present = reading->present.variable;
    of_ids ids;
    size_t missing;
    int moved;
    if (!present || !present->matrix.row_names)
        return ONEFOLD_OK;
    OF_TRY(of_ids_make(reading->arena, present->matrix.row_names, present->matrix.rows, &ids));
    if (!ids.usable || ids.counting)
        return ONEFOLD_OK;
    OF_TRY(find_samples(match, &ids, &reading->match.present_from, &missing, &moved));
    if (missing)
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "%s says nothing of %zu of the %zu samples",
                               present->name, missing, reading->match.samples),
                       "it needs a row for every sample, with the ids that the views have");
    return ONEFOLD_OK;
}

onefold_status of_match_place_others(of_matching *match)
{
    of_reading *reading = match->reading;
    size_t n = reading->match.samples;
    for (size_t p = 0; p < match->matrices; p++) {
        const of_matrix *matrix = &match->party[p].found->matrix;
        if (match->party[p].chosen != OF_MATCH_NONE ||
            match->party[p].found->file == match->first->found->file)
            continue;
        if (matrix->rows != n && matrix->columns != n)
            return of_hint(of_fail(ONEFOLD_BAD_DATA,
                                   "%s has no ids and is %zu x %zu, and the files with ids have "
                                   "%zu samples together",
                                   matrix->name, matrix->rows, matrix->columns, n),
                           "give it a column of ids, or take all files by the order of their rows "
                           "with `match` order");
        OF_TRY(of_reading_say(reading, OF_SAID_NO_IDS, matrix->name, match->first->name));
    }
    return ONEFOLD_OK;
}
