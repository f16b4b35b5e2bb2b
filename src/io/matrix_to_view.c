/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix of a file as a view of the data set: nothing is copied that need not be. */
#include "io/find.h"

#include "data/dataset_names.h"
#include "io/build.h"

#include <math.h>

static onefold_status sparse_to_view(of_dataset *dataset, of_matrix *matrix, int rows,
                                     of_view *view)
{
    if (rows == matrix->by_row) {
        view->sparse = of_csr_of(matrix->sparse);
        matrix->top->kept = 1;
        return ONEFOLD_OK;
    }
    of_sparse turned;
    OF_TRY(of_sparse_transpose(&dataset->arena, matrix->sparse, &turned));
    view->sparse = of_csr_of(&turned);
    return ONEFOLD_OK;
}

/* Rows that would be read as they are asked for, where it is columns that will be. */
static onefold_status load_all(of_dataset *dataset, of_matrix *matrix)
{
    double *values;
    OF_TRY(OF_NEW(&dataset->arena, &values, matrix->rows, matrix->columns));
    OF_TRY(matrix->source->read(matrix->source, 0, matrix->rows, values, matrix->columns));
    matrix->source = NULL;
    matrix->data = values;
    return ONEFOLD_OK;
}

static int lies_in_contents(const of_file *file, const void *data)
{
    return (uintptr_t)data >= (uintptr_t)file->bytes &&
           (uintptr_t)data < (uintptr_t)file->bytes + file->size;
}

onefold_status of_matrix_to_view(of_dataset *dataset, of_matrix *matrix, int samples_are_rows,
                                 int kernel, of_view *view)
{
    char *name;
    OF_TRY(of_arena_string(&dataset->arena, &name, "%s", matrix->name));
    if (matrix->source && !samples_are_rows)
        OF_TRY(load_all(dataset, matrix));
    *view = (of_view){.name = name,
                      .storage = matrix->sparse ? OF_SPARSE
                                 : kernel       ? OF_KERNEL
                                                : OF_DENSE,
                      .samples = samples_are_rows ? matrix->rows : matrix->columns,
                      .columns = samples_are_rows ? matrix->columns : matrix->rows,
                      .data = matrix->data,
                      .source = matrix->source,
                      .passing = matrix->source != NULL,
                      .type = matrix->sparse ? OF_F64 : matrix->type,
                      .sample_step = samples_are_rows ? matrix->row_step : matrix->column_step,
                      .column_step = samples_are_rows ? matrix->column_step : matrix->row_step};
    const char *const *names = samples_are_rows ? matrix->column_names : matrix->row_names;
    if (names && !kernel)
        OF_TRY(of_dataset_names_copy(&dataset->arena, view->columns, names, &view->column_names));
    if (matrix->sparse)
        OF_TRY(sparse_to_view(dataset, matrix, samples_are_rows, view));
    else
        matrix->top->kept = 1;
    const void *lies[] = {view->data, view->sparse.index, view->sparse.value};
    for (int i = 0; i < 3; i++)
        if (lies[i] && lies_in_contents(matrix->file, lies[i]))
            matrix->file->contents_kept = 1;
    matrix->file->contents_kept |= matrix->source != NULL;
    return ONEFOLD_OK;
}

/* ---- triplets ----------------------------------------------------------------------------- */

static double get(const of_matrix *matrix, size_t row, size_t column)
{
    of_array array = {matrix->data, matrix->type, 0};
    return of_array_get(&array, row * matrix->row_step + column * matrix->column_step);
}

/* The largest whole number in a column of them from 1; 0 if they are not all that. */
static size_t largest_place(const of_matrix *matrix, size_t column)
{
    double largest = 0;
    for (size_t r = 0; r < matrix->rows; r++) {
        double place = get(matrix, r, column);
        if (!(place >= 1) || place > UINT32_MAX || place != floor(place))
            return 0;
        largest = fmax(largest, place);
    }
    return (size_t)largest;
}

int of_triplets_are(const of_matrix *matrix, size_t count, size_t *samples)
{
    size_t most = 0;
    for (size_t m = 0; m < count; m++) {
        if (matrix[m].sparse || matrix[m].columns != 3 || matrix[m].rows <= 3)
            return 0;
        size_t last = largest_place(&matrix[m], 0);
        if (last == 0 || largest_place(&matrix[m], 1) == 0 || (*samples && last > *samples) ||
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
        sample[e] = (uint32_t)(get(matrix, e, 0) - 1);
        place[e] = (uint32_t)(get(matrix, e, 1) - 1);
        value[e] = get(matrix, e, 2);
    }
    *view = (of_view){.name = name,
                      .storage = OF_SPARSE,
                      .samples = dataset->samples,
                      .columns = largest_place(matrix, 1),
                      .type = OF_F64};
    of_sparse made;
    OF_TRY(of_build_coordinates(&dataset->arena, view->samples, view->columns, matrix->rows, sample,
                                place, value, &made));
    view->sparse = of_csr_of(&made);
    return ONEFOLD_OK;
}
