/* SPDX-License-Identifier: Apache-2.0 */
/* Leading eigenvectors, unit rows, repeated k-means. */
#include "peers/spectral.h"

#include "base/team.h"
#include "linalg/blas.h"
#include "linalg/eigen_block.h"
#include "linalg/factor.h"
#include "linalg/kmeans.h"
#include "linalg/parallel.h"
#include "peers/kernels.h"

#include <math.h>
#include <string.h>

/* Turns a vector so that its entry of largest modulus, the first among equals, is positive. */
static void fix_sign(size_t n, double *vector)
{
    size_t at = 0;
    for (size_t i = 1; i < n; i++)
        if (fabs(vector[i]) > fabs(vector[at]))
            at = i;
    if (vector[at] < 0)
        cblas_dscal((int)n, -1, vector, 1);
}

/* Where a few eigenvectors of many are wanted they are iterated for; else LAPACK finds them all at
 * once. By shapes alone. */
static int is_iterated(size_t n, size_t count)
{
    return n > 500 && 8 * count < n;
}

enum { LEAST_BLOCK = 8 };

static size_t block_of(size_t count)
{
    return count > LEAST_BLOCK ? count : LEAST_BLOCK;
}

/* A symmetric matrix as an operator. */
typedef struct dense_operator {
    of_context *context;
    size_t n, lda;
    const double *a;
} dense_operator;

static onefold_status apply_dense(void *task, size_t depth, const double *x, double *y)
{
    const dense_operator *o = task;
    return of_team_gemm(o->context, 'N', 'N', depth, o->n, o->n, 1, x, depth, o->a, o->lda, 0, y,
                        depth);
}

/* The guess, and random rows up to the block's depth where it is too narrow, by sample. */
static void start_block(size_t n, size_t count, size_t block, const double *guess, double *start)
{
    of_random random = of_random_make(0, OF_PURPOSE_EIGEN_START, n);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < block; i++)
            start[i + j * block] = i < count ? guess[j + i * n] : of_random_normal(&random);
}

/* Iterates for the vectors; `done` is 0 where they did not come out, or the matrix has too few
 * positive eigenvalues for the iteration to tell. */
static onefold_status iterate_top(of_context *context, size_t n, size_t count, const double *a,
                                  size_t lda, const double *guess, double *value, double *vector,
                                  size_t ldv, int *done)
{
    OF_SCRATCH(scratch, context);
    dense_operator dense = {context, n, lda, a};
    of_eigen_options options = {.count = count, .tolerance = 1e-10, .aim = 1e-12};
    of_eigen_result result;
    double *rows, *start = NULL;
    options.block = guess ? block_of(count) : LEAST_BLOCK;
    OF_TRY(OF_NEW(&scratch, &rows, count, n));
    if (guess) {
        OF_TRY(OF_NEW(&scratch, &start, options.block, n));
        start_block(n, count, options.block, guess, start);
        options.start = start;
    }
    OF_TRY(of_eigen_block(context, n, apply_dense, &dense, &options, value,
                          of_share_whole(rows, count), &result));
    *done = result.converged && result.rank == count;
    for (size_t j = 0; j < n && *done; j++)
        for (size_t i = 0; i < count; i++)
            vector[j + i * ldv] = rows[i + j * count];
    return ONEFOLD_OK;
}

static onefold_status factorise_top(of_context *context, size_t n, size_t count, const double *a,
                                    size_t lda, double *value, double *vector, size_t ldv)
{
    OF_SCRATCH(scratch, context);
    double *copy;
    OF_TRY(OF_NEW(&scratch, &copy, n, n));
    for (size_t j = 0; j < n; j++)
        memcpy(copy + j * n, a + j * lda, n * sizeof *copy);
    return of_eigh_top(context, n, count, copy, n, value, vector, ldv);
}

onefold_status of_spectral_top(of_context *context, size_t n, size_t count, const double *a,
                               size_t lda, const double *guess, double *value, double *vector,
                               size_t ldv)
{
    int done = 0;
    if (is_iterated(n, count))
        OF_TRY(iterate_top(context, n, count, a, lda, guess, value, vector, ldv, &done));
    if (!done)
        OF_TRY(factorise_top(context, n, count, a, lda, value, vector, ldv));
    for (size_t j = 0; j < count; j++)
        fix_sign(n, vector + j * ldv);
    return ONEFOLD_OK;
}

