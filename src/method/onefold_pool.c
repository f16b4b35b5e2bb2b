/* SPDX-License-Identifier: Apache-2.0 */
/* The graphs of the views for the method `onefold`, and the neighbours that vote on labels. */
#include "method/onefold_pool.h"

#include "base/team.h"
#include "data/dataset.h"
#include "partition/routes.h"

#include <math.h>
#include <string.h>

/* ---- graphs of views ------------------------------------------------------------------------- */

enum { WIDER = 2, CLUSTER_SHARE = 4 };

/* Neighbours that vote on labels: twice those of a graph, which would favour its own labelling; at
 * most a quarter of the mean cluster, and at least as many as in the graph. */
static size_t wide_neighbours(const of_problem *problem)
{
    size_t option = problem->options->neighbours, narrow = option ? option : OF_NEIGHBOURS_STANDARD,
           share = problem->dataset->samples / (CLUSTER_SHARE * problem->options->clusters),
           wide = share < WIDER * narrow ? share : WIDER * narrow;
    return wide > narrow ? wide : narrow;
}

static onefold_status make_graph(of_context *context, of_arena *arena, const of_problem *problem,
                                 size_t view, of_kernel_kind kind, const of_view_graph **graph)
{
    of_partition_options options = problem->partition;
    of_view_graph *made;
    of_kernel *kernel;
    OF_TRY(OF_NEW(arena, &kernel, 1, 1));
    OF_TRY(OF_NEW_ZERO(arena, &made, 1, 1));
    *kernel = problem->kernels[view];
    kernel->graph = kind;
    options.wide_neighbours = kind == OF_KERNEL_KNN ? wide_neighbours(problem) : 0;
    options.dims = problem->options->dims;
    options.project = problem->options->keep_model || problem->options->view_parts ||
                      problem->options->picture; /* parts need the model */
    onefold_status status = of_view_graph_make(context, arena, kernel, &options, made);
    if (status != ONEFOLD_OK)
        return of_blame(status, "view '%s'", problem->dataset->views[view].name);
    *graph = made;
    if (made->wider.start)
        OF_TRY(of_view_graph_spread(arena, problem->dataset, view, &made->wider));
    return of_view_graph_spread(arena, problem->dataset, view, &made->ties);
}

int of_pool_dense(const of_problem *problem, size_t view)
{
    return problem->kernels[view].kind != OF_KERNEL_PRECOMPUTED &&
           !problem->kernels[view].features.start;
}

onefold_status of_pool_make(of_context *context, of_arena *arena, const of_problem *problem,
                            unsigned kinds, int voters, of_pool *pool)
{
    size_t p = problem->dataset->view_count, dims = problem->options->dims;
    of_sparse *made;
    *pool = (of_pool){.problem = problem,
                      .n = problem->dataset->samples,
                      .p = p,
                      .mu = problem->options->clusters,
                      .rows = dims > 1 ? dims - 1 : 1};
    const of_view_graph **knn, **subspace;
    OF_TRY(OF_NEW_ZERO(arena, &knn, p, 1));
    OF_TRY(OF_NEW_ZERO(arena, &subspace, p, 1));
    pool->views = (of_joint_views){problem->dataset, problem->kernels, knn, subspace};
    OF_TRY(OF_NEW_ZERO(arena, &made, p, 1));
    pool->ties = made;
    for (size_t i = 0; i < p; i++) {
        int links = problem->kernels[i].kind == OF_KERNEL_GRAPH,
            given = problem->kernels[i].kind == OF_KERNEL_PRECOMPUTED, ties = voters;
        if (!of_team_inside()) /* inside, other tables are made at the same time */
            of_context_progress(context, "base", (double)i, (double)p,
                                problem->dataset->views[i].name);
        if (given && ties) {
            OF_TRY(of_view_graph_given(context, arena, &problem->kernels[i],
                                       wide_neighbours(problem), &made[i]));
            OF_TRY(of_view_graph_spread(arena, problem->dataset, i, &made[i]));
        }
        if (given)
            continue;
        if (ties || kinds & 1u << OF_JOINT_GRAPH || (links && kinds & 1u << OF_JOINT_SUBSPACE))
            OF_TRY(make_graph(context, arena, problem, i, OF_KERNEL_KNN, &knn[i]));
        if (links)
            subspace[i] = knn[i];
        else if (kinds & 1u << OF_JOINT_SUBSPACE)
            OF_TRY(make_graph(context, arena, problem, i, OF_KERNEL_SUBSPACE, &subspace[i]));
        if (ties && links)
            OF_TRY(of_view_graph_links(arena, knn[i], &made[i]));
        else if (ties)
            made[i] = knn[i]->wider;
    }
    return ONEFOLD_OK;
}
