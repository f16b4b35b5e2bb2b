/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dense factorisations, and the routines of LAPACK that they are made of: lapack.c is the only file
 * that calls it. Matrices are column-major with a leading dimension. Sides and workspaces that
 * LAPACK's ints cannot count are refused before it is called; what takes long runs on a thread of
 * its own, so that a cancel is answered at once: the thread then works on copies, and whoever asked
 * does not wait for it.
 */
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

/* Each is LAPACK's routine of that name on column-major matrices, for the lower triangle and with
 * vectors where it has the choice. ONEFOLD_FAULT with the routine's code where it fails. */
onefold_status of_lapack_dsyevd(of_context *context, size_t n, double *a, size_t lda,
                                double *value);
/* The pairs first .. last, counted from 1 by rising value. *failed: the routine's code where it did
 * not come to an end; that is no error, but A is gone. */
onefold_status of_lapack_dsyevr(of_context *context, size_t n, size_t first, size_t last, double *a,
                                size_t lda, double *value /* n */, double *vector, size_t ldv,
                                size_t *found, int *failed);
/* dgesdd where it is to divide and conquer. */
onefold_status of_lapack_dgesvd(of_context *context, int divide, size_t rows, size_t columns,
                                double *a, size_t lda, double *value, double *u, size_t ldu,
                                double *vt, size_t ldvt);
onefold_status of_lapack_dgeqrf(of_context *context, size_t rows, size_t columns, double *a,
                                size_t lda, double *tau);
/* `columns` columns of Q, of which the first `reflectors` hold reflectors. */
onefold_status of_lapack_dorgqr(of_context *context, size_t rows, size_t columns, size_t reflectors,
                                double *a, size_t lda, const double *tau);
/* Solves A x = b for one right hand side, in its place; A is gone. */
onefold_status of_lapack_dgesv(of_context *context, size_t n, double *a, double *b /* n */);
/* *failed: the order of the first minor that is not positive, 0: none; that is no error. */
onefold_status of_lapack_dpotrf(of_context *context, size_t n, double *a, size_t lda, int *failed);

/* The largest side for which a routine's workspace can be counted. */
enum { OF_DSYEVD_MOST = 32766, OF_DGESDD_MOST = 23169 };

#endif
