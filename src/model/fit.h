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
 * `arena`. `shapes`: by the shapes of the views alone: no value is read, and the plan can only be
 * estimated. */
onefold_status of_fit_plan_make(of_context *context, of_arena *arena, const of_dataset *dataset,
                                const onefold_fit_options *options, int shapes, of_fit_plan *plan);

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

/* ---- what a fit keeps (result.c) ----------------------------------------------------------- */

struct onefold_result {
    of_arena arena; /* of everything below, and of the result itself */
    onefold_fit_info info;
    /* Of cluster c and view v, column_count[c * views + v], at most info.explain, which start at
     * column[(c * views + v) * info.explain]. NULL: not asked for. */
    const size_t *column_count;
    const onefold_column *column;
    const of_picture *picture; /* or NULL */
};

/* What a report draws of each view by itself: makes the outcome's picture where options.picture
 * asks for it and the method draws none. */
onefold_status of_picture_views(of_context *context, const of_fit_plan *plan, of_outcome *outcome);

/* ---- why (explain.c) ----------------------------------------------------------------------- */

/* How far each view by itself agrees with the labels, with the other views, and cluster by cluster;
 * and the columns that set each cluster apart (docs/explain.md). */

/* Fills agreement, view_agreement, cluster_agreement and confidence of `info` from the outcome's
 * own labels of each view; leaves them NULL where there are none. Memory is from the outcome's
 * arena. */
onefold_status of_explain(of_context *context, of_outcome *outcome, onefold_fit_info *info);

/* ---- own labels --------------------------------------------------------------------------- */

/* The cluster that each sample is nearest to by a kernel (n x n, symmetric) and the labels of the
 * other samples: the one of largest mean kernel with its members, less half the mean between
 * different members, the sample itself left out of both. The first of equals. */
onefold_status of_explain_nearest(of_context *context, size_t n, const double *kernel,
                                  const int32_t *labels, size_t clusters, int32_t *own);

/* How sure labels from k-means on x (rows x n, a sample contiguous) are: 1 - a / b with the
 * distances a to the mean of a sample's own cluster and b to the nearest other; at least 0, and 1
 * where there is no other. */
onefold_status of_explain_margins(of_context *context, size_t rows, size_t n, const double *x,
                                  const int32_t *labels, size_t clusters, double *confidence);

/* Fills own_labels and confidence of an outcome whose method does not. */
onefold_status of_explain_own(of_context *context, const of_fit_plan *plan, of_outcome *outcome);

/* ---- columns ------------------------------------------------------------------------------ */

/* For each cluster c, the columns whose features (kernel/kernel.h) have the largest correlation,
 * by modulus, with belonging to it: count[c * step] of them, `most` at most, from column[c * step *
 * most] on,
 * strongest first and equal ones in their order. Constant columns and those at the level of chance
 * are left out, and so is everything where a cluster has none or all of the samples. `labels`: one
 * for each sample of the kernel's view. Not for precomputed kernels. Names are left NULL. */
onefold_status of_explain_columns(of_context *context, const of_kernel *kernel,
                                  const int32_t *labels, size_t clusters, size_t most, size_t step,
                                  size_t *count, onefold_column *column);

/* What the correlation of a column has to pass: of `columns` that have nothing to do with a
 * cluster, over `samples` samples, the strongest stays below it 19 times in 20. */
double of_explain_chance(size_t samples, size_t columns);

/* ---- names -------------------------------------------------------------------------------- */

/* Whether a view has columns that can be named. */
int of_explain_is_named(const of_kernel *kernel);

/* Fills the columns of a result where the plan asks for them. */
onefold_status of_explain_names(of_context *context, const of_fit_plan *plan, of_outcome *outcome,
                                onefold_result *result);

#endif
