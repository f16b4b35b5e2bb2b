/* SPDX-License-Identifier: Apache-2.0 */
/* Samples in two dimensions: t-SNE of a seeded draw, with the other samples next to their
 * neighbours; or principal components of all. */
#include "report/layout.h"

#include "base/context.h"
#include "base/random.h"
#include "base/status.h"
#include "base/team.h"
#include "kernel/landmark_graph.h"
#include "linalg/blas.h"
#include "linalg/factor.h"

#include <math.h>
#include <string.h>

/* ---- principal components ------------------------------------------------------------------ */

onefold_status of_layout_pca(of_context *context, size_t rows, size_t n, const double *x,
                             size_t ldx, double *y)
{
    OF_SCRATCH(scratch, context);
    double *mean, *axis, *value;
    size_t count = rows < 2 ? rows : 2;
    memset(y, 0, 2 * n * sizeof *y);
    if (rows == 0)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW_ZERO(&scratch, &mean, rows, 1));
    OF_TRY(OF_NEW(&scratch, &axis, rows, rows)); /* first the covariance */
    OF_TRY(OF_NEW(&scratch, &value, rows, 1));
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < rows; i++)
            mean[i] += x[j * ldx + i] / (double)n;
    OF_TRY(of_team_syrk(context, 'N', rows, n, 1, x, ldx, 0, axis, rows));
    for (size_t e = 0; e < rows * rows; e++)
        axis[e] -= (double)n * mean[e / rows] * mean[e % rows];
    OF_TRY(of_eigh(context, rows, axis, value));
    for (size_t r = 0; r < count; r++) {
        /* The first entry of largest modulus becomes positive: the same signs with any LAPACK. */
        size_t most = r * rows;
        for (size_t e = most; e < (r + 1) * rows; e++)
            most = fabs(axis[e]) > fabs(axis[most]) * (1 + 1e-12) ? e : most;
        double sign = axis[most] < 0 ? -1 : 1;
        for (size_t e = r * rows; e < (r + 1) * rows; e++)
            axis[e] *= sign;
    }
    OF_TRY(of_team_gemm(context, 'T', 'N', count, n, rows, 1, axis, rows, x, ldx, 0, y, 2));
    for (size_t r = 0; r < count; r++) {
        double middle = of_dot(rows, 1, axis + r * rows, mean);
        for (size_t j = 0; j < n; j++)
            y[2 * j + r] -= middle;
    }
    return ONEFOLD_OK;
}

/* ---- exact nearest neighbours --------------------------------------------------------------- */

enum { QUERIES = 64 };

typedef struct neighbour_task {
    of_landmark_set set; /* all points */
    const double *q;
    size_t queries, count, wanted; /* wanted: one more than count where a query finds itself */
    double *room;                  /* per worker: of the search, and `wanted` for each query */
    uint32_t *near;                /* per worker: `wanted` for each query */
    uint32_t *index;
    double *distance;
} neighbour_task;

static onefold_status search(void *opaque, size_t piece)
{
    neighbour_task *task = opaque;
    size_t worker = of_team_worker(), wanted = task->wanted, first = piece * QUERIES,
           width = of_size_least(task->queries - first, QUERIES);
    double *room = task->room + worker * (task->set.room + wanted * QUERIES),
           *distance = room + task->set.room;
    uint32_t *near = task->near + worker * wanted * QUERIES;
    of_landmark_nearest(&task->set, wanted, width, task->q + first * task->set.columns, room, near,
                        distance);
    for (size_t j = first; j < first + width; j++, near += wanted, distance += wanted)
        for (size_t k = 0, to = 0; to < task->count; k++) {
            if (wanted > task->count && near[k] == j)
                continue;
            task->index[j * task->count + to] = near[k];
            task->distance[j * task->count + to++] = distance[k];
        }
    return ONEFOLD_OK;
}

