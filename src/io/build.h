/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variables: the contents of a file of any format, as a small tree. Readers build them, and the
 * rule that finds views and labels takes them. And what readers share.
 */
#ifndef OF_IO_BUILD_H
#define OF_IO_BUILD_H

#include "data/dataset.h"

typedef enum of_variable_kind {
    OF_VARIABLE_MATRIX, /* dense or sparse */
    OF_VARIABLE_CELL,   /* a list of variables */
    OF_VARIABLE_TEXT,   /* a list of strings */
    OF_VARIABLE_OTHER   /* not usable: `what` says why */
} of_variable_kind;

/* Which names of a matrix come from a list of names beside it: features as rows, features as
 * columns, and samples as columns. */
typedef struct of_listed {
    unsigned char rows, columns, ids_columns;
} of_listed;

typedef struct of_variable of_variable;
struct of_variable {
    const char *name; /* in the file: "X", or "X{2}" for the second of a cell */
    of_variable_kind kind;

    of_matrix matrix; /* or its first page, without a name; row_names are also set for text */
    size_t pages;     /* more than 1 only if dense, */
    size_t page_step; /* with (r, c, p) at r * row_step + c * column_step + p * page_step */

    /* cell and text */
    size_t count;
    of_variable *item;
    const char *const *text;

    int are_ids;      /* text: the ids of the rows of its table */
    int left_out;     /* text: a column that the note on its table calls left out */
    int of_table;     /* matrix: the numbers of a table */
    of_listed listed; /* matrix */

    const char *what; /* other: "a struct", "empty", ... */
};

/* A variable at the top of a file. */
typedef struct of_top {
    of_variable variable;
    of_owner *store;        /* of the memory of the variable and its items */
    unsigned char is_label; /* labels, or who is present: no view */
} of_top;

static inline int of_variable_is_dense(const of_variable *variable)
{
    return variable->kind == OF_VARIABLE_MATRIX && variable->matrix.storage == OF_DENSE;
}

/* Makes a variable one that is not usable. */
static inline onefold_status of_build_other(of_variable *variable, const char *name,
                                            const char *what)
{
    *variable = (of_variable){.name = name, .kind = OF_VARIABLE_OTHER, .what = what};
    return ONEFOLD_OK;
}

/* NumPy's kind of each type: 'f', 'i' or 'u'. The type of a kind and a size in bytes, OF_TYPE_COUNT
 * where there is none. */
#define OF_TYPE_KINDS "ffiuiuiuiu"
static inline of_type of_type_find(char kind, size_t size)
{
    of_type type = 0;
    while (type < OF_TYPE_COUNT && (OF_TYPE_KINDS[type] != kind || of_type_size(type) != size))
        type++;
    return type;
}

/* Makes a variable a dense array of rows x columns x pages, contiguous in C's order (`by_row`) or
 * in Fortran's. */
static inline void of_build_dense(of_variable *variable, const of_array *numbers,
                                  const size_t side[3], int by_row)
{
    variable->kind = OF_VARIABLE_MATRIX;
    variable->matrix = of_matrix_over(numbers->data, numbers->type, side[0], side[1],
                                      by_row ? side[1] * side[2] : 1, numbers->owner);
    variable->matrix.column_step = by_row ? side[2] : side[0];
    variable->pages = side[2];
    variable->page_step = by_row ? 1 : side[0] * side[1];
}

/* Makes a variable a sparse matrix from arrays compressed by row or by column, as
 * of_matrix_compressed. `store` holds the owners of the arrays that are borrowed. */
onefold_status of_build_compressed(of_owner *store, of_variable *variable, size_t rows,
                                   size_t columns, int by_column, const of_array *start,
                                   const of_array *index, const of_array *value);

/* A sparse matrix from a list of entries: a row and a column, from 0, for each value. */
onefold_status of_build_coordinates(of_arena *arena, size_t rows, size_t columns,
                                    const of_array *row, const of_array *column,
                                    const of_array *value, of_matrix *matrix);

/* Makes a variable a list of `rows` strings, without trailing blanks, from `rows` x `columns` units
 * of UTF-8, UTF-16 or UTF-32: column-major, or `by_row` with the units of a string contiguous. */
onefold_status of_build_text(of_arena *arena, size_t rows, size_t columns, int by_row,
                             const of_array *units, of_variable *variable);

/* Makes a cell whose items are one text each a list of texts. */
onefold_status of_build_list(of_arena *arena, of_variable *cell);

/* Aligns an array of a file and brings it into this machine's byte order; `swap`: the file has the
 * other order. The array is copied to `store` only where it changes. */
onefold_status of_array_align(of_owner *store, int swap, of_array *array);

/* Writes a code point as UTF-8, and returns its end. */
static inline char *of_text_put(char *at, uint32_t code)
{
    int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3; /* bytes that follow */
    static const unsigned char first[] = {0, 0xc0, 0xe0, 0xf0};
    *at++ = (char)(first[more] | code >> 6 * more);
    while (more-- > 0)
        *at++ = (char)(0x80 | (code >> 6 * more & 0x3f));
    return at;
}

/* Names in a sentence, as many as fit: "a, b and 3 more". Zero-initialised. */
typedef struct of_list {
    char text[700];
    size_t used, count, more;
} of_list;
void of_list_add(of_list *list, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Takes the next name, without blanks around it, off a list that commas separate; 0 at its end. The
 * list may be NULL. */
int of_list_next(const char **list, const char **name, int *length);

/* Compares two texts, for qsort and bsearch. */
int of_compare_texts(const void *a, const void *b);

/* As OF_TRY, with `name` before the error's sentence. */
#define OF_TRY_OF(name, call)                                                                      \
    do {                                                                                           \
        onefold_status of_try_status_ = (call);                                                    \
        if (of_try_status_ != ONEFOLD_OK)                                                          \
            return of_blame(of_try_status_, "%s", name);                                           \
    } while (0)

/* The error for a truncated or damaged file, with the hint to get it again. */
onefold_status of_damaged(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* a * b for sizes that a file claims; an overflow is an error of the file. */
onefold_status of_claimed_size(size_t *product, size_t a, size_t b);

#endif
