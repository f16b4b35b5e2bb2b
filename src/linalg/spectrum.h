/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of a matrix's singular spectrum above a cut. It comes from the symmetric eigenproblem of
 * the shorter side's Gram matrix, of which only the vectors above the cut are computed; where the
 * cut is so far below the largest value that squaring would cost digits, a singular value
 * decomposition takes over. Matrices are column-major with a leading dimension. The bits do not
 * depend on the number of threads.
 */
#ifndef OF_LINALG_SPECTRUM_H
#define OF_LINALG_SPECTRUM_H

#include "base/memory.h"

/* Singular values above a cut with their vectors, packed. Arrays are from the caller's arena. */
typedef struct of_spectrum {
    size_t rank;   /* how many */
    double *value; /* rank, descending */
    double *left;  /* rows x rank, or NULL */
    double *right; /* columns x rank, or NULL */
} of_spectrum;

/* The singular triplets of A (rows x columns, kept) with values > cut: values right and both
 * sides orthonormal to rounding of the largest value, A v = s u and A'u = s v to 1e-11 of it. */
onefold_status of_spectrum_above(of_context *context, of_arena *arena, size_t rows, size_t columns,
                                 const double *a, size_t lda, double cut, of_spectrum *spectrum);

/* The same with the vectors of the shorter side only (left when rows <= columns), and values right
 * to 1e-11 of the largest: all that soft thresholding needs, at about half the price. */
onefold_status of_spectrum_above_short(of_context *context, of_arena *arena, size_t rows,
                                       size_t columns, const double *a, size_t lda, double cut,
                                       of_spectrum *spectrum);

#endif
