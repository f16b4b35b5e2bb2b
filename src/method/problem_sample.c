/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The problem of an even sample of a problem's samples (docs/method.md section 11). Kernels keep
 * the means, scales and widths of all samples.
 */
#include "method/onefold_pool.h"

#include "data/dataset.h"
#include "kernel/kernel.h"
#include "method/base_stage.h"
#include "method/os_lfmvc_cs.h"

#include <string.h>

/* A sample would lose nearly all links of a graph, and a given kernel has no features. */
int of_sample_suits(const of_problem *problem)
{
    const onefold_fit_options *options = problem->options;
    for (size_t i = 0; i < problem->dataset->view_count; i++)
        if (of_kernel_is_square(problem->kernels[i].kind))
            return 0;
    size_t n = problem->dataset->samples;
    return of_cs_sample_size(n) < n && options->effort != ONEFOLD_EFFORT_QUICK;
}

/* The rows of the view that belong to the even sample. Returns their number. */
static size_t place_rows(const of_dataset *dataset, size_t view, size_t count, size_t *place)
{
    size_t found = 0, own = 0, next = 0;
    if (!of_present_missing(dataset, view)) {
        for (; found < count; found++)
            place[found] = of_part_start(dataset->samples, count, found);
        return found;
    }
    for (size_t j = 0; j < dataset->samples && next < count; j++) {
        int sampled = j == of_part_start(dataset->samples, count, next),
            has = of_present_at(dataset, j, view);
        if (sampled && has)
            place[found++] = own;
        next += sampled != 0;
        own += has != 0;
    }
    return found;
}

static onefold_status take_kernel(of_context *context, of_arena *arena, const of_problem *problem,
                                  size_t i, size_t count, of_kernel *kernel)
{
    OF_SCRATCH(scratch, context);
    size_t *place;
    OF_TRY(OF_NEW_THERE(&scratch, &place, count, 1)); /* sizes depend on it */
    size_t found = place_rows(problem->dataset, i, count, place);
    return of_kernel_take(context, arena, &problem->kernels[i], place, found, kernel);
}

void of_sample_derive(const of_problem *problem, of_kernel *kernels, of_sample *made)
{
    made->options = *problem->options;
    made->options.keep_model = made->options.view_parts = made->options.picture = 0;
    made->problem = *problem;
    made->problem.dataset = &made->dataset;
    made->problem.kernels = kernels;
    made->problem.options = &made->options;
}

onefold_status of_sample_make(of_context *context, of_arena *arena, const of_problem *problem,
                              size_t count, of_sample *sample)
{
    const of_dataset *all = problem->dataset;
    size_t p = all->view_count;
    of_kernel *kernels;
    OF_TRY(OF_NEW(arena, &kernels, p, 1));
    sample->dataset = (of_dataset){.samples = count, .view_count = p};
    of_sample_derive(problem, kernels, sample);
    OF_TRY(OF_NEW(arena, &sample->dataset.views, p, 1));
    for (size_t i = 0; i < p; i++) {
        onefold_status status = take_kernel(context, arena, problem, i, count, &kernels[i]);
        if (status != ONEFOLD_OK)
            return of_blame(status, "view '%s'", all->views[i].name);
        sample->dataset.views[i] = *kernels[i].view;
    }
    if (all->present) {
        OF_TRY(OF_NEW_THERE(arena, &sample->dataset.present, count, p));
        for (size_t j = 0; j < count; j++)
            memcpy(sample->dataset.present + j * p,
                   all->present + of_part_start(all->samples, count, j) * p, p);
    }
    return of_base_stage_decide(arena, &sample->problem);
}
