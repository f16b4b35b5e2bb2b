/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each view by itself would say, for methods that have no scores by view: the cluster a sample
 * is nearest to in the view's kernel, the sample itself left out. And how sure labels are that come
 * from k-means (docs/explain.md).
 */
#include "base/comm.h"
#include "base/team.h"
#include "peers/common.h"
#include "model/explain.h"

#include <math.h>

enum { SAMPLES_AT_ONCE = 32 };

/* ---- a view's own labels ------------------------------------------------------------------ */

typedef struct own_task {
    size_t n, clusters;
    const double *kernel; /* n x n, symmetric */
    const int32_t *labels;
    double *sum;   /* clusters x n: of a sample's kernel with the members of each cluster */
    double *size;  /* clusters */
    double *pairs; /* clusters: sum of the kernel over ordered pairs of different members */
    double *trace; /* clusters: sum of it over the members with themselves */
    int32_t *own;
} own_task;

static onefold_status add_rows(void *opaque, size_t index, int worker)
{
    (void)worker;
    const own_task *task = opaque;
    size_t first = index * SAMPLES_AT_ONCE, mu = task->clusters;
    for (size_t j = first; j < task->n && j < first + SAMPLES_AT_ONCE; j++) {
        double *sum = task->sum + j * mu;
        for (size_t c = 0; c < mu; c++)
            sum[c] = 0;
        for (size_t l = 0; l < task->n; l++)
            sum[task->labels[l]] += task->kernel[j * task->n + l];
    }
    return ONEFOLD_OK;
}

/* The mean kernel of sample j with the others of cluster c, less half of that between different
 * ones of these. It is largest for the cluster whose centre is nearest; as no sample is held
 * against itself, a small cluster is not further away for being small. */
static double score_of(const own_task *task, size_t j, size_t c)
{
    double members = task->size[c], with = task->sum[j * task->clusters + c],
           pairs = task->pairs[c], trace = task->trace[c];
    if ((size_t)task->labels[j] == c) {
        double itself = task->kernel[j * task->n + j];
        members -= 1;
        with -= itself;
        pairs -= 2 * with;
        trace -= itself;
    }
    if (members < 1)
        return -INFINITY;
    double between = members > 1 ? pairs / (members * (members - 1)) : trace;
    return with / members - between / 2;
}

static onefold_status label_rows(void *opaque, size_t index, int worker)
{
    (void)worker;
    own_task *task = opaque;
    size_t first = index * SAMPLES_AT_ONCE;
    for (size_t j = first; j < task->n && j < first + SAMPLES_AT_ONCE; j++) {
        double best = -INFINITY;
        task->own[j] = task->labels[j]; /* of a single sample */
        for (size_t c = 0; c < task->clusters; c++) {
            double score = score_of(task, j, c);
            if (score > best) {
                best = score;
                task->own[j] = (int32_t)c;
            }
        }
    }
    return ONEFOLD_OK;
}

onefold_status of_explain_nearest(of_context *context, size_t n, const double *kernel,
                                  const int32_t *labels, size_t clusters, int32_t *own)
{
    OF_SCRATCH(scratch, context);
    own_task task = {.n = n, .clusters = clusters, .kernel = kernel, .labels = labels, .own = own};
    size_t pieces = (n + SAMPLES_AT_ONCE - 1) / SAMPLES_AT_ONCE;
    OF_TRY(OF_NEW(&scratch, &task.sum, clusters, n));
    OF_TRY(OF_NEW_ZERO(&scratch, &task.size, clusters, 1));
    OF_TRY(OF_NEW_ZERO(&scratch, &task.pairs, clusters, 1));
    OF_TRY(OF_NEW_ZERO(&scratch, &task.trace, clusters, 1));
    OF_TRY(of_team_run(context, pieces, add_rows, &task));
    for (size_t j = 0; j < n; j++) {
        size_t c = (size_t)labels[j];
        double itself = kernel[j * n + j];
        task.size[c] += 1;
        task.trace[c] += itself;
        task.pairs[c] += task.sum[j * clusters + c] - itself;
    }
    return of_team_run(context, pieces, label_rows, &task);
}

