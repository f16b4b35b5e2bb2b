/* SPDX-License-Identifier: Apache-2.0 */
/* Matching samples by id: the side of each matrix that is the samples, their order, and missing
 * samples. */
#include "io/find.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS, COLUMNS, NO_SIDE };

/* Something whose samples may have ids: a matrix, labels, or a table of metadata. */
typedef struct id_source {
    const char *name;
    of_ids side[2];
    int chosen; /* the side that is the samples, or NO_SIDE */
    of_found *found;
    of_labels *labels;
    of_file *metadata;
} id_source;

typedef struct matching {
    of_reading *reading;
    id_source *sources;
    size_t count, matrices; /* matrices come first */
    id_source *first;       /* the matrix that gives the order */
} matching;

static int has_ids(const id_source *source)
{
    return source->side[ROWS].usable || source->side[COLUMNS].usable;
}

/* ---- lists of ids --------------------------------------------------------------------------- */

/* Whether name i is the number i + first. */
static int counts_from(const char *const *names, size_t count, size_t first)
{
    char number[32];
    for (size_t i = 0; i < count; i++) {
        snprintf(number, sizeof number, "%zu", i + first);
        if (strcmp(names[i], number) != 0)
            return 0;
    }
    return 1;
}

onefold_status of_ids_make(of_arena *arena, const char *const *names, size_t count, of_ids *ids)
{
    *ids = (of_ids){.name = names, .count = count};
    if (!names || count == 0)
        return ONEFOLD_OK;
    OF_TRY(of_name_index_make(arena, names, count, &ids->index));
    ids->usable = ids->index.repeated == 0 && ids->index.empty == 0;
    ids->counting = counts_from(names, count, 0) || counts_from(names, count, 1);
    return ONEFOLD_OK;
}

/* How many ids both lists have. */
static size_t ids_common(const of_ids *a, const of_ids *b)
{
    size_t common = 0;
    for (size_t i = 0; i < b->count; i++)
        common += of_name_index_find(&a->index, b->name[i]) != SIZE_MAX;
    return common;
}

double of_ids_overlap(const of_ids *a, const of_ids *b)
{
    if (!a->usable || !b->usable)
        return 0;
    size_t shorter = a->count < b->count ? a->count : b->count;
    return (double)ids_common(a, b) / (double)shorter;
}

/* "a1, a2": the first ids, at most `most`, that another list lacks. */
static of_list ids_missing(const of_ids *ids, const of_ids *from, size_t most)
{
    of_list list = {.used = 0};
    for (size_t i = 0; i < ids->count && list.count < most; i++)
        if (of_name_index_find(&from->index, ids->name[i]) == SIZE_MAX)
            of_list_add(&list, "%.60s", ids->name[i]);
    return list;
}

/* The error for two lists that share few ids: how many, and two ids that each has alone. */
static onefold_status few_shared_ids(const char *first, const of_ids *a, const char *second,
                                     const of_ids *b)
{
    size_t common = ids_common(a, b);
    return of_hint(of_fail(ONEFOLD_BAD_DATA,
                           "the files share few ids: %s has %zu and %s has %zu, and %zu "
                           "%s in both (%s; %s)",
                           first, a->count, second, b->count, common, common == 1 ? "is" : "are",
                           ids_missing(a, b, 2).text, ids_missing(b, a, 2).text),
                   "write the ids the same way in every file; `match` order takes samples in the "
                   "order of their rows, `ids` names the column that has them");
}

/* ---- which side the samples are ------------------------------------------------------------- */

static int better_side(const id_source *source, const of_ids *with, double *overlap)
{
    double rows = of_ids_overlap(with, &source->side[ROWS]),
           columns = of_ids_overlap(with, &source->side[COLUMNS]);
    *overlap = rows >= columns ? rows : columns;
    return rows >= columns ? ROWS : COLUMNS;
}

/* The side of the first matrix that is the samples: its rows, if their ids match those of every
 * other source; else its columns, if theirs do. The smallest overlap decides. */
