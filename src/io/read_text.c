/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of text as variables. The numbers are one matrix under the file's name. Each column of
 * words is a variable of its own, and so is each column of labels, by its heading.
 */
#include "base/number.h"
#include "base/team.h"
#include "base/utf8.h"
#include "io/notes.h"
#include "io/table.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- numbers -------------------------------------------------------------------------------- */

/* How many columns of the matrix a column of the table becomes. */
static size_t matrix_columns(const of_table *table, size_t c)
{
    const of_table_detail *detail = of_table_detail_of(table, c);
    return table->column[c].text ? 0 : detail->category ? detail->category_count : 1;
}

enum { PIECE = 1 << 20 };

/* The text in pieces of whole rows. A thread reads one piece at a time. */
typedef struct table_task {
    const of_table *table;
    of_context *context;
    size_t pieces;
    const char **start;    /* pieces + 1 */
    size_t *row;           /* pieces + 1: rows before each */
    atomic_int not_number; /* some cell is not a number */
} table_task;

static onefold_status count_piece(void *opaque, size_t p)
{
    table_task *task = opaque;
    for (of_rows row = of_rows_between(NULL, task->start[p], task->start[p + 1]);
         of_rows_next(&row);)
        task->row[p + 1]++;
    return ONEFOLD_OK;
}

/* Cuts the text at ends of lines, and counts the rows. */
static onefold_status cut_pieces(of_arena *arena, table_task *task)
{
    const char *begin = task->table->begin, *end = task->table->end;
    size_t size = of_context_chunk(arena->context, PIECE),
           pieces = (size_t)(end - begin) / size + 1;
    OF_TRY(OF_NEW(arena, &task->start, pieces + 1, 1));
    OF_TRY(OF_NEW_ZERO(arena, &task->row, pieces + 1, 1));
    task->pieces = pieces;
    task->start[0] = begin;
    for (size_t p = 1; p <= pieces; p++) {
        const char *near = p < pieces ? begin + p * size : end, *before = task->start[p - 1];
        const char *stop = near < before ? before - 1 : memchr(near, '\n', (size_t)(end - near));
        task->start[p] = stop ? stop + 1 : end;
    }
    OF_TRY(of_team_run(arena->context, pieces, count_piece, task));
    for (size_t p = 0; p < pieces; p++)
        task->row[p + 1] += task->row[p];
    return ONEFOLD_OK;
}

/* Reads a cell of the common kind: a number that ends at the separator. Returns 0 and stays before
 * any other cell. */
static int read_plainly(of_rows *row, double *out)
{
    char separator = row->table->separator;
    const char *stop = of_number_read(row->at, row->end, '.', out);
    if (stop == row->at || (stop < row->end && *stop != separator) || stop + 1 == row->end)
        return 0;
    stop += stop < row->end;
    while (separator == ' ' && stop < row->end && *stop == ' ')
        stop++;
    row->at = stop < row->end ? stop : NULL;
    row->cells++;
    return 1;
}

/* A 0 or 1 for each category: all 0 for an unknown word, all NaN for a missing one. */
static onefold_status read_category(const of_table_detail *column, of_context *context,
                                    const of_field *cell, double *out)
{
    int missing = of_field_missing(cell, 1);
    for (size_t i = 0; i < column->category_count; i++)
        out[i] = missing ? NAN : 0;
    if (missing)
        return ONEFOLD_OK;
    OF_SCRATCH(scratch, context);
    const char *word;
    OF_TRY(of_field_text(&scratch, cell, &word));
    const char **at = bsearch(&word, column->category, column->category_count,
                              sizeof *column->category, of_compare_texts);
    if (at)
        out[at - column->category] = 1;
    return ONEFOLD_OK;
}

/* Reads one row; `out` has room for its numbers. */
static onefold_status read_row(table_task *task, of_rows *row, double *out)
{
    const of_table *table = task->table;
    while (row->at && row->cells < table->columns) {
        size_t c = row->cells;
        const of_table_column *column = &table->column[c];
        const of_field *cell = &row->cell;
        if (column->plain && read_plainly(row, out)) {
            out++;
            continue;
        }
        of_rows_cell(row);
        if (column->text)
            continue;
        const of_table_detail *detail = of_table_detail_of(table, c);
        if (detail->category) {
            OF_TRY(read_category(detail, task->context, cell, out));
            out += detail->category_count;
            continue;
        }
        int good = detail->form_example ? of_form_read(&detail->form, cell, out)
                                        : of_field_number(cell, out);
        if (!good && detail->form_example && of_field_missing(cell, 0))
            *out = NAN;
        else if (!good) {
            atomic_store(&task->not_number, 1);
            return of_table_not_a_number(table, c, cell);
        }
        out++;
    }
    while (of_rows_cell(row)) { /* counts cells beyond the last column */
    }
    return row->cells == table->columns ? ONEFOLD_OK
                                        : of_table_ragged(table, row->line, row->cells);
}

