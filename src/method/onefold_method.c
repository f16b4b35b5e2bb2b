/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The method `onefold` of the registry (docs/method.md section 11). The first round weighs views by
 * the evidence of each view's own labelling; the labelling of the best score says what each view
 * has earned. The last round makes the labellings again with these weights, and the best of them is
 * the result: the weights that are told are those that made it.
 */
#include "base/comm.h"
#include "base/context.h"
#include "method/base_stage.h"
#include "method/onefold_pool.h"
#include "method/os_lfmvc_cs.h"
#include "partition/routes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the contest ----------------------------------------------------------------------------- */

typedef struct contest {
    of_context *context;
    of_arena *arena; /* of labels, weights and what is told */
    of_pool pool;
    size_t count, most;
    of_labelling *labelling;        /* most: of views by themselves, then of rounds */
    of_joint joint[OF_JOINT_KINDS]; /* of the round */
    size_t chosen;
    of_labelling best; /* the chosen one, refined where it is by centres */
    int left_out;
} contest;

static unsigned kinds_of(const of_labelling *plan, size_t count)
{
    unsigned kinds = 0;
    for (size_t i = 0; i < count; i++)
        kinds |= plan[i].kinds;
    return kinds;
}

/* The parts of a labelling that are there; 0 where one lacks. */
static int take_parts(const of_joint *joint, of_labelling *one)
{
    one->parts = 0;
    for (unsigned kind = 0; kind < OF_JOINT_KINDS; kind++)
        if (one->kinds >> kind & 1 && joint[kind].rank)
            one->part[one->parts++] = &joint[kind];
    return one->parts > 0;
}

static double score_of(const contest *c, const of_labelling *one)
{
    return of_pool_beyond(&c->pool, one->told.all, one->told.entropy, c->pool.chance);
}

/* The labels of the best score, of views by themselves too; NULL: there are none yet. */
static const int32_t *best_so_far(const contest *c)
{
    const of_labelling *best = NULL;
    for (size_t i = 0; i < c->count; i++)
        if (!best || score_of(c, &c->labelling[i]) > score_of(c, best))
            best = &c->labelling[i];
    return best ? best->labels : NULL;
}

/* A round: the labellings of the plan with these weights, which must outlive the contest. With
 * `kept`, results and partitions are from it and outlive the call. */
static onefold_status add_labellings(contest *c, const double *weights, const char *weighed,
                                     of_arena *kept)
{
    OF_SCRATCH(scratch, c->context);
    of_labelling plan[OF_LABELLINGS];
    of_arena *arena = kept ? kept : &scratch;
    const of_pool *pool = &c->pool;
    size_t count = of_labelling_plan(pool->problem, plan, &c->left_out);
    memset(c->joint, 0, sizeof c->joint);
    for (unsigned kind = 0, kinds = kinds_of(plan, count); kind < OF_JOINT_KINDS; kind++)
        if (kinds >> kind & 1)
            OF_TRY(
                of_pool_join(c->context, arena, pool, kind, weights, pool->rows, &c->joint[kind]));
    for (size_t i = 0; i < count; i++) {
        of_labelling *one = &c->labelling[c->count];
        if (!take_parts(c->joint, &plan[i]))
            continue;
        *one = plan[i];
        one->eligible = 1;
        one->weighed = weighed;
        one->weights = weights;
        one->from = best_so_far(c);
        of_context_progress(c->context, "fit", (double)c->count, (double)c->most, one->name);
        OF_TRY(of_labelling_make(c->context, arena, pool, one));
        OF_TRY(of_told_make(c->arena, pool->p, &one->told));
        OF_TRY(of_pool_told(c->context, pool, one->labels, &one->told));
        if (!kept) {
            OF_TRY(OF_NEW(c->arena, &one->labels, pool->n, 1));
            if (!of_counts(c->context))
                memcpy(one->labels, one->result.labels, pool->n * sizeof *one->labels);
            one->result = (of_cs_result){0};
            memset(one->part, 0, sizeof one->part);
        }
        c->count++;
    }
    return ONEFOLD_OK;
}

/* Chooses the best score of those from `first` on that may be chosen: of those that are as good,
 * columns, which label new samples in the least time, or else the first. */
