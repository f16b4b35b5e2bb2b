/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel of many samples against the landmarks in single precision: half the bytes and twice
 * the flops of double. Features are read, standardised and squared in double; their products with
 * the landmarks, of which an exponent is made, and the exponential are single.
 */
#include "kernel/exp.h"
#include "kernel/landmarks.h"
#include "linalg/blas.h"
#include "linalg/wide.h"

#include <string.h>

/* Half a squared length beyond which a sample is nowhere near any point. */
static const double FAR = 1e30;

onefold_status of_points_single_make(of_arena *arena, size_t columns, size_t count,
                                     const double *at, const double *half, const double *centre,
                                     of_points_single *points)
{
    *points = (of_points_single){.columns = columns, .count = count};
    OF_TRY(OF_NEW(arena, &points->at, columns, count));
    OF_TRY(OF_NEW(arena, &points->half, count, 1));
    OF_TRY(OF_NEW(arena, &points->centre, count, 1));
    for (size_t i = 0; i < columns * count; i++)
        points->at[i] = (float)at[i];
    for (size_t i = 0; i < count; i++) {
        points->half[i] = (float)half[i];
        points->centre[i] = (float)centre[i];
    }
    return ONEFOLD_OK;
}

onefold_status of_landmarks_single_make(of_arena *arena, const of_landmarks *landmarks,
                                        const double *centre, of_landmarks_single *single)
{
    single->landmarks = landmarks;
    return of_points_single_make(arena, landmarks->columns, landmarks->count, landmarks->at,
                                 landmarks->half, centre, &single->points);
}

OF_WIDE static void scale_features(size_t count, const double *tile, double scale, float *features)
{
    for (size_t i = 0; i < count; i++)
        features[i] = (float)(scale * tile[i]);
}

/* <a,x> to -||a - x||^2 / 2, of which rounding must not make a positive number. */
OF_WIDE static void distances(size_t rows, const float *half, float own, float *column)
{
    for (size_t i = 0; i < rows; i++) {
        float x = column[i] - half[i] - own;
        column[i] = x < 0 ? x : 0;
    }
}

OF_WIDE static void subtract(size_t rows, const float *centre, float *column)
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
        if (own > FAR) /* products with it may be infinite */
            memset(column, 0, rows * sizeof *column);
        else {
            distances(rows, points->half, (float)own, column);
            of_exp_single(rows, column);
        }
        subtract(rows, points->centre, column);
    }
}

void of_landmarks_single_tile(const of_landmarks_single *single, size_t first, size_t samples,
                              double *tile, float *features, float *k)
{
    const of_landmarks *landmarks = single->landmarks;
    of_kernel_tile(landmarks->kernel, first, samples, tile);
    of_rbf_block_single(&single->points, landmarks->scale, samples, tile, features, k);
}
