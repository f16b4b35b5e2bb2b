/* SPDX-License-Identifier: Apache-2.0 */
/* Asking by index. */
#include "support/ask.h"

onefold_view_info ask_data_view(const onefold_dataset *dataset, size_t index)
{
    onefold_view_info info = ONEFOLD_VIEW_INFO_INIT;
    CHECK_OK(onefold_dataset_view(dataset, index, &info));
    return info;
}

onefold_view_fit ask_view(const onefold_result *result, size_t index)
{
    onefold_view_fit view = ONEFOLD_VIEW_FIT_INIT;
    CHECK_OK(onefold_result_view(result, index, &view));
    return view;
}

onefold_column ask_column(const onefold_result *result, size_t view, size_t cluster, size_t rank)
{
    onefold_column column = ONEFOLD_COLUMN_INIT;
    CHECK_OK(onefold_result_column(result, view, cluster, rank, &column));
    return column;
}

onefold_model_view_info ask_model_view(const onefold_model *model, size_t index)
{
    onefold_model_view_info view = ONEFOLD_MODEL_VIEW_INFO_INIT;
    CHECK_OK(onefold_model_view(model, index, &view));
    return view;
}

onefold_choose_point ask_point(const onefold_choice *choice, size_t index)
{
    onefold_choose_point point = ONEFOLD_CHOOSE_POINT_INIT;
    CHECK_OK(onefold_choice_point(choice, index, &point));
    return point;
}

onefold_estimate_info ask_estimate(onefold_context *context, const onefold_dataset *dataset,
                                   const onefold_fit_options *options)
{
    onefold_estimate *estimate = NULL;
    onefold_estimate_info info = ONEFOLD_ESTIMATE_INFO_INIT;
    CHECK_OK(onefold_fit_estimate(&estimate, context, dataset, options, 0));
    CHECK_OK(onefold_estimate_describe(estimate, &info));
    onefold_estimate_free(estimate);
    return info;
}
