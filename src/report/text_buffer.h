/* SPDX-License-Identifier: Apache-2.0 */
/* A text that grows in memory and is written in one go. A failure on the way is kept to the end. */
#ifndef OF_REPORT_TEXT_BUFFER_H
#define OF_REPORT_TEXT_BUFFER_H

#include "base/memory.h"

#include <stdio.h>

typedef struct of_text {
    of_arena *arena;
    char *bytes; /* `size` of them, and a closing zero once there are any */
    size_t size, room;
    onefold_status status; /* of the first thing that failed; its error is this thread's last */
} of_text;

void of_text_put(of_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void of_text_bytes(of_text *text, const char *bytes, size_t size);
void of_text_blanks(of_text *text, size_t count);

/* Writes and flushes it; the first failure on the way there, if any. `what` starts the sentence:
 * "the report". */
onefold_status of_text_write(const of_text *text, FILE *out, const char *what);

#endif
