/* SPDX-License-Identifier: Apache-2.0 */
/* Finding out how a table of text is written: separator, header, columns of words. */
#include "io/table.h"

#include "base/utf8.h"
#include "io/build.h"
#include "io/find.h"

#include <math.h>
#include <string.h>

/* Which of ; tab and comma are in a line outside of quotes, as bits. */
static unsigned separators_in(const char *line, const char *end)
{
    unsigned quoted = 0, seen = 0;
    for (; line < end; line++) {
        quoted ^= *line == '"';
        if (!quoted)
            seen |= *line == ';' ? 1 : *line == '\t' ? 2 : *line == ',' ? 4 : 0;
    }
    return seen;
}

/* The separator that both lines have; a first line of one word may be the heading of a column. */
static char find_separator(const char *first, const char *first_end, const char *second,
                           const char *second_end)
{
    unsigned seen = separators_in(first, first_end),
             below = second ? separators_in(second, second_end) : 0;
    int one_word = 1;
    for (; first < first_end; first++)
        one_word &= !of_is_blank(*first) && *first != ',' && *first != ';' &&
                    !(*first >= '0' && *first <= '9');
    if (below) /* otherwise the row is too short, which is said when it is read */
        seen = one_word ? below : seen & below;
    return seen & 1 ? ';' : seen & 2 ? '\t' : seen & 4 ? ',' : ' ';
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

/* What a cell would be the name of. */
static void look_at_name(const of_field *cell, row_look *look)
{
    char name[64];
    size_t length = (size_t)(cell->end - cell->begin);
    if (length == 0 || length >= sizeof name)
        return;
    memcpy(name, cell->begin, length);
    name[length] = '\0';
    look->labels |= of_name_of_labels(name) > 0;
    look->ids_first |= look->cells == 0 && of_name_of_ids(name);
}

static row_look look_at(const of_table *table, const char *line, const char *line_end)
{
    row_look look = {.whole = 1, .rising = 1};
    size_t first = 0;
    for (of_rows row = of_rows_line(table, line, line_end); of_rows_cell(&row); look.cells++) {
        const of_field *cell = &row.cell;
        double value;
        int empty = cell->begin == cell->end;
        int number = !empty && of_field_number(table, cell, &value);
        look.corner |= empty && look.cells == 0;
        look.numbers += (size_t)number;
        look.empty += (size_t)empty;
        look.gap |= empty && row.at;
        look_at_name(cell, &look);
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
static void look_at_both(of_table *table, const char *const line[4], row_look *one, row_look *two)
{
    for (int again = 0; again < 2; again++) {
        *one = look_at(table, line[0], line[1]);
        *two = line[2] ? look_at(table, line[2], line[3]) : (row_look){0};
        const row_look *last = line[2] ? two : one;
        int at_end = one->cells == two->cells && one->empty != two->empty;
        int gaps = (one->gap || two->gap || at_end) &&
                   last->numbers + last->empty == last->cells; /* missing values */
        if (table->separator == '\t' && last->numbers < last->cells && !gaps) {
            of_table blanks = *table;
            blanks.separator = ' ';
            row_look other =
                line[2] ? look_at(&blanks, line[2], line[3]) : look_at(&blanks, line[0], line[1]);
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

static onefold_status copy_header(of_table *table, of_arena *arena, const char *line,
                                  const char *line_end)
{
    of_rows row = of_rows_line(table, line, line_end);
    OF_TRY(OF_NEW_ZERO(arena, &table->header, table->columns, 1));
    while (of_rows_cell(&row)) {
    }
    size_t c = table->columns - row.cells; /* 1 where the names of rows have no heading */
    if (c)
        table->header[0] = "";
    for (row = of_rows_line(table, line, line_end); of_rows_cell(&row); c++)
        OF_TRY(of_field_text(arena, &row.cell, &table->header[c]));
    return ONEFOLD_OK;
}

/* The columns whose first cell that is there is a word, and the names of rows. A mark of a missing
 * value says nothing: then the rows below are looked at, so many of them. */
static onefold_status find_words(of_table *table, of_arena *arena)
{
    enum { LOOKED_AT = 1000 };
    size_t looked = 0, open = table->columns;
    int points = 0;
    unsigned char *settled;
    OF_SCRATCH(scratch, arena->context);
    OF_TRY(OF_NEW_ZERO(arena, &table->column, table->columns, 1));
    OF_TRY(OF_NEW_ZERO(&scratch, &settled, table->columns, 1));
    for (of_rows row = of_rows_of(table); open && looked++ < LOOKED_AT && of_rows_next(&row);)
        for (size_t c = 0; c < table->columns && of_rows_cell(&row); c++) {
            double value = 0;
            int number = of_field_number(table, &row.cell, &value);
            size_t length = (size_t)(row.cell.end - row.cell.begin);
            if (settled[c] || (number && isnan(value)))
                continue;
            int comma = number && memchr(row.cell.begin, ',', length);
            table->column[c].text = !number;
            table->comma |= comma;
            points |= number && !comma && memchr(row.cell.begin, '.', length);
            settled[c] = comma ? 2 : 1;
            open--;
        }
    table->points = points && table->comma;
    for (size_t c = 0; table->points && c < table->columns; c++)
        table->column[c].text |= settled[c] == 2; /* 53,481 beside 45.7: its column has to tell */
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
static uint32_t western_character(unsigned char byte)
{
    static const uint16_t low[32] = {
        0x20ac, 0xfffd, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
        0x2039, 0x0152, 0xfffd, 0x017d, 0xfffd, 0xfffd, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
        0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0xfffd, 0x017e, 0x0178};
    return byte < 0xa0 ? low[byte - 0x80] : byte;
}

static onefold_status recode(of_arena *arena, const char **text, size_t *size)
{
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
        if (i < *size)
            made =
                (size_t)(of_text_put(copy + made, western_character((unsigned char)(*text)[i++])) -
                         copy);
    }
    *text = copy;
    *size = made;
    return ONEFOLD_OK;
}

/* Whether a second line has units: below a header, no number in it, and words above each number of
 * the third. */
static int is_units(const of_table *table, const row_look *first, const row_look *second,
                    const char *const line[4])
{
    size_t above = 0;
    if (!line[2] || first->numbers || second->numbers || first->cells != second->cells ||
        first->cells < 2 || table->separator == '\n')
        return 0;
    of_rows unit = of_rows_line(table, line[0], line[1]),
            below = of_rows_line(table, line[2], line[3]);
    while (unit.at && below.at) {
        double value;
        of_rows_cell(&unit);
        of_rows_cell(&below);
        int number = of_field_number(table, &below.cell, &value) && !isnan(value);
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
static int heads_words(const of_table *table, const char *line, const char *line_end)
{
    enum { LOOKED_AT = 1000, MOST = 64 };
    of_field head[MOST] = {{0}}, below[MOST] = {{0}};
    size_t columns = 0, rows = 0, again = 0;
    of_rows row = of_rows_line(table, line, line_end);
    while (columns < MOST && of_rows_cell(&row))
        head[columns++] = row.cell;
    for (row.rest = line_end; rows < LOOKED_AT && of_rows_next(&row); rows++) {
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

onefold_status of_table_open(of_table *table, of_arena *arena, of_file *file, size_t looked_at)
{
    const char *text = (const char *)file->bytes;
    size_t size = file->size;
    onefold_header header = file->wishes.header;
    if (size >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "the text is in UTF-16"), "save it as UTF-8");
    if (memchr(text, '\0', size < 4096 ? size : 4096))
        return of_fail(ONEFOLD_BAD_DATA, "the file is not text: there are zero bytes in it");
    size_t looked = size < looked_at ? size : looked_at;
    while (looked < size && looked && text[looked - 1] != '\n') /* not within a character */
        looked--;
    int recoded = find_other(text, looked) < looked;
    if (recoded)
        OF_TRY(recode(arena, &text, &size));
    OF_TRY(unfold(arena, &text, size));
    const char *end = text + size, *all = text, *first_end, *second_end = NULL, *third_end = NULL;
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        text += 3;
    const char *first = of_table_line(&text, end, &first_end);
    while (first && (*first == '#' || *first == '%'))
        first = of_table_line(&text, end, &first_end);
    /* "sep=;": what a spreadsheet is told of the lines below */
    char asked = first && first_end - first == 5 && memcmp(first, "sep=", 4) == 0 ? first[4] : '\0';
    if (asked)
        first = of_table_line(&text, end, &first_end);
    if (!first)
        return of_fail(ONEFOLD_BAD_DATA, "there are only blanks and comments in the file");
    const char *second = of_table_line(&text, end, &second_end);
    char separator = asked ? asked : find_separator(first, first_end, second, second_end);
    *table = (of_table){.file = file,
                        .wishes = &file->wishes,
                        .ids.column = SIZE_MAX,
                        .text = all,
                        .begin = first,
                        .end = end,
                        .recoded = recoded,
                        .separator = separator,
                        .point = separator == ';' || separator == '\t' ? ',' : '.'};
    row_look one, two;
    look_at_both(table, (const char *[]){first, first_end, second, second_end}, &one, &two);
    const char *third = second ? of_table_line(&text, end, &third_end) : NULL;
    table->columns = one.cells;
    if (header != ONEFOLD_HEADER_NO &&
        is_units(table, &one, &two, (const char *[]){second, second_end, third, third_end})) {
        if (one.empty > (size_t)one.corner && two.empty == 0) { /* headings of groups of columns */
            table->above = of_table_line_number(table, first);
            first = second;
            first_end = second_end;
            one = two;
        } else {
            table->units = of_table_line_number(table, second);
        }
        two = look_at(table, third, third_end);
        second = third;
        header = ONEFOLD_HEADER_YES;
    } else if (header == ONEFOLD_HEADER_AUTO && third && one.numbers == 0 && two.numbers == 0 &&
               one.cells == two.cells && one.cells > 1 && heads_words(table, first, first_end)) {
        header = ONEFOLD_HEADER_YES;
    }
    if (is_header(table, &one, &two, header)) {
        table->columns = two.cells;
        OF_TRY(copy_header(table, arena, first, first_end));
        table->begin = second;
    }
    return find_words(table, arena);
}
