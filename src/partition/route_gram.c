/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Few columns: with psi the features of the finished kernel K = psi psi' (samples x samples), the
 * eigenvectors of G = psi' psi (columns x columns) give those of K: G w = lambda w makes
 * v = psi w / sqrt(lambda). One pass over the samples forms G, another projects. Flops: n d^2 + 2 n
 * d k; bytes: two readings of the view and one writing of H. Of a weighted sum of several kernels
 * psi has the columns of all of them, times the roots of their weights.
 */
#include "partition/route_gram.h"
#include "linalg/blas.h"
#include "partition/centred.h"
#include "partition/orthonormal.h"

#include <math.h>
#include <string.h>

typedef struct gram_task {
    size_t views, columns, tile_rows; /* columns: of all views */
    const double *weights;            /* views */
    of_centred *centred;              /* views */
    of_tiles tiles;
    double *tile;         /* per worker: tile_rows x width, and columns x width where views join */
    const double *weight; /* rows x columns: w / sqrt(lambda) */
    size_t rows;
    of_share H;
} gram_task;

static size_t room_of(const gram_task *task)
{
    return (task->tile_rows + (task->views > 1 ? task->columns : 0)) * task->tiles.width;
}

static double *load_tile(gram_task *task, size_t index, int worker)
{
    double *tile = task->tile + (size_t)worker * room_of(task);
    size_t count = of_tiles_length(&task->tiles, index), row = 0;
    if (task->views == 1) {
        of_centred_tile(task->centred, index, tile);
        return tile;
    }
    double *all = tile + task->tile_rows * task->tiles.width;
    for (size_t i = 0; i < task->views; row += task->centred[i++].columns) {
        size_t d = task->centred[i].columns;
        double share = sqrt(task->weights[i]);
        of_centred_tile(&task->centred[i], index, tile);
        for (size_t j = 0; j < count; j++)
            for (size_t c = 0; c < d; c++)
                all[j * task->columns + row + c] = share * tile[j * d + c];
    }
    return all;
}

/* sum (columns x columns, lower triangle) += psi psi' of a tile. */
static onefold_status add_gram(void *opaque, size_t index, int worker, double *sum)
{
    gram_task *task = opaque;
    size_t count = of_tiles_length(&task->tiles, index), d = task->columns;
    const double *tile = load_tile(task, index, worker);
    if (count)
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)d, (int)count, 1, tile, (int)d, 1,
                    sum, (int)d);
    return ONEFOLD_OK;
}

/* H of a tile; sum (rows x rows) += H H'. */
static onefold_status project(void *opaque, size_t index, int worker, double *sum)
{
    gram_task *task = opaque;
    size_t first = of_tiles_first(&task->tiles, index),
           count = of_tiles_length(&task->tiles, index), d = task->columns, rows = task->rows;
    const double *tile = load_tile(task, index, worker);
    if (!count)
        return ONEFOLD_OK;
    double *H = of_share_at(task->H, first);
    size_t ldh = task->H.ld;
    of_gemm('N', 'N', rows, count, d, 1, task->weight, rows, tile, d, 0, H, ldh);
    of_gemm('N', 'T', rows, rows, count, 1, H, ldh, H, ldh, 1, sum, rows);
    return ONEFOLD_OK;
}

/* K v - lambda v = psi (G w - lambda w) / sqrt(lambda), so its length follows from G alone. */
static onefold_status residual_of(of_context *context, size_t d, const double *gram,
                                  const double *w, of_route_work *work)
{
    OF_SCRATCH(scratch, context);
    double *off, *image;
    OF_TRY(OF_NEW(&scratch, &off, d, work->rank));
    OF_TRY(OF_NEW(&scratch, &image, d, work->rank));
    memcpy(off, w, d * work->rank * sizeof *off);
    for (size_t r = 0; r < work->rank; r++)
        for (size_t i = 0; i < d; i++)
            off[r * d + i] *= -work->value[r];
    of_gemm('N', 'N', d, work->rank, d, 1, gram, d, w, d, 1, off, d);
    of_gemm('N', 'N', d, work->rank, d, 1, gram, d, off, d, 0, image, d);
    work->residual = 0;
    for (size_t r = 0; r < work->rank; r++) {
        double square = cblas_ddot((int)d, off + r * d, 1, image + r * d, 1);
        work->residual =
            fmax(work->residual, sqrt(fmax(square, 0) / work->value[r]) / work->value[0]);
    }
    return ONEFOLD_OK;
}

