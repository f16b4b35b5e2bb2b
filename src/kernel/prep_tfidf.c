/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tf-idf of counts, then rows of unit length. One pass over the view counts what is not 0, by
 * sample and by column; a second writes the features, weighed and of unit length, where they
 * belong.
 */
#include "kernel/prep.h"

#include "base/tiles.h"

#include <math.h>

typedef struct tfidf_task {
    const of_view *view;
    of_tiles tiles;
    double *tile;        /* per worker, of a dense view */
    size_t *start;       /* the first pass leaves the count of sample j in start[j + 1] */
    const double *scale; /* per column */
    uint32_t *index;
    double *value;
} tfidf_task;

/* A sample's entries, those that are 0 among them: of a sparse view from `first` on, or all that a
 * dense one has. */
typedef struct entries {
    size_t count, first;
    const of_csr *sparse;
    const double *dense;
} entries;

static double value_at(const entries *of, size_t e)
{
    return of->sparse ? of_csr_value(of->sparse, of->first + e) : of->dense[e];
}

static uint32_t column_at(const entries *of, size_t e)
{
    return of->sparse ? of_csr_index(of->sparse, of->first + e) : (uint32_t)e;
}

/* Reads a tile of a dense view. */
static const double *load(tfidf_task *task, size_t number, int worker)
{
    if (task->view->storage == OF_SPARSE)
        return NULL;
    double *tile = task->tile + (size_t)worker * task->view->columns * task->tiles.width;
    of_view_tile(task->view, of_tiles_first(&task->tiles, number),
                 of_tiles_length(&task->tiles, number), tile, task->view->columns);
    return tile;
}

static entries of_sample(const of_view *view, const double *tile, size_t first, size_t j)
{
    if (tile)
        return (entries){view->columns, 0, NULL, tile + (j - first) * view->columns};
    size_t at = of_csr_start(&view->sparse, j);
    return (entries){of_csr_start(&view->sparse, j + 1) - at, at, &view->sparse, NULL};
}

/* sum (columns) += the samples of the tile in which a column is not 0. */
static onefold_status count_tile(void *opaque, size_t number, int worker, double *sum)
{
    tfidf_task *task = opaque;
    size_t first = of_tiles_first(&task->tiles, number),
           end = of_tiles_first(&task->tiles, number + 1);
    const double *tile = load(task, number, worker);
    for (size_t j = first; j < end; j++) {
        entries of = of_sample(task->view, tile, first, j);
        size_t count = 0;
        for (size_t e = 0; e < of.count; e++)
            if (value_at(&of, e) != 0) {
                sum[column_at(&of, e)] += 1;
                count++;
            }
        task->start[j + 1] = count;
    }
    return ONEFOLD_OK;
}

/* Writes a sample's features; returns the largest. */
static double weigh(const tfidf_task *task, const entries *of, size_t place)
{
    double largest = 0;
    for (size_t e = 0; e < of->count; e++) {
        double value = value_at(of, e);
        if (value == 0)
            continue;
        uint32_t column = column_at(of, e);
        double feature = sqrt(value) * task->scale[column];
        task->index[place] = column;
        task->value[place++] = feature;
        largest = feature > largest ? feature : largest;
    }
    return largest;
}

/* Scales features to unit length, by the largest first: a square need not be a double. */
static void to_unit_length(double *feature, size_t count, double largest)
{
    double sum = 0;
    if (largest == 0)
        return;
    for (size_t e = 0; e < count; e++) {
        feature[e] /= largest;
        sum += feature[e] * feature[e];
    }
    double length = sqrt(sum);
    for (size_t e = 0; e < count; e++)
        feature[e] /= length;
}

static onefold_status fill_tile(void *opaque, size_t number, int worker)
{
    tfidf_task *task = opaque;
    size_t first = of_tiles_first(&task->tiles, number),
           end = of_tiles_first(&task->tiles, number + 1);
    const double *tile = load(task, number, worker);
    for (size_t j = first; j < end; j++) {
        entries of = of_sample(task->view, tile, first, j);
        size_t at = task->start[j];
        to_unit_length(task->value + at, task->start[j + 1] - at, weigh(task, &of, at));
    }
    return ONEFOLD_OK;
}

onefold_status of_prep_tfidf(of_context *context, of_arena *arena, of_kernel *kernel)
{
    const of_view *view = kernel->view;
    size_t n = view->samples, d = view->columns;
    if (d > UINT32_MAX)
        return of_fail(ONEFOLD_UNSUPPORTED, "a view has %zu columns, more than %u", d, UINT32_MAX);
    OF_SCRATCH(scratch, context);
    int sparse = view->storage == OF_SPARSE;
    tfidf_task task = {.view = view, .tiles = of_tiles_make(n, sparse ? 1 : d, 1 << 18)};
    double *scale;
    if (!sparse)
        OF_TRY(OF_NEW(&scratch, &task.tile, (size_t)of_team_size(context) * task.tiles.width, d));
    OF_TRY(OF_NEW_ZERO(arena, &task.start, n + 1, 1));
    OF_TRY(OF_NEW_ZERO(arena, &scale, d, 1));
    OF_TRY(of_tiles_sum(context, &task.tiles, count_tile, &task, d, scale));
    for (size_t i = 0; i < d; i++)
        scale[i] = scale[i] > 0 ? log((double)n / scale[i]) : 0;
    OF_TRY(of_comm_gather(context, task.start + 1, sizeof *task.start, n));
    for (size_t j = 0; j < n; j++)
        task.start[j + 1] += task.start[j];
    OF_TRY(OF_NEW(arena, &task.index, task.start[n], 1));
    OF_TRY(OF_NEW(arena, &task.value, task.start[n], 1));
    task.scale = scale;
    OF_TRY(of_tiles_run(context, &task.tiles, fill_tile, &task));
    OF_TRY(of_prep_gather(context, n, task.start, task.index, task.value));
    kernel->features = (of_sparse){n, d, task.start, task.index, task.value};
    kernel->prep = (of_prep){OF_PREP_TFIDF, d, NULL, NULL, scale};
    return ONEFOLD_OK;
}
