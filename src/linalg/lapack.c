/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of LAPACK with checked sizes, and factorisations by them. */
#include "linalg/factor.h"

#include "base/memory.h"
#include "base/team.h"
#include "linalg/blas.h"

#include <lapacke.h>
#include <limits.h>
#include <math.h>
#include <string.h>

/* ---- one call of LAPACK ---------------------------------------------------------------------- */

typedef enum routine { DGEQRF, DGESDD, DGESV, DGESVD, DORGQR, DPOTRF, DSYEVD, DSYEVR } routine;
static const char *const names[] = {"dgeqrf", "dgesdd", "dgesv",  "dgesvd",
                                    "dorgqr", "dpotrf", "dsyevd", "dsyevr"};

typedef struct operand {
    double *at;
    size_t rows, columns;
} operand;

typedef struct call {
    routine routine;
    double most_work; /* numbers in its largest workspace */
    operand x[4];
    lapack_int first, last, found; /* eigenpairs: the wanted ones, and the number found */
} call;

/* LAPACK's work and iwork, with their lengths, and `unused` for outputs that are not read. With
 * lengths of -1 a routine returns the lengths that it needs. */
typedef struct room {
    double *work;
    lapack_int *iwork, *unused;
    lapack_int lwork, liwork;
} room;

static lapack_int run(call *c, const room *r)
{
    lapack_int rows = (lapack_int)c->x[0].rows, columns = (lapack_int)c->x[0].columns, ld[4];
    double *a = c->x[0].at, *b = c->x[1].at, *u = c->x[2].at, *vt = c->x[3].at;
    for (int i = 0; i < 4; i++)
        ld[i] = (lapack_int)(c->x[i].rows ? c->x[i].rows : 1);
    switch (c->routine) {
    case DGEQRF:
        return LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, rows, columns, a, ld[0], b, r->work, r->lwork);
    case DGESDD:
        return LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'S', rows, columns, a, ld[0], b, u, ld[2], vt,
                                   ld[3], r->work, r->lwork, r->unused);
    case DGESV:
        return LAPACKE_dgesv_work(LAPACK_COL_MAJOR, rows, 1, a, ld[0], r->unused, b, ld[1]);
    case DGESVD:
        return LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'S', 'S', rows, columns, a, ld[0], b, u, ld[2],
                                   vt, ld[3], r->work, r->lwork);
    case DORGQR:
        return LAPACKE_dorgqr_work(LAPACK_COL_MAJOR, rows, columns, (lapack_int)c->x[1].rows, a,
                                   ld[0], b, r->work, r->lwork);
    case DPOTRF:
        return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', rows, a, ld[0]);
    case DSYEVD:
        return LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'L', rows, a, ld[0], b, r->work, r->lwork,
                                   r->iwork, r->liwork);
    default:
        return LAPACKE_dsyevr_work(LAPACK_COL_MAJOR, 'V', 'I', 'L', rows, a, ld[0], 0, 0, c->first,
                                   c->last, 0, &c->found, b, u, ld[2], r->unused, r->work, r->lwork,
                                   r->iwork, r->liwork);
    }
}

/* Whether an operand, or its lower triangle, has a NaN. */
static int has_nan(const operand *x, int lower)
{
    for (size_t k = 0; k < x->columns; k++)
        for (size_t j = lower ? k : 0; j < x->rows; j++)
            if (isnan(x->at[k * x->rows + j]))
                return 1;
    return 0;
}

/* Whether an input has a NaN. DPOTRF finds them itself. */
static int is_given_nan(const call *c)
{
    int lower = c->routine == DSYEVD || c->routine == DSYEVR;
    if (c->routine != DPOTRF && has_nan(&c->x[0], lower))
        return 1;
    return (c->routine == DORGQR || c->routine == DGESV) && has_nan(&c->x[1], 0);
}

/* Workspaces of the lengths that the routine asks for. */
static onefold_status make_room(of_arena *arena, call *c, room *r, lapack_int *info)
{
    size_t others = 8 * of_size_least(c->x[0].rows, c->x[0].columns) + 1;
    double lwork = 0;
    lapack_int liwork = 0;
    *r = (room){&lwork, &liwork, &liwork, -1, -1};
    *info = 0;
    if (c->routine != DGESV && c->routine != DPOTRF)
        *info = run(c, r);
    r->lwork = lwork > 1 ? (lapack_int)lwork : 1;
    r->liwork = liwork > 1 ? liwork : 1;
    if (c->routine == DPOTRF)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(arena, &r->work, (size_t)r->lwork, 1));
    OF_TRY(OF_NEW(arena, &r->iwork, (size_t)r->liwork + others, 1));
    r->unused = r->iwork + r->liwork;
    return ONEFOLD_OK;
}

