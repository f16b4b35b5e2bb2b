/* SPDX-License-Identifier: Apache-2.0 */
/* The whole kernel matrix of a view: blocks of dense features, rows of sparse ones, or as given. */
#include "base/team.h"
#include "kernel/kernel.h"
#include "linalg/blas.h"
#include "linalg/wide.h"

#include <float.h>
#include <math.h>
#include <string.h>

/*
 * Centring and normalising a kernel matrix in place. Three passes: the mean of all entries; what
 * the row means are once it is subtracted; the entries themselves. The first is there for matrices
 * whose entries are nearly alike: it subtracts numbers that share their leading digits, exactly,
 * before anything is rounded at the scale of the entries.
 */

enum { COLUMNS_AT_ONCE = 32 };

typedef struct centre_task {
    double *matrix;
    size_t n;
    double mean;         /* of all entries */
    double *column_mean; /* of entries less the mean of all */
    double *largest;     /* modulus in each column */
    double *scale;       /* 1 / sqrt(centred diagonal), or 0 */
    double mean_of_column_means;
} centre_task;

OF_WIDE static double sum_less(size_t n, const double *x, double mean, double *largest)
{
    enum { LANES = 16 };
    double lane[LANES] = {0}, most[LANES] = {0}, sum = 0;
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (size_t l = 0; l < LANES; l++) {
            double modulus = fabs(x[i + l]);
            lane[l] += x[i + l] - mean;
            most[l] = modulus > most[l] ? modulus : most[l];
        }
    for (; i < n; i++) {
        sum += x[i] - mean;
        most[0] = fmax(most[0], fabs(x[i]));
    }
    for (size_t l = 0; l < LANES; l++) {
        sum += lane[l];
        most[0] = fmax(most[0], most[l]);
    }
    *largest = most[0];
    return sum;
}

static onefold_status compute_means(void *opaque, size_t index)
{
    centre_task *task = opaque;
    for (size_t j = index * COLUMNS_AT_ONCE; j < task->n && j < (index + 1) * COLUMNS_AT_ONCE; j++)
        task->column_mean[j] =
            sum_less(task->n, task->matrix + j * task->n, task->mean, &task->largest[j]) /
            (double)task->n;
    return ONEFOLD_OK;
}

OF_WIDE static void rewrite(const centre_task *task, size_t j)
{
    double *restrict column = task->matrix + j * task->n;
    const double *restrict row_mean = task->column_mean, *restrict scale = task->scale;
    double mean = task->mean, own = row_mean[j], all = task->mean_of_column_means,
           own_scale = scale[j];
    for (size_t i = 0; i < task->n; i++)
        column[i] = (((column[i] - mean) - (row_mean[i] + own)) + all) * (scale[i] * own_scale);
}

static onefold_status rewrite_columns(void *opaque, size_t index)
{
    centre_task *task = opaque;
    for (size_t j = index * COLUMNS_AT_ONCE; j < task->n && j < (index + 1) * COLUMNS_AT_ONCE;
         j++) {
        rewrite(task, j);
        if (task->scale[j] > 0)
            task->matrix[j * task->n + j] = 1;
    }
    return ONEFOLD_OK;
}

/* 1 / sqrt of the centred diagonal, 0 where it is not above rounding. */
static onefold_status compute_scale(centre_task *task)
{
    double most = 0, entry = 0;
    for (size_t j = 0; j < task->n; j++) {
        double diagonal = (task->matrix[j * task->n + j] - task->mean) - 2 * task->column_mean[j] +
                          task->mean_of_column_means;
        task->scale[j] = diagonal;
        most = fmax(most, diagonal);
        entry = fmax(entry, task->largest[j]);
    }
    if (!isfinite(most) || !isfinite(entry) || !isfinite(task->mean))
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "a kernel matrix has entries that are not finite"),
                       "scale the view down, or choose another kernel for it");
    double floor = fmax(1e-14 * most, 4 * DBL_EPSILON * entry);
    for (size_t j = 0; j < task->n; j++)
        task->scale[j] = task->scale[j] > floor ? 1 / sqrt(task->scale[j]) : 0;
    return ONEFOLD_OK;
}

onefold_status of_centre_normalise(of_context *context, size_t n, double *matrix)
{
    if (n == 0)
        return ONEFOLD_OK;
    OF_SCRATCH(scratch, context);
    centre_task task = {.matrix = matrix, .n = n};
    OF_TRY(OF_NEW(&scratch, &task.column_mean, n, 3));
    task.largest = task.column_mean + n;
    task.scale = task.largest + n;
    size_t strips = (n + COLUMNS_AT_ONCE - 1) / COLUMNS_AT_ONCE;
    OF_COUNTED(context);
    for (int pass = 0; pass < 2; pass++) {
        OF_TRY(of_team_run(context, strips, compute_means, &task));
        double sum = 0;
        for (size_t j = 0; j < n; j++)
            sum += task.column_mean[j];
        if (pass == 0)
            task.mean = sum / (double)n;
        else
            task.mean_of_column_means = sum / (double)n;
    }
    OF_TRY(compute_scale(&task));
    return of_team_run(context, strips, rewrite_columns, &task);
}

