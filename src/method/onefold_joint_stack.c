/* SPDX-License-Identifier: Apache-2.0 */
/* The joint partitions of all views as one stack, for the curve of `choose`. */
#include "method/onefold_joint_stack.h"

#include "method/onefold_parts.h"

int of_joint_stack_suits(const of_problem *problem)
{
    return of_pool_has_joint(problem);
}

static void keep_views(const of_pool *pool, of_partition *views)
{
    for (size_t i = 0; i < pool->problem->dataset->view_count; i++) {
        const of_pool_part *part = of_pool_find(pool, i, OF_POOL_KINDS);
        if (part)
            views[i] = (of_partition){.route = part->route,
                                      .rank = part->rank,
                                      .residual = part->residual,
                                      .values = part->value};
    }
}

/* Sets of clear clusters have gaps of 39 spacings and more at their number, real sets up to 3.4 at
 * any; cuts of 18 and more, real sets up to 5.4, a long thin cluster up to 4 (docs/choose.md). */
static of_joint_pieces count_pieces(const of_pool *pool, const of_pool_part *graph)
{
    enum { CLEAR_GAP = 20, CLEAR_CUT = 10 };
    of_joint_pieces pieces = {0, 0};
    size_t n = pool->problem->dataset->samples;
    for (size_t c = 2; graph && c <= graph->rank; c++) {
        if (of_spectrum_gap(graph->rank, graph->value, c - 1) > CLEAR_GAP)
            pieces.most = c;
        if (of_graph_cut(graph->rank, graph->value, c) > CLEAR_CUT &&
            of_graph_smallest_piece(c - 1, n, graph->H, pool->rows) >= of_apart_least(n, c))
            pieces.clear = c;
    }
    return pieces;
}

static onefold_status stack_pool(of_context *context, of_arena *arena, const of_problem *problem,
                                 of_stack *X, size_t *count, size_t *rank, of_joint_pieces *pieces,
                                 of_partition *views)
{
    of_pool pool;
    of_candidate joint = {
        .set = OF_SET_JOINT, .rows = problem->options->dims, .constant = 1, .eligible = 1};
    OF_TRY(of_pool_make(context, arena, problem, OF_SET_JOINT, &pool));
    OF_TRY(of_candidate_take_parts(arena, &pool, &joint));
    *count = joint.parts;
    *rank = 0;
    for (size_t b = 0; b < joint.parts; b++)
        *rank += pool.part[joint.part[b]].rank;
    *pieces = count_pieces(&pool, of_pool_find(&pool, OF_POOL_JOINT, OF_POOL_KNN));
    keep_views(&pool, views);
    return of_candidate_stack(arena, &pool, &joint, problem->dataset->samples, X);
}

onefold_status of_joint_stack(of_context *context, of_arena *arena, const of_problem *problem,
                              of_stack *X, size_t *count, size_t *rank, of_joint_pieces *pieces,
                              of_partition *views)
{
    of_sample *sample;
    if (!of_sample_suits(problem))
        return stack_pool(context, arena, problem, X, count, rank, pieces, views);
    OF_TRY(OF_NEW(arena, &sample, 1, 1));
    OF_TRY(of_sample_make(context, arena, problem, sample));
    return stack_pool(context, arena, &sample->problem, X, count, rank, pieces, views);
}

onefold_status of_joint_pieces_find(of_context *context, const of_problem *problem,
                                    of_joint_pieces *pieces)
{
    OF_SCRATCH(scratch, context);
    of_sample sample;
    of_pool pool;
    *pieces = (of_joint_pieces){0, 0};
    if (!of_pool_has_few_columns(problem) || !of_pool_has_joint(problem))
        return ONEFOLD_OK;
    if (of_sample_suits(problem)) {
        OF_TRY(of_sample_make(context, &scratch, problem, &sample));
        problem = &sample.problem;
    }
    OF_TRY(of_pool_make(context, &scratch, problem, OF_SET_LINKED, &pool));
    *pieces = count_pieces(&pool, of_pool_find(&pool, OF_POOL_JOINT, OF_POOL_KNN));
    pieces->most = 0; /* it goes with runs on the joint partitions */
    return ONEFOLD_OK;
}

onefold_status of_joint_pieces_bytes(of_context *context, const of_problem *problem, size_t *bytes)
{
    *bytes = 0;
    if (!of_pool_has_few_columns(problem) || !of_pool_has_joint(problem))
        return ONEFOLD_OK;
    OF_TRY(of_pool_cost(context, problem, OF_SET_LINKED, bytes));
    return of_size_add(bytes, *bytes, of_sample_bytes(problem));
}

onefold_status of_joint_stack_bytes(of_context *context, const of_problem *problem, size_t *bytes)
{
    OF_TRY(of_pool_cost(context, problem, OF_SET_JOINT, bytes));
    return of_size_add(bytes, *bytes, of_sample_bytes(problem));
}

size_t of_joint_stack_rows(size_t clusters, size_t most)
{
    size_t rows = clusters > 1 ? clusters : 2;
    return rows < most ? rows : most;
}

onefold_status of_joint_stack_label(of_context *context, size_t samples, size_t rows,
                                    size_t clusters, of_cs_result *result)
{
    return of_candidate_label(context, samples, rows, clusters, result);
}
