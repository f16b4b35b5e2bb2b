/* SPDX-License-Identifier: Apache-2.0 */
/* Data sets: names and their index, views, notes, true classes, and what callers can query. */
#include "data/dataset.h"

#include "base/distinct.h"
#include "base/mapped.h"
#include "base/number.h"
#include "base/status.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* ---- names ---------------------------------------------------------------------------------- */

/* The index is a hash table with linear probing, at most half full. Names are from files: the hash
 * is a polynomial of their bytes, modulo the prime 2^61 - 1, at a random point, so that nobody can
 * choose names that all meet in one place. What is found does not depend on it. */

static const uint64_t PRIME = (UINT64_C(1) << 61) - 1;

static uint64_t multiply(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    uint64_t folded = (uint64_t)(product & PRIME) + (uint64_t)(product >> 61);
    return folded < PRIME ? folded : folded - PRIME;
}

static size_t hash(const of_name_index *index, const char *name)
{
    uint64_t value = 1;
    for (; *name; name++)
        value = multiply(value + (unsigned char)*name, index->key);
    return (size_t)(value ^ value >> 29);
}

/* The slot that holds the name, or the free slot for it. */
static size_t slot_of(const of_name_index *index, const char *name)
{
    size_t at = hash(index, name) & index->mask;
    while (index->slot[at] != UINT32_MAX && strcmp(index->name[index->slot[at]], name) != 0)
        at = (at + 1) & index->mask;
    return at;
}

onefold_status of_name_index_make(of_arena *arena, const char *const *names, size_t count,
                                  of_name_index *index)
{
    of_name_index made = {.name = names, .count = count, .first_twin = SIZE_MAX};
    size_t slots = 8;
    if (count >= UINT32_MAX)
        return of_fail(ONEFOLD_UNSUPPORTED, "%zu names are more than can be compared", count);
    while (slots / 2 < count)
        slots *= 2;
    made.mask = slots - 1;
    if (getrandom(&made.key, sizeof made.key, GRND_NONBLOCK) != sizeof made.key)
        made.key = (uint64_t)(uintptr_t)&made ^ (uint64_t)getpid() << 32;
    made.key = made.key % (PRIME - 2) + 2;
    OF_TRY(OF_NEW(arena, &made.slot, slots, 1));
    for (size_t s = 0; s < slots; s++)
        made.slot[s] = UINT32_MAX;
    for (size_t i = 0; i < count; i++) {
        size_t at = slot_of(&made, names[i]);
        made.empty += !*names[i];
        if (made.slot[at] == UINT32_MAX) {
            made.slot[at] = (uint32_t)i;
        } else {
            made.repeated++;
            made.first_twin = made.first_twin == SIZE_MAX ? i : made.first_twin;
        }
    }
    *index = made;
    return ONEFOLD_OK;
}

size_t of_name_index_find(const of_name_index *index, const char *name)
{
    uint32_t place = index->count ? index->slot[slot_of(index, name)] : UINT32_MAX;
    return place == UINT32_MAX ? SIZE_MAX : place;
}

onefold_status of_dataset_names_copy(of_arena *arena, size_t count, const char *const *names,
                                     const char *const **copy)
{
    size_t bytes = 0;
    const char **place;
    char *text;
    OF_SCRATCH(kept, arena->context);
    for (size_t i = 0; i < count; i++)
        OF_TRY(of_size_add(&bytes, bytes, (names[i] ? strlen(names[i]) : 0) + 1));
    OF_TRY(OF_NEW(&kept, &place, count, 1));
    OF_TRY(OF_NEW(&kept, &text, bytes, 1));
    for (size_t i = 0; i < count; i++) {
        size_t length = names[i] ? strlen(names[i]) : 0;
        if (length)
            memcpy(text, names[i], length);
        text[length] = '\0';
        place[i] = text;
        text += length + 1;
    }
    of_arena_adopt(arena, &kept);
    *copy = place;
    return ONEFOLD_OK;
}

/* Refuses a view that does not exist, or is a kernel. */
static onefold_status check_columns(const of_dataset *set, size_t view)
{
    if (view >= set->view_count)
        return of_fail(ONEFOLD_USAGE, "the columns of view %zu were named, and there are %zu views",
                       view + 1, set->view_count);
    if (set->views[view].storage == OF_KERNEL)
        return of_fail(ONEFOLD_USAGE, "%s is a kernel, and has no columns to name",
                       set->views[view].name);
    return ONEFOLD_OK;
}

