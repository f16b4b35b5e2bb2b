/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations of each route (partition/routes.h has them too) over the rates of this machine. How
 * many rows the block eigensolver goes through depends on the data: of rbf kernels 4 k + 64 are
 * typical, of implicit products a trial says it (partition/eigen_trial.c). The weights below are
 * what is left between such a count and the clock: one for each route, set by comparing the two on
 * real data (./dev bench --only dry_run).
 */
#include "partition/partition_estimate.h"

#include "partition/eigen_trial.h"
#include "partition/route_krylov.h"
#include "partition/routes.h"
#include "partition/view_graph.h"

#include <math.h>

static const double WEIGHT[] = {
    [OF_ROUTE_GRAM] = 2.3,  [OF_ROUTE_KRYLOV] = 2,    [OF_ROUTE_DENSE] = 1.4,
    [OF_ROUTE_TILES] = 1.2, [OF_ROUTE_NYSTROM] = 1.3, [OF_ROUTE_LANDMARKS] = 1.3,
};

typedef struct shape {
    double n, d, k;
    double rows;    /* of basis that an eigensolver goes through */
    double entries; /* numbers of the features, once */
    double steps;   /* of a loop, for one number of dense features */
    int sparse;
    int features_side; /* the Krylov route works on vectors of d numbers, not n */
} shape;

static shape shape_of(const of_kernel *kernel, const of_partition_options *options)
{
    shape of = {.n = (double)kernel->view->samples,
                .d = (double)of_kernel_columns(kernel),
                .k = (double)options->dims,
                .sparse = kernel->features.start != NULL,
                .features_side = of_krylov_uses_features(kernel)};
    of.rows = fmin(kernel->kind == OF_KERNEL_RBF ? 4 * of.k + 64 : 8 * of.k + 110, of.n);
    of.entries = of.sparse ? (double)kernel->features.start[kernel->view->samples] : of.n * of.d;
    /* A number is copied, shifted and scaled in less than the step of a loop that is measured, as
     * nothing is compared; dividing by the sample's length is as much again. */
    of.steps = kernel->kind == OF_KERNEL_COSINE ? 1 : 0.5;
    return of;
}

/* Keeping `rows` rows of n numbers orthogonal, eight at a time, twice, and the small problems. Of
 * more than 2 k + 256 rows the best are kept, and the work on each row grows no further. */
static double basis_seconds(double n, double k, double rows, const of_rates *rates)
{
    double held = fmin(rows, 2 * k + 256);
    return 4 * n * rows * held / rates->thin + n * rows * held / 2 / rates->memory +
           9 * held * held * rows / rates->factor;
}

/* Bytes that a matrix of n x n doubles counts for when it is read: the rate of reading comes from
 * an array that the last cache holds in part, and a larger matrix is read at about half of it. */
static double matrix_bytes(double n)
{
    double bytes = sizeof(double) * n * n;
    return bytes > 32 << 20 ? 2 * bytes : bytes;
}

/* An eigenproblem of a matrix that is held: LAPACK, or the block eigensolver (of_eigen_matrix). */
static double eigen_seconds(double n, double k, double rows, const of_rates *rates)
{
    if (n <= 256 || 8 * k + 200 >= n)
        return 4 * n * n * n / rates->factor;
    return 2 * n * n * rows / rates->thin + matrix_bytes(n) * rows / 8 / rates->memory +
           basis_seconds(n, k, rows, rates);
}

static double gram_seconds(const shape *of, const of_rates *rates)
{
    return (of->n * of->d * of->d + 2 * of->n * of->k * (of->d + of->k)) / rates->product +
           4 * of->n * of->d / rates->loop +
           eigen_seconds(of->d, fmin(of->k, of->d), fmin(of->rows, of->d), rates);
}

/* Of the sparse entries each is gathered once and scattered once, or gathered twice, for each row;
 * in blocks of eight rows of which one side or the other is too long for the nearer cache. */
