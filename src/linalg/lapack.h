/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The only place that calls LAPACK. Sides and workspaces that its ints cannot count are refused
 * before it is called; what takes long runs on a thread of its own, so that a cancel is answered at
 * once: the thread then works on copies, and whoever asked does not wait for it.
 */
#ifndef OF_LINALG_LAPACK_H
#define OF_LINALG_LAPACK_H

#include "base/context.h"
#include "linalg/blas.h"

#include <lapacke.h>
#include <pthread.h>
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
onefold_status of_lapack_dgesdd(of_context *context, size_t rows, size_t columns, double *a,
                                size_t lda, double *value, double *u, size_t ldu, double *vt,
                                size_t ldvt);
onefold_status of_lapack_dgesvd(of_context *context, size_t rows, size_t columns, double *a,
                                size_t lda, double *value, double *u, size_t ldu, double *vt,
                                size_t ldvt);
onefold_status of_lapack_dgeqrf(of_context *context, size_t rows, size_t columns, double *a,
                                size_t lda, double *tau);
/* `columns` columns of Q, of which the first `reflectors` hold reflectors. */
onefold_status of_lapack_dorgqr(of_context *context, size_t rows, size_t columns, size_t reflectors,
                                double *a, size_t lda, const double *tau);
onefold_status of_lapack_dsytrd(of_context *context, size_t n, double *a, size_t lda,
                                double *diagonal, double *beside, double *tau);
onefold_status of_lapack_dsterf(of_context *context, size_t n, double *diagonal, double *beside);
onefold_status of_lapack_dstemr(of_context *context, size_t n, size_t first, size_t last,
                                double *diagonal, double *beside, double *value, double *vector);
onefold_status of_lapack_dstedc(of_context *context, size_t n, double *diagonal, double *beside,
                                double *vector /* n x n */);
onefold_status of_lapack_dormtr(of_context *context, size_t n, size_t columns,
                                const double *reflectors, const double *tau,
                                double *product /* n x columns */);
onefold_status of_lapack_dgetrf(of_context *context, size_t n, double *a, int *pivot);
onefold_status of_lapack_dgetrs(of_context *context, size_t n, const double *a, const int *pivot,
                                double *b /* n */);
/* *failed: the order of the first minor that is not positive, 0: none; that is no error. */
onefold_status of_lapack_dpotrf(of_context *context, size_t n, double *a, size_t lda, int *failed);

/* The largest side for which a routine's workspace can be counted. */
enum { OF_DSYEVD_MOST = 32766, OF_DSTEDC_MOST = 46338, OF_DGESDD_MOST = 23169 };

/* A call of LAPACK as a thing that can be checked, copied and left behind; for lapack*.c alone. */

_Static_assert(sizeof(lapack_int) == sizeof(int), "pivots are passed as ints");

/* What a routine is given: read, written, or both. */
typedef struct of_operand {
    void *at;
    size_t size, rows, columns, ld; /* size: bytes of an element */
    int in, out;
} of_operand;

/* Room for a routine to work in. It is called twice: first it says how much it needs. */
typedef struct of_lapack_room {
    double *number, first_number;   /* LAPACK's work */
    lapack_int *whole, first_whole; /* and iwork */
    lapack_int numbers, wholes;     /* how long they are; -1: it is asked */
    lapack_int least;               /* of iwork, which not every routine says */
} of_lapack_room;

typedef struct of_lapack_call of_lapack_call;
struct of_lapack_call {
    const char *routine;
    lapack_int (*run)(of_lapack_call *c, of_lapack_room *room);
    int asks;          /* for room */
    lapack_int least;  /* iwork has so many times the rows of operand 1 at least */
    int lower;         /* of operand 0 the lower triangle is read */
    int unchecked;     /* NaN in what is read are the routine's to find */
    double operations; /* of floating point, roughly */
    double work;       /* numbers in its largest workspace */
    of_operand x[6];
    int operands;
    lapack_int first, last, found; /* eigenpairs: which ones, and how many came */
    lapack_int info;
    int ended, left; /* by the thread; by who asked */
    pthread_t thread;
    of_lapack_call *next; /* of those that were left */
};

#endif
