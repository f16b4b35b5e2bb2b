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

static onefold_status run_pass(of_cs_pass *pass)
{
    const of_cs_sizes *z = &pass->sizes;
    OF_SCRATCH(scratch, pass->context);
    of_device_run *runs;
    OF_TRY(OF_NEW(&scratch, &runs, pass->run_count, 1));
    for (size_t r = 0; r < pass->run_count; r++) {
        of_cs_runner *run = pass->runs[r];
        OF_TRY(send_labels(pass, run));
        runs[r] = (of_device_run){.B = run->now.B,
                                  .R = run->now.R,
                                  .slot = run->slot,
                                  .sum = pass->sums + r * pass->length,
                                  .sizes = run->now.sizes,
                                  .moved = &run->moved};
        for (size_t c = 1; c < z->mu; c++)
            if (run->now.sizes[c] > run->now.sizes[runs[r].largest])
                runs[r].largest = c;
    }
    of_device_pass task = {.k = z->k,
                           .m = z->m,
                           .mu = z->mu,
                           .nonneg = pass->nonneg,
                           .keep_labels = pass->kind == OF_CS_PASS_KEEP_LABELS,
                           .count = pass->run_count,
                           .runs = runs};
    OF_TRY(of_context_check(pass->context));
    int code = pass->X->use->table->pass(pass->X->there, &task);
    for (size_t r = 0; r < pass->run_count; r++) { /* behind the sums: sizes, and who moved */
        double *counts = pass->sums + r * pass->length + z->pk * (z->m + z->mu);
        for (size_t c = 0; c < z->mu; c++)
            counts[c] = (double)pass->runs[r]->now.sizes[c];
        counts[z->mu] = (double)pass->runs[r]->moved;
    }
    return together(pass->context, pass->X, code, pass->run_count * pass->length, pass->sums);
}

onefold_status of_cs_pass_labels(const of_cs_pass *pass, of_cs_runner *run)
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
    .label = label,
    .sample = sample,
    .explain = explain,
};

/* ---- time --------------------------------------------------------------------------------------
 *
 * About how long a fit takes on a GPU: the operations and bytes of each stage over the rates of
 * an H200 (docs/gpu.md), which is what there is to go by before a GPU is opened. What the GPU
 * leaves to the CPU counts as the CPU's.
 */

/* Per second, in seconds where it says so. */
static const struct {
    double copy;            /* bytes of raw samples to it */
    double single, doubles; /* operations of kernel values and projections */
    double pass[2];         /* operations of a pass: of floats, of doubles */
    double results;         /* bytes of what comes back */
    double view, race;      /* seconds: small problems of a view; restarts on a sample */
    double step;            /* seconds: small problems of an iteration */
} H200 = {38e9, 40e12, 10e12, {38e12, 7e12}, 8e9, 0.035, 0.15, 0.00025};

onefold_status of_cs_device_time(of_context *context, const of_problem *problem,
                                 of_method_estimate *estimate)
{
    const onefold_fit_options *options = problem->options;
    size_t p = problem->dataset->view_count;
    double n = (double)problem->dataset->samples, k = (double)options->dims,
           flops = of_cs_pass_flops(n, (double)p, k, (double)options->anchors,
                                    (double)options->clusters);
    estimate->seconds_base = 0;
    for (size_t i = 0; i < p; i++) {
        of_partition_estimate *view = &estimate->views[i];
        const of_view *data = problem->kernels[i].view;
        double d = (double)data->columns, l = (double)view->landmarks,
               copied = (double)of_view_bytes(data) / H200.copy;
        if (!of_base_device_fits(context, problem, i))
            view->seconds += 8 * n * k / H200.results;
        else if (view->landmarks)
            view->seconds = H200.view + copied + 2 * n * l * (d + k + 1) / H200.single;
        else
            view->seconds = H200.view + 5 * copied + 2 * n * d * (d + k) / H200.doubles;
        estimate->seconds_base += view->seconds;
    }
    estimate->seconds_fit =
        H200.race + (double)estimate->iterations * H200.step +
        (double)estimate->passes * flops / H200.pass[options->precision == ONEFOLD_DOUBLE] +
        n * (double)(4 * (p + 2) + 8) / H200.results;
    return ONEFOLD_OK;
}
