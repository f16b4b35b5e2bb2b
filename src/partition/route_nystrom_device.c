/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Nystrom route on a card: the sums over all samples or, of many, a part of them, with which
 * kernel values stay there; then H of the same, or of all samples, which are read in pieces while
 * the card works. What it computes is what route_nystrom.c and route_nystrom_project.c say.
 */
#include "linalg/blas.h"
#include "partition/orthonormal.h"
#include "partition/raw_pieces.h"
#include "partition/route_nystrom.h"
#include "partition/sparse_pieces.h"

#include <math.h>
#include <string.h>

/* ---- sums over a part of the samples -------------------------------------------------------- */

/* Bytes of features that are sent at once, about. */
enum { LOAD_BYTES = 64 << 20, LOAD_STEP = 128 };

typedef struct load_task {
    const of_nystrom *from;
    double *features; /* columns x count packed, of summed samples first .. first + count - 1 */
    double *tile;     /* per worker */
    size_t tiles;     /* of this rank that are summed */
    size_t *index;    /* tiles: which they are, */
    size_t *place;    /* and tiles + 1: where each one's first sample is among those summed */
    size_t first, count;
} load_task;

/* The tile's samples that are asked for. */
static onefold_status load_tile(void *opaque, size_t t, int worker)
{
    load_task *task = opaque;
    const of_landmarks *landmarks = &task->from->landmarks;
    const of_tiles *tiles = &task->from->tiles;
    size_t d = landmarks->columns, from = task->place[t], to = task->place[t + 1],
           end = task->first + task->count;
    double *tile = task->tile + (size_t)worker * landmarks->tile_rows * tiles->width;
    size_t begin = from > task->first ? from : task->first;
    end = to < end ? to : end;
    if (begin >= end)
        return ONEFOLD_OK;
    of_kernel_tile(landmarks->kernel, of_tiles_first(tiles, task->index[t]) + begin - from,
                   end - begin, tile);
    double *out = task->features + (begin - task->first) * d;
    for (size_t e = 0; e < d * (end - begin); e++)
        out[e] = landmarks->scale * tile[e];
    return ONEFOLD_OK;
}

/* The tiles of this rank that are summed: a few hundred of many thousands where n is large. */
static onefold_status find_places(of_context *context, of_arena *arena, of_nystrom *task,
                                  load_task *load)
{
    const of_tiles *tiles = &task->tiles;
    of_range own = of_comm_own(context, tiles->samples);
    size_t most = tiles->count / task->stride + 1;
    OF_TRY(OF_NEW(arena, &load->index, most, 1));
    OF_TRY(OF_NEW(arena, &load->place, most + 1, 1));
    task->summed = load->tiles = 0;
    for (size_t t = 0; t < tiles->count; t += task->stride) {
        size_t first = of_tiles_first(tiles, t);
        if (first < own.first || first >= own.end)
            continue;
        load->index[load->tiles] = t;
        load->place[load->tiles++] = task->summed;
        task->summed += of_tiles_length(tiles, t);
    }
    load->place[load->tiles] = task->summed;
    return ONEFOLD_OK;
}

/* Of the samples of this rank. */
static onefold_status sum_here(of_context *context, of_nystrom *task, double *sum)
{
    OF_SCRATCH(scratch, context);
    const of_landmarks *landmarks = &task->landmarks;
    load_task load = {.from = task, .tile = task->tile};
    size_t samples, most = LOAD_BYTES / sizeof(double) / landmarks->columns / LOAD_STEP * LOAD_STEP;
    OF_TRY(find_places(context, &scratch, task, &load));
    samples = task->summed;
    most = most ? most : LOAD_STEP;
    OF_TRY(OF_NEW(&scratch, &load.features, landmarks->columns, most < samples ? most : samples));
    sum[landmarks->count] = (double)samples;
    of_device_landmarks told = {landmarks->columns, landmarks->count, landmarks->at,
                                landmarks->half};
    for (load.first = 0; load.first < samples; load.first += most) {
        OF_TRY(of_context_check(context));
        load.count = samples - load.first < most ? samples - load.first : most;
        OF_TRY(of_team_run(context, load.tiles, load_tile, &load));
        OF_DEVICE_TRY(task->use, landmarks_mean(task->use->device, &told, samples, load.first,
                                                load.count, load.features, sum));
    }
    return ONEFOLD_OK;
}

