/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The method `onefold` (docs/method.md section 11), and its entry in the registry. Every recipe
 * labels subsamples of a table and of the same table with shuffled columns. The recipe whose labels
 * come back beyond chance, and which neighbours in several views tell beyond chance, labels all
 * samples. A first round has equal weights of the views, a second one weights by what they tell.
 */
#include "base/comm.h"
#include "base/context.h"
#include "base/device.h"
#include "method/base_stage.h"
#include "method/onefold_finding.h"
#include "partition/routes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A table whose subsamples have fewer samples than this for each cluster judges nothing. */
enum { LEAST_EACH = 3 };

enum { DATA, SHUFFLED, TABLES };

typedef struct comparison {
    of_context *context;
    const of_problem *whole, *problem; /* problem: of the sample, where there is one */
    of_outcome *outcome;
    of_arena *arena;
    int judged; /* 0: one recipe, without subsamples */
    of_sample base, shuffled;
    size_t *place; /* of the table's samples in the problem */
    of_table table[TABLES];
    of_fold fold[OF_TABLE_FOLDS];
    of_arena arenas[OF_TABLE_FOLDS];
    const double *weights; /* p: of the round */
    of_verdict verdict[OF_RECIPES];
    of_recipe chosen;
    of_pool pool;
    of_joint joint[OF_JOINT_KINDS];
    of_labelling best;
    int32_t *neighbour_labels; /* n x p: of_pool_own_labels of the labels; or NULL */
    of_device_use *unused;     /* the GPU that the caller chose */
} comparison;

static void end_comparison(comparison *c)
{
    c->context->device = c->unused;
    for (size_t i = 0; i < OF_TABLE_FOLDS; i++)
        of_arena_free(&c->arenas[i]);
}

/* ---- tables and subsamples ------------------------------------------------------------------- */

static onefold_status make_tables(comparison *c)
{
    const of_problem *problem = c->problem;
    size_t n = problem->dataset->samples, p = problem->dataset->view_count,
           size = of_table_size(problem);
    OF_TRY(OF_NEW_THERE(c->arena, &c->place, size, 1));
    for (size_t j = 0; j < size; j++)
        c->place[j] = of_part_start(n, size, j);
    if (size < n) {
        OF_TRY(of_sample_make(c->context, c->arena, problem, size, &c->base));
        problem = &c->base.problem;
    }
    of_context_progress(c->context, "base", 0, (double)p, problem->dataset->views[0].name);
    OF_TRY(of_table_make(c->context, c->arena, problem, &c->table[DATA]));
    if (c->judged) {
        OF_TRY(of_table_shuffle(c->context, c->arena, problem, &c->shuffled));
        OF_TRY(of_table_make(c->context, c->arena, &c->shuffled.problem, &c->table[SHUFFLED]));
    }
    of_context_progress(c->context, "base", (double)p, (double)p, NULL);
    return ONEFOLD_OK;
}

/* Refuses a view without variance. One that varies in the table does so in all samples. */
static onefold_status check_variance(comparison *c)
{
    const of_problem *problem = c->problem;
    size_t p = problem->dataset->view_count;
    for (size_t v = 0; v < p && !of_counts(c->context); v++) {
        OF_SCRATCH(scratch, c->context);
        double *alone;
        of_joint joint;
        if (c->judged && c->table[DATA].size[v] > 0)
            continue;
        OF_TRY(OF_NEW_ZERO(&scratch, &alone, p, 1));
        alone[v] = 1;
        of_joint_views views = {problem->dataset, problem->kernels, NULL, NULL};
        OF_TRY(of_joint_make(c->context, &scratch, &views, OF_JOINT_KERNEL, alone, 1, &joint));
        if (!joint.rank)
            return of_kernel_zero(c->context, &problem->dataset->views[v]);
    }
    return ONEFOLD_OK;
}

static onefold_status make_fold(void *opaque, size_t index)
{
    comparison *c = opaque;
    const of_table *table = &c->table[index > OF_TABLE_DRAWS ? SHUFFLED : DATA];
    of_team_share(c->context);
    return of_fold_make(c->context, &c->arenas[index], table, of_fold_size(table->n, index), index,
                        OF_RECIPES_ALL, &c->fold[index]);
}

static onefold_status label_fold(void *opaque, size_t index)
{
    comparison *c = opaque;
    of_team_share(c->context);
    return of_fold_label(c->context, &c->arenas[index], c->weights, &c->fold[index]);
}

/* ---- rounds ---------------------------------------------------------------------------------- */

