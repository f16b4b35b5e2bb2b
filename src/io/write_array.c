/* SPDX-License-Identifier: Apache-2.0 */
/* One array into a file: its elements in the order a format wants them, .npy, separated text,
 * Matrix Market. */
#include "io/write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- elements ------------------------------------------------------------------------------- */

enum { BATCH = 1 << 22 }; /* bytes that are gathered or handed over at a time */

/* The order that follows memory. */
static of_order natural_order(const of_view *view)
{
    return view->sample_step == 1 && view->column_step != 1 ? OF_ORDER_COLUMNS : OF_ORDER_ROWS;
}

/* out[line * length + i] = element (first + line, i) of lines `line_step` apart, with elements
 * `step` apart. The loop over lines is inside: their elements are neighbours where `step` is not.
 */
#define GATHER(type)                                                                               \
    for (size_t i = 0; i < length; i++)                                                            \
        for (size_t line = 0; line < lines; line++)                                                \
    ((type *)out)[line * length + i] = ((const type *)data)[(first + line) * line_step + i * step]

static void gather(void *out, const void *data, size_t size, size_t first, size_t lines,
                   size_t line_step, size_t length, size_t step)
{
    switch (size) {
    case 1:
        GATHER(uint8_t);
        break;
    case 2:
        GATHER(uint16_t);
        break;
    case 4:
        GATHER(uint32_t);
        break;
    default:
        GATHER(uint64_t);
    }
}

onefold_status of_write_elements(of_context *context, of_sink sink, const of_view *view,
                                 of_order order)
{
    int rows = order == OF_ORDER_ROWS;
    size_t count = rows ? view->samples : view->columns,
           length = rows ? view->columns : view->samples,
           line_step = rows ? view->sample_step : view->column_step,
           step = rows ? view->column_step : view->sample_step, size = of_type_size(view->type);
    if (count == 0 || length == 0)
        return ONEFOLD_OK;
    size_t at_once = BATCH / size / length;
    if (at_once < 64 / size)
        at_once = 64 / size; /* a cache line's worth, however long the lines */
    if (at_once > count)
        at_once = count;
    OF_SCRATCH(scratch, context);
    unsigned char *block = NULL;
    if (step != 1)
        OF_TRY(OF_NEW(&scratch, &block, at_once * size, length));
    for (size_t first = 0; first < count; first += at_once) {
        size_t lines = count - first < at_once ? count - first : at_once;
        OF_TRY(of_context_check(context));
        if (step != 1) {
            gather(block, view->data, size, first, lines, line_step, length, step);
            OF_TRY(of_sink_write(sink, block, lines * length * size));
            continue;
        }
        const unsigned char *line = (const unsigned char *)view->data + first * line_step * size;
        for (size_t i = 0; i < lines; i++)
            OF_TRY(of_sink_write(sink, line + i * line_step * size, length * size));
    }
    return ONEFOLD_OK;
}

onefold_status of_write_doubles(of_context *context, of_sink sink, const of_view *view)
{
    if (view->columns == 0)
        return ONEFOLD_OK;
    size_t at_once = BATCH / sizeof(double) / view->columns;
    if (at_once < 1)
        at_once = 1;
    OF_SCRATCH(scratch, context);
    double *block;
    OF_TRY(OF_NEW(&scratch, &block, view->columns, at_once));
    for (size_t first = 0; first < view->samples; first += at_once) {
        size_t count = view->samples - first < at_once ? view->samples - first : at_once;
        OF_TRY(of_context_check(context));
        of_view_tile(view, first, count, block, view->columns);
        OF_TRY(of_sink_write(sink, block, count * view->columns * sizeof *block));
    }
    return ONEFOLD_OK;
}

/* ---- NumPy's .npy: a header that is a Python literal, then the elements --------------------- */

