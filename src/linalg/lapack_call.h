/* SPDX-License-Identifier: Apache-2.0 */
/* A call of LAPACK as a thing that can be checked, copied and left behind; for lapack*.c alone. */
#ifndef OF_LINALG_LAPACK_CALL_H
#define OF_LINALG_LAPACK_CALL_H

#include "linalg/blas.h"
#include "linalg/lapack.h"

#include <lapacke.h>
#include <pthread.h>

_Static_assert(sizeof(lapack_int) == sizeof(int), "pivots are passed as ints");

/* What a routine is given: read, written, or both. */
typedef struct of_operand {
    void *at;
    size_t size, rows, columns, ld; /* size: bytes of an element */
    int in, out;
} of_operand;

typedef struct of_lapack_call of_lapack_call;
struct of_lapack_call {
    const char *routine;
    lapack_int (*run)(of_lapack_call *c);
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

/* Makes the call, and says what its code means; of_lapack_make leaves that to the caller. */
onefold_status of_lapack_understood(of_context *context, of_lapack_call *call);
onefold_status of_lapack_make(of_context *context, of_lapack_call *call);
onefold_status of_lapack_understand(const of_lapack_call *call);

/* Room for a routine to work in, which is called twice: the first time it says how much it needs.
 *
 *     of_lapack_ask(&room, 0);
 *     do
 *         info = LAPACKE_dxxxxx_work(..., room.number, room.numbers);
 *     while (of_lapack_again(&room, &info));
 *
 * leaves its code in info, or that for no memory, and nothing allocated. */
typedef struct of_lapack_room {
    double *number, first_number;   /* LAPACK's work */
    lapack_int *whole, first_whole; /* and iwork */
    lapack_int numbers, wholes;     /* how long they are; -1: it is asked */
    lapack_int least;               /* of iwork, which not every routine says */
} of_lapack_room;
void of_lapack_ask(of_lapack_room *room, lapack_int least);
int of_lapack_again(of_lapack_room *room, lapack_int *info);

/* Whether operand i, or its lower triangle, has a NaN: some routines would not come back. */
int of_lapack_is_nan(const of_lapack_call *c, int i, int lower);
enum { OF_LAPACK_NAN = -1 };

static inline double *numbers(const of_lapack_call *c, int i)
{
    return c->x[i].at;
}

static inline lapack_int ld(const of_lapack_call *c, int i)
{
    return (lapack_int)c->x[i].ld;
}

static inline lapack_int rows(const of_lapack_call *c, int i)
{
    return (lapack_int)c->x[i].rows;
}

static inline lapack_int columns(const of_lapack_call *c, int i)
{
    return (lapack_int)c->x[i].columns;
}

#define OF_MATRIX(pointer, height, width, stride, reads, writes)                                   \
    {                                                                                              \
        (void *)(pointer), sizeof *(pointer), (height), (width), (stride), (reads), (writes)       \
    }
#define OF_VECTOR(pointer, length, reads, writes)                                                  \
    OF_MATRIX(pointer, length, 1, (length) > 0 ? (length) : 1, reads, writes)

static inline double least(size_t a, size_t b)
{
    return (double)(a < b ? a : b);
}

#endif
