/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the tests of base partitions: checks of H, and clustered data. */
#ifndef OF_TESTS_PARTITION_ROUTES_CHECK_H
#define OF_TESTS_PARTITION_ROUTES_CHECK_H

#include "linalg/blas.h"
#include "linalg/factor.h"
#include "partition/routes.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Checks H (dims x n) of any route against LAPACK on `finished`, the literal kernel (n x n): rank,
 * eigenvalues, residuals, orthonormal rows, signs, projector. */
static inline void check_partition(size_t n, const double *finished, size_t dims, size_t rank,
                                   const double *values, const double *H, double tolerance)
{
    size_t rows = dims < n ? dims : n;
    double *copy = malloc(n * n * sizeof *copy), *value = malloc(n * sizeof *value),
           *image = malloc(n * dims * sizeof *image);
    memcpy(copy, finished, n * n * sizeof *copy);
    CHECK_OK(of_eigh(of_context_or_default(NULL), n, copy, value));
    size_t expected = 0;
    while (expected < rows && value[expected] > 1e-10 * value[0] && value[expected] > 1e-10)
        expected++;
    assert_int_equal(rank, expected);
    for (size_t r = 0; r < dims; r++)
        CHECK_CLOSE(values[r], r < rank ? value[r] : 0, 0, 1e-11 * fabs(value[0]));
    of_gemm('N', 'N', dims, n, n, 1, H, dims, finished, n, 0, image, dims);
    for (size_t r = 0; r < dims; r++) {
        double square = 0, largest = 0;
        for (size_t j = 0; j < n; j++) {
            double h = H[j * dims + r];
            square += pow(image[j * dims + r] - values[r] * h, 2);
            largest = fabs(h) > fabs(largest) ? h : largest;
        }
        assert_true(r < rank ? largest > 0 : largest == 0);
        assert_true(sqrt(square) <= tolerance * fabs(value[0]));
        for (size_t l = 0; l <= r; l++) {
            double product = 0;
            for (size_t j = 0; j < n; j++)
                product += H[j * dims + r] * H[j * dims + l];
            CHECK_CLOSE(product, l == r && r < rank ? 1 : 0, 0, 1e-11);
        }
    }
    /* the projector, where the spectrum has a gap below the last row */
    double gap = rank == 0 ? 0 : rank < n ? value[rank - 1] - value[rank] : value[rank - 1];
    for (size_t j = 0; gap > 1e-4 * value[0] && j < n; j += 7)
        for (size_t i = 0; i < n; i += 5) {
            double ours = 0, theirs = 0;
            for (size_t r = 0; r < rank; r++) {
                ours += H[j * dims + r] * H[i * dims + r];
                theirs += copy[r * n + j] * copy[r * n + i];
            }
            CHECK_CLOSE(ours, theirs, 0, 4 * tolerance * value[0] / gap);
        }
    free(copy);
    free(value);
    free(image);
}

/* Makes the entry of largest modulus in each row positive, which is the caller's part. */
static inline void settle_signs(size_t n, size_t rows, double *H)
{
    for (size_t r = 0; r < rows; r++) {
        double largest = 0;
        for (size_t j = 0; j < n; j++)
            largest = fabs(H[j * rows + r]) > fabs(largest) ? H[j * rows + r] : largest;
        for (size_t j = 0; largest < 0 && j < n; j++)
            H[j * rows + r] *= -1;
    }
}

/* Runs one route on the kernel and checks its result. */
static inline void check_route(of_route_run run, const of_kernel *kernel, const double *finished,
                               size_t rows)
{
    size_t n = kernel->view->samples;
    double *H = malloc(rows * n * sizeof *H), *value = calloc(rows, sizeof *value);
    of_route_work work = {.kernel = kernel,
                          .rows = rows,
                          .tolerance = 1e-8,
                          .H = of_share_whole(H, rows),
                          .value = value};
    CHECK_OK(run(of_context_or_default(NULL), &work));
    assert_true(work.residual <= 1e-8);
    settle_signs(n, rows, H);
    check_partition(n, finished, rows, work.rank, value, H, 1e-8);
    free(H);
    free(value);
}

/* columns x n: three clusters of samples, so that spectra have gaps; sparse counts if asked. */
static inline double *clustered(size_t n, size_t columns, int sparse, uint64_t seed)
{
    double *x = malloc(n * columns * sizeof *x), *centre = malloc(3 * columns * sizeof *centre);
    check_random(seed, 0, columns, n, x);
    check_random(seed, 1, columns, 3, centre);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < columns; i++) {
            double *entry = &x[j * columns + i];
            *entry += 2 * centre[(j % 3) * columns + i];
            if (sparse)
                *entry = *entry > 2.5 ? floor(2 * *entry) : 0;
        }
    free(centre);
    return x;
}

#endif
