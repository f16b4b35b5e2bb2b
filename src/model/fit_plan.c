/* SPDX-License-Identifier: Apache-2.0 */
/* From options and data to a checked problem: what is asked for, with which kernels, at what cost.
 */
#include "base/clock.h"
#include "base/comm.h"
#include "base/structs.h"
#include "data/present.h"
#include "linalg/blas.h"
#include "method/base_stage.h"
#include "model/explain.h"
#include "model/fit.h"
#include "model/model.h"
#include "model/picture_views.h"

#include <string.h>

static onefold_status check_numbers(const of_dataset *dataset, const onefold_fit_options *options)
{
    if (options->clusters < 1)
        return of_hint(of_fail(ONEFOLD_USAGE, "the number of clusters is not given, or is 0"),
                       "give `clusters`, at least 1");
    if (dataset->view_count == 0)
        return of_fail(ONEFOLD_BAD_DATA, "the data set has no view");
    if (dataset->unsettled)
        return of_hint(
            of_fail(ONEFOLD_USAGE, "the data may lack values, which were left for onefold_predict"),
            "read it without pass_once, and with another way to impute");
    if (dataset->samples < options->clusters)
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "%zu samples cannot make %zu clusters",
                               dataset->samples, options->clusters),
                       "ask for at most %zu clusters", dataset->samples);
    return ONEFOLD_OK;
}

void of_fit_resolve_sizes(const of_dataset *dataset, onefold_fit_options *options)
{
    if (!options->dims)
        options->dims = 2 * options->clusters;
    if (options->dims > dataset->samples)
        options->dims = dataset->samples;
    if (!options->anchors)
        options->anchors = 2 * options->clusters;
}

/* Reads "auto", "rbf" or "rbf,graph,..." into one kind per view. */
static onefold_status parse_kernels(const of_dataset *dataset, const char *text,
                                    of_kernel_kind *kinds)
{
    size_t count = 0;
    const char *at = text ? text : "auto";
    for (;;) {
        size_t length = strcspn(at, ",");
        char word[32];
        if (length >= sizeof word)
            return of_fail(ONEFOLD_USAGE, "there is no kernel '%.*s'", (int)length, at);
        memcpy(word, at, length);
        word[length] = '\0';
        of_kernel_kind kind;
        OF_TRY(of_kernel_parse(&kind, word));
        if (count < dataset->view_count)
            kinds[count] = kind;
        count++;
        if (at[length] == '\0')
            break;
        at += length + 1;
    }
    if (count == 1)
        for (size_t i = 1; i < dataset->view_count; i++)
            kinds[i] = kinds[0];
    else if (count != dataset->view_count)
        return of_hint(of_fail(ONEFOLD_USAGE, "%zu kernels are given for %zu views", count,
                               dataset->view_count),
                       "give one kernel for all views, or one for each");
    return ONEFOLD_OK;
}

/* Samples that lack views: the method has to take them, and every view needs some that have it. */
static onefold_status check_missing(const of_dataset *dataset, const of_fit_plan *plan)
{
    if (!dataset->present)
        return ONEFOLD_OK;
    OF_TRY(of_present_check(dataset));
    size_t lacking = 0;
    for (size_t j = 0; j < dataset->samples; j++)
        lacking +=
            memchr(dataset->present + j * dataset->view_count, 0, dataset->view_count) != NULL;
    if (!plan->method->accepts_missing)
        return of_hint(of_fail(ONEFOLD_BAD_DATA,
                               "%s needs every view of every sample, and %zu of "
                               "%zu samples lack some",
                               plan->method->name, lacking, dataset->samples),
                       "os-lfmvc-cs takes samples that lack views");
    for (size_t i = 0; i < dataset->view_count; i++) {
        size_t count = of_present_count(dataset, i);
        if (count < 2 || count < plan->options.dims)
            return of_hint(
                of_fail(ONEFOLD_BAD_DATA, "view '%s' has %zu sample%s, too few for %zu dimensions",
                        dataset->views[i].name, count, count == 1 ? "" : "s", plan->options.dims),
                "leave the view out with `views`, or give fewer `dims`");
    }
    return ONEFOLD_OK;
}

/* The kernels, or, for an estimate, as much of them as shapes tell. */
static onefold_status make_kernels(of_context *context, of_arena *arena, const of_dataset *dataset,
                                   int shapes, of_fit_plan *plan)
{
    of_kernel_kind *kinds;
    OF_TRY(OF_NEW(arena, &kinds, dataset->view_count, 1));
    OF_TRY(parse_kernels(dataset, plan->options.kernel, kinds));
    OF_TRY(OF_NEW_ZERO(arena, &plan->kernels, dataset->view_count, 1));
    size_t held = of_arena_bytes(arena);
    for (size_t i = 0; i < dataset->view_count; i++) {
        const of_view *view;
        onefold_status status;
        if (shapes) {
            status = of_kernel_shape(arena, dataset, i, kinds[i], &plan->kernels[i],
                                     &plan->kernel_bytes);
        } else {
            OF_TRY(of_kernel_view(arena, dataset, i, kinds[i], &view));
            status = of_kernel_make(context, arena, view, kinds[i], plan->options.seed,
                                    &plan->kernels[i]);
        }
        if (status != ONEFOLD_OK)
            return of_blame(status, "view '%s'", dataset->views[i].name);
    }
    if (!shapes)
        plan->kernel_bytes = of_arena_bytes(arena) - held;
    return ONEFOLD_OK;
}

