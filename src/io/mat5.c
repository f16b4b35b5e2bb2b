/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MATLAB 5 files. A compressed variable is decompressed whole into one block; any other stays in
 * the mapped file. Numbers are borrowed from there, in their stored type.
 */
#include "io/file.h"

#include <string.h>

enum { MI_MATRIX = 14, MI_COMPRESSED = 15 };

/* The bytes that follow, one element after the other. */
typedef struct mat5_cursor {
    const unsigned char *at, *end;
    int swap;        /* the file has the other byte order */
    of_owner *owner; /* of the bytes */
} mat5_cursor;

typedef struct mat5_element {
    uint32_t type;
    size_t size;
    const unsigned char *data;
} mat5_element;

/* The flags, sides and name that every array starts with. */
typedef struct mat5_header {
    unsigned class;
    int complex;
    size_t side[3], more; /* `more` is the product of the sides beyond the third */
    char name[64];
} mat5_header;

/* ---- elements ------------------------------------------------------------------------------- */

static uint32_t word(const unsigned char *at, int swap)
{
    uint32_t value;
    memcpy(&value, at, 4);
    return swap ? __builtin_bswap32(value) : value;
}

static onefold_status next_element(mat5_cursor *cursor, mat5_element *element)
{
    size_t left = (size_t)(cursor->end - cursor->at);
    if (left < 8)
        return of_fail(ONEFOLD_BAD_DATA, "an element is truncated");
    uint32_t first = word(cursor->at, cursor->swap);
    if (first >> 16) { /* a small element has its data in the tag */
        element->type = first & 0xffff;
        element->size = first >> 16;
        element->data = cursor->at + 4;
        if (element->size > 4)
            return of_fail(ONEFOLD_BAD_DATA, "an element has an invalid size");
        cursor->at += 8;
        return ONEFOLD_OK;
    }
    element->type = first;
    element->size = word(cursor->at + 4, cursor->swap);
    element->data = cursor->at + 8;
    if (element->size > left - 8)
        return of_fail(ONEFOLD_BAD_DATA, "an element of %zu bytes is truncated after %zu",
                       element->size, left - 8);
    size_t padded = element->type == MI_COMPRESSED ? element->size : (element->size + 7) / 8 * 8;
    cursor->at = padded > left - 8 ? cursor->end : element->data + padded;
    return ONEFOLD_OK;
}

/* The numbers, or units of characters, of the next element, by of_array_align. */
static onefold_status read_numbers(of_owner *store, mat5_cursor *cursor, of_array *array)
{
    static const of_type stored[] = {
        [1] = OF_I8,   [2] = OF_U8,  [3] = OF_I16,  [4] = OF_U16,  [5] = OF_I32, [6] = OF_U32,
        [7] = OF_F32,  [9] = OF_F64, [12] = OF_I64, [13] = OF_U64, [16] = OF_U8, /* UTF-8, */
        [17] = OF_U16, [18] = OF_U32};                                           /* -16, -32 */
    mat5_element element = {0};
    OF_TRY(next_element(cursor, &element));
    uint32_t type = element.type;
    *array = (of_array){.data = element.data,
                        .type = type < sizeof stored / sizeof *stored ? stored[type] : OF_F64,
                        .owner = cursor->owner};
    if (array->type == OF_F64 && type != 9)
        return of_fail(ONEFOLD_BAD_DATA,
                       "numbers were expected, and an element of type %u is there", (unsigned)type);
    array->count = element.size / of_type_size(array->type);
    return of_array_align(store, cursor->swap, array);
}

