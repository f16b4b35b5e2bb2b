/* SPDX-License-Identifier: Apache-2.0 */
/* The one context of the command, which is joined to the other processes as long as it runs: a
 * failure before or after a session is that of every process too. */
#include "ranks.h"

#include <stdio.h>
#include <string.h>

static onefold_context *line;
static onefold_hooks session; /* what the hooks of the context lead to just now */

static void pass_log(void *user, const char *text)
{
    (void)user;
    if (session.log)
        session.log(session.user, text);
}

static void pass_progress(void *user, const onefold_progress *progress)
{
    (void)user;
    if (session.progress)
        session.progress(session.user, progress);
}

static int pass_cancel(void *user)
{
    (void)user;
    return session.cancel && session.cancel(session.user);
}

onefold_status cli_ranks_start(void)
{
    onefold_hooks hooks = ONEFOLD_HOOKS_INIT;
    hooks.log = pass_log;
    hooks.progress = pass_progress;
    hooks.cancel = pass_cancel;
    CLI_TRY(onefold_context_create(&line, &hooks));
    CLI_TRY(onefold_context_join(line));
    if (!cli_ranks_first() && !freopen("/dev/null", "w", stdout))
        return cli_fail(ONEFOLD_IO, "/dev/null cannot be opened");
    return ONEFOLD_OK;
}

onefold_context *cli_ranks_context(const onefold_hooks *hooks)
{
    static const onefold_hooks none = ONEFOLD_HOOKS_INIT;
    session = hooks ? *hooks : none;
    return line;
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
    return cli_hint(cli_fail(ONEFOLD_USAGE, "%s is done by one process, and %d were started", verb,
                             cli_ranks_count()),
                    "leave out mpirun; fit and predict are what is split over processes");
}

onefold_status cli_ranks_agree(onefold_status status, int *speaks)
{
    int rank;
    status = onefold_context_agree(line, status);
    rank = onefold_context_failed_rank(line);
    *speaks = rank < 0 || rank == onefold_context_rank(line);
    return status;
}

void cli_ranks_end(void)
{
    onefold_context_free(line);
    line = NULL;
}
