/* SPDX-License-Identifier: Apache-2.0 */
/*
 * onefold_choose (docs/choose.md): the default method fits every number of clusters, and the number
 * with the most evidence is suggested:
 *
 *     S^3 x T^(1/4) x sqrt(log clusters)
 *
 * with S and T of docs/method.md section 11: how far labels agree between subsamples, and how much
 * neighbours in the views tell of them, both beyond what shuffled columns give. With too many
 * clusters both are smaller; with too few the logarithm is.
 */
#include "base/blas_threads.h"
#include "base/comm.h"
#include "base/context.h"
#include "base/status.h"
#include "method/onefold_pool.h"
#include "model/fit.h"

#include <math.h>
#include <stdio.h>

/* MOST_SAMPLES: the size of the even sample that is fitted where there are more. */
enum { STANDARD_MOST = 20, LEAST_SAMPLES_EACH = 3, MOST_SAMPLES = 4096, MOST_REASONS = 8 };

/* Numbers with this share of the largest evidence are named, too. */
static const double NEARLY = 0.85;

struct onefold_choice {
    of_arena arena; /* of the choice and everything in it */
    onefold_choose_info info;
    const onefold_choose_point *point; /* by rising number of clusters */
    const char **reason;
};

typedef struct chooser {
    onefold_choice **choice; /* out */
    of_context *context;
    const of_dataset *dataset;
    onefold_fit_options fit;
    onefold_choose_options options;
    int most_given; /* options.most is the caller's */
} chooser;

/* ---- options --------------------------------------------------------------------------------- */

static onefold_status read_options(chooser *c, const onefold_fit_options *fit,
                                   const onefold_choose_options *options)
{
    const onefold_fit_options standard = ONEFOLD_FIT_OPTIONS_INIT;
    c->options = (onefold_choose_options)ONEFOLD_CHOOSE_OPTIONS_INIT;
    c->fit = standard;
    OF_TRY(OF_STRUCT_READ(&c->options, options, onefold_choose_options));
    OF_TRY(OF_STRUCT_READ(&c->fit, fit, onefold_fit_options));
    OF_TRY(of_fit_options_refuse(&c->fit, &standard, "kernel restarts landmarks neighbours seed",
                                 "choosing the number of clusters"));
    c->fit.method = "onefold";
    c->fit.bare = 1;
    c->most_given = c->options.most > 0;
    size_t least = c->options.least, samples = c->dataset->samples,
           largest = c->most_given ? c->options.most : least;
    if (c->dataset->view_count == 0)
        return of_fail(ONEFOLD_BAD_DATA, "the data set has no view");
    if (least < 2)
        return of_hint(of_fail(ONEFOLD_USAGE, "the least number of clusters to try is %zu", least),
                       "give `least` 2 or more: one cluster cannot be compared with anything");
    if (largest < least)
        return of_hint(of_fail(ONEFOLD_USAGE, "from %zu to %zu clusters there is no number to try",
                               least, largest),
                       "give a `most` that is not below `least`");
    if (largest >= samples)
        return of_hint(of_fail(ONEFOLD_BAD_DATA,
                               "%zu clusters cannot be tried on %zu samples: every sample would be "
                               "its own cluster",
                               largest, samples),
                       "give a `most` below the number of samples");
    if (!c->most_given) {
        size_t most = samples / LEAST_SAMPLES_EACH;
        most = most < STANDARD_MOST ? most : STANDARD_MOST;
        c->options.most = most > least ? most : least;
    }
    return ONEFOLD_OK;
}

/* ---- the curve ------------------------------------------------------------------------------- */

static void keep_point(const of_outcome *outcome, size_t samples, onefold_choose_point *point)
{
    for (size_t i = 0; i < outcome->candidates; i++) {
        const onefold_candidate *one = &outcome->candidate[i];
        if (!one->chosen)
            continue;
        point->agreement = one->agreement;
        point->entropy = one->entropy;
        point->told = one->entropy > 0 ? fmax(one->told, 0) / one->entropy : 0;
        point->chance = one->chance;
        point->evidence = one->beyond * sqrt(one->entropy);
    }
    for (size_t k = 0; k < point->clusters; k++)
        for (size_t j = 0; j < samples; j++)
            if (outcome->labels[j] == (int32_t)k) {
                point->clusters_used++;
                break;
            }
}

