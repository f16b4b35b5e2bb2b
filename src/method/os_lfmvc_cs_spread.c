/* SPDX-License-Identifier: Apache-2.0 */
/* Restarts that every process would run alike are shared out among them instead, whole: after each
 * round of the race every process is given what the others' runs have come to. */
#include "method/os_lfmvc_cs_parts.h"

#include <string.h>

/* Copies `size` bytes between a run and the place `*at` in a parcel, which moves on. */
static void carry(char **at, int out, void *field, size_t size)
{
    if (size)
        memcpy(out ? *at : field, out ? field : *at, size);
    *at += size;
}

/* All that a run is between two rounds; into the parcel, or out of it. Returns its size. */
static size_t parcel(const of_cs_solver *s, of_cs_runner *run, char *start, int out)
{
    const of_cs_sizes *z = &s->sizes;
    of_cs_state *now = &run->now;
    enum { D = sizeof(double) };
    char *at = start;
    carry(&at, out, &run->end, sizeof run->end);
    carry(&at, out, &run->moved, sizeof run->moved);
    carry(&at, out, run->trace, s->problem->options->max_iterations * D);
    carry(&at, out, now->W, z->k * z->pk * D);
    carry(&at, out, now->beta, z->p * D);
    carry(&at, out, now->B, z->k * z->pk * D);
    carry(&at, out, now->XS, z->pk * z->m * D);
    carry(&at, out, now->XP, z->pk * z->m * D);
    carry(&at, out, now->XY, z->pk * z->mu * D);
    carry(&at, out, now->R, z->k * z->m * D);
    carry(&at, out, now->C, z->k * z->mu * D);
    carry(&at, out, now->sizes, z->mu * sizeof *now->sizes);
    carry(&at, out, now->labels, z->n * sizeof *now->labels);
    if (s->problem->options->stop == ONEFOLD_STOP_SETTLED) {
        carry(&at, out, run->last.W, z->k * z->pk * D);
        carry(&at, out, run->last.beta, z->p * D);
        carry(&at, out, &run->last.moved, sizeof run->last.moved);
        carry(&at, out, &run->went_back, sizeof run->went_back);
    }
    return (size_t)(at - start);
}

static size_t parcel_size(const of_cs_solver *s)
{
    const of_cs_sizes *z = &s->sizes;
    size_t numbers = s->problem->options->max_iterations + 2 * z->k * z->pk + z->p +
                     2 * z->pk * z->m + z->pk * z->mu + z->k * (z->m + z->mu);
    size_t kept = s->problem->options->stop == ONEFOLD_STOP_SETTLED
                      ? (z->k * z->pk + z->p) * sizeof(double) + sizeof(size_t) + sizeof(int)
                      : 0;
    return kept + sizeof(of_cs_end) + sizeof(size_t) + numbers * sizeof(double) +
           z->mu * sizeof(size_t) + z->n * sizeof(int32_t);
}

int of_cs_spreads(of_context *context, size_t n, size_t restarts)
{
    return context->comm.size > 1 && restarts > 1 && !of_comm_splits(context, n) &&
           !of_team_inside();
}

of_range of_cs_spread_own(const of_cs_solver *s, size_t count)
{
    size_t ranks = (size_t)s->context->comm.size, rank = (size_t)s->context->comm.rank;
    return s->spread ? (of_range){count * rank / ranks, count * (rank + 1) / ranks}
                     : (of_range){0, count};
}

onefold_status of_cs_spread_exchange(of_cs_solver *s, of_cs_runner **live, size_t count)
{
    if (!s->spread)
        return ONEFOLD_OK;
    OF_SCRATCH(scratch, s->context);
    size_t ranks = (size_t)s->context->comm.size, size = parcel_size(s), *start;
    of_range own = of_cs_spread_own(s, count);
    char *all;
    OF_TRY(OF_NEW(&scratch, &all, count, size));
    OF_TRY(OF_NEW(&scratch, &start, ranks + 1, 1));
    for (size_t r = 0; r <= ranks; r++)
        start[r] = count * r / ranks * size;
    for (size_t i = own.first; i < own.end; i++) {
        OF_TRY(of_cs_pass_labels(s->pass, live[i]));
        if (parcel(s, live[i], all + i * size, 1) != size)
            return of_fail(ONEFOLD_FAULT, "a run is not of the size it should be");
    }
    OF_TRY(of_comm_gather_parts(s->context, all, start));
    for (size_t i = 0; i < count; i++)
        if (i < own.first || i >= own.end) {
            parcel(s, live[i], all + i * size, 0);
            live[i]->labels_away = 0; /* what a card here has of it is older */
        }
    return ONEFOLD_OK;
}
