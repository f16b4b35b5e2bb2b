/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The labellings of the pool (docs/method.md section 11), from joint partitions by a fit of
 * OS-LFMVC-CS, or from the components of the joined columns by k-means. Either way labels are
 * argmax C' sum_b beta_b W_b x_b over the partitions b, so that every labelling has a model.
 */
#include "base/team.h"
#include "linalg/blas.h"
#include "linalg/kmeans.h"
#include "method/onefold_pool.h"
#include "method/os_lfmvc_cs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* steps: 0 for mu rows, 1 for half way, 2 for --dims. With few rows none is left that splits a
 * large cluster, so that small clusters are found; more rows have more information. */
enum { KERNEL_AND_GRAPHS = 1 << OF_JOINT_KERNEL | 1 << OF_JOINT_GRAPH | 1 << OF_JOINT_SUBSPACE };
static const struct {
    const char *name;
    unsigned kinds;
    int by_kmeans, steps;
} PLAN[OF_LABELLINGS] = {
    {"graph", 1u << OF_JOINT_GRAPH, 0, 0},
    {"kernel and graphs", KERNEL_AND_GRAPHS, 0, 1},
    {"kernel and graphs", KERNEL_AND_GRAPHS, 0, 2},
    {"columns", 1u << OF_JOINT_COLUMNS, 1, 2}, /* last: one start is from the best before it */
};
enum { GRAPH = 0, QUICK = 1, COLUMNS = 3 };

/* Operations of one start (docs/method.md section 11, Cost). */
static double work_of(const of_labelling *one, double n, double mu)
{
    enum { ITERATIONS = 50 };
    double k = (double)one->rows, rows = k * (double)one->parts;
    return ITERATIONS * (one->by_kmeans ? 2 * n * k * mu
                                        : 2 * n * rows * (2 * k + mu) + 20 * rows * rows * rows);
}

/* Fills one labelling of the plan. Returns the operations of a start. */
static double describe(const of_problem *problem, size_t which, of_labelling *one)
{
    const onefold_fit_options *options = problem->options;
    size_t mu = options->clusters, least = mu > 1 ? mu : 2,
           most = options->dims > least ? options->dims : least,
           n = of_sample_suits(problem) ? of_cs_sample_size(problem->dataset->samples)
                                        : problem->dataset->samples;
    *one = (of_labelling){.kinds = PLAN[which].kinds,
                          .by_kmeans = PLAN[which].by_kmeans,
                          .steps = OF_POOL_CENTRE_STEPS};
    for (unsigned kind = 0; kind < OF_JOINT_KINDS; kind++)
        one->parts += one->kinds >> kind & 1;
    one->rows = least + ((most - least) * (size_t)PLAN[which].steps + 1) / 2;
    one->starts = one->by_kmeans ? OF_POOL_CENTRE_STARTS : options->restarts;
    double work = work_of(one, (double)n, (double)mu);
    if (work * (double)one->starts > OF_POOL_MOST_WORK)
        one->starts = work < OF_POOL_MOST_WORK ? (size_t)(OF_POOL_MOST_WORK / work) : 1;
    snprintf(one->name, sizeof one->name, "%s, %zu rows", PLAN[which].name, one->rows);
    return work;
}

of_labelling of_labelling_single(const of_problem *problem, of_joint_kind kind)
{
    of_labelling one;
    describe(problem, kind == OF_JOINT_COLUMNS ? COLUMNS : GRAPH, &one);
    if (!one.by_kmeans)
        one.starts = 1;
    return one;
}

size_t of_labelling_plan(const of_problem *problem, of_labelling *plan, int *left_out)
{
    int quick = problem->options->effort == ONEFOLD_EFFORT_QUICK;
    size_t count = 0;
    *left_out = 0;
    for (size_t i = 0; i < OF_LABELLINGS; i++) {
        of_labelling one;
        int too_long = describe(problem, i, &one) > OF_POOL_MOST_WORK && i != GRAPH && !quick;
        *left_out += too_long;
        if (!too_long && (!quick || i == QUICK))
            plan[count++] = one;
    }
    return count;
}

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

/* The mean of each cluster (rows x mu). */
static onefold_status mean_clusters(of_context *context, size_t mu, size_t rows, size_t n,
                                    const double *z, const int32_t *labels, double *centre)
{
    OF_SCRATCH(scratch, context);
    double *size;
    OF_TRY(OF_NEW_ZERO(&scratch, &size, mu, 1));
    OF_COUNTED(context);
    memset(centre, 0, rows * mu * sizeof *centre);
    for (size_t j = 0; j < n; j++)
        size[labels[j]] += 1;
    for (size_t j = 0; j < n; j++)
        for (size_t r = 0; r < rows; r++)
            centre[r + (size_t)labels[j] * rows] += z[r + j * rows] / size[labels[j]];
    return ONEFOLD_OK;
}

/* k-means on the components (eigenvectors times the roots of their eigenvalues) of an even sample.
 * One more start is from labelling->from, if any: random starts may miss the best clusters. */
