/* SPDX-License-Identifier: Apache-2.0 */
/* Making a model of a fit, and telling what is in one. */
#include "model/model.h"

#include "base/comm.h"
#include "base/structs.h"
#include "data/dataset_names.h"
#include "data/gaps.h"
#include "data/present.h"
#include "kernel/moments.h"
#include "model/result.h"

/* A graph or kernel is over the training samples that have the view: of the columns that a new
 * sample brings, one for each training sample, only theirs count. */
static onefold_status name_columns(of_arena *arena, const of_dataset *dataset, size_t index,
                                   of_projection *p)
{
    uint32_t *kept;
    size_t count = 0;
    if ((p->form != OF_PROJECT_ROWS && p->kernel != OF_KERNEL_GRAPH) ||
        !of_present_missing(dataset, index))
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(arena, &kept, p->samples, 1));
    for (size_t j = 0; j < dataset->samples; j++)
        if (of_present_at(dataset, j, index))
            kept[count++] = (uint32_t)j;
    p->prep.kept = kept;
    p->raw_columns = dataset->samples;
    return ONEFOLD_OK;
}

/* What stands in for missing values of new samples: each column's mean over the training samples
 * that have the view, or its median where the data was read so. Values that were filled in count;
 * they leave that mean or median as it was. */
static onefold_status keep_fill(of_context *context, of_arena *arena, const of_kernel *kernel,
                                onefold_impute impute, const double **fill)
{
    const of_prep *prep = &kernel->prep;
    size_t d = kernel->view->columns;
    double *made, *unused;
    *fill = NULL;
    if (kernel->kind == OF_KERNEL_GRAPH || kernel->kind == OF_KERNEL_PRECOMPUTED)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW_ZERO(arena, &made, d, 1));
    *fill = made;
    if (impute == ONEFOLD_IMPUTE_MEDIAN)
        return of_gaps_medians(context, kernel->view, made);
    if (prep->shift) { /* the means of the columns that count, of dense views */
        for (size_t i = 0; i < prep->columns; i++)
            made[prep->kept ? prep->kept[i] : i] = prep->shift[i];
        return ONEFOLD_OK;
    }
    OF_SCRATCH(scratch, context);
    OF_TRY(OF_NEW(&scratch, &unused, d, 2));
    return of_moments(context, kernel->view, made, unused, unused + d);
}

static onefold_status make_views(of_context *context, of_arena *arena, const of_fit_plan *plan,
                                 const of_outcome *outcome, onefold_model *model)
{
    const of_dataset *dataset = plan->problem.dataset;
    of_model_view *views;
    OF_TRY(OF_NEW(arena, &views, dataset->view_count, 1));
    for (size_t i = 0; i < dataset->view_count; i++) {
        char *name;
        OF_TRY(of_arena_string(arena, &name, "%s", dataset->views[i].name));
        views[i] = (of_model_view){.name = name,
                                   .storage = dataset->views[i].storage,
                                   .projection = *outcome->rule.projections[i]};
        OF_TRY(keep_fill(context, arena, &plan->kernels[i], model->impute, &views[i].fill));
        OF_TRY(name_columns(arena, dataset, i, &views[i].projection));
        if (dataset->views[i].column_names && dataset->views[i].storage != OF_KERNEL &&
            views[i].projection.kernel != OF_KERNEL_GRAPH)
            OF_TRY(of_dataset_names_copy(arena, dataset->views[i].columns,
                                         dataset->views[i].column_names, &views[i].column_names));
    }
    model->view = views;
    return ONEFOLD_OK;
}

onefold_status of_model_finish(of_arena *arena, onefold_model *model)
{
    onefold_model_view_info *shown;
    OF_TRY(OF_NEW_ZERO(arena, &shown, model->views, 1));
    for (size_t i = 0; i < model->views; i++) {
        const of_projection *p = &model->view[i].projection;
        shown[i] = (onefold_model_view_info){
            .struct_size = sizeof *shown,
            .name = model->view[i].name,
            .storage = model->view[i].storage,
            .kernel = of_kernel_name(p->graph ? p->graph : p->kernel),
            .prep = (onefold_prep)p->prep.kind,
            .route = of_route_public(p->route),
            .columns = p->raw_columns,
            .kept_columns = p->columns,
            .rank = p->rank,
            .points = p->form == OF_PROJECT_ROWS ? p->samples : p->points,
            .holds_samples = p->form == OF_PROJECT_ROWS ||
                             (p->form == OF_PROJECT_POINTS && p->route != OF_ROUTE_NYSTROM),
            .weight = model->weight[i],
            .bytes = of_projection_bytes(p) +
                     (model->view[i].fill ? p->raw_columns * sizeof(double) : 0),
        };
    }
    model->shown = shown;
    return of_model_size(model, &model->bytes);
}

onefold_status of_model_make(of_context *context, of_arena *arena, const of_fit_plan *plan,
                             const of_outcome *outcome, onefold_model **model)
{
    const onefold_fit_options *options = &plan->options;
    onefold_model *made;
    OF_TRY(OF_NEW_ZERO(arena, &made, 1, 1));
    made->arena = of_arena_make(context);
    made->version = ONEFOLD_VERSION;
    made->samples = plan->problem.dataset->samples;
    made->views = plan->problem.dataset->view_count;
    made->dims = options->dims;
    made->clusters = options->clusters;
    made->largest = outcome->rule.largest;
    made->seed = options->seed;
    made->precision = options->precision;
    made->weight = outcome->rule.beta;
    made->rotation = outcome->rule.W;
    made->centroid = outcome->rule.C;
    made->impute = plan->problem.dataset->impute == ONEFOLD_IMPUTE_MEDIAN &&
                           !of_comm_splits(context, made->samples)
                       ? ONEFOLD_IMPUTE_MEDIAN
                       : ONEFOLD_IMPUTE_MEAN;
    OF_TRY(make_views(context, arena, plan, outcome, made));
    OF_TRY(of_model_finish(arena, made));
    *model = made;
    return ONEFOLD_OK;
}

void onefold_model_free(onefold_model *model)
{
    if (!model)
        return;
    of_arena arena = model->arena; /* the model itself is one of its blocks */
    of_arena_free(&arena);
}

onefold_status onefold_model_describe(const onefold_model *model, onefold_model_info *info)
{
    if (!model || !info)
        return of_fail(ONEFOLD_USAGE,
                       "onefold_model_describe needs a model and a place for the info");
    onefold_model_info made = {
        .version = model->version,
        .samples = model->samples,
        .clusters = model->clusters,
        .dims = model->dims,
        .views = model->views,
        .seed = model->seed,
        .precision = model->precision,
        .bytes = model->bytes,
        .distance_mean = model->distance_mean,
        .distance_most = model->distance_most,
        .impute = model->impute,
    };
    for (size_t i = 0; i < model->views; i++)
        made.holds_samples |= model->shown[i].holds_samples;
    return OF_STRUCT_WRITE(info, &made, onefold_model_info);
}

onefold_status onefold_model_view(const onefold_model *model, size_t index,
                                  onefold_model_view_info *info)
{
    if (!model || !info)
        return of_fail(ONEFOLD_USAGE, "onefold_model_view needs a model and a place for it");
    return OF_WRITE_AT(info, model->shown, index, model->views, onefold_model_view_info, "view");
}
