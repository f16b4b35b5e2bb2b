/* SPDX-License-Identifier: Apache-2.0 */
/* A fit as a pipeline: options checked, kernels made, cost held against the limit, method run. */
#ifndef OF_MODEL_FIT_H
#define OF_MODEL_FIT_H

#include "base/memory.h"
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

/* Before a fit: whether it is worth a GPU, where the context leaves that to us. Where one is asked
 * for, every rank has one, and all are of a kind; where a rank's GPU had no memory to be opened,
 * the CPU does it on all. */
onefold_status of_fit_consider_device(of_context *context, of_fit_plan *plan);

/* ---- options: what goes through all of them goes through one table ------------------------- */

/* "name=value" lines of those that must be the same for all processes: text that tells any two
 * apart. */
onefold_status of_fit_options_text(of_arena *arena, const onefold_fit_options *options,
                                   char **text);

/* The caller's options in our size: what a shorter, older struct lacks keeps its default. */
onefold_status of_fit_options_copy(onefold_fit_options *copy, const onefold_fit_options *options);

/* Sets options that a method has no use for as they are where nobody asks for them. */
void of_fit_options_drop(onefold_fit_options *options, const of_method *method);

/* Refuses options that differ from `standard` and are none of `used` ("kernel seed"): `who` would
 * ignore them. */
onefold_status of_fit_options_refuse(const onefold_fit_options *options,
                                     const onefold_fit_options *standard, const char *used,
                                     const char *who);

/* ---- what a fit keeps ---------------------------------------------------------------------- */

struct onefold_result {
    of_arena arena; /* of everything below, and of the result itself */
    onefold_fit_info info;
    /* Of cluster c and view v, column_count[c * views + v], at most info.explain, which start at
     * column[(c * views + v) * info.explain]. NULL: not asked for. */
    const size_t *column_count;
    const onefold_column *column;
    const of_picture *picture; /* or NULL */
};

/* ---- why (explain.c) ----------------------------------------------------------------------- */

/* How far each view by itself agrees with the labels, with the other views, and cluster by cluster;
 * the columns that set each cluster apart (docs/explain.md); and the outcome's picture: what a
 * report draws of each view. Fills in of the result what the plan asks for; memory is from the
 * outcome's arena. */
onefold_status of_explain(of_context *context, const of_fit_plan *plan, of_outcome *outcome,
                          onefold_result *result);

/* Then, where samples are split: rank 0 has the labels, confidences and view parts of all. */
onefold_status of_fit_collect(const of_fit_plan *plan, of_outcome *outcome);

/* ---- columns ------------------------------------------------------------------------------ */

/* For each cluster c, the columns whose features (kernel/kernel.h) have the largest correlation,
 * by modulus, with belonging to it: count[c * step] of them, `most` at most, from column[c * step *
 * most] on,
 * strongest first and equal ones in their order. Constant columns and those at the level of chance
 * are left out, and so is everything where a cluster has none or all of the samples. `labels`: one
 * for each sample of the kernel's view that this process has. Not for precomputed kernels. Names
 * are left NULL. */
onefold_status of_explain_columns(of_context *context, const of_kernel *kernel,
                                  const int32_t *labels, size_t clusters, size_t most, size_t step,
                                  size_t *count, onefold_column *column);

/* What the correlation of a column has to pass: of `columns` that have nothing to do with a
 * cluster, over `samples` samples, the strongest stays below it 19 times in 20. */
double of_explain_chance(size_t samples, size_t columns);

#endif
