/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse matrices from arrays of any type, of a file or of a caller: checked and sorted. */
#include "base/mapped.h"
#include "data/view.h"

#include <math.h>

/* The starts as size_t. They must rise from 0 to at most `entries`. */
static onefold_status copy_starts(of_arena *arena, size_t lines, const of_array *from,
                                  size_t entries, size_t **starts)
{
    if (from->count < lines || from->count - lines < 1)
        return of_fail(ONEFOLD_BAD_DATA, "a sparse matrix of %zu lines has only %zu starts", lines,
                       from->count);
    OF_TRY(OF_NEW(arena, starts, lines + 1, 1));
    size_t before = 0;
    for (size_t j = 0; j <= lines; j++) {
        double start = of_array_get(from, j);
        if (!(start >= (double)before) || start > (double)entries || (j == 0 && start != 0))
            return of_fail(ONEFOLD_BAD_DATA,
                           "the starts of a sparse matrix must rise from 0, and line %zu starts at "
                           "%g of %zu entries",
                           j + 1, start, entries);
        (*starts)[j] = before = (size_t)start;
    }
    return ONEFOLD_OK;
}

/* Borrows 32-bit indices, and copies others. Those in a mapped file are copied too, as the file may
 * change after they are checked. */
static onefold_status use_indices(of_arena *arena, const of_array *from, size_t entries,
                                  size_t width, int copy, const uint32_t **indices)
{
    uint32_t *own;
    *indices = from->data;
    if (copy || (from->type != OF_I32 && from->type != OF_U32) || of_mapped_holds(from->data)) {
        OF_TRY(OF_NEW(arena, &own, entries, 1));
        for (size_t e = 0; e < entries; e++) {
            double index = of_array_get(from, e);
            int is_place = index >= 0 && index < (double)width && index == floor(index);
            own[e] = is_place ? (uint32_t)index : UINT32_MAX;
        }
        *indices = own;
    }
    for (size_t e = 0; e < entries; e++)
        if ((*indices)[e] >= width)
            return of_fail(ONEFOLD_BAD_DATA,
                           "entry %zu of a sparse matrix lies outside its %zu places", e + 1,
                           width);
    return ONEFOLD_OK;
}

/* Borrows doubles, and copies others. */
static onefold_status use_values(of_arena *arena, const of_array *from, size_t entries, int copy,
                                 const double **values)
{
    double *own;
    *values = from->data;
    if (from->type == OF_F64 && !copy)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(arena, &own, entries, 1));
    for (size_t e = 0; e < entries; e++)
        own[e] = of_array_get(from, e);
    *values = own;
    return ONEFOLD_OK;
}

static int is_sorted(const of_sparse *sparse)
{
    for (size_t j = 0; j < sparse->rows; j++)
        for (size_t e = sparse->start[j] + 1; e < sparse->start[j + 1]; e++)
            if (sparse->index[e] <= sparse->index[e - 1])
                return 0;
    return 1;
}

/* Adds neighbouring entries of the same place. */
static void merge_repeated(of_sparse *sparse, size_t *start, uint32_t *index, double *value)
{
    size_t kept = 0, first = 0;
    for (size_t j = 0; j < sparse->rows; j++) {
        size_t line = kept, end = start[j + 1];
        for (size_t e = first; e < end; e++) {
            if (kept > line && index[kept - 1] == index[e]) {
                value[kept - 1] += value[e];
            } else {
                index[kept] = index[e];
                value[kept++] = value[e];
            }
        }
        first = end;
        start[j + 1] = kept;
    }
}

/* The arena adopts the arrays in `scratch` if lines are sorted. Otherwise two transpositions sort
 * them, in time linear in the entries. */
static onefold_status sort_lines(of_arena *arena, of_arena *scratch, of_sparse *sparse)
{
    of_sparse transposed, sorted;
    if (is_sorted(sparse)) {
        of_arena_adopt(arena, scratch);
        return ONEFOLD_OK;
    }
    OF_TRY(of_sparse_transpose(scratch, sparse, &transposed));
    OF_TRY(of_sparse_transpose(arena, &transposed, &sorted));
    merge_repeated(&sorted, (size_t *)sorted.start, (uint32_t *)sorted.index,
                   (double *)sorted.value);
    *sparse = sorted;
    return ONEFOLD_OK;
}

onefold_status of_matrix_compressed(of_arena *arena, size_t lines, size_t width,
                                    const of_array *start, const of_array *index,
                                    const of_array *value, int copy, of_sparse *made)
{
    OF_SCRATCH(passing, arena->context);
    size_t *starts, most = index->count < value->count ? index->count : value->count;
    *made = (of_sparse){.rows = lines, .columns = width};
    OF_TRY(copy_starts(&passing, lines, start, most, &starts));
    made->start = starts;
    OF_TRY(use_indices(&passing, index, starts[lines], width, copy, &made->index));
    OF_TRY(use_values(&passing, value, starts[lines], copy, &made->value));
    return sort_lines(arena, &passing, made);
}

onefold_status of_matrix_coordinates(of_arena *arena, size_t rows, size_t columns,
                                     const of_array *row, const of_array *column,
                                     const of_array *value, of_sparse *made)
{
    OF_SCRATCH(scratch, arena->context);
    OF_SCRATCH(passing, arena->context);
    size_t entries = value->count;
    const uint32_t *line, *place;
    const double *from;
    of_entries to;
    OF_TRY(use_indices(&scratch, row, entries, rows, 0, &line));
    OF_TRY(use_indices(&scratch, column, entries, columns, 0, &place));
    OF_TRY(use_values(&scratch, value, entries, 0, &from));
    OF_TRY(OF_NEW_ZERO(&passing, &to.start, rows + 2, 1));
    OF_TRY(OF_NEW(&passing, &to.index, entries, 1));
    OF_TRY(OF_NEW(&passing, &to.value, entries, 1));
    for (size_t e = 0; e < entries; e++)
        to.start[(size_t)line[e] + 2]++;
    for (size_t j = 0; j < rows; j++)
        to.start[j + 2] += to.start[j + 1];
    /* as in a transposition: start[j + 1] is the place of the next entry of line j */
    for (size_t e = 0; e < entries; e++) {
        size_t at = to.start[(size_t)line[e] + 1]++;
        to.index[at] = place[e];
        to.value[at] = from[e];
    }
    *made = (of_sparse){rows, columns, to.start, to.index, to.value};
    return sort_lines(arena, &passing, made);
}
