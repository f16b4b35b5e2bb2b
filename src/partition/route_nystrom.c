/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rbf in time and memory O(n): with landmarks, K(x, y) is nearly k(x)' K_ll^+ k(y), so the features
 * are z = map k. Centred and normalised they are psi_j = s_j map (k_j - kbar); s_j comes from the
 * diagonal of the centred kernel, 1 - 2 (row mean) + (mean), with row means through the landmarks.
 * One pass computes kbar, one sums s_j^2 (k_j - kbar)(k_j - kbar)', the last projects.
 *
 * Up to OF_NYSTROM_LARGE samples all three take every sample, in double precision. With more, the
 * first two take so many of them, in tiles spread evenly; only the last, n l (2 d + 2 k) flops and
 * n l exponentials, takes all, in single precision. H is orthonormal to double precision either
 * way.
 */
#include "kernel/landmarks.h"
#include "linalg/blas.h"
#include "partition/raw_pieces.h"
#include "partition/routes.h"

#include <math.h>
#include <string.h>

/* ---- sums over a part of the samples -------------------------------------------------------- */

typedef struct nystrom {
    of_route_work *work;
    of_arena *scratch;
    const of_device_use *use; /* the GPU that H is on; NULL: none */
    of_landmarks landmarks;
    of_tiles tiles;
    double *tile, *k;   /* per worker: features, and the kernel against the landmarks */
    size_t chosen;      /* tiles that kbar and the l x l sum take, spread evenly */
    double *kbar;       /* count */
    double *row_mean;   /* count: K_ll^+ kbar, so that a sample's row mean is <k, row_mean> */
    double mean;        /* of all entries */
    double *weight;     /* rank x count */
    double *M;          /* the l x l sum */
    of_device_stack *K; /* kernel values of this rank's summed samples, on the GPU; or NULL */
} nystrom;

/* Whether kbar and the l x l sum take in tile t. */
static int is_summed(const nystrom *task, size_t t)
{
    return of_tile_chosen(&task->tiles, task->chosen, t);
}

/* On a GPU, for the samples of this rank: sums of k(x) and their number, with which kernel values
 * stay on the GPU; the l x l sum; and H of the same samples. */
static onefold_status sum_here(of_context *context, nystrom *task)
{
    const of_landmarks *landmarks = &task->landmarks;
    const of_device_table *table = task->use->table;
    of_device_landmarks spec = {landmarks->columns, landmarks->count, landmarks->at,
                                landmarks->half};
    of_device_stack *features = NULL;
    size_t samples;
    onefold_status status =
        of_features_send(context, task->use, landmarks->kernel, landmarks->scale, &task->tiles,
                         task->chosen, 1, &features, &samples);
    if (status == ONEFOLD_OK && samples) {
        task->kbar[spec.count] = (double)samples;
        status = OF_DEVICE(task->use,
                           stack_make(task->use->device, spec.count, samples, 1, &task->K, NULL));
        if (status == ONEFOLD_OK)
            status = OF_DEVICE(task->use, landmarks_mean(task->K, features, &spec, task->kbar));
    }
    if (features)
        table->stack_free(features);
    return status;
}

static onefold_status gram_here(of_context *context, const nystrom *task)
{
    OF_TRY(of_context_check(context));
    if (!task->K) /* none of this rank's: M is 0 */
        return ONEFOLD_OK;
    OF_DEVICE_TRY(task->use, landmarks_centre(task->K, task->kbar, task->row_mean, task->mean));
    return OF_DEVICE(task->use, stack_gram(task->K, 0, task->landmarks.count, task->M));
}

static onefold_status rows_here(of_context *context, const nystrom *task)
{
    OF_TRY(of_context_check(context));
    const of_partition_options *to = task->work->options;
    return OF_DEVICE(task->use,
                     stack_multiply(to->there, to->row, task->work->rank, task->K, task->weight));
}

/* ---- the last pass -------------------------------------------------------------------------- */

/* What projects samples, with arrays that are the task's. */
static of_projection points_of(const nystrom *task)
{
    const of_landmarks *landmarks = &task->landmarks;
    return (of_projection){.form = OF_PROJECT_POINTS,
                           .prep = landmarks->kernel->prep,
                           .points = landmarks->count,
                           .columns = landmarks->columns,
                           .rank = task->work->rank,
                           .scale = landmarks->scale,
                           .at = landmarks->at,
                           .half = landmarks->half,
                           .point_mean = task->kbar,
                           .row_mean = task->row_mean,
                           .mean_of_all = task->mean,
                           .floor = OF_NYSTROM_LEAST,
                           .weight = task->weight};
}

