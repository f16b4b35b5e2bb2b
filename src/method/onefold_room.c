/* SPDX-License-Identifier: Apache-2.0 */
/* Which candidate of a contest on a sample memory has room for, on all samples. */
#include "base/comm.h"
#include "method/onefold_parts.h"
#include "method/peers.h"

onefold_status of_candidate_set_bytes(of_context *context, const of_problem *problem,
                                      of_candidate_set set, size_t *bytes)
{
    size_t pool, contest;
    OF_TRY(of_pool_cost(context, problem, set, &pool));
    OF_TRY(of_contest_cost(problem, set, context->threads, &contest));
    OF_TRY(of_size_add(bytes, pool, contest));
    if (problem->options->view_parts || problem->options->picture) {
        size_t parts;
        OF_TRY(of_size_multiply(&parts, problem->dataset->samples,
                                sizeof(double) * problem->dataset->view_count));
        OF_TRY(of_size_add(bytes, *bytes, parts));
    }
    return ONEFOLD_OK;
}

onefold_status of_contest_room(of_context *context, size_t samples, double *room)
{
    double over = (double)atomic_load(&context->bytes) - (double)context->memory_limit;
    OF_TRY(of_comm_largest(context, samples, 1, &over));
    *room = -over;
    return ONEFOLD_OK;
}

onefold_status of_contest_settle(of_context *context, const of_problem *problem, double room,
                                 of_contest *contest)
{
    size_t n = problem->dataset->samples, best = contest->count, needed = 0,
           ranks = of_comm_splits(context, n) ? (size_t)context->comm.size : 1;
    for (size_t i = 0; i < contest->count; i++) {
        const of_candidate *one = &contest->candidate[i];
        size_t bytes;
        if (!one->eligible)
            continue;
        OF_TRY(of_candidate_set_bytes(context, problem, one->set, &bytes));
        bytes /= ranks; /* a process has its share of the samples */
        if (i == contest->chosen)
            needed = bytes;
        if ((double)bytes > room || best == contest->chosen)
            continue;
        if (i == contest->chosen || best == contest->count ||
            one->agreement > contest->candidate[best].agreement)
            best = i;
    }
    if (best == contest->count)
        return of_method_refuse_memory(context, &of_method_onefold, needed, n,
                                       problem->spill != NULL);
    contest->yielded = best != contest->chosen;
    contest->chosen = best;
    return ONEFOLD_OK;
}
