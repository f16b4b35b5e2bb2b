/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dense factorisations, and the routines of LAPACK that they use. lapack.c is the only file that
 * calls LAPACK. Matrices are column-major and packed. Sides and workspaces that exceed LAPACK's
 * ints are refused.
 */
#ifndef OF_LINALG_FACTOR_H
#define OF_LINALG_FACTOR_H

#include "base/memory.h"

/* A = V diag(value) V' for symmetric A (n x n, lower triangle read; overwritten by V). Values are
 * in descending order. Sides above OF_EIGH_MOST are refused: their workspace exceeds LAPACK's ints.
 */
enum { OF_EIGH_MOST = 32766 };
OF_PRIVATE onefold_status of_eigh(of_context *context, size_t n, double *a, double *value /* n */);

/* The `count` largest eigenvalues of symmetric A (n x n, both triangles, destroyed), descending,
 * with vectors (n x count). */
OF_PRIVATE onefold_status of_eigh_top(of_context *context, size_t n, size_t count, double *a,
                                      double *value /* count */, double *vector);

/* Thin SVD A = U diag(value) V' of A (rows x columns, destroyed); r = min(rows, columns);
 * U rows x r, Vt r x columns, values descending. */
OF_PRIVATE onefold_status of_svd(of_context *context, size_t rows, size_t columns, double *a,
                                 double *value, double *u, double *vt);

/* How W = U V' is completed where singular values of A are below 1e-12 of the largest: */
typedef enum of_polar_null {
    OF_POLAR_ANY,  /* with LAPACK's vectors */
    OF_POLAR_DROP, /* not at all: W is a partial isometry */
    /* as the isometry nearest to the one in W before (orthonormal columns, rows >= columns), so
     * that nothing depends on LAPACK's choice */
    OF_POLAR_NEAR
} of_polar_null;

/* W = U V' for the thin SVD of A (rows x columns, kept). */
OF_PRIVATE onefold_status of_polar(of_context *context, size_t rows, size_t columns,
                                   const double *a, of_polar_null null, double *w);

/* Q of A = QR with the diagonal of R positive, in place (rows >= columns). Fills R (columns x
 * columns) if not NULL. */
OF_PRIVATE onefold_status of_qr(of_context *context, size_t rows, size_t columns, double *a,
                                double *r);

/*
 * The orthogonal matrix that best fits a thin product. For A of rank r << n, <Q, A> has many
 * maximisers over orthogonal Q. The one nearest to a given Q is unique, unless their subspaces are
 * at 90 degrees, and differs from it in a 2r-dimensional subspace only.
 */

/* Replaces Q (n x n, orthogonal, packed) by the maximiser of <Q, B T'> nearest to it, for B (n x
 * thin, packed, destroyed) and T with orthonormal columns. Only Q T is needed of T: `qt` (n x thin,
 * packed), which becomes the new Q T. Singular values of B up to 1e-10 of the largest count as
 * zero; B = 0 leaves Q unchanged. Takes about 8 n^2 thin multiplications and additions. */
OF_PRIVATE onefold_status of_polar_nearest(of_context *context, size_t n, size_t thin, double *b,
                                           double *q, double *qt);

/* LAPACK's routines of these names, for the lower triangle. ONEFOLD_FAULT with the routine's code
 * where one fails. */
OF_PRIVATE onefold_status of_lapack_dgeqrf(of_context *context, size_t rows, size_t columns,
                                           double *a, double *tau);
/* The first `columns` columns of Q, from the reflectors in the first `reflectors` columns of A. */
OF_PRIVATE onefold_status of_lapack_dorgqr(of_context *context, size_t rows, size_t columns,
                                           size_t reflectors, double *a, const double *tau);
/* Solves A x = b for one right hand side, in its place; A is destroyed. */
OF_PRIVATE onefold_status of_lapack_dgesv(of_context *context, size_t n, double *a,
                                          double *b /* n */);
/* *failed: the order of the first minor that is not positive, 0: none. Not an error. */
onefold_status of_lapack_dpotrf(of_context *context, size_t n, double *a, int *failed);

#endif
