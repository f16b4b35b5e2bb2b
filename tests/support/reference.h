/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reference numbers from a JSON file. A place in it is a path of names and numbers from 0 with dots
 * between: "runs.2.weights_trace.0.3". A place that is not there, or is of another kind than asked
 * for, fails the test.
 */
#ifndef OF_TESTS_SUPPORT_REFERENCE_H
#define OF_TESTS_SUPPORT_REFERENCE_H

#include <stddef.h>

typedef struct reference reference;

/* The file in tests/reference ("mkkm-AR10P.json"); in a build without JSON NULL, with a line saying
 * so: then call skip(). */
reference *reference_open(const char *path);
void reference_close(reference *from);

/* The place is made like printf's: reference_number(r, "trace.%zu", i). */
double reference_number(const reference *from, const char *place, ...)
    __attribute__((format(printf, 2, 3)));
const char *reference_text(const reference *from, const char *place, ...)
    __attribute__((format(printf, 2, 3)));
int reference_true(const reference *from, const char *place, ...)
    __attribute__((format(printf, 2, 3)));

/* How many items a list has. */
size_t reference_length(const reference *from, const char *place, ...)
    __attribute__((format(printf, 2, 3)));

/* Whether there is anything but null at the place. */
int reference_has(const reference *from, const char *place, ...)
    __attribute__((format(printf, 2, 3)));

#endif
