/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The labels of a candidate, from what the solver found. Where the partitions show the clusters,
 * C' h of a sample is 1 / sqrt(size) in its own cluster and noise of one spread in all others, so
 * that the largest of C' h gives a large cluster's samples away to small ones. Times sqrt(size) it
 * would be 1 for every cluster, but then the small ones lose where clusters overlap; the root of
 * that lies between, and keeps both (docs/method.md section 11).
 */
#include "base/comm.h"
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
 * have of it. */
static onefold_status label_components(of_context *context, const of_pool *pool,
                                       const of_pool_part *part, size_t rows, double *centre,
                                       int32_t *labels)
{
    OF_SCRATCH(scratch, context);
    const onefold_fit_options *o = pool->problem->options;
    size_t n = pool->problem->dataset->samples;
    of_kmeans_options options = {.clusters = o->clusters,
                                 .replicates = 10,
                                 .max_iterations = 100,
                                 .start = OF_KMEANS_PLUSPLUS,
                                 .seed = o->seed,
                                 .index = (uint64_t)4 << 40,
                                 .spread = of_comm_splits(context, n)};
    of_kmeans_result found;
    double *z;
    OF_TRY(OF_NEW(&scratch, &z, rows, n));
    for (size_t j = 0; j < n; j++)
        for (size_t r = 0; r < rows; r++)
            z[r + j * rows] = sqrt(part->value[r]) * part->H[r + j * pool->rows];
    return of_kmeans(context, &options, rows, n, z, rows, labels, centre, &found);
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
onefold_status of_candidate_label_components(of_context *context, const of_pool *pool,
                                             of_candidate *candidate)
{
    OF_SCRATCH(scratch, context);
    of_cs_result *result = &candidate->result;
    const of_pool_part *part = &pool->part[candidate->part[0]];
    size_t n = pool->problem->dataset->samples, k = candidate->rows, rows = k - 1,
           mu = pool->problem->options->clusters;
    double *centre, *a, root = sqrt((double)part->known);
    OF_TRY(OF_NEW(&scratch, &centre, rows, mu));
    OF_TRY(OF_NEW(&scratch, &a, k, mu));
    OF_TRY(label_components(context, pool, part, rows, centre, result->labels));
    double common = common_score(rows, mu, centre);
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
