/* SPDX-License-Identifier: Apache-2.0 */
/* The method `onefold` of the registry: the pool, the contest, and what is kept of its winner. */
#include "base/clock.h"
#include "method/base_stage.h"
#include "method/onefold_parts.h"
#include "method/os_lfmvc_cs_parts.h"
#include "method/peers.h"

#include <math.h>
#include <string.h>

static onefold_status estimate(of_context *context, const of_problem *problem, size_t *bytes,
                               double *seconds)
{
    OF_TRY(of_candidate_set_bytes(context, problem, OF_SET_ALL, bytes));
    *seconds = 0;
    return of_size_add(bytes, *bytes, of_sample_bytes(problem));
}

/* Where candidates compete on a sample, no more partitions of all samples are made than the chosen
 * one fuses: at least the joint kernel, or the joint graph. */
static onefold_status least_bytes(of_context *context, const of_problem *problem, size_t *bytes)
{
    size_t other;
    double seconds;
    if (!of_sample_suits(problem) || !of_pool_has_joint(problem))
        return estimate(context, problem, bytes, &seconds);
    OF_TRY(of_candidate_set_bytes(context, problem, OF_SET_CLEAR, bytes));
    OF_TRY(of_candidate_set_bytes(context, problem, OF_SET_LINKED, &other));
    *bytes = other < *bytes ? other : *bytes;
    return of_size_add(bytes, *bytes, of_sample_bytes(problem));
}

/* The views' partitions of each kind; the joint ones take about as long as one view's together, and
 * a kernel matrix that is formed is added up once more. */
static onefold_status estimate_time(of_context *context, of_arena *arena, const of_problem *problem,
                                    of_method_estimate *estimate)
{
    size_t p = problem->dataset->view_count;
    double n = (double)problem->dataset->samples;
    of_rates rates;
    of_cs_estimate solve;
    OF_TRY(of_machine_rates_measure(context, problem->partition.dims, &rates));
    OF_TRY(of_base_stage_estimate_time(arena, problem, &rates, &estimate->views));
    estimate->seconds_base = 0;
    for (size_t i = 0; i < p; i++) {
        of_partition_estimate *view = &estimate->views[i];
        view->seconds *= of_pool_has(problem, i, OF_POOL_KERNEL) ? 1 : 0;
        for (of_pool_kind kind = OF_POOL_KNN; kind < OF_POOL_KINDS; kind++) {
            of_kernel graph = problem->kernels[i];
            of_partition_estimate one;
            if (!of_pool_has(problem, i, kind))
                continue;
            graph.graph = kind == OF_POOL_KNN ? OF_KERNEL_KNN : OF_KERNEL_SUBSPACE;
            OF_TRY(of_partition_estimate_time(context, &graph, OF_ROUTE_LANDMARKS,
                                              &problem->partition, &rates, &one));
            view->seconds += one.seconds;
        }
        view->seconds *= rates.slowdown;
        estimate->seconds_base += view->seconds * (1 + 1 / (double)p);
    }
    if (of_sample_suits(problem)) /* whose partitions are made first */
        estimate->seconds_base *= 1 + (double)of_cs_sample_size(problem->dataset->samples) / n;
    if (of_pool_is_formed(problem))
        estimate->seconds_base += (double)p * n * n / rates.loop * rates.slowdown;
    of_contest_time(problem, &rates, &solve);
    estimate->seconds_fit = solve.seconds * rates.slowdown;
    estimate->iterations = solve.iterations;
    estimate->passes = solve.passes;
    return ONEFOLD_OK;
}

/* Views that a joint partition is over. */
static size_t joint_views(const of_pool *pool, const of_pool_part *joint, uint8_t *has)
{
    size_t p = pool->problem->dataset->view_count, count = 0;
    memset(has, 0, p);
    for (size_t b = 0; b < pool->count; b++) {
        const of_pool_part *part = &pool->part[b];
        if (part->view != OF_POOL_JOINT && of_pool_joins(pool, part, joint->kind))
            has[part->view] = 1;
    }
    for (size_t i = 0; joint->kind == OF_POOL_KERNEL && i < p; i++) /* which need no own part */
        has[i] = pool->formed || pool->problem->kernels[i].kind != OF_KERNEL_PRECOMPUTED;
    for (size_t i = 0; i < p; i++)
        count += has[i];
    return count;
}

