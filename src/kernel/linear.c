/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel linear: products of features as they are. */
#include "kernel/kernel.h"

static onefold_status prepare(of_context *context, of_arena *arena, int compress, of_kernel *kernel)
{
    (void)context;
    (void)arena;
    (void)compress;
    if (kernel->view->storage == OF_SPARSE)
        kernel->features = kernel->view->sparse;
    return ONEFOLD_OK;
}

const of_kernel_row of_kernel_linear = {
    .name = "linear",
    .entries = OF_ENTRIES_PRODUCTS,
    .prepare = prepare,
};
