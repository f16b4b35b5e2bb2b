/* SPDX-License-Identifier: Apache-2.0 */
/* What each view by itself would say: the label argmax C' W_i h_i of every sample, and how sure the
 * fused label is (docs/explain.md). One pass over the data. */
#include "base/tiles.h"
#include "linalg/blas.h"
#include "method/confidence.h"
#include "method/os_lfmvc_cs_backend.h"

typedef struct explain_task {
    const of_cs_problem *problem;
    const of_cs_result *result;
    of_tiles tiles;
    const double *CW; /* mu x pk: C' W_1, ..., C' W_p */
    double *room;     /* per worker: a tile of X, then mu x width twice */
    size_t room_size;
    int32_t *own;
    double *confidence;
    double *parts; /* p x n, or NULL */
} explain_task;

/* The first of the largest, or OF_CS_NO_LABEL where all are 0, as in a view a sample lacks. */
static int32_t label_of(const double *score, size_t mu)
{
    int zero = 1;
    for (size_t c = 0; c < mu; c++)
        zero &= score[c] == 0;
    return zero ? OF_CS_NO_LABEL : (int32_t)of_first_largest(score, mu);
}

static onefold_status explain_tile(void *opaque, size_t tile, int worker)
{
    explain_task *task = opaque;
    size_t k = task->problem->k, p = task->problem->p, mu = task->problem->mu,
           n = task->problem->X->samples, ld;
    size_t first = of_tiles_first(&task->tiles, tile), count = of_tiles_length(&task->tiles, tile);
    double *room = task->room + (size_t)worker * task->room_size,
           *score = room + of_stack_room(task->problem->X, task->tiles.width),
           *sum = score + mu * task->tiles.width;
    if (!count)
        return ONEFOLD_OK;
    const double *x = of_stack_tile(task->problem->X, first, count, room, &ld);
    OF_TRY(of_stack_check(task->problem->X, x));
    for (size_t e = 0; e < mu * count; e++)
        sum[e] = 0;
    for (size_t i = 0; i < p; i++) {
        of_gemm('N', 'N', mu, count, k, 1, task->CW + i * mu * k, mu, x + i * k, ld, 0, score, mu);
        for (size_t e = 0; e < mu * count; e++)
            sum[e] += task->result->beta[i] * score[e];
        for (size_t j = 0; task->own && j < count; j++)
            task->own[i * n + first + j] = label_of(score + j * mu, mu);
        for (size_t j = 0; task->parts && j < count; j++)
            task->parts[i + (first + j) * p] =
                task->result->beta[i] * score[j * mu + (size_t)task->result->labels[first + j]];
    }
    for (size_t j = 0; task->confidence && j < count; j++)
        task->confidence[first + j] = of_confidence(sum + j * mu, mu);
    return ONEFOLD_OK;
}

onefold_status of_cs_explain_cpu(of_context *context, const of_cs_problem *problem,
                                 const of_cs_result *result, const double *CW, int32_t *own,
                                 double *confidence, double *parts)
{
    OF_SCRATCH(scratch, context);
    size_t pk = problem->p * problem->k, mu = problem->mu;
    explain_task task = {.problem = problem, .result = result, .own = own, .parts = parts};
    task.confidence = confidence;
    task.tiles = of_tiles_make(problem->X->samples, pk, 256 << 10);
    task.room_size = of_stack_room(problem->X, task.tiles.width) + 2 * mu * task.tiles.width;
    OF_TRY(OF_NEW(&scratch, &task.room, (size_t)of_team_size(context), task.room_size));
    task.CW = CW;
    return of_tiles_run(context, &task.tiles, explain_tile, &task);
}

onefold_status of_cs_explain(of_context *context, const of_cs_problem *problem,
                             const of_cs_result *result, int32_t *own, double *confidence,
                             double *parts)
{
    OF_SCRATCH(scratch, context);
    size_t k = problem->k, pk = problem->p * k, mu = problem->mu;
    double *CW;
    OF_TRY(OF_NEW(&scratch, &CW, mu, pk));
    of_gemm('T', 'N', mu, pk, k, 1, result->C, k, result->W, k, 0, CW, mu);
    return of_cs_backend_of(problem->X)
        ->explain(context, problem, result, CW, own, confidence, parts);
}
