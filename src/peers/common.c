/* SPDX-License-Identifier: Apache-2.0 */
/* What the comparison methods share: kernel matrices, iterations, spectral clustering, features. */
#include "peers/common.h"

#include <float.h>
#include <math.h>
#include <string.h>

onefold_status of_kernels_load(of_context *context, of_arena *arena, const of_problem *problem,
                               of_finish finish, double ***kernel)
{
    size_t n = problem->dataset->samples, count = problem->dataset->view_count;
    OF_TRY(OF_NEW(arena, kernel, count, 1));
    for (size_t i = 0; i < count; i++) {
        of_context_progress(context, "base", (double)i, (double)count,
                            problem->dataset->views[i].name);
        OF_TRY(OF_NEW(arena, &(*kernel)[i], n, n));
        onefold_status status = of_partition_matrix(context, &problem->kernels[i],
                                                    &problem->partition, finish, (*kernel)[i]);
        if (status != ONEFOLD_OK)
            return of_blame(status, "view '%s'", problem->dataset->views[i].name);
    }
    of_context_progress(context, "base", (double)count, (double)count, NULL);
    return ONEFOLD_OK;
}

typedef struct combination {
    size_t n, count;
    const double *const *kernel;
    const double *weight;
    double *sum;
} combination;

enum { COLUMNS = 8 }; /* to a piece */

static onefold_status combine_piece(void *task, size_t index)
{
    const combination *c = task;
    size_t first = index * COLUMNS * c->n, end = first + COLUMNS * c->n;
    if (end > c->n * c->n)
        end = c->n * c->n;
    for (size_t e = first; e < end; e++)
        c->sum[e] = c->weight[0] * c->kernel[0][e];
    for (size_t i = 1; i < c->count; i++)
        for (size_t e = first; e < end; e++)
            c->sum[e] += c->weight[i] * c->kernel[i][e];
    return ONEFOLD_OK;
}

onefold_status of_kernels_combine(of_context *context, size_t n, size_t count,
                                  const double *const *kernel, const double *weight, double *sum)
{
    combination c = {n, count, kernel, weight, sum};
    return of_team_run(context, (n + COLUMNS - 1) / COLUMNS, combine_piece, &c);
}

double of_kernels_trace(const of_context *context, size_t n, const double *kernel)
{
    double sum = 0;
    if (of_counts(context))
        return 1;
    for (size_t j = 0; j < n; j++)
        sum += kernel[j * n + j];
    return sum;
}

onefold_status of_kernels_check(size_t count, const double *trace)
{
    for (size_t i = 0; i < count; i++)
        if (trace[i] > 0)
            return ONEFOLD_OK;
    return of_hint(of_fail(ONEFOLD_BAD_DATA,
                           "no view distinguishes any two samples: every kernel is "
                           "zero once it is centred"),
                   "check whether samples are rows or columns (onefold info)");
}

void of_kernels_weigh(size_t count, const double *cost, const double *trace,
                      const of_beta_bounds *bounds, double *weight)
{
    double least = INFINITY;
    for (size_t i = 0; i < count; i++) {
        weight[i] = trace && !(trace[i] > 0) ? 0 : cost ? 1 / cost[i] : 1;
        least = weight[i] > 0 ? fmin(least, weight[i]) : least;
    }
    for (size_t i = 0; i < count && bounds; i++) /* upper bounds of others may leave something */
        weight[i] = fmax(weight[i], 1e-12 * least);
    of_beta_bounds_point(bounds, OF_WEIGHTS_SUM, count, weight, weight);
}

onefold_status of_largest_row(of_context *context, size_t rows, size_t columns, const double *a,
                              const double *b, double *largest)
{
    OF_SCRATCH(scratch, context);
    double *sum;
    OF_TRY(OF_NEW_ZERO(&scratch, &sum, rows, 1));
    for (size_t j = 0; j < columns; j++)
        for (size_t i = 0; i < rows; i++)
            sum[i] += fabs(a[i + j * rows] - (b ? b[i + j * rows] : 0));
    *largest = 0;
    for (size_t i = 0; i < rows; i++)
        *largest = fmax(*largest, sum[i]);
    return ONEFOLD_OK;
}

onefold_status of_peer_iterate(void *run, of_peer_step step, double most, of_outcome *outcome)
{
    const of_peer_run *now = run;
    OF_TRY(OF_NEW(&outcome->arena, &outcome->trace, (size_t)most, 1));
    while (!now->converged && (double)outcome->iterations < most) {
        OF_TRY(of_context_check(now->context));
        of_context_progress(now->context, "fit", (double)outcome->iterations, most,
                            *now->detail ? now->detail : NULL);
        OF_TRY(step(run));
        OF_COUNTED(now->context);
        outcome->trace[outcome->iterations++] = now->objective;
    }
    outcome->objective = now->objective;
    outcome->converged = now->converged;
    return ONEFOLD_OK;
}

/* ---- eigenvectors ---------------------------------------------------------------------------- */

