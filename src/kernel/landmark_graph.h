/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The landmark graph of a view (docs/method.md section 10): every sample is tied to its r nearest
 * landmarks with weights exp(-2 d^2 / d_r^2), d_r the distance of the r-th, that sum to 1. The
 * landmarks are the centres of a short k-means, or every sample where there are few.
 */
#ifndef OF_KERNEL_LANDMARK_GRAPH_H
#define OF_KERNEL_LANDMARK_GRAPH_H

#include "base/comm.h"
#include "base/random.h"
#include "kernel/kernel.h"

/* Landmarks and neighbours unless they are asked for. */
enum { OF_LANDMARKS_STANDARD = 1000, OF_NEIGHBOURS_STANDARD = 8 };

/* Where the samples lie: the features of a kernel, or columns of a matrix. */
typedef struct of_landmark_points {
    size_t samples, columns;
    const of_kernel *kernel; /* or NULL: */
    of_share at;             /* columns x samples: those of this process at least */
} of_landmark_points;

/* Sparse features are rows of length 1, or of zeros: a sample without entries is no landmark and
 * has no ties. */
typedef struct of_landmark_set {
    size_t count, columns, neighbours;
    const double *at; /* columns x count; NULL where the features are sparse: */
    of_sparse lists;  /* columns x count: the landmarks that have each column */
    int single;       /* products are never those of whole numbers */
    /* made of these */
    const double *square; /* count: squared lengths */
    const float *narrow;  /* of `at`: squares, and columns x count in single precision, */
    double step, lost;    /* or whole numbers times a step, and how far rounding moves a landmark */
    double farthest;      /* of `at`: the largest length */
    size_t room;          /* doubles that a search takes */
} of_landmark_set;

of_landmark_points of_landmark_points_of(const of_kernel *kernel);

/* Sample i of `count` that are drawn from n, one from each of as many equal runs. */
size_t of_landmark_draw(of_random *random, size_t n, size_t count, size_t i);

/* Features of samples at some places, in rising order, columns x count packed: every process has
 * all of them. */
onefold_status of_landmark_load(of_context *context, const of_landmark_points *points,
                                const size_t *place, size_t count, double *x);

/* Places the landmarks: `count` (0: the standard) or as many as there are samples with entries. */
onefold_status of_landmark_set_make(of_context *context, of_arena *arena,
                                    const of_landmark_points *points, size_t count,
                                    size_t neighbours, uint64_t seed, of_landmark_set *set);

/* Landmarks that will be placed, from shapes alone. */
size_t of_landmark_count(size_t samples, size_t asked);

/* What is made of the other fields: for whoever filled them in. */
onefold_status of_landmark_set_finish(of_arena *arena, of_landmark_set *set);

/* The r nearest landmarks of dense features x (columns x samples packed), the nearest first, and
 * their squared distances, each r x samples packed. Products in low precision say which may be
 * among them; their distances are computed in double, so that no number depends on the samples
 * beside or on the processor. `room` has set->room doubles. */
void of_landmark_nearest(const of_landmark_set *set, size_t r, size_t samples, const double *x,
                         double *room, uint32_t *index, double *nearest);

/* Squared distances to all landmarks, of one sample with sparse features. */
void of_landmark_distances_sparse(const of_landmark_set *set, size_t entries, const uint32_t *index,
                                  const double *value, double *distance);

/* The least of `count` distances, `wanted` of them, the least first; among equals the one of lower
 * number. */
void of_landmark_find(size_t count, size_t wanted, const double *distance, uint32_t *index,
                      double *nearest);

/* The ties of each sample, by rising number, from its r nearest and their squared distances. */
void of_landmark_weigh(size_t samples, size_t r, uint32_t *index, double *weight);

/* The graph: samples x count, `neighbours` entries a row, or none for a sample without entries.
 * `wider` (or NULL) is a second graph with `wide` neighbours, which are no fewer. Each process
 * ties the samples of its share, and has the ties of all. */
onefold_status of_landmark_graph_make(of_context *context, of_arena *arena,
                                      const of_landmark_points *points, const of_landmark_set *set,
                                      size_t wide, of_sparse *graph, of_sparse *wider);

#endif
