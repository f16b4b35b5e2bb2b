/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Labels of new samples by a card: views are projected into a stack there, a stretch of samples at
 * a time, and the labels read off it. It takes models whose views are dense and go by landmarks in
 * single precision, and samples that lack nothing; whatever else there is, the CPU does.
 */
#include "base/device.h"
#include "method/rule.h"
#include "model/predict.h"
#include "partition/raw_pieces.h"

#include <string.h>

/* Samples of a stretch: as many as the card has memory for, up to the first number. */
enum { MOST_SAMPLES = 1 << 23, LEAST_SAMPLES = 1 << 14 };

/* A driver starts in the time that some cores need for so many. */
enum { MANY = 1 << 20 };

typedef struct device_task {
    const of_predictor *predictor;
    const of_device_use *use;
    const double **weight; /* of each part: (rank + 1) x points, the last row the row means' */
    double *value, *share; /* eigenvalues by row of the stack, and what each part counts for */
} device_task;

/* ---- what the card can do ------------------------------------------------------------------- */

static int takes_projection(const of_projection *p)
{
    return p->form == OF_PROJECT_POINTS && p->kernel == OF_KERNEL_RBF && p->single && p->at &&
           !p->sparse && !p->inner && p->joined &&
           (p->prep.kind == OF_PREP_NONE || p->prep.kind == OF_PREP_STANDARDISE);
}

static int takes_view(const of_fresh *fresh)
{
    return fresh->view->storage == OF_DENSE && !fresh->present && !fresh->ready;
}

static int takes_model(const of_predictor *predictor)
{
    const of_rule *rule = &predictor->model->rule;
    if (rule->constant)
        return 0;
    for (size_t b = 0; b < rule->parts; b++) {
        const of_rule_part *part = &rule->part[b];
        if (part->join != OF_JOIN_ONE || part->terms != 1 || part->row[0] != 0)
            return 0;
        const of_rule_source *source = &rule->source[part->source[0]];
        if (part->rank > rule->dims || source->projection->rank != part->rank ||
            !takes_projection(source->projection) || !takes_view(&predictor->fresh[source->view]))
            return 0;
    }
    return 1;
}

/* ---- a stretch ------------------------------------------------------------------------------ */

static const of_rule_source *source_of(const device_task *task, size_t part)
{
    const of_rule *rule = &task->predictor->model->rule;
    return &rule->source[rule->part[part].source[0]];
}

static onefold_status make_weights(of_arena *arena, device_task *task)
{
    const of_rule *rule = &task->predictor->model->rule;
    size_t k = rule->dims;
    OF_TRY(OF_NEW(arena, &task->weight, rule->parts, 1));
    OF_TRY(OF_NEW_ZERO(arena, &task->value, k, rule->parts));
    OF_TRY(OF_NEW(arena, &task->share, rule->parts, 1));
    for (size_t b = 0; b < rule->parts; b++) {
        const of_projection *p = source_of(task, b)->projection;
        double *weight;
        OF_TRY(OF_NEW(arena, &weight, p->rank + 1, p->points));
        for (size_t i = 0; i < p->points; i++) {
            memcpy(weight + i * (p->rank + 1), p->weight + i * p->rank, p->rank * sizeof *weight);
            weight[i * (p->rank + 1) + p->rank] = p->row_mean[i];
        }
        task->weight[b] = weight;
        memcpy(task->value + b * k, rule->part[b].value, p->rank * sizeof *task->value);
        task->share[b] = rule->beta[b] * rule->beta[b];
    }
    return ONEFOLD_OK;
}

/* Part b of samples first .. first+count-1 into its rows of the stack. */
static onefold_status project_part(const device_task *task, of_device_stack *there, size_t b,
                                   size_t first, size_t count, int *finite)
{
    of_context *context = task->predictor->context;
    const of_rule_source *source = source_of(task, b);
    const of_projection *p = source->projection;
    const of_view *view = task->predictor->fresh[source->view].view;
    int doubles = of_raw_doubles(view);
    of_device_projection told = {
        .landmarks = {p->columns, p->points, p->at, p->half},
        .raw_columns = p->raw_columns,
        .kept = p->prep.kept,
        .shift = p->prep.shift,
        .factor = p->prep.scale,
        .scale = p->scale,
        .kbar = p->point_mean,
        .weight = task->weight[b],
        .rows = p->rank,
        .row = b * task->predictor->model->rule.dims,
        .mean = p->mean_of_all,
        .raw_double = doubles,
    };
    OF_DEVICE_TRY(task->use, project_begin(there, &told, of_raw_piece_bytes(context, view)));
    return of_raw_send(context, task->use, there, task->use->table->project_piece, view, first,
                       count, finite);
}

