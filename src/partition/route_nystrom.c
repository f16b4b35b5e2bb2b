/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rbf in time and memory O(n): with landmarks, K(x, y) is nearly k(x)' K_ll^+ k(y), so the features
 * are z = map k. Centred and normalised they are psi_j = s_j map (k_j - kbar); s_j comes from the
 * true diagonal of the centred kernel, 1 - 2 (row mean) + (mean), whose row means are taken through
 * the landmarks. One pass takes kbar, one sums s_j^2 (k_j - kbar)(k_j - kbar)', the last projects.
 *
 * Up to OF_NYSTROM_LARGE samples all three see every sample, in double precision. Beyond, the first
 * two see about OF_NYSTROM_SUMMED of them, in tiles spread evenly, and only the last, n l (2 d + 2
 * k) flops and n l exponentials, sees all, in single precision (nystrom_project.c). H is
 * orthonormal to double precision either way.
 */
#include "partition/route_nystrom.h"
#include "kernel/landmarks.h"
#include "linalg/blas.h"
#include "partition/orthonormal.h"

#include <math.h>

/* An eigenvalue of K_ll at most this share of the largest counts as zero. In single precision k has
 * an error of some 1e-7, which the square root of the inverse makes larger by up to
 * 1 / sqrt(share). */
static const double ZERO = 1e-12, ZERO_SINGLE = 1e-7;

/* The kernel of a tile's samples against the landmarks, count x length. */
static double *load(of_nystrom *task, size_t index, int worker)
{
    size_t width = task->tiles.width;
    double *tile = task->tile + (size_t)worker * task->landmarks.tile_rows * width,
           *k = task->k + (size_t)worker * task->landmarks.count * width;
    of_landmarks_tile(&task->landmarks, of_tiles_first(&task->tiles, index),
                      of_tiles_length(&task->tiles, index), tile, k);
    return k;
}

/* sum (count + 1) += k of every sample of the tile, and their number. */
static onefold_status add_mean(void *opaque, size_t index, int worker, double *sum)
{
    of_nystrom *task = opaque;
    size_t l = task->landmarks.count, count = of_tiles_length(&task->tiles, index);
    if (index % task->stride || !count)
        return ONEFOLD_OK;
    const double *k = load(task, index, worker);
    for (size_t j = 0; j < count; j++)
        for (size_t i = 0; i < l; i++)
            sum[i] += k[j * l + i];
    sum[l] += (double)count;
    return ONEFOLD_OK;
}

/* k becomes s (k - kbar). */
static void centre_and_scale(const of_nystrom *task, size_t count, double *k)
{
    size_t l = task->landmarks.count;
    for (size_t j = 0; j < count; j++) {
        double row = cblas_ddot((int)l, k + j * l, 1, task->row_mean, 1),
               scale = of_nystrom_scale(1 - 2 * row + task->mean);
        for (size_t i = 0; i < l; i++)
            k[j * l + i] = scale * (k[j * l + i] - task->kbar[i]);
    }
}

/* sum (count x count, lower triangle) += s^2 (k - kbar)(k - kbar)' of a tile. */
static onefold_status add_gram(void *opaque, size_t index, int worker, double *sum)
{
    of_nystrom *task = opaque;
    size_t l = task->landmarks.count, count = of_tiles_length(&task->tiles, index);
    if (index % task->stride || !count)
        return ONEFOLD_OK;
    double *k = load(task, index, worker);
    centre_and_scale(task, count, k);
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)l, (int)count, 1, k, (int)l, 1, sum,
                (int)l);
    return ONEFOLD_OK;
}

/* H of a tile; sum (rows x rows) += H H'. */
static onefold_status project(void *opaque, size_t index, int worker, double *sum)
{
    of_nystrom *task = opaque;
    size_t l = task->landmarks.count, count = of_tiles_length(&task->tiles, index),
           rows = task->rows;
    if (!count)
        return ONEFOLD_OK;
    double *k = load(task, index, worker),
           *H = of_share_at(task->H, of_tiles_first(&task->tiles, index));
    size_t ldh = task->H.ld;
    centre_and_scale(task, count, k);
    of_gemm('N', 'N', rows, count, l, 1, task->weight, rows, k, l, 0, H, ldh);
    of_gemm('N', 'T', rows, rows, count, 1, H, ldh, H, ldh, 1, sum, rows);
    return ONEFOLD_OK;
}

