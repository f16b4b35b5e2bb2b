/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variables as bytes between two processes. Small things are copied into the bytes; arrays stay
 * where they lie in the shared memory and are named by their place; lists of names are written
 * once, however many matrices share them. Nothing that the child wrote is used before it is
 * checked.
 */
#include "io/fence.h"

#include <string.h>
#include <sys/mman.h>

/* ---- in the process that read them ---------------------------------------------------------- */

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

/* ---- in the process that asked for them ----------------------------------------------------- */

enum { DEEPEST = 32 };

typedef struct list {
    const char **text;
    size_t count;
} list;

typedef struct reader {
    of_file *file;
    const of_fence_room *room;
    const unsigned char *at, *end;
    of_owner *names; /* of all lists: several variables may share one */
    list list[OF_FENCE_LISTS];
    size_t lists;
} reader;

static onefold_status nonsense(void)
{
    return of_fail(ONEFOLD_FAULT, "the process that read it sent data that is not valid");
}

static onefold_status get(reader *from, void *to, size_t size)
{
    if ((size_t)(from->end - from->at) < size)
        return nonsense();
    memcpy(to, from->at, size);
    from->at += size;
    return ONEFOLD_OK;
}

static onefold_status get_number(reader *from, size_t *number)
{
    *number = 0;
    return get(from, number, sizeof *number);
}

static onefold_status get_text(reader *from, of_arena *arena, const char **text)
{
    size_t size;
    char *copy;
    *text = NULL;
    OF_TRY(get_number(from, &size));
    if (size == 0)
        return ONEFOLD_OK;
    if (size > (size_t)(from->end - from->at) || from->at[size - 1] != '\0')
        return nonsense();
    OF_TRY(OF_NEW(arena, &copy, size, 1));
    *text = copy;
    return get(from, copy, size);
}

/* A copy of elements of `size` bytes each that lie at a place of the room; NULL: none. */
static onefold_status get_array(reader *from, of_arena *arena, size_t size, size_t elements,
                                void **array)
{
    enum { STEP = 16 << 20, PAGES = 1 << 16 };
    size_t place, bytes;
    *array = NULL;
    OF_TRY(get_number(from, &place));
    if (place-- == 0)
        return ONEFOLD_OK;
    if (__builtin_mul_overflow(size, elements, &bytes) || place > from->room->used ||
        bytes > from->room->used - place)
        return nonsense();
    OF_TRY(of_arena_allocate(arena, array, size, elements, 1));
    for (size_t done = 0; done < bytes; done += STEP) {
        size_t step = bytes - done < STEP ? bytes - done : STEP;
        memcpy((char *)*array + done, from->room->base + place + done, step);
        size_t first = (place + done + PAGES - 1) / PAGES * PAGES,
               last = (place + done + step) / PAGES * PAGES;
        if (first < last)
            (void)madvise(from->room->base + first, last - first, MADV_REMOVE);
        OF_TRY(of_context_check(from->file->context));
    }
    return ONEFOLD_OK;
}

/* Texts that lie one after the other become one block with pointers into it. */
static onefold_status get_new_list(reader *from, list *made)
{
    of_arena *arena = &from->names->arena;
    OF_TRY(get_number(from, &made->count));
    if (made->count > (size_t)(from->end - from->at) / sizeof(size_t))
        return nonsense();
    const unsigned char *start = from->at;
    size_t bytes = 0;
    for (size_t i = 0; i < made->count; i++) {
        size_t size;
        OF_TRY(get_number(from, &size));
        if (size > (size_t)(from->end - from->at) || (size && from->at[size - 1] != '\0'))
            return nonsense();
        from->at += size;
        bytes += size;
    }
    char *block;
    OF_TRY(OF_NEW(arena, &made->text, made->count, 1));
    OF_TRY(OF_NEW(arena, &block, bytes, 1));
    from->at = start;
    for (size_t i = 0; i < made->count; i++) {
        size_t size;
        OF_TRY(get_number(from, &size));
        OF_TRY(get(from, block, size));
        made->text[i] = size ? block : NULL;
        block += size;
    }
    return ONEFOLD_OK;
}

