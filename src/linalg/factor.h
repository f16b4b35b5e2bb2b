/* SPDX-License-Identifier: Apache-2.0 */
/* Small dense factorisations on LAPACK. Matrices are column-major with a leading dimension. */
#ifndef OF_LINALG_FACTOR_H
#define OF_LINALG_FACTOR_H

#include "base/memory.h"

/* A = V diag(value) V' for symmetric A (n x n, lower triangle read; overwritten by V). Values come
 * in descending order, with their vectors. */
onefold_status of_eigh(of_context *context, size_t n, double *a, size_t lda, double *value /* n */);

/* The same where sides above `most` take the way with less workspace (of_eigh: OF_DSYEVD_MOST). */
onefold_status of_eigh_within(of_context *context, size_t most, size_t n, double *a, size_t lda,
                              double *value /* n */);

/* The `count` largest eigenvalues of symmetric A (n x n, both triangles, destroyed), descending,
 * with vectors (n x count). */
onefold_status of_eigh_top(of_context *context, size_t n, size_t count, double *a, size_t lda,
                           double *value /* count */, double *vector, size_t ldv);

/* Thin SVD A = U diag(value) V' of A (rows x columns, destroyed); r = min(rows, columns);
 * U rows x r, Vt r x columns, values descending. */
onefold_status of_svd(of_context *context, size_t rows, size_t columns, double *a, size_t lda,
                      double *value, double *u, size_t ldu, double *vt, size_t ldvt);

/* W = U V' for the thin SVD of A (rows x columns, kept): the partial isometry, singular values
 * below 1e-12 of the largest dropped when `drop`, else the factor LAPACK completes. */
onefold_status of_polar(of_context *context, size_t rows, size_t columns, const double *a,
                        size_t lda, int drop, double *w, size_t ldw);

/* The same without a loss of rank: where A has singular values below 1e-12 of the largest, W is
 * completed by the isometry nearest to `near` (rows x columns, rows >= columns, orthonormal
 * columns, may be W itself), so that nothing depends on how a LAPACK completes a null space. */
onefold_status of_polar_near(of_context *context, size_t rows, size_t columns, const double *a,
                             size_t lda, const double *near, size_t ldn, double *w, size_t ldw);

/* Q of A = QR with the diagonal of R positive, in place (rows >= columns). R (columns x columns) is
 * given if not NULL. */
onefold_status of_qr(of_context *context, size_t rows, size_t columns, double *a, size_t lda,
                     double *r, size_t ldr);

/*
 * The orthogonal matrix that best fits a thin product. For A of rank r << n the maximisers of
 * <Q, A> over orthogonal Q are many; the one nearest a given Q is unique but where the two fight
 * (an angle of 90 degrees), and differs from it in a 2r-dimensional subspace only.
 */

/* Replaces Q (n x n, orthogonal, packed) by the maximiser of <Q, B T'> nearest to it, for B (n x
 * thin, packed, destroyed) and a T of orthonormal columns of which only Q T is needed: `qt` (n x
 * thin, packed) is Q T and becomes the new Q T. Singular values of B up to 1e-10 of the largest
 * count as zero; B = 0 leaves Q as it is. Price: about 8 n^2 thin multiplications and additions. */
onefold_status of_polar_nearest(of_context *context, size_t n, size_t thin, double *b, double *q,
                                double *qt);

#endif