static onefold_status read_piece(void *opaque, size_t p)
{
    table_task *task = opaque;
    const of_table *table = task->table;
    of_rows row = of_rows_between(table, task->start[p], task->start[p + 1]);
    size_t r = task->row[p], end = task->row[p + 1];
    /* no more rows than were counted, even if another process writes to the file */
    for (; r < end && of_rows_next(&row); r++)
        OF_TRY(read_row(task, &row, table->values + r * table->width));
    return r == end ? ONEFOLD_OK : of_table_changed();
}

/* Reads the columns of numbers into memory from `arena`. *not_number: it failed because some cell
 * is not a number. */
static onefold_status read_numbers(of_table *table, of_arena *arena, int *not_number)
{
    OF_SCRATCH(scratch, arena->context);
    table_task task = {.table = table, .context = arena->context};
    OF_TRY(cut_pieces(&scratch, &task));
    table->width = 0;
    for (size_t c = 0; c < table->columns; c++) {
        of_table_column *column = &table->column[c];
        const of_table_detail *detail = of_table_detail_of(table, c);
        column->plain = !column->text && !detail->form_example && !detail->category;
        column->at = (uint32_t)table->width;
        table->width += matrix_columns(table, c);
        if (table->width > UINT32_MAX)
            return of_fail(ONEFOLD_BAD_DATA, "the table has %zu columns, more than can be read",
                           table->width);
    }
    /* a cell takes at least a byte of the file, which bounds this allocation */
    table->rows = task.row[task.pieces];
    OF_TRY(OF_NEW(arena, &table->values, table->rows, table->width));
    onefold_status status = of_team_run(arena->context, task.pieces, read_piece, &task);
    *not_number = atomic_load(&task.not_number);
    return status;
}

/* ---- variables ----------------------------------------------------------------------------- */

/* Whether a column of numbers is labels: by its name, which must be a usual one unless the column
 * is the first or the last; and by its values, few different whole numbers. */
static onefold_status is_labels(of_arena *arena, const of_variable *column, size_t c,
                                size_t columns, int *labelled)
{
    enum { FEW = 20 };
    int certainty = of_name_of_labels(column->name);
    of_labels labels;
    *labelled = 0;
    if (certainty == 0 || (certainty == 1 && c != 0 && c + 1 != columns))
        return ONEFOLD_OK;
    OF_TRY(of_labels_from(arena, column, &labels));
    *labelled = labels.classes < labels.length &&
                (labels.length < FEW || 2 * labels.classes <= labels.length);
    return ONEFOLD_OK;
}

/* Whether a table is counts, most of them zero, like counts of words. There "class" is a word. */
static int is_counts(const double *values, size_t rows, size_t width)
{
    enum { MIN_WORDS = 8 };
    size_t zeros = 0;
    for (size_t i = 0; i < rows * width; i++) {
        if (!(values[i] >= 0) || values[i] != floor(values[i]))
            return 0;
        zeros += values[i] == 0;
    }
    return width >= MIN_WORDS && 3 * zeros > 2 * rows * width;
}

/* The numbers of a column of the matrix, `width` apart; NULL where it is not in the matrix. */
static const double *numbers_of(const of_table *table, size_t c)
{
    const of_table_column *column = &table->column[c];
    return column->text || of_table_detail_of(table, c)->category || column->removed
               ? NULL
               : table->values + column->at;
}

/* The column as a variable. */
static of_variable column_of(const of_table *table, size_t c)
{
    of_matrix numbers =
        of_matrix_over(numbers_of(table, c), OF_F64, table->rows, 1, table->width, NULL);
    return (of_variable){.name = table->header[c], .matrix = numbers, .pages = 1};
}