/* Square blocks of a kernel matrix with dense features. */

/* Sums over samples of the features, less `mean` where one is given. */
typedef struct mean_task {
    const of_kernel *kernel;
    const double *mean;
    of_tiles tiles;
    size_t columns, tile_rows;
    double *tile; /* per worker */
} mean_task;

static onefold_status add_samples(void *opaque, size_t index, double *sum)
{
    mean_task *task = opaque;
    size_t count = of_tiles_length(&task->tiles, index);
    double *tile = task->tile + of_team_worker() * task->tile_rows * task->tiles.width;
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
    OF_TRY(OF_NEW_ALL(&scratch, {&task.tile, of_team_size(context) * task.tiles.width, tile_rows},
                      {&sum, columns, 1}));
    for (int pass = 0; pass < 2;
         pass++) { /* the second one adds what rounding took from the first */
        if (of_counts(context))
            return of_tiles_sum(context, &task.tiles, add_samples, &task, columns, sum);
        OF_TRY(of_tiles_sum(context, &task.tiles, add_samples, &task, columns, sum));
        for (size_t i = 0; i < columns; i++)
            mean[i] = (pass ? mean[i] : 0) + sum[i] / (double)n;
        task.mean = mean;
    }
    return ONEFOLD_OK;
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

/* BLAS may add up a sample's length by where in memory it begins, which is elsewhere where tiles
 * are held: a copy always begins alike. */
static onefold_status prepare_tile(void *opaque, size_t index)
{
    size_t worker = of_team_worker();
    prepare_task *task = opaque;
    of_kernel_blocks *blocks = task->blocks;
    size_t first = of_tiles_first(&blocks->tiles, index), d = blocks->columns;
    double *tile = blocks->all ? blocks->all + first * blocks->tile_rows
                               : task->buffer + worker * of_kernel_blocks_buffer(blocks);
    double *copy = task->sample + worker * task->room;
    load(blocks, index, tile);
    for (size_t j = 0; blocks->half && j < of_tiles_length(&blocks->tiles, index); j++) {
        memcpy(copy, tile + j * d, d * sizeof *copy);
        blocks->half[first + j] = cblas_ddot((int)d, copy, 1, copy, 1) / 2;
    }
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
    if ((double)n * (double)blocks->tile_rows * 8 <=
        (double)of_context_chunk(context, OF_BLOCKS_HELD))
        OF_TRY(OF_NEW(arena, &blocks->all, n, blocks->tile_rows));
    if (!blocks->half && !blocks->all)
        return ONEFOLD_OK;
    OF_SCRATCH(scratch, context);
    prepare_task task = {.blocks = blocks, .room = (blocks->columns + 7) / 8 * 8};
    OF_TRY(OF_NEW(&scratch, &task.sample, of_team_size(context), task.room));
    if (!blocks->all)
        OF_TRY(
            OF_NEW(&scratch, &task.buffer, of_team_size(context), of_kernel_blocks_buffer(blocks)));
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

typedef struct matrix_task {
    double *matrix;
    size_t n;
    of_kernel_blocks blocks;
    double *buffer; /* two tiles per worker */
    of_kernel_strips strips;
} matrix_task;

/* Pairs i >= j in the order (0,0), (1,0), (1,1), (2,0), ... */
static void pair_of(size_t index, size_t *i, size_t *j)
{
    size_t row = 0;
    while (index > row) {
        index -= row + 1;
        row++;
    }
    *i = row;
    *j = index;
}

static onefold_status fill_block(void *opaque, size_t index)
{
    matrix_task *task = opaque;
    const of_kernel_blocks *blocks = &task->blocks;
    size_t i, j, n = task->n;
    pair_of(index, &i, &j);
    size_t room = of_kernel_blocks_buffer(blocks);
    /* no buffer: tiles are used where they lie */
    double *one = task->buffer ? task->buffer + 2 * of_team_worker() * room : NULL,
           *other = one ? one + room : NULL;
    const double *tile_i = of_kernel_blocks_tile(blocks, i, one),
                 *tile_j = i == j ? tile_i : of_kernel_blocks_tile(blocks, j, other);
    size_t row = of_tiles_first(&blocks->tiles, i), column = of_tiles_first(&blocks->tiles, j);
    double *out = task->matrix + row + column * n;
    of_kernel_blocks_fill(blocks, i, tile_i, j, tile_j, out, n);
    if (i != j)
        of_transpose(of_tiles_length(&blocks->tiles, i), of_tiles_length(&blocks->tiles, j), out, n,
                     task->matrix + column + row * n, n);
    return ONEFOLD_OK;
}

/* ---- strips of whole columns ---------------------------------------------------------------- */

onefold_status of_kernel_strips_make(of_context *context, of_arena *arena, const of_kernel *kernel,
                                     of_kernel_strips *strips)
{
    enum { COLUMNS = 32 };
    const of_sparse *features = &kernel->features;
    size_t n = kernel->view->samples;
    *strips = (of_kernel_strips){.kernel = kernel,
                                 .tiles = of_tiles_make(n, 1, COLUMNS * sizeof(double))};
    if (kernel->kind == OF_KERNEL_PRECOMPUTED)
        return OF_NEW(arena, &strips->across, of_team_size(context) * n, strips->tiles.width);
    if (kernel->kind == OF_KERNEL_RBF)
        OF_TRY(OF_NEW_ZERO(arena, &strips->half, n, 1));
    for (size_t j = 0; strips->half && j < n && !of_counts(context); j++)
        for (size_t e = features->start[j]; e < features->start[j + 1]; e++)
            strips->half[j] += features->value[e] * features->value[e] / 2;
    return of_sparse_transpose(arena, features, &strips->transpose);
}

/* (K + K') / 2 of a kernel that is given. */
static void fill_given(const of_kernel_strips *strips, size_t first, size_t count, double *out)
{
    of_view view = *strips->kernel->view, across = view;
    size_t n = view.samples;
    double *other = strips->across + of_team_worker() * n * strips->tiles.width;
    across.sample_step = view.column_step;
    across.column_step = view.sample_step;
    of_view_tile(&view, first, count, out, n);
    of_view_tile(&across, first, count, other, n);
    for (size_t e = 0; e < count * n; e++)
        out[e] = out[e] / 2 + other[e] / 2;
}

/* Column j, of sparse features. */
static void fill_column(const of_kernel_strips *strips, size_t j, double *column)
{
    const of_kernel *kernel = strips->kernel;
    size_t n = kernel->view->samples;
    memset(column, 0, n * sizeof *column);
    of_sparse_gram_row(&kernel->features, &strips->transpose, j, column);
    if (!strips->half)
        return;
    for (size_t i = 0; i < n; i++) {
        double x = 2 / kernel->width * (column[i] - (strips->half[i] + strips->half[j]));
        column[i] = x < 0 && i != j ? x : 0;
    }
    of_exp(n, column);
}

void of_kernel_strips_fill(const of_kernel_strips *strips, size_t index, double *out)
{
    size_t first = of_tiles_first(&strips->tiles, index),
           count = of_tiles_length(&strips->tiles, index);
    if (strips->kernel->kind == OF_KERNEL_PRECOMPUTED)
        fill_given(strips, first, count, out);
    else
        for (size_t j = 0; j < count; j++)
            fill_column(strips, first + j, out + j * strips->kernel->view->samples);
}

static onefold_status fill_strip(void *opaque, size_t index)
{
    matrix_task *task = opaque;
    size_t first = of_tiles_first(&task->strips.tiles, index);
    of_kernel_strips_fill(&task->strips, index, task->matrix + first * task->n);
    return ONEFOLD_OK;
}

onefold_status of_kernel_matrix(of_context *context, const of_kernel *kernel, of_finish finish,
                                double *matrix)
{
    OF_SCRATCH(scratch, context);
    matrix_task task = {.matrix = matrix, .n = kernel->view->samples};
    if (kernel->kind == OF_KERNEL_PRECOMPUTED || kernel->features.start) {
        OF_TRY(of_kernel_strips_make(context, &scratch, kernel, &task.strips));
        OF_TRY(of_team_run(context, task.strips.tiles.count, fill_strip, &task));
    } else {
        OF_TRY(of_kernel_blocks_make(context, &scratch, kernel, finish == OF_CENTRED_NORMALISED,
                                     &task.blocks));
        size_t count = task.blocks.tiles.count;
        if (!task.blocks.all)
            OF_TRY(OF_NEW(&scratch, &task.buffer, 2 * of_team_size(context),
                          of_kernel_blocks_buffer(&task.blocks)));
        OF_TRY(of_team_run(context, count * (count + 1) / 2, fill_block, &task));
    }
    return finish == OF_RAW ? ONEFOLD_OK : of_centre_normalise(context, task.n, matrix);
}
