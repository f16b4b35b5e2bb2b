/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BLAS with our types, on one thread: the results of OpenBLAS depend on its number of threads, so
 * our own tiles call it single-threaded. No side exceeds an int: a view of more columns is refused
 * (kernel/kernel.h), samples come in tiles, and larger square matrices are refused (factor.h).
 */
#ifndef OF_LINALG_BLAS_H
#define OF_LINALG_BLAS_H

#include "base/blas_threads.h"
#include "base/context.h"
#include "base/status.h"

#include <cblas.h>

/* C = alpha op(A) op(B) + beta C, column-major: C is rows x columns, op(A) rows x inner. 'N' or
 * 'T'. */
OF_PRIVATE void of_gemm(char op_a, char op_b, size_t rows, size_t columns, size_t inner,
                        double alpha, const double *a, size_t lda, const double *b, size_t ldb,
                        double beta, double *c, size_t ldc);

/* <A, B> = sum of products of entries, both rows x columns and packed. */
OF_PRIVATE double of_dot(size_t rows, size_t columns, const double *a, const double *b);

/* y += factor x, of any length. */
OF_PRIVATE void of_add(size_t length, double factor, const double *x, double *y);

/* B = A' (A rows x columns), B columns x rows; the two do not overlap. */
OF_PRIVATE void of_transpose(size_t rows, size_t columns, const double *a, size_t lda, double *b,
                             size_t ldb);

/*
 * Products of big matrices on the thread team. The result is cut into tiles by its shape alone, and
 * a tile is one single-threaded BLAS call, so the bits do not depend on the number of threads.
 * Matrices are column-major with a leading dimension.
 */

/* C = alpha op(A) op(B) + beta C, as of_gemm: C is rows x columns, op(A) rows x inner, op(B)
 * inner x columns. */
OF_PRIVATE onefold_status of_team_gemm(of_context *context, char op_a, char op_b, size_t rows,
                                       size_t columns, size_t inner, double alpha, const double *a,
                                       size_t lda, const double *b, size_t ldb, double beta,
                                       double *c, size_t ldc);

/* C = alpha A A' + beta C ('N', A n x inner) or alpha A'A + beta C ('T', A inner x n). Tiles above
 * the diagonal are copied, so C is exactly symmetric and takes half the time. With beta != 0, C
 * must be symmetric before; its lower triangle is read. */
OF_PRIVATE onefold_status of_team_syrk(of_context *context, char op, size_t n, size_t inner,
                                       double alpha, const double *a, size_t lda, double beta,
                                       double *c, size_t ldc);

#endif
