/* SPDX-License-Identifier: Apache-2.0 */
/* A context becomes one of several processes that work on the same problem. */
#include "base/comm.h"
#include "base/device.h"
#include "base/team.h"
#ifdef ONEFOLD_WITH_MPI
#include "comm/mpi.h"
#endif

#include <stdlib.h>

/* Fewer samples than this are not worth splitting: every process does all of it. */
enum { SPLIT_ABOVE = 1 << 17 };

/* What the usual launchers tell a process about itself. */
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
static onefold_status join(of_context *context)
{
    of_comm comm = {.split_above = SPLIT_ABOVE};
    int here = 1;
    OF_TRY(of_mpi_join(&comm, &here));
    context->comm = comm;
    of_device_number(comm.here);
    context->threads = context->threads > here ? context->threads / here : 1;
    if (comm.size > OF_TEAM_GROUPS)
        return of_hint(of_fail(ONEFOLD_USAGE,
                               "%d processes were started, and at most %d can share a problem",
                               comm.size, OF_TEAM_GROUPS),
                       "start at most %d, each with several threads", OF_TEAM_GROUPS);
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
