/* SPDX-License-Identifier: Apache-2.0 */
/* Making a model of a fit, and telling what is in one. */
#include "model/model.h"

#include "base/comm.h"
#include "base/structs.h"
#include "data/dataset.h"
#include "data/gaps.h"
#include "kernel/prep.h"
#include "model/result.h"

#include <math.h>

/* A graph or kernel is over the training samples that have the view: of the columns that a new
 * sample brings, one for each training sample, only theirs count. */
static onefold_status name_columns(of_arena *arena, const of_dataset *dataset, size_t index,
                                   of_projection *p)
{
    uint32_t *kept;
    size_t count = 0;
    if ((p->kernel != OF_KERNEL_PRECOMPUTED && p->kernel != OF_KERNEL_GRAPH) ||
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

/* The rule, with projections of its own. */
static onefold_status make_rule(of_arena *arena, const of_dataset *dataset,
                                const of_outcome *outcome, of_rule *rule)
{
    const of_rule *from = &outcome->rule;
    of_projection *projections;
    *rule = *from;
    OF_TRY(OF_NEW(arena, &rule->source, from->sources, 1));
    OF_TRY(OF_NEW(arena, &projections, from->sources, 1));
    for (size_t s = 0; s < from->sources; s++) {
        projections[s] = *from->source[s].projection;
        projections[s].joined = 1;
        OF_TRY(name_columns(arena, dataset, from->source[s].view, &projections[s]));
        rule->source[s] = from->source[s];
        rule->source[s].projection = &projections[s];
    }
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
                                 onefold_model *model)
{
    const of_dataset *dataset = plan->problem.dataset;
    of_model_view *views;
    OF_TRY(OF_NEW(arena, &views, dataset->view_count, 1));
    for (size_t i = 0; i < dataset->view_count; i++) {
        const of_view *view = &dataset->views[i];
        of_kernel_kind kernel = plan->kernels[i].kind;
        int square = kernel == OF_KERNEL_GRAPH || kernel == OF_KERNEL_PRECOMPUTED;
        char *name;
        OF_TRY(of_arena_string(arena, &name, "%s", view->name));
        views[i] = (of_model_view){.name = name,
                                   .storage = view->storage,
                                   .kernel = kernel,
                                   .raw_columns = square ? dataset->samples : view->columns};
        OF_TRY(keep_fill(context, arena, &plan->kernels[i], model->impute, &views[i].fill));
        if (view->column_names && view->storage != OF_KERNEL && kernel != OF_KERNEL_GRAPH)
            OF_TRY(of_dataset_names_copy(arena, view->columns, view->column_names,
                                         &views[i].column_names));
    }
    model->view = views;
    return ONEFOLD_OK;
}

static int holds_samples(const of_projection *p)
{
    return p->form == OF_PROJECT_ROWS ||
           (p->form == OF_PROJECT_POINTS && p->route != OF_ROUTE_NYSTROM);
}

/* A view's share of the joint partitions, which add up to 1; where terms have no weights, the
 * length of the weights of a view's own partitions, and of its share of the joint ones. */
static double weight_of(const of_rule *rule, size_t view)
{
    double square = 0;
    int shares = 0;
    for (size_t b = 0; b < rule->parts; b++) {
        const of_rule_part *part = &rule->part[b];
        double own = 0, all = 0;
        for (size_t t = 0; t < part->terms; t++) {
            double weight = part->weight ? part->weight[t] : 1;
            own += rule->source[part->source[t]].view == view ? weight : 0;
            all += weight;
        }
        shares |= part->weight != NULL;
        square += all > 0 ? rule->beta[b] * rule->beta[b] * own / all : 0;
    }
    return shares ? square : sqrt(square);
}

/* What is shown of a view: its first source, and the bytes of all of them. */
static onefold_model_view_info show_view(const onefold_model *model, size_t view)
{
    const of_model_view *mine = &model->view[view];
    const of_rule *rule = &model->rule;
    onefold_model_view_info shown = {
        .name = mine->name,
        .storage = mine->storage,
        .kernel = of_kernel_name(mine->kernel),
        .columns = mine->raw_columns,
        .weight = weight_of(rule, view),
        .column_names = mine->column_names,
        .bytes = mine->fill ? mine->raw_columns * sizeof(double) : 0,
    };
    for (size_t s = rule->sources; s-- > 0;) {
        const of_projection *p = rule->source[s].projection;
        if (rule->source[s].view != view)
            continue;
        shown.kernel = of_kernel_name(p->graph ? p->graph : p->kernel);
        shown.prep = (onefold_prep)p->prep.kind;
        shown.route = of_route_public(p->route);
        shown.kept_columns = p->columns;
        shown.rank = p->rank;
        shown.points = p->form == OF_PROJECT_ROWS ? p->samples : p->points;
        shown.holds_samples |= holds_samples(p);
        shown.bytes += of_projection_bytes(p);
    }
    return shown;
}

onefold_status of_model_finish(of_arena *arena, onefold_model *model)
{
    onefold_model_view_info *shown;
    of_rule_finish(&model->rule);
    OF_TRY(OF_NEW_ZERO(arena, &shown, model->views, 1));
    model->info = (onefold_model_info){
        .version = model->version,
        .samples = model->samples,
        .clusters = model->clusters,
        .dims = model->rule.dims,
        .views = model->views,
        .seed = model->seed,
        .precision = model->precision,
        .distance_mean = model->distance_mean,
        .distance_most = model->distance_most,
        .impute = model->impute,
        .run = model->run_text,
    };
    for (size_t i = 0; i < model->views; i++) {
        shown[i] = show_view(model, i);
        model->info.holds_samples |= shown[i].holds_samples;
    }
    OF_TRY(OF_LIST(arena, &model->info.view, shown, model->views));
    return of_model_size(model, &model->info.bytes);
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
    made->clusters = options->clusters;
    made->seed = options->seed;
    made->precision = options->precision;
    made->impute = plan->problem.dataset->impute == ONEFOLD_IMPUTE_MEDIAN &&
                           !of_comm_splits(context, made->samples)
                       ? ONEFOLD_IMPUTE_MEDIAN
                       : ONEFOLD_IMPUTE_MEAN;
    OF_TRY(make_rule(arena, plan->problem.dataset, outcome, &made->rule));
    OF_TRY(make_views(context, arena, plan, made));
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

const onefold_model_info *onefold_model_describe(const onefold_model *model)
{
    return model ? &model->info : NULL;
}
