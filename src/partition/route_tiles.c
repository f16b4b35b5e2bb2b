/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kernel matrix that is too large to be formed: its blocks are made, multiplied and released, in
 * memory O(n). The finished kernel is T C K C T, C taking the mean off and T scaling each sample by
 * 1 / sqrt(centred diagonal); only K itself is worked in blocks.
 *
 * Dense features: each pair of tiles is made once and used for both of its places, n^2 / 2 entries
 * of 2 d flops and an exponential each, and 2 n^2 b flops for a block of b rows. As making K costs
 * as much as multiplying some 10 to 30 rows, blocks are wide. Sparse features and given kernels:
 * strips of whole columns, made from all entries.
 */
#include "partition/kernel_strips.h"

#include "kernel/kernel_blocks.h"
#include "linalg/blas.h"
#include "partition/route_tiles_device.h"
#include "partition/routes.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct tiles_task {
    of_context *context;
    size_t n, depth;
    int paired; /* dense features: pairs of tiles; else strips */
    of_kernel_blocks blocks;
    of_kernel_strips strips;
    of_tiles_card card;
    double *buffer; /* per worker: a block and two tiles of features */
    of_tiles samples;
    const double *x;
    double *y;
    double *centred; /* depth x n: x T C */
    double *mean;    /* depth */
    double *scale;   /* T */
} tiles_task;

/* Y_i += X_j K_ji and Y_j += X_i K_ij for one pair of tiles. */
static void multiply_pair(tiles_task *task, size_t i, const double *tile_i, size_t j,
                          const double *tile_j, double *block, double *y)
{
    const of_tiles *tiles = &task->blocks.tiles;
    size_t rows = of_tiles_length(tiles, i), columns = of_tiles_length(tiles, j),
           depth = task->depth, at_i = of_tiles_first(tiles, i) * depth,
           at_j = of_tiles_first(tiles, j) * depth;
    if (!rows || !columns)
        return;
    of_kernel_blocks_fill(&task->blocks, i, tile_i, j, tile_j, block, rows);
    of_gemm('N', 'N', depth, columns, rows, 1, task->x + at_i, depth, block, rows, 1, y + at_j,
            depth);
    if (i != j)
        of_gemm('N', 'T', depth, rows, columns, 1, task->x + at_j, depth, block, rows, 1, y + at_i,
                depth);
}

/* Piece p is row p of the lower triangle of tiles and the row as far from the other end: together
 * they have the same number of pairs for every p. */
static onefold_status multiply_rows(void *opaque, size_t piece, int worker, double *y)
{
    tiles_task *task = opaque;
    size_t count = task->blocks.tiles.count, width = task->blocks.tiles.width,
           tile = of_kernel_blocks_buffer(&task->blocks);
    double *block = task->buffer + (size_t)worker * (width * width + 2 * tile),
           *buffer_i = block + width * width, *buffer_j = buffer_i + tile;
    for (int half = 0; half < 2; half++) {
        size_t i = half ? count - 1 - piece : piece;
        if (half && i == piece)
            break;
        const double *tile_i = of_kernel_blocks_tile(&task->blocks, i, buffer_i);
        for (size_t j = 0; j <= i; j++) {
            const double *tile_j =
                i == j ? tile_i : of_kernel_blocks_tile(&task->blocks, j, buffer_j);
            multiply_pair(task, i, tile_i, j, tile_j, block, y);
        }
        OF_TRY(of_context_check(task->context));
    }
    return ONEFOLD_OK;
}

/* y = x K */
static onefold_status multiply_raw(tiles_task *task, size_t depth, const double *x, double *y)
{
    task->depth = depth;
    task->x = x;
    if (!task->paired)
        return of_kernel_strips_multiply(task->context, &task->strips, depth, x, y);
    if (task->card.features)
        return of_tiles_card_multiply(task->context, &task->card, &task->blocks, depth, x, y);
    memset(y, 0, depth * task->n * sizeof *y);
    return of_team_sum(task->context, (task->blocks.tiles.count + 1) / 2, multiply_rows, task,
                       depth * task->n, y);
}

