/* SPDX-License-Identifier: Apache-2.0 */
/* The words of the command, carried out. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "onefold.h"

/* Carries out what the words after the command's name ask for, between cli_ranks_start and
 * cli_ranks_end; what went wrong is cli_last_error. */
onefold_status cli_command_run(int count, char **words);

/* Whether a flag stands among the words, before "--". */
int cli_command_has(int count, char **words, const char *flag);

#endif
