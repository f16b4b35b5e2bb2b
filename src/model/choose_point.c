/* SPDX-License-Identifier: Apache-2.0 */
/* The evidence for one number of clusters: runs on all samples, runs on subsamples, and the same
 * without clusters. */
#include "model/choose.h"

#include "base/team.h"
#include "linalg/blas.h"
#include "linalg/kmeans.h"

#include <math.h>
#include <string.h>

/* Runs on subsamples need labels, not an objective to six digits. */
static const double LIGHT_TOLERANCE = 1e-3;
enum { LIGHT_ITERATIONS = 15, STARTS = 8, LLOYD = 15 };

/* The k-means of a run draws from streams that no restart of a fit does. */
static const uint64_t STREAMS = 1ull << 32;

/* A run under way: on which samples, and what came out. */
typedef struct one_run {
    const of_choose_pool *pool;
    const uint32_t *members; /* NULL: all of the pool */
    size_t count;
    const onefold_fit_options *options;
    int32_t *labels; /* count */
    double J;
    size_t clusters_used;
} one_run;

/* A number of clusters under way. First the runs on all samples, then those on subsamples, then one
 * on all samples without clusters and those on subsamples of these. */
typedef struct point_task {
    of_choose_work *work;
    size_t k, mu;
    of_stack leading; /* pk x samples: the leading k rows of each view, of the data's pool */
    double *W;        /* k x pk: aligned once, for all runs */
    one_run *runs;
    size_t count;
} point_task;

/* The leading k rows of each view of samples of X, times `scale`. */
static onefold_status leading_rows(of_arena *arena, const of_choose_work *work, const of_stack *X,
                                   size_t dims, size_t k, const uint32_t *members, size_t count,
                                   double scale, of_stack *leading)
{
    size_t p = work->blocks, ld;
    double *out, *room;
    OF_TRY(OF_NEW(arena, &out, p * k, count));
    OF_TRY(OF_NEW(arena, &room, X->rows, 1));
    for (size_t j = 0; j < count; j++) {
        const double *x = of_stack_tile(X, members ? members[j] : j, 1, room, &ld);
        OF_TRY(of_stack_check(X, x));
        for (size_t i = 0; i < p; i++)
            for (size_t r = 0; r < k; r++)
                out[j * p * k + i * k + r] = scale * x[i * dims + r];
    }
    of_arena_release(arena, room);
    *leading = of_stack_double(out, p * k, count, p * k);
    return ONEFOLD_OK;
}

/* The samples of a run. Rows of a subsample are scaled to about unit length, which keeps the weight
 * of the two terms of the objective. */
static onefold_status samples_of(const point_task *task, of_arena *scratch, const one_run *run,
                                 of_stack *X)
{
    const of_choose_work *work = task->work;
    int data = run->pool == &work->data;
    double scale = sqrt((double)run->pool->X.samples / (double)run->count);
    if (data && !run->members) {
        *X = task->leading;
        return ONEFOLD_OK;
    }
    return leading_rows(scratch, work, data ? &task->leading : &run->pool->X,
                        data ? task->k : work->dims, task->k, run->members, run->count, scale, X);
}

/* Where a run starts: as a fit does, k-means on the unit columns of sum_i W_i H_i. */
static onefold_status start_labels(const point_task *task, of_arena *scratch, const of_stack *X,
                                   size_t run, int32_t *labels)
{
    size_t k = task->k, n = X->samples;
    double *H;
    OF_TRY(OF_NEW(scratch, &H, k, n));
    of_gemm('N', 'N', k, n, X->rows, 1, task->W, k, X->data, X->ld, 0, H, k);
    for (size_t j = 0; j < n; j++) {
        double length = cblas_dnrm2((int)k, H + j * k, 1);
        cblas_dscal((int)k, length > 0 ? 1 / length : 0, H + j * k, 1);
    }
    of_kmeans_options options = {.clusters = task->mu,
                                 .replicates = STARTS,
                                 .max_iterations = LLOYD,
                                 .start = OF_KMEANS_PLUSPLUS,
                                 .seed = task->work->fit.seed,
                                 .index = STREAMS + run};
    OF_TRY(of_kmeans(task->work->context, &options, k, n, H, k, labels, NULL, NULL));
    of_arena_release(scratch, H);
    return ONEFOLD_OK;
}

static onefold_status work_run(void *opaque, size_t index, int worker)
{
    point_task *task = opaque;
    one_run *run = &task->runs[index];
    (void)worker;
    OF_SCRATCH(scratch, task->work->context);
    of_stack X;
    OF_TRY(samples_of(task, &scratch, run, &X));
    OF_TRY(start_labels(task, &scratch, &X, index, run->labels));
    size_t anchors = task->work->joint ? task->k : 2 * task->mu;
    of_cs_problem problem = {&X,       task->work->blocks, task->k, anchors,
                             task->mu, run->options,       NULL};
    of_cs_given given = {.W = task->W, .labels = run->labels};
    of_cs_result result;
    OF_TRY(of_cs_run(task->work->context, &scratch, &problem, &given, NULL, &result));
    if (task->work->joint)
        OF_TRY(of_joint_stack_label(task->work->context, run->count, task->k, task->mu, &result));
    memcpy(run->labels, result.labels, run->count * sizeof(int32_t));
    run->J = result.end[0].J;
    run->clusters_used = result.end[0].clusters_used;
    return ONEFOLD_OK;
}

