/* SPDX-License-Identifier: Apache-2.0 */
/* Unpacking and packing with zlib. Its own small state is taken from an arena, so that it is
 * counted too. */
#include "io/packing.h"

#include "io/build.h"
#include "io/write.h"

#include <limits.h>
#include <string.h>
#include <zlib.h>

/* ---- unpacking ------------------------------------------------------------------------------ */

static void *zlib_allocate(void *arena, unsigned items, unsigned size)
{
    void *memory = NULL;
    return of_arena_allocate(arena, &memory, size, items, 1) == ONEFOLD_OK ? memory : NULL;
}

/* Memory of zlib's own, from the arena that is the stream's `opaque`. */
static void zlib_release(void *arena, void *memory)
{
    of_arena_release(arena, memory);
}

static uInt most(size_t left)
{
    enum { STEP = 1 << 24 }; /* the cancel hook is asked between steps */
    return left < STEP ? (uInt)left : (uInt)STEP;
}

static onefold_status start(z_stream *stream, of_arena *arena, int window)
{
    memset(stream, 0, sizeof *stream);
    stream->zalloc = zlib_allocate;
    stream->zfree = zlib_release;
    stream->opaque = arena;
    int code = inflateInit2(stream, window);
    if (code == Z_OK)
        return ONEFOLD_OK;
    if (code == Z_MEM_ERROR)
        return ONEFOLD_NO_MEMORY; /* with the sentence of the allocation that failed */
    return of_fail(ONEFOLD_FAULT, "zlib cannot be used (%d)", code);
}

static onefold_status damaged(const z_stream *stream, int code)
{
    if (code == Z_MEM_ERROR)
        return ONEFOLD_NO_MEMORY;
    if (code == Z_BUF_ERROR || code == Z_OK || code == Z_STREAM_END)
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "the packed data end too early"),
                       "the file is truncated: copy or download it again");
    return of_damaged("the packed data are damaged (%s)",
                      stream->msg ? stream->msg : "they do not unpack");
}

onefold_status of_inflate(of_context *context, of_packing packing, const unsigned char *packed,
                          size_t size, unsigned char *out, size_t room, int whole, size_t *got)
{
    OF_SCRATCH(scratch, context);
    z_stream stream;
    OF_TRY(start(&stream, &scratch, packing == OF_ZLIB ? MAX_WBITS : -MAX_WBITS));
    stream.next_in = (Bytef *)packed;
    stream.next_out = out;
    const unsigned char *end = packed + size;
    int code = Z_OK;
    while (code == Z_OK && stream.next_out < out + room) {
        OF_TRY(of_context_check(context));
        stream.avail_in = most((size_t)(end - stream.next_in));
        stream.avail_out = most((size_t)(out + room - stream.next_out));
        code = inflate(&stream, Z_NO_FLUSH);
        if (code == Z_BUF_ERROR && stream.next_in < end && stream.next_out < out + room)
            code = Z_OK;
    }
    *got = (size_t)(stream.next_out - out);
    if (code == Z_MEM_ERROR) /* also where all was unpacked, and its window found no room */
        return ONEFOLD_NO_MEMORY;
    if (!whole)
        return ONEFOLD_OK;
    if (*got < room)
        return damaged(&stream, code);
    unsigned char beyond; /* the checksum is only looked at when the end of the stream is met */
    stream.next_out = &beyond;
    stream.avail_out = 1;
    stream.avail_in = most((size_t)(end - stream.next_in));
    if (code == Z_OK)
        code = inflate(&stream, Z_NO_FLUSH);
    return code == Z_DATA_ERROR || code == Z_MEM_ERROR ? damaged(&stream, code) : ONEFOLD_OK;
}

size_t of_inflate_most(size_t size)
{
    enum { RATIO = 1032 }; /* deflate's best: 258 bytes for two bits */
    return size > (SIZE_MAX - 1024) / RATIO ? SIZE_MAX : size * RATIO + 1024;
}

/* Tables unpack to some ten times their size. What goes far beyond that is most likely meant to
 * fill the memory. */
