/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The beta-step within bounds: the secular equation where its solution meets them, otherwise
 * ascents, each finished by the secular equation of the face it ends on.
 */
#include "method/beta_bounds.h"
#include "method/secular.h"

#include <math.h>
#include <string.h>

typedef struct within {
    of_secular secular;
    const of_beta_bounds *bounds;
    size_t p;
    double shift;             /* makes A + shift I positive semidefinite */
    double *c, *next, *start; /* p */
    double *pinned, *trial;   /* p */
} within;

static double value_at(const within *w, const double *b)
{
    return of_secular_objective(&w->secular, b, w->secular.g);
}

/* Lists the entries that lie between their bounds; the others go into `pinned`, as the bound. */
static size_t find_face(const within *w, const double *b)
{
    const double near = 1e-9;
    size_t count = 0;
    for (size_t i = 0; i < w->p; i++) {
        double lower = w->bounds->lower[i], upper = w->bounds->upper[i];
        int free = b[i] > lower + near && b[i] < upper - near;
        w->pinned[i] = free ? 0 : b[i] - lower < upper - b[i] ? lower : upper;
        if (free)
            w->secular.face[count++] = i;
    }
    return count;
}

/* Takes a solution into the bounds when it lacks them by rounding alone. */
static int is_within(const within *w, double *b)
{
    double free = 0, fixed = 0;
    for (size_t i = 0; i < w->p; i++)
        if (!(b[i] >= w->bounds->lower[i] - 1e-12 && b[i] <= w->bounds->upper[i] + 1e-12))
            return 0;
    for (size_t i = 0; i < w->p; i++) {
        b[i] = fmin(fmax(b[i], w->bounds->lower[i]), w->bounds->upper[i]);
        if (b[i] > w->bounds->lower[i] && b[i] < w->bounds->upper[i])
            free += b[i] * b[i];
        else
            fixed += b[i] * b[i];
    }
    if (!(free > 0 && fixed < 1))
        return fabs(free + fixed - 1) < 1e-12;
    double scale = sqrt((1 - fixed) / free);
    for (size_t i = 0; i < w->p; i++)
        if (b[i] > w->bounds->lower[i] && b[i] < w->bounds->upper[i])
            b[i] = fmin(fmax(scale * b[i], w->bounds->lower[i]), w->bounds->upper[i]);
    return 1;
}

/* A step to the maximiser of the tangent of the convex objective b'(A + shift I)b + f'b. With a
 * shift that is large enough the tangent rises wherever b is not 0, and there is one. */
static void tangent_step(const within *w, const double *b, double *next)
{
    double shift = w->shift;
    of_secular_objective(&w->secular, b, w->c);
    for (int more = 0; more < 60; more++, shift = 4 * shift + 1e-12 + fabs(w->secular.value[0])) {
        for (size_t i = 0; i < w->p; i++)
            w->secular.g[i] = 2 * (w->c[i] + shift * b[i]) + w->secular.f[i];
        if (of_beta_bounds_point(w->bounds, w->p, w->secular.g, next))
            return;
    }
    memcpy(next, b, w->p * sizeof *b);
}

/* Raises the objective from b until it stands still. */
static onefold_status ascend(within *w, double *b, double *best)
{
    enum { ROUNDS = 50, STEPS = 20 };
    double moved = 1;
    *best = value_at(w, b);
    for (int round = 0; round < ROUNDS && moved > 1e-14; round++) {
        double before = *best;
        moved = 0;
        for (int step = 0; step < STEPS; step++) {
            tangent_step(w, b, w->next);
            double now = value_at(w, w->next);
            if (!(now > *best))
                break;
            for (size_t i = 0; i < w->p; i++)
                moved = fmax(moved, fabs(w->next[i] - b[i]));
            memcpy(b, w->next, w->p * sizeof *b);
            *best = now;
        }
        size_t count = find_face(w, b);
        OF_TRY(of_secular_solve(&w->secular, count, b, w->pinned, w->trial));
        if (is_within(w, w->trial) && value_at(w, w->trial) > *best) {
            for (size_t i = 0; i < w->p; i++)
                moved = fmax(moved, fabs(w->trial[i] - b[i]));
            memcpy(b, w->trial, w->p * sizeof *b);
            *best = value_at(w, b);
        }
        if (!(*best > before))
            break;
    }
    return ONEFOLD_OK;
}

/* Where ascents start: the point itself, as equal as can be, towards f, towards the solution
 * without bounds, and with as much as can be on each view. */
static int start_at(within *w, size_t start, const double *b, const double *solution, double *at)
{
    for (size_t i = 0; i < w->p; i++)
        w->c[i] = start == 1   ? 1
                  : start == 2 ? w->secular.f[i]
                  : start == 3 ? solution[i]
                               : (i == start - 4) + 1e-3;
    if (start == 0) {
        memcpy(at, b, w->p * sizeof *b);
        return 1;
    }
    return of_beta_bounds_point(w->bounds, w->p, w->c, at);
}

static onefold_status make_room(of_arena *scratch, within *w)
{
    double **const room[] = {&w->c, &w->next, &w->start, &w->pinned, &w->trial};
    for (size_t i = 0; i < sizeof room / sizeof *room; i++)
        OF_TRY(OF_NEW(scratch, room[i], w->p, 1));
    return ONEFOLD_OK;
}

onefold_status of_beta_bounds_step(of_context *context, const of_beta_bounds *bounds, size_t p,
                                   const double *A, const double *f, double *b)
{
    if (bounds->first)
        return of_beta_bounds_step_groups(context, bounds, p, A, f, b);
    OF_SCRATCH(scratch, context);
    within w = {.bounds = bounds, .p = p};
    double *solution, *winner;
    size_t count = 0;
    OF_TRY(of_secular_make(&scratch, p, A, f, &w.secular));
    OF_TRY(make_room(&scratch, &w));
    OF_TRY(OF_NEW(&scratch, &solution, p, 1));
    OF_TRY(OF_NEW(&scratch, &winner, p, 1));
    for (size_t i = 0; i < p; i++) {
        int free = bounds->lower[i] < bounds->upper[i];
        w.pinned[i] = free ? 0 : bounds->lower[i];
        if (free)
            w.secular.face[count++] = i;
    }
    if (count == 0) /* all are fixed */
        return ONEFOLD_OK;
    OF_TRY(of_secular_solve(&w.secular, count, b, w.pinned, solution));
    double best = value_at(&w, b), now;
    memcpy(w.trial, solution, p * sizeof *solution);
    if (is_within(&w, w.trial)) {
        if (value_at(&w, w.trial) > best)
            memcpy(b, w.trial, p * sizeof *b);
        return ONEFOLD_OK;
    }
    w.shift = fmax(0, -w.secular.value[count - 1]);
    memcpy(winner, b, p * sizeof *b);
    for (size_t start = 0; start < p + 4; start++) {
        if (!start_at(&w, start, b, solution, w.start))
            continue;
        OF_TRY(ascend(&w, w.start, &now));
        if (now > best) {
            best = now;
            memcpy(winner, w.start, p * sizeof *b);
        }
    }
    memcpy(b, winner, p * sizeof *b);
    return ONEFOLD_OK;
}
