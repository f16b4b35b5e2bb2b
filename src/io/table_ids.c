/* SPDX-License-Identifier: Apache-2.0 */
/* Which column of a table holds the ids of its rows: the one asked for, one under a usual name, the
 * first if it is words, or another whose words all differ. No two ids may be the same. */
#include "io/table.h"

#include "data/name_index.h"
#include "io/find.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The column that was asked for: by its name, or its number from 1. SIZE_MAX where it is not here.
 */
static size_t find_asked(const of_table *table, const char *asked)
{
    for (size_t c = 0; table->header && c < table->columns; c++)
        if (strcmp(table->header[c], asked) == 0)
            return c;
    char *end;
    unsigned long number = strtoul(asked, &end, 10);
    return !*end && number >= 1 && number <= table->columns ? number - 1 : SIZE_MAX;
}

/* A word like "cell" may head any column of counts; away from the first one it takes more. */
static int ends_in_id(const char *name)
{
    size_t length = strlen(name);
    return length >= 2 && strcasecmp(name + length - 2, "id") == 0;
}

/* The column that may hold ids by rule. */
static size_t find_by_rule(const of_table *table, const of_table_wishes *wishes)
{
    if (table->named_rows && !of_table_listed(table, wishes->drop, 0))
        return 0;
    for (size_t c = 0; table->header && table->columns > 1 && c < table->columns; c++)
        if (of_name_of_ids(table->header[c]) && (c == 0 || ends_in_id(table->header[c])) &&
            !of_table_listed(table, wishes->drop, c))
            return c;
    return table->columns > 1 && table->is_text[0] && !of_table_listed(table, wishes->drop, 0) &&
                   !(table->header && of_name_of_labels(table->header[0]))
               ? 0
               : SIZE_MAX;
}

/* Whether the words are 0, 1, 2, ... or 1, 2, 3, ... */
static int counts(const char **words, size_t rows)
{
    for (size_t r = 0; r < rows; r++) {
        char *end;
        unsigned long number = strtoul(words[r], &end, 10);
        if (*end || end == words[r] || number != strtoul(words[0], NULL, 10) + r)
            return 0;
    }
    return rows > 0 && strtoul(words[0], NULL, 10) <= 1;
}

/* A column of words under a name of ids, beside an index that only counts the rows. */
static size_t find_beside_count(const of_table *table)
{
    for (size_t c = 1; table->named_rows && table->header && c < table->columns; c++)
        if (table->is_text[c] && of_name_of_ids(table->header[c]))
            return c;
    return SIZE_MAX;
}

/* The line of row `row` of the data, from 0. */
static size_t line_of(const of_table *table, size_t row)
{
    const char *at = table->begin, *line_end, *line;
    while ((line = of_table_line(&at, table->end, &line_end)) && row--) {
    }
    return of_table_line_number(table, line ? line : table->end);
}

static onefold_status refuse_twin(const of_table *table, const of_name_index *index, size_t column)
{
    static const char hint[] = "every sample needs an id of its own; `ids` none says that there "
                               "are none, and `ids` names another column";
    size_t second = index->first_twin, empty = 0;
    of_column_text name = of_table_column_text(table, column);
    if (second == SIZE_MAX || !index->name[second][0]) {
        while (empty < index->count && index->name[empty][0])
            empty++;
        return of_hint(
            of_fail(ONEFOLD_BAD_DATA, "%s has no id in line %zu", name.text, line_of(table, empty)),
            hint);
    }
    return of_hint(of_fail(ONEFOLD_BAD_DATA, "%s has the id \"%.60s\" twice, in lines %zu and %zu",
                           name.text, index->name[second],
                           line_of(table, of_name_index_find(index, index->name[second])),
                           line_of(table, second)),
                   hint);
}

