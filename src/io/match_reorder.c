/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix with its samples in another order, and with lines of NaN for those it lacks. */
#include "io/match.h"

#include <math.h>

typedef struct reorder {
    const of_matrix *matrix;
    int rows, both;
    const size_t *from;
    size_t count, others; /* lines, and what each has */
} reorder;

static double element(const reorder *task, size_t line, size_t other)
{
    if (task->both)
        other = task->from[other];
    if (line == SIZE_MAX || other == SIZE_MAX)
        return NAN;
    return task->rows ? of_matrix_get(task->matrix, line, other)
                      : of_matrix_get(task->matrix, other, line);
}

static onefold_status reorder_dense(of_arena *arena, const reorder *task, of_matrix *to)
{
    int single = task->matrix->type == OF_F32;
    float *floats = NULL;
    double *doubles = NULL;
    if (single)
        OF_TRY(OF_NEW(arena, &floats, task->count, task->others));
    else
        OF_TRY(OF_NEW(arena, &doubles, task->count, task->others));
    for (size_t j = 0; j < task->count; j++) {
        OF_TRY(of_context_check(arena->context));
        for (size_t i = 0; i < task->others; i++) {
            double value = element(task, task->from[j], i);
            if (single)
                floats[j * task->others + i] = (float)value;
            else
                doubles[j * task->others + i] = value;
        }
    }
    to->data = single ? (const void *)floats : (const void *)doubles;
    to->type = single ? OF_F32 : OF_F64;
    to->row_step = task->rows ? task->others : 1;
    to->column_step = task->rows ? 1 : task->others;
    return ONEFOLD_OK;
}

/* Lines are the rows of `lines`; a missing one holds a single NaN. */
static onefold_status reorder_sparse(of_arena *arena, const reorder *task, const of_sparse *lines,
                                     of_matrix *to)
{
    size_t entries = task->count, *start, kept = 0, *place = NULL;
    uint32_t *index;
    double *value;
    of_sparse made;
    OF_SCRATCH(scratch, arena->context);
    for (size_t j = 0; j < task->count; j++)
        if (task->from[j] != SIZE_MAX)
            entries += lines->start[task->from[j] + 1] - lines->start[task->from[j]];
    if (task->both) {
        OF_TRY(OF_NEW(&scratch, &place, lines->columns, 1));
        for (size_t j = 0; j < task->count; j++)
            if (task->from[j] != SIZE_MAX)
                place[task->from[j]] = j;
    }
    OF_TRY(OF_NEW(arena, &start, task->count + 1, 1));
    OF_TRY(OF_NEW(arena, &index, entries, 1));
    OF_TRY(OF_NEW(arena, &value, entries, 1));
    for (size_t j = 0; j < task->count; j++) {
        size_t from = task->from[j];
        start[j] = kept;
        if (from == SIZE_MAX) {
            index[kept] = 0;
            value[kept++] = NAN;
            continue;
        }
        for (size_t e = lines->start[from]; e < lines->start[from + 1]; e++) {
            index[kept] = place ? (uint32_t)place[lines->index[e]] : lines->index[e];
            value[kept++] = lines->value[e];
        }
    }
    start[task->count] = kept;
    made = (of_sparse){task->count, task->others, start, index, value};
    if (place) { /* columns are to rise again: transposed twice */
        of_sparse turned;
        OF_TRY(of_sparse_transpose(&scratch, &made, &turned));
        OF_TRY(of_sparse_transpose(arena, &turned, &made));
    }
    to->sparse = of_csr_of(&made);
    to->by_column = (unsigned char)!task->rows;
    return ONEFOLD_OK;
}

onefold_status of_matrix_reorder(of_owner *store, of_matrix *matrix, int rows, int both,
                                 const size_t *from, size_t count)
{
    reorder task = {.matrix = matrix,
                    .rows = rows,
                    .both = both,
                    .from = from,
                    .count = count,
                    .others = both   ? count
                              : rows ? matrix->columns
                                     : matrix->rows};
    of_matrix made = *matrix;
    of_arena *arena = &store->arena;
    if (matrix->storage == OF_SPARSE) {
        OF_SCRATCH(scratch, arena->context);
        of_sparse lines, turned;
        OF_TRY(of_csr_native(&scratch, &matrix->sparse, &lines));
        if (matrix->by_column == rows) {
            OF_TRY(of_sparse_transpose(&scratch, &lines, &turned));
            lines = turned;
        }
        OF_TRY(reorder_sparse(arena, &task, &lines, &made));
    } else {
        OF_TRY(reorder_dense(arena, &task, &made));
    }
    made.owner = store;
    made.rows = rows || both ? count : matrix->rows;
    made.columns = !rows || both ? count : matrix->columns;
    *matrix = made;
    return ONEFOLD_OK;
}
