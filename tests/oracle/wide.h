/* SPDX-License-Identifier: Apache-2.0 */
/* Restatements in numbers of 113 bits, for matrices on which doubles are hard put to it. */
#ifndef OF_TESTS_ORACLE_WIDE_H
#define OF_TESTS_ORACLE_WIDE_H

#include <stddef.h>

typedef __float128 wide_number;

wide_number wide_root(wide_number x);

/* The eigenvalues of symmetric A (n x n, packed), descending, and their vectors (n x n), by
 * Jacobi's rotations. */
void wide_eigen(size_t n, const wide_number *a, wide_number *value, wide_number *vector);

/* A (A'A)^(-1/2) for A (rows x columns, packed, rows >= columns, of full rank). */
void wide_polar(size_t rows, size_t columns, const wide_number *a, wide_number *w);

#endif
