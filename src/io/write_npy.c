/* SPDX-License-Identifier: Apache-2.0 */
/* NumPy's .npy: a header that is a Python literal, then the elements. */
#include "io/write_parts.h"

#include <stdio.h>
#include <string.h>

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
        array.order = of_natural_order(view);
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
