/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of cblas.h and lapacke.h, handed to the Fortran routines: everything by address, and
 * the length of every text at the end, as Fortran's compilers expect. */
#include "cblas.h"
#include "lapacke.h"

typedef size_t length; /* of a text of one character: 1 */

extern double ddot_(const int *, const double *, const int *, const double *, const int *);
extern double dnrm2_(const int *, const double *, const int *);
extern int idamax_(const int *, const double *, const int *);
extern void daxpy_(const int *, const double *, const double *, const int *, double *, const int *);
extern void dcopy_(const int *, const double *, const int *, double *, const int *);
extern void dscal_(const int *, const double *, double *, const int *);
extern void dswap_(const int *, double *, const int *, double *, const int *);
extern void dgemv_(const char *, const int *, const int *, const double *, const double *,
                   const int *, const double *, const int *, const double *, double *, const int *,
                   length);
extern void dgemm_(const char *, const char *, const int *, const int *, const int *,
                   const double *, const double *, const int *, const double *, const int *,
                   const double *, double *, const int *, length, length);
extern void sgemm_(const char *, const char *, const int *, const int *, const int *, const float *,
                   const float *, const int *, const float *, const int *, const float *, float *,
                   const int *, length, length);
extern void dsyrk_(const char *, const char *, const int *, const int *, const double *,
                   const double *, const int *, const double *, double *, const int *, length,
                   length);
extern void dtrmm_(const char *, const char *, const char *, const char *, const int *, const int *,
                   const double *, const double *, const int *, double *, const int *, length,
                   length, length, length);
extern void dtrsm_(const char *, const char *, const char *, const char *, const int *, const int *,
                   const double *, const double *, const int *, double *, const int *, length,
                   length, length, length);

extern void dgesdd_(const char *, const int *, const int *, double *, const int *, double *,
                    double *, const int *, double *, const int *, double *, const int *, int *,
                    int *, length);
extern void dgesvd_(const char *, const char *, const int *, const int *, double *, const int *,
                    double *, double *, const int *, double *, const int *, double *, const int *,
                    int *, length, length);
extern void dgeqrf_(const int *, const int *, double *, const int *, double *, double *,
                    const int *, int *);
extern void dorgqr_(const int *, const int *, const int *, double *, const int *, const double *,
                    double *, const int *, int *);
extern void dgesv_(const int *, const int *, double *, const int *, int *, double *, const int *,
                   int *);
extern void dpotrf_(const char *, const int *, double *, const int *, int *, length);
extern void dsyevd_(const char *, const char *, const int *, double *, const int *, double *,
                    double *, const int *, int *, const int *, int *, length, length);
extern void dsyevr_(const char *, const char *, const char *, const int *, double *, const int *,
                    const double *, const double *, const int *, const int *, const double *, int *,
                    double *, double *, const int *, int *, double *, const int *, int *,
                    const int *, int *, length, length, length);

static const char *transposed(CBLAS_TRANSPOSE trans)
{
    return trans == CblasNoTrans ? "N" : "T";
}

static const char *triangle(CBLAS_UPLO uplo)
{
    return uplo == CblasUpper ? "U" : "L";
}

static const char *diagonal(CBLAS_DIAG diag)
{
    return diag == CblasUnit ? "U" : "N";
}

static const char *side_of(CBLAS_SIDE side)
{
    return side == CblasLeft ? "L" : "R";
}

double cblas_ddot(int n, const double *x, int incx, const double *y, int incy)
{
    return ddot_(&n, x, &incx, y, &incy);
}

double cblas_dnrm2(int n, const double *x, int incx)
{
    return dnrm2_(&n, x, &incx);
}

size_t cblas_idamax(int n, const double *x, int incx)
{
    int place = idamax_(&n, x, &incx); /* from 1; 0 where there is nothing */
    return place > 0 ? (size_t)place - 1 : 0;
}

void cblas_daxpy(int n, double alpha, const double *x, int incx, double *y, int incy)
{
    daxpy_(&n, &alpha, x, &incx, y, &incy);
}

void cblas_dcopy(int n, const double *x, int incx, double *y, int incy)
{
    dcopy_(&n, x, &incx, y, &incy);
}

void cblas_dscal(int n, double alpha, double *x, int incx)
{
    dscal_(&n, &alpha, x, &incx);
}

void cblas_dswap(int n, double *x, int incx, double *y, int incy)
{
    dswap_(&n, x, &incx, y, &incy);
}

void cblas_dgemv(CBLAS_ORDER order, CBLAS_TRANSPOSE trans, int m, int n, double alpha,
                 const double *a, int lda, const double *x, int incx, double beta, double *y,
                 int incy)
{
    (void)order;
    dgemv_(transposed(trans), &m, &n, &alpha, a, &lda, x, &incx, &beta, y, &incy, 1);
}

