/* SPDX-License-Identifier: Apache-2.0 */
/* Taking the elements of a MATLAB 5 file apart, never trusting a size they claim. */
#include "io/mat5.h"

#include "io/build.h"

#include <string.h>

static uint32_t word(const unsigned char *at, int swap)
{
    uint32_t value;
    memcpy(&value, at, 4);
    return swap ? __builtin_bswap32(value) : value;
}

onefold_status of_mat5_next(of_mat5_cursor *cursor, of_mat5_element *element)
{
    size_t left = (size_t)(cursor->end - cursor->at);
    if (left < 8)
        return of_fail(ONEFOLD_BAD_DATA, "an element is cut off");
    uint32_t first = word(cursor->at, cursor->swap);
    if (first >> 16) { /* a small element: its data are in the tag */
        element->type = first & 0xffff;
        element->size = first >> 16;
        element->data = cursor->at + 4;
        if (element->size > 4)
            return of_fail(ONEFOLD_BAD_DATA, "an element has a size it cannot have");
        cursor->at += 8;
        return ONEFOLD_OK;
    }
    element->type = first;
    element->size = word(cursor->at + 4, cursor->swap);
    element->data = cursor->at + 8;
    if (element->size > left - 8)
        return of_fail(ONEFOLD_BAD_DATA, "an element of %zu bytes is cut off after %zu",
                       element->size, left - 8);
    size_t padded = element->type == OF_MI_COMPRESSED ? element->size : (element->size + 7) / 8 * 8;
    cursor->at = padded > left - 8 ? cursor->end : element->data + padded;
    return ONEFOLD_OK;
}

/* The stored type of an element, OF_TYPE_COUNT where it is none of numbers. */
static of_type stored_type(uint32_t type)
{
    switch (type) {
    case 1:
        return OF_I8;
    case 2:
        return OF_U8;
    case 3:
        return OF_I16;
    case 4:
        return OF_U16;
    case 5:
        return OF_I32;
    case 6:
        return OF_U32;
    case 7:
        return OF_F32;
    case 9:
        return OF_F64;
    case 12:
        return OF_I64;
    case 13:
        return OF_U64;
    default:
        return OF_TYPE_COUNT;
    }
}

onefold_status of_mat5_numbers(of_owner *store, const of_mat5_cursor *cursor,
                               const of_mat5_element *element, of_array *array)
{
    *array = (of_array){.type = stored_type(element->type)};
    if (array->type == OF_TYPE_COUNT)
        return of_fail(ONEFOLD_BAD_DATA,
                       "numbers were expected, and an element of type %u is there",
                       (unsigned)element->type);
    array->count = element->size / of_type_size(array->type);
    return of_array_align(store, (of_bytes){element->data, element->size, cursor->owner},
                          cursor->swap, array);
}

/* Sides of an array: 32-bit integers, at least two. */
static onefold_status read_sides(const of_mat5_element *element, int swap, of_mat5_header *header)
{
    header->rank = element->size / 4;
    if (element->type != 5 || header->rank < 2)
        return of_fail(ONEFOLD_BAD_DATA, "an array has no sides");
    header->side[2] = header->more = 1;
    for (size_t d = 0; d < header->rank; d++) {
        uint32_t side = word(element->data + 4 * d, swap);
        if (side > INT32_MAX)
            return of_fail(ONEFOLD_BAD_DATA, "an array has a side of negative length");
        if (d < 3)
            header->side[d] = side;
        else
            OF_TRY(of_claimed_size(&header->more, header->more, side));
    }
    return ONEFOLD_OK;
}

onefold_status of_mat5_read_header(of_mat5_cursor *cursor, of_mat5_header *header)
{
    enum { OPAQUE = 17, COMPLEX = 0x800 };
    of_mat5_element element;
    memset(header, 0, sizeof *header);
    OF_TRY(of_mat5_next(cursor, &element));
    if (element.type != 6 || element.size < 8)
        return of_fail(ONEFOLD_BAD_DATA, "an array does not start with its flags");
    uint32_t flags = word(element.data, cursor->swap);
    header->class = flags & 0xff;
    header->complex = (flags & COMPLEX) != 0;
    OF_TRY(of_mat5_next(cursor, &element));
    if (header->class != OPAQUE) { /* which has no sides, but a name at once */
        OF_TRY(read_sides(&element, cursor->swap, header));
        OF_TRY(of_mat5_next(cursor, &element));
    }
    if (element.type != 1)
        return of_fail(ONEFOLD_BAD_DATA, "an array has no name");
    size_t length = element.size < sizeof header->name ? element.size : sizeof header->name - 1;
    memcpy(header->name, element.data, length);
    return ONEFOLD_OK;
}
