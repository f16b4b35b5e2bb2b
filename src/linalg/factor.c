/* SPDX-License-Identifier: Apache-2.0 */
/* Eigen, singular value, polar and QR factorisations with our order and sign rules. */
#include "linalg/factor.h"

#include "linalg/blas.h"
#include "linalg/lapack.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* All eigenpairs with a matrix of their own and little workspace, for sides whose workspace dsyevd
 * could not count. Rising values. */
static onefold_status eigh_large(of_context *context, size_t n, double *a, size_t lda,
                                 double *value)
{
    OF_SCRATCH(scratch, context);
    double *vector;
    size_t found = 0;
    int failed = 0;
    OF_TRY(OF_NEW(&scratch, &vector, n, n));
    OF_COUNTED(scratch.context);
    OF_TRY(of_lapack_dsyevr(context, n, 1, n, a, lda, value, vector, n, &found, &failed));
    if (failed || found != n)
        return of_fail(ONEFOLD_FAULT, "dsyevr could not factorise a %zu x %zu matrix (code %d)", n,
                       n, failed);
    for (size_t j = 0; j < n; j++)
        memcpy(a + j * lda, vector + j * n, n * sizeof *a);
    return ONEFOLD_OK;
}

onefold_status of_eigh_within(of_context *context, size_t most, size_t n, double *a, size_t lda,
                              double *value)
{
    if (n == 0)
        return ONEFOLD_OK;
    OF_TRY(n > most && n <= INT_MAX ? eigh_large(context, n, a, lda, value)
                                    : of_lapack_dsyevd(context, n, a, lda, value));
    OF_COUNTED(of_context_or_default(context));
    for (size_t i = 0; i < n / 2; i++) {
        size_t j = n - 1 - i;
        double swap = value[i];
        value[i] = value[j];
        value[j] = swap;
        cblas_dswap((int)n, a + i * lda, 1, a + j * lda, 1);
    }
    return ONEFOLD_OK;
}

onefold_status of_eigh(of_context *context, size_t n, double *a, size_t lda, double *value)
{
    return of_eigh_within(context, OF_DSYEVD_MOST, n, a, lda, value);
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
    OF_TRY(of_lapack_counts(n > lda ? n : lda));
    OF_SCRATCH(scratch, context);
    double *all, *diagonal;
    size_t found = 0;
    int failed = 0;
    OF_TRY(OF_NEW(&scratch, &all, n, 1));
    OF_TRY(OF_NEW(&scratch, &diagonal, n, 1));
    OF_COUNTED(scratch.context);
    double unit = bring_near_one(n, a, lda);
    for (size_t i = 0; i < n; i++)
        diagonal[i] = a[i + i * lda];
    OF_TRY(
        of_lapack_dsyevr(context, n, n - count + 1, n, a, lda, all, vector, ldv, &found, &failed));
    int gave_up = failed || found != count;
    if (gave_up)
        OF_TRY(top_of_all(context, n, count, a, lda, diagonal, all, value, vector, ldv));
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
    size_t side = rows < columns ? rows : columns;
    if (side > DIVIDE_ABOVE && side <= OF_DGESDD_MOST)
        return of_lapack_dgesdd(context, rows, columns, a, lda, value, u, ldu, vt, ldvt);
    return of_lapack_dgesvd(context, rows, columns, a, lda, value, u, ldu, vt, ldvt);
}

onefold_status of_qr(of_context *context, size_t rows, size_t columns, double *a, size_t lda,
                     double *r, size_t ldr)
{
    OF_SCRATCH(scratch, context);
    double *tau;
    OF_TRY(OF_NEW(&scratch, &tau, columns, 2));
    OF_COUNTED(scratch.context);
    double *sign = tau + columns;
    OF_TRY(of_lapack_dgeqrf(context, rows, columns, a, lda, tau));
    for (size_t j = 0; j < columns; j++)
        sign[j] = a[j + j * lda] < 0 ? -1 : 1;
    if (r)
        for (size_t j = 0; j < columns; j++)
            for (size_t i = 0; i < columns; i++)
                r[i + j * ldr] = i <= j ? sign[i] * a[i + j * lda] : 0;
    OF_TRY(of_lapack_dorgqr(context, rows, columns, columns, a, lda, tau));
    for (size_t j = 0; j < columns; j++)
        if (sign[j] < 0)
            cblas_dscal((int)rows, -1, a + j * lda, 1);
    return ONEFOLD_OK;
}
