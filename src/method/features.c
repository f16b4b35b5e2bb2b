/* SPDX-License-Identifier: Apache-2.0 */
/* Unit-length features from any view, and their reduction to the space they span. */
#include "method/features.h"

#include "base/team.h"
#include "linalg/blas.h"
#include "linalg/factor.h"

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

/* The triangular factor of X = QR (rows > samples), samples x samples, moved to the front of X. */
static onefold_status keep_triangle(of_arena *arena, size_t rows, size_t samples, double *features)
{
    double *tau;
    OF_TRY(OF_NEW(arena, &tau, samples, 1));
    lapack_int info = LAPACKE_dgeqrf(LAPACK_COL_MAJOR, (lapack_int)rows, (lapack_int)samples,
                                     features, (lapack_int)rows, tau);
    if (info == LAPACK_WORK_MEMORY_ERROR)
        return of_fail(ONEFOLD_NO_MEMORY, "there is no memory to reduce %zu x %zu features", rows,
                       samples);
    if (info != 0)
        return of_fail(ONEFOLD_FAULT, "dgeqrf could not reduce %zu x %zu features (code %d)", rows,
                       samples, (int)info);
    for (size_t j = 0; j < samples; j++) {
        memmove(features + j * samples, features + j * rows, (j + 1) * sizeof *features);
        memset(features + j * samples + j + 1, 0, (samples - j - 1) * sizeof *features);
    }
    return ONEFOLD_OK;
}

onefold_status of_features_reduce(of_context *context, of_arena *arena, size_t rows, size_t samples,
                                  double *features, of_reduced_features *reduced)
{
    OF_SCRATCH(scratch, context);
    if (rows > samples) {
        OF_TRY(keep_triangle(&scratch, rows, samples, features));
        rows = samples;
    }
    double *value, *turn, *vt;
    OF_TRY(OF_NEW(&scratch, &value, rows, 1));
    OF_TRY(OF_NEW(&scratch, &turn, rows, rows));
    OF_TRY(OF_NEW(&scratch, &vt, rows, samples));
    OF_TRY(of_svd(context, rows, samples, features, rows, value, turn, rows, vt, rows));
    size_t rank = 0;
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
