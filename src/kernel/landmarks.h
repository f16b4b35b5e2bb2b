/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Landmarks of an rbf kernel: a few points z_1 .. z_l such that K(x, y) is close to
 * k(x)' K_ll^+ k(y), with k(x) the kernel of x against each of them (Nystrom). They are the centres
 * of a short k-means on a seeded sample of the features (Zhang, Tsang, Kwok 2008), or all samples
 * where `count` is their number.
 */
#ifndef OF_KERNEL_LANDMARKS_H
#define OF_KERNEL_LANDMARKS_H

#include "kernel/kernel.h"

typedef struct of_landmarks {
    const of_kernel *kernel;
    size_t count, columns, tile_rows;
    double scale;       /* of features x, y, such that K = exp(<x,y> - |x|^2/2 - |y|^2/2) */
    const double *at;   /* columns x count: the landmarks, scaled */
    const double *half; /* count: half the squared length of each */
    size_t rank;        /* the numerical rank of K_ll */
    const double *map;  /* rank x count: S^-1/2 U' for K_ll = U S U', so z(x) = map k(x) */
} of_landmarks;

/* For rbf kernels. count is at least 1 and at most the number of samples. A kernel without columns
 * gets none. */
onefold_status of_landmarks_place(of_context *context, of_arena *arena, const of_kernel *kernel,
                                  size_t count, uint64_t seed, of_landmarks *landmarks);

/* The rank-revealing solve of K_ll: eigenvalues up to `zero` of the largest count as zero. */
onefold_status of_landmarks_solve(of_context *context, of_arena *arena, double zero,
                                  of_landmarks *landmarks);

/* k(x) of `samples` samples from `first` on, count x samples packed; `tile` has room for
 * tile_rows x samples. */
void of_landmarks_tile(const of_landmarks *landmarks, size_t first, size_t samples, double *tile,
                       double *k);

/* Points in single precision, for many samples. */
typedef struct of_points_single {
    size_t columns, count;
    float *at, *half, *centre; /* as above; centre: subtracted from every k(x) */
} of_points_single;
onefold_status of_points_single_make(of_arena *arena, size_t columns, size_t count,
                                     const double *at, const double *half, const double *centre,
                                     of_points_single *points);

/* k(x) - centre, count x samples packed, of features x (columns x samples), which are scaled by
 * `scale` as the points are. `features` has room for columns x samples. The exponent of each entry
 * is as exact as a float of the size of |x|^2. */
void of_rbf_block_single(const of_points_single *points, double scale, size_t samples,
                         const double *x, float *features, float *k);

/* k (rows x samples) = values(<a_i, x_j> - |a_i|^2/2 - |x_j|^2/2) of any scaled features; `half`
 * has the |a_i|^2/2. */
void of_distance_block(void (*values)(size_t, double *), size_t columns, size_t rows,
                       const double *a, const double *half, size_t samples, const double *x,
                       double *k);

/* The error of the approximation on 256 seeded samples: the Frobenius norm of its difference from
 * K, over that of K. */
onefold_status of_landmarks_error(of_context *context, const of_landmarks *landmarks, uint64_t seed,
                                  double *error);

#endif
