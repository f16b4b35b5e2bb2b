/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The projection of new samples onto a base partition: h = Lambda^(-1/2) V' k(x, .), with the
 * training means, scales and normalisation, in one of four forms.
 *
 *     features   h = s W (f - mean), s = 1 / ||f - mean||: kernels that are products of features f;
 *                s is `scale` where the kernel keeps lengths
 *     points     h = s W (k - kbar), k the rbf kernel of x against points (the landmarks, or all
 *                training samples), s = 1 / sqrt(1 - 2 <k, r> + g) with the means r and g
 *     rows       h = s W (k - kbar), k the row of a given kernel
 *     ties       h = W z, z the ties of x to the landmarks of a graph
 *
 * s is 0 where the number under its root is at most `floor`: the sample is at the training mean,
 * and the view has no information on it. All arrays are plain, as a model file stores them.
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

/* Dense points and the weights in single precision. */
typedef struct of_projection_single {
    of_points_single points;
    size_t rows;   /* rank + 1 */
    float *weight; /* rows x points: the last row is row_mean */
} of_projection_single;

typedef struct of_projection {
    of_projection_form form;
    of_kernel_kind kernel;
    of_route route; /* of the base partition */
    of_prep prep;
    int sparse;           /* features are sparse, as they were in training */
    size_t samples;       /* of training */
    size_t raw_columns;   /* of a new sample */
    size_t columns;       /* of the features */
    size_t rank;          /* rows of h */
    const double *value;  /* rank: eigenvalues */
    const double *weight; /* rank x columns, rank x points, or rank x samples */
    double floor;

    const double *mean; /* features: columns */
    uint64_t links;     /* graph: a hash of the training links */

    size_t points;
    double scale;             /* points: scales features for k = exp(<x,z> - |x|^2/2 - |z|^2/2);
                                 features: s where all samples share it, else 0 */
    const double *at;         /* columns x points: the points, scaled; or, where sparse: */
    of_sparse sparse_at;      /* points x columns */
    const double *point_mean; /* points and rows: kbar; for rows, less mean_of_all */
    const double *row_mean;   /* points: <k, row_mean> is the mean of a sample's kernel row */
    double mean_of_all;

    const double *sample_scale; /* rows: 1 / sqrt(centred diagonal) of each training sample */
    double diagonal;            /* rows: K(x, x), where it is equal for all training samples */
    int same_diagonal;

    /* ties: `points` landmarks in `at` (columns x points), or for sparse features in sparse_at
     * (columns x points: the landmarks that have each column). The columns are those of the
     * features, or the rows of `inner`. The landmarks of a view of links are its training samples,
     * and one that all samples share. */
    of_kernel_kind graph; /* OF_KERNEL_KNN or OF_KERNEL_SUBSPACE */
    size_t neighbours;
    double common;                     /* views of links: the weight of the shared landmark's tie */
    const double *degree;              /* points: the sum of the training ties of each */
    const struct of_projection *inner; /* onto principal components, or NULL */

    onefold_precision precision; /* as wanted */

    /* computed from the above */
    const double *offset;               /* sparse features: W mean */
    const double *half;                 /* points: |z|^2 / 2 */
    of_landmark_set set;                /* ties: the landmarks */
    const of_projection_single *single; /* NULL: points are in double precision */
} of_projection;

/* ---- using one ---------------------------------------------------------------------------- */

/* A view of new samples. */
typedef struct of_fresh {
    const of_view *view; /* raw_columns columns; rows of a kernel may have one more, K(x, x) */
    /* finished sparse features of all samples, where a sample alone does not determine them (the
     * training graph itself); or NULL */
    const of_sparse *ready;
    const uint8_t *present; /* entry j * step is 0 where sample j lacks the view; NULL: decided by
                               its values */
    size_t step;
    const double *fill; /* raw_columns: replacements of missing values; NULL: these are refused */
} of_fresh;

/* In place of a length: the view has no information on the sample, or the sample lacks the view. */
#define OF_KEPT_NOTHING (-1.0)
#define OF_KEPT_ABSENT (-2.0)

/* The projection h (rank x count, a sample contiguous, leading dimension ldh) of samples first ..
 * first+count-1, and `kept` (count): a sample's squared length in feature space, of which the base
 * partition keeps the share sum value h^2, or one of the above (then h is 0). A sample whose values
 * are all NaN lacks the view; so does one whose entry of `present` is 0, whatever its values.
 * `room` has of_projection_room doubles. A sample that cannot be projected is refused by its
 * number. */
onefold_status of_projection_apply(const of_projection *projection, const of_fresh *fresh,
                                   size_t first, size_t count, double *room, double *h, size_t ldh,
                                   double *kept);
size_t of_projection_room(const of_projection *projection, const of_view *view, size_t count);

/* A hash of a graph's finished features. */
uint64_t of_projection_links(const of_sparse *features);

/* The number of columns of the weights. */
size_t of_projection_inputs(const of_projection *projection);

/* Bytes of its arrays. */
size_t of_projection_bytes(const of_projection *projection);

/* ---- making one --------------------------------------------------------------------------- */

/* A copy of `count` elements of `size` bytes, or NULL for NULL. */
onefold_status of_copy_array(of_arena *arena, const void *from, size_t size, size_t count,
                             const void **to);
#define OF_COPY(arena, from, count, to)                                                            \
    of_copy_array((arena), (from), sizeof *(from), (count), (const void **)(to))

/* Converts the points of a projection to single precision. And applies it: `image` (rank + 1 x
 * samples) of features x (columns x samples), which are scaled by `scale` as the points are.
 * `features` and `k` have room for columns x samples and points x samples. */
onefold_status of_projection_single_make(of_arena *arena, const of_projection *p,
                                         of_projection_single *single);
void of_projection_single_apply(const of_projection_single *single, double scale, size_t samples,
                                const double *x, float *features, float *k, float *image);

/* Fills the fields of all forms, multiplies the weights with signs (one per row, or NULL), and
 * calls of_projection_prepare. */
onefold_status of_projection_finish(of_context *context, of_arena *arena, const of_kernel *kernel,
                                    of_route route, const double *value, const double *sign,
                                    of_projection *projection);

/* A copy with arrays of its own, of the first `rank` rows only. */
onefold_status of_projection_copy(of_arena *arena, const of_projection *from, size_t rank,
                                  of_projection *to);

/* Computes the last fields from the others. */
onefold_status of_projection_prepare(of_arena *arena, of_projection *projection);

#endif
