/* SPDX-License-Identifier: Apache-2.0 */
/* The lines and cells of a table of text, and the number in a cell, as people write numbers. */
#include "io/table.h"

#include "base/number.h"
#include "base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* ---- lines and fields ----------------------------------------------------------------------- */

int of_rows_next(of_rows *rows)
{
    const char *line, *first;
    rows->cells = 0;
    rows->at = rows->line = rows->end = NULL;
    while ((line = first = rows->rest) < rows->stop) {
        const char *end = memchr(line, '\n', (size_t)(rows->stop - line));
        end = end ? end : rows->stop;
        rows->rest = end + (end < rows->stop);
        while (first < end && of_is_blank(*first))
            first++;
        if (first < end) {
            rows->at = rows->line = line;
            rows->end = end[-1] == '\r' ? end - 1 : end;
            return 1;
        }
    }
    return 0;
}

size_t of_table_line_number(const of_table *table, const char *at)
{
    size_t line = 1;
    for (const char *c = table->text; c < at; c++)
        line += *c == '\n' || *c == OF_FOLD;
    return line;
}

size_t of_table_row_line(const of_table *table, size_t row)
{
    of_rows rows = of_rows_of(table);
    while (of_rows_next(&rows) && row--) {
    }
    return rows.line ? of_table_line_number(table, rows.line) : 0;
}

static const char *pass_blanks(const char *at, const char *end, char separator)
{
    while (at < end && of_is_blank(*at) && (separator == ' ' || *at != separator))
        at++;
    return at;
}

int of_rows_cell(of_rows *rows)
{
    if (!rows->at)
        return 0;
    char separator = rows->table->separator;
    const char *line_end = rows->end, *at = pass_blanks(rows->at, line_end, separator);
    of_field *cell = &rows->cell;
    cell->begin = at;
    cell->quoted = at < line_end && *at == '"';
    if (cell->quoted) {
        const char *close = memchr(at + 1, '"', (size_t)(line_end - at - 1));
        while (close && close + 1 < line_end && close[1] == '"') /* "" stands for a quote */
            close = memchr(close + 2, '"', (size_t)(line_end - close - 2));
        cell->begin = at + 1;
        cell->end = close ? close : line_end;
        at = close ? close + 1 : line_end;
    } else {
        while (at < line_end && *at != separator && !(separator == ' ' && of_is_blank(*at)))
            at++;
        cell->end = at;
        while (cell->end > cell->begin && of_is_blank(cell->end[-1]))
            cell->end--;
    }
    at = pass_blanks(at, line_end, separator);
    rows->cells++;
    if (separator == ' ')
        rows->at = at < line_end ? at : NULL;
    else
        rows->at = at < line_end && *at == separator ? at + 1 : NULL;
    return 1;
}

/* `text` has room for the bytes of the cell and a zero. */
static void copy_field(const of_field *cell, char *text)
{
    for (const char *at = cell->begin; at < cell->end; at++) {
        *text++ = *at == OF_FOLD ? ' ' : *at;
        at += cell->quoted && *at == '"' && at + 1 < cell->end && at[1] == '"';
    }
    *text = '\0';
}

onefold_status of_field_text(of_arena *arena, const of_field *cell, const char **text)
{
    char *copy;
    OF_TRY(OF_NEW(arena, &copy, (size_t)(cell->end - cell->begin) + 1, 1));
    copy_field(cell, copy);
    of_text_clean(copy);
    *text = copy;
    return ONEFOLD_OK;
}

/* Advances to a cell further on in the line. A row that is too short has empty ones. */
static void advance_to(of_rows *rows, size_t column)
{
    while (rows->cells <= column && of_rows_cell(rows)) {
    }
    if (rows->cells <= column)
        rows->cell = (of_field){rows->end, rows->end, 0};
}