/* Makes the entry of largest modulus, the first among equals, positive. */
static void fix_sign(size_t n, double *vector)
{
    size_t at = 0;
    for (size_t i = 1; i < n; i++)
        if (fabs(vector[i]) > fabs(vector[at]))
            at = i;
    if (vector[at] < 0)
        cblas_dscal((int)n, -1, vector, 1);
}

/* Whether to iterate for a few eigenvectors, or compute all by LAPACK: by shapes alone. */
static int is_iterated(size_t n, size_t count)
{
    return n > 500 && 8 * count < n;
}

onefold_status of_spectral_top(of_context *context, size_t n, size_t count, const double *a,
                               double *value, double *vector)
{
    OF_SCRATCH(scratch, context);
    int done = 0;
    double *copy, *rows;
    if (is_iterated(n, count)) {
        of_matrix_operator dense = {context, n, a};
        of_eigen_options options = {.count = count, .tolerance = 1e-10, .aim = 1e-12};
        of_eigen_result result;
        OF_TRY(OF_NEW(&scratch, &rows, count, n));
        OF_TRY(of_eigen_block(context, n, of_matrix_apply, &dense, &options, value,
                              of_share_whole(rows, count), &result));
        /* not where it does not converge, or there are too few positive eigenvalues */
        done = of_counts(context) || (result.converged && result.rank == count);
        if (done && !of_counts(context))
            of_transpose(count, n, rows, count, vector, n);
    }
    if (!done) {
        OF_TRY(OF_NEW(&scratch, &copy, n, n));
        if (!of_counts(context))
            memcpy(copy, a, n * n * sizeof *copy);
        OF_TRY(of_eigh_top(context, n, count, copy, value, vector));
    }
    for (size_t j = 0; j < count && !of_counts(context); j++)
        fix_sign(n, vector + j * n);
    return ONEFOLD_OK;
}

void of_spectral_work(size_t n, size_t count, double times, of_work *work)
{
    double side = (double)n, square = side * side;
    if (is_iterated(n, count))
        work->product += times * 8 * square * (double)(10 * count + 200);
    else
        work->factor += times * 4.0 / 3 * square * side;
}

/* ---- labels -------------------------------------------------------------------------------- */

static onefold_status work_repeat(void *task, size_t index)
{
    const of_repeats *r = task;
    OF_SCRATCH(scratch, r->context);
    of_kmeans_options options = r->options;
    int32_t *labels = r->labels + index * r->samples;
    unsigned char *seen;
    options.index = index;
    options.lloyd = options.start == OF_KMEANS_SAMPLES;
    OF_TRY(of_kmeans(r->context, &options, r->rows, r->samples, r->x, r->rows, labels, NULL,
                     r->result + index));
    OF_TRY(OF_NEW_ZERO(&scratch, &seen, options.clusters, 1));
    OF_COUNTED(r->context);
    for (size_t j = 0; j < r->samples; j++) {
        r->used[index] += !seen[labels[j]];
        seen[labels[j]] = 1;
    }
    return ONEFOLD_OK;
}

onefold_status of_kmeans_repeat(of_arena *arena, of_repeats *r, size_t count)
{
    OF_TRY(OF_NEW(arena, &r->labels, r->samples, count));
    OF_TRY(OF_NEW(arena, &r->result, count, 1));
    OF_TRY(OF_NEW_ZERO(arena, &r->used, count, 1));
    OF_TRY(of_team_each(r->context, 1, count, work_repeat, r));
    r->best = 0;
    for (size_t i = 1; i < count && !of_counts(r->context); i++)
        r->best = r->result[i].cost < r->result[r->best].cost ? i : r->best;
    return ONEFOLD_OK;
}

