/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rounds of the method `onefold` (docs/method.md section 11), and its entry in the registry.
 * The first round weights views by evidence; its best labelling gives the earned weights. The last
 * round makes the labellings with the earned weights, and the best of these is the result.
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

/* ---- comparing labellings -------------------------------------------------------------------- */

/* The tables in which each view is labelled alone: the data, and two without clusters. */
enum { DATA, SHUFFLED, MIXED, TABLES };

/* Tables, joint partitions and labellings are made in parallel, each in an arena of its own. */
enum { JOINTS = TABLES, RESULTS = JOINTS + OF_JOINT_KINDS, ARENAS = RESULTS + OF_LABELLINGS };

typedef struct comparison {
    of_context *context;
    const of_problem *whole, *problem; /* problem: of the sample, where there is one */
    of_outcome *outcome;
    of_arena *arena; /* of labels, weights and their information */
    of_arena arenas[ARENAS];
    size_t tables;
    int parallel; /* tables, partitions and labellings: there are few samples */
    of_sample null[TABLES];
    of_pool pool[TABLES];
    double *alone;             /* p x p: weight 1 for one view */
    int32_t *own_labels;       /* n x p: labels of each view alone, in the data */
    int32_t *neighbour_labels; /* n x p: of_pool_own_labels of the best labels; or NULL */
    of_information *info;      /* p of each table; zero where a view has no labelling there */
    size_t count, most;
    of_labelling *labelling; /* most: of each view alone, then of the rounds */
    of_labelling plan[OF_LABELLINGS];
    size_t planned;        /* labellings of a round */
    int left_out;          /* those that would take too long */
    unsigned kinds;        /* bits: the joint partitions of a round */
    const double *weights; /* of the round */
    of_joint joint[OF_JOINT_KINDS];
    size_t first, chosen;  /* labellings: the round's first, the best */
    of_labelling *last;    /* of the round, by k-means; or NULL */
    of_device_use *unused; /* the GPU that the caller chose */
} comparison;

static void end_comparison(comparison *c)
{
    c->context->device = c->unused;
    for (size_t i = 0; i < ARENAS; i++)
        of_arena_free(&c->arenas[i]);
}

/* Makes the graphs of a table, after the table itself if it is one without clusters. */
static onefold_status make_table(void *opaque, size_t table)
{
    comparison *c = opaque;
    const of_problem *problem = c->problem;
    of_team_share(c->context);
    if (table != DATA) {
        OF_TRY(of_sample_null(c->context, &c->arenas[table], problem,
                              table == MIXED ? OF_NULL_MIXED : OF_NULL_SHUFFLED, &c->null[table]));
        problem = &c->null[table].problem;
    }
    return of_pool_make(c->context, &c->arenas[table], problem, table == DATA ? c->kinds : 0,
                        table == MIXED, &c->pool[table]);
}

static onefold_status begin(comparison *c)
{
    /* tables are made in parallel where that takes little memory and saves time */
    enum { LEAST_SAMPLES = 1 << 11, MOST_NUMBERS = 1 << 22 };
    const of_dataset *dataset = c->problem->dataset;
    size_t p = dataset->view_count, dense = 0, most = 0;
    for (size_t i = 0; i < ARENAS; i++)
        c->arenas[i] = of_arena_make(c->context);
    c->planned = of_labelling_plan(c->problem, c->plan, &c->left_out);
    for (size_t i = 0; i < c->planned; i++)
        c->kinds |= c->plan[i].kinds;
    for (size_t i = 0; i < p; i++)
        if (of_pool_dense(c->problem, i)) {
            dense++;
            most = most > dataset->views[i].columns ? most : dataset->views[i].columns;
        }
    c->tables = c->problem->options->effort == ONEFOLD_EFFORT_QUICK ? 1 : p > 1 && dense ? 3 : 2;
    c->parallel = dataset->samples <= of_cs_sample_size(SIZE_MAX);
    c->most = p + 2 * c->planned;
    OF_TRY(OF_NEW_ZERO(c->arena, &c->labelling, c->most, 1));
    of_context_progress(c->context, "base", 0, (double)p, dataset->views[0].name);
    OF_TRY(of_team_each(c->context,
                        c->parallel && dataset->samples >= LEAST_SAMPLES &&
                            dataset->samples * most <= MOST_NUMBERS,
                        c->tables, make_table, c));
    of_context_progress(c->context, "base", (double)p, (double)p, NULL);
    return ONEFOLD_OK;
}

