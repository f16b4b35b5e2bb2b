/* SPDX-License-Identifier: Apache-2.0 */
/*
 * New samples to labels: each view's projection, then y = argmax C' sum_i beta_i W_i h_i, a block
 * of samples at a time. Blocks are cut by the model and the views' storage, from the first sample
 * of the data on, so that the bits depend neither on threads nor on the pieces a long file is
 * labelled in.
 */
#include "model/predict.h"
#include "base/public_call.h"
#include "base/structs.h"
#include "base/tiles.h"
#include "data/fingerprint.h"
#include "data/present.h"
#include "linalg/blas.h"
#include "method/confidence.h"
#include "method/missing_scale.h"
#include "model/model_columns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- do the views fit? -------------------------------------------------------------------- */

/* A view of another width. Graphs and kernels have a column for each training sample. */
static onefold_status refuse_columns(const of_model_view *mine, size_t index, const of_view *view)
{
    int rows = mine->kernel == OF_KERNEL_PRECOMPUTED;
    if (!rows && mine->kernel != OF_KERNEL_GRAPH)
        return of_hint(of_fail(ONEFOLD_BAD_DATA,
                               "view '%s' has %zu columns, and the model's view %zu ('%s') has %zu",
                               view->name, view->columns, index + 1, mine->name, mine->raw_columns),
                       "give the views the model was fitted on, in the same order; `samples_are` "
                       "says which side the samples are");
    return of_hint(
        of_fail(ONEFOLD_BAD_DATA,
                "view '%s' has %zu columns, and the model's view %zu ('%s') is a %s of %zu "
                "training samples",
                view->name, view->columns, index + 1, mine->name, rows ? "kernel" : "graph",
                mine->raw_columns),
        rows ? "give each new sample's kernel against the training samples, in their order, and "
               "against itself after that if it is known"
             : "give each new sample's links to the training samples, in their order");
}

static onefold_status check_view(const of_model_view *mine, size_t index, const of_view *view)
{
    int is_rows = mine->kernel == OF_KERNEL_PRECOMPUTED;
    if (view->storage == OF_KERNEL && !is_rows && mine->kernel != OF_KERNEL_GRAPH)
        return of_hint(
            of_fail(ONEFOLD_BAD_DATA,
                    "view '%s' is a kernel, and the model's view %zu ('%s') has features",
                    view->name, index + 1, mine->name),
            "give the views the model was fitted on, in the same order");
    if (view->columns != mine->raw_columns && !(is_rows && view->columns == mine->raw_columns + 1))
        return refuse_columns(mine, index, view);
    return ONEFOLD_OK;
}

static onefold_status check_views(const onefold_model *model, const of_dataset *dataset)
{
    if (dataset->view_count != model->views)
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "the data has %zu view%s, and the model %zu",
                               dataset->view_count, dataset->view_count == 1 ? "" : "s",
                               model->views),
                       "give the views the model was fitted on, in the same order; `views` picks "
                       "some of them");
    for (size_t i = 0; i < model->views; i++)
        OF_TRY(check_view(&model->view[i], i, &dataset->views[i]));
    return ONEFOLD_OK;
}

/* ---- making ready ------------------------------------------------------------------------- */

/* A graph that is the training graph itself: its samples' rows are those of A + A' + I, which a new
 * sample's own row cannot tell. */
static onefold_status know_graph(of_context *context, of_arena *arena, const of_projection *p,
                                 const of_dataset *dataset, size_t index, of_fresh *fresh)
{
    const of_view *view = &dataset->views[index], *present;
    if (p->kernel != OF_KERNEL_GRAPH || view->samples != view->columns ||
        of_present_count(dataset, index) != p->samples)
        return ONEFOLD_OK;
    of_kernel graph;
    OF_TRY(of_kernel_view(arena, dataset, index, OF_KERNEL_GRAPH, &present));
    OF_TRY(of_kernel_make(context, arena, present, OF_KERNEL_GRAPH, 0, &graph));
    if (of_projection_links(&graph.features) != p->links)
        return ONEFOLD_OK;
    of_sparse *ready; /* with an empty row for each sample that lacks the view */
    size_t *start, row = 0;
    OF_TRY(OF_NEW(arena, &ready, 1, 1));
    OF_TRY(OF_NEW(arena, &start, view->samples + 1, 1));
    for (size_t j = 0; j < view->samples; j++) {
        start[j] = graph.features.start[row];
        row += of_present_at(dataset, j, index) != 0;
    }
    start[view->samples] = graph.features.start[row];
    *ready = graph.features;
    ready->rows = view->samples;
    ready->start = start;
    fresh->ready = ready;
    return ONEFOLD_OK;
}