/* So few subsamples do not tell scores within a fifth apart. */
static const double NEARLY = 0.8;

/* The recipe of whose labels neighbours tell most, among those of nearly the largest score; and of
 * equals the one that takes least time. */
static of_recipe best_recipe(const of_verdict *verdict)
{
    const double equal = 0.99;
    double most = 0, informed = 0;
    size_t best = 0;
    for (size_t r = 0; r < OF_RECIPES; r++)
        most = fmax(most, verdict[r].score);
    for (size_t r = 0; r < OF_RECIPES; r++)
        if (verdict[r].score >= NEARLY * most)
            informed = fmax(informed, verdict[r].informed);
    while (best + 1 < OF_RECIPES &&
           !(verdict[best].score >= NEARLY * most && verdict[best].informed >= equal * informed))
        best++;
    return (of_recipe)best;
}

/* A round: the weights, and what the recipes made with them. */
typedef struct weighting {
    const double *weights;
    of_verdict verdict[OF_RECIPES];
    of_recipe chosen;
    int32_t **labels[OF_TABLE_FOLDS];
} weighting;

/* Labels all subsamples by the weights, and chooses the recipe. */
static onefold_status run_round(comparison *c, size_t round, const double *weights, weighting *made)
{
    c->weights = made->weights = weights;
    for (size_t i = 0; i < OF_TABLE_FOLDS; i++)
        OF_TRY(OF_NEW_ZERO(&c->arenas[i], &c->fold[i].labels, OF_RECIPES, 1));
    of_context_progress(c->context, "fit", (double)round, 2, "subsamples");
    OF_TRY(of_team_each(c->context, 1, OF_TABLE_FOLDS, label_fold, c));
    OF_TRY(of_verdicts_make(c->context, c->arena, c->fold, made->verdict));
    made->chosen = best_recipe(made->verdict);
    for (size_t i = 0; i < OF_TABLE_FOLDS; i++)
        made->labels[i] = c->fold[i].labels;
    return ONEFOLD_OK;
}

/* Takes a round's recipe, weights and labels for those of the comparison. */
static void take_round(comparison *c, const weighting *made)
{
    memcpy(c->verdict, made->verdict, sizeof c->verdict);
    c->weights = made->weights;
    c->chosen = made->chosen;
    for (size_t i = 0; i < OF_TABLE_FOLDS; i++)
        c->fold[i].labels = made->labels[i];
}

/* Chooses the recipe and the weights: those that the caller fixed; or weights in proportion to what
 * the views tell of the best labels with equal weights, unless these score clearly more and
 * neighbours tell more of them. */
static onefold_status choose(comparison *c)
{
    const of_problem *problem = c->problem;
    size_t p = problem->dataset->view_count, open = 0;
    double *weights, *earned;
    weighting equal, told;
    OF_TRY(OF_NEW_THERE(c->arena, &weights, p, 2));
    earned = weights + p;
    of_weights_by(p, NULL, problem->bounds, weights);
    c->weights = weights;
    c->chosen = of_recipe_suits(problem, OF_RECIPE_ALL) ? OF_RECIPE_ALL : OF_RECIPE_PAPER;
    if (c->judged)
        OF_TRY(make_tables(c));
    OF_TRY(check_variance(c));
    if (!c->judged)
        return ONEFOLD_OK;
    OF_TRY(of_team_each(c->context, 1, OF_TABLE_FOLDS, make_fold, c));
    for (size_t i = 0; i < p; i++)
        open += of_beta_lower(problem->bounds, i) < of_beta_upper(problem->bounds, i);
    OF_TRY(run_round(c, 0, weights, &equal));
    if (!open || p == 1) {
        take_round(c, &equal);
        return ONEFOLD_OK;
    }
    of_weights_by(p, of_counts(c->context) ? NULL : equal.verdict[equal.chosen].T, problem->bounds,
                  earned);
    OF_TRY(run_round(c, 1, earned, &told));
    const of_verdict *alike = &equal.verdict[equal.chosen], *best = &told.verdict[told.chosen];
    take_round(c, best->score < NEARLY * alike->score && best->informed < alike->informed ? &equal
                                                                                          : &told);
    return ONEFOLD_OK;
}

/* ---- the labels of all samples --------------------------------------------------------------- */