static onefold_status get_list(reader *from, size_t count, const char *const **texts)
{
    size_t number;
    *texts = NULL;
    OF_TRY(get_number(from, &number));
    if (number == 0)
        return ONEFOLD_OK;
    if (number > from->lists + 1 || number > OF_FENCE_LISTS)
        return nonsense();
    list *found = &from->list[number - 1];
    if (number > from->lists) {
        OF_TRY(get_new_list(from, found));
        from->lists++;
    }
    if (found->count != count)
        return nonsense();
    *texts = found->text;
    return ONEFOLD_OK;
}

/* One more than the last element that is in use, whatever the order. */
static onefold_status count_elements(const of_matrix *matrix, size_t pages, size_t page_step,
                                     size_t *elements)
{
    size_t sides[3][2] = {{matrix->rows, matrix->row_step},
                          {matrix->columns, matrix->column_step},
                          {pages, page_step}},
           last = 0, reach;
    *elements = 0;
    for (int s = 0; s < 3; s++) {
        if (sides[s][0] == 0)
            return ONEFOLD_OK;
        if (__builtin_mul_overflow(sides[s][0] - 1, sides[s][1], &reach) ||
            __builtin_add_overflow(last, reach, &last))
            return nonsense();
    }
    return of_size_add(elements, last, 1);
}

/* Rising starts from 0 on, and rising places within the lines. */
static int is_sparse_matrix(const of_csr *sparse, size_t entries)
{
    if (of_csr_start(sparse, 0) != 0)
        return 0;
    for (size_t line = 0; line < sparse->rows; line++) {
        size_t first = of_csr_start(sparse, line), end = of_csr_start(sparse, line + 1);
        if (end < first || end > entries)
            return 0;
        for (size_t e = first; e < end; e++)
            if (of_csr_index(sparse, e) >= sparse->columns ||
                (e > first && of_csr_index(sparse, e) <= of_csr_index(sparse, e - 1)))
                return 0;
    }
    return 1;
}

static onefold_status get_sparse(reader *from, of_top *top, of_matrix *matrix)
{
    size_t flags[5], entries;
    of_csr *sparse = &matrix->sparse;
    of_arena *arena = &top->store->arena;
    void *start, *index, *value;
    OF_TRY(get(from, flags, sizeof flags));
    sparse->rows = flags[0];
    sparse->columns = flags[1];
    sparse->narrow_start = flags[2] != 0;
    sparse->wide_index = flags[3] != 0;
    sparse->single_value = flags[4] != 0;
    if (sparse->rows != (matrix->by_column ? matrix->columns : matrix->rows) ||
        sparse->columns != (matrix->by_column ? matrix->rows : matrix->columns) ||
        sparse->rows == SIZE_MAX)
        return nonsense();
    OF_TRY(get_array(from, arena, sparse->narrow_start ? 4 : 8, sparse->rows + 1, &start));
    sparse->start = start;
    if (!start)
        return nonsense();
    entries = of_csr_entries(sparse);
    OF_TRY(get_array(from, arena, sparse->wide_index ? 8 : 4, entries, &index));
    OF_TRY(get_array(from, arena, sparse->single_value ? 4 : 8, entries, &value));
    sparse->index = index;
    sparse->value = value;
    if ((entries && (!index || !value)) || !is_sparse_matrix(sparse, entries))
        return nonsense();
    return ONEFOLD_OK;
}

