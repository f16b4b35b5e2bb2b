/* SPDX-License-Identifier: Apache-2.0 */
/* The library names the fields of its options, between backquotes; a person at a terminal has flags
 * for them. */
#ifndef CLI_HINTS_H
#define CLI_HINTS_H

#include <stddef.h>

/* The text with the flag for every field it names: "`clusters`" becomes "--clusters". */
void cli_hint_translate(const char *text, char *out, size_t size);

#endif
