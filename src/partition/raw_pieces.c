/* SPDX-License-Identifier: Apache-2.0 */
/* Samples are copied to a GPU in pieces, of which all threads fill one while the GPU works on
 * another. */
#include "partition/raw_pieces.h"

#include <string.h>

/* Bytes of a piece, about; samples that pieces start at a multiple of; samples a thread copies. */
enum { PIECE_BYTES = 16 << 20, STEP = 128, COPY_SAMPLES = 1024 };

/* Whether the samples of a view can be copied without conversion. */
static int is_packed(const of_view *view)
{
    return view->data && view->column_step == 1 && (view->type == OF_F32 || view->type == OF_F64);
}

/* Copies a piece into a staging area. */
typedef struct copy_task {
    const of_view *view; /* dense */
    int doubles;         /* numbers are doubles, else floats */
    size_t row;          /* bytes of a sample */
    size_t first, count;
    char *to;
    atomic_int *bad; /* set where a number is not finite; NULL: not checked */
} copy_task;

static void copy_packed(const of_view *view, size_t first, size_t count, size_t row, char *to)
{
    size_t step = view->sample_step * (row / view->columns);
    const char *from = (const char *)view->data + first * step;
    if (step == row)
        memcpy(to, from, count * row);
    else
        for (size_t j = 0; j < count; j++)
            memcpy(to + j * row, from + j * step, row);
}

static onefold_status copy_samples(void *opaque, size_t index)
{
    const copy_task *task = opaque;
    const of_view *view = task->view;
    size_t first = index * COPY_SAMPLES, left = task->count - first,
           count = left < COPY_SAMPLES ? left : COPY_SAMPLES;
    char *to = task->to + first * task->row;
    first += task->first;
    if (is_packed(view))
        copy_packed(view, first, count, task->row, to);
    else
        OF_TRY(of_view_read(view, first, count, (double *)(void *)to, view->columns));
    of_view_release(view, first, count);
    if (task->bad && !of_all_finite(!task->doubles, to, 0, count * view->columns, 1))
        atomic_store(task->bad, 1);
    return ONEFOLD_OK;
}

/* Sends samples first .. first+count-1 as samples 0 .. of the begun projection, in pieces of a
 * multiple of 128 samples. */
static onefold_status send_pieces(of_context *context, const of_device_use *use,
                                  of_device_stack *there, copy_task *copy, size_t first,
                                  size_t count)
{
    size_t most = of_context_chunk(context, PIECE_BYTES) / copy->row / STEP * STEP;
    int which = 0;
    most = most ? most : STEP;
    for (size_t at = 0; at < count; at += most, which = 1 - which) {
        void *area;
        OF_TRY(of_context_check(context));
        copy->first = first + at;
        copy->count = of_size_least(count - at, most);
        OF_DEVICE_TRY(use, piece_staging(there, which, copy->count * copy->row, &area));
        copy->to = area;
        OF_TRY(of_team_run(context, (copy->count + COPY_SAMPLES - 1) / COPY_SAMPLES, copy_samples,
                           copy));
        OF_DEVICE_TRY(use, piece(there, which, at, copy->count));
    }
    return ONEFOLD_OK;
}

/* *weight ((rank + 1) x points): the weights, with row_mean as the last row. */
static onefold_status all_weights(of_arena *arena, const of_projection *p, double **weight)
{
    size_t rank = p->rank;
    double *made;
    OF_TRY(OF_NEW(arena, &made, rank + 1, p->points));
    for (size_t i = 0; i < p->points; i++) {
        memcpy(made + i * (rank + 1), p->weight + i * rank, rank * sizeof *made);
        made[i * (rank + 1) + rank] = p->row_mean[i];
    }
    *weight = made;
    return ONEFOLD_OK;
}

