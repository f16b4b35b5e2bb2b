/* SPDX-License-Identifier: Apache-2.0 */
/* A fit as a pipeline: options checked, kernels made, cost held against the limit, method run. */
#ifndef OF_MODEL_FIT_H
#define OF_MODEL_FIT_H

#include "method/method.h"
#include "model/fit_options.h"

/* A checked problem with everything it points to. */
typedef struct of_fit_plan {
    const of_method *method;
    onefold_fit_options options; /* every 0 resolved */
    of_kernel *kernels;          /* one per view */
    size_t kernel_bytes;         /* what they hold: features made of a view, means and scales */
    double *own;                 /* the method's own options */
    of_problem problem;
    onefold_estimate_info estimate; /* of memory; of time once it was asked for */
    of_method_estimate work;        /* what it will do; seconds are those of usual machines */
} of_fit_plan;

/* Checks options against data, makes the kernels and computes what memory it takes. Memory is from
 * `arena`. */
onefold_status of_fit_plan_make(of_context *context, of_arena *arena, const of_dataset *dataset,
                                const onefold_fit_options *options, of_fit_plan *plan);

/* Dims and anchors that are 0 become twice the clusters; dims are cut to the samples. */
void of_fit_resolve_sizes(const of_dataset *dataset, onefold_fit_options *options);

/* Refuses, with the figure, a fit that would pass the context's memory limit. */
onefold_status of_fit_check_memory(of_context *context, const onefold_estimate_info *estimate);

/* Sets the seconds of the plan's work, what a GPU can do at its rates, and returns their sum. */
double of_fit_time_stages(of_fit_plan *plan, const of_work *cpu, const of_work *gpu);

/* Whether a fit is worth a GPU. */

/* Measures the machine, and sets the seconds of the plan's work where it would be done. Where the
 * context leaves the choice to us, the GPU is opened if the fit gains by it. */
onefold_status of_fit_choose_device(of_context *context, of_fit_plan *plan);

#endif
