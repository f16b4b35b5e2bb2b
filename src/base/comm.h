/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several processes at one problem. Each process has a share of the samples. Shares start and end
 * between the groups of base/team.h, so tiles and partial sums are those of a single process.
 * Samples have the same numbers in every process. An array over samples holds the share alone, or
 * all samples; then a process may touch only its share until the array is gathered. Everything else
 * is held and computed by every process. Small problems are not split.
 *
 * The transport is in the context (src/comm), not here.
 */
#ifndef OF_BASE_COMM_H
#define OF_BASE_COMM_H

#include "base/memory.h"

/* Samples first .. end - 1. */
typedef struct of_range {
    size_t first, end;
} of_range;

/* Whether n samples are split over several processes: never fewer than 2^16. */
OF_PRIVATE int of_comm_splits(const of_context *context, size_t n);

/* The share of this process, or of another rank; all samples where they are not split. */
of_range of_comm_own(const of_context *context, size_t n);
of_range of_comm_share(const of_context *context, size_t n, int rank);

/* Refuses more processes than n samples can be split over. */
onefold_status of_comm_check(const of_context *context, size_t n);

/* Every process of the context calls the functions below, in the same order, from the thread that
 * called the library. A process that is alone skips them. After one process has failed, the call
 * fails on all. */

/* Gathers an array of n samples, `size` bytes each: each process brings its share. */
onefold_status of_comm_gather(of_context *context, void *samples, size_t size, size_t n);

/* Gathers `count` chosen samples: the i-th is sample place[i], in rising order. */
onefold_status of_comm_gather_chosen(of_context *context, void *chosen, size_t size, size_t n,
                                     const size_t *place, size_t count);

/* Gathers bytes: rank r brings bytes start[r] .. start[r + 1] - 1. Only for several processes. */
onefold_status of_comm_gather_parts(of_context *context, void *all, const size_t *start);

/* Gathers samples wanted.first .. wanted.end - 1 among n, `size` bytes each, on rank 0 alone. There
 * `samples` has room for all of them; on another rank it begins with the first of its own. */
onefold_status of_comm_collect(of_context *context, void *samples, size_t size, size_t n,
                               of_range wanted);

/* Each of `count` numbers becomes its maximum, or sum, over the processes. Sums go in the order of
 * ranks, so they are for whole numbers. Only where n samples are split. */
onefold_status of_comm_largest(of_context *context, size_t n, size_t count, double *numbers);
onefold_status of_comm_total(of_context *context, size_t n, size_t count, double *numbers);

/* *all: every rank's `size` bytes in the order of ranks, from `arena`; also where samples are not
 * split. */
onefold_status of_comm_each(of_context *context, of_arena *arena, const void *mine, size_t size,
                            void **all);

/* Broadcasts the `bytes` of one rank; also where samples are not split. */
onefold_status of_comm_broadcast(of_context *context, size_t rank, void *bytes, size_t size);

/* Rank 0 does `work`, as if it were alone, with the threads of all ranks of its machine. The other
 * ranks return at once, and wait for it in the exchange that brings them its result. */
onefold_status of_comm_lead(of_context *context, of_call_work work, void *arguments);

/* Broadcasts an array of `size` bytes, or a text, of rank 0. The others allocate theirs from
 * `arena`. `array` is the address of the pointer to it. */
onefold_status of_comm_broadcast_array(of_arena *arena, void *array, size_t size);
onefold_status of_comm_broadcast_text(of_arena *arena, const char **text);

/* *rank: the first one whose `size` bytes differ from those of rank 0; 0: none. */
onefold_status of_comm_compare(of_context *context, const void *bytes, size_t size, int *rank);

/* Refuses, with `what` in the sentence, bytes that are not the same everywhere. */
onefold_status of_comm_same(of_context *context, const void *bytes, size_t size, const char *what);

/* Ends a call of all ranks: where it failed on one, it fails on all, with that status. */
onefold_status of_comm_agree(of_context *context, onefold_status status);

/* Columns of numbers, one for each sample, `ld` apart. Memory holds those of this process's samples
 * only, or all. */
typedef struct of_share {
    double *held; /* the column of sample `first` */
    size_t first, ld;
} of_share;

/* The column of a sample that is held. */
static inline double *of_share_at(of_share share, size_t sample)
{
    return share.held + (sample - share.first) * share.ld;
}

/* An array that holds all samples, as a share. */
static inline of_share of_share_whole(double *numbers, size_t ld)
{
    return (of_share){numbers, 0, ld};
}

/* Memory for `rows` numbers of each sample of this process's share of n. */
onefold_status of_share_make(of_arena *arena, of_share *share, size_t rows, size_t n);

/* Fewer samples than this have fewer than OF_TEAM_GROUPS groups, and of_tiles_sum does not split
 * their sums. */
enum { OF_LEAST_SPLIT = 1 << 16 };

/* The fewest samples that are split over the processes; SIZE_MAX: none are. */
static inline size_t of_comm_split_from(const of_context *context)
{
    const of_comm *comm = &context->comm;
    if (comm->size <= 1 || comm->split_above == SIZE_MAX)
        return SIZE_MAX;
    return comm->split_above < OF_LEAST_SPLIT ? OF_LEAST_SPLIT : comm->split_above + 1;
}

#endif
