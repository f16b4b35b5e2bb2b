/* SPDX-License-Identifier: Apache-2.0 */
/* What a fit keeps, and what is asked of it by index. */
#ifndef OF_MODEL_RESULT_H
#define OF_MODEL_RESULT_H

#include "base/memory.h"
#include "method/method.h"
#include "model/fit.h"

struct onefold_result {
    of_arena arena; /* of everything below, and of the result itself */
    int32_t *labels;
    onefold_fit_info info;
    const onefold_view_fit *views;
    const onefold_candidate *candidates; /* info.candidates */
    /* Of cluster c and view v, column_count[c * views + v], at most info.explain, which start at
     * column[(c * views + v) * info.explain]. NULL: not asked for. */
    const size_t *column_count;
    const onefold_column *column;
    const double *view_parts;        /* views x samples, or NULL */
    const char *const *sample_names; /* or NULL */
    const onefold_model *model;      /* or NULL */
    const of_picture *picture;       /* or NULL */
};

/* Gives a caller one of `count` structs of a list; `what` names it where there is no such. */
#define OF_WRITE_AT(theirs, list, index, count, type, what)                                        \
    ((index) < (count) ? OF_STRUCT_WRITE((theirs), &(list)[index], type)                           \
                       : of_fail(ONEFOLD_USAGE, what " %zu was asked for, and there are %zu",      \
                                 (size_t)(index) + 1, (size_t)(count)))

/* What a report draws of each view by itself, for methods that keep nothing of it. */

/* Makes the outcome's picture where options.picture asks for it and the method draws none. */
onefold_status of_picture_views(of_context *context, const of_fit_plan *plan, of_outcome *outcome);

#endif
