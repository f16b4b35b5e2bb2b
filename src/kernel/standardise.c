/* SPDX-License-Identifier: Apache-2.0 */
/* Columns to mean 0 and variance 1, without the constant ones: what an rbf kernel is given. */
#include "kernel/prep.h"

#include "base/team.h"

#include <math.h>

/* A column whose standard deviation is below this share of its root mean square is constant. */
#define CONSTANT_BELOW 1e-12

/* Sums over samples, tile by tile: of x in the first pass; of (x - mean), (x - mean)^2 and x^2 in
 * the second, which makes both mean and variance good to the last digits. */
typedef struct column_task {
    const of_view *view;
    const double *mean; /* NULL in the first pass */
    of_tiles tiles;
    double *tile; /* per worker */
} column_task;

static onefold_status add_columns(void *opaque, size_t index, int worker, double *sum)
{
    column_task *task = opaque;
    size_t d = task->view->columns, count = of_tiles_length(&task->tiles, index);
    double *tile = task->tile + (size_t)worker * d * task->tiles.width;
    of_view_tile(task->view, of_tiles_first(&task->tiles, index), count, tile, d);
    for (size_t j = 0; j < count; j++) {
        const double *x = tile + j * d;
        if (!task->mean) {
            for (size_t i = 0; i < d; i++)
                sum[i] += x[i];
            continue;
        }
        for (size_t i = 0; i < d; i++) {
            double difference = x[i] - task->mean[i];
            sum[i] += difference;
            sum[d + i] += difference * difference;
            sum[2 * d + i] += x[i] * x[i];
        }
    }
    return ONEFOLD_OK;
}

/* mean, variance and mean square of each column */
static onefold_status dense_moments(of_context *context, const of_view *view, double *mean,
                                    double *moment /* 3 x columns: -, variance, mean square */)
{
    size_t d = view->columns;
    double n = (double)view->samples;
    OF_SCRATCH(scratch, context);
    column_task task = {view, NULL, of_tiles_make(view->samples, d, 1 << 18), NULL};
    OF_TRY(OF_NEW(&scratch, &task.tile, (size_t)of_team_size(context) * task.tiles.width, d));
    for (size_t i = 0; i < d; i++)
        mean[i] = 0;
    OF_TRY(of_team_sum(context, task.tiles.count, add_columns, &task, d, mean));
    for (size_t i = 0; i < d; i++)
        mean[i] /= n;
    task.mean = mean;
    OF_TRY(of_team_sum(context, task.tiles.count, add_columns, &task, 3 * d, moment));
    for (size_t i = 0; i < d; i++) {
        double shift = moment[i] / n;
        moment[d + i] = moment[d + i] / n - shift * shift;
        moment[2 * d + i] /= n;
        mean[i] += shift;
    }
    return ONEFOLD_OK;
}

/* The same of sparse columns, in which most entries are 0. */
static void sparse_moments(const of_sparse *sparse, double *mean, double *moment)
{
    size_t d = sparse->columns, entries = sparse->start[sparse->rows];
    double n = (double)sparse->rows, *filled = moment;
    for (size_t i = 0; i < d; i++)
        mean[i] = 0;
    for (size_t e = 0; e < entries; e++)
        mean[sparse->index[e]] += sparse->value[e];
    for (size_t i = 0; i < d; i++)
        mean[i] /= n;
    for (size_t e = 0; e < entries; e++) {
        size_t i = sparse->index[e];
        double x = sparse->value[e], difference = x - mean[i];
        filled[i] += 1;
        moment[d + i] += difference * difference;
        moment[2 * d + i] += x * x;
    }
    for (size_t i = 0; i < d; i++) {
        moment[d + i] = (moment[d + i] + (n - filled[i]) * mean[i] * mean[i]) / n;
        moment[2 * d + i] /= n;
    }
}

/* Picks the columns that vary: which they are, where they are centred, and by what they are scaled.
 */
