/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a mapped text as a source of values. */
#include "base/mapped.h"
#include "base/team.h"
#include "base/tiles.h"
#include "data/view.h"
#include "io/build.h"
#include "io/find.h"
#include "io/table.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 64 }; /* pieces that are cut and counted before any is released */

/* Where the rows are, roughly: enough to read any of them without those before. */
typedef struct table_index {
    size_t pieces;
    const char **start; /* pieces + 1 */
    size_t *row;        /* pieces + 1: rows before each */
} table_index;

typedef struct count_task {
    table_index *index;
    size_t first;
} count_task;

static onefold_status count_piece(void *opaque, size_t number, int worker)
{
    (void)worker;
    const count_task *task = opaque;
    table_index *index = task->index;
    size_t p = task->first + number, rows = 0;
    const char *at = index->start[p], *end = index->start[p + 1], *line_end;
    while (of_table_line(&at, end, &line_end))
        rows++;
    index->row[p + 1] = rows;
    return ONEFOLD_OK;
}

/* Counts the rows, in pieces of about `size` bytes. Where the text is `mapped` from a file, it is
 * released behind the count. */
static onefold_status table_index_make(const of_table *table, of_arena *arena, size_t size,
                                       int mapped, table_index *index)
{
    const char *begin = table->begin, *end = table->end;
    size = of_context_chunk(arena->context, size);
    size_t pieces = (size_t)(end - begin) / size + 1;
    *index = (table_index){.pieces = pieces};
    OF_TRY(OF_NEW(arena, &index->start, pieces + 1, 1));
    OF_TRY(OF_NEW_ZERO(arena, &index->row, pieces + 1, 1));
    index->start[0] = begin;
    for (size_t first = 0; first < pieces; first += AT_ONCE) {
        size_t last = pieces - first < AT_ONCE ? pieces : first + AT_ONCE;
        for (size_t p = first + 1; p <= last; p++) { /* behind the end of a line */
            const char *near = p < pieces ? begin + p * size : end, *before = index->start[p - 1];
            const char *stop =
                near < before ? before - 1 : memchr(near, '\n', (size_t)(end - near));
            index->start[p] = stop ? stop + 1 : end;
        }
        count_task task = {index, first};
        OF_TRY(of_team_run(arena->context, last - first, count_piece, &task));
        if (mapped)
            of_pages_release(index->start[first], index->start[last]);
    }
    for (size_t p = 0; p < pieces; p++)
        index->row[p + 1] += index->row[p];
    return ONEFOLD_OK;
}

