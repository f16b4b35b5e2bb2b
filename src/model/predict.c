/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Labels of new samples, block by block: the projection of each view, then
 * y = argmax C' sum_b beta_b W_b x_b. Blocks depend on the model and the storage of the views alone
 * and begin at the first sample of the data, so that the bits do not depend on threads, or on the
 * ranges in which a long file is labelled.
 */
#include "base/blas_threads.h"
#include "base/comm.h"
#include "base/context.h"
#include "base/device.h"
#include "base/status.h"
#include "base/team.h"
#include "data/dataset.h"
#include "linalg/blas.h"
#include "method/rule.h"
#include "model/model.h"
#include "partition/raw_pieces.h"
#include "partition/view_graph.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The matrices from the stack of partitions to the fused embedding and the scores. */
typedef struct of_fusion {
    size_t stack;        /* parts * dims */
    const double *B;     /* dims x stack: [beta_1 W_1, ...] */
    const double *fused; /* clusters x stack: C' B */
} of_fusion;

typedef struct of_predictor {
    of_context *context;
    const onefold_model *model;
    const of_dataset *dataset;
    of_fusion fusion;
    size_t width;       /* samples of a block */
    of_fresh *fresh;    /* one per view, for all its sources */
    of_columns columns; /* rows 0: not a model of joined columns */
    double *room;       /* per worker */
    size_t room_size;
    size_t *on_gpu;                /* counts the samples that a GPU labels; or NULL */
    const onefold_prediction *out; /* the wanted arrays; element 0 is of sample `first` */
    size_t first;
    size_t from, end; /* samples of this batch */
    size_t block;     /* index of its first block */
    /* on a GPU: */
    const of_device_use *use;
    double *value, *share; /* eigenvalues by row of the stack; beta^2 of each part */
} of_predictor;

/* ---- checks of the views ------------------------------------------------------------------- */