static onefold_status estimate_peak(of_context *context, of_fit_plan *plan)
{
    size_t method_bytes;
    OF_TRY(plan->method->estimate(context, &plan->problem, &method_bytes, &plan->estimate.seconds));
    size_t explain_bytes, own_bytes, picture_bytes;
    OF_TRY(of_explain_names_bytes(context, plan, &explain_bytes));
    OF_TRY(of_explain_own_bytes(context, plan, &own_bytes));
    method_bytes = own_bytes > method_bytes ? own_bytes : method_bytes;
    OF_TRY(of_picture_views_bytes(context, plan, &picture_bytes));
    OF_TRY(of_size_add(&method_bytes, method_bytes, picture_bytes));
    if (plan->options.keep_model) {
        size_t held;
        OF_TRY(of_model_estimate_bytes(context, plan->method, &plan->problem,
                                       &plan->estimate.model_bytes, &held));
        OF_TRY(of_size_add(&method_bytes, method_bytes, held));
    }
    OF_TRY(of_size_add(&plan->estimate.peak_bytes, plan->estimate.input_bytes, plan->kernel_bytes));
    OF_TRY(of_size_add(&plan->estimate.peak_bytes, plan->estimate.peak_bytes, explain_bytes));
    OF_TRY(of_size_add(&plan->estimate.peak_bytes, plan->estimate.peak_bytes, method_bytes));
    return ONEFOLD_OK;
}

/* What the plan will hold; partitions that the limit has no room for are spilled where that is
 * allowed. */
static onefold_status estimate_memory(of_context *context, of_fit_plan *plan)
{
    const of_dataset *dataset = plan->problem.dataset;
    onefold_estimate_info *estimate = &plan->estimate;
    size_t number = plan->options.precision == ONEFOLD_SINGLE ? sizeof(float) : sizeof(double);
    for (size_t i = 0; i < dataset->view_count; i++)
        OF_TRY(of_size_add(&estimate->input_bytes, estimate->input_bytes,
                           of_view_bytes(&dataset->views[i])));
    if (plan->method->partition_bytes)
        OF_TRY(plan->method->partition_bytes(&plan->problem, &estimate->partition_bytes));
    else
        OF_TRY(of_size_multiply(&estimate->partition_bytes, dataset->samples,
                                number * dataset->view_count * plan->options.dims));
    OF_TRY(estimate_peak(context, plan));
    if (plan->method->card_bytes)
        OF_TRY(plan->method->card_bytes(context, &plan->problem, &estimate->card_bytes));
    if (!plan->options.spill || !plan->method->can_spill || !context->memory_limit ||
        estimate->peak_bytes <= context->memory_limit)
        return ONEFOLD_OK;
    plan->problem.spill = plan->options.spill;
    estimate->spill_bytes = estimate->partition_bytes;
    estimate->card_bytes = 0; /* which takes no part in what is spilled */
    return estimate_peak(context, plan);
}

static onefold_status make(of_context *context, of_arena *arena, const of_dataset *dataset,
                           const onefold_fit_options *options, int shapes, of_fit_plan *plan)
{
    memset(plan, 0, sizeof *plan);
    OF_TRY(of_fit_options_copy(&plan->options, options));
    OF_TRY(check_numbers(dataset, &plan->options));
    OF_TRY(of_fit_options_resolve(arena, &plan->options, &plan->method, &plan->own));
    of_fit_resolve_sizes(dataset, &plan->options);
    const onefold_fit_options standard = ONEFOLD_FIT_OPTIONS_INIT;
    if (plan->method->restarts && plan->options.restarts == standard.restarts &&
        plan->options.effort != ONEFOLD_EFFORT_THOROUGH)
        plan->options.restarts = plan->method->restarts;
    const of_beta_bounds *bounds;
    OF_TRY(of_beta_bounds_parse(arena, plan->options.weights, plan->method->weights,
                                dataset->view_count, &bounds));
    OF_TRY(check_missing(dataset, plan));
    double began = of_clock_seconds();
    OF_TRY(make_kernels(context, arena, dataset, shapes, plan));
    plan->estimate.seconds_prepare = shapes ? 0 : of_clock_seconds() - began;
    plan->problem = (of_problem){.dataset = dataset,
                                 .kernels = plan->kernels,
                                 .options = &plan->options,
                                 .own = plan->own,
                                 .bounds = bounds};
    OF_TRY(of_base_stage_decide(arena, &plan->problem));
    plan->estimate.method = plan->method->name;
    plan->estimate.samples = dataset->samples;
    plan->estimate.views = dataset->view_count;
    plan->estimate.clusters = plan->options.clusters;
    plan->estimate.dims = plan->options.dims;
    plan->estimate.anchors = plan->options.anchors;
    plan->estimate.restarts = plan->options.restarts;
    plan->estimate.threads = context->threads;
    return estimate_memory(context, plan);
}

onefold_status of_fit_plan_make(of_context *context, of_arena *arena, const of_dataset *dataset,
                                const onefold_fit_options *options, of_fit_plan *plan)
{
    return make(context, arena, dataset, options, 0, plan);
}

onefold_status of_fit_plan_shapes(of_context *context, of_arena *arena, const of_dataset *dataset,
                                  const onefold_fit_options *options, of_fit_plan *plan)
{
    return make(context, arena, dataset, options, 1, plan);
}
