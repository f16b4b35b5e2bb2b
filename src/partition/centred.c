/* SPDX-License-Identifier: Apache-2.0 */
/* Means and lengths of features, and tiles of centred and normalised features. */
#include "partition/centred.h"

#include "linalg/blas.h"

#include <string.h>

static void subtract_mean(const of_centred *centred, size_t count, double *tile)
{
    size_t d = centred->columns;
    for (size_t j = 0; j < count; j++)
        for (size_t i = 0; i < d; i++)
            tile[j * d + i] -= centred->mean[i];
}

void of_centred_tile(const of_centred *centred, size_t index, double *tile)
{
    size_t first = of_tiles_first(&centred->tiles, index),
           count = of_tiles_length(&centred->tiles, index), d = centred->columns;
    const double *scale = of_share_at(centred->scale, first);
    of_kernel_tile(centred->kernel, first, count, tile);
    subtract_mean(centred, count, tile);
    for (size_t j = 0; j < count; j++)
        for (size_t i = 0; i < d; i++)
            tile[j * d + i] *= scale[j];
}

typedef struct gather_task {
    const of_centred *centred;
    size_t depth;
    of_share x;
    double *tile; /* per worker */
} gather_task;

/* sum (depth x columns) += x psi of a tile. */
static onefold_status gather_tile(void *opaque, size_t index, double *sum)
{
    const gather_task *task = opaque;
    const of_centred *centred = task->centred;
    size_t first = of_tiles_first(&centred->tiles, index), depth = task->depth,
           count = of_tiles_length(&centred->tiles, index), d = centred->columns;
    double *tile = task->tile + of_team_worker() * centred->tile_rows * centred->tiles.width;
    if (!count)
        return ONEFOLD_OK;
    of_centred_tile(centred, index, tile);
    of_gemm('N', 'T', depth, d, count, 1, of_share_at(task->x, first), task->x.ld, tile, d, 1, sum,
            depth);
    return ONEFOLD_OK;
}

onefold_status of_centred_gather(of_context *context, const of_centred *centred, double *tile,
                                 size_t depth, of_share x, double *z)
{
    OF_SCRATCH(scratch, context);
    gather_task task = {centred, depth, x, tile};
    size_t length = depth * centred->columns;
    if (!tile)
        OF_TRY(OF_NEW(&scratch, &task.tile, of_team_size(context) * centred->tile_rows,
                      centred->tiles.width));
    return of_tiles_sum(context, &centred->tiles, gather_tile, &task, length, z);
}

/* Squared lengths: of f_i - mean into scale, of f_i into raw. */
typedef struct length_task {
    of_centred *centred;
    of_share raw;
    double *tile;
} length_task;

static onefold_status dense_lengths(void *opaque, size_t index)
{
    length_task *task = opaque;
    of_centred *centred = task->centred;
    size_t first = of_tiles_first(&centred->tiles, index),
           count = of_tiles_length(&centred->tiles, index), d = centred->columns;
    double *tile = task->tile + of_team_worker() * centred->tile_rows * centred->tiles.width,
           *raw = of_share_at(task->raw, first), *scale = of_share_at(centred->scale, first);
    of_kernel_tile(centred->kernel, first, count, tile);
    for (size_t j = 0; j < count; j++)
        raw[j] = cblas_ddot((int)d, tile + j * d, 1, tile + j * d, 1);
    subtract_mean(centred, count, tile);
    for (size_t j = 0; j < count; j++)
        scale[j] = cblas_ddot((int)d, tile + j * d, 1, tile + j * d, 1);
    return ONEFOLD_OK;
}

static void sparse_mean(const of_sparse *features, double *mean)
{
    for (size_t i = 0; i < features->columns; i++)
        mean[i] = 0;
    for (size_t e = 0; e < features->start[features->rows]; e++)
        mean[features->index[e]] += features->value[e];
    for (size_t i = 0; i < features->columns; i++)
        mean[i] /= (double)features->rows;
}

/* ||f - mean||^2 = ||mean||^2 + sum over the entries of f of (f - mean)^2 - mean^2. */
static void sparse_lengths(const of_sparse *features, of_range own, of_centred *centred,
                           of_share raw)
{
    double all = cblas_ddot((int)features->columns, centred->mean, 1, centred->mean, 1);
    for (size_t j = own.first; j < own.end; j++) {
        double whole = 0, less = 0;
        for (size_t e = features->start[j]; e < features->start[j + 1]; e++) {
            double f = features->value[e], mean = centred->mean[features->index[e]];
            whole += f * f;
            less += f * (f - 2 * mean);
        }
        *of_share_at(raw, j) = whole;
        *of_share_at(centred->scale, j) = all + less;
    }
}

