/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dense factorisations, and the routines of LAPACK that they are made of: lapack.c is the only file
 * that calls it. Matrices are column-major and packed. Sides and workspaces that
 * LAPACK's ints cannot count are refused before it is called.
 */
#ifndef OF_LINALG_FACTOR_H
#define OF_LINALG_FACTOR_H

#include "base/memory.h"

/* A = V diag(value) V' for symmetric A (n x n, lower triangle read; overwritten by V). Values come
 * in descending order, with their vectors. Of sides above OF_EIGH_MOST LAPACK could not count the
 * workspace: they are refused. */
enum { OF_EIGH_MOST = 32766 };
onefold_status of_eigh(of_context *context, size_t n, double *a, double *value /* n */);

/* The `count` largest eigenvalues of symmetric A (n x n, both triangles, destroyed), descending,
 * with vectors (n x count). */
onefold_status of_eigh_top(of_context *context, size_t n, size_t count, double *a,
                           double *value /* count */, double *vector);

/* Thin SVD A = U diag(value) V' of A (rows x columns, destroyed); r = min(rows, columns);
 * U rows x r, Vt r x columns, values descending. */
onefold_status of_svd(of_context *context, size_t rows, size_t columns, double *a, double *value,
                      double *u, double *vt);

/* What W = U V' has where A has singular values below 1e-12 of the largest: */
typedef enum of_polar_null {
    OF_POLAR_ANY,  /* vectors that LAPACK completes it by */
    OF_POLAR_DROP, /* nothing: a partial isometry */
    /* The isometry nearest to the one (orthonormal columns, rows >= columns) that W holds before:
     * nothing depends on how a LAPACK completes a null space. */
    OF_POLAR_NEAR
} of_polar_null;

/* W = U V' for the thin SVD of A (rows x columns, kept). */
onefold_status of_polar(of_context *context, size_t rows, size_t columns, const double *a,
                        of_polar_null null, double *w);

/* Q of A = QR with the diagonal of R positive, in place (rows >= columns). R (columns x columns) is
 * given if not NULL. */
onefold_status of_qr(of_context *context, size_t rows, size_t columns, double *a, double *r);

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

/*
 * The part of a matrix's singular spectrum above a cut. It comes from the symmetric eigenproblem of
 * the shorter side's Gram matrix, of which only the vectors above the cut are computed; where the
 * cut is so far below the largest value that squaring would cost digits, a singular value
 * decomposition takes over. The bits do not depend on the number of threads.
 */

/* Singular values above a cut with their vectors, packed. Arrays are from the caller's arena. */
typedef struct of_spectrum {
    size_t rank;   /* how many */
    double *value; /* rank, descending */
    double *left;  /* rows x rank, or NULL */
    double *right; /* columns x rank, or NULL */
} of_spectrum;

/* The singular triplets of A (rows x columns, kept) with values > cut: values right and both
 * sides orthonormal to rounding of the largest value, A v = s u and A'u = s v to 1e-11 of it.
 * Unless `both`, the vectors of the shorter side only (left when rows <= columns), and values right
 * to 1e-11 of the largest: all that soft thresholding needs, at about half the price. */
onefold_status of_spectrum_above(of_context *context, of_arena *arena, size_t rows, size_t columns,
                                 const double *a, double cut, int both, of_spectrum *spectrum);

/*
 * Thresholding: the proximal steps of the sum of singular values, of the sum of their powers and of
 * the sum of column lengths.
 */

/* B = U max(S - cut, 0) V' for A = U S V' (rows x columns, kept; B may not overlap it): the
 * proximal step of cut times the sum of singular values. `rank` is that of B, `sum` the sum of its
 * singular values. */
onefold_status of_threshold_singular(of_context *context, size_t rows, size_t columns,
                                     const double *a, double cut, double *b, size_t *rank,
                                     double *sum);

/* Shortens every column of A (rows x columns, in place) by cut, or to zero: the proximal step of
 * cut times the sum of column lengths, which after it is returned. */
double of_threshold_columns(size_t rows, size_t columns, double *a, double cut);

/* Each is LAPACK's routine of that name, for the lower triangle where it has the choice.
 * ONEFOLD_FAULT with the routine's code where it fails. */
onefold_status of_lapack_dgeqrf(of_context *context, size_t rows, size_t columns, double *a,
                                double *tau);
/* `columns` columns of Q, of which the first `reflectors` hold reflectors. */
onefold_status of_lapack_dorgqr(of_context *context, size_t rows, size_t columns, size_t reflectors,
                                double *a, const double *tau);
/* Solves A x = b for one right hand side, in its place; A is gone. */
onefold_status of_lapack_dgesv(of_context *context, size_t n, double *a, double *b /* n */);
/* *failed: the order of the first minor that is not positive, 0: none; that is no error. */
onefold_status of_lapack_dpotrf(of_context *context, size_t n, double *a, int *failed);

#endif
