/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a mapped text as a source of values. */
#include "io/text_source.h"

#include "base/mapped.h"
#include "io/find.h"

#include <string.h>

enum { PIECE = 1 << 17, LEAST_COLUMNS = 4 };

typedef struct text_source {
    of_view_source values; /* first, so that one is the other */
    const char *path;
    of_table table;
    of_numbers numbers;
    of_table_index index;
} text_source;

static onefold_status read_rows(const of_view_source *values, size_t first, size_t count,
                                double *out, size_t ldo)
{
    const text_source *source = (const text_source *)values;
    onefold_status status =
        of_table_rows(&source->table, &source->numbers, &source->index, first, count, out, ldo);
    if (of_mapped_intact(source->table.begin, ONEFOLD_OK) != ONEFOLD_OK)
        return ONEFOLD_IO; /* with its sentence */
    return status == ONEFOLD_OK ? status : of_blame(status, "%s", source->path);
}

static void release_rows(const of_view_source *values, size_t first, size_t count)
{
    of_table_release(&((const text_source *)values)->index, first, count);
}

static void end(void *what)
{
    of_numbers_end(&((text_source *)what)->numbers);
}

/* Whether the first rows say it all. A first column that the model does not have may be ids. */
static int is_plain(const of_file *file, const of_table *table)
{
    int missing;
    const of_table_wishes *wishes = &file->wishes;
    if (wishes->drop || wishes->columns || wishes->as_category || wishes->as_number ||
        table->units || table->points || table->text != (const char *)file->bytes)
        return 0;
    if (!file->contents->map || (file->wishes.ids && strcmp(file->wishes.ids, "none") != 0) ||
        table->columns < LEAST_COLUMNS || of_name_of_labels(file->stem) ||
        of_name_of_present(file->stem, &missing))
        return 0;
    for (size_t c = 0; c < table->columns; c++)
        if (table->is_text[c] ||
            (table->header && c == 0 && wishes->expected_count &&
             !of_table_expects(wishes, table->header[0])) ||
            (table->header &&
             (of_name_of_labels(table->header[c]) || of_name_of_ids(table->header[c]) ||
              (file->wishes.truth && strcmp(file->wishes.truth, table->header[c]) == 0))))
            return 0;
    return 1;
}

static onefold_status open_source(const of_file *file, of_arena *store, text_source *source)
{
    char *path;
    OF_TRY(of_arena_string(store, &path, "%s", file->path));
    source->path = path;
    source->values = (of_view_source){read_rows, release_rows};
    OF_TRY(of_table_open(&source->table, store, &source->numbers, (const char *)file->bytes,
                         file->size, file->wishes.header));
    return of_table_index_make(&source->table, store, PIECE, 1, &source->index);
}

static onefold_status add_variable(of_file *file, of_arena *store, text_source *source)
{
    size_t columns = source->table.columns;
    of_top *top;
    OF_TRY(of_file_add(file, &top, file->stem));
    OF_TRY(of_owner_hold(top->store, file->contents));
    top->variable = (of_variable){.name = top->variable.name,
                                  .kind = OF_VARIABLE_MATRIX,
                                  .matrix = {.rows = source->index.row[source->index.pieces],
                                             .columns = columns,
                                             .source = &source->values,
                                             .type = OF_F64,
                                             .row_step = columns,
                                             .column_step = 1,
                                             .column_names = source->table.header,
                                             .owner = top->store},
                                  .pages = 1};
    of_arena_adopt(&top->store->arena, store);
    top->store->end = end;
    top->store->ended = source;
    return ONEFOLD_OK;
}

onefold_status of_text_source_add(of_file *file, const of_table *table, int *made)
{
    OF_SCRATCH(store, file->context);
    text_source *source;
    *made = 0;
    if (!is_plain(file, table))
        return ONEFOLD_OK;
    OF_TRY(OF_NEW_ZERO(&store, &source, 1, 1));
    OF_TRY(of_numbers_start(&source->numbers));
    onefold_status status = open_source(file, &store, source);
    int square =
        status == ONEFOLD_OK && source->index.row[source->index.pieces] == source->table.columns;
    if (status == ONEFOLD_OK && !square)
        status = add_variable(file, &store, source);
    *made = status == ONEFOLD_OK && !square;
    if (!*made)
        of_numbers_end(&source->numbers);
    return status;
}
