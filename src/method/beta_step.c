/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The beta-step (docs/method.md section 4): the secular equation where its solution meets the
 * bounds (b >= 0, or those of the caller), otherwise ascents, each finished by the secular equation
 * on the face that it ends on.
 */
#include "linalg/blas.h"
#include "linalg/factor.h"
#include "method/beta_bounds.h"

#include <math.h>
#include <string.h>

/* The objective b'Ab + f'b, the bounds, and work space. */
typedef struct beta_task {
    of_context *context;
    const of_beta_bounds *bounds; /* or NULL */
    size_t p;
    const double *A, *f; /* p x p, symmetric; p */
    double shift;        /* makes A + shift I positive semidefinite */
    double *vector;      /* p x p: eigenvectors of the last exact solution */
    double *value;       /* p, as all below: their eigenvalues, falling */
    double *g;           /* V'f/2 */
    double *gap, *y, *half, *c, *next, *trial;
    double *pinned; /* values of the entries that are held at a bound, 0 for free entries */
    size_t *face;   /* the free entries */
} beta_task;

/* out = A b; returns the objective b'Ab + f'b. */
static double multiply(const beta_task *s, const double *b, double *out)
{
    cblas_dgemv(CblasColMajor, CblasNoTrans, (int)s->p, (int)s->p, 1, s->A, (int)s->p, b, 1, 0, out,
                1);
    return cblas_ddot((int)s->p, b, 1, out, 1) + cblas_ddot((int)s->p, s->f, 1, b, 1);
}

static double value_at(const beta_task *s, const double *b)
{
    return multiply(s, b, s->g);
}

/* ---- the secular equation: the maximum of a quadratic form on a sphere ----------------------- */

/* The root delta > 0 of sum (g_i / (delta + gap_i))^2 = length^2, where gap_i = e_1 - e_i >= 0 and
 * ||g|| > 0. Newton from the left on 1/||b|| - 1/length, which is concave and rising, never passes
 * the root. */
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

/* y in the hard case, lambda = e_1: the rest of the length lies in the top eigenspace (gap 0),
 * along the projection of `near`, or along the first eigenvector, with a sum of entries >= 0. */
