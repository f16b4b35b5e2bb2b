/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What projects new samples from the eigenvectors of an exact route. rbf and precomputed kernels:
 * W = Lambda^-1 V T C over all training samples, T their normalisation and C the centring, so that
 * only k - kbar is left to multiply. Features need less: of_projection_of_features.
 */
#include "base/comm.h"
#include "base/team.h"
#include "kernel/kernel.h"
#include "linalg/blas.h"
#include "partition/projection.h"
#include "partition/routes.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* What projects new samples from eigenvectors over features: W = Lambda^-1 V psi, as small as the
 * features are. */

/* V T F - (V T 1) mean' */
static onefold_status gather_sparse(of_context *context, const of_centred *centred,
                                    const of_route_work *work, double *weight)
{
    OF_SCRATCH(scratch, context);
    size_t n = centred->samples, rank = work->rank;
    double *scaled, *sum;
    of_sparse transpose;
    OF_TRY(OF_NEW(&scratch, &scaled, rank, n));
    OF_TRY(OF_NEW_ZERO(&scratch, &sum, rank, 1));
    OF_TRY(of_sparse_transpose(&scratch, &work->kernel->features, &transpose));
    OF_COUNTED(context);
    of_range own = of_comm_own(context, n);
    for (size_t j = own.first; j < own.end; j++)
        for (size_t r = 0; r < rank; r++)
            scaled[j * rank + r] = of_share_at(work->H, j)[r] * *of_share_at(centred->scale, j);
    OF_TRY(of_comm_gather(context, scaled, rank * sizeof *scaled, n));
    for (size_t j = 0; j < n; j++)
        for (size_t r = 0; r < rank; r++)
            sum[r] += scaled[j * rank + r];
    OF_TRY(of_sparse_apply(context, &transpose, rank, scaled, weight));
    for (size_t i = 0; i < centred->columns; i++)
        for (size_t r = 0; r < rank; r++)
            weight[i * rank + r] -= sum[r] * centred->mean[i];
    return ONEFOLD_OK;
}

onefold_status of_projection_of_features(of_context *context, const of_centred *centred,
                                         of_route_work *work)
{
    OF_SCRATCH(scratch, context);
    size_t d = centred->columns, rank = work->rank;
    double *weight;
    OF_TRY(OF_NEW(&scratch, &weight, rank, d));
    if (work->kernel->features.start)
        OF_TRY(gather_sparse(context, centred, work, weight));
    else
        OF_TRY(of_centred_gather(context, centred, NULL, rank, work->H, weight));
    for (size_t i = 0; i < d && !of_counts(context); i++)
        for (size_t r = 0; r < rank; r++)
            weight[i * rank + r] /= work->value[r];
    return of_projection_features(centred, weight, work);
}

/* ---- all the training samples ------------------------------------------------------------- */

/* W = Lambda^-1 V T C: rank x n. */
static onefold_status centred_weights(of_arena *arena, const of_route_work *work,
                                      const double *scale, const double **weight)
{
    size_t n = work->kernel->view->samples, rank = work->rank;
    double *made, *mean;
    OF_TRY(OF_NEW(arena, &made, rank, n));
    OF_TRY(OF_NEW_ZERO(arena, &mean, rank, 1));
    *weight = made;
    OF_COUNTED(arena->context);
    for (size_t j = 0; j < n; j++)
        for (size_t r = 0; r < rank; r++) {
            made[j * rank + r] = of_share_at(work->H, j)[r] * scale[j] / work->value[r];
            mean[r] += made[j * rank + r];
        }
    for (size_t j = 0; j < n; j++)
        for (size_t r = 0; r < rank; r++)
            made[j * rank + r] -= mean[r] / (double)n;
    return ONEFOLD_OK;
}