/* A view's weight is the length of those of its own partitions and of its share of the joint ones,
 * so that the squares of all are 1 together; its route is that of its kernel's partition. */
static onefold_status keep_views(of_outcome *outcome, const of_pool *pool, const of_candidate *best)
{
    OF_SCRATCH(scratch, outcome->arena.context);
    size_t p = pool->problem->dataset->view_count;
    uint8_t *has;
    OF_TRY(OF_NEW(&scratch, &has, p, 1));
    OF_TRY(OF_NEW_ZERO(&outcome->arena, &outcome->views, p, 1));
    for (size_t b = 0; b < pool->count; b++) {
        const of_pool_part *part = &pool->part[b];
        if (part->view == OF_POOL_JOINT ||
            (part->kind != OF_POOL_KERNEL && outcome->views[part->view].route))
            continue;
        outcome->views[part->view].route = of_route_public(part->route);
        outcome->views[part->view].rank = part->rank;
        outcome->views[part->view].residual = part->residual;
    }
    for (size_t b = 0; b < best->parts; b++) {
        const of_pool_part *part = &pool->part[best->part[b]];
        double square = best->result.beta[b] * best->result.beta[b];
        size_t count = 1;
        if (part->view == OF_POOL_JOINT)
            count = joint_views(pool, part, has);
        for (size_t i = 0; i < p; i++)
            if (part->view == OF_POOL_JOINT ? has[i] : part->view == i)
                outcome->views[i].weight += square / (double)count;
    }
    for (size_t i = 0; i < p; i++)
        outcome->views[i].weight = sqrt(outcome->views[i].weight);
    return ONEFOLD_OK;
}

static double joint_weight(const of_pool *pool, const of_candidate *best)
{
    double square = 0;
    for (size_t b = 0; b < best->parts; b++)
        if (pool->part[best->part[b]].view == OF_POOL_JOINT)
            square += best->result.beta[b] * best->result.beta[b];
    return sqrt(square);
}

/* Which candidate was chosen, and why. */
static onefold_status say_why(of_arena *arena, const of_contest *contest, char **note)
{
    const of_candidate *best = &contest->candidate[contest->chosen];
    if (contest->likely)
        return of_arena_string(arena, note,
                               "chosen: %s of %zu partition%s, with whose labels the few columns "
                               "of all views are likeliest",
                               best->name, best->parts, best->parts == 1 ? "" : "s");
    if (best->set == OF_SET_CLEAR)
        return of_arena_string(arena, note,
                               "chosen: the joint kernel of all views, as its spectrum shows the "
                               "clusters (a gap of %.0f spacings)",
                               contest->gap);
    if (best->set == OF_SET_LINKED)
        return of_arena_string(arena, note,
                               "chosen: the joint graph of all views, as it falls apart into the "
                               "clusters (one more cut would cost %.3g times the last)",
                               contest->cut);
    if (best->set == OF_SET_APART)
        return of_arena_string(arena, note,
                               "chosen: the graph%s of %zu of %zu views by %s, as %s apart into "
                               "the clusters (one more cut would cost %.3g times the last)",
                               best->parts == 1 ? "" : "s", best->parts,
                               contest->pool->problem->dataset->view_count,
                               best->parts == 1 ? "itself" : "themselves",
                               best->parts == 1 ? "it falls" : "they fall", contest->cut);
    if (contest->count == 1) /* nobody to agree with */
        return of_arena_string(arena, note, "one candidate: %s of each of %zu partitions",
                               best->name, best->parts);
    return of_arena_string(arena, note,
                           "chosen: %s of each of %zu partitions, whose labels agree with others "
                           "at %.2f",
                           best->name, best->parts, best->agreement);
}

static onefold_status keep_candidates(of_outcome *outcome, const of_contest *contest)
{
    const of_candidate *best = &contest->candidate[contest->chosen];
    onefold_candidate *kept;
    char *note;
    OF_TRY(OF_NEW_ZERO(&outcome->arena, &kept, contest->count, 1));
    for (size_t i = 0; i < contest->count; i++) {
        const of_candidate *one = &contest->candidate[i];
        char *name;
        OF_TRY(of_arena_string(&outcome->arena, &name, "%s", one->name));
        kept[i] = (onefold_candidate){.struct_size = sizeof *kept,
                                      .name = name,
                                      .rows = one->rows,
                                      .partitions = one->parts,
                                      .agreement = one->agreement,
                                      .eligible = one->eligible,
                                      .chosen = i == contest->chosen};
    }
    outcome->candidates = contest->count;
    outcome->candidate = kept;
    OF_TRY(say_why(&outcome->arena, contest, &note));
    if (!of_candidate_is_alone(best) && of_pool_has_joint(contest->pool->problem))
        OF_TRY(of_arena_string(&outcome->arena, &note, "%s; all views together weigh %.2f", note,
                               joint_weight(contest->pool, best)));
    if (contest->yielded)
        OF_TRY(of_arena_string(&outcome->arena, &note,
                               "%s; another was chosen before it that memory has no room for",
                               note));
    outcome->note = note;
    return ONEFOLD_OK;
}

