/* SPDX-License-Identifier: Apache-2.0 */
/* The size is read and written by copying, as nothing is known of the struct but its first member.
 */
#include "base/structs.h"

#include <string.h>

static size_t shared_size(const void *theirs, size_t ours)
{
    size_t size;
    memcpy(&size, theirs, sizeof size);
    return size < ours ? size : ours;
}

void of_struct_read(void *ours, size_t size, const void *theirs)
{
    if (theirs)
        memcpy(ours, theirs, shared_size(theirs, size));
    memcpy(ours, &size, sizeof size);
}

void of_struct_write(void *theirs, const void *ours, size_t size)
{
    size_t shared = shared_size(theirs, size);
    memcpy(theirs, ours, shared);
    memcpy(theirs, &shared, sizeof shared);
}
