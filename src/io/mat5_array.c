/* SPDX-License-Identifier: Apache-2.0 */
/* The arrays of a MATLAB 5 file as variables: numbers stay where they lie, in their stored type. */
#include "io/mat5.h"

#include "io/build.h"

enum { CELL = 1, CHAR = 4, SPARSE = 5, DOUBLE = 6, UINT64 = 15 };

static const char *class_what(unsigned class)
{
    switch (class) {
    case 2:
        return "a struct";
    case 3:
        return "an object";
    case 16:
        return "a function";
    default:
        return "a MATLAB object";
    }
}

static onefold_status read_dense(of_owner *store, of_mat5_cursor *cursor,
                                 const of_mat5_header *header, of_variable *variable)
{
    of_mat5_element element;
    of_array numbers;
    OF_TRY(of_mat5_next(cursor, &element));
    OF_TRY(of_mat5_numbers(store, cursor, &element, &numbers));
    size_t need, rows = header->side[0];
    OF_TRY(of_claimed_size(&need, rows, header->side[1]));
    OF_TRY(of_claimed_size(&need, need, header->side[2]));
    if (numbers.count < need)
        return of_fail(ONEFOLD_BAD_DATA, "%zu x %zu numbers are promised, and %zu are there", rows,
                       need / (rows ? rows : 1), numbers.count);
    variable->kind = OF_VARIABLE_MATRIX;
    variable->matrix.data = numbers.data;
    variable->matrix.type = numbers.type;
    variable->matrix.owner = numbers.owner;
    variable->matrix.row_step = 1;
    variable->matrix.column_step = rows;
    variable->page_step = rows * header->side[1];
    return ONEFOLD_OK;
}

/* Row numbers, starts and values; MATLAB's order, by column. */
static onefold_status read_sparse(of_owner *store, of_mat5_cursor *cursor,
                                  const of_mat5_header *header, of_variable *variable)
{
    of_array index, start, value;
    of_array *const part[] = {&index, &start, &value};
    for (int i = 0; i < 3; i++) {
        of_mat5_element element;
        OF_TRY(of_mat5_next(cursor, &element));
        OF_TRY(of_mat5_numbers(store, cursor, &element, part[i]));
    }
    variable->kind = OF_VARIABLE_MATRIX;
    variable->matrix.storage = OF_SPARSE;
    variable->matrix.by_column = 1;
    variable->matrix.owner = store;
    return of_build_sparse(store, header->side[1], header->side[0], &start, &index, &value,
                           &variable->matrix.sparse);
}

/* A char array: a string for each row. */
static onefold_status read_char(of_owner *store, of_mat5_cursor *cursor,
                                const of_mat5_header *header, of_variable *variable)
{
    of_mat5_element element;
    OF_TRY(of_mat5_next(cursor, &element));
    if (element.type >= 16 && element.type <= 18) /* UTF-8, -16 and -32: units of 1, 2, 4 bytes */
        element.type = element.type == 16 ? 2 : element.type == 17 ? 4 : 6;
    of_array units;
    OF_TRY(of_mat5_numbers(store, cursor, &element, &units));
    return of_build_text(&store->arena, header->side[0], header->side[1], &units, variable);
}

static onefold_status read_cell(of_owner *store, of_mat5_cursor *cursor,
                                const of_mat5_header *header, const char *name, int depth,
                                of_variable *variable)
{
    enum { DEEPEST = 16 };
    size_t count, most = (size_t)(cursor->end - cursor->at) / 8;
    OF_TRY(of_claimed_size(&count, header->side[0], header->side[1]));
    OF_TRY(of_claimed_size(&count, count, header->side[2]));
    if (count > most)
        return of_fail(ONEFOLD_BAD_DATA, "a cell of %zu elements is cut off", count);
    if (depth > DEEPEST) {
        *variable = of_variable_other(name, "a cell within too many others");
        return ONEFOLD_OK;
    }
    OF_TRY(OF_NEW_ZERO(&store->arena, &variable->item, count, 1));
    variable->kind = OF_VARIABLE_CELL;
    variable->count = count;
    for (size_t i = 0; i < count; i++) {
        of_mat5_element element;
        char *item_name;
        OF_TRY(of_arena_string(&store->arena, &item_name, "%s{%zu}", name, i + 1));
        onefold_status status = of_mat5_next(cursor, &element);
        if (status == ONEFOLD_OK && element.type != OF_MI_MATRIX)
            status = of_fail(ONEFOLD_BAD_DATA,
                             "an array was expected, and an element of type %u "
                             "is there",
                             (unsigned)element.type);
        if (status != ONEFOLD_OK)
            return of_blame(status, "%s", item_name);
        of_mat5_cursor inside = {element.data, element.data + element.size, cursor->swap,
                                 cursor->owner};
        OF_TRY(of_mat5_array(store, inside, item_name, depth + 1, &variable->item[i]));
    }
    return ONEFOLD_OK;
}

static onefold_status read_body(of_owner *store, of_mat5_cursor *cursor,
                                const of_mat5_header *header, const char *name, int depth,
                                of_variable *variable)
{
    if (header->class == CELL)
        return read_cell(store, cursor, header, name, depth, variable);
    if (header->class == CHAR)
        return read_char(store, cursor, header, variable);
    if (header->class == SPARSE)
        return read_sparse(store, cursor, header, variable);
    return read_dense(store, cursor, header, variable);
}

onefold_status of_mat5_array(of_owner *store, of_mat5_cursor cursor, const char *name, int depth,
                             of_variable *variable)
{
    if (cursor.at == cursor.end) { /* how an empty element of a cell is stored */
        *variable = of_variable_other(name, "empty");
        return ONEFOLD_OK;
    }
    of_mat5_header header;
    onefold_status status = of_mat5_read_header(&cursor, &header);
    if (status != ONEFOLD_OK)
        return of_blame(status, "%s", name);
    size_t rows = header.side[0], columns = header.side[1], pages = header.side[2];
    int usable = header.class == CELL || (header.class >= CHAR && header.class <= UINT64);
    if (!usable)
        *variable = of_variable_other(name, class_what(header.class));
    else if (rows == 0 || columns == 0 || pages == 0 || header.more == 0)
        *variable = of_variable_other(name, "empty");
    else if (header.complex)
        *variable = of_variable_other(name, "complex");
    else if (header.more > 1)
        *variable = of_variable_other(name, "an array of more than three dimensions");
    else {
        *variable = (of_variable){
            .name = name, .matrix = {.rows = rows, .columns = columns}, .pages = pages};
        status = read_body(store, &cursor, &header, name, depth, variable);
        if (status != ONEFOLD_OK && header.class != CELL)
            return of_blame(status, "%s", name);
    }
    return status;
}