static onefold_status choose(contest *c, size_t first)
{
    const double as_good = 1e-9;
    c->chosen = SIZE_MAX;
    for (size_t i = 0; i < c->count; i++) {
        of_labelling *one = &c->labelling[i];
        one->score = score_of(c, one);
        if (i < first || !one->eligible)
            continue;
        const of_labelling *best = c->chosen == SIZE_MAX ? NULL : &c->labelling[c->chosen];
        if (!best || (of_counts(c->context)
                          ? one->parts >= best->parts /* which takes most */
                          : one->score > best->score + (one->by_centres ? -as_good : as_good)))
            c->chosen = i;
    }
    if (c->chosen == SIZE_MAX)
        return of_fail(ONEFOLD_BAD_DATA, "no view distinguishes its samples");
    return ONEFOLD_OK;
}

static onefold_status begin(contest *c, const of_problem *problem)
{
    of_labelling plan[OF_LABELLINGS];
    size_t count = of_labelling_plan(problem, plan, &c->left_out);
    OF_TRY(of_pool_make(c->context, c->arena, problem, kinds_of(plan, count), 0, &c->pool));
    c->most = problem->dataset->view_count + 2 * count;
    return OF_NEW_ZERO(c->arena, &c->labelling, c->most, 1);
}

/* ---- views by themselves --------------------------------------------------------------------- */

/* Where each view is labelled by itself: in the data, and in two tables without clusters. */
enum { OWN, SHUFFLED, MIXED, TABLES };

typedef struct looker {
    contest *c;
    const of_pool *pool[TABLES]; /* NULL: there is none */
    double *alone;               /* p x p: the weights of each view by itself */
    int32_t *labels;             /* n x p: in the data */
    of_told *told;               /* p of each table; all 0 where a view has no labelling there */
} looker;

static onefold_status label_alone(void *opaque, size_t index, int worker)
{
    const looker *l = opaque;
    size_t p = l->c->pool.p, table = index / p, view = index % p;
    const of_pool *pool = l->pool[table];
    (void)worker;
    if (!pool || !pool->ties[view].rows)
        return ONEFOLD_OK;
    of_team_share(l->c->context, TABLES * p);
    return of_pool_label(l->c->context, pool, OF_JOINT_GRAPH, l->alone + view * p,
                         table == OWN ? l->labels + view * pool->n : NULL, &l->told[index]);
}

/* All of them: side by side where they are small, as there is little inside them to share out. */
static onefold_status label_all_alone(looker *l)
{
    of_context *context = l->c->context;
    size_t p = l->c->pool.p, count = TABLES * p;
    OF_TRY(OF_NEW_THERE(l->c->arena, &l->alone, p, p));
    OF_TRY(OF_NEW(l->c->arena, &l->labels, l->c->pool.n, p));
    OF_TRY(OF_NEW(l->c->arena, &l->told, count, 1));
    for (size_t i = 0; i < p * p; i++)
        l->alone[i] = i / p == i % p;
    for (size_t i = 0; i < count; i++)
        OF_TRY(of_told_make(l->c->arena, p, &l->told[i]));
    of_context_progress(context, "fit", 0, (double)l->c->most, "views by themselves");
    if (context->comm.size <= 1 && !context->device && l->c->pool.n <= of_cs_sample_size(SIZE_MAX))
        return of_team_count(context, count, label_alone, l);
    for (size_t i = 0; i < count; i++)
        OF_TRY(label_alone(l, i, 0));
    return ONEFOLD_OK;
}

/* A view that tells nothing of its own labelling may have no variance: then it is refused. */
static onefold_status check_varies(const contest *c, const double *alone, size_t view)
{
    OF_SCRATCH(scratch, c->context);
    of_joint columns;
    OF_TRY(
        of_joint_make(c->context, &scratch, &c->pool.views, OF_JOINT_COLUMNS, alone, 1, &columns));
    if (columns.rank || !of_joint_has(&c->pool.views, view, OF_JOINT_COLUMNS))
        return ONEFOLD_OK;
    return of_kernel_zero(c->context, &c->pool.problem->dataset->views[view]);
}

