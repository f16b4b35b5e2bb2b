/* SPDX-License-Identifier: Apache-2.0 */
/* One call of the command, parsed: its verb, the values of its options, and its operands. */
#ifndef CLI_CALL_H
#define CLI_CALL_H

#include "options.h"

#include "base.h"

/* The value of an option, checked by its kind. All zero when it was not given. */
typedef struct cli_value {
    int given;
    const char *text; /* as it was typed */
    uint64_t whole;   /* CLI_COUNT, CLI_WHOLE */
    double number;    /* CLI_NUMBER */
    int word;         /* CLI_WORD: place in the list */
    size_t bytes;     /* CLI_SIZE */
} cli_value;

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
    int word_count;
};

/* Reads the words after the verb. Options may stand anywhere; "--" ends them. */
onefold_status cli_parse(cli_call *call, int count, char **words);

/* Checks and converts one value; the sentence names the option. */
onefold_status cli_value_read(const cli_option *option, const char *text, cli_value *value);

/* A whole number in [least, most], the whole text of it; `what` starts the sentence otherwise. */
onefold_status cli_whole_read(const char *what, const char *text, uint64_t least, uint64_t most,
                              uint64_t *whole);

#endif
