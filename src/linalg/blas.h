/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BLAS and LAPACK, held to one thread: OpenBLAS changes bits with its thread count, so it is called
 * single-threaded inside our own tiles. Thin shorthands with our types; what has a side longer than
 * BLAS can count is cut into pieces, and refused by what calls LAPACK (lapack.h).
 */
#ifndef OF_LINALG_BLAS_H
#define OF_LINALG_BLAS_H

#include "base/blas_threads.h"
#include "base/status.h"

#include <cblas.h>

/* C = alpha op(A) op(B) + beta C, column-major: C is rows x columns, op(A) rows x inner. 'N' or
 * 'T'. */
void of_gemm(char op_a, char op_b, size_t rows, size_t columns, size_t inner, double alpha,
             const double *a, size_t lda, const double *b, size_t ldb, double beta, double *c,
             size_t ldc);

/* The same with sides of at most `most` for BLAS (of_gemm: INT_MAX). */
void of_gemm_within(size_t most, char op_a, char op_b, size_t rows, size_t columns, size_t inner,
                    double alpha, const double *a, size_t lda, const double *b, size_t ldb,
                    double beta, double *c, size_t ldc);

/* <A, B> = sum of products of entries, both rows x columns. */
double of_dot(size_t rows, size_t columns, const double *a, size_t lda, const double *b,
              size_t ldb);

/* x *= factor, and y += factor x, of any length. */
void of_scale(size_t length, double factor, double *x);
void of_add(size_t length, double factor, const double *x, double *y);

/* The same at most `most` at once for BLAS (of_scale, of_add: INT_MAX). */
void of_scale_within(size_t most, size_t length, double factor, double *x);
void of_add_within(size_t most, size_t length, double factor, const double *x, double *y);

#endif
