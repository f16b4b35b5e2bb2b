/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each view's part in the score of a sample's label. A partition b adds g_b'x_b with
 * g_b = beta_b W_b'c_y, and x_b is one view's own, or the sum of terms of several (docs/method.md
 * section 11, "New samples"): of the joint kernel h = sum_i s K_i (s h) / lambda, of a joint graph
 * the mean of weight z_i over the views that tie the sample. Columns are as a model stacks them:
 * not scaled for views that a sample lacks.
 */
#include "base/comm.h"
#include "base/team.h"
#include "data/present.h"
#include "linalg/blas.h"
#include "method/missing_scale.h"
#include "method/onefold_parts.h"
#include "partition/route_krylov.h"

#include <math.h>
#include <string.h>

enum { SAMPLES_AT_ONCE = 64 };

/* One partition of the candidate, or one view's term of it. */
typedef struct term_task {
    const of_pool *pool;
    const of_candidate *candidate;
    const of_pool_part *part;
    size_t rank;     /* rows beside the constant */
    const double *g; /* k x clusters: beta W'C */
    const double *x; /* rank of `ld` x samples: the term's rows */
    size_t ld;
    const double *count; /* samples: terms that the constant is shared by; 0: not this one's */
    size_t view;
    double *parts;
} term_task;

static onefold_status add_samples(void *opaque, size_t piece, int worker)
{
    (void)worker;
    const term_task *task = opaque;
    size_t n = task->pool->problem->dataset->samples, k = task->candidate->rows,
           p = task->pool->problem->dataset->view_count, first = piece * SAMPLES_AT_ONCE,
           end = first + SAMPLES_AT_ONCE < n ? first + SAMPLES_AT_ONCE : n;
    int constant = task->candidate->constant != 0;
    for (size_t j = first; j < end; j++) {
        const double *g = task->g + (size_t)task->candidate->result.labels[j] * k,
                     *x = task->x + j * task->ld;
        double sum = constant && task->count[j] > 0
                         ? g[0] / sqrt((double)task->part->known) / task->count[j]
                         : 0;
        for (size_t r = 0; r < task->rank; r++)
            sum += g[r + (size_t)constant] * x[r];
        task->parts[j * p + task->view] += sum;
    }
    return ONEFOLD_OK;
}

static onefold_status add_term(of_context *context, term_task *task, size_t view, const double *x,
                               size_t ld)
{
    size_t n = task->pool->problem->dataset->samples;
    task->view = view;
    task->x = x;
    task->ld = ld;
    return of_team_run(context, (n + SAMPLES_AT_ONCE - 1) / SAMPLES_AT_ONCE, add_samples, task);
}

/* A partition of one view. */
static onefold_status add_own(of_context *context, term_task *task)
{
    OF_SCRATCH(scratch, context);
    const of_pool_part *part = task->part;
    const of_dataset *dataset = task->pool->problem->dataset;
    double *count;
    OF_TRY(OF_NEW(&scratch, &count, dataset->samples, 1));
    for (size_t j = 0; j < dataset->samples; j++)
        count[j] = part->graph ? part->graph->ties.start[j + 1] > part->graph->ties.start[j]
                               : of_present_at(dataset, j, part->view);
    task->count = count;
    return add_term(context, task, part->view, part->H, task->pool->rows);
}

/* ---- joint graphs -----------------------------------------------------------------------------
 */

static int is_tied(const of_pool_part *one, size_t j)
{
    return one->graph->ties.start[j + 1] > one->graph->ties.start[j];
}

static onefold_status add_joint_graph(of_context *context, term_task *task)
{
    OF_SCRATCH(scratch, context);
    const of_pool *pool = task->pool;
    const of_graph_spectrum *spectrum = &task->part->spectrum;
    size_t n = pool->problem->dataset->samples, terms = 0;
    double *all, *count, *x;
    OF_TRY(OF_NEW_ZERO(&scratch, &all, n, 1));
    OF_TRY(OF_NEW(&scratch, &count, n, 1));
    OF_TRY(OF_NEW(&scratch, &x, spectrum->rank, n));
    for (size_t b = 0; b < pool->count; b++) {
        if (!of_pool_joins(pool, &pool->part[b], task->part->kind))
            continue;
        terms++;
        for (size_t j = 0; j < n; j++)
            all[j] += is_tied(&pool->part[b], j);
    }
    task->count = count;
    for (size_t b = 0; b < pool->count; b++) {
        const of_pool_part *one = &pool->part[b];
        if (!of_pool_joins(pool, one, task->part->kind))
            continue;
        size_t first = of_pool_first_landmark(pool, one, task->part->kind);
        OF_TRY(of_sparse_apply(context, &one->graph->ties, spectrum->rank,
                               spectrum->weight + first * spectrum->rank, x));
        for (size_t j = 0; j < n; j++) {
            count[j] = all[j] > 0 ? all[j] * is_tied(one, j) : (double)terms;
            for (size_t r = 0; all[j] > 0 && r < spectrum->rank; r++)
                x[j * spectrum->rank + r] /= all[j];
        }
        OF_TRY(add_term(context, task, one->view, x, spectrum->rank));
    }
    return ONEFOLD_OK;
}

/* ---- the joint kernel -------------------------------------------------------------------------
 */

