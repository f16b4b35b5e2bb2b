/* SPDX-License-Identifier: Apache-2.0 */
/* Characters of UTF-8. */
#include "utf8_text.h"

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