static onefold_status find_centres(of_context *context, const of_pool *pool,
                                   const of_labelling *labelling, double *centre)
{
    OF_SCRATCH(scratch, context);
    const onefold_fit_options *o = pool->problem->options;
    const of_joint *part = labelling->part[0];
    size_t n = of_cs_sample_size(pool->n), rows = labelling->rows - 1;
    of_kmeans_options options = {.clusters = pool->mu,
                                 .replicates = labelling->starts,
                                 .max_iterations = labelling->steps,
                                 .start = OF_KMEANS_PLUSPLUS,
                                 .seed = o->seed,
                                 .index = (uint64_t)4 << 40};
    of_kmeans_result found;
    int32_t *labels;
    double *z;
    OF_TRY(OF_NEW(&scratch, &z, rows, n));
    OF_TRY(OF_NEW(&scratch, &labels, n, 1));
    for (size_t j = 0; j < n && !of_counts(context); j++) {
        const double *h = part->H + of_part_start(pool->n, n, j) * part->rows;
        for (size_t r = 0; r < rows; r++)
            z[r + j * rows] = r < part->rank ? sqrt(part->value[r]) * h[r] : 0;
    }
    if (labelling->from) {
        double *from;
        OF_TRY(OF_NEW(&scratch, &from, rows, pool->mu));
        for (size_t j = 0; j < n && !of_counts(context); j++)
            labels[j] = labelling->from[of_part_start(pool->n, n, j)];
        OF_TRY(mean_clusters(context, pool->mu, rows, n, z, labels, from));
        options.from = from;
        options.replicates++;
    }
    return of_kmeans(context, &options, rows, n, z, rows, labels, centre, &found);
}

static onefold_status label_by_centres(of_context *context, of_arena *arena, const of_pool *pool,
                                       of_labelling *labelling, const double *centre)
{
    const of_joint *part = labelling->part[0];
    of_cs_result *result = &labelling->result;
    size_t k = labelling->rows, mu = pool->mu;
    of_stack X;
    OF_TRY(OF_NEW_ALL_ZERO(arena, {&result->W, k, k}, {&result->beta, 1, 1}, {&result->C, k, mu}));
    OF_TRY(OF_NEW(arena, &result->sizes, mu, 1));
    OF_TRY(of_labelling_stack(arena, pool, labelling, &X)); /* the embedding */
    result->H = (of_share){(double *)(uintptr_t)X.data, X.first, k};
    for (size_t r = 0; r < k && !of_counts(context); r++)
        result->W[r + r * k] = result->beta[0] = 1;
    if (!of_counts(context))
        of_rule_centres(k - 1, part->rank, mu, pool->n, part->value, centre, k, result->C);
    return label_samples(context, pool->n, k, mu, result);
}

onefold_status of_labelling_refine(of_context *context, of_arena *arena, const of_pool *pool,
                                   of_labelling *labelling)
{
    OF_SCRATCH(scratch, context);
    of_cs_result *result = &labelling->result;
    size_t mu = pool->mu;
    of_joint *means;
    double *centre;
    for (size_t c = 0; c < mu && !of_counts(context); c++)
        if (!result->sizes[c])
            return ONEFOLD_OK;
    OF_TRY(OF_NEW_ZERO(arena, &means, 1, 1));
    OF_TRY(of_joint_means(context, arena, &pool->views, labelling->part[0], mu, OF_POOL_STEPS,
                          OF_POOL_SPREAD, result->labels, means));
    if (!means->rank)
        return ONEFOLD_OK;
    labelling->part[0] = means;
    labelling->rows = means->rows + 1;
    OF_TRY(OF_NEW(&scratch, &centre, means->rows, mu));
    OF_TRY(mean_clusters(context, mu, means->rows, pool->n, means->H, result->labels, centre));
    for (size_t i = 0; i < means->rows * mu && !of_counts(context); i++)
        centre[i] *= sqrt(means->value[i % means->rows]);
    return label_by_centres(context, arena, pool, labelling, centre);
}

onefold_status of_labelling_make(of_context *context, of_arena *arena, const of_pool *pool,
                                 of_labelling *labelling)
{
    OF_SCRATCH(scratch, context);
    size_t k = labelling->rows, mu = pool->mu;
    of_cs_result *result = &labelling->result;
    if (labelling->by_kmeans) {
        double *centre;
        OF_TRY(OF_NEW(&scratch, &centre, k - 1, mu));
        OF_TRY(OF_NEW(arena, &result->labels, pool->n, 1));
        OF_TRY(find_centres(context, pool, labelling, centre));
        OF_TRY(label_by_centres(context, arena, pool, labelling, centre));
    } else {
        onefold_fit_options options = *pool->problem->options;
        of_stack X;
        options.no_embedding = 0; /* labels are computed from it */
        options.restarts = labelling->starts;
        options.stop = ONEFOLD_STOP_SETTLED;
        OF_TRY(of_labelling_stack(&scratch, pool, labelling, &X));
        of_cs_problem problem = {&X, labelling->parts, k, k, mu, &options, NULL};
        OF_TRY(of_cs_run(context, arena, &problem, NULL, NULL, result));
        if (X.held < pool->n) /* the solver labels this process's samples, a labelling has all */
            OF_TRY(OF_NEW(arena, &result->labels, pool->n, 1));
        OF_TRY(of_labelling_by_size(context, pool->n, k, mu, result));
    }
    labelling->labels = result->labels;
    return ONEFOLD_OK;
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
