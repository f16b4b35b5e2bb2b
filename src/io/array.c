/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of any type in a row, and strings made of them. */
#include "io/build.h"

#include "base/utf8.h"

#include <string.h>

double of_array_get(const of_array *array, size_t at)
{
    return of_type_get(array->type, array->data, at);
}

onefold_status of_claimed_size(size_t *product, size_t a, size_t b)
{
    if (__builtin_mul_overflow(a, b, product))
        return of_hint(of_fail(ONEFOLD_BAD_DATA,
                               "the header is damaged: %zu times %zu is more than any file holds",
                               a, b),
                       "copy or download the file again");
    return ONEFOLD_OK;
}

static void swap_bytes(unsigned char *data, size_t size, size_t count)
{
    for (size_t e = 0; e < count; e++, data += size)
        for (size_t b = 0; b < size / 2; b++) {
            unsigned char byte = data[b];
            data[b] = data[size - 1 - b];
            data[size - 1 - b] = byte;
        }
}

onefold_status of_array_align(of_owner *store, of_bytes bytes, int swap, of_array *array)
{
    size_t size = of_type_size(array->type);
    array->data = bytes.at;
    array->owner = bytes.owner;
    if ((uintptr_t)bytes.at % size == 0 && (!swap || size == 1))
        return ONEFOLD_OK;
    unsigned char *copy;
    OF_TRY(of_arena_allocate(&store->arena, (void **)&copy, size, array->count, 1));
    memcpy(copy, bytes.at, array->count * size);
    if (swap)
        swap_bytes(copy, size, array->count);
    array->data = copy;
    array->owner = store;
    return ONEFOLD_OK;
}

/* Character unit `at`, a question mark for what is none. */
static uint32_t unit(const of_array *units, size_t at)
{
    double code = of_array_get(units, at);
    return code >= 0 && code < 0x110000 ? (uint32_t)code : '?';
}

/* Writes a code point as UTF-8 and returns where it ends. */
static char *put_character(char *at, uint32_t code)
{
    if (code < 0x80) {
        *at++ = (char)code;
    } else if (code < 0x800) {
        *at++ = (char)(0xc0 | code >> 6);
        *at++ = (char)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        *at++ = (char)(0xe0 | code >> 12);
        *at++ = (char)(0x80 | (code >> 6 & 0x3f));
        *at++ = (char)(0x80 | (code & 0x3f));
    } else {
        *at++ = (char)(0xf0 | (code >> 18 & 7));
        *at++ = (char)(0x80 | (code >> 12 & 0x3f));
        *at++ = (char)(0x80 | (code >> 6 & 0x3f));
        *at++ = (char)(0x80 | (code & 0x3f));
    }
    return at;
}

/* A string from `columns` units that are `step` apart. Returns where it ends, after its zero. */
static char *put_string(char *at, const of_array *units, size_t first, size_t step, size_t columns)
{
    char *end = at;
    for (size_t c = 0; c < columns; c++) {
        uint32_t code = unit(units, first + c * step);
        if (code >= 0xd800 && code < 0xdc00 && c + 1 < columns) {
            uint32_t low = unit(units, first + ++c * step);
            code = 0x10000 + ((code & 0x3ff) << 10) + (low & 0x3ff);
        }
        if (code == 0)
            continue;
        end = units->type == OF_U8 ? (*end = (char)code, end + 1) : put_character(end, code);
    }
    while (end > at && end[-1] == ' ')
        end--;
    *end = '\0';
    return end + 1;
}

static onefold_status build_text(of_arena *arena, size_t rows, size_t columns, int by_row,
                                 const of_array *units, of_variable *variable)
{
    if (columns && rows > units->count / columns)
        return of_fail(ONEFOLD_BAD_DATA, "%zu x %zu characters are promised, and %zu are there",
                       rows, columns, units->count);
    size_t most = units->type == OF_U8 ? columns + 1 : 4 * columns + 1;
    const char **text;
    char *at;
    OF_TRY(OF_NEW(arena, &text, rows, 1));
    OF_TRY(OF_NEW(arena, &at, rows, most));
    for (size_t r = 0; r < rows; r++) {
        text[r] = at;
        at = put_string(at, units, by_row ? r * columns : r, by_row ? 1 : rows, columns);
        of_text_clean((char *)text[r]);
    }
    variable->kind = OF_VARIABLE_TEXT;
    variable->count = rows;
    variable->text = text;
    return ONEFOLD_OK;
}

onefold_status of_build_text(of_arena *arena, size_t rows, size_t columns, const of_array *units,
                             of_variable *variable)
{
    if (rows == 1) /* UTF-8 has more bytes than there are characters */
        columns = units->count;
    return build_text(arena, rows, columns, 0, units, variable);
}

onefold_status of_build_text_rows(of_arena *arena, size_t rows, size_t columns,
                                  const of_array *units, of_variable *variable)
{
    return build_text(arena, rows, columns, 1, units, variable);
}

void of_text_clean(char *text)
{
    while (*text) {
        size_t length = of_utf8_length(text);
        if (length == 0 || (unsigned char)*text < ' ' || *text == 127)
            *text = '?';
        text += length ? length : 1;
    }
}
