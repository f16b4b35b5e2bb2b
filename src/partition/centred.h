/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Explicit features of a finished kernel. Where K_ij = <f_i, f_j>, centring subtracts the mean of
 * the f, and normalising scales to unit length: K becomes <psi_i, psi_j> with
 * psi_i = scale_i (f_i - mean). scale_i is 0 where f_i equals the mean up to rounding. Where the
 * kernel keeps lengths, all scale_i are equal, such that the mean squared length of the psi_i is 1;
 * scale_i is 0 for a sample without entries in sparse features.
 */
#ifndef OF_PARTITION_CENTRED_H
#define OF_PARTITION_CENTRED_H

#include "base/comm.h"
#include "base/device.h"
#include "base/team.h"
#include "kernel/kernel.h"

#include <float.h>
#include <math.h>

typedef struct of_centred {
    const of_kernel *kernel;
    size_t samples, columns, tile_rows;
    double *mean;   /* columns */
    of_share scale; /* one number for each sample */
    double common;  /* the scale of all samples where the kernel keeps lengths, else 0 */
    double floor;   /* a squared length up to this counts as zero */
    of_tiles tiles;
} of_centred;

enum { OF_CENTRED_TILE = 1 << 18 }; /* bytes that a tile is to fill */

/* For linear, cosine and graph kernels, of dense or sparse features. */
onefold_status of_centred_make(of_context *context, of_arena *arena, const of_kernel *kernel,
                               of_centred *centred);

/* The floor, from the largest squared lengths of a kernel's features, centred and raw. */
static inline double of_centred_floor(const of_kernel *kernel, double centred, double raw)
{
    /* dense: a relative 1e-13 in each coordinate, squared */
    double rounding = kernel->features.start ? 16 * DBL_EPSILON : 1e-26;
    return fmax(1e-14 * centred, rounding * raw);
}

/* psi of the samples of tile `index`, columns x length packed; `tile` has room for
 * tile_rows x tiles.width. */
void of_centred_tile(const of_centred *centred, size_t index, double *tile);

/* z (depth x columns) = x psi for x (depth x samples). `tile` has room for a tile of every worker;
 * NULL: it is allocated. */
onefold_status of_centred_gather(of_context *context, const of_centred *centred, double *tile,
                                 size_t depth, of_share x, double *z);

/* Copies sparse features and the samples' scales to a GPU. sparse_free of its table releases them.
 * A context that counts copies nothing. */
static inline onefold_status of_centred_send(of_context *context, const of_device_use *use,
                                             const of_centred *centred, of_device_sparse **there)
{
    OF_SCRATCH(scratch, context);
    const of_sparse *features = &centred->kernel->features;
    of_sparse columns;
    OF_TRY(of_sparse_transpose(&scratch, features, &columns));
    OF_COUNTED(context);
    of_device_entries spec = {features->rows,  features->columns, features->start,
                              features->index, features->value,   centred->scale.held,
                              columns.start,   columns.index,     columns.value};
    return OF_DEVICE(use, sparse_make(use->device, &spec, there));
}

#endif
