/* SPDX-License-Identifier: Apache-2.0 */
/* SciPy's sparse matrices: an .npz whose arrays are the parts of one matrix. */
#include "io/build.h"
#include "io/file.h"

#include <string.h>

static of_top *part(of_file *file, const char *name)
{
    for (size_t t = 0; t < file->count; t++)
        if (strcmp(file->top[t].variable.name, name) == 0)
            return &file->top[t];
    return NULL;
}

static int is_list(const of_top *top)
{
    return top && top->variable.kind == OF_VARIABLE_DENSE && top->variable.columns == 1 &&
           top->variable.pages == 1;
}

/* A list of numbers; one that is empty counts too, as a matrix of zeros has it. */
static int as_array(const of_top *top, of_array *array)
{
    *array = (of_array){NULL, OF_F64, 0};
    if (!top)
        return 0;
    if (top->variable.kind == OF_VARIABLE_OTHER && strcmp(top->variable.what, "empty") == 0)
        return 1;
    if (!is_list(top))
        return 0;
    *array = (of_array){top->variable.data, top->variable.type, top->variable.rows};
    return 1;
}

static onefold_status read_shape(const of_top *shape, size_t *rows, size_t *columns)
{
    of_array sides;
    if (!as_array(shape, &sides) || sides.count != 2)
        return of_fail(ONEFOLD_BAD_DATA, "the shape of the sparse matrix has no two sides");
    double side[2] = {of_array_get(&sides, 0), of_array_get(&sides, 1)};
    for (int s = 0; s < 2; s++)
        if (!(side[s] >= 1) || side[s] > UINT32_MAX)
            return of_fail(ONEFOLD_BAD_DATA, "the sparse matrix has a side of %g", side[s]);
    *rows = (size_t)side[0];
    *columns = (size_t)side[1];
    return ONEFOLD_OK;
}

/* Places of entries as 32-bit numbers within a side. */
static onefold_status copy_places(of_arena *arena, const of_array *from, size_t side,
                                  uint32_t **places)
{
    OF_TRY(OF_NEW(arena, places, from->count, 1));
    for (size_t e = 0; e < from->count; e++) {
        double place = of_array_get(from, e);
        if (!(place >= 0) || place >= (double)side)
            return of_fail(ONEFOLD_BAD_DATA, "entry %zu of the sparse matrix lies outside it",
                           e + 1);
        (*places)[e] = (uint32_t)place;
    }
    return ONEFOLD_OK;
}

static onefold_status from_coordinates(of_file *file, of_top *made, of_array *value)
{
    OF_SCRATCH(scratch, file->context);
    of_variable *variable = &made->variable;
    of_array row, column;
    uint32_t *rows, *columns;
    double *values;
    if (!as_array(part(file, "row"), &row) || !as_array(part(file, "col"), &column) ||
        row.count != value->count || column.count != value->count)
        return of_fail(ONEFOLD_BAD_DATA, "the parts of the sparse matrix do not fit together");
    OF_TRY(copy_places(&scratch, &row, variable->rows, &rows));
    OF_TRY(copy_places(&scratch, &column, variable->columns, &columns));
    OF_TRY(OF_NEW(&scratch, &values, value->count, 1));
    for (size_t e = 0; e < value->count; e++)
        values[e] = of_array_get(value, e);
    variable->by_row = 1;
    return of_build_coordinates(&made->store, variable->rows, variable->columns, value->count, rows,
                                columns, values, &variable->sparse);
}

static onefold_status from_lines(of_file *file, of_top *made, of_array *value)
{
    of_variable *variable = &made->variable;
    of_array start, index;
    if (!as_array(part(file, "indptr"), &start) || !as_array(part(file, "indices"), &index))
        return of_fail(ONEFOLD_BAD_DATA, "the parts of the sparse matrix do not fit together");
    size_t lines = variable->by_row ? variable->rows : variable->columns;
    size_t width = variable->by_row ? variable->columns : variable->rows;
    return of_build_sparse(&made->store, lines, width, &start, &index, value, &variable->sparse);
}

onefold_status of_npz_find_sparse(of_file *file)
{
    const of_top *format = part(file, "format"), *shape = part(file, "shape");
    if (!format || format->variable.kind != OF_VARIABLE_TEXT || !shape || !part(file, "data"))
        return ONEFOLD_OK;
    const char *how = format->variable.text[0];
    int by_row = strcmp(how, "csr") == 0, coordinates = strcmp(how, "coo") == 0;
    if (!by_row && !coordinates && strcmp(how, "csc") != 0)
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "a sparse matrix in %s form is not read", how),
                       "save it in csr, csc or coo form");
    of_top *made;
    of_array value;
    OF_TRY(of_file_add(file, &made, file->stem));
    made->variable.kind = OF_VARIABLE_SPARSE;
    made->variable.pages = 1;
    made->variable.by_row = by_row;
    OF_TRY(read_shape(part(file, "shape"), &made->variable.rows, &made->variable.columns));
    if (!as_array(part(file, "data"), &value))
        return of_fail(ONEFOLD_BAD_DATA, "the parts of the sparse matrix do not fit together");
    OF_TRY(coordinates ? from_coordinates(file, made, &value) : from_lines(file, made, &value));
    /* The matrix may point into its parts; it is now the file's only variable. */
    for (size_t t = 0; t + 1 < file->count; t++)
        of_arena_adopt(&made->store, &file->top[t].store);
    file->top[0] = *made;
    file->count = 1;
    return ONEFOLD_OK;
}
