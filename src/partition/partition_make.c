/* SPDX-License-Identifier: Apache-2.0 */
/* Base partitions: taking a route, and the signs of what comes back. */
#include "base/team.h"
#include "partition/routes.h"

#include <math.h>

static const of_route_run routes[] = {
    [OF_ROUTE_GRAM] = of_route_gram,       [OF_ROUTE_KRYLOV] = of_route_krylov,
    [OF_ROUTE_DENSE] = of_route_dense,     [OF_ROUTE_TILES] = of_route_tiles,
    [OF_ROUTE_NYSTROM] = of_route_nystrom, [OF_ROUTE_LANDMARKS] = of_route_landmarks,
};

/* The largest entry of each row by modulus, the first among equals, tile by tile. */
typedef struct sign_task {
    size_t rows;
    of_share H;
    double *largest;    /* rows x tiles */
    const double *sign; /* rows */
    of_tiles tiles;
} sign_task;

static onefold_status find_largest(void *opaque, size_t index, int worker)
{
    (void)worker;
    sign_task *task = opaque;
    double *largest = task->largest + index * task->rows;
    size_t end = of_tiles_first(&task->tiles, index + 1);
    for (size_t r = 0; r < task->rows; r++)
        largest[r] = 0;
    for (size_t j = of_tiles_first(&task->tiles, index); j < end; j++)
        for (size_t r = 0; r < task->rows; r++) {
            double h = of_share_at(task->H, j)[r];
            largest[r] = fabs(h) > fabs(largest[r]) ? h : largest[r];
        }
    return ONEFOLD_OK;
}

static onefold_status set_signs(void *opaque, size_t index, int worker)
{
    (void)worker;
    sign_task *task = opaque;
    size_t end = of_tiles_first(&task->tiles, index + 1);
    for (size_t j = of_tiles_first(&task->tiles, index); j < end; j++)
        for (size_t r = 0; r < task->rows; r++)
            of_share_at(task->H, j)[r] *= task->sign[r];
    return ONEFOLD_OK;
}

/* largest[r] is the largest by modulus of part[t * rows + r] over t, the first among equals. */
static void first_largest(size_t rows, size_t count, const double *part, double *largest)
{
    for (size_t r = 0; r < rows; r++) {
        double most = 0;
        for (size_t t = 0; t < count; t++) {
            double h = part[t * rows + r];
            most = fabs(h) > fabs(most) ? h : most;
        }
        largest[r] = most;
    }
}

/* sign[r] is what row r was multiplied with. */
static onefold_status fix_signs(of_context *context, size_t n, size_t rows, of_share H,
                                double *sign)
{
    OF_SCRATCH(scratch, context);
    sign_task task = {.rows = rows, .H = H, .tiles = of_tiles_make(n, 1, 1024 * sizeof(double))};
    double *all;
    size_t parts;
    OF_TRY(OF_NEW_ZERO(&scratch, &task.largest, task.tiles.count, rows));
    OF_TRY(of_tiles_run(context, &task.tiles, find_largest, &task));
    first_largest(rows, task.tiles.count, task.largest, sign);
    OF_TRY(of_comm_all(context, &scratch, n, sign, rows * sizeof *sign, (void **)&all, &parts));
    first_largest(rows, parts, all, sign);
    for (size_t r = 0; r < rows; r++)
        sign[r] = sign[r] < 0 ? -1 : 1;
    task.sign = sign;
    return of_tiles_run(context, &task.tiles, set_signs, &task);
}

void of_route_nothing(of_route_work *work)
{
    for (size_t r = 0; r < work->rows; r++)
        work->value[r] = 0;
    work->rank = 0;
    work->residual = 0;
}

void of_route_clear(of_context *context, const of_route_work *work)
{
    of_range own = of_comm_own(context, work->kernel->view->samples);
    for (size_t j = own.first; j < own.end; j++)
        for (size_t r = work->rank; r < work->rows; r++)
            of_share_at(work->H, j)[r] = 0;
}

/* Kernels that would have to be held whole are worked by one process. */
static onefold_status check_split(of_context *context, const of_kernel *kernel, of_route route)
{
    if ((route != OF_ROUTE_TILES && route != OF_ROUTE_DENSE) ||
        !of_comm_splits(context, kernel->view->samples))
        return ONEFOLD_OK;
    return of_hint(of_fail(ONEFOLD_UNSUPPORTED,
                           "the %s route is not split over processes, and %zu samples are",
                           onefold_route_name(of_route_public(route)), kernel->view->samples),
                   "start one process, or take `base` nystrom");
}

