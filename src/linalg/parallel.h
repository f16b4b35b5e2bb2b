/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of big matrices on the thread team. The result is cut into tiles by its shape alone and
 * each tile is one single-threaded BLAS call, so the bits do not depend on the number of threads.
 * Matrices are column-major with a leading dimension.
 */
#ifndef OF_LINALG_PARALLEL_H
#define OF_LINALG_PARALLEL_H

#include "base/context.h"

/* C = alpha op(A) op(B) + beta C, as of_gemm: C is rows x columns, op(A) rows x inner, op(B)
 * inner x columns. With a symmetric factor held whole this is the symmetric product too. */
onefold_status of_team_gemm(of_context *context, char op_a, char op_b, size_t rows, size_t columns,
                            size_t inner, double alpha, const double *a, size_t lda,
                            const double *b, size_t ldb, double beta, double *c, size_t ldc);

/* The same for a product known to be symmetric (A A', A D A', X'KX ...): C is n x n; the tiles
 * below and on the diagonal are worked and mirrored, so C comes out whole and exactly symmetric in
 * half the time. With beta != 0, C must be symmetric before; its lower triangle is read. */
onefold_status of_team_gemm_symmetric(of_context *context, char op_a, char op_b, size_t n,
                                      size_t inner, double alpha, const double *a, size_t lda,
                                      const double *b, size_t ldb, double beta, double *c,
                                      size_t ldc);

/* C = alpha A A' + beta C ('N', A n x inner) or alpha A'A + beta C ('T', A inner x n), whole. */
onefold_status of_team_syrk(of_context *context, char op, size_t n, size_t inner, double alpha,
                            const double *a, size_t lda, double beta, double *c, size_t ldc);

/* B = A' (A rows x columns), B columns x rows; the two do not overlap. */
onefold_status of_team_transpose(of_context *context, size_t rows, size_t columns, const double *a,
                                 size_t lda, double *b, size_t ldb);

#endif
