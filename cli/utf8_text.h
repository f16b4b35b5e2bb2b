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

/* The character that the text starts with, as it may reach a terminal: itself, or written out
 * (\x1b, \u202e) where it is a control character, one that turns or hides text, or no UTF-8.
 * Returns its bytes in `text`, at least 1. */
enum { CLI_SHOWN = 16 }; /* room for it */
size_t cli_show_character(const char *text, char shown[CLI_SHOWN]);

/* The whole text so, cut to the room there is. */
void cli_show_text(const char *text, char *shown, size_t size);

/* The character as it stands in a JSON text: itself, or \uXXXX where a terminal would obey it. */
size_t cli_json_character(const char *text, char shown[CLI_SHOWN]);

#endif