void cblas_dgemm(CBLAS_ORDER order, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, int m, int n,
                 int k, double alpha, const double *a, int lda, const double *b, int ldb,
                 double beta, double *c, int ldc)
{
    (void)order;
    dgemm_(transposed(transa), transposed(transb), &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c,
           &ldc, 1, 1);
}

void cblas_sgemm(CBLAS_ORDER order, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, int m, int n,
                 int k, float alpha, const float *a, int lda, const float *b, int ldb, float beta,
                 float *c, int ldc)
{
    (void)order;
    sgemm_(transposed(transa), transposed(transb), &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c,
           &ldc, 1, 1);
}

void cblas_dsyrk(CBLAS_ORDER order, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int n, int k,
                 double alpha, const double *a, int lda, double beta, double *c, int ldc)
{
    (void)order;
    dsyrk_(triangle(uplo), transposed(trans), &n, &k, &alpha, a, &lda, &beta, c, &ldc, 1, 1);
}

void cblas_dtrmm(CBLAS_ORDER order, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa,
                 CBLAS_DIAG diag, int m, int n, double alpha, const double *a, int lda, double *b,
                 int ldb)
{
    (void)order;
    dtrmm_(side_of(side), triangle(uplo), transposed(transa), diagonal(diag), &m, &n, &alpha, a,
           &lda, b, &ldb, 1, 1, 1, 1);
}

void cblas_dtrsm(CBLAS_ORDER order, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa,
                 CBLAS_DIAG diag, int m, int n, double alpha, const double *a, int lda, double *b,
                 int ldb)
{
    (void)order;
    dtrsm_(side_of(side), triangle(uplo), transposed(transa), diagonal(diag), &m, &n, &alpha, a,
           &lda, b, &ldb, 1, 1, 1, 1);
}

/* LAPACKE counts the layout as the first argument. */
static int counted(int info)
{
    return info < 0 ? info - 1 : info;
}

int LAPACKE_dgesdd_work(int layout, char jobz, int m, int n, double *a, int lda, double *s,
                        double *u, int ldu, double *vt, int ldvt, double *work, int lwork,
                        int *iwork)
{
    int info = 0;
    (void)layout;
    dgesdd_(&jobz, &m, &n, a, &lda, s, u, &ldu, vt, &ldvt, work, &lwork, iwork, &info, 1);
    return counted(info);
}

int LAPACKE_dgesvd_work(int layout, char jobu, char jobvt, int m, int n, double *a, int lda,
                        double *s, double *u, int ldu, double *vt, int ldvt, double *work,
                        int lwork)
{
    int info = 0;
    (void)layout;
    dgesvd_(&jobu, &jobvt, &m, &n, a, &lda, s, u, &ldu, vt, &ldvt, work, &lwork, &info, 1, 1);
    return counted(info);
}

int LAPACKE_dgeqrf_work(int layout, int m, int n, double *a, int lda, double *tau, double *work,
                        int lwork)
{
    int info = 0;
    (void)layout;
    dgeqrf_(&m, &n, a, &lda, tau, work, &lwork, &info);
    return counted(info);
}

int LAPACKE_dorgqr_work(int layout, int m, int n, int k, double *a, int lda, const double *tau,
                        double *work, int lwork)
{
    int info = 0;
    (void)layout;
    dorgqr_(&m, &n, &k, a, &lda, tau, work, &lwork, &info);
    return counted(info);
}

int LAPACKE_dgesv_work(int layout, int n, int nrhs, double *a, int lda, int *ipiv, double *b,
                       int ldb)
{
    int info = 0;
    (void)layout;
    dgesv_(&n, &nrhs, a, &lda, ipiv, b, &ldb, &info);
    return counted(info);
}

int LAPACKE_dpotrf_work(int layout, char uplo, int n, double *a, int lda)
{
    int info = 0;
    (void)layout;
    dpotrf_(&uplo, &n, a, &lda, &info, 1);
    return counted(info);
}

int LAPACKE_dsyevd_work(int layout, char jobz, char uplo, int n, double *a, int lda, double *w,
                        double *work, int lwork, int *iwork, int liwork)
{
    int info = 0;
    (void)layout;
    dsyevd_(&jobz, &uplo, &n, a, &lda, w, work, &lwork, iwork, &liwork, &info, 1, 1);
    return counted(info);
}

int LAPACKE_dsyevr_work(int layout, char jobz, char range, char uplo, int n, double *a, int lda,
                        double vl, double vu, int il, int iu, double abstol, int *m, double *w,
                        double *z, int ldz, int *isuppz, double *work, int lwork, int *iwork,
                        int liwork)
{
    int info = 0;
    (void)layout;
    dsyevr_(&jobz, &range, &uplo, &n, a, &lda, &vl, &vu, &il, &iu, &abstol, m, w, z, &ldz, isuppz,
            work, &lwork, iwork, &liwork, &info, 1, 1, 1);
    return counted(info);
}
