/* SPDX-License-Identifier: Apache-2.0 */
/* LAPACK's other routines: singular values, orthogonal, triangular and Cholesky factors. */
#include "linalg/lapack.h"

#include <stdlib.h>

static double *numbers(const of_lapack_call *c, int i)
{
    return c->x[i].at;
}

static lapack_int ld(const of_lapack_call *c, int i)
{
    return (lapack_int)c->x[i].ld;
}

static lapack_int rows(const of_lapack_call *c, int i)
{
    return (lapack_int)c->x[i].rows;
}

static lapack_int columns(const of_lapack_call *c, int i)
{
    return (lapack_int)c->x[i].columns;
}

static double least(size_t a, size_t b)
{
    return (double)(a < b ? a : b);
}

static lapack_int run_dgesdd(of_lapack_call *c, of_lapack_room *room)
{
    return LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'S', rows(c, 0), columns(c, 0), numbers(c, 0),
                               ld(c, 0), numbers(c, 1), numbers(c, 2), ld(c, 2), numbers(c, 3),
                               ld(c, 3), room->number, room->numbers, room->whole);
}

#define OF_MATRIX(pointer, height, width, stride, reads, writes)                                   \
    {                                                                                              \
        (void *)(pointer), sizeof *(pointer), (height), (width), (stride), (reads), (writes)       \
    }
#define OF_VECTOR(pointer, length, reads, writes)                                                  \
    OF_MATRIX(pointer, length, 1, (length) > 0 ? (length) : 1, reads, writes)

/* The two decompositions take the same. */
static of_lapack_call decomposition(size_t height, size_t width, double *a, size_t lda,
                                    double *value, double *u, size_t ldu, double *vt, size_t ldvt)
{
    size_t side = height < width ? height : width;
    of_lapack_call c = {.operations = 8 * (double)height * (double)width * (double)side,
                        .asks = 1,
                        .x = {OF_MATRIX(a, height, width, lda, 1, 1), OF_VECTOR(value, side, 0, 1),
                              OF_MATRIX(u, height, side, ldu, 0, 1),
                              OF_MATRIX(vt, side, width, ldvt, 0, 1)},
                        .operands = 4};
    return c;
}

onefold_status of_lapack_dgesdd(of_context *context, size_t height, size_t width, double *a,
                                size_t lda, double *value, double *u, size_t ldu, double *vt,
                                size_t ldvt)
{
    double side = least(height, width), longer = (double)(height > width ? height : width);
    of_lapack_call c = decomposition(height, width, a, lda, value, u, ldu, vt, ldvt);
    c.routine = "dgesdd";
    c.run = run_dgesdd;
    c.least = 8;
    c.work = 4 * side * side + 7 * side + longer;
    return of_lapack_understood(context, &c);
}

static lapack_int run_dgesvd(of_lapack_call *c, of_lapack_room *room)
{
    return LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'S', 'S', rows(c, 0), columns(c, 0), numbers(c, 0),
                               ld(c, 0), numbers(c, 1), numbers(c, 2), ld(c, 2), numbers(c, 3),
                               ld(c, 3), room->number, room->numbers);
}

onefold_status of_lapack_dgesvd(of_context *context, size_t height, size_t width, double *a,
                                size_t lda, double *value, double *u, size_t ldu, double *vt,
                                size_t ldvt)
{
    double side = least(height, width);
    of_lapack_call c = decomposition(height, width, a, lda, value, u, ldu, vt, ldvt);
    c.routine = "dgesvd";
    c.run = run_dgesvd;
    c.work = side * side + 70 * (double)(height + width);
    return of_lapack_understood(context, &c);
}

static lapack_int run_dgeqrf(of_lapack_call *c, of_lapack_room *room)
{
    return LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, rows(c, 0), columns(c, 0), numbers(c, 0), ld(c, 0),
                               numbers(c, 1), room->number, room->numbers);
}

