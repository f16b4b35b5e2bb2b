/* SPDX-License-Identifier: Apache-2.0 */
/* Shares of the samples, and messages between processes over any transport. */
#include "base/comm.h"

#include "base/blas_threads.h"
#include "base/team.h"

#include <string.h>

int of_comm_splits(const of_context *context, size_t n)
{
    return n >= of_comm_split_from(context);
}

of_range of_comm_share(const of_context *context, size_t n, int rank)
{
    if (!of_comm_splits(context, n))
        return (of_range){0, n};
    size_t ranks = (size_t)context->comm.size, r = (size_t)rank;
    of_tiles groups = of_tiles_make(n, 1, SIZE_MAX); /* groups depend on n alone */
    size_t per_group = groups.tiles_per_group;
    return (of_range){of_tiles_first(&groups, groups.groups * r / ranks * per_group),
                      of_tiles_first(&groups, groups.groups * (r + 1) / ranks * per_group)};
}

of_range of_comm_own(const of_context *context, size_t n)
{
    return of_comm_share(context, n, context->comm.rank);
}

onefold_status of_comm_check(const of_context *context, size_t n)
{
    size_t most = of_tiles_make(n, 1, SIZE_MAX).groups;
    if (!of_comm_splits(context, n) || (size_t)context->comm.size <= most)
        return ONEFOLD_OK;
    return of_hint(of_fail(ONEFOLD_USAGE,
                           "%d processes were started, and at most %zu can share %zu samples",
                           context->comm.size, most, n),
                   "start at most %zu, each with several threads", most);
}

/* ---- meeting ------------------------------------------------------------------------------ */

static onefold_status ended(const of_comm *comm, onefold_status status)
{
    return of_fail(status, "rank %d of %d has failed", comm->ended_by, comm->size);
}

/* Exchanges statuses first, so that no rank waits for one that has failed. */
static onefold_status meet(of_comm *comm, onefold_status mine)
{
    onefold_status worst = mine;
    if (comm->ended)
        return mine == ONEFOLD_OK ? ended(comm, ONEFOLD_FAULT) : mine;
    OF_TRY(comm->meet(comm->user, mine, &worst, &comm->ended_by));
    if (worst == ONEFOLD_OK)
        return ONEFOLD_OK;
    comm->ended = 1;
    return mine == ONEFOLD_OK ? ended(comm, worst) : mine;
}

onefold_status of_comm_agree(of_context *context, onefold_status status)
{
    of_comm *comm = &context->comm;
    if (comm->size <= 1 || comm->ended || of_counts(context))
        return status;
    return meet(comm, status);
}

/* ---- exchanging --------------------------------------------------------------------------- */

/* Starts every exchange. */
static onefold_status begin(of_comm *comm)
{
    if (of_team_inside())
        return of_fail(ONEFOLD_FAULT, "processes cannot communicate inside a parallel section");
    return meet(comm, ONEFOLD_OK);
}

onefold_status of_comm_gather_parts(of_context *context, void *all, const size_t *start)
{
    of_comm *comm = &context->comm;
    OF_TRY(begin(comm));
    return comm->gather(comm->user, all, start);
}

onefold_status of_comm_collect(of_context *context, void *samples, size_t size, size_t n,
                               of_range wanted)
{
    of_comm *comm = &context->comm;
    if (!of_comm_splits(context, n) || of_counts(context))
        return ONEFOLD_OK;
    OF_SCRATCH(scratch, context);
    size_t *start;
    OF_TRY(OF_NEW(&scratch, &start, (size_t)comm->size + 1, 1));
    for (int r = 0; r <= comm->size; r++) {
        size_t at = r < comm->size ? of_comm_share(context, n, r).first : n;
        at = at < wanted.first ? wanted.first : at > wanted.end ? wanted.end : at;
        start[r] = (at - wanted.first) * size;
    }
    OF_TRY(begin(comm));
    return comm->collect(comm->user, samples, start);
}

onefold_status of_comm_gather(of_context *context, void *samples, size_t size, size_t n)
{
    return of_comm_gather_chosen(context, samples, size, n, NULL, n);
}

onefold_status of_comm_gather_chosen(of_context *context, void *chosen, size_t size, size_t n,
                                     const size_t *place, size_t count)
{
    if (!of_comm_splits(context, n) || of_counts(context))
        return ONEFOLD_OK;
    OF_SCRATCH(scratch, context);
    int ranks = context->comm.size;
    size_t *start, i = 0;
    OF_TRY(OF_NEW(&scratch, &start, (size_t)ranks + 1, 1));
    for (int r = 0; r < ranks; r++) {
        size_t first = of_comm_share(context, n, r).first;
        while (i < count && (place ? place[i] : i) < first)
            i = place ? i + 1 : first;
        start[r] = i * size;
    }
    start[ranks] = count * size;
    return of_comm_gather_parts(context, chosen, start);
}