static int holds_numbers(const of_numbers *numbers, const char **words, size_t rows)
{
    for (size_t r = 0; r < rows; r++) {
        of_field field = {words[r], words[r] + strlen(words[r]), 0};
        of_form_seen seen;
        if (of_form_look(numbers, &field, &seen))
            return 1;
    }
    return 0;
}

/* A first column of words under any heading is ids where they all differ, or nearly: then it is
 * one of them that is wrong. Names of genes may be there twice, where samples are the columns. */
static int nearly_differ(const of_table *table, const of_name_index *index, size_t column)
{
    return 10 * (index->repeated + index->empty) <= index->count &&
           !(table->header && of_name_of_features(table->header[column]));
}

onefold_status of_table_ids(of_table *table, const of_numbers *numbers, of_arena *arena,
                            const of_table_wishes *wishes, of_table_id_column *ids)
{
    const char *asked = wishes->ids;
    *ids = (of_table_id_column){.column = SIZE_MAX};
    if (asked && strcmp(asked, "none") == 0)
        return ONEFOLD_OK;
    size_t column = asked ? find_asked(table, asked) : SIZE_MAX, rows;
    int by_name = asked && column != SIZE_MAX;
    if (!by_name)
        column = find_by_rule(table, wishes);
    if (column == SIZE_MAX)
        return ONEFOLD_OK;
    OF_SCRATCH(scratch, arena->context);
    const char **words;
    of_name_index index;
    int headed = table->header && of_name_of_ids(table->header[column]);
    OF_TRY(of_table_words(table, arena, column, &rows, &words));
    size_t better = by_name || !counts(words, rows) ? SIZE_MAX : find_beside_count(table);
    if (better != SIZE_MAX) {
        OF_TRY(OF_NEW_ZERO(arena, &table->column, table->columns, 1));
        table->is_text[column] = 1; /* a count of the rows is no feature */
        table->column[column].seen = 1;
        table->column[column].left = OF_LEFT_COUNT;
        column = better;
        headed = 1;
        OF_TRY(of_table_words(table, arena, column, &rows, &words));
    }
    int sure = by_name || table->named_rows || headed;
    if (!sure && holds_numbers(numbers, words, rows))
        return ONEFOLD_OK; /* numbers, and some words among them */
    OF_TRY(of_name_index_make(&scratch, words, rows, &index));
    if (index.repeated || index.empty) {
        if (by_name || (!wishes->turned && (sure || nearly_differ(table, &index, column))))
            return refuse_twin(table, &index, column);
        return ONEFOLD_OK;
    }
    table->is_text[column] = 1;
    *ids = (of_table_id_column){.column = column,
                                .rows = rows,
                                .name = words,
                                .by_name = by_name,
                                .headed = by_name || headed};
    return ONEFOLD_OK;
}

/* Words that name things: without blanks, and not long. */
static int are_names(const char **words, size_t rows)
{
    enum { LONGEST = 64 };
    for (size_t r = 0; r < rows; r++)
        if (!words[r][0] || strchr(words[r], ' ') || strlen(words[r]) > LONGEST)
            return 0;
    return rows > 1;
}

onefold_status of_table_ids_by_words(of_table *table, of_arena *arena, of_table_id_column *ids)
{
    OF_SCRATCH(scratch, arena->context);
    for (size_t c = 0; table->header && table->columns > 1 && c < table->columns; c++) {
        const char **words;
        of_name_index index;
        if (!table->column || table->column[c].left != OF_LEFT_TEXT)
            continue;
        size_t rows;
        OF_TRY(of_table_words(table, arena, c, &rows, &words));
        if (!are_names(words, rows))
            continue;
        OF_TRY(of_name_index_make(&scratch, words, rows, &index));
        if (index.repeated || index.empty)
            continue;
        table->column[c].left = OF_LEFT_NOT;
        *ids = (of_table_id_column){.column = c, .rows = rows, .name = words, .by_words = 1};
        return ONEFOLD_OK;
    }
    return ONEFOLD_OK;
}
