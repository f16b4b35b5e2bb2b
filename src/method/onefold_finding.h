/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the labels of a recipe are more than chance: what comes back of them, and what neighbours
 * tell of them, beside the same on samples of one cloud (docs/choose.md).
 */
#ifndef OF_METHOD_ONEFOLD_FINDING_H
#define OF_METHOD_ONEFOLD_FINDING_H

#include "method/onefold_table.h"

/* Draws clouds like the problem's samples and labels them by the recipe, with these weights of the
 * views. */
onefold_status of_finding_make(of_context *context, const of_problem *problem, of_recipe recipe,
                               const double *weights, onefold_finding *finding);

#endif