static onefold_status compute_mean(of_context *context, of_arena *arena, of_nystrom *task)
{
    const of_landmarks *landmarks = &task->landmarks;
    size_t l = landmarks->count;
    double *image;
    OF_TRY(OF_NEW_ZERO(arena, &task->kbar, l + 1, 1));
    OF_TRY(OF_NEW(arena, &task->row_mean, l, 1));
    OF_TRY(OF_NEW(arena, &image, landmarks->rank, 1));
    if (task->use)
        OF_TRY(of_nystrom_device_mean(context, task, task->kbar));
    else
        OF_TRY(of_tiles_sum(context, &task->tiles, add_mean, task, l + 1, task->kbar));
    for (size_t i = 0; i < l; i++)
        task->kbar[i] /= task->kbar[l];
    cblas_dgemv(CblasColMajor, CblasNoTrans, (int)landmarks->rank, (int)l, 1, landmarks->map,
                (int)landmarks->rank, task->kbar, 1, 0, image, 1);
    cblas_dgemv(CblasColMajor, CblasTrans, (int)landmarks->rank, (int)l, 1, landmarks->map,
                (int)landmarks->rank, image, 1, 0, task->row_mean, 1);
    task->mean = cblas_ddot((int)l, task->kbar, 1, task->row_mean, 1);
    return ONEFOLD_OK;
}

/* Leading eigenpairs of map M map', and the weights rows x count that project k. */
static onefold_status solve(of_context *context, of_arena *arena, of_nystrom *task, double *M,
                            of_route_work *work)
{
    OF_SCRATCH(scratch, context);
    const of_landmarks *landmarks = &task->landmarks;
    size_t l = landmarks->count, r = landmarks->rank, rows = work->rows < r ? work->rows : r;
    double *half, *G, *w, *weight;
    for (size_t j = 0; j < l; j++)
        for (size_t i = j + 1; i < l; i++)
            M[i * l + j] = M[j * l + i];
    OF_TRY(OF_NEW(&scratch, &half, r, l));
    OF_TRY(OF_NEW(&scratch, &G, r, r));
    OF_TRY(OF_NEW(&scratch, &w, rows, r));
    of_gemm('N', 'N', r, l, l, 1, landmarks->map, r, M, l, 0, half, r);
    of_gemm('N', 'T', r, r, l, 1, half, r, landmarks->map, r, 0, G, r);
    of_route_work small = {.rows = rows,
                           .tolerance = work->tolerance,
                           .H = of_share_whole(w, rows),
                           .value = work->value};
    OF_TRY(of_eigen_matrix(context, r, G, &small));
    work->rank = small.rank;
    for (size_t i = 0; i < r; i++)
        for (size_t j = 0; j < small.rank; j++)
            w[i * rows + j] /= sqrt(work->value[j]);
    OF_TRY(OF_NEW(arena, &weight, small.rank, l));
    of_gemm('N', 'N', small.rank, l, r, 1, w, rows, landmarks->map, r, 0, weight, small.rank);
    task->weight = weight;
    task->rows = small.rank;
    return ONEFOLD_OK;
}

static onefold_status make_room(of_context *context, of_arena *arena, of_nystrom *task, size_t n)
{
    size_t workers = (size_t)of_team_size(context), l = task->landmarks.count;
    task->tiles = of_tiles_make(n, l + task->landmarks.tile_rows, 512 << 10);
    OF_TRY(OF_NEW(arena, &task->tile, workers * task->landmarks.tile_rows, task->tiles.width));
    task->stride = n > OF_NYSTROM_LARGE ? n / OF_NYSTROM_SUMMED : 1;
    return OF_NEW(arena, &task->k, workers * l, task->tiles.width);
}

