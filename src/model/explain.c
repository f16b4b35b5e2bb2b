/* SPDX-License-Identifier: Apache-2.0 */
/* Explanation of a result: agreement of views, the columns that set clusters apart, pictures of
 * views. */
#include "model/fit.h"

#include "base/comm.h"
#include "base/team.h"
#include "data/dataset.h"
#include "kernel/kernel.h"
#include "linalg/kmeans.h"
#include "linalg/simd.h"
#include "method/onefold_pool.h"
#include "score/score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- columns that set clusters apart -----------------------------------------------------------
 *
 * The strength of a column is its correlation with membership of the cluster. It needs the sums of
 * a column within each cluster and over all samples, does not depend on scale and origin, orders
 * columns as Cohen's d and the t statistic of cluster against rest do, and is small for a column
 * that is rarely not 0.
 */

/* MOST_SUMS: numbers in the sums of a block of clusters, which one pass over the features fills. */
enum { MOST_SUMS = 1 << 21, TILE_BYTES = 1 << 18 };

/* As in kernel/prep.c: a deviation below this share of its root mean square is rounding. */
#define CONSTANT_BELOW 1e-12

typedef struct column_task {
    const of_kernel *kernel;
    const int32_t *labels; /* of this process's samples */
    size_t held;           /* the first of these */
    size_t columns;        /* features */
    of_tiles tiles;        /* of samples */
    const double *mean;    /* columns; NULL: 0 */
    size_t first, block;   /* the block of clusters */
    int squares;           /* dense: add sums of squares, after those of the clusters */
    double *tile;          /* per worker: dense features */

    double *sum;      /* block x columns: features minus their mean */
    double *variance; /* columns; 0 where a column is constant */
    double *size;     /* clusters: samples in each */
    double level;     /* of chance */
    size_t most, step;
    onefold_column *room; /* per worker: columns */
    size_t *count;
    onefold_column *found;
} column_task;

OF_SIMD static void add_sample(size_t d, const double *restrict x, const double *restrict mean,
                               double *restrict sum, double *restrict squares)
{
    for (size_t i = 0; i < d; i++) {
        double off = x[i] - (mean ? mean[i] : 0);
        if (sum)
            sum[i] += off;
        if (squares)
            squares[i] += off * off;
    }
}

/* The sums of sample j's cluster, or NULL where the cluster is not in the block. */
static double *sums_of(const column_task *task, size_t j, double *sum)
{
    size_t cluster = (size_t)task->labels[j - task->held];
    return cluster >= task->first && cluster < task->first + task->block
               ? sum + (cluster - task->first) * task->columns
               : NULL;
}

static onefold_status add_dense(void *opaque, size_t index, double *sum)
{
    const column_task *task = opaque;
    size_t d = task->columns, first = of_tiles_first(&task->tiles, index),
           count = of_tiles_length(&task->tiles, index);
    double *tile = task->tile +
                   of_team_worker() * of_kernel_tile_rows(task->kernel) * task->tiles.width,
           *squares = task->squares ? sum + task->block * d : NULL;
    of_kernel_tile(task->kernel, first, count, tile);
    for (size_t j = 0; j < count; j++) {
        double *own = sums_of(task, first + j, sum);
        if (own || squares)
            add_sample(d, tile + j * d, task->mean, own, squares);
    }
    return ONEFOLD_OK;
}

static onefold_status add_sparse(void *opaque, size_t index, double *sum)
{
    const column_task *task = opaque;
    const of_sparse *features = &task->kernel->features;
    for (size_t j = of_tiles_first(&task->tiles, index);
         j < of_tiles_first(&task->tiles, index + 1); j++) {
        double *own = sums_of(task, j, sum);
        for (size_t e = features->start[j]; own && e < features->start[j + 1]; e++)
            own[features->index[e]] += features->value[e];
    }
    return ONEFOLD_OK;
}

/* Computes the sums of a block of clusters. */
static onefold_status compute_sums(of_context *context, column_task *task)
{
    size_t d = task->columns, n = task->kernel->view->samples;
    int sparse = task->kernel->features.start != NULL;
    size_t length = (task->block + (size_t)task->squares) * d;
    OF_TRY(of_tiles_sum(context, &task->tiles, sparse ? add_sparse : add_dense, task, length,
                        task->sum));
    OF_COUNTED(context);
    for (size_t i = 0; task->squares && i < d; i++)
        task->variance[i] = task->sum[task->block * d + i] / (double)n;
    for (size_t c = 0; sparse && c < task->block; c++) /* with zeros, the mean comes off here */
        for (size_t i = 0; i < d; i++)
            task->sum[c * d + i] -= task->size[task->first + c] * task->mean[i];
    return ONEFOLD_OK;
}

