/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of text as variables: the numbers are one matrix under the file's name; columns of words,
 * and columns of labels if the header calls them so, are variables of their own.
 */
#include "io/find.h"
#include "io/table.h"
#include "io/text_source.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Whether a column of numbers may be labels: by its name, and for a name that only speaks of them
 * by its place too; and by its values, few different whole numbers. */
static onefold_status is_labels(of_arena *arena, const of_variable *column, size_t c,
                                size_t columns, int *is)
{
    enum { FEW = 20 };
    int surely = of_name_of_labels(column->name);
    of_labels labels;
    *is = 0;
    if (surely == 0 || (surely == 1 && c != 0 && c + 1 != columns))
        return ONEFOLD_OK;
    OF_TRY(of_labels_from(arena, column, &labels, is));
    *is = *is && labels.classes < labels.length &&
          (labels.length < FEW || 2 * labels.classes <= labels.length);
    return ONEFOLD_OK;
}

/* Whether a table is counts, most of them zero, as those of words are: there "class" is a word. */
static int is_counts(const double *values, size_t rows, size_t width)
{
    enum { LEAST_WORDS = 8 };
    size_t zeros = 0;
    for (size_t i = 0; i < rows * width; i++) {
        if (!(values[i] >= 0) || values[i] != floor(values[i]))
            return 0;
        zeros += values[i] == 0;
    }
    return width >= LEAST_WORDS && 3 * zeros > 2 * rows * width;
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

/* Whether it is the column that was named as the truth. */
static int is_asked(const of_file *file, const char *heading)
{
    return file->wishes.truth && strcmp(file->wishes.truth, heading) == 0;
}

/* A variable for each column of labels; `mark` is set for those columns. */
static onefold_status add_labels(of_file *file, const of_table *table, const double *values,
                                 size_t rows, size_t width, unsigned char *mark,
                                 const char *const *ids)
{
    OF_SCRATCH(scratch, file->context);
    size_t i = 0, said = 0;
    int counts = table->header && !file->split && is_counts(values, rows, width);
    for (size_t c = 0; table->header && width > 0 && c < table->columns; c++) {
        if (table->is_text[c])
            continue;
        of_variable column = matrix_of(table->header[c], values + i, rows, 1, width);
        int is, asked = is_asked(file, table->header[c]);
        OF_TRY(is_labels(&scratch, &column, c, table->columns, &is));
        if (is && counts && !asked && !said++)
            OF_TRY(
                of_file_remark(file,
                               "column %s is a word like the others, as the table is counts, most "
                               "of them zero",
                               table->header[c]));
        is = (is && !counts) || asked;
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
                    c == ids->column || (name && is_asked(file, name));
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
    if (!ids->doubtful)
        return ONEFOLD_OK;
    return of_file_remark(file, "column %s is not taken for ids, as it %s%.60s%s",
                          table->header[ids->doubted], ids->twin ? "has " : "is empty in some row",
                          ids->twin ? ids->twin : "", ids->twin ? " twice" : "");
}

/* "1-Mar", "Sep-02", "2001/03/01" (of MARCH1): what a spreadsheet makes of the names of genes. */
static int is_date(const char *name)
{
    static const char months[] = "jan feb mar apr may jun jul aug sep oct nov dec ";
    char month[5] = "", rest = 0;
    unsigned day;
    if (sscanf(name, "%2u-%3[A-Za-z]%c", &day, month, &rest) != 2 &&
        sscanf(name, "%3[A-Za-z]-%2u%c", month, &day, &rest) != 2)
        return 0;
    for (char *c = month; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    size_t length = strlen(month);
    month[length] = ' ';
    month[length + 1] = '\0';
    return length == 3 && strstr(months, month) != NULL && day <= 31;
}

/* Names of features, in the header or the first column, that a spreadsheet has damaged; and numbers
 * whose decimal point is a comma where tabs separate. */
static onefold_status doubt_names(of_file *file, const of_table *table,
                                  const of_table_id_column *ids)
{
    const char *first = NULL;
    size_t dates = 0;
    for (size_t c = 0; table->header && c < table->columns; c++)
        if (is_date(table->header[c]) && !dates++)
            first = table->header[c];
    for (size_t r = 0; ids->name && r < ids->rows; r++)
        if (is_date(ids->name[r]) && !dates++)
            first = ids->name[r];
    if (dates)
        OF_TRY(of_file_remark(file,
                              "%zu name%s like %s: a spreadsheet may have made dates of the names "
                              "of genes (MARCH1, SEPT2)",
                              dates, dates == 1 ? " is" : "s are", first));
    if (table->comma && table->separator == '\t')
        OF_TRY(of_file_remark(file, "its numbers have decimal commas"));
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
    file->ids_headed = ids.headed;
    OF_TRY(doubt_ids(file, &table, &ids));
    OF_TRY(doubt_names(file, &table, &ids));
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
