/* SPDX-License-Identifier: Apache-2.0 */
/* Models: made from the outcome of a fit, and checked when read. */
#include "model/model.h"
#include "base/comm.h"
#include "base/status.h"
#include "base/team.h"
#include "kernel/kernel.h"
#include "method/base_stage.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- the model of a fit -------------------------------------------------------------------- */

/* The rule, with copies of its projections. A new sample has a column of a graph or kernel for each
 * training sample; the columns of training samples that lack the view are dropped. */
static onefold_status make_rule(of_arena *arena, const of_dataset *dataset,
                                const of_outcome *outcome, of_rule *rule)
{
    const of_rule *from = &outcome->rule;
    of_projection *projections;
    *rule = *from;
    OF_TRY(OF_NEW(arena, &rule->source, from->sources, 1));
    OF_TRY(OF_NEW(arena, &projections, from->sources, 1));
    for (size_t s = 0; s < from->sources; s++) {
        of_projection *p = &projections[s];
        size_t view = from->source[s].view, count = 0;
        uint32_t *kept;
        *p = *from->source[s].projection;
        rule->source[s] = from->source[s];
        rule->source[s].projection = p;
        if (!of_kernel_is_square(p->kernel) || !of_present_missing(dataset, view))
            continue;
        OF_TRY(OF_NEW(arena, &kept, p->samples, 1));
        for (size_t j = 0; j < dataset->samples && !of_counts(arena->context); j++)
            if (of_present_at(dataset, j, view))
                kept[count++] = (uint32_t)j;
        p->prep.kept = kept;
        p->raw_columns = dataset->samples;
    }
    return ONEFOLD_OK;
}

/* The values that replace missing ones of new samples: each column's mean or median (`impute`) over
 * the training samples that have the view. Imputed values count, and do not change it. */
