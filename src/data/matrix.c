/* SPDX-License-Identifier: Apache-2.0 */
/* One element of a matrix, whatever type and order it is held in. */
#include "data/matrix.h"

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
