/* SPDX-License-Identifier: Apache-2.0 */
/* The solver's work over all samples on a GPU, by calls through the table of CUDA functions. */
#include "base/comm.h"
#include "method/os_lfmvc_cs.h"

/* The status of a call on the GPU. Where samples are split, the status of all ranks, with `count`
 * numbers summed over them; otherwise ranks may be at different restarts, and do not wait. */
static onefold_status finish(of_context *context, const of_stack *X, int code, size_t count,
                             double *numbers)
{
    onefold_status status = of_device_status(X->use, code);
    return of_comm_splits(context, X->samples)
               ? of_device_total(context, X->samples, status, count, numbers)
               : status;
}

static onefold_status gram(of_context *context, const of_stack *X, double *N)
{
    return finish(context, X, X->use->table->stack_gram(X->there, 0, X->rows, N), X->rows * X->rows,
                  N);
}

static onefold_status embed(of_context *context, const of_stack *X, const of_cs_sizes *sizes,
                            const double *B, int unit, of_share H)
{
    return finish(context, X,
                  X->use->table->embed(X->there, sizes->k, B, unit, of_share_at(H, X->first)), 0,
                  NULL);
}

static onefold_status run_pass(const of_cs_solver *s, int keep_labels, of_cs_runner *run,
                               size_t length, double *sums)
{
    const of_cs_sizes *z = &s->sizes;
    const of_stack *X = s->problem->X;
    of_device_pass task = {.k = z->k,
                           .m = z->m,
                           .mu = z->mu,
                           .nonneg = s->problem->options->nonneg,
                           .keep_labels = keep_labels,
                           .B = run->now.B,
                           .R = run->now.R,
                           .slot = run->slot,
                           .largest = of_largest_cluster(run->now.sizes, z->mu),
                           .sum = sums};
    if (!run->labels_on_gpu) /* the first pass keeps the labels of the start */
        OF_DEVICE_TRY(X->use, labels_store(X->there, run->slot, run->now.labels));
    run->labels_on_gpu = 1;
    OF_TRY(of_context_check(s->context));
    return finish(s->context, X, X->use->table->pass(X->there, &task), length, sums);
}

onefold_status of_cs_pass_labels(const of_stack *X, of_cs_runner *run)
{
    if (run->labels_on_gpu)
        OF_DEVICE_TRY(X->use, labels_fetch(X->there, run->slot, run->now.labels));
    return ONEFOLD_OK;
}

static onefold_status label(of_context *context, const of_stack *X, size_t mu, const double *CB,
                            int32_t *labels)
{
    of_device_predict task = {.clusters = mu, .parts = 1, .fused = CB, .labels = labels};
    return finish(context, X, X->use->table->predict(X->there, &task), 0, NULL);
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
    return finish(context, X,
                  X->use->table->stack_fetch(X->there, 0, here, held, out + first * X->rows), 0,
                  NULL);
}

/* One call for the confidence of the fused labels, then one for the own labels of each view. */
static onefold_status explain(of_context *context, const of_cs_problem *problem,
                              const of_cs_result *result, const double *CW, int32_t *own,
                              double *confidence, double *parts)
{
    OF_SCRATCH(scratch, context);
    const of_stack *X = problem->X;
    size_t k = problem->k, length = problem->mu * k;
    of_device_predict task = {.clusters = problem->mu, .parts = 1};
    if (confidence) {
        double *fused;
        OF_TRY(OF_NEW(&scratch, &fused, problem->p, length));
        for (size_t e = 0; e < problem->p * length; e++)
            fused[e] = result->beta[e / length] * CW[e];
        task.fused = fused;
        task.confidence = confidence;
        OF_TRY(finish(context, X, X->use->table->predict(X->there, &task), 0, NULL));
    }
    task.confidence = NULL;
    task.largest = SIZE_MAX;
    task.rows = k;
    for (size_t i = 0; own && i < problem->p; i++) {
        task.row = i * k;
        task.fused = CW + i * length;
        task.labels = own + i * X->held;
        OF_TRY(finish(context, X, X->use->table->predict(X->there, &task), 0, NULL));
    }
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