onefold_status of_lapack_dgeqrf(of_context *context, size_t height, size_t width, double *a,
                                size_t lda, double *tau)
{
    of_lapack_call c = {.routine = "dgeqrf",
                        .run = run_dgeqrf,
                        .asks = 1,
                        .operations = 2 * (double)height * (double)width * least(height, width),
                        .work = 128 * (double)width,
                        .x = {OF_MATRIX(a, height, width, lda, 1, 1),
                              OF_VECTOR(tau, height < width ? height : width, 0, 1)},
                        .operands = 2};
    return of_lapack_understood(context, &c);
}

static lapack_int run_dorgqr(of_lapack_call *c, of_lapack_room *room)
{
    return LAPACKE_dorgqr_work(LAPACK_COL_MAJOR, rows(c, 0), columns(c, 0), rows(c, 1),
                               numbers(c, 0), ld(c, 0), numbers(c, 1), room->number, room->numbers);
}

onefold_status of_lapack_dorgqr(of_context *context, size_t height, size_t width, size_t reflectors,
                                double *a, size_t lda, const double *tau)
{
    of_lapack_call c = {
        .routine = "dorgqr",
        .run = run_dorgqr,
        .asks = 1,
        .operations = 4 * (double)height * (double)width * (double)reflectors,
        .work = 128 * (double)width,
        .x = {OF_MATRIX(a, height, width, lda, 1, 1), OF_VECTOR(tau, reflectors, 1, 0)},
        .operands = 2};
    return of_lapack_understood(context, &c);
}

static lapack_int run_dgetrf(of_lapack_call *c, of_lapack_room *room)
{
    (void)room;
    return LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, rows(c, 0), columns(c, 0), numbers(c, 0), ld(c, 0),
                               c->x[1].at);
}

onefold_status of_lapack_dgetrf(of_context *context, size_t n, double *a, int *pivot)
{
    double side = (double)n;
    of_lapack_call c = {.routine = "dgetrf",
                        .run = run_dgetrf,
                        .operations = side * side * side,
                        .x = {OF_MATRIX(a, n, n, n, 1, 1), OF_VECTOR(pivot, n, 0, 1)},
                        .operands = 2};
    return of_lapack_understood(context, &c);
}

static lapack_int run_dgetrs(of_lapack_call *c, of_lapack_room *room)
{
    (void)room;
    return LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', rows(c, 0), 1, numbers(c, 0), ld(c, 0),
                               c->x[1].at, numbers(c, 2), ld(c, 2));
}

onefold_status of_lapack_dgetrs(of_context *context, size_t n, const double *a, const int *pivot,
                                double *b)
{
    of_lapack_call c = {
        .routine = "dgetrs",
        .run = run_dgetrs,
        .operations = 0, /* one column: never long */
        .x = {OF_MATRIX(a, n, n, n, 1, 0), OF_VECTOR(pivot, n, 1, 0), OF_VECTOR(b, n, 1, 1)},
        .operands = 3};
    return of_lapack_understood(context, &c);
}

static lapack_int run_dpotrf(of_lapack_call *c, of_lapack_room *room)
{
    (void)room;
    return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', rows(c, 0), numbers(c, 0), ld(c, 0));
}

onefold_status of_lapack_dpotrf(of_context *context, size_t n, double *a, size_t lda, int *failed)
{
    double side = (double)n;
    of_lapack_call c = {.routine = "dpotrf",
                        .run = run_dpotrf,
                        .unchecked = 1,
                        .operations = side * side * side / 3,
                        .x = {OF_MATRIX(a, n, n, lda, 1, 1)},
                        .operands = 1};
    OF_TRY(of_lapack_make(context, &c));
    *failed = c.info > 0 ? (int)c.info : 0;
    return c.info > 0 ? ONEFOLD_OK : of_lapack_understand(&c);
}

/* LAPACK's routines for symmetric eigenproblems. */

static lapack_int run_dsyevd(of_lapack_call *c, of_lapack_room *room)
{
    return LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'L', rows(c, 0), numbers(c, 0), ld(c, 0),
                               numbers(c, 1), room->number, room->numbers, room->whole,
                               room->wholes);
}

