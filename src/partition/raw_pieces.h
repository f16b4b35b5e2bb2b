/* SPDX-License-Identifier: Apache-2.0 */
/* Samples on their way to a GPU that works them, in pieces, of which one is made by all threads
 * while the GPU works another: the columns of a dense view as they lie, for a projection, or the
 * features that a kernel makes of them. */
#ifndef OF_PARTITION_RAW_PIECES_H
#define OF_PARTITION_RAW_PIECES_H

#include "base/device.h"
#include "base/team.h"
#include "kernel/kernel.h"
#include "partition/projection.h"

/* Samples first .. first+count-1 of a dense view through a projection to points, as samples 0 .. of
 * rows row .. of a stack. *finite (or NULL) is whether all numbers are. */
onefold_status of_raw_project(of_context *context, const of_view *view, const of_device_use *use,
                              of_device_stack *there, const of_projection *p, size_t row,
                              size_t first, size_t count, int *finite);

/* Whether tile t is one of `chosen` that are spread evenly. */
static inline int of_tile_chosen(const of_tiles *tiles, size_t chosen, size_t t)
{
    return of_part_start(chosen, tiles->count, t) < of_part_start(chosen, tiles->count, t + 1);
}

/* The features of a kernel, times `scale`, in a stack of doubles that is made for them, and that
 * may stream: of this rank's samples in `chosen` of the tiles, and how many these are. The caller
 * frees the stack, also where this fails. */
onefold_status of_features_send(of_context *context, const of_device_use *use,
                                const of_kernel *kernel, double scale, const of_tiles *tiles,
                                size_t chosen, int may_stream, of_device_stack **there,
                                size_t *samples);

#endif
