/* SPDX-License-Identifier: Apache-2.0 */
/* Counted ownership of memory and mapped files. */
#include "data/owner.h"

#include "base/mapped.h"

#include <unistd.h>

onefold_status of_owner_make(of_owner **owner, of_context *context)
{
    OF_SCRATCH(scratch, context);
    of_owner *made;
    OF_TRY(OF_NEW_ZERO(&scratch, &made, 1, 1));
    made->holders = 1;
    made->descriptor = -1;
    /* It lies in its own arena, which of_owner_release copies out before it ends it. */
    made->arena = of_arena_make(scratch.context);
    of_arena_adopt(&made->arena, &scratch);
    *owner = made;
    return ONEFOLD_OK;
}

of_owner *of_owner_retain(of_owner *owner)
{
    if (owner)
        owner->holders++;
    return owner;
}

void of_owner_release(of_owner *owner)
{
    if (!owner || --owner->holders)
        return;
    if (owner->end)
        owner->end(owner->ended);
    if (owner->map)
        of_mapped_end(owner->map, owner->map_size);
    if (owner->descriptor >= 0)
        close(owner->descriptor);
    for (size_t i = 0; i < owner->others; i++)
        of_owner_release(owner->other[i]);
    of_arena arena = owner->arena;
    of_arena_free(&arena);
}

onefold_status of_owner_hold(of_owner *owner, of_owner *other)
{
    if (!other || other == owner)
        return ONEFOLD_OK;
    for (size_t i = 0; i < owner->others; i++)
        if (owner->other[i] == other)
            return ONEFOLD_OK;
    OF_TRY(OF_GROW(&owner->arena, &owner->other, owner->others, &owner->room, owner->others + 1));
    owner->other[owner->others++] = of_owner_retain(other);
    return ONEFOLD_OK;
}