onefold_status onefold_dataset_set_column_names(onefold_dataset *dataset, size_t view,
                                                const char *const *names)
{
    if (!dataset || !names)
        return of_fail(ONEFOLD_USAGE, "naming columns needs a data set and names");
    of_dataset *set = &dataset->set;
    OF_TRY(check_columns(set, view));
    return of_dataset_names_copy(&set->arena, set->views[view].columns, names,
                                 &set->views[view].column_names);
}

onefold_status onefold_dataset_set_column_units(onefold_dataset *dataset, size_t view,
                                                const uint32_t *units)
{
    if (!dataset || !units)
        return of_fail(ONEFOLD_USAGE, "units of columns need a data set and numbers");
    of_dataset *set = &dataset->set;
    uint32_t *copy;
    OF_TRY(check_columns(set, view));
    OF_TRY(OF_NEW(&set->arena, &copy, set->views[view].columns, 1));
    memcpy(copy, units, set->views[view].columns * sizeof *copy);
    set->views[view].column_unit = copy;
    return ONEFOLD_OK;
}

onefold_status onefold_dataset_set_sample_names(onefold_dataset *dataset, const char *const *names)
{
    if (!dataset || !names)
        return of_fail(ONEFOLD_USAGE, "naming samples needs a data set and names");
    return of_dataset_names_copy(&dataset->set.arena, dataset->set.samples, names,
                                 &dataset->set.sample_names);
}

/* ---- views and notes ------------------------------------------------------------------------ */

onefold_status of_dataset_make(of_dataset **dataset, of_context *context, size_t samples)
{
    OF_TRY(OF_OBJECT(context, dataset));
    (*dataset)->samples = samples;
    return ONEFOLD_OK;
}

void of_dataset_free(of_dataset *dataset)
{
    if (!dataset)
        return;
    for (size_t v = 0; v < dataset->view_count; v++)
        of_owner_release(dataset->views[v].owner);
    of_arena_free(&dataset->arena);
}

/* Makes room for one more element: an array doubles when `count` is a power of two. */
static onefold_status make_room(of_arena *arena, void **array, size_t size, size_t count)
{
    if (count & (count - 1))
        return ONEFOLD_OK;
    size_t room = count;
    return of_arena_grow(arena, array, size, count, &room, count + 1);
}

onefold_status of_dataset_push_kept(of_dataset *dataset, of_arena *kept, const of_view *view,
                                    const uint8_t *keep)
{
    size_t n = dataset->samples, p = dataset->view_count;
    const char *name = view->name;
    uint8_t *wider = NULL;
    if (!name)
        OF_TRY(OF_TEXT(kept, &name, "view %zu", p + 1));
    if (view->samples != dataset->samples)
        return of_fail(ONEFOLD_BAD_DATA, "%s has %zu samples, where the data set has %zu", name,
                       view->samples, dataset->samples);
    if (view->columns == 0)
        return of_fail(ONEFOLD_BAD_DATA, "%s has no columns", name);
    if (keep && !memchr(keep, 0, n))
        keep = NULL;
    if (dataset->present || keep)
        OF_TRY(OF_NEW(kept, &wider, n, p + 1));
    OF_TRY(make_room(&dataset->arena, (void **)&dataset->views, sizeof *view, p));
    for (size_t j = 0; wider && j < n; j++) {
        if (dataset->present)
            memcpy(wider + j * (p + 1), dataset->present + j * p, p);
        else
            memset(wider + j * (p + 1), 1, p);
        wider[j * (p + 1) + p] = !keep || keep[j];
    }
    if (wider) {
        of_arena_release(&dataset->arena, dataset->present);
        dataset->present = wider;
    }
    of_arena_adopt(&dataset->arena, kept);
    dataset->views[p] = *view;
    of_owner_retain(view->owner);
    dataset->views[dataset->view_count++].name = name;
    return ONEFOLD_OK;
}

onefold_status of_dataset_push(of_dataset *dataset, const of_view *view)
{
    OF_SCRATCH(kept, dataset->arena.context);
    return of_dataset_push_kept(dataset, &kept, view, NULL);
}

