/* SPDX-License-Identifier: Apache-2.0 */
/* Joins a context to the other processes that work on the same problem, over MPI. The only file
 * that uses MPI. */
#include "base/comm.h"
#include "base/device.h"
#include "base/team.h"

#include <stdlib.h>
#ifdef ONEFOLD_WITH_MPI
#include <limits.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>
#endif

/* Up to this many samples are not worth splitting: every process does all work. */
enum { SPLIT_ABOVE = 1 << 17 };

/* Whether a launcher of MPI started this process. */
static int was_launched(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK",
                                        "MV2_COMM_WORLD_SIZE"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]))
            return 1;
    return 0;
}

#ifdef ONEFOLD_WITH_MPI
/*
 * A communicator of our own for each joined context, so that our messages do not mix with the
 * host's, and errors are returned. A context may be freed at any time: the rank tells the others
 * how many meetings it took part in, and does not wait for them. A rank that is in a later meeting
 * hears it and fails. What is under way then ends with MPI, where all ranks meet anyway.
 */
typedef struct group {
    MPI_Comm comm;
    int rank, size;
    int one_thread; /* MPI may only be called by the thread that started it */
    int *room;      /* 2 x size */
    struct {
        int code, rank;
    } own, worst;          /* of the meeting under way */
    MPI_Request meeting;   /* MPI_REQUEST_NULL: none is */
    MPI_Request *telling;  /* size: to each rank that this one has left */
    long met, other_met;   /* meetings of this rank; the fewest of a rank that has left */
    int other, heard;      /* that rank, -1: none; how many have left */
    int is_last;           /* the meeting with the code LAST was completed */
    int has_left, is_over; /* the context was freed; MPI has ended */
    struct group *next;
} group;

enum { OF_TAG_DATA, OF_TAG_LEFT };

/* The code of the last meeting, above that of any status. */
enum { LAST = 1000 };

/* Groups in the order of their joins, which is the same in all processes. */
static group *groups;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t started; /* the process that started MPI here, and ends it; 0: the host does */

static onefold_status failed(const char *what)
{
    return of_fail(ONEFOLD_FAULT, "MPI could not %s", what);
}

/* Each rank in turn sends its bytes to all ranks, or to rank 0 alone; in parts, as MPI's counts are
 * ints. */
static onefold_status send_in_turn(const group *g, char *bytes, const size_t *start, int everyone)
{
    enum { AT_ONCE = 1 << 30 };
    const size_t from = everyone ? 0 : start[g->rank]; /* the first of `bytes` */
    for (int r = everyone ? 0 : 1; r < g->size; r++)
        for (size_t at = start[r]; at < start[r + 1]; at += AT_ONCE) {
            size_t left = start[r + 1] - at;
            int count = (int)(left < AT_ONCE ? left : AT_ONCE), code = MPI_SUCCESS;
            if (everyone)
                code = MPI_Bcast(bytes + at, count, MPI_BYTE, r, g->comm);
            else if (g->rank == 0)
                code = MPI_Recv(bytes + at, count, MPI_BYTE, r, OF_TAG_DATA, g->comm,
                                MPI_STATUS_IGNORE);
            else if (g->rank == r)
                code = MPI_Send(bytes + (at - from), count, MPI_BYTE, 0, OF_TAG_DATA, g->comm);
            if (code != MPI_SUCCESS)
                return failed("send");
        }
    return ONEFOLD_OK;
}

static onefold_status collect(void *user, void *bytes, const size_t *start)
{
    return send_in_turn(user, bytes, start, 0);
}

static onefold_status gather(void *user, void *all, const size_t *start)
{
    group *g = user;
    int *counts = g->room, *places = g->room + g->size, in_turn = start[g->size] > INT_MAX;
    for (int r = 0; r < g->size; r++) {
        in_turn |= start[r + 1] - start[r] == start[g->size]; /* rank r has all: a broadcast */
        counts[r] = (int)(start[r + 1] - start[r]);
        places[r] = (int)start[r];
    }
    if (in_turn)
        return send_in_turn(g, all, start, 1);
    if (MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, counts, places, MPI_BYTE,
                       g->comm) != MPI_SUCCESS)
        return failed("gather");
    return ONEFOLD_OK;
}

/* Receives one note of a rank that has left, from any if `waits`; else if there is one. */
static int hear(group *g, int waits)
{
    MPI_Status from;
    long met;
    int there = waits, code = MPI_SUCCESS;
    if (!waits)
        code = MPI_Iprobe(MPI_ANY_SOURCE, OF_TAG_LEFT, g->comm, &there, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS || !there)
        return code;
    code = MPI_Recv(&met, 1, MPI_LONG, MPI_ANY_SOURCE, OF_TAG_LEFT, g->comm, &from);
    if (code != MPI_SUCCESS)
        return code;
    g->heard++;
    if (g->other < 0 || met < g->other_met) {
        g->other = from.MPI_SOURCE;
        g->other_met = met;
    }
    return MPI_SUCCESS;
}

