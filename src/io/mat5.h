/* SPDX-License-Identifier: Apache-2.0 */
/* The tagged elements a MATLAB 5 file is made of. */
#ifndef OF_IO_MAT5_H
#define OF_IO_MAT5_H

#include "io/file.h"

enum { OF_MI_MATRIX = 14, OF_MI_COMPRESSED = 15 };

/* Bytes that are being read, one element after the other. */
typedef struct of_mat5_cursor {
    const unsigned char *at, *end;
    int swap;        /* the file has the other byte order */
    of_owner *owner; /* what the bytes lie in */
} of_mat5_cursor;

typedef struct of_mat5_element {
    uint32_t type;
    size_t size;
    const unsigned char *data;
} of_mat5_element;

/* Takes the next element; truncated or not an element at all is ONEFOLD_BAD_DATA. */
onefold_status of_mat5_next(of_mat5_cursor *cursor, of_mat5_element *element);

/* The flags, sides and name that every array starts with. */
typedef struct of_mat5_header {
    unsigned class;
    int complex;
    size_t rank, side[3]; /* sides beyond the third are multiplied into `more` */
    size_t more;
    char name[64];
} of_mat5_header;
onefold_status of_mat5_read_header(of_mat5_cursor *cursor, of_mat5_header *header);

/* The element's numbers in this machine's order and aligned: where they lie, or a copy in the
 * store. */
onefold_status of_mat5_numbers(of_owner *store, const of_mat5_cursor *cursor,
                               const of_mat5_element *element, of_array *array);

/* Reads the array whose contents the cursor stands before; everything goes into `store`. */
onefold_status of_mat5_array(of_owner *store, of_mat5_cursor cursor, const char *name, int depth,
                             of_variable *variable);

#endif
