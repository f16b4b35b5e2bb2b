/* SPDX-License-Identifier: Apache-2.0 */
/* Columns to mean 0 and variance 1, without the constant ones: what an rbf kernel is given. */
#include "kernel/moments.h"
#include "kernel/prep.h"

#include <math.h>

/* A column whose standard deviation is below this share of its root mean square is constant. */
#define CONSTANT_BELOW 1e-12

/* Picks the columns that vary: which they are, where they are centred, and by what they are scaled.
 */
static onefold_status keep_columns(of_arena *arena, of_kernel *kernel, const double *mean,
                                   const double *variance, const double *square)
{
    size_t d = kernel->view->columns, kept_count = 0;
    uint32_t *kept;
    double *shift, *scale;
    OF_TRY(OF_NEW(arena, &kept, d, 1));
    OF_TRY(OF_NEW(arena, &shift, d, 1));
    OF_TRY(OF_NEW(arena, &scale, d, 1));
    for (size_t i = 0; i < d; i++) {
        if (!isfinite(variance[i]) || !isfinite(square[i]))
            return of_hint(of_fail(ONEFOLD_BAD_DATA,
                                   "column %zu of %s has values too large to be squared", i + 1,
                                   kernel->view->name ? kernel->view->name : "a view"),
                           "scale it down");
        if (!(variance[i] > CONSTANT_BELOW * CONSTANT_BELOW * square[i]))
            continue;
        kept[kept_count] = (uint32_t)i;
        shift[kept_count] = mean[i];
        scale[kept_count++] = 1 / sqrt(variance[i]);
    }
    kernel->prep =
        (of_prep){OF_PREP_STANDARDISE, kept_count, kept_count < d ? kept : NULL, shift, scale};
    kernel->width = kept_count ? 2 * (double)kept_count : 1;
    return ONEFOLD_OK;
}

/* Sparse features: kept columns renumbered and scaled, not shifted. */
static onefold_status scale_sparse(of_context *context, of_arena *arena, of_kernel *kernel)
{
    const of_csr *raw = &kernel->view->sparse;
    of_prep *prep = &kernel->prep;
    prep->shift = NULL;
    OF_SCRATCH(scratch, context);
    uint32_t *place, *index;
    double *value;
    size_t *start, entries = 0;
    OF_TRY(OF_NEW(&scratch, &place, raw->columns, 1));
    for (size_t i = 0; i < raw->columns; i++)
        place[i] = prep->kept ? UINT32_MAX : (uint32_t)i;
    for (size_t i = 0; prep->kept && i < prep->columns; i++)
        place[prep->kept[i]] = (uint32_t)i;
    OF_TRY(OF_NEW(arena, &start, raw->rows + 1, 1));
    OF_TRY(OF_NEW(arena, &index, of_csr_entries(raw), 1));
    OF_TRY(OF_NEW(arena, &value, of_csr_entries(raw), 1));
    for (size_t j = 0; j < raw->rows; j++) {
        start[j] = entries;
        size_t end = of_csr_start(raw, j + 1);
        for (size_t e = of_csr_start(raw, j); e < end; e++) {
            uint32_t column = place[of_csr_index(raw, e)];
            double held = of_csr_value(raw, e);
            if (column == UINT32_MAX || held == 0)
                continue;
            index[entries] = column;
            value[entries++] = held * prep->scale[column];
        }
    }
    start[raw->rows] = entries;
    kernel->features = (of_sparse){raw->rows, prep->columns, start, index, value};
    return ONEFOLD_OK;
}

onefold_status of_prep_standardise(of_context *context, of_arena *arena, of_kernel *kernel)
{
    const of_view *view = kernel->view;
    if (view->columns > UINT32_MAX)
        return of_fail(ONEFOLD_UNSUPPORTED, "a view has %zu columns, more than %u", view->columns,
                       UINT32_MAX);
    OF_SCRATCH(scratch, context);
    double *mean, *variance, *square;
    OF_TRY(OF_NEW(&scratch, &mean, view->columns, 1));
    OF_TRY(OF_NEW(&scratch, &variance, view->columns, 1));
    OF_TRY(OF_NEW(&scratch, &square, view->columns, 1));
    OF_TRY(of_moments(context, view, mean, variance, square));
    OF_TRY(keep_columns(arena, kernel, mean, variance, square));
    return view->storage == OF_SPARSE ? scale_sparse(context, arena, kernel) : ONEFOLD_OK;
}
