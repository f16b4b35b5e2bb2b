/* SPDX-License-Identifier: Apache-2.0 */
/*
 * New samples to labels: each view's projection, then y = argmax C' sum_i beta_i W_i h_i, a block
 * of samples at a time. Blocks are cut by the model and the views' storage, from the first sample
 * of the data on, so that the bits depend neither on threads nor on the pieces a long file is
 * labelled in.
 */
#include "model/predict.h"
#include "base/tiles.h"
#include "data/fingerprint.h"
#include "linalg/blas.h"
#include "method/confidence.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- labels ------------------------------------------------------------------------------- */

typedef struct label_task {
    const of_predictor *predictor;
    const onefold_prediction *prediction;
    size_t first;     /* of the samples wanted, */
    size_t from, end; /* of which this process labels these */
    size_t block;     /* number of the first block */
} label_task;

/* The best cluster, the first among equals; the largest one where nothing speaks for any. */
static int32_t best_cluster(const onefold_model *model, const double *score)
{
    int zero = 1;
    for (size_t c = 0; c < model->clusters; c++)
        zero &= score[c] == 0;
    return (int32_t)(zero ? model->rule.largest : of_first_largest(score, model->clusters));
}

/* Refuses the first sample of the block that none of the views has. */
static onefold_status check_present(const onefold_model *model, size_t first,
                                    const of_rule_block *block)
{
    for (size_t j = 0; j < block->count; j++) {
        size_t absent = 0;
        for (size_t s = 0; s < model->rule.sources; s++)
            absent += block->kept[s * block->width + j] == OF_KEPT_ABSENT;
        if (absent == model->rule.sources)
            return of_hint(of_fail(ONEFOLD_BAD_DATA, "sample %zu lacks every view", first + j + 1),
                           "a sample needs at least one view: leave it out");
    }
    return ONEFOLD_OK;
}

/* Each view's part in the score of the cluster: what its sources add to the stack, with their
 * columns of C' B. `x` has room for dims. */
static void compute_parts(const of_predictor *predictor, size_t cluster, const of_rule_block *block,
                          size_t j, double *x, double *view_part)
{
    const onefold_model *model = predictor->model;
    const of_rule *rule = &model->rule;
    size_t k = rule->dims, mu = model->clusters;
    memset(view_part, 0, model->views * sizeof *view_part);
    for (size_t b = 0; b < rule->parts; b++)
        for (size_t t = 0; t < rule->part[b].terms; t++) {
            double *sum = &view_part[rule->source[rule->part[b].source[t]].view];
            of_rule_term(rule, block, j, b, t, x);
            for (size_t r = 0; r < k; r++)
                *sum += predictor->fusion.fused[cluster + (b * k + r) * mu] * x[r];
        }
}

/* What is asked for of sample j of the block, to place `at`. */
static void give(const of_predictor *predictor, const onefold_prediction *out, size_t at,
                 const of_rule_block *block, size_t j, const double *score, const double *embedding,
                 double *x)
{
    const onefold_model *model = predictor->model;
    size_t k = model->rule.dims, mu = model->clusters;
    int32_t label = best_cluster(model, score + j * mu);
    if (out->labels)
        out->labels[at] = label;
    if (out->confidence)
        out->confidence[at] = of_confidence(score + j * mu, mu);
    if (out->distance)
        out->distance[at] = of_rule_distance(&model->rule, block, j, model->samples);
    if (out->embedding)
        memcpy(out->embedding + at * k, embedding + j * k, k * sizeof *embedding);
    if (out->view_part)
        compute_parts(predictor, (size_t)label, block, j, x, out->view_part + at * model->views);
}

static onefold_status label_block(void *opaque, size_t index, int worker)
{
    label_task *task = opaque;
    const of_predictor *predictor = task->predictor;
    const onefold_model *model = predictor->model;
    const of_rule *rule = &model->rule;
    size_t width = predictor->width, k = rule->dims, mu = model->clusters,
           pk = predictor->fusion.stack, first = (task->block + index) * width,
           left = predictor->dataset->samples - first, count = left < width ? left : width;
    double *stack = predictor->room + (size_t)worker * predictor->room_size,
           *embedding = stack + pk * width, *score = embedding + k * width, *x = score + mu * width,
           *kept = x + k, *h = kept + rule->sources * width, *room = h + rule->rows * width;
    of_rule_block block = {count, width, h, kept};
    for (size_t s = 0; s < rule->sources; s++)
        OF_TRY(of_projection_apply(rule->source[s].projection,
                                   &predictor->fresh[rule->source[s].view], first, count, room,
                                   h + rule->source[s].first, rule->rows, kept + s * width));
    OF_TRY(check_present(model, first, &block));
    for (size_t j = 0; j < count; j++)
        of_rule_stack(rule, &block, j, stack + j * pk);
    of_gemm('N', 'N', mu, count, pk, 1, predictor->fusion.fused, mu, stack, pk, 0, score, mu);
    if (task->prediction->embedding)
        of_gemm('N', 'N', k, count, pk, 1, predictor->fusion.B, k, stack, pk, 0, embedding, k);
    for (size_t j = 0; j < count; j++)
        if (first + j >= task->from && first + j < task->end)
            give(predictor, task->prediction, first + j - task->first, &block, j, score, embedding,
                 x);
    return ONEFOLD_OK;
}

