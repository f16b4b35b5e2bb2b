/* SPDX-License-Identifier: Apache-2.0 */
/* Characters of UTF-8. */
#include "utf8_text.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

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

size_t cli_character_length(const char *text)
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

/* Characters that a terminal obeys, or that change how others look: controls, marks of direction,
 * ends of lines and paragraphs, and what has no width. */
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

/* The character that the text starts with, and its bytes; 0 bytes where it is no UTF-8. */
static uint32_t point_of(const char *text, size_t *length)
{
    uint32_t point = (unsigned char)text[0];
    *length = cli_character_length(text);
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
