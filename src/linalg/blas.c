/* SPDX-License-Identifier: Apache-2.0 */
/* One-threaded BLAS, whichever BLAS it is. */
#include "linalg/blas.h"

/* OpenBLAS's own switch, where the BLAS is OpenBLAS; another BLAS leaves these NULL. */
extern void openblas_set_num_threads(int) __attribute__((weak));
extern int openblas_get_num_threads(void) __attribute__((weak));

int of_blas_enter(void)
{
    if (!openblas_set_num_threads || !openblas_get_num_threads)
        return 0;
    int previous = openblas_get_num_threads();
    if (previous != 1)
        openblas_set_num_threads(1);
    return previous;
}

void of_blas_leave(int previous)
{
    if (previous > 1 && openblas_set_num_threads)
        openblas_set_num_threads(previous);
}

static CBLAS_TRANSPOSE transpose(char op)
{
    return op == 'T' ? CblasTrans : CblasNoTrans;
}

void of_gemm(char op_a, char op_b, size_t rows, size_t columns, size_t inner, double alpha,
             const double *a, size_t lda, const double *b, size_t ldb, double beta, double *c,
             size_t ldc)
{
    cblas_dgemm(CblasColMajor, transpose(op_a), transpose(op_b), (int)rows, (int)columns,
                (int)inner, alpha, a, (int)lda, b, (int)ldb, beta, c, (int)ldc);
}

double of_dot(size_t rows, size_t columns, const double *a, size_t lda, const double *b, size_t ldb)
{
    double sum = 0;
    for (size_t j = 0; j < columns; j++)
        sum += cblas_ddot((int)rows, a + j * lda, 1, b + j * ldb, 1);
    return sum;
}
