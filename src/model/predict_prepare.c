/* SPDX-License-Identifier: Apache-2.0 */
/* Before new samples are labelled: whether the views fit the model's, and what a predictor holds.
 */
#include "data/name_index.h"
#include "data/present.h"
#include "linalg/blas.h"
#include "method/missing_scale.h"
#include "model/model.h"
#include "model/predict.h"

#include <stdio.h>
#include <string.h>

/* Views whose columns are picked from those of another: dense ones as they are read, sparse ones by
 * a copy. */

/* ---- dense -------------------------------------------------------------------------------- */

typedef struct picked {
    of_view_source values; /* first, so that one is the other */
    of_context *context;
    const of_view *view;
    const size_t *from; /* column i is this one of the view's */
    size_t columns;
} picked;

static onefold_status read_picked(const of_view_source *values, size_t first, size_t count,
                                  double *out, size_t ldo)
{
    const picked *source = (const picked *)values;
    OF_SCRATCH(scratch, source->context);
    size_t width = source->view->columns;
    double *room;
    OF_TRY(OF_NEW(&scratch, &room, width, count));
    OF_TRY(of_view_read(source->view, first, count, room, width));
    for (size_t j = 0; j < count; j++)
        for (size_t i = 0; i < source->columns; i++)
            out[j * ldo + i] = room[j * width + source->from[i]];
    return ONEFOLD_OK;
}

static void release_picked(const of_view_source *values, size_t first, size_t count)
{
    of_view_release(((const picked *)values)->view, first, count);
}

static onefold_status pick_dense(of_context *context, of_arena *arena, const of_view *view,
                                 const size_t *from, of_view *made)
{
    picked *source;
    OF_TRY(OF_NEW_ZERO(arena, &source, 1, 1));
    *source = (picked){.values = {read_picked, release_picked},
                       .context = context,
                       .view = view,
                       .from = from,
                       .columns = made->columns};
    made->data = NULL;
    made->type = OF_F64;
    made->passing = 1;
    made->source = &source->values;
    return ONEFOLD_OK;
}

/* ---- sparse ------------------------------------------------------------------------------- */

/* Transposed twice, the columns rise again. */
static onefold_status pick_sparse(of_arena *arena, const of_view *view, const size_t *from,
                                  of_view *made)
{
    OF_SCRATCH(scratch, arena->context);
    const of_csr *held = &view->sparse;
    size_t entries = of_csr_entries(held), *start, kept = 0, *place;
    uint32_t *index;
    double *value;
    of_sparse rows, columns, sorted;
    OF_TRY(OF_NEW(&scratch, &place, view->columns, 1));
    OF_TRY(OF_NEW(&scratch, &start, held->rows + 1, 1));
    OF_TRY(OF_NEW(&scratch, &index, entries, 1));
    OF_TRY(OF_NEW(&scratch, &value, entries, 1));
    for (size_t i = 0; i < view->columns; i++)
        place[i] = SIZE_MAX;
    for (size_t i = 0; i < made->columns; i++)
        place[from[i]] = i;
    for (size_t j = 0; j < held->rows; j++) {
        size_t end = of_csr_start(held, j + 1);
        start[j] = kept;
        for (size_t e = of_csr_start(held, j); e < end; e++) {
            size_t at = place[of_csr_index(held, e)];
            if (at == SIZE_MAX)
                continue;
            index[kept] = (uint32_t)at;
            value[kept++] = of_csr_value(held, e);
        }
    }
    start[held->rows] = kept;
    rows = (of_sparse){held->rows, made->columns, start, index, value};
    OF_TRY(of_sparse_transpose(&scratch, &rows, &columns));
    OF_TRY(of_sparse_transpose(arena, &columns, &sorted));
    made->sparse = of_csr_of(&sorted);
    made->type = OF_F64;
    return ONEFOLD_OK;
}

/* ---- by name ------------------------------------------------------------------------------ */

static onefold_status refuse_missing(const of_model_view *mine, const of_view *view,
                                     const of_name_index *index)
{
    char list[256] = "";
    size_t missing = 0, used = 0;
    for (size_t i = 0; i < mine->raw_columns; i++)
        if (of_name_index_find(index, mine->column_names[i]) == SIZE_MAX && missing++ < 4)
            used += (size_t)snprintf(list + used, 56, "%s%.48s", used ? ", " : "",
                                     mine->column_names[i]);
    return of_hint(of_fail(ONEFOLD_BAD_DATA,
                           "view '%s' lacks %zu of the %zu columns that the model's view '%s' has: "
                           "%s%s",
                           view->name, missing, mine->raw_columns, mine->name, list,
                           missing > 4 ? ", ..." : ""),
                   "give the columns the model was fitted on, under the same names; a table "
                   "without a header is taken by the order of its columns");
}

