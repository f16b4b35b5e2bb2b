/* SPDX-License-Identifier: Apache-2.0 */
/* Edit distance (optimal string alignment) and the nearest of several names. */
#include "base/nearest.h"
#include "onefold.h"

#include <ctype.h>
#include <string.h>

static int same_letter(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t of_edit_distance(const char *a, const char *b)
{
    size_t rows = strlen(a), columns = strlen(b);
    if (rows > OF_NEAREST_LONGEST || columns > OF_NEAREST_LONGEST)
        return (size_t)-1;
    /* distance[i % 3][j]: between the first i letters of a and the first j of b */
    size_t distance[3][OF_NEAREST_LONGEST + 1];
    for (size_t i = 0; i <= rows; i++) {
        size_t *row = distance[i % 3], *above = distance[(i + 2) % 3],
               *two_above = distance[(i + 1) % 3];
        for (size_t j = 0; j <= columns; j++) {
            if (i == 0 || j == 0) {
                row[j] = i + j;
                continue;
            }
            size_t best = above[j - 1] + !same_letter(a[i - 1], b[j - 1]);
            best = least(best, least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) &&
                same_letter(a[i - 2], b[j - 1]))
                best = least(best, two_above[j - 2] + 1);
            row[j] = best;
        }
    }
    return distance[rows % 3][columns];
}

of_nearest_search of_nearest_start(const char *name)
{
    size_t slips = strlen(name) / 3;
    of_nearest_search search = {name, NULL, slips ? slips : 1};
    return search;
}

void of_nearest_offer(of_nearest_search *search, const char *candidate)
{
    size_t length = strlen(search->name), distance = of_edit_distance(search->name, candidate);
    /* a single letter is a slip away from every other: only its own case counts */
    if (length < 2 && distance > 0)
        return;
    if (length >= 2 && length < strlen(candidate) && distance > 1 &&
        memcmp(search->name, candidate, length) == 0)
        distance = 1;
    if (distance < search->distance || (distance == search->distance && !search->best)) {
        search->best = candidate;
        search->distance = distance;
    }
}

const char *onefold_nearest(const char *name, const char *const *list, size_t count)
{
    if (!name || !list)
        return NULL;
    of_nearest_search search = of_nearest_start(name);
    for (size_t i = 0; i < count; i++)
        of_nearest_offer(&search, list[i]);
    return search.best;
}
