/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The route for many columns: K = psi psi' is only applied, as two products with the features.
 * psi_i is scale_i (f_i - mean). Sparse features are not changed: with s = x scale,
 *
 *     z = s F - (sum of s) mean',   y_i = scale_i (z f_i - z mean).
 *
 * A block of b rows costs 4 b flops per entry of F, which is read twice (by row and by column) with
 * a b-vector for each entry. Dense features cost 4 b n d flops, and the view is read twice.
 */
#include "base/comm.h"
#include "base/team.h"
#include "linalg/blas.h"
#include "partition/centred.h"
#include "partition/routes.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 8 };

/* Products with the finished kernel of explicit features that is never formed. */
typedef struct krylov_task {
    of_context *context;
    of_centred centred;
    of_sparse transpose; /* columns x samples, of sparse features */
    of_tiles samples, columns;
    size_t depth;
    const double *x;
    double *y;
    double *scaled;           /* depth x samples: x scale */
    double *z;                /* depth x columns; for sparse features, it follows `sum` */
    double *sum, *in;         /* depth: sum of scaled; z mean */
    double *tile;             /* per worker, dense features */
    const of_device_use *use; /* the GPU that does the products; or NULL */
    of_device_sparse *there;  /* sparse features on it */
} krylov_task;

/* scaled = x scale of a tile; sum += its columns. */
static onefold_status scale_samples(void *opaque, size_t index, double *sum)
{
    krylov_task *task = opaque;
    size_t depth = task->depth, end = of_tiles_first(&task->samples, index + 1);
    for (size_t j = of_tiles_first(&task->samples, index); j < end; j++)
        for (size_t i = 0; i < depth; i++) {
            double s = task->x[j * depth + i] * *of_share_at(task->centred.scale, j);
            task->scaled[j * depth + i] = s;
            sum[i] += s;
        }
    return ONEFOLD_OK;
}

/* z -= sum mean' of a tile of columns; in += z mean. */
static onefold_status centre_columns(void *opaque, size_t index, double *in)
{
    krylov_task *task = opaque;
    size_t depth = task->depth, end = of_tiles_first(&task->columns, index + 1);
    for (size_t c = of_tiles_first(&task->columns, index); c < end; c++)
        for (size_t i = 0; i < depth; i++) {
            double *z = &task->z[c * depth + i], mean = task->centred.mean[c];
            *z -= task->sum[i] * mean;
            in[i] += *z * mean;
        }
    return ONEFOLD_OK;
}

static onefold_status finish_samples(void *opaque, size_t index)
{
    krylov_task *task = opaque;
    size_t depth = task->depth, first = of_tiles_first(&task->samples, index),
           end = of_tiles_first(&task->samples, index + 1);
    of_sparse_apply_rows(&task->centred.kernel->features, first, end, depth, task->z, task->y);
    for (size_t j = first; j < end; j++)
        for (size_t i = 0; i < depth; i++)
            task->y[j * depth + i] =
                *of_share_at(task->centred.scale, j) * (task->y[j * depth + i] - task->in[i]);
    return ONEFOLD_OK;
}

/* z = s F, and the sum of s. Every process needs all of s. */
static onefold_status multiply_features(krylov_task *task)
{
    size_t depth = task->depth;
    if (task->use) {
        OF_TRY(of_context_check(task->context));
        return OF_DEVICE(task->use, sparse_gather(task->there, depth, task->x, task->sum));
    }
    OF_TRY(of_tiles_sum(task->context, &task->samples, scale_samples, task, depth, task->sum));
    OF_TRY(of_comm_gather(task->context, task->scaled, depth * sizeof *task->scaled,
                          task->samples.samples));
    return of_sparse_apply(task->context, &task->transpose, depth, task->scaled, task->z);
}

static onefold_status apply_sparse(krylov_task *task)
{
    size_t depth = task->depth;
    task->z = task->sum + depth;
    OF_TRY(multiply_features(task));
    OF_TRY(of_team_sum(task->context, task->columns.count, centre_columns, task, depth, task->in));
    if (task->use)
        return OF_DEVICE(task->use, sparse_spread(task->there, depth, task->z, task->in, task->y));
    return of_tiles_run(task->context, &task->samples, finish_samples, task);
}

static onefold_status spread(void *opaque, size_t index)
{
    krylov_task *task = opaque;
    size_t first = of_tiles_first(&task->centred.tiles, index),
           count = of_tiles_length(&task->centred.tiles, index), d = task->centred.columns;
    double *tile =
        task->tile + of_team_worker() * task->centred.tile_rows * task->centred.tiles.width;
    of_centred_tile(&task->centred, index, tile);
    if (count)
        of_gemm('N', 'N', task->depth, count, d, 1, task->z, task->depth, tile, d, 0,
                task->y + first * task->depth, task->depth);
    return ONEFOLD_OK;
}

