/* SPDX-License-Identifier: Apache-2.0 */
/* The whole kernel matrix of a view: from blocks of dense features, from rows of sparse ones, or as
 * given. */
#include "base/team.h"
#include "kernel/kernel.h"
#include "linalg/blas.h"
#include "linalg/simd.h"

#include <float.h>
#include <math.h>
#include <string.h>

/*
 * Centring and normalising a kernel matrix in place, in three passes: the mean of all entries; the
 * row means of the entries less that mean; the entries themselves. The first pass is for matrices
 * of nearly equal entries: it subtracts numbers that share their leading digits, which is exact,
 * before anything is rounded at the scale of the entries.
 */

enum { COLUMNS_AT_ONCE = 32 };

typedef struct centre_task {
    double *matrix;
    size_t n;
    of_kernel_means *means;
    double *largest; /* modulus in each column */
} centre_task;

OF_SIMD static double sum_less(size_t n, const double *x, double mean, double *largest)
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
        task->means->row[j] =
            sum_less(task->n, task->matrix + j * task->n, task->means->offset, &task->largest[j]) /
            (double)task->n;
    return ONEFOLD_OK;
}

OF_SIMD static void rewrite(const centre_task *task, size_t j)
{
    double *restrict column = task->matrix + j * task->n;
    const double *restrict row_mean = task->means->row, *restrict scale = task->means->scale;
    double mean = task->means->offset, own = row_mean[j], all = task->means->all,
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
        if (task->means->scale[j] > 0)
            task->matrix[j * task->n + j] = 1;
    }
    return ONEFOLD_OK;
}

onefold_status of_kernel_means_scale(size_t n, of_kernel_means *means)
{
    double most = 0;
    for (size_t j = 0; j < n; j++) {
        means->scale[j] = means->diagonal[j] - 2 * means->row[j] + means->all;
        most = fmax(most, means->scale[j]);
    }
    if (!isfinite(most) || !isfinite(means->largest) || !isfinite(means->offset))
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "a kernel matrix has entries that are not finite"),
                       "scale the view down, or choose another kernel for it");
    double entries = fmax(means->largest, fabs(means->offset));
    if (entries > 0 && entries < DBL_MIN) /* such numbers have few digits, and no reciprocal */
        return of_hint(of_fail(ONEFOLD_BAD_DATA,
                               "the largest entry of a kernel matrix is %.3g, which has too few "
                               "digits to compute with",
                               entries),
                       "scale the view up");
    means->floor = fmax(1e-14 * most, 4 * DBL_EPSILON * means->largest);
    for (size_t j = 0; j < n; j++)
        means->scale[j] = means->scale[j] > means->floor ? 1 / sqrt(means->scale[j]) : 0;
    return ONEFOLD_OK;
}

onefold_status of_kernel_means_of(of_context *context, of_arena *arena, size_t n,
                                  const double *matrix, of_kernel_means *means)
{
    OF_SCRATCH(scratch, context);
    centre_task task = {.matrix = (double *)(uintptr_t)matrix, .n = n, .means = means};
    *means = (of_kernel_means){0};
    OF_TRY(OF_NEW_ALL(arena, {&means->row, n, 1}, {&means->diagonal, n, 1}, {&means->scale, n, 1}));
    OF_TRY(OF_NEW(&scratch, &task.largest, n, 1));
    OF_COUNTED(context);
    for (int pass = 0; pass < 2 && n; pass++) {
        OF_TRY(of_team_run(context, (n + COLUMNS_AT_ONCE - 1) / COLUMNS_AT_ONCE, compute_means,
                           &task));
        double sum = 0;
        for (size_t j = 0; j < n; j++)
            sum += means->row[j];
        *(pass ? &means->all : &means->offset) = sum / (double)n;
    }
    for (size_t j = 0; j < n; j++) {
        means->diagonal[j] = matrix[j * n + j] - means->offset;
        means->largest = fmax(means->largest, task.largest[j]);
    }
    return of_kernel_means_scale(n, means);
}

onefold_status of_centre_normalise(of_context *context, size_t n, double *matrix)
{
    OF_SCRATCH(scratch, context);
    of_kernel_means means;
    centre_task task = {.matrix = matrix, .n = n, .means = &means};
    OF_TRY(of_kernel_means_of(context, &scratch, n, matrix, &means));
    OF_COUNTED(context);
    return of_team_run(context, (n + COLUMNS_AT_ONCE - 1) / COLUMNS_AT_ONCE, rewrite_columns,
                       &task);
}

