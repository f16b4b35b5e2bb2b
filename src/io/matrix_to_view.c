/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix of a file as a view of the data set: nothing is copied that need not be. */
#include "io/find.h"

#include "data/dataset_names.h"
#include "io/build.h"

#include <math.h>
#include <string.h>

/* Rows that would be read as they are asked for, where it is columns that will be. */
static onefold_status load_all(of_dataset *dataset, of_matrix *matrix)
{
    double *values;
    OF_TRY(OF_NEW(&dataset->arena, &values, matrix->rows, matrix->columns));
    OF_TRY(matrix->source->read(matrix->source, 0, matrix->rows, values, matrix->columns));
    matrix->source = NULL;
    matrix->data = values;
    matrix->owner = NULL;
    return ONEFOLD_OK;
}

/* The matrix with rows and columns exchanged; nothing is copied. */
static of_matrix turned(const of_matrix *matrix)
{
    of_matrix other = *matrix;
    other.rows = matrix->columns;
    other.columns = matrix->rows;
    other.row_step = matrix->column_step;
    other.column_step = matrix->row_step;
    other.by_column = !matrix->by_column;
    other.column_names = matrix->row_names;
    other.row_names = matrix->column_names;
    other.column_unit = NULL;
    return other;
}

/* A view is held by sample. */
static onefold_status hold_by_row(of_dataset *dataset, of_view *view)
{
    OF_SCRATCH(scratch, dataset->arena.context);
    of_sparse lines, other;
    OF_TRY(of_csr_native(&scratch, &view->sparse, &lines));
    OF_TRY(of_sparse_transpose(&dataset->arena, &lines, &other));
    view->sparse = of_csr_of(&other);
    view->by_column = 0;
    view->owner = NULL;
    return ONEFOLD_OK;
}

onefold_status of_matrix_to_view(of_dataset *dataset, const of_matrix *matrix, int samples_are_rows,
                                 int kernel, of_view *view)
{
    char *name;
    OF_TRY(of_arena_string(&dataset->arena, &name, "%s", matrix->name));
    *view = *matrix;
    if (matrix->source && !samples_are_rows)
        OF_TRY(load_all(dataset, view));
    if (!samples_are_rows)
        *view = turned(view);
    view->name = name;
    view->passing = view->source != NULL;
    if (view->storage == OF_SPARSE) {
        view->type = OF_F64;
        if (view->by_column)
            OF_TRY(hold_by_row(dataset, view));
    } else if (kernel) {
        view->storage = OF_KERNEL;
    }
    const char *const *names = kernel ? NULL : view->column_names;
    view->row_names = view->column_names = NULL;
    if (view->column_unit) {
        uint32_t *unit;
        OF_TRY(OF_NEW(&dataset->arena, &unit, view->columns, 1));
        memcpy(unit, view->column_unit, view->columns * sizeof *unit);
        view->column_unit = unit;
    }
    if (names)
        OF_TRY(of_dataset_names_copy(&dataset->arena, view->columns, names, &view->column_names));
    return ONEFOLD_OK;
}

/* ---- triplets ----------------------------------------------------------------------------- */

/* The largest whole number in a column of them from 1; 0 if they are not all that. */
static size_t largest_place(const of_matrix *matrix, size_t column)
{
    double largest = 0;
    for (size_t r = 0; r < matrix->rows; r++) {
        double place = of_matrix_get(matrix, r, column);
        if (!(place >= 1) || place > UINT32_MAX || place != floor(place))
            return 0;
        largest = fmax(largest, place);
    }
    return (size_t)largest;
}

int of_triplets_are(const of_found *found, size_t count, size_t *samples)
{
    size_t most = 0;
    for (size_t m = 0; m < count; m++) {
        const of_matrix *matrix = &found[m].matrix;
        if (matrix->storage == OF_SPARSE || matrix->columns != 3 || matrix->rows <= 3)
            return 0;
        size_t last = largest_place(matrix, 0);
        if (last == 0 || largest_place(matrix, 1) == 0 || (*samples && last > *samples) ||
            (!*samples && most && last != most))
            return 0;
        most = last;
    }
    if (!*samples)
        *samples = most;
    return count > 0;
}

onefold_status of_triplets_to_view(of_dataset *dataset, const of_matrix *matrix, of_view *view)
{
    OF_SCRATCH(scratch, dataset->arena.context);
    uint32_t *sample, *place;
    double *value;
    char *name;
    OF_TRY(OF_NEW(&scratch, &sample, matrix->rows, 1));
    OF_TRY(OF_NEW(&scratch, &place, matrix->rows, 1));
    OF_TRY(OF_NEW(&scratch, &value, matrix->rows, 1));
    OF_TRY(of_arena_string(&dataset->arena, &name, "%s", matrix->name));
    for (size_t e = 0; e < matrix->rows; e++) {
        sample[e] = (uint32_t)(of_matrix_get(matrix, e, 0) - 1);
        place[e] = (uint32_t)(of_matrix_get(matrix, e, 1) - 1);
        value[e] = of_matrix_get(matrix, e, 2);
    }
    *view = (of_view){.name = name,
                      .storage = OF_SPARSE,
                      .samples = dataset->samples,
                      .columns = largest_place(matrix, 1),
                      .type = OF_F64};
    return of_build_coordinates(&dataset->arena, view->samples, view->columns, matrix->rows, sample,
                                place, value, &view->sparse);
}
