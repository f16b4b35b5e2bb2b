/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Single best kernel k-means: the leading eigenvectors of one view's kernel. The view is the
 * caller's, or the one whose leading eigenvalues are the largest share of the trace, as the best
 * view is not known without labels.
 */
#include "peers/common.h"

#include <string.h>

enum { VIEW, END };
static const of_method_option options[] = {
    {"view", NULL, 0, 0, 1e6,
     "the view to take, from 1; 0: the one of largest leading share of the trace"},
    OF_SPECTRAL_OPTIONS,
};

static void count_work(of_context *context, const of_problem *problem, of_method_estimate *estimate)
{
    (void)context;
    size_t n = problem->dataset->samples, clusters = problem->options->clusters;
    size_t views = problem->own[VIEW] > 0 ? 1 : problem->dataset->view_count;
    of_spectral_work(n, clusters, (double)views, &estimate->fit);
}

typedef struct best_view {
    size_t view;
    double trace, share; /* share: leading eigenvalues over the trace; -1: no view yet */
    double seconds;      /* of the kernels */
    double *vector;      /* samples x clusters */
} best_view;

/* Computes one view, and keeps it if its share is larger. */
static onefold_status try_view(of_context *context, const of_problem *problem, size_t view,
                               best_view *best)
{
    size_t n = problem->dataset->samples, clusters = problem->options->clusters;
    OF_SCRATCH(scratch, context);
    double *kernel, *value, *vector, leading = 0;
    OF_TRY(OF_NEW_ALL(&scratch, {&kernel, n, n}, {&value, clusters, 1}, {&vector, n, clusters}));
    double began = of_clock_seconds();
    OF_TRY(of_partition_matrix(context, &problem->kernels[view], &problem->partition,
                               OF_CENTRED_NORMALISED, kernel));
    best->seconds += of_clock_seconds() - began;
    double trace = of_kernels_trace(context, n, kernel);
    if (!(trace > 0))
        return ONEFOLD_OK;
    OF_TRY(of_spectral_top(context, n, clusters, kernel, value, vector));
    best->trace = of_counts(context) ? trace : best->trace;
    OF_COUNTED(context);
    for (size_t i = 0; i < clusters; i++)
        leading += value[i];
    if (leading / trace > best->share) {
        best->view = view;
        best->trace = trace;
        best->share = leading / trace;
        memcpy(best->vector, vector, n * clusters * sizeof *vector);
    }
    return ONEFOLD_OK;
}

static onefold_status run(of_context *context, const of_problem *problem, of_outcome *outcome)
{
    size_t n = problem->dataset->samples, clusters = problem->options->clusters;
    size_t count = problem->dataset->view_count, given = (size_t)problem->own[VIEW];
    if (given > count)
        return of_fail(ONEFOLD_USAGE, "sb-kkm was asked for view %zu, and there are %zu", given,
                       count);
    OF_SCRATCH(scratch, context);
    best_view best = {.share = -1};
    OF_TRY(OF_NEW(&scratch, &best.vector, n, clusters));
    for (size_t i = 0; i < count; i++) {
        of_context_progress(context, "fit", (double)i, (double)count,
                            problem->dataset->views[i].name);
        if (given == 0 || given == i + 1)
            OF_TRY(try_view(context, problem, i, &best));
    }
    outcome->seconds_base = best.seconds;
    OF_TRY(of_kernels_check(1, &best.trace));
    OF_TRY(OF_NEW_THERE(&outcome->arena, &outcome->trace, 1, 1));
    outcome->trace[0] = outcome->objective = best.trace * (1 - best.share);
    outcome->iterations = 1;
    outcome->converged = 1;
    if (given == 0)
        OF_TRY(OF_TEXT(&outcome->arena, &outcome->note,
                       "view %zu (%s) of %zu was chosen without labels: its %zu leading "
                       "eigenvalues hold %.1f %% of its trace, the largest share",
                       best.view + 1, problem->dataset->views[best.view].name, count, clusters,
                       100 * best.share));
    OF_TRY(of_spectral_labels(context, problem, problem->own + END, NULL, best.vector, outcome));
    outcome->views[best.view].weight = 1;
    return ONEFOLD_OK;
}

const of_method of_method_sb_kkm = {
    .name = "sb-kkm",
    .why_no_weights = "it takes one view alone",
    .title = "single best kernel k-means",
    OF_PEER_PARTS,
    .grid = "view=*",
};
