/* SPDX-License-Identifier: Apache-2.0 */
/* Transposes of sparse matrices, and their products with a block of vectors, tile by tile. */
#include "linalg/sparse.h"

#include "base/comm.h"
#include "base/team.h"
#include "linalg/simd.h"

#include <math.h>
#include <string.h>

onefold_status of_sparse_make(of_arena *arena, size_t rows, size_t columns, size_t entries,
                              of_sparse *matrix, of_entries *made)
{
    OF_TRY(OF_NEW_THERE(arena, &made->start, rows + 1, 1));
    OF_TRY(OF_NEW(arena, &made->index, entries, 1));
    OF_TRY(OF_NEW(arena, &made->value, entries, 1));
    *matrix = (of_sparse){rows, columns, made->start, made->index, made->value};
    return ONEFOLD_OK;
}

/* A transposition in blocks of rows. First each block counts its entries of every column. The
 * counts give the place of a block's entries within a column, after those of the blocks before it.
 */
typedef struct transpose_task {
    const of_sparse *matrix;
    size_t blocks;
    size_t *next; /* blocks x columns: counts, then the place of the next entry */
    of_entries to;
} transpose_task;

enum { TRANSPOSED = 16, ENTRIES_EACH = 1 << 14 };

static of_range block_rows(const transpose_task *task, size_t block)
{
    size_t rows = task->matrix->rows;
    return (of_range){of_part_start(rows, task->blocks, block),
                      of_part_start(rows, task->blocks, block + 1)};
}

static onefold_status count_block(void *opaque, size_t block)
{
    const transpose_task *task = opaque;
    const of_sparse *matrix = task->matrix;
    of_range rows = block_rows(task, block);
    size_t *count = task->next + block * matrix->columns;
    memset(count, 0, matrix->columns * sizeof *count);
    for (size_t e = matrix->start[rows.first]; e < matrix->start[rows.end]; e++)
        count[matrix->index[e]]++;
    return ONEFOLD_OK;
}

static onefold_status place_block(void *opaque, size_t block)
{
    const transpose_task *task = opaque;
    const of_sparse *matrix = task->matrix;
    of_range rows = block_rows(task, block);
    size_t *next = task->next + block * matrix->columns;
    for (size_t j = rows.first; j < rows.end; j++)
        for (size_t e = matrix->start[j]; e < matrix->start[j + 1]; e++) {
            size_t place = next[matrix->index[e]]++;
            task->to.index[place] = (uint32_t)j;
            task->to.value[place] = matrix->value[e];
        }
    return ONEFOLD_OK;
}

/* Few enough blocks that counting costs less than moving entries. Depends on the matrix alone. */
static size_t count_blocks(const of_sparse *matrix, size_t entries)
{
    size_t blocks = TRANSPOSED;
    while (blocks > 1 &&
           (entries / blocks < ENTRIES_EACH || entries / blocks / 4 < matrix->columns))
        blocks /= 2;
    return blocks;
}

onefold_status of_sparse_transpose(of_arena *arena, const of_sparse *matrix, of_sparse *transpose)
{
    OF_SCRATCH(scratch, arena->context);
    size_t entries = of_sparse_entries(matrix), columns = matrix->columns, at = 0;
    if (matrix->rows > UINT32_MAX)
        return of_fail(ONEFOLD_UNSUPPORTED, "a sparse matrix has %zu rows, more than %u",
                       matrix->rows, UINT32_MAX);
    transpose_task task = {.matrix = matrix, .blocks = count_blocks(matrix, entries)};
    OF_TRY(of_sparse_make(arena, columns, matrix->rows, entries, transpose, &task.to));
    OF_TRY(OF_NEW(&scratch, &task.next, task.blocks, columns));
    memset(task.to.start, 0, (columns + 1) * sizeof *task.to.start);
    task.to.start[columns] = entries;
    OF_COUNTED(arena->context);
    OF_TRY(of_team_run(arena->context, task.blocks, count_block, &task));
    for (size_t c = 0; c < columns; c++) {
        task.to.start[c] = at;
        for (size_t b = 0; b < task.blocks; b++) {
            size_t count = task.next[b * columns + c];
            task.next[b * columns + c] = at;
            at += count;
        }
    }
    return of_team_run(arena->context, task.blocks, place_block, &task);
}

