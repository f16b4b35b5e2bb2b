/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of samples that share a cluster, and what they say of two labellings. */
#ifndef OF_SCORE_PAIRS_H
#define OF_SCORE_PAIRS_H

#include <stddef.h>

/* How many pairs `count` samples make. */
double of_pairs(size_t count);

/* The Rand index adjusted for chance, from the pairs that are together in both labellings, in the
 * first, in the second, and from all pairs. Where it is 0/0 the two are alike (both one cluster, or
 * every sample alone in both): 1. */
double of_adjusted_rand(double both, double first, double second, double all);

#endif
