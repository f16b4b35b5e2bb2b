/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The method `onefold` of the registry (docs/method.md section 11). The first round weighs views by
 * the evidence of each view's own labelling; the labelling of the best score says what each view
 * has earned. The last round makes the labellings again with these weights, and the best of them is
 * the result: the weights that are printed are those that made it.
 */
#include "base/comm.h"
#include "base/context.h"
#include "base/device.h"
#include "method/base_stage.h"
#include "method/onefold_pool.h"
#include "method/os_lfmvc_cs.h"
#include "partition/routes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the contest ----------------------------------------------------------------------------- */

/* Where each view is labelled by itself: in the data, and in two tables without clusters. */
enum { OWN, SHUFFLED, MIXED, TABLES };

/* What is done side by side has memory of its own: tables, joint partitions, labellings. */
enum { JOINTS = TABLES, RESULTS = JOINTS + OF_JOINT_KINDS, ROOMS = RESULTS + OF_LABELLINGS };

typedef struct contest {
    of_context *context;
    const of_problem *whole, *problem; /* problem: of the sample, where there is one */
    of_outcome *outcome;
    of_arena *arena; /* of labels, weights and their information */
    of_arena room[ROOMS];
    size_t tables; /* that there are */
    int few;       /* samples: pieces are worked beside each other */
    of_sample null[TABLES];
    of_pool pool[TABLES]; /* the first of the data */
    double *alone;        /* p x p: the weights of each view by itself */
    int32_t *own_labels;  /* n x p: of views by themselves, in the data */
    int32_t *own_best;    /* the same, as neighbours vote on the best labels; or NULL */
    of_information *info; /* p of each table; all 0 where a view has no labelling there */
    size_t count, most;
    of_labelling *labelling; /* most: of views by themselves, then of rounds, */
    of_labelling *last;      /* in each of which this one, or none, is made last */
    unsigned kinds;          /* bits: the joint partitions of a round */
    const double *weights;   /* of the round, */
    of_joint joint[OF_JOINT_KINDS];
    size_t first, chosen; /* first: of its labellings */
    int left_out;
    of_device_use *unused; /* a GPU that the caller has chosen */
} contest;

static void end_contest(contest *c)
{
    c->context->device = c->unused;
    for (size_t i = 0; i < ROOMS; i++)
        of_arena_free(&c->room[i]);
}

/* The graphs of a table, and the table itself where it is one without clusters: columns shuffled,
 * or samples mixed, the same in all views of dense columns. */
static onefold_status make_table(void *opaque, size_t table)
{
    contest *c = opaque;
    const of_problem *problem = c->problem;
    of_team_share(c->context);
    if (table != OWN) {
        OF_TRY(of_sample_null(c->context, &c->room[table], problem,
                              table == MIXED ? OF_NULL_MIXED : OF_NULL_SHUFFLED, &c->null[table]));
        problem = &c->null[table].problem;
    }
    return of_pool_make(c->context, &c->room[table], problem, table == OWN ? c->kinds : 0,
                        table == MIXED, &c->pool[table]);
}

static onefold_status begin(contest *c)
{
    /* tables are made side by side where that takes little memory and saves more than it costs */
    enum { LEAST_SAMPLES = 1 << 11, MOST_NUMBERS = 1 << 22 };
    of_labelling plan[OF_LABELLINGS];
    const of_dataset *dataset = c->problem->dataset;
    size_t count = of_labelling_plan(c->problem, plan, &c->left_out), p = dataset->view_count,
           dense = 0, most = 0;
    for (size_t i = 0; i < ROOMS; i++)
        c->room[i] = of_arena_make(c->context);
    for (size_t i = 0; i < count; i++)
        c->kinds |= plan[i].kinds;
    for (size_t i = 0; i < p; i++)
        if (of_pool_dense(c->problem, i)) {
            dense++;
            most = most > dataset->views[i].columns ? most : dataset->views[i].columns;
        }
    c->tables = c->problem->options->effort == ONEFOLD_EFFORT_QUICK ? 1 : p > 1 && dense ? 3 : 2;
    c->few = dataset->samples <= of_cs_sample_size(SIZE_MAX);
    c->most = p + 2 * count;
    OF_TRY(OF_NEW_ZERO(c->arena, &c->labelling, c->most, 1));
    of_context_progress(c->context, "base", 0, (double)p, dataset->views[0].name);
    OF_TRY(of_team_each(c->context,
                        c->few && dataset->samples >= LEAST_SAMPLES &&
                            dataset->samples * most <= MOST_NUMBERS,
                        c->tables, make_table, c));
    of_context_progress(c->context, "base", (double)p, (double)p, NULL);
    return ONEFOLD_OK;
}

