/* SPDX-License-Identifier: Apache-2.0 */
/* LAPACK's other routines: singular values, orthogonal, triangular and Cholesky factors. */
#include "linalg/lapack_call.h"

static lapack_int run_dgesdd(of_lapack_call *c)
{
    of_lapack_room room;
    lapack_int info;
    if (of_lapack_is_nan(c, 0, 0))
        return OF_LAPACK_NAN;
    of_lapack_ask(&room, 8 * rows(c, 1));
    do {
        info = LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'S', rows(c, 0), columns(c, 0), numbers(c, 0),
                                   ld(c, 0), numbers(c, 1), numbers(c, 2), ld(c, 2), numbers(c, 3),
                                   ld(c, 3), room.number, room.numbers, room.whole);
    } while (of_lapack_again(&room, &info));
    return info;
}

/* The two decompositions take the same. */
static of_lapack_call decomposition(size_t height, size_t width, double *a, size_t lda,
                                    double *value, double *u, size_t ldu, double *vt, size_t ldvt)
{
    size_t side = height < width ? height : width;
    of_lapack_call c = {.operations = 8 * (double)height * (double)width * (double)side,
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
    c.work = 4 * side * side + 7 * side + longer;
    return of_lapack_understood(context, &c);
}

static lapack_int run_dgesvd(of_lapack_call *c)
{
    of_lapack_room room;
    lapack_int info;
    if (of_lapack_is_nan(c, 0, 0))
        return OF_LAPACK_NAN;
    of_lapack_ask(&room, 0);
    do {
        info = LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'S', 'S', rows(c, 0), columns(c, 0),
                                   numbers(c, 0), ld(c, 0), numbers(c, 1), numbers(c, 2), ld(c, 2),
                                   numbers(c, 3), ld(c, 3), room.number, room.numbers);
    } while (of_lapack_again(&room, &info));
    return info;
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

static lapack_int run_dgeqrf(of_lapack_call *c)
{
    of_lapack_room room;
    lapack_int info;
    if (of_lapack_is_nan(c, 0, 0))
        return OF_LAPACK_NAN;
    of_lapack_ask(&room, 0);
    do {
        info = LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, rows(c, 0), columns(c, 0), numbers(c, 0),
                                   ld(c, 0), numbers(c, 1), room.number, room.numbers);
    } while (of_lapack_again(&room, &info));
    return info;
}

onefold_status of_lapack_dgeqrf(of_context *context, size_t height, size_t width, double *a,
                                size_t lda, double *tau)
{
    of_lapack_call c = {.routine = "dgeqrf",
                        .run = run_dgeqrf,
                        .operations = 2 * (double)height * (double)width * least(height, width),
                        .work = 128 * (double)width,
                        .x = {OF_MATRIX(a, height, width, lda, 1, 1),
                              OF_VECTOR(tau, height < width ? height : width, 0, 1)},
                        .operands = 2};
    return of_lapack_understood(context, &c);
}

static lapack_int run_dorgqr(of_lapack_call *c)
{
    of_lapack_room room;
    lapack_int info;
    if (of_lapack_is_nan(c, 0, 0) || of_lapack_is_nan(c, 1, 0))
        return OF_LAPACK_NAN;
    of_lapack_ask(&room, 0);
    do {
        info =
            LAPACKE_dorgqr_work(LAPACK_COL_MAJOR, rows(c, 0), columns(c, 0), rows(c, 1),
                                numbers(c, 0), ld(c, 0), numbers(c, 1), room.number, room.numbers);
    } while (of_lapack_again(&room, &info));
    return info;
}

onefold_status of_lapack_dorgqr(of_context *context, size_t height, size_t width, size_t reflectors,
                                double *a, size_t lda, const double *tau)
{
    of_lapack_call c = {
        .routine = "dorgqr",
        .run = run_dorgqr,
        .operations = 4 * (double)height * (double)width * (double)reflectors,
        .work = 128 * (double)width,
        .x = {OF_MATRIX(a, height, width, lda, 1, 1), OF_VECTOR(tau, reflectors, 1, 0)},
        .operands = 2};
    return of_lapack_understood(context, &c);
}

static lapack_int run_dgetrf(of_lapack_call *c)
{
    if (of_lapack_is_nan(c, 0, 0))
        return OF_LAPACK_NAN;
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

static lapack_int run_dgetrs(of_lapack_call *c)
{
    if (of_lapack_is_nan(c, 0, 0) || of_lapack_is_nan(c, 2, 0))
        return OF_LAPACK_NAN;
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

static lapack_int run_dpotrf(of_lapack_call *c)
{
    return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', rows(c, 0), numbers(c, 0), ld(c, 0));
}

onefold_status of_lapack_dpotrf(of_context *context, size_t n, double *a, size_t lda, int *failed)
{
    double side = (double)n;
    of_lapack_call c = {.routine = "dpotrf",
                        .run = run_dpotrf,
                        .operations = side * side * side / 3,
                        .x = {OF_MATRIX(a, n, n, lda, 1, 1)},
                        .operands = 1};
    OF_TRY(of_lapack_make(context, &c));
    *failed = c.info > 0 ? (int)c.info : 0;
    return c.info > 0 ? ONEFOLD_OK : of_lapack_understand(&c);
}
