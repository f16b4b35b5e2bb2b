/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels made of a kernel. They keep its means, scales and width, and have a view of their own
 * from `arena`. */
#ifndef OF_KERNEL_RESAMPLE_H
#define OF_KERNEL_RESAMPLE_H

#include "kernel/kernel.h"

/* The kernel of `count` samples of its view, at these places in ascending order. Every process has
 * all of them. */
onefold_status of_kernel_take(of_context *context, of_arena *arena, const of_kernel *kernel,
                              const size_t *place, size_t count, of_kernel *taken);

/* The kernel with every column shuffled by itself; `number` is that of its view, which has numbers
 * of its own. A kernel that is given stays as it is. Entries of sparse columns go to samples that
 * have any. */
onefold_status of_kernel_shuffle(of_context *context, of_arena *arena, uint64_t seed, size_t number,
                                 const of_kernel *kernel, of_kernel *shuffled);

/* Kernels of as many samples without clusters: each is a mix of 16 samples of its dense view with
 * normal weights, so that they are nearly normal with the view's means and covariances, and with
 * those between views of as many samples, which are mixed by the same numbers. Sparse columns are
 * shuffled, and a kernel that is given stays as it is. */
onefold_status of_kernels_mix(of_context *context, of_arena *arena, uint64_t seed, size_t count,
                              const of_kernel *kernels, of_kernel *mixed);

#endif
