/* SPDX-License-Identifier: Apache-2.0 */
/* What onefold_choose is asked for: options and memory, checked before anything is made. */
#include "base/structs.h"
#include "method/base_stage.h"
#include "model/choose.h"

#include <string.h>

enum { STANDARD_MOST = 20, STANDARD_RESTARTS = 1 };

onefold_status of_choose_check_options(const of_dataset *dataset,
                                       const onefold_choose_options *options)
{
    if (dataset->view_count == 0)
        return of_fail(ONEFOLD_BAD_DATA, "the data set has no view");
    if (options->least < 2)
        return of_hint(
            of_fail(ONEFOLD_USAGE, "the least number of clusters to try is %zu", options->least),
            "give `least` 2 or more: one cluster cannot be compared with anything");
    if (options->most && options->most < options->least)
        return of_hint(of_fail(ONEFOLD_USAGE, "from %zu to %zu clusters there is no number to try",
                               options->least, options->most),
                       "give a `most` that is not below `least`");
    size_t largest = options->most ? options->most : options->least;
    if (largest >= dataset->samples)
        return of_hint(of_fail(ONEFOLD_BAD_DATA,
                               "%zu clusters cannot be tried on %zu samples: each would be alone",
                               largest, dataset->samples),
                       "give a `most` below the number of samples");
    if (options->subsamples < 2)
        return of_fail(ONEFOLD_USAGE, "stability needs at least 2 subsamples, not %zu",
                       options->subsamples);
    if (!(options->share > 0 && options->share <= 1))
        return of_fail(ONEFOLD_USAGE, "a subsample is a share above 0 and up to 1, not %g",
                       options->share);
    size_t size =
        of_choose_subsample_size(of_choose_pool_samples(dataset->samples), options->share);
    if (largest > size)
        return of_hint(of_fail(ONEFOLD_BAD_DATA,
                               "a subsample of %zu samples cannot make %zu "
                               "clusters",
                               size, largest),
                       "give a smaller `most`");
    return ONEFOLD_OK;
}

onefold_status of_choose_copy_options(of_choose_work *work, const of_dataset *dataset,
                                      const onefold_fit_options *fit,
                                      const onefold_choose_options *options)
{
    work->options = (onefold_choose_options)ONEFOLD_CHOOSE_OPTIONS_INIT;
    work->fit = (onefold_fit_options)ONEFOLD_FIT_OPTIONS_INIT;
    work->fit.restarts = STANDARD_RESTARTS;
    OF_TRY(OF_STRUCT_READ(&work->options, options, onefold_choose_options));
    OF_TRY(OF_STRUCT_READ(&work->fit, fit, onefold_fit_options));
    work->views = dataset->view_count;
    onefold_fit_options standard = ONEFOLD_FIT_OPTIONS_INIT;
    OF_TRY(of_fit_options_refuse(&work->fit, &standard,
                                 "kernel restarts variant nonneg stop tolerance max_iterations "
                                 "base landmarks neighbours precision seed",
                                 "choosing the number of clusters"));
    work->fit.method = "os-lfmvc-cs";
    if (!work->options.method || strcmp(work->options.method, work->fit.method) == 0)
        return ONEFOLD_OK;
    work->fit.method = "onefold";
    work->joint = 1;
    if (strcmp(work->options.method, work->fit.method) == 0)
        return ONEFOLD_OK;
    return of_hint(of_fail(ONEFOLD_USAGE,
                           "the number of clusters is not chosen with the method \"%s\"",
                           work->options.method),
                   "give the `method` os-lfmvc-cs or onefold");
}

size_t of_choose_standard_most(const of_dataset *dataset, const onefold_choose_options *options)
{
    size_t size =
        of_choose_subsample_size(of_choose_pool_samples(dataset->samples), options->share);
    size_t most = size < dataset->samples ? size : dataset->samples - 1;
    most = most < STANDARD_MOST ? most : STANDARD_MOST;
    return most > options->least ? most : options->least;
}

/* The most bytes that the pools and a point hold at once, X not counted. */
static onefold_status choose_estimate_bytes(size_t *bytes, of_context *context, size_t samples,
                                            size_t views, size_t dims,
                                            const onefold_fit_options *fit,
                                            const onefold_choose_options *options)
{
    enum { D = sizeof(double), SMALL_CHANGE = 1 << 20 };
    size_t pool = of_choose_pool_samples(samples), chance = of_choose_chance_samples(pool),
           size = of_choose_subsample_size(pool, options->share), mu = fit->clusters, rows, kept,
           all, run, threads = (size_t)context->threads;
    size_t longest = size > chance ? size : chance;
    OF_TRY(of_size_multiply(&rows, views, dims));
    OF_TRY(of_size_multiply(&kept, (samples > pool ? pool : 0) + chance, rows * D));
    OF_TRY(of_cs_estimate_bytes(&all, pool, views, dims, 2 * mu, mu, fit->restarts, (int)threads));
    OF_TRY(of_cs_estimate_bytes(&run, longest, views, dims, 2 * mu, mu, 1, 1));
    all += rows * D * (pool + 2 * rows);
    run = threads * (run + rows * D * longest);
    size_t made = rows * D * (chance + 66 * rows); /* while the samples without clusters are made */
    all = all > run ? all : run;
    OF_TRY(of_size_add(bytes, kept, all > made ? all : made));
    size_t labels = sizeof(int32_t) * (2 * options->subsamples + 8) * pool;
    return of_size_add(bytes, *bytes, labels + SMALL_CHANGE);
}

onefold_status of_choose_check_memory(const of_choose_work *work, const of_fit_plan *plan)
{
    size_t X, base, curve, peak;
    size_t blocks = work->joint ? OF_JOINT_STACK_MOST : work->views;
    if (work->joint) {
        OF_TRY(of_joint_stack_bytes(work->context, &plan->problem, &base));
        X = 0; /* counted */
    } else {
        size_t pieces; /* which are counted before the base partitions are made */
        OF_TRY(of_base_stage_estimate_bytes(work->context, &plan->problem, &X, &base));
        OF_TRY(of_joint_pieces_bytes(work->context, &plan->problem, &pieces));
        base = pieces > base ? pieces : base;
    }
    OF_TRY(choose_estimate_bytes(&curve, work->context, plan->problem.dataset->samples, blocks,
                                 work->dims, &work->fit, &work->options));
    OF_TRY(of_size_add(&peak, plan->estimate.input_bytes, X));
    OF_TRY(of_size_add(&peak, peak, base > curve ? base : curve));
    if (work->joint) /* partitions stay while the curve is drawn */
        OF_TRY(of_size_add(&peak, peak, base > curve ? curve : base));
    size_t limit = work->context->memory_limit;
    if (!limit || peak <= limit)
        return ONEFOLD_OK;
    char need[32], allowed[32];
    return of_hint(of_fail(ONEFOLD_NO_MEMORY,
                           "trying up to %zu clusters would need %s of memory for %zu samples, and "
                           "%s are allowed",
                           work->fit.clusters, of_size_text(need, peak),
                           plan->problem.dataset->samples, of_size_text(allowed, limit)),
                   "allow more with `memory_limit`, or give a smaller `most`");
}
