/* SPDX-License-Identifier: Apache-2.0 */
/* k-means with sums in a fixed order: starts, Lloyd's iteration, repair of empty clusters, moves of
 * single samples. */
#ifndef OF_LINALG_KMEANS_H
#define OF_LINALG_KMEANS_H

#include "base/memory.h"
#include "base/random.h"
#include "base/team.h"

/* ||x - y||^2, summed in four strands, a vector. */
static inline double of_squared_distance(size_t rows, const double *x, const double *y)
{
    typedef double strands __attribute__((vector_size(32), aligned(8), may_alias));
    strands sum = {0, 0, 0, 0};
    size_t i = 0;
    for (; i + 4 <= rows; i += 4) {
        strands d = *(const strands *)(x + i) - *(const strands *)(y + i);
        sum += d * d;
    }
    double first = sum[0]; /* a scalar: changing one strand would copy the vector each time */
    for (; i < rows; i++)
        first += (x[i] - y[i]) * (x[i] - y[i]);
    return (first + sum[1]) + (sum[2] + sum[3]);
}

typedef enum of_kmeans_start { OF_KMEANS_PLUSPLUS, OF_KMEANS_SAMPLES } of_kmeans_start;

typedef struct of_kmeans_options {
    size_t clusters;
    size_t replicates;     /* starts; the one of least cost is kept, the first among equals */
    size_t max_iterations; /* steps of Lloyd, then sweeps of moves, per replicate */
    of_kmeans_start start;
    int single;           /* distances in single precision, for few iterations */
    uint64_t seed, index; /* replicate r draws from (seed, OF_PURPOSE_KMEANS, index * 2^20 + r) */
    /* What the first replicate starts from, or NULL: centres (rows x clusters), or the means of
     * labels (samples). A cluster without samples then starts at the mean of all. */
    const double *from;
    const int32_t *from_labels;
    int lloyd; /* no moves: Lloyd's iteration alone */
} of_kmeans_options;

/* A change of labels has to lower the cost by more than this share of the sum of squares, so that
 * rounding cannot make labels go round in circles. */
#define OF_KMEANS_LEAST_GAIN 1e-12

typedef struct of_kmeans_result {
    double cost;       /* sum of squared distances to the centres */
    size_t iterations; /* of the replicate that was kept */
    int converged;     /* no move of a sample lowers its cost */
} of_kmeans_result;

/* Whether of_kmeans works on the Gram matrix of the samples. */
static inline int of_kmeans_on_gram(size_t rows, size_t samples)
{
    enum { MOST = 8192 };
    return samples < rows && samples <= MOST;
}

/* max_iterations for centres that only have to be spread over the samples: `few` steps of Lloyd;
 * 100 on the Gram matrix, where Lloyd's iteration stops at once and moves take little time. */
static inline size_t of_kmeans_spread(size_t few, size_t rows, size_t samples)
{
    return of_kmeans_on_gram(rows, samples) ? 100 : few;
}

/* Clusters the columns of X (rows x samples). An empty cluster gets the sample farthest from its
 * centre. Fills `labels` (samples), and `centres` (rows x clusters) if not NULL. */
OF_PRIVATE onefold_status of_kmeans(of_context *context, const of_kmeans_options *options,
                                    size_t rows, size_t samples, const double *X, size_t ldx,
                                    int32_t *labels, double *centres, of_kmeans_result *result);

/* ---- parts of the starts, for k-means on a Gram matrix too ----------------------------------- */

onefold_status of_kmeans_check(const of_kmeans_options *options, size_t samples);

/* Draws a sample with probability in proportion to its distance; uniformly when all are 0.
 * `tile_sum`: the sums of distances over tiles. */
size_t of_kmeans_draw(of_random *random, const of_tiles *tiles, const double *distance,
                      const double *tile_sum);

/* Draws distinct samples, each set with the same probability: Floyd's draw without replacement. */
void of_kmeans_draw_distinct(of_random *random, size_t samples, size_t count, size_t *chosen);

#endif
