/* SPDX-License-Identifier: Apache-2.0 */
/* A table of text: where its rows are, what parts its cells, which of its columns are words. */
#ifndef OF_IO_TABLE_H
#define OF_IO_TABLE_H

#include "io/file.h"
#include "io/number.h"

typedef struct of_table {
    const char *begin, *end; /* the rows of data */
    size_t first_line;       /* the line of the file that `begin` is, from 1 */
    char separator;          /* ',', '\t', ';', ' ' for any blanks, or '\n': a line is one cell */
    char point;              /* the decimal point besides '.' */
    int comma;               /* a number was seen that has it */
    size_t columns;          /* cells in a row, the rows' names included */
    const char **header;     /* one per column, or NULL */
    int named_rows;          /* the header says that the first column is names */
    unsigned char *is_text;  /* per column */
} of_table;

typedef struct of_field {
    const char *begin, *end; /* without blanks and quotes around it */
    int quoted;              /* there were quotes: two of them inside are one that is meant */
} of_field;

/* ---- lines and fields (table_field.c) ------------------------------------------------------- */

static inline int of_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Copies a cell's text, with room for its bytes and a zero. */
void of_field_copy(const of_field *cell, char *text);

/* The next line that is not blank: its start and end; NULL after the last. `at` moves behind it,
 * and `lines` counts up all that were passed, the one found included. */
const char *of_table_line(const char **at, const char *end, const char **line_end, size_t *lines);

/* The cell at `at`, and where the next starts: NULL after the last of the line. */
const char *of_table_field(const of_table *table, const char *at, const char *line_end,
                           of_field *cell);

/* Whether the whole cell is a number, or a word for a missing or infinite one. */
int of_field_number(const of_table *table, const of_numbers *numbers, const of_field *cell,
                    double *value);

/* ---- the table ------------------------------------------------------------------------------ */

/* Finds out about the table that the file's contents are. Arrays come from `arena`. */
onefold_status of_table_open(of_table *table, of_arena *arena, const of_numbers *numbers,
                             const char *text, size_t size, onefold_header header);

/* Reads the columns of numbers, row by row, into `values` from `arena`. Rows may be split over
 * processes: then *split is 1, and those of the others' shares are left out. */
onefold_status of_table_numbers(const of_table *table, const of_numbers *numbers, of_arena *arena,
                                double **values, size_t *rows, int *split);

/* Where the rows are, roughly: enough to read any of them without those before. */
typedef struct of_table_index {
    size_t pieces;
    const char **start; /* pieces + 1 */
    size_t *row, *line; /* pieces + 1: rows and lines before each */
    int mapped;
} of_table_index;

/* Counts the rows, in pieces of about `size` bytes. Where the text is `mapped` from a file, it is
 * released behind the count. */
onefold_status of_table_index_make(const of_table *table, of_arena *arena, size_t size, int mapped,
                                   of_table_index *index);

/* The piece that a row is in; the last for rows past the end. */
size_t of_table_index_piece(const of_table_index *index, size_t row);

/* Rows first .. first+count-1 of a table without words, columns x count, a row contiguous. */
onefold_status of_table_rows(const of_table *table, const of_numbers *numbers,
                             const of_table_index *index, size_t first, size_t count, double *out,
                             size_t ldo);

/* Releases the memory behind rows first .. first+count-1 of a mapped file. */
void of_table_release(const of_table_index *index, size_t first, size_t count);

/* Reads a column of words into strings from `arena`; refuses numbers in it unless `mixed`. */
onefold_status of_table_words(const of_table *table, const of_numbers *numbers, of_arena *arena,
                              size_t column, size_t *rows, int mixed, const char ***words);

/* The ids of a table's rows. */
typedef struct of_table_id_column {
    size_t column; /* SIZE_MAX: there are none */
    size_t rows;
    const char **name;
    int by_name;      /* it is the column that was asked for */
    int headed;       /* or its heading is one that ids have */
    int doubtful;     /* a column of numbers is called as ids are, and holds one twice: */
    const char *twin; /* this one, NULL where some are empty, */
    size_t doubted;   /* in this column */
} of_table_id_column;

/* Finds the column of ids, and marks it as words. `asked` is its name, its number from 1, "none",
 * or NULL: by rule. Words are from `arena`. */
onefold_status of_table_ids(of_table *table, const of_numbers *numbers, of_arena *arena,
                            const char *asked, of_table_id_column *ids);

/* The sentence for a cell that is not a number. */
onefold_status of_table_not_a_number(size_t row, size_t line, size_t column, const of_field *cell);

#endif
