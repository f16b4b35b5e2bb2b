/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variables as bytes, in the process that read them. Small things are copied into the bytes; arrays
 * stay where they lie in the shared memory and are named by their place. Lists of names are written
 * once, however many matrices share them.
 */
#include "io/fence.h"

#include <string.h>

typedef struct writer {
    const of_fence_room *room;
    of_arena *arena;
    unsigned char *bytes;
    size_t count, space;
    const void *list[OF_FENCE_LISTS]; /* that have been told */
    size_t lists;
    onefold_status status; /* the first failure; nothing is told after it */
} writer;

static void put(writer *to, const void *from, size_t size)
{
    if (to->status == ONEFOLD_OK)
        to->status = OF_GROW(to->arena, &to->bytes, to->count, &to->space, to->count + size);
    if (to->status != ONEFOLD_OK)
        return;
    memcpy(to->bytes + to->count, from, size);
    to->count += size;
}

static void put_number(writer *to, size_t number)
{
    put(to, &number, sizeof number);
}

/* Its length and one, 0 for none. */
static void put_text(writer *to, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    put_number(to, text ? length + 1 : 0);
    if (text)
        put(to, text, length + 1);
}

/* The place of an array in the room and one, 0 for none. */
static void put_place(writer *to, const void *array)
{
    const char *at = array;
    if (array && (at < to->room->base || at >= to->room->base + to->room->size))
        to->status = of_fail(ONEFOLD_FAULT, "an array lies outside the shared memory");
    put_number(to, array ? (size_t)(at - to->room->base) + 1 : 0);
}

/* The number of the list from 1, 0 for none; its texts where it is a new one. */
static void put_list(writer *to, const char *const *list, size_t count)
{
    size_t known = 0;
    while (known < to->lists && to->list[known] != list)
        known++;
    put_number(to, list ? known + 1 : 0);
    if (!list || known < to->lists)
        return;
    if (to->lists == OF_FENCE_LISTS) {
        to->status =
            of_fail(ONEFOLD_UNSUPPORTED, "it has more than %d lists of names", OF_FENCE_LISTS);
        return;
    }
    to->list[to->lists++] = list;
    put_number(to, count);
    for (size_t i = 0; i < count; i++)
        put_text(to, list[i]);
}

static void put_matrix(writer *to, const of_matrix *matrix)
{
    size_t numbers[] = {matrix->storage,  matrix->rows,        matrix->columns,  matrix->type,
                        matrix->row_step, matrix->column_step, matrix->by_column};
    put(to, numbers, sizeof numbers);
    if (matrix->storage == OF_SPARSE) {
        const of_csr *sparse = &matrix->sparse;
        size_t flags[] = {sparse->rows, sparse->columns, sparse->narrow_start, sparse->wide_index,
                          sparse->single_value};
        put(to, flags, sizeof flags);
        put_place(to, sparse->start);
        put_place(to, sparse->index);
        put_place(to, sparse->value);
    } else {
        put_place(to, matrix->data);
    }
    put_list(to, matrix->column_names, matrix->columns);
    put_list(to, matrix->row_names, matrix->rows);
}

static void put_variable(writer *to, const of_variable *variable)
{
    size_t numbers[] = {variable->kind, variable->pages, variable->page_step, variable->count};
    put_text(to, variable->name);
    put_text(to, variable->what);
    put(to, numbers, sizeof numbers);
    if (variable->kind == OF_VARIABLE_MATRIX)
        put_matrix(to, &variable->matrix);
    else if (variable->kind == OF_VARIABLE_TEXT) {
        put_list(to, variable->text, variable->count);
        put_list(to, variable->matrix.row_names, variable->matrix.rows);
        put_number(to, variable->matrix.rows);
    } else if (variable->kind == OF_VARIABLE_CELL)
        for (size_t i = 0; i < variable->count && to->status == ONEFOLD_OK; i++)
            put_variable(to, &variable->item[i]);
}

onefold_status of_fence_encode(const of_file *file, of_fence_room *room, of_arena *arena,
                               size_t *at, size_t *size)
{
    writer *to;
    OF_TRY(OF_NEW_ZERO(arena, &to, 1, 1));
    to->room = room;
    to->arena = arena;
    put_number(to, (size_t)file->cells);
    put_number(to, file->left_over);
    put_number(to, file->count);
    for (size_t t = 0; t < file->count && to->status == ONEFOLD_OK; t++)
        put_variable(to, &file->top[t].variable);
    *at = (size_t)((char *)to->bytes - room->base);
    *size = to->count;
    return to->status;
}
