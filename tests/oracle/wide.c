/* SPDX-License-Identifier: Apache-2.0 */
/* Jacobi's rotations and what follows from them, in numbers of 113 bits. */
#include "oracle/wide.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Newton's steps double the digits: 53 bits, 106, and one for the last of them. */
wide_number wide_root(wide_number x)
{
    if (x <= 0)
        return 0;
    wide_number scale = 1;
    while (x > 1e200)
        x /= 0x1p600, scale *= 0x1p300;
    while (x < 1e-200)
        x *= 0x1p600, scale /= 0x1p300;
    wide_number root = sqrt((double)x);
    for (int step = 0; step < 3; step++)
        root = (root + x / root) / 2;
    return root * scale;
}

static wide_number size_of(wide_number x)
{
    return x < 0 ? -x : x;
}

static void turn(wide_number *x, wide_number *y, wide_number c, wide_number s)
{
    wide_number old = *x;
    *x = c * old - s * *y;
    *y = s * old + c * *y;
}

static void rotate(size_t n, wide_number *a, wide_number *v, size_t p, size_t q)
{
    wide_number z = (a[q + q * n] - a[p + p * n]) / (2 * a[p + q * n]);
    wide_number t = (z < 0 ? -1 : 1) / (size_of(z) + wide_root(1 + z * z));
    wide_number c = 1 / wide_root(1 + t * t), s = c * t;
    for (size_t i = 0; i < n; i++) {
        turn(&a[i + p * n], &a[i + q * n], c, s);
        turn(&v[i + p * n], &v[i + q * n], c, s);
    }
    for (size_t i = 0; i < n; i++)
        turn(&a[p + i * n], &a[q + i * n], c, s);
    a[p + q * n] = a[q + p * n] = 0;
}

static void sort(size_t n, wide_number *value, wide_number *vector)
{
    for (size_t k = 0; k < n; k++)
        for (size_t j = k + 1; j < n; j++)
            if (value[j] > value[k]) {
                wide_number swap = value[j];
                value[j] = value[k];
                value[k] = swap;
                for (size_t i = 0; i < n; i++) {
                    swap = vector[i + j * n];
                    vector[i + j * n] = vector[i + k * n];
                    vector[i + k * n] = swap;
                }
            }
}

void wide_eigen(size_t n, const wide_number *a, wide_number *value, wide_number *vector)
{
    wide_number *w = malloc(n * n * sizeof *w);
    memcpy(w, a, n * n * sizeof *w);
    for (size_t i = 0; i < n * n; i++)
        vector[i] = i % (n + 1) == 0;
    for (int sweep = 0, moved = 1; moved && sweep < 100; sweep++) {
        moved = 0;
        for (size_t p = 0; p < n; p++)
            for (size_t q = p + 1; q < n; q++) {
                wide_number beside =
                    wide_root(size_of(w[p + p * n])) * wide_root(size_of(w[q + q * n]));
                if (w[p + q * n] == 0 || size_of(w[p + q * n]) <= beside * 1e-32)
                    continue;
                rotate(n, w, vector, p, q);
                moved = 1;
            }
    }
    for (size_t i = 0; i < n; i++)
        value[i] = w[i + i * n];
    sort(n, value, vector);
    free(w);
}

void wide_polar(size_t rows, size_t columns, const wide_number *a, wide_number *w)
{
    wide_number *gram = calloc(columns * columns, sizeof *gram),
                *vector = malloc(columns * columns * sizeof *vector),
                *value = malloc(columns * sizeof *value);
    for (size_t j = 0; j < columns; j++)
        for (size_t k = 0; k < columns; k++)
            for (size_t i = 0; i < rows; i++)
                gram[k + j * columns] += a[i + k * rows] * a[i + j * rows];
    wide_eigen(columns, gram, value, vector);
    memset(gram, 0, columns * columns * sizeof *gram);
    for (size_t j = 0; j < columns; j++)
        for (size_t k = 0; k < columns; k++)
            for (size_t e = 0; e < columns; e++)
                gram[k + j * columns] +=
                    vector[k + e * columns] * vector[j + e * columns] / wide_root(value[e]);
    for (size_t j = 0; j < columns; j++)
        for (size_t i = 0; i < rows; i++) {
            w[i + j * rows] = 0;
            for (size_t k = 0; k < columns; k++)
                w[i + j * rows] += a[i + k * rows] * gram[k + j * columns];
        }
    free(gram);
    free(vector);
    free(value);
}