double of_explain_chance(size_t samples, size_t columns)
{
    /* 2 exp(-z^2 / 2) bounds the tails of a normal z; the inverse hyperbolic tangent of a
     * correlation is about normal with variance 1 / (samples - 3). */
    if (samples <= 3)
        return 1;
    return tanh(sqrt(2 * log(40 * (double)columns) / (double)(samples - 3)));
}

static int stronger_first(const void *a, const void *b)
{
    const onefold_column *x = a, *y = b;
    double left = fabs(x->strength), right = fabs(y->strength);
    if (left != right)
        return left > right ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static onefold_status find_strongest(void *opaque, size_t index)
{
    column_task *task = opaque;
    size_t d = task->columns, cluster = task->first + index, passed = 0;
    const uint32_t *kept = task->kernel->prep.kept;
    const double *sum = task->sum + index * d;
    onefold_column *room = task->room + of_team_worker() * d;
    double n = (double)task->kernel->view->samples, own = task->size[cluster];
    for (size_t i = 0; own > 0 && own < n && i < d; i++) {
        if (!(task->variance[i] > 0))
            continue;
        double strength = sum[i] / sqrt(own * (n - own)) / sqrt(task->variance[i]);
        strength = strength > 1 ? 1 : strength < -1 ? -1 : strength;
        if (fabs(strength) > task->level)
            room[passed++] = (onefold_column){NULL, kept ? kept[i] : i, strength};
    }
    qsort(room, passed, sizeof *room, stronger_first);
    passed = passed < task->most ? passed : task->most;
    task->count[cluster * task->step] = passed;
    memcpy(task->found + cluster * task->step * task->most, room, passed * sizeof *room);
    return ONEFOLD_OK;
}

/* Means of the features; of sparse ones also the variances. Standardised features have mean 0. */
static onefold_status compute_means(of_context *context, of_arena *arena, column_task *task)
{
    const of_kernel *kernel = task->kernel;
    double *mean, *square;
    if (!kernel->features.start && kernel->prep.shift)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(arena, &mean, task->columns, 1));
    task->mean = mean;
    if (!kernel->features.start)
        return of_kernel_mean(context, kernel, mean);
    of_view features = {.storage = OF_SPARSE,
                        .samples = kernel->view->samples,
                        .columns = task->columns,
                        .type = OF_F64,
                        .sparse = kernel->features};
    OF_TRY(OF_NEW(arena, &square, task->columns, 1));
    return of_moments(context, &features, mean, task->variance, square);
}

onefold_status of_explain_columns(of_context *context, const of_kernel *kernel,
                                  const int32_t *labels, size_t clusters, size_t most, size_t step,
                                  size_t *count, onefold_column *column)
{
    OF_SCRATCH(scratch, context);
    size_t d = of_kernel_columns(kernel), workers = (size_t)of_team_size(context),
           block = d ? MOST_SUMS / d : clusters;
    int dense = kernel->features.start == NULL;
    of_range own = of_comm_own(context, kernel->view->samples);
    column_task task = {.kernel = kernel,
                        .labels = labels,
                        .held = own.first,
                        .columns = d,
                        .most = most,
                        .step = step};
    block = block < 1 ? 1 : block < clusters ? block : clusters;
    task.tiles = of_tiles_make(kernel->view->samples, dense ? of_kernel_tile_rows(kernel) : 1,
                               dense ? TILE_BYTES : SIZE_MAX);
    task.count = count;
    task.found = column;
    OF_TRY(OF_NEW_ZERO(&scratch, &task.size, clusters, 1));
    OF_TRY(OF_NEW_ALL(&scratch, {&task.variance, d, 1}, {&task.sum, block + 1, d}));
    OF_TRY(OF_NEW(&scratch, &task.room, workers, d));
    if (dense)
        OF_TRY(
            OF_NEW(&scratch, &task.tile, workers * task.tiles.width, of_kernel_tile_rows(kernel)));
    for (size_t j = 0; j < own.end - own.first && !of_counts(context); j++)
        task.size[(size_t)labels[j]]++;
    OF_TRY(of_comm_total(context, kernel->view->samples, clusters, task.size));
    OF_TRY(compute_means(context, &scratch, &task));
    for (task.first = 0; task.first < clusters; task.first += task.block) {
        task.block = clusters - task.first < block ? clusters - task.first : block;
        task.squares = dense && task.first == 0;
        OF_TRY(compute_sums(context, &task));
        OF_COUNTED(context);
        size_t varying = 0; /* columns with a variance above rounding; the others get 0 */
        for (size_t i = 0; i < d && task.first == 0; i++) {
            double mean = task.mean ? task.mean[i] : 0, variance = task.variance[i],
                   floor = CONSTANT_BELOW * CONSTANT_BELOW * (variance + mean * mean);
            if (!(variance > floor) || !isfinite(variance))
                task.variance[i] = 0;
            varying += task.variance[i] > 0;
        }
        if (task.first == 0)
            task.level = of_explain_chance(kernel->view->samples, varying);
        OF_TRY(of_team_run(context, task.block, find_strongest, &task));
    }
    return ONEFOLD_OK;
}

