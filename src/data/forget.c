/* SPDX-License-Identifier: Apache-2.0 */
/* Mapped files that are read once from front to back: pages that are done with are let go, so that
 * the process stays small however long the file is. */
#include "data/view.h"

#include <sys/mman.h>
#include <unistd.h>

void of_view_forget(const of_view *view, size_t first, size_t count)
{
    if (!view->passing || !count)
        return;
    if (!view->data) {
        view->source->forget(view->source, first, count);
        return;
    }
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), data = (uintptr_t)view->data;
    size_t size = of_type_size(view->type);
    uintptr_t from = data + first * view->sample_step * size,
              to = data + ((first + count - 1) * view->sample_step + view->columns) * size;
    from -= from % page; /* what shares a page with others is read again when it is asked for */
    to -= to % page;
    if (to > from)
        madvise((void *)from, to - from, MADV_DONTNEED);
}
