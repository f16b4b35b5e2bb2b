/* SPDX-License-Identifier: Apache-2.0 */
/* What a report draws of OS-LFMVC-CS: each view's own picture and its part in every label. One pass
 * over the data. */
#include "base/tiles.h"
#include "linalg/blas.h"
#include "method/os_lfmvc_cs_parts.h"

#include <math.h>

typedef struct picture_task {
    const of_cs_problem *problem;
    const of_cs_result *result;
    const uint8_t *present; /* samples x views; NULL: all there */
    of_tiles tiles;
    const double *CW;    /* mu x pk */
    const double *scale; /* 2 x views: roots of the leading eigenvalues */
    double *room;        /* per worker: a tile of X */
    size_t room_size;
    of_picture *picture;
} picture_task;

/* Shares of what views add to the score of a sample's cluster; what speaks against it counts 0. */
static void part_sample(const picture_task *task, size_t sample, const double *x)
{
    size_t k = task->problem->k, p = task->problem->p, mu = task->problem->mu;
    size_t label = (size_t)task->result->labels[sample];
    float *part = task->picture->parts + sample * p;
    double sum = 0;
    for (size_t i = 0; i < p; i++) {
        double score = 0;
        for (size_t r = 0; r < k; r++)
            score += task->CW[label + (i * k + r) * mu] * x[i * k + r];
        score *= task->result->beta[i];
        part[i] = (float)(score > 0 ? score : 0);
        sum += part[i];
    }
    for (size_t i = 0; i < p; i++) {
        int lacks = task->present && !task->present[sample * p + i];
        part[i] = lacks || !(sum > 0) ? NAN : (float)(part[i] / sum);
    }
}

static onefold_status draw_tile(void *opaque, size_t tile, int worker)
{
    picture_task *task = opaque;
    size_t k = task->problem->k, p = task->problem->p, n = task->problem->X->samples, ld;
    size_t first = of_tiles_first(&task->tiles, tile), count = of_tiles_length(&task->tiles, tile);
    if (!count)
        return ONEFOLD_OK;
    const double *x = of_stack_tile(task->problem->X, first, count,
                                    task->room + (size_t)worker * task->room_size, &ld);
    OF_TRY(of_stack_check(task->problem->X, x));
    for (size_t j = 0; j < count; j++) {
        size_t sample = first + j;
        for (size_t i = 0; i < p; i++) {
            float *place = task->picture->places + 2 * (i * n + sample);
            int lacks = task->present && !task->present[sample * p + i];
            for (size_t r = 0; r < 2; r++)
                place[r] = lacks   ? NAN
                           : r < k ? (float)(x[j * ld + i * k + r] * task->scale[2 * i + r])
                                   : 0;
        }
        part_sample(task, sample, x + j * ld);
    }
    return ONEFOLD_OK;
}

onefold_status of_cs_picture(of_context *context, of_arena *arena, const of_cs_problem *problem,
                             const of_cs_result *result, const of_partition *partitions,
                             const uint8_t *present, of_picture **picture)
{
    OF_SCRATCH(scratch, context);
    size_t k = problem->k, p = problem->p, pk = p * k, n = problem->X->samples, mu = problem->mu;
    picture_task task = {.problem = problem, .result = result, .present = present};
    double *CW, *scale;
    of_picture *made;
    OF_TRY(OF_NEW_ZERO(arena, &made, 1, 1));
    OF_TRY(OF_NEW(arena, &made->places, 2 * p, n));
    OF_TRY(OF_NEW(arena, &made->parts, p, n));
    OF_TRY(OF_NEW(arena, &made->spectrum, k, p));
    made->spectrum_rows = k;
    task.tiles = of_tiles_make(n, pk, 256 << 10);
    task.room_size = of_stack_room(problem->X, task.tiles.width);
    OF_TRY(OF_NEW(&scratch, &CW, mu, pk));
    OF_TRY(OF_NEW_ZERO(&scratch, &scale, 2, p));
    OF_TRY(OF_NEW(&scratch, &task.room, (size_t)of_team_size(context), task.room_size));
    for (size_t i = 0; i < p; i++)
        for (size_t r = 0; r < k; r++) {
            double value = partitions[i].values[r];
            made->spectrum[i * k + r] = value;
            if (r < 2)
                scale[2 * i + r] = value > 0 ? sqrt(value) : 0;
        }
    of_gemm('T', 'N', mu, pk, k, 1, result->C, k, result->W, k, 0, CW, mu);
    task.CW = CW;
    task.scale = scale;
    task.picture = made;
    made->traces = result->traces;
    *picture = made;
    return of_team_run(context, task.tiles.count, draw_tile, &task);
}