/* By a fit of the joint partitions of the recipe. */
static onefold_status label_by_fit(comparison *c, of_arena *arena, of_recipe recipe)
{
    unsigned kinds = recipe == OF_RECIPE_GRAPH
                         ? 1u << OF_JOINT_GRAPH
                         : 1u << OF_JOINT_KERNEL | 1u << OF_JOINT_GRAPH | 1u << OF_JOINT_SUBSPACE;
    size_t mu = c->problem->options->clusters, rows = of_recipe_rows(c->problem);
    if (recipe == OF_RECIPE_GRAPH)
        rows = mu > 1 ? mu : 2;
    OF_TRY(of_pool_make(c->context, arena, c->problem, kinds, !c->whole->options->bare, &c->pool));
    c->best = (of_labelling){.rows = rows, .weights = c->weights};
    for (unsigned kind = 0; kind < OF_JOINT_KINDS; kind++)
        if (kinds >> kind & 1) {
            OF_TRY(of_joint_make(c->context, arena, &c->pool.views, (of_joint_kind)kind, c->weights,
                                 rows - 1, &c->joint[kind]));
            if (c->joint[kind].rank)
                c->best.part[c->best.parts++] = &c->joint[kind];
        }
    if (!c->best.parts)
        return of_fail(ONEFOLD_BAD_DATA, "no view distinguishes its samples");
    return of_labelling_fit(c->context, arena, &c->pool, &c->best);
}

/* By k-means of a joint kernel, from the labels of the table. */
static onefold_status label_by_kmeans(comparison *c, of_arena *arena, of_recipe recipe)
{
    const of_problem *problem = c->problem;
    size_t p = problem->dataset->view_count;
    of_kernel *kernels;
    double *joined;
    OF_TRY(of_pool_make(c->context, arena, problem, 0, !c->whole->options->bare, &c->pool));
    OF_TRY(OF_NEW(arena, &kernels, p, 1));
    OF_TRY(OF_NEW_THERE(arena, &joined, p, 1));
    for (size_t i = 0; i < p; i++)
        OF_TRY(of_table_kernel(c->context, arena, &problem->kernels[i], recipe == OF_RECIPE_RAW,
                               &kernels[i]));
    of_recipe_weights(&c->table[DATA], recipe, c->weights, joined);
    c->best = (of_labelling){.weights = c->weights};
    return of_labelling_kmeans(c->context, arena, &c->pool, kernels,
                               recipe == OF_RECIPE_KERNEL ? OF_JOINT_KERNEL : OF_JOINT_COLUMNS,
                               joined, c->table[DATA].n, c->place, c->fold[0].labels[recipe],
                               &c->best);
}

static onefold_status label_all(comparison *c, of_arena *arena, of_recipe recipe)
{
    of_context_progress(c->context, "fit", 1, 2, of_recipe_name(recipe));
    return recipe == OF_RECIPE_GRAPH || recipe == OF_RECIPE_ALL ? label_by_fit(c, arena, recipe)
                                                                : label_by_kmeans(c, arena, recipe);
}

/* ---- the result ------------------------------------------------------------------------------ */

/* The note: how many recipes were compared, and why this one was chosen. */
static onefold_status make_note(of_arena *arena, const comparison *c, size_t n, const char **note)
{
    const of_verdict *best = &c->verdict[c->chosen];
    const of_dataset *dataset = c->problem->dataset;
    size_t compared = 0;
    char *text;
    for (size_t r = 0; r < OF_RECIPES; r++)
        compared += of_recipe_suits(c->problem, (of_recipe)r) != 0;
    if (!c->judged)
        OF_TRY(of_arena_string(arena, &text, "one labelling: %s", of_recipe_name(c->chosen)));
    else
        OF_TRY(of_arena_string(
            arena, &text,
            "best of %zu labellings: %s (%.2f comes back on subsamples, %.2f by chance; neighbours "
            "tell %.0f %%, %.0f %% by chance)",
            compared, of_recipe_name(c->chosen), best->stable, best->stable_chance,
            100 * best->told, 100 * best->told_chance));
    for (size_t i = 0; i < dataset->view_count && dataset->view_count > 1 && c->judged; i++)
        if (!(best->T[i] > 0))
            OF_TRY(of_arena_string(arena, &text, "%s; %s tells nothing about these clusters", text,
                                   dataset->views[i].name));
    if (c->judged && c->table[DATA].n < n)
        OF_TRY(of_arena_string(arena, &text, "%s; compared on %zu of the %zu samples", text,
                               c->table[DATA].n, n));
    if (c->problem != c->whole && c->chosen != OF_RECIPE_PAPER)
        OF_TRY(of_arena_string(arena, &text, "%s; the model of %zu of them labels all", text,
                               c->problem->dataset->samples));
    if (c->unused && c->unused->device)
        OF_TRY(of_arena_string(arena, &text, "%s; by the CPU, which is faster at this", text));
    *note = text;
    return ONEFOLD_OK;
}

