/* SPDX-License-Identifier: Apache-2.0 */
/* The views and columns of new data in the order of the model: dense columns are picked when they
 * are read, sparse ones are copied. */
#include "data/dataset.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- matching columns by name ---------------------------------------------------------------- */

/* The columns of a view of the data, matched with those of the model's view. */
typedef struct match {
    int named;             /* both have names, and those of the model are unique and not empty */
    size_t *from;          /* model's columns: index in the data; SIZE_MAX: missing there */
    size_t *to;            /* data's columns: index in the model; SIZE_MAX: missing there */
    size_t missing, extra; /* numbers of SIZE_MAX in `from` and in `to` */
    const char *twin;      /* a name that the data has twice, or NULL */
} match;

static onefold_status find_names(of_arena *arena, const char *const *names, size_t count,
                                 const of_name_index *index, size_t **place, size_t *missing)
{
    OF_TRY(OF_NEW(arena, place, count, 1));
    *missing = 0;
    for (size_t i = 0; i < count; i++) {
        (*place)[i] = of_name_index_find(index, names[i]);
        *missing += (*place)[i] == SIZE_MAX;
    }
    return ONEFOLD_OK;
}

static onefold_status match_columns(of_arena *arena, const of_model_view *mine, const of_view *view,
                                    match *made)
{
    OF_SCRATCH(scratch, arena->context);
    of_name_index model, data;
    *made = (match){0};
    if (!mine->column_names || !view->column_names || view->storage == OF_KERNEL ||
        of_kernel_is_square(mine->kernel))
        return ONEFOLD_OK;
    OF_TRY(of_name_index_make(&scratch, mine->column_names, mine->raw_columns, &model));
    OF_TRY(of_name_index_make(&scratch, view->column_names, view->columns, &data));
    made->named = model.repeated == 0 && model.empty == 0;
    made->twin = data.repeated ? view->column_names[data.first_twin] : NULL;
    OF_TRY(find_names(arena, mine->column_names, mine->raw_columns, &data, &made->from,
                      &made->missing));
    return find_names(arena, view->column_names, view->columns, &model, &made->to, &made->extra);
}

/* "a, b, c, d, ...": the names whose place is SIZE_MAX. */
static void list_names(const char *const *names, size_t count, const size_t *place, char list[256])
{
    size_t listed = 0, used = 0;
    list[0] = '\0';
    for (size_t i = 0; i < count && listed <= 4; i++)
        if (place[i] == SIZE_MAX && ++listed)
            used += (size_t)snprintf(list + used, 56, "%s%.48s", used ? ", " : "",
                                     listed > 4 ? "..." : names[i]);
}

/* ---- matching views -------------------------------------------------------------------------- */

/* Matches views by their names where all of the data are in the model, else by names of columns.
 * place[i] is the data's view for the model's view i; SIZE_MAX: none. */
static onefold_status find_views(of_context *context, const onefold_model *model,
                                 const of_dataset *dataset, size_t *place, int *all)
{
    for (int by_columns = 0; by_columns < 2; by_columns++) {
        size_t placed = 0;
        for (size_t i = 0; i < model->info.views; i++)
            place[i] = SIZE_MAX;
        for (size_t v = 0; v < dataset->view_count; v++) {
            const of_view *view = &dataset->views[v];
            size_t at = SIZE_MAX, same = 0;
            for (size_t i = 0; !by_columns && i < model->info.views; i++)
                if (strcmp(model->view[i].name, view->name) == 0)
                    at = same++ ? SIZE_MAX : i; /* the name must be unique */
            for (size_t i = 0; by_columns && at == SIZE_MAX && i < model->info.views; i++) {
                OF_SCRATCH(scratch, context);
                match columns;
                OF_TRY(match_columns(&scratch, &model->view[i], view, &columns));
                if (place[i] == SIZE_MAX && columns.named && !columns.missing)
                    at = i;
            }
            if (at == SIZE_MAX || place[at] != SIZE_MAX)
                continue;
            place[at] = v;
            placed++;
        }
        *all = placed == dataset->view_count;
        if (*all)
            return ONEFOLD_OK;
    }
    return ONEFOLD_OK;
}

/* Matches views by names, or else by order where the numbers of views are equal. *in_order: every
 * view has its own index. */
static onefold_status model_place_views(of_context *context, const onefold_model *model,
                                        const of_dataset *dataset, size_t *place, int *in_order)
{
    int all;
    *in_order = dataset->view_count == model->info.views;
    OF_TRY(find_views(context, model, dataset, place, &all));
    if (!all && !*in_order)
        return of_hint(
            of_fail(ONEFOLD_BAD_DATA,
                    "the data has %zu view%s, the model %zu, and they cannot be matched by name",
                    dataset->view_count, dataset->view_count == 1 ? "" : "s", model->info.views),
            "name the files as those that the model was fitted on; `views` picks some of "
            "them");
    for (size_t i = 0; i < model->info.views; i++) {
        place[i] = all ? place[i] : i;
        *in_order = *in_order && place[i] == i;
    }
    return ONEFOLD_OK;
}

/* A view that no sample has: one NaN for all entries, or no sparse entries. */
static onefold_status make_absent(of_arena *arena, const of_model_view *mine, size_t samples,
                                  of_view *view)
{
    static const double nothing = NAN;
    static const uint32_t nowhere = 0;
    size_t *start;
    *view = (of_view){.name = mine->name,
                      .storage = OF_DENSE,
                      .samples = samples,
                      .columns = mine->raw_columns,
                      .type = OF_F64,
                      .data = &nothing};
    if (mine->storage != OF_SPARSE)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW_ZERO(arena, &start, samples + 1, 1));
    view->storage = OF_SPARSE;
    view->sparse = (of_sparse){samples, mine->raw_columns, start, &nowhere, &nothing};
    return ONEFOLD_OK;
}