onefold_status of_lapack_dsyevd(of_context *context, size_t n, double *a, size_t lda, double *value)
{
    double side = (double)n;
    of_lapack_call c = {.routine = "dsyevd",
                        .run = run_dsyevd,
                        .asks = 1,
                        .lower = 1,
                        .operations = 6 * side * side * side,
                        .work = 1 + 6 * side + 2 * side * side,
                        .x = {OF_MATRIX(a, n, n, lda, 1, 1), OF_VECTOR(value, n, 0, 1)},
                        .operands = 2};
    return of_lapack_understood(context, &c);
}

static lapack_int run_dsyevr(of_lapack_call *c, of_lapack_room *room)
{
    return LAPACKE_dsyevr_work(LAPACK_COL_MAJOR, 'V', 'I', 'L', rows(c, 0), numbers(c, 0), ld(c, 0),
                               0, 0, c->first, c->last, 0, &c->found, numbers(c, 1), numbers(c, 2),
                               ld(c, 2), c->x[3].at, room->number, room->numbers, room->whole,
                               room->wholes);
}

onefold_status of_lapack_dsyevr(of_context *context, size_t n, size_t first, size_t last, double *a,
                                size_t lda, double *value, double *vector, size_t ldv,
                                size_t *found, int *failed)
{
    double side = (double)n, count = (double)(last - first + 1);
    lapack_int *support = malloc((2 * n + 1) * sizeof *support);
    if (!support)
        return of_fail(ONEFOLD_NO_MEMORY, "there is no memory to factorise %zu x %zu numbers", n,
                       n);
    of_lapack_call c = {.routine = "dsyevr",
                        .run = run_dsyevr,
                        .asks = 1,
                        .lower = 1,
                        .operations = (2 * side + 4 * count) * side * side,
                        .work = 26 * side,
                        .x = {OF_MATRIX(a, n, n, lda, 1, 1), OF_VECTOR(value, n, 0, 1),
                              OF_MATRIX(vector, n, last - first + 1, ldv, 0, 1),
                              OF_VECTOR(support, 2 * n, 0, 0)},
                        .operands = 4,
                        .first = (lapack_int)first,
                        .last = (lapack_int)last};
    onefold_status status = of_lapack_make(context, &c);
    free(support);
    OF_TRY(status);
    *found = (size_t)c.found;
    *failed = c.info > 0 ? (int)c.info : 0;
    return c.info > 0 ? ONEFOLD_OK : of_lapack_understand(&c);
}

static lapack_int run_dsytrd(of_lapack_call *c, of_lapack_room *room)
{
    return LAPACKE_dsytrd_work(LAPACK_COL_MAJOR, 'L', rows(c, 0), numbers(c, 0), ld(c, 0),
                               numbers(c, 1), numbers(c, 2), numbers(c, 3), room->number,
                               room->numbers);
}

onefold_status of_lapack_dsytrd(of_context *context, size_t n, double *a, size_t lda,
                                double *diagonal, double *beside, double *tau)
{
    size_t less = n ? n - 1 : 0;
    double side = (double)n;
    of_lapack_call c = {.routine = "dsytrd",
                        .run = run_dsytrd,
                        .asks = 1,
                        .lower = 1,
                        .operations = 2 * side * side * side,
                        .work = 128 * side,
                        .x = {OF_MATRIX(a, n, n, lda, 1, 1), OF_VECTOR(diagonal, n, 0, 1),
                              OF_VECTOR(beside, less, 0, 1), OF_VECTOR(tau, less, 0, 1)},
                        .operands = 4};
    return of_lapack_understood(context, &c);
}

static lapack_int run_dsterf(of_lapack_call *c, of_lapack_room *room)
{
    (void)room;
    return LAPACKE_dsterf_work(rows(c, 0), numbers(c, 0), numbers(c, 1));
}

