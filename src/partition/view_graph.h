/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The landmark graph of a kernel's view, `knn` or `subspace` (docs/method.md section 10):
 *
 *     knn        over the kernel's features
 *     subspace   over the leading principal components of the features, each sample scaled to unit
 *                length
 *
 * In both, a view of links uses its links instead of landmarks: z_ij = 1 / (c_i + t) for the c_i
 * entries of row i of A + A' + I. The rest of each row, t / (c_i + t), goes to one more landmark
 * that all samples share. t is the mean of c. Without that landmark, the leading eigenvectors would
 * only separate small connected components.
 */
#ifndef OF_PARTITION_VIEW_GRAPH_H
#define OF_PARTITION_VIEW_GRAPH_H

#include "data/dataset.h"
#include "kernel/kernel.h"
#include "kernel/landmark_graph.h"
#include "linalg/blas.h"
#include "linalg/sparse.h"
#include "partition/partition.h"
#include "partition/projection.h"

/*
 * The spectrum of a landmark graph Z (samples x landmarks; rows sum to 1, or are empty for samples
 * without ties). With d = Z'1 and Zs = Z diag(d)^(-1/2), the kernel is K = Zs Zs' = Z diag(d)^-1
 * Z': a walk from sample to landmark and back. Its first eigenvector is the constant, with
 * eigenvalue 1; the next ones are the partition. They are computed on the landmarks' side, from
 * Zs'Zs - u u' with u = sqrt(d / samples): this removes the constant exactly, even where the graph
 * has several components and 1 is a multiple eigenvalue.
 */

typedef struct of_graph_spectrum {
    size_t rank;          /* rows that are not zero */
    double residual;      /* largest ||G v - lambda v|| / lambda_1 on the landmarks' side */
    double *value;        /* rows: eigenvalues, descending, zero beyond the rank */
    const double *weight; /* rank x landmarks: a sample with ties z has h = weight z */
    const double *degree; /* landmarks: d */
} of_graph_spectrum;

/* H (rows x samples, leading dimension ldh) and the spectrum, whose arrays are from `arena`. The
 * entry of largest modulus of each row is positive. Where samples are split over processes, each
 * passes the whole graph, and gets all of H. */
onefold_status of_graph_spectrum_make(of_context *context, of_arena *arena, const of_sparse *graph,
                                      size_t rows, double tolerance, double *H, size_t ldh,
                                      of_graph_spectrum *spectrum);

/* The graphs of several views side by side: a row is the weighted mean of the sample's rows that
 * have ties. The columns of graph i follow those of graph i - 1. */
onefold_status of_graph_join(of_arena *arena, size_t count, const of_sparse *graphs,
                             const double *weights, of_sparse *joint);

/* K - 11'/samples (samples x samples, packed); rows of samples without ties are 0. */
onefold_status of_graph_matrix(of_context *context, const of_sparse *graph, double *matrix);

typedef struct of_view_graph {
    const of_kernel *kernel;
    of_landmark_set set;        /* for a view of links, only `count` */
    of_sparse ties;             /* samples x set.count */
    of_sparse wider;            /* the same with wide_neighbours, if these are not 0 */
    double common;              /* t, for a view of links */
    const of_projection *inner; /* onto principal components; or NULL */
} of_view_graph;

/* Makes the graph, whole on every process. Uses the options landmarks, neighbours, wide_neighbours,
 * directions, seed and project. */
onefold_status of_view_graph_make(of_context *context, of_arena *arena, const of_kernel *kernel,
                                  const of_partition_options *options, of_view_graph *graph);

/* Scales the first `rank` numbers of each of `count` columns of x to unit length. */
static inline void of_view_graph_place(size_t rank, size_t count, double *x, size_t ld)
{
    for (size_t j = 0; j < count; j++) {
        double length = cblas_dnrm2((int)rank, x + j * ld, 1);
        for (size_t r = 0; length > 0 && r < rank; r++)
            x[j * ld + r] /= length;
    }
}

/* The kernel without its graph, and linear instead of one of distances. */
static inline of_kernel of_linear_kernel(const of_kernel *kernel)
{
    of_kernel linear = *kernel;
    linear.graph = 0;
    if (of_kernel_has_distances(linear.kind))
        linear.kind = OF_KERNEL_LINEAR;
    return linear;
}

/* The number of principal components of a subspace. */
size_t of_view_graph_directions(const of_kernel *kernel, const of_partition_options *options);

/* The projection of new samples to h = weight z, z their ties: weight is rank x set.count, value
 * has the eigenvalues, and degree the column sums of the graph. Arrays that are not the graph's own
 * are copied into `arena`. */
onefold_status of_view_graph_projection(of_context *context, of_arena *arena,
                                        const of_view_graph *graph, size_t rank,
                                        const double *weight, const double *value,
                                        const double *degree, of_projection *projection);

/* The ties of a view of links without those to the landmark that all samples share. */
onefold_status of_view_graph_links(of_arena *arena, const of_view_graph *graph, of_sparse *ties);

/* The ties of a given kernel: of every sample to its nearest ones. */
onefold_status of_view_graph_given(of_context *context, of_arena *arena, const of_kernel *kernel,
                                   size_t neighbours, of_sparse *ties);

/* Turns the ties of the samples that have a view into rows of all samples. */
onefold_status of_view_graph_spread(of_arena *arena, const of_dataset *dataset, size_t view,
                                    of_sparse *ties);

/* K - 11'/n of the graph (docs/method.md section 10), or the kernel matrix of a kernel without a
 * graph. */
OF_PRIVATE onefold_status of_partition_matrix(of_context *context, const of_kernel *kernel,
                                              const of_partition_options *options, of_finish finish,
                                              double *matrix);

#endif
