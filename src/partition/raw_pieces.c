/* SPDX-License-Identifier: Apache-2.0 */
#include "partition/raw_pieces.h"

#include "base/team.h"
#include "linalg/wide.h"

#include <string.h>

/* Samples of a piece take about so many bytes, as they lie in the view. */
enum { PIECE_BYTES = 64 << 20, PIECE_STEP = 128, COPY_SAMPLES = 1024 };

/* A piece on its way into memory that the GPU reads from. */
typedef struct copy_task {
    const of_view *view;
    size_t first, count, size; /* size: of a number there */
    int as_is;                 /* numbers as the view has them */
    char *to;
    int *bad; /* per worker: some number is not finite; NULL: nobody asks */
} copy_task;

/* Whether the samples of a view can be sent as they lie. */
static int lies_packed(const of_view *view)
{
    return view->data && !view->source && view->column_step == 1 &&
           (view->type == OF_F32 || view->type == OF_F64);
}

int of_raw_doubles(const of_view *view)
{
    return !lies_packed(view) || view->type == OF_F64;
}

static size_t number_size(const of_view *view)
{
    return of_raw_doubles(view) ? sizeof(double) : sizeof(float);
}

size_t of_raw_size(const of_view *view)
{
    return view->columns * number_size(view);
}

size_t of_raw_piece(of_context *context, const of_view *view)
{
    size_t piece =
        of_context_chunk(context, PIECE_BYTES) / of_raw_size(view) / PIECE_STEP * PIECE_STEP;
    return piece ? piece : PIECE_STEP;
}

size_t of_raw_piece_bytes(of_context *context, const of_view *view)
{
    return of_raw_piece(context, view) * of_raw_size(view);
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

OF_WIDE static int has_bad_doubles(size_t count, const char *from)
{
    const uint64_t exponent = (uint64_t)0x7ff << 52;
    uint64_t found = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, from + i * sizeof bits, sizeof bits);
        found |= (uint64_t)((bits & exponent) == exponent);
    }
    return found != 0;
}

static onefold_status copy_as_is(const copy_task *task, size_t first, size_t count, char *to)
{
    const of_view *view = task->view;
    size_t row = view->columns * task->size;
    const char *from =
        (const char *)view->data + (task->first + first) * view->sample_step * task->size;
    if (view->sample_step == view->columns)
        memcpy(to, from, count * row);
    for (size_t j = 0; view->sample_step != view->columns && j < count; j++)
        memcpy(to + j * row, from + j * view->sample_step * task->size, row);
    return ONEFOLD_OK;
}

static onefold_status copy_samples(void *opaque, size_t index, int worker)
{
    copy_task *task = opaque;
    const of_view *view = task->view;
    size_t first = index * COPY_SAMPLES, left = task->count - first,
           count = left < COPY_SAMPLES ? left : COPY_SAMPLES, numbers = count * view->columns;
    char *to = task->to + first * view->columns * task->size;
    if (task->as_is)
        OF_TRY(copy_as_is(task, first, count, to));
    else
        OF_TRY(of_view_read(view, task->first + first, count, (double *)to, view->columns));
    if (task->bad && !task->bad[worker])
        task->bad[worker] = task->size == sizeof(float) ? has_bad_floats(numbers, to)
                                                        : has_bad_doubles(numbers, to);
    of_view_release(view, task->first + first, count);
    return ONEFOLD_OK;
}

/* Samples of which the GPU has a copy already. */
static onefold_status send_kept(const of_device_use *use, of_device_stack *there,
                                const copy_task *copy, size_t at, int *done)
{
    const of_view *view = copy->view;
    *done = 0;
    if (!copy->as_is || copy->bad || view->sample_step != view->columns)
        return ONEFOLD_OK;
    const char *from = (const char *)view->data + copy->first * view->columns * copy->size;
    OF_DEVICE_TRY(use, project_kept(there, from, at, copy->count, done));
    return ONEFOLD_OK;
}

