/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The largest eigenvalues of a symmetric operator that is only applied, and their eigenvectors:
 * block Lanczos with full orthogonalisation and thick restarts, until the residuals are small.
 */
#ifndef OF_LINALG_EIGEN_BLOCK_H
#define OF_LINALG_EIGEN_BLOCK_H

#include "base/comm.h"
#include "base/memory.h"
#include "base/team.h"

/*
 * An orthonormal basis that grows by blocks of rows. Vectors are rows over n samples and a sample's
 * numbers are contiguous: the basis V is rows x n with leading dimension `most`, a block is packed.
 * Work is tile by tile, with sums in a fixed order.
 */

typedef struct of_basis {
    of_context *context;
    size_t n, rows, most;
    of_tiles tiles;
    of_share v;      /* most x n */
    uint64_t random; /* streams of random rows drawn so far */
    /* scratch */
    double *tile; /* workers x most x tile width */
    double *inner, *gram, *lower;
    int *replaced; /* rows of the block that were negligible */
} of_basis;

/* A basis of up to `most` rows, for blocks of up to `deepest`. */
onefold_status of_basis_make(of_context *context, of_arena *arena, size_t n, size_t most,
                             size_t deepest, of_basis *basis);

/* block (depth x n) <- random vectors of a length near 1. */
onefold_status of_basis_random(of_basis *basis, size_t depth, double *block);

/* Replaces block (depth x n) by Q of block = inner' V + lower Q, whose rows are orthonormal and
 * orthogonal to the basis. Fills `inner` (rows x depth) and the lower triangular `lower` (depth x
 * depth) where not NULL. A row shorter than `negligible` without its part in the basis has a zero
 * row in `lower`, and is replaced by a random direction. */
onefold_status of_basis_orthogonalise(of_basis *basis, size_t depth, double *block,
                                      double negligible, double *inner, double *lower);

/* Appends an orthonormal block. */
onefold_status of_basis_append(of_basis *basis, size_t depth, double *block);

/* out = rotation' V (columns x n); rotation is rows x columns. `out` may be V. */
onefold_status of_basis_combine(const of_basis *basis, size_t columns, const double *rotation,
                                of_share out);

/* y = x A for symmetric A (n x n): x and y are depth x n packed, a sample's numbers contiguous. */
typedef onefold_status (*of_operator_apply)(void *task, size_t depth, const double *x, double *y);

typedef struct of_eigen_options {
    size_t count;             /* eigenpairs wanted, 1 .. n */
    size_t block;             /* rows the operator is applied to at once; 0: 8 */
    size_t most;              /* rows of the basis held at most; 0: eigen_most */
    double tolerance;         /* largest ||A v - lambda v|| / lambda_1 of a converged pair */
    double aim;               /* the same, at which the iteration stops; at most the tolerance */
    size_t most_applications; /* 0: 1000 */
    const double *start;      /* block x n to start from, or NULL: random */
} of_eigen_options;

typedef struct of_eigen_result {
    double residual;     /* largest ||A v - lambda v|| / lambda_1, computed from the result */
    size_t rank;         /* pairs with lambda > OF_EIGEN_RANK lambda_1; the others are zero */
    size_t applications; /* blocks the operator was applied to, the last check included */
    size_t restarts;
    int converged; /* residual <= tolerance */
} of_eigen_result;

/* An eigenvalue at most this share of the largest counts as zero. */
#define OF_EIGEN_RANK 1e-10

/* value (count, descending) and vector (count x n). Pairs beyond the numerical rank are zero.
 * Multiple eigenvalues are found as often as they occur. */
OF_PRIVATE onefold_status of_eigen_block(of_context *context, size_t n, of_operator_apply apply,
                                         void *task, const of_eigen_options *options, double *value,
                                         of_share vector, of_eigen_result *result);

#endif
