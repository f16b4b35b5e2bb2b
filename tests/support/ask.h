/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked of data and results by index, as values: a test that asks for what is not there
 * fails. */
#ifndef SUPPORT_ASK_H
#define SUPPORT_ASK_H

#include "support/check.h"

onefold_view_info ask_data_view(const onefold_dataset *dataset, size_t index);
onefold_view_fit ask_view(const onefold_result *result, size_t index);
onefold_column ask_column(const onefold_result *result, size_t view, size_t cluster, size_t rank);
onefold_model_view_info ask_model_view(const onefold_model *model, size_t index);
onefold_choose_point ask_point(const onefold_choice *choice, size_t index);

/* What a fit would take, without time. */
onefold_estimate_info ask_estimate(onefold_context *context, const onefold_dataset *dataset,
                                   const onefold_fit_options *options);

/* The most bytes that a context has held at once. */
size_t ask_peak(const onefold_context *context);

/* Of a data set: whether a sample has a view, and names, NULL where there is none. */
int ask_present(const onefold_dataset *dataset, size_t sample, size_t view);
const char *ask_sample_name(const onefold_dataset *dataset, size_t sample);
const char *ask_column_name(const onefold_dataset *dataset, size_t view, size_t column);

#endif