static onefold_status apply_dense(krylov_task *task)
{
    OF_TRY(of_centred_gather(task->context, &task->centred, task->tile, task->depth,
                             of_share_whole((double *)(uintptr_t)task->x, task->depth), task->z));
    return of_tiles_run(task->context, &task->centred.tiles, spread, task);
}

static onefold_status apply(void *opaque, size_t depth, const double *x, double *y)
{
    krylov_task *task = opaque;
    task->depth = depth;
    task->x = x;
    task->y = y;
    return task->centred.kernel->features.start ? apply_sparse(task) : apply_dense(task);
}

/* Copies sparse features to the context's GPU, where there is one with room for them. */
static onefold_status send_features(krylov_task *task)
{
    const of_sparse *features = &task->centred.kernel->features;
    const of_device_use *use = of_device_for(task->context, features->rows);
    if (!use || !features->columns || features->rows > UINT32_MAX || of_team_inside() ||
        of_comm_splits(task->context, features->rows))
        return ONEFOLD_OK;
    onefold_status status = of_centred_send(task->context, use, &task->centred, &task->there);
    int made = status == ONEFOLD_OK;
    status = of_device_total(task->context, 0, status, 0, NULL);
    if (made && status != ONEFOLD_OK) /* another rank's GPU has no room */
        use->table->sparse_free(task->there);
    task->use = status == ONEFOLD_OK ? use : NULL;
    return status == ONEFOLD_NO_MEMORY && of_device_gave_up(task->context) ? ONEFOLD_OK : status;
}

static onefold_status make_operator(of_context *context, of_arena *arena, const of_kernel *kernel,
                                    size_t deepest, int by_device, krylov_task **made)
{
    krylov_task *task;
    const of_sparse *features = &kernel->features;
    OF_TRY(OF_NEW_ZERO(arena, &task, 1, 1));
    task->context = context;
    OF_TRY(of_centred_make(context, arena, kernel, &task->centred));
    size_t n = task->centred.samples, d = task->centred.columns;
    task->samples = of_tiles_make(n, 1, 1024 * sizeof(double));
    task->columns = of_tiles_make(d, 1, 1024 * sizeof(double));
    if (features->start) {
        OF_TRY(OF_NEW_ALL(arena, {&task->scaled, deepest, n}, {&task->sum, deepest, d + 1},
                          {&task->in, deepest, 1}));
        if (by_device)
            OF_TRY(send_features(task));
        if (!task->use)
            OF_TRY(of_sparse_transpose(arena, features, &task->transpose));
    } else {
        OF_TRY(OF_NEW_ALL(arena, {&task->z, deepest, d},
                          {&task->tile, of_team_size(context) * task->centred.tile_rows,
                           task->centred.tiles.width}));
    }
    *made = task;
    return ONEFOLD_OK;
}

onefold_status of_product_make(of_context *context, of_arena *arena, const of_kernel *kernel,
                               size_t deepest, of_product *made)
{
    size_t n = kernel->view->samples;
    if (!of_kernel_is_given(kernel->kind)) {
        *made = (of_product){.apply = apply};
        return make_operator(context, arena, kernel, deepest, 0, (krylov_task **)&made->task);
    }
    of_matrix_operator *given;
    double *matrix;
    OF_TRY(OF_NEW(arena, &given, 1, 1));
    OF_TRY(OF_NEW(arena, &matrix, n, n));
    *given = (of_matrix_operator){context, n, matrix};
    *made = (of_product){of_matrix_apply, given};
    return of_kernel_matrix(context, kernel, OF_CENTRED_NORMALISED, matrix);
}

onefold_status of_route_krylov(of_context *context, of_route_work *work)
{
    OF_SCRATCH(scratch, context);
    size_t n = work->kernel->view->samples, deepest = of_eigen_deepest(work->rows, BLOCK);
    if (of_krylov_uses_features(work->kernel))
        return of_gram_applied(context, work);
    krylov_task *task;
    OF_TRY(make_operator(context, &scratch, work->kernel, deepest, 1, &task));
    onefold_status status =
        of_eigen_work(context, n, apply, task, BLOCK, 0.01 * work->tolerance, NULL, work);
    work->on_gpu = task->use != NULL;
    if (task->use)
        task->use->table->sparse_free(task->there);
    OF_TRY(status);
    return work->projection && work->rank ? of_projection_of_features(context, &task->centred, work)
                                          : ONEFOLD_OK;
}
