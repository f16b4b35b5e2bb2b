/* SPDX-License-Identifier: Apache-2.0 */
/* How a table of text is written: encoding, separator and header. What its columns hold, by all of
 * their cells: ids, numbers in some form, words for 0 and 1, categories, dates, free text, or
 * nothing. Columns of plain numbers are not checked here. */
#include "io/table.h"

#include "base/number.h"
#include "base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- separator and header ------------------------------------------------------------------- */

/* Which of ; tab and comma a line has outside quotes, as bits. */
static unsigned separators_in(const of_rows *line)
{
    unsigned quoted = 0, seen = 0;
    for (const char *c = line->line; c < line->end; c++) {
        quoted ^= *c == '"';
        if (!quoted)
            seen |= *c == ';' ? 1 : *c == '\t' ? 2 : *c == ',' ? 4 : 0;
    }
    return seen;
}

/* The separator that both lines have. A first line of one word may be the heading of one column. */
static char find_separator(const of_rows *first, const of_rows *second)
{
    unsigned seen = separators_in(first), below = separators_in(second);
    int one_word = 1;
    for (const char *c = first->line; c < first->end; c++)
        one_word &= !of_is_blank(*c) && *c != ',' && *c != ';' && !(*c >= '0' && *c <= '9');
    if (below) /* otherwise the row is too short, which is an error when it is read */
        seen = one_word ? below : seen & below;
    return seen & 1 ? ';' : seen & 2 ? '\t' : seen & 4 ? ',' : ' ';
}

/* Whether a cell is a number, with a point or a comma before its decimals. */
static int is_number(const of_field *cell, double *value)
{
    return of_field_number(cell, value) ||
           of_number_read(cell->begin, cell->end, ',', value) == cell->end;
}

typedef struct row_summary {
    size_t cells, numbers, empty;
    int corner;      /* the first cell is empty */
    int gap;         /* a cell before the last is empty */
    int labels;      /* some cell is a usual name of labels */
    int words_first; /* the first cell is a word */
    int ids_first;   /* the first cell is a usual name of ids */
    int whole;       /* all cells after the first are whole numbers without a sign */
    int counting;    /* the cells are 0, 1, 2, ... or 1, 2, 3, ... */
    int rising;      /* the cells are k, k + 1, k + 2, ... */
    int fraction;    /* the second cell is a number that is not whole */
} row_summary;

static row_summary summarise_row(const of_table *table, of_rows row)
{
    row_summary summary = {.whole = 1, .rising = 1};
    size_t first = 0;
    for (row.table = table; of_rows_cell(&row); summary.cells++) {
        const of_field *cell = &row.cell;
        double value;
        int empty = cell->begin == cell->end;
        int number = !empty && is_number(cell, &value);
        summary.corner |= empty && summary.cells == 0;
        summary.numbers += (size_t)number;
        summary.empty += (size_t)empty;
        summary.gap |= empty && row.at;
        char name[64] = "";
        if (!empty && !number && cell->end - cell->begin < (ptrdiff_t)sizeof name) {
            memcpy(name, cell->begin, (size_t)(cell->end - cell->begin));
            summary.labels |= of_name_of_labels(name) > 0;
            summary.ids_first |= summary.cells == 0 && of_name_of_ids(name);
        }
        size_t whole;
        int is_whole = !empty && of_number_read_size(cell->begin, cell->end, &whole) == cell->end;
        if (summary.cells == 0) {
            summary.words_first = !empty && !number;
            first = is_whole ? whole : 0;
            summary.rising = is_whole;
            continue;
        }
        summary.whole &= is_whole;
        summary.fraction |= summary.cells == 1 && number && value != floor(value);
        summary.rising &= is_whole && whole == summary.cells + first;
    }
    summary.counting = summary.rising && first <= 1;
    return summary;
}

/* Summarises the first two rows, and corrects the separator: numbers may be separated by a mix of
 * blanks and tabs, and words may contain blanks. */
static void settle_separator(of_table *table, const of_rows *first, const of_rows *second,
                             row_summary *above, row_summary *below)
{
    for (int again = 0; again < 2; again++) {
        *above = summarise_row(table, *first);
        *below = summarise_row(table, *second);
        const row_summary *last = second->line ? below : above;
        int at_end = above->cells == below->cells && above->empty != below->empty;
        int gaps = (above->gap || below->gap || at_end) &&
                   last->numbers + last->empty == last->cells; /* missing values */
        if (table->separator == '\t' && last->numbers < last->cells && !gaps) {
            of_table blanks = *table;
            blanks.separator = ' ';
            row_summary other = summarise_row(&blanks, second->line ? *second : *first);
            if (other.numbers < other.cells)
                return;
            table->separator = ' ';
        } else if (table->separator == ' ' && above->numbers == 0 && below->numbers == 0) {
            table->separator = '\n';
        } else {
            return;
        }
    }
}

/* A first row is a header where
 *  - it has one cell less than the row below, or an empty corner: then rows have names;
 *  - it has no number, and the row below has one;
 *  - it has no number, nor has the row below, and it names labels, or ids in its first cell;
 *  - its numbers count at least three columns, and those of the row below do not count;
 *  - its numbers are whole and follow a name of ids, or any word above a row that is not whole. */
