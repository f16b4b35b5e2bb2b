/* SPDX-License-Identifier: Apache-2.0 */
#include "partition/sparse_pieces.h"

#include "base/team.h"

#include <string.h>

enum { PIECE_BYTES = 64 << 20, PIECE_STEP = 128, COPY_ENTRIES = 1 << 16 };

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
typedef struct copy_task {
    const of_sparse *features;
    size_t first, count;
    double *value;
    uint32_t *column;
} copy_task;

static onefold_status copy_entries(void *opaque, size_t index, int worker)
{
    (void)worker;
    const copy_task *task = opaque;
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
    copy_task task = {features, features->start[first],
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
