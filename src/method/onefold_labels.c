/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The labels of a candidate, from what the solver found. Where the partitions show the clusters,
 * C' h of a sample is 1 / sqrt(size) in its own cluster and noise of one spread in all others, so
 * that the largest of C' h gives a large cluster's samples away to small ones. Times sqrt(size) it
 * would be 1 for every cluster, but then the small ones lose where clusters overlap; the root of
 * that lies between, and keeps both (docs/method.md section 11).
 */
#include "base/tiles.h"
#include "linalg/blas.h"
#include "method/onefold_parts.h"

#include <math.h>

typedef struct label_task {
    of_tiles tiles;
    of_cs_result *result;
    size_t k, mu;
    double *room; /* per worker: mu x width */
} label_task;

static onefold_status label_tile(void *opaque, size_t tile, int worker)
{
    label_task *task = opaque;
    size_t first = of_tiles_first(&task->tiles, tile), count = of_tiles_length(&task->tiles, tile),
           mu = task->mu;
    double *score = task->room + (size_t)worker * mu * task->tiles.width;
    if (!count)
        return ONEFOLD_OK;
    of_gemm('T', 'N', mu, count, task->k, 1, task->result->C, task->k,
            task->result->H + first * task->k, task->k, 0, score, mu);
    for (size_t j = 0; j < count; j++) {
        size_t best = 0;
        for (size_t c = 1; c < mu; c++)
            best = score[j * mu + c] > score[j * mu + best] ? c : best;
        task->result->labels[first + j] = (int32_t)best;
    }
    return ONEFOLD_OK;
}

onefold_status of_candidate_label(of_context *context, size_t n, size_t k, size_t mu,
                                  of_cs_result *result)
{
    OF_SCRATCH(scratch, context);
    label_task task = {.tiles = of_tiles_make(n, k, 256 << 10), .result = result, .k = k, .mu = mu};
    OF_TRY(OF_NEW(&scratch, &task.room, (size_t)of_team_size(context) * mu, task.tiles.width));
    for (size_t c = 0; c < mu; c++) {
        double scale = sqrt(sqrt((double)(result->sizes[c] ? result->sizes[c] : 1)));
        for (size_t r = 0; r < k; r++)
            result->C[r + c * k] *= scale;
        result->sizes[c] = 0;
    }
    OF_TRY(of_tiles_run(context, &task.tiles, label_tile, &task));
    for (size_t j = 0; j < n; j++)
        result->sizes[result->labels[j]]++;
    return ONEFOLD_OK;
}