onefold_status of_table_words_read(const of_table *table, of_word_column *list, size_t count,
                                   size_t *rows)
{
    of_rows from = of_rows_of(table);
    *rows = 0;
    for (; of_rows_next(&from); ++*rows)
        for (size_t i = 0; i < count; i++) {
            advance_to(&from, list[i].column);
            list[i].bytes += (size_t)(from.cell.end - from.cell.begin) + 1;
        }
    for (size_t i = 0; i < count; i++) {
        OF_TRY(OF_NEW(list[i].arena, &list[i].words, *rows, 1));
        OF_TRY(OF_NEW(list[i].arena, &list[i].text, list[i].bytes, 1));
    }
    size_t row = 0; /* the file may be written to between the two readings */
    for (from = of_rows_of(table); row < *rows && of_rows_next(&from); row++)
        for (size_t i = 0; i < count; i++) {
            advance_to(&from, list[i].column);
            size_t length = (size_t)(from.cell.end - from.cell.begin);
            if (length >= list[i].bytes)
                return of_table_changed();
            copy_field(&from.cell, list[i].text);
            of_text_clean(list[i].text);
            list[i].words[row] = list[i].text;
            list[i].text += length + 1;
            list[i].bytes -= length + 1;
        }
    return row == *rows ? ONEFOLD_OK : of_table_changed();
}

onefold_status of_table_words(const of_table *table, of_arena *arena, size_t column, size_t *rows,
                              const char ***words)
{
    of_word_column one = {.column = column, .arena = arena};
    OF_TRY(of_table_words_read(table, &one, 1, rows));
    *words = one.words;
    return ONEFOLD_OK;
}

onefold_status of_text_pool_new(of_text_pool *pool, void **memory, size_t bytes)
{
    enum { BLOCK = 1 << 14 };
    bytes = (bytes + sizeof(void *) - 1) / sizeof(void *) * sizeof(void *);
    if (bytes > pool->left) {
        size_t size = bytes > BLOCK ? bytes : BLOCK;
        pool->left = 0;
        OF_TRY(OF_NEW(pool->arena, &pool->at, size, 1));
        pool->left = size;
    }
    *memory = pool->at;
    pool->at += bytes;
    pool->left -= bytes;
    return ONEFOLD_OK;
}

onefold_status of_field_keep(of_text_pool *pool, const of_field *cell, const char **text)
{
    void *memory;
    OF_TRY(of_text_pool_new(pool, &memory, (size_t)(cell->end - cell->begin) + 1));
    copy_field(cell, memory);
    of_text_clean(memory);
    *text = memory;
    return ONEFOLD_OK;
}

onefold_status of_text_pool_put(of_text_pool *pool, const char **copy, const char *first,
                                const char *second, const char *third)
{
    void *memory;
    size_t size = strlen(first) + strlen(second) + strlen(third) + 1;
    OF_TRY(of_text_pool_new(pool, &memory, size));
    snprintf(memory, size, "%s%s%s", first, second, third);
    *copy = memory;
    return ONEFOLD_OK;
}

int of_field_number(const of_field *cell, double *value)
{
    static const struct {
        const char *word;
        double value;
    } words[] = {{"inf", INFINITY},      {"+inf", INFINITY},       {"-inf", -INFINITY},
                 {"infinity", INFINITY}, {"-infinity", -INFINITY}, {"1.#inf", INFINITY},
                 {"-1.#inf", -INFINITY}};
    if (cell->begin < cell->end && of_number_read(cell->begin, cell->end, '.', value) == cell->end)
        return 1;
    if (of_field_missing(cell, 0)) {
        *value = NAN;
        return 1;
    }
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        if (of_field_is(cell, words[w].word)) {
            *value = words[w].value;
            return 1;
        }
    return 0;
}

/* ---- numbers as people write them ----------------------------------------------------------- */

/* 53,481 and 1.234,50, 45.7%, $50.10, (12), '12, 1.5D+03, yes and no. One cell may not show what a
 * comma stands for; all cells of its column do. */

