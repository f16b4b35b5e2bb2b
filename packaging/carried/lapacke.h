/* SPDX-License-Identifier: Apache-2.0 */
/* LAPACKE over the Fortran LAPACK that R and Octave have: what libonefold calls of it, and no more.
 * Matrices are column-major. */
#ifndef OF_CARRIED_LAPACKE_H
#define OF_CARRIED_LAPACKE_H

#define LAPACK_COL_MAJOR 102
#define lapack_int int
#define lapack_logical int
#define LAPACK_WORK_MEMORY_ERROR (-1010)
#define LAPACK_TRANSPOSE_MEMORY_ERROR (-1011)

int LAPACKE_dgesdd_work(int layout, char jobz, int m, int n, double *a, int lda, double *s,
                        double *u, int ldu, double *vt, int ldvt, double *work, int lwork,
                        int *iwork);
int LAPACKE_dgesvd_work(int layout, char jobu, char jobvt, int m, int n, double *a, int lda,
                        double *s, double *u, int ldu, double *vt, int ldvt, double *work,
                        int lwork);
int LAPACKE_dgeqrf_work(int layout, int m, int n, double *a, int lda, double *tau, double *work,
                        int lwork);
int LAPACKE_dorgqr_work(int layout, int m, int n, int k, double *a, int lda, const double *tau,
                        double *work, int lwork);
int LAPACKE_dgetrf_work(int layout, int m, int n, double *a, int lda, int *ipiv);
int LAPACKE_dgetrs_work(int layout, char trans, int n, int nrhs, const double *a, int lda,
                        const int *ipiv, double *b, int ldb);
int LAPACKE_dpotrf_work(int layout, char uplo, int n, double *a, int lda);
int LAPACKE_dsyevd_work(int layout, char jobz, char uplo, int n, double *a, int lda, double *w,
                        double *work, int lwork, int *iwork, int liwork);
int LAPACKE_dsyevr_work(int layout, char jobz, char range, char uplo, int n, double *a, int lda,
                        double vl, double vu, int il, int iu, double abstol, int *m, double *w,
                        double *z, int ldz, int *isuppz, double *work, int lwork, int *iwork,
                        int liwork);
int LAPACKE_dsytrd_work(int layout, char uplo, int n, double *a, int lda, double *d, double *e,
                        double *tau, double *work, int lwork);
int LAPACKE_dsterf_work(int n, double *d, double *e);
int LAPACKE_dstemr_work(int layout, char jobz, char range, int n, double *d, double *e, double vl,
                        double vu, int il, int iu, int *m, double *w, double *z, int ldz, int nzc,
                        int *isuppz, int *tryrac, double *work, int lwork, int *iwork, int liwork);
int LAPACKE_dstedc_work(int layout, char compz, int n, double *d, double *e, double *z, int ldz,
                        double *work, int lwork, int *iwork, int liwork);
int LAPACKE_dormtr_work(int layout, char side, char uplo, char trans, int m, int n, const double *a,
                        int lda, const double *tau, double *c, int ldc, double *work, int lwork);

#endif
