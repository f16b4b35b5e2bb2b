/* SPDX-License-Identifier: Apache-2.0 */
/* The literal restatement of samples that lack views. */
#include "oracle/missing.h"

#include "oracle/literal_kernel.h"
#include "oracle/plain.h"
#include "oracle/plain_eigen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double *missing_partition(size_t n, size_t columns, size_t k, const double *x,
                          const uint8_t *present, size_t step)
{
    double *H = plain_new(k, n), *there = plain_new(columns, n);
    size_t count = 0, *which = malloc(n * sizeof *which);
    for (size_t j = 0; j < n; j++)
        if (present[j * step]) {
            memcpy(there + count * columns, x + j * columns, columns * sizeof *x);
            which[count++] = j;
        }
    double *K = plain_new(count, count), *value = plain_new(k, 1), *V = plain_new(count, k);
    literal_rbf(count, columns, there, K);
    literal_finish(count, 1e-14, K);
    plain_eigen_top(count, k, K, value, V);
    for (size_t r = 0; r < k; r++) {
        double largest = 0;
        for (size_t t = 0; t < count; t++)
            largest = fabs(V[t + r * count]) > fabs(largest) ? V[t + r * count] : largest;
        for (size_t t = 0; t < count; t++)
            H[r + which[t] * k] = largest < 0 ? -V[t + r * count] : V[t + r * count];
    }
    free(there);
    free(which);
    free(K);
    free(value);
    free(V);
    return H;
}

double *missing_fused(size_t n, size_t p, size_t k, double *const *H, const double *W,
                      const double *beta, const uint8_t *present)
{
    double *fused = plain_new(k, n);
    for (size_t j = 0; j < n; j++) {
        size_t has = 0;
        for (size_t i = 0; i < p; i++)
            has += present[j * p + i] != 0;
        for (size_t i = 0; i < p; i++) {
            size_t all = 0;
            for (size_t t = 0; t < n; t++)
                all += present[t * p + i] != 0;
            if (!present[j * p + i])
                continue;
            double weight = sqrt((double)p / (double)has) * beta[i] * sqrt((double)all / (double)n);
            double *turned = plain_times(k, k, 1, W + i * k * k, H[i] + j * k);
            plain_add(k, fused + j * k, weight, turned);
            free(turned);
        }
    }
    return fused;
}
