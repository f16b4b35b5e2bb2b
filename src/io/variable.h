/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a file holds, whatever its format: a small tree of named variables. Readers make it, and the
 * rule that finds views and labels looks at nothing else.
 */
#ifndef OF_IO_VARIABLE_H
#define OF_IO_VARIABLE_H

#include "data/view.h"

typedef enum of_variable_kind {
    OF_VARIABLE_MATRIX, /* dense or sparse */
    OF_VARIABLE_CELL,   /* a list of variables */
    OF_VARIABLE_TEXT,   /* a list of strings */
    OF_VARIABLE_OTHER   /* nothing that can be used: `what` says what it is */
} of_variable_kind;

typedef struct of_variable of_variable;
struct of_variable {
    const char *name; /* as the file has it: "X", "X{2}" for the second of a cell */
    of_variable_kind kind;

    of_matrix matrix; /* it, or its first page; row_names of text too. Its name is not set */
    size_t pages;     /* 1 unless the variable has three sides, which only dense ones have; */
    size_t page_step; /* then (r, c, p) is element r * row_step + c * column_step + p * page_step */

    /* cell and text */
    size_t count;
    of_variable *item;
    const char *const *text;

    int are_ids;  /* text: the ids of the rows of the table it is from */
    int of_table; /* matrix: the numbers of a table, of one column or more */
    /* matrix: a side has the names of features, or the columns have those of samples, from a file
     * beside it */
    unsigned char listed_rows, listed_columns, ids_columns;

    const char *what; /* other: "a struct", "empty", ... */
};

/* A variable at the top of a file. */
typedef struct of_top {
    of_variable variable;
    of_owner *store; /* of the memory of everything below it */
} of_top;

static inline int of_variable_is_dense(const of_variable *variable)
{
    return variable->kind == OF_VARIABLE_MATRIX && variable->matrix.storage == OF_DENSE;
}

/* A variable with nothing that can be used in it. */
static inline of_variable of_variable_other(const char *name, const char *what)
{
    of_variable other = {.name = name, .kind = OF_VARIABLE_OTHER, .what = what};
    return other;
}

#endif
