/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Square blocks of a kernel matrix with dense features: one matrix product and, for rbf, one
 * exponential per entry. A kernel matrix is made of them, and so is a product with a kernel that
 * is too large to be formed.
 */
#ifndef OF_KERNEL_KERNEL_BLOCKS_H
#define OF_KERNEL_KERNEL_BLOCKS_H

#include "base/team.h"
#include "kernel/kernel.h"

typedef struct of_kernel_blocks {
    const of_kernel *kernel;
    size_t columns, tile_rows; /* features, and doubles a sample's tile needs while it is read */
    of_tiles tiles;
    double scale;       /* rbf: features are scaled so that 2 <x,y> / width becomes <x,y> */
    const double *mean; /* linear: subtracted, so that centring loses no digits; or NULL */
    double *half;       /* rbf: half the squared length of each sample's scaled features */
    double *all;        /* all the tiles, where they take at most OF_BLOCKS_HELD bytes; else NULL */
} of_kernel_blocks;
enum { OF_BLOCKS_HELD = 64 << 20, OF_BLOCKS_WIDTH = 256 };

/* For linear, cosine and rbf kernels. `centre`: subtract the mean of linear features. */
onefold_status of_kernel_blocks_make(of_context *context, of_arena *arena, const of_kernel *kernel,
                                     int centre, of_kernel_blocks *blocks);

/* The bytes that of_kernel_blocks_make will take. */
size_t of_kernel_blocks_bytes(const of_kernel *kernel);

/* Doubles that the buffer of a tile needs. */
size_t of_kernel_blocks_buffer(const of_kernel_blocks *blocks);

/* Features of tile `index`, columns x length: in `buffer`, or where they are held. */
const double *of_kernel_blocks_tile(const of_kernel_blocks *blocks, size_t index, double *buffer);

/* K between the samples of tile i (rows) and those of tile j (columns), given their features.
 * i = j gives a symmetric block, with ones on the diagonal for rbf. */
void of_kernel_blocks_fill(const of_kernel_blocks *blocks, size_t i, const double *tile_i, size_t j,
                           const double *tile_j, double *out, size_t ldo);

/* The mean of dense features: columns numbers. */
onefold_status of_kernel_mean(of_context *context, const of_kernel *kernel, double *mean);

#endif
