/* SPDX-License-Identifier: Apache-2.0 */
/* How far a long call has come: a bar on a terminal, JSON lines, or nothing. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "screen.h"

typedef enum cli_progress_mode { CLI_PROGRESS_NONE, CLI_PROGRESS_BAR, CLI_PROGRESS_JSON } cli_mode;

typedef struct cli_progress {
    cli_screen screen; /* standard error */
    cli_mode mode;
    int verbose;        /* log lines are shown */
    const char *stage;  /* the last one said */
    double began, said; /* seconds: when the stage began, when it was last said */
    int drawn;          /* a bar stands on the line */
} cli_progress;

/* For the hooks of a context; `user` is a cli_progress. */
void cli_progress_step(void *user, const onefold_progress *step);
void cli_progress_log(void *user, const char *line);

/* Wipes the bar. */
void cli_progress_end(cli_progress *progress);

#endif
