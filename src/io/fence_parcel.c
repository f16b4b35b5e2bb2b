/* SPDX-License-Identifier: Apache-2.0 */
/* Variables as bytes of a socket. One description serves both ends, so that they cannot differ. */
#include "base/utf8.h"
#include "io/fence.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DEEPEST = 32 }; /* of cells within cells: the reader ends before */

static onefold_status not_understood(void)
{
    return of_damaged("the process that read it sent what is no table");
}

static onefold_status sent_too_little(void)
{
    return of_fail(ONEFOLD_FAULT, "the process that read it ended without a result");
}

/* Whether the sender has ended. The end of the socket does not tell: a process that another thread
 * of the host forked meanwhile may hold it open. */
static int has_ended(of_parcel *parcel)
{
    pid_t ended = parcel->child ? waitpid(parcel->child, &parcel->how, WNOHANG) : 0;
    if (ended < 0 && errno == ECHILD) /* the host waited for it first */
        parcel->how = -1;
    else if (ended <= 0)
        return 0;
    parcel->child = 0;
    return 1;
}

/* Waits until there is something to receive. */
static onefold_status wait_for_more(of_parcel *parcel)
{
    struct pollfd socket = {.fd = parcel->descriptor, .events = POLLIN};
    while (poll(&socket, 1, 50) <= 0) {
        OF_TRY(of_context_check(parcel->file->context));
        if (has_ended(parcel) && poll(&socket, 1, 0) <= 0)
            return sent_too_little();
        if (of_clock_seconds() > parcel->until) /* it waits, and uses no processor time */
            return of_hint(of_fail(ONEFOLD_BAD_DATA, "the process that read it did not end"),
                           "the file is damaged: copy or download it again");
    }
    return of_context_check(parcel->file->context);
}

onefold_status of_parcel_bytes(of_parcel *parcel, void *bytes, size_t size)
{
    enum { STEP = 1 << 24 }; /* the cancel hook is called between steps */
    for (size_t done = 0; done < size;) {
        char *at = (char *)bytes + done;
        size_t step = of_size_least(size - done, STEP);
        if (!parcel->sends)
            OF_TRY(wait_for_more(parcel));
        ssize_t moved = parcel->sends ? write(parcel->descriptor, at, step)
                                      : recv(parcel->descriptor, at, step, 0);
        if (moved < 0 && errno == EINTR)
            continue;
        if (moved <= 0)
            return sent_too_little();
        done += (size_t)moved;
    }
    return ONEFOLD_OK;
}

#define PASS(parcel, object) OF_TRY(of_parcel_bytes((parcel), &(object), sizeof(object)))

/* A text, or NULL. */
static onefold_status pass_text(of_parcel *parcel, of_arena *arena, const char **text)
{
    size_t size = parcel->sends && *text ? strlen(*text) + 1 : 0;
    PASS(parcel, size);
    char *made = (char *)*text;
    if (!parcel->sends && size)
        OF_TRY(of_arena_allocate(arena, (void **)&made, 1, size, 1));
    OF_TRY(of_parcel_bytes(parcel, made, size));
    if (!parcel->sends) {
        *text = size ? made : NULL;
        if (size && made[size - 1] != '\0')
            return not_understood();
        if (size)
            of_text_clean(made);
    }
    return ONEFOLD_OK;
}

static onefold_status receive_list(of_parcel *parcel, const char *const **list, size_t count)
{
    of_arena *arena = &parcel->names->arena;
    const char **made;
    char *text;
    size_t bytes;
    PASS(parcel, bytes);
    OF_TRY(of_arena_allocate(arena, (void **)&text, 1, bytes, 1));
    OF_TRY(of_parcel_bytes(parcel, text, bytes));
    OF_TRY(OF_NEW(arena, &made, count, 1));
    for (size_t i = 0; i < count; i++) {
        size_t length = strnlen(text, bytes);
        if (length == bytes)
            return not_understood();
        of_text_clean(text);
        made[i] = text;
        text += length + 1;
        bytes -= length + 1;
    }
    *list = made;
    return bytes ? not_understood() : ONEFOLD_OK;
}