/* Checks the number of columns. Graphs and kernels have one for each training sample. */
static onefold_status check_view(const of_model_view *mine, size_t index, const of_view *view)
{
    int rows = of_kernel_is_given(mine->kernel), graph = of_kernel_is_links(mine->kernel);
    if (view->storage == OF_KERNEL && !rows && !graph)
        return of_hint(
            of_fail(ONEFOLD_BAD_DATA,
                    "view '%s' is a kernel, and the model's view %zu ('%s') has features",
                    view->name, index + 1, mine->name),
            "give the views the model was fitted on, under the same names or in the same order");
    if (view->columns == mine->raw_columns || (rows && view->columns == mine->raw_columns + 1))
        return ONEFOLD_OK;
    if (!rows && !graph)
        return of_hint(
            of_fail(ONEFOLD_BAD_DATA,
                    "view '%s' has %zu columns, and the model's view %zu ('%s') has %zu",
                    view->name, view->columns, index + 1, mine->name, mine->raw_columns),
            "give the views the model was fitted on, under the same names or in the same "
            "order; `samples_are` says which side the samples are");
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

/* ---- the predictor ------------------------------------------------------------------------- */

/* Recognises the training graph itself. Its samples have the rows of A + A' + I, with links that
 * are not in a sample's own row of A. */
static onefold_status find_training_graph(of_context *context, of_arena *arena,
                                          const of_projection *p, const of_dataset *dataset,
                                          size_t index, of_fresh *fresh)
{
    const of_view *view = &dataset->views[index], *present;
    if (!of_kernel_is_links(p->kernel) || view->samples != view->columns ||
        of_present_count(dataset, index) != p->samples)
        return ONEFOLD_OK;
    of_kernel graph;
    OF_TRY(of_kernel_view(arena, dataset, index, p->kernel, &present));
    OF_TRY(of_kernel_make(context, arena, present, p->kernel, &graph));
    if (of_projection_links(&graph.features) != p->links)
        return ONEFOLD_OK;
    of_sparse *ready; /* with empty rows for samples that lack the view */
    OF_TRY(OF_NEW(arena, &ready, 1, 1));
    *ready = graph.features;
    fresh->ready = ready;
    return of_view_graph_spread(arena, dataset, index, ready);
}

static onefold_status fusion_make(of_arena *arena, const onefold_model *model, of_fusion *fusion)
{
    const of_rule *rule = &model->rule;
    size_t k = rule->dims, pk = rule->parts * k;
    double *B, *fused;
    OF_TRY(OF_NEW_ALL(arena, {&B, k, pk}, {&fused, model->info.clusters, pk}));
    for (size_t i = 0; i < k * pk; i++) {
        size_t part = i / (k * k);
        B[i] = of_missing_scale_view(rule->part[part].known, model->info.samples) *
               rule->beta[part] * rule->W[i];
    }
    of_gemm('T', 'N', model->info.clusters, pk, k, 1, rule->C, k, B, k, 0, fused,
            model->info.clusters);
    *fusion = (of_fusion){pk, B, fused};
    return ONEFOLD_OK;
}

/* The input of each view's sources. */
static onefold_status make_fresh(of_arena *arena, of_predictor *predictor)
{
    const onefold_model *model = predictor->model;
    const of_dataset *dataset = predictor->dataset;
    OF_TRY(OF_NEW_ZERO(arena, &predictor->fresh, model->info.views, 1));
    for (size_t i = 0; i < model->info.views; i++)
        predictor->fresh[i] = (of_fresh){
            .view = &dataset->views[i],
            .present = dataset->present ? dataset->present + i : NULL,
            .step = model->info.views,
            .fill = dataset->impute == ONEFOLD_IMPUTE_MODEL ? model->view[i].fill : NULL};
    for (size_t s = 0; s < model->rule.sources; s++) {
        const of_rule_source *source = &model->rule.source[s];
        of_fresh *fresh = &predictor->fresh[source->view];
        if (!fresh->ready)
            OF_TRY(find_training_graph(predictor->context, arena, source->projection, dataset,
                                       source->view, fresh));
    }
    return ONEFOLD_OK;
}

/* Most doubles of work space that a projection of a block takes. */
static size_t widest_projection(const of_predictor *predictor)
{
    const of_rule *rule = &predictor->model->rule;
    size_t room = 0;
    for (size_t s = 0; s < rule->sources; s++) {
        const of_view *view = &predictor->dataset->views[rule->source[s].view];
        size_t own = of_projection_room(rule->source[s].projection, view, predictor->width);
        room = own > room ? own : room;
    }
    return room;
}

/* Matches the views with the model's, and refuses by name a view that does not fit. Memory is from
 * `arena`, and does not depend on the number of samples unless a view is the training graph. */
static onefold_status predictor_make(of_context *context, of_arena *arena,
                                     const onefold_model *model, const of_fusion *fusion,
                                     const of_dataset *dataset, of_predictor *predictor)
{
    const of_rule *rule = &model->rule;
    enum { ROOM = (2 << 20) / sizeof(double) };
    size_t workers = (size_t)of_team_size(context), room = SIZE_MAX;
    OF_TRY(of_model_order(context, arena, model, dataset, &dataset));
    for (size_t i = 0; i < model->info.views; i++)
        OF_TRY(check_view(&model->view[i], i, &dataset->views[i]));
    *predictor =
        (of_predictor){.context = context, .model = model, .dataset = dataset, .fusion = *fusion};
    OF_TRY(make_fresh(arena, predictor));
    OF_TRY(of_columns_make(arena, model, dataset, &predictor->columns));
    /* Samples of a block: 256, or as many as take 2 MB in the widest projection, at least 32. */
    for (predictor->width = 256 + 32; room > ROOM && predictor->width > 32;) {
        predictor->width -= 32;
        room = widest_projection(predictor);
        if (room < predictor->columns.rows * predictor->width)
            room = predictor->columns.rows * predictor->width;
    }
    predictor->room_size =
        room + rule->dims +
        (rule->rows + fusion->stack + rule->dims + model->info.clusters + rule->sources) *
            predictor->width;
    predictor->room_size = (predictor->room_size + 7) / 8 * 8; /* whole cache lines */
    return OF_NEW(arena, &predictor->room, workers, predictor->room_size);
}

/* ---- on a GPU ------------------------------------------------------------------------------
 *
 * A batch of samples is projected into a stack on the GPU, and labelled there. The model must have
 * an rbf kernel of landmarks in single precision for each view, and the views must be dense and
 * complete. The CPU does all else.
 */

/* Samples of a batch: the most, and the least to which a lack of memory reduces it. */
enum { MOST_SAMPLES = 1 << 23, LEAST_SAMPLES = 1 << 14 };

/* For fewer samples, starting the driver takes longer than the work on the CPU. */
enum { MANY = 1 << 20 };

static int gpu_can_predict(const of_predictor *predictor)
{
    const of_rule *rule = &predictor->model->rule;
    if (rule->constant)
        return 0;
    for (size_t b = 0; b < rule->parts; b++) {
        const of_rule_part *part = &rule->part[b];
        if (part->join != OF_JOIN_ONE || part->terms != 1 || part->row[0] != 0)
            return 0;
        const of_rule_source *source = &rule->source[part->source[0]];
        const of_fresh *fresh = &predictor->fresh[source->view];
        const of_projection *p = source->projection;
        if (part->rank > rule->dims || p->rank != part->rank || p->form != OF_PROJECT_POINTS ||
            !of_kernel_rows[p->kernel]->has_landmarks || !p->single || !p->at || p->sparse ||
            p->inner || (p->prep.kind != OF_PREP_NONE && p->prep.kind != OF_PREP_STANDARDISE) ||
            fresh->view->storage != OF_DENSE || fresh->present || fresh->ready)
            return 0;
    }
    return 1;
}

static const of_rule_source *source_of(const of_predictor *predictor, size_t part)
{
    const of_rule *rule = &predictor->model->rule;
    return &rule->source[rule->part[part].source[0]];
}

static onefold_status make_weights(of_arena *arena, of_predictor *predictor)
{
    const of_rule *rule = &predictor->model->rule;
    size_t k = rule->dims;
    OF_TRY(OF_NEW_ZERO(arena, &predictor->value, k, rule->parts));
    OF_TRY(OF_NEW(arena, &predictor->share, rule->parts, 1));
    for (size_t b = 0; b < rule->parts; b++) {
        const of_projection *p = source_of(predictor, b)->projection;
        memcpy(predictor->value + b * k, rule->part[b].value, p->rank * sizeof *predictor->value);
        predictor->share[b] = rule->beta[b] * rule->beta[b];
    }
    return ONEFOLD_OK;
}

static int all_finite(const double *number, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(number[i]))
            return 0;
    return 1;
}