static double score_of(const contest *c, const of_labelling *one)
{
    return of_pool_score(&c->pool[OWN], one->info.all, one->info.entropy, c->pool[OWN].chance);
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

/* Chooses the best score of those from `first` on: of those that are as good, columns, which label
 * new samples in the least time, or else the first. */
static onefold_status choose(contest *c, size_t first)
{
    const double as_good = 1e-9;
    c->chosen = SIZE_MAX;
    for (size_t i = 0; i < c->count; i++) {
        of_labelling *one = &c->labelling[i];
        one->score = score_of(c, one);
        if (i < first)
            continue;
        const of_labelling *best = c->chosen == SIZE_MAX ? NULL : &c->labelling[c->chosen];
        if (!best || (of_counts(c->context)
                          ? one->parts >= best->parts /* which takes most */
                          : one->score > best->score + (one->by_kmeans ? -as_good : as_good)))
            c->chosen = i;
    }
    if (c->chosen == SIZE_MAX)
        return of_fail(ONEFOLD_BAD_DATA, "no view distinguishes its samples");
    return ONEFOLD_OK;
}

/* ---- a round --------------------------------------------------------------------------------- */

/* A joint partition of the round, where one of its labellings is read off it: those that take
 * longest first. */
static onefold_status join(void *opaque, size_t index)
{
    contest *c = opaque;
    size_t kind = OF_JOINT_KINDS - 1 - index;
    of_team_share(c->context);
    const of_pool *pool = &c->pool[OWN];
    if (!(c->kinds >> kind & 1))
        return ONEFOLD_OK;
    return of_joint_make(c->context, &c->room[JOINTS + kind], &pool->views, (of_joint_kind)kind,
                         c->weights, pool->rows, &c->joint[kind]);
}

/* The last one takes longest, and goes first. */
static onefold_status make_labelling(void *opaque, size_t index)
{
    contest *c = opaque;
    size_t at = c->count - 1 - index;
    of_labelling *one = &c->labelling[at];
    of_team_share(c->context);
    OF_TRY(of_labelling_make(c->context, &c->room[RESULTS + at - c->first], &c->pool[OWN], one));
    return of_pool_information(c->context, &c->pool[OWN], one->labels, &one->info);
}

/* The labellings of the plan with the weights of the round, whose partitions are there, to be made
 * (make_labelling) but for that by centres, the last. */
static onefold_status add_labellings(contest *c, const char *weighed)
{
    of_labelling plan[OF_LABELLINGS];
    size_t count = of_labelling_plan(c->problem, plan, &c->left_out);
    c->first = c->count;
    c->last = NULL;
    for (size_t i = 0; i < count; i++) {
        of_labelling *one = &c->labelling[c->count];
        *one = plan[i];
        one->parts = 0;
        for (unsigned kind = 0; kind < OF_JOINT_KINDS; kind++)
            if (one->kinds >> kind & 1 && c->joint[kind].rank)
                one->part[one->parts++] = &c->joint[kind];
        if (!one->parts)
            continue;
        one->joint = 1;
        one->weighed = weighed;
        one->weights = c->weights;
        OF_TRY(of_information_make(c->arena, c->pool[OWN].p, &one->info));
        of_context_progress(c->context, "fit", (double)c->count, (double)c->most, one->name);
        if (one->by_kmeans)
            c->last = one;
        else
            c->count++;
    }
    return ONEFOLD_OK;
}

/* The labelling by centres, which begins from the best of all others too. */
static onefold_status make_last(contest *c)
{
    if (!c->last)
        return ONEFOLD_OK;
    c->last->from = best_so_far(c);
    c->count++;
    return make_labelling(c, 0);
}

/* ---- the first round: views by themselves, and by their evidence ----------------------------- */

/* The views by themselves: dense columns by k-means, which finds clusters of any size in them where
 * those of a graph that overlap leave it with a few outliers; other views off their graphs. */
static of_joint_kind kind_alone(const contest *c, size_t view)
{
    return of_pool_dense(c->problem, view) ? OF_JOINT_COLUMNS : OF_JOINT_GRAPH;
}

static onefold_status label_alone(void *opaque, size_t index)
{
    contest *c = opaque;
    size_t p = c->pool[OWN].p, table = index / p, view = index % p;
    const of_pool *pool = &c->pool[table];
    if (table >= c->tables || !pool->ties[view].rows)
        return ONEFOLD_OK;
    of_team_share(c->context);
    return of_pool_label(c->context, pool, kind_alone(c, view), c->alone + view * p,
                         table == OWN ? c->own_labels + view * pool->n : NULL, &c->info[index]);
}

/* A view without information on its own labelling may have no variance: then it is refused. */
static onefold_status check_varies(const contest *c, const double *alone, size_t view)
{
    OF_SCRATCH(scratch, c->context);
    const of_joint_views *views = &c->pool[OWN].views;
    of_joint columns;
    OF_TRY(of_joint_make(c->context, &scratch, views, OF_JOINT_COLUMNS, alone, 1, &columns));
    if (columns.rank || !of_joint_has(views, view, OF_JOINT_COLUMNS))
        return ONEFOLD_OK;
    return of_kernel_zero(c->context, &c->problem->dataset->views[view]);
}

/* The labellings of views by themselves are among those that are compared. */
static onefold_status add_views(contest *c)
{
    size_t p = c->pool[OWN].p;
    for (size_t view = 0; view < p; view++) {
        const double *alone = c->alone + view * p;
        const of_information *info = &c->info[OWN * p + view];
        if (!(info->view[view] > OF_POOL_DOUBT))
            OF_TRY(check_varies(c, alone, view));
        if (!(info->entropy > 0))
            continue;
        of_labelling *one = &c->labelling[c->count++];
        *one = of_labelling_single(c->problem, kind_alone(c, view));
        one->weighed = c->problem->dataset->views[view].name;
        one->weights = alone;
        one->labels = c->own_labels + view * c->pool[OWN].n;
        one->info = *info;
    }
    return ONEFOLD_OK;
}

/* The share of the labels of view v that neighbours in view u predict by chance: the smaller one of
 * the two tables without clusters, as either may have some: shuffled columns keep their gaps, and
 * mixed samples keep few directions. For pairs of views it is that of mixed samples, which keep
 * what views have in common, where no sample lacks a view. 1, which nothing exceeds, where it is
 * not known. */
static double chance_of(const contest *c, size_t v, size_t u)
{
    size_t p = c->pool[OWN].p;
    double least = 1;
    for (int table = SHUFFLED; table < TABLES; table++) {
        const of_information *info = &c->info[(size_t)table * p + v];
        int known = u == v || (table == MIXED && !c->problem->dataset->present);
        if (known && info->view_entropy[u] > 0)
            least = fmin(least, fmax(info->view[u] / info->view_entropy[u], 0));
    }
    return least;
}

/* Weights by the evidence of each view: the information of all views on its own labelling beyond
 * chance. The error of that is added, so that views of which none shows clusters alone weigh alike.
 */
static onefold_status weigh_by_evidence(contest *c, double *weights)
{
    OF_SCRATCH(scratch, c->context);
    size_t p = c->pool[OWN].p;
    double *evidence;
    OF_TRY(OF_NEW_THERE(&scratch, &evidence, p, 1));
    for (size_t v = 0; v < p; v++) {
        const of_information *info = &c->info[OWN * p + v];
        evidence[v] = OF_POOL_DOUBT;
        for (size_t u = 0; u < p; u++)
            evidence[v] += fmax(of_pool_score(&c->pool[OWN], info->view[u], info->view_entropy[u],
                                              chance_of(c, v, u)),
                                0);
    }
    of_weights_by(p, evidence, NULL, weights);
    return ONEFOLD_OK;
}

/* What the first round needs of its weights: its joint partitions but for the last, the joined
 * columns; these, as neighbours vote in them on all labels, those of single views too; and votes on
 * labels of no clusters. */
enum { VOTES = OF_JOINT_KINDS - 1, CHANCE, PREPARED };
static onefold_status prepare_round(void *opaque, size_t index)
{
    contest *c = opaque;
    int table = index == CHANCE ? SHUFFLED : OWN;
    of_pool *pool = &c->pool[table];
    of_team_share(c->context);
    if (index < VOTES)
        return join(c, index);
    if (pool->p > 1)
        OF_TRY(of_pool_vote_by(c->context, &c->room[table], pool, c->weights));
    if (index == CHANCE)
        return of_pool_chance(c->context, pool, c->weights, &c->pool[OWN].chance);
    c->joint[OF_JOINT_COLUMNS] = pool->columns;
    for (size_t i = 0; i < c->count; i++)
        OF_TRY(
            of_pool_information(c->context, pool, c->labelling[i].labels, &c->labelling[i].info));
    return ONEFOLD_OK;
}

/* Its partitions and results are gone after it, but for the labels. */
static onefold_status end_round(contest *c)
{
    size_t n = c->pool[OWN].n;
    for (size_t i = c->first; i < c->count; i++) {
        of_labelling *one = &c->labelling[i];
        OF_TRY(OF_NEW(c->arena, &one->labels, n, 1));
        if (!of_counts(c->context))
            memcpy(one->labels, one->result.labels, n * sizeof *one->labels);
        one->result = (of_cs_result){0};
        memset(one->part, 0, sizeof one->part);
    }
    for (size_t i = JOINTS; i < ROOMS; i++)
        of_arena_free(&c->room[i]);
    memset(c->joint, 0, sizeof c->joint);
    return ONEFOLD_OK;
}

/* The weights of the first round. */
static onefold_status begin_round(contest *c)
{
    size_t p = c->pool[OWN].p, count = TABLES * p;
    double *weights;
    OF_TRY(OF_NEW_THERE(c->arena, &weights, p, 1));
    of_weights_by(p, NULL, NULL, weights);
    c->weights = weights;
    if (p > 1) {
        OF_TRY(OF_NEW_THERE(c->arena, &c->alone, p, p));
        OF_TRY(OF_NEW(c->arena, &c->own_labels, c->pool[OWN].n, p));
        OF_TRY(OF_NEW(c->arena, &c->info, count, 1));
        for (size_t i = 0; i < p * p; i++)
            c->alone[i] = i / p == i % p;
        for (size_t i = 0; i < count; i++)
            OF_TRY(of_information_make(c->arena, p, &c->info[i]));
        of_context_progress(c->context, "fit", 0, (double)c->most, "views by themselves");
        OF_TRY(of_team_each(c->context, c->few, count, label_alone, c));
        OF_TRY(add_views(c));
        OF_TRY(weigh_by_evidence(c, weights));
    }
    return ONEFOLD_OK;
}

/* ---- the result ------------------------------------------------------------------------------ */

/* How many labellings were compared, and why this one was chosen. */
static onefold_status say_why(of_arena *arena, const contest *c, size_t n, const char **note)
{
    const of_labelling *best = &c->labelling[c->chosen];
    const of_dataset *dataset = c->problem->dataset;
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
            100 * fmax(best->info.all, 0) / fmax(best->info.entropy, 1e-300),
            100 * c->pool[OWN].chance));
    for (size_t i = 0; i < c->pool[OWN].p && c->count > 1; i++)
        if (!(best->info.view[i] > 0))
            OF_TRY(of_arena_string(arena, &text, "%s; %s tells nothing about these clusters", text,
                                   dataset->views[i].name));
    if (c->left_out)
        OF_TRY(of_arena_string(arena, &text,
                               "%s; %d of %d kinds of labellings were left out, as they would take "
                               "too long",
                               text, c->left_out, OF_LABELLINGS));
    if (c->pool[OWN].n < n)
        OF_TRY(of_arena_string(arena, &text,
                               "%s; compared on %zu of the %zu samples, whose model labels all",
                               text, c->pool[OWN].n, n));
    if (c->unused && c->unused->device)
        OF_TRY(of_arena_string(arena, &text, "%s; by the CPU, which is faster at this", text));
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
                                      .eligible = i >= c->first,
                                      .chosen = i == c->chosen,
                                      .told = one->info.all,
                                      .entropy = one->info.entropy,
                                      .chance = c->pool[OWN].chance,
                                      .score = one->score};
    }
    outcome->candidates = c->count;
    outcome->candidate = kept;
    return say_why(&outcome->arena, c, n, &outcome->note);
}

