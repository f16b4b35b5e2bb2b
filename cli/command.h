/* SPDX-License-Identifier: Apache-2.0 */
/* Parsing one call of the command, and running it. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "base.h"
#include "onefold.h"
#include "options.h"

/* The value of an option, checked by its kind. All zero when it was not given. */
typedef struct cli_value {
    int given;
    const char *text; /* as it was typed */
    uint64_t whole;   /* CLI_COUNT, CLI_WHOLE */
    double number;    /* CLI_NUMBER */
    int word;         /* CLI_WORD: place in the list */
    size_t bytes;     /* CLI_SIZE */
} cli_value;

/* Copies a given value to an option of the library; otherwise its default stays. */
static inline void cli_take_count(const cli_value *value, size_t *into)
{
    if (value->given)
        *into = (size_t)value->whole;
}
static inline void cli_take_number(const cli_value *value, double *into)
{
    if (value->given)
        *into = value->number;
}

/* A method's own option: --<method>-<name>. */
typedef struct cli_own {
    size_t method; /* its index */
    const onefold_method_option_info *option;
    const char *value;
} cli_own;

struct cli_call {
    cli_arena *arena; /* lives as long as the call */
    const cli_verb *verb;
    cli_value value[CLI_OPTION_IDS];
    const char **operands;
    size_t operand_count;
    cli_own *own;
    size_t own_count;
    char *const *words; /* after the verb, as they were typed */
    int word_count, at; /* at: the word being read */
};

/* Reads the words of a call. Options may stand anywhere; "--" ends them. */
onefold_status cli_parse(cli_call *call);

/* Reads a text that is a whole number in [min, max]; otherwise `what` starts the message. */
onefold_status cli_whole_read(const char *what, const char *text, uint64_t min, uint64_t max,
                              uint64_t *whole);

/* ---- running a call ------------------------------------------------------------------------- */

/* Runs the words after the command's name, between cli_ranks_start and cli_ranks_end. Messages of
 * failures are in cli_last_error. */
onefold_status cli_command_run(int count, char **words);

/* Whether a flag stands among the words, before "--". */
int cli_command_has(int count, char **words, const char *flag);

/* ---- --portable: the same labels on processors with other instruction sets ------------------ */

/* Starts the command again, with an environment that restricts the libraries to instructions that
 * every processor of the architecture has; they read it when they are loaded. Returns if the
 * environment is set already, or cannot be. */
void cli_portable_start(char **argv);

#endif