static onefold_status send_pieces(of_context *context, const of_device_use *use,
                                  of_device_stack *there, of_raw_work work, copy_task *copy,
                                  size_t first, size_t count)
{
    size_t piece = of_raw_piece(context, copy->view);
    int which = 0;
    for (size_t at = 0; at < count; at += piece, which = 1 - which) {
        void *area;
        int done;
        OF_TRY(of_context_check(context));
        copy->first = first + at;
        copy->count = count - at < piece ? count - at : piece;
        OF_TRY(send_kept(use, there, copy, at, &done));
        if (done)
            continue;
        OF_DEVICE_TRY(use, project_staging(there, which, &area));
        copy->to = area;
        OF_TRY(of_team_run(context, (copy->count + COPY_SAMPLES - 1) / COPY_SAMPLES, copy_samples,
                           copy));
        OF_TRY(of_device_status(use, work(there, which, at, copy->count)));
    }
    return ONEFOLD_OK;
}

onefold_status of_raw_send(of_context *context, const of_device_use *use, of_device_stack *there,
                           of_raw_work work, const of_view *view, size_t first, size_t count,
                           int *finite)
{
    OF_SCRATCH(scratch, context);
    size_t workers = (size_t)of_team_size(context);
    copy_task copy = {.view = view, .as_is = lies_packed(view), .size = number_size(view)};
    if (finite)
        OF_TRY(OF_NEW_ZERO(&scratch, &copy.bad, workers, 1));
    OF_TRY(send_pieces(context, use, there, work, &copy, first, count));
    if (finite)
        *finite = 1;
    for (size_t w = 0; finite && w < workers; w++)
        *finite &= !copy.bad[w];
    return ONEFOLD_OK;
}

enum { COPY_ENTRIES = 1 << 16 };

size_t of_sparse_piece(of_context *context, const of_sparse *features)
{
    size_t row = features->columns * sizeof(double),
           piece = of_context_chunk(context, PIECE_BYTES) / row / PIECE_STEP * PIECE_STEP;
    return piece ? piece : PIECE_STEP;
}

size_t of_sparse_piece_bytes(of_context *context, const of_sparse *features)
{
    size_t piece = of_sparse_piece(context, features), n = features->rows,
           most = (piece < n ? piece : n) * features->columns * sizeof(double);
    for (size_t first = 0; first < n; first += piece) {
        size_t count = n - first < piece ? n - first : piece,
               bytes = OF_DEVICE_SPARSE_BYTES(count, features->start[first + count] -
                                                         features->start[first]);
        most = bytes > most ? bytes : most;
    }
    return most;
}

/* Entries from `first` on, of a piece that has `count`. */
typedef struct entries_task {
    const of_sparse *features;
    size_t first, count;
    double *value;
    uint32_t *column;
} entries_task;

static onefold_status copy_entries(void *opaque, size_t index, int worker)
{
    (void)worker;
    const entries_task *task = opaque;
    size_t at = index * COPY_ENTRIES, left = task->count - at,
           count = left < COPY_ENTRIES ? left : COPY_ENTRIES;
    memcpy(task->value + at, task->features->value + task->first + at, count * sizeof(double));
    memcpy(task->column + at, task->features->index + task->first + at, count * sizeof(uint32_t));
    return ONEFOLD_OK;
}

/* A piece as device_table.h lays it out. */
static onefold_status fill(of_context *context, const of_sparse *features, size_t first,
                           size_t count, void *area)
{
    uint64_t *start = area;
    entries_task task = {features, features->start[first],
                         features->start[first + count] - features->start[first],
                         (double *)(start + count + 1), NULL};
    task.column = (uint32_t *)(task.value + task.count);
    for (size_t j = 0; j <= count; j++)
        start[j] = features->start[first + j] - task.first;
    return of_team_run(context, (task.count + COPY_ENTRIES - 1) / COPY_ENTRIES, copy_entries,
                       &task);
}

onefold_status of_sparse_send(of_context *context, const of_device_use *use, of_device_stack *there,
                              of_raw_work work, const of_sparse *features)
{
    size_t piece = of_sparse_piece(context, features), n = features->rows;
    int which = 0;
    for (size_t first = 0; first < n; first += piece, which = 1 - which) {
        size_t count = n - first < piece ? n - first : piece;
        void *area;
        OF_TRY(of_context_check(context));
        OF_DEVICE_TRY(use, project_staging(there, which, &area));
        OF_TRY(fill(context, features, first, count, area));
        OF_TRY(of_device_status(use, work(there, which, first, count)));
    }
    return ONEFOLD_OK;
}
