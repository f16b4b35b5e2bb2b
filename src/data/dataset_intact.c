/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the files that a data set's values lie in are still as they were read. */
#include "data/dataset.h"

#include "base/mapped.h"

onefold_status of_dataset_intact(const of_dataset *dataset, onefold_status status)
{
    for (size_t v = 0; v < dataset->view_count; v++) {
        const of_view *view = &dataset->views[v];
        const void *place[] = {view->data, view->sparse.value, view->sparse.index,
                               view->sparse.start};
        for (size_t i = 0; i < sizeof place / sizeof *place; i++)
            if (of_mapped_intact(place[i], ONEFOLD_OK) != ONEFOLD_OK)
                return ONEFOLD_IO;
    }
    return status;
}