/* "<f8": byte order of this machine, kind, size. */
static const char *number_code(of_type type)
{
    static const char *const little[OF_TYPE_COUNT] = {"<f8", "<f4", "|i1", "|u1", "<i2",
                                                      "<u2", "<i4", "<u4", "<i8", "<u8"};
    static const char *const big[OF_TYPE_COUNT] = {">f8", ">f4", "|i1", "|u1", ">i2",
                                                   ">u2", ">i4", ">u4", ">i8", ">u8"};
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? little[type] : big[type];
}

/* Magic, version 1.0, length of the text, and the text filled up to a multiple of 64 in all. */
static size_t format_header(char header[256], const of_npy *array)
{
    char shape[96] = "", code[32];
    size_t length = 0;
    if (array->characters)
        snprintf(code, sizeof code, "%cU%zu", number_code(OF_F64)[0], array->characters);
    else
        snprintf(code, sizeof code, "%s", number_code(array->type));
    for (size_t i = 0; i < array->dimensions; i++)
        length += (size_t)snprintf(shape + length, sizeof shape - length, "%zu,%s", array->shape[i],
                                   i + 1 < array->dimensions ? " " : "");
    if (array->dimensions > 1)
        shape[length - 1] = '\0'; /* only (5,) keeps its comma */
    int text = snprintf(header + 10, 246, "{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }",
                        code, array->order == OF_ORDER_COLUMNS ? "True" : "False", shape);
    size_t total = (10 + (size_t)text + 1 + 63) / 64 * 64;
    memcpy(header, "\x93NUMPY\x01\x00", 8);
    header[8] = (char)((total - 10) & 0xff);
    header[9] = (char)((total - 10) >> 8);
    memset(header + 10 + text, ' ', total - 10 - (size_t)text);
    header[total - 1] = '\n';
    return total;
}

uint64_t of_npy_bytes(const of_npy *array)
{
    char header[256];
    uint64_t size = array->characters ? 4 * array->characters : of_type_size(array->type);
    for (size_t i = 0; i < array->dimensions; i++)
        size *= array->shape[i];
    return format_header(header, array) + size;
}

onefold_status of_npy_header(of_sink sink, const of_npy *array)
{
    char header[256];
    size_t size = format_header(header, array);
    return of_sink_write(sink, header, size);
}

of_npy of_npy_of_view(const of_view *view)
{
    of_npy array = {.type = OF_F64,
                    .dimensions = 2,
                    .shape = {view->samples, view->columns},
                    .order = OF_ORDER_ROWS};
    if (view->storage != OF_SPARSE) {
        array.type = view->type;
        array.order = natural_order(view);
    }
    return array;
}

onefold_status of_write_npy(of_context *context, of_sink sink, const of_view *view)
{
    of_npy array = of_npy_of_view(view);
    OF_TRY(of_npy_header(sink, &array));
    if (view->storage == OF_SPARSE)
        return of_write_doubles(context, sink, view);
    return of_write_elements(context, sink, view, array.order);
}

/* ---- text: separated values, and Matrix Market ---------------------------------------------- */

enum { NUMBER = 32, TEXT_BATCH = 1 << 20 };

int of_number_text(char *text, double number, int single)
{
    if (number == trunc(number) && fabs(number) < 1e15)
        return snprintf(text, NUMBER, "%.0f", number + 0.0); /* -0 becomes 0 */
    int length = 0;
    for (int digits = single ? 6 : 15; digits <= (single ? 9 : 17); digits++) {
        length = snprintf(text, NUMBER, "%.*g", digits, number);
        if (single ? strtof(text, NULL) == (float)number : strtod(text, NULL) == number)
            break;
    }
    return length;
}

static onefold_status put_number(of_atomic_file *file, double number, int single, char after)
{
    char text[NUMBER + 1];
    int length = of_number_text(text, number, single);
    text[length] = after;
    return of_atomic_write(file, text, (size_t)length + 1);
}

