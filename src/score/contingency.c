/* SPDX-License-Identifier: Apache-2.0 */
/* The contingency table by counting: two passes of a counting sort bring equal cells together. */
#include "score/contingency.h"

#include <stdlib.h>
#include <string.h>

static int compare_labels(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* number[i] = how many distinct labels are below labels[i], by sorting. */
static onefold_status number_sorted(of_context *context, size_t *number, size_t *distinct,
                                    const int64_t *labels, size_t samples)
{
    OF_SCRATCH(scratch, context);
    int64_t *sorted;
    size_t count = 0;
    OF_TRY(OF_NEW(&scratch, &sorted, samples, 1));
    memcpy(sorted, labels, samples * sizeof *sorted);
    qsort(sorted, samples, sizeof *sorted, compare_labels);
    for (size_t i = 0; i < samples; i++)
        if (i == 0 || sorted[i] != sorted[count - 1])
            sorted[count++] = sorted[i];
    for (size_t i = 0; i < samples; i++) {
        int64_t *at = bsearch(&labels[i], sorted, count, sizeof *sorted, compare_labels);
        number[i] = (size_t)(at - sorted);
    }
    *distinct = count;
    return ONEFOLD_OK;
}

/* The same for labels from `low` to `low + range`, by a table of the range. */
static onefold_status number_ranged(of_context *context, size_t *number, size_t *distinct,
                                    const int64_t *labels, size_t samples, int64_t low,
                                    uint64_t range)
{
    OF_SCRATCH(scratch, context);
    size_t *place, count = 0;
    OF_TRY(OF_NEW_ZERO(&scratch, &place, (size_t)range + 1, 1));
    for (size_t i = 0; i < samples; i++)
        place[(uint64_t)labels[i] - (uint64_t)low] = 1;
    for (size_t l = 0; l <= range; l++) {
        size_t used = place[l];
        place[l] = count;
        count += used;
    }
    for (size_t i = 0; i < samples; i++)
        number[i] = place[(uint64_t)labels[i] - (uint64_t)low];
    *distinct = count;
    return ONEFOLD_OK;
}

static onefold_status number_labels(of_context *context, size_t *number, size_t *distinct,
                                    const int64_t *labels, size_t samples)
{
    int64_t low = labels[0], high = labels[0];
    for (size_t i = 1; i < samples; i++) {
        low = labels[i] < low ? labels[i] : low;
        high = labels[i] > high ? labels[i] : high;
    }
    uint64_t range = (uint64_t)high - (uint64_t)low;
    if (range / 4 <= samples)
        return number_ranged(context, number, distinct, labels, samples, low, range);
    return number_sorted(context, number, distinct, labels, samples);
}

/* order = the positions 0 .. samples-1 of `before` in rising order of number, those of one number
 * as they were; sum[k] counts number k. */
static onefold_status sort_by(of_context *context, size_t *order, const size_t *before,
                              const size_t *number, size_t samples, size_t *sum, size_t distinct)
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

onefold_status of_contingency_make(of_arena *arena, of_contingency *table, const int64_t *labels,
                                   const int64_t *truth, size_t samples)
{
    of_context *context = arena->context;
    OF_SCRATCH(scratch, context);
    size_t *row, *column, *by_column, *order, *row_sum, *column_sum, rows, columns;
    if (samples == 0)
        return of_fail(ONEFOLD_BAD_DATA, "there are no labels to compare");
    OF_TRY(OF_NEW(&scratch, &row, samples, 1));
    OF_TRY(OF_NEW(&scratch, &column, samples, 1));
    OF_TRY(OF_NEW(&scratch, &by_column, samples, 1));
    OF_TRY(OF_NEW(&scratch, &order, samples, 1));
    OF_TRY(number_labels(context, row, &rows, labels, samples));
    OF_TRY(number_labels(context, column, &columns, truth, samples));
    OF_TRY(OF_NEW(arena, &row_sum, rows, 1));
    OF_TRY(OF_NEW(arena, &column_sum, columns, 1));
    OF_TRY(sort_by(context, by_column, NULL, column, samples, column_sum, columns));
    OF_TRY(sort_by(context, order, by_column, row, samples, row_sum, rows));

    size_t cells = 0, *start, *cell_column, *cell_count;
    for (size_t i = 0; i < samples; i++)
        cells += i == 0 || row[order[i]] != row[order[i - 1]] ||
                 column[order[i]] != column[order[i - 1]];
    OF_TRY(OF_NEW(arena, &start, rows + 1, 1));
    OF_TRY(OF_NEW(arena, &cell_column, cells, 1));
    OF_TRY(OF_NEW_ZERO(arena, &cell_count, cells, 1));
    size_t cell = 0;
    for (size_t i = 0; i < samples; i++) {
        int new_row = i == 0 || row[order[i]] != row[order[i - 1]];
        cell += i > 0 && (new_row || column[order[i]] != column[order[i - 1]]);
        if (new_row)
            start[row[order[i]]] = cell;
        cell_column[cell] = column[order[i]];
        cell_count[cell]++;
    }
    start[rows] = cells;
    *table = (of_contingency){samples,    rows,  columns,     row_sum,
                              column_sum, start, cell_column, cell_count};
    return ONEFOLD_OK;
}
