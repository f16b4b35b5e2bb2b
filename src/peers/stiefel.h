/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One curvilinear step over matrices with orthonormal columns, to lessen
 *
 *     F(X) = -<X, A X> - <X, D>          (A symmetric)
 *
 * along X(t) = Q factor, with positive diagonal of R, of X - t G,  G = g - X g'X,  g = -2 A X - D.
 * A itself is not needed, only A X and A G: A X(t) = (A X - t A G) R^-1 serves every trial.
 */
#ifndef OF_PEERS_STIEFEL_H
#define OF_PEERS_STIEFEL_H

#include "base/memory.h"

/* G, from X, AX and D; all rows x columns and packed. */
onefold_status of_stiefel_direction(of_context *context, size_t rows, size_t columns,
                                    const double *x, const double *ax, const double *d,
                                    double *direction);

typedef struct of_stiefel_step {
    double length; /* t that was taken; 0: X was kept */
    size_t trials; /* lengths tried */
} of_stiefel_step;

/* Tries t = 5, 1, 0.2, ...: the first of 8 by which F falls by at least 1e-4 t ||G||^2, else the
 * 8th if F falls at all, else none. X is replaced by X(t), and `r` (columns x columns) is the R of
 * the step. */
onefold_status of_stiefel_search(of_context *context, size_t rows, size_t columns, double *x,
                                 const double *ax, const double *d, const double *direction,
                                 const double *a_direction, double *r, of_stiefel_step *step);

/* M X(t) = (M X - t M G) R^-1 for the step that was taken, in place of M X; any matrix M. */
void of_stiefel_follow(size_t rows, size_t columns, const of_stiefel_step *step, const double *r,
                       const double *m_direction, double *mx);

#endif