/* Moves each column of labels from the matrix to a variable. */
static onefold_status add_labels(of_table *table)
{
    OF_SCRATCH(scratch, table->file->context);
    size_t notes = 0;
    int counts = table->header && is_counts(table->values, table->rows, table->width);
    for (size_t c = 0; table->header && c < table->columns; c++) {
        const double *values = numbers_of(table, c);
        if (!values)
            continue;
        of_variable column = column_of(table, c);
        int labelled, requested = table->column[c].requests & OF_REQUEST_TRUTH;
        OF_TRY(is_labels(&scratch, &column, c, table->columns, &labelled));
        if (labelled && counts && !requested && !notes++)
            OF_TRY(of_file_note(table->file, OF_NOTE_WORD, table->header[c]));
        if (!requested && (!labelled || counts))
            continue;
        of_top *top;
        double *copy;
        table->column[c].removed = 1;
        OF_TRY(of_file_add(table->file, &top, column.name));
        OF_TRY(OF_NEW(&top->store->arena, &copy, table->rows, 1));
        for (size_t r = 0; r < table->rows; r++)
            copy[r] = values[r * table->width];
        top->variable.matrix = of_matrix_over(copy, OF_F64, table->rows, 1, 1, top->store);
        top->variable.matrix.row_names = table->ids.name;
    }
    return ONEFOLD_OK;
}

/* The heading of a column, or "column 3". */
static const char *name_of(const of_table *table, size_t c, char number[32])
{
    snprintf(number, 32, "column %zu", c + 1);
    return *of_table_heading(table, c) ? table->header[c] : number;
}

/* Whether a column of words is a variable. */
static int is_word_variable(const of_table_column *column)
{
    return column->text && column->exclusion != OF_EXCLUDED_BY_REQUEST &&
           column->exclusion != OF_EXCLUDED_EMPTY && column->exclusion != OF_EXCLUDED_ROW_NUMBERS;
}

/* Refuses columns of words whose variables take more memory than a matrix of all cells would: a
 * table of few rows may have millions. */
static onefold_status check_words(const of_table *table, size_t count)
{
    enum { VARIABLE = 1 << 10, ALWAYS = 1 << 14 }; /* bytes of one; so many are always read */
    if (count <= ALWAYS + 2 * sizeof(double) * table->rows * table->columns / VARIABLE)
        return ONEFOLD_OK;
    return of_hint(of_fail(ONEFOLD_BAD_DATA, "%zu columns of %zu row%s hold words, not numbers",
                           count, table->rows, table->rows == 1 ? "" : "s"),
                   "name the columns to read in `columns`");
}

/* Adds a variable for each column of words. *names become the names of the rows: their ids, or else
 * the first column of words. */
static onefold_status add_words(of_table *table, const char *const **names)
{
    of_file *file = table->file;
    OF_SCRATCH(scratch, file->context);
    of_word_column *list;
    size_t count = 0, first = file->count, rows;
    for (size_t c = 0; c < table->columns; c++)
        count += (size_t)is_word_variable(&table->column[c]);
    OF_TRY(check_words(table, count));
    OF_TRY(OF_NEW_ZERO(&scratch, &list, count, 1));
    count = 0;
    for (size_t c = 0; c < table->columns; c++) {
        if (!is_word_variable(&table->column[c]))
            continue;
        char number[32];
        const char *name = name_of(table, c, number);
        of_top *top;
        OF_TRY(of_file_add(file, &top, name == number && table->columns == 1 ? file->stem : name));
        top->variable.are_ids = c == table->ids.column;
        top->variable.left_out = table->width && table->column[c].exclusion != OF_INCLUDED;
        list[count++] = (of_word_column){.column = c, .arena = &top->store->arena};
    }
    *names = table->ids.name;
    if (count)
        OF_TRY(of_table_words_read(table, list, count, &rows));
    for (size_t i = 0; i < count; i++) {
        of_variable *variable = &file->top[first + i].variable;
        variable->kind = OF_VARIABLE_TEXT;
        variable->text = list[i].words;
        variable->count = rows;
        *names = *names ? *names : list[i].words;
    }
    for (size_t t = 0; t < file->count; t++)
        file->top[t].variable.matrix.row_names = table->ids.name;
    return ONEFOLD_OK;
}