/* The texts of a list in pieces, each with its zero. */
static onefold_status send_list(of_parcel *parcel, const char *const *list, size_t count)
{
    char piece[4096];
    size_t bytes = 0, used = 0;
    for (size_t i = 0; i < count; i++)
        bytes += strlen(list[i]) + 1;
    PASS(parcel, bytes);
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(list[i]) + 1;
        if (used + length > sizeof piece) {
            OF_TRY(of_parcel_bytes(parcel, piece, used));
            used = 0;
        }
        if (length > sizeof piece) {
            OF_TRY(of_parcel_bytes(parcel, (char *)list[i], length));
            continue;
        }
        memcpy(piece + used, list[i], length);
        used += length;
    }
    return of_parcel_bytes(parcel, piece, used);
}

/* A list of `count` texts, or NULL: 0, or its number among the lists so far, from 1. A new one
 * follows. */
static onefold_status pass_list(of_parcel *parcel, const char *const **list, size_t count)
{
    size_t number = 0;
    if (parcel->sends && *list)
        for (number = 1; number <= parcel->count && parcel->list[number - 1] != *list;)
            number++;
    PASS(parcel, number);
    if (number > parcel->count + 1)
        return not_understood();
    if (number <= parcel->count) {
        *list = number ? parcel->list[number - 1] : NULL;
        return number && parcel->length[number - 1] != count ? not_understood() : ONEFOLD_OK;
    }
    OF_TRY(parcel->sends ? send_list(parcel, *list, count) : receive_list(parcel, list, count));
    OF_TRY(OF_GROW(&parcel->arena, &parcel->list, parcel->count, &parcel->room, number));
    OF_TRY(OF_GROW(&parcel->arena, &parcel->length, parcel->count, &parcel->length_room, number));
    parcel->list[parcel->count] = *list;
    parcel->length[parcel->count++] = count;
    return ONEFOLD_OK;
}

/* Whole pages of numbers that are sent are given back to the system: their receiver has them now,
 * and there is no room for both. */
static void give_back(const void *data, size_t bytes)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t start = ((uintptr_t)data + page - 1) / page * page,
              end = ((uintptr_t)data + bytes) / page * page;
    if (end > start)
        (void)madvise((void *)start, end - start, MADV_DONTNEED);
}

static onefold_status pass_numbers(of_parcel *parcel, of_owner *store, const void **data,
                                   size_t size, size_t count)
{
    enum { PIECE = 1 << 20 };
    size_t bytes;
    OF_TRY(of_claimed_size(&bytes, size, count));
    if (!parcel->sends) {
        void *made;
        OF_TRY(of_arena_allocate(&store->arena, &made, size, count, 1));
        *data = made;
    }
    for (size_t done = 0; done < bytes;) {
        size_t piece = of_size_least(bytes - done, PIECE);
        OF_TRY(of_parcel_bytes(parcel, (char *)*data + done, piece));
        if (parcel->sends)
            give_back((const char *)*data + done, piece);
        done += piece;
    }
    return ONEFOLD_OK;
}

/* ---- variables ------------------------------------------------------------------------------ */

/* What a variable is, but for names and numbers. */
typedef struct about {
    int kind, storage, type, by_column;
    size_t rows, columns, row_step, column_step, pages, page_step;
    size_t count;          /* items or texts */
    size_t lines, entries; /* of a sparse matrix */
} about;

/* The elements up to the last one of a dense matrix; 0: there is none, or too many. */
static size_t dense_elements(const about *is)
{
    size_t row, column, page, sum;
    if (!is->rows || !is->columns || !is->pages ||
        __builtin_mul_overflow(is->rows - 1, is->row_step, &row) ||
        __builtin_mul_overflow(is->columns - 1, is->column_step, &column) ||
        __builtin_mul_overflow(is->pages - 1, is->page_step, &page) ||
        __builtin_add_overflow(row, column, &sum) || __builtin_add_overflow(sum, page, &sum) ||
        sum == SIZE_MAX)
        return 0;
    return sum + 1;
}

static onefold_status pass_dense(of_parcel *parcel, of_owner *store, const about *is,
                                 of_variable *variable)
{
    size_t elements = dense_elements(is);
    const void *data = variable->matrix.data;
    if (!elements || is->type < 0 || is->type >= (int)OF_TYPE_COUNT)
        return not_understood();
    OF_TRY(pass_numbers(parcel, store, &data, of_type_size((of_type)is->type), elements));
    if (parcel->sends)
        return ONEFOLD_OK;
    variable->matrix =
        of_matrix_over(data, (of_type)is->type, is->rows, is->columns, is->row_step, store);
    variable->matrix.column_step = is->column_step;
    return ONEFOLD_OK;
}

