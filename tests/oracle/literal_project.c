/* SPDX-License-Identifier: Apache-2.0 */
/* New samples against a base partition, entry by entry. */
#include "oracle/literal_project.h"

#include <math.h>
#include <stdlib.h>

typedef long double real;

static void standardise(size_t n, size_t columns, size_t all, real *f)
{
    for (size_t c = 0; c < columns; c++) {
        real mean = 0, variance = 0, most = 0;
        for (size_t j = 0; j < n; j++)
            mean += f[j * columns + c] / (real)n;
        for (size_t j = 0; j < n; j++) {
            real difference = f[j * columns + c] - mean;
            variance += difference * difference / (real)n;
            most = fmaxl(most, fabsl(f[j * columns + c]));
        }
        for (size_t j = 0; j < all; j++)
            f[j * columns + c] =
                sqrtl(variance) > 4e-15L * most ? (f[j * columns + c] - mean) / sqrtl(variance) : 0;
    }
}

static void weigh_words(size_t n, size_t columns, size_t all, real *f)
{
    for (size_t c = 0; c < columns; c++) {
        real found = 0;
        for (size_t j = 0; j < n; j++)
            found += f[j * columns + c] != 0;
        for (size_t j = 0; j < all; j++)
            f[j * columns + c] = found > 0 ? sqrtl(f[j * columns + c]) * logl((real)n / found) : 0;
    }
}

static void link(size_t n, size_t all, const double *train, real *f)
{
    for (size_t j = 0; j < all; j++)
        for (size_t i = 0; i < n; i++)
            f[j * n + i] = f[j * n + i] != 0 || (j < n && (i == j || train[i * n + j] != 0));
}

/* From sample `own` on, each has one more entry of 1 in a column of its own. */
static void to_unit_length(size_t columns, size_t all, size_t own, real *f)
{
    for (size_t j = 0; j < all; j++) {
        real square = j >= own;
        for (size_t c = 0; c < columns; c++)
            square += f[j * columns + c] * f[j * columns + c];
        for (size_t c = 0; square > 0 && c < columns; c++)
            f[j * columns + c] /= sqrtl(square);
    }
}

static real inner(size_t columns, const real *a, const real *b)
{
    real sum = 0;
    for (size_t c = 0; c < columns; c++)
        sum += a[c] * b[c];
    return sum;
}

static real apart(size_t columns, const real *a, const real *b)
{
    real sum = 0;
    for (size_t c = 0; c < columns; c++)
        sum += (a[c] - b[c]) * (a[c] - b[c]);
    return sum;
}

void literal_cross(literal_kind kind, size_t n, size_t columns, const double *train, size_t fresh,
                   const double *new, double *K, double *k, double *self)
{
    size_t all = n + fresh;
    real *f = malloc(all * columns * sizeof *f), width = 0;
    for (size_t i = 0; i < n * columns; i++)
        f[i] = train[i];
    for (size_t i = 0; i < fresh * columns; i++)
        f[n * columns + i] = new[i];
    if (kind == LITERAL_RBF)
        standardise(n, columns, all, f);
    if (kind == LITERAL_TFIDF)
        weigh_words(n, columns, all, f);
    if (kind == LITERAL_GRAPH)
        link(n, all, train, f);
    if (kind == LITERAL_COSINE || kind == LITERAL_TFIDF || kind == LITERAL_GRAPH)
        to_unit_length(columns, all, kind == LITERAL_GRAPH ? n : all, f);
    for (size_t j = 0; kind == LITERAL_RBF && j < n; j++)
        for (size_t i = 0; i < n; i++)
            width += apart(columns, f + i * columns, f + j * columns) / (real)(n * n);
    for (size_t j = 0; j < all; j++) {
        double *out = j < n ? K + j * n : k + (j - n) * n;
        for (size_t i = 0; i < n; i++)
            out[i] = kind == LITERAL_RBF
                         ? (double)expl(-apart(columns, f + i * columns, f + j * columns) / width)
                         : (double)inner(columns, f + i * columns, f + j * columns);
        if (j >= n)
            self[j - n] = kind == LITERAL_RBF || kind == LITERAL_GRAPH
                              ? 1
                              : (double)inner(columns, f + j * columns, f + j * columns);
    }
    free(f);
}

void literal_project(size_t n, const double *K, size_t fresh, const double *k, const double *self,
                     size_t rank, const double *V, size_t ldv, const double *value, double *h)
{
    real *mean = calloc(n, sizeof *mean), all = 0;
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++)
            mean[j] += K[j * n + i] / (real)n;
        all += mean[j] / (real)n;
    }
    for (size_t x = 0; x < fresh; x++) {
        real own = 0;
        for (size_t j = 0; j < n; j++)
            own += k[x * n + j] / (real)n;
        real length = sqrtl(self[x] - 2 * own + all);
        for (size_t r = 0; r < rank; r++) {
            real sum = 0;
            for (size_t j = 0; j < n; j++) {
                real theirs = sqrtl(K[j * n + j] - 2 * mean[j] + all);
                sum += (k[x * n + j] - own - mean[j] + all) / (length * theirs) * V[j * ldv + r];
            }
            h[x * rank + r] = (double)(sum / value[r]);
        }
    }
    free(mean);
}