onefold_status of_inflate_allowed(const of_context *context, size_t size, size_t unpacked,
                                  size_t more)
{
    enum { ALWAYS = 256 << 20, RATIO = 200 };
    if (unpacked > ALWAYS && unpacked / RATIO > size)
        return of_hint(of_fail(ONEFOLD_BAD_DATA,
                               "it unpacks to more than %d times its size, and more than %d MB",
                               RATIO, ALWAYS >> 20),
                       "if that is meant, unpack it first, or save it without compression");
    size_t held = atomic_load(&context->bytes), limit = context->memory_limit;
    if (!limit || (held < limit && more <= limit - held))
        return ONEFOLD_OK;
    char need[32], allowed[32];
    return of_hint(of_fail(ONEFOLD_NO_MEMORY, "it unpacks to %s or more, and %s are allowed",
                           of_size_text(need, more), of_size_text(allowed, limit)),
                   "allow more with `memory_limit`, or use fewer samples or columns");
}

/* Goes through the stream, into `out` if that is given, and says how long it is unpacked; as long
 * as `room` where it goes on. */
static onefold_status pass_members(of_context *context, const unsigned char *packed, size_t size,
                                   unsigned char *out, size_t room, size_t *total)
{
    enum { STEP = 1 << 16 };
    OF_SCRATCH(scratch, context);
    z_stream stream;
    unsigned char *block = NULL;
    const unsigned char *end = packed + size;
    size_t used = 0;
    OF_TRY(start(&stream, &scratch, MAX_WBITS + 16));
    if (!out)
        OF_TRY(OF_NEW(&scratch, &block, STEP, 1));
    stream.next_in = (Bytef *)packed;
    for (int code = Z_OK; !out || used < room;) {
        OF_TRY(of_context_check(context));
        stream.avail_in = most((size_t)(end - stream.next_in));
        stream.next_out = out ? out + used : block;
        stream.avail_out = out ? most(room - used) : (uInt)STEP;
        uInt offered = stream.avail_out;
        code = inflate(&stream, Z_NO_FLUSH);
        used += offered - stream.avail_out;
        if (!out)
            OF_TRY(of_inflate_allowed(context, size, used, used));
        if (code == Z_STREAM_END) {
            /* another member may follow; anything else after the end is padding */
            if (end - stream.next_in < 2 || stream.next_in[0] != 0x1f || stream.next_in[1] != 0x8b)
                break;
            inflateReset(&stream);
        } else if (code == Z_BUF_ERROR ? stream.next_in == end : code != Z_OK) {
            return damaged(&stream, code);
        }
    }
    *total = used;
    return ONEFOLD_OK;
}

/* What the last bytes say, which is true of most files, and no more than a guess. */
static size_t claimed_size(const unsigned char *packed, size_t size)
{
    const unsigned char *end = packed + size;
    return size < 18 ? 0
                     : (size_t)end[-4] | (size_t)end[-3] << 8 | (size_t)end[-2] << 16 |
                           (size_t)end[-1] << 24;
}

onefold_status of_gunzip(of_arena *arena, const unsigned char *packed, size_t size,
                         unsigned char **out, size_t *out_size)
{
    of_context *context = arena->context;
    size_t total = claimed_size(packed, size), got = 0;
    /* one more byte than there are shows where it ends */
    if (of_inflate_allowed(context, size, total, total) == ONEFOLD_OK) {
        OF_TRY(OF_NEW(arena, out, total + 1, 1));
        OF_TRY(pass_members(context, packed, size, *out, total + 1, out_size));
        if (*out_size <= total)
            return ONEFOLD_OK;
        of_arena_release(arena, *out);
    }
    OF_TRY(pass_members(context, packed, size, NULL, 0, &total));
    OF_TRY(OF_NEW(arena, out, total + 1, 1));
    OF_TRY(pass_members(context, packed, size, *out, total + 1, &got));
    if (got != total)
        return of_fail(ONEFOLD_BAD_DATA, "the file was changed while it was being read");
    *out_size = total;
    return ONEFOLD_OK;
}

/* ---- packing, on the way to a file ---------------------------------------------------------- */

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
    self->stream.zalloc = zlib_allocate;
    self->stream.zfree = zlib_release;
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