/* ---- checks ------------------------------------------------------------------------------- */

static onefold_status lapack_counts(size_t side)
{
    if (side <= INT_MAX)
        return ONEFOLD_OK;
    return of_fail(ONEFOLD_UNSUPPORTED, "a matrix has a side of %zu, more than LAPACK can count",
                   side);
}

static onefold_status check_sizes(const call *c)
{
    for (int i = 0; i < 4; i++) {
        const operand *x = &c->x[i];
        OF_TRY(lapack_counts(x->rows > x->columns ? x->rows : x->columns));
    }
    if (c->most_work > INT_MAX)
        return of_hint(of_fail(ONEFOLD_UNSUPPORTED,
                               "%s needs %.3g numbers of workspace for a %zu x %zu matrix, more "
                               "than LAPACK can count",
                               names[c->routine], c->most_work, c->x[0].rows, c->x[0].columns),
                       "use fewer samples, or `base` nystrom");
    return ONEFOLD_OK;
}

/* Makes the call. A code above 0 means that the numbers do not allow a result. It is an error,
 * unless `failed` is not NULL: then *failed is the code. */
static onefold_status make(of_context *context, call *c, int *failed)
{
    enum { NAN_GIVEN = -1 };
    size_t height = c->x[0].rows, width = c->x[0].columns;
    room r;
    lapack_int info;
    OF_TRY(check_sizes(c));
    OF_SCRATCH(scratch, context);
    context = scratch.context;
    OF_TRY(make_room(&scratch, c, &r, &info));
    OF_COUNTED(context);
    if (atomic_load(&context->lapack_until_failure) >= 0 &&
        atomic_fetch_sub(&context->lapack_until_failure, 1) == 0)
        info = 1;
    else if (info == 0) /* some routines would never return from a NaN */
        info = is_given_nan(c) ? NAN_GIVEN : run(c, &r);
    if (failed)
        *failed = info > 0 ? (int)info : 0;
    if (info == 0 || (failed && *failed))
        return ONEFOLD_OK;
    return of_fail(ONEFOLD_FAULT, "%s could not factorise a %zu x %zu matrix (code %d)",
                   names[c->routine], height, width, (int)info);
}

/* ---- the routines -------------------------------------------------------------------------- */

static operand matrix(const double *at, size_t rows, size_t columns)
{
    return (operand){(double *)(uintptr_t)at, rows, columns};
}

onefold_status of_lapack_dgeqrf(of_context *context, size_t height, size_t width, double *a,
                                double *tau)
{
    size_t side = height < width ? height : width;
    call c = {
        .routine = DGEQRF,
        .most_work = 128 * (double)width,
        .x = {matrix(a, height, width), matrix(tau, side, 1)},
    };
    return make(context, &c, NULL);
}

onefold_status of_lapack_dorgqr(of_context *context, size_t height, size_t width, size_t reflectors,
                                double *a, const double *tau)
{
    call c = {
        .routine = DORGQR,
        .most_work = 128 * (double)width,
        .x = {matrix(a, height, width), matrix(tau, reflectors, 1)},
    };
    return make(context, &c, NULL);
}

onefold_status of_lapack_dgesv(of_context *context, size_t n, double *a, double *b)
{
    call c = {.routine = DGESV, .x = {matrix(a, n, n), matrix(b, n, 1)}};
    return make(context, &c, NULL);
}

onefold_status of_lapack_dpotrf(of_context *context, size_t n, double *a, int *failed)
{
    call c = {.routine = DPOTRF, .x = {matrix(a, n, n)}};
    return make(context, &c, failed);
}

/* ---- factorisations with our order and sign rules ------------------------------------------ */

onefold_status of_eigh(of_context *context, size_t n, double *a, double *value)
{
    double side = (double)n;
    call c = {
        .routine = DSYEVD,
        .most_work = 1 + 6 * side + 2 * side * side,
        .x = {matrix(a, n, n), matrix(value, n, 1)},
    };
    if (n == 0)
        return ONEFOLD_OK;
    OF_TRY(make(context, &c, NULL));
    OF_COUNTED(of_context_or_default(context));
    for (size_t i = 0; i < n / 2; i++) {
        size_t j = n - 1 - i;
        double swap = value[i];
        value[i] = value[j];
        value[j] = swap;
        cblas_dswap((int)n, a + i * n, 1, a + j * n, 1);
    }
    return ONEFOLD_OK;
}

/* DSYEVR loses half of the digits where entries are near the root of the smallest double. Scales
 * symmetric A (n x n) to a largest entry of 1 to 2 where it is far from that. Returns the power of
 * two by which to multiply the eigenvalues. */
