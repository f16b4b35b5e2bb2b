/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mean and variance in one pass. A look at one sample of 64, the first of each tile, gives a first
 * guess s of each mean; the pass then sums (x - s) and (x - s)^2, tile by tile. With s the mean of
 * a share f of the samples, (mean - s)^2 is at most variance (1 - f) / f whatever the data, so
 * taking it off again costs two digits at the very worst, and none where the look was fair. Sums
 * over a tile are added to those of its group, and groups in a fixed tree, which keeps rounding
 * small too.
 */
#include "kernel/moments.h"

#include "base/tiles.h"
#include "linalg/wide.h"

enum { LOOK = 64 }; /* one sample of so many is looked at first */

typedef struct moment_task {
    const of_view *view;
    const double *guess; /* NULL: the look */
    double factor;       /* by which values are multiplied first: a power of two */
    of_tiles tiles;
    double *tile; /* per worker: columns x width numbers of a dense view */
    double *own;  /* per worker: the tile's own sums, 2 x columns */
} moment_task;

/* What rounding took below zero; what is not a number stays so, to be refused. */
static double at_least_zero(double x)
{
    return x < 0 ? 0 : x;
}

/* ---- dense -------------------------------------------------------------------------------- */

/* Samples first .. first + count - 1, times the factor. */
static void read_tile(const moment_task *task, size_t first, size_t count, double *tile)
{
    size_t d = task->view->columns;
    of_view_tile(task->view, first, count, tile, d);
    if (task->factor != 1)
        for (size_t i = 0; i < count * d; i++)
            tile[i] *= task->factor;
}

OF_WIDE static void add_sample(size_t d, const double *restrict x, const double *restrict guess,
                               double *restrict sum, double *restrict squares)
{
    for (size_t i = 0; i < d; i++) {
        double off = x[i] - guess[i];
        sum[i] += off;
        squares[i] += off * off;
    }
}

static onefold_status look_dense(void *opaque, size_t index, int worker, double *sum)
{
    moment_task *task = opaque;
    size_t d = task->view->columns, length = of_tiles_length(&task->tiles, index),
           count = (length + LOOK - 1) / LOOK;
    double *tile = task->tile + (size_t)worker * d * task->tiles.width;
    read_tile(task, of_tiles_first(&task->tiles, index), count, tile);
    for (size_t j = 0; j < count; j++)
        for (size_t i = 0; i < d; i++)
            sum[i] += tile[j * d + i];
    sum[d] += (double)count;
    return ONEFOLD_OK;
}

static onefold_status add_dense(void *opaque, size_t index, int worker, double *sum)
{
    moment_task *task = opaque;
    size_t d = task->view->columns, count = of_tiles_length(&task->tiles, index);
    double *tile = task->tile + (size_t)worker * d * task->tiles.width;
    double *own = task->own + (size_t)worker * 2 * d;
    read_tile(task, of_tiles_first(&task->tiles, index), count, tile);
    for (size_t i = 0; i < 2 * d; i++)
        own[i] = 0;
    for (size_t j = 0; j < count; j++)
        add_sample(d, tile + j * d, task->guess, own, own + d);
    for (size_t i = 0; i < 2 * d; i++)
        sum[i] += own[i];
    return ONEFOLD_OK;
}

static onefold_status dense_moments(of_context *context, moment_task *task, double *sum,
                                    double *mean, double *variance)
{
    size_t d = task->view->columns, workers = (size_t)of_team_size(context);
    double n = (double)task->view->samples;
    OF_SCRATCH(scratch, context);
    OF_TRY(OF_NEW(&scratch, &task->tile, workers * task->tiles.width, d));
    OF_TRY(OF_NEW(&scratch, &task->own, workers * 2, d));
    OF_TRY(of_tiles_sum(context, &task->tiles, look_dense, task, d + 1, sum));
    for (size_t i = 0; i < d; i++) {
        mean[i] = sum[d] > 0 ? sum[i] / sum[d] : 0;
        sum[i] = 0;
    }
    sum[d] = 0;
    task->guess = mean;
    OF_TRY(of_tiles_sum(context, &task->tiles, add_dense, task, 2 * d, sum));
    for (size_t i = 0; i < d; i++) {
        double shift = sum[i] / n;
        variance[i] = at_least_zero(sum[d + i] / n - shift * shift);
        mean[i] += shift;
    }
    return ONEFOLD_OK;
}

