/* SPDX-License-Identifier: Apache-2.0 */
/* The views' kernel matrices, and what is needed of them everywhere. */
#include "peers/kernels.h"

#include "base/team.h"
#include "method/base_stage.h"
#include "partition/view_graph.h"

#include <math.h>

onefold_status of_kernels_one(of_context *context, const of_problem *problem, size_t view,
                              of_finish finish, double *kernel)
{
    return of_partition_matrix(context, &problem->kernels[view], &problem->partition, finish,
                               kernel, problem->dataset->samples);
}

onefold_status of_kernels_load(of_context *context, of_arena *arena, const of_problem *problem,
                               of_finish finish, double ***kernel)
{
    size_t n = problem->dataset->samples, count = problem->dataset->view_count;
    OF_TRY(OF_NEW(arena, kernel, count, 1));
    for (size_t i = 0; i < count; i++) {
        of_context_progress(context, "base", (double)i, (double)count,
                            problem->dataset->views[i].name);
        OF_TRY(OF_NEW(arena, &(*kernel)[i], n, n));
        OF_TRY(of_kernels_one(context, problem, i, finish, (*kernel)[i]));
    }
    of_context_progress(context, "base", (double)count, (double)count, NULL);
    return ONEFOLD_OK;
}

typedef struct combination {
    size_t n, count;
    const double *const *kernel;
    const double *weight;
    double *sum;
} combination;

enum { COLUMNS = 8 }; /* to a piece */

static onefold_status combine_piece(void *task, size_t index, int worker)
{
    const combination *c = task;
    (void)worker;
    size_t first = index * COLUMNS * c->n, end = first + COLUMNS * c->n;
    if (end > c->n * c->n)
        end = c->n * c->n;
    for (size_t e = first; e < end; e++)
        c->sum[e] = c->weight[0] * c->kernel[0][e];
    for (size_t i = 1; i < c->count; i++)
        for (size_t e = first; e < end; e++)
            c->sum[e] += c->weight[i] * c->kernel[i][e];
    return ONEFOLD_OK;
}

onefold_status of_kernels_combine(of_context *context, size_t n, size_t count,
                                  const double *const *kernel, const double *weight, double *sum)
{
    combination c = {n, count, kernel, weight, sum};
    return of_team_run(context, (n + COLUMNS - 1) / COLUMNS, combine_piece, &c);
}

double of_kernels_trace(size_t n, const double *kernel)
{
    double sum = 0;
    for (size_t j = 0; j < n; j++)
        sum += kernel[j * n + j];
    return sum;
}

onefold_status of_kernels_check(size_t count, const double *trace)
{
    for (size_t i = 0; i < count; i++)
        if (trace[i] > 0)
            return ONEFOLD_OK;
    return of_hint(of_fail(ONEFOLD_BAD_DATA,
                           "no view distinguishes any two samples: every kernel is "
                           "zero once it is centred"),
                   "check that the samples are on the side that was taken (onefold info)");
}

static double clip(const of_beta_bounds *bounds, size_t i, double value)
{
    return fmin(fmax(value, bounds->lower[i]), bounds->upper[i]);
}

/* Of views that are all alike, `trace` and `cost` are NULL. */
static int tells(const double *trace, size_t i)
{
    return !trace || trace[i] > 0;
}

static double price(const double *cost, size_t i)
{
    return cost ? cost[i] : 1;
}

/* clip(t / cost), or the least where there is no trace; the sum of all. */
static double weigh_at(size_t count, const double *cost, const double *trace,
                       const of_beta_bounds *bounds, double t, double *weight)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        weight[i] = tells(trace, i) ? clip(bounds, i, t / price(cost, i)) : bounds->lower[i];
        sum += weight[i];
    }
    return sum;
}

static void weigh_within(size_t count, const double *cost, const double *trace,
                         const of_beta_bounds *bounds, double *weight)
{
    double low = 0, high = 0, free = 0;
    for (size_t i = 0; i < count; i++)
        high = fmax(high, tells(trace, i) ? bounds->upper[i] * price(cost, i) : 0);
    double rest = 1 - weigh_at(count, cost, trace, bounds, high, weight);
    for (size_t i = 0; rest >= 0 && i < count; i++) /* all that tell samples apart have the most */
        if (!tells(trace, i)) {
            double more = fmin(rest, bounds->upper[i] - weight[i]);
            weight[i] += more;
            rest -= more;
        }
    if (rest >= 0)
        return;
    for (;;) { /* the sum rises with t */
        double middle = low + (high - low) / 2;
        if (!(middle > low && middle < high))
            break;
        *(weigh_at(count, cost, trace, bounds, middle, weight) < 1 ? &low : &high) = middle;
    }
    rest = 1 - weigh_at(count, cost, trace, bounds, high, weight);
    for (size_t i = 0; i < count; i++) /* the last digit: those between their bounds share it */
        free += weight[i] > bounds->lower[i] && weight[i] < bounds->upper[i] ? weight[i] : 0;
    for (size_t i = 0; free > 0 && i < count; i++)
        if (weight[i] > bounds->lower[i] && weight[i] < bounds->upper[i])
            weight[i] = clip(bounds, i, weight[i] * (1 + rest / free));
}

void of_kernels_weigh_alike(size_t count, const of_beta_bounds *bounds, double *weight)
{
    for (size_t i = 0; i < count; i++)
        weight[i] = 1 / (double)count;
    if (bounds)
        weigh_within(count, NULL, NULL, bounds, weight);
}

void of_kernels_weigh(size_t count, const double *cost, const double *trace,
                      const of_beta_bounds *bounds, double *weight)
{
    double sum = 0;
    if (bounds) {
        weigh_within(count, cost, trace, bounds, weight);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        weight[i] = trace[i] > 0 ? 1 / cost[i] : 0;
        sum += weight[i];
    }
    for (size_t i = 0; i < count; i++)
        weight[i] /= sum;
}

onefold_status of_kernels_report(const of_problem *problem, const double *weight,
                                 of_outcome *outcome)
{
    size_t count = problem->dataset->view_count;
    OF_TRY(OF_NEW_ZERO(&outcome->arena, &outcome->views, count, 1));
    for (size_t i = 0; i < count && weight; i++)
        outcome->views[i].weight = weight[i];
    return ONEFOLD_OK;
}

onefold_status of_estimate_add(size_t *bytes, size_t matrices, size_t rows, size_t columns)
{
    size_t size = sizeof(double);
    OF_TRY(of_size_multiply(&size, size, matrices));
    OF_TRY(of_size_multiply(&size, size, rows));
    OF_TRY(of_size_multiply(&size, size, columns));
    return of_size_add(bytes, *bytes, size);
}

onefold_status of_estimate_add_kernel(size_t *bytes, const of_problem *problem)
{
    size_t most = 0;
    for (size_t i = 0; i < problem->dataset->view_count; i++) {
        const of_view *view = &problem->dataset->views[i];
        size_t size = view->storage == OF_SPARSE ? of_view_bytes(view) : 0; /* its transpose */
        if (view->storage == OF_DENSE) /* its columns as doubles, prepared */
            OF_TRY(of_estimate_add(&size, 1, view->samples, view->columns));
        most = size > most ? size : most;
    }
    return of_size_add(bytes, *bytes, most);
}

double of_estimate_seconds(of_context *context, double product_flops, double factor_flops)
{
    return product_flops / (3e10 * context->threads) + factor_flops / 1.2e10;
}