/* Labels samples from .. from+count-1. *finite becomes 0, and nothing is labelled, where a value is
 * not finite. */
static onefold_status label_batch(const of_predictor *predictor, of_device_stack *there,
                                  size_t count, int *finite)
{
    const of_rule *rule = &predictor->model->rule;
    const onefold_prediction *out = predictor->out;
    size_t at = predictor->from - predictor->first;
    for (size_t b = 0; *finite && b < rule->parts; b++) {
        const of_rule_source *source = source_of(predictor, b);
        OF_TRY(of_raw_project(predictor->context, predictor->fresh[source->view].view,
                              predictor->use, there, source->projection, b * rule->dims,
                              predictor->from, count, finite));
    }
    if (!*finite)
        return ONEFOLD_OK;
    of_device_predict task = {
        .clusters = predictor->model->info.clusters,
        .parts = rule->parts,
        .largest = rule->largest,
        .fused = predictor->fusion.fused,
        .value = predictor->value,
        .weight = predictor->share,
        .labels = out->labels + at,
        .confidence = out->confidence ? out->confidence + at : NULL,
        .distance = out->distance ? out->distance + at : NULL,
    };
    OF_DEVICE_TRY(predictor->use, predict(there, &task));
    if (out->embedding)
        OF_DEVICE_TRY(predictor->use, embed(there, rule->dims, predictor->fusion.B, 0,
                                            out->embedding + at * rule->dims));
    /* the CPU refuses the sample by its number (check_finite) */
    *finite = (!out->confidence || all_finite(task.confidence, count)) &&
              (!out->distance || all_finite(task.distance, count)) &&
              (!out->embedding || all_finite(out->embedding + at * rule->dims, count * rule->dims));
    return ONEFOLD_OK;
}