/* The receiver makes the matrix from its arrays as a reader does: that checks every index. */
static onefold_status pass_sparse(of_parcel *parcel, of_owner *store, const about *is,
                                  of_variable *variable)
{
    const of_sparse *from = &variable->matrix.sparse;
    size_t width = is->by_column ? is->rows : is->columns;
    of_array start = {from->start, OF_U64, is->lines + 1, store},
             index = {from->index, OF_U32, is->entries, store},
             value = {from->value, OF_F64, is->entries, store};
    if (is->lines != (is->by_column ? is->columns : is->rows) || width > UINT32_MAX)
        return not_understood();
    OF_TRY(pass_numbers(parcel, store, &start.data, sizeof *from->start, start.count));
    OF_TRY(pass_numbers(parcel, store, &index.data, sizeof *from->index, index.count));
    OF_TRY(pass_numbers(parcel, store, &value.data, sizeof *from->value, value.count));
    if (parcel->sends)
        return ONEFOLD_OK;
    of_sparse made;
    OF_TRY(of_matrix_compressed(&store->arena, is->lines, width, &start, &index, &value, 0, &made));
    variable->matrix = of_matrix_sparse(made, store);
    variable->matrix.rows = is->rows;
    variable->matrix.columns = is->columns;
    variable->matrix.by_column = (unsigned char)is->by_column;
    return ONEFOLD_OK;
}

static onefold_status pass_variable(of_parcel *parcel, of_owner *store, of_variable *variable,
                                    int depth)
{
    of_matrix *matrix = &variable->matrix;
    about is = {(int)variable->kind,
                (int)matrix->storage,
                (int)matrix->type,
                matrix->by_column,
                matrix->rows,
                matrix->columns,
                matrix->row_step,
                matrix->column_step,
                variable->pages,
                variable->page_step,
                variable->count,
                0,
                0};
    if (parcel->sends && variable->kind == OF_VARIABLE_MATRIX && matrix->storage == OF_SPARSE) {
        is.lines = matrix->sparse.rows;
        is.entries = of_sparse_entries(&matrix->sparse);
    }
    PASS(parcel, is);
    if (depth > DEEPEST || is.kind < 0 || is.kind > OF_VARIABLE_OTHER)
        return not_understood();
    variable->kind = (of_variable_kind)is.kind;
    variable->pages = is.pages;
    variable->page_step = is.page_step;
    variable->count = is.count;
    OF_TRY(pass_text(parcel, &store->arena, &variable->name));
    OF_TRY(pass_text(parcel, &store->arena, &variable->what));
    if (!variable->name || (is.kind == OF_VARIABLE_OTHER && !variable->what))
        return not_understood();
    if (is.kind == OF_VARIABLE_MATRIX)
        OF_TRY(is.storage == OF_SPARSE ? pass_sparse(parcel, store, &is, variable)
                                       : pass_dense(parcel, store, &is, variable));
    if (is.kind == OF_VARIABLE_TEXT) {
        OF_TRY(pass_list(parcel, &variable->text, is.count));
        if (!variable->text)
            return not_understood();
        matrix->rows = is.rows;
        matrix->columns = is.columns;
    }
    if (is.kind == OF_VARIABLE_MATRIX || is.kind == OF_VARIABLE_TEXT) {
        OF_TRY(pass_list(parcel, &matrix->row_names, is.rows));
        OF_TRY(pass_list(parcel, &matrix->column_names, is.columns));
    }
    if (is.kind != OF_VARIABLE_CELL)
        return ONEFOLD_OK;
    if (!parcel->sends)
        OF_TRY(OF_NEW_ZERO(&store->arena, &variable->item, is.count, 1));
    for (size_t i = 0; i < is.count; i++)
        OF_TRY(pass_variable(parcel, store, &variable->item[i], depth + 1));
    return ONEFOLD_OK;
}

onefold_status of_parcel_variables(of_parcel *parcel, size_t count)
{
    of_file *file = parcel->file;
    for (size_t t = 0; t < count; t++) {
        of_top *top = parcel->sends ? &file->top[t] : NULL;
        if (!parcel->sends) {
            OF_TRY(of_file_add(file, &top, ""));
            OF_TRY(of_owner_hold(top->store, parcel->names));
        }
        OF_TRY(pass_variable(parcel, top->store, &top->variable, 0));
    }
    return ONEFOLD_OK;
}