/* Fits point->clusters clusters, on all samples or on an even sample. */
static onefold_status try_number(const chooser *c, onefold_choose_point *point, size_t *samples)
{
    OF_SCRATCH(scratch, c->context);
    onefold_fit_options options = c->fit;
    of_fit_plan plan;
    of_sample sample;
    options.clusters = point->clusters;
    OF_TRY(of_fit_plan_make(c->context, &scratch, c->dataset, &options, &plan));
    const of_problem *problem = &plan.problem;
    *samples = c->dataset->samples;
    if (*samples > MOST_SAMPLES && of_sample_suits(problem)) {
        *samples = MOST_SAMPLES;
        OF_TRY(of_sample_make(c->context, &scratch, problem, MOST_SAMPLES, &sample));
        problem = &sample.problem;
    }
    of_outcome outcome = {.arena = of_arena_make(c->context)};
    onefold_status status = plan.method->run(c->context, problem, &outcome);
    if (status == ONEFOLD_OK) {
        keep_point(&outcome, *samples, point);
    }
    of_arena_free(&outcome.arena);
    return status;
}

static int ignore_progress(void *user, onefold_progress *progress)
{
    (void)user;
    (void)progress;
    return 0;
}

/* ---- the suggestion, and its reasons --------------------------------------------------------- */

/* The threshold of evidence per nat of entropy. It is above the evidence of data without clusters:
 * 0.1 for skewed columns at any size, and the error of the shares of n samples. docs/choose.md has
 * the sets. */
static double least_evidence(const onefold_choice *choice)
{
    return 0.1 + 2 / sqrt((double)choice->info.curve_samples);
}

static int stands_out(const onefold_choice *choice, const onefold_choose_point *point)
{
    return point->entropy > 0 && point->evidence >= least_evidence(choice) * point->entropy;
}

/* The point of most evidence, among those that stand out if any does. */
static const onefold_choose_point *best_of(const onefold_choice *choice)
{
    const onefold_choose_point *point = choice->point, *best = point;
    for (size_t i = 1; i < choice->info.points; i++) {
        int more = stands_out(choice, &point[i]) - stands_out(choice, best);
        if (more > 0 || (more == 0 && point[i].evidence > best->evidence))
            best = &point[i];
    }
    return best;
}

#define ADD_REASON(choice, ...)                                                                    \
    OF_TEXT(&(choice)->arena, &(choice)->reason[(choice)->info.reasons++], __VA_ARGS__)

/* Compares with the next number, if it was tried. */
static onefold_status compare_next(onefold_choice *choice, const onefold_choose_point *best)
{
    if (best == choice->point + choice->info.points - 1)
        return ADD_REASON(choice, "it is the largest number tried: there may be more clusters");
    const onefold_choose_point *next = best + 1;
    if (next->clusters_used < next->clusters)
        return ADD_REASON(choice, "asked for %zu, only %zu clusters are used", next->clusters,
                          next->clusters_used);
    return ADD_REASON(choice,
                      "with %zu, subsamples agree at %.2f, and neighbours tell %.0f %% (%.0f %%)",
                      next->clusters, next->agreement, 100 * next->told, 100 * next->chance);
}

/* "nearly as much evidence: 3, 9 to 12, 14 clusters" */
static onefold_status list_others(onefold_choice *choice, const onefold_choose_point *best)
{
    const onefold_choose_point *point = choice->point;
    char list[256] = "";
    size_t used = 0, count = choice->info.points;
    for (size_t i = 0, end; i < count && used < sizeof list - 64; i = end + 1) {
        for (end = i;
             end < count && &point[end] != best && point[end].evidence >= NEARLY * best->evidence;)
            end++;
        if (end == i)
            continue;
        used += (size_t)snprintf(list + used, 24, "%s%zu", used ? ", " : "", point[i].clusters);
        if (end > i + 1)
            used += (size_t)snprintf(list + used, 24, " to %zu", point[end - 1].clusters);
    }
    return used ? ADD_REASON(choice, "nearly as much evidence: %s clusters", list) : ONEFOLD_OK;
}

static onefold_status suggest(onefold_choice *choice)
{
    onefold_choose_info *info = &choice->info;
    const onefold_choose_point *best = best_of(choice);
    OF_TRY(OF_NEW(&choice->arena, &choice->reason, MOST_REASONS, 1));
    info->reason = choice->reason;
    if (stands_out(choice, best)) {
        info->suggested = best->clusters;
        OF_TRY(ADD_REASON(
            choice,
            "subsamples agree at %.2f, and neighbours tell %.0f %% of the labels (%.0f %% by "
            "chance)",
            best->agreement, 100 * best->told, 100 * best->chance));
        OF_TRY(compare_next(choice, best));
        OF_TRY(list_others(choice, best));
    } else {
        OF_TRY(ADD_REASON(
            choice,
            "no number stands out: the largest evidence, for %zu clusters, is %.2f times "
            "the entropy of equal sizes; the threshold is %.2f times the entropy",
            best->clusters, best->entropy > 0 ? best->evidence / best->entropy : 0,
            least_evidence(choice)));
    }
    if (info->curve_samples < info->samples)
        OF_TRY(ADD_REASON(choice, "the curve is that of %zu of the %zu samples",
                          info->curve_samples, info->samples));
    return ONEFOLD_OK;
}