static onefold_status project_here(of_context *context, const nystrom *task)
{
    const of_kernel *kernel = task->landmarks.kernel;
    const of_partition_options *to = task->work->options;
    of_range own = of_comm_own(context, kernel->view->samples);
    of_projection points = points_of(task);
    return of_raw_project(context, kernel->view, task->use, to->there, &points, to->row, own.first,
                          own.end - own.first, NULL);
}

/*
 * The last pass of the Nystrom route over many samples, fused in cache: the kernel against the
 * landmarks, less kbar, and one product with the weights and the row means, in single precision.
 * The diagonal, s_j and H H' are double.
 */

typedef struct project_task {
    const nystrom *from;
    of_projection_single single;
    of_tiles tiles;
    double *tile;    /* per worker: features as they are read */
    float *features; /* and in single precision, */
    float *k;        /* the kernel against the landmarks, */
    float *image;    /* and rows + 1 x width: what the weights make of it */
} project_task;

static onefold_status project_single_tile(void *opaque, size_t index)
{
    project_task *task = opaque;
    const nystrom *from = task->from;
    const of_landmarks *landmarks = &from->landmarks;
    size_t l = landmarks->count, rows = from->work->rank, width = task->tiles.width,
           w = of_team_worker(), first = of_tiles_first(&task->tiles, index),
           count = of_tiles_length(&task->tiles, index);
    float *k = task->k + w * l * width, *image = task->image + w * (rows + 1) * width;
    double *tile = task->tile + w * landmarks->tile_rows * width;
    of_kernel_tile(landmarks->kernel, first, count, tile);
    of_projection_single_apply(&task->single, landmarks->scale, count, tile,
                               task->features + w * landmarks->columns * width, k, image);
    for (size_t j = 0; j < count; j++) {
        const float *h = image + j * (rows + 1);
        double scale = of_nystrom_scale(1 - from->mean - 2 * (double)h[rows]);
        for (size_t r = 0; r < rows; r++)
            of_share_at(from->work->H, first + j)[r] = scale * (double)h[r];
    }
    return ONEFOLD_OK;
}

/* H (rows x n) of every sample by products in single precision. */
static onefold_status nystrom_project_single(of_context *context, const nystrom *from)
{
    OF_SCRATCH(scratch, context);
    const of_landmarks *landmarks = &from->landmarks;
    size_t l = landmarks->count, rows = from->work->rank, workers = of_team_size(context);
    project_task task = {.from = from};
    task.tiles =
        of_tiles_make(from->tiles.samples, (l + rows) / 2 + landmarks->tile_rows, 512 << 10);
    size_t width = workers * task.tiles.width;
    of_projection points = points_of(from);
    OF_TRY(of_projection_single_make(&scratch, &points, &task.single));
    OF_TRY(OF_NEW(&scratch, &task.tile, landmarks->tile_rows, width));
    OF_TRY(OF_NEW(&scratch, &task.features, landmarks->columns, width));
    OF_TRY(OF_NEW(&scratch, &task.k, l, width));
    OF_TRY(OF_NEW(&scratch, &task.image, rows + 1, width));
    return of_orthonormal_rows(context, &task.tiles, project_single_tile, &task, from->work, l,
                               from->weight);
}

/* 640 up to 32 768 samples, then fewer, by the root of n, down to 400 from 84 000 samples on: time
 * and memory, which grow as n times this number, never fall. */
size_t of_nystrom_landmarks(const of_kernel *kernel, size_t rows, size_t asked)
{
    const double many = 32768, most = 640, fewest = 400;
    size_t n = kernel->view->samples,
           usual = (size_t)fmax(fmin(most, most * sqrt(many / (double)n)), fewest),
           count = asked               ? asked
                   : usual < 10 * rows ? 10 * rows
                                       : usual;
    return count < n ? count : n;
}

/* An eigenvalue of K_ll at most this share of the largest counts as zero. In single precision k has
 * an error of some 1e-7, which the square root of the inverse makes larger by up to
 * 1 / sqrt(share). */
static const double ZERO = 1e-12, ZERO_SINGLE = 1e-7;

/* The kernel of a tile's samples against the landmarks, count x length. */
static double *load(nystrom *task, size_t index)
{
    size_t width = task->tiles.width;
    double *tile = task->tile + of_team_worker() * task->landmarks.tile_rows * width,
           *k = task->k + of_team_worker() * task->landmarks.count * width;
    of_landmarks_tile(&task->landmarks, of_tiles_first(&task->tiles, index),
                      of_tiles_length(&task->tiles, index), tile, k);
    return k;
}

