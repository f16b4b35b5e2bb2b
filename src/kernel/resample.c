/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels from a kernel: of some of its samples, with shuffled columns, and of mixed samples. */
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

/*
 * The columns of a dense view are shuffled one after the other: the order of a column is the order
 * of the column before it, shuffled again. Pieces of columns run in parallel even so: each starts
 * from the identity, and its orders are then composed with those of the pieces before it.
 */
enum { COLUMNS = 4 }; /* of a piece */

typedef struct shuffle_task {
    of_random random; /* of the first column */
    size_t n, d;
    uint32_t *order;       /* n x d: of each column, where its piece starts from the identity */
    uint32_t *begun;       /* n x pieces: the order before each piece */
    double *rows, *column; /* column: n, per worker */
} shuffle_task;

static size_t piece_end(const shuffle_task *task, size_t piece)
{
    return of_size_least((piece + 1) * COLUMNS, task->d);
}

static onefold_status draw_columns(void *opaque, size_t piece)
{
    const shuffle_task *task = opaque;
    size_t n = task->n, first = piece * COLUMNS;
    of_random random = task->random;
    random.counter[0] += (uint32_t)(first * n / 2); /* a step of the counter gives two numbers */
    if (first * n % 2)
        (void)of_random_below(&random, n);
    for (size_t c = first; c < piece_end(task, piece); c++) {
        uint32_t *order = task->order + c * n;
        for (size_t j = 0; j < n; j++)
            order[j] = c == first ? (uint32_t)j : (order - n)[j];
        draw(&random, n, n, order);
    }
    return ONEFOLD_OK;
}

static onefold_status move_columns(void *opaque, size_t piece)
{
    const shuffle_task *task = opaque;
    size_t n = task->n, d = task->d;
    const uint32_t *begun = task->begun + piece * n;
    double *column = task->column + of_team_worker() * n;
    for (size_t c = piece * COLUMNS; c < piece_end(task, piece); c++) {
        const uint32_t *order = task->order + c * n;
        for (size_t j = 0; j < n; j++)
            column[j] = task->rows[j * d + c];
        for (size_t j = 0; j < n; j++)
            task->rows[j * d + c] = column[begun[order[j]]];
    }
    return ONEFOLD_OK;
}

