/* SPDX-License-Identifier: Apache-2.0 */
/* onefold_choose: checked, planned, base partitions made once, point after point, a suggestion. */
#include "model/choose.h"

#include "base/blas_threads.h"
#include "base/clock.h"
#include "base/comm.h"
#include "base/public_call.h"
#include "base/structs.h"
#include "method/base_stage.h"
#include "model/result.h"

/* Clusters beyond the rank of all views together and one cannot be distinguished: a largest number
 * that was asked for is refused, else it is lowered. */
static onefold_status mind_rank(of_choose_work *work, size_t rank, int asked)
{
    size_t largest = rank + 1, *most = &work->fit.clusters;
    if (*most <= largest)
        return ONEFOLD_OK;
    if (asked || work->options.least > largest)
        return of_hint(of_fail(ONEFOLD_BAD_DATA,
                               "%zu clusters cannot be distinguished: the views together have rank "
                               "%zu, enough for %zu",
                               asked ? *most : work->options.least, rank, largest),
                       "give a smaller `most`, or another `kernel`");
    *most = largest;
    return ONEFOLD_OK;
}

/* ---- eigengaps ---------------------------------------------------------------------------- */

/* A centred kernel with c clusters has c - 1 large eigenvalues: the gap of c is how far the next
 * one falls, (l[c-1] - l[c]) / l[c-1] counted from 1; 0 where there are no more. */
static double gap_of(const of_partition *partition, size_t dims, size_t clusters)
{
    if (clusters > dims || clusters - 1 > partition->rank || clusters < 2)
        return 0;
    double before = partition->values[clusters - 2], after = partition->values[clusters - 1];
    return before > 0 ? (before - after) / before : 0;
}

static onefold_status compute_gaps(of_arena *arena, const of_choose_work *work,
                                   const of_partition *partitions, onefold_choose_point *points,
                                   size_t count, size_t *largest)
{
    double *gap;
    OF_TRY(OF_NEW(arena, &gap, work->views, count));
    for (size_t c = 0; c < count; c++) {
        points[c].gap = gap + c * work->views;
        for (size_t i = 0; i < work->views; i++)
            gap[c * work->views + i] = gap_of(&partitions[i], work->dims, points[c].clusters);
    }
    for (size_t i = 0; i < work->views; i++) {
        size_t best = 0;
        for (size_t c = 1; c < count; c++)
            if (points[c].gap[i] > points[best].gap[i])
                best = c;
        largest[i] = points[best].clusters;
    }
    return ONEFOLD_OK;
}

/* ---- the whole ---------------------------------------------------------------------------- */

static int say_nothing(void *user, onefold_progress *progress)
{
    (void)user;
    (void)progress;
    return 0;
}

/* Point after point. The runs inside say nothing of their own: this is one stage. */
static onefold_status draw_curve(of_choose_work *work, onefold_choose_point *points, size_t count)
{
    of_context *context = work->context;
    double done = 0, total = 0;
    onefold_status status = ONEFOLD_OK;
    for (size_t c = 0; c < count; c++)
        total += (double)((work->options.least + c) * (work->options.least + c));
    for (size_t c = 0; c < count && status == ONEFOLD_OK; c++) {
        size_t clusters = work->options.least + c;
        of_context_progress(context, "choose", done, total, NULL);
        context->retell = say_nothing;
        status = of_choose_point(work, clusters, &points[c]);
        context->retell = NULL;
        done += (double)(clusters * clusters);
    }
    if (status == ONEFOLD_OK)
        of_context_progress(context, "choose", total, total, NULL);
    return status;
}

static onefold_status keep_views(onefold_choice *choice, const of_fit_plan *plan,
                                 const of_partition *partitions)
{
    onefold_view_fit *views;
    OF_TRY(OF_NEW_ZERO(&choice->arena, &views, choice->info.views, 1));
    for (size_t i = 0; i < choice->info.views; i++) {
        const of_view *view = &plan->problem.dataset->views[i];
        char *name;
        OF_TRY(of_arena_string(&choice->arena, &name, "%s", view->name));
        views[i] = (onefold_view_fit){.name = name,
                                      .kernel = of_kernel_title(&plan->kernels[i]),
                                      .route = of_route_public(partitions[i].route),
                                      .residual = partitions[i].residual,
                                      .rank = partitions[i].rank,
                                      .columns = view->columns,
                                      .storage = view->storage};
    }
    return OF_LIST(&choice->arena, &choice->info.view, views, choice->info.views);
}

/* The partitions that all runs are on, one below the other; the rank of all together. */
static onefold_status make_stack(of_choose_work *work, of_arena *arena, const of_problem *problem,
                                 of_stack *X, of_partition *partitions, size_t *rank)
{
    double *none; /* a joint partition has no gap of its own for each view */
    OF_TRY(OF_NEW_ZERO(arena, &none, work->dims, 1));
    for (size_t i = 0; i < work->views && work->joint; i++)
        partitions[i] =
            (of_partition){.route = OF_ROUTE_LANDMARKS, .rank = work->dims, .values = none};
    if (work->joint)
        return of_joint_stack(work->context, arena, problem, X, &work->blocks, rank, &work->pieces);
    OF_TRY(of_joint_pieces_find(work->context, problem, &work->pieces));
    OF_TRY(of_base_stage(work->context, arena, arena, problem, X, partitions));
    work->blocks = work->views;
    *rank = 0;
    for (size_t i = 0; i < work->views; i++)
        *rank += partitions[i].rank;
    return ONEFOLD_OK;
}

