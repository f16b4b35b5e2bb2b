/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model file (docs/model-format.md): magic, format number, size, the model, CRC-32. After
 * reading, whatever the code relies on is checked, as a file may have been made to mislead.
 */
#include "base/mapped.h"
#include "io/model_magic.h"
#include "io/run_files.h"
#include "model/codec.h"
#include "model/model_code.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { FORMAT = OF_MODEL_FORMAT, HEAD = 24, TAIL = 4 };

/* ---- writing ------------------------------------------------------------------------------ */

static onefold_status code_head(of_codec *codec, size_t size)
{
    unsigned char magic[sizeof of_model_magic - 1];
    size_t format = FORMAT, reserved = 0;
    memcpy(magic, of_model_magic, sizeof magic);
    OF_TRY(of_code_bytes(codec, magic, sizeof magic));
    OF_TRY(of_code_count(codec, &format, 4, 0, SIZE_MAX, "the format"));
    OF_TRY(of_code_count(codec, &reserved, 4, 0, SIZE_MAX, "what is reserved"));
    return of_code_count(codec, &size, 8, 0, SIZE_MAX, "the size");
}

onefold_status of_model_size(const onefold_model *model, size_t *bytes)
{
    of_codec codec = {.kind = OF_CODEC_COUNT};
    onefold_model copy = *model; /* the description writes what it reads: a number onto itself */
    OF_TRY(code_head(&codec, 0));
    OF_TRY(of_model_code(&codec, &copy));
    *bytes = codec.at + TAIL;
    return ONEFOLD_OK;
}

/* The whole file, to where the codec writes. */
static onefold_status code_file(of_codec *codec, const onefold_model *model, size_t bytes)
{
    onefold_model copy = *model;
    OF_TRY(code_head(codec, bytes));
    OF_TRY(of_model_code(codec, &copy));
    size_t crc = codec->crc;
    return of_code_count(codec, &crc, 4, 0, SIZE_MAX, "the checksum");
}

onefold_status onefold_model_encode(void **bytes, size_t *size, onefold_context *context,
                                    const onefold_model *model)
{
    (void)context;
    if (!bytes || !size || !model)
        return of_fail(ONEFOLD_USAGE,
                       "onefold_model_encode needs places for the bytes and a model");
    size_t count;
    OF_TRY(of_model_size(model, &count));
    of_codec codec = {.kind = OF_CODEC_WRITE, .out = malloc(count)};
    if (!codec.out)
        return of_fail(ONEFOLD_NO_MEMORY, "there is no memory for the %zu bytes of the model",
                       count);
    onefold_status status = code_file(&codec, model, count);
    if (status != ONEFOLD_OK) {
        free(codec.out);
        return status;
    }
    *bytes = codec.out;
    *size = count;
    return ONEFOLD_OK;
}

void onefold_bytes_free(void *bytes)
{
    free(bytes);
}

onefold_status onefold_model_write(const onefold_model *model, onefold_context *context,
                                   const char *path)
{
    if (!model || !path)
        return of_fail(ONEFOLD_USAGE, "onefold_model_write needs a model and a path");
    OF_ATOMIC_FILE(file);
    size_t bytes;
    OF_TRY(of_model_size(model, &bytes));
    OF_TRY(of_atomic_open(&file, of_context_or_default(context), path));
    of_codec codec = {.kind = OF_CODEC_WRITE, .file = &file};
    OF_TRY(code_file(&codec, model, bytes));
    return of_atomic_commit(&file);
}

/* ---- reading ------------------------------------------------------------------------------ */

static uint64_t number_at(const unsigned char *bytes, int size)
{
    uint64_t number = 0;
    for (int i = 0; i < size; i++)
        number |= (uint64_t)bytes[i] << (8 * i);
    return number;
}

static uint32_t checksum(const unsigned char *bytes, size_t size)
{
    uLong crc = 0;
    for (size_t done = 0; done < size;) {
        size_t part = size - done < (1u << 30) ? size - done : 1u << 30;
        crc = crc32(crc, bytes + done, (uInt)part);
        done += part;
    }
    return (uint32_t)crc;
}

static onefold_status check_file(const unsigned char *bytes, size_t size)
{
    size_t magic = sizeof of_model_magic - 1;
    if (size < magic || memcmp(bytes, of_model_magic, magic) != 0)
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "this is not a model"),
                       "models are written by a fit with `keep_model`");
    if (size < HEAD + TAIL)
        return of_fail(ONEFOLD_BAD_DATA, "the model is cut short: %zu bytes are left of it", size);
    uint64_t format = number_at(bytes + 8, 4), whole = number_at(bytes + 16, 8);
    if (format > FORMAT)
        return of_hint(of_fail(ONEFOLD_BAD_DATA,
                               "the model has format %llu, and this version reads up to %d",
                               (unsigned long long)format, FORMAT),
                       "use a newer version of onefold");
    if (format == 1)
        return of_hint(of_fail(ONEFOLD_BAD_DATA,
                               "the model has format 1, which lacks what this version needs"),
                       "fit it again");
    if (whole > size)
        return of_hint(of_fail(ONEFOLD_BAD_DATA,
                               "the model is cut short: %zu of its %llu bytes are "
                               "there",
                               size, (unsigned long long)whole),
                       "copy it again, or fit it again");
    if (format < 1 || number_at(bytes + 12, 4) != 0 || whole < size ||
        number_at(bytes + size - TAIL, TAIL) != checksum(bytes, size - TAIL))
        return of_hint(of_fail(ONEFOLD_BAD_DATA,
                               "the model is damaged: its checksum is not that of "
                               "its contents"),
                       "copy it again, or fit it again");
    return ONEFOLD_OK;
}

