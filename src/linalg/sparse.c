/* SPDX-License-Identifier: Apache-2.0 */
/* Transposes of sparse matrices, and their products with a block of vectors, tile by tile. */
#include "linalg/sparse.h"

#include "base/team.h"
#include "linalg/wide.h"

#include <string.h>

onefold_status of_sparse_transpose(of_arena *arena, const of_sparse *matrix, of_sparse *transpose)
{
    size_t entries = matrix->start[matrix->rows];
    if (matrix->rows > UINT32_MAX)
        return of_fail(ONEFOLD_UNSUPPORTED, "a sparse matrix has %zu rows, more than %u",
                       matrix->rows, UINT32_MAX);
    size_t *start;
    uint32_t *index;
    double *value;
    OF_TRY(OF_NEW_THERE(arena, &start, matrix->columns + 2, 1));
    OF_TRY(OF_NEW(arena, &index, entries, 1));
    OF_TRY(OF_NEW(arena, &value, entries, 1));
    memset(start, 0, (matrix->columns + 2) * sizeof *start);
    *transpose = (of_sparse){matrix->columns, matrix->rows, start, index, value};
    if (of_counts(arena->context))
        start[matrix->columns] = entries;
    OF_COUNTED(arena->context);
    /* start[c + 2] counts column c, then start[c + 1] is where its next entry goes */
    for (size_t e = 0; e < entries; e++)
        start[(size_t)matrix->index[e] + 2]++;
    for (size_t c = 2; c < matrix->columns + 2; c++)
        start[c] += start[c - 1];
    for (size_t j = 0; j < matrix->rows; j++)
        for (size_t e = matrix->start[j]; e < matrix->start[j + 1]; e++) {
            size_t place = start[(size_t)matrix->index[e] + 1]++;
            index[place] = (uint32_t)j;
            value[place] = matrix->value[e];
        }
    return ONEFOLD_OK;
}

onefold_status of_sparse_take_rows(of_arena *arena, const of_sparse *matrix, const size_t *row,
                                   size_t count, of_sparse *taken)
{
    size_t *start, entries = 0;
    uint32_t *index;
    double *value;
    for (size_t i = 0; i < count; i++)
        entries += matrix->start[row[i] + 1] - matrix->start[row[i]];
    OF_TRY(OF_NEW_THERE(arena, &start, count + 1, 1));
    OF_TRY(OF_NEW(arena, &index, entries, 1));
    OF_TRY(OF_NEW(arena, &value, entries, 1));
    start[0] = 0;
    for (size_t i = 0; i < count; i++) {
        size_t from = matrix->start[row[i]], many = matrix->start[row[i] + 1] - from;
        start[i + 1] = start[i] + many;
        if (of_counts(arena->context))
            continue;
        memcpy(index + start[i], matrix->index + from, many * sizeof *index);
        memcpy(value + start[i], matrix->value + from, many * sizeof *value);
    }
    *taken = (of_sparse){count, matrix->columns, start, index, value};
    return ONEFOLD_OK;
}

/* One row's sum of columns of X. Inlined for a depth that is a constant, the sum stays in
 * registers; the bits are the same. */
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

OF_WIDE static void apply_rows(const of_sparse *matrix, size_t first, size_t end, size_t depth,
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

void of_sparse_apply_rows(const of_sparse *matrix, size_t first, size_t end, size_t depth,
                          const double *x, double *y)
{
    apply_rows(matrix, first, end, depth, x, y);
}

OF_WIDE static void scatter_rows(const of_sparse *matrix, size_t first, size_t end, size_t depth,
                                 const double *restrict x, double *restrict y)
{
    for (size_t j = first; j < end; j++) {
        const double *restrict term = x + j * depth;
        for (size_t e = matrix->start[j]; e < matrix->start[j + 1]; e++) {
            double *restrict sum = y + matrix->index[e] * depth;
            double weight = matrix->value[e];
            for (size_t i = 0; i < depth; i++)
                sum[i] += weight * term[i];
        }
    }
}

void of_sparse_scatter_rows(const of_sparse *matrix, size_t first, size_t end, size_t depth,
                            const double *x, double *y)
{
    scatter_rows(matrix, first, end, depth, x, y);
}

typedef struct apply_task {
    const of_sparse *matrix;
    size_t depth;
    const double *x;
    double *y;
    of_tiles tiles;
} apply_task;

static onefold_status apply_tile(void *opaque, size_t index, int worker)
{
    (void)worker;
    apply_task *task = opaque;
    size_t first = of_tiles_first(&task->tiles, index);
    apply_rows(task->matrix, first, first + of_tiles_length(&task->tiles, index), task->depth,
               task->x, task->y);
    return ONEFOLD_OK;
}

onefold_status of_sparse_apply(of_context *context, const of_sparse *matrix, size_t depth,
                               const double *x, double *y)
{
    /* the width changes nothing in the result: every row is summed by itself */
    apply_task task = {matrix, depth, x, y, of_tiles_make(matrix->rows, depth, 64 << 10)};
    return of_team_run(context, task.tiles.count, apply_tile, &task);
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
