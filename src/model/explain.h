/* SPDX-License-Identifier: Apache-2.0 */
/* Why: how far each view by itself agrees with the labels, with the other views, and cluster by
 * cluster; and the columns that set each cluster apart (docs/explain.md). */
#ifndef OF_MODEL_EXPLAIN_H
#define OF_MODEL_EXPLAIN_H

#include "model/fit.h"

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

typedef struct of_strong_column {
    size_t index;    /* of the view, from 0 */
    double strength; /* -1 .. 1 */
} of_strong_column;

/* For each cluster c, the columns whose features (kernel/kernel.h) have the largest correlation,
 * by modulus, with belonging to it: count[c] of them, `most` at most, from column[c * most] on,
 * strongest first and equal ones in their order. Constant columns and those at the level of chance
 * are left out, and so is everything where a cluster has none or all of the samples. `labels`: one
 * for each sample of the kernel's view. Not for precomputed kernels. */
onefold_status of_explain_columns(of_context *context, const of_kernel *kernel,
                                  const int32_t *labels, size_t clusters, size_t most,
                                  size_t *count, of_strong_column *column);

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
