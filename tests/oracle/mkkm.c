/* SPDX-License-Identifier: Apache-2.0 */
/* Multiple kernel k-means, literally: I - HH' is formed. */
#include "oracle/mkkm.h"

#include "oracle/plain.h"
#include "oracle/plain_eigen.h"

#include <math.h>
#include <stdlib.h>

/* One way, in base 3: 0 at the lower bound, 1 at the upper, 2 between. Its cost, or INFINITY. */
static double try_way(size_t way, size_t p, const double *a, const double *lower,
                      const double *upper, double *t)
{
    double rest = 1, inverse = 0, cost = 0;
    size_t code = way;
    for (size_t i = 0; i < p; i++, code /= 3) {
        t[i] = code % 3 == 0 ? lower[i] : upper[i];
        if (code % 3 == 2)
            inverse += 1 / a[i];
        else
            rest -= t[i];
    }
    code = way;
    for (size_t i = 0; i < p; i++, code /= 3) {
        if (code % 3 == 2)
            t[i] = rest / (a[i] * inverse);
        if (!(t[i] >= lower[i] - 1e-12 && t[i] <= upper[i] + 1e-12))
            return INFINITY;
        cost += a[i] * t[i] * t[i];
    }
    return inverse > 0 || fabs(rest) < 1e-12 ? cost : INFINITY;
}

void oracle_mkkm_weigh(size_t p, const double *a, const double *lower, const double *upper,
                       double *t)
{
    size_t ways = 1;
    double best = INFINITY, now[ORACLE_MKKM_VIEWS];
    for (size_t i = 0; i < p; i++)
        ways *= 3;
    for (size_t way = 0; way < ways; way++) {
        double cost = try_way(way, p, a, lower, upper, now);
        for (size_t i = 0; i < p && cost < best; i++)
            t[i] = now[i];
        best = cost < best ? cost : best;
    }
}

/* As the bounds are, if any: t as equal as they allow, which is the least sum of its squares. */
void oracle_mkkm_bound(oracle_mkkm *o, const double *lower, const double *upper)
{
    double alike[ORACLE_MKKM_VIEWS];
    for (size_t i = 0; i < o->p; i++)
        alike[i] = 1;
    o->lower = lower;
    o->upper = upper;
    oracle_mkkm_weigh(o->p, alike, lower, upper, o->t);
}

void oracle_mkkm_start(oracle_mkkm *o, size_t n, size_t p, size_t c, const double *const *K)
{
    *o = (oracle_mkkm){.n = n, .p = p, .c = c, .K = K};
    o->K_t = plain_new(n, n);
    o->H = plain_new(n, c);
    o->value = plain_new(c, 1);
    for (size_t i = 0; i < p; i++)
        o->t[i] = 1.0 / (double)p;
}

void oracle_mkkm_step(oracle_mkkm *o)
{
    size_t n = o->n;
    for (size_t e = 0; e < n * n; e++) {
        o->K_t[e] = 0;
        for (size_t i = 0; i < o->p; i++)
            o->K_t[e] += o->t[i] * o->t[i] * o->K[i][e];
    }
    plain_eigen_top(n, o->c, o->K_t, o->value, o->H);
    double *flipped = plain_flip(n, o->c, o->H), *rest = plain_times(n, o->c, n, o->H, flipped);
    for (size_t e = 0; e < n * n; e++)
        rest[e] = (e % (n + 1) == 0 ? 1 : 0) - rest[e];
    double sum = 0;
    for (size_t i = 0; i < o->p; i++) {
        double trace = 0;
        for (size_t j = 0; j < n; j++)
            trace += o->K[i][j + j * n];
        o->a[i] = fmax(plain_trace_of(n, n, o->K[i], rest), 1e-12 * trace);
        o->t[i] = trace > 0 ? 1 / o->a[i] : 0;
        sum += o->t[i];
    }
    o->J = 0;
    for (size_t i = 0; i < o->p; i++)
        o->t[i] /= sum;
    if (o->lower)
        oracle_mkkm_weigh(o->p, o->a, o->lower, o->upper, o->t);
    for (size_t i = 0; i < o->p; i++) {
        o->J += o->t[i] * o->t[i] * o->a[i];
    }
    free(flipped);
    free(rest);
}

void oracle_mkkm_end(oracle_mkkm *o)
{
    free(o->K_t);
    free(o->H);
    free(o->value);
}
