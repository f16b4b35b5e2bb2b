/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files mapped for reading. Where another process cuts a file short, the next access to its end
 * would kill the host by SIGBUS. While there are maps, a handler maps zeros there and marks the
 * map. Callers check of_mapped_intact before they return results, and then discard them. A signal
 * of another address goes to the handler before ours, once.
 */
#ifndef OF_BASE_MAPPED_H
#define OF_BASE_MAPPED_H

#include "base/status.h"

/* Maps the first `size` bytes of an open file; the path is for messages. Returns 0 or an errno. */
int of_mapped_make(void **map, int descriptor, size_t size, const char *path);
void of_mapped_end(void *map, size_t size);

/* Whether the address lies in a map: two reads there may differ. */
int of_mapped_holds(const void *address);

/* ONEFOLD_IO, with a sentence, where the address lies in a map whose file was cut short or written
 * to since; else `status`. */
onefold_status of_mapped_intact(const void *address, onefold_status status);

#endif
