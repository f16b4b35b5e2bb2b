/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a table of text in pieces of about a megabyte: the rows of each are counted first and
 * read then. */
#include "io/table.h"

#include "base/tiles.h"
#include "io/build.h"
#include "io/find.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 20 };

typedef struct table_task {
    const of_table *table;
    const of_numbers *numbers;
    of_table_index index;
    size_t width;       /* columns of numbers */
    double *values;     /* rows x width */
    of_range look, own; /* rows that are read */
    of_context *context;
    atomic_int *odd; /* set where a cell is no number; NULL: nobody asks */
} table_task;

/* Where rows are split over processes each reads its own, with some to either side for who works
 * in blocks, and the first ones, which tell what the table is. */
enum { LOOK = 64, BESIDE = 256 };

of_column_text of_table_column_text(const of_table *table, size_t column)
{
    of_column_text made;
    if (table->header && table->header[column][0])
        snprintf(made.text, sizeof made.text, "column \"%.60s\"", table->header[column]);
    else
        snprintf(made.text, sizeof made.text, "column %zu", column + 1);
    return made;
}

onefold_status of_table_not_a_number(const of_table *table, size_t column, const of_field *cell)
{
    char text[41];
    int length = cell->end - cell->begin < 40 ? (int)(cell->end - cell->begin) : 40;
    snprintf(text, sizeof text, "%.*s", length, cell->begin);
    of_text_clean(text);
    return of_hint(of_fail(ONEFOLD_BAD_DATA, "line %zu, %s holds \"%s\", which is not a number",
                           of_table_line_number(table, cell->begin),
                           of_table_column_text(table, column).text, text),
                   "correct the cell, leave the column out with `drop`, or take its words for "
                   "categories with `as` category");
}

static onefold_status ragged(const of_table *table, const char *at, size_t cells)
{
    return of_hint(of_fail(ONEFOLD_BAD_DATA, "line %zu has %zu %s, where the first has %zu",
                           of_table_line_number(table, at), cells, cells == 1 ? "cell" : "cells",
                           table->columns),
                   "every row needs a cell for every column");
}

onefold_status of_table_check_rows(const of_table *table)
{
    const char *line_end, *line;
    for (const char *rest = table->begin; (line = of_table_line(&rest, table->end, &line_end));) {
        size_t cells = 0;
        for (const char *at = line; at; cells++) {
            of_field cell;
            at = of_table_field(table, at, line_end, &cell);
        }
        if (cells != table->columns)
            return ragged(table, line, cells);
    }
    return ONEFOLD_OK;
}

static onefold_status changed(void)
{
    return of_fail(ONEFOLD_IO, "the file was changed while it was being read");
}

/* The common case of a cell: a number that ends right at the separator, or at blanks if those
 * separate. Returns where the next cell starts, `line_end` after the last, or NULL. */
static const char *read_plainly(const table_task *task, const char *at, const char *line_end,
                                double *out)
{
    char separator = task->table->separator;
    const char *stop = of_number_read(task->numbers, at, line_end, task->table->point, out);
    if (stop == at || (stop < line_end && *stop != separator) || stop + 1 == line_end)
        return NULL;
    stop += stop < line_end;
    while (separator == ' ' && stop < line_end && *stop == ' ')
        stop++;
    return stop;
}

