/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files mapped to be read. One that another process cuts short while it is read would end the host
 * by SIGBUS at the next touch: while there are maps, a handler puts zeros in the place of what is
 * gone and keeps that in mind. What was computed from them is thrown away by whoever asks
 * of_mapped_intact before handing it out.
 */
#ifndef OF_BASE_MAPPED_H
#define OF_BASE_MAPPED_H

#include "base/status.h"

/* Maps the first `size` bytes of an open file; the path is for messages. errno's number, or 0. */
int of_mapped_make(void **map, int descriptor, size_t size, const char *path);
void of_mapped_end(void *map, size_t size);

/* Whether the address lies in a map: what is read there twice may differ. */
int of_mapped_holds(const void *address);

/* ONEFOLD_IO, with a sentence, where the address lies in a map whose file was cut short or written
 * to since; else `status`, as for an address that lies in no map. */
onefold_status of_mapped_intact(const void *address, onefold_status status);

#endif
