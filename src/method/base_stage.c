/* SPDX-License-Identifier: Apache-2.0 */
/* Base partitions of all views: side by side where they are small, else one after the other with
 * all threads on each. Either way every partition has the same bits. */
#include "method/base_stage.h"

#include "base/comm.h"
#include "linalg/simd.h"
#include "partition/routes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- stacks -------------------------------------------------------------------------------- */

of_stack of_stack_double(const double *data, size_t rows, size_t samples)
{
    return (of_stack){
        .rows = rows, .samples = samples, .type = OF_STACK_DOUBLE, .data = data, .held = samples};
}

onefold_status of_stack_device(of_context *context, size_t rows, size_t n,
                               onefold_precision precision, of_stack *stack)
{
    of_range own = of_comm_own(context, n);
    const of_device_use *use = of_device_for(context, n);
    size_t count = own.end - own.first;
    of_stack made = {.rows = rows,
                     .samples = n,
                     .type = OF_STACK_DEVICE,
                     .first = own.first,
                     .held = count,
                     .use = use};
    onefold_status status =
        OF_DEVICE(use, stack_make(use->device, rows, count, precision == ONEFOLD_DOUBLE,
                                  &made.there, &made.streams));
    double streams = made.streams; /* where one's does, all make views apart */
    status = of_device_total(context, n, status, 1, &streams);
    made.streams = streams > 0;
    if (status != ONEFOLD_OK)
        of_stack_leave(&made);
    else
        *stack = made;
    return status;
}

void of_stack_leave(of_stack *stack)
{
    if (stack->there)
        stack->use->table->stack_free(stack->there);
    stack->there = NULL;
}

OF_SIMD onefold_status of_stack_tile(const of_stack *stack, size_t first, size_t count,
                                     double *room, const double **x)
{
    size_t rows = stack->rows, at = first - stack->first;
    *x = room;
    if (stack->type == OF_STACK_DEVICE)
        return OF_DEVICE(stack->use, stack_fetch(stack->there, at, NULL, count, room));
    if (stack->type == OF_STACK_DOUBLE)
        *x = (const double *)stack->data + at * rows;
    for (size_t i = 0; stack->type == OF_STACK_SINGLE && i < rows * count; i++)
        room[i] = (double)((const float *)stack->data)[at * rows + i];
    return ONEFOLD_OK;
}

/* A tile and its products stay in a core's second-level cache. With many rows a tile would get too
 * narrow for fast products: it has at least LEAST_TILE samples. */
of_tiles of_stack_cut(size_t samples, size_t rows)
{
    enum { TILE_BYTES = 256 << 10, LEAST_TILE = 128 };
    size_t least = LEAST_TILE * rows * sizeof(double);
    return of_tiles_make(samples, rows, least > TILE_BYTES ? least : TILE_BYTES);
}

typedef struct walk_task {
    const of_stack *stack;
    of_stack_work work;
    void *task;
    of_tiles tiles;
    size_t tile_room, room_size; /* numbers of a worker: for a converted tile, and in all */
    double *room;
} walk_task;

static onefold_status add_tile(void *opaque, size_t tile, double *sum)
{
    const walk_task *walk = opaque;
    double *room = walk->room + of_team_worker() * walk->room_size;
    of_stack_part part = {.first = of_tiles_first(&walk->tiles, tile),
                          .count = of_tiles_length(&walk->tiles, tile),
                          .room = room + walk->tile_room,
                          .sum = sum};
    if (!part.count)
        return ONEFOLD_OK;
    OF_TRY(of_stack_tile(walk->stack, part.first, part.count, room, &part.x));
    return walk->work(walk->task, &part);
}

static onefold_status walk_tile(void *opaque, size_t tile)
{
    return add_tile(opaque, tile, NULL);
}

onefold_status of_stack_sum(of_context *context, const of_stack *stack, of_tiles tiles, size_t each,
                            of_stack_work work, void *task, size_t length, double *sum)
{
    OF_SCRATCH(scratch, context);
    walk_task walk = {.stack = stack, .work = work, .task = task, .tiles = tiles};
    walk.tile_room = stack->type == OF_STACK_DOUBLE ? 0 : stack->rows * tiles.width;
    walk.room_size = walk.tile_room + each * tiles.width;
    OF_TRY(OF_NEW(&scratch, &walk.room, of_team_size(context), walk.room_size));
    return sum ? of_tiles_sum(context, &walk.tiles, add_tile, &walk, length, sum)
               : of_tiles_run(context, &walk.tiles, walk_tile, &walk);
}

