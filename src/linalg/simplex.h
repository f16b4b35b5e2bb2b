/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Projection on the simplex { x >= 0, sum x = 1 }. Vectors are contiguous: a method that projects
 * the rows of a matrix holds the matrix transposed.
 */
#ifndef OF_LINALG_SIMPLEX_H
#define OF_LINALG_SIMPLEX_H

#include "base/context.h"

/* The nearest point of the simplex to x (length > 0), in place. */
void of_simplex_project(size_t length, double *x);

#endif
