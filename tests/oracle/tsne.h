/* SPDX-License-Identifier: Apache-2.0 */
/* t-SNE as it is defined, over all pairs of samples: for the tree and the descent to be held to. */
#ifndef OF_TESTS_ORACLE_TSNE_H
#define OF_TESTS_ORACLE_TSNE_H

#include <stddef.h>

/* sum_j q_ij^2 (y_i - y_j) and sum_j p_ij q_ij (y_i - y_j), each 2 x n, and the sum of q_ij over
 * all pairs; p is n x n. */
void tsne_forces(size_t n, const double *y, const double *p, double *force, double *attract,
                 double *z);

/* sum_ij p_ij log(p_ij / (q_ij / z)), the divergence that t-SNE descends. */
double tsne_divergence(size_t n, const double *y, const double *p);

/* p (n x n) from squared distances over all pairs: Gaussians of this perplexity over the `count`
 * nearest of each, made symmetric; widths by halving 200 times. */
void tsne_affinities(size_t n, size_t rows, const double *x, size_t count, double perplexity,
                     double *p);

/* The share of each sample's `count` nearest in x (rows x n) that are among those in y (2 x n). */
double tsne_kept(size_t n, size_t rows, const double *x, const double *y, size_t count);

#endif
