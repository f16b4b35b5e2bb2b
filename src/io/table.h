/* SPDX-License-Identifier: Apache-2.0 */
/* A table of text: its rows and cells, how it is written, and what each column holds. */
#ifndef OF_IO_TABLE_H
#define OF_IO_TABLE_H

#include "io/find.h"

#include "base/utf8.h"
#include <string.h>

typedef struct of_table {
    of_file *file;
    const onefold_read_options *options; /* of the file */
    const char *text;                    /* the whole file; a line break within quotes is OF_FOLD */
    const char *begin, *end;             /* the rows of data */
    char separator;      /* ',', '\t', ';', ' ' for any blanks, or '\n': a line is one cell */
    int has_points;      /* some number has a decimal point */
    size_t columns;      /* cells in a row, row names included */
    const char **header; /* one per column, or NULL */
    int named_rows;      /* by the header, the first column is row names */
    size_t units;        /* the line of units below the header, or 0 */
    size_t above;        /* the line above the header that does not belong to it, or 0 */
    int recoded;         /* the file is not UTF-8 */
    struct of_table_column *column;
    struct of_table_detail *detail; /* of columns that are no plain numbers; [0] is of the others */
    size_t details, detail_room;
    of_table_id_column ids;
    double *values; /* the numbers, rows x width */
    size_t rows, width;
} of_table;

typedef struct of_field {
    const char *begin, *end; /* without the blanks and quotes around it */
    int quoted;              /* it was in quotes: "" within it stands for " */
} of_field;

/* Texts that are freed with their arena, many in a block. Zero-filled is empty. */
typedef struct of_text_pool {
    of_arena *arena;
    char *at;
    size_t left;
} of_text_pool;

/* Memory for `bytes` bytes, aligned for pointers. */
onefold_status of_text_pool_new(of_text_pool *pool, void **memory, size_t bytes);
/* A copy of three texts, one after the other. */
onefold_status of_text_pool_put(of_text_pool *pool, const char **copy, const char *first,
                                const char *second, const char *third);

/* Replaces a line break within quotes, so that lines can still be counted. */
#define OF_FOLD '\v'

/* ---- numbers as people write them (table_cell.c) -------------------------------------------- */

/* How the numbers of a column are written. */
typedef struct of_form {
    char point;            /* '.' or ',' before decimals; the other one may separate thousands */
    unsigned char percent; /* every number but 0 needs a percent sign */
    unsigned char words;   /* 0 and 1 are written as of_form_pairs[pair] */
    unsigned char pair;
} of_form;

/* What one cell shows of the form of its column. */
typedef struct of_form_evidence {
    int percent;
    char point;     /* the sign before decimals; 0: not certain */
    char ambiguous; /* a sign that may stand before decimals or between thousands: ',' of 1,234 */
} of_form_evidence;

/* Whether the cell is a number in some form. */
int of_form_detect(const of_field *cell, of_form_evidence *evidence);

/* Reads a cell in the form of its column; 0 where it is no such number. */
int of_form_read(const of_form *form, const of_field *cell, double *value);

/* Pairs of words for 0 and 1. */
enum { OF_FORM_PAIRS = 6 };
extern const char *const of_form_pairs[OF_FORM_PAIRS][2];

/* Whether the cell marks a missing value. `among_words`: "none" is a word like others. */
int of_field_missing(const of_field *cell, int among_words);

/* Whether the cell holds this word, ignoring case. */
static inline int of_field_is(const of_field *cell, const char *word)
{
    size_t length = (size_t)(cell->end - cell->begin);
    return strlen(word) == length && of_same_start(word, cell->begin, length);
}

int of_field_is_date(const of_field *cell);

/* ---- columns (table.c) ---------------------------------------------------------------------- */

/* Why a column is not in the matrix. */
typedef enum of_exclusion {
    OF_INCLUDED, /* it is in the matrix, or it is ids or labels */
    OF_EXCLUDED_BY_REQUEST,
    OF_EXCLUDED_EMPTY,
    OF_EXCLUDED_DATES,
    OF_EXCLUDED_TEXT,
    OF_EXCLUDED_CONSTANT,
    OF_EXCLUDED_ROW_NUMBERS
} of_exclusion;

/* What options say of a column, by its name or number. */
enum {
    OF_REQUEST_DROP = 1,
    OF_REQUEST_FEATURE = 2,
    OF_REQUEST_CATEGORY = 4,
    OF_REQUEST_NUMBER = 8,
    OF_REQUEST_TRUTH = 16,
    OF_REQUEST_MODEL = 32 /* the model has a column of this name */
};

/* A table of few rows may have very many columns, most of them empty: what is kept of each column
 * is small beside its numbers. */
