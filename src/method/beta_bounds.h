/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Weights of views within bounds of the caller (docs/method.md section 4), and the beta-step. A
 * fixed weight has equal bounds.
 */
#ifndef OF_METHOD_BETA_BOUNDS_H
#define OF_METHOD_BETA_BOUNDS_H

#include "base/memory.h"

typedef struct of_beta_bounds {
    const double *lower, *upper; /* views; 0 <= lower <= upper <= 1 */
} of_beta_bounds;

/* The weights of a method: none, or the squares have total 1, or the weights do. */
typedef enum of_weights { OF_WEIGHTS_NONE, OF_WEIGHTS_SQUARES, OF_WEIGHTS_SUM } of_weights;

/* Reads "0.5,0.2..0.6,auto": a word for each view. *bounds is NULL where `text` is NULL or every
 * word is auto. Bounds that no weights of total 1 meet are refused. */
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

/* b = clip(t c) within the bounds (NULL: b >= 0), with the t that makes the total 1. With squares,
 * this is the b of length 1 with the largest c'b, the nearest to c. Returns 0, and leaves b, where
 * c has too few positive entries. `b` may be `c`. */
OF_PRIVATE int of_beta_bounds_point(const of_beta_bounds *bounds, of_weights add, size_t p,
                                    const double *c, double *b);

/* b of length 1, as equal as the bounds allow. */
void of_beta_bounds_start(const of_beta_bounds *bounds, size_t p, double *b);

/* Weights of sum 1 in proportion to the positive evidence of views (NULL, or none positive: equal),
 * within the bounds (NULL: none): clip(t evidence). Rounded, so that printed weights are those
 * used: to thousandths, of more than 31 views to millionths and so on. */
void of_weights_by(size_t p, const double *evidence, const of_beta_bounds *bounds, double *weights);

/* The beta-step (section 4): raises b'Ab + f'b over ||b|| = 1 within the bounds. A is p x p,
 * symmetric; b is the start, of length 1 and within bounds. b becomes the maximiser over the sphere
 * where that meets the bounds, else the best of p + 4 ascents, each of which meets the first-order
 * conditions. The result is never worse than the start. */
onefold_status of_beta_step(of_context *context, const of_beta_bounds *bounds, size_t p,
                            const double *A, const double *f, double *b);

#endif
