/* SPDX-License-Identifier: Apache-2.0 */
/* A view's rows of the stacked base partitions where these lie on a card. */
#ifndef OF_METHOD_BASE_STAGE_CARD_H
#define OF_METHOD_BASE_STAGE_CARD_H

#include "method/method.h"
#include "method/stack.h"

/* Rows of view i: made there, which card->made_there counts, or by the CPU and sent. What the
 * partition holds is from `arena`. */
onefold_status of_base_card_view(of_context *context, const of_problem *problem, size_t i,
                                 of_arena *arena, of_stack *card, of_partition *partition);

/* Whether the card makes the partition of view i itself. */
int of_base_card_fits(of_context *context, const of_problem *problem, size_t i);

/* Bytes that the card holds at once, at the most, besides the stack and bounded room, while the
 * base partitions are made. */
onefold_status of_base_card_bytes(of_context *context, const of_problem *problem, size_t *bytes);

#endif
