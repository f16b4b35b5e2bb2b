/* SPDX-License-Identifier: Apache-2.0 */
/* One element of a matrix, whatever type and order it is held in. */
#include "data/matrix.h"

#include "base/mapped.h"

#include <unistd.h>

/* Counted ownership of memory and mapped files. */

onefold_status of_owner_make(of_owner **owner, of_context *context)
{
    OF_SCRATCH(scratch, context);
    of_owner *made;
    OF_TRY(OF_NEW_ZERO(&scratch, &made, 1, 1));
    made->holders = 1;
    made->descriptor = -1;
    /* It lies in its own arena, which of_owner_release copies out before it ends it. */
    made->arena = of_arena_make(scratch.context);
    of_arena_adopt(&made->arena, &scratch);
    *owner = made;
    return ONEFOLD_OK;
}

of_owner *of_owner_retain(of_owner *owner)
{
    if (owner)
        owner->holders++;
    return owner;
}

void of_owner_release(of_owner *owner)
{
    if (!owner || --owner->holders)
        return;
    if (owner->end)
        owner->end(owner->ended);
    if (owner->map)
        of_mapped_end(owner->map, owner->map_size);
    if (owner->descriptor >= 0)
        close(owner->descriptor);
    for (size_t i = 0; i < owner->others; i++)
        of_owner_release(owner->other[i]);
    of_arena arena = owner->arena;
    of_arena_free(&arena);
}

onefold_status of_owner_hold(of_owner *owner, of_owner *other)
{
    if (!other || other == owner)
        return ONEFOLD_OK;
    for (size_t i = 0; i < owner->others; i++)
        if (owner->other[i] == other)
            return ONEFOLD_OK;
    OF_TRY(OF_GROW(&owner->arena, &owner->other, owner->others, &owner->room, owner->others + 1));
    owner->other[owner->others++] = of_owner_retain(other);
    return ONEFOLD_OK;
}

/* Sparse views between the types they are held in and those that products need. */

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

size_t of_type_size(of_type type)
{
    static const size_t sizes[OF_TYPE_COUNT] = {
        [OF_F64] = 8, [OF_F32] = 4, [OF_I8] = 1,  [OF_U8] = 1,  [OF_I16] = 2,
        [OF_U16] = 2, [OF_I32] = 4, [OF_U32] = 4, [OF_I64] = 8, [OF_U64] = 8,
    };
    return sizes[type];
}

double of_type_get(of_type type, const void *data, size_t at)
{
    switch (type) {
    case OF_F64:
        return ((const double *)data)[at];
    case OF_F32:
        return (double)((const float *)data)[at];
    case OF_I8:
        return ((const int8_t *)data)[at];
    case OF_U8:
        return ((const uint8_t *)data)[at];
    case OF_I16:
        return ((const int16_t *)data)[at];
    case OF_U16:
        return ((const uint16_t *)data)[at];
    case OF_I32:
        return ((const int32_t *)data)[at];
    case OF_U32:
        return ((const uint32_t *)data)[at];
    case OF_I64:
        return (double)((const int64_t *)data)[at];
    default:
        return (double)((const uint64_t *)data)[at];
    }
}

static double get_sparse(const of_csr *sparse, size_t line, size_t place)
{
    size_t end = of_csr_start(sparse, line + 1), low = of_csr_start(sparse, line), high = end;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (of_csr_index(sparse, middle) < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && of_csr_index(sparse, low) == place ? of_csr_value(sparse, low) : 0;
}

double of_matrix_get(const of_matrix *matrix, size_t row, size_t column)
{
    if (matrix->storage == OF_SPARSE)
        return matrix->by_column ? get_sparse(&matrix->sparse, column, row)
                                 : get_sparse(&matrix->sparse, row, column);
    return of_type_get(matrix->type, matrix->data,
                       row * matrix->row_step + column * matrix->column_step);
}
