/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NumPy's .npz: a zip of .npy files, stored or deflated, also beyond 4 GB (zip64). Only the central
 * directory is believed, and every size in it is held against the file's.
 */
#include "io/build.h"
#include "io/file.h"
#include "io/inflate.h"

#include <string.h>
#include <zlib.h>

enum { STORED = 0, DEFLATED = 8, ENCRYPTED = 1 };

typedef struct zip_entry {
    const unsigned char *name;
    size_t name_length;
    unsigned method, flags;
    uint32_t checksum;
    uint64_t packed, size, offset;
} zip_entry;

/* A little-endian number of `length` bytes. */
static uint64_t number(const unsigned char *at, int length)
{
    uint64_t value = 0;
    for (int b = length - 1; b >= 0; b--)
        value = value << 8 | at[b];
    return value;
}

static onefold_status damaged(const char *what)
{
    return of_hint(of_fail(ONEFOLD_BAD_DATA, "the archive is truncated or damaged: %s", what),
                   "copy or download the file again");
}

/* Finds the directory: where it starts and how many entries it has. */
static onefold_status find_directory(const of_file *file, uint64_t *start, uint64_t *count)
{
    enum { END = 22, LOCATOR = 20, END64 = 56, COMMENT = 65535 };
    const unsigned char *bytes = file->bytes;
    if (file->size < END)
        return damaged("it has no directory");
    size_t last = file->size - END, first = last > COMMENT ? last - COMMENT : 0, at = last + 1;
    while (at-- > first)
        if (memcmp(bytes + at, "PK\5\6", 4) == 0)
            break;
    if (at + 1 == first)
        return damaged("it has no directory");
    *count = number(bytes + at + 10, 2);
    *start = number(bytes + at + 16, 4);
    if (at >= LOCATOR && memcmp(bytes + at - LOCATOR, "PK\6\7", 4) == 0) {
        uint64_t end64 = number(bytes + at - LOCATOR + 8, 8);
        if (end64 > file->size || file->size - end64 < END64 ||
            memcmp(bytes + end64, "PK\6\6", 4) != 0)
            return damaged("its zip64 directory is not where it should be");
        *count = number(bytes + end64 + 32, 8);
        *start = number(bytes + end64 + 48, 8);
    }
    return *start > file->size ? damaged("its directory lies beyond its end") : ONEFOLD_OK;
}

/* Sizes that did not fit into 32 bits stand in an extra field, in this order. */
static void read_zip64(const unsigned char *extra, size_t length, zip_entry *entry)
{
    while (length >= 4) {
        size_t size = (size_t)number(extra + 2, 2);
        if (size > length - 4)
            return;
        if (number(extra, 2) == 1) {
            uint64_t *const field[] = {&entry->size, &entry->packed, &entry->offset};
            const unsigned char *at = extra + 4, *end = at + size;
            for (int f = 0; f < 3; f++)
                if (*field[f] == 0xffffffffu && end - at >= 8) {
                    *field[f] = number(at, 8);
                    at += 8;
                }
        }
        extra += 4 + size;
        length -= 4 + size;
    }
}

/* Reads the directory's entry at `at` and moves behind it. */
static onefold_status read_entry(const of_file *file, size_t *at, zip_entry *entry)
{
    enum { FIXED = 46 };
    const unsigned char *head = file->bytes + *at;
    if (file->size - *at < FIXED || memcmp(head, "PK\1\2", 4) != 0)
        return damaged("an entry of its directory is missing");
    *entry = (zip_entry){.name = head + FIXED,
                         .name_length = (size_t)number(head + 28, 2),
                         .flags = (unsigned)number(head + 8, 2),
                         .method = (unsigned)number(head + 10, 2),
                         .checksum = (uint32_t)number(head + 16, 4),
                         .packed = number(head + 20, 4),
                         .size = number(head + 24, 4),
                         .offset = number(head + 42, 4)};
    size_t extra = (size_t)number(head + 30, 2), comment = (size_t)number(head + 32, 2);
    if (file->size - *at < FIXED + entry->name_length + extra + comment)
        return damaged("an entry of its directory is cut off");
    read_zip64(entry->name + entry->name_length, extra, entry);
    *at += FIXED + entry->name_length + extra + comment;
    return ONEFOLD_OK;
}

