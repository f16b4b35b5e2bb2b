/* SPDX-License-Identifier: Apache-2.0 */
/* The Krylov route on the side of the columns, where there are fewer of them than samples. */
#ifndef OF_PARTITION_ROUTE_KRYLOV_H
#define OF_PARTITION_ROUTE_KRYLOV_H

#include "partition/centred.h"
#include "partition/routes.h"

/* Whether the route works on that side: sparse features of at most half as many columns as samples,
 * and of no more than 2^16. */
int of_krylov_uses_features(const of_kernel *kernel);

/* Products with the finished kernel of explicit features that is never formed. Arrays are from
 * `arena`; blocks have at most `deepest` rows. */
typedef struct of_krylov_operator of_krylov_operator;
onefold_status of_krylov_operator_make(of_context *context, of_arena *arena,
                                       const of_kernel *kernel, size_t deepest,
                                       of_krylov_operator **made);

/* An of_operator_apply; the task is the operator. */
onefold_status of_krylov_operator_apply(void *task, size_t depth, const double *x, double *y);

#endif
