/* SPDX-License-Identifier: Apache-2.0 */
/* Making data sets: views are appended, truth becomes class numbers, notes are kept. */
#include "data/dataset.h"

#include "base/distinct.h"
#include "base/mapped.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

onefold_status of_dataset_make(of_dataset **dataset, of_context *context, size_t samples)
{
    OF_SCRATCH(scratch, context);
    struct onefold_dataset *made;
    OF_TRY(OF_NEW_ZERO(&scratch, &made, 1, 1));
    made->set.samples = samples;
    /* The data set lies in its own arena, which of_dataset_free copies out before it ends it. */
    made->set.arena = of_arena_make(scratch.context);
    of_arena_adopt(&made->set.arena, &scratch);
    *dataset = &made->set;
    return ONEFOLD_OK;
}

void of_dataset_free(of_dataset *dataset)
{
    if (!dataset)
        return;
    for (size_t v = 0; v < dataset->view_count; v++)
        of_owner_release(dataset->views[v].owner);
    of_arena arena = dataset->arena;
    of_arena_free(&arena);
}

/* Makes room for one more element after `count`: the array doubles when that is a power of two. */
static onefold_status make_room(of_arena *arena, void **array, size_t size, size_t count)
{
    if (count & (count - 1))
        return ONEFOLD_OK;
    size_t room = count;
    return of_arena_grow(arena, array, size, count, &room, count + 1);
}

/* One more column of ones for who is present, where anything is missing. */
static onefold_status widen_present(of_dataset *dataset)
{
    size_t n = dataset->samples, p = dataset->view_count;
    uint8_t *wider;
    if (!dataset->present)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(&dataset->arena, &wider, n, p + 1));
    for (size_t j = 0; j < n; j++) {
        memcpy(wider + j * (p + 1), dataset->present + j * p, p);
        wider[j * (p + 1) + p] = 1;
    }
    of_arena_release(&dataset->arena, dataset->present);
    dataset->present = wider;
    return ONEFOLD_OK;
}

onefold_status of_dataset_push(of_dataset *dataset, const of_view *view)
{
    const char *name = view->name;
    char *number = NULL;
    if (!name) {
        OF_TRY(of_arena_string(&dataset->arena, &number, "view %zu", dataset->view_count + 1));
        name = number;
    }
    if (view->samples != dataset->samples)
        return of_fail(ONEFOLD_BAD_DATA, "%s has %zu samples, where the data set has %zu", name,
                       view->samples, dataset->samples);
    if (view->columns == 0)
        return of_fail(ONEFOLD_BAD_DATA, "%s has no columns", name);
    OF_TRY(make_room(&dataset->arena, (void **)&dataset->views, sizeof *view, dataset->view_count));
    OF_TRY(widen_present(dataset));
    dataset->views[dataset->view_count] = *view;
    of_owner_retain(view->owner);
    dataset->views[dataset->view_count++].name = name;
    return ONEFOLD_OK;
}

onefold_status of_dataset_note(of_dataset *dataset, const char *format, ...)
{
    char line[1024], *copy;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length < 0)
        return of_unformatted();
    OF_TRY(of_arena_string(&dataset->arena, &copy, "%s", line));
    OF_TRY(make_room(&dataset->arena, (void **)&dataset->notes, sizeof *dataset->notes,
                     dataset->note_count));
    dataset->notes[dataset->note_count++] = copy;
    return ONEFOLD_OK;
}

onefold_status of_dataset_assume(of_dataset *dataset, const char *sentence)
{
    OF_TRY(of_dataset_note(dataset, "%s", sentence));
    OF_TRY(make_room(&dataset->arena, (void **)&dataset->assumptions, sizeof *dataset->assumptions,
                     dataset->assumption_count));
    dataset->assumptions[dataset->assumption_count++] = dataset->notes[dataset->note_count - 1];
    return ONEFOLD_OK;
}

/* ---- truth -------------------------------------------------------------------------------- */

onefold_status of_dataset_set_labels(of_dataset *dataset, const int64_t *labels)
{
    size_t n = dataset->samples, classes;
    OF_SCRATCH(scratch, dataset->arena.context);
    OF_SCRATCH(kept, dataset->arena.context);
    int64_t *distinct;
    int32_t *truth;
    const char **names;
    if (n == 0)
        return of_fail(ONEFOLD_BAD_DATA, "there are no samples to label");
    OF_TRY(OF_NEW(&kept, &truth, n, 1));
    OF_TRY(of_distinct(&scratch, labels, n, &distinct, &classes, truth));
    OF_TRY(OF_NEW(&kept, &names, classes, 1));
    for (size_t c = 0; c < classes; c++) {
        char *name;
        OF_TRY(of_arena_string(&kept, &name, "%lld", (long long)distinct[c]));
        names[c] = name;
    }
    of_arena_adopt(&dataset->arena, &kept);
    dataset->truth = truth;
    dataset->class_count = classes;
    dataset->class_names = names;
    return ONEFOLD_OK;
}

/* Whether the files that the values lie in are still as they were read. */
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
