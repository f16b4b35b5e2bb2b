/* SPDX-License-Identifier: Apache-2.0 */
/* "Did you mean ...?": the known name that a mistyped one is nearest to. */
#ifndef OF_BASE_NEAREST_H
#define OF_BASE_NEAREST_H

#include <stddef.h>

/* The fewest insertions, deletions and replacements of a character, and swaps of neighbours, that
 * turn one text into the other; case does not count, and no character is edited twice. Texts longer
 * than OF_NEAREST_LONGEST are at distance (size_t)-1 from all. */
enum { OF_NEAREST_LONGEST = 63 };
size_t of_edit_distance(const char *a, const char *b);

/* onefold_nearest of names that are `step` bytes apart: the first among equals, or NULL when none
 * is near. Near are one edit in three letters, and a prefix of at least two letters. */
const char *of_nearest_of(const char *name, const char *const *first, size_t step, size_t count);

#endif
