/* SPDX-License-Identifier: Apache-2.0 */
/* Eigenvectors of symmetric matrices in plain loops, for the slow restatements. */
#ifndef OF_TESTS_ORACLE_PLAIN_EIGEN_H
#define OF_TESTS_ORACLE_PLAIN_EIGEN_H

#include <stddef.h>

/* The `count` largest eigenvalues of symmetric A (n x n), descending, and their vectors (n x
 * count), by cyclic Jacobi rotations. */
void plain_eigen_top(size_t n, size_t count, const double *a, double *value, double *vector);

/* tr(A B) for A rows x inner, B inner x rows. */
double plain_trace_of(size_t rows, size_t inner, const double *a, const double *b);

#endif
