/* SPDX-License-Identifier: Apache-2.0 */
/* What projects new samples from eigenvectors over features: W = Lambda^-1 V psi, as small as the
 * features are. */
#include "base/tiles.h"
#include "linalg/blas.h"
#include "partition/routes.h"

#include <string.h>

typedef struct gather_task {
    const of_centred *centred;
    const of_route_work *work;
    double *tile; /* per worker */
} gather_task;

/* sum (rank x columns) += V psi of a tile. */
static onefold_status gather_tile(void *opaque, size_t index, int worker, double *sum)
{
    gather_task *task = opaque;
    const of_centred *centred = task->centred;
    const of_route_work *work = task->work;
    size_t first = of_tiles_first(&centred->tiles, index),
           count = of_tiles_length(&centred->tiles, index), d = centred->columns;
    double *tile = task->tile + (size_t)worker * centred->tile_rows * centred->tiles.width;
    if (!count)
        return ONEFOLD_OK;
    of_centred_tile(centred, index, tile);
    of_gemm('N', 'T', work->rank, d, count, 1, of_share_at(work->H, first), work->H.ld, tile, d, 1,
            sum, work->rank);
    return ONEFOLD_OK;
}

static onefold_status gather_dense(of_context *context, const of_centred *centred,
                                   const of_route_work *work, double *weight)
{
    OF_SCRATCH(scratch, context);
    gather_task task = {centred, work, NULL};
    OF_TRY(OF_NEW(&scratch, &task.tile, (size_t)of_team_size(context) * centred->tile_rows,
                  centred->tiles.width));
    memset(weight, 0, work->rank * centred->columns * sizeof *weight);
    return of_tiles_sum(context, &centred->tiles, gather_tile, &task, work->rank * centred->columns,
                        weight);
}

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
        OF_TRY(gather_dense(context, centred, work, weight));
    for (size_t i = 0; i < d; i++)
        for (size_t r = 0; r < rank; r++)
            weight[i * rank + r] /= work->value[r];
    return of_projection_features(work->arena, centred, rank, weight, work->projection);
}