/* Where an entry's data are; its own header only tells how long that header is. */
static onefold_status find_data(const of_file *file, const zip_entry *entry,
                                const unsigned char **data)
{
    enum { FIXED = 30 };
    if (entry->offset > file->size || file->size - entry->offset < FIXED ||
        memcmp(file->bytes + entry->offset, "PK\3\4", 4) != 0)
        return damaged("an entry is not where the directory says");
    const unsigned char *head = file->bytes + entry->offset;
    size_t skip = FIXED + (size_t)number(head + 26, 2) + (size_t)number(head + 28, 2);
    if (file->size - entry->offset < skip || file->size - entry->offset - skip < entry->packed)
        return damaged("an entry is cut off");
    *data = head + skip;
    return ONEFOLD_OK;
}

static onefold_status check_sum(of_context *context, const zip_entry *entry,
                                const unsigned char *bytes)
{
    enum { STEP = 1 << 24 };
    uLong sum = crc32(0, NULL, 0);
    for (uint64_t done = 0; done < entry->size; done += STEP) {
        OF_TRY(of_context_check(context));
        uint64_t left = entry->size - done;
        sum = crc32(sum, bytes + done, (uInt)(left < STEP ? left : STEP));
    }
    return sum == entry->checksum ? ONEFOLD_OK : damaged("the checksum of an entry is wrong");
}

/* The bytes of the .npy: in the mapped file if stored, in the variable's store if packed. */
static onefold_status unpack(const of_file *file, const zip_entry *entry, of_top *top,
                             of_bytes *bytes)
{
    if (entry->flags & ENCRYPTED)
        return of_fail(ONEFOLD_BAD_DATA, "it is encrypted");
    OF_TRY(find_data(file, entry, &bytes->at));
    bytes->size = (size_t)entry->size;
    bytes->owner = file->contents;
    if (entry->method == STORED) {
        if (entry->size != entry->packed)
            return damaged("an entry has two sizes");
    } else if (entry->method == DEFLATED) {
        unsigned char *out;
        size_t got;
        if (entry->size > of_inflate_most(entry->packed))
            return damaged("an entry is larger than it can be");
        OF_TRY(OF_NEW(&top->store->arena, &out, entry->size, 1));
        OF_TRY(of_inflate(file->context, OF_RAW_DEFLATE, bytes->at, entry->packed, out, entry->size,
                          1, &got));
        bytes->at = out;
        bytes->owner = top->store;
    } else {
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "it is packed by method %u, which is not read",
                               entry->method),
                       "save it with numpy.savez or numpy.savez_compressed");
    }
    return check_sum(file->context, entry, bytes->at);
}

static onefold_status read_array(of_file *file, const zip_entry *entry)
{
    of_top *top;
    char name[256];
    size_t length =
        entry->name_length - 4 < sizeof name - 1 ? entry->name_length - 4 : sizeof name - 1;
    memcpy(name, entry->name, length);
    name[length] = '\0';
    OF_TRY(of_file_add(file, &top, name));
    of_bytes bytes = {0};
    onefold_status status = unpack(file, entry, top, &bytes);
    if (status == ONEFOLD_OK && (entry->size < 10 || memcmp(bytes.at, "\x93NUMPY", 6) != 0))
        status = of_fail(ONEFOLD_BAD_DATA, "it is not an array");
    if (status == ONEFOLD_OK)
        status = of_npy_parse(top, bytes);
    return status == ONEFOLD_BAD_DATA ? of_blame(status, "%s", name) : status;
}

static int is_array(const zip_entry *entry)
{
    return entry->name_length > 4 && memcmp(entry->name + entry->name_length - 4, ".npy", 4) == 0;
}

onefold_status of_read_npz(of_file *file)
{
    uint64_t start = 0, count = 0;
    OF_TRY(find_directory(file, &start, &count));
    size_t at = (size_t)start, packed = 0;
    for (uint64_t e = 0; e < count; e++) { /* all of it, before the first is unpacked */
        zip_entry entry = {0};
        OF_TRY(read_entry(file, &at, &entry));
        if (is_array(&entry) && entry.method == DEFLATED &&
            entry.size <= of_inflate_most(entry.packed)) /* else it is refused for that */
            OF_TRY(of_size_add(&packed, packed, (size_t)entry.size));
    }
    OF_TRY(of_file_unpacks(file, packed));
    at = (size_t)start;
    for (uint64_t e = 0; e < count; e++) {
        zip_entry entry = {0};
        OF_TRY(read_entry(file, &at, &entry));
        if (is_array(&entry))
            OF_TRY(read_array(file, &entry));
    }
    if (file->count == 0)
        return of_fail(ONEFOLD_BAD_DATA, "there are no arrays in the archive");
    return of_npz_find_sparse(file);
}