onefold_status of_sparse_order_rows(of_arena *arena, const of_sparse *matrix, const size_t *row,
                                    size_t count, int marked, of_sparse *taken)
{
    size_t entries = 0;
    of_entries to;
    for (size_t i = 0; i < count; i++)
        entries +=
            row[i] == SIZE_MAX ? (size_t)marked : matrix->start[row[i] + 1] - matrix->start[row[i]];
    OF_TRY(of_sparse_make(arena, count, matrix->columns, entries, taken, &to));
    to.start[0] = 0;
    for (size_t i = 0; i < count; i++) {
        static const uint32_t first = 0;
        static const double none = NAN;
        int there = row[i] != SIZE_MAX;
        size_t from = there ? matrix->start[row[i]] : 0,
               many = there ? matrix->start[row[i] + 1] - from : (size_t)marked;
        to.start[i + 1] = to.start[i] + many;
        if (of_counts(arena->context))
            continue;
        memcpy(to.index + to.start[i], there ? matrix->index + from : &first,
               many * sizeof *to.index);
        memcpy(to.value + to.start[i], there ? matrix->value + from : &none,
               many * sizeof *to.value);
    }
    return ONEFOLD_OK;
}

onefold_status of_sparse_take_rows(of_arena *arena, const of_sparse *matrix, const size_t *row,
                                   size_t count, of_sparse *taken)
{
    return of_sparse_order_rows(arena, matrix, row, count, 0, taken);
}

/* Column `row` of X A'. Inlined with a constant depth, the sum stays in registers; the bits are the
 * same. */
static inline __attribute__((always_inline)) void apply_row(const of_sparse *matrix, size_t row,
                                                            size_t depth, const double *restrict x,
                                                            double *restrict sum)
{
    for (size_t i = 0; i < depth; i++)
        sum[i] = 0;
    for (size_t e = matrix->start[row]; e < matrix->start[row + 1]; e++) {
        const double *restrict term = x + matrix->index[e] * depth;
        double weight = matrix->value[e];
        for (size_t i = 0; i < depth; i++)
            sum[i] += weight * term[i];
    }
}

OF_SIMD void of_sparse_apply_rows(const of_sparse *matrix, size_t first, size_t end, size_t depth,
                                  const double *restrict x, double *restrict y)
{
    enum { USUAL = 8 }; /* rows of a block of the eigensolver */
    if (depth != USUAL) {
        for (size_t j = first; j < end; j++)
            apply_row(matrix, j, depth, x, y + j * depth);
        return;
    }
    for (size_t j = first; j < end; j++) {
        double sum[USUAL];
        apply_row(matrix, j, USUAL, x, sum);
        memcpy(y + j * USUAL, sum, sizeof sum);
    }
}

OF_SIMD void of_sparse_scatter(const of_sparse *matrix, size_t depth, const double *restrict x,
                               double *restrict y)
{
    for (size_t j = 0; j < matrix->rows; j++) {
        const double *restrict term = x + j * depth;
        for (size_t e = matrix->start[j]; e < matrix->start[j + 1]; e++) {
            double *restrict sum = y + matrix->index[e] * depth;
            double weight = matrix->value[e];
            for (size_t i = 0; i < depth; i++)
                sum[i] += weight * term[i];
        }
    }
}

typedef struct apply_task {
    const of_sparse *matrix;
    size_t depth;
    const double *x;
    double *y;
    size_t height; /* rows of a piece */
} apply_task;

static onefold_status apply_tile(void *opaque, size_t index)
{
    apply_task *task = opaque;
    size_t first = index * task->height, rows = task->matrix->rows,
           end = first + task->height < rows ? first + task->height : rows;
    of_sparse_apply_rows(task->matrix, first, end, task->depth, task->x, task->y);
    return ONEFOLD_OK;
}

onefold_status of_sparse_apply(of_context *context, const of_sparse *matrix, size_t depth,
                               const double *x, double *y)
{
    /* rows are summed one by one, so the height does not change the result */
    enum { PIECES = 64, FEWEST = 16 };
    size_t height = (matrix->rows + PIECES - 1) / PIECES;
    apply_task task = {matrix, depth, x, y, height < FEWEST ? FEWEST : height};
    return of_team_run(context, (matrix->rows + task.height - 1) / task.height, apply_tile, &task);
}

void of_sparse_gram_row(const of_sparse *matrix, const of_sparse *transpose, size_t row,
                        double *out)
{
    for (size_t e = matrix->start[row]; e < matrix->start[row + 1]; e++) {
        double weight = matrix->value[e];
        uint32_t column = matrix->index[e];
        for (size_t f = transpose->start[column]; f < transpose->start[column + 1]; f++)
            out[transpose->index[f]] += weight * transpose->value[f];
    }
}
