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

/* Where there are many samples J can creep up for a hundred iterations while the rotations share
 * out what is noise in all views, and no label is any different for it: there a run has also
 * settled when next to no sample moves and J has nearly come to rest. */
static int has_settled(const of_cs_solver *s, const of_cs_runner *run, size_t iterations)
{
    enum { FEW = 100000, NEARLY = 10 };
    const onefold_fit_options *options = s->problem->options;
    if (iterations < 2)
        return 0;
    double J = run->trace[iterations - 1], change = J - run->trace[iterations - 2],
           tolerance = options->tolerance * fabs(J);
    if (options->stop == ONEFOLD_STOP_PAPER)
        return change * change < 1e-3;
    int at_rest = of_cs_is_large(s->sizes.n) && run->moved <= s->sizes.n / FEW;
    return fabs(change) <= (at_rest ? NEARLY * tolerance : tolerance);
}

/* Iterations from + 1 .. to of `count` runs that share the passes of `pass`; a run that settles is
 * left as it is. The order of `live` may change. */
static onefold_status iterate(of_cs_solver *s, of_cs_pass *pass, of_cs_runner **live, size_t count,
                              size_t from, size_t to)
{
    const onefold_fit_options *options = s->problem->options;
    for (size_t r = 0; from == 0 && r < count; r++)
        OF_TRY(tell(s, live[r], OF_CS_START, 0));
    for (size_t t = from + 1; count > 0 && t <= to; t++) {
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
            run->end.converged = has_settled(s, run, t);
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
        of_range own = of_comm_own(s->context, s->sizes.n);
        memcpy(run->now.labels + own.first, s->given->labels + own.first,
               (own.end - own.first) * sizeof(int32_t));
        return ONEFOLD_OK;
    }
    return of_cs_start_labels(s->context, &s->sizes, s->H, options->seed, restart, run->now.labels);
}

/* Starts `count` runs that share the passes of `pass`. */
static onefold_status start_together(of_cs_solver *s, of_cs_pass *pass, of_cs_runner **live,
                                     size_t count)
{
    for (size_t r = 0; r < count; r++)
        OF_TRY(begin(s, (size_t)(live[r] - s->runs)));
    if (s->problem->options->start == ONEFOLD_START_ALIGNED)
        OF_TRY(of_cs_start_complete(pass, s->N, live, count));
    return ONEFOLD_OK;
}

/* ---- the race ------------------------------------------------------------------------------ */

/* A round of the race: the runs still in it go from one iteration to another. */
typedef struct race {
    of_cs_solver *s;
    of_cs_runner **live;
    size_t count, from, to;
} race;

static onefold_status run_round_together(race *r, of_cs_pass *pass, of_cs_runner **live,
                                         size_t count)
{
    if (r->from == 0)
        OF_TRY(start_together(r->s, pass, live, count));
    return iterate(r->s, pass, live, count, r->from, r->to);
}

/* One run's round as a piece of work. */
static onefold_status run_round_alone(void *opaque, size_t index, int worker)
{
    race *r = opaque;
    of_cs_runner *run = r->live[index];
    OF_TRY(run_round_together(r, &r->s->pass[worker], &run, 1));
    if (worker == 0) /* the thread that called the library */
        of_context_progress(r->s->context, "fit", (double)r->from,
                            (double)r->s->problem->options->max_iterations, NULL);
    return ONEFOLD_OK;
}

/* Every live run's round, each by itself. `live` keeps its order: a run that settles is seen by its
 * iterations. */
static onefold_status run_round(race *r)
{
    of_range own = of_cs_spread_own(r->s, r->count);
    race mine = *r;
    mine.live = r->live + own.first;
    OF_TRY(of_team_run(r->s->context, own.end - own.first, run_round_alone, &mine));
    return of_cs_spread_exchange(r->s, r->live, r->count);
}

static size_t clusters_used(const of_cs_solver *s, const of_cs_runner *run)
{
    size_t used = 0;
    for (size_t c = 0; c < s->sizes.mu; c++)
        used += run->now.sizes[c] > 0;
    return used;
}

/* The largest J so far among the runs that leave no cluster empty; -infinity if there is none. */
static double leading_J(const of_cs_solver *s)
{
    double J = -INFINITY;
    for (size_t r = 0; r < s->restarts; r++)
        if (clusters_used(s, &s->runs[r]) == s->sizes.mu)
            J = fmax(J, s->runs[r].end.J);
    return J;
}

