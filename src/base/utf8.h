/* SPDX-License-Identifier: Apache-2.0 */
/* Text as UTF-8: how long a character is, which one it is, and how many there are. */
#ifndef OF_BASE_UTF8_H
#define OF_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the character that the text starts with, 0 where its bytes are none: not UTF-8, longer
 * than need be, a surrogate, or beyond the last character. A closing zero is a character of one. */
size_t of_utf8_length(const char *text);

/* The character that the text starts with, and past it; a byte that starts none counts as one
 * character of its own. 0 at the end, which it stays at. */
uint32_t of_utf8_next(const char **text);

/* Characters in the first `size` bytes of a text, or before its end. */
size_t of_utf8_count(const char *text, size_t size);

#endif
