/* SPDX-License-Identifier: Apache-2.0 */
/* Jacobi's method, literally: rotate every off-diagonal entry away until none is left. */
#include "oracle/plain_eigen.h"

#include "oracle/plain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A <- G'AG and V <- VG for the rotation G of rows p and q that makes A_pq zero. */
static void rotate(size_t n, double *a, double *v, size_t p, size_t q)
{
    double z = (a[q + q * n] - a[p + p * n]) / (2 * a[p + q * n]);
    double t = copysign(1, z) / (fabs(z) + sqrt(1 + z * z));
    double c = 1 / sqrt(1 + t * t), s = c * t;
    for (size_t i = 0; i < n; i++) {
        double x = a[i + p * n], y = a[i + q * n];
        a[i + p * n] = c * x - s * y;
        a[i + q * n] = s * x + c * y;
        x = v[i + p * n], y = v[i + q * n];
        v[i + p * n] = c * x - s * y;
        v[i + q * n] = s * x + c * y;
    }
    for (size_t i = 0; i < n; i++) {
        double x = a[p + i * n], y = a[q + i * n];
        a[p + i * n] = c * x - s * y;
        a[q + i * n] = s * x + c * y;
    }
    a[p + q * n] = a[q + p * n] = 0;
}

void plain_eigen_top(size_t n, size_t count, const double *a, double *value, double *vector)
{
    double *w = plain_copy(n, n, a), *v = plain_identity(n);
    double small = 1e-17 * plain_frobenius(n, n, a);
    for (int sweep = 0, moved = 1; moved && sweep < 100; sweep++) {
        moved = 0;
        for (size_t p = 0; p < n; p++)
            for (size_t q = p + 1; q < n; q++)
                if (fabs(w[p + q * n]) > small) {
                    rotate(n, w, v, p, q);
                    moved = 1;
                }
    }
    for (size_t k = 0; k < count; k++) {
        size_t best = 0;
        for (size_t j = 1; j < n; j++)
            if (w[j + j * n] > w[best + best * n])
                best = j;
        value[k] = w[best + best * n];
        memcpy(vector + k * n, v + best * n, n * sizeof *v);
        w[best + best * n] = -INFINITY;
    }
    free(w);
    free(v);
}

double plain_trace_of(size_t rows, size_t inner, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < inner; k++)
            sum += a[i + k * rows] * b[k + i * inner];
    return sum;
}
