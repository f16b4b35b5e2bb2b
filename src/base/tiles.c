/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums over pieces as a binary tree whose leaves are groups of neighbouring pieces. A node has the
 * same bits whichever thread or process sums it. Each process sums the nodes within its share; then
 * the few topmost nodes of each are gathered, and every process adds them up.
 */
#include "base/comm.h"
#include "base/team.h"

#include "base/memory.h"

#include <string.h>

/* Bytes of partial sums, if possible. Above KEPT_BYTES, malloc maps and unmaps the memory each
 * time; that much is used only where all threads have work even so. */
enum { PARTIAL_BYTES = 64 << 20, KEPT_BYTES = 24 << 20, FEWEST_PIECES = 4 };

/* Bytes of the sums that are gathered at once. */
enum { ROUND_BYTES = 8 << 20 };

/* ---- running ------------------------------------------------------------------------------ */

typedef struct run_task {
    of_team_work work;
    void *task;
    size_t first; /* tile */
} run_task;

static onefold_status run_tile(void *opaque, size_t index)
{
    run_task *run = opaque;
    return run->work(run->task, run->first + index);
}

/* The groups of a process: all of them where they are not cut among processes. */
static of_range own_groups(const of_context *context, int cut, size_t groups, int rank)
{
    if (!cut)
        return (of_range){0, groups};
    size_t ranks = (size_t)context->comm.size, r = (size_t)rank;
    return (of_range){groups * r / ranks, groups * (r + 1) / ranks};
}

onefold_status of_tiles_run(of_context *context, const of_tiles *tiles, of_team_work work,
                            void *task)
{
    of_range own = own_groups(context, of_comm_splits(context, tiles->samples), tiles->groups,
                              context->comm.rank);
    run_task run = {work, task, own.first * tiles->tiles_per_group};
    return of_team_run(context, (own.end - own.first) * tiles->tiles_per_group, run_tile, &run);
}

onefold_status of_tiles_gather(of_context *context, const of_tiles *tiles, const size_t *start,
                               size_t size, void *array)
{
    if (of_counts(context) || !of_comm_splits(context, tiles->samples))
        return ONEFOLD_OK;
    OF_SCRATCH(scratch, context);
    size_t ranks = (size_t)context->comm.size, *from;
    OF_TRY(OF_NEW(&scratch, &from, ranks + 1, 1));
    for (size_t r = 0; r <= ranks; r++) {
        size_t first = of_comm_share(context, tiles->samples, (int)r).first;
        from[r] = (start ? start[first] : first) * size;
    }
    return of_comm_gather_parts(context, array, from);
}

/* ---- the tree ----------------------------------------------------------------------------- */

/* Leaves first .. first + span - 1; span is a power of two, and first a multiple of it. */
typedef struct node {
    size_t first, span;
    double *sum;
} node;

typedef struct tree {
    of_team_add add;
    void *task;
    size_t pieces, groups; /* leaf g starts at piece pieces * g / groups */
    int cut;               /* groups are cut among processes */
    size_t length, room_size;
    node *nodes; /* groups, or fewer */
    size_t count;
    double *room; /* per worker: a sum for each level below a node */
} tree;

/* Cuts leaves into nodes of at most `most` leaves, in order. Returns how many. */
static size_t cut(of_range leaves, size_t most, node *nodes)
{
    size_t count = 0;
    for (size_t at = leaves.first; at < leaves.end; at += nodes[count++].span) {
        size_t span = 1;
        while (span < most && at % (2 * span) == 0 && at + 2 * span <= leaves.end)
            span *= 2;
        nodes[count] = (node){at, span, NULL};
    }
    return count;
}

/* Adds up the leaves below a node, in order. The first sum that waits for its right neighbour is
 * the node's own; the others, one for each level below it, are in the worker's room. */
static onefold_status sum_node(void *opaque, size_t index)
{
    const tree *t = opaque;
    const node *at = &t->nodes[index];
    double *room = t->room + of_team_worker() * t->room_size;
    for (size_t leaf = 0, waiting = 0; leaf < at->span; leaf++, waiting++) {
        size_t g = at->first + leaf;
        double *sum = waiting ? room + (waiting - 1) * t->length : at->sum;
        memset(sum, 0, t->length * sizeof *sum);
        for (size_t i = t->pieces * g / t->groups; i < t->pieces * (g + 1) / t->groups; i++)
            OF_TRY(t->add(t->task, i, sum));
        for (size_t done = leaf; done & 1; done >>= 1, waiting--) { /* a right neighbour */
            double *left = waiting > 1 ? sum - t->length : at->sum;
            for (size_t i = 0; i < t->length; i++)
                left[i] += sum[i];
            sum = left;
        }
    }
    return ONEFOLD_OK;
}

/* Adds pairs of nodes that make up a larger node, until none do. Returns how many are left. */
static size_t merge(size_t length, node *nodes, size_t count)
{
    size_t kept = 0;
    for (size_t n = 0; n < count; n++) {
        nodes[kept++] = nodes[n];
        while (kept > 1 && nodes[kept - 2].span == nodes[kept - 1].span &&
               nodes[kept - 2].first % (2 * nodes[kept - 1].span) == 0) {
            node *left = &nodes[kept - 2], *right = left + 1;
            for (size_t i = 0; i < length; i++)
                left->sum[i] += right->sum[i];
            left->span *= 2;
            kept--;
        }
    }
    return kept;
}

