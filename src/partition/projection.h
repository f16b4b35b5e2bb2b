/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a base partition does to a sample it has not seen: h = Lambda^(-1/2) V' k(x, .), with the
 * training means, scales and normalisation, in one of four forms.
 *
 *     features   h = s W (f - mean), s = 1 / ||f - mean||: kernels that are products of features f;
 *                s is `scale` where the kernel keeps lengths
 *     points     h = s W (k - kbar), k the rbf kernel of x against points (the landmarks, or every
 *                training sample), s = 1 / sqrt(1 - 2 <k, r> + g) with the means r and g
 *     rows       h = s W (k - kbar), k the row of a precomputed kernel that is given
 *     ties       h = W z, z the ties of x to the landmarks of a graph
 *
 * s is 0 where its square root is of no more than `floor`: the sample is where the training mean
 * is, and the view says nothing of it. The arrays are plain, so that a model file can hold them.
 */
#ifndef OF_PARTITION_PROJECTION_H
#define OF_PARTITION_PROJECTION_H

#include "kernel/landmark_graph.h"
#include "kernel/landmarks.h"
#include "partition/centred.h"
#include "partition/partition.h"

typedef enum of_projection_form {
    OF_PROJECT_FEATURES,
    OF_PROJECT_POINTS,
    OF_PROJECT_ROWS,
    OF_PROJECT_TIES
} of_projection_form;

/* Dense points in single precision, with the weights: what is multiplied most. */
typedef struct of_projection_single {
    of_points_single points;
    size_t rows;   /* rank + 1 */
    float *weight; /* rows x points: the last row is row_mean */
} of_projection_single;

typedef struct of_projection {
    of_projection_form form;
    of_kernel_kind kernel;
    of_route route; /* how the base partition was reached */
    of_prep prep;
    int sparse;           /* features are taken entry by entry, as they were in training */
    size_t samples;       /* trained on */
    size_t raw_columns;   /* that a new sample has */
    size_t columns;       /* of the features */
    size_t rank;          /* rows of h */
    const double *value;  /* rank: eigenvalues */
    const double *weight; /* rank x columns, rank x points, or rank x samples */
    double floor;

    const double *mean; /* features: columns */
    uint64_t links;     /* graph: a number made of the training links, to know them again */

    size_t points;
    double scale;             /* points: features times this make k = exp(<x,z> - |x|^2/2 -
                                 |z|^2/2); features: s where it is one number, 0: it is not */
    const double *at;         /* columns x points: the points, scaled; or, where sparse: */
    of_sparse sparse_at;      /* points x columns */
    const double *point_mean; /* points and rows: kbar; of rows less mean_of_all */
    const double *row_mean;   /* points: <k, row_mean> is the mean of a sample's kernel row */
    double mean_of_all;

    const double *sample_scale; /* rows: 1 / sqrt(centred diagonal) of each training sample */
    double diagonal;            /* rows: K(x, x) where all training samples have the same */
    int same_diagonal;

    /* ties: `points` landmarks, `at` (columns x points) or, of sparse features, sparse_at (columns
     * x points: the landmarks that have each column). The columns are those of the features, or the
     * rows of `inner`. A graph's landmarks are its training samples, and one that all share. */
    of_kernel_kind graph; /* OF_KERNEL_KNN or OF_KERNEL_SUBSPACE */
    size_t neighbours;
    double common;        /* graph views: the weight of the shared landmark's tie */
    const double *degree; /* points: the sum of each one's ties in training */
    const struct of_projection *inner;

    onefold_precision precision; /* that was asked for */

    /* made of the above */
    const double *offset;               /* sparse features: W mean */
    const double *half;                 /* points: |z|^2 / 2 */
    of_landmark_set set;                /* ties: the landmarks, as a search takes them */
    const of_projection_single *single; /* NULL: points are worked in double precision */
} of_projection;

/* ---- using one ---------------------------------------------------------------------------- */

/* A view of new samples, as a projection takes it. */
typedef struct of_fresh {
    const of_view *view; /* raw_columns columns; rows of a kernel: or one more, K(x, x) */
    /* Finished sparse features of all its samples, where they cannot be made from a sample alone
     * (the training graph itself); or NULL. */
    const of_sparse *ready;
    const uint8_t *present; /* entry j * step is 0 where sample j lacks the view; NULL: as its
                               values say */
    size_t step;
    const double *fill; /* raw_columns: what stands in for single missing values; NULL: they are
                           refused */
} of_fresh;

/* In place of the length of a sample of which the view says nothing, and of one that lacks it. */
#define OF_KEPT_NOTHING (-1.0)
#define OF_KEPT_ABSENT (-2.0)

/* The projection h (rank x count, a sample contiguous, leading dimension ldh) of samples first ..
 * first+count-1, and `kept` (count): a sample's squared length in feature space, of which the base
 * partition keeps the share sum value h^2, or one of the above (then h is 0). A sample with nothing
 * but NaN lacks the view, and so does one that `present` says so of, whatever stands there. `room`
 * has of_projection_room doubles. A sample that cannot be used is refused with its number. */
onefold_status of_projection_apply(const of_projection *projection, const of_fresh *fresh,
                                   size_t first, size_t count, double *room, double *h, size_t ldh,
                                   double *kept);
size_t of_projection_room(const of_projection *projection, const of_view *view, size_t count);

/* The number that a graph's finished features make. */
uint64_t of_projection_links(const of_sparse *features);

/* Columns of the weights: what they are multiplied with. */
size_t of_projection_inputs(const of_projection *projection);

/* Bytes of its arrays. */
size_t of_projection_bytes(const of_projection *projection);

/* ---- making one --------------------------------------------------------------------------- */

/* A copy of `count` elements of `size` bytes; NULL of NULL. */
onefold_status of_copy_array(of_arena *arena, const void *from, size_t size, size_t count,
                             const void **to);
#define OF_COPY(arena, from, count, to)                                                            \
    of_copy_array((arena), (from), sizeof *(from), (count), (const void **)(to))

/* The points of a projection in single precision. And `image` (rank + 1 x samples) of features x
 * (columns x samples), which times `scale` are those of the points; `features` and `k` have room
 * for columns and points numbers of each sample. */
onefold_status of_projection_single_make(of_arena *arena, const of_projection *p,
                                         of_projection_single *single);
void of_projection_single_apply(const of_projection_single *single, double scale, size_t samples,
                                const double *x, float *features, float *k, float *image);

/* Signs (one per row; NULL: as they are) into the weights, eigenvalues, prep, and what is made of
 * the rest. */
onefold_status of_projection_finish(of_context *context, of_arena *arena, const of_kernel *kernel,
                                    of_route route, const double *value, const double *sign,
                                    of_projection *projection);

/* A copy with arrays of its own, and the first `rank` rows alone. */
onefold_status of_projection_copy(of_arena *arena, const of_projection *from, size_t rank,
                                  of_projection *to);

/* What is made of the rest: for whoever filled the other fields in. */
onefold_status of_projection_prepare(of_arena *arena, of_projection *projection);

#endif
