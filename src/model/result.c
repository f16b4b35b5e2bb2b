/* SPDX-License-Identifier: Apache-2.0 */
/* Asking a result what it holds. */
#include "model/result.h"

#include "base/structs.h"

void onefold_result_free(onefold_result *result)
{
    if (!result)
        return;
    of_arena arena = result->arena; /* the result itself is one of its blocks */
    of_arena_free(&arena);
}

const int32_t *onefold_result_labels(const onefold_result *result)
{
    return result ? result->labels : NULL;
}

const onefold_model *onefold_result_model(const onefold_result *result)
{
    return result ? result->model : NULL;
}

const char *onefold_result_sample_name(const onefold_result *result, size_t sample)
{
    return result && result->sample_names && sample < result->info.samples
               ? result->sample_names[sample]
               : NULL;
}

const double *onefold_result_view_parts(const onefold_result *result)
{
    return result ? result->view_parts : NULL;
}

onefold_status onefold_result_describe(const onefold_result *result, onefold_fit_info *info)
{
    if (!result || !info)
        return of_fail(ONEFOLD_USAGE,
                       "onefold_result_describe needs a result and a place for the info");
    return OF_STRUCT_WRITE(info, &result->info, onefold_fit_info);
}

onefold_status onefold_result_view(const onefold_result *result, size_t index,
                                   onefold_view_fit *view)
{
    if (!result || !view)
        return of_fail(ONEFOLD_USAGE, "onefold_result_view needs a result and a place for it");
    return OF_WRITE_AT(view, result->views, index, result->info.views, onefold_view_fit, "view");
}

onefold_status onefold_result_candidate(const onefold_result *result, size_t index,
                                        onefold_candidate *candidate)
{
    if (!result || !candidate)
        return of_fail(ONEFOLD_USAGE, "onefold_result_candidate needs a result and a place for it");
    return OF_WRITE_AT(candidate, result->candidates, index, result->info.candidates,
                       onefold_candidate, "candidate");
}

size_t onefold_result_column_count(const onefold_result *result, size_t view, size_t cluster)
{
    if (!result || !result->column_count || view >= result->info.views ||
        cluster >= result->info.clusters)
        return 0;
    return result->column_count[cluster * result->info.views + view];
}

onefold_status onefold_result_column(const onefold_result *result, size_t view, size_t cluster,
                                     size_t rank, onefold_column *column)
{
    if (!result || !column)
        return of_fail(ONEFOLD_USAGE, "onefold_result_column needs a result and a place for it");
    size_t place = (cluster * result->info.views + view) * result->info.explain;
    return OF_WRITE_AT(column, result->column + place, rank,
                       onefold_result_column_count(result, view, cluster), onefold_column,
                       "column");
}
