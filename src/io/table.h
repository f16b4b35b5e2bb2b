/* SPDX-License-Identifier: Apache-2.0 */
/* A table of text: where its rows are, what parts its cells, which of its columns are words. */
#ifndef OF_IO_TABLE_H
#define OF_IO_TABLE_H

#include "io/find.h"

#include <string.h>
#include <strings.h>

typedef struct of_table {
    of_file *file;                       /* that it is */
    const onefold_read_options *options; /* and what was asked of it */
    const char *text;        /* the whole file, line breaks within quotes made blanks (OF_FOLD) */
    const char *begin, *end; /* the rows of data */
    char separator;          /* ',', '\t', ';', ' ' for any blanks, or '\n': a line is one cell */
    int points;              /* a number was seen that has a decimal point */
    size_t columns;          /* cells in a row, the rows' names included */
    const char **header;     /* one per column, or NULL */
    int named_rows;          /* the header says that the first column is names */
    size_t units;            /* the line of units below the header, or 0 */
    size_t above;            /* the line above the header that is none of it, or 0 */
    int recoded;             /* the text was not UTF-8 */
    struct of_table_column *column; /* how each is read */
    of_table_id_column ids;
    double *values; /* the numbers, rows x width */
    size_t rows, width;
} of_table;

typedef struct of_field {
    const char *begin, *end; /* without blanks and quotes around it */
    int quoted;              /* there were quotes: two of them inside are one that is meant */
} of_field;

/* What stands for a line break within quotes: lines are still counted by it. */
#define OF_FOLD '\v'

/* ---- numbers as people write them (table_cell.c) -------------------------------------------- */

/* How the numbers of a column are written. */
typedef struct of_form {
    char point;  /* '.' or ',' before decimals; the other one may stand between thousands */
    int percent; /* every number but 0 must have its sign */
    int words;   /* two words for 0 and 1, */
    size_t pair; /* these */
} of_form;

/* What one cell tells of it. */
typedef struct of_form_seen {
    int percent;
    char point;    /* before decimals, for certain; 0: there is nothing to tell */
    char doubtful; /* 1,234: ',' is before decimals, or between thousands */
} of_form_seen;

/* Whether the cell is a number in some form, and what it tells. */
int of_form_look(const of_field *cell, of_form_seen *seen);

/* The number in a cell of a column. */
int of_form_read(const of_form *form, const of_field *cell, double *value);

/* Two words for 0 and 1. */
enum { OF_FORM_PAIRS = 6 };
extern const char *const of_form_pairs[OF_FORM_PAIRS][2];

/* Whether the cell says that there is no value; `among_words` "none" is one. */
int of_field_missing(const of_field *cell, int among_words);

/* Whether it holds this word, in capitals or not. */
static inline int of_field_is(const of_field *cell, const char *word)
{
    size_t length = (size_t)(cell->end - cell->begin);
    return strlen(word) == length && strncasecmp(word, cell->begin, length) == 0;
}

int of_field_is_date(const of_field *cell);

/* ---- what columns are (table.c) ----------------------------------------------------- */

/* Why a column is not in the matrix. */
typedef enum of_left {
    OF_LEFT_NOT, /* it is, or has the ids, or is labels */
    OF_LEFT_ASKED,
    OF_LEFT_EMPTY,
    OF_LEFT_DATES,
    OF_LEFT_TEXT,
    OF_LEFT_ONE,
    OF_LEFT_COUNT
} of_left;

/* What was asked of a column, by its name or number. */
enum {
    OF_ASKED_DROP = 1,
    OF_ASKED_FEATURE = 2,
    OF_ASKED_CATEGORY = 4,
    OF_ASKED_NUMBER = 8,
    OF_ASKED_TRUTH = 16,
    OF_ASKED_MODEL = 32 /* a model has it */
};

