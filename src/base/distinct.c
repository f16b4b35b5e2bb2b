/* SPDX-License-Identifier: Apache-2.0 */
/* Distinct values by a table over their range where that is short, else by sorting. */
#include "base/distinct.h"

#include <stdlib.h>
#include <string.h>

static int compare_values(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

onefold_status of_distinct(of_arena *arena, const int64_t *values, size_t count, int64_t **distinct,
                           size_t *found, int32_t *number)
{
    OF_SCRATCH(scratch, arena->context);
    int64_t low = count ? values[0] : 0, high = low, *sorted = NULL;
    int32_t *place = NULL; /* of each value from low to high */
    size_t kept = 0;
    for (size_t i = 1; i < count; i++) {
        low = values[i] < low ? values[i] : low;
        high = values[i] > high ? values[i] : high;
    }
    uint64_t range = (uint64_t)high - (uint64_t)low;
    if (count && range / 4 <= count) {
        OF_TRY(OF_NEW_ZERO(&scratch, &place, range + 1, 1));
        for (size_t i = 0; i < count; i++)
            place[(uint64_t)values[i] - (uint64_t)low] = 1;
        for (size_t l = 0; l <= range; l++)
            kept += (size_t)place[l];
    } else {
        OF_TRY(OF_NEW(&scratch, &sorted, count, 1));
        if (count)
            memcpy(sorted, values, count * sizeof *sorted);
        qsort(sorted, count, sizeof *sorted, compare_values);
        for (size_t i = 0; i < count; i++)
            if (i == 0 || sorted[i] != sorted[kept - 1])
                sorted[kept++] = sorted[i];
    }
    if (kept > INT32_MAX)
        return of_fail(ONEFOLD_BAD_DATA, "%zu classes are too many", kept);
    OF_TRY(OF_NEW(arena, distinct, kept, 1));
    *found = kept;
    for (size_t i = 0; sorted && i < kept; i++)
        (*distinct)[i] = sorted[i];
    for (size_t l = 0, next = 0; place && l <= range; l++)
        if (place[l]) {
            (*distinct)[next] = (int64_t)((uint64_t)low + l);
            place[l] = (int32_t)next++;
        }
    for (size_t i = 0; number && i < count; i++) {
        const int64_t *at =
            place ? NULL : bsearch(&values[i], *distinct, kept, sizeof *sorted, compare_values);
        number[i] = at ? (int32_t)(at - *distinct) : place[(uint64_t)values[i] - (uint64_t)low];
    }
    return ONEFOLD_OK;
}
