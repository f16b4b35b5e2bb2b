/* SPDX-License-Identifier: Apache-2.0 */
/* Unit-length features from any view, and their reduction to the space they span. */
#include "peers/features.h"

#include "base/team.h"
#include "linalg/blas.h"
#include "linalg/factor.h"
#include "linalg/parallel.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SAMPLES_AT_ONCE = 64 };

typedef struct making {
    const of_dataset *dataset;
    size_t view;
    double *features;
} making;

static onefold_status make_samples(void *task, size_t index, int worker)
{
    const making *m = task;
    const of_view *view = &m->dataset->views[m->view];
    size_t first = index * SAMPLES_AT_ONCE, left = view->samples - first;
    size_t count = left < SAMPLES_AT_ONCE ? left : SAMPLES_AT_ONCE;
    double *tile = m->features + first * view->columns;
    (void)worker;
    of_view_tile(view, first, count, tile, view->columns);
    for (size_t j = 0; j < count; j++) {
        double *sample = tile + j * view->columns;
        const uint8_t *present = m->dataset->present;
        double length = cblas_dnrm2((int)view->columns, sample, 1);
        if (present && !present[(first + j) * m->dataset->view_count + m->view])
            memset(sample, 0, view->columns * sizeof *sample);
        else if (length > 0)
            for (size_t i = 0; i < view->columns; i++)
                sample[i] /= length;
    }
    return ONEFOLD_OK;
}

onefold_status of_features_make(of_context *context, const of_dataset *dataset, size_t view,
                                double *features)
{
    making m = {dataset, view, features};
    size_t pieces = (dataset->samples + SAMPLES_AT_ONCE - 1) / SAMPLES_AT_ONCE;
    return of_team_run(context, pieces, make_samples, &m);
}

onefold_status of_features_of_dataset(void *source, of_context *context, size_t view,
                                      double *features)
{
    return of_features_make(context, source, view, features);
}

/* Few rows: the thin singular value decomposition. */
static onefold_status reduce_flat(of_context *context, of_arena *arena, size_t rows, size_t samples,
                                  double *features, of_reduced_features *reduced)
{
    OF_SCRATCH(scratch, context);
    double *value, *turn, *vt;
    size_t rank = 0;
    OF_TRY(OF_NEW(&scratch, &value, rows, 1));
    OF_TRY(OF_NEW(&scratch, &turn, rows, rows));
    OF_TRY(OF_NEW(&scratch, &vt, rows, samples));
    OF_TRY(of_svd(context, rows, samples, features, rows, value, turn, rows, vt, rows));
    while (rank < rows && value[rank] > DBL_EPSILON * (double)samples * value[0])
        rank++;
    OF_TRY(OF_NEW(arena, &reduced->value, rank, 1));
    OF_TRY(OF_NEW(arena, &reduced->basis, samples, rank));
    memcpy(reduced->value, value, rank * sizeof *value);
    for (size_t i = 0; i < rank; i++)
        cblas_dcopy((int)samples, vt + i, (int)rows, reduced->basis + i * samples, 1);
    reduced->rank = rank;
    return ONEFOLD_OK;
}

/* Many rows: the eigenvectors of X'X, several times faster and orthonormal all the same. What
 * squaring costs are directions below about 1e-7 of the largest value, which count with the square
 * of that wherever the features are used: by X'X and by lengths. */
static onefold_status reduce_tall(of_context *context, of_arena *arena, size_t rows, size_t samples,
                                  const double *features, of_reduced_features *reduced)
{
    OF_SCRATCH(scratch, context);
    double *value, *gram;
    size_t rank = 0;
    OF_TRY(OF_NEW(&scratch, &value, samples, 1));
    OF_TRY(OF_NEW(&scratch, &gram, samples, samples));
    OF_TRY(of_team_syrk(context, 'T', samples, rows, 1, features, rows, 0, gram, samples));
    OF_TRY(of_eigh(context, samples, gram, samples, value));
    while (rank < samples && value[rank] > DBL_EPSILON * (double)samples * value[0])
        rank++;
    OF_TRY(OF_NEW(arena, &reduced->value, rank, 1));
    OF_TRY(OF_NEW(arena, &reduced->basis, samples, rank));
    for (size_t i = 0; i < rank; i++)
        reduced->value[i] = sqrt(value[i]);
    memcpy(reduced->basis, gram, samples * rank * sizeof *gram);
    reduced->rank = rank;
    return ONEFOLD_OK;
}

onefold_status of_features_reduce(of_context *context, of_arena *arena, size_t rows, size_t samples,
                                  double *features, of_reduced_features *reduced)
{
    if (rows <= samples / 2)
        return reduce_flat(context, arena, rows, samples, features, reduced);
    return reduce_tall(context, arena, rows, samples, features, reduced);
}