enum { LONGEST = 64 }; /* characters of a number */

int of_field_missing(const of_field *cell, int among_words)
{
    static const char *const words[] = {
        "na",    "nan",    "n/a",    "null",   "-nan",    "?",       "#n/a",    "<na>",
        "-",     ".",      "#na",    "n.a.",   "missing", "#div/0!", "#value!", "#ref!",
        "#num!", "#name?", "#null!", "1.#ind", "-1.#ind", "1.#qnan", NULL};
    if (cell->begin == cell->end || (!among_words && of_field_is(cell, "none")))
        return 1;
    if (cell->end - cell->begin > 8)
        return 0;
    for (size_t w = 0; words[w]; w++)
        if (of_field_is(cell, words[w]))
            return 1;
    return 0;
}

const char *const of_form_pairs[OF_FORM_PAIRS][2] = {{"false", "true"}, {"no", "yes"}, {"f", "t"},
                                                     {"n", "y"},        {"off", "on"}, {"-", "+"}};

/* A number without sign, brackets, currency, percent sign and blanks. */
typedef struct stripped_number {
    char text[LONGEST + 1];
    size_t length;
    int negative, percent;
} stripped_number;

/* Removes one of the texts from the start of a cell, or from its end. Returns which, or -1. */
static int take(of_field *cell, const char *const *list, int end)
{
    for (int i = 0; list[i]; i++) {
        size_t length = strlen(list[i]);
        if ((size_t)(cell->end - cell->begin) < length ||
            memcmp(end ? cell->end - length : cell->begin, list[i], length) != 0)
            continue;
        cell->begin += end ? 0 : length;
        cell->end -= end ? length : 0;
        return i;
    }
    return -1;
}

static void trim(of_field *cell)
{
    static const char *const blanks[] = {" ", "\t", "\xc2\xa0", "\xe2\x80\xaf", "\xe2\x80\x89",
                                         NULL};
    while (take(cell, blanks, 0) >= 0 || take(cell, blanks, 1) >= 0) {
    }
}

/* Returns 0 where the rest of the cell cannot be a number. */
static int strip(const of_field *from, stripped_number *number)
{
    static const char *const apostrophe[] = {"'", NULL}, *const percent[] = {"%", NULL};
    static const char *const signs[] = {"\xe2\x88\x92", "-", "+", NULL};
    static const char *const thin[] = {"\xc2\xa0", "\xe2\x80\xaf", "\xe2\x80\x89", NULL};
    static const char *const currencies[] = {
        "$",   "\xe2\x82\xac", "\xc2\xa3", "\xc2\xa5", "\xe2\x82\xb9", "USD", "EUR",
        "GBP", "CHF",          "JPY",      "CNY",      "INR",          NULL};
    of_field cell = *from;
    *number = (stripped_number){.length = 0};
    trim(&cell);
    take(&cell, apostrophe, 0);
    if (cell.end - cell.begin > 2 && *cell.begin == '(' && cell.end[-1] == ')') {
        cell.begin++;
        cell.end--;
        trim(&cell);
        number->negative = 1;
    }
    int sign = take(&cell, signs, 0);
    trim(&cell);
    if (take(&cell, currencies, 0) < 0)
        take(&cell, currencies, 1);
    trim(&cell);
    if (sign < 0)
        sign = take(&cell, signs, 0);
    number->negative |= sign == 0 || sign == 1;
    trim(&cell);
    number->percent = take(&cell, percent, 1) >= 0;
    trim(&cell);
    if (cell.begin == cell.end || cell.end - cell.begin > LONGEST)
        return 0;
    while (cell.begin < cell.end) {
        char c = take(&cell, thin, 0) >= 0 ? ' ' : *cell.begin++;
        if (!of_is_digit(c) && !strchr(".,' eEdD+-", c))
            return 0;
        number->text[number->length++] = c;
    }
    return of_is_digit(number->text[0]) || number->text[0] == '.' || number->text[0] == ',';
}

