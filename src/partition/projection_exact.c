/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What projects new samples from the eigenvectors of an exact route. rbf and precomputed kernels:
 * W = Lambda^-1 V T C over all training samples, T their normalisation and C the centring, so that
 * only k - kbar is left to multiply. Features need less: of_projection_of_features.
 */
#include "base/tiles.h"
#include "kernel/exp.h"
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
    return of_projection_features(work->arena, centred, rank, weight, work->projection);
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

/* Centred squared lengths (in place) to 1 / length; 0, and the floor, as docs/method.md has it. */
static double compute_scale(size_t n, double entry, double *scale)
{
    double most = 0;
    for (size_t j = 0; j < n; j++)
        most = fmax(most, scale[j]);
    double floor = fmax(1e-14 * most, 4 * DBL_EPSILON * entry);
    for (size_t j = 0; j < n; j++)
        scale[j] = scale[j] > floor ? 1 / sqrt(scale[j]) : 0;
    return floor;
}

enum { POINT_TILE = 256 };

typedef struct point_task {
    of_projection *points;
    of_sparse transpose; /* of sparse points */
    double *room;        /* per worker */
    size_t room_size;
    double *mean; /* points */
} point_task;

/* The means of the kernel's columns, a tile of them at a time. */
static onefold_status dense_means(void *opaque, size_t index, int worker)
{
    point_task *task = opaque;
    const of_projection *p = task->points;
    size_t n = p->points, d = p->columns, first = index * POINT_TILE,
           count = n - first < POINT_TILE ? n - first : POINT_TILE;
    double *k = task->room + (size_t)worker * task->room_size;
    for (size_t from = 0; from < n; from += POINT_TILE) {
        size_t rows = n - from < POINT_TILE ? n - from : POINT_TILE;
        of_rbf_block(d, rows, p->at + from * d, p->half + from, count, p->at + first * d, k);
        for (size_t j = 0; j < count; j++)
            for (size_t i = 0; i < rows; i++)
                task->mean[first + j] += k[j * rows + i] / (double)n;
    }
    return ONEFOLD_OK;
}

