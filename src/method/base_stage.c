/* SPDX-License-Identifier: Apache-2.0 */
/* Base partitions of all views: side by side where they are small, else one after the other with
 * all threads on each. Either way every partition has the same bits. */
#include "method/base_stage.h"

#include "base/tiles.h"
#include "method/base_stage_card.h"
#include "method/missing_scale.h"

#include <stdio.h>

/* Views whose scratch together stays under this are worked side by side. */
static const size_t SIDE_BY_SIDE_BYTES = (size_t)192 << 20;

onefold_status of_base_stage_decide(of_arena *arena, of_problem *problem)
{
    size_t views = problem->dataset->view_count;
    of_route *routes;
    problem->partition = (of_partition_options){
        .dims = problem->options->dims,
        .tolerance = 1e-8,
        .base = problem->options->base,
        .landmarks = problem->options->landmarks,
        .seed = problem->options->seed,
        .project = problem->options->keep_model,
        .precision = problem->options->precision,
        .neighbours = problem->options->neighbours,
        .directions = 3 * problem->options->clusters,
    };
    problem->partition.base = of_partition_base(problem->kernels, views, &problem->partition);
    OF_TRY(OF_NEW(arena, &routes, views, 1));
    for (size_t i = 0; i < views; i++) {
        OF_TRY(of_partition_check(&problem->kernels[i], &problem->partition));
        routes[i] = of_partition_route(&problem->kernels[i], &problem->partition);
    }
    problem->routes = routes;
    return ONEFOLD_OK;
}

/* The largest scratch of one view. */
static size_t largest_scratch(of_context *context, const of_problem *problem)
{
    size_t most = 0;
    for (size_t i = 0; i < problem->dataset->view_count; i++) {
        size_t scratch = of_partition_bytes(context, &problem->kernels[i], problem->routes[i],
                                            &problem->partition);
        most = scratch > most ? scratch : most;
    }
    return most;
}

static int side_by_side(of_context *context, const of_problem *problem, size_t scratch)
{
    size_t threads = (size_t)of_team_size(context);
    return problem->dataset->view_count >= threads &&
           scratch <= of_context_chunk(context, SIDE_BY_SIDE_BYTES) / threads &&
           !of_comm_splits(context, problem->dataset->samples);
}

onefold_status of_base_stage_estimate_bytes(of_context *context, const of_problem *problem,
                                            size_t *X, size_t *scratch)
{
    size_t largest = largest_scratch(context, problem), n = problem->dataset->samples,
           k = problem->options->dims, whole = 0;
    int single = problem->options->precision == ONEFOLD_SINGLE;
    OF_TRY(of_size_multiply(
        X, n, (single ? sizeof(float) : sizeof(double)) * k * problem->dataset->view_count));
    if (problem->spill)
        *X = 0;
    if (single || problem->dataset->present) /* each view's partition is made aside first */
        OF_TRY(of_size_multiply(&whole, n, sizeof(double) * k));
    if (of_device_for(context, n)) { /* several are under way, but one by one made aside */
        OF_TRY(of_size_multiply(scratch, largest, of_base_card_at_once(context, problem)));
        return of_size_add(scratch, *scratch, whole);
    }
    size_t at_once = side_by_side(context, problem, largest) ? (size_t)of_team_size(context) : 1;
    OF_TRY(of_size_add(&largest, largest, whole));
    return of_size_multiply(scratch, largest, at_once);
}

onefold_status of_base_stage_estimate_time(of_arena *arena, const of_problem *problem,
                                           const of_rates *rates, of_partition_estimate **views)
{
    OF_TRY(OF_NEW(arena, views, problem->dataset->view_count, 1));
    for (size_t i = 0; i < problem->dataset->view_count; i++)
        OF_TRY(of_partition_estimate_time(arena->context, &problem->kernels[i], problem->routes[i],
                                          &problem->partition, rates, &(*views)[i]));
    return ONEFOLD_OK;
}

typedef struct stage_task {
    of_context *context;
    const of_problem *problem;
    of_arena *arenas; /* one per view: an arena is not for two threads */
    of_share X;       /* the stack, or this in single precision: */
    float *single;    /* of the first sample that is held */
    of_stack *card;   /* or, where it is on a card, the stack */
    of_partition *partitions;
    uint8_t *done; /* views that were made together with others */
} stage_task;

/* Rows `row` .. row + k - 1 of the single-precision stack from H (k x n). */
static void store_single(of_range own, size_t k, of_share H, float *stack, size_t ld, size_t row)
{
    for (size_t j = own.first; j < own.end; j++)
        for (size_t r = 0; r < k; r++)
            stack[(j - own.first) * ld + row + r] = (float)of_share_at(H, j)[r];
}

/* Rows of view i of the stack from H (k x those present in it), scaled; zero where it is missing.
 */
static void scatter(stage_task *task, size_t i, const double *H)
{
    const of_dataset *dataset = task->problem->dataset;
    size_t p = dataset->view_count, k = task->problem->options->dims,
           count = task->problem->kernels[i].view->samples;
    double view_scale = of_missing_scale_view(count, dataset->samples);
    for (size_t j = 0; j < dataset->samples; j++) {
        const uint8_t *has = dataset->present + j * p;
        double scale = view_scale * of_missing_scale_sample(has, p);
        for (size_t r = 0; r < k; r++) {
            double h = has[i] ? scale * H[r] : 0;
            if (task->single)
                task->single[(j * p + i) * k + r] = (float)h;
            else
                of_share_at(task->X, j)[i * k + r] = h;
        }
        H += has[i] ? k : 0;
    }
}