static int is_header(of_table *table, const row_summary *first, const row_summary *second,
                     onefold_header requested)
{
    enum { COUNTED = 3 };
    if (second->cells == 0 || requested == ONEFOLD_HEADER_NO)
        return 0;
    int forced = requested == ONEFOLD_HEADER_YES;
    if (second->cells == first->cells + 1 &&
        (forced || (second->numbers > 0 && (first->numbers == 0 || second->words_first))) &&
        !(first->ids_first && second->fraction)) { /* fractions are no ids: a row is too long */
        table->named_rows = 1;
        return 1;
    }
    if (second->cells != first->cells)
        return 0;
    if (first->corner && first->cells > 1) {
        table->named_rows = 1;
        return 1;
    }
    if (forced || (first->counting && first->cells >= COUNTED && !second->rising))
        return 1;
    if (first->cells > 1 && first->numbers == first->cells - 1 && first->words_first &&
        first->whole && (first->ids_first || (second->words_first && !second->whole)))
        return 1;
    if (first->numbers > 0)
        return 0;
    return second->numbers > 0 || (first->labels && !second->labels) ||
           (first->cells > 1 && first->ids_first && !second->ids_first);
}

/* Headings start at column `c`: the second, where row names have no heading. */
static onefold_status copy_header(of_table *table, of_arena *arena, of_rows row, size_t c)
{
    of_text_pool pool = {.arena = arena};
    OF_TRY(OF_NEW_ZERO(arena, &table->header, table->columns, 1));
    table->header[0] = "";
    for (; c < table->columns && of_rows_cell(&row); c++)
        OF_TRY(of_field_keep(&pool, &row.cell, &table->header[c]));
    return ONEFOLD_OK;
}

/* Marks columns of words: row names, and columns whose first cell is a word. Missing values are
 * skipped, in up to MOST_ROWS rows. Codes like 00501 are words, unless most columns have them. */
static onefold_status find_words(of_table *table, of_arena *arena, of_arena *details)
{
    enum { MOST_ROWS = 1000, CODES_IN = 200 };
    size_t rows = 0, open = table->columns, numbers = 0, codes = 0;
    OF_TRY(OF_NEW_ZERO(arena, &table->column, table->columns, 1));
    OF_TRY(OF_NEW_ZERO(details, &table->detail, 1, 1));
    table->details = table->detail_room = 1;
    for (of_rows row = of_rows_of(table);
         (open || rows < CODES_IN) && rows++ < MOST_ROWS && of_rows_next(&row);)
        for (size_t c = 0; c < table->columns && of_rows_cell(&row); c++) {
            double value = 0;
            int number = of_field_number(&row.cell, &value);
            size_t length = (size_t)(row.cell.end - row.cell.begin);
            of_table_column *column = &table->column[c];
            if (length > 1 && row.cell.begin[0] == '0' && row.cell.begin[1] >= '0' &&
                row.cell.begin[1] <= '9')
                column->code = 1;
            if (column->settled || (number && isnan(value)))
                continue;
            column->text = !number;
            table->has_points |= number && memchr(row.cell.begin, '.', length);
            column->settled = 1;
            open--;
        }
    for (size_t c = 0; c < table->columns; c++) {
        numbers += !table->column[c].text;
        codes += table->column[c].code && !table->column[c].text;
    }
    for (size_t c = 0; c < table->columns; c++) {
        of_table_column *column = &table->column[c];
        column->code = column->code && 2 * codes <= numbers && table->columns > 1;
        column->text = column->text || column->code;
    }
    if (table->named_rows)
        table->column[0].text = 1;
    return ONEFOLD_OK;
}

/* ---- characters ----------------------------------------------------------------------------- */

/* Replaces line breaks within quotes by OF_FOLD, and every \r by \n where no line ends in \n. The
 * text is copied only where it changes. */
static onefold_status unfold(of_arena *arena, const char **text, size_t size)
{
    char *copy = NULL;
    const char *quote = memchr(*text, '"', size);
    int old = !memchr(*text, '\n', size) && memchr(*text, '\r', size), quoted = 0;
    if (!quote && !old)
        return ONEFOLD_OK;
    for (size_t i = old || !quote ? 0 : (size_t)(quote - *text); i < size; i++) {
        char c = (*text)[i], other = c;
        if (c == '"') /* a quote within a word is a letter */
            quoted = !quoted && (i == 0 || strchr("\n\r,;\t \"\xbf", (*text)[i - 1]));
        if (quoted && (c == '\n' || (old && c == '\r')))
            other = OF_FOLD;
        else if (old && c == '\r')
            other = '\n';
        if (other == c)
            continue;
        if (!copy) {
            OF_TRY(OF_NEW(arena, &copy, size, 1));
            memcpy(copy, *text, size);
        }
        copy[i] = other;
    }
    if (copy && !quoted) /* a quote that is never closed is a letter */
        *text = copy;
    return ONEFOLD_OK;
}

