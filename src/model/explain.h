/* SPDX-License-Identifier: Apache-2.0 */
/* Why: how far each view by itself agrees with the labels, with the other views, and cluster by
 * cluster. */
#ifndef OF_MODEL_EXPLAIN_H
#define OF_MODEL_EXPLAIN_H

#include "model/fit.h"

/* Fills agreement, view_agreement, cluster_agreement and confidence of `info` from the outcome's
 * own labels of each view; leaves them NULL where there are none. Memory is from the outcome's
 * arena. */
onefold_status of_explain(of_context *context, of_outcome *outcome, onefold_fit_info *info);

#endif
