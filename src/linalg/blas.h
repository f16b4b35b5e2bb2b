/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BLAS and LAPACK, held to one thread: OpenBLAS changes bits with its thread count, so it is called
 * single-threaded inside our own tiles. Thin shorthands with our types. No side is longer than BLAS
 * counts: a view of more columns is refused (kernel/kernel.h), samples come in tiles, and whole
 * matrices of samples by samples are no longer than LAPACK's ints allow (factor.h).
 */
#ifndef OF_LINALG_BLAS_H
#define OF_LINALG_BLAS_H

#include "base/blas_threads.h"
#include "base/context.h"
#include "base/status.h"

#include <cblas.h>

/* C = alpha op(A) op(B) + beta C, column-major: C is rows x columns, op(A) rows x inner. 'N' or
 * 'T'. */
void of_gemm(char op_a, char op_b, size_t rows, size_t columns, size_t inner, double alpha,
             const double *a, size_t lda, const double *b, size_t ldb, double beta, double *c,
             size_t ldc);

/* <A, B> = sum of products of entries, both rows x columns and packed. */
double of_dot(size_t rows, size_t columns, const double *a, const double *b);

/* y += factor x, of any length. */
void of_add(size_t length, double factor, const double *x, double *y);

/* B = A' (A rows x columns), B columns x rows; the two do not overlap. */
void of_transpose(size_t rows, size_t columns, const double *a, size_t lda, double *b, size_t ldb);

/*
 * Products of big matrices on the thread team. The result is cut into tiles by its shape alone and
 * each tile is one single-threaded BLAS call, so the bits do not depend on the number of threads.
 * Matrices are column-major with a leading dimension.
 */

/* C = alpha op(A) op(B) + beta C, as of_gemm: C is rows x columns, op(A) rows x inner, op(B)
 * inner x columns. With a symmetric factor held whole this is the symmetric product too. */
onefold_status of_team_gemm(of_context *context, char op_a, char op_b, size_t rows, size_t columns,
                            size_t inner, double alpha, const double *a, size_t lda,
                            const double *b, size_t ldb, double beta, double *c, size_t ldc);

/* C = alpha A A' + beta C ('N', A n x inner) or alpha A'A + beta C ('T', A inner x n): the tiles
 * below and on the diagonal are worked and mirrored, so C comes out whole and exactly symmetric in
 * half the time. With beta != 0, C must be symmetric before; its lower triangle is read. */
onefold_status of_team_syrk(of_context *context, char op, size_t n, size_t inner, double alpha,
                            const double *a, size_t lda, double beta, double *c, size_t ldc);

#endif