/* The place of the first byte that is not UTF-8, or `size`. */
static size_t find_invalid(const char *text, size_t size)
{
    uint64_t eight;
    for (size_t i = 0; i < size;) {
        if (i + sizeof eight <= size) {
            memcpy(&eight, text + i, sizeof eight);
            if (!(eight & 0x8080808080808080u)) {
                i += sizeof eight;
                continue;
            }
        }
        char character[5] = "";
        memcpy(character, text + i, size - i < 4 ? size - i : 4);
        size_t length = of_utf8_length(character);
        if (!length)
            return i;
        i += length;
    }
    return size;
}

/* Converts each byte that is not UTF-8 from Windows-1252, as Western programs write it. */
static onefold_status recode(of_arena *arena, const char **text, size_t *size)
{
    static const uint16_t low[32] = {
        0x20ac, 0xfffd, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
        0x2039, 0x0152, 0xfffd, 0x017d, 0xfffd, 0xfffd, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
        0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0xfffd, 0x017e, 0x0178};
    enum { LONGEST = 3 };
    char *copy;
    size_t invalid = 0, made = 0;
    for (size_t i = find_invalid(*text, *size); i < *size;
         i += 1 + find_invalid(*text + i + 1, *size - i - 1))
        invalid++;
    OF_TRY(OF_NEW(arena, &copy, *size + (LONGEST - 1) * invalid, 1));
    for (size_t i = 0; i < *size;) {
        size_t good = find_invalid(*text + i, *size - i);
        memcpy(copy + made, *text + i, good);
        made += good;
        i += good;
        if (i < *size) {
            unsigned char byte = (unsigned char)(*text)[i++];
            made = (size_t)(of_text_put(copy + made, byte < 0xa0 ? low[byte - 0x80] : byte) - copy);
        }
    }
    *text = copy;
    *size = made;
    return ONEFOLD_OK;
}

/* ---- header lines that are not headings ----------------------------------------------------- */

/* Whether the second line is units: neither it nor the first has a number, and it has a word above
 * some number of the third. */
static int is_units(const of_table *table, const row_summary *first, const row_summary *second,
                    of_rows unit, of_rows below)
{
    size_t above = 0;
    if (!below.line || first->numbers || second->numbers || first->cells != second->cells ||
        first->cells < 2 || table->separator == '\n')
        return 0;
    while (unit.at && below.at) {
        double value;
        of_rows_cell(&unit);
        of_rows_cell(&below);
        int number = is_number(&below.cell, &value) && !isnan(value);
        if (number && unit.cell.end - unit.cell.begin > 12)
            return 0;
        above += number && unit.cell.begin < unit.cell.end;
    }
    return above > 0 && !unit.at && !below.at;
}

static int same_text(const of_field *a, const of_field *b)
{
    return a->end - a->begin == b->end - b->begin &&
           memcmp(a->begin, b->begin, (size_t)(a->end - a->begin)) == 0;
}

/* Whether the first line heads a table of words: none of its words is repeated below it in its
 * column, and some word of the second line is. */
static int heads_words(of_rows row)
{
    enum { MOST_ROWS = 1000, MOST = 64 };
    of_field head[MOST] = {{0}}, below[MOST] = {{0}};
    size_t columns = 0, rows = 0, repeated = 0;
    while (columns < MOST && of_rows_cell(&row))
        head[columns++] = row.cell;
    for (; rows < MOST_ROWS && of_rows_next(&row); rows++) {
        for (size_t c = 0; c < columns && of_rows_cell(&row); c++) {
            if (rows == 0)
                below[c] = row.cell;
            if (same_text(&row.cell, &head[c]))
                return 0;
            repeated += rows > 0 && same_text(&row.cell, &below[c]);
        }
        if (row.cells < columns)
            return 0;
    }
    return columns > 1 && repeated > 0;
}

static onefold_status find_requested(of_table *table, of_arena *arena)
{
    OF_SCRATCH(scratch, arena->context);
    const onefold_read_options *options = table->options;
    const char *const lists[] = {options->drop, options->columns, options->as_category,
                                 options->as_number}; /* in the order of the bits */
    of_name_index expected;
    OF_TRY(of_name_index_make(&scratch, options->expected, options->expected_count, &expected));
    for (size_t c = 0; c < table->columns; c++) {
        const char *name = of_table_heading(table, c);
        unsigned requests = 0;
        for (unsigned l = 0; l < sizeof lists / sizeof *lists; l++)
            requests |= of_name_listed(lists[l], name, c) ? 1u << l : 0;
        if (*name && options->truth && strcmp(options->truth, name) == 0)
            requests |= OF_REQUEST_TRUTH;
        if (*name && of_name_index_find(&expected, name) != SIZE_MAX)
            requests |= OF_REQUEST_MODEL;
        table->column[c].requests = requests & 255;
    }
    return ONEFOLD_OK;
}

