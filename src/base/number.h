/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers to text and back, the same in any locale. No other file turns one into the other. The
 * command and the GPU's library compile this file too: it needs the C library alone. */
#ifndef OF_BASE_NUMBER_H
#define OF_BASE_NUMBER_H

#include "base/private.h"

#include <stdarg.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Reads the number at the start of a text, as the nearest double. Returns its end, or `text` where
 * there is no number. `point` is '.', or ',' to accept either. Words (nan, inf) are no numbers.
 * Several times faster than the C library. */
const char *of_number_read(const char *text, const char *end, char point, double *value);

/* The same for a whole number from 0 that fits a size_t. */
const char *of_number_read_size(const char *text, const char *end, size_t *value);

/* Writes a number with the fewest digits, but at least 15 (6 where `single`), that are read as the
 * same double (or float), without trailing zeros. `text` has room for 32 characters. */
int of_number_text(char *text, double number, int single);

/* snprintf and vsnprintf, with a point in numbers: all text with numbers is formatted by these. */
OF_PRIVATE int of_number_print(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int of_number_print_list(char *text, size_t size, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

#ifdef __cplusplus
}
#endif

#endif
