/* SPDX-License-Identifier: Apache-2.0 */
/* A context whose allocations are counted, and one of which can be made to fail, by the hooks that
 * any user has. */
#ifndef SUPPORT_MEMORY_H
#define SUPPORT_MEMORY_H

#include "support/check.h"

#include <stdatomic.h>

typedef struct memory_watch {
    atomic_long held;          /* pieces of memory */
    atomic_long until_failure; /* allocations that still succeed; below 0: all of them do */
    atomic_long until_cancel;  /* questions that are still answered by no; below 0: all are */
    long own;                  /* held by the context itself */
} memory_watch;

/* onefold_context_free() it while `memory` lives. */
onefold_context *memory_context(memory_watch *memory);

/* What calls with the context have not given back. */
long memory_left(const memory_watch *memory);

#endif
