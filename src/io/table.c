/* SPDX-License-Identifier: Apache-2.0 */
/* Finding out how a table of text is written: separator and header; and what its columns are, by
 * all of their cells: ids, numbers in some form, words for 0 and 1, categories, dates, free text,
 * or nothing. Columns of plain numbers are not looked at. */
#include "io/table.h"

#include "base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Which of ; tab and comma are in a line outside of quotes, as bits. */
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

/* The separator that both lines have; a first line of one word may be the heading of a column. */
static char find_separator(const of_rows *first, const of_rows *second)
{
    unsigned seen = separators_in(first), below = separators_in(second);
    int one_word = 1;
    for (const char *c = first->line; c < first->end; c++)
        one_word &= !of_is_blank(*c) && *c != ',' && *c != ';' && !(*c >= '0' && *c <= '9');
    if (below) /* otherwise the row is too short, which is said when it is read */
        seen = one_word ? below : seen & below;
    return seen & 1 ? ';' : seen & 2 ? '\t' : seen & 4 ? ',' : ' ';
}

/* Whether a cell is a number, with a point or a comma before its decimals. */
static int is_number(const of_field *cell, double *value)
{
    return of_field_number(cell, value) ||
           of_number_read(cell->begin, cell->end, ',', value) == cell->end;
}

/* What a row's cells are: how many, how many of them numbers, is the first one empty. */
typedef struct row_look {
    size_t cells, numbers, empty;
    int gap; /* an empty cell has another one after it */
    int corner, labels;
    int words_first; /* the first cell is no number, */
    int ids_first;   /* and one of the names that ids have */
    int whole;       /* those after the first cell are whole numbers without a sign, */
    int counting;    /* all of them are 0, 1, 2, ... or 1, 2, 3, ..., */
    int rising;      /* or count on from any number */
    int fraction;    /* the second cell is a number, and not a whole one */
} row_look;

static row_look look_at(const of_table *table, of_rows row)
{
    row_look look = {.whole = 1, .rising = 1};
    size_t first = 0;
    for (row.table = table; of_rows_cell(&row); look.cells++) {
        const of_field *cell = &row.cell;
        double value;
        int empty = cell->begin == cell->end;
        int number = !empty && is_number(cell, &value);
        look.corner |= empty && look.cells == 0;
        look.numbers += (size_t)number;
        look.empty += (size_t)empty;
        look.gap |= empty && row.at;
        char name[64] = ""; /* what it would be the name of */
        if (cell->end - cell->begin < (ptrdiff_t)sizeof name)
            memcpy(name, cell->begin, (size_t)(cell->end - cell->begin));
        look.labels |= of_name_of_labels(name) > 0;
        look.ids_first |= look.cells == 0 && of_name_of_ids(name);
        size_t whole;
        int is_whole = !empty && of_number_read_size(cell->begin, cell->end, &whole) == cell->end;
        if (look.cells == 0) {
            look.words_first = !empty && !number;
            first = is_whole ? whole : 0;
            look.rising = is_whole;
            continue;
        }
        look.whole &= is_whole;
        look.fraction |= look.cells == 1 && number && value != floor(value);
        look.rising &= is_whole && whole == look.cells + first;
    }
    look.counting = look.rising && first <= 1;
    return look;
}

/* Looks at the first two rows, and thinks again about the separator: blanks may be mixed with tabs
 * between numbers, and words may have blanks in them. */
static void look_at_both(of_table *table, const of_rows *first, const of_rows *second,
                         row_look *one, row_look *two)
{
    for (int again = 0; again < 2; again++) {
        *one = look_at(table, *first);
        *two = look_at(table, *second);
        const row_look *last = second->line ? two : one;
        int at_end = one->cells == two->cells && one->empty != two->empty;
        int gaps = (one->gap || two->gap || at_end) &&
                   last->numbers + last->empty == last->cells; /* missing values */
        if (table->separator == '\t' && last->numbers < last->cells && !gaps) {
            of_table blanks = *table;
            blanks.separator = ' ';
            row_look other = look_at(&blanks, second->line ? *second : *first);
            if (other.numbers < other.cells)
                return;
            table->separator = ' ';
        } else if (table->separator == ' ' && one->numbers == 0 && two->numbers == 0) {
            table->separator = '\n';
        } else {
            return;
        }
    }
}

