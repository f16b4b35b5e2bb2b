/* SPDX-License-Identifier: Apache-2.0 */
#include "oracle/evidence.h"

#include "oracle/plain.h"

#include <math.h>
#include <stdlib.h>

/* ---- what neighbours tell -------------------------------------------------------------------- */

double evidence_share(size_t n, const evidence_teller *v, const int32_t *y, size_t j, int32_t c)
{
    double votes = 0, ties = 0;
    for (size_t l = 0; l < v->landmarks; l++) {
        const double *z = v->z + l * n;
        double same = 0, others = 0;
        if (z[j] == 0)
            continue;
        for (size_t i = 0; i < n; i++)
            if (i != j) {
                others += z[i];
                same += y[i] == c ? z[i] : 0;
            }
        if (others > 1e-9) { /* a landmark of its own tells of nobody */
            votes += z[j] * same / others;
            ties += z[j];
        }
    }
    return ties > 0 ? votes / ties : -1;
}

/* - sum_c pi_c log pi_c over the samples that are counted. */
static double entropy(size_t n, size_t mu, const int32_t *y, const double *counted)
{
    double all = 0, sum = 0;
    for (size_t j = 0; j < n; j++)
        all += counted[j];
    for (size_t c = 0; c < mu; c++) {
        double pi = 0;
        for (size_t j = 0; j < n; j++)
            pi += y[j] == (int32_t)c ? counted[j] / all : 0;
        sum -= pi > 0 ? pi * log(pi) : 0;
    }
    return sum;
}

evidence_told evidence_tell(size_t n, size_t mu, size_t p, size_t tellers,
                            const evidence_teller *shown, const int32_t *y)
{
    evidence_told told = {0};
    double *pi = plain_new(n, 1), *Q = plain_new(n, 1), *weight = plain_new(n, 1),
           *counted = plain_new(n, 1);
    for (size_t j = 0; j < n; j++) {
        counted[j] = 1;
        for (size_t i = 0; i < n; i++)
            pi[j] += y[i] == y[j] ? 1 / (double)n : 0;
    }
    told.H_all = entropy(n, mu, y, counted);
    for (size_t v = 0; v < tellers; v++) {
        double count = 0, sum = 0;
        for (size_t j = 0; j < n; j++) {
            double share = evidence_share(n, &shown[v], y, j, y[j]);
            double q = (share + 0.1 * pi[j]) / 1.1;
            counted[j] = share >= 0;
            if (share < 0)
                continue;
            count += 1;
            sum += log(q);
            Q[j] += shown[v].weight * q;
            weight[j] += shown[v].weight;
        }
        if (v < p && count > 0) {
            told.H_view[v] = entropy(n, mu, y, counted);
            told.I_view[v] = told.H_view[v] + sum / count;
        }
    }
    for (size_t j = 0; j < n; j++) /* of a sample that none ties nothing is told */
        told.I_all += weight[j] > 0 ? log(Q[j] / weight[j] / pi[j]) / (double)n : 0;
    free(pi);
    free(Q);
    free(weight);
    free(counted);
    return told;
}

/* ---- beyond chance --------------------------------------------------------------------------- */

double evidence_chance(size_t mu, double told, double H)
{
    double nu = H > 0 ? told / sqrt(H * log((double)mu)) : 0;
    return nu < 0 ? 0 : nu > 1 ? 1 : nu;
}

double evidence_score(size_t mu, double told, double H, double nu)
{
    return H > 0 ? (told - nu * H) / sqrt(H * log((double)mu)) : 0;
}

void evidence_of_views(size_t p, size_t mu, const evidence_told *data,
                       const evidence_told *shuffled, const evidence_told *mixed, int lacks,
                       double *e)
{
    for (size_t v = 0; v < p; v++) {
        e[v] = 0.03;
        for (size_t u = 0; u < p; u++) {
            double H = data[v].H_view[u], by_shuffling = INFINITY, by_mixing = INFINITY, nu;
            if (v == u && shuffled[v].H_view[u] > 0)
                by_shuffling = shuffled[v].I_view[u] / shuffled[v].H_view[u];
            if ((v == u || !lacks) && mixed[v].H_view[u] > 0)
                by_mixing = mixed[v].I_view[u] / mixed[v].H_view[u];
            nu = by_shuffling < by_mixing ? by_shuffling : by_mixing;
            if (nu == INFINITY || !(H > 0))
                continue;
            double beyond = (data[v].I_view[u] - (nu > 0 ? nu : 0) * H) / sqrt(H * log((double)mu));
            e[v] += beyond > 0 ? beyond : 0;
        }
    }
}

/* ---- weights --------------------------------------------------------------------------------- */

static double clipped(double t, double brings, double lower, double upper)
{
    double value = brings > 0 ? t * brings : 0;
    return value < lower ? lower : value > upper ? upper : value;
}

static double sum_at(size_t p, double t, const double *brings, const double *lower,
                     const double *upper)
{
    double sum = 0;
    for (size_t i = 0; i < p; i++)
        sum += clipped(t, brings[i], lower[i], upper[i]);
    return sum;
}

/* The sum rises with t, and is a line between those t where an entry meets a bound: the t where it
 * is 1 lies between two of them. INFINITY: it stays below 1. */
static double t_of_one(size_t p, const double *brings, const double *lower, const double *upper)
{
    double below = 0, above = INFINITY;
    for (size_t i = 0; i < 2 * p; i++) {
        double bound = i < p ? lower[i] : upper[i - p], rise = brings[i % p];
        if (!(rise > 0))
            continue;
        if (sum_at(p, bound / rise, brings, lower, upper) < 1)
            below = fmax(below, bound / rise);
        else
            above = fmin(above, bound / rise);
    }
    if (above == INFINITY)
        return INFINITY;
    double low = sum_at(p, below, brings, lower, upper),
           high = sum_at(p, above, brings, lower, upper);
    return high > low && low < 1 ? below + (1 - low) / (high - low) * (above - below) : above;
}

void evidence_weights(size_t p, const double *brings, const double *lower, const double *upper,
                      double *weights)
{
    double share[EVIDENCE_MOST] = {0}, all = 0, sum = 0;
    size_t largest = 0;
    for (size_t i = 0; i < p; i++)
        all += brings[i] > 0 ? brings[i] : 0;
    for (size_t i = 0; i < p; i++)
        share[i] = all > 0 ? (brings[i] > 0 ? brings[i] / all : 0) : 1 / (double)p;
    if (!lower) {
        for (size_t i = 0; i < p; i++) {
            weights[i] = floor(1000 * share[i] + 0.5) / 1000;
            sum += weights[i];
            largest = weights[i] > weights[largest] ? i : largest;
        }
        weights[largest] += 1 - sum;
        return;
    }
    double t = t_of_one(p, share, lower, upper);
    if (t == INFINITY) { /* those that bring something have all they may */
        double rest[EVIDENCE_MOST], least[EVIDENCE_MOST];
        for (size_t i = 0; i < p; i++) {
            rest[i] = share[i] > 0 ? 0 : 1;
            least[i] = share[i] > 0 ? upper[i] : lower[i];
        }
        t = t_of_one(p, rest, least, upper);
        for (size_t i = 0; i < p; i++)
            weights[i] = clipped(t, rest[i], least[i], upper[i]);
        return;
    }
    for (size_t i = 0; i < p; i++)
        weights[i] = clipped(t, share[i], lower[i], upper[i]);
}
