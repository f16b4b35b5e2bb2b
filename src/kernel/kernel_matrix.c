/* SPDX-License-Identifier: Apache-2.0 */
/* The whole kernel matrix of a view: blocks of dense features, rows of sparse ones, or as given. */
#include "kernel/exp.h"
#include "kernel/kernel_blocks.h"

#include <string.h>

typedef struct matrix_task {
    const of_kernel *kernel;
    double *matrix;
    size_t n, ldm;
    of_kernel_blocks blocks;
    double *buffer;      /* two tiles per worker */
    of_sparse transpose; /* of sparse features */
    double *half;        /* rbf of sparse features: half the squared length of each sample */
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

static void copy_transposed(size_t rows, size_t columns, const double *from, double *to, size_t ld)
{
    enum { BLOCK = 16 };
    for (size_t c0 = 0; c0 < columns; c0 += BLOCK)
        for (size_t r0 = 0; r0 < rows; r0 += BLOCK)
            for (size_t c = c0; c < columns && c < c0 + BLOCK; c++)
                for (size_t r = r0; r < rows && r < r0 + BLOCK; r++)
                    to[r * ld + c] = from[c * ld + r];
}

static onefold_status fill_block(void *opaque, size_t index, int worker)
{
    matrix_task *task = opaque;
    const of_kernel_blocks *blocks = &task->blocks;
    size_t i, j, ldm = task->ldm;
    pair_of(index, &i, &j);
    size_t room = of_kernel_blocks_buffer(blocks);
    /* no buffer: tiles are used where they lie */
    double *one = task->buffer ? task->buffer + 2 * (size_t)worker * room : NULL,
           *other = one ? one + room : NULL;
    const double *tile_i = of_kernel_blocks_tile(blocks, i, one),
                 *tile_j = i == j ? tile_i : of_kernel_blocks_tile(blocks, j, other);
    size_t row = of_tiles_first(&blocks->tiles, i), column = of_tiles_first(&blocks->tiles, j);
    double *out = task->matrix + row + column * ldm;
    of_kernel_blocks_fill(blocks, i, tile_i, j, tile_j, out, ldm);
    if (i != j)
        copy_transposed(of_tiles_length(&blocks->tiles, i), of_tiles_length(&blocks->tiles, j), out,
                        task->matrix + column + row * ldm, ldm);
    return ONEFOLD_OK;
}

static onefold_status dense_matrix(of_context *context, of_arena *scratch, matrix_task *task,
                                   int centre)
{
    OF_TRY(of_kernel_blocks_make(context, scratch, task->kernel, centre, &task->blocks));
    size_t count = task->blocks.tiles.count;
    if (!task->blocks.all)
        OF_TRY(OF_NEW(scratch, &task->buffer, 2 * (size_t)of_team_size(context),
                      of_kernel_blocks_buffer(&task->blocks)));
    return of_team_run(context, count * (count + 1) / 2, fill_block, task);
}

enum { ROWS_AT_ONCE = 32 };

static onefold_status fill_sparse_rows(void *opaque, size_t index, int worker)
{
    (void)worker;
    matrix_task *task = opaque;
    const of_sparse *features = &task->kernel->features;
    size_t end = (index + 1) * ROWS_AT_ONCE < task->n ? (index + 1) * ROWS_AT_ONCE : task->n;
    for (size_t j = index * ROWS_AT_ONCE; j < end; j++) {
        double *row = task->matrix + j * task->ldm;
        memset(row, 0, task->n * sizeof *row);
        of_sparse_gram_row(features, &task->transpose, j, row);
        if (!task->half)
            continue;
        for (size_t i = 0; i < task->n; i++) {
            double x = 2 / task->kernel->width * (row[i] - (task->half[i] + task->half[j]));
            row[i] = x < 0 && i != j ? x : 0;
        }
        of_exp(task->n, row);
    }
    return ONEFOLD_OK;
}

static onefold_status sparse_matrix(of_context *context, of_arena *scratch, matrix_task *task)
{
    const of_sparse *features = &task->kernel->features;
    OF_TRY(of_sparse_transpose(scratch, features, &task->transpose));
    if (task->kernel->kind == OF_KERNEL_RBF) {
        OF_TRY(OF_NEW_ZERO(scratch, &task->half, task->n, 1));
        for (size_t j = 0; j < task->n; j++)
            for (size_t e = features->start[j]; e < features->start[j + 1]; e++)
                task->half[j] += features->value[e] * features->value[e] / 2;
    }
    return of_team_run(context, (task->n + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE, fill_sparse_rows,
                       task);
}

static onefold_status copy_given(void *opaque, size_t index, int worker)
{
    (void)worker;
    matrix_task *task = opaque;
    size_t first = index * ROWS_AT_ONCE,
           count = task->n - first < ROWS_AT_ONCE ? task->n - first : ROWS_AT_ONCE;
    of_view_tile(task->kernel->view, first, count, task->matrix + first * task->ldm, task->ldm);
    return ONEFOLD_OK;
}

/* Both halves of a pair of square blocks become their mean. */
static onefold_status symmetrise(void *opaque, size_t index, int worker)
{
    (void)worker;
    matrix_task *task = opaque;
    size_t i, j, n = task->n, ldm = task->ldm;
    pair_of(index, &i, &j);
    for (size_t c = j * ROWS_AT_ONCE; c < n && c < (j + 1) * ROWS_AT_ONCE; c++)
        for (size_t r = i * ROWS_AT_ONCE; r < n && r < (i + 1) * ROWS_AT_ONCE; r++)
            if (r > c) {
                double *low = task->matrix + c * ldm + r, *high = task->matrix + r * ldm + c;
                *low = *high = *low / 2 + *high / 2;
            }
    return ONEFOLD_OK;
}

onefold_status of_kernel_matrix(of_context *context, const of_kernel *kernel, of_finish finish,
                                double *matrix, size_t ldm)
{
    OF_SCRATCH(scratch, context);
    matrix_task task = {.kernel = kernel, .matrix = matrix, .n = kernel->view->samples, .ldm = ldm};
    size_t strips = (task.n + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE;
    if (kernel->kind == OF_KERNEL_PRECOMPUTED) {
        OF_TRY(of_team_run(context, strips, copy_given, &task));
        OF_TRY(of_team_run(context, strips * (strips + 1) / 2, symmetrise, &task));
    } else if (kernel->features.start) {
        OF_TRY(sparse_matrix(context, &scratch, &task));
    } else {
        OF_TRY(dense_matrix(context, &scratch, &task, finish == OF_CENTRED_NORMALISED));
    }
    return finish == OF_RAW ? ONEFOLD_OK : of_centre_normalise(context, task.n, matrix, ldm);
}