/* Whether a view has named columns. */
static int is_named(const of_kernel *kernel)
{
    return kernel->view->column_names != NULL && !of_kernel_is_given(kernel->kind);
}

/* Fills the columns of a result where the plan asks for them. */
static onefold_status name_columns(of_context *context, const of_fit_plan *plan,
                                   of_outcome *outcome, onefold_result *result)
{
    onefold_fit_info *info = &result->info;
    size_t p = info->views, mu = info->clusters, most = 0, places, *count;
    if (!plan->options.explain || plan->options.bare)
        return ONEFOLD_OK;
    OF_SCRATCH(scratch, context);
    onefold_column *column;
    int32_t *present = NULL;       /* labels of the samples that have the view */
    for (size_t i = 0; i < p; i++) /* the widest named view */
        if (is_named(&plan->kernels[i]) && plan->kernels[i].view->columns > most)
            most = plan->kernels[i].view->columns;
    most = plan->options.explain < most ? plan->options.explain : most;
    if (plan->problem.dataset->present)
        OF_TRY(OF_NEW(&scratch, &present, info->samples, 1));
    OF_TRY(OF_NEW_ZERO(&outcome->arena, &count, p, mu));
    OF_TRY(of_size_multiply(&places, most, p));
    OF_TRY(OF_NEW_ZERO(&outcome->arena, &column, places, mu));
    for (size_t i = 0; i < p; i++) {
        const of_kernel *kernel = &plan->kernels[i];
        if (!is_named(kernel))
            continue;
        size_t found = 0;
        for (size_t j = 0; present && j < info->samples && !of_counts(context); j++)
            if (of_present_at(plan->problem.dataset, j, i))
                present[found++] = outcome->labels[j];
        OF_TRY(of_explain_columns(context, kernel, present ? present : outcome->labels, mu, most, p,
                                  count + i, column + i * most));
        for (size_t c = 0; c < mu; c++)
            for (size_t r = 0; r < (of_counts(context) ? most : count[c * p + i]); r++) {
                onefold_column *to = &column[(c * p + i) * most + r];
                const char *own = kernel->view->column_names[to->index];
                OF_TRY(*own ? OF_TEXT(&outcome->arena, &to->name, "%s", own)
                            : OF_TEXT(&outcome->arena, &to->name, "column %zu", to->index + 1));
            }
    }
    info->explain = most;
    info->explained = 1;
    result->column_count = count;
    result->column = column;
    return ONEFOLD_OK;
}

/* ---- agreement of views ---------------------------------------------------------------------- */

/* Fills own_labels and confidence where the method does not: the most frequent label of a sample's
 * neighbours in a view, and the silhouette of labels from k-means (docs/explain.md). */
static onefold_status find_own(of_context *context, const of_fit_plan *plan, of_outcome *outcome)
{
    size_t n = plan->problem.dataset->samples, p = plan->problem.dataset->view_count,
           mu = plan->options.clusters;
    if (outcome->own_labels || plan->options.bare || mu > OF_MOST_EXPLAINED ||
        of_comm_splits(context, n))
        return ONEFOLD_OK;
    OF_SCRATCH(scratch, context);
    of_pool pool;
    OF_TRY(OF_NEW(&outcome->arena, &outcome->own_labels, n, p));
    OF_TRY(of_pool_make(context, &scratch, &plan->problem, 0, 1, &pool));
    OF_TRY(of_pool_own_labels(context, &pool, outcome->labels, outcome->own_labels));
    if (!plan->method->ends_in_kmeans)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(&outcome->arena, &outcome->confidence, n, 1));
    return of_silhouette(context, outcome->embedding_rows, n, outcome->embedding,
                         outcome->embedding_rows, outcome->labels, mu, outcome->confidence, NULL);
}

/* Fills agreement, view_agreement and cluster_agreement from the labels of each view. */
static onefold_status compare(of_context *context, of_outcome *outcome, onefold_fit_info *info)
{
    of_range held = of_comm_own(context, info->samples);
    size_t n = held.end - held.first, all = info->samples, p = info->views, mu = info->clusters;
    const int32_t *own = outcome->own_labels;
    if (!own)
        return ONEFOLD_OK;
    OF_SCRATCH(scratch, context);
    double *jaccard, *agreement, *between, *by_cluster;
    OF_TRY(OF_NEW(&scratch, &jaccard, mu, 1));
    OF_TRY(OF_NEW_ALL(&outcome->arena, {&agreement, p, 1}, {&between, p, p}, {&by_cluster, p, mu}));
    for (size_t i = 0; i < p; i++) {
        const int32_t *view = own + i * n;
        OF_TRY(
            of_recurrence(context, outcome->labels, mu, view, mu, n, all, &agreement[i], jaccard));
        for (size_t a = 0; a < mu; a++)
            by_cluster[i + a * p] = isnan(jaccard[a]) ? 0 : jaccard[a];
        for (size_t h = 0; h <= i; h++) {
            OF_TRY(of_recurrence(context, view, mu, own + h * n, mu, n, all, &between[i + h * p],
                                 NULL));
            between[h + i * p] = between[i + h * p];
        }
    }
    info->agreement = agreement;
    info->view_agreement = between;
    info->cluster_agreement = by_cluster;
    return ONEFOLD_OK;
}