/* Labels samples from .. end-1 in batches of `most`, and advances `from` after each batch. */
static onefold_status label_batches(of_predictor *predictor, size_t end, size_t most)
{
    const of_device_use *use = predictor->use;
    onefold_status status = ONEFOLD_OK;
    int finite = 1;
    while (status == ONEFOLD_OK && finite && predictor->from < end) {
        size_t left = end - predictor->from, count = left < most ? left : most;
        of_device_stack *there = NULL;
        of_context_progress(predictor->context, "predict", (double)predictor->from,
                            (double)predictor->dataset->samples, NULL);
        status = OF_DEVICE(
            use, stack_make(use->device, predictor->fusion.stack, count, 0, &there, NULL));
        if (status == ONEFOLD_OK)
            status = label_batch(predictor, there, count, &finite);
        if (there)
            use->table->stack_free(there);
        if (status == ONEFOLD_OK && finite)
            predictor->from += count;
    }
    return status;
}

/* Labels samples from .. end-1 on the context's GPU, as far as it can, and advances `from` to the
 * first that is left for the CPU. */
static onefold_status predict_gpu(of_predictor *predictor, size_t end)
{
    size_t began = predictor->from, most = MOST_SAMPLES;
    if (began >= end || of_team_inside() || !predictor->out->labels || predictor->out->view_part ||
        !gpu_can_predict(predictor))
        return ONEFOLD_OK;
    of_device_consider(predictor->context, end - began >= MANY);
    predictor->use = of_device_for(predictor->context, end - began);
    if (!predictor->use)
        return ONEFOLD_OK;
    OF_SCRATCH(scratch, predictor->context);
    OF_TRY(make_weights(&scratch, predictor));
    onefold_status status = label_batches(predictor, end, most);
    for (; status == ONEFOLD_NO_MEMORY && most > LEAST_SAMPLES; most /= 4)
        status = label_batches(predictor, end, most / 4);
    if (predictor->on_gpu)
        *predictor->on_gpu += predictor->from - began;
    /* after these, the CPU does the rest */
    return status == ONEFOLD_NO_MEMORY || status == ONEFOLD_UNSUPPORTED ? ONEFOLD_OK : status;
}

/* ---- labels ------------------------------------------------------------------------------- */

/* Refuses the first sample of the block without a view. A sample that has only views of weight 0 is
 * labelled by the constant, as in the fit. */
static onefold_status check_present(const of_predictor *predictor, size_t first,
                                    const of_rule_block *block)
{
    const of_rule *rule = &predictor->model->rule;
    for (size_t j = 0; j < block->count; j++) {
        size_t has = 0;
        for (size_t s = 0; s < rule->sources; s++)
            has += block->kept[s * block->width + j] != OF_KEPT_ABSENT;
        for (size_t i = 0; !has && i < predictor->model->info.views; i++) {
            size_t used = 0; /* sources of the view, which have seen that it is missing */
            for (size_t s = 0; s < rule->sources; s++)
                used += rule->source[s].view == i;
            has = !used && of_present_at(predictor->dataset, first + j, i);
        }
        if (!has)
            return of_hint(of_fail(ONEFOLD_BAD_DATA, "sample %zu lacks every view", first + j + 1),
                           "a sample needs at least one view: leave it out");
    }
    return ONEFOLD_OK;
}

/* Refuses what is computed from numbers that are finite each and too large together: those of a
 * model that no fit has made, or of a sample that is far from all that the model knows. */
static onefold_status check_finite(const of_predictor *predictor, size_t at, const double *score)
{
    const onefold_prediction *out = predictor->out;
    size_t k = predictor->model->rule.dims, views = predictor->model->info.views;
    return all_finite(score, predictor->model->info.clusters) &&
                   (!out->confidence || isfinite(out->confidence[at])) &&
                   (!out->distance || isfinite(out->distance[at])) &&
                   (!out->embedding || all_finite(out->embedding + at * k, k)) &&
                   (!out->view_part || all_finite(out->view_part + at * views, views))
               ? ONEFOLD_OK
               : of_hint(of_fail(ONEFOLD_BAD_DATA,
                                 "the numbers of the model and of sample %zu are too large to be "
                                 "multiplied",
                                 predictor->first + at + 1),
                         "scale the sample down, or fit the model again");
}

