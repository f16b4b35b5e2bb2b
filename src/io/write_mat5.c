/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MATLAB files of version 5, each variable compressed. matio reports success when the
 * disk is full, wants a column-major copy, and dates its files; so the writing is ours: views are
 * streamed from where they lie and every write is checked.
 */
#include "io/write_mat5.h"

#include <stdio.h>
#include <string.h>

enum { MI_MATRIX = 14, MI_COMPRESSED = 15 };

uint32_t of_mat_write_data_type(of_type type)
{
    static const uint32_t number[OF_TYPE_COUNT] = {9, 7, 1, 2, 3, 4, 5, 6, 12, 13};
    return number[type];
}

uint32_t of_mat_write_class(of_type type)
{
    static const uint32_t number[OF_TYPE_COUNT] = {6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return number[type];
}

/* ---- elements: a tag of type and length, data, filled up to 8 bytes ---- */

uint64_t of_mat_write_element_bytes(uint64_t data)
{
    return data <= 4 ? 8 : 8 + (data + 7) / 8 * 8;
}

/* The tag of an element; up to four bytes of data would share it. */
onefold_status of_mat_write_tag(of_sink sink, uint32_t type, uint64_t bytes)
{
    int shared = bytes > 0 && bytes <= 4;
    uint32_t tag[2] = {shared ? (uint32_t)bytes << 16 | type : type, (uint32_t)bytes};
    return of_sink_write(sink, tag, shared ? 4 : 8);
}

onefold_status of_mat_write_filling(of_sink sink, uint64_t bytes)
{
    static const char zeros[8];
    uint64_t whole = bytes > 0 && bytes <= 4 ? 4 : (bytes + 7) / 8 * 8;
    return of_sink_write(sink, zeros, (size_t)(whole - bytes));
}

onefold_status of_mat_write_element(of_sink sink, uint32_t type, const void *data, uint64_t bytes)
{
    OF_TRY(of_mat_write_tag(sink, type, bytes));
    OF_TRY(of_sink_write(sink, data, (size_t)bytes));
    return of_mat_write_filling(sink, bytes);
}

/* ---- arrays ---- */

uint64_t of_mat_write_header_bytes(const of_mat_write_head *array)
{
    return 16 + of_mat_write_element_bytes(4u * (uint64_t)array->dimensions) +
           of_mat_write_element_bytes(strlen(array->name));
}

onefold_status of_mat_write_header(of_sink sink, const of_mat_write_head *array, uint64_t body)
{
    uint32_t flags[2] = {array->class, array->nonzeros};
    OF_TRY(of_mat_write_tag(sink, MI_MATRIX, of_mat_write_header_bytes(array) + body));
    OF_TRY(of_mat_write_element(sink, OF_MI_UINT32, flags, sizeof flags));
    OF_TRY(of_mat_write_element(sink, OF_MI_INT32, array->size, 4u * (uint64_t)array->dimensions));
    return of_mat_write_element(sink, OF_MI_INT8, array->name, strlen(array->name));
}

static uint64_t view_body(const of_view *view)
{
    if (view->storage == OF_SPARSE) {
        uint64_t entries = of_csr_entries(&view->sparse);
        return of_mat_write_element_bytes(4 * entries) +
               of_mat_write_element_bytes(4 * ((uint64_t)view->columns + 1)) +
               of_mat_write_element_bytes(8 * entries);
    }
    return of_mat_write_element_bytes((uint64_t)view->samples * view->columns *
                                      of_type_size(view->type));
}

static of_mat_write_head view_header(const of_view *view, const char *name)
{
    of_mat_write_head array = {.class = of_mat_write_class(view->type),
                               .dimensions = 2,
                               .size = {(int32_t)view->samples, (int32_t)view->columns},
                               .name = name};
    if (view->storage == OF_SPARSE) {
        array.class = OF_MX_SPARSE;
        array.nonzeros = (uint32_t)of_csr_entries(&view->sparse);
        array.nonzeros += array.nonzeros == 0; /* MATLAB wants room for one */
    }
    return array;
}

/* Sparse arrays are compressed by column there: the transpose of ours. */
static onefold_status put_sparse(of_context *context, of_sink sink, const of_csr *sparse)
{
    OF_SCRATCH(scratch, context);
    of_sparse rows, columns;
    int32_t *start;
    OF_TRY(of_csr_native(&scratch, sparse, &rows));
    OF_TRY(of_sparse_transpose(&scratch, &rows, &columns));
    OF_TRY(OF_NEW(&scratch, &start, columns.rows + 1, 1));
    for (size_t i = 0; i <= columns.rows; i++)
        start[i] = (int32_t)columns.start[i];
    uint64_t entries = columns.start[columns.rows];
    OF_TRY(of_mat_write_element(sink, OF_MI_INT32, columns.index, 4 * entries));
    OF_TRY(of_mat_write_element(sink, OF_MI_INT32, start, 4 * ((uint64_t)columns.rows + 1)));
    return of_mat_write_element(sink, OF_MI_DOUBLE, columns.value, 8 * entries);
}

onefold_status of_mat_write_view(of_context *context, of_sink sink, const of_view *view,
                                 const char *name)
{
    of_mat_write_head array = view_header(view, name);
    OF_TRY(of_mat_write_header(sink, &array, view_body(view)));
    if (view->storage == OF_SPARSE)
        return put_sparse(context, sink, &view->sparse);
    uint64_t bytes = (uint64_t)view->samples * view->columns * of_type_size(view->type);
    OF_TRY(of_mat_write_tag(sink, of_mat_write_data_type(view->type), bytes));
    OF_TRY(of_write_elements(context, sink, view, OF_ORDER_COLUMNS));
    return of_mat_write_filling(sink, bytes);
}

uint64_t of_mat_write_view_bytes(const of_view *view, const char *name)
{
    of_mat_write_head array = view_header(view, name);
    return 8 + of_mat_write_header_bytes(&array) + view_body(view);
}

/* ---- variables: each an element of its own, compressed ---- */

/* Lengths are 32 bits in this format, and indices signed ones. */
static onefold_status check_fits(const of_atomic_file *file, const char *name, uint64_t bytes)
{
    if (bytes <= UINT32_MAX)
        return ONEFOLD_OK;
    char text[32];
    return of_hint(of_fail(ONEFOLD_UNSUPPORTED,
                           "%s cannot hold variable %s: it has %s, and a MATLAB file of version 5 "
                           "holds 4.3 GB in one",
                           file->path, name, of_size_text(text, (size_t)bytes)),
                   "write an .npz instead");
}

onefold_status of_mat_write_check_view(const of_atomic_file *file, const of_view *view)
{
    if (view->samples <= INT32_MAX && view->columns <= INT32_MAX &&
        (view->storage != OF_SPARSE || of_csr_entries(&view->sparse) <= INT32_MAX))
        return ONEFOLD_OK;
    return of_hint(of_fail(ONEFOLD_UNSUPPORTED,
                           "%s cannot hold a view of %zu x %zu: a MATLAB file of version 5 counts "
                           "to 2147483647",
                           file->path, view->samples, view->columns),
                   "write an .npz instead");
}

onefold_status of_mat_write_begin(of_mat_write_variable *variable, of_sink *sink, of_arena *arena,
                                  of_atomic_file *file, const char *name, uint64_t bytes)
{
    OF_TRY(check_fits(file, name, bytes));
    uint32_t tag[2] = {MI_COMPRESSED, 0};
    variable->file = file;
    variable->start = file->position;
    OF_TRY(of_atomic_write(file, tag, sizeof tag));
    OF_TRY(of_deflate_open(&variable->deflate, arena, file, 0));
    *sink = of_deflate_sink(&variable->deflate);
    return ONEFOLD_OK;
}

onefold_status of_mat_write_end(of_mat_write_variable *variable)
{
    OF_TRY(of_deflate_finish(&variable->deflate));
    OF_TRY(check_fits(variable->file, "", variable->deflate.out));
    uint32_t length = (uint32_t)variable->deflate.out;
    return of_atomic_patch(variable->file, variable->start + 4, &length, sizeof length);
}

onefold_status of_mat_write_file_header(of_atomic_file *file)
{
    char text[128];
    memset(text, ' ', sizeof text);
    int length = snprintf(text, 116, "MATLAB 5.0 MAT-file, written by Onefold %s", ONEFOLD_VERSION);
    text[length] = ' ';
    memset(text + 116, 0, 8);
    uint16_t version[2] = {0x0100, 'M' << 8 | 'I'};
    memcpy(text + 124, version, sizeof version);
    return of_atomic_write(file, text, sizeof text);
}
