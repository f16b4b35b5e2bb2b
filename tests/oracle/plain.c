/* SPDX-License-Identifier: Apache-2.0 */
/* Dense algebra in plain loops. */
#include "oracle/plain.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

double *plain_new(size_t rows, size_t columns)
{
    return calloc(rows * columns + 1, sizeof(double));
}

double *plain_copy(size_t rows, size_t columns, const double *a)
{
    double *copy = plain_new(rows, columns);
    memcpy(copy, a, rows * columns * sizeof *a);
    return copy;
}

double *plain_identity(size_t n)
{
    double *a = plain_new(n, n);
    for (size_t i = 0; i < n; i++)
        a[i + i * n] = 1;
    return a;
}

double *plain_flip(size_t rows, size_t columns, const double *a)
{
    double *b = plain_new(columns, rows);
    for (size_t j = 0; j < columns; j++)
        for (size_t i = 0; i < rows; i++)
            b[j + i * columns] = a[i + j * rows];
    return b;
}

double *plain_times(size_t rows, size_t inner, size_t columns, const double *a, const double *b)
{
    double *c = plain_new(rows, columns);
    for (size_t j = 0; j < columns; j++)
        for (size_t k = 0; k < inner; k++)
            for (size_t i = 0; i < rows; i++)
                c[i + j * rows] += a[i + k * rows] * b[k + j * inner];
    return c;
}

void plain_add(size_t count, double *to, double factor, const double *from)
{
    for (size_t i = 0; i < count; i++)
        to[i] += factor * from[i];
}

double plain_frobenius(size_t rows, size_t columns, const double *a)
{
    double sum = 0;
    for (size_t i = 0; i < rows * columns; i++)
        sum += a[i] * a[i];
    return sqrt(sum);
}

double plain_row_sum(size_t rows, size_t columns, const double *a)
{
    double most = 0;
    for (size_t i = 0; i < rows; i++) {
        double sum = 0;
        for (size_t j = 0; j < columns; j++)
            sum += fabs(a[i + j * rows]);
        most = fmax(most, sum);
    }
    return most;
}

static double length(size_t rows, const double *x)
{
    return plain_frobenius(rows, 1, x);
}

double plain_lengths(size_t rows, size_t columns, const double *a)
{
    double sum = 0;
    for (size_t j = 0; j < columns; j++)
        sum += length(rows, a + j * rows);
    return sum;
}

void plain_shrink(size_t rows, size_t columns, double *a, double cut)
{
    for (size_t j = 0; j < columns; j++) {
        double l = length(rows, a + j * rows), factor = l > cut ? 1 - cut / l : 0;
        for (size_t i = 0; i < rows; i++)
            a[i + j * rows] *= factor;
    }
}

/* Turns columns p and q of x by the rotation (c, s). */
static void turn(size_t rows, double *x, size_t p, size_t q, double c, double s)
{
    for (size_t i = 0; i < rows; i++) {
        double a = x[i + p * rows], b = x[i + q * rows];
        x[i + p * rows] = c * a - s * b;
        x[i + q * rows] = s * a + c * b;
    }
}

/* Makes the columns of w (rows x columns) orthogonal by rotations gathered in v. */
static void make_orthogonal(size_t rows, size_t columns, double *w, double *v)
{
    for (int sweep = 0, moved = 1; moved && sweep < 60; sweep++) {
        moved = 0;
        for (size_t p = 0; p < columns; p++)
            for (size_t q = p + 1; q < columns; q++) {
                double a = 0, b = 0, g = 0;
                for (size_t i = 0; i < rows; i++) {
                    a += w[i + p * rows] * w[i + p * rows];
                    b += w[i + q * rows] * w[i + q * rows];
                    g += w[i + p * rows] * w[i + q * rows];
                }
                if (fabs(g) <= 1e-16 * sqrt(a) * sqrt(b) || g == 0)
                    continue;
                moved = 1;
                double z = (b - a) / (2 * g);
                double t = copysign(1, z) / (fabs(z) + sqrt(1 + z * z));
                double c = 1 / sqrt(1 + t * t);
                turn(rows, w, p, q, c, c * t);
                turn(columns, v, p, q, c, c * t);
            }
    }
}

void plain_svd(size_t rows, size_t columns, const double *a, double *u, double *s, double *v)
{
    if (rows < columns) {
        double *flipped = plain_flip(rows, columns, a);
        plain_svd(columns, rows, flipped, v, s, u);
        free(flipped);
        return;
    }
    double *w = plain_copy(rows, columns, a), *turns = plain_identity(columns);
    make_orthogonal(rows, columns, w, turns);
    for (size_t k = 0; k < columns; k++) { /* the longest column left comes next */
        size_t best = k;
        for (size_t j = k + 1; j < columns; j++)
            if (length(rows, w + j * rows) > length(rows, w + best * rows))
                best = j;
        for (size_t i = 0; i < rows && best != k; i++) {
            double swap = w[i + k * rows];
            w[i + k * rows] = w[i + best * rows];
            w[i + best * rows] = swap;
        }
        for (size_t i = 0; i < columns && best != k; i++) {
            double swap = turns[i + k * columns];
            turns[i + k * columns] = turns[i + best * columns];
            turns[i + best * columns] = swap;
        }
        s[k] = length(rows, w + k * rows);
        for (size_t i = 0; i < rows; i++)
            u[i + k * rows] = s[k] > 0 ? w[i + k * rows] / s[k] : 0;
        memcpy(v + k * columns, turns + k * columns, columns * sizeof *v);
    }
    free(w);
    free(turns);
}

double *plain_inverse(size_t n, const double *a)
{
    double *w = plain_copy(n, n, a), *inverse = plain_identity(n);
    for (size_t k = 0; k < n; k++) {
        size_t pivot = k;
        for (size_t i = k + 1; i < n; i++)
            if (fabs(w[i + k * n]) > fabs(w[pivot + k * n]))
                pivot = i;
        for (size_t j = 0; j < n; j++) {
            double x = w[k + j * n], y = inverse[k + j * n];
            w[k + j * n] = w[pivot + j * n];
            w[pivot + j * n] = x;
            inverse[k + j * n] = inverse[pivot + j * n];
            inverse[pivot + j * n] = y;
        }
        double scale = 1 / w[k + k * n];
        for (size_t j = 0; j < n; j++) {
            w[k + j * n] *= scale;
            inverse[k + j * n] *= scale;
        }
        for (size_t i = 0; i < n; i++) {
            double factor = w[i + k * n];
            if (i == k || factor == 0)
                continue;
            for (size_t j = 0; j < n; j++) {
                w[i + j * n] -= factor * w[k + j * n];
                inverse[i + j * n] -= factor * inverse[k + j * n];
            }
        }
    }
    free(w);
    return inverse;
}
