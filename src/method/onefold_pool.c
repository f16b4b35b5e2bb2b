/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the views bring to the method `onefold`, and its joint partitions: the leading eigenvectors
 * of weighted sums of the views' kernels or graphs. What no view shows alone is seen in the sums. A
 * sample that lacks views takes part by those that it has.
 */
#include "method/onefold_pool.h"

#include "base/comm.h"
#include "data/dataset.h"
#include "partition/orthonormal.h"
#include "partition/route_krylov.h"
#include "partition/routes.h"

#include <math.h>
#include <string.h>

/* Of eigenvectors, relative to the first eigenvalue: labels do not feel more digits. */
#define TOLERANCE 1e-5

int of_pool_joins(const of_problem *problem, size_t view, of_joint_kind kind)
{
    return kind == OF_JOINT_KERNEL || problem->kernels[view].kind != OF_KERNEL_PRECOMPUTED;
}

of_kernel of_pool_kernel(const of_pool *pool, size_t view, of_joint_kind kind)
{
    of_kernel kernel = pool->problem->kernels[view];
    kernel.graph = 0;
    kernel.keeps_lengths = kind == OF_JOINT_COLUMNS;
    /* the leading eigenvectors of an rbf kernel of this width are close to those of the linear
     * kernel, which keeps time and memory in proportion to the samples */
    if (kernel.kind == OF_KERNEL_RBF)
        kernel.kind = OF_KERNEL_LINEAR;
    return kernel;
}

double of_pool_scale(const of_pool *pool, const double *weights, of_joint_kind kind, size_t j)
{
    double sum = 0;
    size_t joining = 0;
    for (size_t i = 0; i < pool->p; i++)
        if (of_pool_joins(pool->problem, i, kind) && weights[i] > 0) {
            joining++;
            sum += of_present_at(pool->problem->dataset, j, i) ? weights[i] : 0;
        }
    if (!(sum > 0))
        return 0;
    return kind == OF_JOINT_COLUMNS ? 1 / of_join_least(sum, joining) : 1 / sqrt(sum);
}

/* ---- graphs of views ------------------------------------------------------------------------- */

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
    options.dims = problem->options->dims;
    options.project = problem->options->keep_model || problem->options->view_parts ||
                      problem->options->picture; /* parts are those of the model */
    onefold_status status = of_view_graph_make(context, arena, kernel, &options, made);
    if (status != ONEFOLD_OK)
        return of_blame(status, "view '%s'", problem->dataset->views[view].name);
    *graph = made;
    return of_view_graph_spread(arena, problem->dataset, view, &made->ties);
}

onefold_status of_pool_make(of_context *context, of_arena *arena, const of_problem *problem,
                            unsigned kinds, int ties, of_pool *pool)
{
    size_t p = problem->dataset->view_count, dims = problem->options->dims;
    of_sparse *made;
    *pool = (of_pool){.problem = problem,
                      .n = problem->dataset->samples,
                      .p = p,
                      .mu = problem->options->clusters,
                      .rows = dims > 1 ? dims - 1 : 1};
    OF_TRY(OF_NEW_ZERO(arena, &pool->knn, p, 1));
    OF_TRY(OF_NEW_ZERO(arena, &pool->subspace, p, 1));
    OF_TRY(OF_NEW_ZERO(arena, &made, p + 1, 1));
    OF_TRY(OF_NEW(arena, &pool->voice, p + 1, 1));
    pool->ties = made;
    pool->tellers = p;
    for (size_t i = 0; i < p; i++) {
        pool->voice[i] = 1;
        int links = problem->kernels[i].kind == OF_KERNEL_GRAPH,
            given = problem->kernels[i].kind == OF_KERNEL_PRECOMPUTED;
        of_context_progress(context, "base", (double)i, (double)p, problem->dataset->views[i].name);
        if (given && ties) {
            OF_TRY(of_view_graph_given(context, arena, &problem->kernels[i],
                                       problem->partition.neighbours, &made[i]));
            OF_TRY(of_view_graph_spread(arena, problem->dataset, i, &made[i]));
        }
        if (given)
            continue;
        if (ties || kinds & 1u << OF_JOINT_GRAPH || (links && kinds & 1u << OF_JOINT_SUBSPACE))
            OF_TRY(make_graph(context, arena, problem, i, OF_KERNEL_KNN, &pool->knn[i]));
        if (links)
            pool->subspace[i] = pool->knn[i];
        else if (kinds & 1u << OF_JOINT_SUBSPACE)
            OF_TRY(make_graph(context, arena, problem, i, OF_KERNEL_SUBSPACE, &pool->subspace[i]));
        if (ties && links)
            OF_TRY(of_view_graph_links(arena, pool->knn[i], &made[i]));
        else if (ties)
            made[i] = pool->knn[i]->ties;
    }
    of_context_progress(context, "base", (double)p, (double)p, NULL);
    return ONEFOLD_OK;
}