onefold_status of_table_open(of_table *table, of_arena *arena, of_arena *headings, of_file *file)
{
    const char *text = (const char *)file->bytes;
    size_t size = file->size;
    onefold_header header = file->options.header;
    if (size >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "the text is in UTF-16"), "save it as UTF-8");
    if (memchr(text, '\0', size < 4096 ? size : 4096))
        return of_fail(ONEFOLD_BAD_DATA, "the file is not text: there are zero bytes in it");
    int recoded = find_invalid(text, size) < size;
    if (recoded)
        OF_TRY(recode(arena, &text, &size));
    OF_TRY(unfold(arena, &text, size));
    *table = (of_table){.file = file,
                        .options = &file->options,
                        .ids.column = SIZE_MAX,
                        .text = text,
                        .end = text + size,
                        .recoded = recoded};
    int marked = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0;
    of_rows first = of_rows_between(table, text + (marked ? 3 : 0), table->end);
    while (of_rows_next(&first) && (*first.line == '#' || *first.line == '%')) {
    }
    /* "sep=;" tells a spreadsheet the separator */
    char requested =
        first.end - first.line == 5 && memcmp(first.line, "sep=", 4) == 0 ? first.line[4] : '\0';
    if (requested)
        of_rows_next(&first);
    if (!first.line)
        return of_fail(ONEFOLD_BAD_DATA, "there are only blanks and comments in the file");
    of_rows second = first, third;
    of_rows_next(&second);
    third = second;
    of_rows_next(&third);
    table->begin = first.line;
    table->separator = requested ? requested : find_separator(&first, &second);
    row_summary one, two;
    settle_separator(table, &first, &second, &one, &two);
    table->columns = one.cells;
    if (one.cells > UINT32_MAX || two.cells > UINT32_MAX)
        return of_fail(ONEFOLD_BAD_DATA, "a line has %zu cells, more than can be read",
                       one.cells > two.cells ? one.cells : two.cells);
    if (header != ONEFOLD_HEADER_NO && is_units(table, &one, &two, second, third)) {
        if (one.empty > (size_t)one.corner && two.empty == 0) { /* headings of groups of columns */
            table->above = of_table_line_number(table, first.line);
            first = second;
            one = two;
        } else {
            table->units = of_table_line_number(table, second.line);
        }
        two = summarise_row(table, third);
        second = third;
        header = ONEFOLD_HEADER_YES;
    } else if (header == ONEFOLD_HEADER_AUTO && third.line && one.numbers == 0 &&
               two.numbers == 0 && one.cells == two.cells && one.cells > 1 && heads_words(first)) {
        header = ONEFOLD_HEADER_YES;
    }
    if (is_header(table, &one, &two, header)) {
        table->columns = two.cells;
        OF_TRY(copy_header(table, headings, first, two.cells - one.cells));
        table->begin = second.line;
    }
    OF_TRY(find_words(table, arena, headings));
    return find_requested(table, arena);
}

/* ---- errors --------------------------------------------------------------------------------- */

/* "column 3", or its heading in quotes. */
typedef struct column_text {
    char text[80];
} column_text;

static column_text name_of_column(const of_table *table, size_t column)
{
    column_text made;
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
                           name_of_column(table, column).text, text),
                   "correct the cell, leave the column out with `drop`, or take its words for "
                   "categories with `as_category`");
}

onefold_status of_table_ragged(const of_table *table, const char *at, size_t cells)
{
    return of_hint(
        of_fail(ONEFOLD_BAD_DATA, "line %zu has %zu %s, where the first has %zu",
                of_table_line_number(table, at), cells, cells == 1 ? "cell" : "cells",
                table->columns),
        "every row needs a cell for every column, and nothing may stand above the header; a "
        "comma within a cell needs quotes around the cell");
}

/* Refuses a row that has more or fewer cells than there are columns. */
static onefold_status check_rows(const of_table *table)
{
    for (of_rows row = of_rows_of(table); of_rows_next(&row);) {
        while (of_rows_cell(&row)) {
        }
        if (row.cells != table->columns)
            return of_table_ragged(table, row.line, row.cells);
    }
    return ONEFOLD_OK;
}

/* ---- ids ------------------------------------------------------------------------------------ */

/* A column with one of these requests holds no ids. */
enum { NO_IDS = OF_REQUEST_DROP | OF_REQUEST_FEATURE | OF_REQUEST_CATEGORY | OF_REQUEST_NUMBER };

/* The column of ids by rule: row names; a column under a usual name of ids, which must end in "id"
 * unless it is the first, as "cell" may head a column of counts; or a first column of words. */
static size_t find_by_rule(const of_table *table)
{
    int dropped = table->column[0].requests & NO_IDS;
    if (table->named_rows && !dropped)
        return 0;
    for (size_t c = 0; table->header && table->columns > 1 && c < table->columns; c++) {
        const char *name = table->header[c];
        size_t length = strlen(name);
        if (of_name_of_ids(name) &&
            (c == 0 || (length >= 2 && of_same_word(name + length - 2, "id"))) &&
            !(table->column[c].requests & NO_IDS))
            return c;
    }
    return table->columns > 1 && table->column[0].text && !dropped &&
                   !of_name_of_labels(of_table_heading(table, 0))
               ? 0
               : SIZE_MAX;
}

/* The error for an empty id, or else for a repeated one. */
static onefold_status refuse_ids(const of_table *table, const of_name_index *index, size_t column)
{
    static const char hint[] = "every sample needs an id of its own; `ids` none says that there "
                               "are none, and `ids` names another column";
    size_t second = index->first_twin, empty = 0;
    column_text name = name_of_column(table, column);
    if (second == SIZE_MAX || !index->name[second][0]) {
        while (empty < index->count && index->name[empty][0])
            empty++;
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "%s has no id in line %zu", name.text,
                               of_table_row_line(table, empty)),
                       hint);
    }
    return of_hint(of_fail(ONEFOLD_BAD_DATA, "%s has the id \"%.60s\" twice, in lines %zu and %zu",
                           name.text, index->name[second],
                           of_table_row_line(table, of_name_index_find(index, index->name[second])),
                           of_table_row_line(table, second)),
                   hint);
}