typedef struct product_task {
    size_t rank, n;
    const double *in, *kernel; /* rank x n, n x n */
    double *out;               /* rank x n */
} product_task;

static onefold_status multiply_columns(void *opaque, size_t piece, int worker)
{
    (void)worker;
    const product_task *task = opaque;
    size_t first = piece * SAMPLES_AT_ONCE, left = task->n - first,
           count = left < SAMPLES_AT_ONCE ? left : SAMPLES_AT_ONCE;
    of_gemm('N', 'N', task->rank, count, task->n, 1, task->in, task->rank,
            task->kernel + first * task->n, task->n, 0, task->out + first * task->rank, task->rank);
    return ONEFOLD_OK;
}

/* out = in K of a view's finished kernel, over the samples that have it. */
static onefold_status apply_kernel(of_context *context, const of_pool *pool, size_t view,
                                   size_t rank, const double *in, double *out)
{
    OF_SCRATCH(scratch, context);
    of_kernel kernel = pool->problem->kernels[view];
    size_t n = kernel.view->samples;
    if (!pool->formed) {
        of_krylov_operator *applied;
        if (kernel.kind == OF_KERNEL_RBF)
            kernel.kind = OF_KERNEL_LINEAR; /* as it entered (onefold_joint.c) */
        OF_TRY(of_krylov_operator_make(context, &scratch, &kernel, rank, &applied));
        OF_TRY(of_krylov_operator_apply(applied, rank, in, out));
        return of_comm_gather(context, out, rank * sizeof *out, n);
    }
    double *matrix;
    OF_TRY(OF_NEW(&scratch, &matrix, n, n));
    OF_TRY(of_kernel_matrix(context, &kernel, OF_CENTRED_NORMALISED, matrix, n));
    product_task task = {rank, n, in, matrix, out};
    return of_team_run(context, (n + SAMPLES_AT_ONCE - 1) / SAMPLES_AT_ONCE, multiply_columns,
                       &task);
}

static onefold_status add_joint_kernel(of_context *context, term_task *task)
{
    OF_SCRATCH(scratch, context);
    const of_pool *pool = task->pool;
    const of_pool_part *joint = task->part;
    const of_dataset *dataset = pool->problem->dataset;
    size_t n = dataset->samples, rank = task->rank, terms = 0;
    double *x, *in, *out, *count;
    OF_TRY(OF_NEW(&scratch, &x, rank, n));
    OF_TRY(OF_NEW(&scratch, &in, rank, n));
    OF_TRY(OF_NEW(&scratch, &out, rank, n));
    OF_TRY(OF_NEW(&scratch, &count, n, 1));
    for (size_t i = 0; i < dataset->view_count; i++)
        terms += of_pool_joins_kernel(pool, i) != 0;
    task->count = count;
    for (size_t view = 0; view < dataset->view_count; view++) {
        size_t at = 0;
        if (!of_pool_joins_kernel(pool, view))
            continue;
        for (size_t j = 0; j < n; j++) {
            if (!of_present_at(dataset, j, view))
                continue;
            double scale = 1 / sqrt((double)of_pool_kernels_of(pool, j));
            for (size_t r = 0; r < rank; r++)
                in[at * rank + r] = scale * joint->H[j * pool->rows + r];
            at++;
        }
        OF_TRY(apply_kernel(context, pool, view, rank, in, out));
        at = 0;
        for (size_t j = 0; j < n; j++) {
            size_t all = of_pool_kernels_of(pool, j);
            int has = of_present_at(dataset, j, view);
            count[j] = all ? (double)all * (has != 0) : (double)terms;
            for (size_t r = 0; r < rank; r++)
                x[j * rank + r] =
                    has ? out[at * rank + r] / sqrt((double)all) / joint->value[r] : 0;
            at += has != 0;
        }
        OF_TRY(add_term(context, task, view, x, rank));
    }
    return ONEFOLD_OK;
}

/* ---- all of them ------------------------------------------------------------------------------
 */

onefold_status of_candidate_view_parts(of_context *context, const of_pool *pool,
                                       const of_candidate *candidate, double *parts)
{
    OF_SCRATCH(scratch, context);
    const of_dataset *dataset = pool->problem->dataset;
    const of_cs_result *result = &candidate->result;
    size_t k = candidate->rows, mu = pool->problem->options->clusters, n = dataset->samples;
    double *g;
    OF_TRY(OF_NEW(&scratch, &g, k, mu));
    memset(parts, 0, dataset->view_count * n * sizeof *parts);
    for (size_t b = 0; b < candidate->parts; b++) {
        const of_pool_part *part = &pool->part[candidate->part[b]];
        size_t most = k - (candidate->constant != 0);
        term_task task = {.pool = pool,
                          .candidate = candidate,
                          .part = part,
                          .rank = part->rank < most ? part->rank : most,
                          .g = g,
                          .parts = parts};
        of_gemm('T', 'N', k, mu, k, result->beta[b] * of_missing_scale_view(part->known, n),
                result->W + b * k * k, k, result->C, k, 0, g, k);
        OF_TRY(part->view != OF_POOL_JOINT    ? add_own(context, &task)
               : part->kind == OF_POOL_KERNEL ? add_joint_kernel(context, &task)
                                              : add_joint_graph(context, &task));
    }
    return ONEFOLD_OK;
}
