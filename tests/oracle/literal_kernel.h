/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels as docs/method.md section 6 writes them, entry by entry, in long double and with no
 * thought for speed: what the fast ones are tested against. */
#ifndef OF_TESTS_ORACLE_LITERAL_KERNEL_H
#define OF_TESTS_ORACLE_LITERAL_KERNEL_H

#include <stddef.h>

/* x is columns x n, a sample contiguous. Each returns samples x samples in `k`. */
void literal_linear(size_t n, size_t columns, const double *x, double *k);
void literal_cosine(size_t n, size_t columns, const double *x, double *k);
void literal_rbf(size_t n, size_t columns, const double *x, double *k); /* standardises first */
void literal_laplacian(size_t n, size_t columns, const double *x, double *k); /* as well */
void literal_tfidf_cosine(size_t n, size_t columns, const double *x, double *k);
void literal_graph(size_t n, const double *x, double *k);

/* K <- (I - 11'/n) K (I - 11'/n), then K_ij / sqrt(K_ii K_jj); a row is left 0 where its diagonal
 * is at most `floor`. */
void literal_finish(size_t n, double floor, double *k);

#endif
