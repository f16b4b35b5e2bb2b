/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The labels of a candidate, from what the solver found. Where the partitions show the clusters,
 * C' h of a sample is 1 / sqrt(size) in its own cluster and noise of one spread in all others, so
 * that the largest of C' h gives a large cluster's samples away to small ones. Times sqrt(size) it
 * would be 1 for every cluster, but then the small ones lose where clusters overlap; the root of
 * that lies between, and keeps both (docs/method.md section 11).
 */
#include "base/tiles.h"
#include "linalg/blas.h"
#include "linalg/kmeans.h"
#include "method/onefold_parts.h"
#include "method/os_lfmvc_cs_parts.h"

#include <math.h>

/* The labels that C gives, and their sizes. */
static onefold_status read_labels(of_context *context, size_t n, size_t k, size_t mu,
                                  of_cs_result *result)
{
    OF_SCRATCH(scratch, context);
    of_stack H = of_stack_double(result->H.held, k, n, k);
    H.first = result->H.first;
    double *direction;
    OF_TRY(OF_NEW(&scratch, &direction, mu, k));
    for (size_t c = 0; c < mu; c++) {
        for (size_t r = 0; r < k; r++)
            direction[c + r * mu] = result->C[r + c * k];
        result->sizes[c] = 0;
    }
    OF_TRY(of_cs_label(context, &H, mu, direction, result->labels));
    OF_TRY(of_comm_gather(context, result->labels, sizeof *result->labels, n));
    for (size_t j = 0; j < n; j++)
        result->sizes[result->labels[j]]++;
    return ONEFOLD_OK;
}

onefold_status of_candidate_label(of_context *context, size_t n, size_t k, size_t mu,
                                  of_cs_result *result)
{
    for (size_t c = 0; c < mu; c++) {
        double scale = sqrt(sqrt((double)(result->sizes[c] ? result->sizes[c] : 1)));
        for (size_t r = 0; r < k; r++)
            result->C[r + c * k] *= scale;
    }
    return read_labels(context, n, k, mu, result);
}

/* ---- a joint kernel that shows the clusters ---------------------------------------------------
 */

/* k-means in the coordinates of the kernel's leading components, where noise spreads alike in every
 * direction: rows of H are of unit length, and would enlarge what the directions of small clusters
 * have of it. Of many samples an even sample has it, as starts of the solver do. */
static onefold_status find_centres(of_context *context, const of_pool *pool,
                                   const of_pool_part *part, size_t rows, double *centre)
{
    OF_SCRATCH(scratch, context);
    const onefold_fit_options *o = pool->problem->options;
    size_t all = pool->problem->dataset->samples, n = of_cs_sample_size(all);
    of_kmeans_options options = {.clusters = o->clusters,
                                 .replicates = 10,
                                 .max_iterations = 100,
                                 .start = OF_KMEANS_PLUSPLUS,
                                 .seed = o->seed,
                                 .index = (uint64_t)4 << 40};
    of_kmeans_result found;
    int32_t *labels;
    double *z;
    OF_TRY(OF_NEW(&scratch, &z, rows, n));
    OF_TRY(OF_NEW(&scratch, &labels, n, 1));
    for (size_t j = 0; j < n; j++) {
        const double *h = part->H + of_cs_sample_at(all, n, j) * pool->rows;
        for (size_t r = 0; r < rows; r++)
            z[r + j * rows] = sqrt(part->value[r]) * h[r];
    }
    return of_kmeans(context, &options, rows, n, z, rows, labels, centre, &found);
}

typedef struct centre_task {
    const of_pool *pool;
    const of_pool_part *part;
    of_tiles tiles;
    size_t rows, mu;
    const int32_t *labels;
} centre_task;

/* sum += the components of a tile's samples by label, and behind them how many. */
static onefold_status add_by_label(void *opaque, size_t tile, int worker, double *sum)
{
    const centre_task *task = opaque;
    size_t rows = task->rows, end = of_tiles_first(&task->tiles, tile + 1);
    (void)worker;
    for (size_t j = of_tiles_first(&task->tiles, tile); j < end; j++) {
        const double *h = task->part->H + j * task->pool->rows;
        double *own = sum + (size_t)task->labels[j] * rows;
        for (size_t r = 0; r < rows; r++)
            own[r] += h[r];
        sum[rows * task->mu + (size_t)task->labels[j]] += 1;
    }
    return ONEFOLD_OK;
}