static double bring_near_one(size_t n, double *a)
{
    double most = 0;
    int exponent;
    for (size_t j = 0; j < n; j++)
        for (size_t i = j; i < n; i++)
            most = fmax(most, fabs(a[i + j * n]));
    if (most == 0 || !isfinite(most) || (most > 0x1p-300 && most < 0x1p300))
        return 1;
    (void)frexp(most, &exponent);
    for (size_t e = 0; e < n * n; e++)
        a[e] = ldexp(a[e], 1 - exponent);
    return ldexp(1, exponent - 1);
}

onefold_status of_eigh_top(of_context *context, size_t n, size_t count, double *a, double *value,
                           double *vector)
{
    if (count == 0)
        return ONEFOLD_OK;
    OF_TRY(lapack_counts(n));
    OF_SCRATCH(scratch, context);
    double *all, *diagonal;
    int failed = 0;
    OF_TRY(OF_NEW_ALL(&scratch, {&all, n, 1}, {&diagonal, n, 1}));
    double unit = 1;
    if (!of_counts(scratch.context)) {
        unit = bring_near_one(n, a);
        for (size_t i = 0; i < n; i++)
            diagonal[i] = a[i + i * n];
    }
    call c = {.routine = DSYEVR,
              .most_work = 26 * (double)n,
              .x = {matrix(a, n, n), matrix(all, n, 1), matrix(vector, n, count)},
              .first = (lapack_int)(n - count + 1), /* counted from 1 by rising value */
              .last = (lapack_int)n};
    OF_TRY(make(context, &c, &failed));
    if (of_counts(scratch.context)) /* it may fail */
        return of_eigh(context, n, a, all);
    if (!failed && (size_t)c.found == count) {
        for (size_t i = 0; i < count; i++)
            value[i] = all[count - 1 - i];
        for (size_t i = 0; i < count / 2; i++)
            cblas_dswap((int)n, vector + i * n, 1, vector + (count - 1 - i) * n, 1);
    } else {
        /* DSYEVR fails on some matrices of low rank, such as the kernel of a column of zeros and
         * ones. It has then destroyed the lower triangle and the diagonal: these are restored, and
         * all eigenpairs are computed. */
        for (size_t j = 0; j < n; j++) {
            a[j + j * n] = diagonal[j];
            for (size_t i = j + 1; i < n; i++)
                a[i + j * n] = a[j + i * n];
        }
        OF_TRY(of_eigh(context, n, a, all));
        memcpy(value, all, count * sizeof *value);
        memcpy(vector, a, n * count * sizeof *vector);
    }
    for (size_t i = 0; i < count; i++)
        value[i] *= unit;
    return ONEFOLD_OK;
}

/* Divide and conquer can fail on a matrix with many equal singular values, such as the part between
 * two null spaces, and then prints a line. It pays on large matrices only; up to this side the
 * slower routine without that failure is used. */
enum { DIVIDE_ABOVE = 256, DIVIDE_MOST = 23169 }; /* most: its workspace can be counted */

onefold_status of_svd(of_context *context, size_t rows, size_t columns, double *a, double *value,
                      double *u, double *vt)
{
    size_t least = of_size_least(rows, columns);
    int divide = least > DIVIDE_ABOVE && least <= DIVIDE_MOST;
    double side = (double)least, longer = fmax((double)rows, (double)columns);
    call c = {
        .routine = divide ? DGESDD : DGESVD,
        .most_work = divide ? 4 * side * side + 7 * side + longer
                            : side * side + 70 * (double)(rows + columns),
        .x = {matrix(a, rows, columns), matrix(value, least, 1), matrix(u, rows, least),
              matrix(vt, least, columns)},
    };
    return least ? make(context, &c, NULL) : ONEFOLD_OK;
}

onefold_status of_qr(of_context *context, size_t rows, size_t columns, double *a, double *r)
{
    OF_SCRATCH(scratch, context);
    double *tau;
    OF_TRY(OF_NEW(&scratch, &tau, columns, 2));
    double *sign = tau + columns;
    OF_TRY(of_lapack_dgeqrf(context, rows, columns, a, tau));
    for (size_t j = 0; j < columns && !of_counts(scratch.context); j++)
        sign[j] = a[j + j * rows] < 0 ? -1 : 1;
    for (size_t j = 0; r && j < columns && !of_counts(scratch.context); j++)
        for (size_t i = 0; i < columns; i++)
            r[i + j * columns] = i <= j ? sign[i] * a[i + j * rows] : 0;
    OF_TRY(of_lapack_dorgqr(context, rows, columns, columns, a, tau));
    OF_COUNTED(scratch.context);
    for (size_t j = 0; j < columns; j++)
        if (sign[j] < 0)
            cblas_dscal((int)rows, -1, a + j * rows, 1);
    return ONEFOLD_OK;
}
