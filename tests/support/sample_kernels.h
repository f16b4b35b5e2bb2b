/* SPDX-License-Identifier: Apache-2.0 */
/* Sample kernels with clusters in them, for tests that need no file. */
#ifndef OF_TESTS_SUPPORT_SAMPLE_KERNELS_H
#define OF_TESTS_SUPPORT_SAMPLE_KERNELS_H

#include <stddef.h>
#include <stdint.h>

/* `views` kernels of samples in `clusters` clusters that overlap, centred and normalised; view i
 * is noisier than the one before. free() each and the array. */
double **sample_kernels(uint64_t seed, size_t samples, size_t views, size_t clusters);

/* The same as exp(-distance^2 / mean distance^2), neither centred nor normalised. */
double **sample_raw_kernels(uint64_t seed, size_t samples, size_t views, size_t clusters);
void sample_free(size_t views, double **kernels);

#endif
