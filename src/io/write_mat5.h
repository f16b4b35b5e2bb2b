/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of a MATLAB file of version 5: elements, array headers, views, and variables, each
 * compressed on its own.
 */
#ifndef OF_IO_WRITE_MAT5_H
#define OF_IO_WRITE_MAT5_H

#include "io/write_parts.h"

/* Types of stored data, and classes of arrays, by the format's numbers. */
enum { OF_MI_INT8 = 1, OF_MI_INT32 = 5, OF_MI_UINT32 = 6, OF_MI_DOUBLE = 9, OF_MI_UTF8 = 16 };
enum { OF_MX_CELL = 1, OF_MX_CHAR = 4, OF_MX_SPARSE = 5 };
uint32_t of_mat_write_data_type(of_type type);
uint32_t of_mat_write_class(of_type type);

/* An element: a tag of type and length, data, filled up to 8 bytes. Data that is streamed goes
 * between a tag and a filling of the same length. */
uint64_t of_mat_write_element_bytes(uint64_t data);
onefold_status of_mat_write_tag(of_sink sink, uint32_t type, uint64_t bytes);
onefold_status of_mat_write_filling(of_sink sink, uint64_t bytes);
onefold_status of_mat_write_element(of_sink sink, uint32_t type, const void *data, uint64_t bytes);

typedef struct of_mat_write_head {
    uint32_t class;
    uint32_t nonzeros; /* of a sparse array */
    int dimensions;
    int32_t size[3];
    const char *name;
} of_mat_write_head;

/* What every array starts with: the tag of the whole, flags, dimensions, name. `body` is the bytes
 * that follow. */
uint64_t of_mat_write_header_bytes(const of_mat_write_head *array);
onefold_status of_mat_write_header(of_sink sink, const of_mat_write_head *array, uint64_t body);

/* A view as an array, samples x columns. */
uint64_t of_mat_write_view_bytes(const of_view *view, const char *name);
onefold_status of_mat_write_view(of_context *context, of_sink sink, const of_view *view,
                                 const char *name);

/* A variable of `bytes` bytes before compression, which are written to the sink. */
typedef struct of_mat_write_variable {
    of_atomic_file *file;
    uint64_t start;
    of_deflate deflate;
} of_mat_write_variable;
onefold_status of_mat_write_begin(of_mat_write_variable *variable, of_sink *sink, of_arena *arena,
                                  of_atomic_file *file, const char *name, uint64_t bytes);
onefold_status of_mat_write_end(of_mat_write_variable *variable);

/* Refuses what the format cannot count: its lengths are 32 bits, its indices 31. */
onefold_status of_mat_write_check_view(const of_atomic_file *file, const of_view *view);

/* The first 128 bytes of a file, without a date. */
onefold_status of_mat_write_file_header(of_atomic_file *file);

#endif
