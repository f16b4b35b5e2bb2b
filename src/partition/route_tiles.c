/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The route of an rbf kernel matrix that is too large to be formed: its blocks are computed,
 * multiplied and dropped, in memory O(n). The finished kernel is T C K C T: C subtracts the mean, T
 * scales each sample by 1 / sqrt(centred diagonal). Only K itself is computed in blocks.
 *
 * The block of a pair of tiles is computed once and used twice, as K is symmetric: n^2 / 2 entries
 * of 2 d flops and an exponential each, and 2 n^2 b flops for a block of b rows. As computing K
 * costs as much as multiplying some 10 to 30 rows, blocks are wide.
 */
#include "kernel/kernel.h"
#include "linalg/blas.h"
#include "partition/raw_pieces.h"
#include "partition/routes.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct tiles_task {
    of_context *context;
    size_t n, depth;
    of_kernel_blocks blocks;
    const of_device_use *use;
    of_device_stack *features; /* on the GPU; NULL: the CPU does the products */
    double *buffer;            /* per worker: a block and two tiles of features */
    of_tiles samples;
    const double *x;
    double *centred; /* depth x n: x T C */
    double *mean;    /* depth */
    double *scale;   /* T */
} tiles_task;

/* Entries of K in one call of the GPU, which takes some 0.2 s: a fit can be cancelled between
 * calls. Fewer would leave much of the GPU idle. A call has whole tiles of 128 samples. */
static const double MOST_ENTRIES = 4e10;
enum { STEP = 128 };

static void tiles_device_free(tiles_task *task)
{
    if (task->features)
        task->use->table->stack_free(task->features);
    task->features = NULL;
}

/* Copies features to the context's GPU, where there is one with room for them. */
static onefold_status tiles_device_make(tiles_task *task)
{
    const of_kernel_blocks *blocks = &task->blocks;
    size_t sent;
    task->use = of_device_for(task->context, task->n);
    if (!task->use || !blocks->columns || of_team_inside() ||
        !of_kernel_rows[blocks->kernel->kind]->has_landmarks) /* the GPU knows rbf alone */
        return ONEFOLD_OK;
    onefold_status status =
        of_features_send(task->context, task->use, blocks->kernel, blocks->scale, &blocks->tiles,
                         blocks->tiles.count, 0, &task->features, &sent);
    status = of_device_total(task->context, 0, status, 0, NULL);
    if (status != ONEFOLD_OK)
        tiles_device_free(task);
    return status == ONEFOLD_NO_MEMORY && of_device_gave_up(task->context) ? ONEFOLD_OK : status;
}

/* y = x K: x and y are depth x n packed. */
static onefold_status tiles_device_multiply(const tiles_task *task, size_t depth, const double *x,
                                            double *y)
{
    size_t n = task->n, most = (size_t)(MOST_ENTRIES / (double)n) / STEP * STEP;
    most = most ? most : STEP;
    for (size_t first = 0; first < n; first += most) {
        of_device_rbf spec = {.depth = depth,
                              .first = first,
                              .count = of_size_least(n - first, most),
                              .half = task->blocks.half,
                              .x = x,
                              .y = y};
        OF_TRY(of_context_check(task->context));
        OF_DEVICE_TRY(task->use, rbf_multiply(task->features, &spec));
    }
    return ONEFOLD_OK;
}

typedef struct centre_task {
    const of_tiles *tiles;
    size_t depth;
    const double *before, *after, *from;
    double *to, *mean;
} centre_task;

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

/* Piece p has row p of the lower triangle of tiles and the p-th row from the end: all pieces have
 * the same number of pairs. */
static onefold_status multiply_rows(void *opaque, size_t piece, double *y)
{
    tiles_task *task = opaque;
    size_t count = task->blocks.tiles.count, width = task->blocks.tiles.width,
           tile = of_kernel_blocks_buffer(&task->blocks);
    double *block = task->buffer + of_team_worker() * (width * width + 2 * tile),
           *tile_i = block + width * width, *tile_j = tile_i + tile;
    for (int half = 0; half < 2; half++) {
        size_t i = half ? count - 1 - piece : piece;
        if (half && i == piece)
            break;
        of_kernel_blocks_tile(&task->blocks, i, tile_i);
        for (size_t j = 0; j < i; j++) {
            of_kernel_blocks_tile(&task->blocks, j, tile_j);
            multiply_pair(task, i, tile_i, j, tile_j, block, y);
        }
        multiply_pair(task, i, tile_i, i, tile_i, block, y);
        OF_TRY(of_context_check(task->context));
    }
    return ONEFOLD_OK;
}

/* y = x K */
static onefold_status multiply_raw(tiles_task *task, size_t depth, const double *x, double *y)
{
    task->depth = depth;
    task->x = x;
    if (task->features)
        return tiles_device_multiply(task, depth, x, y);
    return of_team_sum(task->context, (task->blocks.tiles.count + 1) / 2, multiply_rows, task,
                       depth * task->n, y);
}

/* to = from `before` of a tile; mean += its columns. A scale of NULL is 1 for all samples. */
static onefold_status scale_samples(void *opaque, size_t index, double *mean)
{
    const centre_task *task = opaque;
    size_t depth = task->depth, end = of_tiles_first(task->tiles, index + 1);
    for (size_t j = of_tiles_first(task->tiles, index); j < end; j++)
        for (size_t i = 0; i < depth; i++) {
            double s = task->from[j * depth + i] * (task->before ? task->before[j] : 1);
            task->to[j * depth + i] = s;
            mean[i] += s / (double)task->tiles->samples;
        }
    return ONEFOLD_OK;
}

