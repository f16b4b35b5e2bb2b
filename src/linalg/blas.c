/* SPDX-License-Identifier: Apache-2.0 */
/* Products whose sides may be longer than BLAS counts. */
#include "linalg/blas.h"

#include <limits.h>

static CBLAS_TRANSPOSE transpose(char op)
{
    return op == 'T' ? CblasTrans : CblasNoTrans;
}

/* Where even the distance of columns is more than BLAS counts: entry by entry. */
static void multiply_plainly(char op_a, char op_b, size_t rows, size_t columns, size_t inner,
                             double alpha, const double *a, size_t lda, const double *b, size_t ldb,
                             double beta, double *c, size_t ldc)
{
    for (size_t j = 0; j < columns; j++)
        for (size_t i = 0; i < rows; i++) {
            double sum = 0;
            for (size_t l = 0; l < inner; l++)
                sum += (op_a == 'T' ? a[l + i * lda] : a[i + l * lda]) *
                       (op_b == 'T' ? b[j + l * ldb] : b[l + j * ldb]);
            c[i + j * ldc] = alpha * sum + (beta == 0 ? 0 : beta * c[i + j * ldc]);
        }
}

void of_gemm_within(size_t most, char op_a, char op_b, size_t rows, size_t columns, size_t inner,
                    double alpha, const double *a, size_t lda, const double *b, size_t ldb,
                    double beta, double *c, size_t ldc)
{
    if (lda > most || ldb > most || ldc > most) {
        multiply_plainly(op_a, op_b, rows, columns, inner, alpha, a, lda, b, ldb, beta, c, ldc);
    } else if (rows > most) {
        const double *rest = op_a == 'T' ? a + most * lda : a + most;
        of_gemm_within(most, op_a, op_b, most, columns, inner, alpha, a, lda, b, ldb, beta, c, ldc);
        of_gemm_within(most, op_a, op_b, rows - most, columns, inner, alpha, rest, lda, b, ldb,
                       beta, c + most, ldc);
    } else if (columns > most) {
        const double *rest = op_b == 'T' ? b + most : b + most * ldb;
        of_gemm_within(most, op_a, op_b, rows, most, inner, alpha, a, lda, b, ldb, beta, c, ldc);
        of_gemm_within(most, op_a, op_b, rows, columns - most, inner, alpha, a, lda, rest, ldb,
                       beta, c + most * ldc, ldc);
    } else if (inner > most) {
        const double *rest_a = op_a == 'T' ? a + most : a + most * lda,
                     *rest_b = op_b == 'T' ? b + most * ldb : b + most;
        of_gemm_within(most, op_a, op_b, rows, columns, most, alpha, a, lda, b, ldb, beta, c, ldc);
        of_gemm_within(most, op_a, op_b, rows, columns, inner - most, alpha, rest_a, lda, rest_b,
                       ldb, 1, c, ldc);
    } else {
        cblas_dgemm(CblasColMajor, transpose(op_a), transpose(op_b), (int)rows, (int)columns,
                    (int)inner, alpha, a, (int)lda, b, (int)ldb, beta, c, (int)ldc);
    }
}

void of_gemm(char op_a, char op_b, size_t rows, size_t columns, size_t inner, double alpha,
             const double *a, size_t lda, const double *b, size_t ldb, double beta, double *c,
             size_t ldc)
{
    of_gemm_within(INT_MAX, op_a, op_b, rows, columns, inner, alpha, a, lda, b, ldb, beta, c, ldc);
}

double of_dot(size_t rows, size_t columns, const double *a, size_t lda, const double *b, size_t ldb)
{
    double sum = 0;
    for (size_t j = 0; j < columns; j++)
        for (size_t i = 0; i < rows; i += INT_MAX) {
            int length = rows - i < INT_MAX ? (int)(rows - i) : INT_MAX;
            sum += cblas_ddot(length, a + i + j * lda, 1, b + i + j * ldb, 1);
        }
    return sum;
}

void of_scale_within(size_t most, size_t length, double factor, double *x)
{
    for (; length > most; length -= most, x += most)
        cblas_dscal((int)most, factor, x, 1);
    cblas_dscal((int)length, factor, x, 1);
}

void of_add_within(size_t most, size_t length, double factor, const double *x, double *y)
{
    for (; length > most; length -= most, x += most, y += most)
        cblas_daxpy((int)most, factor, x, 1, y, 1);
    cblas_daxpy((int)length, factor, x, 1, y, 1);
}

void of_scale(size_t length, double factor, double *x)
{
    of_scale_within(INT_MAX, length, factor, x);
}

void of_add(size_t length, double factor, const double *x, double *y)
{
    of_add_within(INT_MAX, length, factor, x, y);
}
