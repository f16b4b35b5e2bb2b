/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a file holds, whatever its format: a small tree of named variables, which readers make and
 * the rule that finds views and labels looks at; and what the readers share to make them.
 */
#ifndef OF_IO_BUILD_H
#define OF_IO_BUILD_H

#include "data/dataset.h"

typedef enum of_variable_kind {
    OF_VARIABLE_MATRIX, /* dense or sparse */
    OF_VARIABLE_CELL,   /* a list of variables */
    OF_VARIABLE_TEXT,   /* a list of strings */
    OF_VARIABLE_OTHER   /* nothing that can be used: `what` says what it is */
} of_variable_kind;

/* What the names of a matrix's sides are, where a list of names has given them: of features, or of
 * samples. */
typedef struct of_listed {
    unsigned char rows, columns, ids_columns;
} of_listed;

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

    int are_ids;      /* text: the ids of the rows of the table it is from */
    int left_out;     /* text: a column of a table of which its reader says so */
    int of_table;     /* matrix: the numbers of a table, of one column or more */
    of_listed listed; /* matrix */

    const char *what; /* other: "a struct", "empty", ... */
};

/* A variable at the top of a file. */
typedef struct of_top {
    of_variable variable;
    of_owner *store;        /* of the memory of everything below it */
    unsigned char is_label; /* it is labels, or says who is present: no view */
} of_top;

static inline int of_variable_is_dense(const of_variable *variable)
{
    return variable->kind == OF_VARIABLE_MATRIX && variable->matrix.storage == OF_DENSE;
}

/* Makes a variable one with nothing that can be used in it. */
static inline onefold_status of_build_other(of_variable *variable, const char *name,
                                            const char *what)
{
    *variable = (of_variable){.name = name, .kind = OF_VARIABLE_OTHER, .what = what};
    return ONEFOLD_OK;
}

/* The kind of each type, 'f', 'i' or 'u', as NumPy calls it; and the type of a kind with elements
 * of so many bytes, OF_TYPE_COUNT where it is none of ours. */
#define OF_TYPE_KINDS "ffiuiuiuiu"
static inline of_type of_type_find(char kind, size_t size)
{
    of_type type = 0;
    while (type < OF_TYPE_COUNT && (OF_TYPE_KINDS[type] != kind || of_type_size(type) != size))
        type++;
    return type;
}

/* Makes a variable a dense matrix of numbers: three sides, the last of which is that of pages, rows
 * one after the other or column after column. */
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

/* Makes it a sparse one of `rows` x `columns` from three arrays, compressed by row or by column,
 * which are checked: what points outside is refused, lines are sorted, entries of the same place
 * added. Arrays that are already as they must be are used where they lie, and `store` holds their
 * owners. */
onefold_status of_build_compressed(of_owner *store, of_variable *variable, size_t rows,
                                   size_t columns, int by_column, const of_array *start,
                                   const of_array *index, const of_array *value);

/* The same of a list of entries: as many rows and columns, from 0, as values. */
onefold_status of_build_coordinates(of_arena *arena, size_t rows, size_t columns,
                                    const of_array *row, const of_array *column,
                                    const of_array *value, of_matrix *matrix);

/* A text variable of `rows` strings from `rows` x `columns` character units, trailing blanks left
 * out; column-major, or `by_row` with a string's units next to each other. The units are UTF-8
 * bytes, UTF-16 or UTF-32. */
onefold_status of_build_text(of_arena *arena, size_t rows, size_t columns, int by_row,
                             const of_array *units, of_variable *variable);

/* Makes a cell with one text in each place a list of texts. */
onefold_status of_build_list(of_arena *arena, of_variable *cell);

/* The samples of a view that are present in it, in their order, as a view with memory from `arena`;
 * `square` takes the same samples of the columns too, as a kernel or a graph needs it. The data
 * set's own view where nothing is missing, else of floating-point numbers. */
onefold_status of_present_view(of_arena *arena, const of_dataset *dataset, size_t view, int square,
                               const of_view **compact);

/* The numbers of an array that lie in a file's bytes, aligned and in this machine's order: where
 * they are, or a copy in `store`. `swap` says that the file has the other order. */
onefold_status of_array_align(of_owner *store, int swap, of_array *array);

/* Names and labels out of files are shown to people and written as JSON: what is no character of
 * UTF-8, or controls a terminal, becomes a question mark. */
void of_text_clean(char *text);

/* Writes a code point as UTF-8, and returns where it ends. */
static inline char *of_text_put(char *at, uint32_t code)
{
    int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3; /* bytes that follow */
    static const unsigned char first[] = {0, 0xc0, 0xe0, 0xf0};
    *at++ = (char)(first[more] | code >> 6 * more);
    while (more-- > 0)
        *at++ = (char)(0x80 | (code >> 6 * more & 0x3f));
    return at;
}

/* Names in a sentence, "a, b and 3 more": as many as there is room for. All zero at first. */
typedef struct of_list {
    char text[700];
    size_t used, count, more;
} of_list;
void of_list_add(of_list *list, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The next name of a list with commas, without the blanks around it, and behind it; 0 at the end.
 * It starts with a list that may be NULL. */
int of_list_next(const char **list, const char **name, int *length);

/* The order of two texts, for qsort and bsearch of lists of them. */
int of_compare_texts(const void *a, const void *b);

/* Passes an error on, with what it is about before its sentence. */
#define OF_TRY_OF(name, call)                                                                      \
    do {                                                                                           \
        onefold_status of_try_status_ = (call);                                                    \
        if (of_try_status_ != ONEFOLD_OK)                                                          \
            return of_blame(of_try_status_, "%s", name);                                           \
    } while (0)

/* Refuses a file that was cut short or changed on its way: the hint is to get it again. */
onefold_status of_damaged(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* a * b of sides that a file claims: more than can be counted is the file's fault. */
onefold_status of_claimed_size(size_t *product, size_t a, size_t b);

/* ---- decimal text to the nearest double, several times faster than the C library (number.c) - */

/* The number that starts at `text` and where it ends, before `end`; `text` itself where there is
 * none. `point` is '.', or ',' to accept either. Words (nan, inf) are no numbers. */
const char *of_number_read(const char *text, const char *end, char point, double *value);

/* A whole number from 0 in decimal digits; `text` itself where there is none or it is too large. */
const char *of_number_read_size(const char *text, const char *end, size_t *value);

#endif