/* The labellings of views by themselves are among those that are compared. */
static onefold_status add_views(const looker *l)
{
    contest *c = l->c;
    for (size_t view = 0; view < c->pool.p; view++) {
        const double *alone = l->alone + view * c->pool.p;
        const of_told *told = &l->told[OWN * c->pool.p + view];
        if (!(told->view[view] > OF_POOL_DOUBT))
            OF_TRY(check_varies(c, alone, view));
        if (!(told->entropy > 0))
            continue;
        of_labelling *one = &c->labelling[c->count++];
        *one = of_labelling_off(c->pool.problem, OF_JOINT_GRAPH);
        one->weighed = c->pool.problem->dataset->views[view].name;
        one->weights = alone;
        one->labels = l->labels + view * c->pool.n;
        one->told = *told;
    }
    return ONEFOLD_OK;
}

/* The share that view u tells of the labelling of view v by chance: the less of what two tables
 * without clusters say, as neither is always without them: columns that are shuffled keep their
 * gaps, and samples that are mixed keep few directions. Of pairs the mixed ones alone say
 * something, which have what views have in common, and where no sample lacks a view. 1, of which
 * nothing is beyond, where none does. */
static double chance_of(const looker *l, size_t v, size_t u)
{
    size_t p = l->c->pool.p;
    double least = 1;
    for (int table = SHUFFLED; table < TABLES; table++) {
        const of_told *told = &l->told[(size_t)table * p + v];
        int says = u == v || (table == MIXED && !l->c->pool.problem->dataset->present);
        if (says && told->view_entropy[u] > 0)
            least = fmin(least, fmax(told->view[u] / told->view_entropy[u], 0));
    }
    return least;
}

/* Weights by the evidence of each view: what it tells, and other views tell, of its own labelling
 * beyond chance. How far that may be off is added, so that views of which none shows clusters alone
 * weigh alike. */
static onefold_status weigh_by_evidence(const looker *l, double *weights)
{
    OF_SCRATCH(scratch, l->c->context);
    size_t p = l->c->pool.p;
    double *evidence;
    OF_TRY(OF_NEW_THERE(&scratch, &evidence, p, 1));
    for (size_t v = 0; v < p; v++) {
        const of_told *told = &l->told[OWN * p + v];
        evidence[v] = OF_POOL_DOUBT;
        for (size_t u = 0; u < p; u++)
            evidence[v] += fmax(of_pool_beyond(&l->c->pool, told->view[u], told->view_entropy[u],
                                               chance_of(l, v, u)),
                                0);
    }
    of_weights_by(p, evidence, NULL, weights);
    return ONEFOLD_OK;
}

/* The tables with samples mixed, the same in all views of dense columns; nothing where there are
 * none. */
static onefold_status mix(looker *l, of_arena *arena, of_sample *mixed, of_pool *null)
{
    const of_problem *problem = l->c->pool.problem;
    size_t dense = 0;
    for (size_t i = 0; i < l->c->pool.p; i++)
        dense += of_pool_dense(problem, i) != 0;
    if (!dense)
        return ONEFOLD_OK;
    OF_TRY(of_sample_null(l->c->context, arena, problem, OF_NULL_MIXED, mixed));
    l->pool[MIXED] = null;
    return of_pool_make(l->c->context, arena, &mixed->problem, 0, 1, null);
}

/* What views show by themselves, and what neighbours tell of nothing. From then on views tell by
 * `weights`, which are by evidence. */
static onefold_status look_at_views(contest *c, double *weights)
{
    OF_SCRATCH(scratch, c->context);
    of_sample shuffled, mixed;
    of_pool null, other;
    looker l = {.c = c, .pool = {&c->pool, &null}};
    size_t p = c->pool.p;
    OF_TRY(of_sample_null(c->context, &scratch, c->pool.problem, OF_NULL_SHUFFLED, &shuffled));
    OF_TRY(of_pool_make(c->context, &scratch, &shuffled.problem, 0, 0, &null));
    of_weights_by(p, NULL, NULL, weights);
    if (p > 1) {
        OF_TRY(mix(&l, &scratch, &mixed, &other));
        OF_TRY(label_all_alone(&l));
        OF_TRY(add_views(&l));
        OF_TRY(weigh_by_evidence(&l, weights));
        OF_TRY(of_pool_tell_by(c->context, c->arena, &c->pool, weights));
        OF_TRY(of_pool_tell_by(c->context, &scratch, &null, weights));
    }
    for (size_t i = 0; i < c->count; i++) /* as of all that follow */
        OF_TRY(of_pool_told(c->context, &c->pool, c->labelling[i].labels, &c->labelling[i].told));
    return of_pool_chance(c->context, &null, weights, &c->pool.chance);
}

