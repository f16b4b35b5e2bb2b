/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the comparison methods end: leading eigenvectors of a symmetric matrix, their rows scaled to
 * unit length, k-means, labels. The bits do not depend on the number of threads.
 */
#ifndef OF_PEERS_SPECTRAL_H
#define OF_PEERS_SPECTRAL_H

#include "method/method.h"

/* The `count` largest eigenvalues (not moduli) of symmetric A (n x n, whole, kept), descending, and
 * their vectors (n x count), orthonormal, each with its entry of largest modulus positive (the
 * first such entry among equals). ||A v - lambda v|| is at most 1e-10 of the largest eigenvalue.
 * `guess` (n x count packed, may be `vector`) is where to look first, or NULL: it saves time where
 * the answer is near it. */
onefold_status of_spectral_top(of_context *context, size_t n, size_t count, const double *a,
                               size_t lda, const double *guess, double *value /* count */,
                               double *vector, size_t ldv);

/* Bytes of_spectral_top holds besides what it is given (n * n more numbers in the rare case that
 * its iteration for large n does not settle and LAPACK takes over). */
size_t of_spectral_bytes(of_context *context, size_t n, size_t count);

/* About how many seconds it takes. */
double of_spectral_seconds(of_context *context, size_t n, size_t count);

/* The k-means options every method that ends in k-means has: the last entries of its table. */
/* clang-format off */
#define OF_SPECTRAL_OPTIONS                                                                        \
    {"kmeans-start", "plusplus|samples", 0, 0, 1,                                                  \
     "k-means starts from k-means++ or from distinct random samples"},                             \
    {"replicates", NULL, 10, 1, 1 << 20, "k-means starts in each repeat, the best kept"}
/* clang-format on */
enum { OF_SPECTRAL_OPTION_COUNT = 2 };

/* Labels from an embedding U (samples x clusters): its rows are scaled to unit length (a zero row
 * stays zero) and clustered options->restarts times with 100 iterations at most; the repeat of
 * least cost is the answer. Fills the outcome's labels, embedding, and what it says of restarts,
 * whose objective is the k-means cost. `end` points to the method's last OF_SPECTRAL_OPTION_COUNT
 * options. */
onefold_status of_spectral_labels(of_context *context, const of_problem *problem, const double *end,
                                  const double *u, size_t ldu, of_outcome *outcome);

#endif
