/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Restarts at large n (docs/method.md section 5): the starts compete on an even sample of the
 * samples, and the winner is finished on all of them. The sample's partitions are scaled so that
 * their rows have about unit length again, which keeps the weight of the two terms of J.
 */
#include "linalg/blas.h"
#include "method/confidence.h"
#include "method/os_lfmvc_cs_backend.h"

#include <math.h>
#include <string.h>

enum { SAMPLE = 1 << 15 };

int of_cs_races(size_t n)
{
    return n > SAMPLE;
}

size_t of_cs_sample_size(size_t n)
{
    return n < SAMPLE ? n : SAMPLE;
}

size_t of_cs_sample_at(size_t n, size_t count, size_t i)
{
    return n / count * i + n % count * i / count;
}

onefold_status of_cs_sample_cpu(of_context *context, const of_stack *X, const size_t *place,
                                size_t count, double *out)
{
    of_range own = of_comm_own(context, X->samples);
    for (size_t i = 0; i < count; i++, out += X->rows) {
        size_t ld;
        if (place[i] < own.first || place[i] >= own.end)
            continue;
        const double *in = of_stack_tile(X, place[i], 1, out, &ld);
        if (in != out)
            memcpy(out, in, X->rows * sizeof *out);
    }
    return ONEFOLD_OK;
}

/* rows x count doubles: the even sample of X, scaled; every process has all of it. */
static onefold_status copy_sample(of_context *context, of_arena *arena, const of_stack *X,
                                  size_t count, double **sample)
{
    double scale = sqrt((double)X->samples / (double)count);
    OF_SCRATCH(scratch, context);
    size_t *place;
    OF_TRY(OF_NEW(&scratch, &place, count, 1));
    OF_TRY(OF_NEW(arena, sample, X->rows, count));
    for (size_t i = 0; i < count; i++)
        place[i] = of_cs_sample_at(X->samples, count, i);
    OF_TRY(of_cs_backend_of(X)->sample(context, X, place, count, *sample));
    OF_TRY(of_comm_gather_chosen(context, *sample, X->rows * sizeof **sample, X->samples, place,
                                 count));
    for (size_t i = 0; i < X->rows * count; i++)
        (*sample)[i] *= scale;
    return ONEFOLD_OK;
}

typedef struct label_task {
    const of_stack *X;
    of_tiles tiles;
    size_t mu;
    const double *direction; /* mu x rows */
    double *room, *score;    /* per worker */
    size_t room_size;
    int32_t *labels;
} label_task;

static onefold_status label_tile(void *opaque, size_t index, int worker)
{
    label_task *task = opaque;
    size_t first = of_tiles_first(&task->tiles, index),
           count = of_tiles_length(&task->tiles, index), mu = task->mu, ld;
    double *score = task->score + (size_t)worker * mu * task->tiles.width;
    if (!count)
        return ONEFOLD_OK;
    const double *x =
        of_stack_tile(task->X, first, count, task->room + (size_t)worker * task->room_size, &ld);
    of_gemm('N', 'N', mu, count, task->X->rows, 1, task->direction, mu, x, ld, 0, score, mu);
    for (size_t j = 0; j < count; j++)
        task->labels[first + j] = (int32_t)of_first_largest(score + j * mu, mu);
    return ONEFOLD_OK;
}

onefold_status of_cs_label_cpu(of_context *context, const of_stack *X, size_t mu,
                               const double *direction, int32_t *labels)
{
    OF_SCRATCH(scratch, context);
    size_t workers = (size_t)of_team_size(context);
    label_task task = {.X = X, .mu = mu, .direction = direction, .labels = labels};
    task.tiles = of_tiles_make(X->samples, X->rows, 256 << 10);
    task.room_size = of_stack_room(X, task.tiles.width);
    OF_TRY(OF_NEW(&scratch, &task.room, workers, task.room_size));
    OF_TRY(OF_NEW(&scratch, &task.score, workers * mu, task.tiles.width));
    return of_tiles_run(context, &task.tiles, label_tile, &task);
}

/* Labels of all samples from W, beta and C: y = argmax C' B x; NULL: they stay on the card. */
static onefold_status label_all(of_context *context, of_arena *arena, const of_cs_problem *problem,
                                const of_cs_result *from, int32_t **labels)
{
    size_t k = problem->k, pk = problem->p * k, mu = problem->mu;
    double *B, *CB;
    if (labels)
        OF_TRY(OF_NEW(arena, labels, problem->X->samples, 1));
    OF_TRY(OF_NEW(arena, &B, k, pk));
    OF_TRY(OF_NEW(arena, &CB, mu, pk));
    for (size_t i = 0; i < k * pk; i++)
        B[i] = from->beta[i / (k * k)] * from->W[i];
    of_gemm('T', 'N', mu, pk, k, 1, from->C, k, B, k, 0, CB, mu);
    return of_cs_label(context, problem->X, mu, CB, labels ? *labels : NULL);
}

/* The ends of all restarts: the winner's own, the others' as the sample saw them. */
static onefold_status keep_ends(of_arena *arena, const of_cs_result *race, double scale,
                                of_cs_result *result)
{
    of_cs_end *end;
    OF_TRY(OF_NEW(arena, &end, race->restarts, 1));
    for (size_t r = 0; r < race->restarts; r++) {
        end[r] = race->end[r];
        end[r].J *= scale;
    }
    end[race->best_restart] = result->end[0];
    result->end = end;
    result->traces = NULL; /* those of the others are of the sample */
    result->restarts = race->restarts;
    result->best_restart = race->best_restart;
    return ONEFOLD_OK;
}

onefold_status of_cs_solve_large(of_context *context, of_arena *arena, const of_cs_problem *problem,
                                 of_cs_result *result)
{
    OF_SCRATCH(scratch, context);
    size_t n = problem->X->samples, count = of_cs_sample_size(n);
    double *sample;
    int32_t *labels = NULL;
    int there = problem->X->type == OF_STACK_DEVICE && !of_comm_splits(context, n);
    OF_TRY(copy_sample(context, &scratch, problem->X, count, &sample));
    of_stack small = of_stack_double(sample, problem->X->rows, count, problem->X->rows);
    of_cs_problem trial = *problem;
    of_cs_result race;
    trial.X = &small;
    OF_TRY(of_cs_solve(context, &scratch, &trial, &race));
    of_arena_release(&scratch, sample);
    OF_TRY(label_all(context, &scratch, problem, &race, there ? NULL : &labels));
    of_cs_given given = {.labels = labels, .labels_there = there};
    if (problem->options->stop == ONEFOLD_STOP_SETTLED) { /* and go on from where the winner is */
        given.W = race.W;
        given.beta = race.beta;
    }
    OF_TRY(of_cs_run(context, arena, problem, &given, NULL, result));
    return keep_ends(arena, &race, sqrt((double)n / (double)count), result);
}
