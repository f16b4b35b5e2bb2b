/* SPDX-License-Identifier: Apache-2.0 */
/* Square blocks of a kernel matrix with dense features. */
#include "kernel/kernel_blocks.h"

#include "base/tiles.h"
#include "kernel/exp.h"
#include "linalg/blas.h"
#include "linalg/wide.h"

#include <math.h>
#include <string.h>

/* Sums over samples of the features, less `mean` where one is given. */
typedef struct mean_task {
    const of_kernel *kernel;
    const double *mean;
    of_tiles tiles;
    size_t columns, tile_rows;
    double *tile; /* per worker */
} mean_task;

static onefold_status add_samples(void *opaque, size_t index, int worker, double *sum)
{
    mean_task *task = opaque;
    size_t count = of_tiles_length(&task->tiles, index);
    double *tile = task->tile + (size_t)worker * task->tile_rows * task->tiles.width;
    of_kernel_tile(task->kernel, of_tiles_first(&task->tiles, index), count, tile);
    for (size_t j = 0; j < count; j++)
        for (size_t i = 0; i < task->columns; i++)
            sum[i] += tile[j * task->columns + i] - (task->mean ? task->mean[i] : 0);
    return ONEFOLD_OK;
}

onefold_status of_kernel_mean(of_context *context, const of_kernel *kernel, double *mean)
{
    OF_SCRATCH(scratch, context);
    size_t n = kernel->view->samples, columns = of_kernel_columns(kernel),
           tile_rows = of_kernel_tile_rows(kernel);
    mean_task task = {kernel, NULL, of_tiles_make(n, tile_rows, 1 << 18), columns, tile_rows, NULL};
    double *sum;
    OF_TRY(
        OF_NEW(&scratch, &task.tile, (size_t)of_team_size(context) * task.tiles.width, tile_rows));
    OF_TRY(OF_NEW(&scratch, &sum, columns, 1));
    for (int pass = 0; pass < 2;
         pass++) { /* the second one adds what rounding took from the first */
        for (size_t i = 0; i < columns; i++)
            sum[i] = 0;
        OF_TRY(of_tiles_sum(context, &task.tiles, add_samples, &task, columns, sum));
        for (size_t i = 0; i < columns; i++)
            mean[i] = (pass ? mean[i] : 0) + sum[i] / (double)n;
        task.mean = mean;
    }
    return ONEFOLD_OK;
}

static int is_held(const of_kernel *kernel, size_t most)
{
    double bytes = (double)kernel->view->samples * (double)of_kernel_tile_rows(kernel) * 8;
    return bytes <= (double)most;
}

size_t of_kernel_blocks_bytes(const of_kernel *kernel)
{
    size_t n = kernel->view->samples, rows = of_kernel_tile_rows(kernel);
    return sizeof(double) * (n + rows + (is_held(kernel, OF_BLOCKS_HELD) ? n * rows : 0));
}

size_t of_kernel_blocks_buffer(const of_kernel_blocks *blocks)
{
    return blocks->tile_rows * blocks->tiles.width;
}

static void load(const of_kernel_blocks *blocks, size_t index, double *tile)
{
    size_t count = of_tiles_length(&blocks->tiles, index), d = blocks->columns;
    of_kernel_tile(blocks->kernel, of_tiles_first(&blocks->tiles, index), count, tile);
    if (blocks->mean)
        for (size_t j = 0; j < count; j++)
            for (size_t i = 0; i < d; i++)
                tile[j * d + i] -= blocks->mean[i];
    if (blocks->scale != 1)
        for (size_t i = 0; i < count * d; i++)
            tile[i] *= blocks->scale;
}

const double *of_kernel_blocks_tile(const of_kernel_blocks *blocks, size_t index, double *buffer)
{
    if (blocks->all)
        return blocks->all + of_tiles_first(&blocks->tiles, index) * blocks->tile_rows;
    load(blocks, index, buffer);
    return buffer;
}

typedef struct prepare_task {
    of_kernel_blocks *blocks;
    double *buffer; /* per worker, where tiles are not held */
    double *sample; /* per worker, `room` apart */
    size_t room;
} prepare_task;

/* Of a sample's length. BLAS may add up by where in memory a sample begins, which is elsewhere
 * where tiles are held: a copy always begins alike. */