onefold_status of_sentence_add(of_arena *arena, const char ***list, size_t *count,
                               const char *format, ...)
{
    char line[1024];
    const char *copy;
    va_list arguments;
    va_start(arguments, format);
    int length = of_number_print_list(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length < 0)
        return of_unformatted();
    OF_TRY(OF_TEXT(arena, &copy, "%s", line));
    OF_TRY(make_room(arena, (void **)list, sizeof **list, *count));
    (*list)[(*count)++] = copy;
    return ONEFOLD_OK;
}

/* ---- truth -------------------------------------------------------------------------------- */

onefold_status of_dataset_set_labels(of_dataset *dataset, const int64_t *labels,
                                     const char *const *class_names)
{
    size_t n = dataset->samples, classes;
    OF_SCRATCH(scratch, dataset->arena.context);
    OF_SCRATCH(kept, dataset->arena.context);
    int64_t *distinct;
    int32_t *truth;
    const char **names;
    const char *const *given = NULL;
    if (n == 0)
        return of_fail(ONEFOLD_BAD_DATA, "there are no samples to label");
    OF_TRY(OF_NEW(&kept, &truth, n, 1));
    OF_TRY(of_distinct(&scratch, labels, n, &distinct, &classes, truth));
    if (class_names)
        OF_TRY(of_dataset_names_copy(&kept, classes, class_names, &given));
    else
        OF_TRY(OF_NEW(&kept, &names, classes, 1));
    for (size_t c = 0; c < classes && !given; c++)
        OF_TRY(OF_TEXT(&kept, &names[c], "%lld", (long long)distinct[c]));
    of_arena_adopt(&dataset->arena, &kept);
    dataset->truth = truth;
    dataset->class_count = classes;
    dataset->class_names = given ? given : names;
    dataset->truth_name = dataset->other_truth = NULL;
    return ONEFOLD_OK;
}

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

/* ---- public queries ------------------------------------------------------------------------- */

_Static_assert(sizeof(onefold_dataset_info) ==
                       offsetof(of_dataset, views) - offsetof(of_dataset, info) &&
                   offsetof(of_dataset, assumptions) - offsetof(of_dataset, info) ==
                       offsetof(onefold_dataset_info, assumption) &&
                   offsetof(of_dataset, present) - offsetof(of_dataset, info) ==
                       offsetof(onefold_dataset_info, present),
               "the description of a data set is a part of it");

const onefold_dataset_info *onefold_dataset_describe(const onefold_dataset *dataset)
{
    return dataset ? &dataset->set.info : NULL;
}

onefold_status onefold_dataset_view(const onefold_dataset *dataset, size_t index,
                                    onefold_view_info *info)
{
    if (!dataset || !info)
        return of_fail(ONEFOLD_USAGE, "asking about a view needs a data set and a place for it");
    if (index >= dataset->set.view_count)
        return of_fail(ONEFOLD_USAGE, "view %zu was asked for, and there are %zu", index + 1,
                       dataset->set.view_count);
    const of_view *view = &dataset->set.views[index];
    onefold_view_info all = {.name = view->name,
                             .storage = view->storage,
                             .type = view->type,
                             .columns = view->columns,
                             .nonzeros = of_view_signs(view, 0, view->samples).nonzeros,
                             .bytes = of_view_bytes(view),
                             .missing = of_present_missing(&dataset->set, index),
                             .column_names = view->column_names,
                             .units = view->column_unit};
    return OF_STRUCT_WRITE(info, &all, onefold_view_info);
}

onefold_status onefold_dataset_values(double *values, const onefold_dataset *dataset, size_t view,
                                      size_t first, size_t count)
{
    if (!values || !dataset)
        return of_fail(ONEFOLD_USAGE, "values need a data set and a place for them");
    if (view >= dataset->set.view_count)
        return of_fail(ONEFOLD_USAGE, "view %zu was asked for, and there are %zu", view + 1,
                       dataset->set.view_count);
    if (first > dataset->set.samples || count > dataset->set.samples - first)
        return of_fail(ONEFOLD_USAGE, "samples %zu to %zu were asked for, and there are %zu", first,
                       first + count, dataset->set.samples);
    const of_view *found = &dataset->set.views[view];
    return of_view_read(found, first, count, values, found->columns);
}