static onefold_status keep_columns(of_arena *arena, of_kernel *kernel, const double *mean,
                                   const double *moment)
{
    size_t d = kernel->view->columns, kept_count = 0;
    uint32_t *kept;
    double *shift, *scale;
    OF_TRY(OF_NEW(arena, &kept, d, 1));
    OF_TRY(OF_NEW(arena, &shift, d, 1));
    OF_TRY(OF_NEW(arena, &scale, d, 1));
    for (size_t i = 0; i < d; i++) {
        double variance = moment[d + i], square = moment[2 * d + i];
        if (!isfinite(variance) || !isfinite(square))
            return of_hint(of_fail(ONEFOLD_BAD_DATA,
                                   "column %zu of %s has values too large to be squared", i + 1,
                                   kernel->view->name ? kernel->view->name : "a view"),
                           "scale it down");
        if (!(variance > CONSTANT_BELOW * CONSTANT_BELOW * square))
            continue;
        kept[kept_count] = (uint32_t)i;
        shift[kept_count] = mean[i];
        scale[kept_count++] = 1 / sqrt(variance);
    }
    kernel->prep =
        (of_prep){OF_PREP_STANDARDISE, kept_count, kept_count < d ? kept : NULL, shift, scale};
    kernel->width = kept_count ? 2 * (double)kept_count : 1;
    return ONEFOLD_OK;
}

/* Sparse features: kept columns renumbered and scaled, not shifted. */
static onefold_status scale_sparse(of_context *context, of_arena *arena, of_kernel *kernel)
{
    const of_sparse *raw = &kernel->view->sparse;
    of_prep *prep = &kernel->prep;
    prep->shift = NULL;
    OF_SCRATCH(scratch, context);
    uint32_t *place, *index;
    double *value;
    size_t *start, entries = 0;
    OF_TRY(OF_NEW(&scratch, &place, raw->columns, 1));
    for (size_t i = 0; i < raw->columns; i++)
        place[i] = prep->kept ? UINT32_MAX : (uint32_t)i;
    for (size_t i = 0; prep->kept && i < prep->columns; i++)
        place[prep->kept[i]] = (uint32_t)i;
    OF_TRY(OF_NEW(arena, &start, raw->rows + 1, 1));
    OF_TRY(OF_NEW(arena, &index, raw->start[raw->rows], 1));
    OF_TRY(OF_NEW(arena, &value, raw->start[raw->rows], 1));
    for (size_t j = 0; j < raw->rows; j++) {
        start[j] = entries;
        for (size_t e = raw->start[j]; e < raw->start[j + 1]; e++) {
            uint32_t column = place[raw->index[e]];
            if (column == UINT32_MAX || raw->value[e] == 0)
                continue;
            index[entries] = column;
            value[entries++] = raw->value[e] * prep->scale[column];
        }
    }
    start[raw->rows] = entries;
    kernel->features = (of_sparse){raw->rows, prep->columns, start, index, value};
    return ONEFOLD_OK;
}

onefold_status of_prep_standardise(of_context *context, of_arena *arena, of_kernel *kernel)
{
    const of_view *view = kernel->view;
    if (view->columns > UINT32_MAX)
        return of_fail(ONEFOLD_UNSUPPORTED, "a view has %zu columns, more than %u", view->columns,
                       UINT32_MAX);
    OF_SCRATCH(scratch, context);
    double *mean, *moment;
    OF_TRY(OF_NEW(&scratch, &mean, view->columns, 1));
    OF_TRY(OF_NEW_ZERO(&scratch, &moment, view->columns, 3));
    if (view->storage == OF_SPARSE)
        sparse_moments(&view->sparse, mean, moment);
    else
        OF_TRY(dense_moments(context, view, mean, moment));
    OF_TRY(keep_columns(arena, kernel, mean, moment));
    return view->storage == OF_SPARSE ? scale_sparse(context, arena, kernel) : ONEFOLD_OK;
}