/* Whether some of the words are numbers, or, where `dates`, dates. */
static int holds_numbers(const char *const *words, size_t rows, int dates)
{
    for (size_t r = 0; r < rows; r++) {
        of_field field = {words[r], words[r] + strlen(words[r]), 0};
        of_form_evidence evidence;
        if (of_form_detect(&field, &evidence) || (dates && of_field_is_date(&field)))
            return 1;
    }
    return 0;
}

/* A column as ids; the words are the file's. */
static onefold_status read_ids(const of_table *table, of_arena *scratch, size_t column, of_ids *ids)
{
    const char **words;
    size_t rows;
    OF_TRY(of_table_words(table, &table->file->arena, column, &rows, &words));
    return of_ids_make(scratch, words, rows, ids);
}

onefold_status of_table_ids(of_table *table)
{
    const char *requested = table->options->ids;
    if (requested && strcmp(requested, "none") == 0)
        return ONEFOLD_OK;
    size_t column = 0, better = SIZE_MAX;
    while (requested && column < table->columns &&
           !of_name_listed(requested, of_table_heading(table, column), column))
        column++;
    int by_name = requested && column < table->columns;
    if (by_name && (table->column[column].requests & (OF_REQUEST_CATEGORY | OF_REQUEST_NUMBER)))
        return of_hint(of_fail(ONEFOLD_USAGE, "%s cannot be both the ids and a feature",
                               name_of_column(table, column).text),
                       "name it in `ids`, or in `as_category` or `as_number`");
    if (!by_name)
        column = find_by_rule(table);
    if (column == SIZE_MAX)
        return ONEFOLD_OK;
    OF_SCRATCH(scratch, table->file->context);
    of_ids ids;
    int headed = of_name_of_ids(of_table_heading(table, column));
    OF_TRY(read_ids(table, &scratch, column, &ids));
    /* a column of words under a name of ids comes before row names that only count the rows */
    for (size_t c = 1; !by_name && ids.counting && table->named_rows && table->header &&
                       better == SIZE_MAX && c < table->columns;
         c++)
        if (table->column[c].text && of_name_of_ids(table->header[c]) &&
            !(table->column[c].requests & NO_IDS))
            better = c;
    if (better != SIZE_MAX) {
        table->column[column].text = 1; /* row numbers are no feature */
        table->column[column].decided = 1;
        table->column[column].exclusion = OF_EXCLUDED_ROW_NUMBERS;
        column = better;
        headed = 1;
        OF_TRY(read_ids(table, &scratch, column, &ids));
    }
    int sure = by_name || table->named_rows || headed;
    if (!sure && holds_numbers(ids.name, ids.count, 0))
        return ONEFOLD_OK; /* numbers, with some words among them */
    /* A first column of words under any heading is ids if all its words differ. If nearly all do,
     * one id is wrong. Names of genes may be repeated where samples are columns. */
    int nearly = 10 * (ids.index.repeated + ids.index.empty) <= ids.count &&
                 !of_name_of_features(of_table_heading(table, column));
    if (!ids.usable &&
        (by_name || (table->options->samples_are != ONEFOLD_SIDE_COLUMNS && (sure || nearly))))
        return refuse_ids(table, &ids.index, column);
    if (!ids.usable)
        return ONEFOLD_OK;
    table->column[column].text = 1;
    table->ids = (of_table_id_column){.column = column,
                                      .rows = ids.count,
                                      .name = ids.name,
                                      .by_name = by_name,
                                      .headed = by_name || headed};
    return ONEFOLD_OK;
}

onefold_status of_table_ids_by_words(of_table *table)
{
    enum { LONGEST = 64 }; /* an id is one word, and not long */
    OF_SCRATCH(scratch, table->file->context);
    for (size_t c = 0; table->header && table->columns > 1 && c < table->columns; c++) {
        const char **words;
        of_ids ids;
        size_t rows, names = 0;
        int free_text = table->column[c].exclusion == OF_EXCLUDED_TEXT;
        if (!free_text && /* nor excluded because `columns` does not name it */
            (table->column[c].exclusion != OF_EXCLUDED_BY_REQUEST || !table->options->columns ||
             (table->column[c].requests & OF_REQUEST_DROP)))
            continue;
        OF_TRY(of_table_words(table, &table->file->arena, c, &rows, &words));
        while (names < rows && *words[names] && !strchr(words[names], ' ') &&
               strlen(words[names]) <= LONGEST)
            names++;
        if (names < rows || rows < 2 || (!free_text && holds_numbers(words, rows, 1)))
            continue;
        OF_TRY(of_ids_make(&scratch, words, rows, &ids));
        if (!ids.usable)
            continue;
        table->column[c].exclusion = OF_INCLUDED;
        table->ids = (of_table_id_column){.column = c, .rows = rows, .name = words, .headed = 1};
        return of_file_note(table->file, OF_NOTE_IDS, table->header[c], "its words all differ");
    }
    return ONEFOLD_OK;
}

