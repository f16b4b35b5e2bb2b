/* SPDX-License-Identifier: Apache-2.0 */
/* Walks: transition matrices from kernels, stationary vectors, and the symmetric matrix of a walk.
 */
#include "peers/rmsc.h"

#include "base/team.h"
#include "linalg/blas.h"
#include "linalg/lapack.h"

#include <math.h>
#include <string.h>

/* ---- transition matrices ------------------------------------------------------------------- */

typedef struct walk {
    size_t samples;
    const double *p, *pi;
    double *out;
    double *least; /* samples: of each column */
    double shift;
    int plain; /* no scaling by Pi^-1/2: some entry of pi is 0 */
} walk;

enum { COLUMNS = 16 };

static size_t piece_count(size_t samples)
{
    return (samples + COLUMNS - 1) / COLUMNS;
}

static size_t piece_end(const walk *w, size_t index)
{
    return (index + 1) * COLUMNS < w->samples ? (index + 1) * COLUMNS : w->samples;
}

static onefold_status least_piece(void *task, size_t index, int worker)
{
    const walk *w = task;
    (void)worker;
    for (size_t j = index * COLUMNS; j < piece_end(w, index); j++) {
        const double *column = w->out + j * w->samples;
        double least = column[0];
        for (size_t i = 1; i < w->samples; i++)
            least = column[i] < least ? column[i] : least;
        w->least[j] = least;
    }
    return ONEFOLD_OK;
}

static onefold_status scale_piece(void *task, size_t index, int worker)
{
    const walk *w = task;
    (void)worker;
    for (size_t j = index * COLUMNS; j < piece_end(w, index); j++) {
        double *column = w->out + j * w->samples, sum = 0;
        for (size_t i = 0; i < w->samples; i++) {
            column[i] -= w->shift;
            sum += column[i];
        }
        for (size_t i = 0; i < w->samples; i++)
            column[i] = sum > 0 ? column[i] / sum : 1 / (double)w->samples;
    }
    return ONEFOLD_OK;
}

onefold_status of_rmsc_transition(of_context *context, size_t samples, double *kernel)
{
    OF_SCRATCH(scratch, context);
    walk w = {.samples = samples, .out = kernel};
    OF_TRY(OF_NEW(&scratch, &w.least, samples, 1));
    OF_TRY(of_team_run(context, piece_count(samples), least_piece, &w));
    for (size_t j = 0; j < samples; j++)
        w.shift = fmin(w.shift, w.least[j]);
    return of_team_run(context, piece_count(samples), scale_piece, &w);
}

/* ---- the stationary vector ----------------------------------------------------------------- */

static void scale_to_sum_one(size_t samples, double *pi)
{
    double sum = 0;
    for (size_t i = 0; i < samples; i++) {
        pi[i] = fmax(pi[i], 0);
        sum += pi[i];
    }
    for (size_t i = 0; i < samples; i++)
        pi[i] /= sum;
}

/* Inverse iteration with I - (1 - d) P', which is never singular: from the even vector it gives the
 * stationary vector with an error of d, and once more, of d^2. */
onefold_status of_rmsc_stationary(of_context *context, size_t samples, const double *p, double *pi)
{
    const double away = 1e-9;
    OF_SCRATCH(scratch, context);
    double *matrix;
    int *pivot;
    OF_TRY(OF_NEW(&scratch, &matrix, samples, samples));
    OF_TRY(OF_NEW(&scratch, &pivot, samples, 1));
    for (size_t e = 0; e < samples * samples; e++)
        matrix[e] = (away - 1) * p[e];
    for (size_t j = 0; j < samples; j++)
        matrix[j + j * samples] += 1;
    OF_TRY(of_lapack_dgetrf(context, samples, matrix, pivot));
    for (size_t j = 0; j < samples; j++)
        pi[j] = 1 / (double)samples;
    for (int step = 0; step < 2; step++) {
        OF_TRY(of_lapack_dgetrs(context, samples, matrix, pivot, pi));
        scale_to_sum_one(samples, pi);
    }
    return ONEFOLD_OK;
}

/* ---- the symmetric matrix ------------------------------------------------------------------ */

static onefold_status laplacian_piece(void *task, size_t index, int worker)
{
    const walk *w = task;
    (void)worker;
    size_t n = w->samples;
    for (size_t j = index * COLUMNS; j < piece_end(w, index); j++)
        for (size_t i = 0; i < n; i++) {
            double forth = w->p[j + i * n], back = w->p[i + j * n]; /* P_ij, P_ji */
            if (w->plain) {
                w->out[i + j * n] = (w->pi[i] * forth + w->pi[j] * back) / 2;
            } else {
                double ratio = sqrt(w->pi[i] / w->pi[j]);
                w->out[i + j * n] = (ratio * forth + back / ratio) / 2;
            }
        }
    return ONEFOLD_OK;
}

onefold_status of_rmsc_laplacian(of_context *context, size_t samples, const double *p,
                                 const double *pi, double *l)
{
    double least = pi[0], most = pi[0];
    for (size_t i = 1; i < samples; i++) {
        least = fmin(least, pi[i]);
        most = fmax(most, pi[i]);
    }
    walk w = {.samples = samples, .p = p, .pi = pi, .out = l, .plain = least <= 1e-14 * most};
    return of_team_run(context, piece_count(samples), laplacian_piece, &w);
}

void of_rmsc_scale(size_t samples, double *l, double *sum)
{
    for (size_t j = 0; j < samples; j++) {
        sum[j] = 0;
        for (size_t i = 0; i < samples; i++)
            sum[j] += l[i + j * samples];
        sum[j] = sum[j] != 0 ? 1 / sqrt(fabs(sum[j])) : 0;
    }
    for (size_t j = 0; j < samples; j++)
        for (size_t i = 0; i < samples; i++)
            l[i + j * samples] *= sum[i] * sum[j];
}