onefold_status of_layout_neighbours(of_context *context, size_t rows, size_t points,
                                    const double *x, size_t queries, const double *q, int self,
                                    size_t count, uint32_t *index, double *distance)
{
    OF_SCRATCH(scratch, context);
    size_t workers = (size_t)of_team_size(context);
    neighbour_task task = {.set = {.count = points, .columns = rows, .at = x},
                           .q = q,
                           .queries = queries,
                           .count = count,
                           .wanted = count + (self != 0),
                           .index = index,
                           .distance = distance};
    if (!count || !queries)
        return ONEFOLD_OK;
    OF_TRY(of_landmark_set_finish(&scratch, &task.set));
    OF_TRY(OF_NEW(&scratch, &task.room, workers, task.set.room + task.wanted * QUERIES));
    OF_TRY(OF_NEW(&scratch, &task.near, workers, task.wanted * QUERIES));
    return of_team_run(context, (queries + QUERIES - 1) / QUERIES, search, &task);
}

/* ---- the layout ----------------------------------------------------------------------------- */

enum {
    PLACE_BY = 3,     /* neighbours that determine the place of another sample */
    FEW_CLUSTERS = 4, /* this many are visible in two principal components */
    PLACE_AT_ONCE = 4096
};

void of_layout_draw(size_t n, size_t count, uint64_t seed, uint64_t index, size_t *sample)
{
    of_random random = of_random_make(seed, OF_PURPOSE_LAYOUT, index);
    for (size_t j = 0, taken = 0; taken < count; j++)
        if ((double)(n - j) * of_random_uniform(&random) < (double)(count - taken))
            sample[taken++] = j;
}

/* Columns `which` of x, packed. */
static void gather(size_t rows, const double *x, size_t ldx, const size_t *which, size_t count,
                   double *out)
{
    for (size_t j = 0; j < count; j++)
        memcpy(out + j * rows, x + which[j] * ldx, rows * sizeof *out);
}

/* The mean of the nearest places by inverse squared distance, or the places at distance 0. */
static void place(const double *distance, const uint32_t *index, size_t count, const double *y,
                  double *out)
{
    double sum = 0;
    out[0] = out[1] = 0;
    for (size_t k = 0; k < count; k++) {
        double weight = distance[0] > 0 ? distance[0] / distance[k] : distance[k] == 0;
        sum += weight;
        out[0] += weight * y[2 * (size_t)index[k]];
        out[1] += weight * y[2 * (size_t)index[k] + 1];
    }
    out[0] /= sum;
    out[1] /= sum;
}

/* Places the samples that were not drawn, block by block. */
static onefold_status place_others(of_context *context, size_t rows, size_t n, const double *x,
                                   size_t ldx, const size_t *sample, size_t count,
                                   const double *points, const double *laid, double *y)
{
    OF_SCRATCH(scratch, context);
    size_t *which, near = count < PLACE_BY ? count : PLACE_BY, taken = 0, j = 0;
    double *query, *distance;
    uint32_t *index;
    OF_TRY(OF_NEW(&scratch, &which, PLACE_AT_ONCE, 1));
    OF_TRY(OF_NEW_ALL(&scratch, {&query, PLACE_AT_ONCE, rows}, {&distance, PLACE_AT_ONCE, near}));
    OF_TRY(OF_NEW(&scratch, &index, PLACE_AT_ONCE, near));
    for (size_t i = 0; i < count; i++)
        memcpy(y + 2 * sample[i], laid + 2 * i, 2 * sizeof *y);
    while (j < n) {
        size_t block = 0;
        for (; j < n && block < PLACE_AT_ONCE; j++)
            if (taken < count && sample[taken] == j)
                taken++;
            else
                which[block++] = j;
        gather(rows, x, ldx, which, block, query);
        OF_TRY(of_layout_neighbours(context, rows, count, points, block, query, 0, near, index,
                                    distance));
        for (size_t b = 0; b < block; b++)
            place(distance + b * near, index + b * near, near, laid, y + 2 * which[b]);
    }
    return ONEFOLD_OK;
}

