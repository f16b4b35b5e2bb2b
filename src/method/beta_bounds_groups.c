/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The beta-step where a view's weight is the length of several entries. Where the step without
 * bounds meets them it is the answer. Otherwise ascents, which turn by turn take steps of all
 * entries to the maximiser of the tangent, and hold each view's direction while the lengths are
 * solved as in beta_bounds_step.c.
 */
#include "method/beta_bounds.h"
#include "method/beta_step.h"
#include "method/secular.h"

#include <math.h>
#include <string.h>

typedef struct grouped {
    of_context *context;
    of_secular secular; /* of A and f; its eigenvalues as of_secular_solve leaves them */
    const of_beta_bounds *bounds;
    size_t p, views;
    const double *A, *f;
    double shift;         /* makes A + shift I positive semidefinite */
    double *c, *next;     /* p */
    double *unit;         /* p: each view's direction */
    double *length;       /* views */
    double *small, *side; /* views x views, views: the problem of the lengths */
} grouped;

static double value_at(const grouped *g, const double *b)
{
    return of_secular_objective(&g->secular, b, g->secular.g);
}

static size_t first_of(const grouped *g, size_t i)
{
    return g->bounds->first[i];
}

/* The lengths and directions of b; a view of length 0 is taken to have equal entries. */
static void split(const grouped *g, const double *b)
{
    for (size_t i = 0; i < g->views; i++) {
        double square = 0;
        for (size_t e = first_of(g, i); e < first_of(g, i + 1); e++)
            square += b[e] * b[e];
        g->length[i] = sqrt(square);
        for (size_t e = first_of(g, i); e < first_of(g, i + 1); e++)
            g->unit[e] = square > 0 ? b[e] / g->length[i]
                                    : 1 / sqrt((double)(first_of(g, i + 1) - first_of(g, i)));
    }
}

/* A step to the maximiser of the tangent of b'(A + shift I)b + f'b; of a larger shift, where the
 * tangent has too few positive entries. */
static void tangent_step(const grouped *g, const double *b)
{
    double shift = g->shift;
    of_secular_objective(&g->secular, b, g->c);
    for (int more = 0; more < 60; more++, shift = 4 * shift + 1e-12 + fabs(g->secular.value[0])) {
        for (size_t e = 0; e < g->p; e++)
            g->secular.g[e] = 2 * (g->c[e] + shift * b[e]) + g->f[e];
        if (of_beta_bounds_point(g->bounds, g->p, g->secular.g, g->next))
            return;
    }
    memcpy(g->next, b, g->p * sizeof *b);
}

/* Such steps while they raise the objective. */
static void climb(const grouped *g, double *b, double *best)
{
    enum { STEPS = 20 };
    for (int step = 0; step < STEPS; step++) {
        tangent_step(g, b);
        double now = value_at(g, g->next);
        if (!(now > *best))
            return;
        memcpy(b, g->next, g->p * sizeof *b);
        *best = now;
    }
}

/* The lengths of the views, their directions held. */
static onefold_status solve_lengths(const grouped *g, double *b, double *best)
{
    const of_beta_bounds plain = {g->bounds->lower, g->bounds->upper, NULL, g->views};
    size_t p = g->p, views = g->views;
    split(g, b);
    for (size_t i = 0; i < views; i++) {
        g->side[i] = 0;
        for (size_t e = first_of(g, i); e < first_of(g, i + 1); e++)
            g->side[i] += g->unit[e] * g->f[e];
        for (size_t j = 0; j < views; j++) {
            double sum = 0;
            for (size_t e = first_of(g, i); e < first_of(g, i + 1); e++)
                for (size_t d = first_of(g, j); d < first_of(g, j + 1); d++)
                    sum += g->unit[e] * g->A[e + d * p] * g->unit[d];
            g->small[i + j * views] = sum;
        }
    }
    OF_TRY(of_beta_bounds_step(g->context, &plain, views, g->small, g->side, g->length));
    for (size_t i = 0; i < views; i++)
        for (size_t e = first_of(g, i); e < first_of(g, i + 1); e++)
            g->next[e] = g->length[i] * g->unit[e];
    double now = value_at(g, g->next);
    if (now > *best) {
        memcpy(b, g->next, p * sizeof *b);
        *best = now;
    }
    return ONEFOLD_OK;
}

static onefold_status ascend(const grouped *g, double *b, double *best)
{
    enum { ROUNDS = 30 };
    *best = value_at(g, b);
    for (int round = 0; round < ROUNDS; round++) {
        double before = *best;
        climb(g, b, best);
        OF_TRY(solve_lengths(g, b, best));
        if (!(*best > before + 1e-14 * fabs(before)))
            break;
    }
    return ONEFOLD_OK;
}

static int is_within(const grouped *g, const double *b)
{
    split(g, b);
    for (size_t i = 0; i < g->views; i++)
        if (!(g->length[i] >= g->bounds->lower[i] && g->length[i] <= g->bounds->upper[i]))
            return 0;
    return 1;
}

static onefold_status make(of_arena *scratch, grouped *g)
{
    double **const room[] = {&g->c, &g->next, &g->unit};
    for (size_t i = 0; i < sizeof room / sizeof *room; i++)
        OF_TRY(OF_NEW(scratch, room[i], g->p, 1));
    OF_TRY(OF_NEW(scratch, &g->length, g->views, 1));
    OF_TRY(OF_NEW(scratch, &g->side, g->views, 1));
    OF_TRY(OF_NEW(scratch, &g->small, g->views, g->views));
    return of_secular_make(scratch, g->p, g->A, g->f, &g->secular);
}

onefold_status of_beta_bounds_step_groups(of_context *context, const of_beta_bounds *bounds,
                                          size_t p, const double *A, const double *f, double *b)
{
    OF_SCRATCH(scratch, context);
    grouped g = {
        .context = context, .bounds = bounds, .p = p, .views = bounds->views, .A = A, .f = f};
    double *trial, best, now;
    OF_TRY(make(&scratch, &g));
    OF_TRY(OF_NEW(&scratch, &trial, p, 1));
    memcpy(trial, b, p * sizeof *b);
    OF_TRY(of_beta_step(context, p, A, f, trial));
    if (is_within(&g, trial)) {
        if (value_at(&g, trial) > value_at(&g, b))
            memcpy(b, trial, p * sizeof *b);
        return ONEFOLD_OK;
    }
    for (size_t e = 0; e < p; e++)
        g.secular.face[e] = e;
    memcpy(g.c, trial, p * sizeof *trial); /* towards the solution without bounds */
    OF_TRY(of_secular_solve(&g.secular, p, b, NULL, trial));
    g.shift = fmax(0, -g.secular.value[p - 1]);
    int towards = of_beta_bounds_point(bounds, p, g.c, trial);
    OF_TRY(ascend(&g, b, &best)); /* from b first: never worse than it */
    for (size_t start = 0; start < 2; start++) {
        if (start == 1)
            of_beta_bounds_start(bounds, p, trial);
        else if (!towards)
            continue;
        OF_TRY(ascend(&g, trial, &now));
        if (now > best) {
            best = now;
            memcpy(b, trial, p * sizeof *b);
        }
    }
    return ONEFOLD_OK;
}
