/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a file holds, whatever its format: a small tree of named variables. Readers make it, and the
 * rule that finds views and labels looks at nothing else.
 */
#ifndef OF_IO_VARIABLE_H
#define OF_IO_VARIABLE_H

#include "data/view.h"

typedef enum of_variable_kind {
    OF_VARIABLE_DENSE,
    OF_VARIABLE_SPARSE,
    OF_VARIABLE_CELL, /* a list of variables */
    OF_VARIABLE_TEXT, /* a list of strings */
    OF_VARIABLE_OTHER /* nothing that can be used: `what` says what it is */
} of_variable_kind;

typedef struct of_variable of_variable;
struct of_variable {
    const char *name; /* as the file has it: "X", "X{2}" for the second of a cell */
    of_variable_kind kind;
    size_t rows, columns, pages; /* pages is 1 unless the variable has three sides */

    /* dense: (r, c, p) is element r * row_step + c * column_step + p * page_step of data */
    const void *data;
    const of_view_source
        *source; /* in the place of data: rows that are read as they are asked for */
    of_type type;
    size_t row_step, column_step, page_step;
    const char *const *column_names; /* NULL, or one per column */
    const char *const *row_names;    /* NULL, or one per row; of text too */

    /* sparse: by row, or by column (then sparse.rows is the number of columns) */
    of_sparse sparse;
    int by_row;

    /* cell and text */
    size_t count;
    of_variable *item;
    const char *const *text;

    int are_ids; /* text: the ids of the rows of the table it is from */

    const char *what; /* other: "a struct", "empty", ... */
};

/* A variable at the top of a file, and the memory of everything below it. */
typedef struct of_top {
    of_variable variable;
    of_arena store;
    int kept;                                 /* its memory is to go on living in the data set */
    void (*release)(void *what, size_t size); /* what else is to be undone at the end, or NULL */
    void *released;
} of_top;

/* A variable with nothing that can be used in it. */
static inline of_variable of_variable_other(const char *name, const char *what)
{
    of_variable other = {.name = name, .kind = OF_VARIABLE_OTHER, .what = what};
    return other;
}

#endif
