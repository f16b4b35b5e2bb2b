/* SPDX-License-Identifier: Apache-2.0 */
/* The restarts of OS-LFMVC-CS (docs/method.md section 5): where they start, and how they compete.
 */
#include "method/os_lfmvc_cs_parts.h"

#include <math.h>
#include <string.h>

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
    run->labels_away = s->given && s->given->labels_there;
    if (run->labels_away)
        return ONEFOLD_OK;
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
    return of_cs_iterate(r->s, pass, live, count, r->from, r->to);
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

/* The round of some runs on a card, whose places in `live` stay as they are. */
static onefold_status run_copy_together(race *r, of_cs_runner **live, size_t count)
{
    OF_SCRATCH(scratch, r->s->context);
    of_cs_runner **copy;
    OF_TRY(OF_NEW(&scratch, &copy, count, 1));
    memcpy(copy, live, count * sizeof *copy);
    return run_round_together(r, r->s->pass, copy, count);
}

/* Every live run's round, each by itself, or together on a card. `live` keeps its order: a run that
 * settles is seen by its iterations. */
static onefold_status run_round(race *r)
{
    of_range own = of_cs_spread_own(r->s, r->count);
    race mine = *r;
    mine.live = r->live + own.first;
    if (r->s->pieces)
        OF_TRY(of_team_run(r->s->context, own.end - own.first, run_round_alone, &mine));
    else if (own.end > own.first)
        OF_TRY(run_copy_together(r, mine.live, own.end - own.first));
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
           options->stop != ONEFOLD_STOP_PAPER && options->variant == ONEFOLD_VARIANT_EXACT &&
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
        if (s->pieces || s->spread)
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
    int together = problem->X->type == OF_STACK_DEVICE; /* a card is one for all */
    s->pieces =
        !together && (s->spread || (of_cs_restarts_are_pieces(&s->sizes, s->restarts, cache) &&
                                    !of_comm_splits(s->context, s->sizes.n)));
    size_t passes = s->pieces ? (size_t)team : 1;
    OF_TRY(OF_NEW(scratch, &s->pass, passes, 1));
    OF_TRY(OF_NEW(scratch, &s->runs, s->restarts, 1));
    for (size_t w = 0; w < passes; w++)
        OF_TRY(of_cs_pass_make(s->context, scratch, problem->X, &s->sizes, problem->options->nonneg,
                               s->pieces ? 1 : team, s->pieces ? 1 : s->restarts, &s->pass[w]));
    for (size_t r = 0; r < s->restarts; r++) {
        OF_TRY(of_cs_runner_make(scratch, &s->sizes, problem->options, &s->runs[r]));
        s->runs[r].bounds = problem->bounds;
        s->runs[r].slot = r;
    }
    return run_race(s, scratch);
}