/* ---- columns -------------------------------------------------------------------------------- */

/* A column is categories if it has few different words, repeated twice on average. */
enum { MOST_CATEGORIES = 32, MOST_ASKED = 1000, PLUS_MINUS = 5 };

typedef struct column_tally {
    size_t cells, numbers, dates, percent;
    size_t point[2], ambiguous[2]; /* of '.' and of ',' */
    size_t length, codes;          /* of the first cell; cells of as many digits */
    size_t minus_signs;            /* cells "-": missing values, except beside "+" */
    size_t pair[OF_FORM_PAIRS][2];
    const char **word; /* the different words in order, up to `max_words` */
    size_t words, max_words, room;
    /* the first cell of each kind */
    of_field not_number, without_percent;
    of_field decimal_comma; /* plain but for a decimal comma */
    of_field not_plain;     /* any other number that is not plain */
} column_tally;

/* The categories that a model has of a column, from its names like "colour=red": how many, and the
 * words into `list`, unless NULL. A name that is a heading of the table is no category. */
static size_t expected_words(const of_table *table, const char *name, const char **list)
{
    const onefold_read_options *options = table->options;
    size_t length = strlen(name), found = 0;
    for (size_t i = 0; length && i < options->expected_count; i++) {
        const char *other = options->expected[i];
        size_t c = 0;
        if (strncmp(other, name, length) != 0 || other[length] != '=')
            continue;
        while (c < table->columns && strcmp(table->header[c], other) != 0)
            c++;
        if (c < table->columns)
            continue;
        if (list)
            list[found] = other + length + 1;
        found++;
    }
    return found;
}

/* Inserts a word in the sorted list of its column. */
static onefold_status keep_word(of_text_pool *pool, const of_field *cell, column_tally *tally)
{
    const char *word;
    if (tally->words > tally->max_words)
        return ONEFOLD_OK;
    of_text_pool before = *pool;
    OF_TRY(of_field_keep(pool, cell, &word));
    size_t low = 0, high = tally->words;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(tally->word[middle], word);
        if (order == 0) {
            if (pool->left <= before.left && pool->at == before.at + (before.left - pool->left))
                *pool = before; /* its memory is used again */
            return ONEFOLD_OK;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (++tally->words > tally->max_words)
        return ONEFOLD_OK; /* too many to store */
    if (tally->words > tally->room) {
        void *longer;
        tally->room = tally->words < 4 ? tally->words : 2 * tally->words;
        OF_TRY(of_text_pool_new(pool, &longer, tally->room * sizeof *tally->word));
        if (tally->words > 1)
            memcpy(longer, tally->word, (tally->words - 1) * sizeof *tally->word);
        tally->word = longer;
    }
    memmove(tally->word + low + 1, tally->word + low,
            (tally->words - 1 - low) * sizeof *tally->word);
    tally->word[low] = word;
    return ONEFOLD_OK;
}

static onefold_status add_cell(of_text_pool *pool, const of_field *cell, column_tally *tally)
{
    of_form_evidence evidence;
    double value;
    size_t whole, length = (size_t)(cell->end - cell->begin);
    if (of_field_missing(cell, 1)) {
        tally->minus_signs += cell->end - cell->begin == 1 && *cell->begin == '-';
        return ONEFOLD_OK;
    }
    tally->cells++;
    tally->length = tally->length ? tally->length : length;
    tally->codes +=
        length == tally->length && of_number_read_size(cell->begin, cell->end, &whole) == cell->end;
    if (of_form_detect(cell, &evidence)) {
        int plain = of_field_number(cell, &value);
        tally->numbers++;
        of_field *first = is_number(cell, &value) ? &tally->decimal_comma : &tally->not_plain;
        if (!plain && !first->begin)
            *first = *cell;
        tally->percent += (size_t)evidence.percent;
        if (!evidence.percent && !tally->without_percent.begin && !(plain && value == 0))
            tally->without_percent = *cell;
        for (int c = 0; c < 2; c++) {
            tally->point[c] += evidence.point == ".,"[c];
            tally->ambiguous[c] += evidence.ambiguous == ".,"[c];
        }
    } else if (of_field_number(cell, &value)) {
        tally->numbers++; /* infinite, or none */
    } else {
        if (!tally->not_number.begin)
            tally->not_number = *cell;
        tally->dates += (size_t)of_field_is_date(cell);
        for (size_t p = 0; p < OF_FORM_PAIRS; p++)
            for (int v = 0; v < 2; v++)
                tally->pair[p][v] += (size_t)of_field_is(cell, of_form_pairs[p][v]);
    }
    return keep_word(pool, cell, tally);
}

/* The sign before the decimals of a column. `points`: some column of the table has points there. */
static char find_point(const of_table *table, const column_tally *tally, int points)
{
    enum { POINT, COMMA };
    int comma = tally->point[COMMA] > 0;
    if (!tally->point[POINT] && !comma && tally->ambiguous[COMMA])
        comma = table->separator != ',' && !points && !tally->ambiguous[POINT];
    return comma ? ',' : '.';
}

static onefold_status exclude(of_table *table, size_t c, of_exclusion why)
{
    table->column[c].text = 1;
    table->column[c].exclusion = why & 255;
    return ONEFOLD_OK;
}

/* Numbers with a decimal comma between semicolons need no example; of those that do, the first fill
 * the note. */
static const char usual[] = "", another[] = "in such a form";
enum { MOST_EXAMPLES = 100 };

/* Notes how a column is read, unless the one before it is read so, too. */
static onefold_status set_detail(of_table *table, of_arena *arena, size_t c,
                                 const of_table_detail *detail)
{
    const of_table_detail *last = &table->detail[table->details - 1];
    if (table->details == 1 || detail->category || last->category ||
        detail->form_example != last->form_example || detail->first_unknown ||
        last->first_unknown || memcmp(&detail->form, &last->form, sizeof last->form) != 0) {
        OF_TRY(OF_GROW(arena, &table->detail, table->details, &table->detail_room,
                       table->details + 1));
        table->detail[table->details++] = *detail;
    }
    table->column[c].detail = (uint32_t)(table->details - 1);
    return ONEFOLD_OK;
}

/* Categories of a column that a model knows: the words of the model. */
static onefold_status take_expected(of_table *table, of_arena *arena, const column_tally *tally,
                                    size_t c, size_t words)
{
    of_table_detail detail = {.category_count = (uint32_t)words};
    OF_TRY(OF_NEW(arena, &detail.category, words, 1));
    expected_words(table, table->header[c], detail.category);
    qsort(detail.category, words, sizeof *detail.category, of_compare_texts);
    for (size_t w = 0; w < tally->words && w < tally->max_words; w++)
        if (!bsearch(&tally->word[w], detail.category, words, sizeof *detail.category,
                     of_compare_texts)) {
            if (!detail.first_unknown)
                OF_TRY(OF_TEXT(arena, &detail.first_unknown, "%s", tally->word[w]));
            detail.unknown_words++;
        }
    table->column[c].text = 0;
    return set_detail(table, arena, c, &detail);
}

static onefold_status take_category(of_table *table, of_arena *arena, of_text_pool *pool,
                                    const column_tally *tally, size_t c)
{
    of_table_detail detail = {.category_count = (uint32_t)tally->words};
    void *list;
    if (tally->words > tally->max_words)
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "%s has more than %d different words",
                               name_of_column(table, c).text, MOST_ASKED),
                       "categories are few; leave it out with `drop`");
    OF_TRY(of_text_pool_new(pool, &list, (tally->words + 1) * sizeof *detail.category));
    detail.category = list;
    for (size_t w = 0; w < tally->words; w++)
        OF_TRY(of_text_pool_put(pool, &detail.category[w], tally->word[w], "", ""));
    table->column[c].text = 0;
    return set_detail(table, arena, c, &detail);
}