typedef struct of_table_column {
    of_form form;
    unsigned asked;        /* OF_ASKED_... */
    unsigned char text;    /* none of it is in the matrix */
    unsigned char code;    /* it has numbers like 00501 */
    unsigned char taken;   /* out of it again, once its values were seen */
    size_t at;             /* where it is in a row of the matrix */
    const char *formed;    /* its numbers are read by `form`: "45% is 0.45", "" where there is
                              nothing to say; NULL: plainly, */
    unsigned char plain;   /* and there is nothing else to it */
    unsigned char seen;    /* its cells have been looked at, all of them */
    unsigned char left;    /* of_left */
    const char **category; /* its words in order; NULL: it is none */
    size_t categories;
    size_t unseen;            /* cells with another word, */
    const char *first_unseen; /* such as this one */
} of_table_column;

/* Looks at all cells of the columns that are words so far, or of every one, and decides what each
 * is. */
onefold_status of_table_columns_decide(of_table *table, of_arena *arena, int every);

/* Columns of the matrix that a column of the table makes. */
static inline size_t of_table_column_width(const of_table *table, size_t column)
{
    const of_table_column *of = &table->column[column];
    return of->text ? 0 : of->category ? of->categories : 1;
}

/* What a column is called, "" where it is not. */
static inline const char *of_table_heading(const of_table *table, size_t column)
{
    return table->header ? table->header[column] : "";
}

/* The sentence for a text that is not what it was a moment ago. */
static inline onefold_status of_table_changed(void)
{
    return of_fail(ONEFOLD_IO, "the file was changed while it was being read");
}

/* ---- lines and fields (table_cell.c) -------------------------------------------------------- */

static inline int of_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Copies a cell's text into memory from `arena`. */
onefold_status of_field_text(of_arena *arena, const of_field *cell, const char **text);

/* The line of the file that something stands in, from 1, as an editor counts them. */
size_t of_table_line_number(const of_table *table, const char *at);

/* The same of row `row` of the data, from 0; 0 where there is none. */
size_t of_table_row_line(const of_table *table, size_t row);

/* Lines that are not blank, and the cells of each, one after the other. */
typedef struct of_rows {
    const of_table *table;
    const char *rest, *stop; /* behind the line, and where the last one ends */
    const char *line, *end;  /* the line; NULL after the last */
    const char *at;          /* where its next cell starts, NULL after the last */
    size_t cells;            /* that were met */
    of_field cell;
} of_rows;

/* Those between two places, and all rows of the data. */
static inline of_rows of_rows_between(const of_table *table, const char *from, const char *to)
{
    return (of_rows){.table = table, .rest = from, .stop = to};
}
static inline of_rows of_rows_of(const of_table *table)
{
    return of_rows_between(table, table->begin, table->end);
}

/* Goes on to the next line, and in it to the next cell; 0 after the last. */
int of_rows_next(of_rows *rows);
int of_rows_cell(of_rows *rows);

/* Whether the whole cell is a plain number, or a word for a missing or infinite one. */
int of_field_number(const of_field *cell, double *value);

/* ---- the table ------------------------------------------------------------------------------ */

/* Finds out about the table that a file's contents are. Arrays come from `arena`. Where these are
 * not UTF-8, the text is a copy that is. */
onefold_status of_table_open(of_table *table, of_arena *arena, of_file *file);

/* Reads a column as words into strings from `arena`. */
onefold_status of_table_words(const of_table *table, of_arena *arena, size_t column, size_t *rows,
                              const char ***words);

/* Finds the column of ids, and marks it as words; one id twice is refused. */
onefold_status of_table_ids(of_table *table);

/* Once columns are known: a column of words that all differ, where there are no ids. */
onefold_status of_table_ids_by_words(of_table *table);

/* The sentence for a cell that is not a number. */
onefold_status of_table_not_a_number(const of_table *table, size_t column, const of_field *cell);

/* And for a row that has so many cells, which are not as many as there are columns. */
onefold_status of_table_ragged(const of_table *table, const char *row, size_t cells);

#endif
