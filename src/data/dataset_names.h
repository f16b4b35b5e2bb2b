/* SPDX-License-Identifier: Apache-2.0 */
/* Names of a view's columns: what explanations call them. */
#ifndef OF_DATA_DATASET_NAMES_H
#define OF_DATA_DATASET_NAMES_H

#include "data/dataset.h"

/* A copy of `count` names from `arena`, packed into one block; a NULL among them becomes "". */
onefold_status of_dataset_names_copy(of_arena *arena, size_t count, const char *const *names,
                                     const char *const **copy);

#endif
