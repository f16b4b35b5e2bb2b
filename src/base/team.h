/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread team. Work is cut into numbered pieces whose boundaries depend on the problem alone.
 * One thread works on a piece, and partial sums are added in a fixed tree, so the bits do not
 * depend on the number of threads. A team call inside a piece runs on its own thread alone, unless
 * the piece called of_team_share.
 */
#ifndef OF_BASE_TEAM_H
#define OF_BASE_TEAM_H

#include "base/context.h"

#include <pthread.h>
#include <sched.h>

/* Does piece `index`. */
typedef onefold_status (*of_team_work)(void *task, size_t index);

/* The number of this thread among those of a call, 0 .. threads-1: the index of the scratch memory
 * that a piece may use. 0 outside a piece. */
size_t of_team_worker(void);

/* Does pieces 0 .. count-1, each once, in any order, on the context's threads. Returns the status
 * of the lowest piece that failed; its error becomes that of the calling thread. The calling thread
 * checks the cancel hook before each of its pieces. */
OF_PRIVATE onefold_status of_team_run(of_context *context, size_t count, of_team_work work,
                                      void *task);

/* Threads that a team call would use here: 1 inside most pieces. The number of workers that scratch
 * memory is for. */
OF_PRIVATE size_t of_team_size(of_context *context);

/* For few long pieces: team calls of the piece that this thread is in may use all threads of the
 * context. Idle threads help; no threads are started. Does nothing outside a piece. */
void of_team_share(const of_context *context);

/* Whether this thread is inside a piece. */
int of_team_inside(void);

/* Whether this thread does a piece for another thread, the caller. It then calls no hooks. */
int of_team_for_another(void);

/* Adds the term of piece `index` to `sum` (`length` numbers, zero at first). */
typedef onefold_status (*of_team_add)(void *task, size_t index, double *sum);

enum { OF_TEAM_GROUPS = 64, OF_MOST_GROUPS = 1024 };

/* For pieces that allocate: runs them `beside` each other as of_team_run does, or one after the
 * other, each with all threads of the caller. A context that counts bytes runs the first pieces one
 * by one. Its peak is that of the largest ones, one for every thread, and what the others leave. */
#define of_team_each(context, beside, count, work, task)                                           \
    ((beside) && !of_counts(context)                                                               \
         ? of_team_run((context), (count), (work), (task))                                         \
         : of_team_turns((context), (beside), (count), (work), (task)))
OF_PRIVATE onefold_status of_team_turns(of_context *context, int beside, size_t count,
                                        of_team_work work, void *task);

/* A cut of n samples into tiles. The samples are first cut into `groups` runs of nearly equal
 * length, then each run into tiles_per_group tiles of nearly equal length. The number of groups is
 * a power of two that depends on n alone: OF_TEAM_GROUPS from 2^16 samples on, more from 2^24 on,
 * up to OF_MOST_GROUPS. So a slice of samples that starts and ends between groups has the same
 * tiles and partial sums as the whole. */
typedef struct of_tiles {
    size_t samples, groups, tiles_per_group;
    size_t count; /* groups * tiles_per_group */
    /* Room for the longest tile, a multiple of 8: each worker's `rows * width` doubles then have
     * the same alignment, on which the sums of some BLAS depend. */
    size_t width;
} of_tiles;

/* Tiles such that `rows` doubles per sample fill about `bytes` of cache. Depends on n, rows and
 * bytes only. */
OF_PRIVATE of_tiles of_tiles_make(size_t samples, size_t rows, size_t bytes);
OF_PRIVATE size_t of_tiles_first(const of_tiles *tiles, size_t index); /* first sample of a tile */
OF_PRIVATE size_t of_tiles_length(const of_tiles *tiles,
                                  size_t index); /* samples in a tile; may be 0 */

/* Does each tile once: each process does the tiles of its own share (base/comm.h). */
onefold_status of_tiles_run(of_context *context, const of_tiles *tiles, of_team_work work,
                            void *task);

/* Gathers an array that each process has filled for its own tiles: `size` bytes for each sample, or
 * where `start` is not NULL for each of the entries start[j] .. start[j + 1] - 1 of sample j. */
onefold_status of_tiles_gather(of_context *context, const of_tiles *tiles, const size_t *start,
                               size_t size, void *array);

/* sum[0..length) = the sum over all tiles, in every process. From 2^16 samples on, the tiles of
 * each group are added in order, and the groups in a fixed binary tree: the same bits for any
 * number of threads and of processes. For fewer samples it is of_team_sum. */
onefold_status of_tiles_sum(of_context *context, const of_tiles *tiles, of_team_add add, void *task,
                            size_t length, double *sum);

/* sum[0..length) = the sum over pieces 0 .. count-1. Neighbouring pieces are added in order into
 * partial sums, and the partial sums in a fixed binary tree. Their number is a power of two that
 * depends on count and length only: at most OF_TEAM_GROUPS, fewer when `length` is large. */
#define of_team_sum(context, pieces, add, task, length, sum)                                       \
    of_tiles_sum((context), &(of_tiles){.count = (pieces)}, (add), (task), (length), (sum))

/* The start of part i of `parts` nearly equal parts of `whole`, without overflow. */
size_t of_part_start(size_t whole, size_t parts, size_t i);

/* The cores of threads of the pool that are started from now on. */
void of_team_cores(const cpu_set_t *cores);

/* Starts a thread with a stack for deep calls, which blocks the signals that the host handles.
 * Returns 0, or the error of pthread_create. */
int of_thread_start(pthread_t *thread, void *(*run)(void *), void *argument);

#endif
