/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A grid of settings of a method, as text: "l1=2|4|8,l2=16|32" is every pair, the last name moving
 * fastest; grids with '/' between them are taken one after the other. A value is what the option
 * takes; "2c" is twice the number of clusters; "*" is every number from 1 to the number of views.
 * Besides its own options a method that takes dims has the names dims and anchors.
 */
#ifndef OF_EXPERIMENT_GRID_H
#define OF_EXPERIMENT_GRID_H

#include "method/method.h"

typedef struct of_setting {
    size_t dims, anchors; /* 0: not set here */
    const char *own;      /* "name=value,..." of the method's own options; "" */
} of_setting;

/* Every setting of the grid, each checked, from `arena`. A grid without a setting is refused. */
onefold_status of_grid_expand(of_arena *arena, const of_method *method, const char *grid,
                              size_t clusters, size_t views, of_setting **settings, size_t *count);

#endif
