/* SPDX-License-Identifier: Apache-2.0 */
/* What a base partition makes of samples it has not seen, as docs/method.md section 6 writes it:
 * entry by entry, in long double. */
#ifndef OF_TESTS_ORACLE_LITERAL_PROJECT_H
#define OF_TESTS_ORACLE_LITERAL_PROJECT_H

#include <stddef.h>

typedef enum literal_kind {
    LITERAL_LINEAR,
    LITERAL_COSINE,
    LITERAL_TFIDF,
    LITERAL_RBF,
    LITERAL_GRAPH
} literal_kind;

/* The kernel of the training samples (K, n x n), of new samples against them (k, n x fresh) and
 * with themselves (self, fresh). `train` is columns x n and `new` columns x fresh, a sample
 * contiguous; column statistics are the training samples' alone. For a graph, columns is n, and a
 * new sample's row has its links to the training samples; its link to itself is in a column of its
 * own. */
void literal_cross(literal_kind kind, size_t n, size_t columns, const double *train, size_t fresh,
                   const double *new, double *K, double *k, double *self);

/* h (rank x fresh): Lambda^-1 V k~(x, .), with k~ centred by the training means and normalised, and
 * V (rank x n, leading dimension ldv) and value the base partition's. */
void literal_project(size_t n, const double *K, size_t fresh, const double *k, const double *self,
                     size_t rank, const double *V, size_t ldv, const double *value, double *h);

#endif
