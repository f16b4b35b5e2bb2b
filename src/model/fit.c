/* SPDX-License-Identifier: Apache-2.0 */
/* onefold_fit: checks between processes, the plan, the method, the model, the result. */
#include "model/fit.h"

#include "base/blas_threads.h"
#include "base/comm.h"
#include "base/context.h"
#include "base/device.h"
#include "base/team.h"
#include "data/dataset.h"
#include "model/model.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* ---- checks before several processes fit ----------------------------------------------------- */

/* Refuses data and options that differ between processes. Data are compared by shapes and by
 * values; where samples are split, by those of the first samples, which every process reads. */
static onefold_status check_same(of_context *context, const of_dataset *dataset,
                                 const onefold_fit_options *options)
{
    OF_SCRATCH(scratch, context);
    size_t most = of_comm_splits(context, dataset->samples) ? OF_FINGERPRINT_SAMPLES : SIZE_MAX;
    char *data, *chosen, print[OF_FINGERPRINT];
    OF_TRY(of_arena_string(&scratch, &data, "%zu %zu %d\n", dataset->samples, dataset->view_count,
                           dataset->present != NULL));
    for (size_t i = 0; i < dataset->view_count; i++) {
        const of_view *view = &dataset->views[i];
        OF_TRY(of_arena_string(&scratch, &data, "%s%d %d %zu %s\n", data, view->storage, view->type,
                               view->columns, view->name));
    }
    OF_TRY(of_dataset_fingerprint(context, dataset, most, print));
    OF_TRY(of_arena_string(&scratch, &data, "%s%s\n", data, print));
    OF_TRY(of_comm_same(context, data, strlen(data), "data"));
    OF_TRY(of_fit_options_text(&scratch, options, &chosen));
    OF_TRY(of_arena_string(&scratch, &chosen, "%s%s\n", chosen,
                           !context->device           ? "cpu"
                           : of_device_waits(context) ? "auto"
                                                      : "gpu"));
    return of_comm_same(context, chosen, strlen(chosen), "options");
}

/* Refuses different data or options, and samples that are split where the method or missing views
 * do not allow it. */
static onefold_status check_processes(of_context *context, const of_dataset *dataset,
                                      const onefold_fit_options *options)
{
    const of_method *method;
    onefold_fit_options all;
    if (context->comm.size <= 1)
        return ONEFOLD_OK;
    OF_TRY(of_fit_options_copy(&all, options));
    OF_TRY(check_same(context, dataset, &all));
    if (!of_comm_splits(context, dataset->samples))
        return ONEFOLD_OK;
    OF_TRY(of_comm_check(context, dataset->samples));
    OF_TRY(of_method_find(&method, all.method));
    if (!method->can_split)
        return of_hint(of_fail(ONEFOLD_UNSUPPORTED,
                               "%s is not split over processes, and %zu samples are", method->name,
                               dataset->samples),
                       "start one process, or take the method os-lfmvc-cs");
    if (dataset->present)
        return of_hint(of_fail(ONEFOLD_UNSUPPORTED,
                               "samples that lack a view are not split over processes, and %zu "
                               "samples are",
                               dataset->samples),
                       "start one process");
    return ONEFOLD_OK;
}

/* ---- the result ------------------------------------------------------------------------------ */

/* Labels of this process's samples. */
typedef struct label_task {
    const of_dataset *dataset;
    const onefold_fit_info *info;
    const int32_t *labels;
    of_range own;
} label_task;
enum { LABELS = 1 << 16 };

