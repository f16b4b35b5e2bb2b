/* SPDX-License-Identifier: Apache-2.0 */
/* The command as one of several processes that mpirun started: the first one speaks for all. */
#ifndef CLI_RANKS_H
#define CLI_RANKS_H

#include "base.h"
#include "options.h"

/* Joins the others, if there are any. Standard output of all but the first leads nowhere. */
onefold_status cli_ranks_start(void);

/* Refuses a verb that several processes cannot do together. */
onefold_status cli_ranks_check(const char *verb);

/* Whether this process writes files and speaks; how many processes there are. */
int cli_ranks_first(void);
int cli_ranks_count(void);

/* The context of the command, whose hooks lead to these from now on; NULL: nowhere. */
onefold_context *cli_ranks_context(const onefold_hooks *hooks);

/* The status that all end with; *speaks says whether this process is to say what went wrong. */
onefold_status cli_ranks_agree(onefold_status status, int *speaks);

/* Leaves the others, when all are ready to: what has to be said is said before. */
void cli_ranks_end(void);

#endif
