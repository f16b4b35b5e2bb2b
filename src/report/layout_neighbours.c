/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exact nearest neighbours: distances of a tile of queries to blocks of points from one matrix
 * product, the nearest kept in a heap, and their distances computed again from differences, which
 * cancel nothing.
 */
#include "base/team.h"
#include "linalg/blas.h"
#include "report/layout.h"

#include <math.h>

enum { QUERIES = 32, BLOCK = 1024 };

typedef struct near {
    double distance;
    uint32_t index;
} near;

typedef struct neighbour_task {
    size_t rows, points, queries, count;
    const double *x, *q;
    const double *length; /* points: squared */
    int self;
    double *room; /* per worker: BLOCK x QUERIES */
    near *heap;   /* per worker: count x QUERIES */
    uint32_t *index;
    double *distance;
} neighbour_task;

static int farther(near a, near b)
{
    return a.distance > b.distance || (a.distance == b.distance && a.index > b.index);
}

/* Lets heap[at] sink to its place among `size`: the farthest is on top. */
static void sink(near *heap, size_t size, size_t at)
{
    near moved = heap[at];
    for (size_t child; (child = 2 * at + 1) < size; at = child) {
        child += child + 1 < size && farther(heap[child + 1], heap[child]);
        if (!farther(heap[child], moved))
            break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

/* Takes the block's points into the query's heap. */
static void offer(const neighbour_task *task, size_t query, size_t first, size_t width,
                  const double *product, near *heap)
{
    for (size_t i = 0; i < width; i++) {
        near one = {task->length[first + i] - 2 * product[i], (uint32_t)(first + i)};
        if (!farther(heap[0], one) || (task->self && first + i == query))
            continue;
        heap[0] = one;
        sink(heap, task->count, 0);
    }
}

static double squared_distance(size_t rows, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < rows; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

/* The heap with true distances, sorted: nearest first. */
static void finish(const neighbour_task *task, size_t query, near *heap)
{
    size_t count = task->count;
    for (size_t k = 0; k < count; k++)
        heap[k].distance = squared_distance(task->rows, task->q + query * task->rows,
                                            task->x + heap[k].index * task->rows);
    for (size_t k = count / 2; k-- > 0;)
        sink(heap, count, k);
    for (size_t k = count; k-- > 0;) {
        task->index[query * count + k] = heap[0].index;
        task->distance[query * count + k] = heap[0].distance;
        heap[0] = heap[k];
        sink(heap, k, 0);
    }
}

static onefold_status search(void *opaque, size_t piece, int worker)
{
    neighbour_task *task = opaque;
    double *room = task->room + (size_t)worker * BLOCK * QUERIES;
    near *heap = task->heap + (size_t)worker * task->count * QUERIES;
    size_t first = piece * QUERIES, left = task->queries - first,
           width = left < QUERIES ? left : QUERIES;
    for (size_t k = 0; k < width * task->count; k++)
        heap[k] = (near){HUGE_VAL, UINT32_MAX};
    for (size_t at = 0; at < task->points; at += BLOCK) {
        size_t block = task->points - at < BLOCK ? task->points - at : BLOCK;
        of_gemm('T', 'N', block, width, task->rows, 1, task->x + at * task->rows, task->rows,
                task->q + first * task->rows, task->rows, 0, room, block);
        for (size_t j = 0; j < width; j++)
            offer(task, first + j, at, block, room + j * block, heap + j * task->count);
    }
    for (size_t j = 0; j < width; j++)
        finish(task, first + j, heap + j * task->count);
    return ONEFOLD_OK;
}

onefold_status of_layout_neighbours(of_context *context, size_t rows, size_t points,
                                    const double *x, size_t queries, const double *q, int self,
                                    size_t count, uint32_t *index, double *distance)
{
    OF_SCRATCH(scratch, context);
    double *length;
    neighbour_task task = {
        .rows = rows, .points = points, .queries = queries, .count = count, .x = x, .q = q};
    task.self = self;
    task.index = index;
    task.distance = distance;
    if (!count || !queries)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(&scratch, &length, points, 1));
    OF_TRY(OF_NEW(&scratch, &task.room, (size_t)of_team_size(context), BLOCK * QUERIES));
    OF_TRY(OF_NEW(&scratch, &task.heap, (size_t)of_team_size(context), count * QUERIES));
    for (size_t j = 0; j < points; j++) {
        length[j] = 0;
        for (size_t i = 0; i < rows; i++)
            length[j] += x[j * rows + i] * x[j * rows + i];
    }
    task.length = length;
    return of_team_run(context, (queries + QUERIES - 1) / QUERIES, search, &task);
}
