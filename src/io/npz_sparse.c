/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SciPy's sparse matrices: arrays of an .npz that are the parts of one matrix ("data", "indices",
 * "indptr", "format", "shape"), or of several, each with its name before its parts ("X1.data",
 * ...).
 */
#include "io/build.h"
#include "io/file.h"

#include <math.h>
#include <string.h>

/* The parts of one matrix: their file, and what stands before their names. */
typedef struct parts {
    of_file *file;
    const char *before; /* "X1.", or "" */
    size_t length;
} parts;

static of_top *part(const parts *of, const char *name)
{
    for (size_t t = 0; t < of->file->count; t++) {
        const char *full = of->file->top[t].variable.name;
        if (full && strncmp(full, of->before, of->length) == 0 &&
            strcmp(full + of->length, name) == 0)
            return &of->file->top[t];
    }
    return NULL;
}

static int is_list(const of_top *top)
{
    return top && of_variable_is_dense(&top->variable) && top->variable.matrix.columns == 1 &&
           top->variable.pages == 1;
}

/* A list of numbers; one that is empty counts too, as a matrix of zeros has it. */
static int as_array(const of_top *top, of_array *array)
{
    *array = (of_array){.type = OF_F64};
    if (!top)
        return 0;
    if (top->variable.kind == OF_VARIABLE_OTHER && strcmp(top->variable.what, "empty") == 0)
        return 1;
    if (!is_list(top))
        return 0;
    const of_matrix *list = &top->variable.matrix;
    *array = (of_array){list->data, list->type, list->rows, list->owner};
    return 1;
}

static onefold_status read_shape(const of_top *shape, size_t *rows, size_t *columns)
{
    of_array sides;
    if (!as_array(shape, &sides) || sides.count != 2)
        return of_fail(ONEFOLD_BAD_DATA,
                       "the shape of the sparse matrix does not have two dimensions");
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
        if (!(place >= 0) || place >= (double)side || place != floor(place))
            return of_fail(ONEFOLD_BAD_DATA, "entry %zu of the sparse matrix lies outside it",
                           e + 1);
        (*places)[e] = (uint32_t)place;
    }
    return ONEFOLD_OK;
}

static onefold_status from_coordinates(const parts *of, of_top *made, of_array *value)
{
    OF_SCRATCH(scratch, of->file->context);
    of_variable *variable = &made->variable;
    of_array row, column;
    uint32_t *rows, *columns;
    double *values;
    if (!as_array(part(of, "row"), &row) || !as_array(part(of, "col"), &column) ||
        row.count != value->count || column.count != value->count)
        return of_fail(ONEFOLD_BAD_DATA, "the parts of the sparse matrix do not fit together");
    OF_TRY(copy_places(&scratch, &row, variable->matrix.rows, &rows));
    OF_TRY(copy_places(&scratch, &column, variable->matrix.columns, &columns));
    OF_TRY(OF_NEW(&scratch, &values, value->count, 1));
    for (size_t e = 0; e < value->count; e++)
        values[e] = of_array_get(value, e);
    return of_build_coordinates(&made->store->arena, variable->matrix.rows,
                                variable->matrix.columns, value->count, rows, columns, values,
                                &variable->matrix.sparse);
}

static onefold_status from_lines(const parts *of, of_top *made, of_array *value)
{
    of_variable *variable = &made->variable;
    of_array start, index;
    if (!as_array(part(of, "indptr"), &start) || !as_array(part(of, "indices"), &index))
        return of_fail(ONEFOLD_BAD_DATA, "the parts of the sparse matrix do not fit together");
    const of_matrix *matrix = &variable->matrix;
    size_t lines = matrix->by_column ? matrix->columns : matrix->rows;
    size_t width = matrix->by_column ? matrix->rows : matrix->columns;
    return of_build_sparse(made->store, lines, width, &start, &index, value,
                           &variable->matrix.sparse);
}

/* Makes the matrix in `made`, which is in no list yet; its parts lose their names. */
static onefold_status join(const parts *of, of_top *made)
{
    static const char *const names[] = {"data", "indices", "indptr", "row",
                                        "col",  "format",  "shape",  "_is_array"};
    const char *how = part(of, "format")->variable.text[0];
    int by_row = strcmp(how, "csr") == 0, coordinates = strcmp(how, "coo") == 0;
    if (!by_row && !coordinates && strcmp(how, "csc") != 0)
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "a sparse matrix in %s form is not read", how),
                       "save it in csr, csc or coo form");
    of_array value;
    made->variable.matrix.storage = OF_SPARSE;
    made->variable.matrix.owner = made->store;
    made->variable.pages = 1;
    made->variable.matrix.by_column = !by_row && !coordinates;
    OF_TRY(
        read_shape(part(of, "shape"), &made->variable.matrix.rows, &made->variable.matrix.columns));
    if (!as_array(part(of, "data"), &value))
        return of_fail(ONEFOLD_BAD_DATA, "the parts of the sparse matrix do not fit together");
    OF_TRY(coordinates ? from_coordinates(of, made, &value) : from_lines(of, made, &value));
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        of_top *used = part(of, names[n]);
        if (used)
            used->variable.name = NULL;
    }
    return ONEFOLD_OK;
}

/* Whether a variable is the text that says how a sparse matrix is saved, and of which one. */
static int is_format(of_file *file, const of_variable *variable, parts *of)
{
    static const char word[] = "format";
    size_t length = variable->name ? strlen(variable->name) : 0, tail = sizeof word - 1;
    if (length < tail || strcmp(variable->name + length - tail, word) != 0 ||
        variable->kind != OF_VARIABLE_TEXT)
        return 0;
    *of = (parts){file, variable->name, length - tail};
    if (of->length > 0 && of->before[of->length - 1] != '.')
        return 0;
    const of_top *first = part(of, word); /* there may be others of that name */
    return first && &first->variable == variable && variable->count > 0 && part(of, "shape") &&
           part(of, "data");
}

onefold_status of_npz_find_sparse(of_file *file)
{
    for (size_t t = 0; t < file->count; t++) {
        parts of;
        if (!is_format(file, &file->top[t].variable, &of))
            continue;
        char *name;
        of_top made = {.variable.kind = OF_VARIABLE_MATRIX};
        if (of.length == 0)
            OF_TRY(of_arena_string(&file->arena, &name, "%s", file->stem));
        else
            OF_TRY(of_arena_string(&file->arena, &name, "%.*s", (int)of.length - 1, of.before));
        made.variable.name = name;
        OF_TRY(of_owner_make(&made.store, file->context));
        onefold_status status = join(&of, &made);
        of_owner_release(file->top[t].store); /* that of the text, which nothing points to */
        file->top[t].store = made.store;
        if (status != ONEFOLD_OK)
            return of.length ? of_blame(status, "%s", name) : status;
        file->top[t].variable = made.variable;
    }
    size_t kept = 0; /* what has lost its name has become part of a matrix */
    for (size_t t = 0; t < file->count; t++)
        if (file->top[t].variable.name)
            file->top[kept++] = file->top[t];
        else
            of_owner_release(file->top[t].store); /* the matrix holds it where it points into it */
    file->count = kept;
    return ONEFOLD_OK;
}