static onefold_status choose_sides(matching *match, int *chosen)
{
    const id_source *worst[2] = {NULL, NULL}, *first = match->first;
    double smallest[2] = {-1, -1}, overlap;
    for (int side = ROWS; side <= COLUMNS; side++)
        for (size_t p = 0; p < match->count && first->side[side].usable; p++) {
            const id_source *other = &match->sources[p];
            if (other == first || !has_ids(other) || (other->labels && !match->reading->truth))
                continue;
            better_side(other, &first->side[side], &overlap);
            if (!worst[side] || overlap < smallest[side]) {
                smallest[side] = overlap;
                worst[side] = other;
            }
        }
    *chosen = smallest[ROWS] >= OF_MIN_OVERLAP      ? ROWS
              : smallest[COLUMNS] >= OF_MIN_OVERLAP ? COLUMNS
                                                    : NO_SIDE;
    if (*chosen == NO_SIDE && (worst[ROWS] || worst[COLUMNS])) {
        int side = worst[ROWS] ? ROWS : COLUMNS;
        int other = better_side(worst[side], &first->side[side], &overlap);
        if (!worst[side]->side[other].usable)
            other = !other;
        return few_shared_ids(first->name, &first->side[side], worst[side]->name,
                              &worst[side]->side[other]);
    }
    if (*chosen == ROWS && smallest[COLUMNS] >= 0.5 &&
        first->found->matrix.rows != first->found->matrix.columns)
        OF_TRY(of_reading_note(match->reading, OF_NOTE_SIDE, "rows", first->name,
                               "the files share the names of both rows and columns"));
    if (*chosen == COLUMNS)
        OF_TRY(of_reading_note(match->reading, OF_NOTE_SIDE, "columns", first->name,
                               "the files share their names, and not those of the rows"));
    return ONEFOLD_OK;
}

/* The side of the first matrix that is as long as some side of every matrix of other files, or
 * NO_SIDE. */
static int side_by_length(const matching *match)
{
    const of_file *own = match->first->found->file;
    for (int side = ROWS; side <= COLUMNS; side++) {
        size_t length = match->first->side[side].count, others = 0, fitting = 0;
        for (size_t p = 0; p < match->matrices; p++) {
            const of_matrix *matrix = &match->sources[p].found->matrix;
            if (match->sources[p].found->file == own)
                continue;
            others++;
            fitting += (size_t)of_matrix_has_side(matrix, length);
        }
        if (match->first->side[side].usable && others && fitting == others)
            return side;
    }
    return NO_SIDE;
}

/* ---- everything in the order of the samples ------------------------------------------------- */

/* Lists the samples of the first matrix in its order, then those that only other matrices have. */
static onefold_status list_samples(matching *match)
{
    of_reading *reading = match->reading;
    OF_SCRATCH(scratch, reading->arena->context);
    const char **all = NULL, **ids;
    size_t total = 0, count = 0, room = 0;
    of_name_index index;
    for (size_t p = 0; p <= match->matrices; p++) {
        const id_source *source = p ? &match->sources[p - 1] : match->first;
        if (source->chosen == NO_SIDE || (p && source == match->first))
            continue;
        const of_ids *more = &source->side[source->chosen];
        OF_TRY(OF_GROW(&scratch, &all, total, &room, total + more->count));
        memcpy(all + total, more->name, more->count * sizeof *all);
        total += more->count;
    }
    OF_TRY(OF_NEW(reading->arena, &ids, total, 1));
    OF_TRY(of_name_index_make(&scratch, all, total, &index));
    for (size_t i = 0; i < total; i++)
        if (of_name_index_find(&index, all[i]) == i)
            ids[count++] = all[i];
    reading->ids = ids;
    reading->matched = count;
    return ONEFOLD_OK;
}

/* The places of the samples in a list of ids. */
typedef struct placement {
    size_t *from;   /* of each sample; SIZE_MAX: missing */
    size_t missing; /* how many */
    int reordered;  /* the list has other samples, or another order */
} placement;

static onefold_status find_samples(const of_reading *reading, const of_ids *ids, placement *places)
{
    size_t n = reading->matched;
    *places = (placement){.reordered = ids->count != n};
    OF_TRY(OF_NEW(reading->arena, &places->from, n, 1));
    for (size_t j = 0; j < n; j++) {
        places->from[j] = of_name_index_find(&ids->index, reading->ids[j]);
        places->missing += places->from[j] == SIZE_MAX;
        places->reordered |= places->from[j] != j;
    }
    return ONEFOLD_OK;
}

