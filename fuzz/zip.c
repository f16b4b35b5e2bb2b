/* SPDX-License-Identifier: Apache-2.0 */
/* Archives for the targets. */
#include "fuzz/zip.h"

#include <string.h>
#include <zlib.h>

enum { LOCAL = 30, CENTRAL = 46, END = 22 };

static uint32_t get(const uint8_t *at, int count)
{
    uint32_t value = 0;
    for (int i = count - 1; i >= 0; i--)
        value = value << 8 | at[i];
    return value;
}

static void put(uint8_t *at, int count, size_t value)
{
    for (int i = 0; i < count; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

/* The checksum of what a list's entry points at, 0 where that is not whole or packed. */
static uint32_t sum_of(const uint8_t *bytes, size_t size, const uint8_t *central, size_t *local)
{
    *local = get(central + 42, 4);
    size_t length = get(central + 24, 4);
    if (get(central + 10, 2) != 0 || *local + LOCAL > size)
        return 0;
    size_t data = *local + LOCAL + get(bytes + *local + 26, 2) + get(bytes + *local + 28, 2);
    if (data > size || length > size - data)
        return 0;
    return (uint32_t)crc32(crc32(0, NULL, 0), bytes + data, (uInt)length);
}

void fuzz_zip_repair(uint8_t *bytes, size_t size)
{
    for (size_t at = 0; at + CENTRAL <= size; at++) {
        size_t local;
        if (memcmp(bytes + at, "PK\1\2", 4) != 0)
            continue;
        uint32_t sum = sum_of(bytes, size, bytes + at, &local);
        if (!sum)
            continue;
        put(bytes + at + 16, 4, sum);
        put(bytes + local + 14, 4, sum);
    }
}

void fuzz_zip_add(fuzz_zip *zip, const char *name, const uint8_t *contents, size_t size)
{
    size_t length = strlen(name);
    uint32_t sum = (uint32_t)crc32(crc32(0, NULL, 0), contents, (uInt)size);
    if (zip->size + LOCAL + length + size + sizeof zip->list + END > sizeof zip->bytes ||
        zip->list_size + CENTRAL + length > sizeof zip->list)
        return;
    uint8_t *local = zip->bytes + zip->size, *central = zip->list + zip->list_size;
    memset(local, 0, LOCAL);
    memset(central, 0, CENTRAL);
    memcpy(local, "PK\3\4\24", 5);
    memcpy(central, "PK\1\2\24\0\24", 7);
    for (int both = 0; both < 2; both++) {
        uint8_t *at = both ? central + 16 : local + 14;
        put(at, 4, sum);
        put(at + 4, 4, size);
        put(at + 8, 4, size);
        put(at + 12, 2, length);
    }
    put(central + 42, 4, zip->size);
    memcpy(local + LOCAL, name, length);
    memcpy(local + LOCAL + length, contents, size);
    memcpy(central + CENTRAL, name, length);
    zip->size += LOCAL + length + size;
    zip->list_size += CENTRAL + length;
    zip->entries++;
}

void fuzz_zip_end(fuzz_zip *zip)
{
    uint8_t *end = zip->bytes + zip->size + zip->list_size;
    memcpy(zip->bytes + zip->size, zip->list, zip->list_size);
    memset(end, 0, END);
    memcpy(end, "PK\5\6", 4);
    put(end + 8, 2, zip->entries);
    put(end + 10, 2, zip->entries);
    put(end + 12, 4, zip->list_size);
    put(end + 16, 4, zip->size);
    zip->size += zip->list_size + END;
}