static int compare_words(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* 0 and 1 for each of a column's words; all of them 0 for another word, missing where there is
 * none.
 */
static onefold_status read_category(const of_table_column *column, of_context *context,
                                    const of_field *cell, double *out)
{
    int missing = of_field_missing(cell, 1);
    for (size_t i = 0; i < column->categories; i++)
        out[i] = missing ? NAN : 0;
    if (missing)
        return ONEFOLD_OK;
    OF_SCRATCH(scratch, context);
    char *word;
    OF_TRY(OF_NEW(&scratch, &word, (size_t)(cell->end - cell->begin) + 1, 1));
    of_field_copy(cell, word);
    of_text_clean(word);
    const char **at = bsearch(&word, column->category, column->categories, sizeof *column->category,
                              compare_words);
    if (at)
        out[at - column->category] = 1;
    return ONEFOLD_OK;
}

/* A cell of a column that is not plain. */
static int read_formed(const table_task *task, const of_table_column *column, const of_field *cell,
                       double *out)
{
    if (!column->formed)
        return of_field_number(task->table, task->numbers, cell, out);
    if (of_form_read(&column->form, task->numbers, cell, out))
        return 1;
    *out = NAN;
    return of_field_missing(cell, 0);
}

/* Reads one row; `out` has room for its numbers. */
static onefold_status read_row(const table_task *task, const char *at, const char *line_end,
                               double *out)
{
    static const of_table_column plain = {.formed = 0};
    const of_table *table = task->table;
    const char *start = at;
    size_t c = 0;
    of_field cell;
    for (; at && c < table->columns; c++) {
        const of_table_column *column = table->column ? &table->column[c] : &plain;
        int easy = !table->is_text[c] && !column->formed && !column->category;
        const char *next = easy ? read_plainly(task, at, line_end, out) : NULL;
        if (next) {
            out++;
            at = next < line_end ? next : NULL;
            continue;
        }
        at = of_table_field(table, at, line_end, &cell);
        if (table->is_text[c])
            continue;
        if (column->category) {
            OF_TRY(read_category(column, task->context, &cell, out));
            out += column->categories;
        } else if (!read_formed(task, column, &cell, out++)) {
            if (task->odd)
                atomic_store(task->odd, 1);
            return of_table_not_a_number(table, c, &cell);
        }
    }
    for (; at; c++) /* more cells than there should be */
        at = of_table_field(table, at, line_end, &cell);
    return c == table->columns ? ONEFOLD_OK : ragged(table, start, c);
}

static int is_read(const table_task *task, size_t row)
{
    return row < task->look.end || (row >= task->own.first && row < task->own.end);
}

static onefold_status read_piece(void *opaque, size_t p, int worker)
{
    (void)worker;
    table_task *task = opaque;
    if (task->index.row[p] >= task->look.end &&
        (task->index.row[p] >= task->own.end || task->index.row[p + 1] <= task->own.first))
        return ONEFOLD_OK;
    const char *at = task->index.start[p], *end = task->index.start[p + 1], *line_end;
    size_t row = task->index.row[p];
    /* no more rows than were counted, even if another process writes to the file meanwhile */
    for (const char *start;
         row < task->index.row[p + 1] && (start = of_table_line(&at, end, &line_end)); row++)
        if (is_read(task, row))
            OF_TRY(read_row(task, start, line_end, task->values + row * task->width));
    return row == task->index.row[p + 1] ? ONEFOLD_OK : changed();
}

/* Labels and lists of entries are no samples' own, and every process needs all of them. */
static int is_for_all(const of_table *table, size_t width)
{
    int labels = width <= 3;
    for (size_t c = 0; table->header && c < table->columns; c++)
        labels |= of_name_of_labels(table->header[c]) > 0;
    return labels;
}

static void choose_rows(const of_context *context, table_task *task, size_t rows)
{
    task->own = (of_range){0, rows};
    if (!of_comm_splits(context, rows) || is_for_all(task->table, task->width))
        return;
    of_range own = of_comm_own(context, rows);
    task->look.end = LOOK;
    task->own.first = own.first > BESIDE ? own.first - BESIDE : 0;
    task->own.end = rows - own.end > BESIDE ? own.end + BESIDE : rows;
}

onefold_status of_table_numbers(const of_table *table, const of_numbers *numbers, of_arena *arena,
                                double **values, size_t *rows, int *split, int *odd)
{
    OF_SCRATCH(scratch, arena->context);
    atomic_int seen_odd = 0;
    table_task task = {
        .table = table, .numbers = numbers, .context = arena->context, .odd = &seen_odd};
    OF_TRY(of_table_index_make(table, &scratch, PIECE, 0, &task.index));
    for (size_t c = 0; c < table->columns; c++)
        task.width += of_table_column_width(table, c);
    /* a cell takes two bytes of the file at least, so this is never more than it can hold */
    *rows = task.index.row[task.index.pieces];
    choose_rows(arena->context, &task, *rows);
    size_t touched = task.look.end + task.own.end - task.own.first;
    *split = touched < *rows;
    if (*split)
        OF_TRY(of_arena_allocate_untouched(arena, (void **)values, sizeof **values, *rows,
                                           task.width, touched));
    else
        OF_TRY(OF_NEW(arena, values, *rows, task.width));
    task.values = *values;
    onefold_status status = of_team_run(arena->context, task.index.pieces, read_piece, &task);
    *odd = atomic_load(&seen_odd);
    return status;
}

onefold_status of_table_rows(const of_table *table, const of_numbers *numbers,
                             const of_table_index *index, size_t first, size_t count, double *out,
                             size_t ldo)
{
    table_task task = {.table = table, .numbers = numbers};
    size_t p = of_table_index_piece(index, first), row = index->row[p];
    const char *at = index->start[p], *line_end, *start;
    for (; row < first + count && (start = of_table_line(&at, table->end, &line_end)); row++)
        if (row >= first)
            OF_TRY(read_row(&task, start, line_end, out + (row - first) * ldo));
    return row == first + count ? ONEFOLD_OK : changed();
}

/* ---- words -------------------------------------------------------------------------------- */

/* Goes to the next row and finds its cell in the column; 0 after the last. */
static int next_cell(const of_table *table, const char **at, size_t column, of_field *cell)
{
    const char *line_end, *start = of_table_line(at, table->end, &line_end);
    if (!start)
        return 0;
    *cell = (of_field){line_end, line_end, 0}; /* of a row that is too short */
    for (size_t c = 0; start && c <= column; c++)
        start = of_table_field(table, start, line_end, cell);
    return 1;
}

onefold_status of_table_words(const of_table *table, of_arena *arena, size_t column, size_t *rows,
                              const char ***words)
{
    size_t bytes = 0, row = 0;
    of_field cell;
    for (const char *at = table->begin; next_cell(table, &at, column, &cell); row++)
        bytes += (size_t)(cell.end - cell.begin) + 1;
    char *text;
    *rows = row;
    OF_TRY(OF_NEW(arena, words, row, 1));
    OF_TRY(OF_NEW(arena, &text, bytes, 1));
    const char *text_end = text + bytes; /* the file may be written to between the two readings */
    row = 0;
    for (const char *at = table->begin; row < *rows && next_cell(table, &at, column, &cell);
         row++) {
        size_t length = (size_t)(cell.end - cell.begin);
        if (length >= (size_t)(text_end - text))
            return changed();
        of_field_copy(&cell, text);
        of_text_clean(text);
        (*words)[row] = text;
        text += length + 1;
    }
    return row == *rows ? ONEFOLD_OK : changed();
}
