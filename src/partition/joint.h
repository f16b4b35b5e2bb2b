/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Joint partitions: the leading eigenvectors of weighted sums of the views' kernels or graphs. Each
 * is linear in what the views have, and so labels new samples: of a joint kernel
 * h = s sum_i w_i K_i(x, .) (s H)' / lambda, s one over the root of the weights of the views that a
 * sample has; of a joint graph h = W z, z the weighted mean of the views' ties.
 */
#ifndef OF_PARTITION_JOINT_H
#define OF_PARTITION_JOINT_H

#include "data/dataset.h"
#include "partition/view_graph.h"

/* What takes part. */
typedef struct of_joint_views {
    const of_dataset *dataset;
    const of_kernel *kernels;       /* one for each view */
    const of_view_graph **knn;      /* views; NULL: a kernel that is given */
    const of_view_graph **subspace; /* views: the same graph, where a view is of links */
} of_joint_views;

typedef enum of_joint_kind {
    OF_JOINT_COLUMNS,  /* of linear kernels of columns that keep their lengths */
    OF_JOINT_KERNEL,   /* of linear kernels of samples of length 1, and of kernels that are given */
    OF_JOINT_GRAPH,    /* of landmark graphs over the columns */
    OF_JOINT_SUBSPACE, /* of landmark graphs over directions among principal components */
    OF_JOINT_KINDS
} of_joint_kind;

typedef struct of_joint {
    of_joint_kind kind;
    const double *weights;      /* p, that add up to 1 */
    const of_kernel *kernels;   /* p: those of the views, but for scales of columns */
    size_t rows, rank;          /* rows that were asked for, and found */
    double *H;                  /* rows x n; whole on every process */
    double *value;              /* rows */
    double *dual;               /* of kernels: rows x n, h = K(x, .) dual' / value; H itself where
                                   rows are eigenvectors */
    of_graph_spectrum spectrum; /* of graphs */
} of_joint;

/* What joined columns are divided by: the weights of the views that a sample has, but no less than
 * one of them has on average; else one that has a view of little weight alone would lie far off. */
static inline double of_join_least(double sum, size_t views)
{
    return sum * (double)views > 1 ? sum : 1 / (double)views;
}

/* Whether a view takes part in joint partitions of a kind. */
int of_joint_has(const of_joint_views *views, size_t view, of_joint_kind kind);

/* Makes one of so many rows; rank 0 where no view of positive weight joins. */
onefold_status of_joint_make(of_context *context, of_arena *arena, const of_joint_views *views,
                             of_joint_kind kind, const double *weights, size_t rows,
                             of_joint *joint);

/* k-means in all joined columns, as `from` joins them but for their scales: standardised columns
 * are divided by their spread within the clusters, or by what `least` times the mean variance there
 * makes where that is more. Labels (n, no cluster empty) move for at most `steps` - 1 steps, while
 * any moves. The rows made, at most mu - 1, span the means of the
 * clusters, so that the mean nearest to a sample in these rows is the nearest in all columns. Rank
 * 0 where all means are the same. */
onefold_status of_joint_means(of_context *context, of_arena *arena, const of_joint_views *views,
                              const of_joint *from, size_t mu, size_t steps, double least,
                              int32_t *labels, of_joint *joint);

/* How many of `rows` directions of means differ: V (mu x mu) and their eigenvalues, the largest
 * first. The largest entry of each becomes positive. */
size_t of_joint_means_rank(size_t mu, size_t rows, const double *value, double *V);

/* The first `rank` rows as a view gives them to new samples; `precision` of the projection is set
 * before. */
onefold_status of_joint_projection(of_context *context, of_arena *arena,
                                   const of_joint_views *views, const of_joint *joint, size_t rank,
                                   size_t view, of_projection *projection);

#endif
