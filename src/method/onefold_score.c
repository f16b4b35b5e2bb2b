/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The score of a recipe (docs/method.md section 11): what of its labels comes back on subsamples,
 * and what neighbours in the views tell of them, both beyond what the same recipe reaches on the
 * table with shuffled columns.
 */
#include "method/onefold_table.h"
#include "score/score.h"

#include <math.h>
#include <string.h>

/* The most that is taken as chance. */
static const double MOST_CHANCE = 0.98;

/* The weight of each voter for sample j that has its label, over that of all; -1: no voters. */
static double share_of(const of_fold *fold, size_t view, size_t j, const int32_t *labels)
{
    double own = 0, all = 0;
    const double *linked = fold->table->linked[view];
    if (linked) {
        const double *row = linked + fold->at[j] * fold->table->n;
        for (size_t i = 0; i < fold->n; i++)
            if (i != j) {
                all += row[fold->at[i]];
                own += labels[i] == labels[j] ? row[fold->at[i]] : 0;
            }
    } else {
        const uint32_t *near = fold->near[view] + j * OF_TABLE_VOTES;
        for (size_t e = 0; e < OF_TABLE_VOTES && near[e] != UINT32_MAX; e++) {
            all += 1;
            own += labels[near[e]] == labels[j];
        }
    }
    return all > 0 ? own / all : -1;
}

/* The entropy of `count` sizes that add up to n. */
static double entropy_of(size_t count, const double *size, double n)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        if (size[i] > 0)
            sum -= size[i] / n * log(size[i] / n);
    return sum;
}

double of_fold_told(const of_fold *fold, size_t view, const int32_t *labels, double *room)
{
    enum { LEAST = 5 };
    size_t mu = fold->table->mu, count = 0;
    double *pi = room, *voted = room + mu, sum = 0, n = 0;
    memset(room, 0, 2 * mu * sizeof *room);
    if (!fold->near[view] && !fold->table->linked[view])
        return 0;
    for (size_t j = 0; j < fold->n; j++)
        if (of_present_at(fold->table->problem->dataset, fold->at[j], view)) {
            pi[labels[j]] += 1;
            n += 1;
        }
    for (size_t j = 0; j < fold->n; j++) {
        double share = share_of(fold, view, j, labels);
        if (share < 0)
            continue;
        sum += log((share + OF_POOL_PRIOR * pi[labels[j]] / n) / (1 + OF_POOL_PRIOR));
        voted[labels[j]] += 1;
        count++;
    }
    double entropy = entropy_of(mu, voted, (double)count);
    if (count < LEAST || !(entropy > 0))
        return 0;
    return fmax(entropy + sum / (double)count, 0) / entropy;
}

/* The entropy of a recipe's labels of a subsample, over log mu: 1 for equal sizes. `size`: mu. */
static double balance_of(const of_fold *fold, size_t recipe, double *size)
{
    size_t mu = fold->table->mu;
    memset(size, 0, mu * sizeof *size);
    for (size_t j = 0; j < fold->n; j++)
        size[fold->labels[recipe][j]] += 1;
    return entropy_of(mu, size, (double)fold->n) / log((double)mu);
}

/* ---- what comes back ------------------------------------------------------------------------- */

double of_fold_agree(const of_fold *a, const of_fold *b, size_t recipe, double *cell)
{
    size_t mu = a->table->mu, i = 0, count = 0;
    double *row = cell + mu * mu, *column = row + mu, both = 0, first = 0, second = 0;
    memset(cell, 0, (mu * mu + 2 * mu) * sizeof *cell);
    for (size_t j = 0; j < b->n; j++) {
        while (i < a->n && a->at[i] < b->at[j])
            i++;
        if (i == a->n || a->at[i] != b->at[j])
            continue;
        size_t x = (size_t)a->labels[recipe][i], y = (size_t)b->labels[recipe][j];
        cell[x + y * mu] += 1;
        row[x] += 1;
        column[y] += 1;
        count++;
    }
    for (size_t e = 0; e < mu * mu; e++)
        both += of_pairs((size_t)cell[e]);
    for (size_t c = 0; c < mu; c++) {
        first += of_pairs((size_t)row[c]);
        second += of_pairs((size_t)column[c]);
    }
    return of_adjusted_rand(both, first, second, of_pairs(count));
}

static double stability(size_t count, const of_fold *folds, size_t recipe, double *cell)
{
    double sum = 0;
    for (size_t b = 1; b < count; b++)
        for (size_t a = 0; a < b; a++)
            sum += of_fold_agree(&folds[a], &folds[b], recipe, cell);
    return sum / ((double)(count * (count - 1)) / 2);
}

/* The share of what is possible beyond chance. */
static double beyond(double value, double chance)
{
    double taken = fmin(fmax(chance, 0), MOST_CHANCE);
    return fmin(fmax((value - taken) / (1 - taken), 0), 1);
}

static double mean_told(size_t count, const of_fold *folds, size_t place)
{
    double sum = 0;
    for (size_t f = 0; f < count; f++)
        sum += folds[f].told[place] / (double)count;
    return sum;
}

