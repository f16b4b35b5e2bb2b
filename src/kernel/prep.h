/* SPDX-License-Identifier: Apache-2.0 */
/* What is done to a view's columns before a kernel sees them. Fills prep, features and width. */
#ifndef OF_KERNEL_PREP_H
#define OF_KERNEL_PREP_H

#include "kernel/kernel.h"

/* What `auto` picks, and what it does to the columns first. */
onefold_status of_auto_kernel_prep(of_context *context, const of_view *view, of_kernel_kind *kind,
                                   of_prep_kind *prep, const char **reason);

/* The same by shape alone: a dense view counts as full, a sparse one as without negative entries.
 */
of_kernel_kind of_auto_kernel_shape(const of_view *view, of_prep_kind *prep, const char **reason);

/* What of_kernel_make starts with, by shape alone: the kind, what is done to the columns, whether
 * cosine has sparse features, and the kernel before anything is made of it. */
onefold_status of_kernel_resolve_shape(const of_view *view, of_kernel_kind *kind,
                                       of_prep_kind *prep, int *compress, of_kernel *kernel);

/* Columns to mean 0 (dense views) and variance 1, constant ones dropped; sets the width. */
onefold_status of_prep_standardise(of_context *context, of_arena *arena, of_kernel *kernel);

/* tf-idf, then rows of unit length, as sparse features; of a dense view too. */
onefold_status of_prep_tfidf(of_context *context, of_arena *arena, of_kernel *kernel);

/* The rows scaled to unit length, as sparse features; of a dense view too. */
onefold_status of_prep_unit_rows(of_context *context, of_arena *arena, of_kernel *kernel);

/* The rows of A + A' + I for a square view A, every entry that is not 0 made 1, to unit length. */
onefold_status of_prep_graph(of_context *context, of_arena *arena, of_kernel *kernel);

/* The entries of features that every process has for its own samples to all: they are held whole.
 */
onefold_status of_prep_gather(of_context *context, size_t n, const size_t *start, uint32_t *index,
                              double *value);

/* The view's entries that are not 0, by sample, with values that may be written to. */
onefold_status of_prep_compress(of_context *context, of_arena *arena, const of_view *view,
                                of_sparse *sparse, double **value);

#endif
