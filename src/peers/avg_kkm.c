/* SPDX-License-Identifier: Apache-2.0 */
/* Average kernel k-means: the leading eigenvectors of the mean of the views' kernels, with weights
 * as equal as the caller's bounds allow. */
#include "peers/common.h"

static const of_method_option options[] = {OF_SPECTRAL_OPTIONS};

static void count_work(of_context *context, const of_problem *problem, of_method_estimate *estimate)
{
    (void)context;
    of_spectral_work(problem->dataset->samples, problem->options->clusters, 1, &estimate->fit);
}

/* mean = the weighted sum of the kernels, which are made one at a time. */
static onefold_status average(of_context *context, const of_problem *problem, const double *share,
                              double *mean)
{
    size_t n = problem->dataset->samples, count = problem->dataset->view_count;
    OF_SCRATCH(scratch, context);
    double *kernel;
    OF_TRY(OF_NEW(&scratch, &kernel, n, n));
    for (size_t i = 0; i < count; i++) {
        of_context_progress(context, "base", (double)i, (double)count,
                            problem->dataset->views[i].name);
        OF_TRY(of_partition_matrix(context, &problem->kernels[i], &problem->partition,
                                   OF_CENTRED_NORMALISED, i ? kernel : mean));
        const double *const part[2] = {mean, kernel}, weight[2] = {i ? 1 : share[i], share[i]};
        OF_TRY(of_kernels_combine(context, n, i ? 2 : 1, part, weight, mean));
    }
    return ONEFOLD_OK;
}

static onefold_status run(of_context *context, const of_problem *problem, of_outcome *outcome)
{
    size_t n = problem->dataset->samples, clusters = problem->options->clusters;
    size_t count = problem->dataset->view_count;
    double started = of_clock_seconds(), *mean, *value, *vector, *weight;
    OF_SCRATCH(scratch, context);
    OF_TRY(OF_NEW_ALL(&scratch, {&mean, n, n}, {&value, clusters, 1}, {&vector, n, clusters}));
    OF_TRY(OF_NEW_THERE(&scratch, &weight, count, 1));
    of_kernels_weigh(count, NULL, NULL, problem->bounds, weight);
    OF_TRY(OF_NEW_THERE(&outcome->arena, &outcome->trace, 1, 1));
    OF_TRY(average(context, problem, weight, mean));
    double trace = of_kernels_trace(context, n, mean);
    outcome->seconds_base = of_clock_seconds() - started;
    OF_TRY(of_kernels_check(1, &trace));
    OF_TRY(of_spectral_top(context, n, clusters, mean, value, vector));
    of_arena_release(&scratch, mean);

    outcome->objective = trace;
    for (size_t i = 0; i < clusters && !of_counts(context); i++)
        outcome->objective -= value[i];
    outcome->trace[0] = outcome->objective;
    outcome->iterations = 1;
    outcome->converged = 1;
    return of_spectral_labels(context, problem, problem->own, weight, vector, outcome);
}

const of_method of_method_avg_kkm = {
    .name = "avg-kkm",
    .title = "average kernel k-means",
    OF_PEER_PARTS,
    .weights = OF_WEIGHTS_SUM,
};
