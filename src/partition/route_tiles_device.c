/* SPDX-License-Identifier: Apache-2.0 */
#include "partition/route_tiles_device.h"

/* Entries of K that one call of the card works: a fraction of a second, after which somebody may
 * want to stop. A call has whole tiles of 128 samples. */
static const double MOST_ENTRIES = 4e9;
enum { STEP = 128 };

static onefold_status send_features(of_context *context, const of_kernel_blocks *blocks,
                                    const of_tiles_card *card)
{
    OF_SCRATCH(scratch, context);
    const of_tiles *tiles = &blocks->tiles;
    double *buffer = NULL;
    size_t d = blocks->columns;
    if (!blocks->all)
        OF_TRY(OF_NEW(&scratch, &buffer, of_kernel_blocks_buffer(blocks), 1));
    for (size_t t = 0; t < tiles->count; t++) {
        size_t count = of_tiles_length(tiles, t);
        if (count)
            OF_DEVICE_TRY(card->use,
                          stack_store(card->features, 0, d, of_tiles_first(tiles, t), count,
                                      of_kernel_blocks_tile(blocks, t, buffer), d, 0));
    }
    return of_context_check(context);
}

onefold_status of_tiles_card_make(of_context *context, const of_kernel_blocks *blocks,
                                  of_tiles_card *card)
{
    size_t n = blocks->kernel->view->samples;
    *card = (of_tiles_card){.use = of_device_for(context, n)};
    if (!card->use || of_team_inside())
        return ONEFOLD_OK;
    onefold_status status =
        of_device_status(card->use, card->use->table->stack_make(card->use->device, blocks->columns,
                                                                 n, 1, &card->features));
    if (status == ONEFOLD_OK)
        status = send_features(context, blocks, card);
    status = of_device_agree(context, status);
    if (status != ONEFOLD_OK)
        of_tiles_card_free(card);
    return status == ONEFOLD_NO_MEMORY && of_device_gave_up(context) ? ONEFOLD_OK : status;
}

void of_tiles_card_free(of_tiles_card *card)
{
    if (card->features)
        card->use->table->stack_free(card->features);
    card->features = NULL;
}

/* Samples of a call. */
static size_t at_once(size_t n)
{
    size_t most = (size_t)(MOST_ENTRIES / (double)n) / STEP * STEP;
    return most < STEP ? STEP : most;
}

onefold_status of_tiles_card_room(size_t n, size_t columns, size_t depth, size_t *bytes)
{
    size_t most = at_once(n), padded = (n + STEP - 1) / STEP * STEP;
    most = most < n ? most : n;
    OF_TRY(of_size_multiply(bytes, padded, (columns + depth + 1) * sizeof(double)));
    return of_size_add(bytes, *bytes, most * depth * sizeof(double));
}

onefold_status of_tiles_card_multiply(of_context *context, const of_tiles_card *card,
                                      const of_kernel_blocks *blocks, size_t depth, const double *x,
                                      double *y)
{
    size_t n = blocks->kernel->view->samples, most = at_once(n);
    for (size_t first = 0; first < n; first += most) {
        of_device_rbf task = {.depth = depth,
                              .first = first,
                              .count = n - first < most ? n - first : most,
                              .half = blocks->half,
                              .x = x,
                              .y = y};
        OF_TRY(of_context_check(context));
        OF_DEVICE_TRY(card->use, rbf_multiply(card->features, &task));
    }
    return ONEFOLD_OK;
}