/* counts: sizes of the clusters, then the upper and lower half of the sum for the run's number. */
static onefold_status add_labels(void *opaque, size_t piece, double *counts)
{
    const label_task *task = opaque;
    const char *const *names = task->dataset->sample_names;
    size_t mu = task->info->clusters, begin = task->own.first + piece * LABELS,
           end = of_size_least(begin + LABELS, task->own.end);
    uint64_t sum = 0;
    for (size_t j = begin; j < end; j++) {
        int32_t label = task->labels[j - task->own.first];
        if (label < 0 || (size_t)label >= mu)
            return of_fail(ONEFOLD_FAULT, "%s gave sample %zu the label %d", task->info->method,
                           j + 1, label);
        counts[label]++;
        sum += of_run_part(names ? names[j] : NULL, names ? strlen(names[j]) : 0, j, label);
    }
    counts[mu] += (double)(sum >> 32);
    counts[mu + 1] += (double)(uint32_t)sum;
    return ONEFOLD_OK;
}

/* Sizes of the clusters and the run's number, over all processes. */
static onefold_status count_labels(of_arena *arena, const of_dataset *dataset,
                                   const int32_t *labels, onefold_fit_info *info, uint64_t *run)
{
    OF_SCRATCH(scratch, arena->context);
    label_task task = {dataset, info, labels, of_comm_own(arena->context, info->samples)};
    size_t *sizes, mu = info->clusters, held = task.own.end - task.own.first;
    double *counts;
    OF_TRY(OF_NEW(arena, &sizes, mu, 1));
    OF_TRY(OF_NEW(&scratch, &counts, mu + 2, 1));
    OF_TRY(of_team_sum(arena->context, (held + LABELS - 1) / LABELS, add_labels, &task, mu + 2,
                       counts));
    OF_TRY(of_comm_total(arena->context, info->samples, mu + 2, counts));
    for (size_t c = 0; c < mu; c++) {
        sizes[c] = (size_t)counts[c];
        info->clusters_used += sizes[c] > 0;
    }
    info->sizes = sizes;
    *run = of_run_end(((uint64_t)counts[mu] << 32) + (uint64_t)counts[mu + 1], info->samples);
    return ONEFOLD_OK;
}

onefold_status of_fit_collect(const of_fit_plan *plan, of_outcome *outcome)
{
    of_arena *arena = &outcome->arena;
    size_t n = plan->problem.dataset->samples, p = plan->problem.dataset->view_count;
    const struct {
        void **array;
        size_t size;
    } field[] = {{(void **)&outcome->labels, sizeof(int32_t)},
                 {(void **)&outcome->confidence, sizeof(double)},
                 {(void **)&outcome->view_parts, p * sizeof(double)}};
    for (size_t f = 0; f < sizeof field / sizeof *field; f++) {
        void *own = *field[f].array, *all = own;
        if (!own || !of_comm_splits(arena->context, n))
            continue;
        if (arena->context->comm.rank == 0) {
            OF_TRY(of_arena_allocate(arena, &all, field[f].size, n, 1));
            if (!of_counts(arena->context))
                memcpy(all, own, of_comm_own(arena->context, n).end * field[f].size);
            of_arena_release(arena, own);
        }
        OF_TRY(of_comm_collect(arena->context, all, field[f].size, n, (of_range){0, n}));
        *field[f].array = all;
    }
    return ONEFOLD_OK;
}

/* The method's note, or a note that the GPU is not used. A GPU without memory is always noted. */
static onefold_status note_device(of_arena *arena, size_t samples, const char *methods,
                                  const char **note)
{
    static const char full[] = "by the CPU: the GPU has no memory left";
    const of_context *context = arena->context;
    *note = methods                           ? methods
            : of_device_for(context, samples) ? "by the CPU: the method has no work for a GPU"
                                              : "";
    if (!context->device || !context->device->full)
        return ONEFOLD_OK;
    return OF_TEXT(arena, note, "%s%s%s", *note, methods ? "; " : "", full);
}

