/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Joint partitions: the leading eigenvectors of weighted sums of the views' kernels or graphs. They
 * are linear in the views, and so project new samples. For a joint kernel,
 * h = s sum_i w_i K_i(x, .) (s H)' / lambda; s is one over the root of the summed weights of the
 * views that a sample has. For a joint graph, h = W z, with z the weighted mean of the views' ties.
 */
#ifndef OF_PARTITION_JOINT_H
#define OF_PARTITION_JOINT_H

#include "data/dataset.h"
#include "partition/view_graph.h"

typedef struct of_joint_views {
    const of_dataset *dataset;
    const of_kernel *kernels;       /* views */
    const of_view_graph **knn;      /* views; NULL for a given kernel */
    const of_view_graph **subspace; /* views; the same as `knn` for a view of links */
} of_joint_views;

typedef enum of_joint_kind {
    OF_JOINT_COLUMNS,  /* of linear kernels of columns that keep their lengths */
    OF_JOINT_KERNEL,   /* of linear kernels of samples of length 1, and of given kernels */
    OF_JOINT_GRAPH,    /* of landmark graphs over the columns */
    OF_JOINT_SUBSPACE, /* of landmark graphs over directions among principal components */
    OF_JOINT_KINDS
} of_joint_kind;

typedef struct of_joint {
    of_joint_kind kind;
    const double *weights;      /* views; they sum to 1 */
    const of_kernel *kernels;   /* views: those of of_joint_views, but for scales of columns */
    size_t rows, rank;          /* rows wanted, and found */
    double *H;                  /* rows x n; whole on every process */
    double *value;              /* rows */
    double *dual;               /* of kernels: rows x n, h = K(x, .) dual' / value; H itself where
                                   rows are eigenvectors */
    of_graph_spectrum spectrum; /* of graphs */
} of_joint;

/* The divisor of joined columns: the summed weights of the views that a sample has, but at least
 * the mean weight of a view. Else a sample with only a view of small weight would be an outlier. */
static inline double of_join_least(double sum, size_t views)
{
    return sum * (double)views > 1 ? sum : 1 / (double)views;
}

/* Whether a view takes part in joint partitions of a kind. */
int of_joint_has(const of_joint_views *views, size_t view, of_joint_kind kind);

/* Makes a joint partition of `rows` rows; rank is 0 where no view of positive weight joins. */
onefold_status of_joint_make(of_context *context, of_arena *arena, const of_joint_views *views,
                             of_joint_kind kind, const double *weights, size_t rows,
                             of_joint *joint);

/* The joint partition of kernels whose rows, at most mu - 1, span the means of the clusters of the
 * labels (n): the mean nearest to a sample in these rows is the nearest in all joined columns. Rank
 * is 0 where all means are equal. */
onefold_status of_joint_means(of_context *context, of_arena *arena, const of_joint_views *views,
                              of_joint_kind kind, const double *weights, size_t mu,
                              const int32_t *labels, of_joint *joint);

/* The number of `rows` directions, columns of V (mu x mu) with falling eigenvalues, in which means
 * differ. Makes the largest entry of each of them positive. */
size_t of_joint_means_rank(size_t mu, size_t rows, const double *value, double *V);

/* The projection of new samples of a view to the first `rank` rows. The caller sets its `precision`
 * before. */
onefold_status of_joint_projection(of_context *context, of_arena *arena,
                                   const of_joint_views *views, const of_joint *joint, size_t rank,
                                   size_t view, of_projection *projection);

#endif