static onefold_status shuffle_dense(of_context *context, of_arena *arena, of_random random,
                                    const of_view *from, of_view *view)
{
    OF_SCRATCH(scratch, context);
    size_t n = from->samples, d = from->columns, pieces = (d + COLUMNS - 1) / COLUMNS;
    shuffle_task task = {.random = random, .n = n, .d = d};
    OF_TRY(read_rows(context, arena, from, NULL, n, &task.rows));
    hold_rows(view, task.rows);
    OF_TRY(OF_NEW(&scratch, &task.order, n, d));
    OF_TRY(OF_NEW(&scratch, &task.begun, n, pieces));
    OF_TRY(OF_NEW(&scratch, &task.column, n, of_team_size(context)));
    OF_TRY(of_team_run(context, pieces, draw_columns, &task));
    for (size_t piece = 0; piece < pieces && !of_counts(context); piece++) {
        uint32_t *begun = task.begun + piece * n;
        const uint32_t *last = task.order + (piece * COLUMNS - (piece > 0)) * n;
        for (size_t j = 0; j < n; j++)
            begun[j] = piece ? (begun - n)[last[j]] : (uint32_t)j;
    }
    return of_team_run(context, pieces, move_columns, &task);
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

onefold_status of_kernel_shuffle(of_context *context, of_arena *arena, uint64_t seed, size_t number,
                                 const of_kernel *kernel, of_kernel *shuffled)
{
    of_random random = of_random_make(seed, OF_PURPOSE_SHUFFLE, number);
    of_view *view;
    OF_TRY(copy_kernel(arena, kernel, shuffled, &view));
    if (kernel->features.start) {
        OF_TRY(shuffle_sparse(context, arena, &random, shuffled));
        hold_features(view, shuffled);
        return ONEFOLD_OK;
    }
    return kernel->kind == OF_KERNEL_PRECOMPUTED
               ? ONEFOLD_OK
               : shuffle_dense(context, arena, random, kernel->view, view);
}

/* ---- mixed samples --------------------------------------------------------------------------- */

enum { MIXED = 16, TILE = 1 << 17 }; /* bytes of a tile */

typedef struct mix_task {
    uint64_t seed;
    size_t n, d;
    const double *rows, *mean;
    double *weight; /* MIXED x n */
    uint32_t *from; /* MIXED x n: the samples that are mixed */
    of_tiles tiles;
    double *mixed;
} mix_task;

/* Draws samples and weights from one stream, of which each piece has its own range. */
static onefold_status draw_some(void *opaque, size_t piece)
{
    enum { WORDS = 6, STEP = 4 }; /* words of a sample and a weight; of a step of the counter */
    const mix_task *task = opaque;
    size_t first = piece * AT_ONCE * MIXED,
           end = of_size_least(first + AT_ONCE * MIXED, task->n * MIXED);
    of_random random = of_random_make(task->seed, OF_PURPOSE_SHUFFLE, SIZE_MAX);
    random.counter[0] += (uint32_t)(first * WORDS / STEP);
    for (size_t m = first; m < end; m++) {
        task->from[m] = (uint32_t)of_random_below(&random, task->n);
        task->weight[m] = of_random_normal(&random) / sqrt(MIXED);
    }
    return ONEFOLD_OK;
}

static onefold_status mix_tile(void *opaque, size_t tile)
{
    const mix_task *task = opaque;
    size_t d = task->d, end = of_tiles_first(&task->tiles, tile + 1);
    for (size_t j = of_tiles_first(&task->tiles, tile); j < end; j++) {
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

/* sum += the rows of a piece. */
static onefold_status add_rows(void *opaque, size_t piece, double *sum)
{
    const mix_task *task = opaque;
    size_t d = task->d, end = of_size_least((piece + 1) * AT_ONCE, task->n);
    for (size_t j = piece * AT_ONCE; j < end; j++)
        for (size_t c = 0; c < d; c++)
            sum[c] += task->rows[j * d + c];
    return ONEFOLD_OK;
}

/* Mixes the samples of a view by the weights of the task. */
static onefold_status mix_view(of_context *context, of_arena *arena, mix_task *task, of_view *view)
{
    OF_SCRATCH(scratch, context);
    size_t n = task->n, d = task->d = view->columns, pieces = (n + AT_ONCE - 1) / AT_ONCE;
    double *rows, *mean;
    OF_TRY(read_rows(context, &scratch, view, NULL, n, &rows));
    OF_TRY(OF_NEW(&scratch, &mean, d, 1));
    OF_TRY(OF_NEW(arena, &task->mixed, d, n));
    task->rows = rows;
    task->mean = mean;
    hold_rows(view, task->mixed);
    OF_TRY(of_team_sum(context, pieces, add_rows, task, d, mean));
    for (size_t c = 0; c < d && !of_counts(context); c++)
        mean[c] /= (double)n;
    task->tiles = of_tiles_make(n, d, TILE);
    return of_team_run(context, task->tiles.count, mix_tile, task);
}

onefold_status of_kernels_mix(of_context *context, of_arena *arena, uint64_t seed, size_t count,
                              const of_kernel *kernels, of_kernel *mixed)
{
    OF_SCRATCH(scratch, context);
    mix_task task = {.seed = seed};
    for (size_t i = 0; i < count; i++) {
        if (kernels[i].features.start || kernels[i].kind == OF_KERNEL_PRECOMPUTED) {
            OF_TRY(of_kernel_shuffle(context, arena, seed, i, &kernels[i], &mixed[i]));
            continue;
        }
        of_view *view;
        OF_TRY(copy_kernel(arena, &kernels[i], &mixed[i], &view));
        if (view->samples != task.n) { /* views of equally many samples share the numbers */
            task.n = view->samples;
            OF_TRY(OF_NEW(&scratch, &task.weight, MIXED, task.n));
            OF_TRY(OF_NEW(&scratch, &task.from, MIXED, task.n));
            OF_TRY(of_team_run(context, (task.n + AT_ONCE - 1) / AT_ONCE, draw_some, &task));
        }
        OF_TRY(mix_view(context, arena, &task, view));
    }
    return ONEFOLD_OK;
}
