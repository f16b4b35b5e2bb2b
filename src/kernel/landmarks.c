/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses landmarks, computes the kernel against them, and the error of the approximation. */
#include "kernel/landmarks.h"

#include "base/comm.h"
#include "kernel/landmark_graph.h"
#include "linalg/blas.h"
#include "linalg/factor.h"
#include "linalg/kmeans.h"
#include "linalg/simd.h"

#include <math.h>
#include <string.h>

enum { SAMPLE_BYTES = 64 << 20, HELD_OUT = 256 };

/* Scaled features of `count` drawn samples, columns x count packed; all in every process. */
static onefold_status load_drawn(of_context *context, const of_landmarks *landmarks, size_t count,
                                 uint64_t seed, uint64_t stream, double *out)
{
    OF_SCRATCH(scratch, context);
    of_landmark_points points = of_landmark_points_of(landmarks->kernel);
    of_random random = of_random_make(seed, OF_PURPOSE_LANDMARKS, stream);
    size_t *place;
    OF_TRY(OF_NEW_THERE(&scratch, &place, count, 1));
    for (size_t i = 0; i < count; i++)
        place[i] = of_landmark_draw(&random, points.samples, count, i);
    OF_TRY(of_landmark_load(context, &points, place, count, out));
    OF_COUNTED(context);
    for (size_t i = 0; i < landmarks->columns * count; i++)
        out[i] *= landmarks->scale;
    return ONEFOLD_OK;
}

static void halve_squares(size_t columns, size_t count, const double *x, double *half)
{
    for (size_t j = 0; j < count; j++)
        half[j] = 0.5 * cblas_ddot((int)columns, x + j * columns, 1, x + j * columns, 1);
}

void of_distance_block(void (*values)(size_t, double *), size_t columns, size_t rows,
                       const double *a, const double *half, size_t samples, const double *x,
                       double *k)
{
    of_gemm('T', 'N', rows, samples, columns, 1, a, columns, x, columns, 0, k, rows);
    for (size_t j = 0; j < samples; j++) {
        double own = 0.5 * cblas_ddot((int)columns, x + j * columns, 1, x + j * columns, 1);
        for (size_t i = 0; i < rows; i++) {
            double exponent = k[j * rows + i] - half[i] - own;
            k[j * rows + i] = exponent < 0 ? exponent : 0;
        }
    }
    values(rows * samples, k);
}

void of_landmarks_tile(const of_landmarks *landmarks, size_t first, size_t samples, double *tile,
                       double *k)
{
    of_kernel_tile(landmarks->kernel, first, samples, tile);
    for (size_t i = 0; i < landmarks->columns * samples; i++)
        tile[i] *= landmarks->scale;
    of_distance_block(of_exp, landmarks->columns, landmarks->count, landmarks->at, landmarks->half,
                      samples, tile, k);
}

/* Every sample, or the centres of a short k-means on some. */
static onefold_status place(of_context *context, const of_landmarks *landmarks, uint64_t seed,
                            double *at)
{
    OF_SCRATCH(scratch, context);
    size_t n = landmarks->kernel->view->samples, d = landmarks->columns, count = landmarks->count;
    if (count == n)
        return load_drawn(context, landmarks, n, seed, 0, at);
    /* twenty samples for each landmark, within SAMPLE_BYTES */
    size_t room = SAMPLE_BYTES / (sizeof(double) * (landmarks->tile_rows + 1)),
           wanted = of_size_least(20 * count, room),
           samples = of_size_least(wanted > count ? wanted : count, n);
    double *x;
    int32_t *labels;
    OF_TRY(OF_NEW(&scratch, &x, d, samples));
    OF_TRY(OF_NEW(&scratch, &labels, samples, 1));
    OF_TRY(load_drawn(context, landmarks, samples, seed, 0, x));
    of_kmeans_options options = {.clusters = count,
                                 .replicates = 1,
                                 .max_iterations = of_kmeans_spread(10, d, samples),
                                 .start = OF_KMEANS_PLUSPLUS,
                                 .seed = seed,
                                 .index = (uint64_t)1 << 40};
    return of_kmeans(context, &options, d, samples, x, d, labels, at, NULL);
}

onefold_status of_landmarks_solve(of_context *context, of_arena *arena, double zero,
                                  of_landmarks *landmarks)
{
    OF_SCRATCH(scratch, context);
    size_t count = landmarks->count;
    double *K, *value, *map;
    if (count == 0)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW_ALL(&scratch, {&K, count, count}, {&value, count, 1}));
    if (!of_counts(context))
        of_distance_block(of_exp, landmarks->columns, count, landmarks->at, landmarks->half, count,
                          landmarks->at, K);
    for (size_t i = 0; !of_counts(context) && i < count; i++)
        K[i + i * count] = 1;
    OF_TRY(of_eigh(context, count, K, value));
    landmarks->rank = 0;
    while (landmarks->rank < count &&
           (of_counts(context) || value[landmarks->rank] > zero * value[0]))
        landmarks->rank++;
    OF_TRY(OF_NEW(arena, &map, landmarks->rank, count));
    landmarks->map = map;
    OF_COUNTED(context);
    for (size_t i = 0; i < count; i++)
        for (size_t r = 0; r < landmarks->rank; r++)
            map[r + i * landmarks->rank] = K[i + r * count] / sqrt(value[r]);
    return ONEFOLD_OK;
}

