/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the method `onefold` ask of its pool of partitions. */
#include "data/present.h"
#include "linalg/blas.h"
#include "method/onefold_parts.h"

#include <math.h>
#include <string.h>

const of_pool_part *of_pool_find(const of_pool *pool, size_t view, size_t kind)
{
    for (size_t b = 0; b < pool->count; b++)
        if (pool->part[b].view == view && (kind == OF_POOL_KINDS || pool->part[b].kind == kind))
            return &pool->part[b];
    return NULL;
}

void of_pool_unit_column(const of_pool *pool, const of_pool_part *part, size_t rows, size_t j,
                         double *x)
{
    memcpy(x, part->H + j * pool->rows, rows * sizeof *x);
    double length = cblas_dnrm2((int)rows, x, 1);
    for (size_t r = 0; length > 0 && r < rows; r++)
        x[r] /= length;
}

int of_pool_joins_kernel(const of_pool *pool, size_t view)
{
    return pool->formed || pool->problem->kernels[view].kind != OF_KERNEL_PRECOMPUTED;
}

int of_pool_joins(const of_pool *pool, const of_pool_part *part, of_pool_kind kind)
{
    const of_problem *problem = pool->problem;
    if (part->view == OF_POOL_JOINT)
        return 0;
    of_kernel_kind kernel = problem->kernels[part->view].kind;
    if (kind == OF_POOL_KERNEL)
        return part->kind == kind && of_pool_joins_kernel(pool, part->view);
    return part->graph && (part->kind == kind || kernel == OF_KERNEL_GRAPH);
}

size_t of_pool_kernels_of(const of_pool *pool, size_t j)
{
    const of_problem *problem = pool->problem;
    size_t has = 0;
    for (size_t i = 0; i < problem->dataset->view_count; i++)
        has += of_pool_joins_kernel(pool, i) && of_present_at(problem->dataset, j, i);
    return has;
}

size_t of_pool_first_landmark(const of_pool *pool, const of_pool_part *own, of_pool_kind kind)
{
    size_t first = 0;
    for (size_t b = 0; &pool->part[b] != own; b++) {
        const of_pool_part *one = &pool->part[b];
        if (of_pool_joins(pool, one, kind))
            first += one->graph->set.count;
    }
    return first;
}
