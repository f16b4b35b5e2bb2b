/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers share: sparse matrices and strings from arrays of any type. */
#ifndef OF_IO_BUILD_H
#define OF_IO_BUILD_H

#include "io/variable.h"

/* Numbers of any type in a row. */
typedef struct of_array {
    const void *data;
    of_type type;
    size_t count;
    of_owner *owner; /* what they lie in */
} of_array;

/* A sparse matrix of `lines` compressed lines of `width` from three arrays, which are checked: what
 * points outside is refused, lines are sorted, entries of the same place added. Arrays that are
 * already as they must be are used where they lie, and `store` holds their owners. */
onefold_status of_build_sparse(of_owner *store, size_t lines, size_t width, const of_array *start,
                               const of_array *index, const of_array *value, of_csr *sparse);

/* The same from a list of entries (line, place, number), whose places have been checked. */
onefold_status of_build_coordinates(of_arena *arena, size_t lines, size_t width, size_t entries,
                                    const uint32_t *line, const uint32_t *place,
                                    const double *number, of_csr *sparse);

/* A text variable of `rows` strings from `rows` x `columns` character units, trailing blanks left
 * out; column-major, or with a string's units next to each other. The units are UTF-8 bytes, UTF-16
 * or UTF-32. */
onefold_status of_build_text(of_arena *arena, size_t rows, size_t columns, const of_array *units,
                             of_variable *variable);
onefold_status of_build_text_rows(of_arena *arena, size_t rows, size_t columns,
                                  const of_array *units, of_variable *variable);

/* Bytes with what holds them. */
typedef struct of_bytes {
    const unsigned char *at;
    size_t size;
    of_owner *owner;
} of_bytes;

/* The first array->count numbers of array->type in some bytes, aligned and in this machine's order:
 * where they lie, or a copy in `store`. `swap` says that the file has the other order. */
onefold_status of_array_align(of_owner *store, of_bytes bytes, int swap, of_array *array);

/* Names and labels out of files are shown to people and written as JSON: what is no character of
 * UTF-8, or controls a terminal, becomes a question mark. */
void of_text_clean(char *text);

/* a * b of sides that a file claims: more than can be counted is the file's fault. */
onefold_status of_claimed_size(size_t *product, size_t a, size_t b);

/* Element `at` of an array as a double. */
double of_array_get(const of_array *array, size_t at);

#endif
