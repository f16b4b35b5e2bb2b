/* SPDX-License-Identifier: Apache-2.0 */
/* Asking a result what it holds. */
#include "model/fit.h"

#include "base/comm.h"
#include "base/status.h"
#include "data/dataset.h"
#include "method/base_stage.h"

#include <math.h>

void onefold_result_free(onefold_result *result)
{
    if (result)
        of_arena_free(&result->arena); /* in which it lies itself */
}

const onefold_fit_info *onefold_result_describe(const onefold_result *result)
{
    return result ? &result->info : NULL;
}

const onefold_column *onefold_result_column(const onefold_result *result, size_t view,
                                            size_t cluster, size_t rank)
{
    if (!result || !result->column_count || view >= result->info.views ||
        cluster >= result->info.clusters)
        return NULL;
    size_t place = cluster * result->info.views + view;
    return rank < result->column_count[place] ? &result->column[place * result->info.explain + rank]
                                              : NULL;
}

/* What a report draws of each view by itself, for methods that keep nothing of it: the leading
 * eigenvectors and eigenvalues of its kernel, made when the labels are there. */

enum {
    PLACES = 2,         /* coordinates */
    PAST = 20,          /* eigenvalues beyond the number of clusters, at most */
    MOST_SPECTRUM = 200 /* clusters beyond these are too many for a spectrum that shows a gap */
};

/* The two leading rows, scaled by the roots of their eigenvalues: what the kernel's own principal
 * components are. */
static onefold_status draw_view(of_context *context, const of_fit_plan *plan, size_t view,
                                of_picture *picture)
{
    OF_SCRATCH(scratch, context);
    const of_kernel *kernel = &plan->kernels[view];
    const of_dataset *dataset = plan->problem.dataset;
    of_partition_options options = plan->problem.partition;
    size_t rows = of_size_least(picture->spectrum_rows, kernel->view->samples);
    of_partition made;
    double *H; /* of those present alone */
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

onefold_status of_picture_views(of_context *context, const of_fit_plan *plan, of_outcome *outcome)
{
    const of_dataset *dataset = plan->problem.dataset;
    size_t p = dataset->view_count, n = dataset->samples, mu = plan->options.clusters;
    of_arena *arena = &outcome->arena;
    of_picture *made;
    if (!plan->options.picture || outcome->picture || of_comm_splits(context, n))
        return ONEFOLD_OK;
    OF_TRY(OF_NEW_ZERO(arena, &made, 1, 1));
    made->spectrum_rows = mu > MOST_SPECTRUM ? PLACES : mu + of_size_least(mu, PAST);
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
        double sum = 0; /* of what speaks for the sample's cluster */
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
