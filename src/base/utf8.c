/* SPDX-License-Identifier: Apache-2.0 */
/* The table of well-formed byte sequences (Unicode standard, table 3-7). */
#include "base/utf8.h"

size_t of_utf8_length(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t length = at[0] < 0x80                    ? 1
                    : at[0] >= 0xc2 && at[0] < 0xe0 ? 2
                    : at[0] >= 0xe0 && at[0] < 0xf0 ? 3
                    : at[0] >= 0xf0 && at[0] < 0xf5 ? 4
                                                    : 0;
    for (size_t i = 1; i < length; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    if ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f) ||
        (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f))
        return 0;
    return length;
}

uint32_t of_utf8_next(const char **text)
{
    const unsigned char *at = (const unsigned char *)*text;
    size_t length = of_utf8_length(*text);
    uint32_t point = length > 1 ? at[0] & (0x7fu >> length) : at[0];
    for (size_t i = 1; i < length; i++)
        point = point << 6 | (at[i] & 0x3f);
    *text += at[0] == 0 ? 0 : length ? length : 1;
    return point;
}

size_t of_utf8_count(const char *text, size_t size)
{
    size_t count = 0;
    for (const char *end = text + size; text < end && of_utf8_next(&text);)
        count++;
    return count;
}

int of_same_start(const char *a, const char *b, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (of_lower(a[i]) != of_lower(b[i]))
            return 0;
        if (!a[i])
            break;
    }
    return 1;
}

int of_same_word(const char *a, const char *b)
{
    return of_same_start(a, b, SIZE_MAX);
}

void of_text_clean(char *text)
{
    while (*text) {
        size_t length = of_utf8_length(text);
        if (length == 0 || (unsigned char)*text < ' ' || *text == 127)
            *text = '?';
        text += length ? length : 1;
    }
}