static onefold_status subtract_mean(void *opaque, size_t index)
{
    const centre_task *task = opaque;
    size_t depth = task->depth, end = of_tiles_first(task->tiles, index + 1);
    for (size_t j = of_tiles_first(task->tiles, index); j < end; j++)
        for (size_t i = 0; i < depth; i++)
            task->to[j * depth + i] =
                (task->to[j * depth + i] - task->mean[i]) * (task->after ? task->after[j] : 1);
    return ONEFOLD_OK;
}

/* to <- from B C A, B and A scaling samples; `to` may be `from`. */
static onefold_status centre(tiles_task *task, size_t depth, const double *before,
                             const double *from, const double *after, double *to)
{
    centre_task centre = {&task->samples, depth, before, after, from, to, task->mean};
    OF_COUNTED(task->context);
    OF_TRY(
        of_team_sum(task->context, task->samples.count, scale_samples, &centre, depth, task->mean));
    return of_team_run(task->context, task->samples.count, subtract_mean, &centre);
}

static onefold_status apply(void *opaque, size_t depth, const double *x, double *y)
{
    tiles_task *task = opaque;
    OF_TRY(centre(task, depth, task->scale, x, NULL, task->centred));
    OF_TRY(multiply_raw(task, depth, task->centred, y));
    return centre(task, depth, NULL, y, task->scale, y);
}

/* One product with K gives the row means and `block` rows of a start: its first row is 1 / n, the
 * others are random numbers, which K turns towards its leading eigenvectors. */
static onefold_status begin(tiles_task *task, of_arena *arena, size_t block, double **start,
                            of_kernel_means *means)
{
    size_t n = task->n, depth = block + 1;
    OF_SCRATCH(scratch, task->context);
    double *x, *y;
    *means = (of_kernel_means){.largest = 1};
    OF_TRY(OF_NEW_ALL(&scratch, {&x, depth, n}, {&y, depth, n}));
    OF_TRY(OF_NEW_ALL(arena, {&means->row, n, 1}, {&means->diagonal, n, 1}, {&means->scale, n, 1},
                      {start, block, n}));
    for (size_t j = 0; j < n && !of_counts(task->context); j++) {
        of_random random = of_random_make(0, OF_PURPOSE_EIGEN_START, j);
        x[j * depth] = 1 / (double)n;
        for (size_t i = 1; i < depth; i++)
            x[j * depth + i] = of_random_uniform(&random) - 0.5;
    }
    OF_TRY(multiply_raw(task, depth, x, y));
    OF_COUNTED(task->context);
    for (size_t j = 0; j < n; j++) {
        means->row[j] = y[j * depth];
        means->diagonal[j] = 1;
        means->all += means->row[j] / (double)n;
        memcpy(*start + j * block, y + j * depth + 1, block * sizeof **start);
    }
    return of_kernel_means_scale(n, means);
}

static onefold_status make_task(of_context *context, of_arena *arena, const of_kernel *kernel,
                                tiles_task *task)
{
    size_t n = kernel->view->samples;
    *task = (tiles_task){
        .context = context, .n = n, .samples = of_tiles_make(n, 1, 1024 * sizeof(double))};
    OF_TRY(of_kernel_blocks_make(context, arena, kernel, 0, &task->blocks));
    size_t width = task->blocks.tiles.width;
    return OF_NEW(arena, &task->buffer, of_team_size(context),
                  width * width + 2 * of_kernel_blocks_buffer(&task->blocks));
}

onefold_status of_kernel_means_make(of_context *context, of_arena *arena, const of_kernel *kernel,
                                    of_kernel_means *means)
{
    OF_SCRATCH(scratch, context);
    tiles_task task;
    double *none;
    size_t n = kernel->view->samples;
    if (of_kernel_is_given(kernel->kind)) {
        double *matrix;
        OF_TRY(OF_NEW(&scratch, &matrix, n, n));
        OF_TRY(of_kernel_matrix(context, kernel, OF_RAW, matrix));
        return of_kernel_means_of(context, arena, n, matrix, means);
    }
    OF_TRY(make_task(context, &scratch, kernel, &task));
    return begin(&task, arena, 0, &none, means);
}

onefold_status of_route_tiles(of_context *context, of_route_work *work)
{
    OF_SCRATCH(scratch, context);
    size_t n = work->kernel->view->samples, block = of_tiles_block(n, work->rows),
           deepest = of_eigen_deepest(work->rows, block);
    tiles_task task;
    of_kernel_means means;
    double *start;
    OF_TRY(make_task(context, &scratch, work->kernel, &task));
    OF_TRY(OF_NEW_ALL(&scratch, {&task.centred, deepest, n}, {&task.mean, deepest, 1}));
    OF_TRY(tiles_device_make(&task));
    onefold_status status = begin(&task, &scratch, block, &start, &means);
    task.scale = means.scale;
    if (status == ONEFOLD_OK)
        status = centre(&task, block, NULL, start, task.scale, start);
    if (status == ONEFOLD_OK)
        status = of_eigen_work(context, n, apply, &task, block, 0.5 * work->tolerance, start, work);
    work->on_gpu = task.features != NULL;
    tiles_device_free(&task);
    return status == ONEFOLD_OK ? of_projection_exact(context, work) : status;
}
