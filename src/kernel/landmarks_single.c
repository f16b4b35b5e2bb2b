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

onefold_status of_landmarks_single_make(of_arena *arena, const of_landmarks *landmarks,
                                        const double *centre, of_landmarks_single *single)
{
    size_t count = landmarks->count, numbers = landmarks->columns * count;
    single->landmarks = landmarks;
    OF_TRY(OF_NEW(arena, &single->at, landmarks->columns, count));
    OF_TRY(OF_NEW(arena, &single->half, count, 1));
    OF_TRY(OF_NEW(arena, &single->centre, count, 1));
    for (size_t i = 0; i < numbers; i++)
        single->at[i] = (float)landmarks->at[i];
    for (size_t i = 0; i < count; i++) {
        single->half[i] = (float)landmarks->half[i];
        single->centre[i] = (float)centre[i];
    }
    return ONEFOLD_OK;
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

void of_landmarks_single_tile(const of_landmarks_single *single, size_t first, size_t samples,
                              double *tile, float *features, float *k)
{
    const of_landmarks *landmarks = single->landmarks;
    size_t d = landmarks->columns, rows = landmarks->count;
    double square = 0.5 * landmarks->scale * landmarks->scale;
    of_kernel_tile(landmarks->kernel, first, samples, tile);
    scale_features(d * samples, tile, landmarks->scale, features);
    cblas_sgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)rows, (int)samples, (int)d, 1,
                single->at, (int)d, features, (int)d, 0, k, (int)rows);
    for (size_t j = 0; j < samples; j++) {
        double own = square * cblas_ddot((int)d, tile + j * d, 1, tile + j * d, 1);
        float *column = k + j * rows;
        distances(rows, single->half, (float)own, column);
        of_exp_single(rows, column);
        subtract(rows, single->centre, column);
    }
}
