/* SPDX-License-Identifier: Apache-2.0 */
/* Decimal text to the nearest double, several times faster than the C library and equal to it. */
#ifndef OF_IO_NUMBER_H
#define OF_IO_NUMBER_H

#include <stddef.h>
#include <stdint.h>

/* The number that starts at `text` and where it ends, before `end`; `text` itself where there is
 * none. `point` is '.', or ',' to accept either. Words (nan, inf) are no numbers. */
const char *of_number_read(const char *text, const char *end, char point, double *value);

/* A whole number from 0 in decimal digits; `text` itself where there is none or it is too large. */
const char *of_number_read_size(const char *text, const char *end, size_t *value);

#endif
