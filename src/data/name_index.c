/* SPDX-License-Identifier: Apache-2.0 */
/* A table of places by hash, at most half full, with the next free place taken. */
#include "data/name_index.h"

#include <string.h>

static size_t hash(const char *name)
{
    uint64_t value = 0xcbf29ce484222325u; /* FNV-1a */
    for (; *name; name++)
        value = (value ^ (unsigned char)*name) * 0x100000001b3u;
    return (size_t)(value ^ value >> 29);
}

/* The slot that holds the name, or the free one where it would go. */
static size_t slot_of(const of_name_index *index, const char *name)
{
    size_t at = hash(name) & index->mask;
    while (index->slot[at] != SIZE_MAX && strcmp(index->name[index->slot[at]], name) != 0)
        at = (at + 1) & index->mask;
    return at;
}

onefold_status of_name_index_make(of_arena *arena, const char *const *names, size_t count,
                                  of_name_index *index)
{
    of_name_index made = {.name = names, .count = count, .first_twin = SIZE_MAX};
    size_t slots = 8;
    while (slots / 2 < count)
        slots *= 2;
    made.mask = slots - 1;
    OF_TRY(OF_NEW(arena, &made.slot, slots, 1));
    for (size_t s = 0; s < slots; s++)
        made.slot[s] = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        size_t at = slot_of(&made, names[i]);
        made.empty += !*names[i];
        if (made.slot[at] == SIZE_MAX) {
            made.slot[at] = i;
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
    return index->count ? index->slot[slot_of(index, name)] : SIZE_MAX;
}
