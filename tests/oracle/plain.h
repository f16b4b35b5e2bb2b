/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dense algebra in plain loops, without BLAS or LAPACK, for the slow restatements. Matrices are
 * column-major and packed; memory is malloc'ed and never checked. Out-parameters first.
 */
#ifndef OF_TESTS_ORACLE_PLAIN_H
#define OF_TESTS_ORACLE_PLAIN_H

#include <stddef.h>

double *plain_new(size_t rows, size_t columns);                   /* zeros */
double *plain_copy(size_t rows, size_t columns, const double *a); /* a new copy */
double *plain_identity(size_t n);                                 /* a new identity */
double *plain_flip(size_t rows, size_t columns, const double *a); /* a new transpose */
double *plain_times(size_t rows, size_t inner, size_t columns, const double *a, const double *b);
void plain_add(size_t count, double *to, double factor, const double *from); /* to += f * from */

double plain_frobenius(size_t rows, size_t columns, const double *a);
double plain_row_sum(size_t rows, size_t columns, const double *a); /* largest sum of |row| */
double plain_lengths(size_t rows, size_t columns, const double *a); /* sum of column lengths */

/* A = U diag(s) V' by one-sided Jacobi rotations; rows >= columns or not; r = min(rows, columns).
 * U rows x r, V columns x r, s descending; vectors of zero values are zero. */
void plain_svd(size_t rows, size_t columns, const double *a, double *u, double *s, double *v);

/* A^-1 by Gauss-Jordan elimination with pivots; new memory. */
double *plain_inverse(size_t n, const double *a);

/* Shortens each column by cut or to zero, in place. */
void plain_shrink(size_t rows, size_t columns, double *a, double cut);

#endif
