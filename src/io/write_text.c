/* SPDX-License-Identifier: Apache-2.0 */
/* One array as separated text, or as Matrix Market. */
#include "io/write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER = 32, TEXT_BATCH = 1 << 20 };

int of_number_text(char *text, double number, int single)
{
    if (number == trunc(number) && fabs(number) < 1e15)
        return snprintf(text, NUMBER, "%.0f", number + 0.0); /* -0 becomes 0 */
    int length = 0;
    for (int digits = single ? 6 : 15; digits <= (single ? 9 : 17); digits++) {
        length = snprintf(text, NUMBER, "%.*g", digits, number);
        if (single ? strtof(text, NULL) == (float)number : strtod(text, NULL) == number)
            break;
    }
    return length;
}

static onefold_status put_number(of_atomic_file *file, double number, int single, char after)
{
    char text[NUMBER + 1];
    int length = of_number_text(text, number, single);
    text[length] = after;
    return of_atomic_write(file, text, (size_t)length + 1);
}

onefold_status of_write_name(of_atomic_file *file, const char *name, char separator, char after)
{
    char special[] = {separator, '"', '\n', '\r', '\0'};
    size_t length = strlen(name);
    int bare = !name[strcspn(name, special)] && /* blanks at the ends would be taken off */
               (!length || (!strchr(" \t", name[0]) && !strchr(" \t", name[length - 1])));
    if (bare)
        return of_atomic_print(file, "%s%c", name, after);
    OF_TRY(of_atomic_write(file, "\"", 1));
    for (; *name; name++)
        OF_TRY(of_atomic_write(file, *name == '"' ? "\"\"" : name, *name == '"' ? 2 : 1));
    return of_atomic_print(file, "\"%c", after);
}

/* The line above the numbers, if there is to be one. */
static onefold_status write_header(of_atomic_file *file, const of_view *view, int samples_named,
                                   char separator)
{
    if (!view->column_names && !samples_named)
        return ONEFOLD_OK;
    if (samples_named)
        OF_TRY(of_atomic_print(file, "sample%c", separator));
    for (size_t i = 0; i < view->columns; i++) {
        char after = i + 1 < view->columns ? separator : '\n';
        OF_TRY(view->column_names ? of_write_name(file, view->column_names[i], separator, after)
                                  : of_atomic_print(file, "%zu%c", i + 1, after));
    }
    return ONEFOLD_OK;
}

onefold_status of_write_text(of_atomic_file *file, const of_view *view, const char *const *names,
                             char separator)
{
    size_t columns = view->columns, at_once = TEXT_BATCH / (sizeof(double) * columns);
    at_once = at_once ? at_once : 1; /* samples that are converted to doubles */
    OF_TRY(write_header(file, view, names != NULL, separator));
    OF_SCRATCH(scratch, file->context);
    double *tile;
    OF_TRY(OF_NEW(&scratch, &tile, columns, at_once));
    for (size_t first = 0; first < view->samples; first += at_once) {
        size_t count = view->samples - first < at_once ? view->samples - first : at_once;
        of_view_tile(view, first, count, tile, columns);
        for (size_t j = 0; j < count; j++) {
            if (names)
                OF_TRY(of_write_name(file, names[first + j], separator, separator));
            for (size_t i = 0; i < columns; i++)
                OF_TRY(put_number(file, tile[i + j * columns], view->type == OF_F32,
                                  i + 1 < columns ? separator : '\n'));
        }
    }
    return ONEFOLD_OK;
}

onefold_status of_write_mtx(of_atomic_file *file, const of_view *view)
{
    const of_csr *sparse = &view->sparse;
    if (view->storage == OF_SPARSE) {
        OF_TRY(of_atomic_print(file,
                               "%%%%MatrixMarket matrix coordinate real general\n%zu %zu %zu\n",
                               sparse->rows, sparse->columns, of_csr_entries(sparse)));
        for (size_t j = 0; j < sparse->rows; j++)
            for (size_t e = of_csr_start(sparse, j); e < of_csr_start(sparse, j + 1); e++) {
                OF_TRY(
                    of_atomic_print(file, "%zu %zu ", j + 1, (size_t)of_csr_index(sparse, e) + 1));
                OF_TRY(put_number(file, of_csr_value(sparse, e), sparse->single_value, '\n'));
            }
        return ONEFOLD_OK;
    }
    OF_TRY(of_atomic_print(file, "%%%%MatrixMarket matrix array real general\n%zu %zu\n",
                           view->samples, view->columns));
    /* Column by column: each column is a view of its own. */
    for (size_t i = 0; i < view->columns; i++) {
        of_view column = *view;
        column.storage = OF_DENSE;
        column.columns = 1;
        column.column_names = NULL;
        column.data = (const char *)view->data + i * view->column_step * of_type_size(view->type);
        OF_TRY(of_write_text(file, &column, NULL, ' '));
    }
    return ONEFOLD_OK;
}