static onefold_status choose(of_choose_work *work, const of_fit_plan *plan, int asked,
                             onefold_choice *choice)
{
    onefold_choose_info *info = &choice->info;
    of_arena *arena = &choice->arena;
    OF_SCRATCH(scratch, work->context);
    of_stack X;
    of_partition *partitions;
    size_t *gap_clusters;
    OF_TRY(OF_NEW_ZERO(&scratch, &partitions, work->views, 1));
    OF_TRY(OF_NEW(arena, &gap_clusters, work->views, 1));
    double began = of_clock_seconds();
    size_t rank;
    OF_TRY(make_stack(work, &scratch, &plan->problem, &X, partitions, &rank));
    info->seconds_base = of_clock_seconds() - began;
    began = of_clock_seconds();
    OF_TRY(mind_rank(work, rank, asked));
    OF_TRY(of_choose_pools(work, &scratch, &X));
    onefold_choose_point *points;
    size_t count = work->fit.clusters - work->options.least + 1;
    OF_TRY(OF_NEW_ZERO(arena, &points, count, 1));
    OF_TRY(draw_curve(work, points, count));
    of_choose_weigh(points, count);
    OF_TRY(compute_gaps(arena, work, partitions, points, count, gap_clusters));
    info->samples = plan->problem.dataset->samples;
    info->views = work->views;
    info->points = count;
    choice->point = points;
    OF_TRY(OF_LIST(arena, &info->point, points, count));
    info->gap_clusters = gap_clusters;
    info->curve_samples = work->data.X.samples;
    info->suggested = of_choose_suggest(points, count, work->joint, work->pieces);
    info->subsamples = work->options.subsamples;
    info->share = work->options.share;
    info->restarts = work->fit.restarts;
    info->seed = work->fit.seed;
    info->classes = plan->problem.dataset->class_count;
    info->threads = work->context->threads;
    choice->joint = work->joint;
    choice->pieces = work->pieces;
    info->method = work->joint ? "onefold" : "os-lfmvc-cs";
    OF_TRY(keep_views(choice, plan, partitions));
    OF_TRY(of_choose_reasons(choice));
    info->seconds_curve = of_clock_seconds() - began;
    return ONEFOLD_OK;
}

static onefold_status choose_and_keep(onefold_choice **choice, of_context *context,
                                      const of_dataset *dataset, const onefold_fit_options *fit,
                                      const onefold_choose_options *options)
{
    OF_SCRATCH(scratch, context);
    of_choose_work work = {.context = context};
    of_fit_plan plan;
    OF_TRY(of_choose_copy_options(&work, dataset, fit, options));
    OF_TRY(of_choose_check_options(dataset, &work.options));
    if (of_comm_splits(context, dataset->samples))
        return of_hint(of_fail(ONEFOLD_UNSUPPORTED,
                               "the number of clusters cannot be chosen by several processes"),
                       "run it as one process");
    int asked = work.options.most > 0;
    work.fit.clusters = asked ? work.options.most : of_choose_standard_most(dataset, &work.options);
    OF_TRY(of_fit_plan_make(context, &scratch, dataset, &work.fit, &plan));
    work.dims = plan.options.dims;
    work.joint = work.joint && of_joint_stack_suits(&plan.problem);
    OF_TRY(of_choose_check_memory(&work, &plan));
    of_arena arena = of_arena_make(context);
    onefold_choice *made;
    OF_TRY(OF_NEW_ZERO(&arena, &made, 1, 1));
    made->arena = arena; /* it lives in its own arena */
    onefold_status status = choose(&work, &plan, asked, made);
    if (status == ONEFOLD_OK)
        *choice = made;
    else
        onefold_choice_free(made);
    return status;
}

typedef struct choose_arguments {
    onefold_choice **choice;
    const of_dataset *dataset;
    const onefold_fit_options *fit;
    const onefold_choose_options *options;
} choose_arguments;

static onefold_status choose_as_asked(of_context *context, void *opaque)
{
    choose_arguments *of = opaque;
    OF_TRY(of_blas_room(context->threads));
    onefold_choice *made = NULL;
    onefold_status status = of_dataset_intact(
        of->dataset, choose_and_keep(&made, context, of->dataset, of->fit, of->options));
    if (status == ONEFOLD_OK)
        *of->choice = made;
    else
        onefold_choice_free(made);
    return status;
}

onefold_status onefold_choose(onefold_choice **choice, onefold_context *context,
                              const onefold_dataset *dataset, const onefold_fit_options *fit,
                              const onefold_choose_options *options)
{
    if (!choice || !dataset)
        return of_fail(ONEFOLD_USAGE, "onefold_choose needs a place for the choice and a data set");
    choose_arguments arguments = {choice, &dataset->set, fit, options};
    return of_call(of_context_or_default(context), "choose", choose_as_asked, &arguments);
}

void onefold_choice_free(onefold_choice *choice)
{
    if (!choice)
        return;
    of_arena arena = choice->arena; /* the choice itself is one of its blocks */
    of_arena_free(&arena);
}

const onefold_choose_info *onefold_choice_describe(const onefold_choice *choice)
{
    return choice ? &choice->info : NULL;
}
