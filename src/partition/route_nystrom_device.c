/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Nystrom route of many samples on a card: the sums over a part of the samples, the last pass,
 * which reads raw samples in pieces while the card works, and H made orthonormal there. What it
 * computes is what route_nystrom.c and route_nystrom_project.c say.
 */
#include "linalg/blas.h"
#include "partition/orthonormal.h"
#include "partition/route_nystrom.h"

#include <math.h>
#include <string.h>

/* Samples of a piece take about so many bytes, as they lie in the view. */
enum { PIECE_BYTES = 64 << 20, PIECE_STEP = 128, COPY_SAMPLES = 2048 };

/* ---- sums over a part of the samples -------------------------------------------------------- */

typedef struct load_task {
    const of_nystrom *from;
    double *features; /* columns x samples packed */
    double *tile;     /* per worker */
    size_t *place;    /* of the first sample of each tile that is summed; else SIZE_MAX */
} load_task;

static onefold_status load_tile(void *opaque, size_t index, int worker)
{
    load_task *task = opaque;
    const of_landmarks *landmarks = &task->from->landmarks;
    size_t count = of_tiles_length(&task->from->tiles, index), d = landmarks->columns;
    double *tile = task->tile + (size_t)worker * landmarks->tile_rows * task->from->tiles.width;
    if (task->place[index] == SIZE_MAX)
        return ONEFOLD_OK;
    of_kernel_tile(landmarks->kernel, of_tiles_first(&task->from->tiles, index), count, tile);
    double *out = task->features + task->place[index] * d;
    for (size_t e = 0; e < d * count; e++)
        out[e] = landmarks->scale * tile[e];
    return ONEFOLD_OK;
}

onefold_status of_nystrom_device_mean(of_context *context, of_nystrom *task, double *sum)
{
    OF_SCRATCH(scratch, context);
    const of_landmarks *landmarks = &task->landmarks;
    load_task load = {.from = task, .tile = task->tile};
    size_t samples = 0;
    OF_TRY(OF_NEW(&scratch, &load.place, task->tiles.count, 1));
    for (size_t t = 0; t < task->tiles.count; t++) {
        size_t length = t % task->stride ? 0 : of_tiles_length(&task->tiles, t);
        load.place[t] = length ? samples : SIZE_MAX;
        samples += length;
    }
    OF_TRY(OF_NEW(&scratch, &load.features, landmarks->columns, samples));
    OF_TRY(of_tiles_run(context, &task->tiles, load_tile, &load));
    task->summed = samples;
    sum[landmarks->count] = (double)samples;
    of_device_landmarks told = {landmarks->columns, landmarks->count, landmarks->at,
                                landmarks->half};
    OF_DEVICE_TRY(task->use, landmarks_mean(task->use->device, &told, samples, load.features, sum));
    return ONEFOLD_OK;
}

onefold_status of_nystrom_device_gram(of_context *context, const of_nystrom *task, double *M)
{
    const of_landmarks *landmarks = &task->landmarks;
    of_device_landmarks told = {landmarks->columns, landmarks->count, landmarks->at,
                                landmarks->half};
    OF_TRY(of_context_check(context));
    OF_DEVICE_TRY(task->use, landmarks_gram(task->use->device, &told, task->summed, task->kbar,
                                            task->row_mean, task->mean, M));
    return ONEFOLD_OK;
}

/* ---- the last pass -------------------------------------------------------------------------- */

/* A piece of raw samples on its way into memory that the card reads from. */
typedef struct copy_task {
    const of_view *view;
    size_t first, count, size; /* size: of a number there */
    int as_is;                 /* numbers as the view has them */
    char *to;
} copy_task;

/* Whether the samples of a view can be sent as they lie, and in which type. */
static int lies_packed(const of_view *view)
{
    return view->data && !view->source && view->column_step == 1 &&
           (view->type == OF_F32 || view->type == OF_F64);
}

static onefold_status copy_samples(void *opaque, size_t index, int worker)
{
    (void)worker;
    copy_task *task = opaque;
    const of_view *view = task->view;
    size_t first = index * COPY_SAMPLES, left = task->count - first,
           count = left < COPY_SAMPLES ? left : COPY_SAMPLES, row = view->columns * task->size;
    char *to = task->to + first * row;
    if (!task->as_is)
        return of_view_read(view, task->first + first, count, (double *)to, view->columns);
    const char *from =
        (const char *)view->data + (task->first + first) * view->sample_step * task->size;
    if (view->sample_step == view->columns)
        memcpy(to, from, count * row);
    for (size_t j = 0; view->sample_step != view->columns && j < count; j++)
        memcpy(to + j * row, from + j * view->sample_step * task->size, row);
    of_view_release(view, task->first + first, count);
    return ONEFOLD_OK;
}