/* ---- sparse ------------------------------------------------------------------------------- */

/* The same over the entries that are there; their number is the third sum of a column. A column the
 * look found nothing in has many zeros, and then its guess, 0, is a good one too. */
static onefold_status look_sparse(void *opaque, size_t index, int worker, double *sum)
{
    (void)worker;
    moment_task *task = opaque;
    const of_csr *sparse = &task->view->sparse;
    size_t d = sparse->columns, first = of_tiles_first(&task->tiles, index),
           count = (of_tiles_length(&task->tiles, index) + LOOK - 1) / LOOK;
    size_t stop = of_csr_start(sparse, first + count);
    for (size_t e = of_csr_start(sparse, first); e < stop; e++) {
        size_t i = of_csr_index(sparse, e);
        sum[i] += task->factor * of_csr_value(sparse, e);
        sum[d + i] += 1;
    }
    return ONEFOLD_OK;
}

static onefold_status add_sparse(void *opaque, size_t index, int worker, double *sum)
{
    (void)worker;
    moment_task *task = opaque;
    const of_csr *sparse = &task->view->sparse;
    size_t d = sparse->columns, first = of_tiles_first(&task->tiles, index),
           end = of_tiles_first(&task->tiles, index + 1);
    double *squares = sum + d, *filled = squares + d;
    size_t stop = of_csr_start(sparse, end);
    for (size_t e = of_csr_start(sparse, first); e < stop; e++) {
        size_t i = of_csr_index(sparse, e);
        double off = task->factor * of_csr_value(sparse, e) - task->guess[i];
        sum[i] += off;
        squares[i] += off * off;
        filled[i] += 1;
    }
    return ONEFOLD_OK;
}

static onefold_status sparse_moments(of_context *context, moment_task *task, double *sum,
                                     double *mean, double *variance)
{
    size_t d = task->view->columns;
    double n = (double)task->view->samples;
    OF_TRY(of_team_sum(context, task->tiles.count, look_sparse, task, 2 * d, sum));
    for (size_t i = 0; i < d; i++) {
        mean[i] = sum[d + i] > 0 ? sum[i] / sum[d + i] : 0;
        sum[i] = sum[d + i] = 0;
    }
    task->guess = mean;
    OF_TRY(of_team_sum(context, task->tiles.count, add_sparse, task, 3 * d, sum));
    for (size_t i = 0; i < d; i++) {
        double filled = sum[2 * d + i], shift = filled > 0 ? sum[i] / filled : 0;
        double own = mean[i] + shift, about = at_least_zero(sum[d + i] - filled * shift * shift);
        mean[i] = filled / n * own;
        variance[i] = (about + filled * ((n - filled) / n) * own * own) / n;
    }
    return ONEFOLD_OK;
}

onefold_status of_moments(of_context *context, const of_view *view, double *mean, double *variance,
                          double *square)
{
    return of_moments_times(context, view, 1, mean, variance, square);
}

onefold_status of_moments_times(of_context *context, const of_view *view, double factor,
                                double *mean, double *variance, double *square)
{
    int sparse = view->storage == OF_SPARSE;
    moment_task task = {.view = view, .factor = factor};
    double *sum;
    OF_SCRATCH(scratch, context);
    OF_TRY(OF_NEW_ZERO(&scratch, &sum, view->columns, 3));
    if (sparse) {
        task.tiles = of_tiles_make(view->samples, 1, SIZE_MAX);
        OF_TRY(sparse_moments(context, &task, sum, mean, variance));
    } else {
        task.tiles = of_tiles_make(view->samples, view->columns, 1 << 18);
        OF_TRY(dense_moments(context, &task, sum, mean, variance));
    }
    for (size_t i = 0; i < view->columns; i++)
        square[i] = variance[i] + mean[i] * mean[i];
    return ONEFOLD_OK;
}
