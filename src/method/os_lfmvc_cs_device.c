/* SPDX-License-Identifier: Apache-2.0 */
/* The solver's work over all samples on a GPU: what it asks for, in the words of the table. */
#include "base/comm.h"
#include "method/base_stage.h"
#include "method/os_lfmvc_cs.h"

#include <string.h>

/* Ends what the GPUs of all ranks have done where samples are split: `count` numbers are added
 * up. Else ranks may be at different restarts, and each goes on by itself. */
static onefold_status together(of_context *context, const of_stack *X, int code, size_t count,
                               double *numbers)
{
    onefold_status status = of_device_status(X->use, code);
    return of_comm_splits(context, X->samples)
               ? of_device_total(context, X->samples, status, count, numbers)
               : status;
}

static onefold_status gram(of_context *context, const of_stack *X, double *N)
{
    return together(context, X, X->use->table->gram(X->there, N), X->rows * X->rows, N);
}

static onefold_status embed(of_context *context, const of_stack *X, const of_cs_sizes *sizes,
                            const double *B, int unit, of_share H)
{
    return together(context, X,
                    X->use->table->embed(X->there, sizes->k, B, unit, of_share_at(H, X->first)), 0,
                    NULL);
}

/* What the GPU is told of a run, and where it puts what comes back: `sum` is pk x (m + mu). */
static of_device_run describe_run(const of_cs_pass *pass, of_cs_runner *run, double *sum)
{
    of_device_run told = {.B = run->now.B,
                          .R = run->now.R,
                          .slot = run->slot,
                          .sum = sum,
                          .sizes = run->now.sizes,
                          .moved = &run->moved};
    for (size_t c = 1; c < pass->sizes.mu; c++)
        if (run->now.sizes[c] > run->now.sizes[told.largest])
            told.largest = c;
    return told;
}

/* A run's first pass keeps labels that the host has made. */
static onefold_status send_labels(const of_cs_pass *pass, of_cs_runner *run)
{
    if (run->labels_away)
        return ONEFOLD_OK;
    OF_DEVICE_TRY(pass->X->use,
                  labels_store(pass->X->there, run->slot, run->now.labels + pass->X->first));
    run->labels_away = 1;
    return ONEFOLD_OK;
}

/* Sums, sizes and samples that moved, of all ranks: the numbers of a sum are in this order. */
static onefold_status add_ranks(of_cs_pass *pass, int code)
{
    const of_cs_sizes *z = &pass->sizes;
    for (size_t r = 0; r < pass->run_count; r++) {
        double *counts = pass->sums + r * pass->length + z->pk * (z->m + z->mu);
        for (size_t c = 0; c < z->mu; c++)
            counts[c] = (double)pass->runs[r]->now.sizes[c];
        counts[z->mu] = (double)pass->runs[r]->moved;
    }
    OF_TRY(together(pass->context, pass->X, code, pass->run_count * pass->length, pass->sums));
    for (size_t r = 0; r < pass->run_count; r++) {
        const double *counts = pass->sums + r * pass->length + z->pk * (z->m + z->mu);
        for (size_t c = 0; c < z->mu; c++)
            pass->runs[r]->now.sizes[c] = (size_t)counts[c];
        pass->runs[r]->moved = (size_t)counts[z->mu];
    }
    return ONEFOLD_OK;
}

