/* SPDX-License-Identifier: Apache-2.0 */
/* From options and data to a checked problem, with its kernels and its estimate. */
#include "base/blas_threads.h"
#include "base/comm.h"
#include "base/context.h"
#include "base/device.h"
#include "base/status.h"
#include "base/team.h"
#include "data/dataset.h"
#include "kernel/kernel.h"
#include "linalg/blas.h"
#include "method/base_stage.h"
#include "model/fit.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- options of a fit ------------------------------------------------------------------------ */

#define OPTION(name, is_text)                                                                      \
    {                                                                                              \
#name, offsetof(onefold_fit_options, name), sizeof((const onefold_fit_options *)0)->name,  \
            is_text                                                                                \
    }

static const struct {
    const char *name;
    size_t offset, size;
    int is_text; /* const char *, may be NULL; otherwise a number */
} option_table[] = {
    OPTION(clusters, 0),       OPTION(method, 1),       OPTION(method_options, 1),
    OPTION(kernel, 1),         OPTION(dims, 0),         OPTION(anchors, 0),
    OPTION(restarts, 0),       OPTION(start, 0),        OPTION(variant, 0),
    OPTION(nonneg, 0),         OPTION(stop, 0),         OPTION(tolerance, 0),
    OPTION(max_iterations, 0), OPTION(base, 0),         OPTION(landmarks, 0),
    OPTION(precision, 0),      OPTION(seed, 0),         OPTION(keep_model, 0),
    OPTION(explain, 0),        OPTION(bare, 0),         OPTION(picture, 0),
    OPTION(weights, 1),        OPTION(view_parts, 0),   OPTION(neighbours, 0),
    OPTION(effort, 0),         OPTION(no_embedding, 0),
};
enum { OPTIONS = sizeof option_table / sizeof *option_table, OPTION_ROOM = 24 };

/* The value of an option as text, different for different values; NULL is "". `room` holds the text
 * of a number. */
static const char *option_text(size_t option, const onefold_fit_options *options,
                               char room[OPTION_ROOM])
{
    const void *value = (const char *)options + option_table[option].offset;
    uint64_t bits = 0;
    if (option_table[option].is_text)
        return *(const char *const *)value ? *(const char *const *)value : "";
    memcpy(&bits, value, option_table[option].size);
    snprintf(room, OPTION_ROOM, "%llx", (unsigned long long)bits);
    return room;
}

onefold_status of_fit_options_text(of_arena *arena, const onefold_fit_options *options, char **text)
{
    char room[OPTION_ROOM];
    *text = "";
    for (size_t i = 0; i < OPTIONS; i++)
        OF_TRY(of_arena_string(arena, text, "%s%s=%s\n", *text, option_table[i].name,
                               option_text(i, options, room)));
    return ONEFOLD_OK;
}

onefold_status of_fit_options_copy(onefold_fit_options *copy, const onefold_fit_options *options)
{
    *copy = (onefold_fit_options)ONEFOLD_FIT_OPTIONS_INIT;
    return OF_STRUCT_READ(copy, options, onefold_fit_options);
}

/* Whether a word is in a list that is separated by blanks. */
static int is_listed(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return 1;
    return 0;
}

/* The first option that differs from `standard` and is (`listed`) or is not in the list. */
static const char *first_changed(const onefold_fit_options *options,
                                 const onefold_fit_options *standard, const char *list, int listed)
{
    for (size_t i = 0; i < OPTIONS; i++) {
        char ours[OPTION_ROOM], theirs[OPTION_ROOM];
        if (is_listed(list, option_table[i].name) == listed &&
            strcmp(option_text(i, options, ours), option_text(i, standard, theirs)) != 0)
            return option_table[i].name;
    }
    return NULL;
}

onefold_status of_fit_options_refuse(const onefold_fit_options *options,
                                     const onefold_fit_options *standard, const char *used,
                                     const char *who)
{
    const char *name = first_changed(options, standard, used, 0);
    return !name ? ONEFOLD_OK
                 : of_hint(of_fail(ONEFOLD_USAGE, "%s does not use the option %s", who, name),
                           "leave out `%s`", name);
}

