/* SPDX-License-Identifier: Apache-2.0 */
/* Joining, lending and leaving. The line to the other processes outlives any session, so that a
 * failure before or after one is that of all processes. */
#include "ranks.h"

#include "base/comm.h"

#include <stdio.h>
#include <string.h>

static onefold_context *line;

onefold_status cli_ranks_start(void)
{
    OF_TRY(onefold_context_create(&line, NULL));
    OF_TRY(onefold_context_join(line));
    if (!cli_ranks_first() && !freopen("/dev/null", "w", stdout))
        return of_fail(ONEFOLD_IO, "/dev/null cannot be opened");
    return ONEFOLD_OK;
}

int cli_ranks_first(void)
{
    return onefold_context_rank(line) == 0;
}

int cli_ranks_count(void)
{
    return onefold_context_ranks(line);
}

onefold_status cli_ranks_check(const char *verb)
{
    if (cli_ranks_count() == 1 || strcmp(verb, "fit") == 0 || strcmp(verb, "predict") == 0)
        return ONEFOLD_OK;
    return of_hint(of_fail(ONEFOLD_USAGE, "%s is done by one process, and %d were started", verb,
                           cli_ranks_count()),
                   "leave out mpirun; fit and predict are what is split over processes");
}

void cli_ranks_lend(onefold_context *context)
{
    if (cli_ranks_count() == 1)
        return;
    context->comm = line->comm;
    context->comm.leave = NULL;
    context->threads = line->threads;
}

void cli_ranks_return(onefold_context *context)
{
    if (cli_ranks_count() == 1 || !context)
        return;
    line->comm.ended = context->comm.ended;
    line->comm.ended_by = context->comm.ended_by;
}

onefold_status cli_ranks_agree(onefold_status status, int *speaks)
{
    *speaks = 1;
    if (cli_ranks_count() > 1) {
        status = of_comm_agree(line, status);
        *speaks = !line->comm.ended || line->comm.ended_by == onefold_context_rank(line);
    }
    return status;
}

void cli_ranks_end(void)
{
    onefold_context_free(line);
    line = NULL;
}