/* What was found of the samples of the contest, which are all: of these, this process's own. */
static onefold_status keep_samples(const contest *c, of_outcome *outcome)
{
    OF_SCRATCH(scratch, c->context);
    const of_pool *pool = &c->pool[OWN];
    const of_labelling *best = &c->labelling[c->chosen];
    of_stack X;
    outcome->labels = best->result.labels + of_comm_own(c->context, pool->n).first;
    outcome->embedding = of_comm_splits(c->context, pool->n) ? NULL : best->result.H.held;
    if (!outcome->own_labels)
        return ONEFOLD_OK;
    OF_TRY(of_labelling_stack(&scratch, pool, best, &X));
    of_cs_problem cs = {&X,  best->parts, best->rows, best->rows, pool->mu, pool->problem->options,
                        NULL};
    OF_TRY(OF_NEW(&outcome->arena, &outcome->confidence, X.held, 1));
    return of_cs_explain(c->context, &cs, &best->result, NULL, outcome->confidence, NULL);
}

/* What is kept of the best labelling, whoever's samples it labels. */
static onefold_status keep_best(contest *c)
{
    const of_pool *pool = &c->pool[OWN];
    const of_labelling *best = &c->labelling[c->chosen];
    const onefold_fit_options *options = c->whole->options;
    of_outcome *outcome = c->outcome;
    outcome->embedding_rows = best->rows;
    if (best->result.restarts)
        OF_TRY(of_cs_keep_restarts(outcome, &best->result));
    else
        outcome->converged = 1;
    OF_TRY(OF_NEW_ZERO(&outcome->arena, &outcome->views, pool->p, 1));
    for (size_t i = 0; i < pool->p; i++)
        outcome->views[i].weight = best->weights[i];
    if (!options->bare && pool->mu <= OF_MOST_EXPLAINED) {
        OF_TRY(OF_NEW(c->arena, &c->own_best, pool->n, pool->p));
        OF_TRY(of_pool_own_labels(c->context, pool, best->labels, c->own_best));
    }
    if (outcome->sampled || options->keep_model || options->view_parts || options->picture)
        OF_TRY(of_labelling_rule(c->context, &outcome->arena, pool, best, &outcome->rule));
    return ONEFOLD_OK;
}

