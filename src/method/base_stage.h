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
 * double or in single precision, in memory or on a GPU; read by tiles of samples, as doubles.
 */

typedef enum of_stack_type { OF_STACK_DOUBLE, OF_STACK_SINGLE, OF_STACK_DEVICE } of_stack_type;

typedef struct of_stack {
    size_t rows, samples;
    of_stack_type type;
    const void *data;         /* element i of sample j is number i + (j - first) * rows */
    size_t first, held;       /* samples first .. first + held - 1 are held by this process */
    const of_device_use *use; /* OF_STACK_DEVICE: the GPU, and the stack there */
    of_device_stack *there;
    size_t made_there; /* views whose partition the GPU made itself */
    int streams;       /* it does not fit the GPU: it lies in host memory */
} of_stack;

/* A stack over numbers that the caller keeps. */
of_stack of_stack_double(const double *data, size_t rows, size_t samples);

/* Makes an empty stack on the context's GPU, through which it streams where it is too large. Where
 * samples are split over processes each holds its share; all make it together. of_stack_leave frees
 * it, and does nothing to stacks in memory. */
onefold_status of_stack_device(of_context *context, size_t rows, size_t n,
                               onefold_precision precision, of_stack *stack);
void of_stack_leave(of_stack *stack);

/* Samples first .. first+count-1 as doubles, *x (rows x count): the stack's own numbers where it
 * holds doubles, else converted into `room` (rows x count numbers). */
onefold_status of_stack_tile(const of_stack *stack, size_t first, size_t count, double *room,
                             const double **x);

/* The tiles of passes over a stack, by its shape alone. */
of_tiles of_stack_cut(size_t samples, size_t rows);

/* Some samples of a stack, rows x count doubles, and working memory for them. */
typedef struct of_stack_part {
    size_t first, count;
    const double *x;
    double *room;
    double *sum; /* NULL in a walk */
} of_stack_part;
typedef onefold_status (*of_stack_work)(void *task, const of_stack_part *part);

/* Calls `work` for every tile of this process, with room for `each` numbers a sample. */
onefold_status of_stack_walk(of_context *context, const of_stack *stack, size_t each,
                             of_stack_work work, void *task);

/* The same over these tiles; sum[0..length) is the sum of all parts, as of_tiles_sum adds them. */
onefold_status of_stack_sum(of_context *context, const of_stack *stack, of_tiles tiles, size_t each,
                            of_stack_work work, void *task, size_t length, double *sum);

/* ---- base partitions ----------------------------------------------------------------------- */

/* Makes the stack X = [H_1; ...; H_p] (views * dims x samples) in the precision of the
 * options, and one of_partition per view. X is from `arena`, arrays of the partitions from `kept`.
 * Refuses a view whose samples are all equal. */
onefold_status of_base_stage(of_context *context, of_arena *arena, of_arena *kept,
                             const of_problem *problem, of_stack *X, of_partition *partitions);

/* Decides, once for a fit, problem->partition, and problem->routes from `arena`. The route of a
 * view depends on all views (of_partition_base). */
onefold_status of_base_stage_decide(of_arena *arena, of_problem *problem);

/* Whether the GPU makes the partition of view i: not where samples lack views. */
int of_base_device_fits(of_context *context, const of_problem *problem, size_t i);

#endif
