/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several processes at one problem. Each holds the samples of its own share, which starts and ends
 * between the groups of base/team.h, so that tiles and partial sums are those of one process.
 * Samples keep their numbers everywhere. An array of samples is of a process's own, or it is held
 * whole, of which a process may touch only its own until they are gathered. Everything that is not
 * of samples is held and worked by all alike. Small problems are not split at all.
 *
 * Nothing here knows how processes talk: the context holds what does (src/comm).
 */
#ifndef OF_BASE_COMM_H
#define OF_BASE_COMM_H

#include "base/memory.h"

/* Samples first .. end - 1. */
typedef struct of_range {
    size_t first, end;
} of_range;

/* Whether n samples are split over several processes: never fewer than 2^16. */
int of_comm_splits(const of_context *context, size_t n);

/* The share of this process, or of another rank: all of them where nothing is split. */
of_range of_comm_own(const of_context *context, size_t n);
of_range of_comm_share(const of_context *context, size_t n, int rank);

/* Refuses more processes than n samples can be split over. */
onefold_status of_comm_check(const of_context *context, size_t n);

/* What follows is called by every process of the context, in the same order, from the thread that
 * called the library; otherwise it does nothing. Where one of the processes has failed since, the
 * call fails on all of them. */

/* Makes an array of n samples, `size` bytes each, whole everywhere: each brings its share. */
onefold_status of_comm_gather(of_context *context, void *samples, size_t size, size_t n);

/* The same for `count` of them, sample place[i] being the i-th, in rising order. */
onefold_status of_comm_gather_chosen(of_context *context, void *chosen, size_t size, size_t n,
                                     const size_t *place, size_t count);

/* The same for any cut: rank r brings bytes start[r] .. start[r + 1] - 1. Not where one is alone.
 */
onefold_status of_comm_gather_parts(of_context *context, void *all, const size_t *start);

/* Brings samples asked.first .. asked.end - 1 among n, `size` bytes each, to rank 0, which has room
 * for all of them; what the others have begins with the first that is their own. */
onefold_status of_comm_collect(of_context *context, void *samples, size_t size, size_t n,
                               of_range asked);

/* Each of `count` numbers becomes the largest, or the sum, of what the processes have: the sum in
 * the order of ranks, so for whole numbers. Only where n samples are split. */
onefold_status of_comm_largest(of_context *context, size_t n, size_t count, double *numbers);
onefold_status of_comm_total(of_context *context, size_t n, size_t count, double *numbers);

/* Every rank's `size` bytes, one after the other, from `arena`, whether samples are split or not.
 */
onefold_status of_comm_each(of_context *context, of_arena *arena, const void *mine, size_t size,
                            void **all);

/* What one rank has in `bytes` becomes everyone's, whether samples are split or not. */
onefold_status of_comm_broadcast(of_context *context, size_t rank, void *bytes, size_t size);

/* Work on what all have alike: rank 0 does it, as if it was alone, with the threads of all ranks of
 * its machine. The others wait for it in the exchange that tells them what came of it. */
onefold_status of_comm_lead(of_context *context, of_call_work work, void *arguments);

/* An array of `size` bytes that rank 0 has becomes everyone's; that of the others is from `arena`.
 * `array` is where the pointer to it is. And a text. */
onefold_status of_comm_broadcast_array(of_arena *arena, void *array, size_t size);
onefold_status of_comm_broadcast_text(of_arena *arena, const char **text);

/* The first rank whose `size` bytes are not those of rank 0; 0 where there is none. */
onefold_status of_comm_odd(of_context *context, const void *bytes, size_t size, int *odd);

/* Refuses, with `what` in the sentence, bytes that are not the same everywhere. */
onefold_status of_comm_same(of_context *context, const void *bytes, size_t size, const char *what);

/* Ends a call that all make: if it failed anywhere it fails everywhere, with that status. */
onefold_status of_comm_agree(of_context *context, onefold_status status);

/* Numbers of samples, those of one `ld` after those of the one before, of which memory holds only
 * some: this process's own, or all. */
typedef struct of_share {
    double *held; /* those of sample `first` */
    size_t first, ld;
} of_share;

/* The numbers of a sample that is held. */
static inline double *of_share_at(of_share share, size_t sample)
{
    return share.held + (sample - share.first) * share.ld;
}

/* An array that is held whole, as a share. */
static inline of_share of_share_whole(double *numbers, size_t ld)
{
    return (of_share){numbers, 0, ld};
}

/* Memory for `rows` numbers of each sample of this process's own among n. */
onefold_status of_share_make(of_arena *arena, of_share *share, size_t rows, size_t n);

/* Below, samples have fewer groups than shares are cut between, and of_tiles_sum adds all of them
 * up in every process. */
enum { OF_LEAST_SPLIT = 1 << 16 };

/* So many samples are split over the processes; SIZE_MAX: none. */
static inline size_t of_comm_split_from(const of_context *context)
{
    const of_comm *comm = &context->comm;
    if (comm->size <= 1 || comm->split_above == SIZE_MAX)
        return SIZE_MAX;
    return comm->split_above < OF_LEAST_SPLIT ? OF_LEAST_SPLIT : comm->split_above + 1;
}

#endif