/* The piece that a row is in; the last for rows past the end. */
static size_t table_index_piece(const table_index *index, size_t row)
{
    size_t low = 0, high = index->pieces;
    while (high - low > 1) { /* row[low] <= row < row[high], or row is past the end */
        size_t middle = low + (high - low) / 2;
        if (index->row[middle] <= row)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* ---- numbers -------------------------------------------------------------------------------- */

enum { PIECE = 1 << 20 };

typedef struct table_task {
    const of_table *table;
    table_index index;
    unsigned char *easy; /* per column: it is of plain numbers; NULL: all are */
    of_range look, own;  /* rows that are read */
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
                   "categories with `as_category`");
}

static onefold_status ragged(const of_table *table, const char *at, size_t cells)
{
    return of_hint(
        of_fail(ONEFOLD_BAD_DATA, "line %zu has %zu %s, where the first has %zu",
                of_table_line_number(table, at), cells, cells == 1 ? "cell" : "cells",
                table->columns),
        "every row needs a cell for every column, and nothing may stand above the header; a "
        "comma within a cell needs quotes around the cell");
}

onefold_status of_table_check_rows(const of_table *table)
{
    for (of_rows row = of_rows_of(table); of_rows_next(&row);) {
        while (of_rows_cell(&row)) {
        }
        if (row.cells != table->columns)
            return ragged(table, row.line, row.cells);
    }
    return ONEFOLD_OK;
}

/* The common case of a cell: a number that ends right at the separator, or at blanks if those
 * separate. Returns where the next cell starts, `line_end` after the last, or NULL. */
static const char *read_plainly(const table_task *task, const char *at, const char *line_end,
                                double *out)
{
    char separator = task->table->separator;
    const char *stop = of_number_read(at, line_end, task->table->point, out);
    if (stop == at || (stop < line_end && *stop != separator) || stop + 1 == line_end)
        return NULL;
    stop += stop < line_end;
    while (separator == ' ' && stop < line_end && *stop == ' ')
        stop++;
    return stop;
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
    const char *word;
    OF_TRY(of_field_text(&scratch, cell, &word));
    const char **at = bsearch(&word, column->category, column->categories, sizeof *column->category,
                              of_compare_texts);
    if (at)
        out[at - column->category] = 1;
    return ONEFOLD_OK;
}

/* Reads one row; `out` has room for its numbers. */
static onefold_status read_row(const table_task *task, const char *at, const char *line_end,
                               double *out)
{
    const of_table *table = task->table;
    const char *start = at;
    size_t c = 0;
    of_field cell;
    for (; at && c < table->columns; c++) {
        const of_table_column *column = &table->column[c];
        int easy = !task->easy || task->easy[c];
        const char *next = easy ? read_plainly(task, at, line_end, out) : NULL;
        if (next) {
            out++;
            at = next < line_end ? next : NULL;
            continue;
        }
        at = of_table_field(table, at, line_end, &cell);
        if (column->text)
            continue;
        if (column->category) {
            OF_TRY(read_category(column, task->context, &cell, out));
            out += column->categories;
            continue;
        }
        int good = column->formed ? of_form_read(&column->form, &cell, out)
                                  : of_field_number(table, &cell, out);
        if (!good && column->formed && of_field_missing(&cell, 0))
            *out = NAN;
        else if (!good) {
            if (task->odd)
                atomic_store(task->odd, 1);
            return of_table_not_a_number(table, c, &cell);
        }
        out++;
    }
    for (; at; c++) /* more cells than there should be */
        at = of_table_field(table, at, line_end, &cell);
    return c == table->columns ? ONEFOLD_OK : ragged(table, start, c);
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
        if (row < task->look.end || (row >= task->own.first && row < task->own.end))
            OF_TRY(read_row(task, start, line_end, task->table->values + row * task->table->width));
    return row == task->index.row[p + 1] ? ONEFOLD_OK : of_table_changed();
}

/* Labels and lists of entries are no samples' own, and every process needs all of them. */
static void choose_rows(const of_context *context, table_task *task, size_t rows)
{
    const of_table *table = task->table;
    int for_all = table->width <= 3;
    for (size_t c = 0; table->header && c < table->columns; c++)
        for_all |= of_name_of_labels(table->header[c]) > 0;
    task->own = (of_range){0, rows};
    if (!of_comm_splits(context, rows) || for_all)
        return;
    of_range own = of_comm_own(context, rows);
    task->look.end = LOOK;
    task->own.first = own.first > BESIDE ? own.first - BESIDE : 0;
    task->own.end = rows - own.end > BESIDE ? own.end + BESIDE : rows;
}

onefold_status of_table_numbers(of_table *table, of_arena *arena, int *odd)
{
    OF_SCRATCH(scratch, arena->context);
    atomic_int seen_odd = 0;
    table_task task = {.table = table, .context = arena->context, .odd = &seen_odd};
    OF_TRY(table_index_make(table, &scratch, PIECE, 0, &task.index));
    OF_TRY(OF_NEW(&scratch, &task.easy, table->columns, 1));
    table->width = 0;
    for (size_t c = 0; c < table->columns; c++) {
        const of_table_column *column = &table->column[c];
        task.easy[c] = !column->text && !column->formed && !column->category;
        table->width += of_table_column_width(table, c);
    }
    /* a cell takes two bytes of the file at least, so this is never more than it can hold */
    table->rows = task.index.row[task.index.pieces];
    choose_rows(arena->context, &task, table->rows);
    size_t touched = task.look.end + task.own.end - task.own.first;
    table->file->split = touched < table->rows;
    if (table->file->split)
        OF_TRY(of_arena_allocate_untouched(arena, (void **)&table->values, sizeof *table->values,
                                           table->rows, table->width, touched));
    else
        OF_TRY(OF_NEW(arena, &table->values, table->rows, table->width));
    onefold_status status = of_team_run(arena->context, task.index.pieces, read_piece, &task);
    *odd = atomic_load(&seen_odd);
    return status;
}

/* ---- rows of a mapped text as a source of values -------------------------------------------- */

enum { SOURCE_PIECE = 1 << 17, MIN_COLUMNS = 4 };

typedef struct text_source {
    of_view_source values; /* first, so that one is the other */
    const char *path;
    of_table table;
    table_index index;
} text_source;

/* Rows first .. first+count-1 of a table without words, columns x count, a row contiguous. */
static onefold_status read_rows(const of_view_source *values, size_t first, size_t count,
                                double *out, size_t ldo)
{
    const text_source *source = (const text_source *)values;
    table_task task = {.table = &source->table};
    size_t p = table_index_piece(&source->index, first), row = source->index.row[p];
    const char *at = source->index.start[p], *line_end, *start;
    onefold_status status = ONEFOLD_OK;
    for (; status == ONEFOLD_OK && row < first + count &&
           (start = of_table_line(&at, source->table.end, &line_end));
         row++)
        if (row >= first)
            status = read_row(&task, start, line_end, out + (row - first) * ldo);
    if (status == ONEFOLD_OK && row < first + count)
        status = of_table_changed();
    if (of_mapped_intact(source->table.begin, ONEFOLD_OK) != ONEFOLD_OK)
        return ONEFOLD_IO; /* with its sentence */
    return status == ONEFOLD_OK ? status : of_blame(status, "%s", source->path);
}

/* Releases the memory behind rows first .. first+count-1. */
static void release_rows(const of_view_source *values, size_t first, size_t count)
{
    const table_index *index = &((const text_source *)values)->index;
    if (!count)
        return;
    size_t last = table_index_piece(index, first + count);
    if (first + count >= index->row[index->pieces])
        last = index->pieces;
    of_pages_release(index->start[table_index_piece(index, first)], index->start[last]);
}

/* Whether the first rows say it all. A first column that the model does not have may be ids. */
static int is_plain(const of_table *table)
{
    int missing;
    const of_file *file = table->file;
    const of_table_wishes *wishes = table->wishes;
    if (wishes->drop || wishes->columns || wishes->as_category || wishes->as_number ||
        table->units || table->above || table->points || table->text != (const char *)file->bytes)
        return 0;
    if (!file->contents->map || (wishes->ids && strcmp(wishes->ids, "none") != 0) ||
        table->columns < MIN_COLUMNS || of_name_of_labels(file->stem) ||
        of_name_of_present(file->stem, &missing))
        return 0;
    for (size_t c = 0; c < table->columns; c++)
        if (table->column[c].text ||
            (table->header && c == 0 && wishes->expected_count &&
             !of_table_expects(table, table->header[0])) ||
            (table->header &&
             (of_name_of_labels(table->header[c]) || of_name_of_ids(table->header[c]) ||
              (wishes->truth && strcmp(wishes->truth, table->header[c]) == 0))))
            return 0;
    return 1;
}

onefold_status of_text_source_add(const of_table *table, int *made)
{
    of_file *file = table->file;
    OF_SCRATCH(store, file->context);
    text_source *source;
    of_top *top;
    *made = 0;
    if (!is_plain(table))
        return ONEFOLD_OK;
    OF_TRY(OF_NEW_ZERO(&store, &source, 1, 1));
    OF_TRY(OF_TEXT(&store, &source->path, "%s", file->path));
    OF_TRY(of_table_open(&source->table, &store, file, 0));
    OF_TRY(table_index_make(&source->table, &store, SOURCE_PIECE, 1, &source->index));
    source->values = (of_view_source){read_rows, release_rows};
    size_t columns = source->table.columns, rows = source->index.row[source->index.pieces];
    *made = rows != columns; /* no square */
    if (!*made)
        return ONEFOLD_OK;
    OF_TRY(of_file_add(file, &top, file->stem));
    OF_TRY(of_owner_hold(top->store, file->contents));
    top->variable.matrix = of_matrix_over(NULL, OF_F64, rows, columns, columns, top->store);
    top->variable.matrix.source = &source->values;
    top->variable.matrix.column_names = source->table.header;
    top->variable.pages = 1;
    of_arena_adopt(&top->store->arena, &store);
    return ONEFOLD_OK;
}
