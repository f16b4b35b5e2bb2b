/* SPDX-License-Identifier: Apache-2.0 */
/* Cards of several ranks: each works on the samples of its own rank, and what they come to is added
 * up in the order of ranks. */
#include "base/comm.h"
#include "base/device.h"

#include <string.h>

onefold_status of_device_alike(of_context *context, int *alike)
{
    OF_SCRATCH(scratch, context);
    char name[sizeof context->device->info.name] = "", *all;
    if (context->device && context->device->device)
        memcpy(name, context->device->info.name, sizeof name);
    *alike = 1;
    OF_TRY(of_comm_each(context, &scratch, name, sizeof name, (void **)&all));
    for (int r = 1; r < context->comm.size; r++)
        *alike &= memcmp(all, all + (size_t)r * sizeof name, sizeof name) == 0;
    return ONEFOLD_OK;
}

/* Whether a rank has brought 1, each at `step` numbers from the one before. */
static int one_of(const double *all, size_t ranks, size_t step)
{
    for (size_t r = 0; r < ranks; r++)
        if (all[r * step] != 0)
            return 1;
    return 0;
}

/* All ranks have been told: this one fails as the others do. */
static onefold_status give_up(of_context *context, onefold_status status)
{
    if (context->device)
        context->device->short_of = 1;
    return status != ONEFOLD_OK ? status
                                : of_hint(of_fail(ONEFOLD_NO_MEMORY,
                                                  "the card of another rank has too little memory"),
                                          "ask for the CPU with `device`");
}

onefold_status of_device_agree(of_context *context, onefold_status status)
{
    double mine = status == ONEFOLD_NO_MEMORY, *all;
    if (context->comm.size <= 1 || (status != ONEFOLD_OK && status != ONEFOLD_NO_MEMORY))
        return status;
    OF_SCRATCH(scratch, context);
    OF_TRY(of_comm_each(context, &scratch, &mine, sizeof mine, (void **)&all));
    return one_of(all, (size_t)context->comm.size, 1) ? give_up(context, status) : ONEFOLD_OK;
}

onefold_status of_device_total(of_context *context, size_t n, onefold_status status, size_t count,
                               double *numbers)
{
    if (!of_comm_splits(context, n))
        return of_device_agree(context, status);
    if (status != ONEFOLD_OK && status != ONEFOLD_NO_MEMORY)
        return status;
    OF_SCRATCH(scratch, context);
    size_t ranks = (size_t)context->comm.size;
    double *mine, *all;
    OF_TRY(OF_NEW_ZERO(&scratch, &mine, count + 1, 1));
    if (status == ONEFOLD_OK && count)
        memcpy(mine + 1, numbers, count * sizeof *mine);
    mine[0] = status == ONEFOLD_NO_MEMORY;
    OF_TRY(of_comm_each(context, &scratch, mine, (count + 1) * sizeof *mine, (void **)&all));
    if (one_of(all, ranks, count + 1))
        return give_up(context, status);
    if (count)
        memcpy(numbers, all + 1, count * sizeof *numbers);
    for (size_t r = 1; r < ranks; r++)
        for (size_t i = 0; i < count; i++)
            numbers[i] += all[r * (count + 1) + 1 + i];
    return ONEFOLD_OK;
}

int of_device_gave_up(of_context *context)
{
    int all = context->comm.size <= 1 || (context->device && context->device->short_of);
    if (context->device)
        context->device->short_of = 0;
    return all;
}

onefold_status of_device_count(of_context *context, size_t n, size_t *cards)
{
    /* the first ranks of a machine have a card each, the others share them */
    double own = context->device && context->comm.here < context->device->info.cards;
    OF_TRY(of_comm_total(context, n, 1, &own));
    *cards = (size_t)own;
    return ONEFOLD_OK;
}
