/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The GPU that a context works on, if it does: found and opened at run time through a library of
 * its own (base/device_table.h), so that the same build runs where there is none.
 */
#ifndef OF_BASE_DEVICE_H
#define OF_BASE_DEVICE_H

#include "base/context.h"
#include "base/device_table.h"

typedef struct of_device_use {
    const of_device_table *table;
    of_device *device;
    size_t least; /* samples from which on it is taken */
    of_device_info info;
    int waits; /* it is opened where work gains by it; not open: device is NULL, least SIZE_MAX */
    int full;  /* there was no memory to open it: not open, as above, and the CPU does it */
    int short_of; /* all ranks know that one's memory has not done (of_device_total) */
} of_device_use;

/* The GPU for work on n samples, or NULL: the CPU does it. */
const of_device_use *of_device_for(const of_context *context, size_t n);

/* Where the choice is ours (ONEFOLD_DEVICE_AUTO): takes the GPU for the work that comes, which
 * opens it if need be, or leaves it alone. */
static inline int of_device_waits(const of_context *context)
{
    return context->device && context->device->waits;
}
void of_device_consider(of_context *context, int wins);

/* What a function of the table came to, as a status with its sentence. */
onefold_status of_device_status(const of_device_use *use, int code);

/* A function of the table by name, with its arguments. */
#define OF_DEVICE(use, call) of_device_status((use), (use)->table->call)
#define OF_DEVICE_TRY(use, call) OF_TRY(OF_DEVICE(use, call))

/* ---- several ranks, each with a GPU ---------------------------------------------------------- */

/* Whether all ranks have a GPU of one kind, or none has one: else what all of them do alike
 * would not come out alike. By all ranks of a context. */
onefold_status of_device_alike(of_context *context, int *alike);

/* Ends a step that each rank's GPU has done for itself, by all ranks: where the memory of one
 * did not do, it did not on any, so that all of them leave the rest to the CPU. Where n samples are
 * split, each of `count` numbers becomes the sum over ranks, in their order. */
onefold_status of_device_total(of_context *context, size_t n, onefold_status status, size_t count,
                               double *numbers);

/* Whether ONEFOLD_NO_MEMORY is what all ranks have agreed on, so that the CPU may take over; asked
 * once for each time. */
int of_device_gave_up(of_context *context);

/* How many GPUs the ranks have together. */
onefold_status of_device_count(of_context *context, size_t n, size_t *gpus);

/* This process is number `here` of those on the machine, which share its GPUs out: for a driver
 * that is started before a context asks for a GPU. */
void of_device_number(int here);

/* Waits for a driver that onefold_device_start has begun to start: one that is halfway when the
 * process ends takes it down. */
void of_device_settle(void);

/* Gives the GPU back when a context ends. */
void of_device_leave(of_context *context);

#endif
