/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of basis that the block eigensolver will need, from a trial of its first ones. Once it
 * has found the space that it looks for, the residual falls by about as many digits with every row;
 * how fast depends on how the spectrum falls off, which is what nobody knows before. Flat spectra
 * can take a hundred times as many rows as those of data with clusters.
 */
#include "partition/eigen_trial.h"

#include "partition/route_krylov.h"

#include <math.h>

/* Rows of the trial: three for each wanted one, and no fewer than this. */
enum { FEWEST = 192, BLOCK = 8 };

/* Rows at which the residual is at `aim`, when it is `residual` after `tried` of them. At the edge
 * of a flat spectrum eigenvalues lie the closer together the longer the vectors are, and what tells
 * them apart shows after more rows than are tried: the last factor is what is left of that, from
 * synthetic data of 1200 to 20000 columns. */
static double extrapolate(double dims, double tried, double residual, double aim, double length)
{
    double digits = -log10(fmax(fmin(residual, 0.5), aim)),
           rows = dims + (tried - dims) * -log10(aim) / digits;
    return fmax(tried, rows * pow(length / 10000, 1.0 / 6));
}

onefold_status of_eigen_trial_rows(of_context *context, const of_kernel *kernel,
                                   const of_partition_options *options, size_t scratch_bytes,
                                   double *rows)
{
    size_t n = kernel->view->samples, dims = options->dims < n ? options->dims : n, bytes;
    OF_TRY(of_size_multiply(&bytes, n, dims * sizeof(double)));
    OF_TRY(of_size_add(&bytes, bytes, scratch_bytes));
    OF_TRY(of_size_add(&bytes, bytes, atomic_load(&context->bytes)));
    if (context->memory_limit && bytes > context->memory_limit)
        return ONEFOLD_OK;
    OF_SCRATCH(scratch, context);
    of_route_work work = {.kernel = kernel,
                          .rows = dims,
                          .tolerance = options->tolerance,
                          .most_products = (3 * dims > FEWEST ? 3 * dims : FEWEST) / BLOCK};
    OF_TRY(of_share_make(&scratch, &work.H, dims, n));
    OF_TRY(OF_NEW(&scratch, &work.value, dims, 1));
    OF_TRY(of_route_krylov(context, &work));
    size_t length = of_krylov_uses_features(kernel) ? of_kernel_columns(kernel) : n;
    double aim = 0.01 * options->tolerance;
    *rows = work.residual <= aim ? (double)work.basis_rows
                                 : extrapolate((double)dims, (double)work.basis_rows, work.residual,
                                               aim, (double)length);
    return ONEFOLD_OK;
}
