/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel graph: products of rows of links, of unit length. */
#include "kernel/kernel.h"

static onefold_status prepare(of_context *context, of_arena *arena, int compress, of_kernel *kernel)
{
    (void)compress;
    return of_prep_graph(context, arena, kernel);
}

const of_kernel_row of_kernel_graph = {
    .name = "graph",
    .entries = OF_ENTRIES_PRODUCTS,
    .is_square = 1,
    .unit_length = 1,
    .prepare = prepare,
};