/* A header has no number in it while the row below has, or an empty corner, or a cell less than the
 * row below (rows have names then); above words only, it must name labels, or ids first. Numbers
 * are names where they count the columns (three at least, and the row below does not count on), or
 * where they are whole, stand behind a word that heads ids, or behind any word above a row that is
 * not whole. */
static int is_header(of_table *table, const row_look *first, const row_look *second,
                     onefold_header asked)
{
    enum { COUNTED = 3 };
    if (second->cells == 0 || asked == ONEFOLD_HEADER_NO)
        return 0;
    int yes = asked == ONEFOLD_HEADER_YES;
    if (second->cells == first->cells + 1 &&
        (yes || (second->numbers > 0 && (first->numbers == 0 || second->words_first))) &&
        !(first->ids_first && second->fraction)) { /* ids are none: a row is too long */
        table->named_rows = 1;
        return 1;
    }
    if (second->cells != first->cells)
        return 0;
    if (first->corner && first->cells > 1) {
        table->named_rows = 1;
        return 1;
    }
    if (yes || (first->counting && first->cells >= COUNTED && !second->rising))
        return 1;
    if (first->cells > 1 && first->numbers == first->cells - 1 && first->words_first &&
        first->whole && (first->ids_first || (second->words_first && !second->whole)))
        return 1;
    if (first->numbers > 0)
        return 0;
    return second->numbers > 0 || (first->labels && !second->labels) ||
           (first->cells > 1 && first->ids_first && !second->ids_first);
}

/* The headings begin with the second column where the names of rows have none. */
static onefold_status copy_header(of_table *table, of_arena *arena, of_rows row, size_t c)
{
    OF_TRY(OF_NEW_ZERO(arena, &table->header, table->columns, 1));
    table->header[0] = "";
    for (; c < table->columns && of_rows_cell(&row); c++)
        OF_TRY(of_field_text(arena, &row.cell, &table->header[c]));
    return ONEFOLD_OK;
}

/* The columns whose first cell that is there is a word, and the names of rows. A mark of a missing
 * value says nothing: then the rows below are looked at, so many of them. Numbers like 00501 are
 * words too, unless most columns have them. */
static onefold_status find_words(of_table *table, of_arena *arena)
{
    enum { LOOKED_AT = 1000, CODES_IN = 200 };
    size_t looked = 0, open = table->columns, numbers = 0, codes = 0;
    unsigned char *settled;
    OF_SCRATCH(scratch, arena->context);
    OF_TRY(OF_NEW_ZERO(arena, &table->column, table->columns, 1));
    OF_TRY(OF_NEW_ZERO(&scratch, &settled, table->columns, 1));
    for (of_rows row = of_rows_of(table);
         (open || looked < CODES_IN) && looked++ < LOOKED_AT && of_rows_next(&row);)
        for (size_t c = 0; c < table->columns && of_rows_cell(&row); c++) {
            double value = 0;
            int number = of_field_number(&row.cell, &value);
            size_t length = (size_t)(row.cell.end - row.cell.begin);
            table->column[c].code |= length > 1 && row.cell.begin[0] == '0' &&
                                     row.cell.begin[1] >= '0' && row.cell.begin[1] <= '9';
            if (settled[c] || (number && isnan(value)))
                continue;
            table->column[c].text = !number;
            table->points |= number && memchr(row.cell.begin, '.', length);
            settled[c] = 1;
            open--;
        }
    for (size_t c = 0; c < table->columns; c++) {
        numbers += !table->column[c].text;
        codes += table->column[c].code && !table->column[c].text;
    }
    for (size_t c = 0; c < table->columns; c++) {
        table->column[c].code &= 2 * codes <= numbers && table->columns > 1;
        table->column[c].text |= table->column[c].code;
    }
    if (table->named_rows)
        table->column[0].text = 1;
    return ONEFOLD_OK;
}

