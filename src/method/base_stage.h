/* SPDX-License-Identifier: Apache-2.0 */
/* The first stage of late fusion: every view's base partition, stacked. */
#ifndef OF_METHOD_BASE_STAGE_H
#define OF_METHOD_BASE_STAGE_H

#include "method/method.h"
#include "method/stack.h"

/* Fills X = [H_1; ...; H_p] (views * dims x samples, ld = views * dims) and one of_partition per
 * view. A view whose samples are all alike is refused. */
onefold_status of_base_stage(of_context *context, of_arena *arena, const of_problem *problem,
                             double *X, of_partition *partitions);

/* The scratch bytes of of_base_stage, X not included, for this many threads. */
onefold_status of_base_stage_cost(of_context *context, const of_problem *problem, size_t *bytes);

#endif
