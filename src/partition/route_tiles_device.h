/* SPDX-License-Identifier: Apache-2.0 */
/* Products with an rbf kernel of dense features on a card (route_tiles.c). */
#ifndef OF_PARTITION_ROUTE_TILES_DEVICE_H
#define OF_PARTITION_ROUTE_TILES_DEVICE_H

#include "base/device.h"
#include "kernel/kernel_blocks.h"

typedef struct of_tiles_card {
    const of_device_use *use;
    of_device_stack *features; /* NULL: the CPU does it */
} of_tiles_card;

/* Features to the context's card, where it has one with room for them; else it stays empty. */
onefold_status of_tiles_card_make(of_context *context, const of_kernel_blocks *blocks,
                                  of_tiles_card *card);
void of_tiles_card_free(of_tiles_card *card);

/* The most bytes of a card that products of up to `depth` rows take, the features with them. */
onefold_status of_tiles_card_room(size_t n, size_t columns, size_t depth, size_t *bytes);

/* y = x K: x and y are depth x n packed. */
onefold_status of_tiles_card_multiply(of_context *context, const of_tiles_card *card,
                                      const of_kernel_blocks *blocks, size_t depth, const double *x,
                                      double *y);

#endif
