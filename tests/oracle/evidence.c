/* SPDX-License-Identifier: Apache-2.0 */
#include "oracle/evidence.h"

#include "oracle/plain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- tables ---------------------------------------------------------------------------------- */

/* The factor of a column: 1 over its deviation and the root of its levels; 0 of a constant one. */
static double factor_of(size_t n, size_t columns, const double *x, const uint8_t *levels,
                        const uint8_t *has, size_t c, double *mean)
{
    double count = 0, square = 0;
    *mean = 0;
    for (size_t j = 0; j < n; j++)
        count += has[j] != 0;
    for (size_t j = 0; j < n; j++)
        *mean += has[j] ? x[c + j * columns] / count : 0;
    for (size_t j = 0; j < n; j++)
        square += has[j] ? pow(x[c + j * columns] - *mean, 2) / count : 0;
    if (!levels || square < 1e-20)
        return square < 1e-20 ? 0 : 1;
    return 1 / sqrt(square * levels[c]);
}

double evidence_gram(size_t n, size_t columns, const double *x, const uint8_t *levels,
                     const uint8_t *has, double *G)
{
    double trace = 0, count = 0, mean;
    memset(G, 0, n * n * sizeof *G);
    for (size_t c = 0; c < columns; c++) {
        double factor = factor_of(n, columns, x, levels, has, c, &mean);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                if (has[i] && has[j])
                    G[i + j * n] +=
                        factor * factor * (x[c + i * columns] - mean) * (x[c + j * columns] - mean);
    }
    for (size_t j = 0; j < n; j++) {
        trace += G[j + j * n];
        count += has[j] != 0;
    }
    for (size_t e = 0; e < n * n; e++)
        G[e] /= trace / count;
    return trace / count;
}

void evidence_join(size_t n, size_t p, const double *const *G, const double *w,
                   const uint8_t *present, int unit, double *K)
{
    double *shrink = plain_new(n, 1), views = 0, all = 0;
    double *mean = plain_new(n, 1);
    for (size_t v = 0; v < p; v++)
        views += w[v] > 0;
    for (size_t j = 0; j < n; j++) {
        double sum = 0;
        for (size_t v = 0; v < p; v++)
            sum += present[j * p + v] ? w[v] : 0;
        shrink[j] = sum > 0 ? (unit ? sqrt(sum) : fmax(sum, 1 / views)) : INFINITY;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t v = 0; v < p; v++)
                if (w[v] > 0 && present[i * p + v] && present[j * p + v])
                    sum += w[v] * G[v][i + j * n] /
                           (unit ? sqrt(G[v][i + i * n] * G[v][j + j * n]) : 1);
            K[i + j * n] = sum / (shrink[i] * shrink[j]);
        }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            mean[i] += K[i + j * n] / (double)n;
            all += K[i + j * n] / (double)n / (double)n;
        }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            K[i + j * n] += all - mean[i] - mean[j];
    free(shrink);
    free(mean);
}

/* ---- what neighbours tell -------------------------------------------------------------------- */

double evidence_told(size_t n, size_t mu, const uint8_t *has, const double *votes, const int32_t *y)
{
    double H = 0, sum = 0, count = 0, all = 0;
    for (size_t j = 0; j < n; j++)
        all += has[j] != 0;
    for (size_t j = 0; j < n; j++) {
        double pi = 0, own = 0, cast = 0;
        for (size_t i = 0; i < n; i++) {
            pi += has[i] && y[i] == y[j] ? 1 / all : 0;
            own += y[i] == y[j] ? votes[j + i * n] : 0;
            cast += votes[j + i * n];
        }
        if (cast > 0) {
            sum += log((own / cast + 0.1 * pi) / 1.1);
            count += 1;
        }
    }
    for (size_t c = 0; c < mu; c++) {
        double share = 0;
        for (size_t j = 0; j < n; j++) {
            double cast = 0;
            for (size_t i = 0; i < n; i++)
                cast += votes[j + i * n];
            share += cast > 0 && y[j] == (int32_t)c ? 1 / count : 0;
        }
        H -= share > 0 ? share * log(share) : 0;
    }
    return count < 5 || H <= 0 ? 0 : fmax(H + sum / count, 0) / H;
}

double evidence_share(size_t n, size_t landmarks, const double *ties, const int32_t *y, size_t j,
                      int32_t c)
{
    double votes = 0, all = 0;
    for (size_t l = 0; l < landmarks; l++) {
        const double *z = ties + l * n;
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
            all += z[j];
        }
    }
    return all > 0 ? votes / all : -1;
}

/* ---- what comes back, beyond chance ---------------------------------------------------------- */

double evidence_rand(size_t n, const int32_t *a, const int32_t *b)
{
    double both = 0, first = 0, second = 0, all = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            both += a[i] == a[j] && b[i] == b[j];
            first += a[i] == a[j];
            second += b[i] == b[j];
            all += 1;
        }
    double expected = first * second / all, most = (first + second) / 2;
    return most == expected ? 1 : (both - expected) / (most - expected);
}

double evidence_beyond(double value, double chance)
{
    double nu = chance < 0 ? 0 : chance > 0.98 ? 0.98 : chance, share = (value - nu) / (1 - nu);
    return share < 0 ? 0 : share > 1 ? 1 : share;
}

double evidence_score(size_t p, double S, const double *T)
{
    double root = 0;
    for (size_t v = 0; v < p; v++)
        root += sqrt(T[v]) / (double)p;
    return (S + 0.01) * (S + 0.01) * (root * root + 0.001);
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