/* sum (count + 1) += k of every sample of the tile, and their number. */
static onefold_status add_mean(void *opaque, size_t index, double *sum)
{
    nystrom *task = opaque;
    size_t l = task->landmarks.count, count = of_tiles_length(&task->tiles, index);
    if (!count || !is_summed(task, index))
        return ONEFOLD_OK;
    const double *k = load(task, index);
    for (size_t j = 0; j < count; j++)
        for (size_t i = 0; i < l; i++)
            sum[i] += k[j * l + i];
    sum[l] += (double)count;
    return ONEFOLD_OK;
}

/* k becomes s (k - kbar). */
static void centre_and_scale(const nystrom *task, size_t count, double *k)
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
static onefold_status add_gram(void *opaque, size_t index, double *sum)
{
    nystrom *task = opaque;
    size_t l = task->landmarks.count, count = of_tiles_length(&task->tiles, index);
    if (!count || !is_summed(task, index))
        return ONEFOLD_OK;
    double *k = load(task, index);
    centre_and_scale(task, count, k);
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)l, (int)count, 1, k, (int)l, 1, sum,
                (int)l);
    return ONEFOLD_OK;
}

/* H of a tile. */
static onefold_status project(void *opaque, size_t index)
{
    nystrom *task = opaque;
    size_t l = task->landmarks.count, count = of_tiles_length(&task->tiles, index),
           rows = task->work->rank;
    double *k = load(task, index);
    centre_and_scale(task, count, k);
    of_gemm('N', 'N', rows, count, l, 1, task->weight, rows, k, l, 0,
            of_share_at(task->work->H, of_tiles_first(&task->tiles, index)), task->work->H.ld);
    return ONEFOLD_OK;
}

static onefold_status compute_mean(of_context *context, nystrom *task)
{
    of_arena *arena = task->scratch;
    const of_landmarks *landmarks = &task->landmarks;
    size_t l = landmarks->count;
    double *image;
    OF_TRY(OF_NEW_ZERO(arena, &task->kbar, l + 1, 1));
    OF_TRY(OF_NEW(arena, &task->row_mean, l, 1));
    OF_TRY(OF_NEW(arena, &image, landmarks->rank, 1));
    if (task->use)
        OF_TRY(of_device_total(context, task->tiles.samples, sum_here(context, task), l + 1,
                               task->kbar));
    else
        OF_TRY(of_tiles_sum(context, &task->tiles, add_mean, task, l + 1, task->kbar));
    OF_COUNTED(context);
    for (size_t i = 0; i < l; i++)
        task->kbar[i] /= task->kbar[l];
    cblas_dgemv(CblasColMajor, CblasNoTrans, (int)landmarks->rank, (int)l, 1, landmarks->map,
                (int)landmarks->rank, task->kbar, 1, 0, image, 1);
    cblas_dgemv(CblasColMajor, CblasTrans, (int)landmarks->rank, (int)l, 1, landmarks->map,
                (int)landmarks->rank, image, 1, 0, task->row_mean, 1);
    task->mean = cblas_ddot((int)l, task->kbar, 1, task->row_mean, 1);
    return ONEFOLD_OK;
}

/* Leading eigenpairs of map M map', and the weights rank x count that project k. */
static onefold_status solve(of_context *context, nystrom *task)
{
    of_route_work *work = task->work;
    OF_SCRATCH(scratch, context);
    const of_landmarks *landmarks = &task->landmarks;
    size_t l = landmarks->count, r = landmarks->rank, rows = work->rows < r ? work->rows : r;
    double *half, *G, *w, *M = task->M;
    for (size_t j = 0; j < l && !of_counts(context); j++)
        for (size_t i = j + 1; i < l; i++)
            M[i * l + j] = M[j * l + i];
    OF_TRY(OF_NEW_ALL(&scratch, {&half, r, l}, {&G, r, r}, {&w, rows, r}));
    if (!of_counts(context)) {
        of_gemm('N', 'N', r, l, l, 1, landmarks->map, r, M, l, 0, half, r);
        of_gemm('N', 'T', r, r, l, 1, half, r, landmarks->map, r, 0, G, r);
    }
    of_route_work small = {.rows = rows,
                           .tolerance = work->tolerance,
                           .H = of_share_whole(w, rows),
                           .value = work->value};
    OF_TRY(of_eigen_matrix(context, r, G, &small));
    work->rank = small.rank;
    for (size_t i = 0; i < r && !of_counts(context); i++)
        for (size_t j = 0; j < small.rank; j++)
            w[i * rows + j] /= sqrt(work->value[j]);
    OF_TRY(OF_NEW(task->scratch, &task->weight, small.rank, l));
    OF_COUNTED(context);
    of_gemm('N', 'N', small.rank, l, r, 1, w, rows, landmarks->map, r, 0, task->weight, small.rank);
    return ONEFOLD_OK;
}

