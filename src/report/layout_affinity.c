/* SPDX-License-Identifier: Apache-2.0 */
/* Affinities of t-SNE: a Gaussian per sample, as wide as its perplexity asks, made symmetric. */
#include "base/team.h"
#include "kernel/exp.h"
#include "report/layout.h"

#include <math.h>
#include <string.h>

enum { TILE = 256, HALVINGS = 100 };

typedef struct affinity_task {
    size_t n, count;
    const double *distance; /* count x n */
    double entropy;         /* log of the perplexity */
    double *value;          /* count x n: p_j|i */
} affinity_task;

/* p = exp(-beta (d - d_0)) scaled to sum 1; returns its entropy. */
static double gaussian(size_t count, const double *d, double beta, double *p)
{
    double sum = 0, moment = 0;
    for (size_t k = 0; k < count; k++)
        p[k] = -beta * (d[k] - d[0]);
    of_exp(count, p);
    for (size_t k = 0; k < count; k++) {
        sum += p[k];
        moment += p[k] * (d[k] - d[0]);
    }
    for (size_t k = 0; k < count; k++)
        p[k] /= sum;
    return log(sum) + beta * moment / sum;
}

/* Halves an interval of beta, in units of the mean distance, until the entropy is met. Samples that
 * coincide have no width that meets it: they stay with what comes nearest. */
static void calibrate(const affinity_task *task, size_t i)
{
    const double *d = task->distance + i * task->count;
    double *p = task->value + i * task->count, mean = 0;
    for (size_t k = 0; k < task->count; k++)
        mean += (d[k] - d[0]) / (double)task->count;
    double beta = mean > 0 ? 1 / mean : 0, low = 0, high = INFINITY;
    for (int step = 0; step < HALVINGS; step++) {
        double over = gaussian(task->count, d, beta, p) - task->entropy;
        if (fabs(over) < 1e-10 || mean == 0)
            break;
        if (over > 0)
            low = beta;
        else
            high = beta;
        beta = isinf(high) ? 2 * beta : (low + high) / 2;
    }
}

static onefold_status calibrate_tile(void *opaque, size_t tile, int worker)
{
    affinity_task *task = opaque;
    (void)worker;
    for (size_t i = tile * TILE; i < task->n && i < (tile + 1) * TILE; i++)
        calibrate(task, i);
    return ONEFOLD_OK;
}

/* By column: the entries (row, value) of each, rows rising. start has n + 1 entries. */
static void transpose(size_t n, size_t count, const uint32_t *index, const double *value,
                      size_t *start, uint32_t *row, double *entry)
{
    memset(start, 0, (n + 1) * sizeof *start);
    for (size_t e = 0; e < n * count; e++)
        start[index[e] + 1]++;
    for (size_t i = 0; i < n; i++)
        start[i + 1] += start[i];
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < count; k++) {
            size_t at = start[index[i * count + k]]++;
            row[at] = (uint32_t)i;
            entry[at] = value[i * count + k];
        }
    memmove(start + 1, start, n * sizeof *start);
    start[0] = 0;
}

/* A row (columns rising) of the matrix and of its transpose, added; returns how long it is. */
static size_t merge(size_t count, const uint32_t *index, const double *value, size_t others,
                    const uint32_t *other, const double *other_value, double scale,
                    uint32_t *column, double *out)
{
    size_t a = 0, b = 0, length = 0;
    while (a < count || b < others) {
        int left = b >= others || (a < count && index[a] <= other[b]);
        int right = a >= count || (b < others && other[b] <= index[a]);
        column[length] = left ? index[a] : other[b];
        out[length] = ((left ? value[a] : 0) + (right ? other_value[b] : 0)) * scale;
        a += (size_t)left;
        b += (size_t)right;
        length++;
    }
    return length;
}

onefold_status of_affinity_make(of_context *context, of_arena *arena, size_t n, size_t count,
                                const uint32_t *index, const double *distance, double perplexity,
                                of_affinity *p)
{
    OF_SCRATCH(scratch, context);
    affinity_task task = {.n = n, .count = count, .distance = distance};
    size_t *start, *back;
    uint32_t *row, *column;
    double *entry, *value;
    task.entropy = log(perplexity);
    OF_TRY(OF_NEW(&scratch, &task.value, n, count));
    OF_TRY(OF_NEW(&scratch, &start, n + 1, 1));
    OF_TRY(OF_NEW(&scratch, &back, n + 1, 1));
    OF_TRY(OF_NEW(&scratch, &row, n, count));
    OF_TRY(OF_NEW(&scratch, &column, n, count));
    OF_TRY(OF_NEW(&scratch, &entry, n, count));
    OF_TRY(OF_NEW(&scratch, &value, n, count));
    OF_TRY(OF_NEW(arena, &p->start, n + 1, 1));
    OF_TRY(OF_NEW(arena, &p->column, n, 2 * count));
    OF_TRY(OF_NEW(arena, &p->value, n, 2 * count));
    OF_TRY(of_team_run(context, (n + TILE - 1) / TILE, calibrate_tile, &task));
    /* Two transpositions: the second sorts every row of the matrix itself. */
    transpose(n, count, index, task.value, start, row, entry);
    memset(back, 0, (n + 1) * sizeof *back);
    for (size_t j = 0; j < n; j++)
        for (size_t e = start[j]; e < start[j + 1]; e++) {
            size_t at = row[e] * count + back[row[e]]++;
            column[at] = (uint32_t)j;
            value[at] = entry[e];
        }
    p->n = n;
    p->start[0] = 0;
    for (size_t i = 0; i < n; i++)
        p->start[i + 1] =
            p->start[i] + merge(count, column + i * count, value + i * count,
                                start[i + 1] - start[i], row + start[i], entry + start[i],
                                0.5 / (double)n, p->column + p->start[i], p->value + p->start[i]);
    return ONEFOLD_OK;
}
