/* SPDX-License-Identifier: Apache-2.0 */
#include "partition/raw_pieces.h"

#include "base/team.h"
#include "linalg/wide.h"

#include <string.h>

/* Samples of a piece take about so many bytes, as they lie in the view. */
enum { PIECE_BYTES = 64 << 20, STEP = 128, COPY_SAMPLES = 1024, COPY_ENTRIES = 1 << 16 };

/* Whether the samples of a view can be sent as they lie. */
static int lies_packed(const of_view *view)
{
    return view->data && !view->source && view->column_step == 1 &&
           (view->type == OF_F32 || view->type == OF_F64);
}

of_raw of_raw_make(of_context *context, const of_kernel *kernel)
{
    const of_sparse *features = kernel->features.start ? &kernel->features : NULL;
    of_raw raw = {.context = context, .kernel = kernel, .sparse = features != NULL};
    raw.columns = features ? features->columns : kernel->view->columns;
    raw.doubles = features || !lies_packed(kernel->view) || kernel->view->type == OF_F64;
    raw.row = raw.columns * (raw.doubles ? sizeof(double) : sizeof(float));
    raw.piece = of_context_chunk(context, PIECE_BYTES) / raw.row / STEP * STEP;
    raw.piece = raw.piece ? raw.piece : STEP;
    raw.bytes = raw.piece * raw.row;
    if (!features)
        return raw;
    raw.bytes = (raw.piece < features->rows ? raw.piece : features->rows) * raw.row;
    for (size_t first = 0; first < features->rows; first += raw.piece) {
        size_t left = features->rows - first, count = left < raw.piece ? left : raw.piece,
               bytes = OF_DEVICE_SPARSE_BYTES(count, features->start[first + count] -
                                                         features->start[first]);
        raw.bytes = bytes > raw.bytes ? bytes : raw.bytes;
    }
    return raw;
}

/* Whether one of the numbers is not finite, by its exponent: whole numbers, so that the compiler
 * takes many at a time. */
OF_WIDE static int has_bad_floats(size_t count, const char *from)
{
    const uint32_t exponent = (uint32_t)0xff << 23;
    uint32_t found = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, from + i * sizeof bits, sizeof bits);
        found |= (uint32_t)((bits & exponent) == exponent);
    }
    return found != 0;
}

OF_WIDE int of_raw_unusable(size_t count, const double *x)
{
    const uint64_t exponent = (uint64_t)0x7ff << 52;
    uint64_t found = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, x + i, sizeof bits);
        found |= (uint64_t)((bits & exponent) == exponent);
    }
    return found != 0;
}

/* A piece on its way into memory that the GPU reads from. */
typedef struct copy_task {
    const of_raw *raw;
    size_t first, count;
    char *to;
    atomic_int *bad; /* some number is not finite; NULL: nobody asks */
} copy_task;

/* Numbers as they lie. */
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
    const of_raw *raw = task->raw;
    const of_view *view = raw->kernel->view;
    size_t first = index * COPY_SAMPLES, left = task->count - first,
           count = left < COPY_SAMPLES ? left : COPY_SAMPLES, numbers = count * raw->columns;
    char *to = task->to + first * raw->row;
    first += task->first;
    if (lies_packed(view))
        copy_packed(view, first, count, raw->row, to);
    else
        OF_TRY(of_view_read(view, first, count, (double *)(void *)to, raw->columns));
    of_view_release(view, first, count);
    if (task->bad && (raw->doubles ? of_raw_unusable(numbers, (const double *)(void *)to)
                                   : has_bad_floats(numbers, to)))
        atomic_store(task->bad, 1);
    return ONEFOLD_OK;
}

/* Entries from `first` on, of a piece that has `count`. */
typedef struct entries_task {
    const of_sparse *features;
    size_t first, count;
    double *value;
    uint32_t *column;
} entries_task;

static onefold_status copy_entries(void *opaque, size_t index)
{
    const entries_task *task = opaque;
    size_t at = index * COPY_ENTRIES, left = task->count - at,
           count = left < COPY_ENTRIES ? left : COPY_ENTRIES;
    memcpy(task->value + at, task->features->value + task->first + at, count * sizeof(double));
    memcpy(task->column + at, task->features->index + task->first + at, count * sizeof(uint32_t));
    return ONEFOLD_OK;
}

/* A piece of sparse samples as device_table.h lays it out. */
static onefold_status fill(const copy_task *copy)
{
    const of_sparse *features = &copy->raw->kernel->features;
    const size_t *from = features->start + copy->first;
    uint64_t *start = (uint64_t *)(void *)copy->to;
    entries_task task = {features, from[0], from[copy->count] - from[0],
                         (double *)(start + copy->count + 1), NULL};
    task.column = (uint32_t *)(task.value + task.count);
    for (size_t j = 0; j <= copy->count; j++)
        start[j] = from[j] - task.first;
    return of_team_run(copy->raw->context, (task.count + COPY_ENTRIES - 1) / COPY_ENTRIES,
                       copy_entries, &task);
}

static onefold_status send_pieces(const of_device_use *use, of_device_stack *there, copy_task *copy,
                                  size_t first, size_t count)
{
    const of_raw *raw = copy->raw;
    int which = 0;
    for (size_t at = 0; at < count; at += raw->piece, which = 1 - which) {
        void *area;
        OF_TRY(of_context_check(raw->context));
        copy->first = first + at;
        copy->count = count - at < raw->piece ? count - at : raw->piece;
        OF_DEVICE_TRY(use, piece_staging(there, which, &area));
        copy->to = area;
        OF_TRY(raw->sparse
                   ? fill(copy)
                   : of_team_run(raw->context, (copy->count + COPY_SAMPLES - 1) / COPY_SAMPLES,
                                 copy_samples, copy));
        OF_DEVICE_TRY(use, piece(there, which, at, copy->count));
    }
    return ONEFOLD_OK;
}

onefold_status of_raw_send(const of_raw *raw, const of_device_use *use, of_device_stack *there,
                           size_t first, size_t count, int *finite)
{
    atomic_int bad = 0;
    copy_task copy = {.raw = raw, .bad = finite ? &bad : NULL};
    OF_TRY(send_pieces(use, there, &copy, first, count));
    if (finite)
        *finite = !atomic_load(&bad);
    return ONEFOLD_OK;
}

/* (rank + 1) x points: the weights, and below them row_mean. */
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

onefold_status of_raw_project(const of_raw *raw, const of_device_use *use, of_device_stack *there,
                              const of_projection *p, size_t row, size_t first, size_t count,
                              int *finite)
{
    OF_SCRATCH(scratch, raw->context);
    double *weight;
    OF_TRY(all_weights(&scratch, p, &weight));
    of_device_projection told = {
        .landmarks = {p->columns, p->points, p->at, p->half},
        .raw_columns = raw->columns,
        .scale = p->scale,
        .kbar = p->point_mean,
        .weight = weight,
        .rows = p->rank,
        .row = row,
        .mean = p->mean_of_all,
        .raw_double = raw->doubles,
        .sparse = raw->sparse,
    };
    if (!raw->sparse) { /* of which it is done */
        told.kept = p->prep.kept;
        told.shift = p->prep.shift;
        told.factor = p->prep.scale;
    }
    OF_DEVICE_TRY(use, project_begin(there, &told, raw->bytes));
    return of_raw_send(raw, use, there, first, count, finite);
}