static onefold_status place_matrix(matching *match, id_source *source)
{
    of_reading *reading = match->reading;
    of_found *found = source->found;
    of_matrix *matrix = &found->matrix;
    const of_ids *row = &source->side[ROWS], *column = &source->side[COLUMNS];
    placement places;
    int rows = source->chosen == ROWS;
    int both = row->usable && column->usable && row->count == column->count &&
               ids_common(row, column) == row->count; /* a kernel, or a graph */
    OF_TRY(find_samples(reading, &source->side[source->chosen], &places));
    found->side = rows ? ONEFOLD_SIDE_ROWS : ONEFOLD_SIDE_COLUMNS;
    if (!places.reordered)
        return ONEFOLD_OK;
    if (found->kernel && !both)
        return of_hint(of_fail(ONEFOLD_BAD_DATA,
                               "%s is a kernel whose samples are in another order, and only one of "
                               "its sides has ids",
                               matrix->name),
                       "give its rows and its columns the same ids");
    OF_TRY(of_matrix_reorder(&found->top->store->arena, matrix, rows, both, 0, places.from,
                             reading->matched));
    matrix->owner = found->top->store;
    if (rows || both)
        matrix->row_names = reading->ids;
    if (!rows || both)
        matrix->column_names = reading->ids;
    found->absent = places.missing > 0;
    found->sample_row = rows ? places.from : NULL;
    reading->reordered = 1;
    return ONEFOLD_OK;
}

/* Brings labels into the order of the samples. Labels of other samples get the length 0, which fits
 * no data set. */
static onefold_status place_labels(of_reading *reading, const id_source *source,
                                   const placement *places)
{
    of_labels *labels = source->labels;
    size_t n = reading->matched;
    int64_t *value;
    if (source->chosen == NO_SIDE) {
        if (source->side[ROWS].usable)
            labels->length = 0;
        return ONEFOLD_OK;
    }
    const of_ids all = {.name = reading->ids, .count = n};
    if (places->missing && reading->truth)
        return of_hint(of_fail(ONEFOLD_BAD_DATA,
                               "%s has no label for %zu of the %zu samples, %s first", source->name,
                               places->missing, n, ids_missing(&all, &source->side[ROWS], 1).text),
                       "give every sample a true label, or ignore the labels with `no_truth`");
    if (places->missing) {
        labels->length = 0;
        return of_reading_note(reading, OF_NOTE_NO_TRUTH, labels->name, places->missing, n);
    }
    if (!places->reordered)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(reading->arena, &value, n, 1));
    for (size_t j = 0; j < n; j++)
        value[j] = labels->value[places->from[j]];
    labels->value = value;
    labels->length = n;
    return ONEFOLD_OK;
}

/* Finds the rows of the table of who is present by their ids. */
static onefold_status place_present(of_reading *reading)
{
    const of_variable *present = reading->present;
    of_ids ids;
    placement places;
    if (!present || !present->matrix.row_names)
        return ONEFOLD_OK;
    OF_TRY(of_ids_make(reading->arena, present->matrix.row_names, present->matrix.rows, &ids));
    if (!ids.usable || ids.counting)
        return ONEFOLD_OK;
    OF_TRY(find_samples(reading, &ids, &places));
    reading->present_row = places.from;
    if (places.missing)
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "%s has no row for %zu of the %zu samples",
                               present->name, places.missing, reading->matched),
                       "it needs a row for every sample, with the ids that the views have");
    return ONEFOLD_OK;
}

/* Matrices without ids of samples are taken in order if a side is as long as there are samples, and
 * refused otherwise. */