/* Adds the seconds since `began`, and begins again. */
static void add_seconds(double *sum, double *began)
{
    double now = of_clock_seconds();
    *sum += now - *began;
    *began = now;
}

/* The contest on a sample alone. Of its candidates no more is kept than what says which they are.
 */
static onefold_status compete(of_context *context, of_arena *arena, const of_problem *problem,
                              of_outcome *outcome, of_contest *contest)
{
    OF_SCRATCH(scratch, context);
    of_sample sample;
    of_pool pool;
    double began = of_clock_seconds();
    of_candidate *kept;
    OF_TRY(of_sample_make(context, &scratch, problem, &sample));
    OF_TRY(of_pool_make(context, &scratch, &sample.problem, OF_SET_OPEN, &pool));
    add_seconds(&outcome->seconds_base, &began);
    OF_TRY(of_contest_run(context, &scratch, &scratch, &pool, contest));
    OF_TRY(OF_NEW(arena, &kept, contest->count, 1));
    for (size_t i = 0; i < contest->count; i++) {
        kept[i] = contest->candidate[i];
        kept[i].part = NULL;
        kept[i].labels = NULL;
        kept[i].result = (of_cs_result){0};
    }
    contest->candidate = kept;
    contest->vote = NULL;
    contest->pool = NULL;
    add_seconds(&outcome->seconds_fit, &began);
    return ONEFOLD_OK;
}

static onefold_status run(of_context *context, const of_problem *problem, of_outcome *outcome)
{
    OF_SCRATCH(scratch, context);
    of_pool pool;
    of_contest contest;
    of_candidate_set set = OF_SET_OPEN;
    int sampled = of_sample_suits(problem);
    if (sampled) {
        OF_TRY(compete(context, &scratch, problem, outcome, &contest));
        if (context->memory_limit) {
            double room;
            OF_TRY(of_contest_room(context, problem->dataset->samples, &room));
            OF_TRY(of_contest_settle(context, problem, room, &contest));
        }
        set = contest.candidate[contest.chosen].set;
    }
    double began = of_clock_seconds();
    OF_TRY(of_pool_make(context, &scratch, problem, set, &pool));
    add_seconds(&outcome->seconds_base, &began);
    if (!sampled)
        OF_TRY(of_contest_run(context, &scratch, &outcome->arena, &pool, &contest));
    OF_TRY(of_contest_finish(context, &scratch, &outcome->arena, &pool, &contest));
    add_seconds(&outcome->seconds_fit, &began);
    const of_candidate *best = &contest.candidate[contest.chosen];
    outcome->labels = best->result.labels;
    outcome->embedding =
        of_comm_splits(context, problem->dataset->samples) ? NULL : best->result.H.held;
    outcome->embedding_rows = best->rows;
    OF_TRY(of_cs_keep_restarts(outcome, &best->result));
    OF_TRY(keep_views(outcome, &pool, best));
    OF_TRY(of_candidate_explain(context, &pool, best, outcome));
    if (problem->options->keep_model)
        OF_TRY(of_candidate_rule(context, &outcome->arena, &pool, best, &outcome->rule));
    return keep_candidates(outcome, &contest);
}

const of_method of_method_onefold = {
    .name = "onefold",
    .title = "several late fusions of kernels and graphs, and the labels that others agree with",
    .estimate = estimate,
    .least_bytes = least_bytes,
    .estimate_time = estimate_time,
    .estimate_model = of_pool_model_bytes,
    .partition_bytes = of_pool_partition_bytes,
    .can_spill = 1,
    .can_split = 1,
    .run = run,
    .has_model = 1,
    .accepts_missing = 1,
    .uses_dims = 1,
    .scores_views = 1,
    .weights = OF_WEIGHTS_SQUARES,
    .has_view_parts = 1,
};