/* Stores the wanted values of sample j of the block, at index `at`. y: the joined columns of the
 * block, or NULL if it has projections. x: work space (dims). */
static void store(const of_predictor *predictor, size_t at, const of_rule_block *block, size_t j,
                  const double *y, const double *stack, const double *score,
                  const double *embedding, double *x)
{
    const onefold_model *model = predictor->model;
    const onefold_prediction *out = predictor->out;
    size_t k = model->rule.dims, mu = model->info.clusters;
    size_t c = 0, label; /* the largest cluster where all scores are 0 */
    while (c < mu && score[j * mu + c] == 0)
        c++;
    label = c == mu ? model->rule.largest : of_first_largest(score + j * mu, mu);
    if (out->labels)
        out->labels[at] = (int32_t)label;
    if (out->confidence)
        out->confidence[at] = of_confidence(score + j * mu, mu);
    if (out->distance && y)
        out->distance[at] = of_columns_distance(&predictor->columns,
                                                y + j * predictor->columns.rows, stack + j * k);
    else if (out->distance)
        out->distance[at] = of_rule_distance(&model->rule, block, j, model->info.samples,
                                             stack + j * predictor->fusion.stack);
    if (out->embedding)
        memcpy(out->embedding + at * k, embedding + j * k, k * sizeof *embedding);
    if (!out->view_part)
        return;
    /* Each view's part in the score: the summands of its sources, times their columns of C' B. */
    const of_rule *rule = &model->rule;
    double *part = out->view_part + at * model->info.views;
    memset(part, 0, model->info.views * sizeof *part);
    for (size_t b = 0; b < rule->parts; b++)
        for (size_t t = 0; t < rule->part[b].terms; t++) {
            double *sum = &part[rule->source[rule->part[b].source[t]].view];
            of_rule_term(rule, block, j, b, t, x);
            for (size_t r = 0; r < k; r++)
                *sum += predictor->fusion.fused[label + (b * k + r) * mu] * x[r];
        }
}

static onefold_status label_block(void *opaque, size_t index)
{
    const of_predictor *predictor = opaque;
    const onefold_model *model = predictor->model;
    const of_rule *rule = &model->rule;
    size_t width = predictor->width, k = rule->dims, mu = model->info.clusters,
           pk = predictor->fusion.stack, first = (predictor->block + index) * width,
           left = predictor->dataset->samples - first, count = left < width ? left : width;
    double *stack = predictor->room + of_team_worker() * predictor->room_size,
           *embedding = stack + pk * width, *score = embedding + k * width, *x = score + mu * width,
           *kept = x + k, *h = kept + rule->sources * width, *room = h + rule->rows * width;
    of_rule_block block = {count, width, h, kept};
    const onefold_prediction *out = predictor->out;
    int joined = 0;
    if (predictor->columns.rows)
        OF_TRY(of_columns_apply(&predictor->columns, first, count, room, stack, &joined));
    double *y = joined ? room : NULL;
    if (!joined || out->view_part) { /* parts need the projection of each view */
        for (size_t s = 0; s < rule->sources; s++)
            OF_TRY(of_projection_apply(rule->source[s].projection,
                                       &predictor->fresh[rule->source[s].view], first, count, room,
                                       h + rule->source[s].first, rule->rows, kept + s * width));
        OF_TRY(check_present(predictor, first, &block));
        y = NULL;
    }
    for (size_t j = 0; !joined && j < count; j++)
        of_rule_stack(rule, &block, j, stack + j * pk);
    of_gemm('N', 'N', mu, count, pk, 1, predictor->fusion.fused, mu, stack, pk, 0, score, mu);
    if (out->embedding)
        of_gemm('N', 'N', k, count, pk, 1, predictor->fusion.B, k, stack, pk, 0, embedding, k);
    for (size_t j = 0; j < count; j++)
        if (first + j >= predictor->from && first + j < predictor->end) {
            size_t at = first + j - predictor->first;
            store(predictor, at, &block, j, y, stack, score, embedding, x);
            OF_TRY(check_finite(predictor, at, score + j * mu));
        }
    return ONEFOLD_OK;
}

