/* SPDX-License-Identifier: Apache-2.0 */
/* Products with a kernel matrix that is made, or read, a strip of whole columns at a time: rbf of
 * sparse features, and given kernels too large to be copied. */
#ifndef OF_PARTITION_KERNEL_STRIPS_H
#define OF_PARTITION_KERNEL_STRIPS_H

#include "base/random.h"
#include "base/team.h"
#include "kernel/kernel.h"

typedef struct of_kernel_strips {
    const of_kernel *kernel;
    size_t n;
    of_sparse transpose; /* of sparse features */
    double *half;        /* rbf: half the squared length of each sample */
    double mean;         /* of a given kernel, subtracted from every entry; 0 for rbf */
    double largest;      /* modulus of an entry of a given kernel */
    double *diagonal;    /* less the mean */
    double *buffer;      /* per worker: OF_STRIP columns, and as many more to transpose */
    of_tiles tiles;
} of_kernel_strips;
enum { OF_STRIP = 32 };

onefold_status of_kernel_strips_make(of_context *context, of_arena *arena, const of_kernel *kernel,
                                     of_kernel_strips *strips);
size_t of_kernel_strips_bytes(of_context *context, const of_kernel *kernel);

/* y = x K: x and y are depth x n packed. */
onefold_status of_kernel_strips_multiply(of_context *context, const of_kernel_strips *strips,
                                         size_t depth, const double *x, double *y);

#endif