/* The round before the last weighs views by evidence. The best says what views earn. */
static onefold_status first_round(contest *c, double *earned)
{
    double *by_evidence;
    size_t p = c->pool.p;
    OF_TRY(OF_NEW_THERE(c->arena, &by_evidence, p, 1));
    OF_TRY(look_at_views(c, by_evidence));
    if (p == 1)
        return ONEFOLD_OK;
    OF_TRY(add_labellings(c, by_evidence, "by evidence", NULL));
    OF_TRY(choose(c, 0));
    of_weights_by(p, c->labelling[c->chosen].told.view, c->pool.problem->bounds, earned);
    return ONEFOLD_OK;
}

/* Both rounds, on the samples of a problem. */
static onefold_status compete(contest *c, const of_problem *problem, of_outcome *outcome)
{
    double *earned, began = of_clock_seconds();
    size_t p = problem->dataset->view_count;
    OF_TRY(begin(c, problem));
    outcome->seconds_base = of_clock_seconds() - began;
    OF_TRY(OF_NEW_THERE(c->arena, &earned, p, 1));
    of_weights_by(p, NULL, problem->bounds, earned);
    if (problem->options->effort != ONEFOLD_EFFORT_QUICK)
        OF_TRY(first_round(c, earned));
    size_t first = c->count;
    OF_TRY(add_labellings(c, earned,
                          problem->bounds ? "as given"
                          : first > 0     ? "earned"
                                          : "alike",
                          &outcome->arena));
    OF_TRY(choose(c, first));
    OF_TRY(of_pool_agree(c->context, &c->pool, c->count, c->labelling));
    for (size_t i = first; i < c->count; i++) {
        of_labelling one = c->labelling[i];
        if (one.by_centres && (i == c->chosen || of_counts(c->context)))
            OF_TRY(of_labelling_refine(c->context, &outcome->arena, &c->pool, &one));
        if (i == c->chosen)
            c->best = one;
    }
    return ONEFOLD_OK;
}

/* ---- the result ------------------------------------------------------------------------------ */

/* How many labellings were compared, and why this one was chosen. */
static onefold_status say_why(of_arena *arena, const contest *c, size_t n, const char **note)
{
    const of_labelling *best = &c->best;
    const of_dataset *dataset = c->pool.problem->dataset;
    char *text;
    if (c->count == 1)
        OF_TRY(of_arena_string(arena, &text, "one labelling, views weighed %s: %s", best->weighed,
                               best->name));
    else
        OF_TRY(of_arena_string(
            arena, &text,
            "best of %zu labellings: %s (other labellings agree at %.2f; neighbours predict %.0f "
            "%% of the labels, %.0f %% by chance)",
            c->count, best->name, best->agreement,
            100 * fmax(best->told.all, 0) / fmax(best->told.entropy, 1e-300),
            100 * c->pool.chance));
    for (size_t i = 0; i < c->pool.p && c->count > 1; i++)
        if (!(best->told.view[i] > 0))
            OF_TRY(of_arena_string(arena, &text, "%s; %s tells nothing about these clusters", text,
                                   dataset->views[i].name));
    if (c->left_out)
        OF_TRY(of_arena_string(arena, &text,
                               "%s; %d of %d kinds of labellings were left out, as they would take "
                               "too long",
                               text, c->left_out, OF_LABELLINGS));
    if (c->pool.n < n)
        OF_TRY(of_arena_string(arena, &text,
                               "%s; compared on %zu of the %zu samples, whose model labels all",
                               text, c->pool.n, n));
    *note = text;
    return ONEFOLD_OK;
}

static onefold_status keep_candidates(of_outcome *outcome, const contest *c, size_t n)
{
    onefold_candidate *kept;
    OF_TRY(OF_NEW_ZERO(&outcome->arena, &kept, c->count, 1));
    for (size_t i = 0; i < c->count; i++) {
        const of_labelling *one = &c->labelling[i];
        char *name;
        OF_TRY(of_arena_string(&outcome->arena, &name, "%s, %s", one->name, one->weighed));
        kept[i] = (onefold_candidate){.name = name,
                                      .rows = one->rows,
                                      .partitions = one->parts,
                                      .agreement = one->agreement,
                                      .eligible = one->eligible,
                                      .chosen = i == c->chosen,
                                      .told = one->told.all,
                                      .entropy = one->told.entropy,
                                      .chance = c->pool.chance,
                                      .score = one->score};
    }
    outcome->candidates = c->count;
    outcome->candidate = kept;
    return say_why(&outcome->arena, c, n, &outcome->note);
}