/* Line breaks within quotes end no line, and alone \r does: the text is copied where it has the
 * one, or nothing but the other. */
static onefold_status unfold(of_arena *arena, const char **text, size_t size)
{
    char *copy = NULL;
    const char *quote = memchr(*text, '"', size);
    int old = !memchr(*text, '\n', size) && memchr(*text, '\r', size), quoted = 0;
    if (!quote && !old)
        return ONEFOLD_OK;
    for (size_t i = old || !quote ? 0 : (size_t)(quote - *text); i < size; i++) {
        char c = (*text)[i], other = c;
        if (c == '"') /* one within a word is a letter */
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

/* Where the first byte that is not UTF-8 stands; `size` where there is none. */
static size_t find_other(const char *text, size_t size)
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

/* What Western programs write that do not write UTF-8: of each byte that is part of no character,
 * the one that Windows-1252 has there. */
static onefold_status recode(of_arena *arena, const char **text, size_t *size)
{
    static const uint16_t low[32] = {
        0x20ac, 0xfffd, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
        0x2039, 0x0152, 0xfffd, 0x017d, 0xfffd, 0xfffd, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
        0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0xfffd, 0x017e, 0x0178};
    enum { LONGEST = 3 };
    char *copy;
    size_t other = 0, made = 0;
    for (size_t i = find_other(*text, *size); i < *size;
         i += 1 + find_other(*text + i + 1, *size - i - 1))
        other++;
    OF_TRY(OF_NEW(arena, &copy, *size + (LONGEST - 1) * other, 1));
    for (size_t i = 0; i < *size;) {
        size_t good = find_other(*text + i, *size - i);
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

/* Whether a second line has units: below a header, no number in it, and words above each number of
 * the third. */
static int is_units(const of_table *table, const row_look *first, const row_look *second,
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

/* Whether the first line heads a table of words: none of its words stands again below it in its
 * column, and in some column others do. */
static int heads_words(of_rows row)
{
    enum { LOOKED_AT = 1000, MOST = 64 };
    of_field head[MOST] = {{0}}, below[MOST] = {{0}};
    size_t columns = 0, rows = 0, again = 0;
    while (columns < MOST && of_rows_cell(&row))
        head[columns++] = row.cell;
    for (; rows < LOOKED_AT && of_rows_next(&row); rows++) {
        for (size_t c = 0; c < columns && of_rows_cell(&row); c++) {
            if (rows == 0)
                below[c] = row.cell;
            if (same_text(&row.cell, &head[c]))
                return 0;
            again += rows > 0 && same_text(&row.cell, &below[c]);
        }
        if (row.cells < columns)
            return 0;
    }
    return columns > 1 && again > 0;
}

static onefold_status find_asked(of_table *table, of_arena *arena)
{
    OF_SCRATCH(scratch, arena->context);
    const onefold_read_options *options = table->options;
    const char *const lists[] = {options->drop, options->columns, options->as_category,
                                 options->as_number}; /* as the bits are */
    of_name_index expected;
    OF_TRY(of_name_index_make(&scratch, options->expected, options->expected_count, &expected));
    for (size_t c = 0; c < table->columns; c++) {
        const char *name = of_table_heading(table, c);
        unsigned *asked = &table->column[c].asked;
        for (unsigned l = 0; l < sizeof lists / sizeof *lists; l++)
            *asked |= of_name_listed(lists[l], name, c) ? 1u << l : 0;
        if (*name && options->truth && strcmp(options->truth, name) == 0)
            *asked |= OF_ASKED_TRUTH;
        if (*name && of_name_index_find(&expected, name) != SIZE_MAX)
            *asked |= OF_ASKED_MODEL;
    }
    return ONEFOLD_OK;
}

onefold_status of_table_open(of_table *table, of_arena *arena, of_file *file)
{
    const char *text = (const char *)file->bytes;
    size_t size = file->size;
    onefold_header header = file->options.header;
    if (size >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "the text is in UTF-16"), "save it as UTF-8");
    if (memchr(text, '\0', size < 4096 ? size : 4096))
        return of_fail(ONEFOLD_BAD_DATA, "the file is not text: there are zero bytes in it");
    int recoded = find_other(text, size) < size;
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
    /* "sep=;": what a spreadsheet is told of the lines below */
    char asked =
        first.end - first.line == 5 && memcmp(first.line, "sep=", 4) == 0 ? first.line[4] : '\0';
    if (asked)
        of_rows_next(&first);
    if (!first.line)
        return of_fail(ONEFOLD_BAD_DATA, "there are only blanks and comments in the file");
    of_rows second = first, third;
    of_rows_next(&second);
    third = second;
    of_rows_next(&third);
    table->begin = first.line;
    table->separator = asked ? asked : find_separator(&first, &second);
    row_look one, two;
    look_at_both(table, &first, &second, &one, &two);
    table->columns = one.cells;
    if (header != ONEFOLD_HEADER_NO && is_units(table, &one, &two, second, third)) {
        if (one.empty > (size_t)one.corner && two.empty == 0) { /* headings of groups of columns */
            table->above = of_table_line_number(table, first.line);
            first = second;
            one = two;
        } else {
            table->units = of_table_line_number(table, second.line);
        }
        two = look_at(table, third);
        second = third;
        header = ONEFOLD_HEADER_YES;
    } else if (header == ONEFOLD_HEADER_AUTO && third.line && one.numbers == 0 &&
               two.numbers == 0 && one.cells == two.cells && one.cells > 1 && heads_words(first)) {
        header = ONEFOLD_HEADER_YES;
    }
    if (is_header(table, &one, &two, header)) {
        table->columns = two.cells;
        OF_TRY(copy_header(table, arena, first, two.cells - one.cells));
        table->begin = second.line;
    }
    OF_TRY(find_words(table, arena));
    return find_asked(table, arena);
}

/* ---- what is refused ------------------------------------------------------------------------ */

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

/* The first column with this heading, or SIZE_MAX. */
static size_t find_heading(const of_table *table, const char *name)
{
    for (size_t c = 0; table->header && c < table->columns; c++)
        if (strcmp(table->header[c], name) == 0)
            return c;
    return SIZE_MAX;
}

/* What says of a column that it holds no ids. */
enum { NO_IDS = OF_ASKED_DROP | OF_ASKED_FEATURE | OF_ASKED_CATEGORY | OF_ASKED_NUMBER };

/* The column that may hold ids by rule. A word like "cell" may head any column of counts; away from
 * the first one it takes more. */
static size_t find_by_rule(const of_table *table)
{
    int dropped = table->column[0].asked & NO_IDS;
    if (table->named_rows && !dropped)
        return 0;
    for (size_t c = 0; table->header && table->columns > 1 && c < table->columns; c++) {
        const char *name = table->header[c];
        size_t length = strlen(name);
        if (of_name_of_ids(name) &&
            (c == 0 || (length >= 2 && strcasecmp(name + length - 2, "id") == 0)) &&
            !(table->column[c].asked & NO_IDS))
            return c;
    }
    return table->columns > 1 && table->column[0].text && !dropped &&
                   !of_name_of_labels(of_table_heading(table, 0))
               ? 0
               : SIZE_MAX;
}

static onefold_status refuse_twin(const of_table *table, const of_name_index *index, size_t column)
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

/* Whether numbers are among words, or dates where they are asked for. */
static int holds_numbers(const char **words, size_t rows, int dates)
{
    for (size_t r = 0; r < rows; r++) {
        of_field field = {words[r], words[r] + strlen(words[r]), 0};
        of_form_seen seen;
        if (of_form_look(&field, &seen) || (dates && of_field_is_date(&field)))
            return 1;
    }
    return 0;
}

onefold_status of_table_ids(of_table *table)
{
    of_arena *arena = &table->file->arena;
    const char *asked = table->options->ids;
    if (asked && strcmp(asked, "none") == 0)
        return ONEFOLD_OK;
    size_t column = 0, rows, better = SIZE_MAX;
    while (asked && column < table->columns &&
           !of_name_listed(asked, of_table_heading(table, column), column))
        column++;
    int by_name = asked && column < table->columns;
    if (by_name && (table->column[column].asked & (OF_ASKED_CATEGORY | OF_ASKED_NUMBER)))
        return of_hint(of_fail(ONEFOLD_USAGE, "%s cannot be both the ids and a feature",
                               name_of_column(table, column).text),
                       "name it in `ids`, or in `as_category` or `as_number`");
    if (!by_name)
        column = find_by_rule(table);
    if (column == SIZE_MAX)
        return ONEFOLD_OK;
    OF_SCRATCH(scratch, arena->context);
    const char **words;
    of_ids own;
    int headed = of_name_of_ids(of_table_heading(table, column));
    OF_TRY(of_table_words(table, arena, column, &rows, &words));
    OF_TRY(of_ids_make(&scratch, words, rows, &own));
    /* a column of words under a name of ids, beside an index that only counts the rows */
    for (size_t c = 1; !by_name && own.counting && table->named_rows && table->header &&
                       better == SIZE_MAX && c < table->columns;
         c++)
        if (table->column[c].text && of_name_of_ids(table->header[c]) &&
            !(table->column[c].asked & NO_IDS))
            better = c;
    if (better != SIZE_MAX) {
        table->column[column].text = 1; /* a count of the rows is no feature */
        table->column[column].seen = 1;
        table->column[column].left = OF_LEFT_COUNT;
        column = better;
        headed = 1;
        OF_TRY(of_table_words(table, arena, column, &rows, &words));
        OF_TRY(of_ids_make(&scratch, words, rows, &own));
    }
    int sure = by_name || table->named_rows || headed;
    if (!sure && holds_numbers(words, rows, 0))
        return ONEFOLD_OK; /* numbers, and some words among them */
    /* A first column of words under any heading is ids where they all differ, or nearly: then it is
     * one of them that is wrong. Names of genes may be there twice where samples are columns. */
    int nearly = 10 * (own.index.repeated + own.index.empty) <= own.index.count &&
                 !of_name_of_features(of_table_heading(table, column));
    if (!own.usable &&
        (by_name || (table->options->samples_are != ONEFOLD_SIDE_COLUMNS && (sure || nearly))))
        return refuse_twin(table, &own.index, column);
    if (!own.usable)
        return ONEFOLD_OK;
    table->column[column].text = 1;
    table->ids = (of_table_id_column){.column = column,
                                      .rows = rows,
                                      .name = words,
                                      .by_name = by_name,
                                      .headed = by_name || headed};
    return ONEFOLD_OK;
}

onefold_status of_table_ids_by_words(of_table *table)
{
    enum { LONGEST = 64 }; /* words that name things are without blanks, and not long */
    OF_SCRATCH(scratch, table->file->context);
    for (size_t c = 0; table->header && table->columns > 1 && c < table->columns; c++) {
        const char **words;
        of_ids own;
        size_t rows, names = 0;
        int looked_at = table->column[c].left == OF_LEFT_TEXT;
        if (!looked_at && /* or left to nobody: `columns` names those that are features */
            (table->column[c].left != OF_LEFT_ASKED || !table->options->columns ||
             (table->column[c].asked & OF_ASKED_DROP)))
            continue;
        OF_TRY(of_table_words(table, &table->file->arena, c, &rows, &words));
        while (names < rows && *words[names] && !strchr(words[names], ' ') &&
               strlen(words[names]) <= LONGEST)
            names++;
        if (names < rows || rows < 2 || (!looked_at && holds_numbers(words, rows, 1)))
            continue;
        OF_TRY(of_ids_make(&scratch, words, rows, &own));
        if (!own.usable)
            continue;
        table->column[c].left = OF_LEFT_NOT;
        table->ids = (of_table_id_column){.column = c, .rows = rows, .name = words, .headed = 1};
        return of_file_note(table->file, OF_NOTE_IDS, table->header[c], "its words all differ");
    }
    return ONEFOLD_OK;
}

/* ---- columns -------------------------------------------------------------------------------- */

/* A column is categories if it has few words, each of which is there twice on average. */
enum { MOST_CATEGORIES = 32, MOST_ASKED = 1000, PLUS_MINUS = 5 };

typedef struct tally {
    size_t cells, missing, numbers, dates, percent;
    size_t point[2], doubtful[2]; /* of '.' and of ',' */
    size_t length, codes;         /* of the first cell, and cells of digits that have this length */
    size_t minus; /* cells that are a minus sign, which is a missing value but beside "+" */
    size_t pair[OF_FORM_PAIRS][2];
    const char **word; /* those seen, in order, as long as they are few */
    size_t words, most;
    of_field odd, bare; /* the first that is no number, and the first without a percent sign */
    of_field formed;    /* the first that is a number, and not plainly, */
    of_field comma;     /* and the first of these with nothing but a decimal comma */
} tally;

/* Words that a model has of a column, "colour=red": how many, and into `list` where that is not
 * NULL. A column that is called so itself is no word. */
static size_t expected_words(const of_table *table, const char *name, const char **list)
{
    const onefold_read_options *options = table->options;
    size_t length = strlen(name), found = 0;
    for (size_t i = 0; length && i < options->expected_count; i++) {
        const char *other = options->expected[i];
        if (strncmp(other, name, length) != 0 || other[length] != '=' ||
            find_heading(table, other) != SIZE_MAX)
            continue;
        if (list)
            list[found] = other + length + 1;
        found++;
    }
    return found;
}

/* Keeps a word among those of its column. */
static onefold_status keep_word(of_arena *arena, of_arena *scratch, const of_field *cell, tally *to)
{
    const char *word;
    if (to->words > to->most)
        return ONEFOLD_OK;
    OF_TRY(of_field_text(scratch, cell, &word));
    size_t low = 0, high = to->words;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(to->word[middle], word);
        if (order == 0)
            return ONEFOLD_OK;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (++to->words > to->most)
        return ONEFOLD_OK; /* too many */
    memmove(to->word + low + 1, to->word + low, (to->words - 1 - low) * sizeof *to->word);
    return OF_TEXT(arena, &to->word[low], "%s", word);
}

static onefold_status look_at_cell(of_arena *arena, of_arena *scratch, const of_field *cell,
                                   tally *to)
{
    of_form_seen seen;
    double value;
    size_t whole, length = (size_t)(cell->end - cell->begin);
    if (of_field_missing(cell, 1)) {
        to->minus += cell->end - cell->begin == 1 && *cell->begin == '-';
        to->missing++;
        return ONEFOLD_OK;
    }
    to->cells++;
    to->length = to->length ? to->length : length;
    to->codes +=
        length == to->length && of_number_read_size(cell->begin, cell->end, &whole) == cell->end;
    if (of_form_look(cell, &seen)) {
        int plain = of_field_number(cell, &value);
        to->numbers++;
        of_field *first = is_number(cell, &value) ? &to->comma : &to->formed;
        if (!plain && !first->begin)
            *first = *cell;
        to->percent += (size_t)seen.percent;
        if (!seen.percent && !to->bare.begin && !(plain && value == 0))
            to->bare = *cell;
        for (int c = 0; c < 2; c++) {
            to->point[c] += seen.point == ".,"[c];
            to->doubtful[c] += seen.doubtful == ".,"[c];
        }
    } else if (of_field_number(cell, &value)) {
        to->numbers++; /* infinite, or none */
    } else {
        if (!to->odd.begin)
            to->odd = *cell;
        to->dates += (size_t)of_field_is_date(cell);
        for (size_t p = 0; p < OF_FORM_PAIRS; p++)
            for (int v = 0; v < 2; v++)
                to->pair[p][v] += (size_t)of_field_is(cell, of_form_pairs[p][v]);
    }
    return keep_word(arena, scratch, cell, to);
}

/* ---- deciding ------------------------------------------------------------------------------- */

/* Which sign stands before the decimals of a column. `points`: some column of the table has a point
 * there for certain. */
static char find_point(const of_table *table, const tally *of, int points)
{
    enum { POINT, COMMA };
    int comma = of->point[COMMA] > 0;
    if (!of->point[POINT] && !comma && of->doubtful[COMMA])
        comma = table->separator != ',' && !points && !of->doubtful[POINT];
    return comma ? ',' : '.';
}

static void leave_out(of_table *table, size_t c, of_left why)
{
    table->column[c].text = 1;
    table->column[c].left = (unsigned char)why;
}

/* A column that a model knows: its words are the model's. */
static onefold_status take_expected(of_table *table, of_arena *arena, const tally *of, size_t c,
                                    size_t words)
{
    of_table_column *column = &table->column[c];
    OF_TRY(OF_NEW(arena, &column->category, words, 1));
    column->categories = expected_words(table, table->header[c], column->category);
    qsort(column->category, words, sizeof *column->category, of_compare_texts);
    for (size_t w = 0; w < of->words && w < of->most; w++)
        if (!bsearch(&of->word[w], column->category, words, sizeof *column->category,
                     of_compare_texts)) {
            column->first_unseen = column->first_unseen ? column->first_unseen : of->word[w];
            column->unseen++;
        }
    table->column[c].text = 0;
    return ONEFOLD_OK;
}

static onefold_status take_category(of_table *table, const tally *of, size_t c)
{
    if (of->words > of->most)
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "%s has more than %d different words",
                               name_of_column(table, c).text, MOST_ASKED),
                       "categories are few; leave it out with `drop`");
    table->column[c].category = of->word;
    table->column[c].categories = of->words;
    table->column[c].text = 0;
    return ONEFOLD_OK;
}

static onefold_status take_number(of_table *table, of_arena *arena, const tally *of, int points,
                                  size_t c)
{
    of_form form = {.point = find_point(table, of, points), .percent = of->percent > 0};
    double value;
    if (of->point[0] && of->point[1])
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "%s mixes decimal points and decimal commas",
                               name_of_column(table, c).text),
                       "write its numbers one way");
    if (of->percent && of->bare.begin)
        return of_hint(of_table_not_a_number(table, c, &of->bare),
                       "the rest of its column are percentages: add the sign");
    table->column[c].form = form;
    table->column[c].text = 0;
    const of_field *cell = of->formed.begin ? &of->formed : &of->comma;
    if (!cell->begin || !of_form_read(&form, cell, &value))
        return ONEFOLD_OK;
    OF_SCRATCH(scratch, arena->context);
    const char *text;
    OF_TRY(of_field_text(&scratch, cell, &text));
    if (cell == &of->comma && table->separator == ';') /* as usual */
        return OF_TEXT(arena, &table->column[c].formed, "%s", "");
    return OF_TEXT(arena, &table->column[c].formed, "%.40s is %.15g", text, value);
}