onefold_status of_write_name(of_atomic_file *file, const char *name, char separator, char after)
{
    char special[] = {separator, '"', '\n', '\r', '\0'};
    size_t length = strlen(name);
    int bare = !name[strcspn(name, special)] && /* blanks at the ends would be taken off */
               (!length || (!strchr(" \t", name[0]) && !strchr(" \t", name[length - 1])));
    if (bare)
        return of_atomic_print(file, "%s%c", name, after);
    OF_TRY(of_atomic_write(file, "\"", 1));
    for (; *name; name++)
        OF_TRY(of_atomic_write(file, *name == '"' ? "\"\"" : name, *name == '"' ? 2 : 1));
    return of_atomic_print(file, "\"%c", after);
}

/* Calls for samples at a time; a batch of them is converted to doubles at once. */
static size_t samples_at_once(const of_view *view)
{
    size_t count = TEXT_BATCH / (sizeof(double) * view->columns);
    return count > 0 ? count : 1;
}

/* The line above the numbers, if there is to be one. */
static onefold_status write_header(of_atomic_file *file, const of_view *view, int samples_named,
                                   char separator)
{
    if (!view->column_names && !samples_named)
        return ONEFOLD_OK;
    if (samples_named)
        OF_TRY(of_atomic_print(file, "sample%c", separator));
    for (size_t i = 0; i < view->columns; i++) {
        char after = i + 1 < view->columns ? separator : '\n';
        OF_TRY(view->column_names ? of_write_name(file, view->column_names[i], separator, after)
                                  : of_atomic_print(file, "%zu%c", i + 1, after));
    }
    return ONEFOLD_OK;
}

onefold_status of_write_named_text(of_atomic_file *file, const of_view *view,
                                   const char *const *names, char separator)
{
    size_t columns = view->columns, at_once = samples_at_once(view);
    OF_TRY(write_header(file, view, names != NULL, separator));
    OF_SCRATCH(scratch, file->context);
    double *tile;
    OF_TRY(OF_NEW(&scratch, &tile, columns, at_once));
    for (size_t first = 0; first < view->samples; first += at_once) {
        size_t count = view->samples - first < at_once ? view->samples - first : at_once;
        of_view_tile(view, first, count, tile, columns);
        for (size_t j = 0; j < count; j++) {
            if (names)
                OF_TRY(of_write_name(file, names[first + j], separator, separator));
            for (size_t i = 0; i < columns; i++)
                OF_TRY(put_number(file, tile[i + j * columns], view->type == OF_F32,
                                  i + 1 < columns ? separator : '\n'));
        }
    }
    return ONEFOLD_OK;
}

onefold_status of_write_text(of_atomic_file *file, const of_view *view, char separator)
{
    return of_write_named_text(file, view, NULL, separator);
}

static onefold_status write_coordinates(of_atomic_file *file, const of_csr *sparse)
{
    OF_TRY(of_atomic_print(file, "%%%%MatrixMarket matrix coordinate real general\n%zu %zu %zu\n",
                           sparse->rows, sparse->columns, of_csr_entries(sparse)));
    for (size_t j = 0; j < sparse->rows; j++)
        for (size_t e = of_csr_start(sparse, j); e < of_csr_start(sparse, j + 1); e++) {
            OF_TRY(of_atomic_print(file, "%zu %zu ", j + 1, (size_t)of_csr_index(sparse, e) + 1));
            OF_TRY(put_number(file, of_csr_value(sparse, e), sparse->single_value, '\n'));
        }
    return ONEFOLD_OK;
}

onefold_status of_write_mtx(of_atomic_file *file, const of_view *view)
{
    if (view->storage == OF_SPARSE)
        return write_coordinates(file, &view->sparse);
    OF_TRY(of_atomic_print(file, "%%%%MatrixMarket matrix array real general\n%zu %zu\n",
                           view->samples, view->columns));
    /* Column by column: each column is a view of its own. */
    for (size_t i = 0; i < view->columns; i++) {
        of_view column = *view;
        column.storage = OF_DENSE;
        column.columns = 1;
        column.column_names = NULL;
        column.data = (const char *)view->data + i * view->column_step * of_type_size(view->type);
        OF_TRY(of_write_text(file, &column, ' '));
    }
    return ONEFOLD_OK;
}
