/* SPDX-License-Identifier: Apache-2.0 */
/* Failing, memory, sizes and the clock. */
#include "base.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char own_message[1024], own_hint[512];
static int is_own; /* the command failed itself */

onefold_status cli_fail(onefold_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(own_message, sizeof own_message, format, arguments);
    va_end(arguments);
    own_hint[0] = '\0';
    is_own = 1;
    return status;
}

onefold_status cli_hint(onefold_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(own_hint, sizeof own_hint, format, arguments);
    va_end(arguments);
    return status;
}

const char *cli_last_error(void)
{
    return is_own ? own_message : onefold_last_error();
}

const char *cli_last_hint(void)
{
    return is_own ? own_hint : onefold_last_hint();
}

/* ---- memory --------------------------------------------------------------------------------- */

struct cli_block {
    struct cli_block *next;
    max_align_t memory[];
};

onefold_status cli_arena_new(cli_arena *arena, void **memory, size_t count, size_t size)
{
    struct cli_block *block = NULL;
    if (!size || count <= (SIZE_MAX - sizeof *block) / size)
        block = calloc(1, sizeof *block + count * size);
    if (!block)
        return cli_fail(ONEFOLD_NO_MEMORY, "there is no memory for %zu things of %zu bytes", count,
                        size);
    block->next = arena->blocks;
    arena->blocks = block;
    *memory = block->memory;
    return ONEFOLD_OK;
}

onefold_status cli_arena_string(cli_arena *arena, char **text, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    onefold_status status = CLI_NEW(arena, text, (length < 0 ? 0 : (size_t)length) + 1);
    if (status == ONEFOLD_OK && length > 0)
        vsnprintf(*text, (size_t)length + 1, format, again);
    va_end(again);
    return status;
}

void cli_arena_free(cli_arena *arena)
{
    for (struct cli_block *next; arena->blocks; arena->blocks = next) {
        next = arena->blocks->next;
        free(arena->blocks);
    }
}

/* ---- figures -------------------------------------------------------------------------------- */

const char *cli_size_text(char *text, size_t bytes)
{
    static const char *const unit[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    double value = (double)bytes;
    int u = 0;
    while (value >= 999.5 && u < 6) {
        value /= 1000;
        u++;
    }
    snprintf(text, 32, u && value < 9.95 ? "%.1f %s" : "%.0f %s", value, unit[u]);
    return text;
}

double cli_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
