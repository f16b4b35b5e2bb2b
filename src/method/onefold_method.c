/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The method `onefold` of the registry (docs/method.md section 11). The first rounds weigh all
 * views alike, and by the evidence of each view's own labelling; the labelling of the best score
 * says what each view has earned. The last round makes the labellings again with these weights, and
 * the best of them is the result: the weights that are told are those that made it.
 */
#include "base/clock.h"
#include "base/comm.h"
#include "method/base_stage.h"
#include "method/onefold_pool.h"
#include "method/os_lfmvc_cs.h"
#include "method/peers.h"
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
    of_labelling *labelling; /* most: of views by themselves, then of rounds */
    size_t chosen;
    int left_out;
} contest;

static unsigned kinds_of(const of_labelling *plan, size_t count)
{
    unsigned kinds = 0;
    for (size_t i = 0; i < count; i++)
        kinds |= plan[i].kinds;
    return kinds;
}

/* Joint partitions of `kinds` with these weights. */
static onefold_status join(of_context *context, of_arena *arena, const of_pool *pool,
                           unsigned kinds, const double *weights, of_joint *joint)
{
    for (unsigned kind = 0; kind < OF_JOINT_KINDS; kind++)
        if (kinds >> kind & 1)
            OF_TRY(of_joint_make(context, arena, pool, kind, weights, &joint[kind]));
    return ONEFOLD_OK;
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

/* A round: the labellings of the plan with these weights, which must outlive the contest. `view`:
 * the one whose own labelling it is, or p. With `kept`, results and partitions are from it and
 * outlive the call. */
static onefold_status add_labellings(contest *c, const double *weights, size_t view,
                                     const char *weighed, of_arena *kept, of_joint *joint)
{
    OF_SCRATCH(scratch, c->context);
    of_labelling plan[OF_LABELLINGS];
    of_joint own_joint[OF_JOINT_KINDS] = {{0}};
    of_arena *arena = kept ? kept : &scratch;
    const of_pool *pool = &c->pool;
    size_t count = of_labelling_plan(pool->problem, plan, &c->left_out);
    if (view < pool->p) {
        plan[0] = of_labelling_off(pool->problem, OF_JOINT_GRAPH);
        count = 1;
    }
    joint = kept ? joint : own_joint;
    OF_TRY(join(c->context, arena, pool, kinds_of(plan, count), weights, joint));
    for (size_t i = 0; i < count; i++) {
        of_labelling *one = &c->labelling[c->count];
        if (!take_parts(joint, &plan[i]))
            continue;
        *one = plan[i];
        one->eligible = view >= pool->p;
        one->weighed = weighed;
        one->weights = weights;
        of_context_progress(c->context, "fit", (double)c->count, (double)c->most, one->name);
        OF_TRY(of_labelling_make(c->context, arena, pool, one));
        OF_TRY(of_told_make(c->arena, pool->p, &one->told));
        OF_TRY(of_pool_told(c->context, pool, one->labels, &one->told));
        if (!kept) {
            OF_TRY(OF_NEW(c->arena, &one->labels, pool->n, 1));
            memcpy(one->labels, one->result.labels, pool->n * sizeof *one->labels);
            one->result = (of_cs_result){0};
            memset(one->part, 0, sizeof one->part);
        }
        c->count++;
    }
    return ONEFOLD_OK;
}

/* Chooses the best score of those from `first` on that may be chosen, the first of those that are
 * as good. */
static onefold_status choose(contest *c, size_t first)
{
    const double as_good = 1e-9;
    c->chosen = SIZE_MAX;
    for (size_t i = 0; i < c->count; i++) {
        of_labelling *one = &c->labelling[i];
        one->score = of_pool_beyond(&c->pool, one->told.all, one->told.entropy, c->pool.chance);
        if (i >= first && one->eligible &&
            (c->chosen == SIZE_MAX || one->score > c->labelling[c->chosen].score + as_good))
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
    OF_TRY(of_pool_make(c->context, c->arena, problem, kinds_of(plan, count), 1, &c->pool));
    c->most = problem->dataset->view_count + 3 * count;
    return OF_NEW_ZERO(c->arena, &c->labelling, c->most, 1);
}

/* A view that tells nothing of its own labelling may have no variance: then it is refused. */
static onefold_status check_varies(contest *c, const double *alone, size_t view)
{
    OF_SCRATCH(scratch, c->context);
    of_joint columns;
    OF_TRY(of_joint_make(c->context, &scratch, &c->pool, OF_JOINT_COLUMNS, alone, &columns));
    if (columns.rank || !of_pool_joins(c->pool.problem, view, OF_JOINT_COLUMNS))
        return ONEFOLD_OK;
    return of_kernel_zero(c->context, &c->pool.problem->dataset->views[view]);
}

/* The evidence of a view: what it tells of its own labelling beyond chance, which is what it tells
 * of the same labelling of its columns shuffled. How far it may be off is added, so that views of
 * which none shows clusters alone weigh alike. */
static onefold_status look_at_view(contest *c, const of_pool *null, size_t view, double *evidence)
{
    size_t before = c->count;
    double chance, *alone;
    OF_TRY(OF_NEW(c->arena, &alone, c->pool.p, 1));
    for (size_t i = 0; i < c->pool.p; i++)
        alone[i] = i == view;
    *evidence = OF_POOL_DOUBT;
    OF_TRY(add_labellings(c, alone, view, c->pool.problem->dataset->views[view].name, NULL, NULL));
    const of_told *own = &c->labelling[before].told;
    if (c->count == before || !(own->view[view] > OF_POOL_DOUBT))
        return check_varies(c, alone, view);
    OF_TRY(of_pool_chance(c->context, null, alone, view, &chance));
    *evidence +=
        fmax(of_pool_beyond(&c->pool, own->view[view], own->view_entropy[view], chance), 0);
    return ONEFOLD_OK;
}

/* What views show by themselves, and what neighbours tell of nothing. From then on views tell by
 * `weights`, which are by evidence. */
static onefold_status look_at_views(contest *c, double *weights)
{
    OF_SCRATCH(scratch, c->context);
    of_sample shuffled;
    of_pool null;
    size_t p = c->pool.p;
    double *evidence;
    OF_TRY(OF_NEW(&scratch, &evidence, p, 1));
    OF_TRY(of_sample_null(c->context, &scratch, c->pool.problem, OF_NULL_SHUFFLED, &shuffled));
    OF_TRY(of_pool_make(c->context, &scratch, &shuffled.problem, 0, 1, &null));
    for (size_t view = 0; view < p && p > 1; view++)
        OF_TRY(look_at_view(c, &null, view, &evidence[view]));
    of_weights_by(p, p > 1 ? evidence : NULL, NULL, weights);
    if (p > 1) {
        OF_TRY(of_pool_tell_by(c->context, c->arena, &c->pool, weights));
        OF_TRY(of_pool_tell_by(c->context, &scratch, &null, weights));
    }
    for (size_t i = 0; i < c->count; i++) /* as of all that follow */
        OF_TRY(of_pool_told(c->context, &c->pool, c->labelling[i].labels, &c->labelling[i].told));
    return of_pool_chance(c->context, &null, weights, p, &c->pool.chance);
}

/* The rounds before the last: views alike, and by evidence. The best says what views earn. */
static onefold_status first_rounds(contest *c, double *earned)
{
    double *alike, *by_evidence;
    size_t p = c->pool.p;
    OF_TRY(OF_NEW(c->arena, &alike, p, 1));
    OF_TRY(OF_NEW(c->arena, &by_evidence, p, 1));
    OF_TRY(look_at_views(c, by_evidence));
    if (p == 1)
        return ONEFOLD_OK;
    of_weights_by(p, NULL, NULL, alike);
    OF_TRY(add_labellings(c, alike, p, "alike", NULL, NULL));
    OF_TRY(add_labellings(c, by_evidence, p, "by evidence", NULL, NULL));
    OF_TRY(choose(c, 0));
    of_weights_by(p, c->labelling[c->chosen].told.view, c->pool.problem->bounds, earned);
    return ONEFOLD_OK;
}

/* All rounds, on the samples of a problem. `kept` and `joint`: of the last. */
static onefold_status compete(contest *c, const of_problem *problem, of_outcome *outcome,
                              of_arena *kept, of_joint *joint)
{
    double *earned, began = of_clock_seconds();
    size_t p = problem->dataset->view_count;
    OF_TRY(begin(c, problem));
    outcome->seconds_base = of_clock_seconds() - began;
    OF_TRY(OF_NEW(c->arena, &earned, p, 1));
    of_weights_by(p, NULL, problem->bounds, earned);
    if (problem->options->effort != ONEFOLD_EFFORT_QUICK)
        OF_TRY(first_rounds(c, earned));
    size_t first = c->count;
    OF_TRY(add_labellings(c, earned, p,
                          problem->bounds ? "as given"
                          : first > 0     ? "earned"
                                          : "alike",
                          kept, joint));
    OF_TRY(choose(c, first));
    return of_pool_agree(c->context, &c->pool, c->count, c->labelling);
}

/* ---- the result ------------------------------------------------------------------------------ */

/* How many labellings were compared, and why this one was chosen. */
static onefold_status say_why(of_arena *arena, const contest *c, const char **note)
{
    const of_labelling *best = &c->labelling[c->chosen];
    const of_dataset *dataset = c->pool.problem->dataset;
    char *text;
    if (c->count == 1)
        OF_TRY(of_arena_string(arena, &text, "one labelling, views weighed %s: %s", best->weighed,
                               best->name));
    else
        OF_TRY(of_arena_string(
            arena, &text,
            "best of %zu labellings: %s (others agree at %.2f; neighbours tell %.0f %% of it, %.0f "
            "%% by chance)",
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
    *note = text;
    return ONEFOLD_OK;
}

static onefold_status keep_candidates(of_outcome *outcome, const contest *c)
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
    return say_why(&outcome->arena, c, &outcome->note);
}

/* Labels of views by themselves; where labellings competed on a sample, of its samples alone. */
static onefold_status keep_own_labels(of_context *context, const of_pool *all, const contest *c,
                                      const int32_t *labels, of_outcome *outcome)
{
    OF_SCRATCH(scratch, context);
    const of_pool *pool = &c->pool;
    size_t n = all->n, count = pool->n, p = pool->p;
    int32_t *own, *sampled;
    if (pool->problem->options->bare || pool->mu > OF_MOST_EXPLAINED)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(&scratch, &own, count, p));
    OF_TRY(OF_NEW(&scratch, &sampled, count, 1));
    for (size_t j = 0; j < count; j++)
        sampled[j] = labels[of_cs_sample_at(n, count, j)];
    OF_TRY(of_pool_own_labels(context, pool, sampled, own));
    OF_TRY(OF_NEW(&outcome->arena, &outcome->own_labels, n, p));
    for (size_t j = 0; j < n * p; j++)
        outcome->own_labels[j] = -1;
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < count; j++)
            outcome->own_labels[i * n + of_cs_sample_at(n, count, j)] = own[i * count + j];
    return ONEFOLD_OK;
}

static onefold_status keep_result(of_context *context, const of_pool *pool, const contest *c,
                                  const of_labelling *best, of_outcome *outcome)
{
    OF_SCRATCH(scratch, context);
    const of_problem *problem = pool->problem;
    const onefold_fit_options *options = problem->options;
    of_stack X;
    outcome->labels = best->result.labels;
    outcome->embedding = of_comm_splits(context, pool->n) ? NULL : best->result.H.held;
    outcome->embedding_rows = best->rows;
    if (best->result.restarts)
        OF_TRY(of_cs_keep_restarts(outcome, &best->result));
    else
        outcome->converged = 1;
    OF_TRY(OF_NEW_ZERO(&outcome->arena, &outcome->views, pool->p, 1));
    for (size_t i = 0; i < pool->p; i++)
        outcome->views[i].weight = best->weights[i];
    OF_TRY(keep_own_labels(context, pool, c, outcome->labels, outcome));
    if (outcome->own_labels) {
        if (best->result.restarts) {
            OF_TRY(of_labelling_stack(&scratch, pool, best, &X));
        } else { /* its embedding is the stack */
            X = of_stack_double(best->result.H.held, best->rows, pool->n, best->rows);
            X.first = best->result.H.first;
        }
        of_cs_problem cs = {&X, best->parts, best->rows, best->rows, pool->mu, options, NULL};
        OF_TRY(OF_NEW(&outcome->arena, &outcome->confidence, pool->n, 1));
        OF_TRY(of_cs_explain(context, &cs, &best->result, NULL, outcome->confidence, NULL));
        OF_TRY(of_comm_gather(context, outcome->confidence, sizeof *outcome->confidence, pool->n));
    }
    if (options->keep_model || options->view_parts || options->picture)
        OF_TRY(of_labelling_rule(context, &outcome->arena, pool, best, &outcome->rule));
    if (options->view_parts || options->picture)
        OF_TRY(OF_NEW(&outcome->arena, &outcome->view_parts, pool->p, pool->n));
    return keep_candidates(outcome, c);
}

/* ---- the method ------------------------------------------------------------------------------ */

static int all_given(const of_problem *problem)
{
    for (size_t i = 0; i < problem->dataset->view_count; i++)
        if (problem->kernels[i].kind != OF_KERNEL_PRECOMPUTED)
            return 0;
    return 1;
}

/* Kernels that are given have no columns to shuffle and no graphs that new samples could be tied
 * to: OS-LFMVC-CS fits them, and its squared weights, which add up to 1, are told. */
static onefold_status run_given(of_context *context, const of_problem *problem, of_outcome *outcome)
{
    OF_TRY(of_method_os_lfmvc_cs.run(context, problem, outcome));
    for (size_t i = 0; i < problem->dataset->view_count; i++)
        outcome->views[i].weight *= outcome->views[i].weight;
    outcome->note = "kernels that are given: fitted by os-lfmvc-cs";
    return ONEFOLD_OK;
}

static onefold_status run(of_context *context, const of_problem *problem, of_outcome *outcome)
{
    OF_SCRATCH(scratch, context);
    of_sample sample;
    of_joint joint[OF_JOINT_KINDS] = {{0}};
    contest c = {.context = context, .arena = &scratch};
    if (all_given(problem))
        return run_given(context, problem, outcome);
    double began = of_clock_seconds();
    if (!of_sample_suits(problem)) {
        OF_TRY(compete(&c, problem, outcome, &outcome->arena, joint));
        OF_TRY(keep_result(context, &c.pool, &c, &c.labelling[c.chosen], outcome));
        outcome->seconds_fit = of_clock_seconds() - began - outcome->seconds_base;
        return ONEFOLD_OK;
    }
    OF_TRY(of_sample_make(context, &scratch, problem, of_cs_sample_size(problem->dataset->samples),
                          &sample));
    OF_TRY(compete(&c, &sample.problem, outcome, NULL, NULL));
    of_labelling best = c.labelling[c.chosen]; /* is made again, of all samples */
    best.known = best.labels;
    of_pool pool;
    double again = of_clock_seconds();
    OF_TRY(of_pool_make(context, &scratch, problem, best.kinds, 0, &pool));
    OF_TRY(join(context, &scratch, &pool, best.kinds, best.weights, joint));
    outcome->seconds_base += of_clock_seconds() - again;
    if (!take_parts(joint, &best))
        return of_fail(ONEFOLD_BAD_DATA, "no view distinguishes its samples");
    of_context_progress(context, "fit", (double)c.count, (double)c.count + 1, best.name);
    OF_TRY(of_labelling_make(context, &outcome->arena, &pool, &best));
    OF_TRY(keep_result(context, &pool, &c, &best, outcome));
    outcome->seconds_fit = of_clock_seconds() - began - outcome->seconds_base;
    return ONEFOLD_OK;
}

/* ---- estimates ------------------------------------------------------------------------------- */

/* What the graphs of n samples hold, and the most that making a graph or a joint one takes. */
static onefold_status graph_bytes(of_context *context, const of_problem *problem, size_t n,
                                  size_t *held, size_t *most)
{
    OF_COUNTING(counting, context);
    OF_SCRATCH(arena, counting);
    size_t k = problem->partition.dims, entries = 0, landmarks = 0, more = 0, *start;
    of_graph_spectrum spectrum;
    for (size_t i = 0; i < problem->dataset->view_count; i++)
        for (of_kernel_kind kind = OF_KERNEL_KNN; kind <= OF_KERNEL_SUBSPACE; kind++) {
            of_kernel kernel = problem->kernels[i];
            of_view view = *kernel.view;
            of_view_graph graph;
            if (kernel.kind == OF_KERNEL_PRECOMPUTED)
                continue;
            view.samples = view.samples < n ? view.samples : n;
            kernel.view = &view;
            kernel.graph = kind;
            kernel.features.rows = view.samples;
            OF_TRY(of_view_graph_make(counting, &arena, &kernel, &problem->partition, &graph));
            more += sizeof(double) * graph.set.count * (k + 4);
            entries += kind == OF_KERNEL_KNN ? graph.ties.start[view.samples] : 0;
            landmarks += kind == OF_KERNEL_KNN ? graph.set.count : 0;
        }
    size_t made = of_arena_bytes(&arena);
    of_sparse joint = {.rows = n, .columns = landmarks};
    OF_TRY(OF_NEW_THERE(&arena, &start, n + 1, 1));
    for (size_t j = 0; j <= n; j++)
        start[j] = entries / n * j + (j == n ? entries % n : 0);
    joint.start = start;
    OF_TRY(OF_NEW(&arena, (uint32_t **)&joint.index, entries, 1));
    OF_TRY(OF_NEW(&arena, (double **)&joint.value, entries, 1));
    OF_TRY(of_graph_spectrum_make(counting, &arena, &joint, k, 1, NULL, k, &spectrum));
    *held = made + more;
    *most = of_count_peak(counting) - made + ((size_t)of_team_size(context) << 18);
    return ONEFOLD_OK;
}

/* Joint partitions of n samples, their stack, and a fit of the widest labelling. */
static onefold_status fit_bytes(of_context *context, const of_problem *problem, size_t n,
                                size_t *bytes)
{
    const onefold_fit_options *o = problem->options;
    size_t solve, k = o->dims, partitions = problem->spill ? 0 : OF_JOINT_KINDS + 3;
    OF_TRY(of_cs_estimate_bytes(&solve, n, 3, k, k, o->clusters, OF_POOL_STARTS, context->threads));
    OF_TRY(of_size_multiply(bytes, n, sizeof(double) * (partitions * k + 7 * k + 400)));
    return of_size_add(bytes, *bytes, solve);
}

static onefold_status take_bytes(of_context *context, const of_problem *problem, size_t *bytes)
{
    size_t all = problem->dataset->samples, p = problem->dataset->view_count, held, most, fit, more;
    if (all_given(problem))
        return of_method_bytes(context, &of_method_os_lfmvc_cs, problem, bytes);
    size_t n = of_sample_suits(problem) ? of_cs_sample_size(all) : all;
    OF_TRY(graph_bytes(context, problem, n, &held, &most));
    OF_TRY(fit_bytes(context, problem, n, &fit));
    /* the shuffled tables with their graphs, and the fits of the last round */
    for (size_t i = 0, columns = 0; i < p; i++) {
        const of_kernel *kernel = &problem->kernels[i];
        columns = kernel->features.start ? 6 * (kernel->features.start[kernel->view->samples] / all)
                                         : of_kernel_columns(kernel);
        OF_TRY(of_size_multiply(&more, n, columns * sizeof(double)));
        OF_TRY(of_size_add(&most, most, more));
    }
    OF_TRY(of_size_multiply(&more, n, OF_LABELLINGS * problem->options->dims * sizeof(double)));
    OF_TRY(of_size_add(&fit, fit, more));
    OF_TRY(of_size_add(bytes, held, held / 2 + most + fit));
    OF_TRY(of_size_multiply(&more, n, (p + 3 * OF_LABELLINGS) * sizeof(int32_t)));
    OF_TRY(of_size_add(bytes, *bytes, more + of_sample_bytes(problem)));
    if (n < all) { /* beside the contest's graphs, which tell what views say */
        size_t own = held + of_sample_bytes(problem), whole;
        OF_TRY(graph_bytes(context, problem, all, &held, &most));
        OF_TRY(fit_bytes(context, problem, all, &fit));
        OF_TRY(of_size_add(&whole, own + held, most > fit ? most : fit));
        *bytes = whole > *bytes ? whole : *bytes;
    }
    OF_TRY(of_size_multiply(&more, all, sizeof(int32_t) * p + sizeof(double) * (2 + p)));
    return of_size_add(bytes, *bytes, more);
}

/* Graphs of views, of tables shuffled too, and joint partitions of each weighting; then the fits.
 */
static void count_work(of_context *context, const of_problem *problem, of_method_estimate *estimate)
{
    of_labelling plan[OF_LABELLINGS];
    size_t all = problem->dataset->samples, p = problem->dataset->view_count,
           n = of_sample_suits(problem) ? of_cs_sample_size(all) : all, rounds = p > 1 ? 3 : 1,
           count = of_labelling_plan(problem, plan, &(int){0});
    double share = (double)n / (double)all;
    if (all_given(problem)) {
        of_method_os_lfmvc_cs.work(context, problem, estimate);
        return;
    }
    for (size_t i = 0; i < p; i++) {
        of_partition_estimate *view = &estimate->views[i];
        view->route = OF_ROUTE_LANDMARKS;
        view->times = share * (double)(1 + rounds) + (n < all ? 1 : 0);
        for (of_kernel_kind kind = OF_KERNEL_KNN; kind <= OF_KERNEL_SUBSPACE; kind++) {
            of_kernel graph = problem->kernels[i];
            if (graph.kind == OF_KERNEL_PRECOMPUTED)
                continue;
            graph.graph = kind;
            of_partition_estimate one =
                of_partition_work(&graph, OF_ROUTE_LANDMARKS, &problem->partition);
            view->work.product += one.work.product;
            view->work.memory += one.work.memory;
            view->work.factor += one.work.factor;
        }
    }
    for (size_t i = 0; i < count; i++) {
        onefold_fit_options options = *problem->options;
        options.restarts = plan[i].starts;
        of_cs_work(context, n, plan[i].parts, plan[i].rows, plan[i].rows, options.clusters,
                   &options, rounds, estimate);
    }
}

/* The projections of the widest labelling. */
static onefold_status estimate_model(const of_problem *problem, size_t *bytes)
{
    const onefold_fit_options *o = problem->options;
    size_t p = problem->dataset->view_count, k = o->dims;
    of_partition_size size;
    OF_TRY(of_size_multiply(bytes, 3 * k * k + k * o->clusters + 3 * (2 * k + 2 * p), 8));
    for (size_t i = 0; i < p; i++)
        for (unsigned kind = OF_JOINT_KERNEL; kind < OF_JOINT_KINDS; kind++) {
            of_kernel kernel = problem->kernels[i];
            kernel.graph = kind == OF_JOINT_GRAPH      ? OF_KERNEL_KNN
                           : kind == OF_JOINT_SUBSPACE ? OF_KERNEL_SUBSPACE
                                                       : 0;
            if (kernel.kind == OF_KERNEL_PRECOMPUTED && kernel.graph)
                continue;
            if (kernel.kind == OF_KERNEL_RBF && !kernel.graph)
                kernel.kind = OF_KERNEL_LINEAR;
            of_route route = kernel.graph                           ? OF_ROUTE_LANDMARKS
                             : kernel.kind == OF_KERNEL_PRECOMPUTED ? OF_ROUTE_DENSE
                                                                    : OF_ROUTE_GRAM;
            OF_TRY(of_partition_bytes(NULL, &kernel, route, &problem->partition, &size));
            OF_TRY(of_size_add(bytes, *bytes, size.projection));
        }
    return ONEFOLD_OK;
}

const of_method of_method_onefold = {
    .name = "onefold",
    .title = "the best of a pool of labellings by one score, with weights that views earn",
    .bytes = take_bytes,
    .work = count_work,
    .estimate_model = estimate_model,
    .partitions = OF_JOINT_KINDS + 3, /* and a stack of three */
    .can_spill = 1,
    .can_split = 1,
    .run = run,
    .has_model = 1,
    .accepts_missing = 1,
    .uses_dims = 1,
    .scores_views = 1,
    .weights = OF_WEIGHTS_SUM,
    .unused = "anchors start variant nonneg stop tolerance max_iterations base precision",
    .restarts = OF_POOL_STARTS,
    .has_view_parts = 1,
};