/* Adds the matrix, without the columns that are removed from it. */
static onefold_status add_matrix(of_table *table, of_arena *store, const char *const *row_names)
{
    OF_SCRATCH(scratch, table->file->context);
    size_t columns = table->width, groups = 0, kept = 0;
    const char **names = NULL;
    of_text_pool pool = {.arena = store};
    unsigned char *removed;
    uint32_t *unit = NULL;
    of_top *top;
    OF_TRY(OF_NEW_ZERO(&scratch, &removed, columns, 1));
    for (size_t c = 0; c < table->columns; c++) {
        const of_table_column *column = &table->column[c];
        groups += of_table_detail_of(table, c)->category != NULL && !column->text;
        if (column->removed) {
            removed[column->at] = 1;
            columns--;
        }
    }
    if (columns == 0)
        return ONEFOLD_OK;
    for (size_t r = 0; columns < table->width && r < table->rows; r++) /* in place */
        for (size_t i = 0; i < table->width; i++)
            if (!removed[i])
                table->values[kept++] = table->values[r * table->width + i];
    kept = 0;
    if (table->header && columns == table->columns && !groups)
        names = table->header; /* its memory is of `store` */
    else if (table->header || groups)
        OF_TRY(OF_NEW(store, &names, columns, 1));
    if (groups)
        OF_TRY(OF_NEW(store, &unit, columns, 1));
    for (size_t c = 0; names && names != table->header && c < table->columns; c++)
        for (size_t w = 0; w < matrix_columns(table, c) && !table->column[c].removed; w++) {
            char number[32]; /* a name is "colour=red", a heading, or "column 3" */
            const char *heading = name_of(table, c, number),
                       **word = of_table_detail_of(table, c)->category;
            if (unit)
                unit[kept] = (uint32_t)c;
            if (!word && table->header)
                names[kept] = table->header[c];
            else
                OF_TRY(of_text_pool_put(&pool, &names[kept], heading, word ? "=" : "",
                                        word ? word[w] : ""));
            kept++;
        }
    OF_TRY(of_file_add(table->file, &top, table->file->stem));
    top->variable.matrix =
        of_matrix_over(table->values, OF_F64, table->rows, columns, columns, top->store);
    top->variable.matrix.column_names = names;
    top->variable.matrix.column_unit = unit;
    top->variable.of_table = 1;
    top->variable.matrix.row_names = row_names;
    of_arena_adopt(&top->store->arena, store);
    return ONEFOLD_OK;
}

/* ---- notes ---------------------------------------------------------------------------------- */

static void list_column(of_list *list, const of_table *table, size_t c, const char *how)
{
    char number[32];
    of_list_add(list, "%.80s%s%s%s", name_of(table, c, number), *how ? " (" : "", how,
                *how ? ")" : "");
}

/* Adds a note that ends in a list, unless the list is empty. */
#define NOTE_LIST(file, sentence, list)                                                            \
    ((list)->count ? of_file_note(file, sentence, (list)->text) : ONEFOLD_OK)

/* Notes how columns were read, and which were left out. */
static onefold_status note_columns(const of_table *table)
{
    of_file *file = table->file;
    static const char *const reasons[] = {[OF_EXCLUDED_EMPTY] = "empty",
                                          [OF_EXCLUDED_DATES] = "dates",
                                          [OF_EXCLUDED_TEXT] = "free text",
                                          [OF_EXCLUDED_CONSTANT] = "the same word in every row",
                                          [OF_EXCLUDED_ROW_NUMBERS] = "it counts the rows"};
    of_list numbers = {.used = 0}, categories = {.used = 0}, left = {.used = 0};
    for (size_t c = 0; c < table->columns; c++) {
        const of_table_column *column = &table->column[c];
        const of_table_detail *detail = of_table_detail_of(table, c);
        of_list how = {.used = 0};
        if (column->text || column->removed) {
            if (reasons[column->exclusion])
                list_column(&left, table, c, reasons[column->exclusion]);
        } else if (detail->category) {
            of_list_add(&how, "%zu", (size_t)detail->category_count);
            list_column(&categories, table, c, how.text);
        } else if (detail->form_example && *detail->form_example) {
            list_column(&numbers, table, c, detail->form_example);
        }
        if (detail->unknown_words)
            OF_TRY(of_file_note(file, OF_NOTE_UNSEEN, table->header[c],
                                (size_t)detail->unknown_words,
                                detail->unknown_words == 1 ? "" : "s", detail->first_unknown));
    }
    OF_TRY(NOTE_LIST(file, OF_NOTE_NUMBERS, &numbers));
    OF_TRY(NOTE_LIST(file, OF_NOTE_CATEGORIES, &categories));
    return NOTE_LIST(file, OF_NOTE_LEFT, &left);
}

