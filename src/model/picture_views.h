/* SPDX-License-Identifier: Apache-2.0 */
/* What a report draws of each view by itself, for methods that keep nothing of it. */
#ifndef OF_MODEL_PICTURE_VIEWS_H
#define OF_MODEL_PICTURE_VIEWS_H

#include "model/fit.h"

/* Makes the outcome's picture where options.picture asks for it and the method draws none. */
onefold_status of_picture_views(of_context *context, const of_fit_plan *plan, of_outcome *outcome);

/* The bytes that this will hold at once; 0 where there is nothing to do. */
onefold_status of_picture_views_bytes(of_context *context, const of_fit_plan *plan, size_t *bytes);

#endif