static onefold_status take_number(of_table *table, of_arena *arena, const column_tally *tally,
                                  int points, size_t c)
{
    of_form form = {.point = find_point(table, tally, points), .percent = tally->percent > 0};
    double value;
    if (tally->point[0] && tally->point[1])
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "%s mixes decimal points and decimal commas",
                               name_of_column(table, c).text),
                       "write its numbers one way");
    if (tally->percent && tally->without_percent.begin)
        return of_hint(of_table_not_a_number(table, c, &tally->without_percent),
                       "the rest of its column are percentages: add the sign");
    table->column[c].text = 0;
    table->column[c].detail = 0;
    const of_field *cell = tally->not_plain.begin ? &tally->not_plain : &tally->decimal_comma;
    if (!cell->begin || !of_form_read(&form, cell, &value))
        return ONEFOLD_OK;
    of_table_detail detail = {.form_example = another, .form = form};
    if (cell == &tally->decimal_comma && table->separator == ';') {
        detail.form_example = usual;
    } else if (table->details <= MOST_EXAMPLES) {
        OF_SCRATCH(scratch, arena->context);
        const char *text;
        OF_TRY(of_field_text(&scratch, cell, &text));
        OF_TRY(OF_TEXT(arena, &detail.form_example, "%.40s is %.15g", text, value));
    }
    return set_detail(table, arena, c, &detail);
}