/* What rank 0 has found on the sample becomes everyone's, but for the arrays of its rule, which are
 * told with the model. */
static onefold_status broadcast_best(contest *c)
{
    of_outcome *outcome = c->outcome;
    of_arena held = outcome->arena, *arena = &outcome->arena;
    size_t p = c->problem->dataset->view_count;
    OF_TRY(of_comm_broadcast(c->context, 0, outcome, sizeof *outcome));
    outcome->arena = held;
    if (c->context->comm.rank > 0)
        outcome->traces = NULL; /* for a picture, which rank 0 draws */
    OF_TRY(of_comm_broadcast_array(arena, &outcome->views, p * sizeof *outcome->views));
    OF_TRY(of_comm_broadcast_text(arena, &outcome->note));
    if (!c->whole->options->bare && c->whole->options->clusters <= OF_MOST_EXPLAINED)
        OF_TRY(of_comm_broadcast_array(c->arena, &c->own_best,
                                       outcome->sampled * p * sizeof *c->own_best));
    if (outcome->restarts) {
        size_t size = outcome->restarts * sizeof(size_t);
        OF_TRY(of_comm_broadcast_array(arena, &outcome->trace,
                                       outcome->iterations * sizeof *outcome->trace));
        OF_TRY(of_comm_broadcast_array(arena, &outcome->restart_objective, size));
        OF_TRY(of_comm_broadcast_array(arena, &outcome->restart_iterations, size));
        OF_TRY(of_comm_broadcast_array(arena, &outcome->restart_clusters_used, size));
    }
    onefold_candidate *candidates = (onefold_candidate *)(uintptr_t)outcome->candidate;
    OF_TRY(of_comm_broadcast_array(arena, &candidates, outcome->candidates * sizeof *candidates));
    outcome->candidate = candidates;
    for (size_t i = 0; i < outcome->candidates; i++)
        OF_TRY(of_comm_broadcast_text(arena, &candidates[i].name));
    return ONEFOLD_OK;
}

