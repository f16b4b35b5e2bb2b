/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One score for every labelling (docs/method.md section 11): the information I of neighbours on the
 * labels, less what they have by chance, nu H.
 */
#include "base/team.h"
#include "method/onefold_pool.h"
#include "score/score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the votes of neighbours ----------------------------------------------------------------- */

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
static double share_of(const tie_sums *sums, size_t i, size_t j, size_t c)
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

/* The entropy of `count` sizes that add up to n. */
static double entropy_of(size_t count, const double *size, double n)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        if (size[i] > 0)
            sum -= size[i] / n * log(size[i] / n);
    return sum;
}

typedef struct vote_task {
    const tie_sums *sums;
    size_t view;
    const double *pi;        /* mu: shares of the clusters */
    double *votes, *weights; /* samples: sums of weighted votes, and of their weights */
} vote_task;

enum { SAMPLES = 1024 };

/* sum: of log q over a piece, then the number of samples with neighbours in each cluster. */
static onefold_status vote_some(void *opaque, size_t piece, double *sum)
{
    const vote_task *task = opaque;
    const of_pool *pool = task->sums->pool;
    size_t end = of_size_least((piece + 1) * SAMPLES, pool->n);
    double vote = pool->vote[task->view];
    for (size_t j = piece * SAMPLES; j < end; j++) {
        size_t c = (size_t)task->sums->labels[j];
        double share = share_of(task->sums, task->view, j, c);
        if (share < 0)
            continue;
        double q = (share + OF_POOL_PRIOR * task->pi[c]) / (1 + OF_POOL_PRIOR);
        task->votes[j] += vote * q;
        task->weights[j] += vote;
        sum[0] += log(q);
        sum[1 + c] += 1;
    }
    return ONEFOLD_OK;
}

/* sum: of log(Q / pi) over a piece. */
static onefold_status add_votes(void *opaque, size_t piece, double *sum)
{
    const vote_task *task = opaque;
    size_t end = of_size_least((piece + 1) * SAMPLES, task->sums->pool->n);
    for (size_t j = piece * SAMPLES; j < end; j++) {
        double pi = task->pi[task->sums->labels[j]];
        sum[0] += task->weights[j] > 0 ? log(task->votes[j] / task->weights[j] / pi) : 0;
    }
    return ONEFOLD_OK;
}

onefold_status of_information_make(of_arena *arena, size_t p, of_information *info)
{
    *info = (of_information){0};
    OF_TRY(OF_NEW_THERE(arena, &info->view, p, 2));
    memset(info->view, 0, 2 * p * sizeof *info->view);
    info->view_entropy = info->view + p;
    return ONEFOLD_OK;
}

onefold_status of_pool_information(of_context *context, const of_pool *pool, const int32_t *labels,
                                   of_information *info)
{
    OF_SCRATCH(scratch, context);
    tie_sums sums = {.pool = pool, .labels = labels};
    vote_task task = {.sums = &sums};
    size_t pieces = (pool->n + SAMPLES - 1) / SAMPLES, mu = pool->mu;
    double *pi, *view, all = 0;
    OF_TRY(OF_NEW_ZERO(&scratch, &pi, mu, 1));
    OF_TRY(OF_NEW(&scratch, &view, mu + 1, 1));
    OF_TRY(OF_NEW_ZERO(&scratch, &task.votes, pool->n, 1));
    OF_TRY(OF_NEW_ZERO(&scratch, &task.weights, pool->n, 1));
    OF_TRY(sum_all_ties(context, &scratch, pool->voters, &sums));
    OF_COUNTED(context);
    for (size_t j = 0; j < pool->n; j++)
        pi[labels[j]] += 1;
    info->entropy = entropy_of(mu, pi, (double)pool->n);
    for (size_t c = 0; c < mu; c++)
        pi[c] /= (double)pool->n;
    task.pi = pi;
    for (size_t i = 0; i < pool->voters; i++) {
        double voted = 0;
        if (!pool->ties[i].rows) /* of_pool_make left it out */
            continue;
        memset(view, 0, (mu + 1) * sizeof *view);
        task.view = i;
        OF_TRY(of_team_sum(context, pieces, vote_some, &task, mu + 1, view));
        for (size_t c = 0; c < mu; c++)
            voted += view[1 + c];
        if (i >= pool->p)
            continue;
        info->view_entropy[i] = voted > 0 ? entropy_of(mu, view + 1, voted) : 0;
        info->view[i] = voted > 0 ? view[0] / voted + info->view_entropy[i] : 0;
    }
    OF_TRY(of_team_sum(context, pieces, add_votes, &task, 1, &all));
    info->all = all / (double)pool->n;
    return ONEFOLD_OK;
}

