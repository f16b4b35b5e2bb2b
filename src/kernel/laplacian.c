/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel laplacian: exp(-||x - y|| / sqrt(width)) of standardised features. It falls more
 * slowly than rbf, so that far samples matter more. */
#include "kernel/kernel.h"

#include <math.h>

static onefold_status prepare(of_context *context, of_arena *arena, int compress, of_kernel *kernel)
{
    (void)compress;
    return of_prep_standardise(context, arena, kernel);
}

/* A root makes a rounding error of 1e-15 one of 3e-8: so close samples count as equal. */
static const double EQUAL = 1e-13;

static void values(size_t count, double *x)
{
    for (size_t i = 0; i < count; i++)
        x[i] = -x[i] < EQUAL ? 0 : -sqrt(-x[i]);
    of_exp(count, x);
}

const of_kernel_row of_kernel_laplacian = {
    .name = "laplacian",
    .entries = OF_ENTRIES_DISTANCES,
    .prepare = prepare,
    .values = values,
};
