/* SPDX-License-Identifier: Apache-2.0 */
#include "model/fit_device.h"

#include "base/comm.h"
#include "base/device.h"

#include <stdint.h>

/* Seconds until a driver has started; a card that is open has one. */
static const double START = 0.3;

/* Below this not even estimates are worth their tens of milliseconds. */
enum { LEAST = 1 << 14 };

static double seconds_of(const of_method_estimate *estimate)
{
    return estimate->seconds_base + estimate->seconds_fit;
}

/* Takes the card or leaves it, as the first rank says; where a rank then has none, nobody has. */
static onefold_status consider(of_context *context, int wins)
{
    int alike;
    OF_TRY(of_comm_first(context, &wins, sizeof wins));
    of_device_consider(context, wins);
    OF_TRY(of_device_alike(context, &alike));
    if (!alike)
        of_device_consider(context, 0);
    return ONEFOLD_OK;
}

/* Where a rank's card had no memory to be opened, the CPU does it on all. */
static onefold_status share_full(of_context *context, int *full)
{
    OF_SCRATCH(scratch, context);
    int mine = context->device && context->device->full, *all;
    OF_TRY(of_comm_each(context, &scratch, &mine, sizeof mine, (void **)&all));
    *full = 0;
    for (int r = 0; r < context->comm.size; r++)
        *full |= all[r];
    if (*full && context->device) {
        context->device->full = 1;
        context->device->least = SIZE_MAX;
    }
    return ONEFOLD_OK;
}

/* Where a card is asked for, every rank has one, and all are of a kind. */
static onefold_status check_ranks(of_context *context)
{
    int alike, full = 0;
    OF_TRY(of_device_alike(context, &alike));
    if (!alike)
        OF_TRY(share_full(context, &full));
    if (alike || full)
        return ONEFOLD_OK;
    return of_hint(
        of_fail(ONEFOLD_UNSUPPORTED, "the ranks have cards of different kinds, or some have none"),
        "ask for the CPU with `device`, or for machines of one kind");
}

onefold_status of_fit_choose_device(of_context *context, of_fit_plan *plan,
                                    of_method_estimate *estimate)
{
    size_t n = plan->problem.dataset->samples;
    of_method_estimate card = *estimate;
    if (!context->device || plan->problem.spill)
        return ONEFOLD_OK;
    if (!plan->method->card_time) /* nothing says that it gains */
        return consider(context, 0);
    OF_SCRATCH(scratch, context);
    if (estimate->views) { /* of which the CPU's may be kept */
        OF_TRY(OF_NEW(&scratch, &card.views, plan->problem.dataset->view_count, 1));
        for (size_t i = 0; i < plan->problem.dataset->view_count; i++)
            card.views[i] = estimate->views[i];
    }
    OF_TRY(plan->method->card_time(context, &plan->problem, &card));
    double start = context->device->device ? 0 : START;
    int wins = seconds_of(&card) + start < seconds_of(estimate);
    OF_TRY(consider(context, wins));
    if (!of_device_for(context, n))
        return ONEFOLD_OK;
    for (size_t i = 0; card.views && i < plan->problem.dataset->view_count; i++)
        estimate->views[i] = card.views[i];
    estimate->seconds_base = card.seconds_base;
    estimate->seconds_fit = card.seconds_fit;
    return ONEFOLD_OK;
}

onefold_status of_fit_consider_card(of_context *context, of_fit_plan *plan)
{
    OF_SCRATCH(scratch, context);
    of_method_estimate estimate = {0};
    if (!of_device_waits(context))
        return check_ranks(context);
    if (plan->problem.dataset->samples < LEAST)
        return consider(context, 0);
    if (plan->method->card_time)
        OF_TRY(plan->method->estimate_time(context, &scratch, &plan->problem, &estimate));
    return of_fit_choose_device(context, plan, &estimate);
}