static double score_of(const comparison *c, const of_labelling *one)
{
    return of_pool_score(&c->pool[DATA], one->info.all, one->info.entropy, c->pool[DATA].chance);
}

/* The labels of the best score so far, with those of single views; NULL: none yet. */
static const int32_t *best_so_far(const comparison *c)
{
    const of_labelling *best = NULL;
    for (size_t i = 0; i < c->count; i++)
        if (!best || score_of(c, &c->labelling[i]) > score_of(c, best))
            best = &c->labelling[i];
    return best ? best->labels : NULL;
}

/* Chooses the best score from `first` on. Among equals columns win, which label new samples in the
 * least time, then the first. */
static onefold_status choose(comparison *c, size_t first)
{
    const double equal = 1e-9;
    c->chosen = SIZE_MAX;
    for (size_t i = 0; i < c->count; i++) {
        of_labelling *one = &c->labelling[i];
        one->score = score_of(c, one);
        if (i < first)
            continue;
        const of_labelling *best = c->chosen == SIZE_MAX ? NULL : &c->labelling[c->chosen];
        if (!best ||
            (of_counts(c->context) ? one->parts >= best->parts /* the one that takes most memory */
                                   : one->score > best->score + (one->by_kmeans ? -equal : equal)))
            c->chosen = i;
    }
    if (c->chosen == SIZE_MAX)
        return of_fail(ONEFOLD_BAD_DATA, "no view distinguishes its samples");
    return ONEFOLD_OK;
}

/* ---- a round --------------------------------------------------------------------------------- */

/* Makes a joint partition of the round, if a labelling needs it; the longest work first. */
static onefold_status join(void *opaque, size_t index)
{
    comparison *c = opaque;
    size_t kind = OF_JOINT_KINDS - 1 - index;
    of_team_share(c->context);
    const of_pool *pool = &c->pool[DATA];
    if (!(c->kinds >> kind & 1))
        return ONEFOLD_OK;
    return of_joint_make(c->context, &c->arenas[JOINTS + kind], &pool->views, (of_joint_kind)kind,
                         c->weights, pool->rows, &c->joint[kind]);
}

/* The labelling from most rows takes longest, and is made first. */
static onefold_status make_labelling(void *opaque, size_t index)
{
    comparison *c = opaque;
    size_t at = c->count - 1 - index;
    of_labelling *one = &c->labelling[at];
    of_team_share(c->context);
    OF_TRY(of_labelling_make(c->context, &c->arenas[RESULTS + at - c->first], &c->pool[DATA], one));
    return of_pool_information(c->context, &c->pool[DATA], one->labels, &one->info);
}

/* Adds the labellings of a round whose partitions exist. That by k-means is made last, as one of
 * its starts is from the best of all others. */
static onefold_status add_labellings(comparison *c, const char *weighed)
{
    c->last = NULL;
    c->first = c->count;
    for (size_t i = 0; i < c->planned; i++) {
        of_labelling *one = &c->labelling[c->count];
        *one = c->plan[i];
        one->parts = 0;
        for (unsigned kind = 0; kind < OF_JOINT_KINDS; kind++)
            if (one->kinds >> kind & 1 && c->joint[kind].rank)
                one->part[one->parts++] = &c->joint[kind];
        if (!one->parts)
            continue;
        one->joint = 1;
        one->weighed = weighed;
        one->weights = c->weights;
        OF_TRY(of_information_make(c->arena, c->pool[DATA].p, &one->info));
        of_context_progress(c->context, "fit", (double)c->count, (double)c->most, one->name);
        if (one->by_kmeans)
            c->last = one;
        else
            c->count++;
    }
    return ONEFOLD_OK;
}

