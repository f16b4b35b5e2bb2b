/* SPDX-License-Identifier: Apache-2.0 */
/* By a table of their range where that is not much longer than they are many, else by sorting. */
#include "base/distinct.h"

#include <stdlib.h>
#include <string.h>

static int compare_values(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static onefold_status too_many(size_t found)
{
    return of_fail(ONEFOLD_BAD_DATA, "%zu classes are too many", found);
}

static onefold_status by_sorting(of_arena *arena, const int64_t *values, size_t count,
                                 int64_t **distinct, size_t *found, int32_t *number)
{
    OF_SCRATCH(scratch, arena->context);
    int64_t *sorted;
    size_t kept = 0;
    OF_TRY(OF_NEW(&scratch, &sorted, count, 1));
    memcpy(sorted, values, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_values);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || sorted[i] != sorted[kept - 1])
            sorted[kept++] = sorted[i];
    if (kept > INT32_MAX)
        return too_many(kept);
    OF_TRY(OF_NEW(arena, distinct, kept, 1));
    memcpy(*distinct, sorted, kept * sizeof *sorted);
    *found = kept;
    for (size_t i = 0; number && i < count; i++) {
        const int64_t *at = bsearch(&values[i], *distinct, kept, sizeof *sorted, compare_values);
        number[i] = (int32_t)(at - *distinct);
    }
    return ONEFOLD_OK;
}

/* Values from `low` to `low + range`. */
static onefold_status by_range(of_arena *arena, const int64_t *values, size_t count, int64_t low,
                               size_t range, int64_t **distinct, size_t *found, int32_t *number)
{
    OF_SCRATCH(scratch, arena->context);
    int32_t *place;
    size_t kept = 0;
    OF_TRY(OF_NEW_ZERO(&scratch, &place, range + 1, 1));
    for (size_t i = 0; i < count; i++)
        place[(uint64_t)values[i] - (uint64_t)low] = 1;
    for (size_t l = 0; l <= range; l++)
        kept += (size_t)place[l];
    if (kept > INT32_MAX)
        return too_many(kept);
    OF_TRY(OF_NEW(arena, distinct, kept, 1));
    *found = 0;
    for (size_t l = 0; l <= range; l++)
        if (place[l]) {
            (*distinct)[*found] = (int64_t)((uint64_t)low + l);
            place[l] = (int32_t)(*found)++;
        }
    for (size_t i = 0; number && i < count; i++)
        number[i] = place[(uint64_t)values[i] - (uint64_t)low];
    return ONEFOLD_OK;
}

onefold_status of_distinct(of_arena *arena, const int64_t *values, size_t count, int64_t **distinct,
                           size_t *found, int32_t *number)
{
    int64_t low = count ? values[0] : 0, high = low;
    *found = 0;
    for (size_t i = 1; i < count; i++) {
        low = values[i] < low ? values[i] : low;
        high = values[i] > high ? values[i] : high;
    }
    uint64_t range = (uint64_t)high - (uint64_t)low;
    if (count == 0)
        return OF_NEW(arena, distinct, 0, 1);
    if (range / 4 <= count)
        return by_range(arena, values, count, low, (size_t)range, distinct, found, number);
    return by_sorting(arena, values, count, distinct, found, number);
}