onefold_status of_fusion_make(of_arena *arena, const onefold_model *model, of_fusion *fusion)
{
    const of_rule *rule = &model->rule;
    size_t k = rule->dims, pk = rule->parts * k;
    double *B, *fused;
    OF_TRY(OF_NEW(arena, &B, k, pk));
    OF_TRY(OF_NEW(arena, &fused, model->clusters, pk));
    for (size_t i = 0; i < k * pk; i++) {
        size_t part = i / (k * k), had = rule->part[part].known;
        B[i] = of_missing_scale_view(had, model->samples) * rule->beta[part] *
               rule->W[i]; /* by 1 where no training sample lacked the view */
    }
    of_gemm('T', 'N', model->clusters, pk, k, 1, rule->C, k, B, k, 0, fused, model->clusters);
    *fusion = (of_fusion){pk, B, fused};
    return ONEFOLD_OK;
}

/* Samples of a block: what its widest projection needs fills some 2 MB, or 32 of them. */
static size_t block_width(const onefold_model *model, const of_dataset *dataset)
{
    size_t widest = 1;
    for (size_t s = 0; s < model->rule.sources; s++) {
        const of_rule_source *source = &model->rule.source[s];
        size_t width = of_projection_width(source->projection, &dataset->views[source->view]);
        widest = width > widest ? width : widest;
    }
    size_t width = ((size_t)2 << 20) / sizeof(double) / widest / 8 * 8;
    return width < 32 ? 32 : width > 256 ? 256 : width;
}

/* What the sources of each view take. */
static onefold_status make_fresh(of_arena *arena, of_predictor *predictor)
{
    const onefold_model *model = predictor->model;
    const of_dataset *dataset = predictor->dataset;
    OF_TRY(OF_NEW_ZERO(arena, &predictor->fresh, model->views, 1));
    for (size_t i = 0; i < model->views; i++)
        predictor->fresh[i] = (of_fresh){
            .view = &dataset->views[i],
            .present = dataset->present ? dataset->present + i : NULL,
            .step = model->views,
            .fill = dataset->impute == ONEFOLD_IMPUTE_MODEL ? model->view[i].fill : NULL};
    for (size_t s = 0; s < model->rule.sources; s++) {
        const of_rule_source *source = &model->rule.source[s];
        of_fresh *fresh = &predictor->fresh[source->view];
        if (!fresh->ready)
            OF_TRY(know_graph(predictor->context, arena, source->projection, dataset, source->view,
                              fresh));
    }
    return ONEFOLD_OK;
}

