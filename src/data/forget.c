/* SPDX-License-Identifier: Apache-2.0 */
/* Mapped files that are read once from front to back: pages that are done with are let go, so that
 * the process stays small however long the file is. */
#include "data/dataset.h"

#include <sys/mman.h>
#include <unistd.h>

/* Whether the bytes lie in a file that is mapped to be read. */
static int is_mapped(const of_dataset *dataset, uintptr_t from, uintptr_t to)
{
    for (const struct of_release *r = dataset->releases; r; r = r->next) {
        uintptr_t start = (uintptr_t)r->what;
        if (r->file && from >= start && to <= start + r->size)
            return 1;
    }
    return 0;
}

void of_dataset_forget(const of_dataset *dataset, size_t first, size_t count)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (size_t i = 0; i < dataset->view_count; i++) {
        const of_view *view = &dataset->views[i];
        size_t size = of_type_size(view->type);
        if (view->storage == OF_SPARSE || view->column_step != 1 ||
            view->sample_step < view->columns || first + count > view->samples || !count)
            continue;
        uintptr_t data = (uintptr_t)view->data, from = data + first * view->sample_step * size,
                  to = data + ((first + count - 1) * view->sample_step + view->columns) * size;
        if (!is_mapped(dataset, from, to))
            continue;
        from -= from % page; /* what shares a page with others is read again when it is asked for */
        to -= to % page;
        if (to > from)
            madvise((void *)from, to - from, MADV_DONTNEED);
    }
}
