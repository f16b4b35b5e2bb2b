/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The candidates: which partitions each one fuses, its fit, and the choice. One of each kind may be
 * chosen, as each sees what the others cannot: all partitions with the most rows has the most
 * information, graphs with one row for each cluster have no row left that would split a large
 * cluster, and the joint partitions see what no view shows alone. The other candidates and k-means
 * on each joint partition vote.
 */
#include "linalg/kmeans.h"
#include "method/onefold_parts.h"
#include "method/os_lfmvc_cs_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* steps: rows of a candidate, from one for each cluster (0) to all that the pool has (2). */
typedef struct plan_entry {
    of_candidate_set set;
    int steps, eligible;
} plan_entry;

static const plan_entry QUICK[] = {{OF_SET_ALL, 1, 1}};
static const plan_entry NORMAL[] = {
    {OF_SET_ALL, 2, 1},   {OF_SET_GRAPHS, 0, 1},    {OF_SET_JOINT, 1, 1},
    {OF_SET_ALL, 1, 0},   {OF_SET_ALL, 0, 0},       {OF_SET_GRAPHS, 2, 0},
    {OF_SET_JOINT, 0, 0}, {OF_SET_DISTANCES, 2, 0}, {OF_SET_VIEWS, 2, 0},
};
/* Of many clusters, where the pool has nothing but knn graphs. */
static const plan_entry MANY[] = {{OF_SET_JOINT, 0, 1}};
/* Where weights are fixed or bounded, and the pool has no joint partitions. */
static const plan_entry WEIGHED[] = {
    {OF_SET_ALL, 2, 1}, {OF_SET_GRAPHS, 0, 1}, {OF_SET_ALL, 1, 0},
    {OF_SET_ALL, 0, 0}, {OF_SET_GRAPHS, 2, 0}, {OF_SET_DISTANCES, 2, 0},
};
static const plan_entry WEIGHED_MANY[] = {{OF_SET_ALL, 0, 1}};
/* Where the joint kernel's spectrum shows the clusters, and there are no graphs. */
static const plan_entry CLEAR[] = {{OF_SET_CLEAR, 0, 1}};
/* Where the joint graph falls apart into them, or some views' own graphs do. */
static const plan_entry LINKED[] = {{OF_SET_LINKED, 0, 1}};
static const plan_entry APART[] = {{OF_SET_APART, 0, 1}};
/* Of few columns the likeliest labels are chosen, and anyone's may be; the first if it is quick. */
static const plan_entry FEW[] = {
    {OF_SET_FEW, 2, 1},   {OF_SET_LINKED, 0, 1}, {OF_SET_ALL, 2, 1},   {OF_SET_GRAPHS, 0, 1},
    {OF_SET_JOINT, 1, 1}, {OF_SET_ALL, 0, 1},    {OF_SET_JOINT, 0, 1}, {OF_SET_DISTANCES, 2, 1},
};
/* Where every view is a kernel that is given, and there are no graphs: as os-lfmvc-cs fits them, of
 * one row less, as the pool keeps one for the constant, which this candidate does not have. On real
 * sets of such kernels the joint kernel and fewer rows lost more than they gained. */
static const plan_entry GIVEN[] = {{OF_SET_KERNELS, 2, 1}};

static const char *const set_names[] = {"open",           "all",          "graphs",       "joint",
                                        "kernel and knn", "views",        "joint kernel", "kernels",
                                        "joint graph",    "joint kernel", "graphs apart"};

/* Rows of a stack beyond which candidates have fewer rows of each partition: aligning and turning
 * the partitions takes the cube of them. */
enum { MOST_STACKED = 1200 };

int of_candidate_fuses(of_candidate_set set, of_pool_kind kind, int joint)
{
    switch (set) {
    case OF_SET_GRAPHS:
        return kind != OF_POOL_KERNEL;
    case OF_SET_JOINT:
        return joint;
    case OF_SET_DISTANCES:
        return kind != OF_POOL_SUBSPACE;
    case OF_SET_VIEWS:
        return !joint;
    case OF_SET_CLEAR:
    case OF_SET_FEW:
        return kind == OF_POOL_KERNEL && joint;
    case OF_SET_LINKED:
        return kind == OF_POOL_KNN && joint;
    case OF_SET_APART:
        return kind == OF_POOL_KNN && !joint;
    case OF_SET_KERNELS:
        return kind == OF_POOL_KERNEL && !joint;
    default:
        return 1;
    }
}

int of_candidate_is_alone(const of_candidate *candidate)
{
    return candidate->set == OF_SET_CLEAR || candidate->set == OF_SET_FEW ||
           candidate->set == OF_SET_LINKED || candidate->set == OF_SET_APART;
}

