/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A labelling of all samples (docs/method.md section 11): by a fit of OS-LFMVC-CS on joint
 * partitions, or by k-means of a joint kernel. Either way labels are argmax C' sum_b beta_b W_b x_b
 * over the partitions b, so that every labelling has a model.
 */
#include "base/team.h"
#include "linalg/blas.h"
#include "linalg/kmeans.h"
#include "method/onefold_pool.h"
#include "method/os_lfmvc_cs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the stack ------------------------------------------------------------------------------- */

typedef struct stack_task {
    const of_pool *pool;
    const of_labelling *labelling;
    of_range held;
    double *stack;
} stack_task;

enum { STACKED = 4096 };

static onefold_status stack_some(void *opaque, size_t piece)
{
    const stack_task *task = opaque;
    const of_labelling *labelling = task->labelling;
    size_t k = labelling->rows, rows = labelling->parts * k,
           first = task->held.first + piece * STACKED,
           end = first + STACKED < task->held.end ? first + STACKED : task->held.end;
    double constant = 1 / sqrt((double)task->pool->n);
    for (size_t j = first; j < end; j++)
        for (size_t b = 0; b < labelling->parts; b++) {
            double *x = task->stack + (j - task->held.first) * rows + b * k;
            size_t most = labelling->part[b]->rows;
            const double *h = labelling->part[b]->H + j * most;
            x[0] = constant;
            for (size_t r = 1; r < k; r++)
                x[r] = r - 1 < most ? h[r - 1] : 0;
        }
    return ONEFOLD_OK;
}

onefold_status of_labelling_stack(of_arena *arena, const of_pool *pool,
                                  const of_labelling *labelling, of_stack *X)
{
    size_t n = pool->n, k = labelling->rows, rows = labelling->parts * k;
    of_range held = of_comm_own(arena->context, n);
    double *stack;
    OF_TRY(OF_NEW(arena, &stack, rows, held.end - held.first));
    stack_task task = {pool, labelling, held, stack};
    OF_TRY(of_team_run(arena->context, (held.end - held.first + STACKED - 1) / STACKED, stack_some,
                       &task));
    *X = of_stack_double(stack, rows, n);
    X->first = held.first;
    X->held = held.end - held.first;
    return ONEFOLD_OK;
}

/* Labels argmax C'H of all samples, in every process, and sizes. */
static onefold_status label_samples(of_context *context, size_t n, size_t k, size_t mu,
                                    of_cs_result *result)
{
    OF_SCRATCH(scratch, context);
    of_stack H = of_stack_double(result->H.held, k, n);
    H.first = result->H.first;
    double *Ct; /* C' */
    OF_TRY(OF_NEW(&scratch, &Ct, mu, k));
    for (size_t c = 0; c < mu && !of_counts(context); c++) {
        for (size_t r = 0; r < k; r++)
            Ct[c + r * mu] = result->C[r + c * k];
        result->sizes[c] = 0;
    }
    OF_TRY(of_cs_backend_of(&H)->label(context, &H, mu, Ct, result->labels + H.first));
    OF_TRY(of_comm_gather(context, result->labels, sizeof *result->labels, n));
    for (size_t j = 0; j < n && !of_counts(context); j++)
        result->sizes[result->labels[j]]++;
    return ONEFOLD_OK;
}

/* Where partitions show the clusters, C'h of a sample is 1 / sqrt(size) in its own cluster, and
 * noise of equal variance in the others: the largest entry would assign samples of large clusters
 * to small ones. Times sqrt(size), the entry is 1 for every cluster. */
onefold_status of_labelling_by_size(of_context *context, size_t n, size_t k, size_t mu,
                                    of_cs_result *result)
{
    for (size_t c = 0; c < mu && !of_counts(context); c++) {
        double scale = sqrt(result->sizes[c] ? (double)result->sizes[c] : 1);
        for (size_t r = 0; r < k; r++)
            result->C[r + c * k] *= scale;
    }
    return label_samples(context, n, k, mu, result);
}

/* ---- by k-means ------------------------------------------------------------------------------ */

/* The mean of each cluster (rows x mu) in the components (eigenvectors times the roots of their
 * eigenvalues) of the samples place[0 .. count - 1]; of all with NULL. */