onefold_status of_landmarks_place(of_context *context, of_arena *arena, const of_kernel *kernel,
                                  size_t count, uint64_t seed, of_landmarks *landmarks)
{
    *landmarks = (of_landmarks){.kernel = kernel,
                                .count = count,
                                .columns = of_kernel_columns(kernel),
                                .tile_rows = of_kernel_tile_rows(kernel),
                                .scale = sqrt(2 / kernel->width)};
    if (landmarks->columns == 0) { /* a view of constants: the kernel is 1 everywhere */
        landmarks->count = 0;
        return ONEFOLD_OK;
    }
    double *at, *half;
    OF_TRY(OF_NEW_ALL(arena, {&at, landmarks->columns, count}, {&half, count, 1}));
    OF_TRY(place(context, landmarks, seed, at));
    landmarks->at = at;
    landmarks->half = half;
    OF_COUNTED(context);
    halve_squares(landmarks->columns, count, at, half);
    return ONEFOLD_OK;
}

onefold_status of_landmarks_error(of_context *context, const of_landmarks *landmarks, uint64_t seed,
                                  double *error)
{
    OF_SCRATCH(scratch, context);
    size_t n = landmarks->kernel->view->samples, d = landmarks->columns, l = landmarks->count,
           held = n < HELD_OUT ? n : HELD_OUT;
    double *x, *half, *K, *k, *z;
    OF_TRY(OF_NEW_ALL(&scratch, {&x, d, held}, {&half, held, 1}, {&K, held, held}, {&k, l, held},
                      {&z, landmarks->rank, held}));
    OF_TRY(load_drawn(context, landmarks, held, seed, 1, x));
    OF_COUNTED(context);
    halve_squares(d, held, x, half);
    of_distance_block(of_exp, d, held, x, half, held, x, K);
    double whole = of_dot(held, held, K, K);
    of_distance_block(of_exp, d, l, landmarks->at, landmarks->half, held, x, k);
    of_gemm('N', 'N', landmarks->rank, held, l, 1, landmarks->map, landmarks->rank, k, l, 0, z,
            landmarks->rank);
    of_gemm('T', 'N', held, held, landmarks->rank, -1, z, landmarks->rank, z, landmarks->rank, 1, K,
            held);
    *error = sqrt(of_dot(held, held, K, K) / whole);
    return ONEFOLD_OK;
}

/*
 * The kernel of many samples against the landmarks in single precision: half the bytes and twice
 * the flops of double. Features are read, standardised and squared in double; their products with
 * the landmarks and the exponential are in single precision.
 */

/* A sample of a larger half squared length is near no point. */
static const double FAR = 1e30;

onefold_status of_points_single_make(of_arena *arena, size_t columns, size_t count,
                                     const double *at, const double *half, const double *centre,
                                     of_points_single *points)
{
    *points = (of_points_single){.columns = columns, .count = count};
    OF_TRY(OF_NEW(arena, &points->at, columns, count));
    OF_TRY(OF_NEW(arena, &points->half, count, 1));
    OF_TRY(OF_NEW(arena, &points->centre, count, 1));
    OF_COUNTED(arena->context);
    for (size_t i = 0; i < columns * count; i++)
        points->at[i] = (float)at[i];
    for (size_t i = 0; i < count; i++) {
        points->half[i] = (float)half[i];
        points->centre[i] = (float)centre[i];
    }
    return ONEFOLD_OK;
}

OF_SIMD static void scale_features(size_t count, const double *tile, double scale, float *features)
{
    for (size_t i = 0; i < count; i++)
        features[i] = (float)(scale * tile[i]);
}

/* <a,x> to -||a - x||^2 / 2, not above 0 despite rounding. */
OF_SIMD static void distances(size_t rows, const float *half, float own, float *column)
{
    for (size_t i = 0; i < rows; i++) {
        float x = column[i] - half[i] - own;
        column[i] = x < 0 ? x : 0;
    }
}

OF_SIMD static void subtract(size_t rows, const float *centre, float *column)
{
    for (size_t i = 0; i < rows; i++)
        column[i] -= centre[i];
}

void of_rbf_block_single(const of_points_single *points, double scale, size_t samples,
                         const double *x, float *features, float *k)
{
    size_t d = points->columns, rows = points->count;
    double square = 0.5 * scale * scale;
    scale_features(d * samples, x, scale, features);
    cblas_sgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)rows, (int)samples, (int)d, 1,
                points->at, (int)d, features, (int)d, 0, k, (int)rows);
    for (size_t j = 0; j < samples; j++) {
        double own = square * cblas_ddot((int)d, x + j * d, 1, x + j * d, 1);
        float *column = k + j * rows;
        if (own > FAR) /* its products may be infinite */
            memset(column, 0, rows * sizeof *column);
        else {
            distances(rows, points->half, (float)own, column);
            of_exp_single(rows, column);
        }
        subtract(rows, points->centre, column);
    }
}
