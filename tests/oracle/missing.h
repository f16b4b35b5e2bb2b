/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples that lack views as docs/method.md section 9 writes it, in plain loops: base partitions
 * over those present from the literal kernel matrix, and the fused column of each sample.
 */
#ifndef OF_TESTS_ORACLE_MISSING_H
#define OF_TESTS_ORACLE_MISSING_H

#include <stddef.h>
#include <stdint.h>

/* H_i (k x n, new): the k leading eigenvectors of the finished rbf kernel of the samples with
 * present[j * step] != 0 of x (columns x n), as rows, the entry of largest modulus positive; zero
 * columns for the others. */
double *missing_partition(size_t n, size_t columns, size_t k, const double *x,
                          const uint8_t *present, size_t step);

/* H (k x n, new): h_j = sqrt(p / |V_j|) sum_{i in V_j} beta_i sqrt(n_i / n) W_i h_ij, where V_j are
 * the views that sample j has (present: n x p, a sample contiguous) and n_i the samples that view i
 * has. W is k x pk. */
double *missing_fused(size_t n, size_t p, size_t k, double *const *H, const double *W,
                      const double *beta, const uint8_t *present);

#endif
