/* SPDX-License-Identifier: Apache-2.0 */
/* A fit as a pipeline: options checked, kernels made, cost held against the limit, method run. */
#ifndef OF_MODEL_FIT_H
#define OF_MODEL_FIT_H

#include "method/method.h"

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

/* What a view was, beside what a method makes of it: its name is copied, as results outlive the
 * data set. */
onefold_status of_fit_describe_view(of_arena *arena, const of_fit_plan *plan, size_t index,
                                    onefold_view_fit *view);

/* Refuses, with the figure, a fit that would pass the context's memory limit. */
onefold_status of_fit_check_memory(of_context *context, const onefold_estimate_info *estimate);

/* Sets the seconds of the plan's work, what a GPU can do at its rates, and returns their sum. */
double of_fit_time_stages(of_fit_plan *plan, const of_work *cpu, const of_work *gpu);

/* Whether a fit is worth a GPU. */

/* Measures the machine, and sets the seconds of the plan's work where it would be done. Where the
 * context leaves the choice to us, the GPU is opened if the fit gains by it. */
onefold_status of_fit_choose_device(of_context *context, of_fit_plan *plan);

/* ---- options: what goes through all of them goes through one table ------------------------- */

typedef struct of_fit_option {
    const char *name;
    size_t offset, size;
    int is_text; /* const char *, or NULL; else a number */
    int own;     /* each process of a fit may have its own */
} of_fit_option;

/* Every option, in the order of the struct, struct_size apart. */
extern const of_fit_option of_fit_option_table[];
extern const size_t of_fit_option_count;

/* The value of an option as text that tells any two apart; NULL is "". `room` holds what is not
 * text. */
enum { OF_OPTION_ROOM = 24 };
const char *of_fit_option_text(const of_fit_option *option, const onefold_fit_options *options,
                               char room[OF_OPTION_ROOM]);

/* The caller's options in our size: what a shorter, older struct lacks keeps its default. */
onefold_status of_fit_options_copy(onefold_fit_options *copy, const onefold_fit_options *options);

/* Sets options that a method has no use for as they are where nobody asks for them. */
void of_fit_options_drop(onefold_fit_options *options, const of_method *method);

/* Refuses options that differ from `standard` and are none of `used` ("kernel seed"): `who` would
 * ignore them. */
onefold_status of_fit_options_refuse(const onefold_fit_options *options,
                                     const onefold_fit_options *standard, const char *used,
                                     const char *who);

#endif