static onefold_status make_room(of_context *context, nystrom *task)
{
    of_arena *arena = task->scratch;
    size_t workers = of_team_size(context), l = task->landmarks.count,
           n = task->work->kernel->view->samples;
    task->tiles = of_tiles_make(n, l + task->landmarks.tile_rows, 512 << 10);
    OF_TRY(OF_NEW(arena, &task->tile, workers * task->landmarks.tile_rows, task->tiles.width));
    task->chosen = n > OF_NYSTROM_LARGE ? of_part_start(OF_NYSTROM_LARGE, n, task->tiles.count)
                                        : task->tiles.count;
    return OF_NEW(arena, &task->k, workers * l, task->tiles.width);
}

/* The landmarks and the weights as they made H: what new samples need. */
static onefold_status keep_projection(const nystrom *task)
{
    of_arena *arena = task->work->arena;
    of_projection *p = task->work->projection;
    *p = points_of(task);
    OF_TRY(OF_COPY(arena, p->at, p->columns * p->points, &p->at));
    OF_TRY(OF_COPY(arena, p->point_mean, p->points, &p->point_mean));
    OF_TRY(OF_COPY(arena, p->row_mean, p->points, &p->row_mean));
    return OF_COPY(arena, p->weight, p->rank * p->points, &p->weight);
}

static onefold_status sum_samples(of_context *context, nystrom *task)
{
    size_t l = task->landmarks.count;
    OF_TRY(make_room(context, task));
    OF_TRY(compute_mean(context, task));
    OF_TRY(OF_NEW_ZERO(task->scratch, &task->M, l, l));
    if (task->use)
        return of_device_total(context, task->tiles.samples, gram_here(context, task), l * l,
                               task->M);
    return of_tiles_sum(context, &task->tiles, add_gram, task, l * l, task->M);
}

static onefold_status make_rows_there(of_context *context, const nystrom *task)
{
    OF_SCRATCH(scratch, context);
    size_t n = task->tiles.samples, rank = task->work->rank;
    double *inner;
    OF_TRY(OF_NEW(&scratch, &inner, rank, rank));
    onefold_status status =
        n > OF_NYSTROM_LARGE ? project_here(context, task) : rows_here(context, task);
    if (status == ONEFOLD_OK)
        status = OF_DEVICE(task->use, stack_gram(task->work->options->there,
                                                 task->work->options->row, rank, inner));
    OF_TRY(of_device_total(context, n, status, rank * rank, inner));
    return of_orthonormalise(context, n, task->work, task->landmarks.count, inner, task->weight);
}

static onefold_status make_rows(of_context *context, nystrom *task)
{
    if (task->use)
        return make_rows_there(context, task);
    if (task->tiles.samples > OF_NYSTROM_LARGE)
        return nystrom_project_single(context, task);
    return of_orthonormal_rows(context, &task->tiles, project, task, task->work,
                               task->landmarks.count, task->weight);
}

onefold_status of_nystrom_landmarks_make(of_context *context, of_arena *arena,
                                         const of_kernel *kernel,
                                         const of_partition_options *options,
                                         of_landmarks *landmarks)
{
    int large = kernel->view->samples > OF_NYSTROM_LARGE;
    size_t count =
        of_nystrom_landmarks(kernel, of_partition_rows(kernel, options), options->landmarks);
    OF_TRY(of_landmarks_place(context, arena, kernel, count, options->seed, landmarks));
    return of_landmarks_solve(context, arena, large ? ZERO_SINGLE : ZERO, landmarks);
}

/* Two steps, of_landmarks_solve (K_ll) and `solve` (the l x l sum), are eigenproblems, which the
 * CPU has even where the rest is done on a GPU. */
static onefold_status take_route(of_context *context, nystrom *task)
{
    of_route_work *work = task->work;
    of_route_nothing(context, work);
    if (work->options->landmarks_made)
        task->landmarks = *work->options->landmarks_made;
    else
        OF_TRY(of_nystrom_landmarks_make(context, task->scratch, work->kernel, work->options,
                                         &task->landmarks));
    if (task->landmarks.count) {
        OF_TRY(sum_samples(context, task));
        OF_TRY(solve(context, task));
        OF_TRY(of_landmarks_error(context, &task->landmarks, work->options->seed, &work->residual));
        OF_TRY(make_rows(context, task));
        if (work->projection)
            OF_TRY(keep_projection(task));
    }
    of_route_clear(context, work);
    return ONEFOLD_OK;
}

onefold_status of_route_nystrom(of_context *context, of_route_work *work)
{
    OF_SCRATCH(scratch, context);
    nystrom task = {
        .work = work, .scratch = &scratch, .use = work->sign ? work->options->use : NULL};
    onefold_status status = take_route(context, &task);
    if (task.K)
        task.use->table->stack_free(task.K);
    return status;
}