/* ---- the choice ------------------------------------------------------------------------------ */

/* Checks the plan of the largest number, which takes most memory. */
static onefold_status check_plan(const chooser *c, onefold_choice *choice)
{
    OF_SCRATCH(scratch, c->context);
    onefold_fit_options options = c->fit;
    of_fit_plan plan;
    options.clusters = c->options.most;
    OF_TRY(of_fit_plan_make(c->context, &scratch, c->dataset, &options, &plan));
    if (of_kernels_are_given(plan.kernels, choice->info.views))
        return of_hint(of_fail(ONEFOLD_UNSUPPORTED,
                               "the number of clusters cannot be chosen from kernels alone: chance "
                               "cannot be estimated without columns"),
                       "give the features of a view at least, or the number of clusters");
    onefold_status fits = of_fit_plan_check(c->context, &plan);
    if (fits != ONEFOLD_OK)
        return of_hint(fits, "allow more with `memory_limit`, or give a smaller `most`");
    choice->info.restarts = plan.options.restarts;
    choice->info.method = plan.method->name;
    onefold_view_fit *views;
    OF_TRY(OF_NEW_ZERO(&choice->arena, &views, choice->info.views, 1));
    for (size_t i = 0; i < choice->info.views; i++)
        OF_TRY(of_fit_describe_view(&choice->arena, &plan, i, &views[i]));
    return OF_LIST(&choice->arena, &choice->info.view, views, choice->info.views);
}

static onefold_status choose(const chooser *c, onefold_choice *choice)
{
    onefold_choose_info *info = &choice->info;
    onefold_choose_point *points;
    size_t count = c->options.most - c->options.least + 1;
    info->samples = c->dataset->samples;
    info->views = c->dataset->view_count;
    info->seed = c->fit.seed;
    info->classes = c->dataset->class_count;
    info->threads = c->context->threads;
    OF_TRY(check_plan(c, choice));
    OF_TRY(OF_NEW_ZERO(&choice->arena, &points, count, 1));
    double began = of_clock_seconds();
    /* Fits report no progress: the curve is one stage. A number that the data are too poor for ends
     * the curve, unless the caller gave `most`. */
    for (; info->points < count; info->points++) {
        of_context_progress(c->context, "choose", (double)info->points, (double)count, NULL);
        points[info->points].clusters = c->options.least + info->points;
        c->context->change_progress = ignore_progress;
        onefold_status status = try_number(c, &points[info->points], &info->curve_samples);
        c->context->change_progress = NULL;
        if (status == ONEFOLD_BAD_DATA && info->points > 0 && !c->most_given)
            break;
        OF_TRY(status);
    }
    of_context_progress(c->context, "choose", (double)count, (double)count, NULL);
    info->seconds_curve = of_clock_seconds() - began;
    choice->point = points;
    OF_TRY(OF_LIST(&choice->arena, &info->point, points, info->points));
    return suggest(choice);
}

static onefold_status choose_together(of_context *context, void *opaque)
{
    const chooser *c = opaque;
    onefold_choice *made;
    if (of_comm_splits(context, c->dataset->samples))
        return of_hint(of_fail(ONEFOLD_UNSUPPORTED,
                               "the number of clusters cannot be chosen by several processes"),
                       "run it as one process");
    OF_TRY(of_blas_room(context->threads));
    OF_TRY(OF_OBJECT(context, &made));
    return of_object_give(c->choice, made, of_dataset_intact(c->dataset, choose(c, made)));
}

onefold_status onefold_choose(onefold_choice **choice, onefold_context *context,
                              const onefold_dataset *dataset, const onefold_fit_options *fit,
                              const onefold_choose_options *options)
{
    if (!choice || !dataset)
        return of_fail(ONEFOLD_USAGE, "onefold_choose needs a place for the choice and a data set");
    chooser c = {
        .choice = choice, .context = of_context_or_default(context), .dataset = &dataset->set};
    OF_TRY(of_dataset_intact(c.dataset, read_options(&c, fit, options)));
    return of_call(c.context, "choose", choose_together, &c);
}

void onefold_choice_free(onefold_choice *choice)
{
    of_object_free(choice);
}

const onefold_choose_info *onefold_choice_describe(const onefold_choice *choice)
{
    return choice ? &choice->info : NULL;
}
