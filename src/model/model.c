/* SPDX-License-Identifier: Apache-2.0 */
/* Models: made of what a fit found, and what the parts of one must be to each other. */
#include "model/model.h"
#include "base/comm.h"
#include "base/status.h"
#include "base/team.h"
#include "data/dataset.h"
#include "data/gaps.h"
#include "kernel/prep.h"
#include "method/base_stage.h"
#include "model/fit.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- what a model is made of --------------------------------------------------------------- */

/* The rule, with projections of its own. A graph or kernel is over the training samples that have
 * the view: of the columns that a new sample brings, one for each training sample, only theirs
 * count. */
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
        for (size_t j = 0; j < dataset->samples; j++)
            if (of_present_at(dataset, j, view))
                kept[count++] = (uint32_t)j;
        p->prep.kept = kept;
        p->raw_columns = dataset->samples;
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
    if (of_kernel_is_square(kernel->kind))
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
        char *name;
        OF_TRY(of_arena_string(arena, &name, "%s", view->name));
        views[i] = (of_model_view){.name = name,
                                   .storage = view->storage,
                                   .kernel = kernel,
                                   .raw_columns = of_kernel_is_square(kernel) ? dataset->samples
                                                                              : view->columns};
        OF_TRY(keep_fill(context, arena, &plan->kernels[i], model->info.impute, &views[i].fill));
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

/* What is computed of a model that was made or read: bytes, and what is shown. */
static onefold_status model_finish(of_arena *arena, onefold_model *model)
{
    onefold_model_view_info *shown;
    of_rule_finish(&model->rule);
    OF_TRY(OF_NEW_ZERO(arena, &shown, model->info.views, 1));
    model->info.dims = model->rule.dims;
    model->info.run = model->run_text;
    for (size_t i = 0; i < model->info.views; i++) {
        shown[i] = show_view(model, i);
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
    if (outcome->sampled)
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

/* What the parts of a model must be to each other. A file may have any numbers in it; past this, no
 * sample can lead outside of an array, divide by zero or come out as NaN. */

static int all_from(const double *number, size_t count, double least)
{
    for (size_t i = 0; i < count; i++)
        if (!(number[i] >= least))
            return 0;
    return 1;
}

/* Something that must not be, and the sentence for it. */
typedef struct wrong {
    int is;
    const char *sentence;
} wrong;

static onefold_status refuse_first(const wrong *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].is)
            return of_code_refuse(list[i].sentence);
    return ONEFOLD_OK;
}
#define REFUSE_FIRST(list) refuse_first(list, sizeof(list) / sizeof *(list))

static onefold_status check_projection(const of_projection *p)
{
    const of_prep *prep = &p->prep;
    const of_projection *inner = p->inner;
    int standardised = prep->kind == OF_PREP_STANDARDISE, tfidf = prep->kind == OF_PREP_TFIDF,
        rbf = p->kernel == OF_KERNEL_RBF, given = p->kernel == OF_KERNEL_PRECOMPUTED,
        graph = p->kernel == OF_KERNEL_GRAPH, ties = p->form == OF_PROJECT_TIES,
        plain = ties && !graph && !inner, own = !ties; /* a kernel of its own, or a graph's ties */
    const wrong list[] = {
        {!prep->kept && prep->columns != p->raw_columns,
         "columns are dropped, and it does not say which"},
        {prep->kept && !standardised && !graph && !given, "the kept columns are out of order"},
        {(standardised || tfidf) != (prep->scale != NULL),
         "columns are scaled, and it does not say how"},
        {prep->shift && (!standardised || p->sparse), "columns are shifted that must not be"},
        /* of a linear kernel too: components that another takes, or a joint kernel */
        {standardised != rbf && p->kernel != OF_KERNEL_LINEAR,
         "an rbf kernel goes with standardised columns"},
        {tfidf && (p->kernel != OF_KERNEL_COSINE || !p->sparse),
         "tf-idf goes with a cosine kernel"},
        {prep->scale && !all_from(prep->scale, prep->columns, 0), "a column has a negative scale"},
        {ties && (p->kernel == OF_KERNEL_AUTO || given), "a landmark graph is over another kernel"},
        {ties && graph && (!p->sparse || p->points != p->samples + 1 || !(p->common > 0)),
         "a graph has other landmarks than its samples"},
        {ties && !graph && p->neighbours < 1, "a sample has no neighbours"},
        {ties && !all_from(p->degree, p->points, 0), "a landmark has a negative degree"},
        {ties && inner && (graph || !p->at || p->graph != OF_KERNEL_SUBSPACE),
         "components are compared with other landmarks"},
        {ties && inner && (inner->samples != p->samples || inner->raw_columns != p->raw_columns),
         "components are of other samples"},
        {plain && p->sparse != (p->at == NULL), "features are held against other landmarks"},
        {plain && p->sparse && !p->sparse_at.start, "there are no landmarks"},
        {own && (p->kernel == OF_KERNEL_AUTO || rbf != (p->form == OF_PROJECT_POINTS) ||
                 given != (p->form == OF_PROJECT_ROWS)),
         "a kernel goes with another form of projection"},
        {own && (graph || given) && p->columns != p->samples, "a graph or kernel is not square"},
        {own && ((graph && !p->sparse) || (given && p->sparse)),
         "a graph or kernel has other features"},
        {own && rbf && !p->at && !p->sparse, "dense features are held against sparse points"},
        {own && rbf && p->columns == 0, "an rbf kernel has no column"},
        {own && rbf && !(p->scale > 0), "an rbf kernel has no width"},
        {p->form == OF_PROJECT_ROWS && !all_from(p->sample_scale, p->samples, 0),
         "a kernel has negative scales"},
        {!all_from(p->value, p->rank, DBL_TRUE_MIN), "an eigenvalue is not positive"},
        {!(p->floor >= 0), "the least length is negative"},
    };
    OF_TRY(REFUSE_FIRST(list));
    return inner ? check_projection(inner) : ONEFOLD_OK;
}