static onefold_status decide_column(of_table *table, of_arena *arena, const tally *of, int points,
                                    size_t c)
{
    const char *name = of_table_heading(table, c);
    of_table_column *column = &table->column[c];
    int is_expected = column->asked & OF_ASKED_MODEL, truth = column->asked & OF_ASKED_TRUTH;
    int code = column->code && of->codes == of->cells &&
               !(column->asked & (OF_ASKED_FEATURE | OF_ASKED_NUMBER | OF_ASKED_MODEL));
    size_t words = expected_words(table, name, NULL), numbers = code ? 0 : of->numbers;
    column->seen = 1;
    if (truth || (*name && of_name_of_labels(name) && numbers < of->cells)) {
        column->text = numbers < of->cells || (truth && of->cells == 0);
        return ONEFOLD_OK;
    }
    for (size_t twin = 0; *name && (words || numbers < of->cells) && twin < table->columns; twin++)
        if (twin != c && strcmp(table->header[twin], name) == 0)
            words = is_expected = 0; /* a model's names do not tell which is which */
    if (words && !is_expected)
        return take_expected(table, arena, of, c, words);
    if (column->asked & OF_ASKED_CATEGORY)
        return take_category(table, of, c);
    int asked = (column->asked & OF_ASKED_NUMBER) || is_expected;
    if (of->cells == 0 && !is_expected) {
        leave_out(table, c, OF_LEFT_EMPTY);
        return ONEFOLD_OK;
    }
    if (numbers == of->cells)
        return take_number(table, arena, of, points, c);
    for (size_t p = 0; p < OF_FORM_PAIRS; p++)
        if (of->cells && of->pair[p][0] + of->pair[p][1] == of->cells &&
            (p != PLUS_MINUS || of->minus)) { /* all are one of two words */
            column->form = (of_form){.words = 1, .pair = p};
            column->text = 0;
            return OF_TEXT(arena, &column->formed, "%s is 1", of_form_pairs[p][1]);
        }
    if ((asked || 2 * numbers >= of->cells) && table->columns > 1) {
        OF_TRY(check_rows(table)); /* a row cut short comes before what is in it */
        return of_table_not_a_number(table, c, &of->odd);
    }
    if (table->columns == 1) /* a list of words */
        column->text = 1;
    else if (of->dates == of->cells)
        leave_out(table, c, OF_LEFT_DATES);
    else if (of->words == 1)
        leave_out(table, c, OF_LEFT_ONE);
    else if (of->words <= MOST_CATEGORIES && 2 * of->words <= of->cells)
        return take_category(table, of, c);
    else
        leave_out(table, c, OF_LEFT_TEXT);
    return ONEFOLD_OK;
}

