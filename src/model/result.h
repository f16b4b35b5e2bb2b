/* SPDX-License-Identifier: Apache-2.0 */
/* What a fit keeps. */
#ifndef OF_MODEL_RESULT_H
#define OF_MODEL_RESULT_H

#include "base/memory.h"
#include "method/method.h"
#include "model/fit.h"

struct onefold_result {
    of_arena arena; /* of everything below, and of the result itself */
    onefold_fit_info info;
    /* Of cluster c and view v, column_count[c * views + v], at most info.explain, which start at
     * column[(c * views + v) * info.explain]. NULL: not asked for. */
    const size_t *column_count;
    const onefold_column *column;
    const of_picture *picture; /* or NULL */
};

/* What a report draws of each view by itself, for methods that keep nothing of it. */

/* Makes the outcome's picture where options.picture asks for it and the method draws none. */
onefold_status of_picture_views(of_context *context, const of_fit_plan *plan, of_outcome *outcome);

#endif
