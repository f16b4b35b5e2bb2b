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

/* onefold_nearest where the names are not in one array: start with of_nearest_start, offer each
 * name, then read `best`: the first among equals, or NULL when none is near. A slip in up to every
 * third letter, or a beginning of at least two letters, is near. */
typedef struct of_nearest_search {
    const char *name, *best;
    size_t distance; /* of best; near enough at first */
} of_nearest_search;
of_nearest_search of_nearest_start(const char *name);
void of_nearest_offer(of_nearest_search *search, const char *candidate);

#endif
