/* SPDX-License-Identifier: Apache-2.0 */
/* OS-LFMVC-CS as a method of the registry: base partitions, then the solver on their stack. */
#include "base/comm.h"
#include "base/context.h"
#include "method/os_lfmvc_cs.h"
#include "partition/partition.h"

#include <stdio.h>

static void count_work(of_context *context, const of_problem *problem, of_method_estimate *estimate)
{
    const onefold_fit_options *options = problem->options;
    size_t n = problem->dataset->samples, p = problem->dataset->view_count;
    for (size_t i = 0; i < p; i++) {
        of_partition_estimate *view = &estimate->views[i];
        *view = of_partition_work(&problem->kernels[i], problem->routes[i], &problem->partition);
        view->on_gpu = of_base_device_fits(context, problem, i);
        view->work.copied = (double)of_view_bytes(problem->kernels[i].view);
    }
    of_cs_work(context, n, p, options->dims, options->anchors, options->clusters, options, 1,
               estimate);
    estimate->fit.copied = (double)n * (double)(4 * (p + 2) + 8); /* labels and confidence */
}

/* The stack, then the larger of the largest base partition and the results of all samples, and the
 * bounded work space of gpu/device.cuh. */
static onefold_status gpu_bytes(of_context *context, const of_problem *problem, size_t *bytes)
{
    static const size_t TILE = 128, MOST_ROOM = (size_t)1536 << 20, ROOM_EACH = 4096;
    const onefold_fit_options *options = problem->options;
    of_range own = of_comm_own(context, problem->dataset->samples);
    size_t n = own.end - own.first, p = problem->dataset->view_count, most,
           number = options->precision == ONEFOLD_SINGLE ? sizeof(float) : sizeof(double);
    *bytes = 0;
    if (!of_device_for(context, problem->dataset->samples))
        return ONEFOLD_OK;
    OF_TRY(of_size_multiply(bytes, (n + TILE - 1) / TILE * TILE, p * options->dims * number));
    OF_TRY(of_size_multiply(&most, n, sizeof(double) + (p + 1) * sizeof(int32_t)));
    for (size_t i = 0; i < p; i++) {
        of_partition_size size;
        OF_TRY(of_partition_bytes(context, &problem->kernels[i], problem->routes[i],
                                  &problem->partition, &size));
        most = size.gpu > most ? size.gpu : most;
    }
    OF_TRY(of_size_add(bytes, *bytes, most));
    return of_size_add(bytes, *bytes, n < MOST_ROOM / ROOM_EACH ? n * ROOM_EACH : MOST_ROOM);
}

onefold_status of_cs_keep_restarts(of_outcome *outcome, const of_cs_result *result)
{
    size_t restarts = result->restarts;
    OF_TRY(OF_NEW(&outcome->arena, &outcome->restart_objective, restarts, 1));
    OF_TRY(OF_NEW(&outcome->arena, &outcome->restart_iterations, restarts, 1));
    OF_TRY(OF_NEW(&outcome->arena, &outcome->restart_clusters_used, restarts, 1));
    for (size_t r = 0; r < restarts && !of_counts(outcome->arena.context); r++) {
        outcome->restart_objective[r] = result->end[r].J;
        outcome->restart_iterations[r] = result->end[r].iterations;
        outcome->restart_clusters_used[r] = result->end[r].clusters_used;
    }
    const of_cs_end *best = &result->end[result->best_restart];
    outcome->restarts = restarts;
    outcome->best_restart = result->best_restart;
    outcome->objective = best->J;
    outcome->iterations = best->iterations;
    outcome->converged = best->converged;
    outcome->trace = result->trace;
    outcome->traces = result->traces;
    return ONEFOLD_OK;
}

/* One source and one partition for each view. */
static onefold_status keep_rule(of_outcome *outcome, const of_partition *partitions,
                                const of_cs_result *result, size_t p,
                                const onefold_fit_options *options)
{
    of_rule *rule = &outcome->rule;
    const of_projection **projection;
    OF_TRY(OF_NEW(&outcome->arena, &projection, p, 1));
    for (size_t i = 0; i < p; i++)
        projection[i] = partitions[i].projection;
    *rule = (of_rule){.dims = options->dims, .W = result->W, .beta = result->beta, .C = result->C};
    if (!of_counts(outcome->arena.context))
        rule->largest = of_largest_cluster(result->sizes, options->clusters);
    return of_rule_plain(&outcome->arena, p, projection, rule);
}

