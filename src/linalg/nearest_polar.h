/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The orthogonal matrix that best fits a thin product. For A of rank r << n the maximisers of
 * <Q, A> over orthogonal Q are many; the one nearest a given Q is unique but where the two fight
 * (an angle of 90 degrees), and differs from it in a 2r-dimensional subspace only.
 */
#ifndef OF_LINALG_NEAREST_POLAR_H
#define OF_LINALG_NEAREST_POLAR_H

#include "base/memory.h"

/* Replaces Q (n x n, orthogonal, packed) by the maximiser of <Q, B T'> nearest to it, for B (n x
 * thin, packed, destroyed) and a T of orthonormal columns of which only Q T is needed: `qt` (n x
 * thin, packed) is Q T and becomes the new Q T. Singular values of B up to 1e-10 of the largest
 * count as zero; B = 0 leaves Q as it is. Price: about 8 n^2 thin multiplications and additions. */
onefold_status of_polar_nearest(of_context *context, size_t n, size_t thin, double *b, double *q,
                                double *qt);

#endif