void of_fit_options_drop(onefold_fit_options *options, const of_method *method)
{
    const onefold_fit_options standard = ONEFOLD_FIT_OPTIONS_INIT;
    for (size_t i = 0; method->unused && i < OPTIONS; i++)
        if (is_listed(method->unused, option_table[i].name))
            memcpy((char *)options + option_table[i].offset,
                   (const char *)&standard + option_table[i].offset, option_table[i].size);
}

/* The kernels of "rbf,graph,..." (NULL: "auto"). *count is their number, of which the first `room`
 * are stored. */
static onefold_status parse_kernels(const char *list, size_t room, of_kernel_kind *kinds,
                                    size_t *count)
{
    *count = 0;
    for (const char *at = list ? list : "auto"; at; ++*count) {
        char name[64];
        size_t length = strcspn(at, ",");
        of_kernel_kind kind;
        snprintf(name, sizeof name, "%.*s", (int)(length < 63 ? length : 63), at);
        OF_TRY(of_kernel_parse(&kind, name));
        if (*count < room)
            kinds[*count] = kind;
        at = at[length] ? at + length + 1 : NULL;
    }
    return ONEFOLD_OK;
}

/* Checks that each choice has one of its values. */
static onefold_status check_choices(const onefold_fit_options *options)
{
    const char *wrong = !onefold_name(ONEFOLD_NAMES_START, options->start)           ? "start"
                        : !onefold_name(ONEFOLD_NAMES_VARIANT, options->variant)     ? "variant"
                        : !onefold_name(ONEFOLD_NAMES_STOP, options->stop)           ? "stop"
                        : !onefold_name(ONEFOLD_NAMES_BASE, options->base)           ? "base"
                        : !onefold_name(ONEFOLD_NAMES_PRECISION, options->precision) ? "precision"
                        : (unsigned)options->effort > ONEFOLD_EFFORT_THOROUGH        ? "effort"
                                                                                     : NULL;
    return wrong ? of_fail(ONEFOLD_USAGE,
                           "the option %s has a value that is not one of its choices", wrong)
                 : ONEFOLD_OK;
}

/* Checks options without data, finds the method, and reads its own options into `arena`. */
static onefold_status fit_options_resolve(of_arena *arena, const onefold_fit_options *all,
                                          const of_method **found, double **own)
{
    const onefold_fit_options standard = ONEFOLD_FIT_OPTIONS_INIT;
    const of_method *method;
    size_t kernels;
    OF_TRY(parse_kernels(all->kernel, 0, NULL, &kernels));
    OF_TRY(of_method_find(&method, all->method));
    if (all->dims && all->dims < all->clusters)
        return of_hint(of_fail(ONEFOLD_USAGE,
                               "a base partition of %zu dimensions is too small for %zu clusters",
                               all->dims, all->clusters),
                       "give `dims` %zu or more, or leave it out", all->clusters);
    if (all->max_iterations < 1)
        return of_fail(ONEFOLD_USAGE,
                       "the number of iterations allowed is 0; it must be at least 1");
    if (!(all->tolerance >= 0) || isinf(all->tolerance))
        return of_fail(ONEFOLD_USAGE, "the tolerance must be 0 or more, and finite");
    OF_TRY(check_choices(all));
    if (all->keep_model && !method->has_model)
        return of_hint(of_fail(ONEFOLD_USAGE, "the method %s has no model", method->name),
                       "leave out `keep_model`, or use `method` onefold or os-lfmvc-cs");
    const char *unused = method->unused ? first_changed(all, &standard, method->unused, 1) : NULL;
    if (unused)
        return of_hint(of_fail(ONEFOLD_USAGE, "the method %s does not use the option %s",
                               method->name, unused),
                       "leave out `%s`, or use `method` os-lfmvc-cs", unused);
    if (all->weights && method->weights == OF_WEIGHTS_NONE)
        return of_hint(of_fail(ONEFOLD_USAGE,
                               "the method %s has no weights that could be fixed: %s", method->name,
                               method->why_no_weights),
                       "leave out `weights`, or use `method` onefold or os-lfmvc-cs");
    if (all->view_parts && !method->has_view_parts)
        return of_hint(of_fail(ONEFOLD_USAGE, "the method %s has no parts of views", method->name),
                       "leave out `view_parts`, or use `method` onefold or os-lfmvc-cs");
    *found = method;
    OF_TRY(OF_NEW(arena, own, method->option_count, 1));
    return of_method_parse_options(method, all->method_options, *own);
}

