/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers to bytes and back. */
#include "model/codec.h"

#include "io/build.h"

#include <math.h>
#include <string.h>
#include <zlib.h>

onefold_status of_code_refuse(const char *what)
{
    return of_fail(ONEFOLD_BAD_DATA, "the model contradicts itself: %s", what);
}

onefold_status of_code_bytes(of_codec *codec, void *bytes, size_t size)
{
    switch (codec->kind) {
    case OF_CODEC_COUNT:
        return of_size_add(&codec->at, codec->at, size);
    case OF_CODEC_WRITE:
        if (codec->out && size)
            memcpy(codec->out + codec->at, bytes, size);
        codec->at += size;
        for (size_t done = 0; done < size;) { /* crc32 counts in unsigned int */
            size_t part = size - done < (1u << 30) ? size - done : 1u << 30;
            codec->crc = (uint32_t)crc32(codec->crc, (unsigned char *)bytes + done, (uInt)part);
            done += part;
        }
        return codec->file ? of_atomic_write(codec->file, bytes, size) : ONEFOLD_OK;
    default:
        if (size > codec->size - codec->at)
            return of_code_refuse("it ends too soon");
        if (size)
            memcpy(bytes, codec->bytes + codec->at, size);
        codec->at += size;
        return ONEFOLD_OK;
    }
}

static void put(unsigned char *bytes, uint64_t number, int size)
{
    for (int i = 0; i < size; i++)
        bytes[i] = (unsigned char)(number >> (8 * i));
}

static uint64_t get(const unsigned char *bytes, int size)
{
    uint64_t number = 0;
    for (int i = 0; i < size; i++)
        number |= (uint64_t)bytes[i] << (8 * i);
    return number;
}

static onefold_status code_whole(of_codec *codec, uint64_t *number, int size)
{
    unsigned char bytes[8];
    put(bytes, *number, size);
    OF_TRY(of_code_bytes(codec, bytes, (size_t)size));
    if (codec->kind == OF_CODEC_READ)
        *number = get(bytes, size);
    return ONEFOLD_OK;
}

onefold_status of_code_u64(of_codec *codec, uint64_t *number)
{
    return code_whole(codec, number, 8);
}

onefold_status of_code_count(of_codec *codec, size_t *count, int size, size_t least, size_t most,
                             const char *what)
{
    uint64_t number = *count;
    if (codec->kind != OF_CODEC_READ && size == 4 && number > UINT32_MAX)
        return of_fail(ONEFOLD_UNSUPPORTED, "%s is %zu, too large for a model file", what, *count);
    OF_TRY(code_whole(codec, &number, size));
    if (number < least || number > most)
        return of_fail(ONEFOLD_BAD_DATA, "the model contradicts itself: %s is %llu", what,
                       (unsigned long long)number);
    *count = (size_t)number;
    return ONEFOLD_OK;
}

static onefold_status check_finite(double number, const char *what)
{
    if (isfinite(number))
        return ONEFOLD_OK;
    return of_fail(ONEFOLD_BAD_DATA, "the model contradicts itself: %s is not finite", what);
}

onefold_status of_code_real(of_codec *codec, double *number, const char *what)
{
    uint64_t bits;
    memcpy(&bits, number, sizeof bits);
    OF_TRY(code_whole(codec, &bits, 8));
    memcpy(number, &bits, sizeof bits);
    return check_finite(*number, what);
}

/* Room for an array whose bytes are there to be read. */
static onefold_status begin_array(of_codec *codec, void **array, size_t size, size_t stored,
                                  size_t rows, size_t columns, const char *what)
{
    size_t left = (codec->size - codec->at) / stored;
    if (rows && columns > left / rows)
        return of_fail(ONEFOLD_BAD_DATA, "the model contradicts itself: %s would go past its end",
                       what);
    return of_arena_allocate(codec->arena, array, size, rows, columns);
}

/* How many numbers pass through the buffer at once. */
enum { AT_ONCE = 512 };

onefold_status of_code_reals(of_codec *codec, const double **array, size_t rows, size_t columns,
                             const char *what)
{
    double *made = NULL;
    unsigned char bytes[8 * AT_ONCE];
    if (codec->kind == OF_CODEC_READ) {
        OF_TRY(begin_array(codec, (void **)&made, sizeof *made, 8, rows, columns, what));
        *array = made;
    }
    size_t count;
    OF_TRY(of_size_multiply(&count, rows, columns));
    for (size_t done = 0; done < count; done += AT_ONCE) {
        size_t part = count - done < AT_ONCE ? count - done : AT_ONCE;
        for (size_t i = 0; !made && i < part; i++) {
            uint64_t bits;
            OF_TRY(check_finite((*array)[done + i], what));
            memcpy(&bits, *array + done + i, sizeof bits);
            put(bytes + 8 * i, bits, 8);
        }
        OF_TRY(of_code_bytes(codec, bytes, 8 * part));
        for (size_t i = 0; made && i < part; i++) {
            uint64_t bits = get(bytes + 8 * i, 8);
            memcpy(made + done + i, &bits, sizeof bits);
            OF_TRY(check_finite(made[done + i], what));
        }
    }
    return ONEFOLD_OK;
}

onefold_status of_code_columns(of_codec *codec, const uint32_t **array, size_t count, size_t below,
                               const char *what)
{
    uint32_t *made = NULL;
    if (codec->kind == OF_CODEC_READ) {
        OF_TRY(begin_array(codec, (void **)&made, sizeof *made, 4, count, 1, what));
        *array = made;
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t number = made ? 0 : (*array)[i];
        OF_TRY(code_whole(codec, &number, 4));
        if (number >= below)
            return of_fail(ONEFOLD_BAD_DATA, "the model contradicts itself: %s has %llu of %zu",
                           what, (unsigned long long)number, below);
        if (made)
            made[i] = (uint32_t)number;
    }
    return ONEFOLD_OK;
}

onefold_status of_code_starts(of_codec *codec, const size_t **array, size_t count, const char *what)
{
    size_t *made = NULL;
    if (codec->kind == OF_CODEC_READ) {
        OF_TRY(begin_array(codec, (void **)&made, sizeof *made, 8, count, 1, what));
        *array = made;
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t number = made ? 0 : (*array)[i];
        OF_TRY(code_whole(codec, &number, 8));
        if (made)
            made[i] = (size_t)number;
    }
    return ONEFOLD_OK;
}

onefold_status of_code_text(of_codec *codec, const char **text, const char *what)
{
    size_t length = codec->kind == OF_CODEC_READ ? 0 : strlen(*text);
    OF_TRY(of_code_count(codec, &length, 4, 0, 1u << 20, what));
    if (codec->kind != OF_CODEC_READ)
        return of_code_bytes(codec, (char *)(uintptr_t)*text, length);
    char *made;
    if (length > codec->size - codec->at)
        return of_code_refuse("a name would go past its end");
    OF_TRY(OF_NEW(codec->arena, &made, length + 1, 1));
    OF_TRY(of_code_bytes(codec, made, length));
    made[length] = '\0';
    of_text_clean(made);
    *text = made;
    return ONEFOLD_OK;
}