static onefold_status make_last(comparison *c)
{
    if (!c->last)
        return ONEFOLD_OK;
    c->last->from = best_so_far(c);
    c->count++;
    return make_labelling(c, 0);
}

/* ---- the first round: views alone, and their evidence ---------------------------------------- */

/* Dense columns are labelled by k-means: a graph of clusters that overlap would separate a few
 * outliers. Other views are labelled by their graph. */
static of_joint_kind kind_alone(const comparison *c, size_t view)
{
    return of_pool_dense(c->problem, view) ? OF_JOINT_COLUMNS : OF_JOINT_GRAPH;
}

static onefold_status label_alone(void *opaque, size_t index)
{
    comparison *c = opaque;
    size_t p = c->pool[DATA].p, table = index / p, view = index % p;
    const of_pool *pool = &c->pool[table];
    if (table >= c->tables || !pool->ties[view].rows)
        return ONEFOLD_OK;
    of_team_share(c->context);
    return of_pool_label(c->context, pool, kind_alone(c, view), c->alone + view * p,
                         table == DATA ? c->own_labels + view * pool->n : NULL, &c->info[index]);
}

/* Refuses a view without variance. */
static onefold_status check_variance(const comparison *c, const double *alone, size_t view)
{
    OF_SCRATCH(scratch, c->context);
    const of_joint_views *views = &c->pool[DATA].views;
    of_joint columns;
    OF_TRY(of_joint_make(c->context, &scratch, views, OF_JOINT_COLUMNS, alone, 1, &columns));
    if (columns.rank || !of_joint_has(views, view, OF_JOINT_COLUMNS))
        return ONEFOLD_OK;
    return of_kernel_zero(c->context, &c->problem->dataset->views[view]);
}

/* Adds the labellings of single views. */
static onefold_status add_views(comparison *c)
{
    size_t p = c->pool[DATA].p;
    for (size_t view = 0; view < p; view++) {
        const double *alone = c->alone + view * p;
        const of_information *info = &c->info[DATA * p + view];
        if (!(info->view[view] > OF_POOL_DOUBT))
            OF_TRY(check_variance(c, alone, view));
        if (!(info->entropy > 0))
            continue;
        of_labelling *one = &c->labelling[c->count++];
        *one = of_labelling_single(c->problem, kind_alone(c, view));
        one->weighed = c->problem->dataset->views[view].name;
        one->weights = alone;
        one->labels = c->own_labels + view * c->pool[DATA].n;
        one->info = *info;
    }
    return ONEFOLD_OK;
}

/* nu_vu of section 11, or 1 where it is unknown. nu_vv is the smaller of two, as either table can
 * look clustered: shuffled columns keep their gaps, mixed samples have few directions. */
static double chance_of(const comparison *c, size_t v, size_t u)
{
    size_t p = c->pool[DATA].p;
    double least = 1;
    for (int table = SHUFFLED; table < TABLES; table++) {
        const of_information *info = &c->info[(size_t)table * p + v];
        int known = u == v || (table == MIXED && !c->problem->dataset->present);
        if (known && info->view_entropy[u] > 0)
            least = fmin(least, fmax(info->view[u] / info->view_entropy[u], 0));
    }
    return least;
}

/* Weights in proportion to evidence e_v. Its error is added, so that weights are equal where no
 * view shows clusters. */
static onefold_status weigh_by_evidence(comparison *c, double *weights)
{
    OF_SCRATCH(scratch, c->context);
    size_t p = c->pool[DATA].p;
    double *evidence;
    OF_TRY(OF_NEW_THERE(&scratch, &evidence, p, 1));
    for (size_t v = 0; v < p; v++) {
        const of_information *info = &c->info[DATA * p + v];
        evidence[v] = OF_POOL_DOUBT;
        for (size_t u = 0; u < p; u++)
            evidence[v] += fmax(of_pool_score(&c->pool[DATA], info->view[u], info->view_entropy[u],
                                              chance_of(c, v, u)),
                                0);
    }
    of_weights_by(p, evidence, NULL, weights);
    return ONEFOLD_OK;
}

