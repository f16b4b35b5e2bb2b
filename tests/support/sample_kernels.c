/* SPDX-License-Identifier: Apache-2.0 */
/* Sample kernels. */
#include "support/sample_kernels.h"

#include "oracle/literal_kernel.h"
#include "support/check.h"

#include <stdlib.h>

double **sample_raw_kernels(uint64_t seed, size_t samples, size_t views, size_t clusters)
{
    enum { COLUMNS = 6 };
    double **kernel = malloc(views * sizeof *kernel);
    double *x = malloc(samples * COLUMNS * sizeof *x);
    double *centre = malloc(clusters * COLUMNS * sizeof *centre);
    for (size_t i = 0; i < views; i++) {
        check_random(seed, 2 * i, COLUMNS, samples, x);
        check_random(seed, 2 * i + 1, COLUMNS, clusters, centre);
        for (size_t j = 0; j < samples; j++)
            for (size_t r = 0; r < COLUMNS; r++)
                x[r + j * COLUMNS] = x[r + j * COLUMNS] * (0.6 + 0.5 * (double)i) +
                                     2 * centre[r + j % clusters * COLUMNS];
        kernel[i] = malloc(samples * samples * sizeof **kernel);
        literal_rbf(samples, COLUMNS, x, kernel[i]);
    }
    free(x);
    free(centre);
    return kernel;
}

double **sample_kernels(uint64_t seed, size_t samples, size_t views, size_t clusters)
{
    double **kernel = sample_raw_kernels(seed, samples, views, clusters);
    for (size_t i = 0; i < views; i++)
        literal_finish(samples, 0, kernel[i]);
    return kernel;
}

void sample_free(size_t views, double **kernels)
{
    for (size_t i = 0; i < views; i++)
        free(kernels[i]);
    free(kernels);
}