static onefold_status decide_column(of_table *table, of_arena *arena, of_text_pool *pool,
                                    const column_tally *tally, int points, size_t c)
{
    const char *name = of_table_heading(table, c);
    of_table_column *column = &table->column[c];
    unsigned is_expected = column->requests & OF_REQUEST_MODEL,
             truth = column->requests & OF_REQUEST_TRUTH;
    int code = column->code && tally->codes == tally->cells &&
               !(column->requests & (OF_REQUEST_FEATURE | OF_REQUEST_NUMBER | OF_REQUEST_MODEL));
    size_t words = expected_words(table, name, NULL), numbers = code ? 0 : tally->numbers;
    column->decided = 1;
    if (truth || (*name && of_name_of_labels(name) && numbers < tally->cells)) {
        column->text = numbers < tally->cells || (truth && tally->cells == 0);
        return ONEFOLD_OK;
    }
    for (size_t other = 0; *name && (words || is_expected) && (words || numbers < tally->cells) &&
                           other < table->columns;
         other++)
        if (other != c && strcmp(table->header[other], name) == 0)
            words = is_expected = 0; /* the model does not tell columns of one name apart */
    if (words && !is_expected)
        return take_expected(table, arena, tally, c, words);
    if (column->requests & OF_REQUEST_CATEGORY)
        return take_category(table, arena, pool, tally, c);
    int requested = (column->requests & OF_REQUEST_NUMBER) || is_expected;
    if (tally->cells == 0 && !is_expected)
        return exclude(table, c, OF_EXCLUDED_EMPTY);
    if (numbers == tally->cells)
        return take_number(table, arena, tally, points, c);
    for (size_t p = 0; p < OF_FORM_PAIRS; p++)
        if (tally->cells && tally->pair[p][0] + tally->pair[p][1] == tally->cells &&
            (p != PLUS_MINUS || tally->minus_signs)) { /* all are one of two words */
            of_table_detail detail = {.form_example = another,
                                      .form = {.words = 1, .pair = (unsigned char)p}};
            column->text = 0;
            if (table->details <= MOST_EXAMPLES)
                OF_TRY(OF_TEXT(arena, &detail.form_example, "%s is 1", of_form_pairs[p][1]));
            return set_detail(table, arena, c, &detail);
        }
    if ((requested || 2 * numbers >= tally->cells) && table->columns > 1) {
        OF_TRY(check_rows(table)); /* a row with a wrong number of cells is the first error */
        return of_table_not_a_number(table, c, &tally->not_number);
    }
    column->text = 1;
    if (table->columns == 1) /* a list of words */
        return ONEFOLD_OK;
    if (tally->dates == tally->cells)
        return exclude(table, c, OF_EXCLUDED_DATES);
    if (tally->words == 1)
        return exclude(table, c, OF_EXCLUDED_CONSTANT);
    return tally->words <= MOST_CATEGORIES && 2 * tally->words <= tally->cells
               ? take_category(table, arena, pool, tally, c)
               : exclude(table, c, OF_EXCLUDED_TEXT);
}

/* Tallies the columns to be checked among first .. end-1. */
static onefold_status tally_columns(const of_table *table, of_arena *scratch, size_t first,
                                    size_t end, column_tally **tallies)
{
    of_text_pool pool = {.arena = scratch};
    OF_TRY(OF_NEW_ZERO(scratch, tallies, end - first, 1));
    for (size_t c = first; c < end; c++)
        (*tallies)[c - first].max_words =
            (table->column[c].requests & OF_REQUEST_CATEGORY) || table->options->expected_count
                ? MOST_ASKED
                : MOST_CATEGORIES;
    for (of_rows row = of_rows_of(table); of_rows_next(&row);) {
        for (size_t c = 0; c < end && of_rows_cell(&row); c++)
            if (c >= first && table->column[c].checked)
                OF_TRY(add_cell(&pool, &row.cell, &(*tallies)[c - first]));
        OF_TRY(of_context_check(scratch->context));
    }
    return ONEFOLD_OK;
}

/* How many columns are tallied at once: all, unless that takes more memory than their numbers. */
static size_t columns_at_once(const of_table *table, size_t end)
{
    enum { LEAST = 1 << 12 };
    size_t rows = 0, at_once = end;
    for (of_rows row = of_rows_of(table); end > LEAST && of_rows_next(&row);)
        rows++;
    if (end > LEAST && rows * sizeof(double) < sizeof(column_tally))
        at_once = end / (sizeof(column_tally) / sizeof(double)) * (rows ? rows : 1);
    return at_once < LEAST ? LEAST : at_once;
}

onefold_status of_table_columns_decide(of_table *table, of_arena *arena, int every)
{
    const onefold_read_options *options = table->options;
    of_text_pool pool = {.arena = arena};
    size_t end = 0, ids = table->ids.column; /* columns from `end` on are not checked */
    int points = table->has_points;
    for (size_t c = 0; c < table->columns; c++) {
        of_table_column *column = &table->column[c];
        column->checked = 0;
        if (c != ids && !(column->requests & OF_REQUEST_TRUTH) &&
            ((column->requests & OF_REQUEST_DROP) ||
             (options->columns && !(column->requests & OF_REQUEST_FEATURE)))) {
            exclude(table, c, OF_EXCLUDED_BY_REQUEST);
            continue;
        }
        column->checked = c != ids && !column->decided &&
                          (every || column->text || (column->requests & OF_REQUEST_CATEGORY));
        end = column->checked ? c + 1 : end;
    }
    size_t at_once = columns_at_once(table, end);
    for (int deciding = at_once >= end; end && deciding < 2; deciding++) /* points come first */
        for (size_t first = 0; first < end; first += at_once) {
            OF_SCRATCH(scratch, arena->context);
            size_t last = first + of_size_least(at_once, end - first);
            column_tally *tallies;
            OF_TRY(tally_columns(table, &scratch, first, last, &tallies));
            for (size_t c = first; c < last; c++)
                points |= table->column[c].checked && tallies[c - first].point[0] > 0;
            for (size_t c = first; deciding && c < last; c++)
                if (table->column[c].checked)
                    OF_TRY(decide_column(table, arena, &pool, &tallies[c - first], points, c));
        }
    return ONEFOLD_OK;
}
