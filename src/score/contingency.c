/* SPDX-License-Identifier: Apache-2.0 */
/* The contingency table by counting: in a whole table where that is no longer than the labels are
 * many, else two passes of a counting sort bring equal cells together. */
#include "score/contingency.h"

#include "base/distinct.h"

#include <string.h>

/* order = the positions 0 .. samples-1 of `before` in rising order of number, those of one number
 * as they were; sum[k] counts number k. */
static onefold_status sort_by(of_context *context, size_t *order, const size_t *before,
                              const int32_t *number, size_t samples, size_t *sum, size_t distinct)
{
    OF_SCRATCH(scratch, context);
    size_t *next, total = 0;
    OF_TRY(OF_NEW(&scratch, &next, distinct, 1));
    memset(sum, 0, distinct * sizeof *sum);
    for (size_t i = 0; i < samples; i++)
        sum[number[i]]++;
    for (size_t k = 0; k < distinct; k++) {
        next[k] = total;
        total += sum[k];
    }
    for (size_t i = 0; i < samples; i++) {
        size_t sample = before ? before[i] : i;
        order[next[number[sample]]++] = sample;
    }
    return ONEFOLD_OK;
}

/* Cells that some sample is in, row by row, from a whole table. */
static onefold_status pick_cells(of_arena *arena, of_contingency *table, const size_t *whole)
{
    size_t cells = 0, *start, *cell_column, *cell_count;
    for (size_t e = 0; e < table->rows * table->columns; e++)
        cells += whole[e] > 0;
    OF_TRY(OF_NEW(arena, &start, table->rows + 1, 1));
    OF_TRY(OF_NEW(arena, &cell_column, cells, 1));
    OF_TRY(OF_NEW(arena, &cell_count, cells, 1));
    cells = 0;
    for (size_t e = 0; e < table->rows * table->columns; e++) {
        if (e % table->columns == 0)
            start[e / table->columns] = cells;
        if (whole[e]) {
            cell_column[cells] = e % table->columns;
            cell_count[cells++] = whole[e];
        }
    }
    start[table->rows] = cells;
    table->start = start;
    table->column = cell_column;
    table->count = cell_count;
    return ONEFOLD_OK;
}

static onefold_status count_whole(of_arena *arena, of_contingency *table, const int32_t *row,
                                  const int32_t *column)
{
    OF_SCRATCH(scratch, arena->context);
    size_t *whole, *row_sum, *column_sum;
    OF_TRY(OF_NEW_ZERO(&scratch, &whole, table->rows, table->columns));
    OF_TRY(OF_NEW_ZERO(arena, &row_sum, table->rows, 1));
    OF_TRY(OF_NEW_ZERO(arena, &column_sum, table->columns, 1));
    for (size_t i = 0; i < table->samples; i++)
        whole[(size_t)row[i] * table->columns + (size_t)column[i]]++;
    for (size_t e = 0; e < table->rows * table->columns; e++) {
        row_sum[e / table->columns] += whole[e];
        column_sum[e % table->columns] += whole[e];
    }
    table->row_sum = row_sum;
    table->column_sum = column_sum;
    return pick_cells(arena, table, whole);
}

static onefold_status count_sorted(of_arena *arena, of_contingency *table, const int32_t *row,
                                   const int32_t *column)
{
    of_context *context = arena->context;
    OF_SCRATCH(scratch, context);
    size_t samples = table->samples, cells = 0, *by_column, *order, *row_sum, *column_sum, *start,
           *cell_column, *cell_count;
    OF_TRY(OF_NEW(&scratch, &by_column, samples, 1));
    OF_TRY(OF_NEW(&scratch, &order, samples, 1));
    OF_TRY(OF_NEW(arena, &row_sum, table->rows, 1));
    OF_TRY(OF_NEW(arena, &column_sum, table->columns, 1));
    OF_TRY(sort_by(context, by_column, NULL, column, samples, column_sum, table->columns));
    OF_TRY(sort_by(context, order, by_column, row, samples, row_sum, table->rows));
    for (size_t i = 0; i < samples; i++)
        cells += i == 0 || row[order[i]] != row[order[i - 1]] ||
                 column[order[i]] != column[order[i - 1]];
    OF_TRY(OF_NEW(arena, &start, table->rows + 1, 1));
    OF_TRY(OF_NEW(arena, &cell_column, cells, 1));
    OF_TRY(OF_NEW_ZERO(arena, &cell_count, cells, 1));
    size_t cell = 0;
    for (size_t i = 0; i < samples; i++) {
        int new_row = i == 0 || row[order[i]] != row[order[i - 1]];
        cell += i > 0 && (new_row || column[order[i]] != column[order[i - 1]]);
        if (new_row)
            start[row[order[i]]] = cell;
        cell_column[cell] = (size_t)column[order[i]];
        cell_count[cell]++;
    }
    start[table->rows] = cells;
    *table = (of_contingency){samples,    table->rows, table->columns, row_sum,
                              column_sum, start,       cell_column,    cell_count};
    return ONEFOLD_OK;
}

onefold_status of_contingency_make(of_arena *arena, of_contingency *table, const int64_t *labels,
                                   const int64_t *truth, size_t samples)
{
    OF_SCRATCH(scratch, arena->context);
    int32_t *row, *column;
    int64_t *distinct;
    of_contingency made = {.samples = samples};
    if (samples == 0)
        return of_fail(ONEFOLD_BAD_DATA, "there are no labels to compare");
    OF_TRY(OF_NEW(&scratch, &row, samples, 1));
    OF_TRY(OF_NEW(&scratch, &column, samples, 1));
    OF_TRY(of_distinct(&scratch, labels, samples, &distinct, &made.rows, row));
    OF_TRY(of_distinct(&scratch, truth, samples, &distinct, &made.columns, column));
    if (made.rows <= samples / made.columns)
        OF_TRY(count_whole(arena, &made, row, column));
    else
        OF_TRY(count_sorted(arena, &made, row, column));
    *table = made;
    return ONEFOLD_OK;
}