/* Rows that its terms have, and forms that go together. */
static onefold_status check_part(const of_rule *rule, const of_rule_part *part)
{
    const wrong list[] = {
        {part->rank + (rule->constant != 0) > rule->dims,
         "a partition has more rows than there are dims"},
        {!all_from(part->value, part->rank, DBL_TRUE_MIN), "an eigenvalue is not positive"},
        {part->join == OF_JOIN_ONE && part->terms != 1,
         "a view's own partition is of several views"},
        {part->weight && !all_from(part->weight, part->terms, 0),
         "a weight is negative, or no number"}};
    OF_TRY(REFUSE_FIRST(list));
    for (size_t t = 0; t < part->terms; t++) {
        const of_projection *p = rule->source[part->source[t]].projection;
        int ties = p->form == OF_PROJECT_TIES;
        if (part->row[t] > p->rank || part->rank > p->rank - part->row[t])
            return of_code_refuse("a partition has rows that its projection lacks");
        if (part->join != OF_JOIN_ONE && ties != (part->join == OF_JOIN_TIES))
            return of_code_refuse("kernels are joined with graphs");
    }
    return ONEFOLD_OK;
}

/* Refuses a model whose parts contradict each other. */
static onefold_status model_check(const onefold_model *model)
{
    const of_rule *rule = &model->rule;
    if (!all_from(rule->beta, rule->parts, 0))
        return of_code_refuse("a partition has a negative weight");
    for (size_t i = 0; i < model->info.views; i++)
        if (model->view[i].fill && of_kernel_is_square(model->view[i].kernel))
            return of_code_refuse("links or kernels are filled in");
    for (size_t s = 0; s < rule->sources; s++) {
        const of_projection *p = rule->source[s].projection;
        const of_model_view *view = &model->view[rule->source[s].view];
        const wrong list[] = {
            {p->raw_columns != view->raw_columns, "a projection has other columns than its view"},
            {(p->kernel == OF_KERNEL_PRECOMPUTED) != (view->kernel == OF_KERNEL_PRECOMPUTED) ||
                 (p->kernel == OF_KERNEL_GRAPH) != (view->kernel == OF_KERNEL_GRAPH),
             "a projection is of another kernel than its view"}};
        OF_TRY(REFUSE_FIRST(list));
        OF_TRY(check_projection(p));
    }
    for (size_t b = 0; b < rule->parts; b++)
        OF_TRY(check_part(rule, &rule->part[b]));
    return ONEFOLD_OK;
}

onefold_status of_model_complete(of_arena *arena, onefold_model *model)
{
    OF_TRY(model_check(model));
    for (size_t i = 0; i < model->rule.sources; i++) {
        of_projection *p = (of_projection *)(uintptr_t)model->rule.source[i].projection;
        p->precision = model->info.precision;
        OF_TRY(of_projection_prepare(arena, p));
        if (p->inner)
            OF_TRY(of_projection_prepare(arena, (of_projection *)(uintptr_t)p->inner));
    }
    return model_finish(arena, model);
}

/* What keeping a model takes, from shapes alone: its arrays, and reading the labels off through
 * it. */

/* Bytes a block of the predictor may take of each worker (predict.c). */
static const size_t BLOCK = (size_t)4 << 20;

/* Bytes of a view, or of the file, that are no arrays; a name of usual length among them. */
enum { PLAIN = 280 };

onefold_status of_model_estimate_bytes(of_context *context, const of_problem *problem,
                                       const of_rule *rule, size_t *file, size_t *held)
{
    size_t views = problem->dataset->view_count, k = rule->dims,
           numbers = rule->parts * (k * k + 1) + k * problem->options->clusters;
    for (size_t b = 0; b < rule->parts; b++)
        numbers += 1 + rule->part[b].rank + 2 * rule->part[b].terms;
    OF_TRY(of_size_multiply(file, numbers, sizeof(double)));
    for (size_t s = 0; s < rule->sources; s++)
        OF_TRY(of_size_add(file, *file, of_projection_bytes(rule->source[s].projection)));
    for (size_t i = 0; i < views; i++) {
        const of_kernel *kernel = &problem->kernels[i];
        const of_view *view = &problem->dataset->views[i];
        size_t bytes = PLAIN;
        for (size_t c = 0; view->column_names && c < view->columns; c++)
            bytes += 4 + strlen(view->column_names[c]); /* each with its length before it */
        if (!of_kernel_is_square(kernel->kind))
            OF_TRY(of_size_add(&bytes, bytes, kernel->view->columns * sizeof(double)));
        OF_TRY(of_size_add(file, *file, bytes));
    }
    *held = (size_t)of_team_size(context) * BLOCK +
            problem->dataset->samples * sizeof(double); /* distances */
    return ONEFOLD_OK;
}
