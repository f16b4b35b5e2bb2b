/* SPDX-License-Identifier: Apache-2.0 */
/* Text as UTF-8: characters, their lengths, and text that is cut between them. */
#ifndef CLI_UTF8_TEXT_H
#define CLI_UTF8_TEXT_H

#include <stddef.h>

/* Characters in the first `size` bytes, or before the text's end: what continues one does not
 * count. */
size_t cli_characters(const char *text, size_t size);

/* Cuts text of more than `longest` characters to as many, the last two of them dots. */
void cli_shorten(char *text, size_t longest);

/* Bytes of the character that the text starts with, 0 where its bytes are none. */
size_t cli_character_length(const char *text);

#endif
