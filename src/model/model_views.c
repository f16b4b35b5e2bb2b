/* SPDX-License-Identifier: Apache-2.0 */
/* Which view of new data is which of a model's: by their names, by the names of their columns, or
 * in their order. One that is not there is one that every sample lacks. */
#include "model/model_columns.h"

#include "data/dataset.h"

#include <math.h>
#include <string.h>

static size_t view_named(const onefold_model *model, const char *name)
{
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < model->views; i++)
        if (strcmp(model->view[i].name, name) == 0) {
            if (found != SIZE_MAX)
                return SIZE_MAX; /* two are called so */
            found = i;
        }
    return found;
}

/* Whether a view has every column of the model's. */
static onefold_status has_columns(of_context *context, const of_model_view *mine,
                                  const of_view *view, int *has)
{
    OF_SCRATCH(scratch, context);
    of_name_index index;
    *has = mine->column_names && view->column_names && view->columns >= mine->raw_columns;
    if (!*has)
        return ONEFOLD_OK;
    OF_TRY(of_name_index_make(&scratch, view->column_names, view->columns, &index));
    for (size_t c = 0; *has && c < mine->raw_columns; c++)
        *has = of_name_index_find(&index, mine->column_names[c]) != SIZE_MAX;
    return ONEFOLD_OK;
}

/* By names of views where each is one of the model's, else by those of columns. place[i] is the
 * view that the model's i-th is, SIZE_MAX: none. */
static onefold_status find_views(of_context *context, const onefold_model *model,
                                 const of_dataset *dataset, size_t *place, int *found)
{
    for (int by_columns = 0; by_columns < 2; by_columns++) {
        size_t placed = 0;
        for (size_t i = 0; i < model->views; i++)
            place[i] = SIZE_MAX;
        for (size_t v = 0; v < dataset->view_count; v++) {
            const of_view *view = &dataset->views[v];
            size_t at = by_columns ? SIZE_MAX : view_named(model, view->name);
            for (size_t i = 0; by_columns && i < model->views; i++) {
                int has;
                OF_TRY(has_columns(context, &model->view[i], view, &has));
                if (has && place[i] == SIZE_MAX && at == SIZE_MAX)
                    at = i;
            }
            if (at == SIZE_MAX || place[at] != SIZE_MAX)
                continue;
            place[at] = v;
            placed++;
        }
        *found = placed == dataset->view_count;
        if (*found)
            return ONEFOLD_OK;
    }
    return ONEFOLD_OK;
}

onefold_status of_model_place_views(of_context *context, const onefold_model *model,
                                    const of_dataset *dataset, size_t *place, int *in_order)
{
    int found;
    *in_order = dataset->view_count == model->views;
    OF_TRY(find_views(context, model, dataset, place, &found));
    if (!found && !*in_order)
        return of_hint(
            of_fail(ONEFOLD_BAD_DATA,
                    "the data has %zu view%s, the model %zu, and neither their names nor "
                    "those of their columns tell which is which",
                    dataset->view_count, dataset->view_count == 1 ? "" : "s", model->views),
            "name the files as those that the model was fitted on; `views` picks some of "
            "them");
    for (size_t i = 0; i < model->views; i++) {
        place[i] = found ? place[i] : i;
        *in_order = *in_order && place[i] == i;
    }
    return ONEFOLD_OK;
}

/* Nothing but NaN. */
typedef struct nothing {
    of_view_source values; /* first, so that one is the other */
    size_t columns;
} nothing;

static onefold_status read_nothing(const of_view_source *values, size_t first, size_t count,
                                   double *out, size_t ldo)
{
    const nothing *source = (const nothing *)values;
    (void)first;
    for (size_t j = 0; j < count; j++)
        for (size_t i = 0; i < source->columns; i++)
            out[j * ldo + i] = NAN;
    return ONEFOLD_OK;
}

/* A view that no sample has. */
static onefold_status make_absent(of_arena *arena, const of_model_view *mine, size_t samples,
                                  of_view *view)
{
    nothing *source;
    *view = (of_view){.name = mine->name,
                      .storage = mine->storage == OF_SPARSE ? OF_SPARSE : OF_DENSE,
                      .columns = mine->raw_columns,
                      .type = OF_F64};
    view->samples = samples;
    if (view->storage == OF_SPARSE) {
        size_t *start;
        uint32_t *index;
        double *value;
        OF_TRY(OF_NEW_ZERO(arena, &start, samples + 1, 1));
        OF_TRY(OF_NEW_ZERO(arena, &index, 1, 1));
        OF_TRY(OF_NEW_ZERO(arena, &value, 1, 1));
        view->sparse = (of_csr){.rows = samples,
                                .columns = view->columns,
                                .start = start,
                                .index = index,
                                .value = value};
        return ONEFOLD_OK;
    }
    view->sample_step = view->columns;
    view->column_step = 1;
    view->passing = 1;
    OF_TRY(OF_NEW(arena, &source, 1, 1));
    *source = (nothing){{read_nothing, NULL}, view->columns};
    view->source = &source->values;
    return ONEFOLD_OK;
}

onefold_status of_model_order_views(of_context *context, of_arena *arena,
                                    const onefold_model *model, const of_dataset *dataset,
                                    const of_dataset **ordered)
{
    size_t *place, n = dataset->samples, p = model->views;
    int in_order;
    of_dataset *made;
    *ordered = dataset;
    OF_TRY(OF_NEW(arena, &place, p, 1));
    OF_TRY(of_model_place_views(context, model, dataset, place, &in_order));
    if (in_order)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(arena, &made, 1, 1));
    *made = *dataset;
    made->view_count = p;
    OF_TRY(OF_NEW(arena, &made->views, p, 1));
    OF_TRY(OF_NEW(arena, &made->present, n, p));
    for (size_t i = 0; i < p; i++) {
        if (place[i] == SIZE_MAX)
            OF_TRY(make_absent(arena, &model->view[i], n, &made->views[i]));
        else
            made->views[i] = dataset->views[place[i]];
        for (size_t j = 0; j < n; j++)
            made->present[j * p + i] =
                place[i] != SIZE_MAX && of_present_at(dataset, j, place[i]) != 0;
    }
    *ordered = made;
    return ONEFOLD_OK;
}