/* centred = x T of a tile (T left out before it is known); mean += its columns. */
static onefold_status scale_samples(void *opaque, size_t index, int worker, double *mean)
{
    (void)worker;
    tiles_task *task = opaque;
    size_t depth = task->depth, end = of_tiles_first(&task->samples, index + 1);
    for (size_t j = of_tiles_first(&task->samples, index); j < end; j++)
        for (size_t i = 0; i < depth; i++) {
            double s = task->x[j * depth + i] * (task->scale ? task->scale[j] : 1);
            task->centred[j * depth + i] = s;
            mean[i] += s / (double)task->n;
        }
    return ONEFOLD_OK;
}

static onefold_status add_samples(void *opaque, size_t index, int worker, double *mean)
{
    (void)worker;
    tiles_task *task = opaque;
    size_t depth = task->depth, end = of_tiles_first(&task->samples, index + 1);
    for (size_t j = of_tiles_first(&task->samples, index); j < end; j++)
        for (size_t i = 0; i < depth; i++)
            mean[i] += task->y[j * depth + i] / (double)task->n;
    return ONEFOLD_OK;
}

static onefold_status subtract_mean(void *opaque, size_t index, int worker)
{
    (void)worker;
    tiles_task *task = opaque;
    size_t depth = task->depth, end = of_tiles_first(&task->samples, index + 1);
    for (size_t j = of_tiles_first(&task->samples, index); j < end; j++)
        for (size_t i = 0; i < depth; i++)
            task->centred[j * depth + i] -= task->mean[i];
    return ONEFOLD_OK;
}

static onefold_status finish_samples(void *opaque, size_t index, int worker)
{
    (void)worker;
    tiles_task *task = opaque;
    size_t depth = task->depth, end = of_tiles_first(&task->samples, index + 1);
    for (size_t j = of_tiles_first(&task->samples, index); j < end; j++)
        for (size_t i = 0; i < depth; i++)
            task->y[j * depth + i] = (task->y[j * depth + i] - task->mean[i]) * task->scale[j];
    return ONEFOLD_OK;
}

/* y <- y C T */
static onefold_status finish_product(tiles_task *task, size_t depth, double *y)
{
    task->depth = depth;
    task->y = y;
    memset(task->mean, 0, depth * sizeof *task->mean);
    OF_TRY(of_team_sum(task->context, task->samples.count, add_samples, task, depth, task->mean));
    return of_team_run(task->context, task->samples.count, finish_samples, task);
}

static onefold_status apply(void *opaque, size_t depth, const double *x, double *y)
{
    tiles_task *task = opaque;
    task->depth = depth;
    task->x = x;
    memset(task->mean, 0, depth * sizeof *task->mean);
    OF_TRY(of_team_sum(task->context, task->samples.count, scale_samples, task, depth, task->mean));
    OF_TRY(of_team_run(task->context, task->samples.count, subtract_mean, task));
    OF_TRY(multiply_raw(task, depth, task->centred, y));
    return finish_product(task, depth, y);
}

/* 1 / sqrt of the centred diagonal, from the row means of K; 0 where it is not above rounding. */
static void compute_scale(tiles_task *task, const double *row_mean, double *scale)
{
    double all = 0, most = 0, entry = task->paired ? 0 : task->strips.largest;
    for (size_t j = 0; j < task->n; j++)
        all += row_mean[j] / (double)task->n;
    for (size_t j = 0; j < task->n; j++) {
        double diagonal = task->paired ? 1 : task->strips.diagonal[j];
        entry = fmax(entry, fabs(diagonal));
        scale[j] = diagonal - 2 * row_mean[j] + all;
        most = fmax(most, scale[j]);
    }
    double floor = fmax(1e-14 * most, 4 * DBL_EPSILON * entry);
    for (size_t j = 0; j < task->n; j++)
        scale[j] = scale[j] > floor ? 1 / sqrt(scale[j]) : 0;
}

/* One product with K before any is finished gives both the row means and a start: its first row is
 * 1 / n, the others random numbers, which K turns towards its leading eigenvectors. */