onefold_status of_pool_tell_by(of_context *context, of_arena *arena, of_pool *pool,
                               const double *weights)
{
    OF_SCRATCH(scratch, context);
    const of_partition_options *options = &pool->problem->partition;
    size_t p = pool->p;
    of_joint columns;
    of_landmark_set set;
    OF_TRY(of_joint_make(context, &scratch, pool, OF_JOINT_COLUMNS, weights, &columns));
    for (size_t i = 0; i < p; i++)
        pool->voice[i] = (double)p * weights[i];
    if (!columns.rank)
        return ONEFOLD_OK;
    for (size_t j = 0; j < pool->n; j++)
        for (size_t r = 0; r < columns.rank; r++)
            columns.H[j * pool->rows + r] *= sqrt(columns.value[r]);
    of_landmark_points points = {pool->n, columns.rank, NULL,
                                 of_share_whole(columns.H, pool->rows)};
    OF_TRY(of_landmark_set_make(context, &scratch, &points, options->landmarks, options->neighbours,
                                options->seed, &set));
    pool->voice[p] = 1;
    pool->tellers = p + 1;
    return of_landmark_graph_make(context, arena, &points, &set, &pool->ties[p]);
}

/* ---- joint kernels --------------------------------------------------------------------------- */

static onefold_status solve_kernel(of_context *context, const of_pool *pool, of_joint_kind kind,
                                   const double *weights, of_route_work *work)
{
    OF_SCRATCH(scratch, context);
    of_kernel *kernels;
    double *used, *scale;
    OF_TRY(OF_NEW(&scratch, &kernels, pool->p, 1));
    OF_TRY(OF_NEW(&scratch, &used, pool->p, 1));
    OF_TRY(OF_NEW(&scratch, &scale, pool->n, 1));
    for (size_t i = 0; i < pool->p; i++) {
        kernels[i] = of_pool_kernel(pool, i, kind);
        used[i] = of_pool_joins(pool->problem, i, kind) ? weights[i] : 0;
    }
    for (size_t j = 0; j < pool->n; j++)
        scale[j] = of_pool_scale(pool, weights, kind, j);
    of_joint_kernel joint = {pool->problem->dataset, kernels, used, scale};
    return of_joint_kernel_solve(context, &joint, work);
}

/* ---- joint graphs ---------------------------------------------------------------------------- */

static onefold_status solve_graph(of_context *context, of_arena *arena, const of_pool *pool,
                                  of_joint *joint)
{
    OF_SCRATCH(scratch, context);
    const of_view_graph **graphs = joint->kind == OF_JOINT_GRAPH ? pool->knn : pool->subspace;
    of_sparse *ties, all;
    double *weights;
    size_t count = 0;
    OF_TRY(OF_NEW(&scratch, &ties, pool->p, 1));
    OF_TRY(OF_NEW(&scratch, &weights, pool->p, 1));
    for (size_t i = 0; i < pool->p; i++)
        if (graphs[i] && joint->weights[i] > 0) {
            weights[count] = joint->weights[i];
            ties[count++] = graphs[i]->ties;
        }
    if (!count)
        return ONEFOLD_OK;
    OF_TRY(of_graph_join(&scratch, count, ties, weights, &all));
    OF_TRY(of_graph_spectrum_make(context, arena, &all, pool->rows, TOLERANCE, joint->H, pool->rows,
                                  &joint->spectrum));
    memcpy(joint->value, joint->spectrum.value, pool->rows * sizeof *joint->value);
    joint->rank = joint->spectrum.rank;
    return ONEFOLD_OK;
}

/* ---- all of them ----------------------------------------------------------------------------- */

onefold_status of_joint_make(of_context *context, of_arena *arena, const of_pool *pool,
                             of_joint_kind kind, const double *weights, of_joint *joint)
{
    OF_SCRATCH(scratch, context);
    const char *spill = pool->problem->spill;
    size_t rows = pool->rows, n = pool->n;
    double *sign;
    *joint = (of_joint){.kind = kind, .weights = weights};
    OF_TRY(OF_NEW_ZERO(arena, &joint->value, rows, 1));
    if (spill)
        OF_TRY(
            of_arena_allocate_spilled(arena, (void **)&joint->H, spill, sizeof *joint->H, rows, n));
    else
        OF_TRY(OF_NEW(arena, &joint->H, rows, n));
    if (kind == OF_JOINT_GRAPH || kind == OF_JOINT_SUBSPACE)
        return solve_graph(context, arena, pool, joint);
    of_route_work work = {.rows = rows < n ? rows : n,
                          .tolerance = TOLERANCE,
                          .H = of_share_whole(joint->H, rows),
                          .value = joint->value};
    OF_TRY(solve_kernel(context, pool, kind, weights, &work));
    OF_TRY(OF_NEW(&scratch, &sign, rows, 1));
    OF_TRY(of_sign_rows(context, n, work.rank, work.H, sign));
    OF_TRY(of_comm_gather(context, joint->H, rows * sizeof *joint->H, n));
    for (size_t j = 0; j < n && work.rank < rows; j++)
        for (size_t r = work.rank; r < rows; r++)
            joint->H[j * rows + r] = 0;
    joint->rank = work.rank;
    return ONEFOLD_OK;
}