onefold_status of_comm_each(of_context *context, of_arena *arena, const void *mine, size_t size,
                            void **all)
{
    size_t *start, ranks = context->comm.size > 1 ? (size_t)context->comm.size : 1;
    unsigned char *bytes;
    OF_TRY(OF_NEW(arena, &start, ranks + 1, 1));
    OF_TRY(OF_NEW(arena, &bytes, ranks, size));
    *all = bytes;
    OF_COUNTED(context);
    for (size_t r = 0; r <= ranks; r++)
        start[r] = r * size;
    memcpy(bytes + start[context->comm.rank], mine, size);
    return ranks > 1 ? of_comm_gather_parts(context, bytes, start) : ONEFOLD_OK;
}

onefold_status of_comm_broadcast(of_context *context, size_t rank, void *bytes, size_t size)
{
    size_t ranks = (size_t)context->comm.size, *start;
    if (ranks <= 1 || of_counts(context))
        return ONEFOLD_OK;
    OF_SCRATCH(scratch, context);
    OF_TRY(OF_NEW(&scratch, &start, ranks + 1, 1));
    for (size_t r = 0; r <= ranks; r++)
        start[r] = r > rank ? size : 0;
    return of_comm_gather_parts(context, bytes, start);
}

onefold_status of_comm_lead(of_context *context, of_call_work work, void *arguments)
{
    of_comm comm = context->comm;
    int threads = context->threads;
    if (comm.rank > 0 && !of_counts(context))
        return ONEFOLD_OK;
    context->comm = (of_comm){.here = comm.here};
    context->threads *= comm.ranks_here > 1 ? comm.ranks_here : 1;
    onefold_status status = of_blas_room(context->threads);
    if (status == ONEFOLD_OK)
        status = work(context, arguments);
    context->comm = comm;
    context->threads = threads;
    return status;
}

onefold_status of_comm_broadcast_array(of_arena *arena, void *array, size_t size)
{
    of_context *context = arena->context;
    void *held;
    if (context->comm.rank > 0 && !of_counts(context))
        OF_TRY(of_arena_allocate(arena, array, 1, size, 1));
    memcpy(&held, array, sizeof held);
    return of_comm_broadcast(context, 0, held, size);
}

onefold_status of_comm_broadcast_text(of_arena *arena, const char **text)
{
    size_t size = arena->context->comm.rank > 0 ? 0 : strlen(*text) + 1;
    OF_TRY(of_comm_broadcast(arena->context, 0, &size, sizeof size));
    return of_comm_broadcast_array(arena, text, size);
}

static onefold_status combine(of_context *context, size_t n, size_t count, double *numbers, int sum)
{
    if (!of_comm_splits(context, n) || !count || of_counts(context))
        return ONEFOLD_OK;
    OF_SCRATCH(scratch, context);
    double *all;
    OF_TRY(of_comm_each(context, &scratch, numbers, count * sizeof *numbers, (void **)&all));
    memcpy(numbers, all, count * sizeof *numbers);
    for (size_t r = 1; r < (size_t)context->comm.size; r++)
        for (size_t i = 0; i < count; i++) {
            double other = all[r * count + i];
            if (sum)
                numbers[i] += other;
            else
                numbers[i] = other > numbers[i] ? other : numbers[i];
        }
    return ONEFOLD_OK;
}

onefold_status of_comm_largest(of_context *context, size_t n, size_t count, double *numbers)
{
    return combine(context, n, count, numbers, 0);
}

onefold_status of_comm_total(of_context *context, size_t n, size_t count, double *numbers)
{
    return combine(context, n, count, numbers, 1);
}

onefold_status of_comm_compare(of_context *context, const void *bytes, size_t size, int *rank)
{
    OF_SCRATCH(scratch, context);
    unsigned char *all;
    OF_TRY(of_comm_each(context, &scratch, bytes, size, (void **)&all));
    *rank = 0;
    for (int r = context->comm.size - 1; r > 0; r--)
        if (memcmp(all, all + (size_t)r * size, size) != 0)
            *rank = r;
    return ONEFOLD_OK;
}

onefold_status of_comm_same(of_context *context, const void *bytes, size_t size, const char *what)
{
    int different;
    if (context->comm.size <= 1)
        return ONEFOLD_OK;
    OF_TRY(of_comm_compare(context, &size, sizeof size, &different));
    if (!different)
        OF_TRY(of_comm_compare(context, bytes, size, &different));
    if (!different)
        return ONEFOLD_OK;
    return of_hint(
        of_fail(ONEFOLD_BAD_DATA, "rank 0 and rank %d have different %s", different, what),
        "every rank must be given the same files and options");
}

/* ---- memory ------------------------------------------------------------------------------- */

onefold_status of_share_make(of_arena *arena, of_share *share, size_t rows, size_t n)
{
    of_range own = of_comm_own(arena->context, n);
    *share = (of_share){.first = own.first, .ld = rows};
    return OF_NEW(arena, &share->held, rows, own.end - own.first);
}