/* Labels samples from .. end-1 in batches, after each of which passing views are released. */
static onefold_status predict_cpu(of_predictor *predictor, size_t end)
{
    enum { BATCH = 1 << 16 }; /* blocks enough for many threads */
    const of_dataset *dataset = predictor->dataset;
    size_t width = predictor->width;
    for (; predictor->from < end; predictor->from = predictor->end) {
        size_t from = predictor->from, next = from / BATCH * BATCH + BATCH;
        predictor->end = next < end ? next : end;
        predictor->block = from / width;
        of_context_progress(predictor->context, "predict", (double)from, (double)dataset->samples,
                            NULL);
        OF_TRY(of_team_run(predictor->context,
                           (predictor->end + width - 1) / width - predictor->block, label_block,
                           predictor));
        for (size_t i = 0; i < dataset->view_count; i++)
            of_view_release(&dataset->views[i], from, predictor->end - from);
    }
    return ONEFOLD_OK;
}

static onefold_status predictor_run(of_predictor *predictor, of_range samples,
                                    const onefold_prediction *out)
{
    predictor->out = out;
    predictor->first = predictor->from = samples.first;
    OF_TRY(predict_gpu(predictor, samples.end));
    return predict_cpu(predictor, samples.end);
}

typedef struct distance_task {
    const double *distance; /* of this process's samples */
    of_tiles tiles;
    size_t first; /* the first of these */
} distance_task;

static onefold_status add_distances(void *opaque, size_t tile, double *sum)
{
    const distance_task *task = opaque;
    for (size_t j = of_tiles_first(&task->tiles, tile); j < of_tiles_first(&task->tiles, tile + 1);
         j++)
        *sum += task->distance[j - task->first];
    return ONEFOLD_OK;
}

onefold_status of_model_relabel(of_context *context, onefold_model *model,
                                const of_dataset *dataset, const onefold_prediction *wanted)
{
    OF_SCRATCH(scratch, context);
    of_predictor predictor;
    size_t n = dataset->samples;
    of_range own = of_comm_own(context, n);
    of_fusion fusion;
    OF_TRY(fusion_make(&scratch, model, &fusion));
    OF_TRY(predictor_make(context, &scratch, model, &fusion, dataset, &predictor));
    OF_TRY(predictor_run(&predictor, own, wanted));
    if (!wanted->distance)
        return ONEFOLD_OK;
    distance_task task = {wanted->distance, of_tiles_make(n, 1, SIZE_MAX), own.first};
    double sum = 0, most = 0;
    OF_TRY(of_tiles_sum(context, &task.tiles, add_distances, &task, 1, &sum));
    for (size_t j = 0; j < own.end - own.first; j++)
        most = fmax(most, wanted->distance[j]);
    OF_TRY(of_comm_largest(context, n, 1, &most));
    model->info.distance_mean = sum / (double)n;
    model->info.distance_most = most;
    return ONEFOLD_OK;
}

/* ---- the public predictor -------------------------------------------------------------------- */

struct onefold_predictor {
    of_arena arena; /* of the predictor and everything in it */
    const onefold_model *model;
    of_fusion fusion;
    size_t on_gpu; /* samples that a GPU labelled */
};

onefold_status onefold_predictor_create(onefold_predictor **predictor, onefold_context *context,
                                        const onefold_model *model)
{
    if (!predictor || !model)
        return of_fail(ONEFOLD_USAGE,
                       "onefold_predictor_create needs a place for the predictor and a model");
    context = of_context_or_default(context);
    onefold_predictor *made;
    OF_TRY(of_blas_room(context->threads));
    OF_TRY(OF_OBJECT(context, &made));
    made->model = model;
    of_blas_enter();
    onefold_status status = fusion_make(&made->arena, model, &made->fusion);
    of_blas_leave();
    return of_object_give(predictor, made, status);
}

void onefold_predictor_free(onefold_predictor *predictor)
{
    of_object_free(predictor);
}

size_t onefold_predictor_on_gpu(const onefold_predictor *predictor)
{
    return predictor ? predictor->on_gpu : 0;
}

typedef struct feed_arguments {
    onefold_predictor *predictor;
    const of_dataset *dataset;
    size_t first, count;
    const onefold_prediction *wanted;
} feed_arguments;