static onefold_status mean_clusters(of_context *context, const of_joint *part, size_t rows,
                                    size_t mu, size_t count, const size_t *place,
                                    const int32_t *labels, double *centre)
{
    OF_SCRATCH(scratch, context);
    double *size;
    OF_TRY(OF_NEW_ZERO(&scratch, &size, mu, 1));
    OF_COUNTED(context);
    memset(centre, 0, rows * mu * sizeof *centre);
    for (size_t j = 0; j < count; j++)
        size[labels[j]] += 1;
    for (size_t j = 0; j < count; j++) {
        const double *h = part->H + (place ? place[j] : j) * part->rows;
        for (size_t r = 0; r < part->rank; r++)
            centre[r + (size_t)labels[j] * rows] += sqrt(part->value[r]) * h[r] / size[labels[j]];
    }
    return ONEFOLD_OK;
}

/* Labels of all samples by k-means in the leading components of the joined columns, from the means
 * of the samples whose labels are known and from random starts. */
static onefold_status extend(of_context *context, const of_pool *pool, const of_joint_views *views,
                             of_joint_kind kind, const double *weights, size_t known,
                             const size_t *place, const int32_t *labels, int32_t *all)
{
    OF_SCRATCH(scratch, context);
    size_t n = pool->n, mu = pool->mu,
           rows = pool->rows > OF_POOL_COMPONENTS ? pool->rows : OF_POOL_COMPONENTS;
    of_joint part;
    double *from, *z;
    of_kmeans_result found;
    OF_TRY(of_joint_make(context, &scratch, views, kind, weights, of_size_least(rows, n), &part));
    rows = part.rows;
    OF_TRY(OF_NEW(&scratch, &from, rows, mu));
    OF_TRY(OF_NEW(&scratch, &z, rows, n));
    OF_TRY(mean_clusters(context, &part, rows, mu, known, place, labels, from));
    for (size_t j = 0; j < n && !of_counts(context); j++)
        for (size_t r = 0; r < rows; r++)
            z[r + j * rows] = r < part.rank ? sqrt(part.value[r]) * part.H[j * rows + r] : 0;
    of_kmeans_options options = {.clusters = mu,
                                 .replicates = 1,
                                 .max_iterations = OF_POOL_CENTRE_STEPS,
                                 .seed = pool->problem->options->seed,
                                 .index = (uint64_t)4 << 40,
                                 .from = from};
    return of_kmeans(context, &options, rows, n, z, rows, all, NULL, &found);
}

onefold_status of_labelling_kmeans(of_context *context, of_arena *arena, const of_pool *pool,
                                   const of_kernel *kernels, of_joint_kind kind,
                                   const double *weights, size_t known, const size_t *place,
                                   const int32_t *labels, of_labelling *labelling)
{
    OF_SCRATCH(scratch, context);
    size_t n = pool->n, mu = pool->mu;
    of_joint_views views = {pool->problem->dataset, kernels, pool->views.knn, pool->views.subspace};
    of_cs_result *result = &labelling->result;
    of_joint *means;
    double *centre;
    of_stack X;
    *result = (of_cs_result){0};
    OF_TRY(OF_NEW_ZERO(arena, &means, 1, 1));
    OF_TRY(OF_NEW(arena, &result->labels, n, 1));
    OF_TRY(OF_NEW(arena, &result->sizes, mu, 1));
    if (known < n)
        OF_TRY(extend(context, pool, &views, kind, weights, known, place, labels, result->labels));
    else if (!of_counts(context))
        memcpy(result->labels, labels, n * sizeof *labels);
    OF_TRY(of_joint_means(context, arena, &views, kind, weights, mu, result->labels, means));
    labelling->parts = 1;
    labelling->part[0] = means;
    size_t k = labelling->rows = means->rows + 1;
    OF_TRY(OF_NEW_ALL_ZERO(arena, {&result->W, k, k}, {&result->beta, 1, 1}, {&result->C, k, mu}));
    OF_TRY(of_labelling_stack(arena, pool, labelling, &X)); /* the embedding */
    result->H = (of_share){(double *)(uintptr_t)X.data, X.first, k};
    OF_TRY(OF_NEW(&scratch, &centre, means->rows, mu));
    OF_TRY(mean_clusters(context, means, means->rows, mu, n, NULL, result->labels, centre));
    for (size_t r = 0; r < k && !of_counts(context); r++)
        result->W[r + r * k] = result->beta[0] = 1;
    if (!of_counts(context))
        of_rule_centres(k - 1, means->rank, mu, n, means->value, centre, k, result->C);
    return label_samples(context, n, k, mu, result);
}

