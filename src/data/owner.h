/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the numbers of a matrix lie in: memory, or a mapped file. It has a count of holders (a file
 * that is being read, the views of a data set, other owners) and ends with the last of them. The
 * count is not for two threads at once.
 */
#ifndef OF_DATA_OWNER_H
#define OF_DATA_OWNER_H

#include "base/memory.h"

typedef struct of_owner of_owner;
struct of_owner {
    of_arena arena; /* the owner itself and all memory that it has */
    size_t holders;
    void *map; /* a mapped file, or NULL */
    size_t map_size;
    int descriptor;          /* of that file, where it is read too; else -1 */
    void (*end)(void *what); /* what is to be undone before the memory goes, or NULL */
    void *ended;
    of_owner **other; /* owners that it holds, as its numbers lie in theirs too */
    size_t others, room;
};

/* An owner with one holder, the caller. */
onefold_status of_owner_make(of_owner **owner, of_context *context);

/* One holder more, and one less. NULL is allowed. */
of_owner *of_owner_retain(of_owner *owner);
void of_owner_release(of_owner *owner);

/* The owner holds another one for as long as it lives. Itself, NULL and one that it holds already
 * are allowed, and change nothing. */
onefold_status of_owner_hold(of_owner *owner, of_owner *other);

#endif
