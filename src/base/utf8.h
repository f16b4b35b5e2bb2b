/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8: the length of a character, its code point, and the number of characters. Letters of ASCII,
 * the same in any locale: in a Turkish one, I is not the capital of i. */
#ifndef OF_BASE_UTF8_H
#define OF_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the first character. 0 where the bytes are not UTF-8, longer than need be, a surrogate,
 * or beyond the last code point. A closing zero is a character of one byte. */
size_t of_utf8_length(const char *text);

/* The code point of the first character, and moves *text past it. A byte that starts no character
 * counts as one. 0 at the end, where *text stays. */
uint32_t of_utf8_next(const char **text);

/* Characters in the first `size` bytes of a text, or before its end. */
size_t of_utf8_count(const char *text, size_t size);

static inline int of_is_digit(char c)
{
    return c >= '0' && c <= '9';
}
static inline int of_is_capital(char c)
{
    return c >= 'A' && c <= 'Z';
}
static inline char of_lower(char c)
{
    return of_is_capital(c) ? (char)(c - 'A' + 'a') : c;
}
static inline int of_is_letter(char c)
{
    return of_lower(c) >= 'a' && of_lower(c) <= 'z';
}

/* Whether two texts, or their first `size` bytes, are the same but for capitals of ASCII. */
int of_same_word(const char *a, const char *b);
int of_same_start(const char *a, const char *b, size_t size);

/* Replaces bytes that are not UTF-8, and control characters, by question marks: names and labels of
 * files are shown on terminals and written as JSON. */
void of_text_clean(char *text);

#endif