static onefold_status keep_result(onefold_result **result, const of_fit_plan *plan,
                                  of_outcome *outcome, onefold_model *model)
{
    const onefold_fit_options *options = &plan->options;
    const of_dataset *dataset = plan->problem.dataset;
    of_arena *arena = &outcome->arena;
    onefold_result *made;
    of_range held = of_comm_own(arena->context, dataset->samples);
    if (arena->context->comm.rank == 0)
        held.end = dataset->samples;
    uint64_t number = 0;
    char *run;
    OF_TRY(OF_NEW_ZERO(arena, &made, 1, 1));
    made->info = (onefold_fit_info){
        .model = model,
        .method = plan->method->name,
        .samples = dataset->samples,
        .clusters = options->clusters,
        .dims = plan->method->ends_in_kmeans ? 0 : outcome->embedding_rows,
        .anchors = plan->method->uses_anchors ? options->anchors : 0,
        .views = dataset->view_count,
        .seed = options->seed,
        .threads = arena->context->threads,
        .restarts = outcome->restarts,
        .best_restart = outcome->best_restart,
        .iterations = outcome->iterations,
        .converged = outcome->converged,
        .objective = outcome->objective,
        .trace = outcome->trace,
        .restart_objective = outcome->restart_objective,
        .restart_iterations = outcome->restart_iterations,
        .restart_clusters_used = outcome->restart_clusters_used,
        .embedding = outcome->embedding,
        .embedding_rows = outcome->embedding_rows,
        .seconds_base = outcome->seconds_base,
        .seconds_fit = outcome->seconds_fit,
        .seconds_labels = outcome->seconds_labels,
        .candidates = outcome->candidates,
        .stability = outcome->stability,
        .first = held.first,
        .held = held.end - held.first,
    };
    onefold_fit_info *info = &made->info;
    OF_TRY(note_device(arena, info->samples, outcome->note, &info->note));
    OF_TRY(count_labels(arena, dataset, outcome->labels, info, &number));
    OF_TRY(OF_NEW(arena, &run, OF_RUN_TEXT, 1));
    of_run_text(number, run);
    info->run = run;
    if (model) {
        model->run = number;
        of_run_text(number, model->run_text);
    }
    for (size_t i = 0; i < info->views; i++) {
        OF_TRY(of_fit_describe_view(arena, plan, i, &outcome->views[i]));
        outcome->views[i].missing = of_present_missing(dataset, i);
    }
    OF_TRY(of_explain(arena->context, plan, outcome, made));
    of_arena_release(arena, outcome->own_labels);
    if (!options->view_parts) /* they were made for the picture */
        outcome->view_parts = NULL;
    OF_TRY(of_fit_collect(plan, outcome));
    info->labels = outcome->labels;
    info->confidence = outcome->confidence;
    info->view_parts = outcome->view_parts;
    OF_TRY(OF_LIST(arena, &info->view, outcome->views, info->views));
    OF_TRY(OF_LIST(arena, &info->candidate, outcome->candidate, info->candidates));
    if (dataset->sample_names)
        OF_TRY(of_dataset_names_copy(arena, info->held, dataset->sample_names + info->first,
                                     &info->sample_names));
    made->finding = outcome->finding;
    if (made->finding.verdict)
        info->finding = &made->finding;
    made->picture = outcome->picture;
    made->arena = *arena; /* the result lives in its own arena */
    arena->blocks = NULL;
    *result = made;
    return ONEFOLD_OK;
}

/* Makes the model and labels all samples by it: those that were not fitted, and those with two best
 * scores so close that rounding in the fit may have chosen the other cluster. */
static onefold_status keep_model(of_context *context, const of_fit_plan *plan, of_outcome *outcome,
                                 onefold_model **model)
{
    OF_SCRATCH(scratch, context);
    const of_dataset *dataset = plan->problem.dataset;
    if (outcome->sampled && context->comm.size > 1) {
        onefold_model_info info = {.samples = outcome->sampled,
                                   .views = dataset->view_count,
                                   .clusters = plan->options.clusters,
                                   .precision = plan->options.precision};
        OF_TRY(of_rule_broadcast(&outcome->arena, info, &outcome->rule));
    }
    OF_TRY(of_model_make(context, &outcome->arena, plan, outcome, model));
    if ((*model)->rule.part != outcome->rule.part) /* replaced by of_model_step */
        OF_TRY(OF_TEXT(&outcome->arena, &outcome->note,
                       "%s; its centres took a step of k-means over all samples", outcome->note));
    onefold_prediction wanted = ONEFOLD_PREDICTION_INIT;
    wanted.labels = outcome->labels;
    wanted.view_part = outcome->view_parts;
    if (outcome->sampled) {
        wanted.confidence = outcome->confidence;
        wanted.embedding = outcome->embedding;
    }
    of_range own = of_comm_own(context, dataset->samples);
    if (plan->options.keep_model)
        OF_TRY(OF_NEW(&scratch, &wanted.distance, own.end - own.first, 1));
    return of_model_relabel(context, *model, dataset, &wanted);
}

