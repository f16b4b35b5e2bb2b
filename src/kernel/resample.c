/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels from a kernel: of some of its samples, and with shuffled sparse columns. */
#include "kernel/kernel.h"

#include "base/comm.h"
#include "base/random.h"
#include "base/team.h"

#include <math.h>
#include <string.h>

/* Starts a copy of a kernel, with a copy of its view from `arena`. */
static onefold_status copy_kernel(of_arena *arena, const of_kernel *kernel, of_kernel *copy,
                                  of_view **view)
{
    OF_TRY(OF_NEW(arena, view, 1, 1));
    **view = *kernel->view;
    *copy = *kernel;
    copy->view = *view;
    return ONEFOLD_OK;
}

/* Makes the view dense, with the data `rows`, a sample contiguous. */
static void hold_rows(of_view *view, const double *rows)
{
    view->storage = OF_DENSE;
    view->data = rows;
    view->type = OF_F64;
    view->sample_step = view->columns;
    view->column_step = 1;
    view->source = NULL;
    view->passing = 0;
}

/* Makes the view sparse, with the data of a kernel's features: nothing else of it is read. */
static void hold_features(of_view *view, const of_kernel *kernel)
{
    view->storage = OF_SPARSE;
    view->sparse = kernel->features;
    view->columns = kernel->features.columns;
}

/* ---- rows ------------------------------------------------------------------------------------ */

enum { AT_ONCE = 256 }; /* samples of a piece */

typedef struct read_task {
    const of_view *view;
    const size_t *place; /* NULL: all of them */
    of_range own;        /* samples of this process */
    size_t count;
    double *rows;
} read_task;

static onefold_status read_some(void *opaque, size_t piece)
{
    const read_task *task = opaque;
    size_t d = task->view->columns, first = piece * AT_ONCE,
           end = first + AT_ONCE < task->count ? first + AT_ONCE : task->count;
    if (!task->place) {
        first = first > task->own.first ? first : task->own.first;
        end = end < task->own.end ? end : task->own.end;
        return first < end ? of_view_read(task->view, first, end - first, task->rows + first * d, d)
                           : ONEFOLD_OK;
    }
    for (size_t i = first; i < end; i++)
        if (task->place[i] >= task->own.first && task->place[i] < task->own.end)
            OF_TRY(of_view_read(task->view, task->place[i], 1, task->rows + i * d, d));
    return ONEFOLD_OK;
}

/* Rows of a dense view as doubles. Every process has all of them. */
static onefold_status read_rows(of_context *context, of_arena *arena, const of_view *from,
                                const size_t *place, size_t count, double **rows)
{
    size_t n = from->samples, d = from->columns;
    OF_TRY(OF_NEW(arena, rows, d, count));
    read_task task = {from, place, of_comm_own(context, n), count, *rows};
    OF_TRY(of_team_run(context, (count + AT_ONCE - 1) / AT_ONCE, read_some, &task));
    OF_COUNTED(context);
    return place ? of_comm_gather_chosen(context, *rows, d * sizeof **rows, n, place, count)
                 : of_comm_gather(context, *rows, d * sizeof **rows, n);
}

onefold_status of_kernel_take(of_context *context, of_arena *arena, const of_kernel *kernel,
                              const size_t *place, size_t count, of_kernel *taken)
{
    of_view *view;
    double *rows;
    OF_TRY(copy_kernel(arena, kernel, taken, &view));
    view->samples = count;
    if (kernel->features.start) {
        OF_TRY(of_sparse_take_rows(arena, &kernel->features, place, count, &taken->features));
        hold_features(view, taken);
        return ONEFOLD_OK;
    }
    OF_TRY(read_rows(context, arena, kernel->view, place, count, &rows));
    hold_rows(view, rows);
    return ONEFOLD_OK;
}

/* ---- shuffled columns ------------------------------------------------------------------------ */

/* Moves `count` of the n numbers in `order` to its front, all with the same probability. */
static void draw(of_random *random, size_t n, size_t count, uint32_t *order)
{
    for (size_t i = 0; i < count; i++) {
        size_t other = i + of_random_below(random, n - i);
        uint32_t taken = order[other];
        order[other] = order[i];
        order[i] = taken;
    }
}

/* Entries keep their columns and move to other samples that have entries. Samples are scaled to
 * length 1 again where those of the kernel have length 1. */
static onefold_status shuffle_sparse(of_context *context, of_arena *arena, of_random *random,
                                     of_kernel *kernel)
{
    OF_SCRATCH(scratch, context);
    of_sparse columns, rows, made;
    size_t n = kernel->features.rows, filled = 0;
    OF_TRY(of_sparse_transpose(&scratch, &kernel->features, &columns));
    size_t entries = columns.start[columns.rows];
    uint32_t *index, *order;
    double *value;
    OF_TRY(OF_NEW(&scratch, &index, entries, 1));
    OF_TRY(OF_NEW(&scratch, &order, n, 1));
    for (size_t j = 0; j < n && !of_counts(context); j++)
        if (kernel->features.start[j + 1] > kernel->features.start[j])
            order[filled++] = (uint32_t)j;
    for (size_t c = 0; c < columns.rows && !of_counts(context); c++) {
        size_t first = columns.start[c], count = columns.start[c + 1] - first;
        draw(random, filled, count, order);
        memcpy(index + first, order, count * sizeof *index);
    }
    rows = (of_sparse){columns.rows, n, columns.start, index, columns.value};
    OF_TRY(of_sparse_transpose(arena, &rows, &made));
    value = (double *)(uintptr_t)made.value;
    if (of_counts(context)) /* the same samples have entries */
        memcpy((size_t *)(uintptr_t)made.start, kernel->features.start,
               (n + 1) * sizeof *made.start);
    kernel->features = made;
    OF_COUNTED(context);
    for (size_t j = 0; j < n && of_kernel_has_unit_length(kernel->kind); j++) {
        double square = 0;
        for (size_t e = made.start[j]; e < made.start[j + 1]; e++)
            square += value[e] * value[e];
        for (size_t e = made.start[j]; square > 0 && e < made.start[j + 1]; e++)
            value[e] /= sqrt(square);
    }
    return ONEFOLD_OK;
}

onefold_status of_kernel_shuffle(of_context *context, of_arena *arena, uint64_t seed, size_t number,
                                 const of_kernel *kernel, of_kernel *shuffled)
{
    of_random random = of_random_make(seed, OF_PURPOSE_SHUFFLE, number);
    of_view *view;
    OF_TRY(copy_kernel(arena, kernel, shuffled, &view));
    if (!kernel->features.start)
        return ONEFOLD_OK;
    OF_TRY(shuffle_sparse(context, arena, &random, shuffled));
    hold_features(view, shuffled);
    return ONEFOLD_OK;
}
