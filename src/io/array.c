/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of any type in a row, and strings made of them. */
#include "io/build.h"

double of_array_get(const of_array *array, size_t at)
{
    switch (array->type) {
    case OF_F64:
        return ((const double *)array->data)[at];
    case OF_F32:
        return (double)((const float *)array->data)[at];
    case OF_I8:
        return ((const int8_t *)array->data)[at];
    case OF_U8:
        return ((const uint8_t *)array->data)[at];
    case OF_I16:
        return ((const int16_t *)array->data)[at];
    case OF_U16:
        return ((const uint16_t *)array->data)[at];
    case OF_I32:
        return ((const int32_t *)array->data)[at];
    case OF_U32:
        return ((const uint32_t *)array->data)[at];
    case OF_I64:
        return (double)((const int64_t *)array->data)[at];
    default:
        return (double)((const uint64_t *)array->data)[at];
    }
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

static void put_row(char *at, const of_array *units, size_t row, size_t rows, size_t columns)
{
    char *end = at;
    for (size_t c = 0; c < columns; c++) {
        uint32_t code = unit(units, c * rows + row);
        if (code >= 0xd800 && code < 0xdc00 && c + 1 < columns) {
            uint32_t low = unit(units, ++c * rows + row);
            code = 0x10000 + ((code & 0x3ff) << 10) + (low & 0x3ff);
        }
        if (code == 0)
            continue;
        end = units->type == OF_U8 ? (*end = (char)code, end + 1) : put_character(end, code);
    }
    while (end > at && end[-1] == ' ')
        end--;
    *end = '\0';
}

onefold_status of_build_text(of_arena *arena, size_t rows, size_t columns, const of_array *units,
                             of_variable *variable)
{
    enum { MOST_BYTES = 4 };
    if (rows == 1) /* UTF-8 has more bytes than there are characters */
        columns = units->count;
    if (columns && rows > units->count / columns)
        return of_fail(ONEFOLD_BAD_DATA, "%zu x %zu characters are promised, and %zu are there",
                       rows, columns, units->count);
    const char **text;
    OF_TRY(OF_NEW(arena, &text, rows, 1));
    for (size_t r = 0; r < rows; r++) {
        char *string;
        OF_TRY(OF_NEW(arena, &string, columns * MOST_BYTES + 1, 1));
        put_row(string, units, r, rows, columns);
        text[r] = string;
    }
    variable->kind = OF_VARIABLE_TEXT;
    variable->count = rows;
    variable->text = text;
    return ONEFOLD_OK;
}
