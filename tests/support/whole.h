/* SPDX-License-Identifier: Apache-2.0 */
/* One round of what a program does with the library - read, fit, predict, score - through the
 * public header alone, and everything that came out of it, to compare bit by bit. */
#ifndef OF_TESTS_SUPPORT_WHOLE_H
#define OF_TESTS_SUPPORT_WHOLE_H

#include "onefold.h"

typedef struct whole {
    onefold_status status;
    char error[256];
    uint64_t read, fit, predicted; /* hashes */
} whole;

/* Reads `path`, fits it into `clusters` with a context of its own and these threads, keeps the
 * model and labels the samples again. `kernel` may be NULL. */
whole whole_round(const char *path, size_t clusters, const char *kernel, int threads,
                  const onefold_hooks *hooks);

/* FNV-1a of some bytes, on top of another hash (0: none). */
uint64_t whole_hash(uint64_t hash, const void *bytes, size_t size);

#endif
