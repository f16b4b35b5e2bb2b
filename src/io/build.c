/* SPDX-License-Identifier: Apache-2.0 */
/* What readers share: checked arrays, strings, lists of names and sparse matrices. */
#include "io/build.h"

#include "base/number.h"
#include "base/utf8.h"
#include "io/find.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int of_compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void of_list_add(of_list *list, const char *format, ...)
{
    char item[160];
    va_list arguments;
    va_start(arguments, format);
    of_number_print_list(item, sizeof item, format, arguments);
    va_end(arguments);
    char *end = list->text + list->used;
    size_t room = sizeof list->text - list->used;
    const char *comma = list->count++ ? ", " : "";
    if (list->more || strlen(comma) + strlen(item) + 24 > room)
        snprintf(end, room, " and %zu more", ++list->more);
    else
        list->used += (size_t)snprintf(end, room, "%s%s", comma, item);
}

int of_list_next(const char **list, const char **name, int *length)
{
    const char *at = *list ? *list + strspn(*list, " \t\n") : "";
    size_t size = strcspn(at, ",");
    if (!*at)
        return 0;
    *list = at + size + (at[size] == ',');
    while (size && strchr(" \t\n", at[size - 1]))
        size--;
    *name = at;
    *length = (int)size;
    return 1;
}

onefold_status of_damaged(const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    of_number_print_list(text, sizeof text, format, arguments);
    va_end(arguments);
    return of_hint(of_fail(ONEFOLD_BAD_DATA, "%s", text), "copy or download the file again");
}

onefold_status of_claimed_size(size_t *product, size_t a, size_t b)
{
    if (__builtin_mul_overflow(a, b, product))
        return of_damaged("the header is damaged: %zu times %zu is more than any file holds", a, b);
    return ONEFOLD_OK;
}

onefold_status of_array_align(of_owner *store, int swap, of_array *array)
{
    size_t size = of_type_size(array->type);
    const unsigned char *from = array->data;
    unsigned char *copy;
    if ((uintptr_t)from % size == 0 && (!swap || size == 1))
        return ONEFOLD_OK;
    OF_TRY(of_arena_allocate(&store->arena, (void **)&copy, size, array->count, 1));
    memcpy(copy, from, array->count * size);
    for (size_t e = 0; swap && e < array->count * size; e += size)
        for (size_t b = 0; b < size; b++)
            copy[e + b] = from[e + size - 1 - b];
    array->data = copy;
    array->owner = store;
    return ONEFOLD_OK;
}

/* Unit `at` of a text; '?' where it is no code point. */
static uint32_t unit(const of_array *units, size_t at)
{
    double code = of_array_get(units, at);
    return code >= 0 && code < 0x110000 ? (uint32_t)code : '?';
}

/* Writes a string from `columns` units that are `step` apart. Returns the place after its zero. */
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
        end = units->type == OF_U8 ? (*end = (char)code, end + 1) : of_text_put(end, code);
    }
    while (end > at && end[-1] == ' ')
        end--;
    *end = '\0';
    return end + 1;
}

onefold_status of_build_text(of_arena *arena, size_t rows, size_t columns, int by_row,
                             const of_array *units, of_variable *variable)
{
    if (rows == 1 && !by_row) /* `columns` counts characters, and UTF-8 may have more bytes */
        columns = units->count;
    if (columns && rows > units->count / columns)
        return of_fail(ONEFOLD_BAD_DATA, "%zu x %zu characters are declared, and %zu are present",
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

onefold_status of_build_list(of_arena *arena, of_variable *cell)
{
    const char **text;
    OF_TRY(OF_NEW(arena, &text, cell->count, 1));
    for (size_t i = 0; i < cell->count; i++) {
        if (cell->item[i].kind != OF_VARIABLE_TEXT || cell->item[i].count != 1)
            return ONEFOLD_OK;
        text[i] = cell->item[i].text[0];
    }
    if (cell->count) {
        cell->kind = OF_VARIABLE_TEXT;
        cell->text = text;
        cell->matrix = (of_matrix){0};
    }
    return ONEFOLD_OK;
}

/* ---- sparse matrices ------------------------------------------------------------------------ */

/* Refuses sides too long for the number of entries: a damaged or hostile header claims them. */
static onefold_status check_sides(size_t lines, size_t width, size_t entries)
{
    enum { ALWAYS = 1 << 20, PER_ENTRY = 16 };
    size_t longer = lines > width ? lines : width;
    if (longer > UINT32_MAX || (longer > ALWAYS && longer / PER_ENTRY > entries))
        return of_fail(ONEFOLD_BAD_DATA,
                       "a sparse matrix has a side of %zu, and only %zu entries: its header is "
                       "damaged",
                       longer, entries);
    return ONEFOLD_OK;
}

onefold_status of_build_compressed(of_owner *store, of_variable *variable, size_t rows,
                                   size_t columns, int by_column, const of_array *start,
                                   const of_array *index, const of_array *value)
{
    size_t lines = by_column ? columns : rows, width = by_column ? rows : columns;
    of_sparse made;
    OF_TRY(check_sides(lines, width, value->count));
    OF_TRY(of_matrix_compressed(&store->arena, lines, width, start, index, value, 0, &made));
    if (made.index == index->data)
        OF_TRY(of_owner_hold(store, index->owner));
    if (made.value == value->data)
        OF_TRY(of_owner_hold(store, value->owner));
    variable->kind = OF_VARIABLE_MATRIX;
    variable->pages = 1;
    variable->matrix = of_matrix_sparse(made, store);
    variable->matrix.rows = rows;
    variable->matrix.columns = columns;
    variable->matrix.by_column = (unsigned char)by_column;
    return ONEFOLD_OK;
}

onefold_status of_build_coordinates(of_arena *arena, size_t rows, size_t columns,
                                    const of_array *row, const of_array *column,
                                    const of_array *value, of_matrix *matrix)
{
    of_sparse made;
    OF_TRY(check_sides(rows, columns, value->count));
    OF_TRY(of_matrix_coordinates(arena, rows, columns, row, column, value, &made));
    *matrix = of_matrix_sparse(made, NULL);
    return ONEFOLD_OK;
}
