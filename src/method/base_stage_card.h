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

/* The views that can be made together, so that the card works on one while the CPU solves the
 * eigenproblems of another; done[i] is then 1. Others, and all where the card's memory does not do,
 * are left to the function above. And how many there are at once, at the most. */
onefold_status of_base_card_together(of_context *context, const of_problem *problem,
                                     of_arena *arenas, of_stack *card, of_partition *partitions,
                                     uint8_t *done);
size_t of_base_card_at_once(of_context *context, const of_problem *problem);

/* Whether the card makes the partition of view i itself. */
int of_base_card_fits(of_context *context, const of_problem *problem, size_t i);

/* Bytes that the card holds at once, at the most, besides the stack and bounded room, while the
 * base partitions are made. */
onefold_status of_base_card_bytes(of_context *context, const of_problem *problem, size_t *bytes);

#endif