static onefold_status sparse_means(void *opaque, size_t index, int worker)
{
    point_task *task = opaque;
    const of_projection *p = task->points;
    size_t n = p->points, end = (index + 1) * POINT_TILE < n ? (index + 1) * POINT_TILE : n;
    double *k = task->room + (size_t)worker * task->room_size;
    for (size_t j = index * POINT_TILE; j < end; j++) {
        memset(k, 0, n * sizeof *k);
        of_sparse_gram_row(&p->sparse_at, &task->transpose, j, k);
        for (size_t i = 0; i < n; i++) {
            double exponent = k[i] - p->half[i] - p->half[j];
            k[i] = exponent < 0 ? exponent : 0;
        }
        of_exp(n, k);
        for (size_t i = 0; i < n; i++)
            task->mean[j] += k[i] / (double)n;
    }
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

static onefold_status point_means(of_context *context, of_arena *arena, of_projection *points,
                                  double **mean)
{
    OF_SCRATCH(scratch, context);
    size_t n = points->points, tiles = (n + POINT_TILE - 1) / POINT_TILE;
    point_task task = {.points = points,
                       .room_size = points->at ? (size_t)POINT_TILE * POINT_TILE : n};
    OF_TRY(of_projection_prepare(&scratch, points)); /* half, for now */
    OF_TRY(OF_NEW_ZERO(arena, &task.mean, n, 1));
    OF_TRY(OF_NEW(&scratch, &task.room, (size_t)of_team_size(context), task.room_size));
    if (!points->at)
        OF_TRY(of_sparse_transpose(&scratch, &points->sparse_at, &task.transpose));
    OF_TRY(of_team_run(context, tiles, points->at ? dense_means : sparse_means, &task));
    *mean = task.mean;
    points->half = NULL;
    return ONEFOLD_OK;
}

/* rbf: every training sample is a point, and the mean of a row is that of its entries. */
static onefold_status keep_samples(of_context *context, of_route_work *work)
{
    OF_SCRATCH(scratch, context);
    const of_kernel *kernel = work->kernel;
    size_t n = kernel->view->samples;
    of_projection points = {.form = OF_PROJECT_POINTS,
                            .points = n,
                            .columns = of_kernel_columns(kernel),
                            .rank = work->rank,
                            .scale = sqrt(2 / kernel->width)};
    double *mean, *each, *scale;
    OF_TRY(copy_points(work->arena, kernel, &points));
    OF_TRY(point_means(context, &scratch, &points, &mean));
    OF_TRY(OF_NEW(&scratch, &each, n, 1));
    OF_TRY(OF_NEW(&scratch, &scale, n, 1));
    for (size_t j = 0; j < n && !of_counts(context); j++)
        points.mean_of_all += mean[j] / (double)n;
    for (size_t j = 0; j < n && !of_counts(context); j++) {
        each[j] = 1 / (double)n;
        scale[j] = 1 - 2 * mean[j] + points.mean_of_all;
    }
    points.floor = of_counts(context) ? 0 : compute_scale(n, 1, scale);
    points.point_mean = mean;
    points.row_mean = each;
    OF_TRY(centred_weights(&scratch, work, scale, &points.weight));
    const double *at = points.at;
    points.at = NULL; /* it is where it is to stay */
    OF_TRY(of_projection_points(work->arena, &points, work->projection));
    work->projection->at = at;
    return ONEFOLD_OK;
}

/* ---- a precomputed kernel ----------------------------------------------------------------- */

typedef struct given {
    double all;   /* the mean of all entries */
    double *mean; /* of each row of (K + K') / 2, less that */
    double *diagonal;
    double largest;
} given;

/* Row means of K less `all`, of K' too; the diagonal. One row at a time: it is read twice in all.
 */
static void add_rows(const of_view *view, double *row, given *g)
{
    size_t n = view->samples;
    for (size_t j = 0; j < n; j++) {
        of_view_tile(view, j, 1, row, n);
        double sum = 0;
        for (size_t i = 0; i < n; i++) {
            double x = row[i] - g->all;
            sum += x;
            g->mean[i] += x / (2 * (double)n);
            g->largest = fmax(g->largest, fabs(row[i]));
        }
        g->mean[j] += sum / (2 * (double)n);
        g->diagonal[j] = row[j];
    }
}

static onefold_status look_at_given(of_context *context, of_arena *arena, const of_view *view,
                                    given *g)
{
    OF_SCRATCH(scratch, context);
    size_t n = view->samples;
    double *row;
    OF_TRY(OF_NEW(&scratch, &row, n, 1));
    OF_TRY(OF_NEW(arena, &g->diagonal, n, 1));
    OF_TRY(OF_NEW_ZERO(arena, &g->mean, n, 1));
    OF_COUNTED(context);
    add_rows(view, row, g);
    for (size_t j = 0; j < n; j++)
        g->all += g->mean[j] / (double)n;
    memset(g->mean, 0, n * sizeof *g->mean);
    OF_TRY(of_context_check(context));
    add_rows(view, row, g);
    return ONEFOLD_OK;
}

static onefold_status keep_given(of_context *context, of_route_work *work)
{
    OF_SCRATCH(scratch, context);
    of_projection *p = work->projection;
    size_t n = work->kernel->view->samples;
    given g = {0};
    double *scale, *mean, rest = 0, least, most;
    OF_TRY(look_at_given(context, &scratch, work->kernel->view, &g));
    OF_TRY(OF_NEW(work->arena, &scale, n, 1));
    OF_TRY(OF_NEW(work->arena, &mean, n, 1));
    p->form = OF_PROJECT_ROWS;
    p->rank = work->rank;
    p->columns = n;
    p->point_mean = mean;
    p->sample_scale = scale;
    if (of_counts(context))
        return centred_weights(work->arena, work, scale, &p->weight);
    least = most = g.diagonal[0];
    for (size_t j = 0; j < n; j++) {
        rest += g.mean[j] / (double)n;
        least = fmin(least, g.diagonal[j]);
        most = fmax(most, g.diagonal[j]);
    }
    for (size_t j = 0; j < n; j++) {
        scale[j] = (g.diagonal[j] - g.all) - 2 * g.mean[j] + rest;
        mean[j] = g.mean[j] - rest; /* rounding that the second pass has left */
    }
    p->floor = compute_scale(n, g.largest, scale);
    p->mean_of_all = g.all + rest;
    p->same_diagonal = most - least <= 1e-9 * g.largest;
    p->diagonal = p->same_diagonal ? most / 2 + least / 2 : 0;
    return centred_weights(work->arena, work, scale, &p->weight);
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