onefold_status of_nystrom_device_mean(of_context *context, of_nystrom *task, double *sum)
{
    return of_device_total(context, task->tiles.samples, sum_here(context, task, sum),
                           task->landmarks.count + 1, sum);
}

static onefold_status gram_here(of_context *context, const of_nystrom *task, double *M)
{
    const of_landmarks *landmarks = &task->landmarks;
    of_device_landmarks told = {landmarks->columns, landmarks->count, landmarks->at,
                                landmarks->half};
    OF_TRY(of_context_check(context));
    if (!task->summed) /* none of this rank's: M is 0 */
        return ONEFOLD_OK;
    OF_DEVICE_TRY(task->use, landmarks_gram(task->use->device, &told, task->summed, task->kbar,
                                            task->row_mean, task->mean, M));
    return ONEFOLD_OK;
}

onefold_status of_nystrom_device_gram(of_context *context, const of_nystrom *task, double *M)
{
    return of_device_total(context, task->tiles.samples, gram_here(context, task, M),
                           task->landmarks.count * task->landmarks.count, M);
}

static onefold_status rows_here(of_context *context, const of_nystrom *task, double *inner)
{
    OF_TRY(of_context_check(context));
    OF_DEVICE_TRY(task->use, landmarks_rows(task->there, task->landmarks.count, task->row,
                                            task->rows, task->weight, inner));
    return ONEFOLD_OK;
}

onefold_status of_nystrom_device_rows(of_context *context, const of_nystrom *task, double *inner)
{
    return of_device_total(context, task->tiles.samples, rows_here(context, task, inner),
                           task->rows * task->rows, inner);
}

/* ---- the last pass -------------------------------------------------------------------------- */

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

static onefold_status project_here(of_context *context, const of_nystrom *task, double *inner)
{
    OF_SCRATCH(scratch, context);
    const of_landmarks *landmarks = &task->landmarks;
    const of_kernel *kernel = landmarks->kernel;
    const of_sparse *features = kernel->features.start ? &kernel->features : NULL;
    of_prep prep = kernel->prep;
    if (features) /* of which it is done */
        prep = (of_prep){.kind = OF_PREP_NONE};
    int doubles = features || of_raw_doubles(kernel->view);
    size_t piece = features ? of_sparse_piece_bytes(context, features)
                            : of_raw_piece_bytes(context, kernel->view);
    double *weight;
    OF_TRY(all_weights(&scratch, task, &weight));
    of_device_projection told = {
        .landmarks = {landmarks->columns, landmarks->count, landmarks->at, landmarks->half},
        .raw_columns = features ? features->columns : kernel->view->columns,
        .kept = prep.kept,
        .shift = prep.shift,
        .factor = prep.scale,
        .scale = landmarks->scale,
        .kbar = task->kbar,
        .weight = weight,
        .rows = task->rows,
        .row = task->row,
        .mean = task->mean,
        .raw_double = doubles,
        .sparse = features != NULL,
    };
    of_range own = of_comm_own(context, kernel->view->samples);
    OF_DEVICE_TRY(task->use, project_begin(task->there, &told, piece));
    of_raw_work work = task->use->table->project_piece;
    if (features)
        OF_TRY(of_sparse_send(context, task->use, task->there, work, features));
    else
        OF_TRY(of_raw_send(context, task->use, task->there, work, kernel->view, own.first,
                           own.end - own.first, NULL));
    OF_DEVICE_TRY(task->use, project_end(task->there, inner));
    return ONEFOLD_OK;
}

onefold_status of_nystrom_device_project(of_context *context, const of_nystrom *task, double *inner)
{
    return of_device_total(context, task->tiles.samples, project_here(context, task, inner),
                           task->rows * task->rows, inner);
}