static int belongs(of_candidate_set set, const of_pool_part *part)
{
    return of_candidate_fuses(set, part->kind, part->view == OF_POOL_JOINT) &&
           (set != OF_SET_APART || part->apart);
}

/* k of a candidate: at least one row for each cluster, and one beside the constant. */
static size_t rows_of(size_t mu, size_t most, int steps, size_t parts)
{
    size_t least = mu > 1 ? mu : 2,
           rows = most > least ? least + ((most - least) * (size_t)steps + 1) / 2 : least;
    if (rows * parts > MOST_STACKED)
        rows = MOST_STACKED / parts > least ? MOST_STACKED / parts : least;
    return rows;
}

onefold_status of_candidate_take_parts(of_arena *arena, const of_pool *pool,
                                       of_candidate *candidate)
{
    OF_TRY(OF_NEW(arena, &candidate->part, pool->count, 1));
    candidate->parts = 0;
    size_t p = pool->problem->dataset->view_count;
    for (size_t i = 0; i <= p; i++)
        for (size_t b = 0; b < pool->count; b++)
            if (pool->part[b].view == (i < p ? i : OF_POOL_JOINT) &&
                belongs(candidate->set, &pool->part[b]))
                candidate->part[candidate->parts++] = b;
    return ONEFOLD_OK;
}

static onefold_status make_candidate(of_arena *arena, const of_pool *pool, const plan_entry *entry,
                                     of_candidate *candidate)
{
    const onefold_fit_options *options = pool->problem->options;
    candidate->set = entry->set;
    candidate->eligible = entry->eligible;
    candidate->constant = entry->set != OF_SET_KERNELS;
    OF_TRY(of_candidate_take_parts(arena, pool, candidate));
    candidate->rows = rows_of(options->clusters, options->dims, entry->steps, candidate->parts);
    snprintf(candidate->name, sizeof candidate->name, "%s, %zu rows", set_names[entry->set],
             candidate->rows);
    return ONEFOLD_OK;
}

/* Weights of views: every candidate has partitions of each view, so graphs by themselves are none
 * where a kernel that is given has none. */
static void plan_weighed(const of_problem *problem, const plan_entry **plan, size_t *count)
{
    int graphs = 1;
    for (size_t i = 0; i < problem->dataset->view_count; i++)
        graphs &= of_pool_has(problem, i, OF_POOL_KNN);
    *plan = WEIGHED;
    *count = sizeof WEIGHED / sizeof *WEIGHED;
    if (of_pool_is_bare(problem)) {
        *plan = WEIGHED_MANY;
        *count = 1;
    } else if (of_pool_is_quick(problem)) {
        *plan = QUICK;
        *count = 1;
    } else if (!graphs) {
        *count = 1;
    }
}

static void plan_of(const of_pool *pool, const plan_entry **plan, size_t *count)
{
    int graphs = 0;
    for (size_t b = 0; b < pool->count; b++)
        graphs |= pool->part[b].kind != OF_POOL_KERNEL;
    if (of_pool_is_clear(pool)) {
        *plan = pool->shown == OF_SET_CLEAR ? CLEAR : pool->shown == OF_SET_LINKED ? LINKED : APART;
        *count = 1;
    } else if (pool->few) {
        *plan = FEW;
        *count = of_pool_is_quick(pool->problem) ? 1 : sizeof FEW / sizeof *FEW;
    } else if (graphs && pool->problem->bounds) {
        plan_weighed(pool->problem, plan, count);
    } else if (graphs && of_pool_is_bare(pool->problem)) {
        *plan = MANY;
        *count = sizeof MANY / sizeof *MANY;
    } else if (!graphs) {
        *plan = GIVEN;
        *count = sizeof GIVEN / sizeof *GIVEN;
    } else if (of_pool_is_quick(pool->problem)) {
        *plan = QUICK;
        *count = sizeof QUICK / sizeof *QUICK;
    } else {
        *plan = NORMAL;
        *count = sizeof NORMAL / sizeof *NORMAL;
    }
}

/* Starts of each: fewer than a single fit has, as other fits stand beside it; of many clusters one.
 */
static size_t restarts_of(const of_problem *problem, of_candidate_set set, int eligible)
{
    const onefold_fit_options *options = problem->options;
    size_t most =
        options->effort == ONEFOLD_EFFORT_THOROUGH ? (eligible ? 10 : 4) : (eligible ? 4 : 2);
    if (of_pool_is_bare(problem))
        most = 1;
    else if (set == OF_SET_KERNELS)
        most = options->restarts;
    return options->restarts < most ? options->restarts : most;
}

/* Bounds on the views' weights as bounds on the candidate's, where the partitions of a view follow
 * each other. */
