/* SPDX-License-Identifier: Apache-2.0 */
/* Unpacking with zlib, into arenas, with sizes that a file claims held against what it can hold. */
#ifndef OF_IO_INFLATE_H
#define OF_IO_INFLATE_H

#include "base/memory.h"

/* Memory of zlib's own, from the arena that is the stream's `opaque`. */
void *of_zlib_allocate(void *arena, unsigned items, unsigned size);
void of_zlib_release(void *arena, void *memory);

typedef enum of_packing { OF_ZLIB, OF_RAW_DEFLATE } of_packing;

/* Unpacks at most `room` bytes of the stream; `got` is how many there were. A stream that goes on
 * is no error, one that ends early or is damaged is only if it gives fewer bytes than `room` and
 * `whole` is set. */
onefold_status of_inflate(of_context *context, of_packing packing, const unsigned char *packed,
                          size_t size, unsigned char *out, size_t room, int whole, size_t *got);

/* The most bytes that `size` packed ones can unpack to. */
size_t of_inflate_most(size_t size);

/* Whether `size` bytes of a file may become `unpacked` in memory, `more` of which are not there
 * yet: no more than the context allows (ONEFOLD_NO_MEMORY), nor what is most likely meant to fill
 * the memory (ONEFOLD_BAD_DATA). */
onefold_status of_inflate_allowed(const of_context *context, size_t size, size_t unpacked,
                                  size_t more);

/* Unpacks a whole .gz, of one or several members, into the arena. What its last bytes say of its
 * size is tried; where that is not so, or not allowed, it is gone through before, and nothing is
 * held of what is not allowed. */
onefold_status of_gunzip(of_arena *arena, const unsigned char *packed, size_t size,
                         unsigned char **out, size_t *out_size);

#endif