typedef struct own_task {
    const tie_sums *sums;
    int32_t *own;
} own_task;

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
                double share = share_of(task->sums, i, j, c);
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

/* ---- labellings from one partition, and chance ----------------------------------------------- */

onefold_status of_pool_label(of_context *context, const of_pool *pool, of_joint_kind kind,
                             const double *weights, int32_t *labels, of_information *info)
{
    OF_SCRATCH(scratch, context);
    of_labelling one = of_labelling_single(pool->problem, kind);
    of_joint joint = pool->columns; /* used if it has these weights */
    size_t joined = 0;
    for (size_t i = 0; i < pool->p; i++)
        joined += weights[i] > 0;
    if (joined < pool->p) /* few steps are enough for evidence */
        one.steps = OF_POOL_STEPS;
    if (kind != OF_JOINT_COLUMNS || weights != joint.weights || one.rows - 1 != pool->rows)
        OF_TRY(of_joint_make(context, &scratch, &pool->views, kind, weights, one.rows - 1, &joint));
    if (!joint.rank)
        return pool->p == 1 ? of_kernel_zero(context, &pool->problem->dataset->views[0])
                            : ONEFOLD_OK;
    one.part[0] = &joint;
    OF_TRY(of_labelling_make(context, &scratch, pool, &one));
    if (labels && !of_counts(context))
        memcpy(labels, one.labels, pool->n * sizeof *labels);
    return of_pool_information(context, pool, one.labels, info);
}

onefold_status of_pool_chance(of_context *context, const of_pool *null, const double *weights,
                              double *chance)
{
    OF_SCRATCH(scratch, context);
    of_information info;
    OF_TRY(of_information_make(&scratch, null->p, &info));
    OF_TRY(of_pool_label(context, null, OF_JOINT_COLUMNS, weights, NULL, &info));
    double most = null->mu > 1 ? sqrt(info.entropy * log((double)null->mu)) : info.entropy;
    *chance = most > 0 ? fmin(fmax(info.all / most, 0), 1) : 0;
    return ONEFOLD_OK;
}

/* ---- the score, and agreement ---------------------------------------------------------------- */

static int larger_first(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

onefold_status of_pool_agree(of_context *context, const of_pool *pool, size_t count,
                             of_labelling *labellings)
{
    OF_SCRATCH(scratch, context);
    double *nmi;
    OF_TRY(OF_NEW(&scratch, &nmi, count, 1));
    OF_COUNTED(context);
    for (size_t i = 0; i < count; i++) {
        size_t others = 0;
        double sum = 0;
        for (size_t o = 0; o < count; o++)
            if (o != i && labellings[o].joint)
                OF_TRY(of_recurrence(context, labellings[i].labels, pool->mu, labellings[o].labels,
                                     pool->mu, pool->n, 0, &nmi[others++], NULL));
        qsort(nmi, others, sizeof *nmi, larger_first);
        others = (others + 1) / 2;
        for (size_t o = 0; o < others; o++)
            sum += nmi[o];
        labellings[i].agreement = others ? sum / (double)others : 1;
    }
    return ONEFOLD_OK;
}

double of_pool_score(const of_pool *pool, double info, double entropy, double chance)
{
    double most = pool->mu > 1 ? log((double)pool->mu) : 1;
    return entropy > 0 ? (info - chance * entropy) / sqrt(entropy * most) : 0;
}
