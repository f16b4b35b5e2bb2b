/* SPDX-License-Identifier: Apache-2.0 */
/* A text that grows in memory and is written in one go. A failure on the way is kept to the end. */
#ifndef CLI_TEXT_BUFFER_H
#define CLI_TEXT_BUFFER_H

#include "base.h"

#include <stdio.h>

typedef struct cli_text {
    char *bytes; /* `size` of them, and a closing zero once there are any */
    size_t size, room;
    onefold_status status; /* of the first thing that failed */
} cli_text;

void cli_text_put(cli_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cli_text_bytes(cli_text *text, const char *bytes, size_t size);
void cli_text_blanks(cli_text *text, size_t count);

/* Writes and flushes it; the first failure on the way there, if any. `what` starts the sentence:
 * "the report". */
onefold_status cli_text_write(const cli_text *text, FILE *out, const char *what);
void cli_text_free(cli_text *text);

#endif
