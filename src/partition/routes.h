/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The routes to a base partition. Each fills H (rows x samples, a sample contiguous, leading
 * dimension ldh) with the leading eigenvectors of the finished kernel, `value` with their
 * eigenvalues, both zero beyond the rank, and says how well it did. Signs are set by the caller.
 * rows is at least 1 and at most the number of samples.
 */
#ifndef OF_PARTITION_ROUTES_H
#define OF_PARTITION_ROUTES_H

#include "linalg/eigen_block.h"
#include "partition/partition.h"

typedef struct of_route_work {
    const of_kernel *kernel;
    size_t rows;
    double tolerance;
    double *H, *value;
    size_t ldh;
    /* what came of it */
    size_t rank;
    double residual;
} of_route_work;

typedef onefold_status (*of_route_run)(of_context *context, of_route_work *work);
onefold_status of_route_gram(of_context *context, of_route_work *work);
onefold_status of_route_krylov(of_context *context, of_route_work *work);
onefold_status of_route_dense(of_context *context, of_route_work *work);
onefold_status of_route_tiles(of_context *context, of_route_work *work);

/* Scratch bytes of each, for `rows` rows. */
size_t of_route_gram_bytes(const of_kernel *kernel, size_t rows);
size_t of_route_krylov_bytes(const of_kernel *kernel, size_t rows);
size_t of_route_dense_bytes(const of_kernel *kernel, size_t rows);
size_t of_route_tiles_bytes(const of_kernel *kernel, size_t rows);

/* A kernel matrix is formed up to this size. */
#define OF_FORMED_BYTES ((size_t)256 << 20)

/* The leading eigenpairs of a symmetric matrix (n x n), by LAPACK where it is
 * small or most pairs are wanted, else by the block eigensolver. Vectors are rows. */
onefold_status of_eigen_matrix(of_context *context, size_t n, const double *matrix,
                               of_route_work *work);
size_t of_eigen_matrix_bytes(size_t n, size_t rows);

/* Hands the block eigensolver's answer over to `work`. */
onefold_status of_eigen_work(of_context *context, size_t n, of_operator_apply apply, void *task,
                             size_t block, double aim, const double *start, of_route_work *work);

#endif
