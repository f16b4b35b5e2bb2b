/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rbf in time and memory O(n): with landmarks, K(x, y) is nearly k(x)' K_ll^+ k(y), so the features
 * are z = map k. Centred and normalised they are psi_j = s_j map (k_j - kbar); s_j comes from the
 * true diagonal of the centred kernel, 1 - 2 (row mean) + (mean), whose row means are taken through
 * the landmarks. One pass sums s_j^2 (k_j - kbar)(k_j - kbar)', another projects: n l (2 d + l) and
 * n l (2 d + 2 k) flops and n l exponentials each. kbar is taken from every sample up to
 * MEAN_SAMPLES of them, else from about as many, in tiles spread evenly.
 */
#include "base/team.h"
#include "kernel/landmarks.h"
#include "linalg/blas.h"
#include "partition/orthonormal.h"
#include "partition/routes.h"

#include <math.h>

enum { MEAN_SAMPLES = 1 << 16, LEAST_LANDMARKS = 400 };

/* A centred diagonal up to this counts as zero. */
static const double LEAST_DIAGONAL = 1e-12;

typedef struct nystrom {
    of_landmarks landmarks;
    of_tiles tiles;
    double *tile, *k; /* per worker: features, and the kernel against the landmarks */
    double *kbar;     /* count */
    double *row_mean; /* count: K_ll^+ kbar, so that a sample's row mean is <k, row_mean> */
    double mean;      /* of all entries */
    double *scale;    /* s_j */
    size_t stride;    /* of the tiles that kbar is taken from */
    double *weight;   /* rows x count */
    size_t rows, ldh;
    double *H;
} nystrom;

/* The kernel of a tile's samples against the landmarks, count x length. */
static double *load(nystrom *task, size_t index, int worker)
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
    nystrom *task = opaque;
    size_t l = task->landmarks.count, count;
    index *= task->stride;
    count = of_tiles_length(&task->tiles, index);
    const double *k = load(task, index, worker);
    for (size_t j = 0; j < count; j++)
        for (size_t i = 0; i < l; i++)
            sum[i] += k[j * l + i];
    sum[l] += (double)count;
    return ONEFOLD_OK;
}

static void centre_and_scale(const nystrom *task, size_t first, size_t count, double *k)
{
    size_t l = task->landmarks.count;
    for (size_t j = 0; j < count; j++)
        for (size_t i = 0; i < l; i++)
            k[j * l + i] = task->scale[first + j] * (k[j * l + i] - task->kbar[i]);
}

/* sum (count x count, lower triangle) += s^2 (k - kbar)(k - kbar)' of a tile; sets its s. */
static onefold_status add_gram(void *opaque, size_t index, int worker, double *sum)
{
    nystrom *task = opaque;
    size_t l = task->landmarks.count, first = of_tiles_first(&task->tiles, index),
           count = of_tiles_length(&task->tiles, index);
    if (!count)
        return ONEFOLD_OK;
    double *k = load(task, index, worker);
    for (size_t j = 0; j < count; j++) {
        double diagonal = 1 - 2 * cblas_ddot((int)l, k + j * l, 1, task->row_mean, 1) + task->mean;
        task->scale[first + j] = diagonal > LEAST_DIAGONAL ? 1 / sqrt(diagonal) : 0;
    }
    centre_and_scale(task, first, count, k);
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)l, (int)count, 1, k, (int)l, 1, sum,
                (int)l);
    return ONEFOLD_OK;
}

/* H of a tile; sum (rows x rows) += H H'. */
static onefold_status project(void *opaque, size_t index, int worker, double *sum)
{
    nystrom *task = opaque;
    size_t l = task->landmarks.count, first = of_tiles_first(&task->tiles, index),
           count = of_tiles_length(&task->tiles, index), rows = task->rows;
    if (!count)
        return ONEFOLD_OK;
    double *k = load(task, index, worker), *H = task->H + first * task->ldh;
    centre_and_scale(task, first, count, k);
    of_gemm('N', 'N', rows, count, l, 1, task->weight, rows, k, l, 0, H, task->ldh);
    of_gemm('N', 'T', rows, rows, count, 1, H, task->ldh, H, task->ldh, 1, sum, rows);
    return ONEFOLD_OK;
}

