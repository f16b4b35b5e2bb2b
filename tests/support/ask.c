/* SPDX-License-Identifier: Apache-2.0 */
/* Asking by index. */
#include "support/ask.h"

#include "base/context.h"
#include "data/dataset.h"

onefold_view_info ask_data_view(const onefold_dataset *dataset, size_t index)
{
    onefold_view_info info = ONEFOLD_VIEW_INFO_INIT;
    CHECK_OK(onefold_dataset_view(dataset, index, &info));
    return info;
}

onefold_view_fit ask_view(const onefold_result *result, size_t index)
{
    return *onefold_result_describe(result)->view[index];
}

onefold_column ask_column(const onefold_result *result, size_t view, size_t cluster, size_t rank)
{
    return *onefold_result_column(result, view, cluster, rank);
}

onefold_model_view_info ask_model_view(const onefold_model *model, size_t index)
{
    return *onefold_model_describe(model)->view[index];
}

onefold_choose_point ask_point(const onefold_choice *choice, size_t index)
{
    return *onefold_choice_describe(choice)->point[index];
}

onefold_estimate_info ask_estimate(onefold_context *context, const onefold_dataset *dataset,
                                   const onefold_fit_options *options)
{
    onefold_estimate *estimate = NULL;
    CHECK_OK(onefold_fit_estimate(&estimate, context, dataset, options, 0));
    onefold_estimate_info info = *onefold_estimate_describe(estimate);
    info.view = NULL; /* gone with the estimate */
    onefold_estimate_free(estimate);
    return info;
}

size_t ask_peak(const onefold_context *context)
{
    return atomic_load(&context->peak);
}

int ask_present(const onefold_dataset *dataset, size_t sample, size_t view)
{
    const onefold_dataset_info *info = onefold_dataset_describe(dataset);
    assert_true(sample < info->samples && view < info->views);
    return !info->present || info->present[sample * info->views + view];
}

const char *ask_sample_name(const onefold_dataset *dataset, size_t sample)
{
    const onefold_dataset_info *info = onefold_dataset_describe(dataset);
    return info && info->sample_names && sample < info->samples ? info->sample_names[sample] : NULL;
}

const char *ask_column_name(const onefold_dataset *dataset, size_t view, size_t column)
{
    if (view >= onefold_dataset_describe(dataset)->views)
        return NULL;
    onefold_view_info info = ask_data_view(dataset, view);
    return info.column_names && column < info.columns ? info.column_names[column] : NULL;
}