/* ---- square blocks of a kernel matrix with dense features ----------------------------------- */

/* Sums of features over samples, less `mean` if not NULL. */
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
    /* the second pass corrects rounding errors of the first */
    for (int pass = 0; pass < 2; pass++) {
        if (of_counts(context))
            return of_tiles_sum(context, &task.tiles, add_samples, &task, columns, sum);
        OF_TRY(of_tiles_sum(context, &task.tiles, add_samples, &task, columns, sum));
        for (size_t i = 0; i < columns; i++)
            mean[i] = (pass ? mean[i] : 0) + sum[i] / (double)n;
        task.mean = mean;
    }
    return ONEFOLD_OK;
}

void of_kernel_blocks_tile(const of_kernel_blocks *blocks, size_t index, double *tile)
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

typedef struct length_task {
    of_kernel_blocks *blocks;
    double *tile; /* per worker */
} length_task;

static onefold_status halve_lengths(void *opaque, size_t index)
{
    length_task *task = opaque;
    of_kernel_blocks *blocks = task->blocks;
    size_t first = of_tiles_first(&blocks->tiles, index), d = blocks->columns;
    double *tile = task->tile + of_team_worker() * of_kernel_blocks_buffer(blocks);
    of_kernel_blocks_tile(blocks, index, tile);
    for (size_t j = 0; j < of_tiles_length(&blocks->tiles, index); j++)
        blocks->half[first + j] = cblas_ddot((int)d, tile + j * d, 1, tile + j * d, 1) / 2;
    return ONEFOLD_OK;
}

onefold_status of_kernel_blocks_make(of_context *context, of_arena *arena, const of_kernel *kernel,
                                     int centre, of_kernel_blocks *blocks)
{
    size_t n = kernel->view->samples;
    int distances = of_kernel_has_distances(kernel->kind);
    *blocks = (of_kernel_blocks){
        .kernel = kernel,
        .columns = of_kernel_columns(kernel),
        .tile_rows = of_kernel_tile_rows(kernel),
        .tiles = of_tiles_make(n, 1, OF_BLOCKS_WIDTH * sizeof(double)),
        .scale = distances ? sqrt(2 / kernel->width) : 1,
    };
    if (centre && of_kernel_is_plain(kernel->kind)) {
        double *mean;
        OF_TRY(OF_NEW(arena, &mean, blocks->columns, 1));
        OF_TRY(of_kernel_mean(context, kernel, mean));
        blocks->mean = mean;
    }
    if (!distances)
        return ONEFOLD_OK;
    OF_SCRATCH(scratch, context);
    length_task task = {.blocks = blocks};
    OF_TRY(OF_NEW(arena, &blocks->half, n, 1));
    OF_TRY(OF_NEW(&scratch, &task.tile, of_team_size(context), of_kernel_blocks_buffer(blocks)));
    return of_team_run(context, blocks->tiles.count, halve_lengths, &task);
}

/* <x,y> to -||x - y||^2 / 2 of scaled features, not above 0 despite rounding. */
OF_SIMD static void distances(size_t rows, double *column, const double *half, double own)
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
        of_kernel_rows[blocks->kernel->kind]->values(rows, out + c * ldo);
    }
    for (size_t c = 0; i == j && c < columns; c++)
        for (size_t r = c + 1; r < rows; r++)
            out[r * ldo + c] = out[c * ldo + r];
}

typedef struct matrix_task {
    const of_kernel *kernel;
    double *matrix;
    size_t n;
    of_kernel_blocks blocks;
    double *buffer;      /* per worker: two tiles, or columns of a given kernel's transpose */
    of_sparse transpose; /* of sparse features */
    double *half;        /* rbf of sparse features: half the squared length of each sample */
} matrix_task;

