/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The beta-step (docs/method.md section 4): the secular equation where its solution is feasible,
 * otherwise ascents, each finished by the secular equation of the face it ends on. Feasible is what
 * is non-negative, or within the bounds that the caller gives.
 */
#include "linalg/blas.h"
#include "linalg/factor.h"
#include "method/beta_bounds.h"

#include <math.h>
#include <string.h>

/* ---- the secular equation: a quadratic form at its largest on a sphere ------------------------
 */

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

static onefold_status secular_make(of_arena *arena, size_t p, const double *A, const double *f,
                                   of_secular *s)
{
    *s = (of_secular){.context = arena->context, .p = p, .A = A, .f = f};
    OF_TRY(OF_NEW(arena, &s->vector, p, p));
    OF_TRY(OF_NEW(arena, &s->value, p, 1));
    OF_TRY(OF_NEW(arena, &s->g, p, 1));
    OF_TRY(OF_NEW(arena, &s->room, p, 5));
    return OF_NEW(arena, &s->face, p, 1);
}

/* out = A b, and the objective b'Ab + f'b. */
static double secular_objective(const of_secular *s, const double *b, double *out)
{
    cblas_dgemv(CblasColMajor, CblasNoTrans, (int)s->p, (int)s->p, 1, s->A, (int)s->p, b, 1, 0, out,
                1);
    return cblas_ddot((int)s->p, b, 1, out, 1) + cblas_ddot((int)s->p, s->f, 1, b, 1);
}

/* The root delta > 0 of sum (g_i / (delta + gap_i))^2 = length^2, where gap_i = e_1 - e_i >= 0 and
 * ||g|| > 0. Newton on 1/||b|| - 1/length, which is concave and rising, from the left: it never
 * passes the root. */
static double secular_root(size_t p, const double *g, const double *gap, double length)
{
    double delta = 0; /* |g_i| / length - gap_i bounds the root from below for every i */
    for (size_t i = 0; i < p; i++)
        delta = fmax(delta, fabs(g[i]) / length - gap[i]);
    for (int step = 0; step < 100; step++) {
        double square = 0, slope = 0; /* of ||b||^2 */
        for (size_t i = 0; i < p; i++) {
            if (g[i] == 0)
                continue;
            double t = g[i] / (delta + gap[i]);
            square += t * t;
            slope += t * t / (delta + gap[i]);
        }
        double norm = sqrt(square), move = (norm - length) * square / slope / length;
        if (!(move > 1e-16 * delta))
            break;
        delta += move;
    }
    return delta;
}

/* y for the hard case: lambda = e_1, and the top eigenspace (gap 0) takes what is missing of the
 * length, in the direction of `near`'s part there, or of its first vector turned to the positive
 * side.
 */
static void hard_case(const of_secular *s, size_t count, const double *gap, const double *near,
                      double square, double *y)
{
    double left = square, part = 0, sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += s->vector[i];
        y[i] = 0;
        if (gap[i] > 0) {
            y[i] = s->g[i] / gap[i];
            left -= y[i] * y[i];
            continue;
        }
        for (size_t j = 0; j < count; j++)
            y[i] += s->vector[j + i * count] * near[s->face[j]];
        part += y[i] * y[i];
    }
    for (size_t i = 0; i < count; i++) {
        if (gap[i] > 0)
            continue;
        if (part > 1e-20)
            y[i] *= sqrt(left / part);
        else
            y[i] = i > 0 ? 0 : sum < 0 ? -sqrt(left) : sqrt(left);
    }
}

/* What is left of the length, squared, and of the linear part for the free entries. */
static double leave_out(const of_secular *s, size_t count, const double *pinned, double *half)
{
    double square = 1;
    for (size_t i = 0; i < count; i++)
        half[i] = s->f[s->face[i]] / 2;
    if (!pinned)
        return square;
    for (size_t j = 0; j < s->p; j++) {
        if (pinned[j] == 0)
            continue;
        square -= pinned[j] * pinned[j];
        for (size_t i = 0; i < count; i++)
            half[i] += s->A[s->face[i] + j * s->p] * pinned[j];
    }
    return square;
}