static double half_square(const prepare_task *task, int worker, const double *x)
{
    size_t d = task->blocks->columns;
    double *copy = task->sample + (size_t)worker * task->room;
    memcpy(copy, x, d * sizeof *copy);
    return cblas_ddot((int)d, copy, 1, copy, 1) / 2;
}

static onefold_status prepare_tile(void *opaque, size_t index, int worker)
{
    prepare_task *task = opaque;
    of_kernel_blocks *blocks = task->blocks;
    size_t first = of_tiles_first(&blocks->tiles, index), d = blocks->columns;
    double *tile = blocks->all ? blocks->all + first * blocks->tile_rows
                               : task->buffer + (size_t)worker * of_kernel_blocks_buffer(blocks);
    load(blocks, index, tile);
    for (size_t j = 0; blocks->half && j < of_tiles_length(&blocks->tiles, index); j++)
        blocks->half[first + j] = half_square(task, worker, tile + j * d);
    return ONEFOLD_OK;
}

onefold_status of_kernel_blocks_make(of_context *context, of_arena *arena, const of_kernel *kernel,
                                     int centre, of_kernel_blocks *blocks)
{
    size_t n = kernel->view->samples;
    int rbf = kernel->kind == OF_KERNEL_RBF;
    *blocks = (of_kernel_blocks){
        .kernel = kernel,
        .columns = of_kernel_columns(kernel),
        .tile_rows = of_kernel_tile_rows(kernel),
        .tiles = of_tiles_make(n, 1, OF_BLOCKS_WIDTH * sizeof(double)),
        .scale = rbf ? sqrt(2 / kernel->width) : 1,
    };
    if (centre && kernel->kind == OF_KERNEL_LINEAR) {
        double *mean;
        OF_TRY(OF_NEW(arena, &mean, blocks->columns, 1));
        OF_TRY(of_kernel_mean(context, kernel, mean));
        blocks->mean = mean;
    }
    if (rbf)
        OF_TRY(OF_NEW(arena, &blocks->half, n, 1));
    if (is_held(kernel, of_context_chunk(context, OF_BLOCKS_HELD)))
        OF_TRY(OF_NEW(arena, &blocks->all, n, blocks->tile_rows));
    if (!blocks->half && !blocks->all)
        return ONEFOLD_OK;
    OF_SCRATCH(scratch, context);
    prepare_task task = {.blocks = blocks, .room = (blocks->columns + 7) / 8 * 8};
    OF_TRY(OF_NEW(&scratch, &task.sample, (size_t)of_team_size(context), task.room));
    if (!blocks->all)
        OF_TRY(OF_NEW(&scratch, &task.buffer, (size_t)of_team_size(context),
                      of_kernel_blocks_buffer(blocks)));
    return of_team_run(context, blocks->tiles.count, prepare_tile, &task);
}

/* <x,y> to -||x - y||^2 / 2, of which rounding must not make a positive number. */
OF_WIDE static void distances(size_t rows, double *column, const double *half, double own)
{
    for (size_t i = 0; i < rows; i++) {
        double x = column[i] - (half[i] + own);
        column[i] = x < 0 ? x : 0;
    }
}

void of_kernel_blocks_fill(const of_kernel_blocks *blocks, size_t i, const double *tile_i, size_t j,
                           const double *tile_j, double *out, size_t ldo)
{
    size_t rows = of_tiles_length(&blocks->tiles, i), columns = of_tiles_length(&blocks->tiles, j),
           d = blocks->columns, ld = d ? d : 1;
    of_gemm('T', 'N', rows, columns, d, 1, tile_i, ld, tile_j, ld, 0, out, ldo);
    for (size_t c = 0; blocks->half && c < columns; c++) {
        distances(rows, out + c * ldo, blocks->half + of_tiles_first(&blocks->tiles, i),
                  blocks->half[of_tiles_first(&blocks->tiles, j) + c]);
        if (i == j)
            out[c * ldo + c] = 0;
        of_exp(rows, out + c * ldo);
    }
    for (size_t c = 0; i == j && c < columns; c++)
        for (size_t r = c + 1; r < rows; r++)
            out[r * ldo + c] = out[c * ldo + r];
}
