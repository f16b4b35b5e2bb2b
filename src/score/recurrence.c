/* SPDX-License-Identifier: Apache-2.0 */
/* One dense table of counts gives them all. */
#include "score/recurrence.h"

#include "base/team.h"
#include "score/score.h"

#include <math.h>

typedef struct counts {
    size_t rows, columns, samples;
    size_t *cell, *row_sum, *column_sum; /* cell: columns beside each other */
} counts;

/* Samples counted by one thread at a time. */
enum { PIECE = 1 << 16 };

typedef struct count_task {
    size_t samples, columns, cells;
    const int32_t *first, *second;
    size_t *cell; /* per worker */
} count_task;

static onefold_status count_piece(void *opaque, size_t piece, int worker)
{
    const count_task *task = opaque;
    size_t begin = piece * PIECE, left = task->samples - begin,
           end = begin + (left < PIECE ? left : PIECE);
    size_t *cell = task->cell + (size_t)worker * task->cells;
    for (size_t j = begin; j < end; j++)
        if (task->first[j] >= 0 && task->second[j] >= 0)
            cell[(size_t)task->first[j] * task->columns + (size_t)task->second[j]]++;
    return ONEFOLD_OK;
}

static onefold_status count_labels(of_arena *arena, counts *table, const int32_t *first,
                                   const int32_t *second, size_t samples)
{
    of_context *context = arena->context;
    count_task task = {.samples = samples,
                       .columns = table->columns,
                       .cells = table->rows * table->columns,
                       .first = first,
                       .second = second};
    size_t workers = samples > PIECE && task.cells <= PIECE ? (size_t)of_team_size(context) : 1;
    OF_TRY(OF_NEW_ZERO(arena, &task.cell, task.cells, workers));
    OF_TRY(OF_NEW_ZERO(arena, &table->row_sum, table->rows, 1));
    OF_TRY(OF_NEW_ZERO(arena, &table->column_sum, table->columns, 1));
    if (workers == 1)
        for (size_t piece = 0; piece * PIECE < samples; piece++)
            OF_TRY(count_piece(&task, piece, 0));
    else
        OF_TRY(of_team_run(context, (samples + PIECE - 1) / PIECE, count_piece, &task));
    table->cell = task.cell;
    for (size_t e = 0; e < task.cells; e++) {
        for (size_t w = 1; w < workers; w++)
            task.cell[e] += task.cell[w * task.cells + e];
        table->row_sum[e / table->columns] += task.cell[e];
        table->column_sum[e % table->columns] += task.cell[e];
        table->samples += task.cell[e];
    }
    return ONEFOLD_OK;
}

static double pairs_within(const size_t *count, size_t cells)
{
    double total = 0;
    for (size_t i = 0; i < cells; i++)
        total += of_pairs(count[i]);
    return total;
}

static double rand_index(const counts *table)
{
    return of_adjusted_rand(pairs_within(table->cell, table->rows * table->columns),
                            pairs_within(table->row_sum, table->rows),
                            pairs_within(table->column_sum, table->columns),
                            of_pairs(table->samples));
}

static double entropy(const size_t *count, size_t cells, size_t samples)
{
    double total = 0;
    for (size_t i = 0; i < cells; i++) {
        double share = (double)count[i] / (double)samples;
        total -= share > 0 ? share * log(share) : 0;
    }
    return total;
}

static double information(const counts *table)
{
    if (!table->samples)
        return 0;
    double of_first = entropy(table->row_sum, table->rows, table->samples),
           of_second = entropy(table->column_sum, table->columns, table->samples),
           of_both = entropy(table->cell, table->rows * table->columns, table->samples),
           larger = fmax(of_first, of_second);
    if (!(larger > 0))
        return 1; /* both one cluster */
    return fmin(fmax((of_first + of_second - of_both) / larger, 0), 1);
}

static double best_overlap(const counts *table, size_t row)
{
    double best = table->row_sum[row] ? 0 : NAN;
    for (size_t b = 0; b < table->columns; b++) {
        size_t shared = table->cell[row * table->columns + b],
               either = table->row_sum[row] + table->column_sum[b] - shared;
        if (shared)
            best = fmax(best, (double)shared / (double)either);
    }
    return best;
}

onefold_status of_recurrence(of_context *context, const int32_t *first, size_t first_clusters,
                             const int32_t *second, size_t second_clusters, size_t samples,
                             double *ari, double *nmi, double *jaccard)
{
    OF_SCRATCH(scratch, context);
    counts table = {.rows = first_clusters, .columns = second_clusters};
    OF_TRY(count_labels(&scratch, &table, first, second, samples));
    if (ari)
        *ari = rand_index(&table);
    if (nmi)
        *nmi = information(&table);
    for (size_t a = 0; jaccard && a < first_clusters; a++)
        jaccard[a] = best_overlap(&table, a);
    return ONEFOLD_OK;
}
