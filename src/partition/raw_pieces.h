/* SPDX-License-Identifier: Apache-2.0 */
/* Copies samples to a GPU: raw columns of a dense view, for a projection, or the features of a
 * kernel. */
#ifndef OF_PARTITION_RAW_PIECES_H
#define OF_PARTITION_RAW_PIECES_H

#include "base/device.h"
#include "base/team.h"
#include "kernel/kernel.h"
#include "partition/projection.h"

/* Projects samples first .. first+count-1 of a dense view, by a projection with points, into
 * samples 0 .. of rows row .. of a stack. *finite (or NULL): whether all numbers are finite. */
onefold_status of_raw_project(of_context *context, const of_view *view, const of_device_use *use,
                              of_device_stack *there, const of_projection *p, size_t row,
                              size_t first, size_t count, int *finite);

/* Whether tile t is one of `chosen` evenly spread ones. */
static inline int of_tile_chosen(const of_tiles *tiles, size_t chosen, size_t t)
{
    return of_part_start(chosen, tiles->count, t) < of_part_start(chosen, tiles->count, t + 1);
}

/* Makes a stack of doubles with the features of a kernel times `scale`, for this rank's samples in
 * `chosen` of the tiles. *samples: their number. may_stream: the stack may stay in host memory. The
 * caller frees the stack, also where this fails. */
onefold_status of_features_send(of_context *context, const of_device_use *use,
                                const of_kernel *kernel, double scale, const of_tiles *tiles,
                                size_t chosen, int may_stream, of_device_stack **there,
                                size_t *samples);

#endif