/* What is asked of a route for one partition. */
typedef struct making {
    of_route route;
    of_route_work work;
    double *value, *sign;
    int on_card;
} making;

static onefold_status begin(of_context *context, of_arena *scratch, of_arena *arena,
                            const of_kernel *kernel, of_route route,
                            const of_partition_options *options, of_share H, making *m)
{
    of_projection *projection = NULL;
    *m = (making){.route = route};
    OF_TRY(of_partition_check(kernel, options));
    OF_TRY(check_split(context, kernel, route));
    OF_TRY(OF_NEW_ZERO(arena, &m->value, options->dims, 1));
    OF_TRY(OF_NEW(scratch, &m->sign, options->dims, 1));
    if (options->project)
        OF_TRY(OF_NEW_ZERO(arena, &projection, 1, 1));
    m->work = (of_route_work){.kernel = kernel,
                              .rows = of_partition_rows(kernel, options),
                              .tolerance = options->tolerance,
                              .landmarks = options->landmarks,
                              .options = options,
                              .seed = options->seed,
                              .H = H,
                              .value = m->value,
                              .projection = projection,
                              .arena = arena};
    m->on_card = options->there && of_partition_fits_card(context, kernel, route, options);
    if (m->on_card)
        m->work.sign = m->sign;
    return ONEFOLD_OK;
}

static onefold_status end(of_context *context, making *m, of_partition *partition)
{
    const of_route_work *work = &m->work;
    const of_partition_options *options = work->options;
    size_t n = work->kernel->view->samples, rows = work->rows;
    if (rows) {
        if (!m->on_card) /* where it has been done */
            OF_TRY(fix_signs(context, n, rows, work->H, m->sign));
        if (work->projection && m->route != OF_ROUTE_LANDMARKS) { /* which sets its own signs */
            work->projection->precision = options->precision;
            OF_TRY(of_projection_finish(context, work->arena, work->kernel, m->route, m->value,
                                        m->sign, work->projection));
        }
    }
    of_range own = of_comm_own(context, n);
    for (size_t j = own.first; !m->on_card && j < own.end; j++)
        for (size_t r = rows; r < options->dims; r++)
            of_share_at(work->H, j)[r] = 0;
    *partition = (of_partition){.route = m->route,
                                .rank = work->rank,
                                .residual = work->residual,
                                .values = m->value,
                                .converged = m->route == OF_ROUTE_NYSTROM ||
                                             work->residual <= options->tolerance,
                                .projection = work->projection,
                                .on_card = work->on_card};
    return ONEFOLD_OK;
}

onefold_status of_partition_make(of_context *context, of_arena *arena, const of_kernel *kernel,
                                 of_route route, const of_partition_options *options, of_share H,
                                 of_partition *partition)
{
    OF_SCRATCH(scratch, context);
    making m;
    OF_TRY(begin(context, &scratch, arena, kernel, route, options, H, &m));
    if (m.work.rows)
        OF_TRY(routes[route](context, &m.work));
    return end(context, &m, partition);
}

int of_partition_goes_together(of_context *context, const of_kernel *kernel, of_route route,
                               const of_partition_options *options)
{
    return route == OF_ROUTE_NYSTROM && of_partition_rows(kernel, options) > 0 &&
           of_partition_fits_card(context, kernel, route, options) &&
           of_nystrom_goes_together(context, kernel);
}

onefold_status of_partition_make_together(of_context *context, size_t count,
                                          const of_partition_wanted *wanted, size_t *failed)
{
    OF_SCRATCH(scratch, context);
    of_route_work *works;
    making *m;
    *failed = 0;
    OF_TRY(OF_NEW(&scratch, &works, count, 1));
    OF_TRY(OF_NEW(&scratch, &m, count, 1));
    for (size_t v = 0; v < count; v++) {
        *failed = v;
        OF_TRY(begin(context, &scratch, wanted[v].arena, wanted[v].kernel, OF_ROUTE_NYSTROM,
                     wanted[v].options, (of_share){NULL, 0, wanted[v].options->dims}, &m[v]));
        works[v] = m[v].work;
    }
    OF_TRY(of_route_nystrom_views(context, count, works, failed));
    for (size_t v = 0; v < count; v++) {
        *failed = v;
        m[v].work = works[v];
        OF_TRY(end(context, &m[v], wanted[v].partition));
    }
    return ONEFOLD_OK;
}
