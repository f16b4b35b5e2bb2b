/* SPDX-License-Identifier: Apache-2.0 */
/* What every part of the command needs: failing with a sentence, memory that ends with its scope,
 * sizes for people and a clock. */
#ifndef CLI_BASE_H
#define CLI_BASE_H

#include "onefold.h"

/* ---- failures ------------------------------------------------------------------------------- */

/* Sets the command's own error to the sentence, clears its hint, and returns `status`. */
onefold_status cli_fail(onefold_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds what to do about it: `return cli_hint(cli_fail(...), ...)`. */
onefold_status cli_hint(onefold_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The sentence and hint of what went wrong: the command's own where it failed itself, else the
 * library's. */
const char *cli_last_error(void);
const char *cli_last_hint(void);

/* Passes an error on. */
#define CLI_TRY(call)                                                                              \
    do {                                                                                           \
        onefold_status cli_try_status_ = (call);                                                   \
        if (cli_try_status_ != ONEFOLD_OK)                                                         \
            return cli_try_status_;                                                                \
    } while (0)

/* ---- memory --------------------------------------------------------------------------------- */

typedef struct cli_arena {
    struct cli_block *blocks;
} cli_arena;

/* Zeros for count * size bytes. */
onefold_status cli_arena_new(cli_arena *arena, void **memory, size_t count, size_t size);
onefold_status cli_arena_string(cli_arena *arena, char **text, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void cli_arena_free(cli_arena *arena);

#define CLI_NEW(arena, pointer, count)                                                             \
    cli_arena_new((arena), (void **)(pointer), (count), sizeof **(pointer))

/* An arena that is freed when its scope is left. */
#define CLI_SCRATCH(name) __attribute__((cleanup(cli_arena_free))) cli_arena name = {NULL}

/* ---- figures -------------------------------------------------------------------------------- */

/* "1.5 GB", in a buffer of at least 32 characters that is also returned. */
const char *cli_size_text(char *text, size_t bytes);

/* Seconds since some fixed moment. */
double cli_clock(void);

#endif
