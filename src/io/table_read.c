/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a table of text in pieces of about a megabyte: the rows of each are counted first and
 * read then. */
#include "io/table.h"

#include "base/tiles.h"
#include "io/build.h"
#include "io/find.h"

#include <math.h>

enum { PIECE = 1 << 20 };

typedef struct table_task {
    const of_table *table;
    const of_numbers *numbers;
    of_table_index index;
    size_t width;       /* columns of numbers */
    double *values;     /* rows x width */
    of_range look, own; /* rows that are read */
} table_task;

/* Where rows are split over processes each reads its own, with some to either side for who works
 * in blocks, and the first ones, which tell what the table is. */
enum { LOOK = 64, BESIDE = 256 };

onefold_status of_table_not_a_number(size_t row, size_t line, size_t column, const of_field *cell)
{
    int length = cell->end - cell->begin < 40 ? (int)(cell->end - cell->begin) : 40;
    return of_hint(of_fail(ONEFOLD_BAD_DATA,
                           "row %zu (line %zu), column %zu holds \"%.*s\", which is not a number",
                           row, line, column, length, cell->begin),
                   "a view is a table of numbers, with a header and names of rows at most");
}

static onefold_status ragged(size_t row, size_t line, size_t cells, size_t columns)
{
    return of_hint(of_fail(ONEFOLD_BAD_DATA,
                           "row %zu (line %zu) has %zu %s, where the first has %zu", row, line,
                           cells, cells == 1 ? "cell" : "cells", columns),
                   "every row needs a cell for every column");
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

/* Reads one row; `out` has room for its numbers. */
static onefold_status read_row(const table_task *task, const char *at, const char *line_end,
                               size_t row, size_t line, double *out)
{
    const of_table *table = task->table;
    size_t c = 0;
    of_field cell;
    for (; at && c < table->columns; c++) {
        const char *next = table->is_text[c] ? NULL : read_plainly(task, at, line_end, out);
        if (next) {
            out++;
            at = next < line_end ? next : NULL;
            continue;
        }
        at = of_table_field(table, at, line_end, &cell);
        if (!table->is_text[c] && !of_field_number(table, task->numbers, &cell, out++))
            return of_table_not_a_number(row, line, c + 1, &cell);
    }
    for (; at; c++) /* more cells than there should be */
        at = of_table_field(table, at, line_end, &cell);
    return c == table->columns ? ONEFOLD_OK : ragged(row, line, c, table->columns);
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
    size_t row = task->index.row[p], line = task->index.line[p];
    /* no more rows than were counted, even if another process writes to the file meanwhile */
    for (const char *start;
         row < task->index.row[p + 1] && (start = of_table_line(&at, end, &line_end, &line)); row++)
        if (is_read(task, row))
            OF_TRY(read_row(task, start, line_end, row + 1, task->table->first_line + line - 1,
                            task->values + row * task->width));
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
                                double **values, size_t *rows, int *split)
{
    OF_SCRATCH(scratch, arena->context);
    table_task task = {.table = table, .numbers = numbers};
    OF_TRY(of_table_index_make(table, &scratch, PIECE, 0, &task.index));
    for (size_t c = 0; c < table->columns; c++)
        task.width += !table->is_text[c];
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
    return of_team_run(arena->context, task.index.pieces, read_piece, &task);
}

onefold_status of_table_rows(const of_table *table, const of_numbers *numbers,
                             const of_table_index *index, size_t first, size_t count, double *out,
                             size_t ldo)
{
    table_task task = {.table = table, .numbers = numbers};
    size_t p = of_table_index_piece(index, first), row = index->row[p], line = index->line[p];
    const char *at = index->start[p], *line_end, *start;
    for (; row < first + count && (start = of_table_line(&at, table->end, &line_end, &line)); row++)
        if (row >= first)
            OF_TRY(read_row(&task, start, line_end, row + 1, table->first_line + line - 1,
                            out + (row - first) * ldo));
    return row == first + count ? ONEFOLD_OK : changed();
}

/* ---- words -------------------------------------------------------------------------------- */

/* Goes to the next row and finds its cell in the column; 0 after the last. */
static int next_cell(const of_table *table, const char **at, size_t column, size_t *line,
                     of_field *cell)
{
    const char *line_end, *start = of_table_line(at, table->end, &line_end, line);
    if (!start)
        return 0;
    for (size_t c = 0; start && c <= column; c++)
        start = of_table_field(table, start, line_end, cell);
    return 1;
}

onefold_status of_table_words(const of_table *table, const of_numbers *numbers, of_arena *arena,
                              size_t column, size_t *rows, int mixed, const char ***words)
{
    size_t bytes = 0, line = 0, row = 0;
    of_field cell, first = {NULL, NULL, 0};
    size_t first_line = 0;
    for (const char *at = table->begin; next_cell(table, &at, column, &line, &cell); row++) {
        double value;
        if (row == 0) {
            first = cell;
            first_line = table->first_line + line - 1;
        }
        if (!mixed && cell.begin < cell.end && of_field_number(table, numbers, &cell, &value) &&
            !isnan(value)) /* marks of missing values may stand among words */
            return of_table_not_a_number(1, first_line, column + 1, &first);
        bytes += (size_t)(cell.end - cell.begin) + 1;
    }
    char *text;
    *rows = row;
    OF_TRY(OF_NEW(arena, words, row, 1));
    OF_TRY(OF_NEW(arena, &text, bytes, 1));
    const char *text_end = text + bytes; /* the file may be written to between the two readings */
    row = 0;
    for (const char *at = table->begin; row < *rows && next_cell(table, &at, column, &line, &cell);
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