/* Where each of the model's columns is. *same: they are the view's own, in its order. */
static onefold_status find_columns(of_arena *arena, const of_model_view *mine, const of_view *view,
                                   size_t **from, int *same)
{
    OF_SCRATCH(scratch, arena->context);
    size_t columns = mine->raw_columns;
    of_name_index index;
    *same = view->columns == columns;
    for (size_t i = 0; *same && i < columns; i++)
        *same = strcmp(mine->column_names[i], view->column_names[i]) == 0;
    if (*same)
        return ONEFOLD_OK;
    OF_TRY(of_name_index_make(&scratch, view->column_names, view->columns, &index));
    OF_TRY(OF_NEW(arena, from, columns, 1));
    for (size_t i = 0; i < columns; i++) {
        (*from)[i] = of_name_index_find(&index, mine->column_names[i]);
        if ((*from)[i] == SIZE_MAX)
            return refuse_missing(mine, view, &index);
    }
    if (index.repeated)
        return of_fail(ONEFOLD_BAD_DATA,
                       "view '%s' has two columns named \"%.60s\", and its columns are not in the "
                       "model's order",
                       view->name, index.name[index.first_twin]);
    return ONEFOLD_OK;
}

/* Whether columns are matched by name. Names that are there twice in the model, or empty, tell
 * nothing. */
static onefold_status can_be_named(of_context *context, const of_model_view *mine,
                                   const of_view *view, int *can)
{
    OF_SCRATCH(scratch, context);
    of_name_index index;
    *can = mine->column_names && view->column_names && view->storage != OF_KERNEL &&
           mine->kernel != OF_KERNEL_PRECOMPUTED && mine->kernel != OF_KERNEL_GRAPH;
    if (!*can)
        return ONEFOLD_OK;
    OF_TRY(of_name_index_make(&scratch, mine->column_names, mine->raw_columns, &index));
    *can = index.repeated == 0 && index.empty == 0;
    return ONEFOLD_OK;
}

/* The data set with the columns of every view in the order of the model's, where both have names:
 * itself where they are, else one that is from `arena` and reads through it. A column that the
 * model has and the data has not, or has twice, is refused by name; others are passed over. */
static onefold_status model_order_columns(of_context *context, of_arena *arena,
                                          const onefold_model *model, const of_dataset *dataset,
                                          const of_dataset **ordered)
{
    of_dataset *made = NULL;
    *ordered = dataset;
    for (size_t i = 0; i < model->views && dataset->view_count == model->views; i++) {
        const of_model_view *mine = &model->view[i];
        const of_view *view = &dataset->views[i];
        size_t *from;
        int same, named;
        OF_TRY(can_be_named(context, mine, view, &named));
        if (!named)
            continue;
        OF_TRY(find_columns(arena, mine, view, &from, &same));
        if (same)
            continue;
        if (!made) {
            OF_TRY(OF_NEW(arena, &made, 1, 1));
            *made = *dataset;
            OF_TRY(OF_NEW(arena, &made->views, model->views, 1));
            memcpy(made->views, dataset->views, model->views * sizeof *made->views);
            *ordered = made;
        }
        made->views[i].columns = mine->raw_columns;
        made->views[i].column_names = mine->column_names;
        if (view->storage == OF_SPARSE)
            OF_TRY(pick_sparse(arena, view, from, &made->views[i]));
        else
            OF_TRY(pick_dense(context, arena, view, from, &made->views[i]));
        of_context_log(context, "view '%s': columns are matched by name; %zu are passed over",
                       view->name, view->columns - made->views[i].columns);
    }
    return ONEFOLD_OK;
}

/* ---- what is to be said ------------------------------------------------------------------- */

/* The columns of a view that the model does not have: "a, b, ...". */
static onefold_status say_extra(of_arena *arena, const of_model_view *mine, const of_view *view,
                                char **text)
{
    OF_SCRATCH(scratch, arena->context);
    of_name_index index;
    char list[256] = "";
    size_t extra = 0, used = 0;
    OF_TRY(of_name_index_make(&scratch, mine->column_names, mine->raw_columns, &index));
    for (size_t i = 0; i < view->columns; i++)
        if (of_name_index_find(&index, view->column_names[i]) == SIZE_MAX && extra++ < 4)
            used += (size_t)snprintf(list + used, 56, "%s%.48s", used ? ", " : "",
                                     view->column_names[i]);
    if (!extra)
        return ONEFOLD_OK;
    return of_arena_string(arena, text,
                           "%s%s%s: %zu column%s that the model does not have %s passed over: %s%s",
                           *text, **text ? "\n" : "", view->name, extra, extra == 1 ? "" : "s",
                           extra == 1 ? "is" : "are", list, extra > 4 ? ", ..." : "");
}

onefold_status onefold_model_remarks(char **text, const onefold_model *model,
                                     const onefold_dataset *dataset)
{
    if (!text || !model || !dataset)
        return of_fail(ONEFOLD_USAGE, "remarks need a place for them, a model and a data set");
    const of_dataset *set = &dataset->set;
    OF_SCRATCH(scratch, set->arena.context);
    char *all = "";
    for (size_t i = 0; i < model->views && set->view_count == model->views; i++) {
        int named;
        OF_TRY(can_be_named(set->arena.context, &model->view[i], &set->views[i], &named));
        if (named)
            OF_TRY(say_extra(&scratch, &model->view[i], &set->views[i], &all));
    }
    char *copy = strdup(all);
    if (!copy)
        return of_fail(ONEFOLD_NO_MEMORY, "there is no memory for the remarks");
    *text = copy;
    return ONEFOLD_OK;
}

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
    OF_TRY(model_order_columns(context, arena, model, dataset, &dataset));
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
