/* SPDX-License-Identifier: Apache-2.0 */
/* Finding out how a table of text is written: separator, header, columns of words. */
#include "io/table.h"

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

static int is_one_word(const char *line, const char *end)
{
    for (; line < end; line++)
        if (of_is_blank(*line) || *line == ',' || *line == ';' || (*line >= '0' && *line <= '9'))
            return 0;
    return 1;
}

/* The separator that both lines have; a first line of one word may be the heading of a column. */
static char find_separator(const char *first, const char *first_end, const char *second,
                           const char *second_end)
{
    unsigned seen = separators_in(first, first_end);
    if (second) {
        unsigned below = separators_in(second, second_end);
        if (below) /* otherwise the row is too short, which is said when it is read */
            seen = is_one_word(first, first_end) ? below : seen & below;
    }
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

static row_look look_at(const of_table *table, const of_numbers *numbers, const char *line,
                        const char *line_end)
{
    row_look look = {.whole = 1, .rising = 1};
    size_t first = 0;
    for (const char *at = line; at; look.cells++) {
        of_field cell;
        double value;
        at = of_table_field(table, at, line_end, &cell);
        int empty = cell.begin == cell.end;
        int number = !empty && of_field_number(table, numbers, &cell, &value);
        look.corner |= empty && look.cells == 0;
        look.numbers += (size_t)number;
        look.empty += (size_t)empty;
        look.gap |= empty && at;
        look_at_name(&cell, &look);
        size_t whole;
        int is_whole = !empty && of_number_read_size(cell.begin, cell.end, &whole) == cell.end;
        if (look.cells == 0) {
            look.words_first = !empty && !number;
            first = is_whole ? whole : 0;
            look.rising = is_whole;
            continue;
        }
        look.whole &= is_whole;
        look.rising &= is_whole && whole == look.cells + first;
    }
    look.counting = look.rising && first <= 1;
    return look;
}

/* Looks at the first two rows, and thinks again about the separator: blanks may be mixed with tabs
 * between numbers, and words may have blanks in them. */
static void look_at_both(of_table *table, const of_numbers *numbers, const char *const line[4],
                         row_look *one, row_look *two)
{
    for (int again = 0; again < 2; again++) {
        *one = look_at(table, numbers, line[0], line[1]);
        *two = line[2] ? look_at(table, numbers, line[2], line[3]) : (row_look){0};
        const row_look *last = line[2] ? two : one;
        int at_end = one->cells == two->cells && one->empty != two->empty;
        int gaps = (one->gap || two->gap || at_end) &&
                   last->numbers + last->empty == last->cells; /* missing values */
        if (table->separator == '\t' && last->numbers < last->cells && !gaps) {
            of_table blanks = *table;
            blanks.separator = ' ';
            row_look other = line[2] ? look_at(&blanks, numbers, line[2], line[3])
                                     : look_at(&blanks, numbers, line[0], line[1]);
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
        (yes || (second->numbers > 0 && (first->numbers == 0 || second->words_first)))) {
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
    OF_TRY(OF_NEW_ZERO(arena, &table->header, table->columns, 1));
    row_look look = {0};
    for (const char *at = line; at; look.cells++) {
        of_field cell;
        at = of_table_field(table, at, line_end, &cell);
    }
    size_t c = table->columns - look.cells; /* 1 where the names of rows have no heading */
    if (c)
        table->header[0] = "";
    for (const char *at = line; at; c++) {
        of_field cell;
        char *name;
        at = of_table_field(table, at, line_end, &cell);
        OF_TRY(OF_NEW(arena, &name, (size_t)(cell.end - cell.begin) + 1, 1));
        of_field_copy(&cell, name);
        of_text_clean(name);
        table->header[c] = name;
    }
    return ONEFOLD_OK;
}

/* The columns whose first cell that is there is a word, and the names of rows. A mark of a missing
 * value says nothing: then the rows below are looked at, so many of them. */
static onefold_status find_words(of_table *table, of_arena *arena, const of_numbers *numbers)
{
    enum { LOOKED_AT = 1000 };
    const char *line_end, *line, *rest = table->begin;
    size_t lines = 0, open = table->columns;
    unsigned char *settled;
    OF_SCRATCH(scratch, arena->context);
    OF_TRY(OF_NEW_ZERO(arena, &table->is_text, table->columns, 1));
    OF_TRY(OF_NEW_ZERO(&scratch, &settled, table->columns, 1));
    while (open && lines < LOOKED_AT &&
           (line = of_table_line(&rest, table->end, &line_end, &lines))) {
        size_t c = 0;
        for (const char *at = line; at && c < table->columns; c++) {
            of_field cell;
            double value = 0;
            at = of_table_field(table, at, line_end, &cell);
            int number = of_field_number(table, numbers, &cell, &value);
            if (settled[c] || (number && isnan(value)))
                continue;
            table->is_text[c] = !number;
            table->comma |= number && memchr(cell.begin, ',', (size_t)(cell.end - cell.begin));
            settled[c] = 1;
            open--;
        }
    }
    if (table->named_rows)
        table->is_text[0] = 1;
    return ONEFOLD_OK;
}

static onefold_status refuse_binary(const char *text, size_t size)
{
    const unsigned char *first = (const unsigned char *)text;
    if (size >= 2 &&
        ((first[0] == 0xff && first[1] == 0xfe) || (first[0] == 0xfe && first[1] == 0xff)))
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "the text is in UTF-16"), "save it as UTF-8");
    if (memchr(text, '\0', size < 4096 ? size : 4096))
        return of_fail(ONEFOLD_BAD_DATA, "the file is not text: there are zero bytes in it");
    return ONEFOLD_OK;
}

onefold_status of_table_open(of_table *table, of_arena *arena, const of_numbers *numbers,
                             const char *text, size_t size, onefold_header header)
{
    OF_TRY(refuse_binary(text, size));
    const char *end = text + size, *first_end, *second_end = NULL;
    size_t lines = 0, further;
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        text += 3;
    const char *first = of_table_line(&text, end, &first_end, &lines);
    while (first && (*first == '#' || *first == '%'))
        first = of_table_line(&text, end, &first_end, &lines);
    if (!first)
        return of_fail(ONEFOLD_BAD_DATA, "there are only blanks and comments in the file");
    further = lines;
    const char *second = of_table_line(&text, end, &second_end, &further);
    char separator = find_separator(first, first_end, second, second_end);
    *table = (of_table){.begin = first,
                        .end = end,
                        .first_line = lines,
                        .separator = separator,
                        .point = separator == ';' || separator == '\t' ? ',' : '.'};
    row_look one, two;
    look_at_both(table, numbers, (const char *[]){first, first_end, second, second_end}, &one,
                 &two);
    table->columns = one.cells;
    if (is_header(table, &one, &two, header)) {
        table->columns = two.cells;
        OF_TRY(copy_header(table, arena, first, first_end));
        table->begin = second;
        table->first_line = further;
    }
    return find_words(table, arena, numbers);
}
