/* SPDX-License-Identifier: Apache-2.0 */
/* k-means on a Gram matrix (n x n, packed) from its definition: the cost of labels is
 * sum_i g_ii - sum_c (sum of G between samples of c) / n_c. Every step tries costs. */
#ifndef OF_TESTS_ORACLE_MOVES_H
#define OF_TESTS_ORACLE_MOVES_H

#include <stddef.h>
#include <stdint.h>

double oracle_cost(size_t n, size_t k, const double *G, const int32_t *labels);

/* Every sample to the cluster with the nearest mean; an empty one gets the farthest sample. */
void oracle_lloyd(size_t n, size_t k, const double *G, int32_t *labels);

/* Each sample in turn to the cluster in which the labels cost least, where they cost less by more
 * than 1e-12 of the trace. No cluster is left empty. Returns the number of moves. */
size_t oracle_sweep(size_t n, size_t k, const double *G, int32_t *labels);

/* Two samples change clusters where that lowers the cost by more than 1e-12 of the trace: each pair
 * in turn. Returns the number of pairs that did. */
size_t oracle_exchange(size_t n, size_t k, const double *G, int32_t *labels);

/* Steps of Lloyd until one changes nothing, then sweeps until one moves nothing, with exchanges
 * after a sweep without moves if `small`; at most `most` steps and sweeps. */
void oracle_kmeans(size_t n, size_t k, const double *G, size_t most, int small, int32_t *labels);

/* G = X'X of columns (rows x n). */
void oracle_gram(size_t rows, size_t n, const double *X, double *G);

#endif