static onefold_status keep_fill(of_context *context, of_arena *arena, const of_kernel *kernel,
                                onefold_impute impute, const double **fill)
{
    const of_prep *prep = &kernel->prep;
    size_t d = kernel->view->columns;
    double *made, *unused;
    *fill = NULL;
    if (of_kernel_is_square(kernel->kind))
        return ONEFOLD_OK;
    OF_TRY(OF_NEW_ZERO(arena, &made, d, 1));
    *fill = made;
    OF_COUNTED(context);
    if (impute == ONEFOLD_IMPUTE_MEDIAN)
        return of_gaps_medians(context, kernel->view, made);
    if (prep->shift) { /* dense views: means of the kept columns */
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
        char *name;
        OF_TRY(of_arena_string(arena, &name, "%s", view->name));
        views[i] = (of_model_view){.name = name,
                                   .storage = view->storage,
                                   .kernel = kernel,
                                   .raw_columns = of_kernel_is_square(kernel) ? dataset->samples
                                                                              : view->columns};
        OF_TRY(keep_fill(context, arena, &plan->kernels[i], model->info.impute, &views[i].fill));
        if (view->column_names && view->storage != OF_KERNEL && !of_kernel_is_links(kernel))
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

/* The weight of a view: its share of the joint partitions, all of which add up to 1; without
 * weights of terms, the root of the sum of beta^2 over its partitions. */
static double weight_of(const of_rule *rule, size_t view)
{
    double square = 0;
    int shares = 0;
    for (size_t b = 0; b < rule->parts; b++) {
        const of_rule_part *part = &rule->part[b];
        double own = 0, all = 0;
        for (size_t t = 0; t < part->terms; t++) {
            double weight = of_rule_weight(part, t);
            own += rule->source[part->source[t]].view == view ? weight : 0;
            all += weight;
        }
        shares |= part->weight != NULL;
        square += all > 0 ? rule->beta[b] * rule->beta[b] * own / all : 0;
    }
    return shares ? square : sqrt(square);
}

/* The public description of a view: its first source, and the bytes of all. */
static onefold_model_view_info describe_view(const onefold_model *model, size_t view)
{
    const of_model_view *mine = &model->view[view];
    const of_rule *rule = &model->rule;
    onefold_model_view_info shown = {
        .name = mine->name,
        .storage = mine->storage,
        .kernel = of_kernel_name(mine->kernel),
        .columns = mine->raw_columns,
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

/* Computes what follows from the rule of a model that was made or read: its public description. */
static onefold_status model_finish(of_arena *arena, onefold_model *model)
{
    onefold_model_view_info *shown;
    of_rule_finish(&model->rule);
    OF_TRY(OF_NEW_ZERO(arena, &shown, model->info.views, 1));
    model->info.dims = model->rule.dims;
    model->info.run = model->run_text;
    for (size_t i = 0; i < model->info.views; i++) {
        shown[i] = describe_view(model, i);
        if (!of_counts(arena->context))
            shown[i].weight = weight_of(&model->rule, i);
        model->info.holds_samples |= shown[i].holds_samples;
    }
    OF_TRY(OF_LIST(arena, &model->info.view, shown, model->info.views));
    return of_model_size(model, &model->info.bytes);
}

onefold_status of_model_make(of_context *context, of_arena *arena, const of_fit_plan *plan,
                             const of_outcome *outcome, onefold_model **model)
{
    const onefold_fit_options *options = &plan->options;
    onefold_model *made;
    OF_TRY(OF_NEW_ZERO(arena, &made, 1, 1));
    made->arena = of_arena_make(context);
    made->info.version = ONEFOLD_VERSION;
    made->info.samples = outcome->sampled ? outcome->sampled : plan->problem.dataset->samples;
    made->info.views = plan->problem.dataset->view_count;
    made->info.clusters = options->clusters;
    made->info.seed = options->seed;
    made->info.precision = options->precision;
    made->info.impute = plan->problem.dataset->impute == ONEFOLD_IMPUTE_MEDIAN &&
                                !of_comm_splits(context, plan->problem.dataset->samples)
                            ? ONEFOLD_IMPUTE_MEDIAN
                            : ONEFOLD_IMPUTE_MEAN;
    OF_TRY(make_rule(arena, plan->problem.dataset, outcome, &made->rule));
    OF_TRY(make_views(context, arena, plan, made));
    if (outcome->sampled && !of_counts(context))
        OF_TRY(of_model_step(context, arena, made, plan->problem.dataset));
    OF_TRY(model_finish(arena, made));
    *model = made;
    return ONEFOLD_OK;
}

void onefold_model_free(onefold_model *model)
{
    of_object_free(model);
}

const onefold_model_info *onefold_model_describe(const onefold_model *model)
{
    return model ? &model->info : NULL;
}

/* ---- checks of a model that was read ---------------------------------------------------------
 *
 * A file may contain any numbers. After these checks, no sample leads outside of an array, to a
 * division by zero, or to NaN.
 */

static int all_at_least(const double *number, size_t count, double least)
{
    for (size_t i = 0; i < count; i++)
        if (!(number[i] >= least))
            return 0;
    return 1;
}

/* The kept columns, their shift and scale suit the kernel. */
static int prep_suits(const of_projection *p)
{
    const of_prep *prep = &p->prep;
    int standardised = prep->kind == OF_PREP_STANDARDISE, tfidf = prep->kind == OF_PREP_TFIDF,
        distances = of_kernel_has_distances(p->kernel);
    return (prep->kept ? standardised || of_kernel_is_square(p->kernel)
                       : prep->columns == p->raw_columns) &&
           (standardised || tfidf) == (prep->scale != NULL) &&
           (!prep->scale || all_at_least(prep->scale, prep->columns, 0)) &&
           (!prep->shift || (standardised && !p->sparse)) &&
           /* also a linear kernel, within a subspace graph or in a joint kernel */
           (standardised == distances || of_kernel_is_plain(p->kernel)) &&
           (!tfidf || (of_kernel_has_unit_length(p->kernel) && p->sparse));
}

/* Ties of a graph view, or to landmarks among features or components. */
static int ties_suit(const of_projection *p)
{
    const of_projection *inner = p->inner;
    if (of_kernel_stands_for_auto(p->kernel) || of_kernel_is_given(p->kernel) ||
        !all_at_least(p->degree, p->points, 0))
        return 0;
    if (of_kernel_is_links(p->kernel)) /* samples are landmarks, with one more for all */
        return !inner && p->sparse && p->points == p->samples + 1 && p->common > 0;
    if (p->neighbours < 1)
        return 0;
    return inner ? p->at && p->graph == OF_KERNEL_SUBSPACE && inner->samples == p->samples &&
                       inner->raw_columns == p->raw_columns
                 : p->sparse == (p->at == NULL) && (!p->sparse || p->sparse_at.start);
}

/* A kernel with its form of projection. */
static int kernel_suits(const of_projection *p)
{
    int distances = of_kernel_has_distances(p->kernel), given = of_kernel_is_given(p->kernel),
        graph = of_kernel_is_links(p->kernel);
    return !of_kernel_stands_for_auto(p->kernel) && distances == (p->form == OF_PROJECT_POINTS) &&
           given == (p->form == OF_PROJECT_ROWS) &&
           (!(graph || given) || (p->columns == p->samples && p->sparse == graph)) &&
           (!distances || ((p->at || p->sparse) && p->columns > 0 && p->scale > 0)) &&
           (!given || all_at_least(p->sample_scale, p->samples, 0));
}

static int projection_suits(const of_projection *p)
{
    return prep_suits(p) && (p->form == OF_PROJECT_TIES ? ties_suit(p) : kernel_suits(p)) &&
           all_at_least(p->value, p->rank, DBL_TRUE_MIN) && p->floor >= 0 &&
           (!p->inner || projection_suits(p->inner));
}

/* The rows exist in the sources of all terms, whose forms suit the join. */
static int part_suits(const of_rule *rule, const of_rule_part *part)
{
    int suits = part->rank + (rule->constant != 0) <= rule->dims &&
                all_at_least(part->value, part->rank, DBL_TRUE_MIN) &&
                (part->join != OF_JOIN_ONE || part->terms == 1) &&
                (!part->weight || all_at_least(part->weight, part->terms, 0));
    for (size_t t = 0; suits && t < part->terms; t++) {
        const of_projection *p = rule->source[part->source[t]].projection;
        int ties = p->form == OF_PROJECT_TIES;
        suits = part->row[t] <= p->rank && part->rank <= p->rank - part->row[t] &&
                (part->join == OF_JOIN_ONE || ties == (part->join == OF_JOIN_TIES));
    }
    return suits;
}

static onefold_status refuse(const char *what, size_t index)
{
    return of_hint(of_fail(ONEFOLD_BAD_DATA, "the model is inconsistent: %s %zu contradicts itself",
                           what, index + 1),
                   "fit it again");
}

static double largest(const double *number, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, fabs(number[i]));
    return most;
}

/* The first part by which the matrices from partitions to scores, or the sum of squared weights,
 * could be too large for a number; `parts`: none. */
static size_t overflowing_part(const of_rule *rule, size_t clusters)
{
    size_t k = rule->dims, b = 0;
    double centre = largest(rule->C, k * clusters), squares = 0;
    for (; b < rule->parts; b++) {
        squares += rule->beta[b] * rule->beta[b];
        if (!isfinite(squares) || !isfinite((double)k * rule->beta[b] * fmax(centre, 1) *
                                            fmax(largest(rule->W + b * k * k, k * k), 1)))
            break;
    }
    return b;
}

/* Refuses a model whose parts contradict each other. */
static onefold_status model_check(const onefold_model *model)
{
    const of_rule *rule = &model->rule;
    for (size_t i = 0; i < model->info.views; i++)
        if (model->view[i].fill && of_kernel_is_square(model->view[i].kernel))
            return refuse("view", i);
    for (size_t s = 0; s < rule->sources; s++) {
        const of_projection *p = rule->source[s].projection;
        const of_model_view *view = &model->view[rule->source[s].view];
        int square = of_kernel_is_square(p->kernel) || of_kernel_is_square(view->kernel);
        if (p->raw_columns != view->raw_columns || (square && p->kernel != view->kernel) ||
            !projection_suits(p))
            return refuse("projection", s);
    }
    size_t overflows = overflowing_part(rule, model->info.clusters);
    if (overflows < rule->parts)
        return refuse("partition", overflows);
    for (size_t b = 0; b < rule->parts; b++)
        if (!(rule->beta[b] >= 0) || !part_suits(rule, &rule->part[b]))
            return refuse("partition", b);
    return ONEFOLD_OK;
}

onefold_status of_rule_prepare(of_arena *arena, onefold_precision precision, of_rule *rule)
{
    for (size_t i = 0; i < rule->sources; i++) {
        of_projection *p = (of_projection *)(uintptr_t)rule->source[i].projection;
        p->precision = precision;
        OF_TRY(of_projection_prepare(arena, p));
        if (p->inner)
            OF_TRY(of_projection_prepare(arena, (of_projection *)(uintptr_t)p->inner));
    }
    of_rule_finish(rule);
    return ONEFOLD_OK;
}

onefold_status of_model_complete(of_arena *arena, onefold_model *model)
{
    OF_TRY(model_check(model));
    OF_TRY(of_rule_prepare(arena, model->info.precision, &model->rule));
    return model_finish(arena, model);
}
