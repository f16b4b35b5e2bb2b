/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks that are threads: what MPI does is done with a barrier and shared memory. */
#include "support/ranks.h"

#include "support/check.h"

#include <pthread.h>
#include <string.h>

enum { MOST_RANKS = 64 };

typedef struct meeting {
    pthread_barrier_t barrier;
    int size;
    onefold_status status[MOST_RANKS];
    char *array[MOST_RANKS];
} meeting;

typedef struct seat {
    meeting *at;
    int rank, threads;
    size_t split_above;
    ranks_work work;
    void *user;
    of_error outcome;
    pthread_t thread;
} seat;

of_range ranks_held(int ranks, int rank, size_t split_above, size_t n)
{
    of_context like = {.comm = {.size = ranks, .split_above = split_above}};
    return rank == 0 ? (of_range){0, n} : of_comm_share(&like, n, rank);
}

static onefold_status gather(void *user, void *all, const size_t *start)
{
    seat *own = user;
    meeting *at = own->at;
    at->array[own->rank] = all;
    pthread_barrier_wait(&at->barrier);
    for (int r = 0; r < at->size; r++)
        if (r != own->rank)
            memcpy((char *)all + start[r], at->array[r] + start[r], start[r + 1] - start[r]);
    pthread_barrier_wait(&at->barrier);
    return ONEFOLD_OK;
}

static onefold_status collect(void *user, void *bytes, const size_t *start)
{
    seat *own = user;
    meeting *at = own->at;
    at->array[own->rank] = bytes;
    pthread_barrier_wait(&at->barrier);
    for (int r = 1; r < at->size && own->rank == 0; r++)
        if (start[r + 1] > start[r])
            memcpy((char *)bytes + start[r], at->array[r], start[r + 1] - start[r]);
    pthread_barrier_wait(&at->barrier);
    return ONEFOLD_OK;
}

static onefold_status meet(void *user, onefold_status mine, onefold_status *worst, int *rank)
{
    seat *own = user;
    meeting *at = own->at;
    at->status[own->rank] = mine;
    pthread_barrier_wait(&at->barrier);
    *worst = ONEFOLD_OK;
    *rank = 0;
    for (int r = 0; r < at->size; r++)
        if (at->status[r] < *worst) {
            *worst = at->status[r];
            *rank = r;
        }
    pthread_barrier_wait(&at->barrier);
    return ONEFOLD_OK;
}

static void *run(void *opaque)
{
    seat *own = opaque;
    onefold_context *context = NULL;
    onefold_status status = onefold_context_create(&context, NULL);
    if (status == ONEFOLD_OK) {
        context->threads = own->threads;
        context->comm = (of_comm){.rank = own->rank,
                                  .here = own->rank,
                                  .ranks_here = own->at->size,
                                  .size = own->at->size,
                                  .split_above = own->split_above,
                                  .user = own,
                                  .gather = gather,
                                  .collect = collect,
                                  .meet = meet};
        status = own->work(context, own->rank, own->user);
        status = of_comm_agree(context, status);
    }
    of_error_save(&own->outcome, status);
    onefold_context_free(context);
    return NULL;
}

void ranks_run(int ranks, int threads, size_t split_above, ranks_work work, void *user,
               of_error *outcome)
{
    meeting at = {.size = ranks};
    seat seats[MOST_RANKS];
    assert_true(ranks <= MOST_RANKS);
    assert_int_equal(pthread_barrier_init(&at.barrier, NULL, (unsigned)ranks), 0);
    for (int r = 0; r < ranks; r++) {
        seats[r] = (seat){&at, r, threads, split_above, work, user, {ONEFOLD_OK, "", ""}, 0};
        assert_int_equal(pthread_create(&seats[r].thread, NULL, run, &seats[r]), 0);
    }
    for (int r = 0; r < ranks; r++) {
        pthread_join(seats[r].thread, NULL);
        outcome[r] = seats[r].outcome;
    }
    pthread_barrier_destroy(&at.barrier);
}

void ranks_run_ok(int ranks, int threads, size_t split_above, ranks_work work, void *user)
{
    of_error outcome[MOST_RANKS];
    ranks_run(ranks, threads, split_above, work, user, outcome);
    for (int r = 0; r < ranks; r++)
        if (outcome[r].status != ONEFOLD_OK)
            fail_msg("rank %d of %d: %s", r, ranks, outcome[r].message);
}