/* The global maximiser over ||b|| = 1 on the first `count` entries of s->face, the others as
 * `pinned` has them (NULL: zero; its entries that are free are 0); `near` decides where it is free
 * (the hard case). May come out with negative entries. */
static onefold_status secular_solve(of_secular *s, size_t count, const double *near,
                                    const double *pinned, double *b)
{
    double *gap = s->room, *y = s->room + s->p, *half = s->room + 2 * s->p;
    double square = leave_out(s, count, pinned, half);
    if (pinned)
        memcpy(b, pinned, s->p * sizeof *b);
    else
        memset(b, 0, s->p * sizeof *b);
    if (!(square > 0) || count == 0)
        return ONEFOLD_OK;
    for (size_t j = 0; j < count; j++)
        for (size_t i = 0; i < count; i++)
            s->vector[i + j * count] = s->A[s->face[i] + s->face[j] * s->p];
    OF_TRY(of_eigh(s->context, count, s->vector, count, s->value));
    cblas_dgemv(CblasColMajor, CblasTrans, (int)count, (int)count, 1, s->vector, (int)count, half,
                1, 0, s->g, 1);
    double scale = 0, outside = 0;
    int flat = 1; /* g has no part in the top eigenspace */
    for (size_t i = 0; i < count; i++)
        scale = fmax(scale, fmax(fabs(s->value[i]), fabs(s->g[i])));
    for (size_t i = 0; i < count; i++) {
        gap[i] = s->value[0] - s->value[i];
        if (fabs(s->g[i]) <= 1e-14 * scale)
            s->g[i] = 0;
        if (gap[i] <= 1e-14 * scale) {
            gap[i] = 0;
            flat &= s->g[i] == 0;
        } else
            outside += s->g[i] / gap[i] * (s->g[i] / gap[i]);
    }
    if (flat && outside <= square)
        hard_case(s, count, gap, near, square, y);
    else {
        double delta = secular_root(count, s->g, gap, sqrt(square));
        for (size_t i = 0; i < count; i++)
            y[i] = s->g[i] == 0 ? 0 : s->g[i] / (delta + gap[i]);
    }
    cblas_dgemv(CblasColMajor, CblasNoTrans, (int)count, (int)count, 1, s->vector, (int)count, y, 1,
                0, half, 1);
    for (size_t i = 0; i < count; i++)
        b[s->face[i]] = half[i];
    return ONEFOLD_OK;
}

/* ---- without bounds -------------------------------------------------------------------------- */

