/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels made of a kernel: of some of its samples, of its columns shuffled, and of mixed samples.
 */
#include "kernel/resample.h"

#include "base/comm.h"
#include "base/team.h"

#include <math.h>
#include <string.h>

/* A dense view of rows that are held, a sample's contiguous. */
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

/* A sparse view of a kernel's features: all that is read of it. */
static void hold_features(of_view *view, const of_kernel *kernel)
{
    view->storage = OF_SPARSE;
    view->sparse = of_csr_of(&kernel->features);
    view->columns = kernel->features.columns;
}

onefold_status of_kernel_take(of_context *context, of_arena *arena, const of_kernel *kernel,
                              const size_t *place, size_t count, of_kernel *taken)
{
    of_view *view;
    double *rows;
    OF_TRY(OF_NEW(arena, &view, 1, 1));
    *taken = *kernel;
    *view = *kernel->view;
    view->samples = count;
    taken->view = view;
    if (kernel->features.start) {
        OF_TRY(of_sparse_take_rows(arena, &kernel->features, place, count, &taken->features));
        hold_features(view, taken);
        return ONEFOLD_OK;
    }
    /* the rows of a dense view, as doubles; every process has all of them */
    size_t d = view->columns, n = kernel->view->samples;
    of_range own = of_comm_own(context, n);
    OF_TRY(OF_NEW(arena, &rows, d, count));
    hold_rows(view, rows);
    OF_COUNTED(context);
    for (size_t i = 0; i < count; i++)
        if (place[i] >= own.first && place[i] < own.end)
            OF_TRY(of_view_read(kernel->view, place[i], 1, rows + i * d, d));
    return of_comm_gather_chosen(context, rows, d * sizeof *rows, n, place, count);
}

/* ---- shuffled columns ------------------------------------------------------------------------ */

/* Brings `count` of the n numbers in `order` to its front, each as likely as any other. */
static void draw(of_random *random, size_t n, size_t count, size_t *order)
{
    for (size_t i = 0; i < count; i++) {
        size_t other = i + of_random_below(random, n - i), taken = order[other];
        order[other] = order[i];
        order[i] = taken;
    }
}

/* All rows of a view; every process has them. */
static onefold_status read_rows(of_context *context, of_arena *arena, const of_view *from,
                                double **rows)
{
    size_t n = from->samples, d = from->columns;
    of_range own = of_comm_own(context, n);
    OF_TRY(OF_NEW(arena, rows, d, n));
    OF_COUNTED(context);
    OF_TRY(of_view_read(from, own.first, own.end - own.first, *rows + own.first * d, d));
    return of_comm_gather(context, *rows, d * sizeof **rows, n);
}

/* A dense view whose columns are to be shuffled. */
typedef struct shuffle_task {
    of_random *random;
    size_t n, d, *order;
    double *rows, *column;
} shuffle_task;

static onefold_status shuffle_view(void *opaque, size_t index, int worker)
{
    shuffle_task *task = (shuffle_task *)opaque + index;
    size_t n = task->n, d = task->d;
    (void)worker;
    for (size_t c = 0; c < d; c++) {
        draw(task->random, n, n, task->order);
        for (size_t j = 0; j < n; j++)
            task->column[j] = task->rows[j * d + c];
        for (size_t j = 0; j < n; j++)
            task->rows[j * d + c] = task->column[task->order[j]];
    }
    return ONEFOLD_OK;
}

/* Entries keep their column and go to other samples, of those that have any, which are brought to
 * length 1 again where the kernel's are. */
static onefold_status shuffle_sparse(of_context *context, of_arena *arena, of_random *random,
                                     of_kernel *kernel)
{
    OF_SCRATCH(scratch, context);
    of_sparse columns, rows, made;
    size_t n = kernel->features.rows, filled = 0, *order;
    OF_TRY(of_sparse_transpose(&scratch, &kernel->features, &columns));
    size_t entries = columns.start[columns.rows];
    uint32_t *index;
    double *value;
    OF_TRY(OF_NEW(&scratch, &index, entries, 1));
    OF_TRY(OF_NEW(&scratch, &order, n, 1));
    for (size_t j = 0; j < n && !of_counts(context); j++)
        if (kernel->features.start[j + 1] > kernel->features.start[j])
            order[filled++] = j;
    for (size_t c = 0; c < columns.rows && !of_counts(context); c++) {
        size_t first = columns.start[c], count = columns.start[c + 1] - first;
        draw(random, filled, count, order);
        for (size_t e = 0; e < count; e++)
            index[first + e] = (uint32_t)order[e];
    }
    rows = (of_sparse){columns.rows, n, columns.start, index, columns.value};
    OF_TRY(of_sparse_transpose(arena, &rows, &made));
    value = (double *)(uintptr_t)made.value;
    kernel->features = made;
    OF_COUNTED(context);
    for (size_t j = 0; j < n && kernel->kind != OF_KERNEL_LINEAR && kernel->kind != OF_KERNEL_RBF;
         j++) {
        double square = 0;
        for (size_t e = made.start[j]; e < made.start[j + 1]; e++)
            square += value[e] * value[e];
        for (size_t e = made.start[j]; square > 0 && e < made.start[j + 1]; e++)
            value[e] /= sqrt(square);
    }
    return ONEFOLD_OK;
}

