/* SPDX-License-Identifier: Apache-2.0 */
/* Samples matched by id: which side of each matrix they are, in which order, and who lacks what. */
#include "io/match_parts.h"

#include <string.h>

/* Header names are ids of samples only where rows have names too: then those would be features. */
static onefold_status make_parties(of_matching *match)
{
    of_reading *reading = match->reading;
    of_arena *arena = reading->arena;
    OF_TRY(OF_NEW_ZERO(arena, &match->party,
                       reading->views.count + reading->labels.count + reading->metadata_count, 1));
    for (size_t m = 0; m < reading->views.count; m++) {
        of_found *found = &reading->views.found[m];
        const of_matrix *matrix = &found->matrix;
        of_match_party *made = &match->party[match->count++];
        *made = (of_match_party){.name = matrix->name, .chosen = OF_MATCH_NONE, .found = found};
        OF_TRY(of_ids_make(arena, matrix->row_names, matrix->rows, &made->side[OF_MATCH_ROWS]));
        OF_TRY(of_ids_make(arena, matrix->column_names, matrix->columns,
                           &made->side[OF_MATCH_COLUMNS]));
        int rows_named = matrix->row_names && !made->side[OF_MATCH_ROWS].counting;
        if (!rows_named && !found->ids_columns &&
            !(found->ids_by && found->ids_by->count == matrix->columns))
            made->side[OF_MATCH_COLUMNS].usable = 0;
        made->side[OF_MATCH_COLUMNS].usable &=
            !made->side[OF_MATCH_COLUMNS].counting && !found->listed_columns;
        made->side[OF_MATCH_ROWS].usable &= !found->listed_rows;
    }
    match->matrices = match->count;
    for (size_t i = 0; i < reading->labels.count; i++) {
        of_labels *labels = &reading->labels.list[i];
        of_match_party *made = &match->party[match->count++];
        *made = (of_match_party){.name = labels->name, .chosen = OF_MATCH_NONE, .labels = labels};
        OF_TRY(of_ids_make(arena, labels->ids, labels->length, &made->side[OF_MATCH_ROWS]));
    }
    for (size_t i = 0; i < reading->metadata_count; i++) {
        of_read_metadata *metadata = &reading->metadata[i];
        of_match_party *made = &match->party[match->count++];
        *made = (of_match_party){
            .name = metadata->file->stem, .chosen = OF_MATCH_NONE, .metadata = metadata};
        OF_TRY(of_ids_make(arena, metadata->ids, metadata->rows, &made->side[OF_MATCH_ROWS]));
    }
    return ONEFOLD_OK;
}

/* A count of rows is an id only where some file has its rows in another order. */
static void leave_out_counts(of_matching *match)
{
    for (size_t p = 0; p < match->count; p++)
        if (match->party[p].side[OF_MATCH_ROWS].usable &&
            !match->party[p].side[OF_MATCH_ROWS].counting)
            return;
    for (size_t p = 0; p < match->count; p++)
        match->party[p].side[OF_MATCH_ROWS].usable = 0;
}

int of_match_has_ids(const of_match_party *one)
{
    return one->side[OF_MATCH_ROWS].usable || one->side[OF_MATCH_COLUMNS].usable;
}

static onefold_status say_matched(const of_matching *match)
{
    of_reading *reading = match->reading;
    size_t files = 0, everywhere = reading->match.samples;
    for (size_t p = 0; p < match->matrices; p++)
        files += match->party[p].chosen != OF_MATCH_NONE;
    for (size_t j = 0; j < reading->match.samples; j++)
        for (size_t p = 0; p < match->matrices; p++) {
            const of_match_party *one = &match->party[p];
            if (one->chosen != OF_MATCH_NONE &&
                of_name_index_find(&one->side[one->chosen].index, reading->match.ids[j]) ==
                    SIZE_MAX) {
                everywhere--;
                break;
            }
        }
    if (!reading->match.moved || files < 2)
        return ONEFOLD_OK;
    return of_reading_say(reading, OF_SAID_MATCHED, reading->match.samples, everywhere);
}

onefold_status of_reading_match(of_reading *reading, const onefold_read_options *options)
{
    of_matching match = {.reading = reading};
    int side;
    if (options->match == ONEFOLD_MATCH_ORDER ||
        (options->ids && strcmp(options->ids, "none") == 0))
        return ONEFOLD_OK;
    OF_TRY(make_parties(&match));
    leave_out_counts(&match);
    for (size_t p = 0; p < match.matrices && !match.first; p++)
        if (of_match_has_ids(&match.party[p]))
            match.first = &match.party[p];
    if (!match.first)
        return ONEFOLD_OK;
    OF_TRY(of_match_choose_sides(&match, &side));
    if (side == OF_MATCH_NONE) { /* nobody else has any */
        side = of_match_side_by_length(&match);
        if (side == OF_MATCH_COLUMNS && options->samples_are == ONEFOLD_SIDE_AUTO)
            OF_TRY(of_reading_say(reading, OF_SAID_COLUMNS_BY_LENGTH, match.first->name,
                                  match.first->side[side].count));
    }
    if (side == OF_MATCH_NONE)
        return ONEFOLD_OK;
    if (options->samples_are != ONEFOLD_SIDE_AUTO)
        side = match.first
                       ->side[options->samples_are == ONEFOLD_SIDE_ROWS ? OF_MATCH_ROWS
                                                                        : OF_MATCH_COLUMNS]
                       .usable
                   ? (options->samples_are == ONEFOLD_SIDE_ROWS ? OF_MATCH_ROWS : OF_MATCH_COLUMNS)
                   : side;
    of_match_set_sides(&match, side);
    OF_TRY(of_match_list_samples(&match));
    for (size_t p = 0; p < match.matrices; p++)
        if (match.party[p].chosen != OF_MATCH_NONE)
            OF_TRY(of_match_place_matrix(&match, &match.party[p]));
    for (size_t p = match.matrices; p < match.count; p++)
        OF_TRY(match.party[p].labels ? of_match_place_labels(&match, &match.party[p])
                                     : of_match_place_metadata(&match, &match.party[p]));
    OF_TRY(of_match_place_present(&match));
    OF_TRY(of_match_place_others(&match));
    return say_matched(&match);
}
