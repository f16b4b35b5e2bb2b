/* SPDX-License-Identifier: Apache-2.0 */
/* A zlib stream on its way to a file, with its memory from an arena. */
#include "io/inflate.h"
#include "io/write_parts.h"

#include <string.h>

enum {
    BLOCK = 1 << 16,
    LEVEL = 1, /* numbers with full mantissas shrink by a tenth at any level, twice as fast here */
};

onefold_status of_deflate_open(of_deflate *self, of_arena *arena, of_atomic_file *file, int raw)
{
    memset(self, 0, sizeof *self);
    self->arena = arena;
    self->file = file;
    self->crc = (uint32_t)crc32(0, NULL, 0);
    self->stream.zalloc = of_zlib_allocate;
    self->stream.zfree = of_zlib_release;
    self->stream.opaque = arena;
    OF_TRY(OF_NEW(arena, &self->block, BLOCK, 1));
    int window = raw ? -MAX_WBITS : MAX_WBITS;
    switch (deflateInit2(&self->stream, LEVEL, Z_DEFLATED, window, 9, Z_DEFAULT_STRATEGY)) {
    case Z_OK:
        return ONEFOLD_OK;
    case Z_MEM_ERROR: /* the arena has said why */
        return ONEFOLD_NO_MEMORY;
    default:
        return of_fail(ONEFOLD_FAULT, "%s cannot be compressed by this zlib", file->path);
    }
}

/* Runs the compressor over what it was given and hands on what comes out. */
static onefold_status pump(of_deflate *self, int flush)
{
    z_stream *stream = &self->stream;
    int state;
    do {
        stream->next_out = self->block;
        stream->avail_out = BLOCK;
        state = deflate(stream, flush);
        if (state == Z_STREAM_ERROR)
            return of_fail(ONEFOLD_FAULT, "%s: compression failed", self->file->path);
        size_t size = BLOCK - stream->avail_out;
        self->out += size;
        OF_TRY(of_atomic_write(self->file, self->block, size));
    } while (flush == Z_FINISH ? state != Z_STREAM_END : stream->avail_out == 0);
    return ONEFOLD_OK;
}

static onefold_status sink_write(void *to, const void *bytes, size_t size)
{
    of_deflate *self = to;
    const unsigned char *from = bytes;
    self->in += size;
    while (size > 0) {
        uInt some = size < 1u << 30 ? (uInt)size : 1u << 30; /* zlib counts in 32 bits */
        self->crc = (uint32_t)crc32(self->crc, from, some);
        self->stream.next_in = (Bytef *)from;
        self->stream.avail_in = some;
        OF_TRY(pump(self, Z_NO_FLUSH));
        from += some;
        size -= some;
    }
    return ONEFOLD_OK;
}

of_sink of_deflate_sink(of_deflate *self)
{
    of_sink sink = {sink_write, self};
    return sink;
}

onefold_status of_deflate_finish(of_deflate *self)
{
    self->stream.next_in = NULL;
    self->stream.avail_in = 0;
    OF_TRY(pump(self, Z_FINISH));
    deflateEnd(&self->stream);
    of_arena_release(self->arena, self->block);
    return ONEFOLD_OK;
}
