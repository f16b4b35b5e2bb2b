/* SPDX-License-Identifier: Apache-2.0 */
/* Which column of a table holds the ids of its rows: the one asked for, one under a usual name, or
 * the first if it is words; no two may be the same. */
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
static size_t find_by_rule(const of_table *table)
{
    if (table->named_rows)
        return 0;
    for (size_t c = 0; table->header && table->columns > 1 && c < table->columns; c++)
        if (of_name_of_ids(table->header[c]) && (c == 0 || ends_in_id(table->header[c])))
            return c;
    return table->columns > 1 && table->is_text[0] &&
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

static onefold_status refuse_twin(const of_name_index *index, size_t column)
{
    size_t second = index->first_twin;
    if (second == SIZE_MAX)
        return of_fail(ONEFOLD_BAD_DATA, "column %zu has no id in some row", column + 1);
    return of_hint(of_fail(ONEFOLD_BAD_DATA, "column %zu has the id \"%.60s\" in rows %zu and %zu",
                           column + 1, index->name[second],
                           of_name_index_find(index, index->name[second]) + 1, second + 1),
                   "every sample needs an id of its own");
}

static int holds_numbers(const of_table *table, const of_numbers *numbers, const char **words,
                         size_t rows)
{
    double value;
    for (size_t r = 0; r < rows; r++) {
        of_field field = {words[r], words[r] + strlen(words[r]), 0};
        if (of_field_number(table, numbers, &field, &value))
            return 1;
    }
    return 0;
}

onefold_status of_table_ids(of_table *table, const of_numbers *numbers, of_arena *arena,
                            const char *asked, of_table_id_column *ids)
{
    *ids = (of_table_id_column){.column = SIZE_MAX};
    if (asked && strcmp(asked, "none") == 0)
        return ONEFOLD_OK;
    size_t column = asked ? find_asked(table, asked) : SIZE_MAX, rows;
    int by_name = asked && column != SIZE_MAX;
    if (!by_name)
        column = find_by_rule(table);
    if (column == SIZE_MAX)
        return ONEFOLD_OK;
    OF_SCRATCH(scratch, arena->context);
    const char **words;
    of_name_index index;
    int mixed =
        by_name || table->named_rows || (table->header && of_name_of_ids(table->header[column]));
    OF_TRY(of_table_words(table, numbers, arena, column, &rows, 1, &words));
    size_t better = by_name || !counts(words, rows) ? SIZE_MAX : find_beside_count(table);
    if (better != SIZE_MAX) {
        table->is_text[column] = 1; /* a count of the rows is no feature */
        column = better;
        OF_TRY(of_table_words(table, numbers, arena, column, &rows, 1, &words));
    }
    if (!mixed && holds_numbers(table, numbers, words, rows))
        return ONEFOLD_OK; /* which is refused when the column is read as words */
    OF_TRY(of_name_index_make(&scratch, words, rows, &index));
    if (index.repeated || index.empty) {
        if (by_name)
            return refuse_twin(&index, column);
        ids->doubtful = !table->is_text[column] && column == 0;
        ids->twin = index.first_twin == SIZE_MAX ? NULL : words[index.first_twin];
        ids->doubted = column;
        return ONEFOLD_OK;
    }
    table->is_text[column] = 1;
    *ids = (of_table_id_column){
        .column = column, .rows = rows, .name = words, .by_name = by_name, .doubted = SIZE_MAX};
    ids->headed = by_name || (table->header && of_name_of_ids(table->header[column]));
    return ONEFOLD_OK;
}
