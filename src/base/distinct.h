/* SPDX-License-Identifier: Apache-2.0 */
/* The distinct values of an array of whole numbers, such as labels. */
#ifndef OF_BASE_DISTINCT_H
#define OF_BASE_DISTINCT_H

#include "base/memory.h"

/* *distinct: the *found distinct ones of `count` values, rising, from `arena`. number (count, or
 * NULL): the index of each value among them. */
onefold_status of_distinct(of_arena *arena, const int64_t *values, size_t count, int64_t **distinct,
                           size_t *found, int32_t *number);

#endif
