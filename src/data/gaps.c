/* SPDX-License-Identifier: Apache-2.0 */
/* Missing values: counting, refusing and filling them in. */
#include "data/dataset.h"

#include "base/comm.h"
#include "base/team.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1024 }; /* samples that one thread checks at a time */

typedef struct gap_task {
    const of_view *view;
    const uint8_t *present;
    size_t step;
    uint8_t *keep;  /* NULL, or 0 for samples of NaN alone */
    of_gaps *gaps;  /* per piece */
    double *sample; /* per worker: room for a sample */
    of_range own;   /* the share of this process */
} gap_task;

static int is_present(const uint8_t *present, size_t step, size_t sample)
{
    return !present || present[sample * step];
}

static void add_gaps(of_gaps *sum, const of_gaps *more)
{
    if ((more->infinite && !sum->infinite) || (more->entries && !sum->entries && !sum->infinite)) {
        sum->sample = more->sample;
        sum->column = more->column;
    }
    sum->infinite |= more->infinite;
    sum->entries += more->entries;
    sum->samples += more->samples;
    sum->empty += more->empty;
}

/* The gaps of sample j: among all values of a dense view, among the entries of a sparse one. */
static of_gaps check_sample(const gap_task *task, size_t j)
{
    const of_view *view = task->view;
    const of_sparse *sparse = view->storage == OF_SPARSE ? &view->sparse : NULL;
    double *dense = sparse ? NULL : task->sample + of_team_worker() * view->columns;
    size_t first = sparse ? sparse->start[j] : 0, missing = 0,
           count = sparse ? sparse->start[j + 1] - first : view->columns;
    of_gaps found = {.sample = j};
    if (!sparse)
        of_view_tile(view, j, 1, dense, view->columns);
    for (size_t e = 0; e < count; e++) {
        double value = sparse ? sparse->value[first + e] : dense[e];
        size_t column = sparse ? sparse->index[first + e] : e;
        int infinite = isinf(value) != 0;
        missing += isnan(value) != 0;
        if (isfinite(value) ||
            (view->storage == OF_KERNEL && !is_present(task->present, task->step, column)))
            continue;
        if (!found.infinite && (infinite || !found.entries))
            found.column = column;
        found.infinite |= infinite;
        found.entries += !infinite;
    }
    found.samples = found.entries > 0;
    found.empty = count > 0 && missing == count;
    return found;
}

static onefold_status check_piece(void *opaque, size_t piece)
{
    gap_task *task = opaque;
    size_t first = piece * PIECE, left = task->view->samples - first,
           end = first + (left < PIECE ? left : PIECE);
    if (task->keep)
        memset(task->keep + first, 1, end - first);
    first = first > task->own.first ? first : task->own.first;
    end = end < task->own.end ? end : task->own.end;
    if (first >= end)
        return ONEFOLD_OK;
    int clean = of_view_is_finite(task->view, first, end - first);
    for (size_t j = first; j < end && !clean; j++)
        if (is_present(task->present, task->step, j)) {
            of_gaps found = check_sample(task, j);
            add_gaps(&task->gaps[piece], &found);
            if (task->keep)
                task->keep[j] = !found.empty;
        }
    of_view_release(task->view, first, end - first);
    return ONEFOLD_OK;
}

onefold_status of_gaps_find(of_context *context, const of_view *view, const uint8_t *present,
                            size_t step, uint8_t *keep, of_gaps *gaps)
{
    OF_SCRATCH(scratch, context);
    gap_task task = {.view = view, .present = present, .step = step, .keep = keep};
    int sparse = view->storage == OF_SPARSE;
    size_t pieces = (view->samples + PIECE - 1) / PIECE;
    task.own = of_comm_own(context, view->samples);
    if (sparse) /* every process has all of it */
        task.own = (of_range){0, view->samples};
    OF_TRY(OF_NEW_ZERO(&scratch, &task.gaps, pieces, 1));
    OF_TRY(
        OF_NEW(&scratch, &task.sample, (size_t)of_team_size(context), sparse ? 0 : view->columns));
    OF_TRY(of_team_run(context, pieces, check_piece, &task));
    *gaps = (of_gaps){0};
    for (size_t p = 0; p < pieces; p++)
        add_gaps(gaps, &task.gaps[p]);
    return ONEFOLD_OK;
}

onefold_status of_gaps_refuse(const of_gaps *gaps, const char *where, const char *line, size_t row,
                              size_t column, const char *name)
{
    char place[128];
    if (name && *name)
        snprintf(place, sizeof place, "%s %zu, column \"%.60s\"", line, row + 1, name);
    else
        snprintf(place, sizeof place, "%s %zu, column %zu", line, row + 1, column + 1);
    if (gaps->infinite)
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "%s: %s is infinite", where, place),
                       "every value must be a finite number");
    if (gaps->entries == 0)
        return ONEFOLD_OK;
    return of_hint(of_fail(ONEFOLD_BAD_DATA,
                           "%s: %zu value%s of %zu sample%s %s missing (NaN), the first in %s",
                           where, gaps->entries, gaps->entries == 1 ? "" : "s", gaps->samples,
                           gaps->samples == 1 ? "" : "s", gaps->entries == 1 ? "is" : "are", place),
                   "fill them in with `impute` mean or `impute` median; a sample may lack a view "
                   "only as a whole");
}

/* ---- filling in, column by column ----------------------------------------------------------- */

typedef struct fill_task {
    const of_view *view;
    const uint8_t *present;
    size_t step, present_count;
    onefold_impute how;
    const uint8_t *has_gaps;    /* per column; NULL: a value is needed for every column */
    const of_sparse *by_column; /* of a sparse view */
    double *known;              /* per worker: room for a column */
    double *value;              /* per column: the value that fills its gaps */
} fill_task;

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The values of a column, over the samples present, without NaN. *zeros counts the values that a
 * sparse view does not store. */