static onefold_status place_others(matching *match)
{
    of_reading *reading = match->reading;
    size_t n = reading->matched;
    for (size_t p = 0; p < match->matrices; p++) {
        const id_source *source = &match->sources[p], *first = match->first;
        const of_matrix *matrix = &source->found->matrix;
        if (source->chosen != NO_SIDE || source->found->file == first->found->file)
            continue;
        if (!of_matrix_has_side(matrix, n))
            return of_hint(of_fail(ONEFOLD_BAD_DATA,
                                   "%s is %zu x %zu, without ids of the %zu samples (%s of %s)",
                                   matrix->name, matrix->rows, matrix->columns, n,
                                   first->chosen == ROWS ? "rows" : "columns", first->name),
                           has_ids(source)
                               ? "leave `samples_are` out"
                               : "give it a column of ids, or take rows in order (`match` order)");
        OF_TRY(of_reading_note(reading, OF_NOTE_NO_IDS, matrix->name, first->name));
    }
    return ONEFOLD_OK;
}

/* ---- all of it ------------------------------------------------------------------------------ */

/* Lists everything that may have ids. Names of columns are ids only where rows are named too, as
 * they are names of features otherwise. */
static onefold_status make_sources(matching *match)
{
    of_reading *reading = match->reading;
    of_arena *arena = reading->arena;
    OF_TRY(OF_NEW_ZERO(arena, &match->sources,
                       reading->found_count + reading->label_count + reading->file_count, 1));
    for (size_t m = 0; m < reading->found_count; m++) {
        of_found *found = &reading->found[m];
        const of_matrix *matrix = &found->matrix;
        id_source *made = &match->sources[match->count++];
        *made = (id_source){.name = matrix->name, .chosen = NO_SIDE, .found = found};
        OF_TRY(of_ids_make(arena, matrix->row_names, matrix->rows, &made->side[ROWS]));
        OF_TRY(of_ids_make(arena, matrix->column_names, matrix->columns, &made->side[COLUMNS]));
        int rows_named = matrix->row_names && !made->side[ROWS].counting;
        made->side[COLUMNS].usable &= !made->side[COLUMNS].counting && !found->listed.columns &&
                                      (rows_named || found->listed.ids_columns);
        made->side[ROWS].usable &= !found->listed.rows;
    }
    match->matrices = match->count;
    for (size_t i = 0; i < reading->label_count; i++) {
        of_labels *labels = &reading->labels[i];
        id_source *made = &match->sources[match->count++];
        *made = (id_source){.name = labels->name, .chosen = NO_SIDE, .labels = labels};
        OF_TRY(of_ids_make(arena, labels->ids, labels->length, &made->side[ROWS]));
    }
    for (size_t f = 0; f < reading->file_count; f++)
        if (reading->file[f].is_metadata) {
            of_file *file = &reading->file[f];
            const of_variable *last = &file->top[file->count - 1].variable;
            id_source *made = &match->sources[match->count++];
            *made = (id_source){.name = file->stem, .chosen = NO_SIDE, .metadata = file};
            OF_TRY(of_ids_make(arena, last->matrix.row_names, last->count, &made->side[ROWS]));
        }
    return ONEFOLD_OK;
}

static onefold_status note_matched(const matching *match)
{
    of_reading *reading = match->reading;
    size_t files = 0, everywhere = 0;
    for (size_t p = 0; p < match->matrices; p++)
        files += match->sources[p].chosen != NO_SIDE;
    if (!reading->reordered || files < 2)
        return ONEFOLD_OK;
    for (size_t j = 0; j < reading->matched; j++) {
        size_t have = 0;
        for (size_t p = 0; p < match->matrices; p++) {
            const id_source *source = &match->sources[p];
            have += source->chosen != NO_SIDE &&
                    of_name_index_find(&source->side[source->chosen].index, reading->ids[j]) !=
                        SIZE_MAX;
        }
        everywhere += have == files;
    }
    return of_reading_note(reading, OF_NOTE_MATCHED, reading->matched, everywhere);
}

