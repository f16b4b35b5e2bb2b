/* SPDX-License-Identifier: Apache-2.0 */
/*
 * About how long a fit takes on a card: the operations and bytes of each stage over the rates of an
 * H200 (docs/gpu.md), which is what there is to go by before a card is opened. What the card leaves
 * to the CPU counts as the CPU's.
 */
#include "method/os_lfmvc_cs_card.h"

#include "method/base_stage_card.h"
#include "method/os_lfmvc_cs.h"

/* Per second, in seconds where it says so. */
static const struct {
    double copy;            /* bytes of raw samples to it */
    double single, doubles; /* operations of kernel values and projections */
    double pass[2];         /* operations of a pass: of floats, of doubles */
    double results;         /* bytes of what comes back */
    double view, race;      /* seconds: small problems of a view; restarts on a sample */
    double step;            /* seconds: small problems of an iteration */
} H200 = {38e9, 40e12, 10e12, {38e12, 7e12}, 8e9, 0.035, 0.15, 0.00025};

/* Of one view that the card makes. */
static double view_seconds(const of_problem *problem, size_t i, const of_partition_estimate *cpu)
{
    const of_view *view = problem->kernels[i].view;
    double n = (double)view->samples, d = (double)view->columns, k = (double)problem->options->dims,
           bytes = (double)of_view_bytes(view);
    if (cpu->landmarks)
        return H200.view + bytes / H200.copy +
               2 * n * (double)cpu->landmarks * (d + k + 1) / H200.single;
    return H200.view + 5 * bytes / H200.copy + 2 * n * d * (d + k) / H200.doubles;
}

onefold_status of_cs_card_time(of_context *context, const of_problem *problem,
                               of_method_estimate *estimate)
{
    const onefold_fit_options *options = problem->options;
    size_t p = problem->dataset->view_count;
    double n = (double)problem->dataset->samples, k = (double)options->dims,
           flops = of_cs_pass_flops(n, (double)p, k, (double)options->anchors,
                                    (double)options->clusters);
    estimate->seconds_base = 0;
    for (size_t i = 0; i < p; i++) {
        of_partition_estimate *view = &estimate->views[i];
        if (of_base_card_fits(context, problem, i))
            view->seconds = view_seconds(problem, i, view);
        else
            view->seconds += 8 * n * k / H200.results;
        estimate->seconds_base += view->seconds;
    }
    estimate->seconds_fit =
        H200.race + (double)estimate->iterations * H200.step +
        (double)estimate->passes * flops / H200.pass[options->precision == ONEFOLD_DOUBLE] +
        n * (double)(4 * (p + 2) + 8) / H200.results;
    return ONEFOLD_OK;
}
