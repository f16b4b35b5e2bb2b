/* SPDX-License-Identifier: Apache-2.0 */
/* Edit distance (optimal string alignment) and the nearest of several names. */
#include "base/nearest.h"

#include "base/memory.h"
#include "base/utf8.h"

#include <string.h>

static int same_letter(char a, char b)
{
    return of_lower(a) == of_lower(b);
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
            best = of_size_least(best, of_size_least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) &&
                same_letter(a[i - 2], b[j - 1]))
                best = of_size_least(best, two_above[j - 2] + 1);
            row[j] = best;
        }
    }
    return distance[rows % 3][columns];
}

const char *of_nearest_of(const char *name, const char *const *first, size_t step, size_t count)
{
    size_t length = strlen(name), nearest = length < 6 ? 1 : length / 3;
    const char *best = NULL;
    for (size_t i = 0; i < count; i++) {
        const char *candidate = *(const char *const *)((const char *)first + i * step);
        size_t distance = of_edit_distance(name, candidate);
        /* every letter is one edit from every other: a single letter matches itself alone */
        if (length < 2 && distance > 0)
            continue;
        if (length >= 2 && length < strlen(candidate) && distance > 1 &&
            memcmp(name, candidate, length) == 0)
            distance = 1;
        if (distance < nearest || (distance == nearest && !best)) {
            best = candidate;
            nearest = distance;
        }
    }
    return best;
}

const char *onefold_nearest(const char *name, const char *const *list, size_t count)
{
    return name && list ? of_nearest_of(name, list, sizeof *list, count) : NULL;
}
