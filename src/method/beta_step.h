/* SPDX-License-Identifier: Apache-2.0 */
/* The weights of the views: a quadratic form on the non-negative part of the unit sphere. */
#ifndef OF_METHOD_BETA_STEP_H
#define OF_METHOD_BETA_STEP_H

#include "base/memory.h"

/* Raises b'Ab + f'b over ||b|| = 1, b >= 0 (docs/method.md section 4). A is p x p, symmetric; b is
 * the point to start from, of length 1 and >= 0, and becomes the maximiser: the global one where it
 * has no zero entry that is held back, else the best of p + 2 ascents. Never worse than it was. */
onefold_status of_beta_step(of_context *context, size_t p, const double *A, const double *f,
                            double *b);

/* b'Ab + f'b at its largest over the sphere, exactly, or with some entries of b held where they are
 * (docs/method.md section 4). */

typedef struct of_secular {
    of_context *context;
    size_t p;
    const double *A, *f; /* p x p, symmetric; p */
    double *vector;      /* p x p: room for eigenvectors */
    double *value;       /* p: eigenvalues, falling, of the last solution */
    double *g;           /* p: V'f/2 */
    double *room;        /* 5p */
    size_t *face;        /* p: entries that are free */
} of_secular;

onefold_status of_secular_make(of_arena *arena, size_t p, const double *A, const double *f,
                               of_secular *s);

/* out = A b, and the objective b'Ab + f'b. */
double of_secular_objective(const of_secular *s, const double *b, double *out);

/* The global maximiser over ||b|| = 1 on the first `count` entries of s->face, the others as
 * `pinned` has them (NULL: zero; its entries that are free are 0); `near` decides where it is free
 * (the hard case). May come out with negative entries. */
onefold_status of_secular_solve(of_secular *s, size_t count, const double *near,
                                const double *pinned, double *b);

#endif