/* Labels of all samples of a pool by run; OF_CHOOSE_ABSENT for those that are not in the run. */
static onefold_status spread_labels(of_arena *arena, const one_run *runs, size_t count,
                                    int32_t **labels)
{
    size_t n = runs->pool->X.samples;
    OF_TRY(OF_NEW(arena, labels, n, count));
    for (size_t r = 0; r < count; r++) {
        int32_t *own = *labels + r * n;
        for (size_t j = 0; j < n; j++)
            own[j] = OF_CHOOSE_ABSENT;
        for (size_t j = 0; j < runs[r].count; j++)
            own[runs[r].members ? runs[r].members[j] : j] = runs[r].labels[j];
    }
    return ONEFOLD_OK;
}

static onefold_status compare(const point_task *task, const one_run *runs, size_t count,
                              of_choose_return *found)
{
    OF_SCRATCH(scratch, task->work->context);
    int32_t *labels;
    OF_TRY(spread_labels(&scratch, runs, count, &labels));
    return of_choose_compare(task->work->context, task->mu, labels, runs->pool->X.samples, count,
                             found);
}

/* ---- the point ---------------------------------------------------------------------------- */

static onefold_status add_run(point_task *task, of_arena *arena, const of_choose_pool *pool,
                              const uint32_t *members, const onefold_fit_options *options)
{
    one_run *run = &task->runs[task->count++];
    *run = (one_run){pool, members, members ? pool->size : pool->X.samples, options, NULL, 0, 0};
    return OF_NEW(arena, &run->labels, run->count, 1);
}

/* Few clusters come back by chance more or less often as the draw has it: there the level needs
 * more runs, which are cheap there. */
static size_t chance_runs(const point_task *task)
{
    enum { FEW_CLUSTERS = 6, RUNS = 3 };
    return task->mu <= FEW_CLUSTERS ? task->work->chance.subsamples : RUNS;
}

static onefold_status plan_runs(point_task *task, of_arena *arena, const onefold_fit_options *full,
                                const onefold_fit_options *light)
{
    const of_choose_pool *data = &task->work->data, *chance = &task->work->chance;
    OF_TRY(
        OF_NEW(arena, &task->runs, full->restarts + data->subsamples + 1 + chance->subsamples, 1));
    for (size_t r = 0; r < full->restarts; r++)
        OF_TRY(add_run(task, arena, data, NULL, full));
    for (size_t b = 0; b < data->subsamples; b++)
        OF_TRY(add_run(task, arena, data, data->members + b * data->size, light));
    OF_TRY(add_run(task, arena, chance, NULL, light));
    for (size_t b = 0; b < chance_runs(task); b++)
        OF_TRY(add_run(task, arena, chance, chance->members + b * chance->size, light));
    return ONEFOLD_OK;
}

/* The views are aligned once, on all samples. */
static onefold_status align(point_task *task, of_arena *arena)
{
    const of_choose_work *work = task->work;
    OF_SCRATCH(scratch, work->context);
    size_t pk = work->blocks * task->k;
    double *N;
    OF_TRY(OF_NEW(arena, &task->W, task->k, pk));
    OF_TRY(leading_rows(arena, work, &work->data.X, work->dims, task->k, NULL, work->data.X.samples,
                        1, &task->leading));
    OF_TRY(OF_NEW(&scratch, &N, pk, pk));
    OF_TRY(of_cs_gram(work->context, &task->leading, N));
    return of_cs_align(work->context, work->blocks, task->k, N, task->W, NULL);
}

/* The run of largest objective, one that leaves no cluster empty before others. */
static const one_run *best_run(const point_task *task, size_t restarts)
{
    const one_run *best = task->runs;
    for (size_t r = 1; r < restarts; r++) {
        const one_run *run = &task->runs[r];
        int full = run->clusters_used == task->mu, best_full = best->clusters_used == task->mu;
        if (full > best_full || (full == best_full && run->J > best->J))
            best = run;
    }
    return best;
}

onefold_status of_choose_point(of_choose_work *work, size_t clusters, onefold_choose_point *point)
{
    OF_SCRATCH(scratch, work->context);
    onefold_fit_options full = work->fit, light = work->fit;
    light.tolerance = fmax(full.tolerance, LIGHT_TOLERANCE);
    light.max_iterations =
        full.max_iterations < LIGHT_ITERATIONS ? full.max_iterations : LIGHT_ITERATIONS;
    point_task task = {.work = work, .mu = clusters};
    task.k = 2 * clusters < work->dims ? 2 * clusters : work->dims;
    if (work->joint)
        task.k = of_joint_stack_rows(clusters, work->dims);
    OF_TRY(align(&task, &scratch));
    OF_TRY(plan_runs(&task, &scratch, &full, &light));
    OF_TRY(of_team_run(work->context, task.count, work_run, &task));

    const one_run *best = best_run(&task, full.restarts);
    size_t own = full.restarts + work->data.subsamples;
    of_choose_return data, none;
    OF_TRY(compare(&task, task.runs, own, &data));
    OF_TRY(compare(&task, task.runs + own, task.count - own, &none));
    *point = (onefold_choose_point){.clusters = clusters,
                                    .clusters_used = best->clusters_used,
                                    .stability = data.median,
                                    .deviation = data.deviation,
                                    .chance = none.median,
                                    .weakest = data.weakest,
                                    .weakest_chance = none.weakest,
                                    .objective = work->scale * best->J};
    return ONEFOLD_OK;
}