/* "1-Mar", "Sep-02": a spreadsheet turns names of genes into such dates. */
static int is_date(const char *name)
{
    struct tm date;
    const char *end = strptime(name, "%d-%b", &date);
    if (!end || *end)
        end = strptime(name, "%b-%d", &date);
    return end && !*end;
}

/* Notes repeated headings, rows of totals, names that a spreadsheet damaged, unusual header lines
 * and a text that is not UTF-8. */
static onefold_status note_doubts(const of_table *table)
{
    static const char *const sums[] = {
        "total",  "grand total", "sum",   "mean",    "average", "avg",   "median",
        "sd",     "std",         "stdev", "minimum", "maximum", "count", "summe",
        "gesamt", "mittelwert",  "somme", "moyenne", "totale",  "media", "promedio"};
    enum { LAST = 6 };
    OF_SCRATCH(scratch, table->file->context);
    of_file *file = table->file;
    const of_table_id_column *ids = &table->ids;
    const char *first = NULL, *twice = NULL, *sum = NULL;
    size_t dates = 0;
    of_name_index index;
    if (table->header)
        OF_TRY(of_name_index_make(&scratch, table->header, table->columns, &index));
    for (size_t c = 0; table->header && c < table->columns; c++) {
        const char *name = table->header[c];
        if (!twice && *name && table->column[c].exclusion == OF_INCLUDED &&
            of_name_index_find(&index, name) != c)
            twice = name;
        if (is_date(name) && !dates++)
            first = name;
    }
    for (size_t r = 0; r < ids->rows; r++)
        if (is_date(ids->name[r]) && !dates++)
            first = ids->name[r];
    for (size_t r = ids->rows > LAST ? ids->rows - LAST : ids->rows; r < ids->rows; r++)
        for (size_t w = 0; w < sizeof sums / sizeof *sums && !sum; w++)
            if (of_same_word(ids->name[r], sums[w]))
                sum = ids->name[r];
    if (twice)
        OF_TRY(of_file_note(file, OF_NOTE_TWICE, twice));
    if (sum && table->options->samples_are != ONEFOLD_SIDE_COLUMNS)
        OF_TRY(of_file_note(file, OF_NOTE_TOTALS, sum));
    if (dates)
        OF_TRY(of_file_note(file, OF_NOTE_DATES, dates, dates == 1 ? " is" : "s are", first));
    if (table->units)
        OF_TRY(of_file_note(file, OF_NOTE_UNITS, table->units));
    if (table->above)
        OF_TRY(of_file_note(file, OF_NOTE_ABOVE, table->above));
    return table->recoded ? of_file_note(file, OF_NOTE_LETTERS) : ONEFOLD_OK;
}

/* ---- what values show of a column ----------------------------------------------------------- */

enum { MIN_ROWS = 5, LARGE_ID = 1000 }; /* fewer rows or smaller numbers are no evidence of ids */

typedef struct column_summary {
    size_t missing;
    size_t marks; /* values equal to `mark`, the largest number that may mark missing values */
    double mark;
    double least, most; /* of the values that are no marks */
    double first;
    unsigned char whole;    /* all are whole numbers from 0, and none is missing */
    unsigned char counting; /* each is one more than the one above it */
    unsigned char days;     /* all but missing values are days like 20240131 */
    unsigned char differ;   /* not all are the same */
} column_summary;

/* Numbers like -99 and 999, which often mark missing values. */
static int is_mark(double value)
{
    double size = fabs(value);
    return (size == 99 && value < 0) || size == 999 || size == 9999 || size == 99999;
}

static void add_number(column_summary *summary, size_t row, double value)
{
    enum { FIRST = 18000101, LAST = 22001231 };
    if (isnan(value)) {
        summary->missing++;
        summary->whole = summary->counting = 0;
        return;
    }
    if ((value <= -99 || value >= 999) && is_mark(value)) {
        summary->marks = fabs(value) > fabs(summary->mark) ? 0 : summary->marks;
        summary->mark = fabs(value) > fabs(summary->mark) ? value : summary->mark;
        summary->marks += value == summary->mark;
    } else {
        summary->least = value < summary->least ? value : summary->least;
        summary->most = value > summary->most ? value : summary->most;
    }
    if (!summary->whole && !summary->days && !summary->counting) /* true early for most columns */
        return;
    summary->first = isnan(summary->first) ? value : summary->first;
    summary->differ |= value != summary->first;
    int whole = value == floor(value), day = 0, month = 0;
    if (summary->days && value >= FIRST && value <= LAST) {
        day = (int)value % 100;
        month = (int)value / 100 % 100;
    }
    summary->whole &= whole && value >= 0;
    summary->counting &= whole && value == summary->first + (double)row;
    summary->days &= whole && day >= 1 && day <= 31 && month >= 1 && month <= 12;
}

