/* SPDX-License-Identifier: Apache-2.0 */
/* Views as the subspace methods take them: features by sample, every sample of unit length. */
#ifndef OF_PEERS_FEATURES_H
#define OF_PEERS_FEATURES_H

#include "data/dataset.h"

/* The features of a view, columns x samples, packed, each sample scaled to unit length; a sample
 * that is zero, or absent from the view, is zero. A kernel's rows are its features. */
onefold_status of_features_make(of_context *context, const of_dataset *dataset, size_t view,
                                double *features);

/* Where a method's numeric core gets the features of a view from (columns x samples, packed, to be
 * filled), one view at a time. */
typedef onefold_status (*of_features_source)(void *source, of_context *context, size_t view,
                                             double *features);

/* The features of the data set that `source`, a const of_dataset *, points to. */
onefold_status of_features_of_dataset(void *source, of_context *context, size_t view,
                                      double *features);

/* Features up to a rotation, which is all that methods on self-representation see of them:
 * X = Q diag(value) basis' with Q'Q = I. */
typedef struct of_reduced_features {
    size_t rank;   /* <= min(rows, samples); directions at rounding level are left out */
    double *value; /* rank, descending */
    double *basis; /* samples x rank, orthonormal columns */
} of_reduced_features;

/* Reduces X (rows x samples, packed, destroyed). Arrays are from `arena`. */
onefold_status of_features_reduce(of_context *context, of_arena *arena, size_t rows, size_t samples,
                                  double *features, of_reduced_features *reduced);

#endif
