/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which columns of a view set a cluster apart: the correlation of each with belonging to it. It
 * takes the sums of a column within each cluster and over all samples, feels neither the scale nor
 * the origin of a column, orders columns as Cohen's d and the t statistic of cluster against rest
 * do, and stays small for a column that is rarely not 0 at all.
 */
#include "model/explain.h"

#include "base/tiles.h"
#include "kernel/kernel.h"
#include "kernel/prep.h"
#include "linalg/wide.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sums of so many clusters are taken at once that they are about this many numbers: more clusters
 * take another pass over the features. */
enum { MOST_SUMS = 1 << 21, TILE_BYTES = 1 << 18 };

/* As in kernel/prep_standardise.c: below this share of its root mean square, a deviation is
 * rounding. */
#define CONSTANT_BELOW 1e-12

typedef struct column_task {
    const of_kernel *kernel;
    const int32_t *labels;
    size_t columns;      /* features */
    of_tiles tiles;      /* of samples */
    const double *mean;  /* dense: subtracted; NULL: 0 */
    size_t first, block; /* clusters whose sums are taken */
    int squares;         /* dense: sums of squares too, after those of the clusters */
    double *tile;        /* per worker, of dense features */

    double *sum;      /* block x columns: of the features less their mean, by cluster */
    double *variance; /* columns; 0 where a column is constant */
    double *size;     /* clusters: their samples */
    double level;     /* of chance */
    size_t most;
    of_strong_column *room; /* per worker: columns */
    size_t *count;
    of_strong_column *found;
} column_task;

/* ---- sums --------------------------------------------------------------------------------- */

OF_WIDE static void add_sample(size_t d, const double *restrict x, const double *restrict mean,
                               double *restrict sum, double *restrict squares)
{
    for (size_t i = 0; i < d; i++) {
        double off = x[i] - (mean ? mean[i] : 0);
        if (sum)
            sum[i] += off;
        if (squares)
            squares[i] += off * off;
    }
}

/* The sums of sample j's cluster, NULL where it is not of this block. */
static double *sums_of(const column_task *task, size_t j, double *sum)
{
    size_t cluster = (size_t)task->labels[j];
    return cluster >= task->first && cluster < task->first + task->block
               ? sum + (cluster - task->first) * task->columns
               : NULL;
}

static onefold_status add_dense(void *opaque, size_t index, int worker, double *sum)
{
    const column_task *task = opaque;
    size_t d = task->columns, first = of_tiles_first(&task->tiles, index),
           count = of_tiles_length(&task->tiles, index);
    double *tile =
               task->tile + (size_t)worker * of_kernel_tile_rows(task->kernel) * task->tiles.width,
           *squares = task->squares ? sum + task->block * d : NULL;
    of_kernel_tile(task->kernel, first, count, tile);
    for (size_t j = 0; j < count; j++) {
        double *own = sums_of(task, first + j, sum);
        if (own || squares)
            add_sample(d, tile + j * d, task->mean, own, squares);
    }
    return ONEFOLD_OK;
}

static onefold_status add_sparse(void *opaque, size_t index, int worker, double *sum)
{
    (void)worker;
    const column_task *task = opaque;
    const of_sparse *features = &task->kernel->features;
    for (size_t j = of_tiles_first(&task->tiles, index);
         j < of_tiles_first(&task->tiles, index + 1); j++) {
        double *own = sums_of(task, j, sum);
        for (size_t e = features->start[j]; own && e < features->start[j + 1]; e++)
            own[features->index[e]] += features->value[e];
    }
    return ONEFOLD_OK;
}

/* Takes the sums of a block of clusters. */
static onefold_status compute_sums(of_context *context, column_task *task)
{
    size_t d = task->columns, n = task->kernel->view->samples;
    int sparse = task->kernel->features.start != NULL;
    size_t length = (task->block + (size_t)task->squares) * d;
    memset(task->sum, 0, length * sizeof *task->sum);
    OF_TRY(of_tiles_sum(context, &task->tiles, sparse ? add_sparse : add_dense, task, length,
                        task->sum));
    for (size_t i = 0; task->squares && i < d; i++)
        task->variance[i] = task->sum[task->block * d + i] / (double)n;
    for (size_t c = 0; sparse && c < task->block; c++) /* zeros count: less the mean, afterwards */
        for (size_t i = 0; i < d; i++)
            task->sum[c * d + i] -= task->size[task->first + c] * task->mean[i];
    return ONEFOLD_OK;
}

/* ---- strengths ---------------------------------------------------------------------------- */

double of_explain_chance(size_t samples, size_t columns)
{
    /* 2 exp(-z^2 / 2) bounds the tails of a normal z; the inverse tangent of a correlation is
     * normal with variance 1 / (samples - 3). */
    if (samples <= 3)
        return 1;
    return tanh(sqrt(2 * log(40 * (double)columns) / (double)(samples - 3)));
}