/* Waits for the meeting, unless a rank has left before it. It sleeps after some spins, and leaves
 * the core to ranks that work. */
static int wait_for(group *g)
{
    enum { SPINS = 10000 };
    const struct timespec pause = {0, 200000};
    int done = 0, code = MPI_Test(&g->meeting, &done, MPI_STATUS_IGNORE);
    for (int spins = 0; code == MPI_SUCCESS && !done; spins += spins < SPINS) {
        if (spins == SPINS) {
            nanosleep(&pause, NULL);
            code = hear(g, 0);
        }
        if (code == MPI_SUCCESS && g->other >= 0 && g->other_met <= g->met)
            return code;
        if (code == MPI_SUCCESS)
            code = MPI_Test(&g->meeting, &done, MPI_STATUS_IGNORE);
    }
    g->met += done;
    return code;
}

static int start_meeting(group *g, int code)
{
    g->own.code = code;
    g->own.rank = g->rank;
    return MPI_Iallreduce(&g->own, &g->worst, 1, MPI_2INT, MPI_MAXLOC, g->comm, &g->meeting);
}

static onefold_status meet(void *user, onefold_status mine, onefold_status *worst, int *rank)
{
    group *g = user;
    if (g->is_over)
        return of_fail(ONEFOLD_USAGE, "MPI has ended in this process");
    if (g->meeting == MPI_REQUEST_NULL && !g->is_last &&
        (start_meeting(g, -(int)mine) != MPI_SUCCESS || wait_for(g) != MPI_SUCCESS))
        return failed("meet");
    if (g->meeting == MPI_REQUEST_NULL && g->worst.code == LAST) {
        g->is_last = 1;
        g->other = g->worst.rank;
    }
    if (g->meeting != MPI_REQUEST_NULL || g->is_last) {
        *rank = g->other;
        return of_fail(ONEFOLD_USAGE, "rank %d of %d has left the work: its context was freed",
                       g->other, g->size);
    }
    *worst = (onefold_status)-g->worst.code;
    *rank = g->worst.rank;
    return ONEFOLD_OK;
}

/* Tells the other ranks that this one takes part in no further meeting. */
static void tell_leaving(group *g)
{
    for (int r = 0; r < g->size && !g->has_left; r++)
        if (r != g->rank)
            MPI_Isend(&g->met, 1, MPI_LONG, r, OF_TAG_LEFT, g->comm, &g->telling[r]);
    g->has_left = 1;
}

static void forget(group *g)
{
    free(g->telling);
    free(g->room);
    free(g);
}

static void leave(void *user)
{
    group *g = user;
    if (g->is_over)
        forget(g);
    else
        tell_leaving(g);
}

/* Ends all groups, when MPI ends: each rank takes part in one more meeting. Contexts that are not
 * freed yet can meet no more. */
static int end_groups(MPI_Comm itself, int key, void *value, void *nothing)
{
    (void)itself, (void)key, (void)value, (void)nothing;
    pthread_mutex_lock(&lock);
    for (group *g = groups, *next; g; g = next) {
        int freed = g->has_left;
        next = g->next;
        tell_leaving(g);
        if (g->meeting == MPI_REQUEST_NULL && !g->is_last)
            start_meeting(g, LAST);
        MPI_Wait(&g->meeting, MPI_STATUS_IGNORE);
        while (g->heard < g->size - 1 && hear(g, 1) == MPI_SUCCESS)
            ;
        MPI_Waitall(g->size, g->telling, MPI_STATUSES_IGNORE);
        MPI_Comm_free(&g->comm);
        g->is_over = 1;
        if (freed)
            forget(g);
    }
    groups = NULL;
    pthread_mutex_unlock(&lock);
    return MPI_SUCCESS;
}

/* MPI ends with the process where it was started here: it cannot be started again. */
static void end_with_process(void)
{
    int over = 1;
    MPI_Finalized(&over);
    if (!over && started == getpid())
        MPI_Finalize();
}

/* Sets the number of ranks on this machine, and this one's number among them. Returns its share of
 * the cores that they are bound to. Threads of the library in rank 0 may use all of them: it works
 * while the others wait. The threads of the host stay where they are. */
