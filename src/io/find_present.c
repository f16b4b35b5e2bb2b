/* SPDX-License-Identifier: Apache-2.0 */
/* Which sample has which view: rows of NaN, a matrix of zeros and ones, or a file named for it. */
#include "base/comm.h"
#include "data/dataset.h"
#include "data/gaps.h"
#include "io/read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the variable --------------------------------------------------------------------------- */

static int is_table(const of_variable *variable)
{
    return of_variable_is_dense(variable) && variable->pages == 1 && !variable->matrix.source;
}

static int is_zeros_and_ones(const of_variable *variable)
{
    for (size_t c = 0; c < variable->matrix.columns; c++)
        for (size_t r = 0; r < variable->matrix.rows; r++) {
            double value = of_matrix_get(&variable->matrix, r, c);
            if (value != 0 && value != 1)
                return 0;
        }
    return 1;
}

/* A file of one variable is its view, unless there are others for the views. */
static int may_say(const of_reading *reading, size_t f, const of_variable *variable)
{
    int missing;
    size_t last = strlen(variable->name);
    return is_table(variable) && variable->matrix.rows > 1 && variable->matrix.columns > 1 &&
           (reading->file[f].count > 1 || reading->file_count > 1) &&
           of_name_of_present(variable->name, &missing) &&
           !(last && variable->name[last - 1] >= '0' && variable->name[last - 1] <= '9') &&
           is_zeros_and_ones(variable);
}

static onefold_status read_asked(of_reading *reading, const char *path)
{
    of_file *file;
    OF_TRY(of_reading_beside(reading, path, NULL, &file));
    for (size_t t = 0; t < file->count; t++) {
        const of_variable *variable = &file->top[t].variable;
        int missing;
        if (is_table(variable) &&
            (!reading->present || of_name_of_present(variable->name, &missing)))
            reading->present = variable;
    }
    if (!reading->present || !is_zeros_and_ones(reading->present))
        return of_hint(
            of_fail(ONEFOLD_BAD_DATA, "%s: there is no table of zeros and ones in it", path),
            "it has a row per sample and a column per view, with a 1 where the sample "
            "has the view");
    reading->present_asked = 1;
    return ONEFOLD_OK;
}

onefold_status of_reading_find_present(of_reading *reading)
{
    for (size_t f = 0; f < reading->file_count; f++)
        for (size_t t = 0; t < reading->file[f].count; t++) {
            const of_variable *variable = &reading->file[f].top[t].variable;
            if (reading->file[f].top[t].is_label || !may_say(reading, f, variable))
                continue;
            reading->file[f].top[t].is_label = 1;
            if (!reading->present)
                reading->present = variable;
        }
    if (!reading->options->present)
        return ONEFOLD_OK;
    reading->present = NULL;
    return read_asked(reading, reading->options->present);
}

/* ---- what it says --------------------------------------------------------------------------- */

/* The sides of the variable fit; *column says which of its columns is that of each view: those that
 * are used, that were found, or that there were before some were picked. */
static int fits(const of_reading *reading, const of_dataset *dataset, int *turned, size_t *column)
{
    const of_variable *variable = reading->present;
    size_t n = dataset->samples, p = dataset->view_count;
    *turned = variable->matrix.rows != n && !reading->present_from;
    size_t views = *turned ? variable->matrix.rows : variable->matrix.columns;
    if (!reading->present_from && (*turned ? variable->matrix.columns : variable->matrix.rows) != n)
        return 0;
    if (views != p && views != reading->found_count && views != reading->all_count)
        return 0;
    for (size_t v = 0; v < p; v++) {
        const of_found *found = &reading->found[reading->source[v]];
        size_t a = 0;
        while (a < reading->all_count && (reading->all[a].top != found->top ||
                                          reading->all[a].matrix.name != found->matrix.name))
            a++;
        column[v] = views == p ? v : views == reading->found_count ? reading->source[v] : a;
        if (column[v] == views)
            return 0;
    }
    return 1;
}

/* What becomes of it all: given[j * p + v], what the variable says, and keep[j * p + v], what the
 * values say; `marked` says which views mark missing samples by rows of NaN. */