onefold_status of_kernels_shuffle(of_context *context, of_arena *arena, size_t count,
                                  of_random *random, const of_kernel *kernels, of_kernel *shuffled)
{
    OF_SCRATCH(scratch, context);
    shuffle_task *dense;
    size_t many = 0;
    OF_TRY(OF_NEW(&scratch, &dense, count, 1));
    for (size_t i = 0; i < count; i++) {
        of_view *view;
        OF_TRY(OF_NEW(arena, &view, 1, 1));
        shuffled[i] = kernels[i];
        *view = *kernels[i].view;
        if (kernels[i].features.start) {
            OF_TRY(shuffle_sparse(context, arena, &random[i], &shuffled[i]));
            hold_features(view, &shuffled[i]);
        } else if (kernels[i].kind != OF_KERNEL_PRECOMPUTED) {
            shuffle_task *task = &dense[many++];
            *task = (shuffle_task){.random = &random[i], .n = view->samples, .d = view->columns};
            OF_TRY(read_rows(context, arena, kernels[i].view, &task->rows));
            OF_TRY(OF_NEW(&scratch, &task->order, task->n, 1));
            OF_TRY(OF_NEW(&scratch, &task->column, task->n, 1));
            for (size_t j = 0; j < task->n && !of_counts(context); j++)
                task->order[j] = j;
            hold_rows(view, task->rows);
        }
        shuffled[i].view = view;
    }
    return of_team_run(context, many, shuffle_view, dense);
}

/* ---- mixed samples --------------------------------------------------------------------------- */

enum { MIXED = 16, MIXED_AT_ONCE = 256 };

typedef struct mix_task {
    size_t n, d;
    const double *rows, *mean, *weight; /* weight and from: MIXED x n */
    const uint32_t *from;
    double *mixed;
} mix_task;

static onefold_status mix_some(void *opaque, size_t piece, int worker)
{
    const mix_task *task = opaque;
    size_t d = task->d, first = piece * MIXED_AT_ONCE,
           end = first + MIXED_AT_ONCE < task->n ? first + MIXED_AT_ONCE : task->n;
    (void)worker;
    for (size_t j = first; j < end; j++) {
        double *sample = task->mixed + j * d;
        memcpy(sample, task->mean, d * sizeof *sample);
        for (size_t m = j * MIXED; m < (j + 1) * MIXED; m++) {
            const double *row = task->rows + task->from[m] * d;
            for (size_t c = 0; c < d; c++)
                sample[c] += task->weight[m] * (row[c] - task->mean[c]);
        }
    }
    return ONEFOLD_OK;
}

onefold_status of_kernel_mix(of_context *context, of_arena *arena, of_random *random,
                             const of_kernel *kernel, of_kernel *made)
{
    OF_SCRATCH(scratch, context);
    size_t n = kernel->view->samples, d = kernel->view->columns;
    double *rows, *mixed, *mean, *weight;
    uint32_t *place;
    of_view *view;
    OF_TRY(OF_NEW(arena, &view, 1, 1));
    *made = *kernel;
    *view = *kernel->view;
    made->view = view;
    if (kernel->kind == OF_KERNEL_PRECOMPUTED)
        return ONEFOLD_OK;
    OF_TRY(read_rows(context, &scratch, kernel->view, &rows));
    OF_TRY(OF_NEW_ZERO(&scratch, &mean, d, 1));
    OF_TRY(OF_NEW(&scratch, &weight, MIXED, n));
    OF_TRY(OF_NEW(&scratch, &place, MIXED, n));
    OF_TRY(OF_NEW(arena, &mixed, d, n));
    hold_rows(view, mixed);
    OF_COUNTED(context);
    for (size_t j = 0; j < n; j++)
        for (size_t c = 0; c < d; c++)
            mean[c] += rows[j * d + c] / (double)n;
    for (size_t m = 0; m < n * MIXED; m++) {
        place[m] = (uint32_t)of_random_below(random, n);
        weight[m] = of_random_normal(random) / sqrt(MIXED);
    }
    mix_task task = {n, d, rows, mean, weight, place, mixed};
    return of_team_run(context, (n + MIXED_AT_ONCE - 1) / MIXED_AT_ONCE, mix_some, &task);
}
