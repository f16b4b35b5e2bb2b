/* SPDX-License-Identifier: Apache-2.0 */
/* Stacked base partitions X = [H_1; ...; H_p] (pk x n, H_i H_i' = I) for tests. */
#ifndef OF_TESTS_SUPPORT_PARTITIONS_H
#define OF_TESTS_SUPPORT_PARTITIONS_H

#include <stddef.h>
#include <stdint.h>

/* New X: each H_i spans noisy indicators of the same mu hidden clusters (sample j is in cluster
 * j mod mu) and noise. `noise` 0.3 is easy, 3 is nearly hopeless. n >= k. */
double *partitions_random(size_t n, size_t p, size_t k, size_t mu, double noise, uint64_t seed);

/* Replaces H_i (rows i k .. i k + k - 1 of X) by O H_i for a random orthogonal O (k x k), and, if W
 * (k x pk) is not NULL, W_i by W_i O', so that W_i H_i stays. */
void partitions_rotate(size_t n, size_t p, size_t k, size_t i, uint64_t seed, double *X, double *W);

/* New X from the kernels KH (n x n x p) of a .mat file, by matio and LAPACK alone: symmetrised, the
 * mean of all entries taken off, centred, normalised, k leading eigenvectors. `value` ((k + 1) x p,
 * or NULL) gets the eigenvalues. NULL, with a line, where the file is not there. */
double *partitions_from_kernels(const char *path, size_t *n, size_t *p, size_t k, double *value);

#endif
