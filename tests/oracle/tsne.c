/* SPDX-License-Identifier: Apache-2.0 */
/* t-SNE as it is defined, over all pairs of samples. */
#include "oracle/tsne.h"

#include <math.h>
#include <stdlib.h>

static double apart(size_t rows, const double *x, size_t i, size_t j)
{
    double sum = 0;
    for (size_t r = 0; r < rows; r++)
        sum += (x[i * rows + r] - x[j * rows + r]) * (x[i * rows + r] - x[j * rows + r]);
    return sum;
}

void tsne_forces(size_t n, const double *y, const double *p, double *force, double *attract,
                 double *z)
{
    *z = 0;
    for (size_t i = 0; i < n; i++) {
        long double sum[4] = {0, 0, 0, 0};
        for (size_t j = 0; j < n; j++) {
            if (i == j)
                continue;
            double q = 1 / (1 + apart(2, y, i, j));
            *z += q;
            for (size_t r = 0; r < 2; r++) {
                sum[r] += q * q * (y[2 * i + r] - y[2 * j + r]);
                sum[2 + r] += p ? p[i * n + j] * q * (y[2 * i + r] - y[2 * j + r]) : 0;
            }
        }
        for (size_t r = 0; r < 2; r++) {
            force[2 * i + r] = (double)sum[r];
            if (attract)
                attract[2 * i + r] = (double)sum[2 + r];
        }
    }
}

double tsne_divergence(size_t n, const double *y, const double *p)
{
    double z = 0, sum = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            z += i == j ? 0 : 1 / (1 + apart(2, y, i, j));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (i != j && p[i * n + j] > 0)
                sum += p[i * n + j] * log(p[i * n + j] * z * (1 + apart(2, y, i, j)));
    return sum;
}

/* How many others are nearer to i than j is, by distance and then by number. */
static size_t rank_of(size_t n, size_t rows, const double *x, size_t i, size_t j)
{
    double limit = apart(rows, x, i, j);
    size_t rank = 0;
    for (size_t o = 0; o < n; o++) {
        double d = apart(rows, x, i, o);
        rank += o != i && o != j && (d < limit || (d == limit && o < j));
    }
    return rank;
}

static double entropy_at(size_t n, const double *d, double beta, double *p)
{
    double sum = 0, entropy = 0, least = INFINITY;
    for (size_t j = 0; j < n; j++)
        least = d[j] < least ? d[j] : least;
    for (size_t j = 0; j < n; j++) {
        p[j] = isinf(d[j]) ? 0 : exp(-beta * (d[j] - least));
        sum += p[j];
    }
    for (size_t j = 0; j < n; j++) {
        p[j] /= sum;
        entropy -= p[j] > 0 ? p[j] * log(p[j]) : 0;
    }
    return entropy;
}

void tsne_affinities(size_t n, size_t rows, const double *x, size_t count, double perplexity,
                     double *p)
{
    double *d = malloc(n * sizeof *d), *given = malloc(n * n * sizeof *given);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            d[j] = j != i && rank_of(n, rows, x, i, j) < count ? apart(rows, x, i, j) : INFINITY;
        double low = 1e-12, high = 1e12;
        for (int step = 0; step < 200; step++) {
            double beta = sqrt(low * high);
            if (entropy_at(n, d, beta, given + i * n) > log(perplexity))
                low = beta;
            else
                high = beta;
        }
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            p[i * n + j] = (given[i * n + j] + given[j * n + i]) / (2 * (double)n);
    free(d);
    free(given);
}

double tsne_kept(size_t n, size_t rows, const double *x, const double *y, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            kept += i != j && rank_of(n, rows, x, i, j) < count && rank_of(n, 2, y, i, j) < count;
    return (double)kept / (double)(n * count);
}
