/* SPDX-License-Identifier: Apache-2.0 */
/* Before new samples are labelled: whether the views fit the model's, and what a predictor holds.
 */
#include "model/predict.h"

#include "data/dataset.h"
#include "linalg/blas.h"
#include "method/missing_scale.h"
#include "model/model_columns.h"

/* ---- do the views fit? -------------------------------------------------------------------- */

/* A view of another width. Graphs and kernels have a column for each training sample. */
static onefold_status refuse_columns(const of_model_view *mine, size_t index, const of_view *view)
{
    int rows = mine->kernel == OF_KERNEL_PRECOMPUTED;
    if (!rows && mine->kernel != OF_KERNEL_GRAPH)
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

static onefold_status check_view(const of_model_view *mine, size_t index, const of_view *view)
{
    int is_rows = mine->kernel == OF_KERNEL_PRECOMPUTED;
    if (view->storage == OF_KERNEL && !is_rows && mine->kernel != OF_KERNEL_GRAPH)
        return of_hint(
            of_fail(ONEFOLD_BAD_DATA,
                    "view '%s' is a kernel, and the model's view %zu ('%s') has features",
                    view->name, index + 1, mine->name),
            "give the views the model was fitted on, under the same names or in the same order");
    if (view->columns != mine->raw_columns && !(is_rows && view->columns == mine->raw_columns + 1))
        return refuse_columns(mine, index, view);
    return ONEFOLD_OK;
}

static onefold_status check_views(const onefold_model *model, const of_dataset *dataset)
{
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
    OF_TRY(of_model_order_views(context, arena, model, dataset, &dataset));
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