/* Every sample, piece by piece: one is copied by all threads while the card works another. */
static onefold_status send_pieces(of_context *context, const of_nystrom *task, copy_task *copy,
                                  size_t piece)
{
    size_t n = copy->view->samples;
    int which = 0;
    for (size_t first = 0; first < n; first += piece, which = 1 - which) {
        void *area;
        OF_TRY(of_context_check(context));
        OF_DEVICE_TRY(task->use, project_staging(task->there, which, &area));
        copy->first = first;
        copy->count = n - first < piece ? n - first : piece;
        copy->to = area;
        OF_TRY(of_team_run(context, (copy->count + COPY_SAMPLES - 1) / COPY_SAMPLES, copy_samples,
                           copy));
        OF_DEVICE_TRY(task->use, project_piece(task->there, which, first, copy->count));
    }
    return ONEFOLD_OK;
}

/* (rows + 1) x count: the last row gives a sample's row mean. */
static onefold_status all_weights(of_arena *arena, const of_nystrom *task, double **weight)
{
    size_t l = task->landmarks.count, rows = task->rows;
    OF_TRY(OF_NEW(arena, weight, rows + 1, l));
    for (size_t i = 0; i < l; i++) {
        memcpy(*weight + i * (rows + 1), task->weight + i * rows, rows * sizeof **weight);
        (*weight)[i * (rows + 1) + rows] = task->row_mean[i];
    }
    return ONEFOLD_OK;
}

onefold_status of_nystrom_device_project(of_context *context, const of_nystrom *task, double *inner)
{
    OF_SCRATCH(scratch, context);
    const of_landmarks *landmarks = &task->landmarks;
    const of_kernel *kernel = landmarks->kernel;
    const of_prep *prep = &kernel->prep;
    copy_task copy = {.view = kernel->view, .as_is = lies_packed(kernel->view)};
    int doubles = !copy.as_is || kernel->view->type == OF_F64;
    double *weight;
    copy.size = doubles ? sizeof(double) : sizeof(float);
    OF_TRY(all_weights(&scratch, task, &weight));
    of_device_projection told = {
        .landmarks = {landmarks->columns, landmarks->count, landmarks->at, landmarks->half},
        .raw_columns = kernel->view->columns,
        .kept = prep->kept,
        .shift = prep->shift,
        .factor = prep->scale,
        .scale = landmarks->scale,
        .kbar = task->kbar,
        .weight = weight,
        .rows = task->rows,
        .row = task->row,
        .mean = task->mean,
        .raw_double = doubles,
    };
    size_t row = kernel->view->columns * copy.size,
           piece = of_context_chunk(context, PIECE_BYTES) / row / PIECE_STEP * PIECE_STEP;
    piece = piece ? piece : PIECE_STEP;
    OF_DEVICE_TRY(task->use, project_begin(task->there, &told, piece * row));
    OF_TRY(send_pieces(context, task, &copy, piece));
    OF_DEVICE_TRY(task->use, project_end(task->there, inner));
    return ONEFOLD_OK;
}

/* lower^-1 (rows x rows). */
static void invert_lower(size_t rows, const double *lower, double *inverse)
{
    memset(inverse, 0, rows * rows * sizeof *inverse);
    for (size_t r = 0; r < rows; r++)
        inverse[r + r * rows] = 1;
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, (int)rows,
                (int)rows, 1, lower, (int)rows, inverse, (int)rows);
}

onefold_status of_nystrom_device_orthonormalise(of_context *context, const of_nystrom *task,
                                                double *inner, double *sign)
{
    OF_SCRATCH(scratch, context);
    size_t rows = task->rows;
    double *inverse;
    OF_TRY(OF_NEW(&scratch, &inverse, rows, rows));
    OF_TRY(of_orthonormalise_factor(context, rows, inner));
    invert_lower(rows, inner, inverse);
    OF_DEVICE_TRY(task->use, rows_divide(task->there, task->row, rows, inverse, sign));
    for (size_t r = 0; r < rows; r++)
        sign[r] = sign[r] < 0 ? -1 : 1;
    OF_DEVICE_TRY(task->use, rows_sign(task->there, task->row, rows, sign));
    return ONEFOLD_OK;
}
