/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files mapped for reading, where the program allows it (onefold_map_files). Where another process
 * cuts a file short, the next access to its end raises SIGBUS. The program's handler has
 * onefold_mapped_fault map zeros there and mark the map. Callers check of_mapped_intact before they
 * return results, and then discard them.
 */
#ifndef OF_BASE_MAPPED_H
#define OF_BASE_MAPPED_H

#include "base/status.h"

struct stat;

int of_mapped_allowed(void);

/* Maps the first `size` bytes of an open file; the path is for messages. Returns 0 or an errno. */
int of_mapped_make(void **map, int descriptor, size_t size, const char *path);
void of_mapped_end(void *map, size_t size);

/* Whether the address lies in a map: two reads there may differ. */
int of_mapped_holds(const void *address);

/* ONEFOLD_IO, with a sentence, where the address lies in a map whose file was cut short or written
 * to since; else `status`. */
onefold_status of_mapped_intact(const void *address, onefold_status status);

/* Whether a file was written to between two looks at it. */
int of_mapped_differs(const struct stat *before, const struct stat *now);

#endif