size_t of_spectral_bytes(of_context *context, size_t n, size_t count)
{
    size_t block = block_of(count);
    if (!is_iterated(n, count))
        return (n * n + 40 * n) * sizeof(double);
    return of_eigen_bytes(context, n, count, block, of_eigen_most(n, count, block)) +
           (count + block) * n * sizeof(double);
}

double of_spectral_seconds(of_context *context, size_t n, size_t count)
{
    double side = (double)n, square = side * side;
    if (!is_iterated(n, count))
        return of_estimate_seconds(context, 0, 4.0 / 3 * square * side);
    return of_estimate_seconds(context, 8 * square * (double)(10 * count + 200), 0);
}

/* ---- labels -------------------------------------------------------------------------------- */

/* X = U' with unit columns: X is clusters x samples. */
static void unit_rows(size_t samples, size_t clusters, const double *u, size_t ldu, double *x)
{
    for (size_t j = 0; j < samples; j++) {
        double *row = x + j * clusters;
        for (size_t i = 0; i < clusters; i++)
            row[i] = u[j + i * ldu];
        double length = cblas_dnrm2((int)clusters, row, 1);
        for (size_t i = 0; i < clusters && length > 0; i++)
            row[i] /= length;
    }
}

/* Repeats of k-means, side by side: each is the same whoever works it. */
typedef struct repeats {
    of_context *context;
    of_kmeans_options options;
    size_t samples;
    const double *x; /* clusters x samples */
    int32_t *labels; /* samples x repeats */
    of_kmeans_result *result;
} repeats;

static onefold_status work_repeat(void *task, size_t index, int worker)
{
    const repeats *r = task;
    (void)worker;
    of_kmeans_options options = r->options;
    options.index = index;
    return of_kmeans(r->context, &options, options.clusters, r->samples, r->x, options.clusters,
                     r->labels + index * r->samples, NULL, r->result + index);
}

static onefold_status clusters_used(of_context *context, size_t clusters, size_t samples,
                                    const int32_t *labels, size_t *used)
{
    OF_SCRATCH(scratch, context);
    unsigned char *seen;
    OF_TRY(OF_NEW_ZERO(&scratch, &seen, clusters, 1));
    *used = 0;
    for (size_t j = 0; j < samples; j++) {
        *used += !seen[labels[j]];
        seen[labels[j]] = 1;
    }
    return ONEFOLD_OK;
}

onefold_status of_spectral_labels(of_context *context, const of_problem *problem, const double *end,
                                  const double *u, size_t ldu, of_outcome *outcome)
{
    size_t samples = problem->dataset->samples, clusters = problem->options->clusters;
    size_t count = problem->options->restarts ? problem->options->restarts : 1;
    OF_SCRATCH(scratch, context);
    of_kmeans_options options = {.clusters = clusters,
                                 .replicates = (size_t)end[1],
                                 .max_iterations = 100,
                                 .start = end[0] ? OF_KMEANS_SAMPLES : OF_KMEANS_PLUSPLUS,
                                 .seed = problem->options->seed};
    repeats r = {context, options, samples, NULL, NULL, NULL};
    OF_TRY(OF_NEW(&outcome->arena, &outcome->embedding, clusters, samples));
    OF_TRY(OF_NEW(&outcome->arena, &outcome->labels, samples, 1));
    OF_TRY(OF_NEW(&outcome->arena, &outcome->restart_objective, count, 1));
    OF_TRY(OF_NEW(&outcome->arena, &outcome->restart_iterations, count, 1));
    OF_TRY(OF_NEW(&outcome->arena, &outcome->restart_clusters_used, count, 1));
    OF_TRY(OF_NEW(&scratch, &r.labels, samples, count));
    OF_TRY(OF_NEW(&scratch, &r.result, count, 1));
    unit_rows(samples, clusters, u, ldu, outcome->embedding);
    r.x = outcome->embedding;
    OF_TRY(of_team_run(context, count, work_repeat, &r));
    size_t best = 0;
    for (size_t i = 0; i < count; i++) {
        if (r.result[i].cost < r.result[best].cost)
            best = i;
        outcome->restart_objective[i] = r.result[i].cost;
        outcome->restart_iterations[i] = r.result[i].iterations;
        OF_TRY(clusters_used(context, clusters, samples, r.labels + i * samples,
                             &outcome->restart_clusters_used[i]));
    }
    memcpy(outcome->labels, r.labels + best * samples, samples * sizeof *outcome->labels);
    outcome->embedding_rows = clusters;
    outcome->embedding_is_kmeans = 1;
    outcome->restarts = count;
    outcome->best_restart = best;
    return ONEFOLD_OK;
}