static void hard_case(const beta_task *s, size_t count, const double *near, double square)
{
    double *y = s->y, *gap = s->gap, left = square, part = 0, sum = 0;
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

/* Eliminates the pinned entries: s->half is half the linear term of the free ones. Returns the
 * squared length that is left for them. */
static double eliminate_pinned(const beta_task *s, size_t count)
{
    double square = 1;
    for (size_t i = 0; i < count; i++)
        s->half[i] = s->f[s->face[i]] / 2;
    for (size_t j = 0; j < s->p; j++) {
        if (s->pinned[j] == 0)
            continue;
        square -= s->pinned[j] * s->pinned[j];
        for (size_t i = 0; i < count; i++)
            s->half[i] += s->A[s->face[i] + j * s->p] * s->pinned[j];
    }
    return square;
}

/* The global maximiser over ||b|| = 1 on the `count` entries of s->face, the others pinned. In the
 * hard case it is the one nearest to `near`. It may leave the bounds. */
static onefold_status secular_solve(beta_task *s, size_t count, const double *near, double *b)
{
    double square = eliminate_pinned(s, count);
    memcpy(b, s->pinned, s->p * sizeof *b);
    if (!(square > 0) || count == 0)
        return ONEFOLD_OK;
    for (size_t j = 0; j < count; j++)
        for (size_t i = 0; i < count; i++)
            s->vector[i + j * count] = s->A[s->face[i] + s->face[j] * s->p];
    OF_TRY(of_eigh(s->context, count, s->vector, s->value));
    cblas_dgemv(CblasColMajor, CblasTrans, (int)count, (int)count, 1, s->vector, (int)count,
                s->half, 1, 0, s->g, 1);
    double scale = 0, outside = 0;
    int hard = 1; /* g is orthogonal to the top eigenspace */
    for (size_t i = 0; i < count; i++)
        scale = fmax(scale, fmax(fabs(s->value[i]), fabs(s->g[i])));
    for (size_t i = 0; i < count; i++) {
        s->gap[i] = s->value[0] - s->value[i];
        if (fabs(s->g[i]) <= 1e-14 * scale)
            s->g[i] = 0;
        if (s->gap[i] <= 1e-14 * scale) {
            s->gap[i] = 0;
            hard &= s->g[i] == 0;
        } else
            outside += s->g[i] / s->gap[i] * (s->g[i] / s->gap[i]);
    }
    if (hard && outside <= square)
        hard_case(s, count, near, square);
    else {
        double delta = secular_root(count, s->g, s->gap, sqrt(square));
        for (size_t i = 0; i < count; i++)
            s->y[i] = s->g[i] == 0 ? 0 : s->g[i] / (delta + s->gap[i]);
    }
    cblas_dgemv(CblasColMajor, CblasNoTrans, (int)count, (int)count, 1, s->vector, (int)count, s->y,
                1, 0, s->half, 1);
    for (size_t i = 0; i < count; i++)
        b[s->face[i]] = s->half[i];
    return ONEFOLD_OK;
}

/* ---- ascents -------------------------------------------------------------------------------- */

/* Lists the entries that lie between their bounds, and pins the others at the nearer bound. */
static size_t find_face(const beta_task *s, const double *b)
{
    const double near = 1e-9;
    size_t count = 0;
    for (size_t i = 0; i < s->p; i++) {
        double lower = of_beta_lower(s->bounds, i), upper = of_beta_upper(s->bounds, i);
        int free = b[i] > lower + near && b[i] < upper - near;
        s->pinned[i] = free ? 0 : b[i] - lower < upper - b[i] ? lower : upper;
        if (free)
            s->face[count++] = i;
    }
    return count;
}

/* Whether b meets the bounds up to rounding. If so, clips b, and scales the entries between their
 * bounds so that the length is 1. */
static int clip_rounding(const beta_task *s, double *b)
{
    double free = 0, fixed = 0;
    for (size_t i = 0; i < s->p; i++) {
        double lower = of_beta_lower(s->bounds, i), upper = of_beta_upper(s->bounds, i);
        if (!(b[i] >= lower - 1e-12 && b[i] <= upper + 1e-12))
            return 0;
        b[i] = fmin(fmax(b[i], lower), upper);
        *(b[i] > lower && b[i] < upper ? &free : &fixed) += b[i] * b[i];
    }
    if (!(free > 0 && fixed < 1))
        return fabs(free + fixed - 1) < 1e-12;
    double length = sqrt(free / (1 - fixed));
    for (size_t i = 0; i < s->p; i++) {
        double lower = of_beta_lower(s->bounds, i), upper = of_beta_upper(s->bounds, i);
        if (b[i] > lower && b[i] < upper)
            b[i] = fmin(fmax(b[i] / length, lower), upper);
    }
    return 1;
}

/* s->next: the maximiser of the linearisation of b'(A + shift I)b + f'b at b. The form is convex,
 * so the step raises it. A large enough shift makes the gradient positive wherever b is, so that a
 * maximiser exists. */
static void tangent_step(const beta_task *s, const double *b)
{
    double shift = s->shift;
    multiply(s, b, s->c);
    for (int more = 0; more < 60; more++, shift = 4 * shift + 1e-12 + fabs(s->value[0])) {
        for (size_t i = 0; i < s->p; i++)
            s->g[i] = 2 * (s->c[i] + shift * b[i]) + s->f[i];
        if (of_beta_bounds_point(s->bounds, OF_WEIGHTS_SQUARES, s->p, s->g, s->next))
            return;
    }
    memcpy(s->next, b, s->p * sizeof *b);
}

/* Copies `to` into b. Returns the largest change of an entry. */
static double move_to(size_t p, const double *to, double *b)
{
    double moved = 0;
    for (size_t i = 0; i < p; i++) {
        moved = fmax(moved, fabs(to[i] - b[i]));
        b[i] = to[i];
    }
    return moved;
}

/* Ascends from b, and every STEPS steps solves the problem on the face of b exactly, until b no
 * longer changes. */
static onefold_status ascend(beta_task *s, double *b, double *objective)
{
    enum { ROUNDS = 50, STEPS = 20 };
    double moved = 1;
    for (int round = 0; round < ROUNDS && moved > 1e-14; round++) {
        double step = 1;
        moved = 0;
        for (int steps = 0; steps < STEPS && step > 1e-15; steps++) {
            tangent_step(s, b);
            step = move_to(s->p, s->next, b);
            moved = fmax(moved, step);
        }
        size_t count = find_face(s, b);
        OF_TRY(secular_solve(s, count, b, s->trial));
        if (clip_rounding(s, s->trial) && value_at(s, s->trial) > value_at(s, b))
            moved = fmax(moved, move_to(s->p, s->trial, b));
    }
    *objective = value_at(s, b);
    return ONEFOLD_OK;
}

/* Starts of ascents: b, equal weights, f, the solution without bounds, and each view alone. */
static int start_at(const beta_task *s, size_t start, const double *b, const double *solution,
                    double *at)
{
    for (size_t i = 0; i < s->p; i++)
        at[i] = start == 0   ? b[i]
                : start == 1 ? 1
                : start == 2 ? s->f[i]
                : start == 3 ? solution[i]
                             : (i == start - 4) + 1e-3;
    return start == 0 || of_beta_bounds_point(s->bounds, OF_WEIGHTS_SQUARES, s->p, at, at);
}

onefold_status of_beta_step(of_context *context, const of_beta_bounds *bounds, size_t p,
                            const double *A, const double *f, double *b)
{
    OF_SCRATCH(scratch, context);
    beta_task s = {.context = context, .bounds = bounds, .p = p, .A = A, .f = f};
    double *solution, *at, *winner, best, now;
    double **const room[] = {&s.value, &s.g,     &s.gap,    &s.y,      &s.half, &s.c,
                             &s.next,  &s.trial, &s.pinned, &solution, &at,     &winner};
    size_t count = 0;
    OF_TRY(OF_NEW(&scratch, &s.vector, p, p));
    OF_TRY(OF_NEW(&scratch, &s.face, p, 1));
    for (size_t i = 0; i < sizeof room / sizeof *room; i++)
        OF_TRY(OF_NEW(&scratch, room[i], p, 1));
    for (size_t i = 0; i < p; i++) {
        int free = of_beta_lower(bounds, i) < of_beta_upper(bounds, i);
        s.pinned[i] = free ? 0 : of_beta_lower(bounds, i);
        if (free)
            s.face[count++] = i;
    }
    if (count == 0) /* all are fixed */
        return ONEFOLD_OK;
    OF_TRY(secular_solve(&s, count, b, solution));
    s.shift = fmax(0, -s.value[count - 1]);
    best = value_at(&s, b);
    memcpy(at, solution, p * sizeof *at);
    if (clip_rounding(&s, at)) {
        if (value_at(&s, at) > best)
            memcpy(b, at, p * sizeof *b);
        return ONEFOLD_OK;
    }
    memcpy(winner, b, p * sizeof *b);
    for (size_t start = 0; start < p + 4; start++) {
        if (!start_at(&s, start, b, solution, at))
            continue;
        OF_TRY(ascend(&s, at, &now));
        if (now > best) { /* with rounding, even the ascent from b may end lower */
            best = now;
            memcpy(winner, at, p * sizeof *b);
        }
    }
    memcpy(b, winner, p * sizeof *b);
    return ONEFOLD_OK;
}