/* Pieces of work once the weights of the first round are known: its joint partitions, of which the
 * joined columns come with their votes on the labels of single views; and the chance. */
enum { VOTES = OF_JOINT_KINDS - 1, CHANCE, PREPARED };
static onefold_status prepare_round(void *opaque, size_t index)
{
    comparison *c = opaque;
    int table = index == CHANCE ? SHUFFLED : DATA;
    of_pool *pool = &c->pool[table];
    of_team_share(c->context);
    if (index < VOTES)
        return join(c, index);
    if (pool->p > 1)
        OF_TRY(of_pool_vote_by(c->context, &c->arenas[table], pool, c->weights));
    if (index == CHANCE)
        return of_pool_chance(c->context, pool, c->weights, &c->pool[DATA].chance);
    c->joint[OF_JOINT_COLUMNS] = pool->columns;
    for (size_t i = 0; i < c->count; i++)
        OF_TRY(
            of_pool_information(c->context, pool, c->labelling[i].labels, &c->labelling[i].info));
    return ONEFOLD_OK;
}

/* Releases the partitions and results of a round, but for the labels. */
static onefold_status end_round(comparison *c)
{
    size_t n = c->pool[DATA].n;
    for (size_t i = c->first; i < c->count; i++) {
        of_labelling *one = &c->labelling[i];
        OF_TRY(OF_NEW(c->arena, &one->labels, n, 1));
        if (!of_counts(c->context))
            memcpy(one->labels, one->result.labels, n * sizeof *one->labels);
        one->result = (of_cs_result){0};
        memset(one->part, 0, sizeof one->part);
    }
    for (size_t i = JOINTS; i < ARENAS; i++)
        of_arena_free(&c->arenas[i]);
    memset(c->joint, 0, sizeof c->joint);
    return ONEFOLD_OK;
}

/* Sets the weights of the first round. */
static onefold_status begin_round(comparison *c)
{
    size_t p = c->pool[DATA].p, count = TABLES * p;
    double *weights;
    OF_TRY(OF_NEW_THERE(c->arena, &weights, p, 1));
    of_weights_by(p, NULL, NULL, weights);
    c->weights = weights;
    if (p > 1) {
        OF_TRY(OF_NEW_THERE(c->arena, &c->alone, p, p));
        OF_TRY(OF_NEW(c->arena, &c->own_labels, c->pool[DATA].n, p));
        OF_TRY(OF_NEW(c->arena, &c->info, count, 1));
        for (size_t i = 0; i < p * p; i++)
            c->alone[i] = i / p == i % p;
        for (size_t i = 0; i < count; i++)
            OF_TRY(of_information_make(c->arena, p, &c->info[i]));
        of_context_progress(c->context, "fit", 0, (double)c->most, "views by themselves");
        OF_TRY(of_team_each(c->context, c->parallel, count, label_alone, c));
        OF_TRY(add_views(c));
        OF_TRY(weigh_by_evidence(c, weights));
    }
    return ONEFOLD_OK;
}

/* ---- the result ------------------------------------------------------------------------------ */

/* The note: how many labellings were compared, and why this one was chosen. */
static onefold_status make_note(of_arena *arena, const comparison *c, size_t n, const char **note)
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
            100 * c->pool[DATA].chance));
    for (size_t i = 0; i < c->pool[DATA].p && c->count > 1; i++)
        if (!(best->info.view[i] > 0))
            OF_TRY(of_arena_string(arena, &text, "%s; %s tells nothing about these clusters", text,
                                   dataset->views[i].name));
    if (c->left_out)
        OF_TRY(of_arena_string(arena, &text,
                               "%s; %d of %d kinds of labellings were left out, as they would take "
                               "too long",
                               text, c->left_out, OF_LABELLINGS));
    if (c->pool[DATA].n < n)
        OF_TRY(of_arena_string(arena, &text,
                               "%s; compared on %zu of the %zu samples, whose model labels all",
                               text, c->pool[DATA].n, n));
    if (c->unused && c->unused->device)
        OF_TRY(of_arena_string(arena, &text, "%s; by the CPU, which is faster at this", text));
    *note = text;
    return ONEFOLD_OK;
}