/* The centres of a sample become those of all samples that have their labels. */
static onefold_status move_centres(of_context *context, const of_pool *pool,
                                   const of_pool_part *part, size_t rows, const int32_t *labels,
                                   double *centre)
{
    OF_SCRATCH(scratch, context);
    size_t mu = pool->problem->options->clusters;
    centre_task task = {.pool = pool, .part = part, .rows = rows, .mu = mu, .labels = labels};
    double *sum;
    task.tiles = of_tiles_make(pool->problem->dataset->samples, rows, 256 << 10);
    OF_TRY(OF_NEW_ZERO(&scratch, &sum, rows + 1, mu));
    OF_TRY(of_tiles_sum(context, &task.tiles, add_by_label, &task, (rows + 1) * mu, sum));
    for (size_t c = 0; c < mu; c++)
        for (size_t r = 0; r < rows && sum[rows * mu + c] > 0; r++)
            centre[r + c * rows] = sqrt(part->value[r]) * sum[r + c * rows] / sum[rows * mu + c];
    return ONEFOLD_OK;
}

/* What all scores have in common, so that the score of another cluster at a cluster's centre is 0
 * in the mean over all pairs, as C' h of the solver has it: confidence compares scores with their
 * length. */
static double common_score(size_t rows, size_t mu, const double *centre)
{
    double sum = 0;
    for (size_t c = 0; c < mu; c++)
        for (size_t d = 0; d < mu; d++)
            for (size_t r = 0; d != c && r < rows; r++) {
                double own = centre[r + c * rows], gap = own - centre[r + d * rows];
                sum += (gap * gap - own * own) / 2;
            }
    return mu > 1 ? sum / (double)(mu * (mu - 1)) : 0;
}

/* The nearest centre is the largest of z' centre - |centre|^2 / 2, which is linear in a sample's
 * column x, as its first row is the constant. */
static onefold_status label_by_centres(of_context *context, const of_pool *pool,
                                       const of_pool_part *part, const double *centre, size_t k,
                                       of_cs_result *result)
{
    OF_SCRATCH(scratch, context);
    size_t n = pool->problem->dataset->samples, rows = k - 1, mu = pool->problem->options->clusters;
    double *a, root = sqrt((double)part->known), common = common_score(rows, mu, centre);
    OF_TRY(OF_NEW(&scratch, &a, k, mu));
    for (size_t c = 0; c < mu; c++) {
        a[c * k] = root * common;
        for (size_t r = 0; r < rows; r++) {
            double m = centre[r + c * rows];
            a[c * k] -= root * m * m / 2;
            a[r + 1 + c * k] = sqrt(part->value[r]) * m;
        }
    }
    of_gemm('N', 'N', k, mu, k, 1, result->W, k, a, k, 0, result->C, k); /* H = W x */
    return read_labels(context, n, k, mu, result);
}

onefold_status of_candidate_label_components(of_context *context, const of_pool *pool,
                                             of_candidate *candidate)
{
    OF_SCRATCH(scratch, context);
    of_cs_result *result = &candidate->result;
    const of_pool_part *part = &pool->part[candidate->part[0]];
    size_t n = pool->problem->dataset->samples, k = candidate->rows, rows = k - 1,
           mu = pool->problem->options->clusters;
    double *centre;
    OF_TRY(OF_NEW(&scratch, &centre, rows, mu));
    OF_TRY(find_centres(context, pool, part, rows, centre));
    OF_TRY(label_by_centres(context, pool, part, centre, k, result));
    if (!of_cs_races(n))
        return ONEFOLD_OK;
    OF_TRY(move_centres(context, pool, part, rows, result->labels, centre));
    return label_by_centres(context, pool, part, centre, k, result);
}
