/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MATLAB 5 files, packed or not. A packed variable is unpacked whole into one block, an unpacked
 * one stays in the mapped file, and its numbers are used where they lie, in the type they were
 * stored in.
 */
#include "io/mat5.h"

#include "io/inflate.h"

#include <string.h>

enum { HEADER = 128, DEEP_ENOUGH_FOR_A_NAME = 512 };

static onefold_status cut_off(size_t size, size_t left)
{
    return of_hint(of_fail(ONEFOLD_BAD_DATA,
                           "the file is truncated: a variable of %zu bytes has only %zu left", size,
                           left),
                   "copy or download the file again");
}

/* Adds the variable if it is one with a name: MATLAB keeps data of its own under none. */
static onefold_status add_variable(of_file *file, of_mat5_cursor start, of_top **top,
                                   unsigned *class)
{
    of_mat5_header header;
    *top = NULL;
    OF_TRY(of_mat5_read_header(&start, &header));
    *class = header.class;
    if (!header.name[0])
        return ONEFOLD_OK;
    return of_file_add(file, top, header.name);
}

static onefold_status read_plain(of_file *file, of_mat5_cursor inside)
{
    of_top *top;
    unsigned class;
    OF_TRY(add_variable(file, inside, &top, &class));
    if (!top)
        return ONEFOLD_OK;
    return of_mat5_array(top->store, inside, top->variable.name, 0, &top->variable);
}

/* Whether a class is passed over for what it is, so that it need not be unpacked. */
static int passed_over(unsigned class)
{
    return class == 2 || class == 3 || class > 15;
}

static onefold_status read_packed(of_file *file, const of_mat5_element *packed, int swap)
{
    unsigned char peek[8 + DEEP_ENOUGH_FOR_A_NAME] __attribute__((aligned(8)));
    size_t got;
    OF_TRY(
        of_inflate(file->context, OF_ZLIB, packed->data, packed->size, peek, sizeof peek, 0, &got));
    uint32_t tag[2] = {0, 0};
    memcpy(tag, peek, got < 8 ? got : 8);
    size_t size = swap ? __builtin_bswap32(tag[1]) : tag[1];
    uint32_t type = swap ? __builtin_bswap32(tag[0]) : tag[0];
    if (got < 8 || size > of_inflate_most(packed->size))
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "a packed variable is damaged"),
                       "copy or download the file again");
    if (type != OF_MI_MATRIX)
        return ONEFOLD_OK;
    of_top *top;
    unsigned class;
    OF_TRY(add_variable(file, (of_mat5_cursor){peek + 8, peek + got, swap, NULL}, &top, &class));
    if (!top)
        return ONEFOLD_OK;
    const char *name = top->variable.name;
    unsigned char *bytes = peek;
    size_t whole = got;
    if (!passed_over(class)) {
        whole = size + 8;
        OF_TRY(of_file_unpacks(file, whole));
        OF_TRY(OF_NEW(&top->store->arena, &bytes, whole, 1));
        onefold_status status =
            of_inflate(file->context, OF_ZLIB, packed->data, packed->size, bytes, whole, 1, &got);
        if (status != ONEFOLD_OK)
            return status == ONEFOLD_BAD_DATA ? of_blame(status, "%s", name) : status;
    }
    of_mat5_cursor inside = {bytes + 8, bytes + whole, swap, top->store};
    return of_mat5_array(top->store, inside, name, 0, &top->variable);
}

/* What stands at the cursor: a variable, or bytes that belong to none. */
static onefold_status read_element(of_file *file, of_mat5_cursor *cursor, int *ended)
{
    size_t left = (size_t)(cursor->end - cursor->at);
    uint32_t tag[2] = {0, 0};
    memcpy(tag, cursor->at, left < 8 ? left : 8);
    uint32_t type = cursor->swap ? __builtin_bswap32(tag[0]) : tag[0];
    uint32_t size = cursor->swap ? __builtin_bswap32(tag[1]) : tag[1];
    *ended = left < 8 || (type != OF_MI_MATRIX && type != OF_MI_COMPRESSED);
    if (*ended)
        return file->count || left == 0
                   ? ONEFOLD_OK
                   : of_fail(ONEFOLD_BAD_DATA, "there is no variable after the header");
    if (size > left - 8)
        return cut_off(size, left - 8);
    of_mat5_element element;
    OF_TRY(of_mat5_next(cursor, &element));
    if (type == OF_MI_COMPRESSED)
        return read_packed(file, &element, cursor->swap);
    return read_plain(file, (of_mat5_cursor){element.data, element.data + element.size,
                                             cursor->swap, cursor->owner});
}

onefold_status of_read_mat5(of_file *file)
{
    of_mat5_cursor cursor = {file->bytes + HEADER, file->bytes + file->size, 0, file->contents};
    uint16_t order;
    memcpy(&order, file->bytes + 126, sizeof order);
    cursor.swap = order != ('M' << 8 | 'I');
    if (file->size <= HEADER)
        return of_hint(of_fail(ONEFOLD_BAD_DATA,
                               "the file has a MATLAB header and nothing after it: no variables"),
                       "save the views into it again, or download it again");
    for (int ended = 0; !ended && cursor.at < cursor.end;)
        OF_TRY(read_element(file, &cursor, &ended));
    file->left_over = (size_t)(cursor.end - cursor.at);
    return ONEFOLD_OK;
}
