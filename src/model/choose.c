/* SPDX-License-Identifier: Apache-2.0 */
/*
 * onefold_choose (docs/choose.md): the default method compares its recipes at every number of
 * clusters. What chooses among recipes chooses among numbers:
 *
 *     S^2 T^(1/2) log clusters
 *
 * with S and T of docs/method.md section 11. The best number is suggested if its labels are more
 * than chance. Other numbers that stand out are named, with the tree that relates them.
 */
#include "base/blas_threads.h"
#include "base/comm.h"
#include "base/context.h"
#include "base/status.h"
#include "method/onefold_finding.h"
#include "method/os_lfmvc_cs.h"
#include "model/fit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STANDARD_MOST = 20, LEAST_SAMPLES_EACH = 3, MOST_REASONS = 8, MOST_NUMBERS = 4 };

/* Numbers with this share of the largest evidence are named too, if they have the most evidence of
 * the numbers up to BESIDE times as large and as small. A cluster lies within another by WITHIN of
 * its samples. */
static const double NEARLY = 0.75, BESIDE = 1.5, WITHIN = 0.9;

/* So few subsamples do not tell numbers apart that have this share of the largest evidence: the
 * smallest is taken. */
static const double EQUAL = 0.92;

struct onefold_choice {
    of_arena arena; /* of the choice and everything in it */
    onefold_choose_info info;
    const onefold_choose_point *point; /* by rising number of clusters */
    const char **reason;
    of_draws *draws; /* of each point, as the labels of its table */
    size_t *number;  /* that stand out */
    double *nested;  /* of each: see onefold_choose_info */
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

static void keep_point(const of_outcome *outcome, onefold_choose_point *point)
{
    const of_draws *draws = &outcome->draws;
    for (size_t i = 0; i < outcome->candidates; i++) {
        const onefold_candidate *one = &outcome->candidate[i];
        if (!one->chosen)
            continue;
        point->agreement = one->agreement;
        point->entropy = one->entropy;
        point->told = one->entropy > 0 ? fmax(one->told, 0) / one->entropy : 0;
        point->chance = one->chance;
        point->agreement_beyond = one->agreement_beyond;
        point->told_beyond = one->told_beyond;
        point->evidence =
            one->agreement_beyond * one->agreement_beyond * sqrt(one->told_beyond) * one->entropy;
    }
    for (size_t k = 0; k < point->clusters; k++)
        for (size_t j = 0; j < draws->samples; j++)
            if (draws->table[j] == (int32_t)k) {
                point->clusters_used++;
                break;
            }
}

static onefold_status plan_number(const chooser *c, of_arena *arena, size_t clusters,
                                  of_fit_plan *plan)
{
    onefold_fit_options options = c->fit;
    options.clusters = clusters;
    OF_TRY(of_fit_plan_make(c->context, arena, c->dataset, &options, plan));
    plan->problem.draws_only = 1;
    return ONEFOLD_OK;
}

/* Compares the recipes at point->clusters clusters. */
static onefold_status try_number(const chooser *c, onefold_choice *choice,
                                 onefold_choose_point *point, of_draws *draws)
{
    OF_SCRATCH(scratch, c->context);
    of_fit_plan plan;
    OF_TRY(plan_number(c, &scratch, point->clusters, &plan));
    of_outcome outcome = {.arena = of_arena_make(c->context)};
    onefold_status status = plan.method->run(c->context, &plan.problem, &outcome);
    if (status == ONEFOLD_OK) {
        keep_point(&outcome, point);
        *draws = outcome.draws;
        if (draws->samples > choice->info.curve_samples)
            choice->info.curve_samples = draws->samples;
        of_arena_adopt(&choice->arena, &outcome.arena);
    }
    of_arena_free(&outcome.arena);
    return status;
}

/* Whether the labels of a point are more than chance, as a fit of this number says it. */
static onefold_status judge_number(const chooser *c, onefold_choice *choice, size_t at)
{
    OF_SCRATCH(scratch, c->context);
    const of_draws *draws = &choice->draws[at];
    of_fit_plan plan;
    of_sample sample;
    choice->info.finding.verdict = "not judged";
    if (!draws->count)
        return ONEFOLD_OK;
    OF_TRY(plan_number(c, &scratch, choice->point[at].clusters, &plan));
    const of_problem *problem = &plan.problem;
    if (of_sample_suits(problem)) {
        OF_TRY(of_sample_make(c->context, &scratch, problem, of_cs_sample_size(c->dataset->samples),
                              &sample));
        problem = &sample.problem;
    }
    return of_finding_make(c->context, problem, (of_recipe)draws->recipe, draws->weights,
                           &choice->info.finding);
}

static int ignore_progress(void *user, onefold_progress *progress)
{
    (void)user;
    (void)progress;
    return 0;
}

/* ---- several numbers ------------------------------------------------------------------------- */

/* Whether a point has the most evidence of the numbers beside it, and nearly the most of all. */
static int stands_out(const onefold_choice *choice, size_t at, double most)
{
    const onefold_choose_point *point = choice->point, *own = &point[at];
    for (size_t i = 0; i < choice->info.points; i++) {
        double times = (double)point[i].clusters / (double)own->clusters;
        if (i != at && times <= BESIDE && times >= 1 / BESIDE &&
            (point[i].evidence > own->evidence || (point[i].evidence == own->evidence && i < at)))
            return 0;
    }
    return own->evidence >= NEARLY * most;
}

/* The share of samples that lie in their cluster's own part of a coarser labelling: for each
 * cluster of the finer one, the cluster of the coarser one with most of its samples. Tables differ
 * in size, so the samples that both have count. */
static onefold_status share_within(of_context *context, const of_draws *fine, size_t fine_clusters,
                                   const of_draws *coarse, size_t coarse_clusters, double *share)
{
    OF_SCRATCH(scratch, context);
    size_t *cell, count = 0, own = 0;
    OF_TRY(OF_NEW_ZERO(&scratch, &cell, fine_clusters, coarse_clusters));
    for (size_t i = 0, j = 0; i < fine->samples; i++) {
        while (j < coarse->samples && coarse->place[j] < fine->place[i])
            j++;
        if (j == coarse->samples || coarse->place[j] != fine->place[i])
            continue;
        cell[(size_t)fine->table[i] * coarse_clusters + (size_t)coarse->table[j]]++;
        count++;
    }
    for (size_t f = 0; f < fine_clusters; f++) {
        size_t most = 0;
        for (size_t e = 0; e < coarse_clusters; e++)
            most = cell[f * coarse_clusters + e] > most ? cell[f * coarse_clusters + e] : most;
        own += most;
    }
    *share = count ? (double)own / (double)count : 0;
    return ONEFOLD_OK;
}

/* Lists the numbers that stand out, the best first, and how each lies beside the best. */
static onefold_status find_numbers(of_context *context, onefold_choice *choice, size_t best)
{
    onefold_choose_info *info = &choice->info;
    const onefold_choose_point *point = choice->point;
    OF_TRY(OF_NEW(&choice->arena, &choice->number, MOST_NUMBERS, 1));
    OF_TRY(OF_NEW(&choice->arena, &choice->nested, MOST_NUMBERS, 1));
    info->number = choice->number;
    info->nested = choice->nested;
    choice->number[0] = point[best].clusters;
    choice->nested[0] = 1;
    info->numbers = 1;
    for (size_t i = 0; i < info->points && info->numbers < MOST_NUMBERS; i++) {
        size_t fine = i > best ? i : best, coarse = i > best ? best : i;
        if (i == best || !stands_out(choice, i, point[best].evidence))
            continue;
        choice->number[info->numbers] = point[i].clusters;
        OF_TRY(share_within(context, &choice->draws[fine], point[fine].clusters,
                            &choice->draws[coarse], point[coarse].clusters,
                            &choice->nested[info->numbers++]));
    }
    return ONEFOLD_OK;
}

/* ---- the suggestion, and its reasons --------------------------------------------------------- */

static size_t best_of(const onefold_choice *choice)
{
    const onefold_choose_point *point = choice->point;
    size_t best = 0;
    for (size_t i = 1; i < choice->info.points; i++)
        best = point[i].evidence > point[best].evidence ? i : best;
    for (size_t i = 0; i < best; i++)
        if (point[i].evidence >= EQUAL * point[best].evidence)
            return i;
    return best;
}

#define ADD_REASON(choice, ...)                                                                    \
    OF_TEXT(&(choice)->arena, &(choice)->reason[(choice)->info.reasons++], __VA_ARGS__)

/* "also 2: the 7 clusters lie within them (97 % of samples)" */
static onefold_status list_numbers(onefold_choice *choice)
{
    const onefold_choose_info *info = &choice->info;
    size_t best = info->number[0];
    for (size_t i = 1; i < info->numbers; i++) {
        size_t other = info->number[i];
        const char *how = info->nested[i] < WITHIN ? "they cut across the"
                          : other > best           ? "they lie within the"
                                                   : "they hold the";
        OF_TRY(ADD_REASON(choice, "%zu clusters stand out, too: %s %zu (%.0f %% of the samples)",
                          other, how, best, 100 * info->nested[i]));
    }
    return ONEFOLD_OK;
}

static onefold_status suggest(const chooser *c, onefold_choice *choice)
{
    onefold_choose_info *info = &choice->info;
    size_t at = best_of(choice);
    const onefold_choose_point *best = &choice->point[at];
    const onefold_finding *finding = &info->finding;
    OF_TRY(OF_NEW(&choice->arena, &choice->reason, MOST_REASONS, 1));
    info->reason = choice->reason;
    OF_TRY(judge_number(c, choice, at));
    if (finding->found) {
        info->suggested = best->clusters;
        OF_TRY(ADD_REASON(choice,
                          "subsamples agree at %.2f, and neighbours tell %.0f %% of the labels "
                          "(%.0f %% by chance)",
                          best->agreement, 100 * best->told, 100 * best->chance));
        if (at + 1 == info->points)
            OF_TRY(ADD_REASON(choice, "it is the largest number tried: there may be more"));
        OF_TRY(find_numbers(c->context, choice, at));
        OF_TRY(list_numbers(choice));
    } else if (!choice->draws[at].count) {
        OF_TRY(ADD_REASON(choice, "there are too few samples to judge any number"));
    } else {
        OF_TRY(ADD_REASON(choice,
                          "nothing was found: the best labels, of %zu clusters, are no more than "
                          "those of one cloud (subsamples agree at %.2f, %.2f by chance; "
                          "neighbours tell %.0f %%, %.0f %% by chance)",
                          best->clusters, finding->stable, finding->chance, 100 * finding->told,
                          100 * finding->told_chance));
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
    OF_TRY(OF_NEW_ZERO(&choice->arena, &choice->draws, count, 1));
    double began = of_clock_seconds();
    /* Fits report no progress: the curve is one stage. A number that the data are too poor for ends
     * the curve, unless the caller gave `most`. */
    for (; info->points < count; info->points++) {
        of_context_progress(c->context, "choose", (double)info->points, (double)count, NULL);
        points[info->points].clusters = c->options.least + info->points;
        c->context->change_progress = ignore_progress;
        onefold_status status =
            try_number(c, choice, &points[info->points], &choice->draws[info->points]);
        c->context->change_progress = NULL;
        if (status == ONEFOLD_BAD_DATA && info->points > 0 && !c->most_given)
            break;
        OF_TRY(status);
    }
    choice->point = points;
    OF_TRY(OF_LIST(&choice->arena, &info->point, points, info->points));
    c->context->change_progress = ignore_progress;
    onefold_status status = suggest(c, choice);
    c->context->change_progress = NULL;
    of_context_progress(c->context, "choose", (double)count, (double)count, NULL);
    info->seconds_curve = of_clock_seconds() - began;
    return status;
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
