/* SPDX-License-Identifier: Apache-2.0 */
/* From LSGMC's summed representation to an affinity: the strong entries, then their geometry. */
#include "peers/lsgmc.h"

#include "base/team.h"
#include "linalg/blas.h"
#include "linalg/factor.h"
#include "linalg/parallel.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

double of_lsgmc_share(size_t samples)
{
    enum { LEAST_SAMPLES = 137 }; /* below, the formula passes 1 */
    return samples < LEAST_SAMPLES ? 1 : 0.032 + 1 / (0.018 * (double)samples - 1.42);
}

/* ---- strong entries ------------------------------------------------------------------------ */

typedef struct entry {
    double size;
    size_t row;
} entry;

static int larger_first(const void *x, const void *y)
{
    const entry *a = x, *b = y;
    if (a->size != b->size)
        return a->size > b->size ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

typedef struct retaining {
    of_context *context;
    size_t n;
    double *a, share;
} retaining;

static onefold_status retain_column(void *task, size_t column, int worker)
{
    const retaining *r = task;
    double *a = r->a + column * r->n, total = 0, sum = 0;
    OF_SCRATCH(scratch, r->context);
    entry *entries;
    (void)worker;
    OF_TRY(OF_NEW(&scratch, &entries, r->n, 1));
    for (size_t i = 0; i < r->n; i++) {
        entries[i] = (entry){fabs(a[i]), i};
        total += entries[i].size;
    }
    qsort(entries, r->n, sizeof *entries, larger_first);
    size_t kept = 0;
    while (kept < r->n && (kept == 0 || sum < r->share * total))
        sum += entries[kept++].size;
    for (size_t k = kept; k < r->n; k++)
        a[entries[k].row] = 0;
    return ONEFOLD_OK;
}

onefold_status of_lsgmc_retain(of_context *context, size_t n, double *a, double share)
{
    retaining r = {context, n, a, share};
    if (share >= 1)
        return ONEFOLD_OK;
    return of_team_run(context, n, retain_column, &r);
}

/* ---- affinity ------------------------------------------------------------------------------ */

static const double LEAST_VALUE = 1e-6; /* singular values up to this count for nothing */

/* Left singular vectors and values of A (n x n, destroyed), descending. From the eigenvectors of
 * AA' where rounding, which squaring lifts to about 1e-8 of the largest value, stays well below the
 * least value that counts; else from A itself. */
static onefold_status left_spectrum(of_context *context, size_t n, double *a, double *vector,
                                    double *value)
{
    OF_SCRATCH(scratch, context);
    OF_TRY(of_team_syrk(context, 'N', n, n, 1, a, n, 0, vector, n));
    OF_TRY(of_eigh(context, n, vector, n, value));
    if (10 * DBL_EPSILON * value[0] < LEAST_VALUE * LEAST_VALUE) {
        for (size_t i = 0; i < n; i++)
            value[i] = sqrt(fmax(0, value[i]));
        return ONEFOLD_OK;
    }
    double *vt;
    OF_TRY(OF_NEW(&scratch, &vt, n, n));
    return of_svd(context, n, n, a, n, value, vector, n, vt, n);
}

onefold_status of_lsgmc_affinity(of_context *context, size_t n, double *a, double *affinity)
{
    OF_SCRATCH(scratch, context);
    double *vector, *value, *scale;
    OF_TRY(OF_NEW(&scratch, &vector, n, n));
    OF_TRY(OF_NEW(&scratch, &value, n, 1));
    OF_TRY(OF_NEW_ZERO(&scratch, &scale, n, 1));
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            if (a[i + j * n] != 0)
                scale[i] = 1; /* this row is not zero */
    OF_TRY(left_spectrum(context, n, a, vector, value));
    size_t rank = 0;
    while (rank < n && value[rank] > LEAST_VALUE)
        rank++;
    for (size_t k = 0; k < rank; k++)
        cblas_dscal((int)n, sqrt(value[k]), vector + k * n, 1);
    OF_TRY(of_team_syrk(context, 'N', n, rank, 1, vector, n, 0, affinity, n));
    for (size_t i = 0; i < n; i++)
        scale[i] = scale[i] != 0 && affinity[i + i * n] > 0 ? 1 / sqrt(affinity[i + i * n]) : 0;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
            double cosine = affinity[i + j * n] * (scale[i] * scale[j]);
            affinity[i + j * n] = cosine * cosine;
        }
    return ONEFOLD_OK;
}
