/* SPDX-License-Identifier: Apache-2.0 */
/* Growing bytes, text, packing, .npy and zip. */
#include "support/made.h"

#include "support/check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

void made_free(made *bytes)
{
    free(bytes->data);
    *bytes = (made){NULL, 0, 0};
}

void made_put(made *bytes, const void *data, size_t size)
{
    if (bytes->size + size > bytes->room) {
        bytes->room = 2 * (bytes->size + size) + 64;
        bytes->data = realloc(bytes->data, bytes->room);
        assert_non_null(bytes->data);
    }
    if (size)
        memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
}

void made_text(made *bytes, const char *text)
{
    made_put(bytes, text, strlen(text));
}

void made_number(made *bytes, uint64_t value, int size, int big)
{
    for (int b = 0; b < size; b++) {
        unsigned char byte = (unsigned char)(value >> 8 * (big ? size - 1 - b : b));
        made_put(bytes, &byte, 1);
    }
}

void made_value(made *bytes, of_type type, double value, int big)
{
    uint64_t bits;
    if (type == OF_F64) {
        memcpy(&bits, &value, 8);
    } else if (type == OF_F32) {
        float single = (float)value;
        uint32_t word;
        memcpy(&word, &single, 4);
        bits = word;
    } else {
        bits = value < 0 ? (uint64_t)(int64_t)value : (uint64_t)value;
    }
    made_number(bytes, bits, (int)of_type_size(type), big);
}

void made_save_part(const made *bytes, size_t size, const char *path)
{
    unlink(path); /* a file that is cut to nothing and written again is flushed to disk by some */
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    if (size)
        assert_int_equal(fwrite(bytes->data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

void made_save(const made *bytes, const char *path)
{
    made_save_part(bytes, bytes->size, path);
}

void made_file(const char *path, const char *text)
{
    made bytes = {0};
    made_text(&bytes, text);
    made_save(&bytes, path);
    made_free(&bytes);
}

made made_packed(const made *bytes, const char *how)
{
    int window = strcmp(how, "zlib") == 0  ? MAX_WBITS
                 : strcmp(how, "raw") == 0 ? -MAX_WBITS
                                           : MAX_WBITS + 16;
    z_stream stream;
    memset(&stream, 0, sizeof stream);
    assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY), Z_OK);
    size_t room = deflateBound(&stream, bytes->size) + 64;
    made packed = {malloc(room), 0, room};
    stream.next_in = bytes->data;
    stream.avail_in = (uInt)bytes->size;
    stream.next_out = packed.data;
    stream.avail_out = (uInt)room;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    packed.size = room - stream.avail_out;
    deflateEnd(&stream);
    return packed;
}

void made_npy_header(made *bytes, const char *descr, int fortran, const char *shape)
{
    char text[512];
    snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", descr,
             fortran ? "True" : "False", shape);
    size_t length = strlen(text) + 1, whole = (10 + length + 63) / 64 * 64;
    made_put(bytes, "\x93NUMPY\x01\x00", 8);
    made_number(bytes, whole - 10, 2, 0);
    made_text(bytes, text);
    for (size_t i = 10 + length; i < whole; i++)
        made_text(bytes, " ");
    made_text(bytes, "\n");
}

/* A size as an entry has it: or all ones, and the size itself in the extra field. */
static void put_size(made *to, made *extra, uint64_t size, int zip64)
{
    made_number(to, zip64 ? 0xffffffffu : size, 4, 0);
    if (zip64)
        made_number(extra, size, 8, 0);
}

void made_zip_add(made_zip *zip, const char *name, const made *contents, int deflate)
{
    made packed = {0}, extra = {0}, local = {0};
    if (deflate)
        packed = made_packed(contents, "raw");
    else
        made_put(&packed, contents->data, contents->size);
    uint64_t offset = zip->bytes.size, sum = crc32(0, contents->data, (uInt)contents->size);
    made_text(&local, "PK\3\4");
    made_number(&local, 20, 2, 0);
    made_number(&local, 0, 2, 0);
    made_number(&local, deflate ? 8 : 0, 2, 0);
    made_number(&local, 0, 4, 0);
    made_number(&local, sum, 4, 0);
    made_number(&local, packed.size, 4, 0);
    made_number(&local, contents->size, 4, 0);
    made_number(&local, strlen(name), 2, 0);
    made_number(&local, 0, 2, 0);
    made_text(&local, name);
    made_put(&zip->bytes, local.data, local.size);
    made_put(&zip->bytes, packed.data, packed.size);

    made *entry = &zip->directory;
    made sizes = {0}, place = {0};
    /* the extra field has the size before the packed size, the entry the other way round */
    put_size(&sizes, &extra, contents->size, zip->zip64);
    put_size(&place, &extra, packed.size, zip->zip64);
    made_text(entry, "PK\1\2");
    made_number(entry, 20, 2, 0);
    made_number(entry, 20, 2, 0);
    made_number(entry, 0, 2, 0);
    made_number(entry, deflate ? 8 : 0, 2, 0);
    made_number(entry, 0, 4, 0);
    made_number(entry, sum, 4, 0);
    made_put(entry, place.data, 4);
    made_put(entry, sizes.data, 4);
    made_free(&place);
    put_size(&place, &extra, offset, zip->zip64);
    made_number(entry, strlen(name), 2, 0);
    made_number(entry, zip->zip64 ? extra.size + 4 : 0, 2, 0);
    made_number(entry, 0, 2, 0);
    made_number(entry, 0, 4, 0);
    made_number(entry, 0, 4, 0);
    made_put(entry, place.data, 4);
    made_text(entry, name);
    if (zip->zip64) {
        made_number(entry, 1, 2, 0);
        made_number(entry, extra.size, 2, 0);
        made_put(entry, extra.data, extra.size);
    }
    zip->entries++;
    made_free(&packed);
    made_free(&extra);
    made_free(&local);
    made_free(&sizes);
    made_free(&place);
}

void made_zip_end(made_zip *zip)
{
    uint64_t start = zip->bytes.size, size = zip->directory.size;
    made *to = &zip->bytes;
    made_put(to, zip->directory.data, zip->directory.size);
    if (zip->zip64) {
        uint64_t end = to->size;
        made_text(to, "PK\6\6");
        made_number(to, 44, 8, 0);
        made_number(to, 45, 2, 0);
        made_number(to, 45, 2, 0);
        made_number(to, 0, 8, 0);
        made_number(to, zip->entries, 8, 0);
        made_number(to, zip->entries, 8, 0);
        made_number(to, size, 8, 0);
        made_number(to, start, 8, 0);
        made_text(to, "PK\6\7");
        made_number(to, 0, 4, 0);
        made_number(to, end, 8, 0);
        made_number(to, 1, 4, 0);
    }
    made_text(to, "PK\5\6");
    made_number(to, 0, 4, 0);
    made_number(to, zip->zip64 ? 0xffff : zip->entries, 2, 0);
    made_number(to, zip->zip64 ? 0xffff : zip->entries, 2, 0);
    made_number(to, zip->zip64 ? 0xffffffffu : size, 4, 0);
    made_number(to, zip->zip64 ? 0xffffffffu : start, 4, 0);
    made_number(to, 0, 2, 0);
}

void made_zip_free(made_zip *zip)
{
    made_free(&zip->bytes);
    made_free(&zip->directory);
}