/* Sides of an array: 32-bit integers, at least two. */
static onefold_status read_sides(const mat5_element *element, int swap, mat5_header *header)
{
    size_t rank = element->size / 4;
    if (element->type != 5 || rank < 2)
        return of_fail(ONEFOLD_BAD_DATA, "an array has no dimensions");
    header->side[2] = header->more = 1;
    for (size_t d = 0; d < rank; d++) {
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

static onefold_status read_header(mat5_cursor *cursor, mat5_header *header)
{
    enum { OPAQUE = 17, COMPLEX = 0x800 };
    mat5_element element;
    memset(header, 0, sizeof *header);
    OF_TRY(next_element(cursor, &element));
    if (element.type != 6 || element.size < 8)
        return of_fail(ONEFOLD_BAD_DATA, "an array does not start with its flags");
    uint32_t flags = word(element.data, cursor->swap);
    header->class = flags & 0xff;
    header->complex = (flags & COMPLEX) != 0;
    OF_TRY(next_element(cursor, &element));
    if (header->class != OPAQUE) { /* an opaque object has no sides */
        OF_TRY(read_sides(&element, cursor->swap, header));
        OF_TRY(next_element(cursor, &element));
    }
    if (element.type != 1)
        return of_fail(ONEFOLD_BAD_DATA, "an array has no name");
    size_t length = element.size < sizeof header->name ? element.size : sizeof header->name - 1;
    memcpy(header->name, element.data, length);
    return ONEFOLD_OK;
}

/* ---- arrays --------------------------------------------------------------------------------- */

enum { CELL = 1, CHAR = 4, SPARSE = 5, DOUBLE = 6, UINT64 = 15 };

/* What a class is that is not read; NULL for others. */
static const char *class_what(unsigned class)
{
    return class == CELL || (class >= CHAR && class <= UINT64) ? NULL
           : class == 2                                        ? "a struct"
           : class == 3                                        ? "an object"
           : class == 16                                       ? "a function"
                                                               : "a MATLAB object";
}

/* The contents: numbers by column, a string for each row, or a sparse matrix by column. */
static onefold_status read_contents(of_owner *store, mat5_cursor *cursor, const mat5_header *header,
                                    of_variable *variable)
{
    size_t need, rows = header->side[0], columns = header->side[1];
    of_array numbers, start, value;
    OF_TRY(read_numbers(store, cursor, &numbers));
    if (header->class == CHAR)
        return of_build_text(&store->arena, rows, columns, 0, &numbers, variable);
    if (header->class == SPARSE) {
        OF_TRY(read_numbers(store, cursor, &start));
        OF_TRY(read_numbers(store, cursor, &value));
        return of_build_compressed(store, variable, rows, columns, 1, &start, &numbers, &value);
    }
    OF_TRY(of_claimed_size(&need, rows, columns));
    OF_TRY(of_claimed_size(&need, need, header->side[2]));
    if (numbers.count < need)
        return of_fail(ONEFOLD_BAD_DATA, "%zu x %zu numbers are declared, and %zu are present",
                       rows, need / rows, numbers.count);
    of_build_dense(variable, &numbers, header->side, 0);
    return ONEFOLD_OK;
}

static onefold_status read_array(of_owner *store, mat5_cursor cursor, const char *name, int depth,
                                 of_variable *variable);

static onefold_status read_cell(of_owner *store, mat5_cursor *cursor, const mat5_header *header,
                                const char *name, int depth, of_variable *variable)
{
    enum { DEEPEST = 16 };
    size_t count, most = (size_t)(cursor->end - cursor->at) / 8;
    OF_TRY(of_claimed_size(&count, header->side[0], header->side[1]));
    OF_TRY(of_claimed_size(&count, count, header->side[2]));
    if (count > most)
        return of_fail(ONEFOLD_BAD_DATA, "a cell of %zu elements is truncated", count);
    if (depth > DEEPEST)
        return of_build_other(variable, name, "a cell within too many others");
    OF_TRY(OF_NEW_ZERO(&store->arena, &variable->item, count, 1));
    variable->kind = OF_VARIABLE_CELL;
    variable->count = count;
    for (size_t i = 0; i < count; i++) {
        mat5_element element;
        char *item_name;
        OF_TRY(of_arena_string(&store->arena, &item_name, "%s{%zu}", name, i + 1));
        OF_TRY_OF(item_name, next_element(cursor, &element));
        if (element.type != MI_MATRIX)
            return of_fail(ONEFOLD_BAD_DATA, "%s is an element of type %u, not an array", item_name,
                           (unsigned)element.type);
        mat5_cursor inside = {element.data, element.data + element.size, cursor->swap,
                              cursor->owner};
        OF_TRY(read_array(store, inside, item_name, depth + 1, &variable->item[i]));
    }
    return of_build_list(&store->arena, variable);
}

/* Reads the array at the cursor; memory is from `store`. */
static onefold_status read_array(of_owner *store, mat5_cursor cursor, const char *name, int depth,
                                 of_variable *variable)
{
    if (cursor.at == cursor.end) /* an empty element of a cell */
        return of_build_other(variable, name, "empty");
    mat5_header header;
    OF_TRY_OF(name, read_header(&cursor, &header));
    size_t rows = header.side[0], columns = header.side[1], pages = header.side[2];
    const char *other = class_what(header.class)                      ? class_what(header.class)
                        : !rows || !columns || !pages || !header.more ? "empty"
                        : header.complex                              ? "complex"
                        : header.more > 1 ? "an array of more than three dimensions"
                                          : NULL;
    if (other)
        return of_build_other(variable, name, other);
    *variable =
        (of_variable){.name = name, .matrix = {.rows = rows, .columns = columns}, .pages = pages};
    if (header.class == CELL)
        return read_cell(store, &cursor, &header, name, depth, variable);
    OF_TRY_OF(name, read_contents(store, &cursor, &header, variable));
    return ONEFOLD_OK;
}

/* ---- the file ------------------------------------------------------------------------------- */

enum { HEADER = 128, DEEP_ENOUGH_FOR_A_NAME = 512 };

/* Adds a variable with a name. MATLAB's own data have none. */
static onefold_status add_variable(of_file *file, mat5_cursor start, of_top **top, unsigned *class)
{
    mat5_header header;
    *top = NULL;
    OF_TRY(read_header(&start, &header));
    *class = header.class;
    return header.name[0] ? of_file_add(file, top, header.name) : ONEFOLD_OK;
}

static onefold_status read_packed(of_file *file, const mat5_element *packed, int swap)
{
    unsigned char peek[8 + DEEP_ENOUGH_FOR_A_NAME] __attribute__((aligned(8))) = {0};
    size_t got;
    OF_TRY(of_inflate(file->context, 0, packed->data, packed->size, peek, sizeof peek, 0, &got));
    size_t whole = (size_t)word(peek + 4, swap) + 8;
    if (got < 8 || whole - 8 > of_inflate_most(packed->size))
        return of_damaged("a packed variable is damaged");
    if (word(peek, swap) != MI_MATRIX)
        return ONEFOLD_OK;
    of_top *top;
    unsigned class;
    OF_TRY(add_variable(file, (mat5_cursor){peek + 8, peek + got, swap, NULL}, &top, &class));
    if (!top)
        return ONEFOLD_OK;
    unsigned char *bytes = peek;
    if (class_what(class)) { /* not read, and not decompressed */
        whole = got;
    } else {
        OF_TRY(of_file_unpacks(file, whole));
        OF_TRY(OF_NEW(&top->store->arena, &bytes, whole, 1));
        OF_TRY_OF(top->variable.name,
                  of_inflate(file->context, 0, packed->data, packed->size, bytes, whole, 1, &got));
    }
    mat5_cursor inside = {bytes + 8, bytes + whole, swap, top->store};
    return read_array(top->store, inside, top->variable.name, 0, &top->variable);
}

/* Reads the variable at the cursor; *ended where there is none. */
static onefold_status read_element(of_file *file, mat5_cursor *cursor, int *ended)
{
    size_t left = (size_t)(cursor->end - cursor->at);
    unsigned char tag[8] = {0};
    memcpy(tag, cursor->at, left < 8 ? left : 8);
    uint32_t type = word(tag, cursor->swap), size = word(tag + 4, cursor->swap);
    *ended = left < 8 || (type != MI_MATRIX && type != MI_COMPRESSED);
    if (*ended)
        return file->count || left == 0
                   ? ONEFOLD_OK
                   : of_fail(ONEFOLD_BAD_DATA, "there is no variable after the header");
    if (size > left - 8)
        return of_damaged("the file is truncated: a variable of %zu bytes has only %zu left",
                          (size_t)size, left - 8);
    mat5_element element;
    of_top *top;
    unsigned class;
    OF_TRY(next_element(cursor, &element));
    if (type == MI_COMPRESSED)
        return read_packed(file, &element, cursor->swap);
    mat5_cursor inside = {element.data, element.data + element.size, cursor->swap, cursor->owner};
    OF_TRY(add_variable(file, inside, &top, &class));
    return top ? read_array(top->store, inside, top->variable.name, 0, &top->variable) : ONEFOLD_OK;
}

onefold_status of_read_mat5(of_file *file)
{
    mat5_cursor cursor = {file->bytes + HEADER, file->bytes + file->size, 0, file->contents};
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