/* The partition of view i, into its rows of the stack. */
static onefold_status make_partition(stage_task *task, size_t i)
{
    const of_partition_options *options = &task->problem->partition;
    const of_kernel *kernel = &task->problem->kernels[i];
    of_route route = task->problem->routes[i];
    size_t k = options->dims, n = kernel->view->samples,
           ld = k * task->problem->dataset->view_count;
    int missing = task->problem->dataset->present != NULL;
    if (task->card)
        return of_base_card_view(task->context, task->problem, i, &task->arenas[i], task->card,
                                 &task->partitions[i]);
    if (!task->single && !missing) {
        of_share rows = {task->X.held + i * k, task->X.first, ld};
        return of_partition_make(task->context, &task->arenas[i], kernel, route, options, rows,
                                 &task->partitions[i]);
    }
    OF_SCRATCH(scratch, task->context);
    of_share H;
    OF_TRY(of_share_make(&scratch, &H, k, n));
    OF_TRY(of_partition_make(task->context, &task->arenas[i], kernel, route, options, H,
                             &task->partitions[i]));
    if (missing) /* which is not split over processes */
        scatter(task, i, H.held);
    else
        store_single(of_comm_own(task->context, n), k, H, task->single, ld, i * k);
    return ONEFOLD_OK;
}

static onefold_status work_view(void *opaque, size_t i, int worker)
{
    (void)worker;
    stage_task *task = opaque;
    const of_view *view = &task->problem->dataset->views[i];
    onefold_status status = task->done[i] ? ONEFOLD_OK : make_partition(task, i);
    if (status != ONEFOLD_OK)
        return of_blame(status, "view '%s'", view->name);
    if (task->partitions[i].rank == 0)
        return of_kernel_zero(task->context, view);
    return ONEFOLD_OK;
}

static onefold_status work_all(stage_task *task, int together)
{
    size_t views = task->problem->dataset->view_count;
    if (together)
        return of_team_run(task->context, views, work_view, task);
    if (task->card)
        OF_TRY(of_base_card_together(task->context, task->problem, task->arenas, task->card,
                                     task->partitions, task->done));
    for (size_t i = 0; i < views; i++) {
        of_context_progress(task->context, "base", (double)i, (double)views,
                            task->problem->dataset->views[i].name);
        OF_TRY(work_view(task, i, 0));
    }
    return ONEFOLD_OK;
}

/* Room for the stack in the precision that is asked for, in memory or in a file. */
static onefold_status allocate_stack(of_arena *arena, stage_task *task, size_t rows, size_t n,
                                     of_stack *X)
{
    int single = task->problem->options->precision == ONEFOLD_SINGLE;
    size_t size = single ? sizeof(float) : sizeof(double);
    of_range own = of_comm_own(arena->context, n);
    const of_device_use *use = of_device_for(arena->context, n);
    void *numbers;
    if (use && !task->problem->spill) {
        onefold_status status =
            of_stack_device_share(arena->context, use, rows, n, task->problem->options->precision,
                                  task->problem->options->dims, X);
        task->card = status == ONEFOLD_OK ? X : NULL;
        if (status != ONEFOLD_NO_MEMORY || !of_device_gave_up(arena->context))
            return status; /* else the CPU's memory may do */
    }
    if (task->problem->spill)
        OF_TRY(of_arena_allocate_spilled(arena, &numbers, task->problem->spill, size, rows,
                                         own.end - own.first));
    else
        OF_TRY(of_arena_allocate(arena, &numbers, size, rows, own.end - own.first));
    *X = single ? of_stack_single(numbers, rows, n, rows) : of_stack_double(numbers, rows, n, rows);
    X->first = own.first;
    if (single)
        task->single = numbers;
    else
        task->X = (of_share){numbers, own.first, rows};
    return ONEFOLD_OK;
}

onefold_status of_base_stage(of_context *context, of_arena *arena, of_arena *kept,
                             const of_problem *problem, of_stack *X, of_partition *partitions)
{
    size_t views = problem->dataset->view_count, n = problem->dataset->samples,
           scratch = largest_scratch(context, problem), rows = views * problem->options->dims;
    OF_SCRATCH(own, context);
    stage_task task = {.context = context, .problem = problem, .partitions = partitions};
    OF_TRY(allocate_stack(arena, &task, rows, n, X));
    OF_TRY(OF_NEW(&own, &task.arenas, views, 1));
    OF_TRY(OF_NEW_ZERO(&own, &task.done, views, 1));
    for (size_t i = 0; i < views; i++)
        task.arenas[i] = of_arena_make(context);
    of_context_progress(context, "base", 0, (double)views, NULL);
    onefold_status status = work_all(&task, !task.card && side_by_side(context, problem, scratch));
    if (status != ONEFOLD_OK)
        of_stack_leave(X);
    for (size_t i = 0; i < views; i++)
        of_arena_adopt(kept, &task.arenas[i]);
    of_context_progress(context, "base", (double)views, (double)views, NULL);
    return status;
}
