/* SPDX-License-Identifier: Apache-2.0 */
/* What is done to a view's columns before a kernel sees them. Fills prep, features and width. */
#ifndef OF_KERNEL_PREP_H
#define OF_KERNEL_PREP_H

#include "data/view.h"
#include "kernel/kernel.h"

/* Mean and variance of every column of a view, in one pass over it. */

/* mean, variance (divided by the samples) and mean square of each column; dense and sparse. */
onefold_status of_moments(of_context *context, const of_view *view, double *mean, double *variance,
                          double *square);

/* Columns to mean 0 (dense views) and variance 1, constant ones dropped; sets the width. */
onefold_status of_prep_standardise(of_context *context, of_arena *arena, of_kernel *kernel);

/* tf-idf, then rows of unit length, as sparse features; of a dense view too. */
onefold_status of_prep_tfidf(of_context *context, of_arena *arena, of_kernel *kernel);

/* The rows scaled to unit length, as sparse features; of a dense view too. */
onefold_status of_prep_unit_rows(of_context *context, of_arena *arena, of_kernel *kernel);

/* The rows of A + A' + I for a square view A, every entry that is not 0 made 1, to unit length. */
onefold_status of_prep_graph(of_context *context, of_arena *arena, of_kernel *kernel);

#endif
