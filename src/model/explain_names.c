/* SPDX-License-Identifier: Apache-2.0 */
/* The columns that set each cluster apart, view by view and by name, for the result of a fit. */
#include "data/present.h"
#include "model/explain.h"
#include "model/result.h"

#include <string.h>

int of_explain_is_named(const of_kernel *kernel)
{
    return kernel->view->column_names != NULL && kernel->kind != OF_KERNEL_PRECOMPUTED;
}

/* No more than the widest named view has. */
static size_t most_columns(const of_fit_plan *plan)
{
    size_t widest = 0;
    for (size_t i = 0; i < plan->problem.dataset->view_count; i++) {
        const of_view *view = plan->kernels[i].view;
        if (of_explain_is_named(&plan->kernels[i]) && view->columns > widest)
            widest = view->columns;
    }
    return plan->options.explain < widest ? plan->options.explain : widest;
}

/* The labels of those present in a view, in their order. */
static const int32_t *labels_in(const of_dataset *dataset, size_t view, const int32_t *labels,
                                int32_t *room)
{
    size_t count = 0;
    if (!of_present_missing(dataset, view))
        return labels;
    for (size_t j = 0; j < dataset->samples; j++)
        if (of_present_at(dataset, j, view))
            room[count++] = labels[j];
    return room;
}

/* The name of a column; "column 17" for one that has an empty name among others. */
static onefold_status name_column(of_arena *arena, const of_view *view, size_t index,
                                  const char **name)
{
    const char *own = view->column_names[index];
    char *copy;
    OF_TRY(*own ? of_arena_string(arena, &copy, "%s", own)
                : of_arena_string(arena, &copy, "column %zu", index + 1));
    *name = copy;
    return ONEFOLD_OK;
}

onefold_status of_explain_names(of_context *context, const of_fit_plan *plan, of_outcome *outcome,
                                onefold_result *result)
{
    onefold_fit_info *info = &result->info;
    size_t p = info->views, mu = info->clusters, most = most_columns(plan), places, *count, *all;
    if (!plan->options.explain || plan->options.bare)
        return ONEFOLD_OK;
    OF_SCRATCH(scratch, context);
    of_strong_column *strong;
    onefold_column *column;
    int32_t *room;
    OF_TRY(OF_NEW_ZERO(&scratch, &count, mu, 1));
    OF_TRY(OF_NEW(&scratch, &strong, mu, most));
    OF_TRY(OF_NEW(&scratch, &room, info->samples, 1));
    OF_TRY(OF_NEW_ZERO(&outcome->arena, &all, p, mu));
    OF_TRY(of_size_multiply(&places, most, p));
    OF_TRY(OF_NEW_ZERO(&outcome->arena, &column, places, mu));
    for (size_t i = 0; i < p; i++) {
        const of_kernel *kernel = &plan->kernels[i];
        if (!of_explain_is_named(kernel))
            continue;
        const int32_t *labels = labels_in(plan->problem.dataset, i, outcome->labels, room);
        OF_TRY(of_explain_columns(context, kernel, labels, mu, most, count, strong));
        for (size_t c = 0; c < mu; c++) {
            all[c * p + i] = count[c];
            for (size_t r = 0; r < count[c]; r++) {
                const of_strong_column *it = &strong[c * most + r];
                onefold_column *to = &column[(c * p + i) * most + r];
                OF_TRY(name_column(&outcome->arena, kernel->view, it->index, &to->name));
                to->struct_size = sizeof *to;
                to->index = it->index;
                to->strength = it->strength;
            }
        }
    }
    info->explain = most;
    info->explained = 1;
    result->column_count = all;
    result->column = column;
    return ONEFOLD_OK;
}

onefold_status of_explain_names_bytes(of_context *context, const of_fit_plan *plan, size_t *bytes)
{
    const of_dataset *dataset = plan->problem.dataset;
    size_t mu = plan->options.clusters, most = most_columns(plan), all, largest = 0;
    *bytes = 0;
    if (!plan->options.explain || plan->options.bare)
        return ONEFOLD_OK;
    for (size_t i = 0; i < dataset->view_count; i++) {
        if (!of_explain_is_named(&plan->kernels[i]))
            continue;
        size_t own = of_explain_columns_bytes(context, &plan->kernels[i], mu);
        largest = own > largest ? own : largest;
    }
    /* a name takes a block of its own, of about a hundred bytes */
    OF_TRY(of_size_multiply(&all, most, mu));
    OF_TRY(of_size_multiply(&all, all,
                            (sizeof(onefold_column) + 100) * dataset->view_count +
                                sizeof(of_strong_column)));
    OF_TRY(of_size_add(bytes, all, largest));
    return of_size_add(bytes, *bytes, dataset->samples * sizeof(int32_t));
}