static onefold_status keep_candidates(of_outcome *outcome, const comparison *c, size_t n)
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
                                      .chance = c->pool[DATA].chance,
                                      .score = one->score};
    }
    outcome->candidates = c->count;
    outcome->candidate = kept;
    return make_note(&outcome->arena, c, n, &outcome->note);
}

/* Keeps labels, embedding and confidence of this process's samples, where all were fitted. */
static onefold_status keep_samples(const comparison *c, of_outcome *outcome)
{
    OF_SCRATCH(scratch, c->context);
    const of_pool *pool = &c->pool[DATA];
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

/* Keeps what of the best labelling is not an array of samples. */
static onefold_status keep_best(comparison *c)
{
    const of_pool *pool = &c->pool[DATA];
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
        OF_TRY(OF_NEW(c->arena, &c->neighbour_labels, pool->n, pool->p));
        OF_TRY(of_pool_own_labels(c->context, pool, best->labels, c->neighbour_labels));
    }
    if (outcome->sampled || options->keep_model || options->view_parts || options->picture)
        OF_TRY(of_labelling_rule(c->context, &outcome->arena, pool, best, &outcome->rule));
    return ONEFOLD_OK;
}

/* Broadcasts the outcome of rank 0 on the sample. The arrays of its rule follow with the model. */
static onefold_status broadcast_best(comparison *c)
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
        OF_TRY(of_comm_broadcast_array(c->arena, &c->neighbour_labels,
                                       outcome->sampled * p * sizeof *c->neighbour_labels));
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

/* Keeps the own labels of this process's samples, -1 for those that were not fitted. */
static onefold_status keep_own_labels(const comparison *c, of_outcome *outcome)
{
    size_t n = c->whole->dataset->samples, p = c->whole->dataset->view_count,
           count = outcome->sampled ? outcome->sampled : n;
    of_range held = of_comm_own(c->context, n);
    size_t length = held.end - held.first;
    if (!c->neighbour_labels)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(&outcome->arena, &outcome->own_labels, length, p));
    OF_COUNTED(c->context);
    for (size_t j = 0; j < length * p; j++)
        outcome->own_labels[j] = -1;
    for (size_t e = 0; e < p * count; e++) {
        size_t at = of_part_start(n, count, e % count);
        if (at >= held.first && at < held.end)
            outcome->own_labels[e / count * length + at - held.first] = c->neighbour_labels[e];
    }
    return ONEFOLD_OK;
}

/* Allocates what the model computes for this process's samples. */
static onefold_status allocate_results(of_context *context, const of_problem *problem,
                                       of_outcome *outcome)
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

/* Precomputed kernels have no columns to shuffle, and no graphs that new samples could join. So
 * os-lfmvc-cs fits them; its squared weights, which add up to 1, are printed. */
static onefold_status run_given(of_context *context, const of_problem *problem, of_outcome *outcome)
{
    OF_TRY(of_method_os_lfmvc_cs.run(context, problem, outcome));
    for (size_t i = 0; i < problem->dataset->view_count; i++)
        outcome->views[i].weight *= outcome->views[i].weight;
    outcome->note = "precomputed kernels: fitted by os-lfmvc-cs";
    return ONEFOLD_OK;
}

