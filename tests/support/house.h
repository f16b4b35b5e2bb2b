/* SPDX-License-Identifier: Apache-2.0 */
/* Walking through the project's own files, for the tests of how it is built. */
#ifndef OF_TESTS_SUPPORT_HOUSE_H
#define OF_TESTS_SUPPORT_HOUSE_H

#include <stddef.h>
#include <stdio.h>

/* What was found to be wrong so far, each with its line. */
extern int house_problems;
#define PROBLEM(...)                                                                               \
    do {                                                                                           \
        printf(__VA_ARGS__);                                                                       \
        printf("\n");                                                                              \
        house_problems++;                                                                          \
    } while (0)

int house_ends_in(const char *name, const char *ending);
int house_is_source(const char *name); /* .c or .h */
int house_is_ours(const char *name);   /* anything we wrote that can carry a comment */

/* Calls `see` with the path from the top of the project and the text of every file wanted below a
 * folder; returns how many there were. */
typedef void (*house_visit)(const char *path, const char *text);
size_t house_walk(const char *folder, int (*wanted)(const char *name), house_visit see);

#endif