/* Leaves in a piece of work: as few as `bytes` of partial sums allow. */
static size_t piece_span(const tree *t, size_t workers, size_t bytes, size_t *levels)
{
    size_t span = 1, pieces = t->groups;
    *levels = 0;
    while (pieces > FEWEST_PIECES) {
        size_t most = pieces > 4 * workers && bytes > KEPT_BYTES ? KEPT_BYTES : bytes;
        if ((pieces + workers * *levels) * t->length <= most / sizeof(double))
            break;
        span *= 2;
        pieces /= 2;
        ++*levels;
    }
    return span;
}

/* ---- over processes ----------------------------------------------------------------------- */

/* Gathers the nodes of every process and adds them up into `sum`, some of its numbers at a time. */
static onefold_status exchange(of_context *context, of_arena *arena, const tree *t, double *sum)
{
    size_t ranks = (size_t)context->comm.size, *first, *start, count = 0;
    node *all, *nodes;
    double *sums;
    OF_TRY(OF_NEW_THERE(arena, &all, OF_MOST_GROUPS, 1));
    OF_TRY(OF_NEW_THERE(arena, &nodes, OF_MOST_GROUPS, 1));
    OF_TRY(OF_NEW_THERE(arena, &first, ranks + 1, 1));
    OF_TRY(OF_NEW(arena, &start, ranks + 1, 1));
    for (size_t r = 0; r < ranks; r++) {
        of_range own = own_groups(context, t->cut, t->groups, (int)r);
        first[r] = count;
        count += cut(own, OF_MOST_GROUPS, all + count);
    }
    first[ranks] = count;
    size_t most = of_size_least(t->length, ROUND_BYTES / sizeof(double) / count);
    OF_TRY(OF_NEW(arena, &sums, count, most));
    OF_COUNTED(context);
    for (size_t at = 0; at < t->length; at += most) {
        size_t some = of_size_least(most, t->length - at);
        double *own = sums + first[context->comm.rank] * some;
        for (size_t r = 0; r <= ranks; r++)
            start[r] = first[r] * some * sizeof(double);
        for (size_t n = 0; n < t->count; n++)
            memcpy(own + n * some, t->nodes[n].sum + at, some * sizeof(double));
        OF_TRY(of_comm_gather_parts(context, sums, start));
        for (size_t n = 0; n < count; n++)
            nodes[n] = (node){all[n].first, all[n].span, sums + n * some};
        merge(some, nodes, count);
        memcpy(sum + at, sums, some * sizeof *sums);
    }
    return ONEFOLD_OK;
}

/* The number of partial sums; sum g is of pieces count g / groups .. count (g + 1) / groups - 1. */
static size_t team_groups(size_t count, size_t length)
{
    enum { MOST_NUMBERS = 1 << 23 }; /* 64 MB of partial sums, but never fewer than 4 groups */
    size_t groups = OF_TEAM_GROUPS;
    while (groups > count || (groups > 4 && groups * length > MOST_NUMBERS))
        groups /= 2;
    return groups;
}

onefold_status of_tiles_sum(of_context *context, const of_tiles *tiles, of_team_add add, void *task,
                            size_t length, double *sum)
{
    int few = tiles->groups < OF_TEAM_GROUPS; /* then samples are not split */
    tree t = {.add = add,
              .task = task,
              .pieces = tiles->count,
              .groups = few ? team_groups(tiles->count, length) : tiles->groups,
              .cut = of_comm_splits(context, tiles->samples),
              .length = length};
    if (length && tiles->count == 0 && !of_counts(context))
        memset(sum, 0, length * sizeof *sum);
    if (length == 0 || tiles->count == 0)
        return ONEFOLD_OK;
    OF_SCRATCH(scratch, context);
    size_t levels, workers = of_team_size(context);
    size_t span = piece_span(&t, workers, of_context_chunk(context, PARTIAL_BYTES), &levels);
    double *sums;
    OF_TRY(OF_NEW_THERE(&scratch, &t.nodes, t.groups, 1));
    t.count = cut(own_groups(context, t.cut, t.groups, context->comm.rank), span, t.nodes);
    t.room_size = levels * length;
    OF_TRY(OF_NEW(&scratch, &t.room, workers, t.room_size));
    OF_TRY(OF_NEW(&scratch, &sums, t.count, length));
    for (size_t n = 0; n < t.count; n++)
        t.nodes[n].sum = sums + n * length;
    OF_TRY(of_team_run(context, t.count, sum_node, &t));
    if (!of_counts(context))
        t.count = merge(length, t.nodes, t.count);
    if (t.cut)
        return exchange(context, &scratch, &t, sum);
    OF_COUNTED(context);
    memcpy(sum, t.nodes[0].sum, length * sizeof *sum);
    return ONEFOLD_OK;
}
