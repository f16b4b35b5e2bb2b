/* SPDX-License-Identifier: Apache-2.0 */
/* The first stage of late fusion: every view's base partition, stacked. */
#ifndef OF_METHOD_BASE_STAGE_H
#define OF_METHOD_BASE_STAGE_H

#include "base/device.h"
#include "base/team.h"
#include "method/method.h"

/* ---- stacks -------------------------------------------------------------------------------- */

/*
 * The stacked base partitions X = [H_1; ...; H_p]: rows x samples, a sample contiguous. Held in
 * double or in single precision, in memory or on a GPU; read by tiles of
 * samples, always as doubles.
 */

typedef enum of_stack_type { OF_STACK_DOUBLE, OF_STACK_SINGLE, OF_STACK_DEVICE } of_stack_type;

typedef struct of_stack {
    size_t rows, samples;
    of_stack_type type;
    const void *data;         /* element i of sample j is number i + (j - first) * rows */
    size_t first, held;       /* samples that are held, as are results of the solver */
    const of_device_use *use; /* OF_STACK_DEVICE: the GPU, and what lies there */
    of_device_stack *there;
    size_t made_there; /* views whose partition the GPU made itself */
    int streams;       /* it does not fit the GPU: the host has it */
} of_stack;

/* A stack over numbers that the caller keeps. */
of_stack of_stack_double(const double *data, size_t rows, size_t samples);

/* An empty one on the context's GPU, through which it streams where it is too large; of n samples
 * that may be split, of which this rank's has its share; by all ranks. of_stack_leave gives it
 * back, and does nothing to others. */
onefold_status of_stack_device(of_context *context, size_t rows, size_t n,
                               onefold_precision precision, of_stack *stack);
void of_stack_leave(of_stack *stack);

/* Samples first .. first+count-1 as doubles, *x (rows x count): the stack's own numbers where it
 * holds doubles, else converted into `room` (rows x count numbers). */
onefold_status of_stack_tile(const of_stack *stack, size_t first, size_t count, double *room,
                             const double **x);

/* How passes cut `samples` samples of so many rows: by these alone. */
of_tiles of_stack_cut(size_t samples, size_t rows);

/* Some samples of a stack: rows x count doubles, with room for what is made of them. */
typedef struct of_stack_part {
    size_t first, count;
    const double *x;
    double *room;
    double *sum; /* what this part is added to; NULL: in a walk */
} of_stack_part;
typedef onefold_status (*of_stack_work)(void *task, const of_stack_part *part);

/* Works all samples that this process has, tile by tile, with `each` numbers of room a sample. */
onefold_status of_stack_walk(of_context *context, const of_stack *stack, size_t each,
                             of_stack_work work, void *task);

/* The same over these tiles; sum[0..length) is the sum of all parts, as of_tiles_sum adds them. */
onefold_status of_stack_sum(of_context *context, const of_stack *stack, of_tiles tiles, size_t each,
                            of_stack_work work, void *task, size_t length, double *sum);

/* ---- base partitions ----------------------------------------------------------------------- */

/* Makes the stack X = [H_1; ...; H_p] (views * dims x samples) in the precision that is asked for,
 * and one of_partition per view; X is from `arena`, what the partitions hold from `kept`. A view
 * whose samples are all alike is refused. */
onefold_status of_base_stage(of_context *context, of_arena *arena, of_arena *kept,
                             const of_problem *problem, of_stack *X, of_partition *partitions);

/* Decides, once for a fit, how its views are partitioned: problem->partition, and problem->routes
 * from `arena`. The route of one view depends on all of them: `auto` looks at how long the whole
 * fit would take. */
onefold_status of_base_stage_decide(of_arena *arena, of_problem *problem);

/* Whether the GPU makes the partition of view i itself: not where samples lack views. */
int of_base_device_fits(of_context *context, const of_problem *problem, size_t i);

#endif
