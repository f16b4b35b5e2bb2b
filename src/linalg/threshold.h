/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thresholding: the proximal steps of the sum of singular values, of the sum of their powers and of
 * the sum of column lengths. Matrices are column-major with a leading dimension.
 */
#ifndef OF_LINALG_THRESHOLD_H
#define OF_LINALG_THRESHOLD_H

#include "linalg/spectrum.h"

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

/* The minimiser of (x - value)^2 / 2 + weight |x|^power over x >= 0, power in (0, 1], as
 * generalised soft thresholding finds it: zero up to of_power_cut, three fixed-point steps above.
 */
double of_power_cut(double weight, double power);
double of_power_threshold(double value, double weight, double power);

/* Shortens every column of A (rows x columns, in place) by cut, or to zero: the proximal step of
 * cut times the sum of column lengths, which after it is returned. */
double of_threshold_columns(size_t rows, size_t columns, double *a, size_t lda, double cut);

#endif