static int share_machine(const group *g, of_comm *comm)
{
    MPI_Comm here;
    cpu_set_t cores;
    comm->ranks_here = 1;
    if (MPI_Comm_split_type(g->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here) != MPI_SUCCESS)
        return 1;
    MPI_Comm_size(here, &comm->ranks_here);
    MPI_Comm_rank(here, &comm->here);
    CPU_ZERO(&cores);
    (void)sched_getaffinity(0, sizeof cores, &cores);
    if (MPI_Allreduce(MPI_IN_PLACE, &cores, (int)sizeof cores, MPI_BYTE, MPI_BOR, here) ==
            MPI_SUCCESS &&
        g->rank == 0)
        of_team_cores(&cores);
    MPI_Comm_free(&here);
    return CPU_COUNT(&cores) > comm->ranks_here ? CPU_COUNT(&cores) / comm->ranks_here : 1;
}

/* Starts MPI where the host has not, and has end_groups called when it ends. */
static onefold_status start_mpi(int *level)
{
    static int watched, key;
    int running = 0, over = 0;
    MPI_Finalized(&over);
    if (over)
        return of_hint(of_fail(ONEFOLD_UNSUPPORTED,
                               "MPI has ended in this process, and cannot be started again"),
                       "join before MPI_Finalize is called");
    MPI_Initialized(&running);
    if (!running) {
        if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, level) != MPI_SUCCESS)
            return failed("start");
        started = getpid();
        atexit(end_with_process);
    } else
        MPI_Query_thread(level);
    if (!watched &&
        (MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_groups, &key, NULL) != MPI_SUCCESS ||
         MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL) != MPI_SUCCESS))
        return failed("start");
    watched = 1;
    return ONEFOLD_OK;
}

static onefold_status start(group *g)
{
    int level = MPI_THREAD_SINGLE;
    OF_TRY(start_mpi(&level));
    g->one_thread = level < MPI_THREAD_SERIALIZED;
    g->meeting = MPI_REQUEST_NULL;
    g->other = -1;
    if (MPI_Comm_dup(MPI_COMM_WORLD, &g->comm) != MPI_SUCCESS ||
        MPI_Comm_set_errhandler(g->comm, MPI_ERRORS_RETURN) != MPI_SUCCESS)
        return failed("start");
    MPI_Comm_size(g->comm, &g->size);
    MPI_Comm_rank(g->comm, &g->rank);
    g->room = malloc(2 * (size_t)g->size * sizeof *g->room);
    g->telling = malloc((size_t)g->size * sizeof(MPI_Request));
    if (!g->room || !g->telling) {
        free(g->room);
        free(g->telling);
        return of_fail(ONEFOLD_NO_MEMORY, "there is no memory for MPI");
    }
    for (int r = 0; r < g->size; r++)
        g->telling[r] = MPI_REQUEST_NULL;
    return ONEFOLD_OK;
}

/* Appends a group that is joined. */
static void keep_group(group *g)
{
    group **end = &groups;
    while (*end)
        end = &(*end)->next;
    *end = g;
}

static onefold_status join(of_context *context)
{
    group *g = calloc(1, sizeof *g);
    if (!g)
        return of_fail(ONEFOLD_NO_MEMORY, "there is no memory for MPI");
    pthread_mutex_lock(&lock);
    onefold_status status = start(g);
    if (status == ONEFOLD_OK)
        keep_group(g);
    else
        free(g);
    pthread_mutex_unlock(&lock);
    OF_TRY(status);
    of_comm comm = {.split_above = SPLIT_ABOVE,
                    .rank = g->rank,
                    .size = g->size,
                    .user = g,
                    .one_thread = g->one_thread,
                    .gather = gather,
                    .collect = collect,
                    .meet = meet,
                    .leave = leave};
    int cores = share_machine(g, &comm);
    context->comm = comm;
    of_device_number(comm.here);
    context->threads = context->threads < cores ? context->threads : cores;
    return ONEFOLD_OK;
}
#else
static onefold_status join(of_context *context)
{
    (void)context;
    return of_hint(
        of_fail(ONEFOLD_UNSUPPORTED, "this build has no MPI and works in one process only"),
        "start it as a single process, or build it with MPI (-DONEFOLD_WITH_MPI=ON)");
}
#endif

onefold_status onefold_context_join(onefold_context *context)
{
    if (!context)
        return of_fail(ONEFOLD_USAGE, "joining other processes needs a context");
    if (context->comm.size || !was_launched())
        return ONEFOLD_OK;
    return join(context);
}

onefold_status onefold_context_agree(onefold_context *context, onefold_status status)
{
    return context && context->comm.size > 1 ? of_comm_agree(context, status) : status;
}

const onefold_context_info *onefold_context_describe(onefold_context *context)
{
    if (!context)
        return NULL;
    context->info =
        (onefold_context_info){.threads = context->threads,
                               .rank = context->comm.rank,
                               .ranks = context->comm.size > 1 ? context->comm.size : 1,
                               .failed_rank = context->comm.ended ? context->comm.ended_by : -1,
                               .split_from = of_comm_split_from(context)};
    return &context->info;
}