onefold_status of_table_columns_decide(of_table *table, of_arena *arena, int every)
{
    OF_SCRATCH(scratch, arena->context);
    const onefold_read_options *options = table->options;
    tally *tallies;
    unsigned char *look;
    size_t end = 0, ids = table->ids.column; /* columns from `end` on are not looked at */
    int points = table->points;
    OF_TRY(OF_NEW_ZERO(&scratch, &look, table->columns, 1));
    for (size_t c = 0; c < table->columns; c++) {
        const of_table_column *column = &table->column[c];
        if (c != ids && !(column->asked & OF_ASKED_TRUTH) && /* which need no look */
            ((column->asked & OF_ASKED_DROP) ||
             (options->columns && !(column->asked & OF_ASKED_FEATURE)))) {
            leave_out(table, c, OF_LEFT_ASKED);
            continue;
        }
        look[c] = c != ids && !column->seen &&
                  (every || column->text || (column->asked & OF_ASKED_CATEGORY));
        end = look[c] ? c + 1 : end;
    }
    if (!end)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW_ZERO(&scratch, &tallies, table->columns, 1));
    for (size_t c = 0; c < end; c++)
        if (look[c]) {
            tallies[c].most =
                (table->column[c].asked & OF_ASKED_CATEGORY) || options->expected_count
                    ? MOST_ASKED
                    : MOST_CATEGORIES;
            OF_TRY(OF_NEW(arena, &tallies[c].word, tallies[c].most + 1, 1));
        }
    for (of_rows row = of_rows_of(table); of_rows_next(&row);) {
        OF_SCRATCH(word, arena->context);
        for (size_t c = 0; c < end && of_rows_cell(&row); c++)
            if (look[c])
                OF_TRY(look_at_cell(arena, &word, &row.cell, &tallies[c]));
        OF_TRY(of_context_check(arena->context));
    }
    for (size_t c = 0; c < end; c++)
        points |= look[c] && tallies[c].point[0] > 0;
    for (size_t c = 0; c < end; c++)
        if (look[c])
            OF_TRY(decide_column(table, arena, &tallies[c], points, c));
    return ONEFOLD_OK;
}