onefold_status of_model_parse(of_arena *arena, const unsigned char *bytes, size_t size,
                              onefold_model **model)
{
    of_codec codec = {
        .kind = OF_CODEC_READ, .at = HEAD, .bytes = bytes, .size = size - TAIL, .arena = arena};
    onefold_model *made;
    OF_TRY(check_file(bytes, size));
    codec.format = (int)number_at(bytes + 8, 4);
    OF_TRY(OF_NEW_ZERO(arena, &made, 1, 1));
    OF_TRY(of_model_code(&codec, made));
    if (codec.at != codec.size)
        return of_code_refuse("something follows its end");
    OF_TRY(of_model_check(made));
    for (size_t i = 0; i < made->rule.sources; i++) {
        of_projection *p = (of_projection *)(uintptr_t)made->rule.source[i].projection;
        p->precision = made->precision;
        p->joined = 1;
        OF_TRY(of_projection_prepare(arena, p));
        if (p->inner)
            OF_TRY(of_projection_prepare(arena, (of_projection *)(uintptr_t)p->inner));
    }
    OF_TRY(of_model_finish(arena, made));
    *model = made;
    return ONEFOLD_OK;
}

/* The bytes of a file, mapped. */
static onefold_status map_file(of_context *context, const char *path, void **map, size_t *size)
{
    struct stat about;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* no waiting for a pipe */
    if (descriptor < 0 && (errno == ENOENT || errno == ENOTDIR))
        return of_fail(ONEFOLD_IO, "there is no such file");
    if (descriptor < 0)
        return of_fail(ONEFOLD_IO, "the model cannot be read: %s", strerror(errno));
    onefold_status status = ONEFOLD_OK;
    if (fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode))
        status = of_fail(ONEFOLD_IO, "the model cannot be read: it is not a file");
    else if (about.st_size == 0)
        status = of_fail(ONEFOLD_BAD_DATA, "the file is empty");
    else if ((errno = of_mapped_make(map, descriptor, (size_t)about.st_size, path)) != 0)
        status = of_fail(ONEFOLD_IO, "the model cannot be read: %s", strerror(errno));
    else
        *size = (size_t)about.st_size;
    if (status == ONEFOLD_OK)
        status = of_run_files_read(context, descriptor);
    close(descriptor);
    return status;
}

/* The model of the bytes, on an arena of its own. */
static onefold_status read_model(onefold_model **model, onefold_context *context, const void *bytes,
                                 size_t size)
{
    onefold_model *made = NULL;
    of_arena arena = of_arena_make(of_context_or_default(context));
    onefold_status status = of_model_parse(&arena, bytes, size, &made);
    if (status != ONEFOLD_OK) {
        of_arena_free(&arena);
        return status;
    }
    made->arena = arena;
    *model = made;
    return ONEFOLD_OK;
}

onefold_status onefold_model_decode(onefold_model **model, onefold_context *context,
                                    const void *bytes, size_t size)
{
    if (!model || !bytes)
        return of_fail(ONEFOLD_USAGE,
                       "onefold_model_decode needs a place for the model and its bytes");
    return read_model(model, context, bytes, size);
}

onefold_status onefold_model_read(onefold_model **model, onefold_context *context, const char *path)
{
    if (!model || !path)
        return of_fail(ONEFOLD_USAGE, "onefold_model_read needs a place for the model and a path");
    void *map = NULL;
    size_t size = 0;
    onefold_status status = map_file(of_context_or_default(context), path, &map, &size);
    if (status == ONEFOLD_OK) {
        onefold_model *made = NULL;
        status = read_model(&made, context, map, size);
        int intact = of_mapped_intact(map, ONEFOLD_OK) == ONEFOLD_OK;
        of_mapped_end(map, size);
        if (!intact) {
            onefold_model_free(made);
            return ONEFOLD_IO; /* with its sentence */
        }
        if (status == ONEFOLD_OK)
            *model = made;
    }
    return status == ONEFOLD_OK ? ONEFOLD_OK : of_blame(status, "%s", path);
}

int onefold_model_is_file(const char *path)
{
    char start[sizeof of_model_magic - 1];
    struct stat about;
    if (!path || stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return 0; /* a pipe would be waited for here, out of reach of any cancelling */
    FILE *file = fopen(path, "rb");
    int is = file && fread(start, sizeof start, 1, file) == 1 &&
             memcmp(start, of_model_magic, sizeof start) == 0;
    if (file)
        fclose(file);
    return is;
}