static onefold_status run_pass(of_cs_pass *pass)
{
    const of_cs_sizes *z = &pass->sizes;
    OF_SCRATCH(scratch, pass->context);
    of_device_run *runs;
    OF_TRY(OF_NEW(&scratch, &runs, pass->run_count, 1));
    for (size_t r = 0; r < pass->run_count; r++) {
        OF_TRY(send_labels(pass, pass->runs[r]));
        runs[r] = describe_run(pass, pass->runs[r], pass->sums + r * pass->length);
    }
    of_device_pass task = {.k = z->k,
                           .m = z->m,
                           .mu = z->mu,
                           .nonneg = pass->nonneg,
                           .keep_labels = pass->kind == OF_CS_PASS_KEEP_LABELS,
                           .count = pass->run_count,
                           .runs = runs};
    OF_TRY(of_context_check(pass->context));
    OF_TRY(add_ranks(pass, pass->X->use->table->pass(pass->X->there, &task)));
    for (size_t r = 0; r < pass->run_count; r++) {
        of_cs_state *now = &pass->runs[r]->now;
        memcpy(now->XS, runs[r].sum, z->pk * z->m * sizeof *now->XS);
        memcpy(now->XY, runs[r].sum + z->pk * z->m, z->pk * z->mu * sizeof *now->XY);
    }
    return ONEFOLD_OK;
}

static onefold_status fetch_labels(const of_cs_pass *pass, of_cs_runner *run)
{
    if (run->labels_away)
        OF_DEVICE_TRY(pass->X->use,
                      labels_fetch(pass->X->there, run->slot, run->now.labels + pass->X->first));
    return ONEFOLD_OK;
}

static onefold_status label(of_context *context, const of_stack *X, size_t mu, const double *CB,
                            int32_t *labels)
{
    return together(context, X,
                    X->use->table->label(X->there, mu, CB, labels ? labels + X->first : NULL), 0,
                    NULL);
}

static onefold_status sample(of_context *context, const of_stack *X, const size_t *place,
                             size_t count, double *out)
{
    OF_SCRATCH(scratch, context);
    of_range own = of_comm_own(context, X->samples);
    size_t *here, first = 0, held = 0;
    OF_TRY(OF_NEW(&scratch, &here, count, 1));
    while (first < count && place[first] < own.first)
        first++;
    for (; first + held < count && place[first + held] < own.end; held++)
        here[held] = place[first + held] - X->first;
    return together(context, X,
                    X->use->table->stack_sample(X->there, here, held, out + first * X->rows), 0,
                    NULL);
}

/* What each view says of this rank's samples, into the places that they have among all. */
static onefold_status explain_here(of_context *context, const of_cs_problem *problem,
                                   const of_cs_result *result, const double *CW, int32_t *own,
                                   double *confidence)
{
    OF_SCRATCH(scratch, context);
    const of_stack *X = problem->X;
    of_range share = of_comm_own(context, X->samples);
    size_t n = X->samples, count = share.end - share.first;
    int32_t *said = own;
    if (own && count < n)
        OF_TRY(OF_NEW(&scratch, &said, count, problem->p));
    OF_TRY(together(context, X,
                    X->use->table->explain(X->there, problem->p, problem->mu, CW, result->beta,
                                           said, confidence ? confidence + X->first : NULL),
                    0, NULL));
    for (size_t i = 0; said != own && i < problem->p; i++)
        memcpy(own + i * n + share.first, said + i * count, count * sizeof *own);
    return ONEFOLD_OK;
}

static onefold_status explain(of_context *context, const of_cs_problem *problem,
                              const of_cs_result *result, const double *CW, int32_t *own,
                              double *confidence, double *parts)
{
    if (own || confidence)
        OF_TRY(explain_here(context, problem, result, CW, own, confidence));
    return parts ? of_cs_explain_cpu(context, problem, result, CW, NULL, NULL, parts) : ONEFOLD_OK;
}

const of_cs_backend of_cs_backend_device = {
    .gram = gram,
    .embed = embed,
    .pass = run_pass,
    .labels = fetch_labels,
    .label = label,
    .sample = sample,
    .explain = explain,
};

/* ---- turns -------------------------------------------------------------------------------------
 *
 * The iteration for runs whose passes a GPU makes, which would wait for the CPU's small matrices
 * as long as the CPU would for it: of two groups of runs, one has its pass while the threads work
 * the small steps of the other's. What a run comes to does not depend on who shares its passes.
 */

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