onefold_status of_gram_solve(of_context *context, of_arena *arena, size_t d, double *gram,
                             of_route_work *work, double **weight)
{
    OF_SCRATCH(scratch, context);
    size_t rows = work->rows < d ? work->rows : d;
    double *w, *copy;
    OF_TRY(OF_NEW(&scratch, &w, d, rows));
    OF_TRY(OF_NEW(&scratch, &copy, d, d));
    for (size_t j = 0; j < d; j++)
        for (size_t i = j + 1; i < d; i++)
            gram[i * d + j] = gram[j * d + i];
    memcpy(copy, gram, d * d * sizeof *copy);
    /* a residual of G counts sqrt(lambda_1 / lambda) times as much in K */
    of_route_work small = {.rows = rows,
                           .tolerance = 0.01 * work->tolerance,
                           .H = of_share_whole(w, rows),
                           .value = work->value};
    OF_TRY(of_eigen_matrix(context, d, copy, &small));
    work->rank = small.rank;
    OF_TRY(OF_NEW(arena, weight, small.rank, d));
    for (size_t i = 0; i < d; i++)
        for (size_t r = 0; r < small.rank; r++) {
            copy[r * d + i] = w[i * rows + r];
            (*weight)[i * small.rank + r] = w[i * rows + r] / sqrt(work->value[r]);
        }
    return residual_of(context, d, gram, copy, work);
}

/* What all views are read by: tiles that suit their columns together. */
static onefold_status make_task(of_context *context, of_arena *scratch, size_t views,
                                const of_kernel *kernels, gram_task *task)
{
    size_t rows = 0;
    task->views = views;
    OF_TRY(OF_NEW(scratch, &task->centred, views, 1));
    for (size_t i = 0; i < views; i++) {
        OF_TRY(of_centred_make(context, scratch, &kernels[i], &task->centred[i]));
        task->columns += task->centred[i].columns;
        rows += task->centred[i].tile_rows;
        if (task->centred[i].tile_rows > task->tile_rows)
            task->tile_rows = task->centred[i].tile_rows;
    }
    task->tiles = of_tiles_make(task->centred->samples, rows, OF_CENTRED_TILE);
    for (size_t i = 0; i < views; i++)
        task->centred[i].tiles = task->tiles;
    return OF_NEW(scratch, &task->tile, (size_t)of_team_size(context), room_of(task));
}

onefold_status of_gram_make(of_context *context, size_t views, const of_kernel *kernels,
                            const double *weights, of_route_work *work)
{
    OF_SCRATCH(scratch, context);
    gram_task task = {.H = work->H, .weights = weights};
    double *gram, *inner, *weight;
    OF_TRY(make_task(context, &scratch, views, kernels, &task));
    size_t d = task.columns, n = task.tiles.samples;
    OF_TRY(OF_NEW_ZERO(&scratch, &gram, d, d));
    OF_TRY(of_tiles_sum(context, &task.tiles, add_gram, &task, d * d, gram));
    of_route_nothing(work);
    if (d)
        OF_TRY(of_gram_solve(context, &scratch, d, gram, work, &weight));
    if (work->rank) {
        task.rows = work->rank;
        task.weight = weight;
        OF_TRY(OF_NEW_ZERO(&scratch, &inner, work->rank, work->rank));
        OF_TRY(of_tiles_sum(context, &task.tiles, project, &task, work->rank * work->rank, inner));
        OF_TRY(of_orthonormalise(context, n, work->rank, work->H, inner));
        if (work->projection) {
            of_orthonormalise_weight(d, work->rank, inner, weight);
            OF_TRY(of_projection_features(work->arena, task.centred, work->rank, weight,
                                          work->projection));
        }
    }
    of_route_clear(context, work);
    return ONEFOLD_OK;
}

onefold_status of_route_gram(of_context *context, of_route_work *work)
{
    return work->sign ? of_gram_on_card(context, work)
                      : of_gram_make(context, 1, work->kernel, NULL, work);
}

size_t of_gram_bytes(of_context *context, size_t views, const of_kernel *kernels, size_t rows)
{
    size_t n = kernels->view->samples, d = 0, tile_rows = 0,
           workers = (size_t)of_team_size(context);
    for (size_t i = 0; i < views; i++) {
        d += of_kernel_columns(&kernels[i]);
        tile_rows += of_kernel_tile_rows(&kernels[i]);
    }
    size_t most = rows < d ? rows : d, joined = views > 1 ? d : 0;
    of_tiles tiles = of_tiles_make(n, tile_rows, OF_CENTRED_TILE);
    size_t forming = of_tiles_sum_bytes(&tiles, d * d, workers),
           solving = sizeof(double) * (d * d + d * most) + of_eigen_matrix_bytes(context, d, most),
           rest = sizeof(double) * (2 * n * views + d + d * d + most * d +
                                    workers * (tile_rows + joined) * tiles.width);
    return rest + (forming > solving ? forming : solving);
}

size_t of_route_gram_bytes(of_context *context, const of_kernel *kernel, size_t rows)
{
    return of_gram_bytes(context, 1, kernel, rows);
}
