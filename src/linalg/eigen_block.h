/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The largest eigenvalues of a symmetric operator that is only applied, and their vectors: block
 * Lanczos with full orthogonalisation and thick restarts. A residual test ends it.
 */
#ifndef OF_LINALG_EIGEN_BLOCK_H
#define OF_LINALG_EIGEN_BLOCK_H

#include "base/comm.h"
#include "base/memory.h"

/* y = x A for symmetric A (n x n): x and y are depth x n packed, a sample's numbers contiguous. */
typedef onefold_status (*of_operator_apply)(void *task, size_t depth, const double *x, double *y);

typedef struct of_eigen_options {
    size_t count;             /* eigenpairs wanted, 1 .. n */
    size_t block;             /* rows the operator is applied to at once; 0: 8 */
    size_t most;              /* rows of basis held at most, 0: of_eigen_most */
    double tolerance;         /* ||A v - lambda v|| / lambda_1 that is promised */
    double aim;               /* the same, worked for; at most the tolerance */
    size_t most_applications; /* 0: 1000 */
    const double *start;      /* block x n to start from, or NULL: random */
} of_eigen_options;

typedef struct of_eigen_result {
    double residual; /* largest ||A v - lambda v|| / lambda_1, computed from the vectors given */
    size_t rank;     /* pairs with lambda > OF_EIGEN_RANK lambda_1; the others are zero */
    size_t applications; /* blocks the operator was applied to, the last check included */
    size_t rows;         /* rows it was applied to in all, the last check left out */
    size_t restarts;
    int converged; /* residual <= tolerance */
} of_eigen_result;

/* An eigenvalue at most this share of the largest counts as zero. */
#define OF_EIGEN_RANK 1e-10

/* value (count, descending) and vector (count x n). Pairs beyond
 * the numerical rank are zero. Eigenvalues of any multiplicity are found as often as they occur. */
onefold_status of_eigen_block(of_context *context, size_t n, of_operator_apply apply, void *task,
                              const of_eigen_options *options, double *value, of_share vector,
                              of_eigen_result *result);

/* Rows of basis that are held unless told otherwise, and the bytes all of it takes. */
size_t of_eigen_most(size_t n, size_t count, size_t block);
size_t of_eigen_bytes(of_context *context, size_t n, size_t count, size_t block, size_t most);

#endif
