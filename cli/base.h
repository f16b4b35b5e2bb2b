/* SPDX-License-Identifier: Apache-2.0 */
/* What every part of the command needs: errors with a message, memory that ends with its scope,
 * sizes for people, a clock, and characters of UTF-8. */
#ifndef CLI_BASE_H
#define CLI_BASE_H

#include "onefold.h"

#include <stddef.h>
#include <stdio.h>

/* ---- failures ------------------------------------------------------------------------------- */

/* Sets the message of the command's own error, clears its hint, and returns `status`. */
onefold_status cli_fail(onefold_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds what to do about it: `return cli_hint(cli_fail(...), ...)`. */
onefold_status cli_hint(onefold_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Message and hint of the last error: the command's own, if it failed itself, else the library's.
 */
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

/* fprintf, with a point in numbers whatever the locale; at most 2047 bytes. */
void cli_print(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "1.5 GB", in a buffer of at least 32 characters that is also returned. */
const char *cli_size_text(char *text, size_t bytes);

/* Seconds since some fixed moment. */
double cli_clock(void);

/* ---- characters of UTF-8 -------------------------------------------------------------------- */

/* Number of characters in the first `size` bytes, or in the whole text if it is shorter. */
size_t cli_characters(const char *text, size_t size);

/* Cuts a text of more than `longest` characters to that length; the last two are then dots. */
void cli_shorten(char *text, size_t longest);

/* The first character of the text in a form that is safe for a terminal: itself, or an escape
 * (\x1b, \u202e) for a control character, a character that turns or hides text, or a byte that is
 * not UTF-8. Returns its bytes in `text`, at least 1. */
enum { CLI_SHOWN = 16 }; /* room for it */
size_t cli_show_character(const char *text, char shown[CLI_SHOWN]);

/* The whole text in this form, cut to `size` bytes; printed. Every name that is not ours, in a
 * message or a table, is printed so: a line break in it is \x0a. */
void cli_show_text(const char *text, char *shown, size_t size);
void cli_print_text(FILE *file, const char *text);

/* Whether a spreadsheet may run a cell with this text as a formula. */
int cli_is_formula(const char *text);

/* Prints a cell of CSV, with quotes where it needs them or is to have them; with an apostrophe
 * before a formula if it is guarded; in the form above on a terminal. */
enum { CLI_CELL_QUOTED = 1, CLI_CELL_GUARDED = 2, CLI_CELL_SHOWN = 4 };
void cli_print_cell(FILE *file, const char *text, int how);

/* The first character of the text as JSON: itself, or \uXXXX where the above is an escape. */
size_t cli_json_character(const char *text, char shown[CLI_SHOWN]);

#endif
