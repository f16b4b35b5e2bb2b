/* SPDX-License-Identifier: Apache-2.0 */
/* A data set, or one array, as a MATLAB file of version 5. */
#include "base/utf8.h"
#include "io/write.h"

#include <stdio.h>
#include <string.h>

/* Types of stored data, and classes of arrays, by the format's numbers. */
enum { OF_MI_INT8 = 1, OF_MI_INT32 = 5, OF_MI_UINT32 = 6, OF_MI_DOUBLE = 9, OF_MI_UTF8 = 16 };
enum { OF_MX_CELL = 1, OF_MX_CHAR = 4, OF_MX_SPARSE = 5 };

typedef struct array_head {
    uint32_t class;
    uint32_t nonzeros; /* of a sparse array */
    int dimensions;
    int32_t size[3];
    const char *name;
} array_head;

/* A variable of `bytes` bytes before compression, which are written to the sink. */
typedef struct open_variable {
    of_atomic_file *file;
    uint64_t start;
    of_deflate deflate;
} open_variable;

/* ---- elements ------------------------------------------------------------------------------- */

enum { MI_MATRIX = 14, MI_COMPRESSED = 15 };

static uint32_t data_type(of_type type)
{
    static const uint32_t number[OF_TYPE_COUNT] = {9, 7, 1, 2, 3, 4, 5, 6, 12, 13};
    return number[type];
}

