/* SPDX-License-Identifier: Apache-2.0 */
/* Mapped files that are read once from front to back: pages that are done with are released, so
 * that the process stays small however long the file is. */
#include "data/view.h"

#include <sys/mman.h>
#include <unistd.h>

void of_pages_release(const void *from, const void *to)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)from,
              last = (uintptr_t)to;
    first -= first % page; /* what shares a page with others is read again when it is asked for */
    last -= last % page;
    if (last > first)
        madvise((void *)first, last - first, MADV_DONTNEED);
}

void of_view_release(const of_view *view, size_t first, size_t count)
{
    if (!view->passing || !count)
        return;
    if (!view->data) {
        if (view->source->forget)
            view->source->forget(view->source, first, count);
        return;
    }
    const char *data = view->data;
    size_t size = of_type_size(view->type);
    of_pages_release(data + first * view->sample_step * size,
                     data + ((first + count - 1) * view->sample_step + view->columns) * size);
}
