/* SPDX-License-Identifier: Apache-2.0 */
/* A fit: check options, make kernels, check the memory limit, run the method, explain labels. */
#ifndef OF_MODEL_FIT_H
#define OF_MODEL_FIT_H

#include "base/memory.h"
#include "method/method.h"

/* A checked problem with everything it points to. */
typedef struct of_fit_plan {
    const of_method *method;
    onefold_fit_options options; /* with defaults filled in */
    of_kernel *kernels;          /* one per view */
    size_t kernel_bytes;         /* held by the kernels: features, means and scales */
    double *own;                 /* the method's own options */
    of_problem problem;
    onefold_estimate_info estimate; /* of memory; with `measure` also of time */
    of_method_estimate work;        /* seconds at usual rates, until the machine is measured */
} of_fit_plan;

/* Checks options against data, and makes the kernels. The plan is from `arena`. */
OF_PRIVATE onefold_status of_fit_plan_make(of_context *context, of_arena *arena,
                                           const of_dataset *dataset,
                                           const onefold_fit_options *options, of_fit_plan *plan);

/* Dims and anchors that are 0 become twice the clusters; dims are cut to the samples. */
OF_PRIVATE void of_fit_resolve_sizes(const of_dataset *dataset, onefold_fit_options *options);

/* Storage, kernel, columns and name of a view. The name is copied: results outlive the data set. */
onefold_status of_fit_describe_view(of_arena *arena, const of_fit_plan *plan, size_t index,
                                    onefold_view_fit *view);

/* Fills in the estimate of memory. And does so where there is a limit, and refuses a plan above it.
 * Without a limit a fit that has a model is not counted: it runs once. */
OF_PRIVATE onefold_status of_fit_plan_memory(of_context *context, of_fit_plan *plan);
onefold_status of_fit_plan_check(of_context *context, of_fit_plan *plan);

/* Refuses a fit whose estimate is above the context's memory limit. */
onefold_status of_fit_check_memory(of_context *context, const onefold_estimate_info *estimate);

/* Chooses CPU or GPU where the context leaves the choice to the fit. Where the caller chose the
 * GPU, all ranks need GPUs of one kind; if one of these had no memory left, all use the CPU. */
onefold_status of_fit_consider_device(of_context *context, of_fit_plan *plan);

/* ---- options, by one table ------------------------------------------------------------------ */

/* "name=value" lines: different text for different options, to compare them between processes. */
onefold_status of_fit_options_text(of_arena *arena, const onefold_fit_options *options,
                                   char **text);

/* Copies the caller's options. Fields that an older, shorter struct lacks get their default. */
OF_PRIVATE onefold_status of_fit_options_copy(onefold_fit_options *copy,
                                              const onefold_fit_options *options);

/* Sets options that the method does not use to their defaults. */
OF_PRIVATE void of_fit_options_drop(onefold_fit_options *options, const of_method *method);

/* Refuses options that differ from `standard` and are not in the list `used` ("kernel seed"), as
 * `who` would ignore them. */
OF_PRIVATE onefold_status of_fit_options_refuse(const onefold_fit_options *options,
                                                const onefold_fit_options *standard,
                                                const char *used, const char *who);

/* ---- results ------------------------------------------------------------------------------- */

struct onefold_result {
    of_arena arena; /* of the result and everything in it */
    onefold_fit_info info;
    /* Cluster c and view v have column_count[c * views + v] columns, at most info.explain, from
     * column[(c * views + v) * info.explain] on. NULL: without options.explain. */
    const size_t *column_count;
    const onefold_column *column;
    const of_picture *picture; /* or NULL */
    onefold_finding finding;
};

/* ---- explanation (explain.c) ---------------------------------------------------------------- */

/* Fills in what the plan asks for: agreement of each view with the labels, with the other views and
 * for each cluster; the columns that set each cluster apart (docs/explain.md); the picture. Memory
 * is from the outcome's arena. */
onefold_status of_explain(of_context *context, const of_fit_plan *plan, of_outcome *outcome,
                          onefold_result *result);

/* ---- stability (stability.c) ---------------------------------------------------------------- */

/* How stable clusters are over the draws of an outcome. Its confidences, which are margins, become
 * shares of draws in which a sample stays with its cluster; the rule gets what new samples need.
 * Labels are of all samples. */
onefold_status of_stability_make(of_context *context, const of_fit_plan *plan, of_outcome *outcome);

/* Gathers labels, confidence and view parts of split samples on rank 0. */
onefold_status of_fit_collect(const of_fit_plan *plan, of_outcome *outcome);

/* For each cluster c, the columns whose features (kernel/kernel.h) have the largest correlation, by
 * modulus, with membership: count[c * step] of them, at most `most`, from column[c * step * most]
 * on, strongest first, equal ones by index. Columns that are constant or at the level of chance are
 * left out; a cluster of no or all samples has none. `labels` are of the samples of the kernel's
 * view that this process has. Names are NULL. Not for precomputed kernels. */
onefold_status of_explain_columns(of_context *context, const of_kernel *kernel,
                                  const int32_t *labels, size_t clusters, size_t most, size_t step,
                                  size_t *count, onefold_column *column);

/* The level of chance of a correlation: 19 times in 20, the strongest of `columns` independent of a
 * cluster, over `samples` samples, is below it. */
double of_explain_chance(size_t samples, size_t columns);

#endif