/* ---- picking columns ------------------------------------------------------------------------- */

typedef struct picked {
    of_view_source values; /* first: a pointer to it points to the struct */
    of_context *context;
    const of_view *view;
    const size_t *from; /* column i is column from[i] of the view */
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

static onefold_status pick_sparse(of_arena *arena, const of_view *view, const size_t *from,
                                  of_view *made)
{
    OF_SCRATCH(scratch, arena->context);
    of_sparse turned, taken;
    OF_TRY(of_sparse_transpose(&scratch, &view->sparse, &turned));
    OF_TRY(of_sparse_take_rows(&scratch, &turned, from, made->columns, &taken));
    made->type = OF_F64;
    return of_sparse_transpose(arena, &taken, &made->sparse);
}

/* The view with the model's columns in their order, where both have names. */
static onefold_status order_columns(of_context *context, of_arena *arena, const of_model_view *mine,
                                    const of_view *view, of_view *made)
{
    size_t columns = mine->raw_columns;
    match by;
    char list[256];
    *made = *view;
    OF_TRY(match_columns(arena, mine, view, &by));
    int same = view->columns == columns && !by.twin;
    for (size_t i = 0; by.named && same && i < columns; i++)
        same = by.from[i] == i;
    if (!by.named || same)
        return ONEFOLD_OK;
    list_names(mine->column_names, columns, by.from, list);
    if (by.missing)
        return of_hint(
            of_fail(ONEFOLD_BAD_DATA,
                    "view '%s' lacks %zu of the %zu columns that the model's view '%s' has: %s",
                    view->name, by.missing, columns, mine->name, list),
            "give the columns the model was fitted on, under the same names; a table "
            "without a header is taken by the order of its columns");
    if (by.twin)
        return of_fail(ONEFOLD_BAD_DATA,
                       "view '%s' has two columns named \"%.60s\", and its columns are not in the "
                       "model's order",
                       view->name, by.twin);
    made->columns = columns;
    made->column_names = mine->column_names;
    of_context_log(context, "view '%s': columns are matched by name; %zu are ignored", view->name,
                   view->columns - columns);
    return view->storage == OF_SPARSE ? pick_sparse(arena, view, by.from, made)
                                      : pick_dense(context, arena, view, by.from, made);
}

onefold_status of_model_order(of_context *context, of_arena *arena, const onefold_model *model,
                              const of_dataset *dataset, const of_dataset **ordered)
{
    size_t *place, n = dataset->samples, p = model->info.views;
    int in_order;
    of_dataset *made;
    OF_TRY(OF_NEW(arena, &place, p, 1));
    OF_TRY(model_place_views(context, model, dataset, place, &in_order));
    OF_TRY(OF_NEW(arena, &made, 1, 1));
    *made = *dataset;
    made->view_count = p;
    OF_TRY(OF_NEW(arena, &made->views, p, 1));
    if (!in_order)
        OF_TRY(OF_NEW(arena, &made->present, n, p));
    for (size_t i = 0; i < p; i++) {
        int found = place[i] != SIZE_MAX;
        OF_TRY(found ? order_columns(context, arena, &model->view[i], &dataset->views[place[i]],
                                     &made->views[i])
                     : make_absent(arena, &model->view[i], n, &made->views[i]));
        for (size_t j = 0; !in_order && j < n; j++)
            made->present[j * p + i] = found && of_present_at(dataset, j, place[i]) != 0;
    }
    *ordered = made;
    return ONEFOLD_OK;
}

/* ---- remarks ------------------------------------------------------------------------------- */

onefold_status onefold_model_remarks(char **text, const onefold_model *model,
                                     const onefold_dataset *dataset)
{
    if (!text || !model || !dataset)
        return of_fail(ONEFOLD_USAGE, "remarks need a place for them, a model and a data set");
    const of_dataset *set = &dataset->set;
    of_context *context = set->arena.context;
    OF_SCRATCH(scratch, context);
    char *all = "";
    size_t *place;
    int in_order;
    OF_TRY(OF_NEW(&scratch, &place, model->info.views, 1));
    /* views that cannot be matched are refused by the prediction */
    int fits = model_place_views(context, model, set, place, &in_order) == ONEFOLD_OK;
    for (size_t i = 0; fits && i < model->info.views; i++) {
        const char *between = *all ? "\n" : "";
        match by;
        char list[256];
        if (place[i] == SIZE_MAX) {
            OF_TRY(of_arena_string(&scratch, &all,
                                   "%s%sview '%s' is not there: samples are labelled without it",
                                   all, between, model->view[i].name));
            continue;
        }
        const of_view *view = &set->views[place[i]];
        OF_TRY(match_columns(&scratch, &model->view[i], view, &by));
        if (!by.named || !by.extra)
            continue;
        list_names(view->column_names, view->columns, by.to, list);
        OF_TRY(of_arena_string(&scratch, &all,
                               "%s%s%s: %zu column%s that the model does not have %s ignored: %s",
                               all, between, view->name, by.extra, by.extra == 1 ? "" : "s",
                               by.extra == 1 ? "is" : "are", list));
    }
    char *copy = strdup(all);
    if (!copy)
        return of_fail(ONEFOLD_NO_MEMORY, "there is no memory for the remarks");
    *text = copy;
    return ONEFOLD_OK;
}
