/* SPDX-License-Identifier: Apache-2.0 */
/* What every call is given: hooks, number of threads, and the account of memory. */
#ifndef OF_BASE_CONTEXT_H
#define OF_BASE_CONTEXT_H

#include "base/status.h"

#include <stdatomic.h>

typedef onefold_context of_context;

struct onefold_context {
    onefold_hooks hooks;
    int threads;         /* >= 1 */
    size_t memory_limit; /* 0: none */
    atomic_size_t bytes; /* held now */
    atomic_size_t peak;  /* the most held at once */
    /* Tests make the allocation fail that brings this to zero; negative: never. */
    atomic_long allocations_until_failure;
};

/* The given context, or the process-wide default one for NULL. */
of_context *of_context_or_default(of_context *context);

/* ONEFOLD_INTERRUPTED, with its sentence, once the cancel hook asks to stop. Cheap; any thread. */
onefold_status of_context_check(of_context *context);

/* Says how far the work has come. Only from the thread that called the library. */
void of_context_progress(of_context *context, const char *stage, double done, double total,
                         const char *detail);

/* A line for the log hook. */
void of_context_log(of_context *context, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
