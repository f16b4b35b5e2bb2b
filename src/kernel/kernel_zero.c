/* SPDX-License-Identifier: Apache-2.0 */
/* Why the kernel of a view came out as zero once centred: for whoever has to fix the view. */
#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

/* The largest modulus in a view, and whether any of its samples differs from the first. */
static onefold_status look(of_context *context, const of_view *view, double *largest, int *differs)
{
    OF_SCRATCH(scratch, context);
    size_t d = view->columns;
    double *first, *sample;
    *largest = 0;
    *differs = 0;
    if (view->storage == OF_SPARSE) {
        for (size_t e = 0; e < of_csr_entries(&view->sparse); e++)
            *largest = fmax(*largest, fabs(of_csr_value(&view->sparse, e)));
        *differs = *largest > 0; /* where zeros stand beside them */
        return ONEFOLD_OK;
    }
    OF_TRY(OF_NEW(&scratch, &first, d, 1));
    OF_TRY(OF_NEW(&scratch, &sample, d, 1));
    OF_TRY(of_view_read(view, 0, 1, first, d));
    for (size_t j = 0; j < view->samples; j++) {
        OF_TRY(of_view_read(view, j, 1, sample, d));
        *differs |= memcmp(first, sample, d * sizeof *first) != 0;
        for (size_t i = 0; i < d; i++)
            *largest = fmax(*largest, fabs(sample[i]));
    }
    return ONEFOLD_OK;
}

onefold_status of_kernel_zero(of_context *context, const of_view *view)
{
    static const double VANISHES = 1e-154; /* its square is the least number there is, or none */
    double largest = 0;
    int differs = 0;
    if (view->storage != OF_KERNEL)
        OF_TRY(look(context, view, &largest, &differs));
    if (differs && largest < VANISHES)
        return of_hint(of_fail(ONEFOLD_BAD_DATA,
                               "view '%s' has no value above %.1e, and the squares of such values "
                               "are too small to be distinguished from zero",
                               view->name, largest),
                       "scale the view up");
    if (differs)
        return of_hint(
            of_fail(ONEFOLD_BAD_DATA,
                    "the differences between the samples of view '%s' are lost to rounding "
                    "beside the size of its values (up to %.3g)",
                    view->name, largest),
            "subtract an offset from its columns, or leave the view out with `views`");
    return of_hint(
        of_fail(ONEFOLD_BAD_DATA,
                "view '%s' does not distinguish its samples: its kernel is zero once centred",
                view->name),
        "leave the view out with `views`");
}