/* Labels of views by themselves; where labellings competed on a sample, of its samples alone. */
static onefold_status keep_own_labels(const contest *c, size_t n, of_outcome *outcome)
{
    OF_SCRATCH(scratch, c->context);
    const of_pool *pool = &c->pool;
    size_t count = pool->n, p = pool->p;
    int32_t *own;
    if (pool->problem->options->bare || pool->mu > OF_MOST_EXPLAINED)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(&scratch, &own, count, p));
    OF_TRY(of_pool_own_labels(c->context, pool, c->best.labels, own));
    OF_TRY(OF_NEW(&outcome->arena, &outcome->own_labels, n, p));
    OF_COUNTED(c->context);
    for (size_t j = 0; j < n * p; j++)
        outcome->own_labels[j] = -1;
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < count; j++)
            outcome->own_labels[i * n + of_cs_sample_at(n, count, j)] = own[i * count + j];
    return ONEFOLD_OK;
}

/* What was found of the samples of the contest, which are all. */
static onefold_status keep_samples(const contest *c, of_outcome *outcome)
{
    OF_SCRATCH(scratch, c->context);
    const of_pool *pool = &c->pool;
    const of_labelling *best = &c->best;
    of_stack X;
    outcome->labels = best->result.labels;
    outcome->embedding = of_comm_splits(c->context, pool->n) ? NULL : best->result.H.held;
    if (!outcome->own_labels)
        return ONEFOLD_OK;
    OF_TRY(of_labelling_stack(&scratch, pool, best, &X));
    of_cs_problem cs = {&X,  best->parts, best->rows, best->rows, pool->mu, pool->problem->options,
                        NULL};
    OF_TRY(OF_NEW(&outcome->arena, &outcome->confidence, pool->n, 1));
    OF_TRY(of_cs_explain(c->context, &cs, &best->result, NULL, outcome->confidence, NULL));
    return of_comm_gather(c->context, outcome->confidence, sizeof *outcome->confidence, pool->n);
}

static onefold_status keep_result(const contest *c, const of_problem *problem, of_outcome *outcome)
{
    const of_pool *pool = &c->pool;
    const of_labelling *best = &c->best;
    const onefold_fit_options *options = problem->options;
    size_t n = problem->dataset->samples;
    outcome->embedding_rows = best->rows;
    if (best->result.restarts)
        OF_TRY(of_cs_keep_restarts(outcome, &best->result));
    else
        outcome->converged = 1;
    OF_TRY(OF_NEW_ZERO(&outcome->arena, &outcome->views, pool->p, 1));
    for (size_t i = 0; i < pool->p; i++)
        outcome->views[i].weight = best->weights[i];
    OF_TRY(keep_own_labels(c, n, outcome));
    if (pool->n < n) { /* room for all samples, which the rule labels */
        outcome->sampled = pool->n;
        OF_TRY(OF_NEW(&outcome->arena, &outcome->labels, n, 1));
        if (!options->no_embedding && !of_comm_splits(c->context, n))
            OF_TRY(OF_NEW(&outcome->arena, &outcome->embedding, best->rows, n));
        if (outcome->own_labels)
            OF_TRY(OF_NEW(&outcome->arena, &outcome->confidence, n, 1));
    } else {
        OF_TRY(keep_samples(c, outcome));
    }
    if (pool->n < n || options->keep_model || options->view_parts || options->picture)
        OF_TRY(of_labelling_rule(c->context, &outcome->arena, pool, best, &outcome->rule));
    if (options->view_parts || options->picture)
        OF_TRY(OF_NEW(&outcome->arena, &outcome->view_parts, pool->p, n));
    return keep_candidates(outcome, c, n);
}

/* ---- the method ------------------------------------------------------------------------------ */

