/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How likely the samples are with a labelling, where views have few columns (docs/method.md section
 * 11): every cluster normal, with a mean and a covariance of its own over the columns of all views.
 * Agreement has no say there, as most candidates see the same bends of a few columns, and agree on
 * what is wrong; with so few columns a cluster's covariance can be known.
 */
#include "base/comm.h"
#include "method/onefold_parts.h"

#include <math.h>
#include <string.h>

/* A covariance counts d + 1 samples more than the cluster has, of this share of the mean variance
 * of all columns: a cluster in a plane, or of one sample, is not infinitely likely. */
static const double RIDGE = 0.01;

onefold_status of_likelihood_columns(of_context *context, of_arena *arena,
                                     const of_problem *problem, double **columns, size_t *count)
{
    OF_SCRATCH(scratch, context);
    size_t n = problem->dataset->samples, p = problem->dataset->view_count, d = 0, at = 0;
    of_range own = of_comm_own(context, n);
    for (size_t i = 0; i < p; i++)
        d += of_kernel_columns(&problem->kernels[i]);
    OF_TRY(OF_NEW(arena, columns, d, n));
    for (size_t i = 0; i < p; i++) {
        const of_kernel *kernel = &problem->kernels[i];
        size_t wide = of_kernel_columns(kernel);
        double *tile;
        OF_TRY(OF_NEW(&scratch, &tile, of_kernel_tile_rows(kernel), own.end - own.first));
        of_kernel_tile(kernel, own.first, own.end - own.first, tile);
        for (size_t j = own.first; j < own.end; j++)
            memcpy(*columns + at + j * d, tile + (j - own.first) * wide, wide * sizeof *tile);
        at += wide;
    }
    *count = d;
    return of_comm_gather(context, *columns, d * sizeof **columns, n);
}

/* The log of the determinant of a positive definite matrix, of which the lower half is read and
 * overwritten by its Cholesky factor. Plain loops: d is at most OF_FEW_COLUMNS, where LAPACK would
 * gain nothing, and a pivot that rounding made 0 or less is raised here, not refused. */
static double log_determinant(size_t d, double *a)
{
    double sum = 0;
    for (size_t c = 0; c < d; c++) {
        for (size_t r = c; r < d; r++) {
            double x = a[r + c * d];
            for (size_t k = 0; k < c; k++)
                x -= a[r + k * d] * a[c + k * d];
            a[r + c * d] = r == c ? sqrt(x > 1e-300 ? x : 1e-300) : x / a[c + c * d];
        }
        sum += 2 * log(a[c + c * d]);
    }
    return sum;
}

/* Scatter (lower half) and size of the samples with a label; of all samples where
 * `labels` is NULL. */
static size_t add_scatter(size_t d, size_t n, const double *x, const int32_t *labels, int32_t label,
                          double *mean, double *scatter)
{
    size_t size = 0;
    memset(mean, 0, d * sizeof *mean);
    memset(scatter, 0, d * d * sizeof *scatter);
    for (size_t j = 0; j < n; j++) {
        if (labels && labels[j] != label)
            continue;
        size++;
        for (size_t r = 0; r < d; r++)
            mean[r] += x[r + j * d];
    }
    for (size_t r = 0; size && r < d; r++)
        mean[r] /= (double)size;
    for (size_t j = 0; j < n; j++) {
        if (labels && labels[j] != label)
            continue;
        for (size_t c = 0; c < d; c++)
            for (size_t r = c; r < d; r++)
                scatter[r + c * d] += (x[r + j * d] - mean[r]) * (x[c + j * d] - mean[c]);
    }
    return size;
}

onefold_status of_label_likelihood(of_context *context, size_t d, size_t n, const double *x,
                                   size_t mu, const int32_t *labels, double *likelihood)
{
    OF_SCRATCH(scratch, context);
    double *mean, *scatter, spread = 0, extra = (double)d + 1;
    OF_TRY(OF_NEW(&scratch, &mean, d, 1));
    OF_TRY(OF_NEW(&scratch, &scatter, d, d));
    add_scatter(d, n, x, NULL, 0, mean, scatter);
    for (size_t r = 0; r < d; r++)
        spread += scatter[r + r * d] / (double)(d * n);
    *likelihood = 0;
    for (size_t label = 0; label < mu; label++) {
        double size = (double)add_scatter(d, n, x, labels, (int32_t)label, mean, scatter);
        if (size == 0)
            continue;
        for (size_t r = 0; r < d; r++)
            scatter[r + r * d] += RIDGE * spread * extra;
        for (size_t e = 0; e < d * d; e++)
            scatter[e] /= size + extra;
        *likelihood += size / (double)n * (log(size / (double)n) - log_determinant(d, scatter) / 2);
    }
    return ONEFOLD_OK;
}