typedef struct presence {
    size_t n, p;
    uint8_t *given, *keep, *marked;
} presence;

/* Ones may stand for what is there or for what is missing: no row of NaN is there, no sample lacks
 * every view, and where both can be the name decides. */
static int ones_are_missing(const presence *is, const char *name)
{
    size_t against[2] = {0, 0}, lost[2] = {0, 0};
    int by_name;
    of_name_of_present(name, &by_name);
    for (size_t j = 0; j < is->n; j++) {
        size_t ones = 0;
        for (size_t v = 0; v < is->p; v++) {
            ones += is->given[j * is->p + v];
            if (!is->keep[j * is->p + v])
                against[!is->given[j * is->p + v]]++;
        }
        lost[0] += ones == 0;
        lost[1] += ones == is->p;
    }
    if (against[0] != against[1])
        return against[0] > against[1];
    if ((lost[0] == 0) != (lost[1] == 0))
        return lost[0] > 0;
    return by_name;
}

static onefold_status assign_given(const of_reading *reading, of_dataset *dataset, presence *is,
                                   int missing)
{
    const char *name = reading->present->name;
    size_t doubted = 0;
    for (size_t e = 0; e < is->n * is->p; e++) {
        int there = is->given[e] != (missing != 0);
        if (is->marked[e % is->p] && !reading->present_asked) {
            doubted += there != (is->keep[e] != 0);
            continue;
        }
        is->keep[e] = is->keep[e] && there;
    }
    if (doubted)
        return of_dataset_note(
            dataset, "%s: differs from the rows of NaN in %zu places; the rows of NaN are used",
            name, doubted);
    return of_dataset_note(dataset, "%s: which sample has which view, with a 1 where it %s", name,
                           missing ? "lacks it" : "has it");
}

static onefold_status read_given(const of_reading *reading, of_dataset *dataset, presence *is)
{
    OF_SCRATCH(scratch, dataset->arena.context);
    const of_variable *variable = reading->present;
    size_t *column;
    int turned;
    OF_TRY(OF_NEW(&scratch, &column, is->p, 1));
    if (!fits(reading, dataset, &turned, column)) {
        if (reading->present_asked)
            return of_hint(of_fail(ONEFOLD_BAD_DATA,
                                   "%s is %zu x %zu, where there are %zu samples and %zu views",
                                   variable->name, variable->matrix.rows, variable->matrix.columns,
                                   is->n, is->p),
                           "the file of `present` has a row per sample and a column per view");
        return of_dataset_note(dataset, "%s: ignored", variable->name);
    }
    OF_TRY(OF_NEW(&scratch, &is->given, is->n, is->p));
    for (size_t j = 0; j < is->n; j++) {
        size_t row = reading->present_from ? reading->present_from[j] : j;
        for (size_t v = 0; v < is->p; v++)
            is->given[j * is->p + v] =
                (turned ? of_matrix_get(&variable->matrix, column[v], j)
                        : of_matrix_get(&variable->matrix, row, column[v])) != 0;
    }
    int missing = !reading->present_asked && ones_are_missing(is, variable->name);
    return assign_given(reading, dataset, is, missing);
}

/* ---- single values -------------------------------------------------------------------------- */

