/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The landmark graph of a view (docs/method.md section 10): every sample is tied to its r nearest
 * landmarks, with weights in proportion to exp(-2 d^2 / d_r^2) that sum to 1; d_r is the distance
 * of the r-th. The landmarks are the centres of a short k-means, or all samples where these are
 * few.
 */
#ifndef OF_KERNEL_LANDMARK_GRAPH_H
#define OF_KERNEL_LANDMARK_GRAPH_H

#include "base/comm.h"
#include "base/random.h"
#include "kernel/kernel.h"

/* The default numbers of landmarks and neighbours. */
enum { OF_LANDMARKS_STANDARD = 1000, OF_NEIGHBOURS_STANDARD = 8 };

/* The samples as points: the features of a kernel, or columns of a matrix. */
typedef struct of_landmark_points {
    size_t samples, columns;
    const of_kernel *kernel; /* or NULL: */
    of_share at;             /* columns x samples: at least those of this process */
} of_landmark_points;

/* Sparse features are rows of length 1, or zero. A sample without entries is no landmark and has no
 * ties. */
typedef struct of_landmark_set {
    size_t count, columns, neighbours;
    const double *at; /* columns x count; NULL where the features are sparse: */
    of_sparse lists;  /* columns x count: the landmarks that have each column */
    int single;       /* for tests: products are never in integers */
    /* computed from these */
    const double *square; /* count: squared lengths */
    const float *narrow;  /* squares of `at`, then columns x count as floats, or as integers that
                             are multiples of `step` */
    double step, lost;    /* step 0: floats; lost: how far rounding moves a landmark at most */
    double farthest;      /* the largest length in `at` */
    size_t room;          /* doubles that a search needs */
} of_landmark_set;

of_landmark_points of_landmark_points_of(const of_kernel *kernel);

/* Draws the i-th of `count` samples among n: one from each of `count` equal runs. */
size_t of_landmark_draw(of_random *random, size_t n, size_t count, size_t i);

/* Features of samples place[0] .. place[count - 1], in rising order, columns x count packed. Every
 * process has all of them. */
onefold_status of_landmark_load(of_context *context, const of_landmark_points *points,
                                const size_t *place, size_t count, double *x);

/* Chooses the landmarks: `count` (0: the default), or as many as there are samples with entries. */
onefold_status of_landmark_set_make(of_context *context, of_arena *arena,
                                    const of_landmark_points *points, size_t count,
                                    size_t neighbours, uint64_t seed, of_landmark_set *set);

/* The number of landmarks for `wanted` ones (0: the default), from shapes alone. */
size_t of_landmark_count(size_t samples, size_t wanted);

/* Computes the second half of the fields from the first. */
onefold_status of_landmark_set_finish(of_arena *arena, of_landmark_set *set);

/* The r nearest landmarks of dense features x (columns x samples packed), the nearest first, and
 * their squared distances, each r x samples packed. Products in low precision select candidates,
 * whose distances are computed in double: the result depends neither on the samples beside nor on
 * the processor. `room` has set->room doubles. */
void of_landmark_nearest(const of_landmark_set *set, size_t r, size_t samples, const double *x,
                         double *room, uint32_t *index, double *nearest);

/* Squared distances to all landmarks, of one sample with sparse features. */
void of_landmark_distances_sparse(const of_landmark_set *set, size_t entries, const uint32_t *index,
                                  const double *value, double *distance);

/* The `wanted` least of `count` distances, the least first; among equals the lower index first. */
void of_landmark_find(size_t count, size_t wanted, const double *distance, uint32_t *index,
                      double *nearest);

/* Turns the r nearest landmarks of each sample and their squared distances (in `weight`) into ties,
 * by rising index. */
void of_landmark_weigh(size_t samples, size_t r, uint32_t *index, double *weight);

/* The graph: samples x count, `neighbours` entries a row, or none for a sample without entries.
 * `wider` (or NULL) is a second graph with `wide` neighbours, no fewer. Each process computes the
 * ties of its share, and gets those of all samples. */
onefold_status of_landmark_graph_make(of_context *context, of_arena *arena,
                                      const of_landmark_points *points, const of_landmark_set *set,
                                      size_t wide, of_sparse *graph, of_sparse *wider);

#endif
