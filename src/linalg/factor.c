/* SPDX-License-Identifier: Apache-2.0 */
/* Eigen, singular value, polar and QR factorisations with our order and sign rules. */
#include "linalg/factor.h"

#include "linalg/blas.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static onefold_status lapack_status(lapack_int info, const char *routine, size_t rows,
                                    size_t columns)
{
    if (info == 0)
        return ONEFOLD_OK;
    if (info == LAPACK_WORK_MEMORY_ERROR || info == LAPACK_TRANSPOSE_MEMORY_ERROR)
        return of_fail(ONEFOLD_NO_MEMORY, "there is no memory to factorise %zu x %zu numbers", rows,
                       columns);
    return of_fail(ONEFOLD_FAULT, "%s could not factorise a %zu x %zu matrix (code %d)", routine,
                   rows, columns, (int)info);
}

/* LAPACK counts in ints. */
static onefold_status check_sides(size_t a, size_t b, size_t c)
{
    size_t most = a > b ? a : b;
    most = most > c ? most : c;
    if (most <= INT_MAX)
        return ONEFOLD_OK;
    return of_fail(ONEFOLD_UNSUPPORTED, "a matrix has a side of %zu, more than LAPACK can count",
                   most);
}

onefold_status of_eigh(of_context *context, size_t n, double *a, size_t lda, double *value)
{
    (void)context;
    if (n == 0)
        return ONEFOLD_OK;
    OF_TRY(check_sides(n, lda, 0));
    lapack_int info =
        LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', (lapack_int)n, a, (lapack_int)lda, value);
    OF_TRY(lapack_status(info, "dsyevd", n, n));
    for (size_t i = 0; i < n / 2; i++) {
        size_t j = n - 1 - i;
        double swap = value[i];
        value[i] = value[j];
        value[j] = swap;
        cblas_dswap((int)n, a + i * lda, 1, a + j * lda, 1);
    }
    return ONEFOLD_OK;
}

/* LAPACK's way to a few eigenpairs loses half of the digits where entries are near the root of the
 * least number there is. Brings symmetric A (n x n) to a largest entry of 1 to 2 where it is far
 * from that; a power of two, by which the eigenvalues are to be multiplied then. */
static double bring_near_one(size_t n, double *a, size_t lda)
{
    double most = 0;
    int exponent;
    for (size_t j = 0; j < n; j++)
        for (size_t i = j; i < n; i++)
            most = fmax(most, fabs(a[i + j * lda]));
    if (most == 0 || !isfinite(most) || (most > 0x1p-300 && most < 0x1p300))
        return 1;
    (void)frexp(most, &exponent);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            a[i + j * lda] = ldexp(a[i + j * lda], 1 - exponent);
    return ldexp(1, exponent - 1);
}

/* LAPACK's way to a few eigenpairs gives up on some matrices of low rank, such as the kernel of a
 * column of zeros and ones. It has then used up the lower triangle and the diagonal: these are put
 * back, and all eigenpairs are made. */
static onefold_status top_of_all(of_context *context, size_t n, size_t count, double *a, size_t lda,
                                 const double *diagonal, double *all, double *value, double *vector,
                                 size_t ldv)
{
    for (size_t j = 0; j < n; j++) {
        a[j + j * lda] = diagonal[j];
        for (size_t i = j + 1; i < n; i++)
            a[i + j * lda] = a[j + i * lda];
    }
    OF_TRY(of_eigh(context, n, a, lda, all));
    memcpy(value, all, count * sizeof *value);
    for (size_t i = 0; i < count; i++)
        memcpy(vector + i * ldv, a + i * lda, n * sizeof *vector);
    return ONEFOLD_OK;
}