onefold_status of_stack_walk(of_context *context, const of_stack *stack, size_t each,
                             of_stack_work work, void *task)
{
    return of_stack_sum(context, stack, of_stack_cut(stack->samples, stack->rows), each, work, task,
                        0, NULL);
}

/* ---- base partitions ----------------------------------------------------------------------- */

typedef struct stage_task {
    of_context *context;
    const of_problem *problem;
    of_arena *arenas; /* one per view: an arena is not for two threads */
    of_stack *X;
    void *numbers; /* of the stack, unless it is on a GPU */
    of_partition *partitions;
    int beside; /* views are worked side by side */
    /* Of each view that takes the route nystrom on a GPU, from an arena of its own; or NULL. */
    of_landmarks *landmarks;
    of_arena *landmark_arenas;
} stage_task;

static onefold_status make(stage_task *task, size_t i, const of_partition_options *options,
                           of_share H)
{
    return of_partition_make(task->context, &task->arenas[i], &task->problem->kernels[i],
                             task->problem->routes[i], options, H, &task->partitions[i]);
}

/* Copies rows of view i to this process's samples: k of each, `ld` numbers apart, floats where
 * `single`. H has the samples that have the view. Rows are scaled as in docs/method.md section 9,
 * and 0 where the view is missing. */
static void place_rows(const stage_task *task, size_t i, of_share H, int single, void *rows,
                       size_t ld)
{
    const of_dataset *dataset = task->problem->dataset;
    of_range own = of_comm_own(task->context, dataset->samples);
    size_t k = task->problem->partition.dims, p = dataset->view_count, at = own.first;
    double view = of_missing_scale_view(task->problem->kernels[i].view->samples, dataset->samples);
    for (size_t j = own.first; j < own.end; j++) {
        const uint8_t *has = dataset->present ? dataset->present + j * p : NULL;
        int lacks = has && !has[i]; /* which are not split over processes */
        double scale = has && !lacks ? view * of_missing_scale_sample(has, p) : 1;
        const double *h = lacks ? NULL : of_share_at(H, at++);
        for (size_t r = 0; r < k; r++) {
            double value = lacks ? 0 : scale * h[r];
            if (single)
                ((float *)rows)[(j - own.first) * ld + r] = (float)value;
            else
                ((double *)rows)[(j - own.first) * ld + r] = value;
        }
    }
}

/* ---- into a stack on a GPU ------------------------------------------------------------------ */

/* Options of a partition of view i into its rows of the stack. */
static of_partition_options options_there(const stage_task *task, size_t i)
{
    of_partition_options options = task->problem->partition;
    options.use = task->X->use;
    options.there = task->X->there;
    options.row = i * options.dims;
    if (task->landmarks && task->landmarks[i].count)
        options.landmarks_made = &task->landmarks[i];
    return options;
}

int of_base_device_fits(of_context *context, const of_problem *problem, size_t i)
{
    return !problem->dataset->present &&
           of_partition_fits_device(context, &problem->kernels[i], problem->routes[i],
                                    &problem->partition);
}

static onefold_status make_landmarks(void *opaque, size_t i)
{
    stage_task *task = opaque;
    const of_problem *problem = task->problem;
    of_team_share(task->context);
    if (problem->routes[i] != OF_ROUTE_NYSTROM || !of_base_device_fits(task->context, problem, i))
        return ONEFOLD_OK;
    onefold_status status =
        of_nystrom_landmarks_make(task->context, &task->landmark_arenas[i], &problem->kernels[i],
                                  &problem->partition, &task->landmarks[i]);
    return status == ONEFOLD_OK ? status
                                : of_blame(status, "view '%s'", problem->dataset->views[i].name);
}

/* Makes view i in a stack of its own and copies it, where the whole stack streams. */
static onefold_status make_apart(stage_task *task, size_t i)
{
    const of_device_use *use = task->X->use;
    of_partition_options options = options_there(task, i);
    int doubles = options.precision == ONEFOLD_DOUBLE;
    size_t n = task->problem->kernels[i].view->samples, row = options.row;
    of_range own = of_comm_own(task->context, n);
    of_device_stack *apart = NULL;
    onefold_status status = OF_DEVICE(
        use, stack_make(use->device, options.dims, own.end - own.first, doubles, &apart, NULL));
    status = of_device_total(task->context, n, status, 0, NULL);
    options.there = apart;
    options.row = 0;
    if (status == ONEFOLD_OK)
        status = make(task, i, &options, of_share_whole(NULL, options.dims));
    if (status == ONEFOLD_OK)
        status = OF_DEVICE(use, stack_rows(task->X->there, row, apart));
    if (apart)
        use->table->stack_free(apart);
    return status;
}

