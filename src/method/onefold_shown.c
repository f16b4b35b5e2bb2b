/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the partitions made so far show the clusters by themselves, so that one joint partition
 * is enough (docs/method.md section 11): the joint kernel by a gap of its spectrum, the joint graph
 * by its cuts. Of few columns the graph is asked first, as a kernel sees no bent clusters in them.
 */
#include "method/onefold_parts.h"

/* A graph falls apart into mu pieces where one more cut would cost several times what the last of
 * the mu - 1 does. What a walk leaves a piece by, 1 - value, is never quite 0 in sums of roots. */
double of_joint_graph_cut(size_t rank, const double *value, size_t mu)
{
    const double none = 1e-5;
    if (mu < 2 || rank < mu)
        return 0;
    return (1 - value[mu - 1] + none) / (1 - value[mu - 2] + none);
}

/* Few columns hide nothing: rows of a view's kernel beyond its columns are bends of the first ones,
 * and directions among its components tell no more than its columns do. */
int of_pool_has_few_columns(const of_problem *problem)
{
    size_t columns = 0;
    if (problem->dataset->present)
        return 0;
    for (size_t i = 0; i < problem->dataset->view_count; i++) {
        const of_kernel *kernel = &problem->kernels[i];
        if (kernel->features.start || kernel->kind == OF_KERNEL_PRECOMPUTED ||
            kernel->kind == OF_KERNEL_GRAPH)
            return 0;
        columns += of_kernel_columns(kernel);
    }
    return columns <= OF_FEW_COLUMNS;
}

void of_pool_look(of_pool *pool, of_pool_kind made)
{
    int clear = pool->gap > OF_CLEAR_GAP, few = of_pool_has_few_columns(pool->problem);
    const of_pool_part *graph = of_pool_find(pool, OF_POOL_JOINT, OF_POOL_KNN);
    size_t mu = pool->problem->options->clusters;
    if (pool->settled || !of_pool_has_joint(pool->problem) || of_pool_is_bare(pool->problem))
        return;
    if (made == OF_POOL_KERNEL && clear && !few)
        pool->shown = OF_SET_CLEAR;
    if (made != OF_POOL_KNN)
        return;
    pool->cut = graph ? of_joint_graph_cut(graph->rank, graph->value, mu) : 0;
    pool->few = few;
    if (pool->cut > OF_CLEAR_CUT)
        pool->shown = OF_SET_LINKED;
    else if (clear && few)
        pool->shown = OF_SET_CLEAR;
}

int of_pool_is_clear(const of_pool *pool)
{
    return pool->shown != OF_SET_OPEN;
}