static double sparse_seconds(const shape *of, const of_rates *rates)
{
    enum { NEAR = 4096 }; /* columns whose rows of a block are half a megabyte with the sums */
    double rate =
        of->d <= NEAR && (of->features_side || of->n <= NEAR) ? rates->sparse : rates->sparse_far;
    return 2 * of->entries * of->rows / rate;
}

/* Partial sums of the products on the columns' side: 64 of them, cleared, filled and added. */
static double features_seconds(const shape *of, const of_rates *rates)
{
    double blocks = of->rows / 8, parts = fmin(64, ceil(of->n / 1024)),
           bytes = of->entries * (sizeof(double) + sizeof(uint32_t)) +
                   3 * parts * of->d * 8 * sizeof(double);
    return sparse_seconds(of, rates) + blocks * bytes / rates->memory +
           2 * of->entries * of->k * 3 / rates->sparse_far + /* two residuals, the projection */
           basis_seconds(of->d, of->k, of->rows, rates);
}

static double krylov_seconds(const shape *of, const of_rates *rates)
{
    double blocks = of->rows / 8; /* each reads the features twice */
    if (of->features_side)
        return features_seconds(of, rates);
    double apply = of->sparse ? sparse_seconds(of, rates)
                              : 4 * of->entries * of->rows / rates->thin +
                                    2 * blocks * of->entries * of->steps / rates->loop;
    return apply + basis_seconds(of->n, of->k, of->rows, rates);
}

static double dense_seconds(const of_kernel *kernel, const shape *of, const of_rates *rates)
{
    double pairs = of->n * of->n, form = 8 * matrix_bytes(of->n) / rates->memory;
    if (kernel->kind == OF_KERNEL_RBF)
        form += pairs / 2 / rates->exponential;
    if (of->sparse)
        form += of->entries * of->entries / fmax(of->d, 1) / rates->sparse;
    else if (kernel->kind != OF_KERNEL_PRECOMPUTED)
        form += pairs * of->d / rates->product;
    return form + eigen_seconds(of->n, of->k, of->rows, rates);
}

static double tiles_seconds(const shape *of, const of_rates *rates)
{
    double block = fmin(fmax(of->k, 16), 32), times = 1 + of->rows / block, pairs = of->n * of->n;
    return times * (pairs * of->d / rates->product + pairs / 2 / rates->exponential +
                    2 * pairs * block / rates->thin) +
           basis_seconds(of->n, of->k, of->rows, rates);
}

/* The sums see all samples up to 131072, else 65536 of them; single precision is twice as fast. */
static double nystrom_seconds(const shape *of, double landmarks, const of_rates *rates)
{
    double l = landmarks, drawn = fmin(of->n, 20 * l), large = of->n > 131072 ? 1 : 0,
           summed = large ? 65536 : of->n, seen = 2 * summed + of->n / (1 + large);
    return (seen * l * 2 * of->d + summed * l * l + 2 * of->n * l * of->k / (1 + large)) /
               rates->product +
           seen * l * (1 / rates->exponential + 2 / rates->loop) +
           (2 * summed + of->n) * of->d / rates->loop +
           (l < of->n ? 12 * 2 * drawn * l * of->d / rates->product : 0) +
           10 * l * l * l / rates->factor;
}

/* Of a landmark graph: six passes of k-means over the samples drawn, the distances of all, whose
 * least are looked for, the matrix on the landmarks' side and its eigenproblem. */
