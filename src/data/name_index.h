/* SPDX-License-Identifier: Apache-2.0 */
/* A list of names in which any of them is found at once. */
#ifndef OF_DATA_NAME_INDEX_H
#define OF_DATA_NAME_INDEX_H

#include "base/memory.h"

typedef struct of_name_index {
    const char *const *name; /* the list, which must outlive the index */
    size_t count;
    size_t repeated;   /* names that are there before, */
    size_t empty;      /* and those that are "" */
    size_t first_twin; /* the first that was there before, or SIZE_MAX */
    size_t mask, *slot;
} of_name_index;

onefold_status of_name_index_make(of_arena *arena, const char *const *names, size_t count,
                                  of_name_index *index);

/* Where a name is in the list: the first place of it, or SIZE_MAX. */
size_t of_name_index_find(const of_name_index *index, const char *name);

#endif
