/* SPDX-License-Identifier: Apache-2.0 */
/* A view of the samples that are present in it, copied together in the type they are held in. */
#include "data/present.h"

#include <string.h>

/* The numbers of those present, from `arena`, and how many they are. */
static onefold_status list_present(of_arena *arena, const of_dataset *dataset, size_t view,
                                   size_t **which, size_t *count)
{
    OF_TRY(OF_NEW(arena, which, of_present_count(dataset, view), 1));
    *count = 0;
    for (size_t j = 0; j < dataset->samples; j++)
        if (of_present_at(dataset, j, view))
            (*which)[(*count)++] = j;
    return ONEFOLD_OK;
}

/* to[i] = from[which[i] * step], elements of `size` bytes; which NULL: every one. */
static void gather(size_t size, size_t count, const size_t *which, size_t step,
                   const unsigned char *from, unsigned char *to)
{
    if (!which && step == 1)
        memcpy(to, from, count * size);
    else
        for (size_t i = 0; i < count; i++)
            memcpy(to + i * size, from + (which ? which[i] : i) * step * size, size);
}

/* Follows memory: sample by sample, or, where a column is contiguous, column by column. */
static onefold_status compact_dense(of_arena *arena, const of_view *view, const size_t *which,
                                    size_t count, size_t columns, const size_t *column,
                                    of_view *compact)
{
    size_t size = of_type_size(view->type);
    const unsigned char *from = view->data;
    unsigned char *to;
    OF_TRY(of_arena_allocate(arena, (void **)&to, size, count, columns));
    int by_column = view->sample_step == 1 && view->column_step != 1;
    if (by_column)
        for (size_t i = 0; i < columns; i++)
            gather(size, count, which, 1,
                   from + (column ? column[i] : i) * view->column_step * size,
                   to + i * count * size);
    else
        for (size_t j = 0; j < count; j++)
            gather(size, columns, column, view->column_step,
                   from + which[j] * view->sample_step * size, to + j * columns * size);
    compact->data = to;
    compact->sample_step = by_column ? 1 : columns;
    compact->column_step = by_column ? count : 1;
    return ONEFOLD_OK;
}

static size_t count_entries(const of_csr *sparse, const size_t *which, size_t count)
{
    size_t entries = 0;
    for (size_t j = 0; j < count; j++)
        entries += of_csr_start(sparse, which[j] + 1) - of_csr_start(sparse, which[j]);
    return entries;
}

/* `place` says which column a column becomes, SIZE_MAX where it is left out; NULL: itself. */
static onefold_status compact_sparse(of_arena *arena, const of_csr *sparse, const size_t *which,
                                     size_t count, size_t columns, const size_t *place,
                                     of_csr *compact)
{
    size_t *start, kept = 0, entries = count_entries(sparse, which, count);
    uint32_t *index;
    double *value;
    OF_TRY(OF_NEW(arena, &start, count + 1, 1));
    OF_TRY(OF_NEW(arena, &index, entries, 1));
    OF_TRY(OF_NEW(arena, &value, entries, 1));
    for (size_t j = 0; j < count; j++) {
        start[j] = kept;
        size_t end = of_csr_start(sparse, which[j] + 1);
        for (size_t e = of_csr_start(sparse, which[j]); e < end; e++) {
            uint32_t column = of_csr_index(sparse, e);
            size_t at = place ? place[column] : column;
            if (at == SIZE_MAX)
                continue;
            index[kept] = (uint32_t)at;
            value[kept++] = of_csr_value(sparse, e);
        }
    }
    start[count] = kept;
    *compact = of_csr_of(&(of_sparse){count, columns, start, index, value});
    return ONEFOLD_OK;
}

static onefold_status places(of_arena *arena, size_t columns, const size_t *which, size_t count,
                             size_t **place)
{
    OF_TRY(OF_NEW(arena, place, columns, 1));
    for (size_t i = 0; i < columns; i++)
        (*place)[i] = SIZE_MAX;
    for (size_t j = 0; j < count; j++)
        (*place)[which[j]] = j;
    return ONEFOLD_OK;
}

onefold_status of_present_view(of_arena *arena, const of_dataset *dataset, size_t view, int square,
                               const of_view **compact)
{
    const of_view *whole = &dataset->views[view];
    *compact = whole;
    if (of_present_missing(dataset, view) == 0)
        return ONEFOLD_OK;
    OF_SCRATCH(scratch, arena->context);
    size_t *which, *place = NULL, count;
    of_view *made;
    OF_TRY(list_present(&scratch, dataset, view, &which, &count));
    OF_TRY(OF_NEW(arena, &made, 1, 1));
    square = square && whole->samples == whole->columns;
    *made = *whole;
    made->samples = count;
    made->columns = square ? count : whole->columns;
    if (square)
        made->column_names = NULL;
    if (whole->storage == OF_SPARSE) {
        if (square)
            OF_TRY(places(&scratch, whole->columns, which, count, &place));
        OF_TRY(compact_sparse(arena, &whole->sparse, which, count, made->columns, place,
                              &made->sparse));
    } else {
        OF_TRY(
            compact_dense(arena, whole, which, count, made->columns, square ? which : NULL, made));
    }
    *compact = made;
    return ONEFOLD_OK;
}