static uint32_t class_of(of_type type)
{
    static const uint32_t number[OF_TYPE_COUNT] = {6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return number[type];
}

/* ---- elements: a tag of type and length, data, filled up to 8 bytes ------------------------- */

static uint64_t element_bytes(uint64_t data)
{
    return data <= 4 ? 8 : 8 + (data + 7) / 8 * 8;
}

/* The tag of an element; up to four bytes of data would share it. */
static onefold_status write_tag(of_sink sink, uint32_t type, uint64_t bytes)
{
    int shared = bytes > 0 && bytes <= 4;
    uint32_t tag[2] = {shared ? (uint32_t)bytes << 16 | type : type, (uint32_t)bytes};
    return of_sink_write(sink, tag, shared ? 4 : 8);
}

static onefold_status write_filling(of_sink sink, uint64_t bytes)
{
    static const char zeros[8];
    uint64_t whole = bytes > 0 && bytes <= 4 ? 4 : (bytes + 7) / 8 * 8;
    return of_sink_write(sink, zeros, (size_t)(whole - bytes));
}

/* An element: a tag of type and length, data, filled up to 8 bytes. Data that is streamed goes
 * between a tag and a filling of the same length. */
static onefold_status write_element(of_sink sink, uint32_t type, const void *data, uint64_t bytes)
{
    OF_TRY(write_tag(sink, type, bytes));
    OF_TRY(of_sink_write(sink, data, (size_t)bytes));
    return write_filling(sink, bytes);
}

/* ---- arrays --------------------------------------------------------------------------------- */

static uint64_t head_bytes(const array_head *array)
{
    return 16 + element_bytes(4u * (uint64_t)array->dimensions) +
           element_bytes(strlen(array->name));
}

/* What every array starts with: the tag of the whole, flags, dimensions, name. `body` is the bytes
 * that follow. */
static onefold_status write_head(of_sink sink, const array_head *array, uint64_t body)
{
    uint32_t flags[2] = {array->class, array->nonzeros};
    OF_TRY(write_tag(sink, MI_MATRIX, head_bytes(array) + body));
    OF_TRY(write_element(sink, OF_MI_UINT32, flags, sizeof flags));
    OF_TRY(write_element(sink, OF_MI_INT32, array->size, 4u * (uint64_t)array->dimensions));
    return write_element(sink, OF_MI_INT8, array->name, strlen(array->name));
}

static uint64_t view_body(const of_view *view)
{
    if (view->storage == OF_SPARSE) {
        uint64_t entries = of_csr_entries(&view->sparse);
        return element_bytes(4 * entries) + element_bytes(4 * ((uint64_t)view->columns + 1)) +
               element_bytes(8 * entries);
    }
    return element_bytes((uint64_t)view->samples * view->columns * of_type_size(view->type));
}

static array_head view_header(const of_view *view, const char *name)
{
    array_head array = {.class = class_of(view->type),
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
    OF_TRY(write_element(sink, OF_MI_INT32, columns.index, 4 * entries));
    OF_TRY(write_element(sink, OF_MI_INT32, start, 4 * ((uint64_t)columns.rows + 1)));
    return write_element(sink, OF_MI_DOUBLE, columns.value, 8 * entries);
}

static onefold_status write_view(of_context *context, of_sink sink, const of_view *view,
                                 const char *name)
{
    array_head array = view_header(view, name);
    OF_TRY(write_head(sink, &array, view_body(view)));
    if (view->storage == OF_SPARSE)
        return put_sparse(context, sink, &view->sparse);
    uint64_t bytes = (uint64_t)view->samples * view->columns * of_type_size(view->type);
    OF_TRY(write_tag(sink, data_type(view->type), bytes));
    OF_TRY(of_write_elements(context, sink, view, OF_ORDER_COLUMNS));
    return write_filling(sink, bytes);
}

/* A view as an array, samples x columns. */
static uint64_t view_bytes(const of_view *view, const char *name)
{
    array_head array = view_header(view, name);
    return 8 + head_bytes(&array) + view_body(view);
}

/* ---- variables: each an element of its own, compressed -------------------------------------- */

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

/* Refuses what the format cannot count: its lengths are 32 bits, its indices 31. */
static onefold_status check_view(const of_atomic_file *file, const of_view *view)
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

static onefold_status begin_variable(open_variable *variable, of_sink *sink, of_arena *arena,
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

static onefold_status end_variable(open_variable *variable)
{
    OF_TRY(of_deflate_finish(&variable->deflate));
    OF_TRY(check_fits(variable->file, "", variable->deflate.out));
    uint32_t length = (uint32_t)variable->deflate.out;
    return of_atomic_patch(variable->file, variable->start + 4, &length, sizeof length);
}

onefold_status of_mat_start(of_atomic_file *file)
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

onefold_status of_mat_array(of_atomic_file *file, const char *name, const of_view *view)
{
    OF_SCRATCH(scratch, file->context);
    open_variable variable;
    of_sink sink;
    OF_TRY(check_view(file, view));
    OF_TRY(begin_variable(&variable, &sink, &scratch, file, name, view_bytes(view, name)));
    OF_TRY(write_view(file->context, sink, view, name));
    return end_variable(&variable);
}

static onefold_status write_cell(of_atomic_file *file, const of_dataset *dataset)
{
    OF_SCRATCH(scratch, file->context);
    array_head cell = {.class = OF_MX_CELL,
                       .dimensions = 2,
                       .size = {1, (int32_t)dataset->view_count},
                       .name = "X"};
    uint64_t body = 0;
    for (size_t v = 0; v < dataset->view_count; v++) {
        OF_TRY(check_view(file, &dataset->views[v]));
        body += view_bytes(&dataset->views[v], "");
    }
    open_variable variable;
    of_sink sink;
    OF_TRY(begin_variable(&variable, &sink, &scratch, file, "X", 8 + head_bytes(&cell) + body));
    OF_TRY(write_head(sink, &cell, body));
    for (size_t v = 0; v < dataset->view_count; v++)
        OF_TRY(write_view(file->context, sink, &dataset->views[v], ""));
    return end_variable(&variable);
}

static onefold_status write_kernels(of_atomic_file *file, const of_dataset *dataset, int same_type)
{
    OF_SCRATCH(scratch, file->context);
    size_t n = dataset->samples;
    of_type type = same_type ? dataset->views[0].type : OF_F64;
    array_head tensor = {.class = class_of(type),
                         .dimensions = 3,
                         .size = {(int32_t)n, (int32_t)n, (int32_t)dataset->view_count},
                         .name = "KH"};
    OF_TRY(check_view(file, &dataset->views[0]));
    uint64_t bytes = (uint64_t)n * n * dataset->view_count * of_type_size(type);
    open_variable variable;
    of_sink sink;
    OF_TRY(begin_variable(&variable, &sink, &scratch, file, "KH",
                          8 + head_bytes(&tensor) + element_bytes(bytes)));
    OF_TRY(write_head(sink, &tensor, element_bytes(bytes)));
    OF_TRY(write_tag(sink, data_type(type), bytes));
    for (size_t v = 0; v < dataset->view_count; v++)
        OF_TRY(of_write_kernel(file->context, sink, &dataset->views[v], same_type));
    OF_TRY(write_filling(sink, bytes));
    return end_variable(&variable);
}

static array_head text_head(const char *text)
{
    array_head array = {.class = OF_MX_CHAR,
                        .dimensions = 2,
                        .size = {1, (int32_t)of_utf8_count(text, strlen(text))},
                        .name = ""};
    return array;
}

/* An empty text would be read as nothing at all. */
static const char *some_text(const char *text)
{
    return *text ? text : " ";
}

onefold_status of_mat_texts(of_atomic_file *file, const char *name, size_t count,
                            const char *const *text)
{
    OF_SCRATCH(scratch, file->context);
    array_head cell = {
        .class = OF_MX_CELL, .dimensions = 2, .size = {(int32_t)count, 1}, .name = name};
    uint64_t body = 0;
    for (size_t j = 0; j < count; j++) {
        array_head array = text_head(some_text(text[j]));
        body += 8 + head_bytes(&array) + element_bytes(strlen(some_text(text[j])));
    }
    open_variable variable;
    of_sink sink;
    OF_TRY(begin_variable(&variable, &sink, &scratch, file, name, 8 + head_bytes(&cell) + body));
    OF_TRY(write_head(sink, &cell, body));
    for (size_t j = 0; j < count; j++) {
        const char *one = some_text(text[j]);
        array_head array = text_head(one);
        OF_TRY(write_head(sink, &array, element_bytes(strlen(one))));
        OF_TRY(write_element(sink, OF_MI_UTF8, one, strlen(one)));
    }
    return end_variable(&variable);
}

onefold_status of_mat_views(of_atomic_file *file, const of_dataset *dataset)
{
    int same_type;
    return of_all_kernels(dataset, &same_type) ? write_kernels(file, dataset, same_type)
                                               : write_cell(file, dataset);
}
