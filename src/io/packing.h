/* SPDX-License-Identifier: Apache-2.0 */
/* Unpacking and packing with zlib, into arenas and on the way to a file, with sizes that a file
 * claims held against what it can hold. */
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

typedef struct of_deflate {
    z_stream stream;
    of_arena *arena;
    of_atomic_file *file;
    unsigned char *block;
    uint32_t crc;     /* of what went in */
    uint64_t in, out; /* bytes */
} of_deflate;

/* Starts a compressed stream at the file's position: in zlib's frame, or raw as a zip wants it. */
onefold_status of_deflate_open(of_deflate *deflate, of_arena *arena, of_atomic_file *file, int raw);
of_sink of_deflate_sink(of_deflate *deflate);
onefold_status of_deflate_finish(of_deflate *deflate);

#endif
