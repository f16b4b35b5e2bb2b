/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The only place that calls LAPACK. Sides and workspaces that its ints cannot count are refused
 * before it is called; what takes long runs on a thread of its own, so that a cancel is answered at
 * once: the thread then works on copies, and whoever asked does not wait for it.
 */
#ifndef OF_LINALG_LAPACK_H
#define OF_LINALG_LAPACK_H

#include "base/context.h"

#include <stddef.h>

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