/* Makes the labellings of both rounds, and keeps the best. */
static onefold_status compare_labellings(of_context *context, void *opaque)
{
    comparison *c = opaque;
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
        OF_TRY(p > 1 ? of_team_each(context, c->parallel, PREPARED, prepare_round, c)
                     : prepare_round(c, CHANCE));
        of_arena_free(&c->arenas[SHUFFLED]);
        of_arena_free(&c->arenas[MIXED]);
    }
    if (!quick && p > 1) {
        OF_TRY(add_labellings(c, "by evidence"));
        OF_TRY(of_team_each(context, c->parallel, c->count - c->first, make_labelling, c));
        OF_TRY(make_last(c));
        OF_TRY(choose(c, 0));
        of_weights_by(p, c->labelling[c->chosen].info.view, problem->bounds, earned);
        OF_TRY(end_round(c));
    }
    c->weights = earned;
    OF_TRY(of_team_each(context, c->parallel, OF_JOINT_KINDS, join, c));
    OF_TRY(add_labellings(c, problem->bounds ? "as given" : c->count > 0 ? "earned" : "alike"));
    OF_TRY(of_team_each(context, c->parallel, c->count - c->first, make_labelling, c));
    OF_TRY(make_last(c));
    for (size_t i = JOINTS; i < ARENAS; i++)
        of_arena_adopt(&outcome->arena, &c->arenas[i]);
    OF_TRY(choose(c, c->first));
    OF_TRY(of_pool_agree(context, &c->pool[DATA], c->count, c->labelling));
    OF_TRY(keep_candidates(outcome, c, problem->dataset->samples));
    for (size_t i = c->first; i < c->count; i++)
        if (c->labelling[i].by_kmeans && (i == c->chosen || of_counts(context)))
            OF_TRY(of_labelling_refine(context, &outcome->arena, &c->pool[DATA], &c->labelling[i]));
    return keep_best(c);
}

/* The work is small eigenproblems, graphs and k-means on few samples: the threads of the CPU do
 * these in parallel faster than a GPU one by one. */
static onefold_status run(of_context *context, const of_problem *problem, of_outcome *outcome)
{
    if (of_kernels_are_given(problem->kernels, problem->dataset->view_count))
        return run_given(context, problem, outcome);
    OF_SCRATCH(scratch, context);
    of_sample sample;
    __attribute__((cleanup(end_comparison))) comparison c = {.context = context,
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
        OF_TRY(of_comm_lead(context, compare_labellings, &c));
        OF_TRY(broadcast_best(&c));
    } else {
        OF_TRY(compare_labellings(context, &c));
    }
    OF_TRY(keep_own_labels(&c, outcome));
    if (!outcome->sampled)
        OF_TRY(keep_samples(&c, outcome));
    return allocate_results(context, problem, outcome);
}

/* ---- estimates ------------------------------------------------------------------------------- */

/* Graphs and joint partitions of views, of tables without clusters and of rounds; the fits; and the
 * labels of all samples by joined columns, where a sample is fitted. */
static void count_work(of_context *context, const of_problem *problem, of_method_estimate *estimate)
{
    of_labelling plan[OF_LABELLINGS];
    size_t all = problem->dataset->samples, p = problem->dataset->view_count,
           n = of_sample_suits(problem) ? of_cs_sample_size(all) : all, rounds = p > 1 ? 2 : 1,
           count = of_labelling_plan(problem, plan, &(int){0});
    enum { TIE_BYTES = 48 }; /* of a tie and the two sums that it goes into and is read with */
    double tables = 0,
           ties = problem->options->neighbours ? (double)problem->options->neighbours : 8;
    if (of_kernels_are_given(problem->kernels, p)) {
        of_method_os_lfmvc_cs.work(context, problem, estimate);
        return;
    }
    for (size_t i = 0; i < p; i++) {
        of_partition_estimate *view = &estimate->views[i];
        double nulls = p > 1 && of_pool_dense(problem, i) ? 2 : 1;
        tables += 2 + nulls; /* the data twice */
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
    /* what the neighbours in every view tell about the labels of every single view */
    if (p > 1 && problem->options->effort != ONEFOLD_EFFORT_QUICK)
        estimate->fit.memory += tables * (double)p * (double)n * ties * TIE_BYTES;
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
    .draws = "the starts of its restarts and its samples",
};