onefold_status of_reading_match(of_reading *reading)
{
    const onefold_read_options *options = reading->given;
    matching match = {.reading = reading};
    size_t own_ids = 0;
    int side;
    if (options->match == ONEFOLD_MATCH_ORDER ||
        (options->ids && strcmp(options->ids, "none") == 0))
        return ONEFOLD_OK;
    OF_TRY(make_sources(&match));
    /* row numbers are ids only beside a source with ids that are not row numbers */
    for (size_t p = 0; p < match.count; p++)
        own_ids += match.sources[p].side[ROWS].usable && !match.sources[p].side[ROWS].counting;
    for (size_t p = 0; p < match.count && !own_ids; p++)
        match.sources[p].side[ROWS].usable = 0;
    for (size_t p = 0; p < match.matrices && !match.first; p++)
        if (has_ids(&match.sources[p]))
            match.first = &match.sources[p];
    if (!match.first)
        return ONEFOLD_OK;
    OF_TRY(choose_sides(&match, &side));
    if (side == NO_SIDE) { /* only one file has ids */
        side = side_by_length(&match);
        if (side == COLUMNS && options->samples_are == ONEFOLD_SIDE_AUTO)
            OF_TRY(
                of_reading_note(reading, OF_NOTE_SIDE, "columns", match.first->name, OF_BY_LENGTH));
    }
    if (side == NO_SIDE)
        return ONEFOLD_OK;
    int asked = options->samples_are == ONEFOLD_SIDE_ROWS ? ROWS : COLUMNS;
    if (options->samples_are != ONEFOLD_SIDE_AUTO && match.first->side[asked].usable)
        side = asked;
    match.first->chosen = side;
    for (size_t p = 0; p < match.count; p++) {
        id_source *other = &match.sources[p];
        double overlap;
        if (other == match.first || !has_ids(other))
            continue;
        int best = better_side(other, &match.first->side[side], &overlap);
        if (overlap >= OF_MIN_OVERLAP)
            other->chosen = best;
    }
    OF_TRY(list_samples(&match));
    for (size_t p = 0; p < match.matrices; p++)
        if (match.sources[p].chosen != NO_SIDE)
            OF_TRY(place_matrix(&match, &match.sources[p]));
    for (size_t p = match.matrices; p < match.count; p++) {
        const id_source *source = &match.sources[p];
        placement places = {.from = NULL};
        if (source->chosen != NO_SIDE)
            OF_TRY(find_samples(reading, &source->side[ROWS], &places));
        if (source->labels)
            OF_TRY(place_labels(reading, source, &places));
        else
            source->metadata->metadata_row = places.from;
    }
    OF_TRY(place_present(reading));
    OF_TRY(place_others(&match));
    return note_matched(&match);
}

/* ---- labels of one file by the ids of another ------------------------------------------------ */

onefold_status onefold_labels_match(onefold_dataset *labels, const onefold_dataset *with,
                                    int *matched)
{
    if (!labels || !with)
        return of_fail(ONEFOLD_USAGE, "matching labels needs those of two files");
    of_dataset *set = &labels->set;
    const of_dataset *other = &with->set;
    OF_SCRATCH(scratch, set->arena.context);
    OF_SCRATCH(kept, set->arena.context);
    of_ids own, others;
    int32_t *truth;
    OF_TRY(of_ids_make(&scratch, set->sample_names, set->samples, &own));
    OF_TRY(of_ids_make(&scratch, other->sample_names, other->samples, &others));
    int meet = of_ids_overlap(&own, &others) >= OF_MIN_OVERLAP;
    int both = own.usable && others.usable && !(own.counting && others.counting) &&
               (meet || !(own.counting || others.counting)); /* row numbers beside ids are no ids */
    if (both) {
        size_t common = ids_common(&own, &others);
        if (common < others.count && !meet)
            return of_hint(few_shared_ids("one", &own, "the other", &others),
                           "write the ids the same way in both files");
        if (common < others.count) /* a score of some samples is not a score of all */
            return of_hint(
                of_fail(ONEFOLD_BAD_DATA, "%zu of the %zu samples have no true label, %s first",
                        others.count - common, others.count, ids_missing(&others, &own, 1).text),
                "give every sample a true label; labels of others are ignored");
        OF_TRY(OF_NEW(&kept, &truth, others.count, 1));
        for (size_t j = 0; j < others.count; j++)
            truth[j] = set->truth[of_name_index_find(&own.index, others.name[j])];
        OF_TRY(of_dataset_names_copy(&kept, others.count, others.name, &set->sample_names));
        of_arena_adopt(&set->arena, &kept);
        set->truth = truth;
        set->samples = others.count;
    }
    if (matched)
        *matched = both;
    return ONEFOLD_OK;
}