static onefold_status read_off(const device_task *task, of_device_stack *there, size_t at,
                               const onefold_prediction *out)
{
    const onefold_model *model = task->predictor->model;
    of_device_predict asked = {
        .clusters = model->clusters,
        .parts = model->rule.parts,
        .largest = model->rule.largest,
        .fused = task->predictor->fusion.fused,
        .value = task->value,
        .weight = task->share,
        .labels = out->labels ? out->labels + at : NULL,
        .confidence = out->confidence ? out->confidence + at : NULL,
        .distance = out->distance ? out->distance + at : NULL,
    };
    OF_DEVICE_TRY(task->use, predict(there, &asked));
    if (out->embedding)
        OF_DEVICE_TRY(task->use, embed(there, model->rule.dims, task->predictor->fusion.B, 0,
                                       out->embedding + at * model->rule.dims));
    return ONEFOLD_OK;
}

/* *finite is 0, and nothing done, where the CPU has to look at values. */
static onefold_status label_stretch(const device_task *task, of_device_stack *there, size_t from,
                                    size_t count, size_t at, const onefold_prediction *out,
                                    int *finite)
{
    const of_rule *rule = &task->predictor->model->rule;
    *finite = 1;
    for (size_t b = 0; *finite && b < rule->parts; b++)
        OF_TRY(project_part(task, there, b, from, count, finite));
    return *finite ? read_off(task, there, at, out) : ONEFOLD_OK;
}

/* ---- all of them ---------------------------------------------------------------------------- */

/* Whether the CPU can do what the card said this of. */
static int is_for_cpu(onefold_status status)
{
    return status == ONEFOLD_NO_MEMORY || status == ONEFOLD_UNSUPPORTED;
}

/* Samples *from .. end-1 in stretches of `most`; *from moves on over those that are done. */
static onefold_status label_stretches(const device_task *task, size_t first, size_t *from,
                                      size_t end, size_t most, const onefold_prediction *out)
{
    const of_predictor *predictor = task->predictor;
    size_t rows = predictor->fusion.stack, held = 0;
    of_device_stack *there = NULL;
    onefold_status status = ONEFOLD_OK;
    int finite = 1;
    while (status == ONEFOLD_OK && finite && *from < end) {
        size_t count = end - *from < most ? end - *from : most;
        of_context_progress(predictor->context, "predict", (double)*from,
                            (double)predictor->dataset->samples, NULL);
        if (there && held != count) {
            task->use->table->stack_free(there);
            there = NULL;
        }
        if (!there)
            status = of_device_status(
                task->use, task->use->table->stack_make(task->use->device, rows, count, 0, &there));
        held = count;
        if (status == ONEFOLD_OK)
            status = label_stretch(task, there, *from, count, *from - first, out, &finite);
        if (status == ONEFOLD_OK && finite)
            *from += count;
    }
    if (there)
        task->use->table->stack_free(there);
    return status;
}

onefold_status of_predict_device(const of_predictor *predictor, size_t first, size_t *from,
                                 size_t end, const onefold_prediction *out)
{
    if (end > *from && !of_team_inside())
        of_device_consider(predictor->context, end - *from >= MANY);
    device_task task = {.predictor = predictor,
                        .use = of_device_for(predictor->context, end > *from ? end - *from : 0)};
    size_t began = *from, most = MOST_SAMPLES;
    if (!task.use || *from >= end || !out->labels || out->view_part || of_team_inside() ||
        !takes_model(predictor))
        return ONEFOLD_OK;
    OF_SCRATCH(scratch, predictor->context);
    OF_TRY(make_weights(&scratch, &task));
    onefold_status status = label_stretches(&task, first, from, end, most, out);
    while (status == ONEFOLD_NO_MEMORY && most > LEAST_SAMPLES) {
        most /= 4;
        status = label_stretches(&task, first, from, end, most, out);
    }
    if (predictor->on_card)
        *predictor->on_card += *from - began;
    return is_for_cpu(status) ? ONEFOLD_OK : status;
}
