/* SPDX-License-Identifier: Apache-2.0 */
/* Decimal text to the nearest double, several times faster than the C library and equal to it. */
#ifndef OF_IO_NUMBER_H
#define OF_IO_NUMBER_H

#include "base/status.h"

#include <locale.h>

enum { OF_POWER_LOW = -54, OF_POWER_HIGH = 54 };

/* Powers of five to 64 bits, and what the rare hard case is handed to. */
typedef struct of_numbers {
    struct {
        uint64_t bits; /* power of five times a power of two, cut off: between 2^63 and 2^64 */
        int exponent;  /* 5^q is bits * 2^exponent, and up to `slack` more in the last place */
        unsigned slack;
    } power[OF_POWER_HIGH - OF_POWER_LOW + 1];
    locale_t plain; /* the locale in which a point is a point */
} of_numbers;

onefold_status of_numbers_start(of_numbers *numbers);
void of_numbers_end(of_numbers *numbers);

/* The number that starts at `text` and where it ends, before `end`; `text` itself where there is
 * none. `point` is '.', or ',' to accept either. Words (nan, inf) are no numbers. */
const char *of_number_read(const of_numbers *numbers, const char *text, const char *end, char point,
                           double *value);

/* A whole number from 0 in decimal digits; `text` itself where there is none or it is too large. */
const char *of_number_read_size(const char *text, const char *end, size_t *value);

#endif