static double landmark_seconds(const of_kernel *kernel, const of_partition_options *options,
                               const shape *of, const of_rates *rates)
{
    size_t landmarks, entries;
    of_view_graph_size(kernel, options, &landmarks, &entries);
    double l = (double)landmarks, drawn = l < of->n ? fmin(of->n, 20 * l) : 0, each = of->d,
           ties = (double)entries / fmax(of->n, 1), seconds = 0;
    if (kernel->graph == OF_KERNEL_SUBSPACE && kernel->kind != OF_KERNEL_GRAPH) {
        each = (double)of_view_graph_directions(kernel, options);
        shape inner = *of;
        inner.k = each;
        inner.rows = fmin(8 * each + 110, of->n);
        seconds = of->sparse || of->d > 1024 ? krylov_seconds(&inner, rates)
                                             : gram_seconds(&inner, rates);
    } else if (of->sparse && kernel->kind != OF_KERNEL_GRAPH) {
        double common = of->entries / of->n * of->entries / fmax(of->d, 1) * l / of->n;
        seconds += (6 * drawn + of->n) * common / rates->sparse;
        each = 0;
    }
    if (kernel->kind != OF_KERNEL_GRAPH)
        seconds +=
            (6 * drawn + of->n) * l * 2 * each / rates->product + 2 * of->n * l / rates->loop;
    seconds += of->n * ties * ties / rates->sparse;
    return seconds + eigen_seconds(fmin(l, 2048), of->k, fmin(8 * of->k + 110, l), rates);
}

/* How often the view, or what was made of it, is read. */
static size_t passes_of(of_route route, const of_kernel *kernel, const shape *of)
{
    switch (route) {
    case OF_ROUTE_GRAM:
        return 4;         /* mean, lengths, Gram matrix, projection */
    case OF_ROUTE_KRYLOV: /* on the columns' side a product reads once; residuals, projection */
        return of->features_side ? 5 + (size_t)ceil(of->rows / 8)
                                 : 2 + 2 * (size_t)ceil(of->rows / 8);
    case OF_ROUTE_DENSE:
        return 1;
    case OF_ROUTE_TILES:
        return kernel->kind == OF_KERNEL_RBF
                   ? 1 + (size_t)ceil(of->rows / fmin(fmax(of->k, 16), 32))
                   : 2;
    case OF_ROUTE_NYSTROM:
        return 3; /* mean, sum, projection */
    case OF_ROUTE_LANDMARKS:
        return kernel->graph == OF_KERNEL_SUBSPACE ? 4 : 2; /* components; drawn, tied */
    }
    return 0;
}

onefold_status of_partition_estimate_time(of_context *context, const of_kernel *kernel,
                                          of_route route, const of_partition_options *options,
                                          const of_rates *rates, of_partition_estimate *estimate)
{
    of_partition_estimate made = {
        .route = route, .scratch_bytes = of_partition_bytes(context, kernel, route, options)};
    OF_TRY(of_partition_check(kernel, options));
    shape of = shape_of(kernel, options);
    if (made.route == OF_ROUTE_KRYLOV)
        OF_TRY(of_eigen_trial_rows(context, kernel, options, made.scratch_bytes, &of.rows));
    made.passes = passes_of(made.route, kernel, &of);
    switch (made.route) {
    case OF_ROUTE_GRAM:
        made.seconds = gram_seconds(&of, rates);
        break;
    case OF_ROUTE_KRYLOV:
        made.seconds = krylov_seconds(&of, rates);
        break;
    case OF_ROUTE_DENSE:
        made.seconds = dense_seconds(kernel, &of, rates);
        break;
    case OF_ROUTE_TILES:
        made.seconds = tiles_seconds(&of, rates);
        break;
    case OF_ROUTE_NYSTROM:
        made.landmarks = of_nystrom_landmarks(kernel, options->dims, options->landmarks);
        made.seconds = nystrom_seconds(&of, (double)made.landmarks, rates);
        break;
    case OF_ROUTE_LANDMARKS: {
        size_t entries;
        of_view_graph_size(kernel, options, &made.landmarks, &entries);
        made.seconds = landmark_seconds(kernel, options, &of, rates);
        break;
    }
    }
    /* signs and lengths of what comes out */
    made.seconds = WEIGHT[made.route] * made.seconds + 5 * of.n * of.k / rates->loop;
    *estimate = made;
    return ONEFOLD_OK;
}
