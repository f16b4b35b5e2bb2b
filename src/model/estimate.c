/* SPDX-License-Identifier: Apache-2.0 */
/* What a fit would do and take: the plan of it, kept without its kernels. */
#include "base/blas_threads.h"
#include "base/comm.h"
#include "base/device.h"
#include "base/public_call.h"
#include "base/structs.h"
#include "model/fit.h"
#include "model/fit_device.h"
#include "model/result.h"

struct onefold_estimate {
    of_arena arena; /* of everything below, and of the estimate itself */
    onefold_estimate_info info;
    onefold_estimate_view_info *view;
};

onefold_status of_fit_check_memory(of_context *context, const onefold_estimate_info *estimate)
{
    /* a process that has a share of the samples needs at least its share of this */
    size_t least = estimate->least_bytes;
    const of_method *method;
    OF_TRY(of_method_find(&method, estimate->method));
    if (of_comm_splits(context, estimate->samples))
        least /= (size_t)context->comm.size;
    if (!context->memory_limit || least <= context->memory_limit)
        return ONEFOLD_OK;
    return of_method_refuse_memory(context, method, least, estimate->samples,
                                   estimate->spill_bytes > 0);
}

/* What each view is, and by which route it will be worked. */
static onefold_status keep_views(onefold_estimate *estimate, const of_fit_plan *plan,
                                 const of_method_estimate *estimated)
{
    const of_dataset *dataset = plan->problem.dataset;
    OF_TRY(OF_NEW_ZERO(&estimate->arena, &estimate->view, dataset->view_count, 1));
    for (size_t i = 0; i < dataset->view_count; i++) {
        onefold_estimate_view_info *view = &estimate->view[i];
        char *name;
        OF_TRY(of_arena_string(&estimate->arena, &name, "%s", dataset->views[i].name));
        view->struct_size = sizeof *view;
        view->name = name;
        view->storage = dataset->views[i].storage;
        view->kernel = of_kernel_title(&plan->kernels[i]);
        view->columns = dataset->views[i].columns;
        if (!estimated->views)
            continue;
        view->route = of_route_public(estimated->views[i].route);
        view->passes = estimated->views[i].passes;
        view->landmarks = estimated->views[i].landmarks;
        view->seconds = estimated->views[i].seconds;
    }
    return ONEFOLD_OK;
}

/* About how long it will take here. */
static onefold_status estimate_time(of_context *context, of_arena *arena, of_fit_plan *plan,
                                    of_method_estimate *estimated)
{
    onefold_estimate_info *info = &plan->estimate;
    if (plan->method->estimate_time) {
        OF_TRY(plan->method->estimate_time(context, arena, &plan->problem, estimated));
        OF_TRY(of_fit_choose_device(context, plan, estimated));
        if (of_device_waits(context) && plan->method->card_bytes) /* it has been opened only now */
            OF_TRY(plan->method->card_bytes(context, &plan->problem, &info->card_bytes));
    } else {
        estimated->seconds_fit = info->seconds;
    }
    info->seconds_base = estimated->seconds_base;
    info->seconds_fit = estimated->seconds_fit;
    info->iterations = estimated->iterations;
    info->passes = estimated->passes;
    info->has_time = estimated->seconds_base + estimated->seconds_fit > 0;
    info->seconds = info->has_time
                        ? info->seconds_prepare + estimated->seconds_base + estimated->seconds_fit
                        : 0;
    return ONEFOLD_OK;
}

typedef struct estimate_arguments {
    onefold_estimate *estimate;
    const of_dataset *dataset;
    const onefold_fit_options *options;
    int measure;
} estimate_arguments;

static onefold_status make(of_context *context, void *opaque)
{
    const estimate_arguments *of = opaque;
    onefold_estimate *estimate = of->estimate;
    OF_SCRATCH(scratch, context);
    of_fit_plan plan;
    of_method_estimate estimated = {0};
    if (of->measure) {
        OF_TRY(of_blas_room(context->threads));
        OF_TRY(of_fit_plan_make(context, &scratch, of->dataset, of->options, &plan));
        OF_TRY(estimate_time(context, &scratch, &plan, &estimated));
    } else {
        OF_TRY(of_fit_plan_shapes(context, &scratch, of->dataset, of->options, &plan));
        plan.estimate.seconds = 0;
    }
    estimate->info = plan.estimate;
    return keep_views(estimate, &plan, &estimated);
}

onefold_status onefold_fit_estimate(onefold_estimate **estimate, onefold_context *context,
                                    const onefold_dataset *dataset,
                                    const onefold_fit_options *options, int measure)
{
    if (!estimate || !dataset || !options)
        return of_fail(ONEFOLD_USAGE,
                       "onefold_fit_estimate needs a place for the estimate, a data set and "
                       "options");
    context = of_context_or_default(context);
    of_arena arena = of_arena_make(context);
    onefold_estimate *made;
    OF_TRY(OF_NEW_ZERO(&arena, &made, 1, 1));
    made->arena = arena; /* it lives in its own arena */
    estimate_arguments arguments = {made, &dataset->set, options, measure};
    onefold_status status = of_call(context, "estimate", make, &arguments);
    if (status == ONEFOLD_OK)
        *estimate = made;
    else
        onefold_estimate_free(made);
    return status;
}

void onefold_estimate_free(onefold_estimate *estimate)
{
    if (!estimate)
        return;
    of_arena arena = estimate->arena;
    of_arena_free(&arena);
}

onefold_status onefold_estimate_describe(const onefold_estimate *estimate,
                                         onefold_estimate_info *info)
{
    if (!estimate || !info)
        return of_fail(ONEFOLD_USAGE,
                       "onefold_estimate_describe needs an estimate and a place for the info");
    return OF_STRUCT_WRITE(info, &estimate->info, onefold_estimate_info);
}

onefold_status onefold_estimate_view(const onefold_estimate *estimate, size_t index,
                                     onefold_estimate_view_info *info)
{
    if (!estimate || !info)
        return of_fail(ONEFOLD_USAGE, "onefold_estimate_view needs an estimate and a place for it");
    return OF_WRITE_AT(info, estimate->view, index, estimate->info.views,
                       onefold_estimate_view_info, "view");
}

onefold_status onefold_estimate_check_memory(const onefold_estimate *estimate)
{
    if (!estimate)
        return of_fail(ONEFOLD_USAGE, "onefold_estimate_check_memory needs an estimate");
    return of_fit_check_memory(estimate->arena.context, &estimate->info);
}
