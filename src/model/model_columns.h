/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of new samples by name: in the model's order, whatever theirs is. */
#ifndef OF_MODEL_MODEL_COLUMNS_H
#define OF_MODEL_MODEL_COLUMNS_H

#include "model/model.h"

/* The data set with the columns of every view in the order of the model's, where both have names:
 * itself where they are, else one that is from `arena` and reads through it. A column that the
 * model has and the data has not, or has twice, is refused by name; others are passed over. */
onefold_status of_model_order_columns(of_context *context, of_arena *arena,
                                      const onefold_model *model, const of_dataset *dataset,
                                      const of_dataset **ordered);

/* The data set with the model's views in their order; those that it has not are views that every
 * sample lacks. */
onefold_status of_model_order_views(of_context *context, of_arena *arena,
                                    const onefold_model *model, const of_dataset *dataset,
                                    const of_dataset **ordered);

#endif