static onefold_status begin(tiles_task *task, of_arena *arena, size_t block, double **start)
{
    size_t n = task->n, depth = block + 1;
    OF_SCRATCH(scratch, task->context);
    double *x, *y, *scale, *row_mean;
    OF_TRY(OF_NEW(&scratch, &x, depth, n));
    OF_TRY(OF_NEW(&scratch, &y, depth, n));
    OF_TRY(OF_NEW(&scratch, &row_mean, n, 1));
    OF_TRY(OF_NEW(arena, &scale, n, 1));
    OF_TRY(OF_NEW(arena, start, block, n));
    for (size_t j = 0; j < n; j++) {
        of_random random = of_random_make(0, OF_PURPOSE_EIGEN_START, j);
        x[j * depth] = 1 / (double)n;
        for (size_t i = 1; i < depth; i++)
            x[j * depth + i] = of_random_uniform(&random) - 0.5;
    }
    OF_TRY(multiply_raw(task, depth, x, y));
    for (size_t j = 0; j < n; j++) {
        row_mean[j] = y[j * depth];
        memcpy(*start + j * block, y + j * depth + 1, block * sizeof **start);
    }
    compute_scale(task, row_mean, scale);
    task->scale = scale;
    return finish_product(task, block, *start);
}

static size_t block_rows(size_t n, size_t rows)
{
    size_t block = rows < 16 ? 16 : rows > 32 ? 32 : (rows + 7) / 8 * 8;
    return block < n ? block : n;
}

/* Rows of the longest product. */
static size_t deepest_rows(size_t n, size_t rows)
{
    size_t block = block_rows(n, rows);
    return rows > block + 2 ? rows : block + 2;
}

onefold_status of_tiles_card_bytes(const of_kernel *kernel, size_t rows, size_t *bytes)
{
    size_t n = kernel->view->samples;
    *bytes = 0;
    if (kernel->kind != OF_KERNEL_RBF || kernel->features.start)
        return ONEFOLD_OK;
    return of_tiles_card_room(n, of_kernel_columns(kernel), deepest_rows(n, rows), bytes);
}

onefold_status of_route_tiles(of_context *context, of_route_work *work)
{
    OF_SCRATCH(scratch, context);
    const of_kernel *kernel = work->kernel;
    size_t n = kernel->view->samples, block = block_rows(n, work->rows),
           deepest = deepest_rows(n, work->rows);
    tiles_task task = {.context = context,
                       .n = n,
                       .paired = kernel->kind == OF_KERNEL_RBF && !kernel->features.start,
                       .samples = of_tiles_make(n, 1, 1024 * sizeof(double))};
    OF_TRY(OF_NEW(&scratch, &task.centred, deepest, n));
    OF_TRY(OF_NEW(&scratch, &task.mean, deepest, 1));
    if (task.paired) {
        OF_TRY(of_kernel_blocks_make(context, &scratch, kernel, 0, &task.blocks));
        size_t width = task.blocks.tiles.width;
        OF_TRY(OF_NEW(&scratch, &task.buffer, (size_t)of_team_size(context),
                      width * width + 2 * of_kernel_blocks_buffer(&task.blocks)));
    } else {
        OF_TRY(of_kernel_strips_make(context, &scratch, kernel, &task.strips));
    }
    if (task.paired)
        OF_TRY(of_tiles_card_make(context, &task.blocks, &task.card));
    double *start;
    onefold_status status = begin(&task, &scratch, block, &start);
    if (status == ONEFOLD_OK)
        status = of_eigen_work(context, n, apply, &task, block, 0.5 * work->tolerance, start, work);
    work->on_card = task.card.features != NULL;
    of_tiles_card_free(&task.card);
    return status == ONEFOLD_OK ? of_projection_exact(context, work) : status;
}

size_t of_route_tiles_bytes(of_context *context, const of_kernel *kernel, size_t rows)
{
    size_t n = kernel->view->samples, block = block_rows(n, rows), deepest = deepest_rows(n, rows),
           workers = (size_t)of_team_size(context);
    of_tiles tiles = of_tiles_make(n, 1, OF_BLOCKS_WIDTH * sizeof(double));
    size_t bytes = sizeof(double) * n * (deepest + 3 * block + 4);
    if (kernel->kind == OF_KERNEL_RBF && !kernel->features.start)
        bytes += of_kernel_blocks_bytes(kernel) +
                 of_team_sum_bytes((tiles.count + 1) / 2, deepest * n) +
                 sizeof(double) * workers * OF_BLOCKS_WIDTH *
                     (OF_BLOCKS_WIDTH + 2 * of_kernel_tile_rows(kernel));
    else
        bytes += of_kernel_strips_bytes(context, kernel);
    return bytes + of_eigen_bytes(context, n, rows, block, of_eigen_most(n, rows, block));
}