onefold_status of_eigh_top(of_context *context, size_t n, size_t count, double *a, size_t lda,
                           double *value, double *vector, size_t ldv)
{
    if (count == 0)
        return ONEFOLD_OK;
    OF_TRY(check_sides(n, lda, ldv));
    OF_SCRATCH(scratch, context);
    double *all, *diagonal;
    lapack_int *support, found = 0;
    OF_TRY(OF_NEW(&scratch, &all, n, 1));
    OF_TRY(OF_NEW(&scratch, &diagonal, n, 1));
    OF_TRY(OF_NEW(&scratch, &support, 2 * n, 1));
    double unit = bring_near_one(n, a, lda);
    cblas_dcopy((int)n, a, (int)lda + 1, diagonal, 1);
    lapack_int info =
        LAPACKE_dsyevr(LAPACK_COL_MAJOR, 'V', 'I', 'L', (lapack_int)n, a, (lapack_int)lda, 0, 0,
                       (lapack_int)(n - count + 1), (lapack_int)n, 0, &found, all, vector,
                       (lapack_int)ldv, support);
    int gave_up = info > 0 || (info == 0 && (size_t)found != count);
    if (gave_up)
        OF_TRY(top_of_all(context, n, count, a, lda, diagonal, all, value, vector, ldv));
    else
        OF_TRY(lapack_status(info, "dsyevr", n, n));
    for (size_t i = 0; !gave_up && i < count; i++)
        value[i] = all[count - 1 - i];
    for (size_t i = 0; !gave_up && i < count / 2; i++)
        cblas_dswap((int)n, vector + i * ldv, 1, vector + (count - 1 - i) * ldv, 1);
    for (size_t i = 0; i < count; i++)
        value[i] *= unit;
    return ONEFOLD_OK;
}

/* Divide and conquer can fail on a matrix with many equal singular values, such as what lies
 * between two null spaces, and then prints besides. It pays on large matrices only; up to this side
 * the slower way that has no such case is taken. */
enum { DIVIDE_ABOVE = 256 };

onefold_status of_svd(of_context *context, size_t rows, size_t columns, double *a, size_t lda,
                      double *value, double *u, size_t ldu, double *vt, size_t ldvt)
{
    if (rows == 0 || columns == 0)
        return ONEFOLD_OK;
    OF_TRY(check_sides(rows, columns, lda));
    OF_TRY(check_sides(ldu, ldvt, 0));
    if (rows > DIVIDE_ABOVE && columns > DIVIDE_ABOVE) {
        lapack_int info =
            LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'S', (lapack_int)rows, (lapack_int)columns, a,
                           (lapack_int)lda, value, u, (lapack_int)ldu, vt, (lapack_int)ldvt);
        return lapack_status(info, "dgesdd", rows, columns);
    }
    OF_SCRATCH(scratch, context);
    double *unsettled;
    OF_TRY(OF_NEW(&scratch, &unsettled, rows < columns ? rows : columns, 1));
    lapack_int info =
        LAPACKE_dgesvd(LAPACK_COL_MAJOR, 'S', 'S', (lapack_int)rows, (lapack_int)columns, a,
                       (lapack_int)lda, value, u, (lapack_int)ldu, vt, (lapack_int)ldvt, unsettled);
    return lapack_status(info, "dgesvd", rows, columns);
}

onefold_status of_qr(of_context *context, size_t rows, size_t columns, double *a, size_t lda,
                     double *r, size_t ldr)
{
    OF_TRY(check_sides(rows, columns, lda));
    OF_SCRATCH(scratch, context);
    double *tau;
    OF_TRY(OF_NEW(&scratch, &tau, columns, 2));
    double *sign = tau + columns;
    lapack_int info = LAPACKE_dgeqrf(LAPACK_COL_MAJOR, (lapack_int)rows, (lapack_int)columns, a,
                                     (lapack_int)lda, tau);
    OF_TRY(lapack_status(info, "dgeqrf", rows, columns));
    for (size_t j = 0; j < columns; j++)
        sign[j] = a[j + j * lda] < 0 ? -1 : 1;
    if (r)
        for (size_t j = 0; j < columns; j++)
            for (size_t i = 0; i < columns; i++)
                r[i + j * ldr] = i <= j ? sign[i] * a[i + j * lda] : 0;
    info = LAPACKE_dorgqr(LAPACK_COL_MAJOR, (lapack_int)rows, (lapack_int)columns,
                          (lapack_int)columns, a, (lapack_int)lda, tau);
    OF_TRY(lapack_status(info, "dorgqr", rows, columns));
    for (size_t j = 0; j < columns; j++)
        if (sign[j] < 0)
            cblas_dscal((int)rows, -1, a + j * lda, 1);
    return ONEFOLD_OK;
}