/* Kernels that are given have no columns to shuffle and no graphs that new samples could be tied
 * to: OS-LFMVC-CS fits them, and its squared weights, which add up to 1, are told. */
static onefold_status run_given(of_context *context, const of_problem *problem, of_outcome *outcome)
{
    OF_TRY(of_method_os_lfmvc_cs.run(context, problem, outcome));
    for (size_t i = 0; i < problem->dataset->view_count; i++)
        outcome->views[i].weight *= outcome->views[i].weight;
    outcome->note = "precomputed kernels: fitted by os-lfmvc-cs";
    return ONEFOLD_OK;
}

static onefold_status run(of_context *context, const of_problem *problem, of_outcome *outcome)
{
    OF_SCRATCH(scratch, context);
    of_sample sample;
    contest c = {.context = context, .arena = &scratch};
    const of_problem *competed = problem;
    if (of_kernels_are_given(problem->kernels, problem->dataset->view_count))
        return run_given(context, problem, outcome);
    if (of_sample_suits(problem)) {
        OF_TRY(of_sample_make(context, &scratch, problem,
                              of_cs_sample_size(problem->dataset->samples), &sample));
        sample.options.keep_model = 1; /* it labels all samples */
        competed = &sample.problem;
    }
    OF_TRY(compete(&c, competed, outcome));
    return keep_result(&c, problem, outcome);
}

/* ---- estimates ------------------------------------------------------------------------------- */

/* Graphs of views and of tables without clusters, their joint partitions and those of rounds; then
 * the fits, and where they are of a sample the labels of all, as joined columns give them. */
static void count_work(of_context *context, const of_problem *problem, of_method_estimate *estimate)
{
    of_labelling plan[OF_LABELLINGS];
    size_t all = problem->dataset->samples, p = problem->dataset->view_count,
           n = of_sample_suits(problem) ? of_cs_sample_size(all) : all, rounds = p > 1 ? 2 : 1,
           count = of_labelling_plan(problem, plan, &(int){0});
    if (of_kernels_are_given(problem->kernels, p)) {
        of_method_os_lfmvc_cs.work(context, problem, estimate);
        return;
    }
    for (size_t i = 0; i < p; i++) {
        of_partition_estimate *view = &estimate->views[i];
        double nulls = p > 1 && of_pool_dense(problem, i) ? 2 : 1;
        view->route = OF_ROUTE_LANDMARKS;
        view->times = 1;
        for (of_kernel_kind kind = OF_KERNEL_KNN; kind <= OF_KERNEL_SUBSPACE; kind++) {
            of_kernel graph = problem->kernels[i];
            of_view some = *graph.view;
            if (graph.kind == OF_KERNEL_PRECOMPUTED)
                continue;
            some.samples = some.samples < n ? some.samples : n;
            graph.view = &some;
            graph.graph = kind;
            of_partition_estimate one =
                of_partition_work(&graph, OF_ROUTE_LANDMARKS, &problem->partition);
            double made = (kind == OF_KERNEL_KNN ? 1 + nulls : 1) + (double)rounds / (double)p;
            view->work.product += made * one.work.product;
            view->work.memory += made * one.work.memory;
            view->work.factor += made * one.work.factor;
        }
        if (n < all) {
            double columns = (double)of_kernel_columns(&problem->kernels[i]);
            estimate->fit.product += 2 * (double)all * columns * (double)problem->options->dims;
            estimate->fit.memory += (double)all * columns * sizeof(double);
        }
    }
    for (size_t i = 0; i < count; i++) {
        onefold_fit_options options = *problem->options;
        options.restarts = plan[i].starts;
        of_cs_work(context, n, plan[i].parts, plan[i].rows, plan[i].rows, options.clusters,
                   &options, rounds, estimate);
    }
}

const of_method of_method_onefold = {
    .name = "onefold",
    .title = "the best of a pool of labellings by one score, with weights that views earn",
    .work = count_work,
    .partitions = OF_JOINT_KINDS + 3, /* and a stack of three */
    .can_spill = 1,
    .can_split = 1,
    .run = run,
    .has_model = 1,
    .accepts_missing = 1,
    .uses_dims = 1,
    .weights = OF_WEIGHTS_SUM,
    .unused = "anchors start variant nonneg stop tolerance max_iterations base precision",
    .restarts = OF_POOL_STARTS,
    .has_view_parts = 1,
};
