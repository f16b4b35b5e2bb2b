/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse views between the types they are held in and those that products need. */
#include "data/csr.h"

of_csr of_csr_of(const of_sparse *matrix)
{
    of_csr same = {.rows = matrix->rows,
                   .columns = matrix->columns,
                   .start = matrix->start,
                   .index = matrix->index,
                   .value = matrix->value};
    return same;
}

of_csr of_csr_part(const of_csr *matrix, size_t first, size_t count)
{
    of_csr part = *matrix;
    size_t size = matrix->narrow_start ? sizeof(uint32_t) : sizeof(size_t);
    part.start = (const char *)matrix->start + first * size;
    part.rows = count;
    return part;
}

static onefold_status native_start(of_arena *arena, const of_csr *matrix, const size_t **start)
{
    size_t *copy;
    if (!matrix->narrow_start) {
        *start = matrix->start;
        return ONEFOLD_OK;
    }
    OF_TRY(OF_NEW(arena, &copy, matrix->rows + 1, 1));
    for (size_t j = 0; j <= matrix->rows; j++)
        copy[j] = of_csr_start(matrix, j);
    *start = copy;
    return ONEFOLD_OK;
}

static onefold_status native_index(of_arena *arena, const of_csr *matrix, const uint32_t **index)
{
    uint32_t *copy;
    if (!matrix->wide_index) {
        *index = matrix->index;
        return ONEFOLD_OK;
    }
    OF_TRY(OF_NEW(arena, &copy, of_csr_entries(matrix), 1));
    for (size_t e = 0; e < of_csr_entries(matrix); e++)
        copy[e] = of_csr_index(matrix, e);
    *index = copy;
    return ONEFOLD_OK;
}

static onefold_status native_value(of_arena *arena, const of_csr *matrix, const double **value)
{
    double *copy;
    if (!matrix->single_value) {
        *value = matrix->value;
        return ONEFOLD_OK;
    }
    OF_TRY(OF_NEW(arena, &copy, of_csr_entries(matrix), 1));
    for (size_t e = 0; e < of_csr_entries(matrix); e++)
        copy[e] = of_csr_value(matrix, e);
    *value = copy;
    return ONEFOLD_OK;
}

onefold_status of_csr_native(of_arena *arena, const of_csr *matrix, of_sparse *native)
{
    of_sparse made = {.rows = matrix->rows, .columns = matrix->columns};
    OF_TRY(native_start(arena, matrix, &made.start));
    OF_TRY(native_index(arena, matrix, &made.index));
    OF_TRY(native_value(arena, matrix, &made.value));
    *native = made;
    return ONEFOLD_OK;
}

size_t of_csr_bytes(const of_csr *matrix)
{
    size_t entry = (matrix->wide_index ? sizeof(uint64_t) : sizeof(uint32_t)) +
                   (matrix->single_value ? sizeof(float) : sizeof(double));
    return (matrix->rows + 1) * (matrix->narrow_start ? sizeof(uint32_t) : sizeof(size_t)) +
           of_csr_entries(matrix) * entry;
}