/* Labels of views by themselves for this process's samples, where labellings competed on them. */
static onefold_status keep_own_labels(const contest *c, of_outcome *outcome)
{
    size_t n = c->whole->dataset->samples, p = c->whole->dataset->view_count,
           count = outcome->sampled ? outcome->sampled : n;
    of_range held = of_comm_own(c->context, n);
    size_t length = held.end - held.first;
    if (!c->own_best)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(&outcome->arena, &outcome->own_labels, length, p));
    OF_COUNTED(c->context);
    for (size_t j = 0; j < length * p; j++)
        outcome->own_labels[j] = -1;
    for (size_t e = 0; e < p * count; e++) {
        size_t at = of_part_start(n, count, e % count);
        if (at >= held.first && at < held.end)
            outcome->own_labels[e / count * length + at - held.first] = c->own_best[e];
    }
    return ONEFOLD_OK;
}

/* Room for this process's samples, which the rule labels. */
static onefold_status make_room(of_context *context, const of_problem *problem, of_outcome *outcome)
{
    const onefold_fit_options *options = problem->options;
    size_t n = problem->dataset->samples;
    of_range own = of_comm_own(context, n);
    if (outcome->sampled) {
        OF_TRY(OF_NEW(&outcome->arena, &outcome->labels, own.end - own.first, 1));
        if (!options->no_embedding && !of_comm_splits(context, n))
            OF_TRY(OF_NEW(&outcome->arena, &outcome->embedding, outcome->embedding_rows, n));
        if (outcome->own_labels)
            OF_TRY(OF_NEW(&outcome->arena, &outcome->confidence, own.end - own.first, 1));
    }
    if (options->view_parts || options->picture)
        OF_TRY(OF_NEW(&outcome->arena, &outcome->view_parts, problem->dataset->view_count,
                      own.end - own.first));
    return ONEFOLD_OK;
}

