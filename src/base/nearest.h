/* SPDX-License-Identifier: Apache-2.0 */
/* "Did you mean ...?": the known name that a mistyped one is nearest to. */
#ifndef OF_BASE_NEAREST_H
#define OF_BASE_NEAREST_H

#include <stddef.h>

/* Single-character insertions, deletions, replacements and swaps of neighbours that turn one text
 * into the other, letter case apart; no character is touched twice. Texts longer than
 * OF_NEAREST_LONGEST are at distance (size_t)-1 from everything. */
enum { OF_NEAREST_LONGEST = 63 };
size_t of_edit_distance(const char *a, const char *b);

/* onefold_nearest of names that are `step` bytes apart: the first among equals, or NULL when none
 * is near. A slip in up to every third letter, or a beginning of at least two letters, is near. */
const char *of_nearest_of(const char *name, const char *const *first, size_t step, size_t count);

#endif
