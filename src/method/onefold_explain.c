/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each view by itself would say: the label that its heaviest partition gives by the fused
 * rule, or, where the chosen candidate has none of the view's own, the cluster whose mean is
 * nearest in the view's partition of the pool.
 */
#include "base/tiles.h"
#include "data/present.h"
#include "linalg/blas.h"
#include "method/confidence.h"
#include "method/onefold_parts.h"

#include <math.h>
#include <string.h>

typedef struct means_task {
    const of_pool *pool;
    const of_pool_part *part;
    of_tiles tiles;
    size_t mu;
    const double *mean;   /* rank x mu */
    const double *square; /* mu: squared lengths; infinite where the view has no such sample */
    double *room;         /* per worker: (rank + mu) x width */
    int32_t *own;
} means_task;

/* The nearest mean of each sample of a tile: |x - m|^2 = |x|^2 - 2 x'm + |m|^2. */
static onefold_status nearest_mean(void *opaque, size_t tile, int worker)
{
    means_task *task = opaque;
    const of_pool_part *part = task->part;
    const of_dataset *dataset = task->pool->problem->dataset;
    size_t first = of_tiles_first(&task->tiles, tile), count = of_tiles_length(&task->tiles, tile),
           rank = part->rank, mu = task->mu;
    double *x = task->room + (size_t)worker * (rank + mu) * task->tiles.width,
           *score = x + rank * task->tiles.width;
    if (!count)
        return ONEFOLD_OK;
    for (size_t j = 0; j < count; j++)
        of_pool_unit_column(task->pool, part, rank, first + j, x + j * rank);
    of_gemm('T', 'N', mu, count, rank, 2, task->mean, rank, x, rank, 0, score, mu);
    for (size_t j = 0; j < count; j++) {
        for (size_t c = 0; c < mu; c++)
            score[j * mu + c] -= task->square[c];
        task->own[first + j] = of_present_at(dataset, first + j, part->view)
                                   ? (int32_t)of_first_largest(score + j * mu, mu)
                                   : -1;
    }
    return ONEFOLD_OK;
}

static onefold_status label_by_means(of_context *context, const of_pool *pool,
                                     const of_pool_part *part, const int32_t *labels, int32_t *own)
{
    OF_SCRATCH(scratch, context);
    const of_dataset *dataset = pool->problem->dataset;
    size_t n = dataset->samples, mu = pool->problem->options->clusters, rank = part->rank;
    double *mean, *x, *size, *square;
    means_task task = {.pool = pool, .part = part, .mu = mu, .own = own};
    OF_TRY(OF_NEW_ZERO(&scratch, &mean, rank, mu));
    OF_TRY(OF_NEW_ZERO(&scratch, &size, mu, 1));
    OF_TRY(OF_NEW(&scratch, &square, mu, 1));
    OF_TRY(OF_NEW(&scratch, &x, rank, 1));
    for (size_t j = 0; j < n; j++) {
        if (!of_present_at(dataset, j, part->view))
            continue;
        of_pool_unit_column(pool, part, rank, j, x);
        size[labels[j]] += 1;
        for (size_t r = 0; r < rank; r++)
            mean[(size_t)labels[j] * rank + r] += x[r];
    }
    for (size_t i = 0; i < mu * rank; i++)
        mean[i] /= size[i / rank] > 0 ? size[i / rank] : 1;
    for (size_t c = 0; c < mu; c++)
        square[c] =
            size[c] > 0 ? cblas_ddot((int)rank, mean + c * rank, 1, mean + c * rank, 1) : INFINITY;
    task.mean = mean;
    task.square = square;
    task.tiles = of_tiles_make(n, rank + mu, 256 << 10);
    OF_TRY(OF_NEW(&scratch, &task.room, (size_t)of_team_size(context) * (rank + mu),
                  task.tiles.width));
    return of_team_run(context, task.tiles.count, nearest_mean, &task);
}

/* The heaviest of a view's partitions that the candidate has; SIZE_MAX: none. */
static size_t heaviest_of(const of_pool *pool, const of_candidate *best, size_t view)
{
    size_t heaviest = SIZE_MAX;
    for (size_t b = 0; b < best->parts; b++)
        if (pool->part[best->part[b]].view == view &&
            (heaviest == SIZE_MAX || best->result.beta[b] > best->result.beta[heaviest]))
            heaviest = b;
    return heaviest;
}

onefold_status of_candidate_explain(of_context *context, const of_pool *pool,
                                    const of_candidate *best, of_outcome *outcome)
{
    OF_SCRATCH(scratch, context);
    const of_problem *problem = pool->problem;
    const onefold_fit_options *options = problem->options;
    size_t n = problem->dataset->samples, p = problem->dataset->view_count;
    int32_t *own;
    of_stack X;
    if (options->view_parts || options->picture)
        OF_TRY(OF_NEW(&outcome->arena, &outcome->view_parts, p, n));
    if (outcome->view_parts &&
        !options->keep_model) /* else the model gives them, with the labels */
        OF_TRY(of_candidate_view_parts(context, pool, best, outcome->view_parts));
    if (options->bare || options->clusters > OF_MOST_EXPLAINED)
        return ONEFOLD_OK;
    OF_TRY(of_candidate_stack(&scratch, pool, best, pool->problem->dataset->samples, &X));
    of_cs_problem cs = {&X, best->parts, best->rows, best->rows, options->clusters, options, NULL};
    OF_TRY(OF_NEW(&scratch, &own, n, best->parts));
    OF_TRY(OF_NEW(&outcome->arena, &outcome->confidence, n, 1));
    OF_TRY(of_cs_explain(context, &cs, &best->result, own, outcome->confidence, NULL));
    for (size_t b = 0; b < best->parts; b++) /* what compares them sees all samples */
        OF_TRY(of_comm_gather(context, own + b * n, sizeof *own, n));
    OF_TRY(of_comm_gather(context, outcome->confidence, sizeof *outcome->confidence, n));
    OF_TRY(OF_NEW(&outcome->arena, &outcome->own_labels, n, p));
    for (size_t i = 0; i < p; i++) {
        size_t heaviest = heaviest_of(pool, best, i);
        const of_pool_part *part = of_pool_find(pool, i, OF_POOL_KINDS);
        int32_t *labels = outcome->own_labels + i * n;
        if (heaviest != SIZE_MAX) {
            memcpy(labels, own + heaviest * n, n * sizeof *own);
        } else if (part) {
            OF_TRY(label_by_means(context, pool, part, best->result.labels, labels));
        } else { /* of many clusters there are graphs alone, which a given kernel lacks */
            outcome->own_labels = NULL;
            return ONEFOLD_OK;
        }
    }
    return ONEFOLD_OK;
}