onefold_status of_predictor_make(of_context *context, of_arena *arena, const onefold_model *model,
                                 const of_fusion *fusion, const of_dataset *dataset,
                                 of_predictor *predictor)
{
    const of_rule *rule = &model->rule;
    size_t workers = (size_t)of_team_size(context), room = 0;
    OF_TRY(of_model_order_columns(context, arena, model, dataset, &dataset));
    OF_TRY(check_views(model, dataset));
    *predictor = (of_predictor){.context = context,
                                .model = model,
                                .dataset = dataset,
                                .fusion = *fusion,
                                .width = block_width(model, dataset)};
    OF_TRY(make_fresh(arena, predictor));
    for (size_t s = 0; s < rule->sources; s++) {
        size_t own = of_projection_room(rule->source[s].projection,
                                        &dataset->views[rule->source[s].view], predictor->width);
        room = own > room ? own : room;
    }
    predictor->room_size =
        room + rule->dims +
        (rule->rows + fusion->stack + rule->dims + model->clusters + rule->sources) *
            predictor->width;
    predictor->room_size = (predictor->room_size + 7) / 8 * 8; /* each worker's starts a line */
    return OF_NEW(arena, &predictor->room, workers, predictor->room_size);
}

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
static void take_parts(const of_predictor *predictor, size_t cluster, const of_rule_block *block,
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
        take_parts(predictor, (size_t)label, block, j, x, out->view_part + at * model->views);
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

/* ---- the public face ------------------------------------------------------------------------ */

struct onefold_predictor {
    of_arena arena; /* of what it points to, and of the predictor itself */
    const onefold_model *model;
    of_fusion fusion;
    size_t on_card; /* samples that a card has labelled */
};

onefold_status onefold_predictor_create(onefold_predictor **predictor, onefold_context *context,
                                        const onefold_model *model)
{
    if (!predictor || !model)
        return of_fail(ONEFOLD_USAGE,
                       "onefold_predictor_create needs a place for the predictor and a model");
    of_arena arena = of_arena_make(of_context_or_default(context));
    onefold_predictor *made;
    OF_TRY(OF_NEW_ZERO(&arena, &made, 1, 1));
    made->arena = arena; /* it lives in its own arena */
    made->model = model;
    of_blas_enter();
    onefold_status status = of_fusion_make(&made->arena, model, &made->fusion);
    of_blas_leave();
    if (status == ONEFOLD_OK)
        *predictor = made;
    else
        onefold_predictor_free(made);
    return status;
}

void onefold_predictor_free(onefold_predictor *predictor)
{
    if (!predictor)
        return;
    of_arena arena = predictor->arena;
    of_arena_free(&arena);
}

size_t onefold_predictor_on_card(const onefold_predictor *predictor)
{
    return predictor ? predictor->on_card : 0;
}

typedef struct feed_arguments {
    onefold_predictor *predictor;
    const of_dataset *dataset;
    size_t first, count;
    const onefold_prediction *wanted;
} feed_arguments;

static onefold_status feed_together(of_context *context, void *opaque)
{
    const feed_arguments *of = opaque;
    OF_SCRATCH(scratch, context);
    of_predictor fed;
    onefold_status status = of_blas_room(context->threads);
    if (status == ONEFOLD_OK)
        status = of_predictor_make(context, &scratch, of->predictor->model, &of->predictor->fusion,
                                   of->dataset, &fed);
    fed.on_card = &of->predictor->on_card;
    if (status == ONEFOLD_OK)
        status = of_predictor_run(&fed, of->first, of->count, of->wanted);
    return of_comm_agree(context, of_dataset_intact(of->dataset, status));
}

onefold_status onefold_predictor_feed(onefold_predictor *predictor, const onefold_dataset *dataset,
                                      size_t first, size_t count, onefold_prediction *prediction)
{
    if (!predictor || !dataset || !prediction)
        return of_fail(ONEFOLD_USAGE,
                       "onefold_predictor_feed needs a predictor, a data set and a place for the "
                       "labels");
    onefold_prediction wanted = ONEFOLD_PREDICTION_INIT;
    OF_TRY(OF_STRUCT_READ(&wanted, prediction, onefold_prediction));
    feed_arguments arguments = {predictor, &dataset->set, first, count, &wanted};
    return of_call(predictor->arena.context, "predict", feed_together, &arguments);
}

onefold_status onefold_predict(onefold_prediction *prediction, onefold_context *context,
                               const onefold_model *model, const onefold_dataset *dataset,
                               size_t first, size_t count)
{
    onefold_predictor *predictor = NULL;
    if (!prediction || !model || !dataset)
        return of_fail(ONEFOLD_USAGE,
                       "onefold_predict needs a place for the labels, a model and a data set");
    OF_TRY(onefold_predictor_create(&predictor, context, model));
    onefold_status status = onefold_predictor_feed(predictor, dataset, first, count, prediction);
    onefold_predictor_free(predictor);
    return status;
}
