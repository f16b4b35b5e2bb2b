/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel rbf: exp(-||x - y||^2 / width) of standardised features. */
#include "kernel/kernel.h"

static onefold_status prepare(of_context *context, of_arena *arena, int compress, of_kernel *kernel)
{
    (void)compress;
    return of_prep_standardise(context, arena, kernel);
}

const of_kernel_row of_kernel_rbf = {
    .name = "rbf",
    .entries = OF_ENTRIES_DISTANCES,
    .prepare = prepare,
    .values = of_exp,
    .has_landmarks = 1,
};