static onefold_status keep_candidates(of_outcome *outcome, const comparison *c)
{
    onefold_candidate *kept;
    size_t count = 0;
    double most =
        log(c->problem->options->clusters > 1 ? (double)c->problem->options->clusters : 2);
    OF_TRY(OF_NEW_ZERO(&outcome->arena, &kept, OF_RECIPES, 1));
    for (size_t r = 0; r < OF_RECIPES; r++) {
        const of_verdict *one = &c->verdict[r];
        if (!of_recipe_suits(c->problem, (of_recipe)r) || (!c->judged && r != c->chosen))
            continue;
        kept[count++] = (onefold_candidate){
            .name = of_recipe_name((of_recipe)r),
            .rows = r == OF_RECIPE_PAPER ? c->problem->options->dims : of_recipe_rows(c->problem),
            .partitions = r == OF_RECIPE_ALL     ? 3
                          : r == OF_RECIPE_PAPER ? c->problem->dataset->view_count
                                                 : 1,
            .agreement = one->stable,
            .eligible = 1,
            .chosen = r == c->chosen,
            .told = one->told * most,
            .entropy = most,
            .chance = one->told_chance,
            .score = one->score,
            .agreement_beyond = one->S,
            .told_beyond = one->all_T};
    }
    outcome->candidates = count;
    outcome->candidate = kept;
    return ONEFOLD_OK;
}

/* Hands over the labels of the subsamples by the chosen recipe. */
static onefold_status keep_draws(const comparison *c, of_draws *draws)
{
    of_arena *arena = &c->outcome->arena;
    size_t all = c->whole->dataset->samples, n = c->problem->dataset->samples, *place,
           m = c->table[DATA].n;
    double *weights;
    *draws = (of_draws){.count = OF_TABLE_DRAWS, .samples = m, .recipe = c->chosen};
    OF_TRY(OF_NEW_THERE(arena, &place, m, 1));
    OF_TRY(OF_NEW(arena, &draws->labels, m, OF_TABLE_DRAWS));
    OF_TRY(OF_NEW(arena, &draws->table, m, 1));
    OF_TRY(OF_NEW_THERE(arena, &weights, c->table[DATA].p, 1));
    memcpy(weights, c->weights, c->table[DATA].p * sizeof *weights);
    draws->weights = weights;
    draws->place = place;
    for (size_t j = 0; j < m; j++)
        place[j] = n < all ? of_part_start(all, n, c->place[j]) : c->place[j];
    OF_COUNTED(c->context);
    memcpy(draws->table, c->fold[0].labels[c->chosen], m * sizeof *draws->table);
    for (size_t e = 0; e < m * OF_TABLE_DRAWS; e++)
        draws->labels[e] = -1;
    for (size_t d = 0; d < OF_TABLE_DRAWS; d++) {
        const of_fold *fold = &c->fold[1 + d];
        for (size_t j = 0; j < fold->n; j++)
            draws->labels[d * m + fold->at[j]] = fold->labels[c->chosen][j];
    }
    return ONEFOLD_OK;
}

static onefold_status keep_weights(const comparison *c, of_outcome *outcome)
{
    size_t p = c->problem->dataset->view_count;
    if (!outcome->views)
        OF_TRY(OF_NEW_ZERO(&outcome->arena, &outcome->views, p, 1));
    for (size_t i = 0; i < p; i++)
        outcome->views[i].weight = c->weights[i];
    return ONEFOLD_OK;
}