onefold_status of_verdicts_make(of_context *context, of_arena *arena, const of_fold *folds,
                                of_verdict *verdicts)
{
    OF_SCRATCH(scratch, context);
    const double nothing = 0.01, none = 1e-3; /* so that a factor of 0 leaves the other to decide */
    const of_fold *draws = folds + 1, *nulls = draws + OF_TABLE_DRAWS;
    size_t p = folds->table->p, mu = folds->table->mu;
    double *cell;
    OF_TRY(OF_NEW(&scratch, &cell, mu + 2, mu));
    for (size_t r = 0; r < OF_RECIPES; r++) {
        of_verdict *one = &verdicts[r];
        *one = (of_verdict){.score = -1};
        OF_TRY(OF_NEW_THERE(arena, &one->T, p, 1));
        memset(one->T, 0, p * sizeof *one->T);
        if (!folds->labels[r] || of_counts(context))
            continue;
        double roots = 0, told_roots = 0, balance = 0;
        one->stable = stability(OF_TABLE_DRAWS, draws, r, cell);
        one->stable_chance = stability(OF_TABLE_NULL_DRAWS, nulls, r, cell);
        one->S = beyond(one->stable, one->stable_chance);
        for (size_t f = 0; f < OF_TABLE_DRAWS; f++)
            balance += balance_of(&draws[f], r, cell) / OF_TABLE_DRAWS;
        for (size_t v = 0; v < p; v++) {
            double told = mean_told(OF_TABLE_DRAWS, draws, r * p + v),
                   chance = mean_told(OF_TABLE_NULL_DRAWS, nulls, r * p + v);
            one->told += told / (double)p;
            one->told_chance += chance / (double)p;
            one->T[v] = beyond(told, chance);
            roots += sqrt(one->T[v]) / (double)p;
            told_roots += sqrt(told * balance) / (double)p;
        }
        one->informed = told_roots * told_roots;
        one->all_T = roots * roots;
        one->score = (one->S + nothing) * (one->S + nothing) * (one->all_T + none);
    }
    return ONEFOLD_OK;
}

/* ---- the labels of a sample's neighbours ----------------------------------------------------- */

/* Sums of ties in each view: by cluster and landmark, and by landmark. */
typedef struct tie_sums {
    const of_pool *pool;
    const int32_t *labels;
    double **sum, **degree; /* of each view: mu x landmarks, landmarks */
} tie_sums;

static onefold_status sum_ties(void *opaque, size_t i)
{
    const tie_sums *task = opaque;
    const of_sparse *ties = &task->pool->ties[i];
    size_t mu = task->pool->mu;
    for (size_t j = 0; j < ties->rows; j++)
        for (size_t e = ties->start[j]; e < ties->start[j + 1]; e++) {
            task->sum[i][ties->index[e] * mu + (size_t)task->labels[j]] += ties->value[e];
            task->degree[i][ties->index[e]] += ties->value[e];
        }
    return ONEFOLD_OK;
}

static onefold_status sum_all_ties(of_context *context, of_arena *arena, size_t count,
                                   tie_sums *task)
{
    OF_TRY(OF_NEW(arena, &task->sum, count, 1));
    OF_TRY(OF_NEW(arena, &task->degree, count, 1));
    for (size_t i = 0; i < count; i++) {
        size_t columns = task->pool->ties[i].columns;
        OF_TRY(OF_NEW_ZERO(arena, &task->sum[i], task->pool->mu, columns));
        OF_TRY(OF_NEW_ZERO(arena, &task->degree[i], columns, 1));
    }
    return of_team_run(context, count, sum_ties, task);
}

/* The share of the neighbours of sample j in view i that have label c; -1: no neighbours. */
static double tie_share(const tie_sums *sums, size_t i, size_t j, size_t c)
{
    const double none = 1e-9, *sum = sums->sum[i], *degree = sums->degree[i];
    const of_sparse *ties = &sums->pool->ties[i];
    size_t mu = sums->pool->mu;
    double own = 0, all = 0;
    for (size_t e = ties->start[j]; e < ties->start[j + 1]; e++) {
        double tie = ties->value[e], left = degree[ties->index[e]] - tie,
               same = sum[ties->index[e] * mu + c] - ((size_t)sums->labels[j] == c ? tie : 0);
        if (!(left > none)) /* no other sample has a tie to it */
            continue;
        own += tie * fmax(same, 0) / left;
        all += tie;
    }
    return all > 0 ? own / all : -1;
}

typedef struct own_task {
    const tie_sums *sums;
    int32_t *own;
} own_task;

enum { SAMPLES = 1024 };

static onefold_status label_some(void *opaque, size_t piece)
{
    const own_task *task = opaque;
    const of_pool *pool = task->sums->pool;
    size_t end = of_size_least((piece + 1) * SAMPLES, pool->n);
    for (size_t i = 0; i < pool->p; i++)
        for (size_t j = piece * SAMPLES; j < end; j++) {
            double most = 0;
            int32_t *own = &task->own[i * pool->n + j];
            *own = -1;
            for (size_t c = 0; c < pool->mu; c++) {
                double share = tie_share(task->sums, i, j, c);
                if (share > most) {
                    most = share;
                    *own = (int32_t)c;
                }
            }
        }
    return ONEFOLD_OK;
}

onefold_status of_pool_own_labels(of_context *context, const of_pool *pool, const int32_t *labels,
                                  int32_t *own)
{
    OF_SCRATCH(scratch, context);
    tie_sums sums = {.pool = pool, .labels = labels};
    own_task task = {&sums, own};
    OF_TRY(sum_all_ties(context, &scratch, pool->p, &sums));
    return of_team_run(context, (pool->n + SAMPLES - 1) / SAMPLES, label_some, &task);
}
