/* SPDX-License-Identifier: Apache-2.0 */
/* Columns to mean 0 and variance 1, those of one category together, without the constant ones: what
 * an rbf kernel is given. */
#include "kernel/moments.h"
#include "kernel/prep.h"

#include <math.h>

/* A column whose standard deviation is below this share of its root mean square is constant: some
 * twenty units of the last digit, which computing it may have left. */
#define CONSTANT_BELOW 4e-15

/* Below this a variance has lost digits, or all of them, to the end of the range of numbers. */
#define VANISHING 1e-240

/* The moments of the columns, and for those with a vanishing variance the ones of their values
 * times `times`, as `large`. */
typedef struct moments {
    double *mean, *variance, *square;
    double times;
    double *large_mean, *large_variance;
} moments;

static onefold_status find_moments(of_context *context, of_arena *arena, const of_view *view,
                                   moments *m)
{
    size_t d = view->columns, vanishing = 0;
    double *all;
    OF_TRY(OF_NEW_ZERO(arena, &all, d, 5));
    *m = (moments){all, all + d, all + 2 * d, 0x1p600, all + 3 * d, all + 4 * d};
    OF_TRY(of_moments(context, view, m->mean, m->variance, m->square));
    for (size_t i = 0; i < d; i++)
        vanishing += m->variance[i] < VANISHING && m->square[i] < VANISHING && m->mean[i] != 0;
    if (!vanishing)
        return ONEFOLD_OK;
    double *unused;
    OF_TRY(OF_NEW(arena, &unused, d, 1));
    return of_moments_times(context, view, m->times, m->large_mean, m->large_variance, unused);
}

/* The standard deviation of a column that varies; 0 for a constant one. */
static double deviation(const moments *m, size_t i)
{
    if (m->variance[i] > CONSTANT_BELOW * CONSTANT_BELOW * m->square[i] &&
        m->variance[i] >= VANISHING)
        return sqrt(m->variance[i]);
    double large = sqrt(m->large_variance[i]);
    return large > CONSTANT_BELOW * fabs(m->large_mean[i]) ? large / m->times : 0;
}

/* The standard deviation by which a column is divided. Those of one category share one: their
 * variances add up to 1, as that of any other column is, and two words are as far apart as any two.
 */
static double shared_deviation(const of_view *view, const moments *m, size_t i)
{
    const uint32_t *unit = view->column_unit;
    double variance = 0;
    size_t first = i, end = i + 1;
    while (first > 0 && unit[first - 1] == unit[i])
        first--;
    while (end < view->columns && unit[end] == unit[i])
        end++;
    if (end - first == 1)
        return deviation(m, i);
    for (size_t c = first; c < end; c++)
        variance += deviation(m, c) * deviation(m, c);
    return deviation(m, i) > 0 ? sqrt(variance) : 0;
}

/* Picks the columns that vary: which they are, where they are centred, and by what they are scaled.
 */
static onefold_status keep_columns(of_arena *arena, of_kernel *kernel, const moments *m)
{
    size_t d = kernel->view->columns, kept_count = 0;
    uint32_t *kept;
    double *shift, *scale, total = 0;
    OF_TRY(OF_NEW(arena, &kept, d, 1));
    OF_TRY(OF_NEW(arena, &shift, d, 1));
    OF_TRY(OF_NEW(arena, &scale, d, 1));
    for (size_t i = 0; i < d; i++) {
        if (!isfinite(m->variance[i]) || !isfinite(m->square[i]))
            return of_hint(of_fail(ONEFOLD_BAD_DATA,
                                   "column %zu of %s has values too large to be squared", i + 1,
                                   kernel->view->name ? kernel->view->name : "a view"),
                           "scale it down");
        double own =
            kernel->view->column_unit ? shared_deviation(kernel->view, m, i) : deviation(m, i);
        if (!(own > 0) || !isfinite(1 / own))
            continue;
        kept[kept_count] = (uint32_t)i;
        total += kernel->view->column_unit ? m->variance[i] / (own * own) : 1;
        shift[kept_count] = m->mean[i];
        scale[kept_count++] = 1 / own;
    }
    kernel->prep =
        (of_prep){OF_PREP_STANDARDISE, kept_count, kept_count < d ? kept : NULL, shift, scale};
    kernel->width = kept_count ? 2 * total : 1;
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
    moments found;
    OF_TRY(find_moments(context, &scratch, view, &found));
    OF_TRY(keep_columns(arena, kernel, &found));
    return view->storage == OF_SPARSE ? scale_sparse(context, arena, kernel) : ONEFOLD_OK;
}