/* The landmarks and the weights as they made H: what new samples need. */
static onefold_status keep_projection(of_nystrom *task, const double *lower, of_route_work *work)
{
    const of_landmarks *landmarks = &task->landmarks;
    of_orthonormalise_weight(landmarks->count, work->rank, lower, task->weight);
    of_projection points = {.points = landmarks->count,
                            .columns = landmarks->columns,
                            .rank = work->rank,
                            .scale = landmarks->scale,
                            .at = landmarks->at,
                            .point_mean = task->kbar,
                            .row_mean = task->row_mean,
                            .mean_of_all = task->mean,
                            .floor = OF_NYSTROM_LEAST,
                            .weight = task->weight};
    return of_projection_points(work->arena, &points, work->projection);
}

/* ---- stages --------------------------------------------------------------------------------- */

onefold_status of_nystrom_place(of_context *context, of_nystrom_view *view)
{
    of_route_work *work = view->work;
    view->task = (of_nystrom){.H = work->H};
    if (work->sign) {
        view->task.use = work->options->use;
        view->task.there = work->options->there;
        view->task.row = work->options->row;
    }
    of_route_nothing(work);
    return of_landmarks_place(context, &view->scratch, work->kernel,
                              of_nystrom_landmarks(work->kernel, work->rows, work->landmarks),
                              work->seed, &view->task.landmarks);
}

onefold_status of_nystrom_relate(of_context *context, of_nystrom_view *view)
{
    return of_landmarks_solve(context, &view->scratch,
                              view->work->kernel->view->samples > OF_NYSTROM_LARGE ? ZERO_SINGLE
                                                                                   : ZERO,
                              &view->task.landmarks);
}

onefold_status of_nystrom_sum(of_context *context, of_nystrom_view *view)
{
    of_nystrom *task = &view->task;
    size_t l = task->landmarks.count;
    if (l == 0)
        return ONEFOLD_OK;
    OF_TRY(make_room(context, &view->scratch, task, view->work->kernel->view->samples));
    OF_TRY(compute_mean(context, &view->scratch, task));
    OF_TRY(OF_NEW_ZERO(&view->scratch, &view->M, l, l));
    if (task->use)
        return of_nystrom_device_gram(context, task, view->M);
    return of_tiles_sum(context, &task->tiles, add_gram, task, l * l, view->M);
}

onefold_status of_nystrom_solve(of_context *context, of_nystrom_view *view)
{
    if (view->task.landmarks.count == 0)
        return ONEFOLD_OK;
    OF_TRY(solve(context, &view->scratch, &view->task, view->M, view->work));
    return of_landmarks_error(context, &view->task.landmarks, view->work->seed,
                              &view->work->residual);
}

/* H; `inner` then has the factor that made it orthonormal. */
static onefold_status make_H(of_context *context, of_nystrom *task, of_route_work *work,
                             double *inner)
{
    size_t n = work->kernel->view->samples;
    if (task->use) {
        OF_TRY(n > OF_NYSTROM_LARGE ? of_nystrom_device_project(context, task, inner)
                                    : of_nystrom_device_rows(context, task, inner));
        return of_orthonormalise_device(context, task->use, task->there, n, task->row, task->rows,
                                        inner, work->sign);
    }
    if (n > OF_NYSTROM_LARGE)
        OF_TRY(of_nystrom_project_single(context, task, inner));
    else
        OF_TRY(of_tiles_sum(context, &task->tiles, project, task, work->rank * work->rank, inner));
    return of_orthonormalise(context, n, work->rank, work->H, inner);
}

onefold_status of_nystrom_project(of_context *context, of_nystrom_view *view)
{
    of_nystrom *task = &view->task;
    of_route_work *work = view->work;
    if (task->landmarks.count) {
        double *inner;
        OF_TRY(OF_NEW_ZERO(&view->scratch, &inner, work->rank, work->rank));
        OF_TRY(make_H(context, task, work, inner));
        if (work->projection)
            OF_TRY(keep_projection(task, inner, work));
    }
    if (!task->use)
        of_route_clear(context, work);
    return ONEFOLD_OK;
}