/* Fills a row of blocks up to the diagonal, and mirrors them; the longest row first. */
static onefold_status fill_row(void *opaque, size_t index)
{
    matrix_task *task = opaque;
    const of_kernel_blocks *blocks = &task->blocks;
    const of_tiles *tiles = &blocks->tiles;
    size_t n = task->n, room = of_kernel_blocks_buffer(blocks), i = tiles->count - 1 - index,
           row = of_tiles_first(tiles, i);
    double *tile_i = task->buffer + 2 * of_team_worker() * room, *tile_j = tile_i + room;
    of_kernel_blocks_tile(blocks, i, tile_i);
    for (size_t j = 0; j < i; j++) {
        size_t column = of_tiles_first(tiles, j);
        double *out = task->matrix + row + column * n;
        of_kernel_blocks_tile(blocks, j, tile_j);
        of_kernel_blocks_fill(blocks, i, tile_i, j, tile_j, out, n);
        of_transpose(of_tiles_length(tiles, i), of_tiles_length(tiles, j), out, n,
                     task->matrix + column + row * n, n);
    }
    of_kernel_blocks_fill(blocks, i, tile_i, i, tile_i, task->matrix + row + row * n, n);
    return ONEFOLD_OK;
}

/* Fills columns of (K + K') / 2 for a given kernel K. */
static onefold_status fill_given(void *opaque, size_t index)
{
    const matrix_task *task = opaque;
    size_t n = task->n, first = index * COLUMNS_AT_ONCE,
           count = of_size_least(n - first, COLUMNS_AT_ONCE);
    of_view view = *task->kernel->view, across = view;
    double *out = task->matrix + first * n,
           *other = task->buffer + of_team_worker() * n * COLUMNS_AT_ONCE;
    across.sample_step = view.column_step;
    across.column_step = view.sample_step;
    of_view_tile(&view, first, count, out, n);
    of_view_tile(&across, first, count, other, n);
    for (size_t e = 0; e < count * n; e++)
        out[e] = out[e] / 2 + other[e] / 2;
    return ONEFOLD_OK;
}

/* Fills column j, for sparse features. */
static onefold_status fill_sparse(void *opaque, size_t j)
{
    const matrix_task *task = opaque;
    size_t n = task->n;
    double *column = task->matrix + j * n;
    memset(column, 0, n * sizeof *column);
    of_sparse_gram_row(&task->kernel->features, &task->transpose, j, column);
    if (!task->half)
        return ONEFOLD_OK;
    for (size_t i = 0; i < n; i++) {
        double x = 2 / task->kernel->width * (column[i] - (task->half[i] + task->half[j]));
        column[i] = x < 0 && i != j ? x : 0;
    }
    of_kernel_rows[task->kernel->kind]->values(n, column);
    return ONEFOLD_OK;
}

static onefold_status form_sparse(of_context *context, of_arena *scratch, matrix_task *task)
{
    const of_sparse *features = &task->kernel->features;
    if (of_kernel_has_distances(task->kernel->kind))
        OF_TRY(OF_NEW_ZERO(scratch, &task->half, task->n, 1));
    for (size_t j = 0; task->half && j < task->n && !of_counts(context); j++)
        for (size_t e = features->start[j]; e < features->start[j + 1]; e++)
            task->half[j] += features->value[e] * features->value[e] / 2;
    OF_TRY(of_sparse_transpose(scratch, features, &task->transpose));
    return of_team_run(context, task->n, fill_sparse, task);
}

onefold_status of_kernel_matrix(of_context *context, const of_kernel *kernel, of_finish finish,
                                double *matrix)
{
    OF_SCRATCH(scratch, context);
    matrix_task task = {.kernel = kernel, .matrix = matrix, .n = kernel->view->samples};
    size_t workers = of_team_size(context);
    if (of_kernel_is_given(kernel->kind)) {
        OF_TRY(OF_NEW(&scratch, &task.buffer, workers * task.n, COLUMNS_AT_ONCE));
        OF_TRY(of_team_run(context, (task.n + COLUMNS_AT_ONCE - 1) / COLUMNS_AT_ONCE, fill_given,
                           &task));
    } else if (kernel->features.start) {
        OF_TRY(form_sparse(context, &scratch, &task));
    } else {
        OF_TRY(of_kernel_blocks_make(context, &scratch, kernel, finish == OF_CENTRED_NORMALISED,
                                     &task.blocks));
        OF_TRY(OF_NEW(&scratch, &task.buffer, 2 * workers, of_kernel_blocks_buffer(&task.blocks)));
        OF_TRY(of_team_run(context, task.blocks.tiles.count, fill_row, &task));
    }
    return finish == OF_RAW ? ONEFOLD_OK : of_centre_normalise(context, task.n, matrix);
}