static onefold_status bound_candidate(of_arena *arena, const of_pool *pool,
                                      const of_candidate *candidate, const of_beta_bounds **bounds)
{
    const of_problem *problem = pool->problem;
    size_t p = problem->dataset->view_count, *first, b = 0;
    of_beta_bounds *made;
    *bounds = NULL;
    if (!problem->bounds)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(arena, &made, 1, 1));
    OF_TRY(OF_NEW(arena, &first, p + 1, 1));
    for (size_t i = 0; i < p; i++) {
        first[i] = b;
        while (b < candidate->parts && pool->part[candidate->part[b]].view == i)
            b++;
        if (b == first[i])
            return of_hint(
                of_fail(ONEFOLD_BAD_DATA,
                        "view '%s' does not distinguish its samples, and cannot be given a weight",
                        problem->dataset->views[i].name),
                "leave the view out with `views`, or leave out `weights`");
    }
    first[p] = b;
    *made = (of_beta_bounds){problem->bounds->lower, problem->bounds->upper, first, p};
    *bounds = made;
    return ONEFOLD_OK;
}

/* The fit of a candidate to an even sample of `n` samples, or to all. */
static onefold_status fit_candidate(of_context *context, of_arena *arena, of_arena *kept,
                                    const of_pool *pool, size_t n, of_candidate *candidate)
{
    OF_SCRATCH(scratch, context);
    onefold_fit_options options = *pool->problem->options;
    of_stack X;
    options.no_embedding = 0; /* candidates are compared by it */
    options.restarts = restarts_of(pool->problem, candidate->set, candidate->eligible);
    if (options.stop == ONEFOLD_STOP_RELATIVE && candidate->set != OF_SET_KERNELS)
        options.stop = ONEFOLD_STOP_SETTLED;
    OF_TRY(of_candidate_stack(&scratch, pool, candidate, n, &X));
    const of_beta_bounds *bounds;
    OF_TRY(bound_candidate(&scratch, pool, candidate, &bounds));
    of_cs_problem cs = {
        &X, candidate->parts, candidate->rows, candidate->rows, options.clusters, &options, bounds};
    OF_TRY(of_cs_solve(context, candidate->eligible ? kept : &scratch, &cs, &candidate->result));
    if (candidate->set == OF_SET_CLEAR || candidate->set == OF_SET_FEW)
        OF_TRY(of_candidate_label_components(context, pool, candidate));
    else if (candidate->constant)
        OF_TRY(
            of_candidate_label(context, n, candidate->rows, options.clusters, &candidate->result));
    OF_TRY(OF_NEW(arena, &candidate->labels, n, 1));
    memcpy(candidate->labels, candidate->result.labels, n * sizeof *candidate->labels);
    return ONEFOLD_OK;
}

/* k-means on a joint partition: its leading rows, one for each cluster, columns of unit length. */
static onefold_status vote(of_context *context, of_arena *arena, const of_pool *pool,
                           const of_pool_part *part, size_t n, int32_t **labels)
{
    OF_SCRATCH(scratch, context);
    size_t mu = pool->problem->options->clusters, all = pool->problem->dataset->samples,
           rows = mu < part->rank ? mu : part->rank;
    double *x;
    OF_TRY(OF_NEW(arena, labels, n, 1));
    OF_TRY(OF_NEW(&scratch, &x, rows, n));
    for (size_t j = 0; j < n; j++)
        of_pool_unit_column(pool, part, rows, of_cs_sample_at(all, n, j), x + j * rows);
    of_kmeans_options options = {.clusters = mu,
                                 .replicates = 10,
                                 .max_iterations = 100,
                                 .start = OF_KMEANS_PLUSPLUS,
                                 .seed = pool->problem->options->seed,
                                 .index = ((uint64_t)3 << 40) + part->kind};
    of_kmeans_result result;
    return of_kmeans(context, &options, rows, n, x, rows, *labels, NULL, &result);
}

/* Samples that candidates are fitted to before one is chosen. */
static size_t samples_of(size_t n, size_t candidates)
{
    return candidates > 1 ? of_cs_sample_size(n) : n;
}