/* ---- the method ------------------------------------------------------------------------------ */

/* Kernels that are given have no columns to shuffle and no graphs that new samples could be tied
 * to: OS-LFMVC-CS fits them, and its squared weights, which add up to 1, are printed. */
static onefold_status run_given(of_context *context, const of_problem *problem, of_outcome *outcome)
{
    OF_TRY(of_method_os_lfmvc_cs.run(context, problem, outcome));
    for (size_t i = 0; i < problem->dataset->view_count; i++)
        outcome->views[i].weight *= outcome->views[i].weight;
    outcome->note = "precomputed kernels: fitted by os-lfmvc-cs";
    return ONEFOLD_OK;
}

/* The labellings of both rounds, and the best of them. */
static onefold_status compete(of_context *context, void *opaque)
{
    contest *c = opaque;
    const of_problem *problem = c->whole;
    of_outcome *outcome = c->outcome;
    size_t p = problem->dataset->view_count;
    double *earned, began = of_clock_seconds();
    int quick = problem->options->effort == ONEFOLD_EFFORT_QUICK;
    OF_TRY(begin(c));
    outcome->seconds_base = of_clock_seconds() - began;
    OF_TRY(OF_NEW_THERE(c->arena, &earned, p, 1));
    of_weights_by(p, NULL, problem->bounds, earned);
    if (!quick) {
        OF_TRY(begin_round(c));
        OF_TRY(p > 1 ? of_team_each(context, c->few, PREPARED, prepare_round, c)
                     : prepare_round(c, CHANCE));
        of_arena_free(&c->room[SHUFFLED]);
        of_arena_free(&c->room[MIXED]);
    }
    if (!quick && p > 1) {
        OF_TRY(add_labellings(c, "by evidence"));
        OF_TRY(of_team_each(context, c->few, c->count - c->first, make_labelling, c));
        OF_TRY(make_last(c));
        OF_TRY(choose(c, 0));
        of_weights_by(p, c->labelling[c->chosen].info.view, problem->bounds, earned);
        OF_TRY(end_round(c));
    }
    c->weights = earned;
    OF_TRY(of_team_each(context, c->few, OF_JOINT_KINDS, join, c));
    OF_TRY(add_labellings(c, problem->bounds ? "as given" : c->count > 0 ? "earned" : "alike"));
    OF_TRY(of_team_each(context, c->few, c->count - c->first, make_labelling, c));
    OF_TRY(make_last(c));
    for (size_t i = JOINTS; i < ROOMS; i++)
        of_arena_adopt(&outcome->arena, &c->room[i]);
    OF_TRY(choose(c, c->first));
    OF_TRY(of_pool_agree(context, &c->pool[OWN], c->count, c->labelling));
    OF_TRY(keep_candidates(outcome, c, problem->dataset->samples));
    for (size_t i = c->first; i < c->count; i++)
        if (c->labelling[i].by_kmeans && (i == c->chosen || of_counts(context)))
            OF_TRY(of_labelling_refine(context, &outcome->arena, &c->pool[OWN], &c->labelling[i]));
    return keep_best(c);
}

