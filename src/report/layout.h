/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples in two dimensions, for a picture: principal components, or a Barnes-Hut t-SNE (van der
 * Maaten 2014) that starts from them. The bits do not depend on the number of threads: the tree is
 * built in one order, and every sum over samples is within one piece of work or in a fixed order.
 */
#ifndef OF_REPORT_LAYOUT_H
#define OF_REPORT_LAYOUT_H

#include "linalg/sparse.h"

/* Copies and checks the caller's options (or NULL), over the defaults in `options`. */
onefold_status of_layout_options_read(onefold_layout_options *options,
                                      const onefold_layout_options *given);

/* y (2 x n) from x (rows x n, leading dimension ldx). ONEFOLD_LAYOUT_AUTO chooses by `clusters`.
 * *kind (or NULL) is the layout that was made. */
onefold_status of_layout_make(of_context *context, size_t rows, size_t n, const double *x,
                              size_t ldx, size_t clusters, const onefold_layout_options *options,
                              double *y, onefold_layout_kind *kind);

/* Draws `count` of n samples, in rising order, every set with the same probability (Knuth's
 * algorithm S); a different draw for each `index`. */
void of_layout_draw(size_t n, size_t count, uint64_t seed, uint64_t index, size_t *sample);

/* ---- principal components (layout.c) -------------------------------------------------- */

/* y (2 x n): the two leading principal components. The entry of largest modulus of each direction
 * is positive. With one row, the second component is 0. */
onefold_status of_layout_pca(of_context *context, size_t rows, size_t n, const double *x,
                             size_t ldx, double *y);

/* ---- neighbours (layout.c) ----------------------------------------------------- */

/* The `count` points nearest to each query, nearest first, the lower index first among equals, with
 * squared distances: index and distance are count x queries. Points and queries have `rows` packed
 * rows. With `self`, queries are the points, and none is its own neighbour; then count < points. */
onefold_status of_layout_neighbours(of_context *context, size_t rows, size_t points,
                                    const double *x, size_t queries, const double *q, int self,
                                    size_t count, uint32_t *index, double *distance);

/* ---- affinities (layout_tsne.c) ------------------------------------------------------- */

/* p_ij = (p_j|i + p_i|j) / 2n with p_j|i a Gaussian of the neighbours of i whose width gives it
 * the perplexity. Arrays are from `arena`. index and distance as from of_layout_neighbours. */
onefold_status of_affinity_make(of_context *context, of_arena *arena, size_t n, size_t count,
                                const uint32_t *index, const double *distance, double perplexity,
                                of_sparse *p);

/* ---- repulsion (layout_tsne.c) ------------------------------------------------------------ */

/* With q_ij = 1 / (1 + ||y_i - y_j||^2): force (2 x n) is sum_j q_ij^2 (y_i - y_j), *z is the sum
 * of q_ij over all i != j, and attract (or NULL) is sum_j p_ij q_ij (y_i - y_j). A cell of points
 * counts as one point where its diagonal is less than theta times its distance; theta 0 is exact.
 */
onefold_status of_layout_forces(of_context *context, size_t n, double theta, const double *y,
                                const of_sparse *p, double *force, double *attract, double *z);

/* ---- t-SNE (layout_tsne.c) ---------------------------------------------------------------- */

/* y (2 x n) from x (rows x n, packed), n >= 4, started from the principal components in y. */
onefold_status of_layout_tsne(of_context *context, size_t rows, size_t n, const double *x,
                              const onefold_layout_options *options, double *y);

#endif
