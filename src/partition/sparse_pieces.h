/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse features on their way to a card, in pieces as raw_pieces.h has them for dense views. */
#ifndef OF_PARTITION_SPARSE_PIECES_H
#define OF_PARTITION_SPARSE_PIECES_H

#include "linalg/sparse.h"
#include "partition/raw_pieces.h"

/* Samples of a piece: a multiple of 128, by the columns, since the card spreads entries out; and
 * the most bytes that one takes. */
size_t of_sparse_piece(of_context *context, const of_sparse *features);
size_t of_sparse_piece_bytes(of_context *context, const of_sparse *features);

/* All samples, to what `there` has been told of. */
onefold_status of_sparse_send(of_context *context, const of_device_use *use, of_device_stack *there,
                              of_raw_work work, const of_sparse *features);

#endif
