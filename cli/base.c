/* SPDX-License-Identifier: Apache-2.0 */
/* Failing, memory, sizes, the clock, and characters of UTF-8. */
#include "base.h"

#include "base/number.h"

#include <stdarg.h>
#include <stdint.h>
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
    of_number_print_list(own_message, sizeof own_message, format, arguments);
    va_end(arguments);
    own_hint[0] = '\0';
    is_own = 1;
    return status;
}

onefold_status cli_hint(onefold_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    of_number_print_list(own_hint, sizeof own_hint, format, arguments);
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
        return cli_fail(ONEFOLD_NO_MEMORY, "out of memory: %zu items of %zu bytes", count, size);
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
    int length = of_number_print_list(NULL, 0, format, arguments);
    va_end(arguments);
    onefold_status status = CLI_NEW(arena, text, (length < 0 ? 0 : (size_t)length) + 1);
    if (status == ONEFOLD_OK && length > 0)
        of_number_print_list(*text, (size_t)length + 1, format, again);
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

void cli_print(FILE *file, const char *format, ...)
{
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    if (of_number_print_list(text, sizeof text, format, arguments) > 0)
        fputs(text, file);
    va_end(arguments);
}

const char *cli_size_text(char *text, size_t bytes)
{
    static const char *const unit[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    double value = (double)bytes;
    int u = 0;
    while (value >= 999.5 && u < 6) {
        value /= 1000;
        u++;
    }
    of_number_print(text, 32, u && value < 9.95 ? "%.1f %s" : "%.0f %s", value, unit[u]);
    return text;
}

double cli_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- characters of UTF-8 -------------------------------------------------------------------- */

static int continues(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

size_t cli_characters(const char *text, size_t size)
{
    size_t count = 0;
    for (size_t i = 0; i < size && text[i]; i++)
        count += !continues(text[i]);
    return count;
}

void cli_shorten(char *text, size_t longest)
{
    size_t count = 0;
    char *at = text;
    if (cli_characters(text, strlen(text)) <= longest)
        return;
    for (; *at; at++) {
        count += !continues(*at);
        if (count > longest - 2)
            break;
    }
    memcpy(at, "..", 3);
}

/* Bytes of the character at the start of the text; 0: it is not UTF-8. */
static size_t character_length(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t length = at[0] < 0x80                    ? 1
                    : at[0] >= 0xc2 && at[0] < 0xe0 ? 2
                    : at[0] >= 0xe0 && at[0] < 0xf0 ? 3
                    : at[0] >= 0xf0 && at[0] < 0xf5 ? 4
                                                    : 0;
    for (size_t i = 1; i < length; i++)
        if (!continues(text[i]))
            return 0;
    if (length == 3 && ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f)))
        return 0; /* overlong, or half of a surrogate pair */
    if (length == 4 && ((at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f)))
        return 0;
    return length;
}

/* Control characters, and characters that change how others look: marks of direction, ends of lines
 * and paragraphs, characters without width. */
static int is_obeyed(uint32_t point)
{
    static const uint32_t ranges[][2] = {
        {0x00, 0x1f},     {0x7f, 0x9f},     {0xad, 0xad},     {0x61c, 0x61c},   {0x200b, 0x200f},
        {0x2028, 0x202e}, {0x2060, 0x206f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe0fff}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (point >= ranges[i][0] && point <= ranges[i][1])
            return 1;
    return 0;
}

/* The character at the start of the text, and its bytes; 0 bytes: it is not UTF-8. */
static uint32_t point_of(const char *text, size_t *length)
{
    uint32_t point = (unsigned char)text[0];
    *length = character_length(text);
    if (*length > 1)
        point &= 0x7fu >> *length;
    for (size_t i = 1; i < *length; i++)
        point = point << 6 | ((unsigned char)text[i] & 0x3f);
    return point;
}

size_t cli_show_character(const char *text, char shown[CLI_SHOWN])
{
    size_t length;
    uint32_t point = point_of(text, &length);
    if (length && !is_obeyed(point))
        snprintf(shown, CLI_SHOWN, "%.*s", (int)length, text);
    else
        snprintf(shown, CLI_SHOWN, length < 2 ? "\\x%02x" : "\\u%04x", (unsigned)point);
    return length ? length : 1;
}

void cli_show_text(const char *text, char *shown, size_t size)
{
    size_t used = 0;
    shown[0] = '\0';
    while (*text) {
        char one[CLI_SHOWN];
        text += cli_show_character(text, one);
        if (used + strlen(one) >= size)
            return;
        strcpy(shown + used, one);
        used += strlen(one);
    }
}

void cli_print_text(FILE *file, const char *text)
{
    while (*text) {
        char shown[CLI_SHOWN];
        text += cli_show_character(text, shown);
        fputs(shown, file);
    }
}

/* ---- cells of CSV --------------------------------------------------------------------------- */

int cli_is_formula(const char *text)
{
    static const char *const starts[] = {"=",
                                         "+",
                                         "-",
                                         "@",
                                         "\t",
                                         "\r",
                                         "\n", /* the first four also as wide as Chinese letters */
                                         "\xef\xbc\x9d",
                                         "\xef\xbc\x8b",
                                         "\xef\xbc\x8d",
                                         "\xef\xbc\xa0"};
    text += strspn(text, " ");
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strncmp(text, starts[i], strlen(starts[i])) == 0)
            return 1;
    return 0;
}

void cli_print_cell(FILE *file, const char *text, int how)
{
    int quoted = (how & CLI_CELL_QUOTED) || text[strcspn(text, ",\"\n\r")] != '\0' ||
                 text[0] == ' ' || text[0] == '\t' ||
                 (text[0] && strchr(" \t", text[strlen(text) - 1]));
    if (quoted)
        fputc('"', file);
    if ((how & CLI_CELL_GUARDED) && cli_is_formula(text))
        fputc('\'', file);
    while (*text) {
        char shown[CLI_SHOWN];
        size_t length = cli_show_character(text, shown);
        if (how & CLI_CELL_SHOWN)
            fputs(shown, file);
        else
            fwrite(text, 1, length, file);
        if (quoted && *text == '"')
            fputc('"', file);
        text += length;
    }
    if (quoted)
        fputc('"', file);
}

size_t cli_json_character(const char *text, char shown[CLI_SHOWN])
{
    size_t length;
    uint32_t point = point_of(text, &length);
    if (!length)
        snprintf(shown, CLI_SHOWN, "\xef\xbf\xbd");
    else if (!is_obeyed(point))
        snprintf(shown, CLI_SHOWN, "%.*s", (int)length, text);
    else if (point < 0x10000)
        snprintf(shown, CLI_SHOWN, "\\u%04x", (unsigned)point);
    else
        snprintf(shown, CLI_SHOWN, "\\u%04x\\u%04x", (unsigned)(0xd800 + ((point - 0x10000) >> 10)),
                 (unsigned)(0xdc00 + (point & 0x3ff)));
    return length ? length : 1;
}
