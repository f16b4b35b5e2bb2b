/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse matrices compressed by row, and their products with a block of vectors. */
#ifndef OF_LINALG_SPARSE_H
#define OF_LINALG_SPARSE_H

#include "base/memory.h"

/* Compressed by row: row j has entries start[j] .. start[j+1]-1. Columns rise within a row. */
typedef struct of_sparse {
    size_t rows, columns;
    const size_t *start;   /* rows + 1 */
    const uint32_t *index; /* column numbers */
    const double *value;
} of_sparse;

static inline size_t of_sparse_entries(const of_sparse *matrix)
{
    return matrix->start[matrix->rows];
}

/* A matrix with room for `entries` entries, from `arena`. *made: its arrays, for the caller to
 * fill. `start` has memory also where the context counts. */
typedef struct of_entries {
    size_t *start;
    uint32_t *index;
    double *value;
} of_entries;
onefold_status of_sparse_make(of_arena *arena, size_t rows, size_t columns, size_t entries,
                              of_sparse *matrix, of_entries *made);

/* The transpose (columns x rows), its arrays from `arena`. */
onefold_status of_sparse_transpose(of_arena *arena, const of_sparse *matrix, of_sparse *transpose);

/* The rows with these numbers, in this order; arrays are from `arena`. */
onefold_status of_sparse_take_rows(of_arena *arena, const of_sparse *matrix, const size_t *row,
                                   size_t count, of_sparse *taken);

/* The same, where SIZE_MAX stands for a row without entries, or if `marked` with one NaN. */
onefold_status of_sparse_order_rows(of_arena *arena, const of_sparse *matrix, const size_t *row,
                                    size_t count, int marked, of_sparse *taken);

/* Y = X A'. X is `depth` x A.columns and Y `depth` x A.rows, both packed column by column. For X A,
 * pass the transpose. */
onefold_status of_sparse_apply(of_context *context, const of_sparse *matrix, size_t depth,
                               const double *x, double *y);

/* Columns first .. end - 1 of Y = X A' alone, on this thread. */
void of_sparse_apply_rows(const of_sparse *matrix, size_t first, size_t end, size_t depth,
                          const double *x, double *y);

/* Adds the transpose's product, X A, to Y (`depth` x A.columns). */
void of_sparse_scatter(const of_sparse *matrix, size_t depth, const double *x, double *y);

/* Adds row `row` of A B' (B.rows numbers) to `out`, from A and the transpose of B. A A' is
 * symmetric to the bit. */
void of_sparse_gram_row(const of_sparse *matrix, const of_sparse *transpose, size_t row,
                        double *out);

#endif