static size_t known_values(const fill_task *task, size_t column, double *known, size_t *zeros)
{
    size_t count = 0, stored = 0;
    *zeros = 0;
    if (task->view->storage == OF_SPARSE) {
        const of_sparse *lines = task->by_column;
        for (size_t e = lines->start[column]; e < lines->start[column + 1]; e++)
            if (is_present(task->present, task->step, lines->index[e])) {
                stored++;
                if (!isnan(lines->value[e]))
                    known[count++] = lines->value[e];
            }
        *zeros = task->present_count - stored;
        return count;
    }
    of_view part = *task->view;
    part.columns = 1;
    part.data = (const char *)part.data + column * part.column_step * of_type_size(part.type);
    of_view_tile(&part, 0, part.samples, known, 1);
    for (size_t j = 0; j < part.samples; j++)
        if (is_present(task->present, task->step, j) && !isnan(known[j]))
            known[count++] = known[j];
    return count;
}

/* The value of rank `rank` among the sorted known values and the zeros. */
static double ranked(const double *known, size_t count, size_t zeros, size_t rank)
{
    size_t below = 0;
    while (below < count && known[below] < 0)
        below++;
    if (rank < below)
        return known[rank];
    return rank < below + zeros ? 0 : known[rank - zeros];
}

static double median(double *known, size_t count, size_t zeros)
{
    size_t all = count + zeros;
    qsort(known, count, sizeof *known, compare_numbers);
    double high = ranked(known, count, zeros, all / 2);
    return all % 2 ? high : ranked(known, count, zeros, all / 2 - 1) / 2 + high / 2;
}

static onefold_status fill_column(void *opaque, size_t column)
{
    fill_task *task = opaque;
    if (task->has_gaps && !task->has_gaps[column])
        return ONEFOLD_OK;
    double *known = task->known + of_team_worker() * task->view->samples, sum = 0;
    size_t zeros, count = known_values(task, column, known, &zeros);
    if (count + zeros == 0)
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "column %zu of %s has no value to fill it with",
                               column + 1, task->view->name),
                       "leave the column out");
    for (size_t i = 0; i < count; i++)
        sum += known[i] / (double)(count + zeros);
    task->value[column] = task->how == ONEFOLD_IMPUTE_MEDIAN ? median(known, count, zeros) : sum;
    return ONEFOLD_OK;
}

/* Visits the NaN of the samples present: marks their columns in `has_gaps`, or, where that is NULL,
 * fills them in. */
static void visit_gaps(const fill_task *task, double *values, uint8_t *has_gaps)
{
    const of_view *view = task->view;
    const of_sparse *sparse = view->storage == OF_SPARSE ? &view->sparse : NULL;
    for (size_t j = 0; j < view->samples; j++) {
        size_t first = sparse ? sparse->start[j] : j * view->columns,
               end = sparse ? sparse->start[j + 1] : first + view->columns;
        for (size_t e = first; e < end && is_present(task->present, task->step, j); e++) {
            if (!isnan(values[e]))
                continue;
            size_t column = sparse ? sparse->index[e] : e - first;
            if (has_gaps)
                has_gaps[column] = 1;
            else
                values[e] = task->value[column];
        }
    }
}

/* Computes task->value. */
static onefold_status fill_columns(of_context *context, fill_task *task)
{
    OF_SCRATCH(scratch, context);
    const of_view *view = task->view;
    of_sparse by_column;
    for (size_t j = 0; j < view->samples; j++)
        task->present_count += is_present(task->present, task->step, j) != 0;
    if (view->storage == OF_SPARSE)
        OF_TRY(of_sparse_transpose(&scratch, &view->sparse, &by_column));
    task->by_column = &by_column;
    OF_TRY(OF_NEW(&scratch, &task->known, (size_t)of_team_size(context), view->samples));
    return of_team_run(context, view->columns, fill_column, task);
}

onefold_status of_gaps_medians(of_context *context, const of_view *view, double *medians)
{
    fill_task task = {.view = view, .how = ONEFOLD_IMPUTE_MEDIAN, .value = medians};
    return fill_columns(context, &task);
}

onefold_status of_gaps_fill(of_arena *arena, of_view *view, const uint8_t *present, size_t step,
                            onefold_impute how)
{
    of_context *context = arena->context;
    OF_SCRATCH(scratch, context);
    uint8_t *has_gaps;
    double *values;
    fill_task task = {.view = view, .present = present, .step = step, .how = how};
    OF_TRY(OF_NEW_ZERO(&scratch, &has_gaps, view->columns, 1));
    OF_TRY(OF_NEW(&scratch, &task.value, view->columns, 1));
    int sparse = view->storage == OF_SPARSE;
    size_t entries = sparse ? of_sparse_entries(&view->sparse) : view->columns;
    OF_TRY(OF_NEW(arena, &values, sparse ? 1 : view->samples, entries));
    if (sparse) { /* the values are replaced by a copy, with a sample contiguous */
        memcpy(values, view->sparse.value, entries * sizeof *values);
        view->sparse.value = values;
    } else {
        of_view_tile(view, 0, view->samples, values, view->columns);
        view->data = values;
        view->sample_step = view->columns;
        view->column_step = 1;
    }
    view->type = OF_F64;
    visit_gaps(&task, values, has_gaps);
    task.has_gaps = has_gaps;
    OF_TRY(fill_columns(context, &task));
    visit_gaps(&task, values, NULL);
    return ONEFOLD_OK;
}