static int stronger_first(const void *a, const void *b)
{
    const of_strong_column *x = a, *y = b;
    double left = fabs(x->strength), right = fabs(y->strength);
    if (left != right)
        return left > right ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static onefold_status find_strongest(void *opaque, size_t index, int worker)
{
    column_task *task = opaque;
    size_t d = task->columns, cluster = task->first + index, passed = 0;
    const uint32_t *kept = task->kernel->prep.kept;
    const double *sum = task->sum + index * d;
    of_strong_column *room = task->room + (size_t)worker * d;
    double n = (double)task->kernel->view->samples, own = task->size[cluster];
    for (size_t i = 0; own > 0 && own < n && i < d; i++) {
        if (!(task->variance[i] > 0))
            continue;
        double strength = sum[i] / sqrt(own * (n - own)) / sqrt(task->variance[i]);
        strength = strength > 1 ? 1 : strength < -1 ? -1 : strength;
        if (fabs(strength) > task->level)
            room[passed++] = (of_strong_column){kept ? kept[i] : i, strength};
    }
    qsort(room, passed, sizeof *room, stronger_first);
    task->count[cluster] = passed < task->most ? passed : task->most;
    memcpy(task->found + cluster * task->most, room, task->count[cluster] * sizeof *room);
    return ONEFOLD_OK;
}

/* ---- the whole ---------------------------------------------------------------------------- */

static size_t block_of(size_t columns, size_t clusters)
{
    size_t block = columns ? MOST_SUMS / columns : clusters;
    return block < 1 ? 1 : block < clusters ? block : clusters;
}

static of_tiles tiles_of(const of_kernel *kernel)
{
    size_t n = kernel->view->samples;
    return kernel->features.start ? of_tiles_make(n, 1, SIZE_MAX)
                                  : of_tiles_make(n, of_kernel_tile_rows(kernel), TILE_BYTES);
}

/* Columns that do not vary have no variance from here on. Returns how many do. */
static size_t drop_constant(column_task *task)
{
    size_t varying = 0;
    for (size_t i = 0; i < task->columns; i++) {
        double mean = task->mean ? task->mean[i] : 0, variance = task->variance[i],
               floor = CONSTANT_BELOW * CONSTANT_BELOW * (variance + mean * mean);
        if (!(variance > floor) || !isfinite(variance))
            task->variance[i] = 0;
        varying += task->variance[i] > 0;
    }
    return varying;
}

/* Means first: of sparse features with the variances, of dense ones alone, and standardised ones
 * have theirs already. */
static onefold_status compute_means(of_context *context, of_arena *arena, column_task *task)
{
    const of_kernel *kernel = task->kernel;
    double *mean, *square;
    if (!kernel->features.start && kernel->prep.shift)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(arena, &mean, task->columns, 1));
    task->mean = mean;
    if (!kernel->features.start)
        return of_kernel_mean(context, kernel, mean);
    of_view features = {.storage = OF_SPARSE,
                        .samples = kernel->view->samples,
                        .columns = task->columns,
                        .type = OF_F64,
                        .sparse = of_csr_of(&kernel->features)};
    OF_TRY(OF_NEW(arena, &square, task->columns, 1));
    return of_moments(context, &features, mean, task->variance, square);
}

onefold_status of_explain_columns(of_context *context, const of_kernel *kernel,
                                  const int32_t *labels, size_t clusters, size_t most,
                                  size_t *count, of_strong_column *column)
{
    OF_SCRATCH(scratch, context);
    size_t d = of_kernel_columns(kernel), workers = (size_t)of_team_size(context);
    int dense = kernel->features.start == NULL;
    column_task task = {.kernel = kernel, .labels = labels, .columns = d, .most = most};
    size_t block = block_of(d, clusters);
    task.tiles = tiles_of(kernel);
    task.count = count;
    task.found = column;
    OF_TRY(OF_NEW_ZERO(&scratch, &task.size, clusters, 1));
    OF_TRY(OF_NEW(&scratch, &task.variance, d, 1));
    OF_TRY(OF_NEW(&scratch, &task.sum, block + 1, d));
    OF_TRY(OF_NEW(&scratch, &task.room, workers, d));
    if (dense)
        OF_TRY(
            OF_NEW(&scratch, &task.tile, workers * task.tiles.width, of_kernel_tile_rows(kernel)));
    for (size_t j = 0; j < kernel->view->samples; j++)
        task.size[(size_t)labels[j]]++;
    OF_TRY(compute_means(context, &scratch, &task));
    for (task.first = 0; task.first < clusters; task.first += task.block) {
        task.block = clusters - task.first < block ? clusters - task.first : block;
        task.squares = dense && task.first == 0;
        OF_TRY(compute_sums(context, &task));
        if (task.first == 0)
            task.level = of_explain_chance(kernel->view->samples, drop_constant(&task));
        OF_TRY(of_team_run(context, task.block, find_strongest, &task));
    }
    return ONEFOLD_OK;
}

size_t of_explain_columns_bytes(of_context *context, const of_kernel *kernel, size_t clusters)
{
    size_t d = of_kernel_columns(kernel), workers = (size_t)of_team_size(context),
           block = block_of(d, clusters);
    of_tiles tiles = tiles_of(kernel);
    size_t tile = kernel->features.start ? 0 : workers * tiles.width * of_kernel_tile_rows(kernel);
    return sizeof(double) * (clusters + (block + 4) * d + tile) +
           sizeof(of_strong_column) * workers * d +
           of_tiles_sum_bytes(&tiles, (block + 1) * d, workers);
}