/* Refuses models or data that differ between processes, and more processes than shares. */
static onefold_status check_same(of_context *context, const of_predictor *predictor)
{
    char print[OF_FINGERPRINT + 32];
    if (context->comm.size <= 1)
        return ONEFOLD_OK;
    OF_TRY(of_comm_same(context, predictor->fusion.fused,
                        predictor->model->info.clusters * predictor->fusion.stack * sizeof(double),
                        "models"));
    snprintf(print, sizeof print, "%31zu", predictor->dataset->samples);
    OF_TRY(of_dataset_fingerprint(context, predictor->dataset, OF_FINGERPRINT_SAMPLES, print + 31));
    OF_TRY(of_comm_same(context, print, strlen(print), "data"));
    return of_comm_check(context, predictor->dataset->samples);
}

/* Confidences from the margins of a range of samples. */
static void be_confident(const of_rule *rule, of_range range, double *confidence)
{
    for (size_t j = 0; confidence && rule->knots && j + range.first < range.end; j++)
        confidence[j] = of_rule_confidence(rule, confidence[j]);
}

/* Each process labels its share of the range. Of split samples, rank 0 gathers what it wants; the
 * other processes have arrays in scratch memory. */
static onefold_status label_share(of_context *context, of_predictor *predictor, of_range range,
                                  onefold_prediction out)
{
    enum { FIELDS = 5 };
    OF_SCRATCH(scratch, context);
    size_t samples = predictor->dataset->samples, k = predictor->model->rule.dims,
           views = predictor->model->info.views;
    of_range own = of_comm_own(context, samples);
    own.first = own.first > range.first ? own.first : range.first;
    own.end = own.end < range.end ? own.end : range.end;
    const struct {
        void **array;
        size_t size;
    } field[FIELDS] = {{(void **)&out.labels, sizeof *out.labels},
                       {(void **)&out.confidence, sizeof(double)},
                       {(void **)&out.distance, sizeof(double)},
                       {(void **)&out.embedding, k * sizeof(double)},
                       {(void **)&out.view_part, views * sizeof(double)}};
    if (!of_comm_splits(context, samples)) {
        OF_TRY(predictor_run(predictor, own, &out));
        be_confident(&predictor->model->rule, own, out.confidence);
        return ONEFOLD_OK;
    }
    int wanted[FIELDS];
    for (size_t f = 0; f < FIELDS; f++)
        wanted[f] = *field[f].array != NULL;
    OF_TRY(of_comm_broadcast(context, 0, wanted, sizeof wanted));
    for (size_t f = 0; f < FIELDS && context->comm.rank > 0; f++) {
        *field[f].array = NULL;
        if (wanted[f] && own.first < own.end)
            OF_TRY(
                of_arena_allocate(&scratch, field[f].array, field[f].size, own.end - own.first, 1));
    }
    OF_TRY(predictor_run(predictor, own, &out));
    be_confident(&predictor->model->rule, own, out.confidence);
    for (size_t f = 0; f < FIELDS; f++)
        if (wanted[f])
            OF_TRY(of_comm_collect(context, *field[f].array, field[f].size, samples, range));
    return ONEFOLD_OK;
}

static onefold_status feed(of_context *context, const feed_arguments *call)
{
    OF_SCRATCH(scratch, context);
    of_predictor fed;
    size_t samples = call->dataset->samples, end = call->first + call->count;
    OF_TRY(of_blas_room(context->threads));
    OF_TRY(predictor_make(context, &scratch, call->predictor->model, &call->predictor->fusion,
                          call->dataset, &fed));
    fed.on_gpu = &call->predictor->on_gpu;
    if (call->first > samples || call->count > samples - call->first)
        return of_fail(ONEFOLD_USAGE, "samples %zu to %zu are asked for, of %zu", call->first + 1,
                       end, samples);
    OF_TRY(check_same(context, &fed));
    return label_share(context, &fed, (of_range){call->first, end}, *call->wanted);
}

static onefold_status feed_together(of_context *context, void *opaque)
{
    const feed_arguments *call = opaque;
    return of_comm_agree(context, of_dataset_intact(call->dataset, feed(context, call)));
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