/* ---- points and thousands ------------------------------------------------------------------- */

/* Removes the separators of thousands, `group` or blanks. Returns 0 where the groups do not have
 * three digits, the first of them one to three. */
static int remove_groups(char group, stripped_number *number)
{
    size_t kept = 0, run = 0;
    int grouped = 0, whole = 1;
    for (size_t i = 0; i < number->length; i++) {
        char c = number->text[i];
        int blank = c == ' ' || c == '\'';
        if (whole && (blank || c == group)) {
            if (run == 0 || run > 3 || number->text[0] == '0' || (grouped && run != 3))
                return 0;
            grouped = 1;
            run = 0;
            continue;
        }
        if (blank || (whole && !of_is_digit(c) && grouped && run != 3))
            return 0;
        whole &= of_is_digit(c) != 0;
        run++;
        number->text[kept++] = c;
    }
    number->length = kept;
    return !whole || !grouped || run == 3;
}

/* Reads the number with `point` before its decimals. */
static int read_stripped(stripped_number number, char point, double *value)
{
    if (!remove_groups(point == ',' ? '.' : ',', &number))
        return 0;
    char *comma = memchr(number.text, point, number.length);
    if (comma)
        *comma = '.';
    const char *end = number.text + number.length;
    if (of_number_read(number.text, end, '.', value) != end)
        return 0;
    *value = number.negative ? -*value : *value;
    *value = number.percent ? *value / 100 : *value;
    return 1;
}

int of_form_detect(const of_field *cell, of_form_evidence *evidence)
{
    stripped_number number;
    double by_point = 0, by_comma = 0;
    if (!strip(cell, &number))
        return 0;
    int point = read_stripped(number, '.', &by_point),
        comma = read_stripped(number, ',', &by_comma);
    *evidence = (of_form_evidence){.percent = number.percent};
    if (point != comma)
        evidence->point = point ? '.' : ',';
    else if (by_point != by_comma)
        evidence->ambiguous = memchr(number.text, ',', number.length) ? ',' : '.';
    return point || comma;
}

int of_form_read(const of_form *form, const of_field *cell, double *value)
{
    stripped_number number;
    if (form->words) {
        *value = of_field_is(cell, of_form_pairs[form->pair][1]);
        return *value != 0 || of_field_is(cell, of_form_pairs[form->pair][0]);
    }
    if (!strip(cell, &number) || !read_stripped(number, form->point, value))
        return 0;
    return !form->percent || number.percent || *value == 0; /* 30 beside 15% is ambiguous */
}

/* ---- dates and times ------------------------------------------------------------------------ */

/* "10:15", "10:15:00.5 PM", with or without a time zone. */
static int is_time(const char *text)
{
    struct tm time;
    const char *end = strptime(text, "%H:%M", &time);
    return end && !end[strspn(end, "0123456789:.+- ZzAaPpMm")];
}

int of_field_is_date(const of_field *cell)
{
    static const char *const forms[] = {"%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%d.%m.%Y", "%d/%m/%Y",
                                        "%m/%d/%Y", "%d-%m-%Y", "%d-%b-%Y", "%d %b %Y", "%b %d, %Y",
                                        "%d.%m.%y", "%d/%m/%y", "%m/%d/%y", "%d-%b-%y"};
    enum { SHORTEST = 6 };
    char text[41] = "";
    size_t length = (size_t)(cell->end - cell->begin);
    struct tm date;
    if (length >= sizeof text)
        return 0;
    memcpy(text, cell->begin, length);
    for (size_t f = 0; f < sizeof forms / sizeof *forms && length >= SHORTEST; f++) {
        const char *end = strptime(text, forms[f], &date);
        if (end && (!*end || ((*end == ' ' || *end == 'T') && is_time(end + 1))))
            return 1;
    }
    return is_time(text);
}
