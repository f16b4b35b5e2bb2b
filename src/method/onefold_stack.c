/* SPDX-License-Identifier: Apache-2.0 */
/* The stack of a candidate: of each partition the constant and its leading rows, scaled as in
 * docs/method.md section 9 where samples lack views. */
#include "base/comm.h"
#include "data/present.h"
#include "method/missing_scale.h"
#include "method/onefold_parts.h"
#include "method/os_lfmvc_cs_parts.h"

#include <math.h>

static int knows(const of_dataset *dataset, const of_pool_part *part, size_t j)
{
    if (part->graph) /* text without a word has no ties, and counts as a view that is missing */
        return part->graph->ties.start[j + 1] > part->graph->ties.start[j];
    return part->view == OF_POOL_JOINT || of_present_at(dataset, j, part->view);
}

onefold_status of_candidate_stack(of_arena *arena, const of_pool *pool,
                                  const of_candidate *candidate, size_t count, of_stack *X)
{
    const of_dataset *dataset = pool->problem->dataset;
    size_t n = dataset->samples, k = candidate->rows, rows = candidate->parts * k,
           first = candidate->constant != 0;
    double *stack, enlarge = sqrt((double)n / (double)count);
    of_range held = {0, count}; /* a sample is everyone's */
    if (count == n)
        held = of_comm_own(arena->context, n);
    OF_TRY(of_pool_allocate(arena, pool->problem, rows, held.end - held.first, &stack));
    for (size_t i = held.first; i < held.end; i++) {
        size_t has = 0, j = of_cs_sample_at(n, count, i);
        for (size_t b = 0; b < candidate->parts; b++)
            has += knows(dataset, &pool->part[candidate->part[b]], j) != 0;
        double scale = has ? enlarge * sqrt((double)candidate->parts / (double)has) : 0;
        for (size_t b = 0; b < candidate->parts; b++) {
            const of_pool_part *part = &pool->part[candidate->part[b]];
            double *x = stack + (i - held.first) * rows + b * k,
                   own =
                       knows(dataset, part, j) ? scale * of_missing_scale_view(part->known, n) : 0;
            if (first)
                x[0] = own / sqrt((double)part->known);
            for (size_t r = first; r < k; r++)
                x[r] = r - first < pool->rows ? own * part->H[j * pool->rows + r - first] : 0;
        }
    }
    *X = of_stack_double(stack, rows, count, rows);
    X->first = held.first;
    return ONEFOLD_OK;
}