/* ---- by a fit of section 3 ------------------------------------------------------------------- */

onefold_status of_labelling_fit(of_context *context, of_arena *arena, const of_pool *pool,
                                of_labelling *labelling)
{
    OF_SCRATCH(scratch, context);
    size_t k = labelling->rows, mu = pool->mu;
    of_cs_result *result = &labelling->result;
    onefold_fit_options options = *pool->problem->options;
    of_stack X;
    options.no_embedding = 0; /* labels are computed from it */
    options.stop = ONEFOLD_STOP_SETTLED;
    OF_TRY(of_labelling_stack(&scratch, pool, labelling, &X));
    of_cs_problem problem = {&X, labelling->parts, k, k, mu, &options, NULL};
    OF_TRY(of_cs_run(context, arena, &problem, NULL, NULL, result));
    if (X.held < pool->n) /* the solver labels this process's samples, a labelling has all */
        OF_TRY(OF_NEW(arena, &result->labels, pool->n, 1));
    return of_labelling_by_size(context, pool->n, k, mu, result);
}

/* ---- new samples ----------------------------------------------------------------------------- */

/* A part of the first `rank` rows of a joint partition, with one source for each of its views. */
static onefold_status make_part(of_context *context, of_arena *arena, const of_pool *pool,
                                const of_joint *joint, size_t rank, of_rule *rule,
                                of_rule_part *part)
{
    static const of_join JOIN[OF_JOINT_KINDS] = {[OF_JOINT_COLUMNS] = OF_JOIN_COLUMNS,
                                                 [OF_JOINT_KERNEL] = OF_JOIN_KERNELS,
                                                 [OF_JOINT_GRAPH] = OF_JOIN_TIES,
                                                 [OF_JOINT_SUBSPACE] = OF_JOIN_TIES};
    uint32_t *source, *row;
    double *weight, *value;
    OF_TRY(OF_NEW_THERE(arena, &source, pool->p, 1));
    OF_TRY(OF_NEW_ZERO(arena, &row, pool->p, 1));
    OF_TRY(OF_NEW_THERE(arena, &weight, pool->p, 1));
    OF_TRY(OF_NEW(arena, &value, rank, 1));
    if (!of_counts(context))
        memcpy(value, joint->value, rank * sizeof *value);
    *part = (of_rule_part){.join = JOIN[joint->kind],
                           .known = pool->n,
                           .rank = rank,
                           .value = value,
                           .source = source,
                           .row = row,
                           .weight = weight};
    for (size_t view = 0; view < pool->p; view++) {
        of_projection *projection;
        if (!(joint->weights[view] > 0) || !of_joint_has(&pool->views, view, joint->kind))
            continue;
        OF_TRY(OF_NEW_ZERO(arena, &projection, 1, 1));
        projection->precision = pool->problem->options->precision;
        OF_TRY(of_joint_projection(context, arena, &pool->views, joint, rank, view, projection));
        weight[part->terms] = joint->weights[view];
        source[part->terms++] = (uint32_t)rule->sources;
        rule->source[rule->sources++] = (of_rule_source){.view = view, .projection = projection};
    }
    return ONEFOLD_OK;
}

onefold_status of_labelling_rule(of_context *context, of_arena *arena, const of_pool *pool,
                                 const of_labelling *labelling, of_rule *rule)
{
    const of_cs_result *result = &labelling->result;
    of_rule_part *parts;
    *rule = (of_rule){.dims = labelling->rows,
                      .constant = 1,
                      .W = result->W,
                      .beta = result->beta,
                      .C = result->C,
                      .parts = labelling->parts};
    if (!of_counts(context))
        rule->largest = of_largest_cluster(result->sizes, pool->mu);
    OF_TRY(OF_NEW(arena, &rule->source, labelling->parts, pool->p));
    OF_TRY(OF_NEW(arena, &parts, labelling->parts, 1));
    for (size_t b = 0; b < labelling->parts; b++) {
        const of_joint *joint = labelling->part[b];
        size_t most = labelling->rows - 1;
        OF_TRY(make_part(context, arena, pool, joint, joint->rank < most ? joint->rank : most, rule,
                         &parts[b]));
    }
    rule->part = parts;
    of_rule_finish(rule);
    return ONEFOLD_OK;
}