onefold_status of_raw_project(of_context *context, const of_view *view, const of_device_use *use,
                              of_device_stack *there, const of_projection *p, size_t row,
                              size_t first, size_t count, int *finite)
{
    OF_SCRATCH(scratch, context);
    double *weight;
    int doubles = !is_packed(view) || view->type == OF_F64;
    atomic_int bad = 0;
    copy_task copy = {.view = view,
                      .doubles = doubles,
                      .row = view->columns * (doubles ? sizeof(double) : sizeof(float)),
                      .bad = finite ? &bad : NULL};
    OF_TRY(all_weights(&scratch, p, &weight));
    of_device_projection spec = {
        .landmarks = {p->columns, p->points, p->at, p->half},
        .raw_columns = view->columns,
        .kept = p->prep.kept,
        .shift = p->prep.shift,
        .factor = p->prep.scale,
        .scale = p->scale,
        .kbar = p->point_mean,
        .weight = weight,
        .rows = p->rank,
        .row = row,
        .mean = p->mean_of_all,
        .raw_double = doubles,
    };
    OF_DEVICE_TRY(use, project_begin(there, &spec));
    OF_TRY(send_pieces(context, use, there, &copy, first, count));
    if (finite)
        *finite = !atomic_load(&bad);
    return ONEFOLD_OK;
}

/* ---- prepared features ---------------------------------------------------------------------- */

typedef struct features_task {
    const of_kernel *kernel;
    double scale;
    const of_tiles *tiles;
    const size_t *index; /* the piece's tiles */
    const size_t *place; /* of the first sample of each, among all that are sent */
    double *tile;        /* per worker */
    double *to;
} features_task;

static onefold_status load_tile(void *opaque, size_t t)
{
    const features_task *task = opaque;
    const of_tiles *tiles = task->tiles;
    size_t d = of_kernel_columns(task->kernel), count = of_tiles_length(tiles, task->index[t]);
    double *tile = task->tile + of_team_worker() * of_kernel_tile_rows(task->kernel) * tiles->width,
           *out = task->to + (task->place[t] - task->place[0]) * d;
    if (count)
        of_kernel_tile(task->kernel, of_tiles_first(tiles, task->index[t]), count, tile);
    for (size_t e = 0; e < d * count; e++)
        out[e] = task->scale * tile[e];
    return ONEFOLD_OK;
}

/* Sends tiles 0 .. count - 1 of the task, in pieces. */
static onefold_status send_tiles(of_context *context, const of_device_use *use,
                                 of_device_stack *there, features_task task, size_t count)
{
    const size_t *index = task.index, *place = task.place,
                 row = of_kernel_columns(task.kernel) * sizeof(double),
                 most = of_context_chunk(context, PIECE_BYTES) / row;
    int which = 0;
    for (size_t first = 0, end; first < count; first = end, which = 1 - which) {
        void *area;
        for (end = first + 1; end < count && place[end + 1] - place[first] <= most;)
            end++;
        size_t samples = place[end] - place[first];
        OF_TRY(of_context_check(context));
        OF_DEVICE_TRY(use, piece_staging(there, which, samples * row, &area));
        task.index = index + first;
        task.place = place + first;
        task.to = area;
        OF_TRY(of_team_run(context, end - first, load_tile, &task));
        OF_DEVICE_TRY(use, piece(there, which, place[first], samples));
    }
    return ONEFOLD_OK;
}

onefold_status of_features_send(of_context *context, const of_device_use *use,
                                const of_kernel *kernel, double scale, const of_tiles *tiles,
                                size_t chosen, int may_stream, of_device_stack **there,
                                size_t *samples)
{
    OF_SCRATCH(scratch, context);
    of_range own = of_comm_own(context, tiles->samples);
    size_t *index, *place, count = 0;
    int streams;
    features_task task = {kernel, scale, tiles, NULL, NULL, NULL, NULL};
    OF_TRY(OF_NEW(&scratch, &index, chosen, 1));
    OF_TRY(OF_NEW(&scratch, &place, chosen + 1, 1));
    OF_TRY(OF_NEW(&scratch, &task.tile, of_team_size(context) * of_kernel_tile_rows(kernel),
                  tiles->width));
    place[0] = 0;
    for (size_t t = 0; t < tiles->count; t++) {
        size_t first = of_tiles_first(tiles, t);
        if (!of_tile_chosen(tiles, chosen, t) || first < own.first || first >= own.end)
            continue;
        index[count++] = t;
        place[count] = place[count - 1] + of_tiles_length(tiles, t);
    }
    task.index = index;
    task.place = place;
    *samples = place[count];
    OF_DEVICE_TRY(use, stack_make(use->device, of_kernel_columns(kernel), *samples, 1, there,
                                  may_stream ? &streams : NULL));
    return send_tiles(context, use, *there, task, count);
}
