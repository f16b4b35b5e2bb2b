/* SPDX-License-Identifier: Apache-2.0 */
/* The size is read and written by copying, as nothing is known of the struct but its first member.
 */
#include "base/structs.h"

#include <string.h>

enum { MOST = 1 << 14 }; /* no version's struct is larger: such a size was never set */

/* The bytes that both know. */
static onefold_status shared_size(const void *theirs, size_t ours, const char *type, size_t *shared)
{
    size_t size;
    memcpy(&size, theirs, sizeof size);
    if (size <= sizeof size || size > MOST)
        return of_hint(of_fail(ONEFOLD_USAGE, "the struct_size of %s is %zu", type, size),
                       "start from its initialiser, ONEFOLD_..._INIT");
    for (size_t i = ours; i < size; i++)
        if (((const unsigned char *)theirs)[i])
            return of_hint(of_fail(ONEFOLD_USAGE,
                                   "%s has %zu bytes, and something in those past the %zu that "
                                   "this version knows",
                                   type, size, ours),
                           "leave out what came with a newer version, or use that");
    *shared = size < ours ? size : ours;
    return ONEFOLD_OK;
}

onefold_status of_struct_read(void *ours, size_t size, const void *theirs, const char *type)
{
    size_t shared = 0;
    if (theirs) {
        OF_TRY(shared_size(theirs, size, type, &shared));
        memcpy(ours, theirs, shared);
    }
    memcpy(ours, &size, sizeof size);
    return ONEFOLD_OK;
}

onefold_status of_struct_write(void *theirs, const void *ours, size_t size, const char *type)
{
    size_t shared = 0;
    OF_TRY(shared_size(theirs, size, type, &shared));
    memcpy(theirs, ours, shared);
    memcpy(theirs, &shared, sizeof shared);
    return ONEFOLD_OK;
}