typedef struct of_table_column {
    unsigned requests : 8;  /* OF_REQUEST_... */
    unsigned exclusion : 8; /* of_exclusion */
    unsigned text : 1;      /* words: not in the matrix */
    unsigned code : 1;      /* holds codes like 00501 */
    unsigned removed : 1;   /* taken out of the matrix because of its values */
    unsigned plain : 1;     /* plain numbers, without form or categories */
    unsigned decided : 1;   /* all its cells were checked */
    unsigned settled : 1;   /* a first value was seen */
    unsigned checked : 1;   /* its cells are being checked */
    uint32_t at;            /* its place in a row of the matrix */
    uint32_t detail;        /* its place in the table's list */
} of_table_column;

typedef struct of_table_detail {
    const char *form_example; /* NULL: plain numbers; else read by `form`: "45% is 0.45", or "" */
    const char **category;    /* its words in order; NULL: it is not categories */
    const char *first_unknown;
    uint32_t category_count;
    uint32_t unknown_words; /* words that the model does not know */
    of_form form;
} of_table_detail;

static inline const of_table_detail *of_table_detail_of(const of_table *table, size_t column)
{
    return &table->detail[table->column[column].detail];
}

/* Checks all cells of the columns that seem to be words, or of every column, and decides how each
 * is read. `arena` has the headings. */
onefold_status of_table_columns_decide(of_table *table, of_arena *arena, int every);

/* The heading of a column, or "". */
static inline const char *of_table_heading(const of_table *table, size_t column)
{
    return table->header ? table->header[column] : "";
}

/* The error for a file that changes between two passes over it. */
static inline onefold_status of_table_changed(void)
{
    return of_fail(ONEFOLD_IO, "the file was changed while it was being read");
}

/* ---- lines and fields (table_cell.c) -------------------------------------------------------- */

static inline int of_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Copies a cell's text into memory from `arena`; from a pool. */
onefold_status of_field_text(of_arena *arena, const of_field *cell, const char **text);
onefold_status of_field_keep(of_text_pool *pool, const of_field *cell, const char **text);

/* The line of the file that contains a place in the text, from 1, as an editor counts lines. */
size_t of_table_line_number(const of_table *table, const char *at);

/* The line of row `row` of the data, from 0; 0 where there is no such row. */
size_t of_table_row_line(const of_table *table, size_t row);

/* An iterator over lines that are not blank, and over the cells of each. */
typedef struct of_rows {
    const of_table *table;
    const char *rest, *stop; /* the lines that follow */
    const char *line, *end;  /* the line; NULL after the last */
    const char *at;          /* the next cell of the line; NULL after the last */
    size_t cells;            /* cells of the line so far */
    of_field cell;
} of_rows;

/* The lines between two places; all rows of the data. */
static inline of_rows of_rows_between(const of_table *table, const char *from, const char *to)
{
    return (of_rows){.table = table, .rest = from, .stop = to};
}
static inline of_rows of_rows_of(const of_table *table)
{
    return of_rows_between(table, table->begin, table->end);
}

/* Advances to the next line; to the next cell of the line. 0 after the last. */
int of_rows_next(of_rows *rows);
int of_rows_cell(of_rows *rows);

/* Whether the whole cell is a plain number, or a word for a missing or infinite value. */
int of_field_number(const of_field *cell, double *value);

/* ---- the table ------------------------------------------------------------------------------ */

/* Finds the separator, the header and the columns of words of a file. Text that is not UTF-8 is
 * converted. Arrays are from `arena`, headings and what is decided on columns from `headings`. */
onefold_status of_table_open(of_table *table, of_arena *arena, of_arena *headings, of_file *file);

/* A column to read as strings from an arena. */
typedef struct of_word_column {
    size_t column;
    of_arena *arena;
    const char **words;
    char *text; /* all words, one after the other */
    size_t bytes;
} of_word_column;

/* Reads columns, in rising order, as strings. */
onefold_status of_table_words_read(const of_table *table, of_word_column *list, size_t count,
                                   size_t *rows);

/* Reads a column as strings from `arena`. */
onefold_status of_table_words(const of_table *table, of_arena *arena, size_t column, size_t *rows,
                              const char ***words);

/* Finds the column of ids, and marks it as words. A repeated id is refused. */
onefold_status of_table_ids(of_table *table);

/* Takes a column of words that all differ for the ids; after of_table_columns_decide. */
onefold_status of_table_ids_by_words(of_table *table);

/* The error for a cell that is not a number. */
onefold_status of_table_not_a_number(const of_table *table, size_t column, const of_field *cell);

/* The error for a row with a wrong number of cells. */
onefold_status of_table_ragged(const of_table *table, const char *row, size_t cells);

#endif
