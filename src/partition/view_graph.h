/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The landmark graph of a kernel's view, `knn` or `subspace` (docs/method.md section 10):
 *
 *     knn        over the kernel's features
 *     subspace   over directions among the leading principal components of the features, each
 *                sample's row of unit length
 *
 * A graph view has its own links in place of landmarks, in either: z_ij = 1 / (c_i + t) for the c_i
 * entries of row i of A + A' + I, and the rest of each row, t / (c_i + t), goes to one more
 * landmark that all share. t is the mean of c: without it, eigenvectors would be spent on the small
 * components that graphs fall apart into.
 */
#ifndef OF_PARTITION_VIEW_GRAPH_H
#define OF_PARTITION_VIEW_GRAPH_H

#include "kernel/landmark_graph.h"
#include "partition/graph_spectrum.h"
#include "partition/partition.h"
#include "partition/projection.h"

typedef struct of_view_graph {
    const of_kernel *kernel;
    of_landmark_set set;        /* count alone where the view is a graph */
    of_sparse ties;             /* samples x set.count */
    double common;              /* t of a graph view */
    const of_projection *inner; /* to principal components, where asked for; or NULL */
} of_view_graph;

/* Makes it, whole on every process. Of the options: landmarks, neighbours, directions, seed,
 * project. */
onefold_status of_view_graph_make(of_context *context, of_arena *arena, const of_kernel *kernel,
                                  const of_partition_options *options, of_view_graph *graph);

/* Principal components (the first `rank` of each of `count` columns of x) to unit length. */
void of_view_graph_place(size_t rank, size_t count, double *x, size_t ld);

/* Rows of the partition that a subspace is cut to. */
size_t of_view_graph_directions(const of_kernel *kernel, const of_partition_options *options);

/* Landmarks and entries it will have at the most, and scratch bytes of making it. */
void of_view_graph_size(const of_kernel *kernel, const of_partition_options *options,
                        size_t *landmarks, size_t *entries);
size_t of_view_graph_bytes(of_context *context, const of_kernel *kernel,
                           const of_partition_options *options);

/* What projects new samples to h = weight z, z their ties: weight is rank x set.count, value has
 * the eigenvalues and degree the columns' sums of the graph. Arrays that are not the graph's own
 * are copied into `arena`. */
onefold_status of_view_graph_projection(of_context *context, of_arena *arena,
                                        const of_view_graph *graph, size_t rank,
                                        const double *weight, const double *value,
                                        const double *degree, of_projection *projection);

/* K - 11'/n of the graph (docs/method.md section 10), or the kernel matrix of a kernel without one:
 * for the methods that need it. */
onefold_status of_partition_matrix(of_context *context, const of_kernel *kernel,
                                   const of_partition_options *options, of_finish finish,
                                   double *matrix, size_t ldm);

#endif
