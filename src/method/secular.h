/* SPDX-License-Identifier: Apache-2.0 */
/* b'Ab + f'b at its largest over the sphere, exactly, or with some entries of b held where they are
 * (docs/method.md section 4). */
#ifndef OF_METHOD_SECULAR_H
#define OF_METHOD_SECULAR_H

#include "base/memory.h"

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