static onefold_status settle_gaps(of_reading *reading, of_dataset *dataset, size_t v)
{
    of_view *view = &dataset->views[v];
    const uint8_t *present = dataset->present ? dataset->present + v : NULL;
    of_gaps gaps;
    OF_TRY(of_gaps_find(dataset->arena.context, view, present, dataset->view_count, &gaps));
    if (gaps.entries && !gaps.infinite && reading->options->impute != ONEFOLD_IMPUTE_NONE &&
        view->storage != OF_KERNEL) {
        if (reading->options->impute == ONEFOLD_IMPUTE_MODEL) {
            dataset->unsettled = 1;
            return ONEFOLD_OK;
        }
        if (of_comm_splits(dataset->arena.context, dataset->samples))
            return of_hint(of_fail(ONEFOLD_UNSUPPORTED,
                                   "%s: %zu values are missing, and filling them in is not split "
                                   "over processes",
                                   view->name, gaps.entries),
                           "start one process");
        OF_TRY(of_gaps_fill(&dataset->arena, view, present, dataset->view_count,
                            reading->options->impute));
        if (view->storage == OF_DENSE) { /* its numbers are the data set's own now */
            of_owner_release(view->owner);
            view->owner = NULL;
        }
        return of_dataset_note(dataset, "%s: %zu missing values of %zu samples are filled in",
                               view->name, gaps.entries, gaps.samples);
    }
    const of_found *found = &reading->found[reading->source[v]];
    char where[512];
    snprintf(where, sizeof where, "%s: %s", found->file->path, found->matrix.name);
    int rows = reading->rows[v];
    size_t row = rows ? gaps.sample : gaps.column, column = rows ? gaps.column : gaps.sample, line;
    const char *const *names = rows ? view->column_names : dataset->sample_names;
    if (rows && found->from)
        row = found->from[row];
    OF_TRY(of_read_text_line(found->file, row, &line));
    return of_gaps_refuse(&gaps, where, line ? "line" : "row", line ? line - 1 : row, column,
                          line && names ? names[column] : NULL);
}

/* Whether it turns out only as the samples are passed what is missing. */
static int is_settled_later(const of_reading *reading, const of_view *view)
{
    return view->passing && (!view->data || !reading->present);
}

onefold_status of_reading_assign_present(of_reading *reading, of_dataset *dataset)
{
    size_t later = 0;
    for (size_t v = 0; v < dataset->view_count; v++)
        later += (size_t)is_settled_later(reading, &dataset->views[v]);
    dataset->unsettled = later > 0;
    if (later == dataset->view_count && !reading->present)
        return ONEFOLD_OK;
    OF_SCRATCH(scratch, dataset->arena.context);
    presence is = {.n = dataset->samples, .p = dataset->view_count};
    uint8_t *keep;
    int *clean;
    OF_TRY(OF_NEW(&scratch, &clean, is.p, 1));
    OF_TRY(OF_NEW(&scratch, &is.keep, is.n, is.p));
    OF_TRY(OF_NEW_ZERO(&scratch, &is.marked, is.p, 1));
    OF_TRY(OF_NEW(&scratch, &keep, is.n, 1));
    for (size_t v = 0; v < is.p; v++) {
        size_t missing;
        if (is_settled_later(reading, &dataset->views[v])) {
            clean[v] = 1;
            for (size_t j = 0; j < is.n; j++)
                is.keep[j * is.p + v] = 1;
            continue;
        }
        OF_TRY(
            of_gaps_samples(dataset->arena.context, &dataset->views[v], keep, &missing, &clean[v]));
        if (missing && of_comm_splits(dataset->arena.context, is.n))
            return of_hint(of_fail(ONEFOLD_UNSUPPORTED,
                                   "%s: %zu samples are missing from it, and missing views are not "
                                   "split over processes",
                                   dataset->views[v].name, missing),
                           "start one process");
        is.marked[v] = missing > 0;
        for (size_t j = 0; j < is.n; j++)
            is.keep[j * is.p + v] = keep[j];
        const of_found *found = &reading->found[reading->source[v]];
        if (missing)
            OF_TRY(of_dataset_note(dataset, "%s: %zu sample%s missing from it: %s",
                                   dataset->views[v].name, missing, missing == 1 ? " is" : "s are",
                                   found->absent || found->file->cells
                                       ? "it has no row with their id"
                                       : "rows of NaN"));
    }
    if (reading->present)
        OF_TRY(read_given(reading, dataset, &is));
    for (size_t v = 0; v < is.p; v++)
        OF_TRY(of_present_leave_out(dataset, v, is.keep + v, is.p));
    OF_TRY(of_present_check(dataset));
    for (size_t v = 0; v < is.p; v++)
        if ((!clean[v] || of_comm_splits(dataset->arena.context, is.n)) && /* others may differ */
            !is_settled_later(reading, &dataset->views[v]))
            OF_TRY(settle_gaps(reading, dataset, v));
    return ONEFOLD_OK;
}
