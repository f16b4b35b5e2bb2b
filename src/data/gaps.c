/* SPDX-License-Identifier: Apache-2.0 */
/* Finding what is not there: whole samples, and single entries. */
#include "data/gaps.h"

#include "base/tiles.h"

#include <math.h>
#include <stdio.h>

enum { PIECE = 1024 }; /* samples looked through at a time */

typedef struct gap_task {
    const of_view *view;
    const uint8_t *present;
    size_t step;
    uint8_t *keep; /* whole samples are looked for, or else `gaps` */
    int *clean;    /* per piece */
    of_gaps *gaps; /* per piece */
    double *room;  /* per worker: a sample */
    of_range own;  /* samples that this process has */
} gap_task;

/* Whether samples first .. first+count-1 are finite throughout, which nearly all views are. */
static int is_clean(const of_view *view, size_t first, size_t count)
{
    of_view part = *view;
    size_t sample, column;
    double value;
    part.samples = count;
    if (view->storage == OF_SPARSE)
        part.sparse = of_csr_part(&view->sparse, first, count);
    else if (view->data) /* of no samples or columns there need be none */
        part.data = (const char *)view->data + first * view->sample_step * of_type_size(view->type);
    return !of_view_find_bad(&part, &sample, &column, &value);
}

/* The values of a sample: all of a dense view's, those stored of a sparse one's. */
typedef struct sample_values {
    size_t count, first;  /* first: of a sparse one's entries */
    const of_csr *sparse; /* or */
    const double *dense;
} sample_values;

static sample_values values_of(const gap_task *task, size_t j, int worker)
{
    const of_view *view = task->view;
    if (view->storage == OF_SPARSE) {
        size_t first = of_csr_start(&view->sparse, j);
        return (sample_values){of_csr_start(&view->sparse, j + 1) - first, first, &view->sparse,
                               NULL};
    }
    double *room = task->room + (size_t)worker * view->columns;
    of_view_tile(view, j, 1, room, view->columns);
    return (sample_values){view->columns, 0, NULL, room};
}

static double value_at(const sample_values *values, size_t e)
{
    return values->sparse ? of_csr_value(values->sparse, values->first + e) : values->dense[e];
}

static int is_there(const gap_task *task, size_t sample)
{
    return !task->present || task->present[sample * task->step];
}

static void look_at_sample(const gap_task *task, size_t j, int worker, of_gaps *found)
{
    sample_values values = values_of(task, j, worker);
    size_t missing = 0;
    int kernel = task->view->storage == OF_KERNEL;
    for (size_t e = 0; e < values.count; e++) {
        double value = value_at(&values, e);
        size_t column = values.sparse ? of_csr_index(values.sparse, values.first + e) : e;
        if (isfinite(value) || (kernel && !is_there(task, column)))
            continue;
        int infinite = isinf(value) != 0;
        if ((found->entries == 0 && !found->infinite && missing == 0) ||
            (infinite && !found->infinite)) {
            found->sample = j;
            found->column = column;
        }
        found->infinite |= infinite;
        missing += !infinite;
    }
    found->entries += missing;
    found->samples += missing > 0;
}

static int all_missing(const gap_task *task, size_t j, int worker)
{
    sample_values values = values_of(task, j, worker);
    for (size_t e = 0; e < values.count; e++)
        if (!isnan(value_at(&values, e)))
            return 0;
    return values.count > 0;
}

static onefold_status look_at_piece(void *opaque, size_t piece, int worker)
{
    gap_task *task = opaque;
    size_t first = piece * PIECE, left = task->view->samples - first,
           end = first + (left < PIECE ? left : PIECE);
    for (size_t j = first; task->keep && j < end; j++)
        task->keep[j] = 1;
    if (task->clean)
        task->clean[piece] = 1;
    first = first > task->own.first ? first : task->own.first;
    end = end < task->own.end ? end : task->own.end;
    if (first >= end)
        return ONEFOLD_OK;
    int clean = is_clean(task->view, first, end - first);
    if (task->clean)
        task->clean[piece] = clean;
    for (size_t j = first; j < end; j++)
        if (task->keep)
            task->keep[j] = clean || !all_missing(task, j, worker);
        else if (task->gaps && !clean && is_there(task, j))
            look_at_sample(task, j, worker, &task->gaps[piece]);
    of_view_release(task->view, first, end - first);
    return ONEFOLD_OK;
}

static onefold_status look(of_context *context, of_arena *scratch, gap_task *task, size_t pieces)
{
    task->own = of_comm_own(context, task->view->samples);
    if (task->view->storage == OF_SPARSE) /* every process has all of it */
        task->own = (of_range){0, task->view->samples};
    OF_TRY(OF_NEW(scratch, &task->room, (size_t)of_team_size(context),
                  task->view->storage == OF_SPARSE ? 0 : task->view->columns));
    return of_team_run(context, pieces, look_at_piece, task);
}

static onefold_status look_for_clean(of_context *context, const of_view *view, uint8_t *keep,
                                     int *clean)
{
    OF_SCRATCH(scratch, context);
    size_t pieces = (view->samples + PIECE - 1) / PIECE;
    gap_task task = {.view = view, .keep = keep};
    OF_TRY(OF_NEW(&scratch, &task.clean, pieces, 1));
    OF_TRY(look(context, &scratch, &task, pieces));
    *clean = 1;
    for (size_t t = 0; t < pieces; t++)
        *clean = *clean && task.clean[t];
    return ONEFOLD_OK;
}

onefold_status of_gaps_clean(of_context *context, const of_view *view, int *clean)
{
    return look_for_clean(context, view, NULL, clean);
}

onefold_status of_gaps_samples(of_context *context, const of_view *view, uint8_t *keep,
                               size_t *missing, int *clean)
{
    OF_TRY(look_for_clean(context, view, keep, clean));
    *missing = 0;
    for (size_t j = 0; j < view->samples; j++)
        *missing += !keep[j];
    return ONEFOLD_OK;
}

onefold_status of_gaps_find(of_context *context, const of_view *view, const uint8_t *present,
                            size_t step, of_gaps *gaps)
{
    OF_SCRATCH(scratch, context);
    size_t pieces = (view->samples + PIECE - 1) / PIECE;
    gap_task task = {.view = view, .present = present, .step = step};
    OF_TRY(OF_NEW_ZERO(&scratch, &task.gaps, pieces, 1));
    OF_TRY(look(context, &scratch, &task, pieces));
    *gaps = (of_gaps){0};
    for (size_t t = 0; t < pieces; t++) {
        const of_gaps *part = &task.gaps[t];
        if ((part->infinite && !gaps->infinite) ||
            (part->entries && !gaps->entries && !gaps->infinite)) {
            gaps->sample = part->sample;
            gaps->column = part->column;
        }
        gaps->infinite |= part->infinite;
        gaps->entries += part->entries;
        gaps->samples += part->samples;
    }
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
