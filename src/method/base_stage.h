/* SPDX-License-Identifier: Apache-2.0 */
/* The first stage of late fusion: every view's base partition, stacked. */
#ifndef OF_METHOD_BASE_STAGE_H
#define OF_METHOD_BASE_STAGE_H

#include "method/method.h"
#include "method/stack.h"

/* Makes the stack X = [H_1; ...; H_p] (views * dims x samples) in the precision that is asked for,
 * and one of_partition per view; X is from `arena`, what the partitions hold from `kept`. A view
 * whose samples are all alike is refused. */
onefold_status of_base_stage(of_context *context, of_arena *arena, of_arena *kept,
                             const of_problem *problem, of_stack *X, of_partition *partitions);

/* Decides, once for a fit, how its views are partitioned: problem->partition, and problem->routes
 * from `arena`. The route of one view depends on all of them: `auto` looks at how long the whole
 * fit would take. */
onefold_status of_base_stage_decide(of_arena *arena, of_problem *problem);

/* A view's rows of the stacked base partitions where these lie on a GPU. */

/* Whether the GPU makes the partition of view i itself. */
int of_base_device_fits(of_context *context, const of_problem *problem, size_t i);

#endif
