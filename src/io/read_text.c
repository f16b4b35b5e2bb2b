/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of text as variables: the numbers are one matrix under the file's name; columns of words,
 * and columns of labels if the header calls them so, are variables of their own.
 */
#include "io/find.h"
#include "io/table.h"
#include "io/text_source.h"

#include <stdio.h>

/* Whether a column of numbers is labels: by its name and its values, and for a name that only
 * speaks of them by its place too. */
static onefold_status is_labels(of_arena *arena, const of_variable *column, size_t c,
                                size_t columns, int *is)
{
    int surely = of_name_of_labels(column->name);
    of_labels labels;
    *is = 0;
    if (surely == 0 || (surely == 1 && c != 0 && c + 1 != columns))
        return ONEFOLD_OK;
    OF_TRY(of_labels_from(arena, column, &labels, is));
    *is = *is && labels.classes < labels.length;
    return ONEFOLD_OK;
}

/* Takes the columns marked out of the matrix, in place. */
static size_t leave_out(double *values, size_t rows, size_t width, const unsigned char *mark)
{
    size_t kept = 0, left = 0;
    for (size_t i = 0; i < width; i++)
        left += !mark[i];
    if (left == width)
        return width;
    for (size_t r = 0; r < rows; r++)
        for (size_t i = 0; i < width; i++)
            if (!mark[i])
                values[kept++] = values[r * width + i];
    return left;
}

static of_variable matrix_of(const char *name, const double *values, size_t rows, size_t columns,
                             size_t row_step)
{
    of_variable variable = {.name = name,
                            .kind = OF_VARIABLE_MATRIX,
                            .matrix = {.rows = rows,
                                       .columns = columns,
                                       .data = values,
                                       .type = OF_F64,
                                       .row_step = row_step,
                                       .column_step = 1},
                            .pages = 1};
    return variable;
}

/* A variable for each column of labels; `mark` is set for those columns. */
static onefold_status add_labels(of_file *file, const of_table *table, const double *values,
                                 size_t rows, size_t width, unsigned char *mark,
                                 const char *const *ids)
{
    OF_SCRATCH(scratch, file->context);
    size_t i = 0;
    for (size_t c = 0; table->header && width > 0 && c < table->columns; c++) {
        if (table->is_text[c])
            continue;
        of_variable column = matrix_of(table->header[c], values + i, rows, 1, width);
        int is;
        OF_TRY(is_labels(&scratch, &column, c, table->columns, &is));
        mark[i++] = (unsigned char)is;
        if (!is)
            continue;
        of_top *top;
        double *copy;
        OF_TRY(of_file_add(file, &top, column.name));
        OF_TRY(OF_NEW(&top->store->arena, &copy, rows, 1));
        for (size_t r = 0; r < rows; r++)
            copy[r] = values[r * width + i - 1];
        const char *name = top->variable.name;
        top->variable = matrix_of(name, copy, rows, 1, 1);
        top->variable.matrix.owner = top->store;
        top->variable.matrix.row_names = ids;
    }
    return ONEFOLD_OK;
}

/* `names` becomes what the rows are called: their ids, or else the first column of words. */
static onefold_status add_words(of_file *file, const of_table *table, const of_numbers *numbers,
                                const of_table_id_column *ids, const char *const **names)
{
    *names = ids->name;
    for (size_t c = 0; c < table->columns; c++) {
        if (!table->is_text[c])
            continue;
        const char *name = table->header && table->header[c][0] ? table->header[c] : NULL;
        int alone = table->columns == 1;
        int mixed = alone || (c == 0 && table->named_rows) || (name && of_name_of_labels(name)) ||
                    c == ids->column;
        size_t rows;
        char number[32];
        snprintf(number, sizeof number, "column %zu", c + 1);
        if (!name)
            name = alone ? file->stem : number;
        of_top *top;
        const char **words;
        OF_TRY(of_file_add(file, &top, name));
        OF_TRY(of_table_words(table, numbers, &top->store->arena, c, &rows, mixed, &words));
        top->variable.are_ids = c == ids->column;
        top->variable.kind = OF_VARIABLE_TEXT;
        top->variable.count = rows;
        top->variable.text = words;
        *names = *names ? *names : words;
    }
    for (size_t t = 0; t < file->count; t++)
        file->top[t].variable.matrix.row_names = ids->name;
    return ONEFOLD_OK;
}

static onefold_status add_matrix(of_file *file, const of_table *table, of_arena *store,
                                 double *values, size_t rows, size_t width,
                                 const unsigned char *mark, const char *const *row_names)
{
    size_t columns = leave_out(values, rows, width, mark);
    const char **names = NULL;
    if (columns == 0)
        return ONEFOLD_OK;
    if (table->header) {
        OF_TRY(OF_NEW(store, &names, columns, 1));
        size_t i = 0, kept = 0;
        for (size_t c = 0; c < table->columns; c++)
            if (!table->is_text[c] && !mark[i++]) {
                char *name;
                OF_TRY(of_arena_string(store, &name, "%s", table->header[c]));
                names[kept++] = name;
            }
    }
    of_top *top;
    OF_TRY(of_file_add(file, &top, file->stem));
    const char *name = top->variable.name;
    top->variable = matrix_of(name, values, rows, columns, columns);
    top->variable.matrix.owner = top->store;
    top->variable.matrix.column_names = names;
    top->variable.matrix.row_names = row_names;
    of_arena_adopt(&top->store->arena, store);
    return ONEFOLD_OK;
}

/* A column that is called as ids are and is none stays what it is, and that is said. */
static onefold_status doubt_ids(of_file *file, const of_table *table, const of_table_id_column *ids)
{
    char *remark;
    if (!ids->doubtful)
        return ONEFOLD_OK;
    OF_TRY(of_arena_string(&file->arena, &remark, "column %s is not taken for ids, as it %s%.60s%s",
                           table->header[ids->doubted], ids->twin ? "has " : "is empty in some row",
                           ids->twin ? ids->twin : "", ids->twin ? " twice" : ""));
    file->remark = remark;
    return ONEFOLD_OK;
}

static onefold_status read_table(of_file *file, const of_numbers *numbers)
{
    OF_SCRATCH(scratch, file->context);
    OF_SCRATCH(store, file->context);
    of_table table;
    double *values;
    unsigned char *mark;
    size_t rows, width = 0;
    int made = 0;
    of_table_id_column ids;
    OF_TRY(of_table_open(&table, &scratch, numbers, (const char *)file->bytes, file->size,
                         file->wishes.header));
    if (file->passing)
        OF_TRY(of_text_source_add(file, &table, &made));
    if (made)
        return ONEFOLD_OK;
    OF_TRY(of_table_ids(&table, numbers, &file->arena, file->wishes.ids, &ids));
    file->ids_by_name = ids.by_name;
    OF_TRY(doubt_ids(file, &table, &ids));
    for (size_t c = 0; c < table.columns; c++)
        width += !table.is_text[c];
    OF_TRY(of_table_numbers(&table, numbers, &store, &values, &rows, &file->split));
    OF_TRY(OF_NEW_ZERO(&scratch, &mark, width, 1));
    const char *const *row_names = NULL;
    OF_TRY(add_words(file, &table, numbers, &ids, &row_names));
    OF_TRY(add_labels(file, &table, values, rows, width, mark, ids.name));
    return add_matrix(file, &table, &store, values, rows, width, mark, row_names);
}

onefold_status of_read_text(of_file *file)
{
    of_numbers numbers;
    OF_TRY(of_numbers_start(&numbers));
    onefold_status status = read_table(file, &numbers);
    of_numbers_end(&numbers);
    return status;
}
