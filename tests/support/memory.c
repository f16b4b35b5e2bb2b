/* SPDX-License-Identifier: Apache-2.0 */
#include "support/memory.h"

#include <stdlib.h>

/* Whether this is the call that the number counted down to. */
static int is_time(atomic_long *left)
{
    return atomic_load(left) >= 0 && atomic_fetch_sub(left, 1) == 0;
}

static void *allocate(void *user, size_t size)
{
    memory_watch *own = user;
    if (is_time(&own->until_failure))
        return NULL;
    void *piece = malloc(size);
    own->held += piece != NULL;
    return piece;
}

static void give_back(void *user, void *piece)
{
    memory_watch *own = user;
    own->held -= piece != NULL;
    free(piece);
}

static int cancel(void *user)
{
    memory_watch *own = user;
    if (atomic_load(&own->until_cancel) < 0)
        return 0;
    if (atomic_load(&own->until_cancel) > 0)
        return atomic_fetch_sub(&own->until_cancel, 1), 0;
    return 1; /* from now on */
}

onefold_context *memory_context(memory_watch *memory)
{
    onefold_context *context = NULL;
    onefold_hooks hooks = ONEFOLD_HOOKS_INIT;
    memory->until_failure = memory->until_cancel = -1;
    memory->held = 0;
    hooks.user = memory;
    hooks.allocate = allocate;
    hooks.release = give_back;
    hooks.cancel = cancel;
    CHECK_OK(onefold_context_create(&context, &hooks));
    memory->own = memory->held;
    return context;
}

long memory_left(const memory_watch *memory)
{
    return memory->held - memory->own;
}
