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
int LAPACKE_dgesv_work(int layout, int n, int nrhs, double *a, int lda, int *ipiv, double *b,
                       int ldb);
int LAPACKE_dpotrf_work(int layout, char uplo, int n, double *a, int lda);
int LAPACKE_dsyevd_work(int layout, char jobz, char uplo, int n, double *a, int lda, double *w,
                        double *work, int lwork, int *iwork, int liwork);
int LAPACKE_dsyevr_work(int layout, char jobz, char range, char uplo, int n, double *a, int lda,
                        double vl, double vu, int il, int iu, double abstol, int *m, double *w,
                        double *z, int ldz, int *isuppz, double *work, int lwork, int *iwork,
                        int liwork);

#endif