/* The training samples' features, scaled: dense, or sparse as they are. */
static onefold_status copy_points(of_arena *arena, const of_kernel *kernel, of_projection *points)
{
    size_t n = points->points, d = points->columns, rows = of_kernel_tile_rows(kernel);
    const of_sparse *features = &kernel->features;
    double *value;
    if (features->start) {
        size_t entries = features->start[n], *start;
        uint32_t *index;
        OF_TRY(OF_NEW_THERE(arena, &start, n + 1, 1));
        OF_TRY(OF_NEW(arena, &index, entries, 1));
        OF_TRY(OF_NEW(arena, &value, entries, 1));
        memcpy(start, features->start, (n + 1) * sizeof *start);
        points->sparse_at = (of_sparse){n, d, start, index, value};
        OF_COUNTED(arena->context);
        memcpy(index, features->index, entries * sizeof *index);
        for (size_t e = 0; e < entries; e++)
            value[e] = points->scale * features->value[e];
        return ONEFOLD_OK;
    }
    double *tile;
    OF_TRY(OF_NEW(arena, &value, d, n));
    OF_TRY(OF_NEW(arena, &tile, rows, 1));
    for (size_t j = 0; j < n && !of_counts(arena->context); j++) {
        of_kernel_tile(kernel, j, 1, tile);
        for (size_t i = 0; i < d; i++)
            value[j * d + i] = points->scale * tile[i];
    }
    of_arena_release(arena, tile);
    points->at = value;
    return ONEFOLD_OK;
}

/* rbf: every training sample is a point, and the mean of a row is that of its entries. */
static onefold_status keep_samples(of_context *context, of_route_work *work)
{
    OF_SCRATCH(scratch, context);
    const of_kernel *kernel = work->kernel;
    size_t n = kernel->view->samples;
    of_projection *p = work->projection;
    of_kernel_means means;
    double *each;
    *p = (of_projection){.form = OF_PROJECT_POINTS,
                         .precision = p->precision,
                         .points = n,
                         .columns = of_kernel_columns(kernel),
                         .rank = work->rank,
                         .scale = sqrt(2 / kernel->width)};
    OF_TRY(copy_points(work->arena, kernel, p));
    OF_TRY(of_kernel_means_make(context, &scratch, kernel, &means));
    OF_TRY(OF_NEW(work->arena, &each, n, 1));
    OF_TRY(OF_COPY(work->arena, means.row, n, &p->point_mean));
    p->row_mean = each;
    if (!of_counts(context)) {
        for (size_t j = 0; j < n; j++)
            each[j] = 1 / (double)n;
        p->mean_of_all = means.all;
        p->floor = means.floor;
    }
    return centred_weights(work->arena, work, means.scale, &p->weight);
}

/* A precomputed kernel. */
static onefold_status keep_given(of_context *context, of_route_work *work)
{
    OF_SCRATCH(scratch, context);
    of_projection *p = work->projection;
    size_t n = work->kernel->view->samples;
    of_kernel_means means;
    double *mean, least, most;
    OF_TRY(of_kernel_means_make(context, &scratch, work->kernel, &means));
    OF_TRY(OF_NEW(work->arena, &mean, n, 1));
    OF_TRY(OF_COPY(work->arena, means.scale, n, &p->sample_scale));
    p->form = OF_PROJECT_ROWS;
    p->rank = work->rank;
    p->columns = n;
    p->point_mean = mean;
    if (!of_counts(context)) {
        least = most = means.diagonal[0];
        for (size_t j = 0; j < n; j++) {
            least = fmin(least, means.diagonal[j]);
            most = fmax(most, means.diagonal[j]);
            mean[j] = means.row[j] - means.all; /* rounding that the mean of all has left */
        }
        p->floor = means.floor;
        p->mean_of_all = means.offset + means.all;
        p->same_diagonal = most - least <= 1e-9 * means.largest;
        p->diagonal = p->same_diagonal ? means.offset + (most / 2 + least / 2) : 0;
    }
    return centred_weights(work->arena, work, means.scale, &p->weight);
}

onefold_status of_projection_exact(of_context *context, of_route_work *work)
{
    if (!work->projection || !work->rank)
        return ONEFOLD_OK;
    if (work->kernel->kind == OF_KERNEL_PRECOMPUTED)
        return keep_given(context, work);
    if (work->kernel->kind == OF_KERNEL_RBF)
        return keep_samples(context, work);
    OF_SCRATCH(scratch, context);
    of_centred centred;
    OF_TRY(of_centred_make(context, &scratch, work->kernel, &centred));
    /* the diagonal was that of a matrix, whose entries' rounding counts */
    if (work->kernel->kind != OF_KERNEL_LINEAR)
        centred.floor = fmax(centred.floor, 4 * DBL_EPSILON);
    return of_projection_of_features(context, &centred, work);
}