static onefold_status take_mean(of_context *context, of_arena *arena, nystrom *task)
{
    const of_landmarks *landmarks = &task->landmarks;
    size_t l = landmarks->count, tiles = task->tiles.count;
    double *image;
    OF_TRY(OF_NEW_ZERO(arena, &task->kbar, l + 1, 1));
    OF_TRY(OF_NEW(arena, &task->row_mean, l, 1));
    OF_TRY(OF_NEW(arena, &image, landmarks->rank, 1));
    task->stride = task->tiles.samples / (2 * MEAN_SAMPLES) + 1;
    OF_TRY(of_team_sum(context, (tiles + task->stride - 1) / task->stride, add_mean, task, l + 1,
                       task->kbar));
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
static onefold_status solve(of_context *context, of_arena *arena, nystrom *task, double *M,
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
    of_route_work small = {
        .rows = rows, .tolerance = work->tolerance, .H = w, .value = work->value, .ldh = rows};
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

static onefold_status make_room(of_context *context, of_arena *arena, nystrom *task, size_t n)
{
    size_t workers = (size_t)of_team_size(context), l = task->landmarks.count;
    task->tiles = of_tiles_make(n, l + task->landmarks.tile_rows, 512 << 10);
    OF_TRY(OF_NEW(arena, &task->tile, workers * task->landmarks.tile_rows, task->tiles.width));
    OF_TRY(OF_NEW(arena, &task->k, workers * l, task->tiles.width));
    return OF_NEW(arena, &task->scale, n, 1);
}

/* The landmarks and the weights as they made H: what new samples need. */
static onefold_status keep_projection(nystrom *task, const double *lower, of_route_work *work)
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
                            .floor = LEAST_DIAGONAL,
                            .weight = task->weight};
    return of_projection_points(work->arena, &points, work->projection);
}

size_t of_nystrom_landmarks(const of_kernel *kernel, size_t rows, size_t asked)
{
    size_t n = kernel->view->samples, count = asked;
    if (!count)
        count = 10 * rows > LEAST_LANDMARKS ? 10 * rows : LEAST_LANDMARKS;
    return count < n ? count : n;
}

onefold_status of_route_nystrom(of_context *context, of_route_work *work)
{
    OF_SCRATCH(scratch, context);
    size_t n = work->kernel->view->samples, l;
    nystrom task = {.H = work->H, .ldh = work->ldh};
    for (size_t r = 0; r < work->rows; r++)
        work->value[r] = 0;
    work->rank = 0;
    work->residual = 0;
    OF_TRY(of_landmarks_make(context, &scratch, work->kernel,
                             of_nystrom_landmarks(work->kernel, work->rows, work->landmarks),
                             work->seed, &task.landmarks));
    l = task.landmarks.count;
    if (l) {
        double *M, *inner;
        OF_TRY(make_room(context, &scratch, &task, n));
        OF_TRY(take_mean(context, &scratch, &task));
        OF_TRY(OF_NEW_ZERO(&scratch, &M, l, l));
        OF_TRY(of_team_sum(context, task.tiles.count, add_gram, &task, l * l, M));
        OF_TRY(solve(context, &scratch, &task, M, work));
        OF_TRY(OF_NEW_ZERO(&scratch, &inner, work->rank, work->rank));
        OF_TRY(
            of_team_sum(context, task.tiles.count, project, &task, work->rank * work->rank, inner));
        OF_TRY(of_orthonormalise(context, n, work->rank, work->H, work->ldh, inner));
        if (work->projection)
            OF_TRY(keep_projection(&task, inner, work));
        OF_TRY(of_landmarks_error(context, &task.landmarks, work->seed, &work->residual));
    }
    for (size_t j = 0; j < n; j++)
        for (size_t r = work->rank; r < work->rows; r++)
            work->H[j * work->ldh + r] = 0;
    return ONEFOLD_OK;
}

size_t of_route_nystrom_bytes(const of_kernel *kernel, size_t rows, size_t landmarks)
{
    size_t n = kernel->view->samples, l = of_nystrom_landmarks(kernel, rows, landmarks),
           groups = OF_TEAM_GROUPS; /* of_team_sum holds fewer when l is large */
    while (groups > 4 && groups * l * l > (size_t)1 << 23)
        groups /= 2;
    return sizeof(double) * (n + (groups + 8) * l * l) + of_landmarks_bytes(kernel, l) +
           (size_t)of_team_size(of_context_or_default(NULL)) * ((size_t)2 << 20);
}