/* ---- pictures of views -------------------------------------------------------------------------
 */

enum {
    PLACES = 2,         /* coordinates */
    BEYOND = 20,        /* eigenvalues beyond the number of clusters, at most */
    MOST_SPECTRUM = 200 /* with more clusters, a spectrum would show no gap */
};

/* The eigenvalues, and the two leading kernel principal components: eigenvectors times the roots of
 * their eigenvalues. */
static onefold_status draw_view(of_context *context, const of_fit_plan *plan, size_t view,
                                of_picture *picture)
{
    OF_SCRATCH(scratch, context);
    const of_kernel *kernel = &plan->kernels[view];
    const of_dataset *dataset = plan->problem.dataset;
    of_partition_options options = plan->problem.partition;
    size_t rows = of_size_least(picture->spectrum_rows, kernel->view->samples);
    of_partition made;
    double *H; /* of the samples that have the view */
    options.dims = rows;
    options.project = 0;
    OF_TRY(OF_NEW(&scratch, &H, rows, kernel->view->samples));
    OF_TRY(of_partition_make(context, &scratch, kernel, plan->problem.routes[view], &options,
                             of_share_whole(H, rows), &made));
    OF_COUNTED(context);
    float *out = picture->places + PLACES * view * dataset->samples;
    for (size_t j = 0; j < dataset->samples; j++, out += PLACES) {
        int has = of_present_at(dataset, j, view);
        for (size_t r = 0; r < PLACES; r++)
            out[r] = !has ? NAN : r < rows ? (float)(H[r] * sqrt(fmax(made.values[r], 0))) : 0;
        H += has ? rows : 0;
    }
    for (size_t r = 0; r < picture->spectrum_rows; r++)
        picture->spectrum[view * picture->spectrum_rows + r] = r < rows ? made.values[r] : 0;
    return ONEFOLD_OK;
}

static onefold_status draw_views(of_context *context, const of_fit_plan *plan, of_outcome *outcome)
{
    const of_dataset *dataset = plan->problem.dataset;
    size_t p = dataset->view_count, n = dataset->samples, mu = plan->options.clusters;
    of_arena *arena = &outcome->arena;
    of_picture *made;
    if (!plan->options.picture || of_comm_splits(context, n))
        return ONEFOLD_OK;
    OF_TRY(OF_NEW_ZERO(arena, &made, 1, 1));
    made->spectrum_rows = mu > MOST_SPECTRUM ? PLACES : mu + of_size_least(mu, BEYOND);
    OF_TRY(OF_NEW(arena, &made->places, PLACES * p, n));
    OF_TRY(OF_NEW(arena, &made->spectrum, made->spectrum_rows, p));
    for (size_t i = 0; i < p; i++) {
        of_context_progress(context, "pictures", (double)i, (double)p, dataset->views[i].name);
        OF_TRY(draw_view(context, plan, i, made));
    }
    if (outcome->view_parts)
        OF_TRY(OF_NEW(arena, &made->parts, p, n));
    for (size_t j = 0; outcome->view_parts && !of_counts(context) && j < n; j++) {
        const double *part = outcome->view_parts + j * p;
        double sum = 0; /* of the positive parts */
        for (size_t i = 0; i < p; i++)
            sum += fmax(part[i], 0);
        for (size_t i = 0; i < p; i++)
            made->parts[j * p + i] =
                of_present_at(dataset, j, i) && sum > 0 ? (float)(fmax(part[i], 0) / sum) : NAN;
    }
    made->traces = outcome->traces;
    outcome->picture = made;
    return ONEFOLD_OK;
}

onefold_status of_explain(of_context *context, const of_fit_plan *plan, of_outcome *outcome,
                          onefold_result *result)
{
    OF_TRY(find_own(context, plan, outcome));
    OF_TRY(draw_views(context, plan, outcome));
    if (!of_counts(context))
        OF_TRY(compare(context, outcome, &result->info));
    for (size_t i = 0; i < result->info.views; i++)
        outcome->views[i].named = is_named(&plan->kernels[i]);
    return name_columns(context, plan, outcome, result);
}