/* ---- several processes -------------------------------------------------------------------- */

/* Refuses to go on unless every process has the same model and data. */
static onefold_status check_same(const of_predictor *predictor)
{
    of_context *context = predictor->context;
    char print[OF_FINGERPRINT + 32];
    if (context->comm.size <= 1)
        return ONEFOLD_OK;
    OF_TRY(of_comm_same(context, predictor->fusion.fused,
                        predictor->model->clusters * predictor->fusion.stack * sizeof(double),
                        "models"));
    snprintf(print, sizeof print, "%31zu", predictor->dataset->samples);
    OF_TRY(of_dataset_fingerprint_first(context, predictor->dataset, OF_FINGERPRINT_SAMPLES,
                                        print + 31));
    return of_comm_same(context, print, strlen(print), "data");
}

/* What each process has for the samples of its share, of those wanted, to all. */
static onefold_status gather(const of_predictor *predictor, size_t first, size_t count, void *array,
                             size_t size)
{
    of_context *context = predictor->context;
    size_t samples = predictor->dataset->samples;
    if (!array || !of_comm_splits(context, samples))
        return ONEFOLD_OK;
    OF_SCRATCH(scratch, context);
    int ranks = context->comm.size;
    size_t *start;
    OF_TRY(OF_NEW(&scratch, &start, (size_t)ranks + 1, 1));
    for (int r = 0; r < ranks; r++) {
        size_t at = of_comm_share(context, samples, r).first;
        at = at < first ? first : at > first + count ? first + count : at;
        start[r] = (at - first) * size;
    }
    start[ranks] = count * size;
    return of_comm_gather_parts(context, array, start);
}

/* ---- all of them -------------------------------------------------------------------------- */

/* Samples from .. end-1, a stretch at a time: what is passing is released after each. */
static onefold_status label_stretches(label_task *task, size_t end)
{
    enum { BATCH = 1 << 14 };
    const of_predictor *predictor = task->predictor;
    const of_dataset *dataset = predictor->dataset;
    size_t width = predictor->width;
    for (size_t from = task->from; from < end; from = task->end) {
        task->from = from;
        task->end = from / BATCH * BATCH + BATCH;
        task->end = task->end < end ? task->end : end;
        task->block = from / width;
        of_context_progress(predictor->context, "predict", (double)from, (double)dataset->samples,
                            NULL);
        OF_TRY(of_team_run(predictor->context, (task->end + width - 1) / width - task->block,
                           label_block, task));
        for (size_t i = 0; i < dataset->view_count; i++)
            of_view_release(&dataset->views[i], from, task->end - from);
    }
    return ONEFOLD_OK;
}

onefold_status of_predictor_run(const of_predictor *predictor, size_t first, size_t count,
                                const onefold_prediction *prediction)
{
    size_t samples = predictor->dataset->samples, k = predictor->model->rule.dims,
           views = predictor->model->views;
    if (first > samples || count > samples - first)
        return of_fail(ONEFOLD_USAGE, "samples %zu to %zu are asked for, of %zu", first + 1,
                       first + count, samples);
    OF_TRY(check_same(predictor));
    of_range own = of_comm_own(predictor->context, samples);
    label_task task = {predictor, prediction, first, first > own.first ? first : own.first, 0, 0};
    size_t end = first + count < own.end ? first + count : own.end;
    OF_TRY(of_predict_device(predictor, first, &task.from, end, prediction));
    OF_TRY(label_stretches(&task, end));
    OF_TRY(gather(predictor, first, count, prediction->labels, sizeof *prediction->labels));
    OF_TRY(gather(predictor, first, count, prediction->confidence, sizeof(double)));
    OF_TRY(gather(predictor, first, count, prediction->distance, sizeof(double)));
    OF_TRY(gather(predictor, first, count, prediction->embedding, k * sizeof(double)));
    return gather(predictor, first, count, prediction->view_part, views * sizeof(double));
}

onefold_status of_model_relabel(of_context *context, onefold_model *model,
                                const of_dataset *dataset, int32_t *labels, double *parts)
{
    OF_SCRATCH(scratch, context);
    of_predictor predictor;
    onefold_prediction prediction = ONEFOLD_PREDICTION_INIT;
    size_t n = dataset->samples;
    prediction.labels = labels;
    prediction.view_part = parts;
    OF_TRY(OF_NEW(&scratch, &prediction.distance, n, 1));
    of_fusion fusion;
    OF_TRY(of_fusion_make(&scratch, model, &fusion));
    OF_TRY(of_predictor_make(context, &scratch, model, &fusion, dataset, &predictor));
    OF_TRY(of_predictor_run(&predictor, 0, n, &prediction));
    model->distance_mean = model->distance_most = 0;
    for (size_t j = 0; j < n; j++) {
        model->distance_mean += prediction.distance[j] / (double)n;
        model->distance_most = fmax(model->distance_most, prediction.distance[j]);
    }
    return ONEFOLD_OK;
}
