/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the partitions made so far show the clusters by themselves, so that they are enough
 * (docs/method.md section 11): the joint kernel by a gap of its spectrum, the joint graph by its
 * cuts, and views' own graphs by theirs, where a view of noise hides the cuts of the joint one. Of
 * few columns the graphs are asked first, as a kernel sees no bent clusters in them.
 */
#include "method/onefold_parts.h"

#include <math.h>

/* A graph falls apart into mu pieces where one more cut would cost several times what the last of
 * the mu - 1 does. What a walk leaves a piece by, 1 - value, is never quite 0 in sums of roots. */
double of_graph_cut(size_t rank, const double *value, size_t mu)
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

double of_graph_smallest_piece(size_t rows, size_t n, const double *H, size_t ldh)
{
    double most = 0;
    for (size_t j = 0; j < n; j++) {
        double square = 1 / (double)n;
        for (size_t r = 0; r < rows; r++)
            square += H[j * ldh + r] * H[j * ldh + r];
        most = square > most ? square : most;
    }
    return 1 / most;
}

double of_apart_least(size_t n, size_t pieces)
{
    enum { LEAST = 10, SHARE = 50 };
    return fmax(LEAST, (double)n / (double)(SHARE * pieces));
}

/* Every sample must be in a view's graph that is to label all of them. */
static int falls_apart(const of_pool *pool, const of_pool_part *part)
{
    size_t mu = pool->problem->options->clusters, n = pool->problem->dataset->samples;
    return part->known == n && of_graph_cut(part->rank, part->value, mu) > OF_CLEAR_CUT &&
           1 - part->value[mu - 2] < OF_APART_LEAVES &&
           of_graph_smallest_piece(mu - 1, n, part->H, pool->rows) >= of_apart_least(n, mu);
}

/* Marks the views whose graph falls apart; of a pool that is made for such, at least that which
 * does most. Returns the largest cut of those that do, 0 where none does. */
static double mark_apart(of_pool *pool)
{
    size_t mu = pool->problem->options->clusters;
    double largest = 0, apart = 0;
    of_pool_part *most = NULL;
    for (size_t b = 0; b < pool->count; b++) {
        of_pool_part *part = &pool->part[b];
        if (part->kind != OF_POOL_KNN || part->view == OF_POOL_JOINT)
            continue;
        double cut = of_graph_cut(part->rank, part->value, mu);
        part->apart = falls_apart(pool, part);
        apart = part->apart && cut > apart ? cut : apart;
        if (!most || cut > largest) {
            most = part;
            largest = cut;
        }
    }
    if (apart == 0 && pool->asked == OF_SET_APART && most)
        most->apart = 1;
    return apart;
}

void of_pool_look(of_pool *pool, of_pool_kind made)
{
    int clear = pool->gap > OF_CLEAR_GAP, few = of_pool_has_few_columns(pool->problem);
    const of_pool_part *graph = of_pool_find(pool, OF_POOL_JOINT, OF_POOL_KNN);
    size_t mu = pool->problem->options->clusters;
    double apart;
    if (pool->asked == OF_SET_APART && made == OF_POOL_KNN)
        (void)mark_apart(pool);
    if (pool->asked != OF_SET_OPEN || !of_pool_has_joint(pool->problem) ||
        of_pool_is_bare(pool->problem))
        return;
    if (made == OF_POOL_KERNEL && clear && !few)
        pool->shown = OF_SET_CLEAR;
    if (made != OF_POOL_KNN)
        return;
    pool->cut = graph ? of_graph_cut(graph->rank, graph->value, mu) : 0;
    pool->few = few;
    if (pool->cut > OF_CLEAR_CUT)
        pool->shown = OF_SET_LINKED;
    else if ((apart = mark_apart(pool)) > 0) {
        pool->cut = apart;
        pool->shown = OF_SET_APART;
    } else if (clear && few)
        pool->shown = OF_SET_CLEAR;
}

int of_pool_is_clear(const of_pool *pool)
{
    return pool->shown != OF_SET_OPEN;
}
