/* SPDX-License-Identifier: Apache-2.0 */
/* Who is present where: counting, taking samples out, and what cannot be worked with. */
#include "data/present.h"

#include <string.h>

size_t of_present_count(const of_dataset *dataset, size_t view)
{
    size_t count = 0;
    for (size_t j = 0; j < dataset->samples; j++)
        count += (size_t)(of_present_at(dataset, j, view) != 0);
    return count;
}

size_t of_present_missing(const of_dataset *dataset, size_t view)
{
    return dataset->present ? dataset->samples - of_present_count(dataset, view) : 0;
}

onefold_status of_present_leave_out(of_dataset *dataset, size_t view, const uint8_t *keep,
                                    size_t step)
{
    size_t n = dataset->samples, p = dataset->view_count, left_out = 0;
    for (size_t j = 0; j < n; j++)
        left_out += !keep[j * step];
    if (left_out == 0)
        return ONEFOLD_OK;
    if (!dataset->present) {
        uint8_t *all;
        OF_TRY(OF_NEW(&dataset->arena, &all, n, p));
        memset(all, 1, n * p);
        dataset->present = all;
    }
    for (size_t j = 0; j < n; j++)
        if (!keep[j * step])
            dataset->present[j * p + view] = 0;
    return ONEFOLD_OK;
}

onefold_status of_present_check(const of_dataset *dataset)
{
    if (!dataset->present)
        return ONEFOLD_OK;
    size_t n = dataset->samples, p = dataset->view_count, lost = 0, first = 0;
    for (size_t j = 0; j < n; j++) {
        size_t views = 0;
        for (size_t i = 0; i < p; i++)
            views += dataset->present[j * p + i] != 0;
        if (views == 0 && lost++ == 0)
            first = j;
    }
    if (lost)
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "sample %zu lacks every view%s", first + 1,
                               lost > 1 ? ", and it is not the only one" : ""),
                       lost > 1 ? "a sample needs at least one view: leave out the %zu without any"
                                : "a sample needs at least one view: leave it out",
                       lost);
    return ONEFOLD_OK;
}