static onefold_status get_matrix(reader *from, of_top *top, of_variable *variable)
{
    size_t numbers[7];
    of_matrix *matrix = &variable->matrix;
    void *data;
    OF_TRY(get(from, numbers, sizeof numbers));
    if (numbers[0] > OF_SPARSE || numbers[3] >= OF_TYPE_COUNT)
        return nonsense();
    *matrix = (of_matrix){.storage = (of_storage)numbers[0],
                          .rows = numbers[1],
                          .columns = numbers[2],
                          .type = (of_type)numbers[3],
                          .row_step = numbers[4],
                          .column_step = numbers[5],
                          .by_column = numbers[6] != 0,
                          .owner = top->store};
    if (matrix->storage == OF_SPARSE) {
        OF_TRY(get_sparse(from, top, matrix));
    } else {
        size_t elements;
        OF_TRY(count_elements(matrix, variable->pages, variable->page_step, &elements));
        OF_TRY(get_array(from, &top->store->arena, of_type_size(matrix->type), elements, &data));
        if (!data)
            return nonsense();
        matrix->data = data;
    }
    OF_TRY(get_list(from, matrix->columns, &matrix->column_names));
    return get_list(from, matrix->rows, &matrix->row_names);
}

static onefold_status get_variable(reader *from, of_top *top, of_variable *variable, int depth)
{
    of_arena *arena = &top->store->arena;
    size_t numbers[4];
    OF_TRY(get_text(from, arena, &variable->name));
    OF_TRY(get_text(from, arena, &variable->what));
    OF_TRY(get(from, numbers, sizeof numbers));
    if (numbers[0] > OF_VARIABLE_OTHER || depth > DEEPEST || !variable->name)
        return nonsense();
    variable->kind = (of_variable_kind)numbers[0];
    variable->pages = numbers[1];
    variable->page_step = numbers[2];
    variable->count = numbers[3];
    if (variable->kind == OF_VARIABLE_MATRIX)
        return get_matrix(from, top, variable);
    if (variable->kind == OF_VARIABLE_TEXT) {
        OF_TRY(get_list(from, variable->count, &variable->text));
        const char *const *row_names;
        size_t number = variable->count;
        OF_TRY(get_list(from, number, &row_names));
        OF_TRY(get_number(from, &number));
        variable->matrix.row_names = row_names;
        variable->matrix.rows = number;
        return number == variable->count || !row_names ? ONEFOLD_OK : nonsense();
    }
    if (variable->kind == OF_VARIABLE_OTHER)
        return ONEFOLD_OK;
    if (variable->count > (size_t)(from->end - from->at))
        return nonsense();
    OF_TRY(OF_NEW_ZERO(arena, &variable->item, variable->count, 1));
    for (size_t i = 0; i < variable->count; i++)
        OF_TRY(get_variable(from, top, &variable->item[i], depth + 1));
    return ONEFOLD_OK;
}

static onefold_status get_variables(reader *from)
{
    size_t cells, left_over, count;
    OF_TRY(get_number(from, &cells));
    OF_TRY(get_number(from, &left_over));
    OF_TRY(get_number(from, &count));
    from->file->cells = cells != 0;
    from->file->left_over = left_over;
    for (size_t t = 0; t < count; t++) {
        of_top *top;
        OF_TRY(of_file_add(from->file, &top, ""));
        OF_TRY(of_owner_hold(top->store, from->names));
        OF_TRY(get_variable(from, top, &top->variable, 0));
    }
    return from->at == from->end ? ONEFOLD_OK : nonsense();
}

onefold_status of_fence_decode(of_file *file, const of_fence_room *room, size_t at, size_t size)
{
    OF_SCRATCH(scratch, file->context);
    reader *from;
    if (at > room->used || size > room->used - at)
        return nonsense();
    OF_TRY(OF_NEW_ZERO(&scratch, &from, 1, 1));
    from->file = file;
    from->room = room;
    from->at = (const unsigned char *)room->base + at;
    from->end = from->at + size;
    OF_TRY(of_owner_make(&from->names, file->context));
    onefold_status status = get_variables(from);
    of_owner_release(from->names); /* the variables hold it */
    return status;
}