onefold_status of_contest_run(of_context *context, of_arena *arena, of_arena *kept,
                              const of_pool *pool, of_contest *contest)
{
    const plan_entry *plan;
    size_t all = pool->problem->dataset->samples;
    *contest = (of_contest){.pool = pool, .gap = pool->gap, .cut = pool->cut};
    plan_of(pool, &plan, &contest->count);
    contest->samples = samples_of(all, contest->count);
    OF_TRY(OF_NEW_ZERO(arena, &contest->candidate, contest->count, 1));
    OF_TRY(OF_NEW(arena, &contest->vote, OF_POOL_KINDS, 1));
    for (size_t i = 0; i < contest->count; i++) {
        of_candidate *one = &contest->candidate[i];
        OF_TRY(make_candidate(arena, pool, &plan[i], one));
        of_context_progress(context, "fit", (double)i, (double)contest->count, one->name);
        OF_TRY(fit_candidate(context, arena, contest->samples < all ? arena : kept, pool,
                             contest->samples, one));
    }
    for (size_t b = 0; contest->count > 1 && !pool->few && b < pool->count; b++)
        if (pool->part[b].view == OF_POOL_JOINT)
            OF_TRY(vote(context, arena, pool, &pool->part[b], contest->samples,
                        &contest->vote[contest->voters++]));
    return of_contest_choose(context, contest);
}

onefold_status of_contest_finish(of_context *context, of_arena *arena, of_arena *kept,
                                 const of_pool *pool, of_contest *contest)
{
    of_candidate *best = &contest->candidate[contest->chosen];
    size_t n = pool->problem->dataset->samples;
    contest->pool = pool;
    if (contest->samples < n) {
        of_context_progress(context, "fit", (double)contest->count, (double)contest->count + 1,
                            best->name);
        OF_TRY(of_candidate_take_parts(arena, pool, best));
        OF_TRY(fit_candidate(context, arena, kept, pool, n, best));
    }
    of_context_progress(context, "fit", 1, 1, NULL);
    return ONEFOLD_OK;
}

static void add_estimate(of_cs_estimate *sum, const of_cs_estimate *one)
{
    sum->seconds += one->seconds;
    sum->iterations += one->iterations;
    sum->passes += one->passes;
}

void of_contest_time(const of_problem *problem, const of_rates *rates, of_cs_estimate *estimate)
{
    size_t p = problem->dataset->view_count, n = problem->dataset->samples, given = 0, count;
    const plan_entry *plan;
    of_pool_part parts[2 * OF_POOL_KINDS];
    of_pool pool = {.problem = problem, .part = parts};
    for (of_pool_kind kind = 0; kind < OF_POOL_KINDS; kind++) { /* of a view, and joint */
        size_t own = 0;
        for (size_t i = 0; i < p; i++)
            own += of_pool_has(problem, i, kind) != 0;
        given += own;
        if (own)
            parts[pool.count++] = (of_pool_part){.kind = kind, .view = 0, .known = own};
        if (own && of_pool_has_joint(problem)) {
            parts[pool.count++] = (of_pool_part){.kind = kind, .view = OF_POOL_JOINT, .known = 1};
        }
    }
    plan_of(&pool, &plan, &count);
    *estimate = (of_cs_estimate){0};
    size_t fitted = samples_of(n, count);
    for (size_t i = 0; i < count && given; i++) {
        onefold_fit_options options = *problem->options;
        size_t used = 0, rows;
        of_cs_estimate own;
        for (size_t b = 0; b < pool.count; b++)
            used += belongs(plan[i].set, &parts[b]) ? parts[b].known : 0;
        rows = rows_of(options.clusters, options.dims, plan[i].steps, used);
        options.restarts = restarts_of(problem, plan[i].set, plan[i].eligible);
        of_cs_estimate_time(fitted, used, rows, rows, options.clusters, &options, rates, &own);
        add_estimate(estimate, &own);
        if (i == 0 && fitted < n) { /* the one that is finished on all, should it be the first */
            of_cs_estimate_time(n, used, rows, rows, options.clusters, &options, rates, &own);
            add_estimate(estimate, &own);
        }
    }
}

size_t of_candidate_most_rows(const of_problem *problem, size_t parts)
{
    return rows_of(problem->options->clusters, problem->options->dims, 2, parts ? parts : 1);
}

onefold_status of_contest_cost(const of_problem *problem, of_candidate_set set, int threads,
                               size_t *bytes)
{
    const onefold_fit_options *options = problem->options;
    size_t n = problem->dataset->samples, p = problem->dataset->view_count, parts = 0,
           mu = options->clusters, k, more;
    for (of_pool_kind kind = 0; kind < OF_POOL_KINDS; kind++)
        parts +=
            (of_candidate_fuses(set, kind, 0) ? p : 0) + (of_candidate_fuses(set, kind, 1) != 0);
    k = of_candidate_most_rows(problem, parts);
    OF_TRY(of_cs_estimate_bytes(bytes, n, parts, k, k, mu, restarts_of(problem, set, 1), threads));
    OF_TRY(of_size_multiply(&more, n, sizeof(double) * (3 * options->dims + 8)));
    return of_size_add(bytes, *bytes, more);
}