static onefold_status explain(of_context *context, const of_problem *problem,
                              const of_cs_problem *cs, const of_cs_result *result,
                              of_outcome *outcome)
{
    size_t n = cs->X->held, p = cs->p;
    const uint8_t *present = problem->dataset->present;
    int whole = !cs->options->bare && cs->mu <= OF_MOST_EXPLAINED;
    if (whole) {
        OF_TRY(OF_NEW(&outcome->arena, &outcome->own_labels, n, p));
        OF_TRY(OF_NEW(&outcome->arena, &outcome->confidence, n, 1));
    }
    if (cs->options->view_parts || cs->options->picture)
        OF_TRY(OF_NEW(&outcome->arena, &outcome->view_parts, n, p));
    if (!whole && !outcome->view_parts)
        return ONEFOLD_OK;
    OF_TRY(of_cs_explain(context, cs, result, outcome->own_labels, outcome->confidence,
                         outcome->view_parts));
    /* The stack scales samples that lack views; parts are those of the model, which does not. */
    for (size_t e = 0; outcome->view_parts && present && !of_counts(context) && e < n * p; e++)
        outcome->view_parts[e] /= of_missing_scale_sample(present + e / p * p, p);
    return ONEFOLD_OK;
}

/* Notes for the summary which work was done on the GPU. */
static onefold_status note_device(of_context *context, of_outcome *outcome, const of_stack *X,
                                  size_t p)
{
    char *note, ranks[64] = "";
    size_t gpus;
    if (X->type != OF_STACK_DEVICE)
        return ONEFOLD_OK;
    OF_TRY(of_device_count(context, X->samples, &gpus));
    if (of_comm_splits(context, X->samples))
        snprintf(ranks, sizeof ranks, " (%zu GPU%s, %d ranks)", gpus, gpus == 1 ? "" : "s",
                 context->comm.size);
    OF_TRY(of_arena_string(
        &outcome->arena, &note, "on %s%s: base partitions of %zu of %zu views, and the solver%s",
        X->use->info.name, ranks, X->made_there, p, X->streams ? ", samples streamed" : ""));
    outcome->note = note;
    return ONEFOLD_OK;
}

static onefold_status run_on(of_context *context, const of_problem *problem, of_arena *scratch,
                             of_stack *X, of_outcome *outcome)
{
    const onefold_fit_options *options = problem->options;
    onefold_fit_options solved = *options;
    size_t p = problem->dataset->view_count, k = options->dims;
    of_partition *partitions;
    solved.no_embedding |= of_comm_splits(context, problem->dataset->samples);
    OF_TRY(OF_NEW_ZERO(scratch, &partitions, p, 1));

    double began = of_clock_seconds();
    OF_TRY(of_base_stage(context, scratch, &outcome->arena, problem, X, partitions));
    outcome->seconds_base = of_clock_seconds() - began;

    of_cs_problem cs = {X, p, k, options->anchors, options->clusters, &solved, problem->bounds};
    of_cs_result result;
    OF_TRY(of_cs_run(context, &outcome->arena, &cs, NULL, NULL, &result));

    OF_TRY(note_device(context, outcome, X, p));
    outcome->labels = result.labels;
    outcome->embedding = result.H.held;
    outcome->embedding_rows = k;
    OF_TRY(of_cs_keep_restarts(outcome, &result));
    OF_TRY(explain(context, problem, &cs, &result, outcome));
    if (options->keep_model)
        OF_TRY(keep_rule(outcome, partitions, &result, p, options));
    OF_TRY(OF_NEW_ZERO(&outcome->arena, &outcome->views, p, 1));
    for (size_t i = 0; i < p; i++)
        outcome->views[i] = (onefold_view_fit){.route = of_route_public(partitions[i].route),
                                               .rank = partitions[i].rank,
                                               .residual = partitions[i].residual,
                                               .weight = of_counts(context) ? 0 : result.beta[i]};
    return ONEFOLD_OK;
}

/* Runs on the context's device, and again on the CPU where the GPU has too little memory. */
static onefold_status run(of_context *context, const of_problem *problem, of_outcome *outcome)
{
    of_device_use *held = context->device;
    for (int again = 0;; again = 1) {
        OF_SCRATCH(scratch, context);
        of_stack X = {.there = NULL};
        onefold_status status = run_on(context, problem, &scratch, &X, outcome);
        of_stack_leave(&X);
        if (again) {
            context->device = held;
            outcome->note = "by the CPU: the GPU has too little memory for it";
        } else if (status == ONEFOLD_NO_MEMORY &&
                   of_device_for(context, problem->dataset->samples) &&
                   of_device_gave_up(context)) {
            context->device = NULL;
            continue;
        }
        return status;
    }
}

const of_method of_method_os_lfmvc_cs = {
    .name = "os-lfmvc-cs",
    .title = "one-step late fusion with compressed subspace (the paper's method)",
    .work = count_work,
    .gpu_bytes = gpu_bytes,
    .run = run,
    .grid = "dims=1c|2c|4c,anchors=1c|2c|4c",
    .has_model = 1,
    .weights = OF_WEIGHTS_SQUARES,
    .has_view_parts = 1,
    .accepts_missing = 1,
    .can_split = 1,
    .uses_dims = 1,
    .uses_anchors = 1,
    .draws = "the starts of its restarts",
};