onefold_status onefold_fit_options_check(const onefold_fit_options *options)
{
    onefold_fit_options all;
    const of_method *method;
    double *own;
    if (!options)
        return of_fail(ONEFOLD_USAGE, "onefold_fit_options_check was given no options");
    OF_TRY(of_fit_options_copy(&all, options));
    OF_SCRATCH(scratch, of_context_or_default(NULL));
    return fit_options_resolve(&scratch, &all, &method, &own);
}

static onefold_status check_numbers(const of_dataset *dataset, const onefold_fit_options *options)
{
    if (options->clusters < 1)
        return of_hint(of_fail(ONEFOLD_USAGE, "the number of clusters is not given, or is 0"),
                       "give `clusters`, at least 1");
    if (dataset->view_count == 0)
        return of_fail(ONEFOLD_BAD_DATA, "the data set has no view");
    if (dataset->unsettled)
        return of_hint(
            of_fail(
                ONEFOLD_USAGE,
                "missing values were not checked, because the data was read for onefold_predict"),
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

/* Checks that the method accepts missing views, and that every view has enough samples. */
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
                       "the methods onefold and os-lfmvc-cs accept missing views");
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

/* Makes the kernels: one kind for all views, or one for each. */
static onefold_status make_kernels(of_context *context, of_arena *arena, const of_dataset *dataset,
                                   of_fit_plan *plan)
{
    of_kernel_kind *kinds;
    size_t views = dataset->view_count, count;
    OF_TRY(OF_NEW(arena, &kinds, views, 1));
    OF_TRY(parse_kernels(plan->options.kernel, views, kinds, &count));
    if (count != 1 && count != views)
        return of_hint(of_fail(ONEFOLD_USAGE, "%zu kernels are given for %zu views", count, views),
                       "give one kernel for all views, or one for each");
    for (size_t i = count; i < views; i++)
        kinds[i] = kinds[0];
    OF_TRY(OF_NEW_ZERO(arena, &plan->kernels, views, 1));
    size_t held = of_arena_bytes(arena);
    for (size_t i = 0; i < views; i++) {
        const of_view *view;
        OF_TRY(of_kernel_view(arena, dataset, i, kinds[i], &view));
        onefold_status status = of_kernel_make(context, arena, view, kinds[i], &plan->kernels[i]);
        if (status != ONEFOLD_OK)
            return of_blame(status, "view '%s'", dataset->views[i].name);
    }
    plan->kernel_bytes = of_arena_bytes(arena) - held;
    return ONEFOLD_OK;
}

/* What labels samples by the model, which is not run: a block of each worker, and distances. */
static onefold_status count_predictor(of_context *counting, size_t samples)
{
    enum { BLOCK = 4 << 20 }; /* most bytes of a worker of the predictor (predict.c) */
    OF_SCRATCH(scratch, counting);
    double *blocks, *distance;
    return OF_NEW_ALL(&scratch, {&blocks, (size_t)of_team_size(counting), BLOCK / sizeof *blocks},
                      {&distance, samples, 1});
}

/* Runs the fit, from its method to its result, in a context that counts bytes. */
static onefold_status count_fit(of_context *counting, of_fit_plan *plan, of_outcome *outcome)
{
    const of_dataset *dataset = plan->problem.dataset;
    onefold_model *model;
    onefold_result result = {
        .info = {.views = dataset->view_count,
                 .samples = dataset->samples,
                 .clusters = plan->options.clusters},
    };
    OF_TRY(plan->method->run(counting, &plan->problem, outcome));
    if (plan->options.keep_model || outcome->sampled) {
        OF_TRY(of_model_make(counting, &outcome->arena, plan, outcome, &model));
        plan->estimate.model_bytes = plan->options.keep_model ? model->info.bytes : 0;
        OF_TRY(count_predictor(counting, dataset->samples));
    }
    OF_TRY(of_explain(counting, plan, outcome, &result));
    return of_fit_collect(plan, outcome);
}

static onefold_status estimate_peak(of_context *context, of_fit_plan *plan)
{
    enum { SMALL = 64 << 10 }; /* the plan and names; tables of clusters are added below */
    size_t counted, views = plan->problem.dataset->view_count,
                    mu = of_size_least(plan->options.clusters, OF_MOST_EXPLAINED),
                    partitions = plan->method->partitions ? plan->method->partitions : views;
    OF_COUNTING(counting, context);
    atomic_fetch_add(&context->plans, 1);
    of_outcome outcome = {.arena = of_arena_make(counting)};
    onefold_status status = count_fit(counting, plan, &outcome);
    if (status == ONEFOLD_OK)
        status = of_size_multiply(
            &plan->estimate.partition_bytes,
            outcome.sampled ? outcome.sampled : plan->problem.dataset->samples,
            (plan->options.precision == ONEFOLD_SINGLE ? sizeof(float) : sizeof(double)) *
                partitions * plan->options.dims);
    of_arena_free(&outcome.arena);
    OF_TRY(status);
    OF_TRY(of_size_add(&counted, of_count_peak(counting),
                       SMALL + 3 * mu * (mu + views) * sizeof(double)));
    OF_TRY(of_size_add(&plan->estimate.peak_bytes, plan->estimate.input_bytes, plan->kernel_bytes));
    return of_size_add(&plan->estimate.peak_bytes, plan->estimate.peak_bytes, counted);
}

onefold_status of_fit_plan_memory(of_context *context, of_fit_plan *plan)
{
    const of_dataset *dataset = plan->problem.dataset;
    onefold_estimate_info *estimate = &plan->estimate;
    for (size_t i = 0; i < dataset->view_count; i++)
        OF_TRY(of_size_add(&estimate->input_bytes, estimate->input_bytes,
                           of_view_bytes(&dataset->views[i])));
    OF_TRY(estimate_peak(context, plan));
    return plan->method->gpu_bytes
               ? plan->method->gpu_bytes(context, &plan->problem, &estimate->gpu_bytes)
               : ONEFOLD_OK;
}

/* Sets the seconds of the plan's work, at the rates of `gpu` for the parts that run there. Returns
 * their sum. */
static double time_stages(of_fit_plan *plan, const of_work *cpu, const of_work *gpu)
{
    of_method_estimate *work = &plan->work;
    work->seconds_base = 0;
    for (size_t i = 0; i < plan->problem.dataset->view_count; i++) {
        of_partition_estimate *view = &work->views[i];
        view->seconds = of_work_seconds(&view->work, view->on_gpu ? gpu : cpu);
        work->seconds_base += view->times * view->seconds;
    }
    work->seconds_fit = of_work_seconds(&work->fit, gpu);
    return work->seconds_base + work->seconds_fit;
}

/* Seconds to start the driver of a GPU that is not open. */
static const double START = 0.3;

/* With fewer samples a GPU gains nothing, and even the estimates take tens of milliseconds. */
enum { LEAST = 1 << 14 };

/* Opens the GPU on all ranks if rank 0 says so, and uses it if every rank has one. */
static onefold_status open_device(of_context *context, int faster)
{
    int alike;
    OF_TRY(of_comm_broadcast(context, 0, &faster, sizeof faster));
    of_device_consider(context, faster);
    OF_TRY(of_device_alike(context, &alike));
    if (!alike)
        of_device_consider(context, 0);
    return ONEFOLD_OK;
}

/* Measures the machine, opens the GPU if the fit is faster there and the context leaves the choice
 * to the fit, and sets the seconds of the plan's work. */
static onefold_status choose_device(of_context *context, of_fit_plan *plan)
{
    of_work cpu, gpu;
    OF_TRY(of_rates_measure(context, plan->options.precision, &cpu, &gpu));
    double by_cpu = time_stages(plan, &cpu, &cpu), by_gpu;
    if (!context->device)
        return ONEFOLD_OK;
    by_gpu = time_stages(plan, &cpu, &gpu) + (context->device->device ? 0 : START);
    size_t n = plan->problem.dataset->samples;
    OF_TRY(open_device(context, plan->method->gpu_bytes && n >= LEAST && by_gpu < by_cpu));
    if (!plan->method->gpu_bytes || !of_device_for(context, n))
        time_stages(plan, &cpu, &cpu);
    return ONEFOLD_OK;
}

onefold_status of_fit_consider_device(of_context *context, of_fit_plan *plan)
{
    OF_SCRATCH(scratch, context);
    int alike, full = 0, mine = context->device && context->device->full, *all;
    if (of_device_waits(context))
        return plan->problem.dataset->samples < LEAST || !plan->method->gpu_bytes
                   ? open_device(context, 0)
                   : choose_device(context, plan);
    OF_TRY(of_device_alike(context, &alike));
    if (alike)
        return ONEFOLD_OK;
    OF_TRY(of_comm_each(context, &scratch, &mine, sizeof mine, (void **)&all));
    for (int r = 0; r < context->comm.size; r++)
        full |= all[r];
    if (full && context->device) {
        context->device->full = 1;
        context->device->least = SIZE_MAX;
    }
    return full ? ONEFOLD_OK
                : of_hint(of_fail(ONEFOLD_UNSUPPORTED,
                                  "the ranks have GPUs of different kinds, or some have none"),
                          "use machines of one kind, or the CPU: `device` cpu");
}

onefold_status of_fit_plan_make(of_context *context, of_arena *arena, const of_dataset *dataset,
                                const onefold_fit_options *options, of_fit_plan *plan)
{
    memset(plan, 0, sizeof *plan);
    OF_TRY(of_fit_options_copy(&plan->options, options));
    OF_TRY(check_numbers(dataset, &plan->options));
    OF_TRY(fit_options_resolve(arena, &plan->options, &plan->method, &plan->own));
    of_fit_resolve_sizes(dataset, &plan->options);
    const of_beta_bounds *bounds;
    OF_TRY(of_beta_bounds_parse(arena, plan->options.weights, plan->method->weights,
                                dataset->view_count, &bounds));
    OF_TRY(check_missing(dataset, plan));
    double began = of_clock_seconds();
    OF_TRY(make_kernels(context, arena, dataset, plan));
    /* Precomputed kernels are fitted by os-lfmvc-cs, with its number of restarts. */
    if (!plan->options.restarts)
        plan->options.restarts = plan->method->restarts &&
                                         plan->options.effort != ONEFOLD_EFFORT_THOROUGH &&
                                         !of_kernels_are_given(plan->kernels, dataset->view_count)
                                     ? plan->method->restarts
                                     : OF_RESTARTS;
    plan->estimate.seconds_prepare = of_clock_seconds() - began;
    plan->problem = (of_problem){.dataset = dataset,
                                 .kernels = plan->kernels,
                                 .options = &plan->options,
                                 .own = plan->own,
                                 .bounds = bounds};
    OF_TRY(of_base_stage_decide(arena, &plan->problem));
    OF_TRY(OF_NEW_ZERO(arena, &plan->work.views, dataset->view_count, 1));
    if (plan->method->work)
        plan->method->work(context, &plan->problem, &plan->work);
    of_work usual = {3e10 * context->threads, 1e10 * context->threads, 1.2e10, INFINITY};
    time_stages(plan, &usual, &usual);
    plan->estimate.method = plan->method->name;
    plan->estimate.samples = dataset->samples;
    plan->estimate.views = dataset->view_count;
    plan->estimate.clusters = plan->options.clusters;
    plan->estimate.dims = plan->method->uses_dims ? plan->options.dims : 0;
    plan->estimate.anchors = plan->method->uses_anchors ? plan->options.anchors : 0;
    plan->estimate.restarts = plan->options.restarts;
    plan->estimate.threads = context->threads;
    return ONEFOLD_OK;
}

/* ---- estimates ------------------------------------------------------------------------------- */

struct onefold_estimate {
    of_arena arena; /* of the estimate and everything in it */
    onefold_estimate_info info;
};

onefold_status of_fit_plan_check(of_context *context, of_fit_plan *plan)
{
    /* Limits of ranks may differ; and counting refuses what LAPACK cannot do, which the methods
     * that have no model would find after hours. */
    if (!context->memory_limit && context->comm.size <= 1 && plan->method->has_model)
        return ONEFOLD_OK;
    OF_TRY(of_fit_plan_memory(context, plan));
    return of_fit_check_memory(context, &plan->estimate);
}

onefold_status of_fit_check_memory(of_context *context, const onefold_estimate_info *estimate)
{
    /* a process with a share of the samples needs at least this share of the memory */
    size_t least = estimate->peak_bytes;
    char need[32], limit[32];
    if (of_comm_splits(context, estimate->samples))
        least /= (size_t)context->comm.size;
    if (!context->memory_limit || least <= context->memory_limit)
        return ONEFOLD_OK;
    return of_hint(of_fail(ONEFOLD_NO_MEMORY,
                           "%s would need %s of memory for %zu samples, and %s are allowed",
                           estimate->method, of_size_text(need, least), estimate->samples,
                           of_size_text(limit, context->memory_limit)),
                   "allow more with `memory_limit`, or use fewer samples");
}

onefold_status of_fit_describe_view(of_arena *arena, const of_fit_plan *plan, size_t index,
                                    onefold_view_fit *view)
{
    const of_view *from = &plan->problem.dataset->views[index];
    view->storage = from->storage;
    view->kernel = of_kernel_title(&plan->kernels[index]);
    view->columns = from->columns;
    return OF_TEXT(arena, &view->name, "%s", from->name);
}

typedef struct estimate_arguments {
    onefold_estimate *estimate;
    const of_dataset *dataset;
    const onefold_fit_options *options;
    int measure;
} estimate_arguments;

static onefold_status estimate_within(of_context *context, void *opaque)
{
    const estimate_arguments *call = opaque;
    onefold_estimate *estimate = call->estimate;
    OF_SCRATCH(scratch, context);
    of_fit_plan plan;
    OF_TRY(of_blas_room(context->threads));
    OF_TRY(of_fit_plan_make(context, &scratch, call->dataset, call->options, &plan));
    OF_TRY(of_fit_plan_memory(context, &plan));
    onefold_estimate_info *info = &estimate->info;
    *info = plan.estimate;
    if (call->measure) {
        const of_method_estimate *work = &plan.work;
        OF_TRY(choose_device(context, &plan));
        if (of_device_waits(context) && plan.method->gpu_bytes) /* now that it is open */
            OF_TRY(plan.method->gpu_bytes(context, &plan.problem, &info->gpu_bytes));
        info->seconds_base = work->seconds_base;
        info->seconds_fit = work->seconds_fit;
        info->iterations = work->iterations;
        info->passes = work->passes;
        info->has_time = work->seconds_base + work->seconds_fit > 0;
        info->seconds =
            info->has_time ? info->seconds_prepare + work->seconds_base + work->seconds_fit : 0;
    }
    onefold_view_fit *views;
    OF_TRY(OF_NEW_ZERO(&estimate->arena, &views, info->views, 1));
    for (size_t i = 0; i < info->views; i++) {
        onefold_view_fit *view = &views[i];
        const of_partition_estimate *work = &plan.work.views[i];
        OF_TRY(of_fit_describe_view(&estimate->arena, &plan, i, view));
        if (!call->measure || !(work->times > 0))
            continue;
        view->route = of_route_public(work->route);
        view->passes = work->passes;
        view->landmarks = work->landmarks;
        view->seconds = work->seconds;
    }
    return OF_LIST(&estimate->arena, &info->view, views, info->views);
}

/* Preparing the kernels may take more than the limit, which is not to refuse an estimate. */
static onefold_status estimate_make(of_context *context, void *opaque)
{
    size_t limit = context->memory_limit;
    context->memory_limit = 0;
    onefold_status status = estimate_within(context, opaque);
    context->memory_limit = limit;
    return status;
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
    onefold_estimate *made;
    OF_TRY(OF_OBJECT(context, &made));
    estimate_arguments arguments = {made, &dataset->set, options, measure};
    return of_object_give(estimate, made, of_call(context, "estimate", estimate_make, &arguments));
}

void onefold_estimate_free(onefold_estimate *estimate)
{
    of_object_free(estimate);
}

const onefold_estimate_info *onefold_estimate_describe(const onefold_estimate *estimate)
{
    return estimate ? &estimate->info : NULL;
}

onefold_status onefold_estimate_check_memory(const onefold_estimate *estimate)
{
    if (!estimate)
        return of_fail(ONEFOLD_USAGE, "onefold_estimate_check_memory needs an estimate");
    return of_fit_check_memory(estimate->arena.context, &estimate->info);
}