/* Makes view i on the CPU and sends it. */
static onefold_status make_and_send(stage_task *task, size_t i)
{
    OF_SCRATCH(scratch, task->context);
    of_partition_options options = options_there(task, i);
    size_t k = options.dims, n = task->problem->dataset->samples;
    of_range own = of_comm_own(task->context, n);
    of_stack *gpu = task->X;
    of_share H;
    options.there = NULL;
    OF_TRY(of_share_make(&scratch, &H, k, task->problem->kernels[i].view->samples));
    OF_TRY(make(task, i, &options, H));
    gpu->made_there += (size_t)task->partitions[i].on_gpu;
    double *rows = H.held;
    if (task->problem->dataset->present) {
        OF_TRY(OF_NEW(&scratch, &rows, k, own.end - own.first));
        place_rows(task, i, H, 0, rows, k);
    }
    int code = gpu->use->table->stack_store(gpu->there, options.row, k, 0, own.end - own.first,
                                            rows, k, 0);
    return of_device_total(task->context, n, of_device_status(gpu->use, code), 0, NULL);
}

/* Rows of view i, made on the GPU, which made_there counts, or by the CPU and sent. */
static onefold_status make_there(stage_task *task, size_t i)
{
    of_partition_options options = options_there(task, i);
    if (!of_base_device_fits(task->context, task->problem, i))
        return make_and_send(task, i);
    onefold_status status = task->X->streams
                                ? make_apart(task, i)
                                : make(task, i, &options, of_share_whole(NULL, options.dims));
    if (status == ONEFOLD_NO_MEMORY && of_device_gave_up(task->context)) /* try the CPU */
        return make_and_send(task, i);
    task->X->made_there += status == ONEFOLD_OK;
    return status;
}

/* ---- all views ------------------------------------------------------------------------------ */

/* Views are made side by side where together they take at most this, times the threads and 4. */
static const size_t THREAD_BYTES = (size_t)32 << 20;

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
    OF_TRY(OF_NEW_THERE(arena, &routes, views, 1));
    for (size_t i = 0; i < views; i++) {
        OF_TRY(of_partition_check(&problem->kernels[i], &problem->partition));
        routes[i] = of_partition_route(&problem->kernels[i], &problem->partition);
    }
    problem->routes = routes;
    return ONEFOLD_OK;
}

/* Whether this run counts the memory of a fit on a GPU. */
static int counts_gpu(const of_context *context, size_t n)
{
    return of_counts(context) && of_device_for(context->counted_for, n);
}

/* Whether views are made side by side: where that takes little memory, and not on a GPU. */
static onefold_status side_by_side(of_context *context, const of_problem *problem, int *beside)
{
    size_t threads = of_team_size(context), views = problem->dataset->view_count, most = 0,
           n = problem->dataset->samples, at_once = of_size_least(threads, views);
    for (size_t i = 0; i < views; i++) {
        of_partition_size size;
        OF_TRY(of_partition_bytes(context, &problem->kernels[i], problem->routes[i],
                                  &problem->partition, &size));
        most = size.memory > most ? size.memory : most;
    }
    if (problem->partition.precision == ONEFOLD_SINGLE || problem->dataset->present)
        most += problem->partition.dims * n * sizeof(double); /* rows that are copied */
    *beside = !counts_gpu(context, n) && at_once > 1 && !of_comm_splits(context, n) &&
              most <= of_context_chunk(context, (threads + 4) * THREAD_BYTES) / at_once;
    return ONEFOLD_OK;
}

/* Makes the partition of view i in its rows of the stack; aside first, and then copied, where rows
 * are converted to floats or samples lack views. */
static onefold_status make_partition(stage_task *task, size_t i)
{
    const of_problem *problem = task->problem;
    const of_stack *X = task->X;
    size_t k = problem->partition.dims;
    int single = X->type == OF_STACK_SINGLE, aside = single || problem->dataset->present;
    if (X->type == OF_STACK_DEVICE)
        return make_there(task, i);
    OF_SCRATCH(scratch, task->context);
    char *rows = (char *)task->numbers + i * k * (single ? sizeof(float) : sizeof(double));
    of_share H = {(double *)rows, X->first, X->rows};
    if (aside)
        OF_TRY(of_share_make(&scratch, &H, k, problem->kernels[i].view->samples));
    OF_TRY(make(task, i, &problem->partition, H));
    if (aside && !of_counts(task->context))
        place_rows(task, i, H, single, rows, X->rows);
    return ONEFOLD_OK;
}

