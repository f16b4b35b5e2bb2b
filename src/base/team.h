/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread team. Work is cut into numbered pieces whose boundaries depend on the problem alone;
 * each piece is worked by one thread, and partial sums meet in a fixed tree: the same bits come out
 * for any number of threads. A team call inside a piece runs on the thread it is called from, but
 * for of_team_share.
 */
#ifndef OF_BASE_TEAM_H
#define OF_BASE_TEAM_H

#include "base/context.h"

#include <pthread.h>

/* Works piece `index`. */
typedef onefold_status (*of_team_work)(void *task, size_t index);

/* The number of this thread among those that work the pieces of a call, 0 .. threads-1, which
 * names the scratch that the piece may use. 0 outside a piece. */
size_t of_team_worker(void);

/* Works pieces 0 .. count-1, each once, in any order, on the context's threads. The failure of the
 * lowest-numbered piece is returned, and its error is that of the calling thread. The cancel hook
 * is asked before each piece that the calling thread works. */
onefold_status of_team_run(of_context *context, size_t count, of_team_work work, void *task);

/* Threads a team call would use here: 1 inside most pieces. Scratch is made for this many workers.
 */
size_t of_team_size(of_context *context);

/* Where few pieces take long: the one that this thread is working may use all threads of the
 * context for team calls of its own. Those that have nothing else to do help; no more are started.
 * Nothing outside a piece. */
void of_team_share(const of_context *context);

/* Whether this thread is working a piece. */
int of_team_inside(void);

/* Whether this thread works a piece for another one, the one that called: it asks no hooks. */
int of_team_for_another(void);

/* Adds what piece `index` has to `sum` (zero-filled at first, `length` numbers). */
typedef onefold_status (*of_team_add)(void *task, size_t index, double *sum);

enum { OF_TEAM_GROUPS = 64, OF_MOST_GROUPS = 1024 };

/* As of_team_run, for pieces that take memory, `beside` each other; or one after the other, each
 * with the threads that the caller has. A run that counts bytes works the first of those beside
 * each other, each by itself, and counts those that take most, one for every thread, and what the
 * others leave.
 */
#define of_team_each(context, beside, count, work, task)                                           \
    ((beside) && !of_counts(context)                                                               \
         ? of_team_run((context), (count), (work), (task))                                         \
         : of_team_turns((context), (beside), (count), (work), (task)))
onefold_status of_team_turns(of_context *context, int beside, size_t count, of_team_work work,
                             void *task);

/* A cut of n samples into tiles. The samples are first cut into `groups` runs of nearly equal
 * length, each run into tiles_per_group tiles of nearly equal length. Groups are a power of two
 * that depends on n alone: OF_TEAM_GROUPS from 2^16 samples on, more from 2^24 on, up to
 * OF_MOST_GROUPS. A slice of the samples that starts and ends between groups thus has the same
 * tiles as the whole, and of_team_sum over `count` tiles the same partial sums. */
typedef struct of_tiles {
    size_t samples, groups, tiles_per_group;
    size_t count; /* groups * tiles_per_group */
    /* Room for the longest tile, a multiple of 8: what each worker has of `rows * width` doubles
     * then begins alike, as sums of some BLAS go by where in a vector register's width they begin.
     */
    size_t width;
} of_tiles;

/* Tiles such that `rows` doubles per sample fill about `bytes` of cache: by n, rows and bytes only.
 */
of_tiles of_tiles_make(size_t samples, size_t rows, size_t bytes);
size_t of_tiles_first(const of_tiles *tiles, size_t index);  /* first sample of a tile */
size_t of_tiles_length(const of_tiles *tiles, size_t index); /* samples in a tile; may be 0 */

/* Work over tiles of samples by all threads of all processes: each process works the tiles of its
 * own share (base/comm.h), once each, and the sum is known to all. */
onefold_status of_tiles_run(of_context *context, const of_tiles *tiles, of_team_work work,
                            void *task);

/* Makes an array whole, of which each process has what its own tiles gave: `size` bytes of each
 * sample, or where `start` is not NULL of each of its entries start[j] .. start[j + 1] - 1. */
onefold_status of_tiles_gather(of_context *context, const of_tiles *tiles, const size_t *start,
                               size_t size, void *array);

/* sum[0..length) = the sum over all tiles. From 2^16 samples on, the tiles of each group are added
 * in order, and the groups in a fixed binary tree: the same bits for any number of threads and
 * of processes. Below, of_team_sum does it. */
onefold_status of_tiles_sum(of_context *context, const of_tiles *tiles, of_team_add add, void *task,
                            size_t length, double *sum);

/* sum[0..length) = the sum over pieces 0 .. count-1. Neighbouring pieces are added in order into
 * partial sums, whose number is a power of two that depends on count and length only (at most
 * OF_TEAM_GROUPS, fewer when `length` is large), and these in a fixed binary tree. */
#define of_team_sum(context, pieces, add, task, length, sum)                                       \
    of_tiles_sum((context), &(of_tiles){.count = (pieces)}, (add), (task), (length), (sum))

/* Where part i of `parts` nearly equal parts of `whole` starts, without overflow. */
size_t of_part_start(size_t whole, size_t parts, size_t i);

/* Starts a thread with room for deep calls; signals that the host waits for are left to the threads
 * of the host. 0, or what pthread_create says. */
int of_thread_start(pthread_t *thread, void *(*run)(void *), void *argument);

#endif