/* The comparison consists of small eigenproblems, graphs and k-means of few samples, which the
 * threads of the CPU work beside each other in less time than a GPU takes for them one by one. */
static onefold_status run(of_context *context, const of_problem *problem, of_outcome *outcome)
{
    if (of_kernels_are_given(problem->kernels, problem->dataset->view_count))
        return run_given(context, problem, outcome);
    OF_SCRATCH(scratch, context);
    of_sample sample;
    __attribute__((cleanup(end_contest))) contest c = {.context = context,
                                                       .problem = problem,
                                                       .whole = problem,
                                                       .outcome = outcome,
                                                       .arena = &scratch,
                                                       .unused = context->device};
    context->device = NULL;
    if (of_sample_suits(problem)) {
        outcome->sampled = of_cs_sample_size(problem->dataset->samples);
        OF_TRY(of_sample_make(context, &scratch, problem, outcome->sampled, &sample));
        sample.options.keep_model = 1; /* it labels all samples */
        c.problem = &sample.problem;
        OF_TRY(of_comm_lead(context, compete, &c));
        OF_TRY(broadcast_best(&c));
    } else {
        OF_TRY(compete(context, &c));
    }
    OF_TRY(keep_own_labels(&c, outcome));
    if (!outcome->sampled)
        OF_TRY(keep_samples(&c, outcome));
    return make_room(context, problem, outcome);
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
    .title = "the best of several labellings by one score; views of noise weigh nothing",
    .work = count_work,
    .partitions = OF_JOINT_KINDS + 3, /* and a stack of three */
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
