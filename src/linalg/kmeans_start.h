/* SPDX-License-Identifier: Apache-2.0 */
/* Where k-means begins: k-means++, or samples at random. For kmeans.c. */
#ifndef OF_LINALG_KMEANS_START_H
#define OF_LINALG_KMEANS_START_H

#include "base/random.h"
#include "base/tiles.h"

/* Samples as the columns of X, rows x samples. */
typedef struct of_kmeans_points {
    size_t rows, samples;
    const double *X;
    size_t ldx;
} of_kmeans_points;

static inline const double *of_kmeans_point(const of_kmeans_points *points, size_t j)
{
    return points->X + j * points->ldx;
}

/* ||x - y||^2, summed in four strands so that the compiler may use vectors without reordering. */
static inline double of_squared_distance(size_t rows, const double *x, const double *y)
{
    double strand[4] = {0, 0, 0, 0};
    size_t i = 0;
    for (; i + 4 <= rows; i += 4)
        for (size_t s = 0; s < 4; s++) {
            double d = x[i + s] - y[i + s];
            strand[s] += d * d;
        }
    for (; i < rows; i++)
        strand[0] += (x[i] - y[i]) * (x[i] - y[i]);
    return (strand[0] + strand[1]) + (strand[2] + strand[3]);
}

/* Each centre (rows x clusters) is a sample drawn in proportion to its squared distance from those
 * before it. Room: `distance` for the samples, `tile_sum` for the tiles. */
onefold_status of_kmeans_start_plusplus(of_context *context, const of_kmeans_points *points,
                                        const of_tiles *tiles, size_t clusters, of_random *random,
                                        double *distance, double *tile_sum, double *centres);

/* Distinct samples, each set as likely. Room: `chosen` for the clusters. */
void of_kmeans_start_samples(const of_kmeans_points *points, size_t clusters, of_random *random,
                             size_t *chosen, double *centres);

#endif
