/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse matrices from arrays a file holds, with every number in them checked. */
#include "io/build.h"

#include "base/mapped.h"

#include <math.h>
#include <string.h>

/* Sides that the entries there are cannot explain: they are a damaged or hostile header's. */
static onefold_status check_sides(size_t lines, size_t width, size_t entries)
{
    enum { ALWAYS = 1 << 20, PER_ENTRY = 16 };
    size_t longer = lines > width ? lines : width;
    if (longer > UINT32_MAX || (longer > ALWAYS && longer / PER_ENTRY > entries))
        return of_fail(ONEFOLD_BAD_DATA,
                       "a sparse matrix has a side of %zu, and only %zu entries: its header is "
                       "damaged",
                       longer, entries);
    return ONEFOLD_OK;
}

/* Starts as size_t, rising from 0 and ending within the entries there are. */
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
                           "a sparse matrix is damaged: line %zu starts at %g of "
                           "%zu entries",
                           j + 1, start, entries);
        (*starts)[j] = before = (size_t)start;
    }
    return ONEFOLD_OK;
}

/* The indices where they lie if they are 32-bit, or a copy: of those that lie in a file too, which
 * may be written to after they were checked. */
static onefold_status use_indices(of_arena *arena, const of_array *from, size_t entries,
                                  size_t width, const uint32_t **indices)
{
    if ((from->type == OF_I32 || from->type == OF_U32) && !of_mapped_holds(from->data)) {
        *indices = from->data;
    } else {
        uint32_t *copy;
        OF_TRY(OF_NEW(arena, &copy, entries, 1));
        for (size_t e = 0; e < entries; e++) {
            double index = of_array_get(from, e);
            int is_place = index >= 0 && index < (double)width && index == floor(index);
            copy[e] = is_place ? (uint32_t)index : UINT32_MAX;
        }
        *indices = copy;
    }
    for (size_t e = 0; e < entries; e++)
        if ((*indices)[e] >= width)
            return of_fail(ONEFOLD_BAD_DATA,
                           "a sparse matrix is damaged: entry %zu lies outside its %zu places",
                           e + 1, width);
    return ONEFOLD_OK;
}

static onefold_status use_values(of_arena *arena, const of_array *from, size_t entries,
                                 const double **values)
{
    if (from->type == OF_F64) {
        *values = from->data;
        return ONEFOLD_OK;
    }
    double *copy;
    OF_TRY(OF_NEW(arena, &copy, entries, 1));
    for (size_t e = 0; e < entries; e++)
        copy[e] = of_array_get(from, e);
    *values = copy;
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

/* Adds up neighbouring entries of the same place. */
static void merge_twins(of_sparse *sparse, size_t *start, uint32_t *index, double *value)
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

/* Sorts lines by turning the matrix over twice, which is linear in its entries. */
static onefold_status sort_lines(of_arena *arena, of_sparse *sparse)
{
    OF_SCRATCH(scratch, arena->context);
    of_sparse turned, sorted;
    OF_TRY(of_sparse_transpose(&scratch, sparse, &turned));
    OF_TRY(of_sparse_transpose(arena, &turned, &sorted));
    merge_twins(&sorted, (size_t *)sorted.start, (uint32_t *)sorted.index, (double *)sorted.value);
    *sparse = sorted;
    return ONEFOLD_OK;
}

onefold_status of_build_sparse(of_owner *store, size_t lines, size_t width, const of_array *start,
                               const of_array *index, const of_array *value, of_csr *sparse)
{
    size_t most = index->count < value->count ? index->count : value->count, *starts;
    OF_TRY(check_sides(lines, width, most));
    OF_TRY(copy_starts(&store->arena, lines, start, most, &starts));
    of_sparse made = {.rows = lines, .columns = width, .start = starts};
    OF_TRY(use_indices(&store->arena, index, starts[lines], width, &made.index));
    OF_TRY(use_values(&store->arena, value, starts[lines], &made.value));
    if (!is_sorted(&made))
        OF_TRY(sort_lines(&store->arena, &made));
    if (made.index == index->data)
        OF_TRY(of_owner_hold(store, index->owner));
    if (made.value == value->data)
        OF_TRY(of_owner_hold(store, value->owner));
    *sparse = of_csr_of(&made);
    return ONEFOLD_OK;
}

onefold_status of_build_coordinates(of_arena *arena, size_t lines, size_t width, size_t entries,
                                    const uint32_t *line, const uint32_t *place,
                                    const double *number, of_csr *sparse)
{
    size_t *start;
    uint32_t *index;
    double *value;
    OF_TRY(check_sides(lines, width, entries));
    OF_TRY(OF_NEW_ZERO(arena, &start, lines + 2, 1));
    OF_TRY(OF_NEW(arena, &index, entries, 1));
    OF_TRY(OF_NEW(arena, &value, entries, 1));
    for (size_t e = 0; e < entries; e++)
        start[(size_t)line[e] + 2]++;
    for (size_t j = 0; j < lines; j++)
        start[j + 2] += start[j + 1];
    /* as in turning over: start[j + 1] is where line j goes on */
    for (size_t e = 0; e < entries; e++) {
        size_t at = start[(size_t)line[e] + 1]++;
        index[at] = place[e];
        value[at] = number[e];
    }
    of_sparse made = {lines, width, start, index, value};
    if (!is_sorted(&made)) {
        OF_TRY(sort_lines(arena, &made));
        of_arena_release(arena, start);
        of_arena_release(arena, index);
        of_arena_release(arena, value);
    }
    *sparse = of_csr_of(&made);
    return ONEFOLD_OK;
}
