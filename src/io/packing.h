/* SPDX-License-Identifier: Apache-2.0 */
/* Unpacking with zlib, with sizes that a file claims held against what it can hold. */
#ifndef OF_IO_PACKING_H
#define OF_IO_PACKING_H

#include "io/atomic_file.h"

#include <zlib.h>

typedef enum of_packing { OF_ZLIB, OF_RAW_DEFLATE } of_packing;

/* Unpacks at most `room` bytes of the stream; `got` is how many there were. A stream that goes on
 * is no error, one that ends early or is damaged is only if it gives fewer bytes than `room` and
 * `whole` is set. */
onefold_status of_inflate(of_context *context, of_packing packing, const unsigned char *packed,
                          size_t size, unsigned char *out, size_t room, int whole, size_t *got);

/* The most bytes that `size` packed ones can unpack to. */
size_t of_inflate_most(size_t size);

/* Clears a stream, and gives it memory from the arena. */
void of_zlib_memory(z_stream *stream, of_arena *arena);

#endif