static double value_at(const of_secular *secular, const double *b)
{
    return secular_objective(secular, b, secular->g);
}

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
static void climb_sphere(const sphere *s, double *b)
{
    enum { STEPS = 20 };
    double *product = s->secular.g, *next = s->secular.value,
           moved = 1; /* free between the exact solutions */
    for (int step = 0; step < STEPS && moved > 1e-15; step++) {
        secular_objective(&s->secular, b, product);
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
static onefold_status ascend_sphere(sphere *s, double *b, double *best)
{
    enum { ROUNDS = 50 };
    double *before = s->secular.room + 3 * s->p, *trial = s->secular.room + 4 * s->p, moved = 1;
    for (int round = 0; round < ROUNDS && moved > 1e-14; round++) {
        memcpy(before, b, s->p * sizeof *b);
        climb_sphere(s, b);
        size_t count = 0;
        for (size_t i = 0; i < s->p; i++)
            if (b[i] > 1e-9)
                s->secular.face[count++] = i;
        OF_TRY(secular_solve(&s->secular, count, b, NULL, trial));
        if (is_nonnegative(s->p, trial) && value_at(&s->secular, trial) > value_at(&s->secular, b))
            memcpy(b, trial, s->p * sizeof *b);
        moved = 0;
        for (size_t i = 0; i < s->p; i++)
            moved = fmax(moved, fabs(b[i] - before[i]));
    }
    *best = value_at(&s->secular, b);
    return ONEFOLD_OK;
}

onefold_status of_beta_step(of_context *context, size_t p, const double *A, const double *f,
                            double *b)
{
    OF_SCRATCH(scratch, context);
    sphere s = {.p = p, .f = f};
    double *trial, *winner;
    OF_TRY(secular_make(&scratch, p, A, f, &s.secular));
    OF_TRY(OF_NEW(&scratch, &trial, p, 1));
    OF_TRY(OF_NEW(&scratch, &winner, p, 1));
    for (size_t i = 0; i < p; i++)
        s.secular.face[i] = i;
    OF_TRY(secular_solve(&s.secular, p, b, NULL, trial));
    s.shift = fmax(0, -s.secular.value[p - 1]);
    double given = value_at(&s.secular, b), best;
    if (is_nonnegative(p, trial)) {
        if (value_at(&s.secular, trial) > given)
            memcpy(b, trial, p * sizeof *b);
        return ONEFOLD_OK;
    }
    memcpy(winner, b, p * sizeof *b);
    OF_TRY(ascend_sphere(&s, winner, &best));
    for (size_t start = 0; start <= p; start++) {
        for (size_t i = 0; i < p; i++)
            trial[i] = start == p ? 1 / sqrt((double)p) : (double)(i == start);
        double now;
        OF_TRY(ascend_sphere(&s, trial, &now));
        if (now > best) {
            best = now;
            memcpy(winner, trial, p * sizeof *b);
        }
    }
    if (best > given) /* the ascent from b is among them, but rounding may have had a say */
        memcpy(b, winner, p * sizeof *b);
    return ONEFOLD_OK;
}

/* ---- within bounds --------------------------------------------------------------------------- */

/* A step to the maximiser of the tangent of the convex objective b'(A + shift I)b + f'b. With a
 * shift that is large enough the tangent rises wherever b is not 0, and there is one. */
static void tangent_step(const of_secular *secular, const of_beta_bounds *bounds, double shift,
                         double *c, const double *b, double *next)
{
    size_t p = secular->p;
    secular_objective(secular, b, c);
    for (int more = 0; more < 60; more++, shift = 4 * shift + 1e-12 + fabs(secular->value[0])) {
        for (size_t i = 0; i < p; i++)
            secular->g[i] = 2 * (c[i] + shift * b[i]) + secular->f[i];
        if (of_beta_bounds_point(bounds, p, secular->g, next))
            return;
    }
    memcpy(next, b, p * sizeof *b);
}

/* ---- within bounds -------------------------------------------------------------------------- */

typedef struct within {
    of_secular secular;
    const of_beta_bounds *bounds;
    size_t p;
    double shift;             /* makes A + shift I positive semidefinite */
    double *c, *next, *start; /* p */
    double *pinned, *trial;   /* p */
} within;

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

/* Raises the objective from b until it stands still. */
static onefold_status ascend(within *w, double *b, double *best)
{
    enum { ROUNDS = 50, STEPS = 20 };
    double moved = 1;
    *best = value_at(&w->secular, b);
    for (int round = 0; round < ROUNDS && moved > 1e-14; round++) {
        double before = *best;
        moved = 0;
        for (int step = 0; step < STEPS; step++) {
            tangent_step(&w->secular, w->bounds, w->shift, w->c, b, w->next);
            double now = value_at(&w->secular, w->next);
            if (!(now > *best))
                break;
            for (size_t i = 0; i < w->p; i++)
                moved = fmax(moved, fabs(w->next[i] - b[i]));
            memcpy(b, w->next, w->p * sizeof *b);
            *best = now;
        }
        size_t count = find_face(w, b);
        OF_TRY(secular_solve(&w->secular, count, b, w->pinned, w->trial));
        if (is_within(w, w->trial) && value_at(&w->secular, w->trial) > *best) {
            for (size_t i = 0; i < w->p; i++)
                moved = fmax(moved, fabs(w->trial[i] - b[i]));
            memcpy(b, w->trial, w->p * sizeof *b);
            *best = value_at(&w->secular, b);
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
    OF_SCRATCH(scratch, context);
    within w = {.bounds = bounds, .p = p};
    double *solution, *winner;
    size_t count = 0;
    OF_TRY(secular_make(&scratch, p, A, f, &w.secular));
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
    OF_TRY(secular_solve(&w.secular, count, b, w.pinned, solution));
    double best = value_at(&w.secular, b), now;
    memcpy(w.trial, solution, p * sizeof *solution);
    if (is_within(&w, w.trial)) {
        if (value_at(&w.secular, w.trial) > best)
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
