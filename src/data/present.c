/* SPDX-License-Identifier: Apache-2.0 */
/* The samples that a view has, as a view; a matrix with its lines in another order. */
#include "data/dataset.h"

#include <math.h>

/* The rows of a dense matrix, with a row contiguous. */
static onefold_status reorder_dense(of_arena *arena, of_matrix *matrix, int both,
                                    const size_t *from, size_t count)
{
    of_type type = matrix->type == OF_F32 ? OF_F32 : OF_F64;
    size_t others = both ? count : matrix->columns;
    void *data;
    OF_TRY(of_arena_allocate(arena, &data, of_type_size(type), count, others));
    for (size_t j = 0; j < count; j++) {
        OF_TRY(of_context_check(arena->context));
        for (size_t i = 0; i < others; i++) {
            size_t line = from[j], other = both ? from[i] : i;
            double value =
                line == SIZE_MAX || other == SIZE_MAX ? NAN : of_matrix_get(matrix, line, other);
            if (type == OF_F32)
                ((float *)data)[j * others + i] = (float)value;
            else
                ((double *)data)[j * others + i] = value;
        }
    }
    matrix->data = data;
    matrix->type = type;
    matrix->row_step = others;
    matrix->column_step = 1;
    return ONEFOLD_OK;
}

/* The rows of a sparse matrix; a missing row has a single NaN, or nothing where `empty`. */
static onefold_status reorder_sparse(of_arena *arena, of_matrix *matrix, int both, int empty,
                                     const size_t *from, size_t count)
{
    OF_SCRATCH(scratch, arena->context);
    of_sparse lines = matrix->sparse, transposed, made;
    if (both || matrix->by_column)
        OF_TRY(of_sparse_transpose(&scratch, &lines, &transposed));
    if (both) { /* columns first; a transposition brings the result back to rows */
        OF_TRY(of_sparse_order_rows(&scratch, matrix->by_column ? &lines : &transposed, from, count,
                                    0, &made));
        OF_TRY(of_sparse_transpose(&scratch, &made, &lines));
    } else if (matrix->by_column) {
        lines = transposed;
    }
    OF_TRY(of_sparse_order_rows(arena, &lines, from, count, !empty, &made));
    matrix->sparse = made;
    matrix->by_column = 0;
    return ONEFOLD_OK;
}

onefold_status of_matrix_reorder(of_arena *arena, of_matrix *matrix, int rows, int both, int empty,
                                 const size_t *from, size_t count)
{
    const uint32_t *unit = matrix->column_unit;
    of_matrix made = rows ? *matrix : of_matrix_transposed(matrix);
    OF_TRY(matrix->storage == OF_SPARSE ? reorder_sparse(arena, &made, both, empty, from, count)
                                        : reorder_dense(arena, &made, both, from, count));
    made.rows = count;
    if (both)
        made.columns = count;
    *matrix = rows ? made : of_matrix_transposed(&made);
    matrix->column_unit = unit;
    return ONEFOLD_OK;
}

/* ---- samples that are present --------------------------------------------------------------- */

onefold_status of_present_view(of_arena *arena, const of_dataset *dataset, size_t view, int square,
                               const of_view **compact)
{
    OF_SCRATCH(scratch, arena->context);
    const of_view *whole = &dataset->views[view];
    size_t *which, count = 0;
    of_view *made;
    *compact = whole;
    if (of_present_missing(dataset, view) == 0)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(&scratch, &which, dataset->samples, 1));
    OF_TRY(OF_NEW(arena, &made, 1, 1));
    for (size_t j = 0; j < dataset->samples; j++)
        if (of_present_at(dataset, j, view))
            which[count++] = j;
    square = square && whole->samples == whole->columns;
    *made = *whole;
    OF_TRY(of_matrix_reorder(arena, made, 1, square, 1, which, count));
    if (square)
        made->column_names = NULL;
    *compact = made;
    return ONEFOLD_OK;
}
