/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels entry by entry. */
#include "oracle/literal_kernel.h"

#include <math.h>
#include <stdlib.h>

typedef long double real;

void literal_linear(size_t n, size_t columns, const double *x, double *k)
{
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
            real sum = 0;
            for (size_t c = 0; c < columns; c++)
                sum += (real)x[i * columns + c] * x[j * columns + c];
            k[j * n + i] = (double)sum;
        }
}

void literal_cosine(size_t n, size_t columns, const double *x, double *k)
{
    literal_linear(n, columns, x, k);
    real *length = malloc(n * sizeof *length);
    for (size_t j = 0; j < n; j++)
        length[j] = sqrtl(k[j * n + j]);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            k[j * n + i] =
                length[i] * length[j] > 0 ? (double)(k[j * n + i] / (length[i] * length[j])) : 0;
    free(length);
}

/* k = ||x_i - x_j||^2 of standardised columns, over its mean. */
static void literal_distances(size_t n, size_t columns, const double *x, double *k)
{
    real *z = calloc(n * columns, sizeof *z);
    size_t kept = 0;
    for (size_t c = 0; c < columns; c++) {
        real mean = 0, variance = 0, most = 0;
        for (size_t j = 0; j < n; j++)
            mean += x[j * columns + c] / (real)n;
        for (size_t j = 0; j < n; j++) {
            variance += (x[j * columns + c] - mean) * (x[j * columns + c] - mean) / (real)n;
            most = fmaxl(most, fabsl(x[j * columns + c]));
        }
        if (sqrtl(variance) <= 4e-15L * most)
            continue;
        for (size_t j = 0; j < n; j++)
            z[j * columns + kept] = (x[j * columns + c] - mean) / sqrtl(variance);
        kept++;
    }
    real *distance = malloc(n * n * sizeof *distance), width = 0;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
            real sum = 0;
            for (size_t c = 0; c < kept; c++) {
                real difference = z[i * columns + c] - z[j * columns + c];
                sum += difference * difference;
            }
            distance[j * n + i] = sum;
            width += sum / (real)(n * n);
        }
    for (size_t i = 0; i < n * n; i++)
        k[i] = width > 0 ? (double)(distance[i] / width) : 0;
    free(distance);
    free(z);
}

void literal_rbf(size_t n, size_t columns, const double *x, double *k)
{
    literal_distances(n, columns, x, k);
    for (size_t i = 0; i < n * n; i++)
        k[i] = (double)expl(-(real)k[i]);
}

void literal_laplacian(size_t n, size_t columns, const double *x, double *k)
{
    literal_distances(n, columns, x, k);
    for (size_t i = 0; i < n * n; i++)
        k[i] = (double)expl(-sqrtl(k[i]));
}

void literal_tfidf_cosine(size_t n, size_t columns, const double *x, double *k)
{
    double *weighted = malloc(n * columns * sizeof *weighted);
    for (size_t c = 0; c < columns; c++) {
        real found = 0;
        for (size_t j = 0; j < n; j++)
            found += x[j * columns + c] != 0;
        for (size_t j = 0; j < n; j++)
            weighted[j * columns + c] =
                x[j * columns + c] == 0
                    ? 0
                    : (double)(sqrtl(x[j * columns + c]) * logl((real)n / found));
    }
    literal_cosine(n, columns, weighted, k);
    free(weighted);
}

void literal_graph(size_t n, const double *x, double *k)
{
    double *linked = malloc(n * n * sizeof *linked);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            linked[j * n + i] = i == j || x[j * n + i] != 0 || x[i * n + j] != 0;
    literal_cosine(n, n, linked, k);
    free(linked);
}

/* k <- (I - 11'/n) k, which takes the mean off each column, and its transpose. */
static void centre_and_transpose(size_t n, const real *k, real *out)
{
    for (size_t j = 0; j < n; j++) {
        real mean = 0;
        for (size_t i = 0; i < n; i++)
            mean += k[j * n + i] / (real)n;
        for (size_t i = 0; i < n; i++)
            out[i * n + j] = k[j * n + i] - mean;
    }
}

void literal_finish(size_t n, double floor, double *k)
{
    real *whole = malloc(n * n * sizeof *whole), *half = malloc(n * n * sizeof *half);
    for (size_t i = 0; i < n * n; i++)
        whole[i] = k[i];
    centre_and_transpose(n, whole, half);
    centre_and_transpose(n, half, whole);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
            real a = whole[i * n + i], b = whole[j * n + j];
            k[j * n + i] = a > floor && b > floor ? (double)(whole[j * n + i] / sqrtl(a * b)) : 0;
        }
    free(half);
    free(whole);
}