/* Requests for a column as a feature or as the truth, or by a model. */
enum { LISTED = OF_REQUEST_FEATURE | OF_REQUEST_NUMBER | OF_REQUEST_TRUTH | OF_REQUEST_MODEL };

/* Whether the mark is far below all other values, or repeated and far above them. */
static int is_marked(const column_summary *summary)
{
    int far = summary->mark < 0 ? summary->least > summary->mark / 2
                                : summary->most < summary->mark / 4 &&
                                      summary->least > -summary->mark / 4 && summary->marks > 1;
    return summary->marks && summary->least <= summary->most && far;
}

/* Removes a column from the matrix by its values: an empty one, days, and row numbers. Row numbers
 * become the ids where there are no others. */
static onefold_status check_column(of_table *table, size_t c, const column_summary *summary,
                                   of_list *marks)
{
    int by_rule = !table->options->ids && table->header,
        modelled = table->options->expected_count > 0;
    size_t rows = table->rows;
    of_table_column *column = &table->column[c];
    int listed = (column->requests & LISTED) != 0,
        truth = (column->requests & OF_REQUEST_TRUTH) != 0;
    const char *name = of_table_heading(table, c); /* "" or a program's name for "" */
    int unnamed = !*name || strncmp(name, "Unnamed:", 8) == 0 || strncmp(name, "...", 3) == 0 ||
                  strcmp(name, "X") == 0 || strncmp(name, "X.", 2) == 0;
    int counting =
        by_rule && !listed && (c == 0 || unnamed) && summary->counting && rows >= MIN_ROWS;
    column->exclusion = !modelled && !truth && summary->missing == rows ? OF_EXCLUDED_EMPTY
                        : counting && table->ids.column != SIZE_MAX     ? OF_EXCLUDED_ROW_NUMBERS
                        : !listed && summary->days && summary->differ && rows >= MIN_ROWS
                            ? OF_EXCLUDED_DATES
                            : OF_INCLUDED;
    column->removed = counting || column->exclusion != OF_INCLUDED;
    if (counting && table->ids.column == SIZE_MAX) {
        const char **ids;
        table->ids = (of_table_id_column){.column = c, .headed = 1};
        OF_TRY(of_table_words(table, &table->file->arena, c, &table->ids.rows, &ids));
        table->ids.name = ids;
        OF_TRY(of_file_note(table->file, OF_NOTE_IDS, name, "it counts the rows"));
    }
    if (!column->removed && !modelled && is_marked(summary)) {
        char how[64];
        of_number_print(how, sizeof how, "%.0f, %zu times", summary->mark, summary->marks);
        list_column(marks, table, c, how);
    }
    return ONEFOLD_OK;
}

/* Checks the values of every column, some thousand columns at a time. */
static onefold_status check_values(of_table *table)
{
    enum { AT_ONCE = 1 << 12 };
    OF_SCRATCH(scratch, table->file->context);
    int by_rule = !table->options->ids && table->header,
        modelled = table->options->expected_count > 0;
    of_list marks = {.used = 0};
    column_summary *summaries, zeroth = {.whole = 0};
    size_t rows = table->rows, width = table->width;
    OF_TRY(OF_NEW(&scratch, &summaries, of_size_least(width, AT_ONCE), 1));
    for (size_t first = 0, c = 0; first < width; first += AT_ONCE) {
        size_t count = of_size_least(width - first, AT_ONCE);
        for (size_t i = 0; i < count; i++)
            summaries[i] = (column_summary){.least = INFINITY,
                                            .most = -INFINITY,
                                            .first = NAN,
                                            .whole = 1,
                                            .counting = 1,
                                            .days = 1};
        for (size_t r = 0; r < rows; r++)
            for (size_t i = 0; i < count; i++)
                add_number(&summaries[i], r, table->values[r * width + first + i]);
        zeroth = first ? zeroth : summaries[0];
        for (; c < table->columns && table->column[c].at < first + count; c++)
            if (numbers_of(table, c))
                OF_TRY(check_column(table, c, &summaries[table->column[c].at - first], &marks));
        OF_TRY(of_context_check(scratch.context));
    }
    if (by_rule && !modelled && table->ids.column == SIZE_MAX && numbers_of(table, 0) &&
        !(table->column[0].requests & LISTED) && zeroth.whole && zeroth.most >= LARGE_ID &&
        rows >= MIN_ROWS) {
        of_variable first = column_of(table, 0);
        of_labels labels;
        OF_TRY(of_labels_from(&scratch, &first, &labels));
        if (labels.classes == rows)
            OF_TRY(of_file_note(table->file, OF_NOTE_IDS_MAYBE, table->header[0]));
    }
    return NOTE_LIST(table->file, OF_NOTE_MARKS, &marks);
}

