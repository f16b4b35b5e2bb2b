/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles of the stacked base partitions, as doubles. */
#include "method/stack.h"

#include "base/comm.h"

#include <math.h>

of_stack of_stack_double(const double *data, size_t rows, size_t samples, size_t ld)
{
    of_stack stack = {rows, samples, OF_STACK_DOUBLE, data, ld, 0, NULL, NULL, 0, 0};
    return stack;
}

of_stack of_stack_single(const float *data, size_t rows, size_t samples, size_t ld)
{
    of_stack stack = {rows, samples, OF_STACK_SINGLE, data, ld, 0, NULL, NULL, 0, 0};
    return stack;
}

onefold_status of_stack_device(const of_device_use *use, size_t rows, size_t samples,
                               onefold_precision precision, size_t spare, of_stack *stack)
{
    of_stack made = {rows, samples, OF_STACK_DEVICE, NULL, rows, 0, use, NULL, 0, 0};
    OF_DEVICE_TRY(use, stack_make_large(use->device, rows, samples, precision == ONEFOLD_DOUBLE,
                                        spare, &made.there, &made.streams));
    *stack = made;
    return ONEFOLD_OK;
}

onefold_status of_stack_device_share(of_context *context, const of_device_use *use, size_t rows,
                                     size_t n, onefold_precision precision, size_t apart,
                                     of_stack *stack)
{
    of_range own = of_comm_own(context, n);
    size_t count = own.end - own.first,
           size = precision == ONEFOLD_SINGLE ? sizeof(float) : sizeof(double);
    of_stack made = {.there = NULL};
    onefold_status status =
        of_stack_device(use, rows, count, precision, count * apart * size, &made);
    double streams = made.streams; /* where one's does, all make views apart */
    status = of_device_total(context, n, status, 1, &streams);
    if (status != ONEFOLD_OK) {
        of_stack_leave(&made);
        return status;
    }
    made.samples = n;
    made.first = own.first;
    made.streams = streams > 0;
    *stack = made;
    return ONEFOLD_OK;
}

void of_stack_leave(of_stack *stack)
{
    if (stack->there)
        stack->use->table->stack_free(stack->there);
    stack->there = NULL;
}

onefold_status of_stack_check(const of_stack *stack, const double *tile)
{
    if (stack->type != OF_STACK_DEVICE || !isnan(tile[0]))
        return ONEFOLD_OK;
    return of_device_status(stack->use, signbit(tile[0]) ? OF_DEVICE_NO_MEMORY : OF_DEVICE_FAULT);
}

size_t of_stack_room(const of_stack *stack, size_t count)
{
    return stack->type == OF_STACK_DOUBLE ? 0 : stack->rows * count;
}

const double *of_stack_tile(const of_stack *stack, size_t first, size_t count, double *room,
                            size_t *ld)
{
    if (stack->type == OF_STACK_DOUBLE) {
        *ld = stack->ld;
        return (const double *)stack->data + (first - stack->first) * stack->ld;
    }
    if (stack->type == OF_STACK_DEVICE) {
        int code = stack->use->table->stack_fetch(stack->there, first - stack->first, count, room,
                                                  stack->rows);
        *ld = stack->rows;
        for (size_t i = 0; code != OF_DEVICE_OK && i < stack->rows * count; i++)
            room[i] = code == OF_DEVICE_NO_MEMORY ? -(double)NAN : (double)NAN;
        return room;
    }
    const float *data = (const float *)stack->data + (first - stack->first) * stack->ld;
    for (size_t j = 0; j < count; j++)
        for (size_t i = 0; i < stack->rows; i++)
            room[i + j * stack->rows] = (double)data[i + j * stack->ld];
    *ld = stack->rows;
    return room;
}
