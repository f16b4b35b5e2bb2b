/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The iteration for runs whose passes a card makes, which would wait for the CPU's small matrices
 * as long as the CPU would for it: of two groups of runs, one has its pass while the threads work
 * the small steps of the other's. What a run comes to does not depend on who shares its passes.
 */
#include "method/os_lfmvc_cs_parts.h"

typedef struct group {
    of_cs_runner **live;
    size_t count;
    size_t passes; /* iterations that are done, but for the look at what came of the last one */
    int ready;     /* for the pass of the next one */
} group;

typedef struct turn {
    of_cs_solver *s;
    of_cs_pass *pass;
    group *passing, *stepping; /* either may be NULL */
    size_t from, to;
} turn;

int of_cs_takes_turns(const of_cs_solver *s, size_t count)
{
    return count > 1 && s->problem->X->type == OF_STACK_DEVICE && !s->watch && !s->pieces &&
           s->problem->options->stop != ONEFOLD_STOP_SETTLED && /* which may pass twice */
           !of_comm_splits(s->context, s->sizes.n);
}

/* The look at the iteration that is done, and the small steps of the next. */
static onefold_status step(const turn *t, of_cs_runner *run)
{
    size_t done = t->stepping->passes;
    if (done > t->from)
        of_cs_look(t->s, run, done);
    if (done == t->to || (done > t->from && run->end.converged))
        return ONEFOLD_OK;
    return of_cs_small_steps(t->s, run, done + 1);
}

/* The pass is the first piece, then one for each run of the other group. */
static onefold_status work(void *opaque, size_t index, int worker)
{
    const turn *t = opaque;
    (void)worker;
    if (t->passing && index == 0)
        return of_cs_pass_run(t->pass, OF_CS_PASS_ASSIGN, t->passing->live, t->passing->count);
    return step(t, t->stepping->live[index - (t->passing ? 1 : 0)]);
}

/* Those that go on. */
static void drop_settled(const turn *t, group *g)
{
    size_t left = 0;
    for (size_t r = 0; r < g->count && g->passes < t->to; r++)
        if (g->passes == t->from || !g->live[r]->end.converged)
            g->live[left++] = g->live[r];
    g->count = left;
}

onefold_status of_cs_iterate_in_turns(of_cs_solver *s, of_cs_pass *pass, of_cs_runner **live,
                                      size_t count, size_t from, size_t to)
{
    group groups[2] = {{live, count - count / 2, from, 0},
                       {live + count - count / 2, count / 2, from, 0}};
    for (int first = 1; from < to; first = 0) {
        turn t = {s, pass, NULL, NULL, from, to};
        for (int g = 0; g < (first ? 1 : 2); g++) {
            if (groups[g].count && groups[g].ready)
                t.passing = &groups[g];
            else if (groups[g].count)
                t.stepping = &groups[g];
        }
        if (!t.passing && !t.stepping)
            return ONEFOLD_OK;
        OF_TRY(of_context_check(s->context));
        OF_TRY(of_team_run(s->context, (t.passing ? 1 : 0) + (t.stepping ? t.stepping->count : 0),
                           work, &t));
        if (t.passing) {
            t.passing->passes++;
            t.passing->ready = 0;
        }
        if (t.stepping) {
            drop_settled(&t, t.stepping);
            t.stepping->ready = 1;
        }
        of_context_progress(s->context, "fit", (double)groups[0].passes,
                            (double)s->problem->options->max_iterations, NULL);
    }
    return ONEFOLD_OK;
}
