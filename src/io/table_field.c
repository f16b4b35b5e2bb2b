/* SPDX-License-Identifier: Apache-2.0 */
/* A table of text line by line and field by field: where each ends, and the number in it. */
#include "io/table.h"

#include <math.h>
#include <string.h>
#include <strings.h>

const char *of_table_line(const char **at, const char *end, const char **line_end)
{
    while (*at < end) {
        const char *line = *at, *stop = memchr(line, '\n', (size_t)(end - line)), *first = line;
        stop = stop ? stop : end;
        *at = stop + (stop < end);
        while (first < stop && of_is_blank(*first))
            first++;
        if (first < stop) {
            *line_end = stop[-1] == '\r' ? stop - 1 : stop;
            return line;
        }
    }
    return NULL;
}

size_t of_table_line_number(const of_table *table, const char *at)
{
    size_t line = 1;
    for (const char *c = table->text; c < at; c++)
        line += *c == '\n' || *c == OF_FOLD;
    return line;
}

const char *of_table_field(const of_table *table, const char *at, const char *line_end,
                           of_field *cell)
{
    char separator = table->separator;
    while (at < line_end && of_is_blank(*at) && *at != separator)
        at++;
    if (separator == ' ')
        while (at < line_end && of_is_blank(*at))
            at++;
    cell->begin = at;
    cell->quoted = at < line_end && *at == '"';
    if (cell->quoted) {
        const char *close = memchr(at + 1, '"', (size_t)(line_end - at - 1));
        while (close && close + 1 < line_end && close[1] == '"') /* a quote that is meant */
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
    while (at < line_end && of_is_blank(*at) && *at != separator)
        at++;
    if (separator == ' ') {
        while (at < line_end && of_is_blank(*at))
            at++;
        return at < line_end ? at : NULL;
    }
    return at < line_end && *at == separator ? at + 1 : NULL;
}

void of_field_copy(const of_field *cell, char *text)
{
    for (const char *at = cell->begin; at < cell->end; at++) {
        *text++ = *at == OF_FOLD ? ' ' : *at;
        at += cell->quoted && *at == '"' && at + 1 < cell->end && at[1] == '"';
    }
    *text = '\0';
}

int of_field_number(const of_table *table, const of_numbers *numbers, const of_field *cell,
                    double *value)
{
    static const struct {
        const char *word;
        double value;
    } words[] = {{"inf", INFINITY},      {"+inf", INFINITY},       {"-inf", -INFINITY},
                 {"infinity", INFINITY}, {"-infinity", -INFINITY}, {"1.#inf", INFINITY},
                 {"-1.#inf", -INFINITY}};
    size_t length = (size_t)(cell->end - cell->begin);
    if (length && of_number_read(numbers, cell->begin, cell->end, table->point, value) == cell->end)
        return 1;
    if (of_field_missing(cell, 0)) {
        *value = NAN;
        return 1;
    }
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        if (strlen(words[w].word) == length &&
            strncasecmp(words[w].word, cell->begin, length) == 0) {
            *value = words[w].value;
            return 1;
        }
    return 0;
}
