/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The GPU of a context. It is opened at run time through a library of its own
 * (base/device_table.h), so the same build runs where there is none.
 */
#ifndef OF_BASE_DEVICE_H
#define OF_BASE_DEVICE_H

#include "base/context.h"
#include "base/device_table.h"

typedef struct of_device_use {
    const of_device_table *table;
    of_device *device;
    size_t least; /* fewest samples that it works on; SIZE_MAX while it is not open */
    of_device_info info;
    int waits;     /* ONEFOLD_DEVICE_AUTO: opened once work gains by it (of_device_consider) */
    int full;      /* its memory was full: it is not opened, and the CPU does the work */
    int all_short; /* all ranks know that one was short of memory (of_device_total) */
} of_device_use;

/* The GPU for work on n samples, or NULL: the CPU does it. */
const of_device_use *of_device_for(const of_context *context, size_t n);

/* With ONEFOLD_DEVICE_AUTO: where the GPU `wins`, uses it for the work that follows, and opens it
 * if need be; else the CPU does that work. */
static inline int of_device_waits(const of_context *context)
{
    return context->device && context->device->waits;
}
void of_device_consider(of_context *context, int wins);

/* The code of a function of the table, as a status with its sentence. */
onefold_status of_device_status(const of_device_use *use, int code);

/* Calls a function of the table, given by name with its arguments. */
#define OF_DEVICE(use, call) of_device_status((use), (use)->table->call)
#define OF_DEVICE_TRY(use, call) OF_TRY(OF_DEVICE(use, call))

/* ---- several ranks, each with a GPU ---------------------------------------------------------- */

/* Whether all ranks have a GPU of one kind, or none has one: otherwise work that each rank repeats
 * would differ in bits. Called by all ranks. */
onefold_status of_device_alike(of_context *context, int *alike);

/* Ends a step of each rank's GPU. Called by all ranks: where one was short of memory, all return
 * ONEFOLD_NO_MEMORY, so that all continue on the CPU. Where n samples are split, each of `count`
 * numbers becomes its sum over ranks, in their order. */
onefold_status of_device_total(of_context *context, size_t n, onefold_status status, size_t count,
                               double *numbers);

/* Whether all ranks agreed on ONEFOLD_NO_MEMORY, so that the CPU may take over. Clears that. */
int of_device_gave_up(of_context *context);

/* The number of GPUs of all ranks. */
onefold_status of_device_count(of_context *context, size_t n, size_t *gpus);

/* Sets this process's number on the machine, which decides its GPU: for a driver that is started
 * before a context asks for a GPU. */
void of_device_number(int here);

/* Waits for the driver that onefold_device_start is starting: exiting meanwhile would crash. */
void of_device_settle(void);

/* Closes the GPU of a context that ends. */
void of_device_leave(of_context *context);

#endif
