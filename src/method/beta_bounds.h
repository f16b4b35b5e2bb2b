/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Weights of the views that the caller fixes or bounds: beta has length 1 and stays between a lower
 * and an upper bound, which are the same where it is fixed (docs/method.md section 4).
 */
#ifndef OF_METHOD_BETA_BOUNDS_H
#define OF_METHOD_BETA_BOUNDS_H

#include "base/memory.h"

typedef struct of_beta_bounds {
    const double *lower, *upper; /* views; 0 <= lower <= upper <= 1 */
} of_beta_bounds;

/* What of a method's weights adds up to 1: it has none, or their squares, or they themselves. */
typedef enum of_weights { OF_WEIGHTS_NONE, OF_WEIGHTS_SQUARES, OF_WEIGHTS_SUM } of_weights;

/* Reads "0.5,0.2..0.6,auto": a word for each view. *bounds is NULL where `text` is, or all are left
 * to the method. Refused where no weights that add up to 1 meet them. */
onefold_status of_beta_bounds_parse(of_arena *arena, const char *text, of_weights add, size_t views,
                                    const of_beta_bounds **bounds);

/* Bounds on entry i; without bounds, 0 and 1. */
static inline double of_beta_lower(const of_beta_bounds *bounds, size_t i)
{
    return bounds ? bounds->lower[i] : 0;
}
static inline double of_beta_upper(const of_beta_bounds *bounds, size_t i)
{
    return bounds ? bounds->upper[i] : 1;
}

/* b = clip(t c) within the bounds (NULL: b >= 0), with the one t that makes its total 1; of squares
 * it is the b of length 1 with the largest c'b, which is also the nearest to c. 0, and b unchanged,
 * where c has too few positive entries for that. `b` may be `c`. */
int of_beta_bounds_point(const of_beta_bounds *bounds, of_weights add, size_t p, const double *c,
                         double *b);

/* As equal as the bounds allow. */
void of_beta_bounds_start(const of_beta_bounds *bounds, size_t p, double *b);

/* Weights that add up to 1, in proportion to what views bring (NULL: all alike; so too where none
 * brings anything), each within its bounds (NULL: none): clip(t brings) with the t that makes the
 * sum 1. In thousandths, so that what is printed is what was used. */
void of_weights_by(size_t p, const double *brings, const of_beta_bounds *bounds, double *weights);

/* Raises b'Ab + f'b over ||b|| = 1 within the bounds (docs/method.md section 4). A is p x p,
 * symmetric; b is the point to start from, of length 1 and within them, and becomes the maximiser
 * over the sphere where that meets the bounds, else the best of p + 4 ascents, each of which meets
 * the first-order conditions. Never worse than it was. */
onefold_status of_beta_step(of_context *context, const of_beta_bounds *bounds, size_t p,
                            const double *A, const double *f, double *b);

#endif