/* A run is given up when it is behind the leader by more than four times what it gained in the
 * latter half of its iterations: gains shrink from one iteration to the next, so it would hardly
 * catch up. */
static int is_behind(const of_cs_runner *run, double leading)
{
    size_t t = run->end.iterations;
    double gain = run->trace[t - 1] - run->trace[t / 2 - 1];
    return leading - run->end.J > 4 * gain;
}

/* Keeps in the race the runs that have neither settled nor fallen behind. */
static void drop_out(race *r)
{
    double leading = leading_J(r->s);
    size_t left = 0;
    for (size_t i = 0; i < r->s->restarts; i++) {
        of_cs_runner *run = &r->s->runs[i];
        if (run->end.iterations == r->to && !run->end.converged && !is_behind(run, leading))
            r->live[left++] = run;
    }
    r->count = left;
}

/* Operations of one iteration: the pass, N B', and the polar factors at some 40 k^3 each. */
static double iteration_operations(const of_cs_sizes *z)
{
    double n = (double)z->n, p = (double)z->p, k = (double)z->k, m = (double)z->m;
    return 2 * n * (p * k * k + k * (m + (double)z->mu) + p * k * m) + 2 * p * k * p * k * k +
           40 * p * k * k * k;
}

/* Whether runs compete: only where running them all to their end would take seconds. A run that has
 * rested on a plateau can still overtake, so where runs are cheap every one is finished. The
 * paper's own start and rules are left as they are. */
static int runs_compete(const of_cs_solver *s)
{
    static const double MANY_OPERATIONS = 5e10;
    const onefold_fit_options *options = s->problem->options;
    return s->restarts > 1 && options->start == ONEFOLD_START_ALIGNED &&
           options->stop == ONEFOLD_STOP_RELATIVE && options->variant == ONEFOLD_VARIANT_EXACT &&
           iteration_operations(&s->sizes) * (double)s->restarts * 100 > MANY_OPERATIONS;
}

/* Runs every restart: all of them for 10 iterations, those still in the race to 20, 40, ... */
static onefold_status run_race(of_cs_solver *s, of_arena *scratch)
{
    enum { FIRST_ROUND = 10 };
    size_t most = s->problem->options->max_iterations;
    race r = {s, NULL, s->restarts, 0, runs_compete(s) && FIRST_ROUND < most ? FIRST_ROUND : most};
    OF_TRY(OF_NEW(scratch, &r.live, s->restarts, 1));
    for (size_t i = 0; i < s->restarts; i++)
        r.live[i] = &s->runs[i];
    for (;;) {
        if (s->pieces)
            OF_TRY(run_round(&r));
        else
            OF_TRY(run_round_together(&r, s->pass, r.live, r.count));
        if (r.to == most)
            return ONEFOLD_OK;
        drop_out(&r);
        if (r.count == 0)
            return ONEFOLD_OK;
        r.from = r.to;
        r.to = 2 * r.to < most ? 2 * r.to : most;
    }
}

/* Where X is small enough to stay in a cache that the threads share, nothing is gained by reading
 * it once for all restarts. The bits are the same either way. */
int of_cs_restarts_are_pieces(const of_cs_sizes *sizes, size_t restarts, size_t cache)
{
    return restarts > 1 && sizes->n * sizes->pk <= cache / sizeof(double);
}

onefold_status of_cs_run_restarts(of_cs_solver *s, of_arena *scratch)
{
    const of_cs_problem *problem = s->problem;
    int team = of_team_size(s->context);
    size_t cache = of_context_chunk(s->context, OF_CS_SHARED_CACHE);
    s->spread = of_cs_spreads(s->context, s->sizes.n, s->restarts);
    s->pieces = s->spread || (of_cs_restarts_are_pieces(&s->sizes, s->restarts, cache) &&
                              !of_comm_splits(s->context, s->sizes.n));
    size_t passes = s->pieces ? (size_t)team : 1;
    OF_TRY(OF_NEW(scratch, &s->pass, passes, 1));
    OF_TRY(OF_NEW(scratch, &s->runs, s->restarts, 1));
    for (size_t w = 0; w < passes; w++)
        OF_TRY(of_cs_pass_make(s->context, scratch, problem->X, &s->sizes, problem->options->nonneg,
                               s->pieces ? 1 : team, s->pieces ? 1 : s->restarts, &s->pass[w]));
    for (size_t r = 0; r < s->restarts; r++)
        OF_TRY(
            of_cs_runner_make(scratch, &s->sizes, problem->options->max_iterations, &s->runs[r]));
    return run_race(s, scratch);
}
