/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The iteration of OS-LFMVC-CS (docs/method.md section 3) for one run, or for several that share
 * the passes over the data.
 */
#include "method/os_lfmvc_cs_parts.h"

#include <string.h>

static onefold_status tell(const of_cs_solver *s, of_cs_runner *run, of_cs_step step,
                           size_t iteration)
{
    if (!s->watch)
        return ONEFOLD_OK;
    double J = of_cs_objective(&s->sizes, run);
    return s->watch->step(s->watch->user, step, iteration, &run->now, J);
}

typedef struct small_task {
    of_cs_solver *s;
    of_cs_runner **live;
    size_t iteration;
} small_task;

/* P and C of one run. */
static onefold_status last_steps(const small_task *task, of_cs_runner *run)
{
    of_cs_solver *s = task->s;
    OF_TRY(of_cs_step_P(s->context, &s->sizes, s->N, run));
    OF_TRY(tell(s, run, OF_CS_P, task->iteration));
    OF_TRY(of_cs_step_C(s->context, &s->sizes, run));
    return tell(s, run, OF_CS_C, task->iteration);
}

onefold_status of_cs_small_steps(of_cs_solver *s, of_cs_runner *run, size_t iteration)
{
    small_task task = {s, NULL, iteration};
    OF_TRY(of_cs_step_W(s->context, &s->sizes, run, s->problem->options->variant,
                        s->given ? s->given->order : NULL, s->watch, iteration));
    OF_TRY(of_cs_step_beta(s->context, &s->sizes, run));
    OF_TRY(tell(s, run, OF_CS_BETA, iteration));
    if (s->problem->options->stop == ONEFOLD_STOP_SETTLED)
        OF_TRY(of_cs_leap(s->context, &s->sizes, run, iteration));
    if (run->leapt)
        OF_TRY(tell(s, run, OF_CS_LEAP, iteration));
    return last_steps(&task, run);
}

static onefold_status small_steps(void *opaque, size_t r, int worker)
{
    small_task *task = opaque;
    (void)worker;
    return of_cs_small_steps(task->s, task->live[r], task->iteration);
}

void of_cs_look(const of_cs_solver *s, of_cs_runner *run, size_t iteration)
{
    run->end.J = run->trace[iteration - 1] = of_cs_objective(&s->sizes, run);
    run->end.iterations = iteration;
    run->end.converged = of_cs_has_settled(s, run, iteration);
}

/* The pass for a run that is watched: J of the new S with the old Y is told in between. */
static onefold_status watched_pass(of_cs_solver *s, of_cs_pass *pass, of_cs_runner **live,
                                   size_t iteration)
{
    OF_SCRATCH(scratch, s->context);
    of_cs_runner *run = *live;
    size_t length = s->sizes.pk * s->sizes.mu;
    double *old, *XY = run->now.XY;
    OF_TRY(OF_NEW(&scratch, &old, length, 1));
    memcpy(old, XY, length * sizeof *old);
    OF_TRY(of_cs_pass_run(pass, OF_CS_PASS_ASSIGN, live, 1));
    OF_TRY(of_cs_pass_labels(pass, run));
    run->now.XY = old;
    double J = of_cs_objective(&s->sizes, run);
    run->now.XY = XY;
    OF_TRY(s->watch->step(s->watch->user, OF_CS_S, iteration, &run->now, J));
    return tell(s, run, OF_CS_Y, iteration);
}

static onefold_status pass_over(of_cs_solver *s, of_cs_pass *pass, of_cs_runner **live,
                                size_t count, size_t iteration)
{
    return s->watch ? watched_pass(s, pass, live, iteration)
                    : of_cs_pass_run(pass, OF_CS_PASS_ASSIGN, live, count);
}

/* Runs that leapt and would lose by it take the plain step instead, with a pass of their own. A
 * sample that the second pass moves back counts as moved twice, which errs on the safe side. */
static onefold_status step_back(void *opaque, size_t r, int worker)
{
    small_task *task = opaque;
    of_cs_runner *run = task->live[r];
    (void)worker;
    of_cs_leap_back(&task->s->sizes, run);
    OF_TRY(tell(task->s, run, OF_CS_BACK, task->iteration));
    return last_steps(task, run);
}

static onefold_status take_back(of_cs_solver *s, of_cs_pass *pass, of_cs_runner **live,
                                size_t count, size_t iteration)
{
    OF_SCRATCH(scratch, s->context);
    of_cs_runner **lost;
    size_t losers = 0, *moved;
    OF_TRY(OF_NEW(&scratch, &lost, count, 1));
    OF_TRY(OF_NEW(&scratch, &moved, count, 1));
    for (size_t r = 0; r < count; r++)
        if (live[r]->leapt && of_cs_objective(&s->sizes, live[r]) < live[r]->end.J) {
            moved[losers] = live[r]->moved;
            lost[losers++] = live[r];
        }
    if (losers == 0)
        return ONEFOLD_OK;
    small_task task = {s, lost, iteration};
    OF_TRY(of_team_run(s->context, losers, step_back, &task));
    OF_TRY(pass_over(s, pass, lost, losers, iteration));
    for (size_t r = 0; r < losers; r++)
        lost[r]->moved += moved[r];
    return ONEFOLD_OK;
}

onefold_status of_cs_iterate(of_cs_solver *s, of_cs_pass *pass, of_cs_runner **live, size_t count,
                             size_t from, size_t to)
{
    const onefold_fit_options *options = s->problem->options;
    if (of_cs_takes_turns(s, count))
        return of_cs_iterate_in_turns(s, pass, live, count, from, to);
    for (size_t r = 0; from == 0 && r < count; r++)
        OF_TRY(tell(s, live[r], OF_CS_START, 0));
    for (size_t t = from + 1; count > 0 && t <= to; t++) {
        small_task task = {s, live, t};
        OF_TRY(of_context_check(s->context));
        OF_TRY(of_team_run(s->context, count, small_steps, &task));
        OF_TRY(pass_over(s, pass, live, count, t));
        if (options->stop == ONEFOLD_STOP_SETTLED)
            OF_TRY(take_back(s, pass, live, count, t));
        size_t left = 0;
        for (size_t r = 0; r < count; r++) {
            of_cs_look(s, live[r], t);
            if (!live[r]->end.converged)
                live[left++] = live[r];
        }
        count = left;
        if (!s->pieces)
            of_context_progress(s->context, "fit", (double)t, (double)options->max_iterations,
                                NULL);
    }
    return ONEFOLD_OK;
}
