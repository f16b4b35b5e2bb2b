/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sparse view as it is held: compressed by sample, with the integers and reals its owner has, so
 * that arrays of a caller need no copy. What multiplies works on of_sparse instead.
 */
#ifndef OF_DATA_CSR_H
#define OF_DATA_CSR_H

#include "linalg/sparse.h"

/* Sample j has entries start[j] .. start[j+1]-1; column numbers rise within a sample. Signed
 * integers have been found not to be negative, and are read as unsigned ones. */
typedef struct of_csr {
    size_t rows, columns;
    const void *start, *index, *value;
    unsigned char narrow_start; /* 32 bits; else 64 */
    unsigned char wide_index;   /* 64 bits; else 32 */
    unsigned char single_value; /* float; else double */
} of_csr;

static inline size_t of_csr_start(const of_csr *matrix, size_t row)
{
    return matrix->narrow_start ? ((const uint32_t *)matrix->start)[row]
                                : ((const size_t *)matrix->start)[row];
}

static inline size_t of_csr_entries(const of_csr *matrix)
{
    return of_csr_start(matrix, matrix->rows);
}

static inline uint32_t of_csr_index(const of_csr *matrix, size_t entry)
{
    return matrix->wide_index ? (uint32_t)((const uint64_t *)matrix->index)[entry]
                              : ((const uint32_t *)matrix->index)[entry];
}

static inline double of_csr_value(const of_csr *matrix, size_t entry)
{
    return matrix->single_value ? (double)((const float *)matrix->value)[entry]
                                : ((const double *)matrix->value)[entry];
}

/* The same arrays under the other type. */
of_csr of_csr_of(const of_sparse *matrix);

/* Rows first .. first+count-1 of it. */
of_csr of_csr_part(const of_csr *matrix, size_t first, size_t count);

/* What multiplies: the same arrays where they are of its types, else copies from `arena`. */
onefold_status of_csr_native(of_arena *arena, const of_csr *matrix, of_sparse *native);

size_t of_csr_bytes(const of_csr *matrix);

#endif