/* Keeps labels, embedding and confidence of this process's samples, where all were fitted. */
static onefold_status keep_samples(const comparison *c, of_outcome *outcome)
{
    OF_SCRATCH(scratch, c->context);
    const of_pool *pool = &c->pool;
    const of_labelling *best = &c->best;
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
    const of_pool *pool = &c->pool;
    const of_labelling *best = &c->best;
    const onefold_fit_options *options = c->whole->options;
    of_outcome *outcome = c->outcome;
    outcome->embedding_rows = best->rows;
    if (best->result.restarts)
        OF_TRY(of_cs_keep_restarts(outcome, &best->result));
    else
        outcome->converged = 1;
    if (!options->bare && pool->mu <= OF_MOST_EXPLAINED) {
        OF_TRY(OF_NEW(c->arena, &c->neighbour_labels, pool->n, pool->p));
        OF_TRY(of_pool_own_labels(c->context, pool, best->result.labels, c->neighbour_labels));
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
    OF_TRY(of_comm_broadcast(c->context, 0, &c->chosen, sizeof c->chosen));
    outcome->arena = held;
    if (c->context->comm.rank > 0)
        outcome->traces = NULL; /* for a picture, which rank 0 draws */
    OF_TRY(of_comm_broadcast_array(arena, &outcome->views, p * sizeof *outcome->views));
    OF_TRY(of_comm_broadcast_text(arena, &outcome->note));
    if (c->chosen != OF_RECIPE_PAPER && !c->whole->options->bare &&
        c->whole->options->clusters <= OF_MOST_EXPLAINED)
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
    OF_TRY(of_comm_broadcast_text(arena, &outcome->finding.verdict));
    of_draws *draws = &outcome->draws;
    size_t drawn = draws->samples;
    OF_TRY(of_comm_broadcast_array(arena, &draws->place, drawn * sizeof *draws->place));
    OF_TRY(of_comm_broadcast_array(arena, &draws->labels,
                                   drawn * draws->count * sizeof *draws->labels));
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

/* Chooses the recipe and labels the samples of the problem by it, unless it is os-lfmvc-cs. */
static onefold_status compare_recipes(of_context *context, void *opaque)
{
    comparison *c = opaque;
    of_outcome *outcome = c->outcome;
    double began = of_clock_seconds();
    OF_TRY(choose(c));
    outcome->seconds_base = of_clock_seconds() - began;
    OF_TRY(keep_candidates(outcome, c));
    OF_TRY(make_note(&outcome->arena, c, c->whole->dataset->samples, &outcome->note));
    OF_TRY(keep_weights(c, outcome));
    if (c->judged && (!c->whole->options->bare || c->problem->draws_only))
        OF_TRY(keep_draws(c, &outcome->draws));
    if (c->problem->draws_only)
        return ONEFOLD_OK;
    if (outcome->draws.count)
        OF_TRY(of_finding_make(context, c->problem, c->chosen, c->weights, &outcome->finding));
    for (size_t r = 0; r < OF_RECIPES && of_counts(context); r++) {
        OF_SCRATCH(one, context); /* any of them may be chosen */
        if (r != OF_RECIPE_PAPER && (c->judged || r == c->chosen) &&
            of_recipe_suits(c->problem, (of_recipe)r))
            OF_TRY(label_all(c, &one, (of_recipe)r));
    }
    if (of_counts(context) && of_recipe_suits(c->problem, OF_RECIPE_ALL))
        c->chosen = OF_RECIPE_ALL;
    if (c->chosen == OF_RECIPE_PAPER)
        return ONEFOLD_OK;
    OF_TRY(label_all(c, &outcome->arena, c->chosen));
    return keep_best(c);
}

/* os-lfmvc-cs on all samples, with the weights of the views. */
static onefold_status run_paper(comparison *c)
{
    OF_SCRATCH(scratch, c->context);
    of_outcome *outcome = c->outcome;
    of_problem problem = *c->whole;
    size_t p = problem.dataset->view_count;
    double *beta;
    const char *note = outcome->note;
    onefold_view_fit *views = outcome->views;
    OF_TRY(OF_NEW_THERE(&scratch, &beta, p, 1));
    for (size_t i = 0; i < p; i++)
        beta[i] = sqrt(views[i].weight);
    of_beta_bounds bounds = {beta, beta};
    problem.bounds = p > 1 ? &bounds : NULL;
    outcome->sampled = 0;
    OF_TRY(of_method_os_lfmvc_cs.run(c->context, &problem, outcome));
    for (size_t i = 0; i < p; i++)
        outcome->views[i].weight = views[i].weight;
    for (size_t b = 0; b < outcome->rule.parts;
         b++) { /* the weights that are printed add up to 1 */
        double *weight;
        OF_TRY(OF_NEW(&outcome->arena, &weight, 1, 1));
        if (!of_counts(c->context))
            *weight = views[outcome->rule.source[b].view].weight;
        ((of_rule_part *)(uintptr_t)outcome->rule.part)[b].weight = weight;
    }
    outcome->note = note;
    return ONEFOLD_OK;
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
    for (size_t i = 0; i < OF_TABLE_FOLDS; i++)
        c.arenas[i] = of_arena_make(context);
    size_t clusters = problem->options->clusters, table = of_table_size(problem);
    c.judged = problem->options->effort != ONEFOLD_EFFORT_QUICK && clusters > 1 &&
               of_fold_size(table, 1) >= LEAST_EACH * clusters;
    context->device = NULL;
    if (of_sample_suits(problem)) {
        outcome->sampled = of_cs_sample_size(problem->dataset->samples);
        OF_TRY(of_sample_make(context, &scratch, problem, outcome->sampled, &sample));
        sample.options.keep_model = 1; /* it labels all samples */
        c.problem = &sample.problem;
        OF_TRY(of_comm_lead(context, compare_recipes, &c));
        OF_TRY(broadcast_best(&c));
    } else {
        OF_TRY(compare_recipes(context, &c));
    }
    if (problem->draws_only)
        return ONEFOLD_OK;
    if (c.chosen == OF_RECIPE_PAPER)
        return run_paper(&c);
    OF_TRY(keep_own_labels(&c, outcome));
    if (!outcome->sampled)
        OF_TRY(keep_samples(&c, outcome));
    return allocate_results(context, problem, outcome);
}

/* ---- estimates ------------------------------------------------------------------------------- */

/* Matrices and eigenproblems of the tables and subsamples, and their fits in each round; then the
 * recipe that takes longest, on all samples or on the sample whose model labels all. */
static void count_work(of_context *context, const of_problem *problem, of_method_estimate *estimate)
{
    enum { EIGEN = 640 }; /* flops for each entry of a matrix whose leading vectors are computed */
    const onefold_fit_options *o = problem->options;
    size_t all = problem->dataset->samples, p = problem->dataset->view_count, mu = o->clusters,
           n = of_sample_suits(problem) ? of_cs_sample_size(all) : all,
           m = of_size_least(of_table_size(problem), n), rows = of_recipe_rows(problem);
    double rounds = p > 1 ? 2 : 1, entries = (double)m * (double)m,
           folds = o->effort == ONEFOLD_EFFORT_QUICK ? 0 : OF_TABLE_FOLDS;
    if (of_kernels_are_given(problem->kernels, p)) {
        of_method_os_lfmvc_cs.work(context, problem, estimate);
        return;
    }
    for (size_t i = 0; i < p; i++) {
        of_partition_estimate *view = &estimate->views[i];
        const of_kernel *kernel = &problem->kernels[i];
        view->route = OF_ROUTE_LANDMARKS;
        view->times = 1;
        if (kernel->kind == OF_KERNEL_PRECOMPUTED)
            continue;
        double columns = of_pool_dense(problem, i)
                             ? (double)of_kernel_columns(kernel)
                             : (double)of_sparse_entries(&kernel->features) / (double)all;
        view->work.product += folds > 0 ? 4 * 2 * entries * columns : 0;
        view->work.product += 2 * folds * EIGEN * entries;
        view->work.memory += folds * entries * 8 * sizeof(double);
        for (of_kernel_kind kind = OF_KERNEL_KNN; kind <= OF_KERNEL_SUBSPACE; kind++) {
            of_kernel graph = *kernel;
            of_view some = *graph.view;
            some.samples = of_size_least(some.samples, n);
            graph.view = &some;
            graph.graph = kind;
            of_partition_estimate one =
                of_partition_work(&graph, OF_ROUTE_LANDMARKS, &problem->partition);
            view->work.product += one.work.product;
            view->work.memory += one.work.memory;
            view->work.factor += one.work.factor;
        }
        if (n < all) {
            estimate->fit.product += 2 * (double)all * columns * (double)o->dims;
            estimate->fit.memory += (double)all * columns * sizeof(double);
        }
    }
    estimate->fit.product += folds * rounds * 3 * EIGEN * entries;
    estimate->fit.memory += folds * rounds * (double)(3 * p + 8) * entries * sizeof(double);
    onefold_fit_options options = *o;
    size_t times = (size_t)(folds * rounds), fold = of_fold_size(m, 1);
    options.restarts = OF_TABLE_FITS;
    of_cs_work(context, fold, 1, mu, mu, mu, &options, times, estimate);
    of_cs_work(context, fold, 3, rows, rows, mu, &options, times, estimate);
    options.restarts = 1;
    of_cs_work(context, fold, p, o->dims, o->dims, mu, &options, times, estimate);
    of_cs_work(context, n, 3, rows, rows, mu, o, 1, estimate);
}

const of_method of_method_onefold = {
    .name = "onefold",
    .title = "the labelling that comes back beyond chance; views of noise weigh nothing",
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
    .draws = "its subsamples, and the starts of its recipes",
};