static onefold_status refuse(const of_centred *centred, size_t sample)
{
    const char *name = centred->kernel->view->name;
    return of_hint(of_fail(ONEFOLD_BAD_DATA, "sample %zu of %s has values too large to be squared",
                           sample + 1, name ? name : "a view"),
                   "scale the view down");
}

/* sum += squared lengths of a tile. */
static onefold_status add_squares(void *opaque, size_t index, double *sum)
{
    const of_centred *centred = opaque;
    size_t end = of_tiles_first(&centred->tiles, index + 1);
    for (size_t j = of_tiles_first(&centred->tiles, index); j < end; j++)
        *sum += *of_share_at(centred->scale, j);
    return ONEFOLD_OK;
}

/* Replaces squared lengths by one scale for all samples, such that the mean squared length is 1. */
static onefold_status scale_alike(of_context *context, of_centred *centred)
{
    double sum;
    of_range own = of_comm_own(context, centred->samples);
    OF_TRY(of_tiles_sum(context, &centred->tiles, add_squares, centred, 1, &sum));
    double mean = sum / (double)centred->samples;
    centred->common = mean > centred->floor ? 1 / sqrt(mean) : 0;
    const of_sparse *features = &centred->kernel->features;
    for (size_t j = own.first; j < own.end; j++)
        *of_share_at(centred->scale, j) =
            features->start && features->start[j] == features->start[j + 1] ? 0 : centred->common;
    return ONEFOLD_OK;
}

/* Replaces squared lengths by 1 / length, or 0 where a length is not above rounding. */
static onefold_status compute_scale(of_context *context, of_centred *centred, of_share raw)
{
    OF_COUNTED(context);
    double most[2] = {0, 0}; /* of the lengths centred, and raw */
    of_range own = of_comm_own(context, centred->samples);
    for (size_t j = own.first; j < own.end; j++) {
        double square = *of_share_at(raw, j);
        if (!isfinite(square))
            return refuse(centred, j);
        most[1] = fmax(most[1], square);
    }
    for (size_t j = own.first; j < own.end; j++) {
        double square = *of_share_at(centred->scale, j);
        if (!isfinite(square))
            return refuse(centred, j);
        most[0] = fmax(most[0], square);
    }
    OF_TRY(of_comm_largest(context, centred->samples, 2, most));
    centred->floor = of_centred_floor(centred->kernel, most[0], most[1]);
    if (centred->kernel->keeps_lengths)
        return scale_alike(context, centred);
    for (size_t j = own.first; j < own.end; j++) {
        double *scale = of_share_at(centred->scale, j);
        *scale = *scale > centred->floor ? 1 / sqrt(*scale) : 0;
    }
    return ONEFOLD_OK;
}

onefold_status of_centred_make(of_context *context, of_arena *arena, const of_kernel *kernel,
                               of_centred *centred)
{
    size_t n = kernel->view->samples, tile_rows = of_kernel_tile_rows(kernel);
    *centred = (of_centred){.kernel = kernel,
                            .samples = n,
                            .columns = of_kernel_columns(kernel),
                            .tile_rows = tile_rows,
                            .tiles = of_tiles_make(n, tile_rows, OF_CENTRED_TILE)};
    OF_TRY(OF_NEW(arena, &centred->mean, centred->columns, 1));
    OF_TRY(of_share_make(arena, &centred->scale, 1, n));
    OF_SCRATCH(scratch, context);
    length_task task = {.centred = centred};
    OF_TRY(of_share_make(&scratch, &task.raw, 1, n));
    if (kernel->features.start) {
        OF_COUNTED(context);
        sparse_mean(&kernel->features, centred->mean);
        sparse_lengths(&kernel->features, of_comm_own(context, n), centred, task.raw);
        return compute_scale(context, centred, task.raw);
    }
    OF_TRY(of_kernel_mean(context, kernel, centred->mean));
    OF_TRY(OF_NEW(&scratch, &task.tile, of_team_size(context) * tile_rows, centred->tiles.width));
    OF_TRY(of_tiles_run(context, &centred->tiles, dense_lengths, &task));
    return compute_scale(context, centred, task.raw);
}
