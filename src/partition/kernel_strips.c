/* SPDX-License-Identifier: Apache-2.0 */
/* Strips of whole columns of a kernel matrix, and products with them. */
#include "partition/kernel_strips.h"

#include "kernel/exp.h"
#include "linalg/blas.h"

#include <math.h>
#include <string.h>

typedef struct strip_task {
    const of_kernel_strips *strips;
    size_t depth;
    const double *x;
    double *y, *column; /* per column: its sum, its largest modulus, its diagonal entry */
} strip_task;

static void sparse_rbf(const of_kernel_strips *strips, size_t j, double *column)
{
    const of_kernel *kernel = strips->kernel;
    memset(column, 0, strips->n * sizeof *column);
    of_sparse_gram_row(&kernel->features, &strips->transpose, j, column);
    for (size_t i = 0; i < strips->n; i++) {
        double x = 2 / kernel->width * (column[i] - (strips->half[i] + strips->half[j]));
        column[i] = x < 0 && i != j ? x : 0;
    }
    of_exp(strips->n, column);
}

/* Columns first .. first+count-1 of (K + K') / 2 less the mean. */
static void given(const of_kernel_strips *strips, size_t first, size_t count, double *strip,
                  double *other)
{
    of_view across = *strips->kernel->view;
    of_view_tile(&across, first, count, strip, strips->n);
    across.sample_step = strips->kernel->view->column_step;
    across.column_step = strips->kernel->view->sample_step;
    of_view_tile(&across, first, count, other, strips->n);
    for (size_t i = 0; i < count * strips->n; i++)
        strip[i] = strip[i] / 2 + other[i] / 2 - strips->mean;
}

static double *fill(const of_kernel_strips *strips, size_t index, int worker)
{
    size_t first = of_tiles_first(&strips->tiles, index),
           count = of_tiles_length(&strips->tiles, index), n = strips->n;
    double *strip = strips->buffer + 2 * (size_t)worker * OF_STRIP * n;
    if (strips->kernel->kind == OF_KERNEL_PRECOMPUTED)
        given(strips, first, count, strip, strip + OF_STRIP * n);
    else
        for (size_t j = 0; j < count; j++)
            sparse_rbf(strips, first + j, strip + j * n);
    return strip;
}

static onefold_status look(void *opaque, size_t index, int worker)
{
    strip_task *task = opaque;
    const of_kernel_strips *strips = task->strips;
    size_t first = of_tiles_first(&strips->tiles, index), n = strips->n;
    const double *strip = fill(strips, index, worker);
    for (size_t j = 0; j < of_tiles_length(&strips->tiles, index); j++) {
        double *out = task->column + 3 * (first + j);
        for (size_t i = 0; i < n; i++) {
            out[0] += strip[j * n + i];
            out[1] = fmax(out[1], fabs(strip[j * n + i]));
        }
        out[2] = strip[j * n + first + j];
    }
    return ONEFOLD_OK;
}

static onefold_status multiply(void *opaque, size_t index, int worker)
{
    strip_task *task = opaque;
    const of_kernel_strips *strips = task->strips;
    size_t first = of_tiles_first(&strips->tiles, index),
           count = of_tiles_length(&strips->tiles, index), n = strips->n, depth = task->depth;
    const double *strip = fill(strips, index, worker);
    if (count)
        of_gemm('N', 'N', depth, count, n, 1, task->x, depth, strip, n, 0, task->y + first * depth,
                depth);
    return ONEFOLD_OK;
}

onefold_status of_kernel_strips_multiply(of_context *context, const of_kernel_strips *strips,
                                         size_t depth, const double *x, double *y)
{
    strip_task task = {.strips = strips, .depth = depth, .x = x, .y = y};
    return of_team_run(context, strips->tiles.count, multiply, &task);
}

/* The mean of all entries of a given kernel, its largest entry and its diagonal. */
static onefold_status look_at_given(of_context *context, of_kernel_strips *strips)
{
    OF_SCRATCH(scratch, context);
    strip_task task = {.strips = strips};
    size_t n = strips->n;
    OF_TRY(OF_NEW_ZERO(&scratch, &task.column, n, 3));
    OF_TRY(of_team_run(context, strips->tiles.count, look, &task));
    double sum = 0;
    for (size_t j = 0; j < n; j++) {
        sum += task.column[3 * j] / (double)n;
        strips->largest = fmax(strips->largest, task.column[3 * j + 1]);
    }
    strips->mean = sum / (double)n;
    if (!isfinite(strips->mean) || !isfinite(strips->largest))
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "a kernel matrix has entries that are not finite"),
                       "scale the view down, or choose another kernel for it");
    for (size_t j = 0; j < n; j++)
        strips->diagonal[j] = task.column[3 * j + 2] - strips->mean;
    return ONEFOLD_OK;
}

onefold_status of_kernel_strips_make(of_context *context, of_arena *arena, const of_kernel *kernel,
                                     of_kernel_strips *strips)
{
    size_t n = kernel->view->samples;
    *strips = (of_kernel_strips){
        .kernel = kernel, .n = n, .tiles = of_tiles_make(n, 1, OF_STRIP * sizeof(double))};
    OF_TRY(OF_NEW(arena, &strips->diagonal, n, 1));
    OF_TRY(OF_NEW(arena, &strips->buffer, 2 * (size_t)of_team_size(context) * OF_STRIP, n));
    if (kernel->kind == OF_KERNEL_PRECOMPUTED)
        return look_at_given(context, strips);
    const of_sparse *features = &kernel->features;
    OF_TRY(of_sparse_transpose(arena, features, &strips->transpose));
    OF_TRY(OF_NEW_ZERO(arena, &strips->half, n, 1));
    for (size_t j = 0; j < n; j++) {
        for (size_t e = features->start[j]; e < features->start[j + 1]; e++)
            strips->half[j] += features->value[e] * features->value[e] / 2;
        strips->diagonal[j] = 1;
    }
    strips->largest = 1;
    return ONEFOLD_OK;
}

size_t of_kernel_strips_bytes(of_context *context, const of_kernel *kernel)
{
    size_t n = kernel->view->samples, entries = 0;
    if (kernel->features.start)
        entries = kernel->features.start[n];
    return sizeof(double) * (5 * n + 2 * (size_t)of_team_size(context) * OF_STRIP * n) +
           entries * (sizeof(uint32_t) + sizeof(double));
}