/* ---- reading -------------------------------------------------------------------------------- */

/* Whether the table has words and no numbers. Words for 0 and 1 are words beside categories. */
static int has_only_words(const of_table *table)
{
    size_t numbers = 0, pairs = 0, categories = 0, words = 0;
    for (size_t c = 0; c < table->columns; c++) {
        const of_table_column *column = &table->column[c];
        if (c == table->ids.column || column->exclusion == OF_EXCLUDED_BY_REQUEST)
            continue;
        const of_table_detail *detail = of_table_detail_of(table, c);
        words += column->text;
        categories += !column->text && detail->category;
        pairs += !column->text && detail->form.words;
        numbers += !column->text && !detail->category;
    }
    return numbers == pairs && (pairs == 0 || categories > 0) && categories + words > 0;
}

/* Categories become words again; where `all`, so does every column, and there is no matrix. */
static void keep_words(of_table *table, int all)
{
    table->width = all ? 0 : table->width;
    for (size_t c = 0; c < table->columns; c++)
        if (all || of_table_detail_of(table, c)->category) {
            table->column[c].text = 1;
            table->column[c].detail = 0;
        }
}

onefold_status of_read_text(of_file *file)
{
    OF_SCRATCH(scratch, file->context);
    OF_SCRATCH(store, file->context);
    const onefold_read_options *options = &file->options;
    of_table table;
    const char *const *row_names = NULL;
    int not_number = 0;
    OF_TRY(of_table_open(&table, &scratch, &store, file));
    file->columns = table.columns;
    file->has_header = table.header != NULL;
    if (table.header &&
        (options->drop || options->columns || options->as_category || options->as_number))
        OF_TRY(of_dataset_names_copy(&file->arena, table.columns, table.header, &file->header));
    OF_TRY(of_table_ids(&table));
    OF_TRY(of_table_columns_decide(&table, &store, 0));
    if (file->encode < 0)
        keep_words(&table, 0);
    onefold_status status = read_numbers(&table, &store, &not_number);
    if (status != ONEFOLD_OK && not_number) { /* a cell is not plain: every column is checked */
        OF_TRY(of_table_columns_decide(&table, &store, 1));
        status = read_numbers(&table, &store, &not_number);
    }
    OF_TRY(status);
    if (table.ids.column == SIZE_MAX && !options->ids)
        OF_TRY(of_table_ids_by_words(&table));
    file->only_words = has_only_words(&table);
    unsigned requested = 0;
    for (size_t c = 0; c < table.columns; c++)
        requested |= table.column[c].requests &
                     (OF_REQUEST_FEATURE | OF_REQUEST_CATEGORY | OF_REQUEST_NUMBER);
    if (file->only_words && file->encode < 1 && !requested && !options->expected_count)
        keep_words(&table, 1);
    if (table.width)
        OF_TRY(check_values(&table));
    file->ids = table.ids;
    OF_TRY(note_doubts(&table));
    if (table.width)
        OF_TRY(note_columns(&table));
    OF_TRY(add_words(&table, &row_names));
    OF_TRY(add_labels(&table));
    return add_matrix(&table, &store, row_names);
}

onefold_status of_read_text_line(of_file *file, size_t row, size_t *line)
{
    OF_SCRATCH(scratch, file->context);
    of_table table;
    *line = 0;
    if (!file->columns)
        return ONEFOLD_OK;
    OF_TRY(of_table_open(&table, &scratch, &scratch, file));
    *line = of_table_row_line(&table, row);
    return ONEFOLD_OK;
}
