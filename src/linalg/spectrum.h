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

#include "base/context.h"
#include "base/memory.h"

/* Singular values above a cut with their vectors, packed. Arrays are from the caller's arena. */
typedef struct of_spectrum {
    size_t rank;   /* how many */
    double *value; /* rank, descending */
    double *left;  /* rows x rank, or NULL */
    double *right; /* columns x rank, or NULL */
} of_spectrum;

/* The singular triplets of A (rows x columns, kept) with values > cut: values right and both
 * sides orthonormal to rounding of the largest value, A v = s u and A'u = s v to 1e-11 of it.
 * Unless `both`, the vectors of the shorter side only (left when rows <= columns), and values right
 * to 1e-11 of the largest: all that soft thresholding needs, at about half the price. */
onefold_status of_spectrum_above(of_context *context, of_arena *arena, size_t rows, size_t columns,
                                 const double *a, size_t lda, double cut, int both,
                                 of_spectrum *spectrum);

/*
 * Thresholding: the proximal steps of the sum of singular values, of the sum of their powers and of
 * the sum of column lengths. Matrices are column-major with a leading dimension.
 */

/* B = A (rows x columns) with the singular values that have a vector in the spectrum scaled by
 * factor[i] and the others dropped; the vectors of A's shorter side are read. */
onefold_status of_spectrum_scale(of_context *context, size_t rows, size_t columns, const double *a,
                                 size_t lda, const of_spectrum *spectrum, const double *factor,
                                 double *b, size_t ldb);

/* B = U max(S - cut, 0) V' for A = U S V' (rows x columns, kept; B may not overlap it): the
 * proximal step of cut times the sum of singular values. `rank` is that of B, `sum` the sum of its
 * singular values; either may be NULL. */
onefold_status of_threshold_singular(of_context *context, size_t rows, size_t columns,
                                     const double *a, size_t lda, double cut, double *b, size_t ldb,
                                     size_t *rank, double *sum);

/* Shortens every column of A (rows x columns, in place) by cut, or to zero: the proximal step of
 * cut times the sum of column lengths, which after it is returned. */
double of_threshold_columns(size_t rows, size_t columns, double *a, size_t lda, double cut);

#endif
