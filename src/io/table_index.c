/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the rows of a table of text are: cut at ends of lines near every so many bytes, with the
 * rows before each piece, so that any number of threads makes the same matrix of it and any rows
 * can be read without those before.
 */
#include "io/table.h"

#include "base/team.h"
#include "data/view.h"

#include <string.h>

enum { AT_ONCE = 64 }; /* pieces that are cut and counted before any is released */

typedef struct count_task {
    of_table_index *index;
    size_t first;
} count_task;

/* Where a piece starts: behind the first end of a line from `near` on, if that is not before where
 * the last one starts. */
static const char *start_near(const char *near, const char *last, const char *end)
{
    if (near < last)
        return last;
    const char *stop = memchr(near, '\n', (size_t)(end - near));
    return stop ? stop + 1 : end;
}

static onefold_status count_piece(void *opaque, size_t number, int worker)
{
    (void)worker;
    const count_task *task = opaque;
    of_table_index *index = task->index;
    size_t p = task->first + number, rows = 0;
    const char *at = index->start[p], *end = index->start[p + 1], *line_end;
    while (of_table_line(&at, end, &line_end))
        rows++;
    index->row[p + 1] = rows;
    return ONEFOLD_OK;
}

onefold_status of_table_index_make(const of_table *table, of_arena *arena, size_t size, int mapped,
                                   of_table_index *index)
{
    const char *begin = table->begin, *end = table->end;
    size = of_context_chunk(arena->context, size);
    size_t pieces = (size_t)(end - begin) / size + 1;
    *index = (of_table_index){.pieces = pieces, .mapped = mapped};
    OF_TRY(OF_NEW(arena, &index->start, pieces + 1, 1));
    OF_TRY(OF_NEW_ZERO(arena, &index->row, pieces + 1, 1));
    index->start[0] = begin;
    for (size_t first = 0; first < pieces; first += AT_ONCE) {
        size_t last = pieces - first < AT_ONCE ? pieces : first + AT_ONCE;
        for (size_t p = first + 1; p <= last; p++)
            index->start[p] =
                p < pieces ? start_near(begin + p * size, index->start[p - 1], end) : end;
        count_task task = {index, first};
        OF_TRY(of_team_run(arena->context, last - first, count_piece, &task));
        if (mapped)
            of_pages_release(index->start[first], index->start[last]);
    }
    for (size_t p = 0; p < pieces; p++)
        index->row[p + 1] += index->row[p];
    return ONEFOLD_OK;
}

size_t of_table_index_piece(const of_table_index *index, size_t row)
{
    size_t low = 0, high = index->pieces;
    while (high - low > 1) { /* row[low] <= row < row[high], or row is past the end */
        size_t middle = low + (high - low) / 2;
        if (index->row[middle] <= row)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void of_table_release(const of_table_index *index, size_t first, size_t count)
{
    if (!index->mapped || !count)
        return;
    size_t last = of_table_index_piece(index, first + count);
    if (first + count >= index->row[index->pieces])
        last = index->pieces;
    of_pages_release(index->start[of_table_index_piece(index, first)], index->start[last]);
}