/* ---- confidence of k-means ---------------------------------------------------------------- */

static double distance(size_t rows, const double *x, const double *centre)
{
    double square = 0;
    for (size_t r = 0; r < rows; r++)
        square += (x[r] - centre[r]) * (x[r] - centre[r]);
    return sqrt(square);
}

onefold_status of_explain_margins(of_context *context, size_t rows, size_t n, const double *x,
                                  const int32_t *labels, size_t clusters, double *confidence)
{
    OF_SCRATCH(scratch, context);
    double *centre, *size;
    OF_TRY(OF_NEW_ZERO(&scratch, &centre, rows, clusters));
    OF_TRY(OF_NEW_ZERO(&scratch, &size, clusters, 1));
    for (size_t j = 0; j < n; j++)
        size[labels[j]] += 1;
    for (size_t j = 0; j < n; j++)
        for (size_t r = 0; r < rows; r++)
            centre[(size_t)labels[j] * rows + r] += x[j * rows + r] / size[labels[j]];
    for (size_t j = 0; j < n; j++) {
        size_t own = (size_t)labels[j];
        double to_own = distance(rows, x + j * rows, centre + own * rows), to_other = INFINITY;
        for (size_t c = 0; c < clusters; c++)
            if (c != own && size[c] > 0)
                to_other = fmin(to_other, distance(rows, x + j * rows, centre + c * rows));
        confidence[j] = to_own < to_other ? 1 - to_own / to_other : 0;
    }
    return ONEFOLD_OK;
}

/* ---- both --------------------------------------------------------------------------------- */

static int is_wanted(const of_context *context, const of_fit_plan *plan)
{
    return !plan->method->scores_views && !plan->options.bare &&
           plan->options.clusters <= OF_MOST_EXPLAINED &&
           !of_comm_splits(context, plan->problem.dataset->samples);
}

onefold_status of_explain_own(of_context *context, const of_fit_plan *plan, of_outcome *outcome)
{
    size_t n = plan->problem.dataset->samples, p = plan->problem.dataset->view_count,
           mu = plan->options.clusters;
    if (!is_wanted(context, plan))
        return ONEFOLD_OK;
    OF_SCRATCH(scratch, context);
    double *kernel;
    OF_TRY(OF_NEW(&scratch, &kernel, n, n));
    OF_TRY(OF_NEW(&outcome->arena, &outcome->own_labels, n, p));
    for (size_t i = 0; i < p; i++) {
        OF_TRY(of_kernels_one(context, &plan->problem, i, OF_CENTRED_NORMALISED, kernel));
        OF_TRY(of_explain_nearest(context, n, kernel, outcome->labels, mu,
                                  outcome->own_labels + i * n));
    }
    if (!outcome->embedding_is_kmeans)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(&outcome->arena, &outcome->confidence, n, 1));
    return of_explain_margins(context, outcome->embedding_rows, n, outcome->embedding,
                              outcome->labels, mu, outcome->confidence);
}

onefold_status of_explain_own_bytes(of_context *context, const of_fit_plan *plan, size_t *bytes)
{
    size_t n = plan->problem.dataset->samples, labels;
    *bytes = 0;
    if (!is_wanted(context, plan))
        return ONEFOLD_OK;
    OF_TRY(of_estimate_add(bytes, 1, n, n));
    OF_TRY(of_estimate_add(bytes, 2, n, plan->options.clusters)); /* the embedding is one of them */
    OF_TRY(of_estimate_add_kernel(bytes, &plan->problem));
    OF_TRY(of_size_multiply(
        &labels, n, sizeof(int32_t) * (plan->problem.dataset->view_count + 3) + sizeof(double)));
    return of_size_add(bytes, *bytes, labels);
}