onefold_status of_lapack_dsterf(of_context *context, size_t n, double *diagonal, double *beside)
{
    of_lapack_call c = {.routine = "dsterf",
                        .run = run_dsterf,
                        .operations = 40 * (double)n * (double)n,
                        .x = {OF_VECTOR(diagonal, n, 1, 1), OF_VECTOR(beside, n ? n - 1 : 0, 1, 1)},
                        .operands = 2};
    return of_lapack_understood(context, &c);
}

static lapack_int run_dstemr(of_lapack_call *c, of_lapack_room *room)
{
    lapack_int robust = 1;
    return LAPACKE_dstemr_work(LAPACK_COL_MAJOR, 'V', 'I', rows(c, 0), numbers(c, 0), numbers(c, 1),
                               0, 0, c->first, c->last, &c->found, numbers(c, 2), numbers(c, 3),
                               ld(c, 3), columns(c, 3), c->x[4].at, &robust, room->number,
                               room->numbers, room->whole, room->wholes);
}

onefold_status of_lapack_dstemr(of_context *context, size_t n, size_t first, size_t last,
                                double *diagonal, double *beside, double *value, double *vector)
{
    size_t count = last - first + 1;
    lapack_int *support = malloc((2 * n + 1) * sizeof *support);
    if (!support)
        return of_fail(ONEFOLD_NO_MEMORY, "there is no memory to factorise %zu x %zu numbers", n,
                       count);
    of_lapack_call c = {.routine = "dstemr",
                        .run = run_dstemr,
                        .asks = 1,
                        .operations = 100 * (double)n * (double)count,
                        .work = 18 * (double)n,
                        .x = {OF_VECTOR(diagonal, n, 1, 1), OF_VECTOR(beside, n, 1, 1),
                              OF_VECTOR(value, n, 0, 1), OF_MATRIX(vector, n, count, n, 0, 1),
                              OF_VECTOR(support, 2 * n, 0, 0)},
                        .operands = 5,
                        .first = (lapack_int)first,
                        .last = (lapack_int)last};
    onefold_status status = of_lapack_understood(context, &c);
    free(support);
    return status;
}

static lapack_int run_dstedc(of_lapack_call *c, of_lapack_room *room)
{
    return LAPACKE_dstedc_work(LAPACK_COL_MAJOR, 'I', rows(c, 0), numbers(c, 0), numbers(c, 1),
                               numbers(c, 2), ld(c, 2), room->number, room->numbers, room->whole,
                               room->wholes);
}

onefold_status of_lapack_dstedc(of_context *context, size_t n, double *diagonal, double *beside,
                                double *vector)
{
    double side = (double)n;
    of_lapack_call c = {.routine = "dstedc",
                        .run = run_dstedc,
                        .asks = 1,
                        .operations = 2 * side * side * side,
                        .work = 1 + 4 * side + side * side,
                        .x = {OF_VECTOR(diagonal, n, 1, 1), OF_VECTOR(beside, n ? n - 1 : 0, 1, 1),
                              OF_MATRIX(vector, n, n, n, 0, 1)},
                        .operands = 3};
    return of_lapack_understood(context, &c);
}

static lapack_int run_dormtr(of_lapack_call *c, of_lapack_room *room)
{
    return LAPACKE_dormtr_work(LAPACK_COL_MAJOR, 'L', 'L', 'N', rows(c, 2), columns(c, 2),
                               numbers(c, 0), ld(c, 0), numbers(c, 1), numbers(c, 2), ld(c, 2),
                               room->number, room->numbers);
}

onefold_status of_lapack_dormtr(of_context *context, size_t n, size_t width,
                                const double *reflectors, const double *tau, double *product)
{
    of_lapack_call c = {.routine = "dormtr",
                        .run = run_dormtr,
                        .asks = 1,
                        .lower = 1,
                        .operations = 2 * (double)n * (double)n * (double)width,
                        .work = 128 * (double)width + 5000,
                        .x = {OF_MATRIX(reflectors, n, n, n, 1, 0),
                              OF_VECTOR(tau, n ? n - 1 : 0, 1, 0),
                              OF_MATRIX(product, n, width, n, 1, 1)},
                        .operands = 3};
    return of_lapack_understood(context, &c);
}