onefold_status of_layout_make(of_context *context, size_t rows, size_t n, const double *x,
                              size_t ldx, size_t clusters, const onefold_layout_options *options,
                              double *y, onefold_layout_kind *kind)
{
    onefold_layout_kind made = options->kind;
    if (made == ONEFOLD_LAYOUT_AUTO)
        made = clusters > FEW_CLUSTERS ? ONEFOLD_LAYOUT_TSNE : ONEFOLD_LAYOUT_PCA;
    if (n < 4 || rows == 0) /* no neighbourhood to keep */
        made = ONEFOLD_LAYOUT_PCA;
    if (kind)
        *kind = made;
    if (made == ONEFOLD_LAYOUT_PCA)
        return of_layout_pca(context, rows, n, x, ldx, y);
    OF_SCRATCH(scratch, context);
    size_t count = n < options->most ? n : options->most, *sample;
    double *points, *laid;
    OF_TRY(OF_NEW(&scratch, &sample, count, 1));
    OF_TRY(OF_NEW_ALL(&scratch, {&points, rows, count}, {&laid, 2, count}));
    of_layout_draw(n, count, options->seed, 0, sample);
    gather(rows, x, ldx, sample, count, points);
    OF_TRY(of_layout_pca(context, rows, count, points, rows, laid));
    OF_TRY(of_layout_tsne(context, rows, count, points, options, laid));
    return place_others(context, rows, n, x, ldx, sample, count, points, laid, y);
}

onefold_status of_layout_options_read(onefold_layout_options *options,
                                      const onefold_layout_options *given)
{
    OF_TRY(OF_STRUCT_READ(options, given, onefold_layout_options));
    if (options->kind < ONEFOLD_LAYOUT_AUTO || options->kind > ONEFOLD_LAYOUT_TSNE)
        return of_fail(ONEFOLD_USAGE, "a layout of kind %d is not known", (int)options->kind);
    if (!(options->perplexity >= 1) || isinf(options->perplexity))
        return of_fail(ONEFOLD_USAGE, "the perplexity of a layout is at least 1, not %g",
                       options->perplexity);
    if (!(options->theta >= 0 && options->theta <= 1))
        return of_fail(ONEFOLD_USAGE, "theta of a layout is from 0 to 1, not %g", options->theta);
    if (options->most < 4 || options->most > 1000000)
        return of_fail(ONEFOLD_USAGE, "a layout works on 4 to 1000000 samples, not %zu",
                       options->most);
    return ONEFOLD_OK;
}

typedef struct layout_arguments {
    const onefold_fit_info *info;
    const onefold_layout_options *options;
    double *coordinates;
} layout_arguments;

static onefold_status layout_together(of_context *context, void *opaque)
{
    const layout_arguments *call = opaque;
    const onefold_fit_info *info = call->info;
    OF_TRY(of_blas_room(context->threads));
    return of_layout_make(context, info->embedding_rows, info->samples, info->embedding,
                          info->embedding_rows, info->clusters_used, call->options,
                          call->coordinates, NULL);
}

onefold_status onefold_layout(double *coordinates, onefold_context *context,
                              const onefold_result *result, const onefold_layout_options *options)
{
    onefold_layout_options own = ONEFOLD_LAYOUT_OPTIONS_INIT;
    if (!coordinates || !result)
        return of_fail(ONEFOLD_USAGE, "onefold_layout needs a result and room for coordinates");
    OF_TRY(of_layout_options_read(&own, options));
    const onefold_fit_info *info = onefold_result_describe(result);
    if (!info->embedding)
        return of_fail(ONEFOLD_UNSUPPORTED,
                       "this result of %s has no embedding that could be laid out", info->method);
    layout_arguments arguments = {info, &own, coordinates};
    return of_call(of_context_or_default(context), "layout", layout_together, &arguments);
}
