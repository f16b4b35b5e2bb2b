/* SPDX-License-Identifier: Apache-2.0 */
/* The raw samples of a dense view on their way to a GPU that projects them: in pieces, of which
 * one is copied by all threads while the GPU works another. */
#ifndef OF_PARTITION_RAW_PIECES_H
#define OF_PARTITION_RAW_PIECES_H

#include "base/device.h"
#include "data/view.h"
#include "linalg/sparse.h"

/* Whether its numbers are sent as doubles: those of other types than float are. */
int of_raw_doubles(const of_view *view);

/* Bytes of a sample as it is sent. */
size_t of_raw_size(const of_view *view);

/* Samples of a piece: a multiple of 128, by the bytes of a sample and the context's chunk; and the
 * bytes that one takes. */
size_t of_raw_piece(of_context *context, const of_view *view);
size_t of_raw_piece_bytes(of_context *context, const of_view *view);

/* What works a piece from a staging area: project_piece or features_piece of a GPU's table. */
typedef int (*of_raw_work)(of_device_stack *there, int which, size_t first, size_t count);

/* Samples first .. first+count-1 of the view as samples 0 .. of what `there` has been told of
 * (project_begin or features_start, with pieces as above). *finite (or NULL) is whether all of
 * their numbers are. */
onefold_status of_raw_send(of_context *context, const of_device_use *use, of_device_stack *there,
                           of_raw_work work, const of_view *view, size_t first, size_t count,
                           int *finite);

/* Sparse features on their way to a GPU, in pieces as raw_pieces.h has them for dense views. */

/* Samples of a piece: a multiple of 128, by the columns, since the GPU spreads entries out; and
 * the most bytes that one takes. */
size_t of_sparse_piece(of_context *context, const of_sparse *features);
size_t of_sparse_piece_bytes(of_context *context, const of_sparse *features);

/* All samples, to what `there` has been told of. */
onefold_status of_sparse_send(of_context *context, const of_device_use *use, of_device_stack *there,
                              of_raw_work work, const of_sparse *features);

#endif
