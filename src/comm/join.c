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
#include <sched.h>
#include <time.h>
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
/* A communicator of our own, so that our messages do not mix with the host's. */
typedef struct group {
    MPI_Comm comm;
    int rank, size;
    int one_thread; /* MPI may only be called by the thread that started it */
    int started;    /* MPI was started here, so it is ended here */
    int *room;      /* 2 x size */
} group;

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
                code = MPI_Recv(bytes + at, count, MPI_BYTE, r, 0, g->comm, MPI_STATUS_IGNORE);
            else if (g->rank == r)
                code = MPI_Send(bytes + (at - from), count, MPI_BYTE, 0, 0, g->comm);
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

/* Waits for the other ranks. It sleeps after some spins, and leaves the core to ranks that work. */
static int wait_for(MPI_Request *others)
{
    enum { SPINS = 10000 };
    const struct timespec pause = {0, 200000};
    int done = 0, code = MPI_Test(others, &done, MPI_STATUS_IGNORE);
    for (int spins = 0; code == MPI_SUCCESS && !done; spins += spins < SPINS) {
        if (spins == SPINS)
            nanosleep(&pause, NULL);
        code = MPI_Test(others, &done, MPI_STATUS_IGNORE);
    }
    return code;
}

static onefold_status meet(void *user, onefold_status mine, onefold_status *worst, int *rank)
{
    group *g = user;
    MPI_Request others;
    struct {
        int code, rank;
    } own = {-(int)mine, g->rank}, all;
    if (MPI_Iallreduce(&own, &all, 1, MPI_2INT, MPI_MAXLOC, g->comm, &others) != MPI_SUCCESS ||
        wait_for(&others) != MPI_SUCCESS)
        return failed("meet");
    *worst = (onefold_status)-all.code;
    *rank = all.rank;
    return ONEFOLD_OK;
}

static void leave(void *user)
{
    group *g = user;
    int over = 0;
    MPI_Finalized(&over);
    if (!over)
        MPI_Comm_free(&g->comm);
    if (!over && g->started)
        MPI_Finalize();
    free(g->room);
    free(g);
}

/* Sets the number of ranks on this machine, and this one's number among them. Returns its share of
 * the cores that they are bound to. Rank 0 may use all of them: it works while the others wait. */
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
        (void)sched_setaffinity(0, sizeof cores, &cores);
    MPI_Comm_free(&here);
    return CPU_COUNT(&cores) > comm->ranks_here ? CPU_COUNT(&cores) / comm->ranks_here : 1;
}

static onefold_status start(group *g)
{
    int running = 0, level = MPI_THREAD_SINGLE;
    MPI_Initialized(&running);
    if (!running && MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level) != MPI_SUCCESS)
        return failed("start");
    if (running)
        MPI_Query_thread(&level);
    g->one_thread = level < MPI_THREAD_SERIALIZED;
    g->started = !running;
    if (MPI_Comm_dup(MPI_COMM_WORLD, &g->comm) != MPI_SUCCESS)
        return failed("start");
    MPI_Comm_size(g->comm, &g->size);
    MPI_Comm_rank(g->comm, &g->rank);
    return ONEFOLD_OK;
}

static onefold_status join(of_context *context)
{
    group *g = calloc(1, sizeof *g);
    onefold_status status = g ? start(g) : of_fail(ONEFOLD_NO_MEMORY, "there is no memory for MPI");
    if (status == ONEFOLD_OK) {
        g->room = malloc(2 * (size_t)g->size * sizeof *g->room);
        if (!g->room)
            status = of_fail(ONEFOLD_NO_MEMORY, "there is no memory for MPI");
    }
    if (status != ONEFOLD_OK) {
        free(g);
        return status;
    }
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
