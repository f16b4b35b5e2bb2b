/* SPDX-License-Identifier: Apache-2.0 */
#include "oracle/moves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Samples of a cluster, and the sum of G between them. */
static double within(size_t n, const double *G, const int32_t *labels, int32_t cluster,
                     double *count)
{
    double sum = 0;
    *count = 0;
    for (size_t j = 0; j < n; j++) {
        *count += labels[j] == cluster;
        for (size_t i = 0; i < n; i++)
            if (labels[i] == cluster && labels[j] == cluster)
                sum += G[i + j * n];
    }
    return sum;
}

double oracle_cost(size_t n, size_t k, const double *G, const int32_t *labels)
{
    double cost = 0, count;
    for (size_t i = 0; i < n; i++)
        cost += G[i + i * n];
    for (size_t c = 0; c < k; c++) {
        double sum = within(n, G, labels, (int32_t)c, &count);
        cost -= count > 0 ? sum / count : 0;
    }
    return cost;
}

/* ||x_i - mean of cluster c||^2; the mean of none is the origin. */
static double distance(size_t n, const double *G, const int32_t *labels, size_t i, int32_t c)
{
    double count, sum = within(n, G, labels, c, &count), with = 0;
    for (size_t j = 0; j < n; j++)
        with += labels[j] == c ? G[j + i * n] : 0;
    return count > 0 ? G[i + i * n] - 2 * with / count + sum / (count * count) : G[i + i * n];
}

void oracle_lloyd(size_t n, size_t k, const double *G, int32_t *labels)
{
    int32_t *now = malloc(n * sizeof *now);
    double *own = malloc(n * sizeof *own);
    for (size_t i = 0; i < n; i++) {
        own[i] = INFINITY;
        for (size_t c = 0; c < k; c++) {
            double d = distance(n, G, labels, i, (int32_t)c);
            if (d < own[i]) {
                own[i] = d;
                now[i] = (int32_t)c;
            }
        }
    }
    memcpy(labels, now, n * sizeof *now);
    for (size_t c = 0; c < k; c++) {
        double mates;
        within(n, G, labels, (int32_t)c, &mates);
        if (mates > 0)
            continue;
        size_t far = n;
        for (size_t i = 0; i < n; i++) {
            within(n, G, labels, labels[i], &mates);
            if (mates > 1 && (far == n || own[i] > own[far]))
                far = i;
        }
        labels[far] = (int32_t)c;
        own[far] = 0;
    }
    free(now);
    free(own);
}

size_t oracle_sweep(size_t n, size_t k, const double *G, int32_t *labels)
{
    size_t moves = 0;
    double trace = 0;
    for (size_t i = 0; i < n; i++)
        trace += fabs(G[i + i * n]);
    for (size_t i = 0; i < n; i++) {
        int32_t own = labels[i], best = own;
        double mates, least = oracle_cost(n, k, G, labels) - 1e-12 * trace;
        within(n, G, labels, own, &mates);
        for (size_t c = 0; c < k && mates > 1; c++) {
            labels[i] = (int32_t)c;
            double cost = oracle_cost(n, k, G, labels);
            if (cost < least) {
                least = cost;
                best = (int32_t)c;
            }
        }
        labels[i] = best;
        moves += best != own;
    }
    return moves;
}

size_t oracle_exchange(size_t n, size_t k, const double *G, int32_t *labels)
{
    size_t pairs = 0;
    double trace = 0, cost = oracle_cost(n, k, G, labels);
    for (size_t i = 0; i < n; i++)
        trace += fabs(G[i + i * n]);
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++) {
            int32_t a = labels[i], b = labels[j];
            if (a == b)
                continue;
            labels[i] = b;
            labels[j] = a;
            double now = oracle_cost(n, k, G, labels);
            if (now < cost - 1e-12 * trace) {
                cost = now;
                pairs++;
            } else {
                labels[i] = a;
                labels[j] = b;
            }
        }
    return pairs;
}

void oracle_kmeans(size_t n, size_t k, const double *G, size_t most, int small, int32_t *labels)
{
    int32_t *before = malloc(n * sizeof *before);
    size_t steps = 0;
    int stands = 0, filled = 1;
    double count;
    for (size_t c = 0; c < k; c++) {
        within(n, G, labels, (int32_t)c, &count);
        filled &= count > 0;
    }
    for (; steps < most && !stands; steps++) {
        memcpy(before, labels, n * sizeof *before);
        oracle_lloyd(n, k, G, labels);
        stands = (steps > 0 || filled) && !memcmp(before, labels, n * sizeof *before);
    }
    for (size_t moves = 1; stands && moves && steps < most; steps++) {
        moves = oracle_sweep(n, k, G, labels);
        if (!moves && small)
            moves = oracle_exchange(n, k, G, labels);
    }
    free(before);
}

void oracle_gram(size_t rows, size_t n, const double *X, double *G)
{
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
            G[i + j * n] = 0;
            for (size_t r = 0; r < rows; r++)
                G[i + j * n] += X[r + i * rows] * X[r + j * rows];
        }
}