static onefold_status work_view(void *opaque, size_t i)
{
    stage_task *task = opaque;
    const of_dataset *dataset = task->problem->dataset;
    const of_view *view = &dataset->views[i];
    if (task->beside && dataset->view_count < (size_t)task->context->threads)
        of_team_share(task->context); /* threads that have no view of their own help */
    if (!of_team_for_another())
        of_context_progress(task->context, "base", (double)i, (double)dataset->view_count,
                            view->name);
    onefold_status status = make_partition(task, i);
    if (status != ONEFOLD_OK)
        return of_blame(status, "view '%s'", view->name);
    if (task->partitions[i].rank == 0 && !of_counts(task->context))
        return of_kernel_zero(task->context, view);
    return ONEFOLD_OK;
}

/* Landmarks of views that a GPU partitions one after the other are made side by side: they are the
 * CPU's work. Processes share it where they share samples. */
static onefold_status make_all_landmarks(stage_task *task, of_arena *arena)
{
    size_t views = task->problem->dataset->view_count, n = task->X->samples;
    int gpu = task->X->type == OF_STACK_DEVICE || counts_gpu(task->context, n);
    if (!gpu || of_comm_splits(task->context, n))
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(arena, &task->landmark_arenas, views, 1));
    OF_TRY(OF_NEW_ZERO(arena, &task->landmarks, views, 1));
    for (size_t i = 0; i < views; i++)
        task->landmark_arenas[i] = of_arena_make(task->context);
    return of_team_each(task->context, 1, views, make_landmarks, task);
}

/* Allocates the stack: on a GPU, or in memory. */
static onefold_status allocate_stack(of_arena *arena, const of_problem *problem, size_t rows,
                                     size_t n, of_stack *X, void **numbers)
{
    onefold_precision precision = problem->options->precision;
    size_t size = precision == ONEFOLD_SINGLE ? sizeof(float) : sizeof(double);
    of_range own = of_comm_own(arena->context, n);
    if (of_device_for(arena->context, n)) {
        onefold_status status = of_stack_device(arena->context, rows, n, precision, X);
        if (status != ONEFOLD_NO_MEMORY || !of_device_gave_up(arena->context))
            return status; /* else the host may have enough */
    }
    OF_TRY(of_arena_allocate(arena, numbers, size, rows, own.end - own.first));
    *X = of_stack_double(*numbers, rows, n);
    X->type = precision == ONEFOLD_SINGLE ? OF_STACK_SINGLE : OF_STACK_DOUBLE;
    X->first = own.first;
    X->held = own.end - own.first;
    return ONEFOLD_OK;
}

onefold_status of_base_stage(of_context *context, of_arena *arena, of_arena *kept,
                             const of_problem *problem, of_stack *X, of_partition *partitions)
{
    size_t views = problem->dataset->view_count, n = problem->dataset->samples,
           rows = views * problem->options->dims;
    OF_SCRATCH(own, context);
    stage_task task = {.context = context, .problem = problem, .X = X, .partitions = partitions};
    OF_TRY(side_by_side(context, problem, &task.beside));
    OF_TRY(allocate_stack(arena, problem, rows, n, X, &task.numbers));
    task.beside = task.beside && X->type != OF_STACK_DEVICE;
    OF_TRY(OF_NEW(&own, &task.arenas, views, 1));
    for (size_t i = 0; i < views; i++)
        task.arenas[i] = of_arena_make(context);
    of_context_progress(context, "base", 0, (double)views, NULL);
    onefold_status status = make_all_landmarks(&task, &own);
    if (status == ONEFOLD_OK)
        status = of_team_each(context, task.beside, views, work_view, &task);
    for (size_t i = 0; task.landmarks && i < views; i++)
        of_arena_free(&task.landmark_arenas[i]);
    if (status != ONEFOLD_OK)
        of_stack_leave(X);
    for (size_t i = 0; i < views; i++)
        of_arena_adopt(kept, &task.arenas[i]);
    of_context_progress(context, "base", (double)views, (double)views, NULL);
    return status;
}
