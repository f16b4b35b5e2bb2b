/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The iteration of OS-LFMVC-CS (docs/method.md section 3) for one run, or for several that share
 * the passes over the data; and the restarts (section 5).
 */
#include "method/os_lfmvc_cs_parts.h"

#include <math.h>
#include <string.h>

/* ---- the iteration ------------------------------------------------------------------------ */

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

/* W, beta, P and C of one run. */
static onefold_status small_steps(void *opaque, size_t r, int worker)
{
    small_task *task = opaque;
    of_cs_solver *s = task->s;
    of_cs_runner *run = task->live[r];
    (void)worker;
    OF_TRY(of_cs_step_W(s->context, &s->sizes, run, s->problem->options->variant,
                        s->given ? s->given->order : NULL, s->watch, task->iteration));
    OF_TRY(of_cs_step_beta(s->context, &s->sizes, run));
    OF_TRY(tell(s, run, OF_CS_BETA, task->iteration));
    OF_TRY(of_cs_step_P(s->context, &s->sizes, s->N, run));
    OF_TRY(tell(s, run, OF_CS_P, task->iteration));
    OF_TRY(of_cs_step_C(s->context, &s->sizes, run));
    return tell(s, run, OF_CS_C, task->iteration);
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
    run->now.XY = old;
    double J = of_cs_objective(&s->sizes, run);
    run->now.XY = XY;
    OF_TRY(s->watch->step(s->watch->user, OF_CS_S, iteration, &run->now, J));
    return tell(s, run, OF_CS_Y, iteration);
}

static int has_settled(const onefold_fit_options *options, const double *trace, size_t iterations)
{
    if (iterations < 2)
        return 0;
    double J = trace[iterations - 1], change = J - trace[iterations - 2];
    if (options->stop == ONEFOLD_STOP_PAPER)
        return change * change < 1e-3;
    return fabs(change) <= options->tolerance * fabs(J);
}

/* Iterates `count` runs that share the passes of `pass`, each until it settles. */
static onefold_status iterate(of_cs_solver *s, of_cs_pass *pass, of_cs_runner **live, size_t count)
{
    const onefold_fit_options *options = s->problem->options;
    for (size_t r = 0; r < count; r++)
        OF_TRY(tell(s, live[r], OF_CS_START, 0));
    for (size_t t = 1; count > 0 && t <= options->max_iterations; t++) {
        small_task task = {s, live, t};
        OF_TRY(of_context_check(s->context));
        OF_TRY(of_team_run(s->context, count, small_steps, &task));
        if (s->watch)
            OF_TRY(watched_pass(s, pass, live, t));
        else
            OF_TRY(of_cs_pass_run(pass, OF_CS_PASS_ASSIGN, live, count));
        size_t left = 0;
        for (size_t r = 0; r < count; r++) {
            of_cs_runner *run = live[r];
            run->end.J = run->trace[t - 1] = of_cs_objective(&s->sizes, run);
            run->end.iterations = t;
            run->end.converged = has_settled(options, run->trace, t);
            if (!run->end.converged)
                live[left++] = run;
        }
        count = left;
        if (!s->pieces)
            of_context_progress(s->context, "fit", (double)t, (double)options->max_iterations,
                                NULL);
    }
    return ONEFOLD_OK;
}

/* ---- starts and runs ---------------------------------------------------------------------- */

/* W, beta and labels of restart r; the paper's start is then complete. */
static onefold_status begin(of_cs_solver *s, size_t r)
{
    const onefold_fit_options *options = s->problem->options;
    of_cs_runner *run = &s->runs[r];
    size_t restart = s->given ? s->given->restart : r;
    if (options->start == ONEFOLD_START_PAPER)
        return of_cs_start_paper(s->context, s->problem->X, &s->sizes, options, restart, run);
    memcpy(run->now.W, s->W, s->sizes.k * s->sizes.pk * sizeof(double));
    memcpy(run->now.beta, s->beta, s->sizes.p * sizeof(double));
    of_cs_set_B(&s->sizes, &run->now);
    if (s->given && s->given->labels) {
        memcpy(run->now.labels, s->given->labels, s->sizes.n * sizeof(int32_t));
        return ONEFOLD_OK;
    }
    return of_cs_start_labels(s->context, &s->sizes, s->H, options->seed, restart, run->now.labels);
}

/* Runs `count` restarts from `first` on, with shared passes. */
static onefold_status run_together(of_cs_solver *s, of_cs_pass *pass, size_t first, size_t count)
{
    OF_SCRATCH(scratch, s->context);
    of_cs_runner **live;
    OF_TRY(OF_NEW(&scratch, &live, count, 1));
    for (size_t r = 0; r < count; r++) {
        live[r] = &s->runs[first + r];
        OF_TRY(begin(s, first + r));
    }
    if (s->problem->options->start == ONEFOLD_START_ALIGNED)
        OF_TRY(of_cs_start_complete(pass, s->N, live, count));
    return iterate(s, pass, live, count);
}

/* One whole restart as a piece of work. */
static onefold_status run_alone(void *opaque, size_t r, int worker)
{
    of_cs_solver *s = opaque;
    OF_TRY(run_together(s, &s->pass[worker], r, 1));
    size_t done = atomic_fetch_add(&s->done, 1) + 1;
    if (worker == 0) /* the thread that called the library */
        of_context_progress(s->context, "fit", (double)done, (double)s->restarts, NULL);
    return ONEFOLD_OK;
}

/* Where X is small enough to stay in a cache that the threads share, nothing is gained by reading
 * it once for all restarts. The bits are the same either way. */
int of_cs_restarts_are_pieces(const of_cs_sizes *sizes, size_t restarts)
{
    return restarts > 1 && sizes->n * sizes->pk <= (32u << 20) / sizeof(double);
}

onefold_status of_cs_run_restarts(of_cs_solver *s, of_arena *scratch)
{
    const of_cs_problem *problem = s->problem;
    int team = of_team_size(s->context);
    s->pieces = of_cs_restarts_are_pieces(&s->sizes, s->restarts);
    size_t passes = s->pieces ? (size_t)team : 1;
    OF_TRY(OF_NEW(scratch, &s->pass, passes, 1));
    OF_TRY(OF_NEW(scratch, &s->runs, s->restarts, 1));
    for (size_t w = 0; w < passes; w++)
        OF_TRY(of_cs_pass_make(s->context, scratch, problem->X, &s->sizes, problem->options->nonneg,
                               s->pieces ? 1 : team, s->pieces ? 1 : s->restarts, &s->pass[w]));
    for (size_t r = 0; r < s->restarts; r++)
        OF_TRY(
            of_cs_runner_make(scratch, &s->sizes, problem->options->max_iterations, &s->runs[r]));
    if (s->pieces)
        return of_team_run(s->context, s->restarts, run_alone, s);
    return run_together(s, s->pass, 0, s->restarts);
}
