/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An orthonormal basis that grows by blocks of rows. Vectors are rows over n samples and a sample's
 * numbers are contiguous: the basis V is rows x n with leading dimension `most`, a block is packed.
 * Everything is worked tile by tile, with sums in a fixed order.
 */
#ifndef OF_LINALG_BASIS_H
#define OF_LINALG_BASIS_H

#include "base/comm.h"
#include "base/memory.h"
#include "base/tiles.h"

typedef struct of_basis {
    of_context *context;
    size_t n, rows, most;
    of_tiles tiles;
    of_share v;      /* most x n */
    size_t deepest;  /* rows a block may have */
    uint64_t random; /* streams of random rows drawn so far */
    /* scratch, per worker or per step */
    double *tile; /* workers x most x tile width */
    double *inner, *gram, *lower;
    int *replaced; /* rows of the block that came to nothing */
} of_basis;

onefold_status of_basis_make(of_context *context, of_arena *arena, size_t n, size_t most,
                             size_t deepest, of_basis *basis);

/* The bytes that of_basis_make takes. */
size_t of_basis_bytes(of_context *context, size_t n, size_t most, size_t deepest);

/* Rows first .. depth-1 of block (depth x n) <- random vectors of a length near 1. */
onefold_status of_basis_random(of_basis *basis, size_t first, size_t depth, double *block);

/* block = inner' V + lower Q: makes the rows of block (depth x n) orthogonal to the basis and
 * orthonormal, in place. `inner` (rows x depth) and the lower triangular `lower` (depth x depth)
 * are given where not NULL. A row that is below `negligible` once the basis is taken out of it has
 * a zero row in `lower` and is replaced by a random direction. */
onefold_status of_basis_orthogonalise(of_basis *basis, size_t depth, double *block,
                                      double negligible, double *inner, double *lower);

/* Appends an orthonormal block. */
onefold_status of_basis_append(of_basis *basis, size_t depth, double *block);

/* out = rotation' V (columns x n); rotation is rows x columns. */
onefold_status of_basis_combine(const of_basis *basis, size_t columns, const double *rotation,
                                of_share out);

/* V <- rotation' V: the basis becomes these combinations of itself. */
onefold_status of_basis_rotate(of_basis *basis, size_t columns, const double *rotation);

#endif