onefold_status of_spectral_labels(of_context *context, const of_problem *problem, const double *end,
                                  const double *weight, const double *u, of_outcome *outcome)
{
    size_t samples = problem->dataset->samples, clusters = problem->options->clusters;
    size_t views = problem->dataset->view_count;
    size_t count = problem->options->restarts ? problem->options->restarts : 1;
    OF_SCRATCH(scratch, context);
    of_repeats r = {.context = context,
                    .options = {.clusters = clusters,
                                .replicates = (size_t)end[1],
                                .max_iterations = 100,
                                .start = end[0] ? OF_KMEANS_SAMPLES : OF_KMEANS_PLUSPLUS,
                                .seed = problem->options->seed},
                    .rows = clusters,
                    .samples = samples};
    OF_TRY(OF_NEW_ZERO(&outcome->arena, &outcome->views, views, 1));
    OF_TRY(OF_NEW(&outcome->arena, &outcome->embedding, clusters, samples));
    OF_TRY(OF_NEW(&outcome->arena, &outcome->labels, samples, 1));
    OF_TRY(OF_NEW(&outcome->arena, &outcome->restart_objective, count, 1));
    OF_TRY(OF_NEW(&outcome->arena, &outcome->restart_iterations, count, 1));
    OF_TRY(OF_NEW(&outcome->arena, &outcome->restart_clusters_used, count, 1));
    r.x = outcome->embedding;
    outcome->embedding_rows = clusters;
    for (size_t i = 0; i < views && weight; i++)
        outcome->views[i].weight = weight[i];
    if (!of_counts(context))
        of_transpose(samples, clusters, u, samples, outcome->embedding, clusters);
    for (size_t j = 0; j < samples && !of_counts(context); j++) {
        double *row = outcome->embedding + j * clusters,
               length = cblas_dnrm2((int)clusters, row, 1);
        for (size_t i = 0; i < clusters && length > 0; i++)
            row[i] /= length;
    }
    double began = of_clock_seconds();
    OF_TRY(of_kmeans_repeat(&scratch, &r, count));
    outcome->seconds_labels = of_clock_seconds() - began;
    OF_COUNTED(context);
    for (size_t i = 0; i < count; i++) {
        outcome->restart_objective[i] = r.result[i].cost;
        outcome->restart_iterations[i] = r.result[i].iterations;
        outcome->restart_clusters_used[i] = r.used[i];
    }
    memcpy(outcome->labels, r.labels + r.best * samples, samples * sizeof *outcome->labels);
    outcome->restarts = count;
    outcome->best_restart = r.best;
    return ONEFOLD_OK;
}

onefold_status of_affinity_normalise(of_context *context, size_t n, double more, double *w)
{
    OF_SCRATCH(scratch, context);
    double *scale;
    OF_TRY(OF_NEW(&scratch, &scale, n, 1));
    OF_COUNTED(context);
    for (size_t j = 0; j < n; j++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += w[i + j * n];
        sum = fabs(sum) + more;
        scale[j] = sum > 0 ? 1 / sqrt(sum) : 0;
    }
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            w[i + j * n] *= scale[i] * scale[j];
    return ONEFOLD_OK;
}

onefold_status of_affinity_labels(of_context *context, const of_problem *problem, const double *end,
                                  double *affinity, of_outcome *outcome)
{
    size_t n = problem->dataset->samples, clusters = problem->options->clusters;
    OF_SCRATCH(scratch, context);
    double *value, *vector;
    OF_TRY(OF_NEW_ALL(&scratch, {&value, clusters, 1}, {&vector, n, clusters}));
    OF_TRY(of_affinity_normalise(context, n, 2e-16, affinity));
    OF_TRY(of_spectral_top(context, n, clusters, affinity, value, vector));
    return of_spectral_labels(context, problem, end, NULL, vector, outcome);
}

/* ---- features -------------------------------------------------------------------------------- */

onefold_status of_features_load(of_context *context, const of_dataset *dataset, size_t view,
                                double *features)
{
    size_t columns = dataset->views[view].columns;
    OF_COUNTED(context);
    of_view_tile(&dataset->views[view], 0, dataset->samples, features, columns);
    for (size_t j = 0; j < dataset->samples; j++) {
        double *sample = features + j * columns, length = cblas_dnrm2((int)columns, sample, 1);
        if (dataset->present && !dataset->present[j * dataset->view_count + view])
            memset(sample, 0, columns * sizeof *sample);
        else if (length > 0)
            for (size_t i = 0; i < columns; i++)
                sample[i] /= length;
    }
    return ONEFOLD_OK;
}

/* With few rows the thin singular value decomposition; with many the eigenvectors of X'X, which is
 * several times faster. This loses directions below about 1e-7 of the largest value, which enter
 * X'X and lengths by their squares. */
onefold_status of_features_reduce(of_context *context, of_arena *arena, size_t rows, size_t samples,
                                  double *features, of_reduced_features *reduced)
{
    int flat = rows <= samples / 2;
    size_t side = flat ? rows : samples, rank = 0;
    double *value, *vector, *vt, least = DBL_EPSILON * (double)samples;
    OF_SCRATCH(scratch, context);
    OF_TRY(OF_NEW_ALL(&scratch, {&value, side, 1}, {&vector, side, side},
                      {&vt, flat ? rows : 0, samples}));
    if (flat)
        OF_TRY(of_svd(context, rows, samples, features, value, vector, vt));
    else {
        OF_TRY(of_team_syrk(context, 'T', samples, rows, 1, features, rows, 0, vector, samples));
        OF_TRY(of_eigh(context, samples, vector, value));
    }
    while (rank < side && (of_counts(context) || value[rank] > least * value[0]))
        rank++;
    OF_TRY(OF_NEW_ALL(arena, {&reduced->value, rank, 1}, {&reduced->basis, samples, rank}));
    reduced->rank = rank;
    OF_COUNTED(context);
    for (size_t i = 0; i < rank; i++) {
        reduced->value[i] = flat ? value[i] : sqrt(value[i]);
        cblas_dcopy((int)samples, flat ? vt + i : vector + i * samples, flat ? (int)rows : 1,
                    reduced->basis + i * samples, 1);
    }
    return ONEFOLD_OK;
}
