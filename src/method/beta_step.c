/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The beta-step: the secular equation where its solution is non-negative, otherwise ascents on the
 * faces of the positive orthant, each finished by the secular equation of its face.
 */
#include "method/beta_step.h"

#include "linalg/blas.h"
#include "method/secular.h"

#include <math.h>
#include <string.h>

typedef struct sphere {
    of_secular secular;
    size_t p;
    const double *f;
    double shift; /* makes A + shift I positive semidefinite */
} sphere;

static void normalise(size_t p, double *b)
{
    double norm = sqrt(cblas_ddot((int)p, b, 1, b, 1));
    for (size_t i = 0; i < p; i++)
        b[i] /= norm;
}

/* Takes b to the orthant when it lacks it by rounding alone. */
static int is_nonnegative(size_t p, double *b)
{
    for (size_t i = 0; i < p; i++)
        if (!(b[i] >= -1e-12))
            return 0;
    for (size_t i = 0; i < p; i++)
        b[i] = fmax(b[i], 0);
    normalise(p, b);
    return 1;
}

static double value_at(const sphere *s, const double *b)
{
    return of_secular_objective(&s->secular, b, s->secular.g);
}

/* ---- ascents ------------------------------------------------------------------------------ */

/* The maximiser of c'b over the feasible set. */
static void linear_maximiser(size_t p, const double *c, double *b)
{
    size_t largest = 0;
    double square = 0;
    for (size_t i = 0; i < p; i++) {
        if (c[i] > c[largest])
            largest = i;
        b[i] = fmax(c[i], 0);
        square += b[i] * b[i];
    }
    if (square > 0)
        normalise(p, b);
    else
        b[largest] = 1;
}

/* Some steps, each to the maximiser of the tangent of the convex objective b'(A + shift I)b + f'b,
 * which raises it; fewer once b stands still. */
static void climb(const sphere *s, double *b)
{
    enum { STEPS = 20 };
    double *product = s->secular.g, *next = s->secular.value,
           moved = 1; /* free between the exact solutions */
    for (int step = 0; step < STEPS && moved > 1e-15; step++) {
        of_secular_objective(&s->secular, b, product);
        for (size_t i = 0; i < s->p; i++)
            product[i] = 2 * (product[i] + s->shift * b[i]) + s->f[i];
        linear_maximiser(s->p, product, next);
        moved = 0;
        for (size_t i = 0; i < s->p; i++) {
            moved = fmax(moved, fabs(next[i] - b[i]));
            b[i] = next[i];
        }
    }
}

/* Raises the objective from b: climbs, and every so often solves the face that b lies on exactly,
 * until b stands still. */
static onefold_status ascend(sphere *s, double *b, double *best)
{
    enum { ROUNDS = 50 };
    double *before = s->secular.room + 3 * s->p, *trial = s->secular.room + 4 * s->p, moved = 1;
    for (int round = 0; round < ROUNDS && moved > 1e-14; round++) {
        memcpy(before, b, s->p * sizeof *b);
        climb(s, b);
        size_t count = 0;
        for (size_t i = 0; i < s->p; i++)
            if (b[i] > 1e-9)
                s->secular.face[count++] = i;
        OF_TRY(of_secular_solve(&s->secular, count, b, NULL, trial));
        if (is_nonnegative(s->p, trial) && value_at(s, trial) > value_at(s, b))
            memcpy(b, trial, s->p * sizeof *b);
        moved = 0;
        for (size_t i = 0; i < s->p; i++)
            moved = fmax(moved, fabs(b[i] - before[i]));
    }
    *best = value_at(s, b);
    return ONEFOLD_OK;
}

onefold_status of_beta_step(of_context *context, size_t p, const double *A, const double *f,
                            double *b)
{
    OF_SCRATCH(scratch, context);
    sphere s = {.p = p, .f = f};
    double *trial, *winner;
    OF_TRY(of_secular_make(&scratch, p, A, f, &s.secular));
    OF_TRY(OF_NEW(&scratch, &trial, p, 1));
    OF_TRY(OF_NEW(&scratch, &winner, p, 1));
    for (size_t i = 0; i < p; i++)
        s.secular.face[i] = i;
    OF_TRY(of_secular_solve(&s.secular, p, b, NULL, trial));
    s.shift = fmax(0, -s.secular.value[p - 1]);
    double given = value_at(&s, b), best;
    if (is_nonnegative(p, trial)) {
        if (value_at(&s, trial) > given)
            memcpy(b, trial, p * sizeof *b);
        return ONEFOLD_OK;
    }
    memcpy(winner, b, p * sizeof *b);
    OF_TRY(ascend(&s, winner, &best));
    for (size_t start = 0; start <= p; start++) {
        for (size_t i = 0; i < p; i++)
            trial[i] = start == p ? 1 / sqrt((double)p) : (double)(i == start);
        double now;
        OF_TRY(ascend(&s, trial, &now));
        if (now > best) {
            best = now;
            memcpy(winner, trial, p * sizeof *b);
        }
    }
    if (best > given) /* the ascent from b is among them, but rounding may have had a say */
        memcpy(b, winner, p * sizeof *b);
    return ONEFOLD_OK;
}