typedef struct fit_arguments {
    onefold_result **result;
    const of_dataset *dataset;
    const onefold_fit_options *options;
} fit_arguments;

/* ---- the fit --------------------------------------------------------------------------------- */

/* The plan, within the limits of memory. */
static onefold_status make_plan(of_context *context, of_arena *arena, const fit_arguments *call,
                                of_fit_plan *plan)
{
    OF_TRY(of_blas_room(context->threads));
    OF_TRY(check_processes(context, call->dataset, call->options));
    OF_TRY(of_fit_plan_make(context, arena, call->dataset, call->options, plan));
    OF_TRY(of_fit_plan_check(context, plan));
    return of_fit_consider_device(context, plan);
}

/* The result of a method that began at that time, with its model. */
static onefold_status keep(of_context *context, const of_fit_plan *plan, double began,
                           of_outcome *outcome, onefold_result **result)
{
    onefold_model *model = NULL;
    int keeps = plan->options.keep_model;
    if (keeps || outcome->sampled || (outcome->view_parts && outcome->rule.parts))
        OF_TRY(keep_model(context, plan, outcome, &model));
    OF_TRY(of_stability_make(context, plan, outcome));
    if (model) {
        model->rule.knots = outcome->rule.knots;
        model->rule.margin = outcome->rule.margin;
        model->rule.share = outcome->rule.share;
    }
    outcome->seconds_fit = of_clock_seconds() - began - outcome->seconds_base;
    return keep_result(result, plan, outcome, keeps ? model : NULL);
}

static onefold_status fit_together(of_context *context, void *opaque)
{
    const fit_arguments *call = opaque;
    OF_SCRATCH(scratch, context);
    of_outcome outcome = {.arena = of_arena_make(context)};
    of_fit_plan plan;
    onefold_result *made = NULL;
    onefold_status status = make_plan(context, &scratch, call, &plan);
    double began = of_clock_seconds();
    if (status == ONEFOLD_OK)
        status = plan.method->run(context, &plan.problem, &outcome);
    if (status == ONEFOLD_OK)
        status = keep(context, &plan, began, &outcome, &made);
    of_arena_free(&outcome.arena);
    status = of_comm_agree(context, of_dataset_intact(call->dataset, status));
    return of_object_give(call->result, made, status);
}

onefold_status onefold_fit(onefold_result **result, onefold_context *context,
                           const onefold_dataset *dataset, const onefold_fit_options *options)
{
    if (!result || !dataset || !options)
        return of_fail(ONEFOLD_USAGE,
                       "onefold_fit needs a place for the result, a data set and options");
    fit_arguments arguments = {result, &dataset->set, options};
    return of_call(of_context_or_default(context), "fit", fit_together, &arguments);
}

void onefold_result_free(onefold_result *result)
{
    of_object_free(result);
}

const onefold_fit_info *onefold_result_describe(const onefold_result *result)
{
    return result ? &result->info : NULL;
}

const onefold_column *onefold_result_column(const onefold_result *result, size_t view,
                                            size_t cluster, size_t rank)
{
    if (!result || !result->column_count || view >= result->info.views ||
        cluster >= result->info.clusters)
        return NULL;
    size_t place = cluster * result->info.views + view;
    return rank < result->column_count[place] ? &result->column[place * result->info.explain + rank]
                                              : NULL;
}
