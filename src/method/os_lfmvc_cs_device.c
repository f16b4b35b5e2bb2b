/* SPDX-License-Identifier: Apache-2.0 */
/* The solver's work over all samples on a card: what it asks for, in the words of the table. */
#include "method/os_lfmvc_cs_backend.h"

#include <string.h>

static onefold_status gram(of_context *context, const of_stack *X, double *N)
{
    (void)context;
    OF_DEVICE_TRY(X->use, gram(X->there, N));
    return ONEFOLD_OK;
}

static onefold_status embed(of_context *context, const of_stack *X, const of_cs_sizes *sizes,
                            const double *B, int unit, of_share H)
{
    (void)context;
    OF_DEVICE_TRY(X->use, embed(X->there, sizes->k, B, unit, H.held));
    return ONEFOLD_OK;
}

/* What the card is told of a run, and where it puts what comes back: `sum` is pk x (m + mu). */
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
    OF_DEVICE_TRY(pass->X->use, labels_store(pass->X->there, run->slot, run->now.labels));
    run->labels_away = 1;
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
    OF_DEVICE_TRY(pass->X->use, pass(pass->X->there, &task));
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
        OF_DEVICE_TRY(pass->X->use, labels_fetch(pass->X->there, run->slot, run->now.labels));
    return ONEFOLD_OK;
}

static onefold_status label(of_context *context, const of_stack *X, size_t mu, const double *CB,
                            int32_t *labels)
{
    (void)context;
    OF_DEVICE_TRY(X->use, label(X->there, mu, CB, labels));
    return ONEFOLD_OK;
}

static onefold_status sample(of_context *context, const of_stack *X, const size_t *place,
                             size_t count, double *out)
{
    (void)context;
    OF_DEVICE_TRY(X->use, stack_sample(X->there, place, count, out));
    return ONEFOLD_OK;
}

static onefold_status explain(of_context *context, const of_cs_problem *problem,
                              const of_cs_result *result, const double *CW, int32_t *own,
                              double *confidence, double *parts)
{
    const of_stack *X = problem->X;
    if (own || confidence)
        OF_DEVICE_TRY(
            X->use, explain(X->there, problem->p, problem->mu, CW, result->beta, own, confidence));
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
