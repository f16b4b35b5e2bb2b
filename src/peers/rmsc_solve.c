/* SPDX-License-Identifier: Apache-2.0 */
/* The alternating directions of robust multi-view spectral clustering. */
#include "peers/rmsc.h"

#include "base/team.h"
#include "linalg/simplex.h"
#include "linalg/threshold.h"

#include <math.h>
#include <string.h>

/* Columns (rows of P) to a piece. */
enum { COLUMNS = 8 };

static size_t piece_count(size_t samples)
{
    return (samples + COLUMNS - 1) / COLUMNS;
}

/* The piece's columns. */
static void piece_columns(const of_rmsc *run, size_t index, size_t *first, size_t *end)
{
    *first = index * COLUMNS;
    *end = *first + COLUMNS < run->samples ? *first + COLUMNS : run->samples;
}

static onefold_status start_piece(void *task, size_t index, int worker)
{
    of_rmsc *run = task;
    (void)worker;
    size_t first, end;
    piece_columns(run, index, &first, &end);
    memset(run->pull + first * run->samples, 0, (end - first) * run->samples * sizeof *run->pull);
    for (size_t i = 0; i < run->views; i++)
        for (size_t e = first * run->samples; e < end * run->samples; e++)
            run->pull[e] += run->transition[i][e];
    return ONEFOLD_OK;
}

onefold_status of_rmsc_start(of_context *context, of_arena *arena, size_t samples, size_t views,
                             double *const *transition, const of_rmsc_options *options,
                             of_rmsc *run)
{
    *run = (of_rmsc){.samples = samples,
                     .views = views,
                     .options = *options,
                     .transition = transition,
                     .penalty = options->penalty};
    OF_TRY(OF_NEW(arena, &run->multiplier, views, 1));
    for (size_t i = 0; i < views; i++)
        OF_TRY(OF_NEW_ZERO(arena, &run->multiplier[i], samples, samples));
    OF_TRY(OF_NEW_ZERO(arena, &run->p, samples, samples));
    OF_TRY(OF_NEW_ZERO(arena, &run->q, samples, samples));
    OF_TRY(OF_NEW_ZERO(arena, &run->z, samples, samples));
    OF_TRY(OF_NEW(arena, &run->pull, samples, samples));
    OF_TRY(OF_NEW(arena, &run->column, samples, 3));
    return of_team_run(context, piece_count(samples), start_piece, run);
}

/* P: rows of (Q - Z/u + pull) / (views + 1) on the simplex; then pull becomes P + Z/u. */
static onefold_status project_piece(void *task, size_t index, int worker)
{
    of_rmsc *run = task;
    (void)worker;
    size_t n = run->samples, first, end;
    piece_columns(run, index, &first, &end);
    double share = 1 / (double)(run->views + 1), inverse = 1 / run->penalty;
    for (size_t j = first; j < end; j++) {
        double *p = run->p + j * n, *pull = run->pull + j * n;
        const double *q = run->q + j * n, *z = run->z + j * n;
        for (size_t i = 0; i < n; i++)
            p[i] = (q[i] - z[i] * inverse + pull[i]) * share;
        of_simplex_project(n, p);
        for (size_t i = 0; i < n; i++)
            pull[i] = p[i] + z[i] * inverse;
    }
    return ONEFOLD_OK;
}

/* What splitting a row of T_i into P and E needs to know. */
typedef struct split {
    double u, inverse, after; /* u, 1/u, 1/u of the next iteration */
    double cut;               /* lambda / u */
} split;

/* One row of one view: E, Y, and what they add to the sums, which are kept in four strands so that
 * the compiler may use vectors. */
static void split_row(const split *s, size_t n, const double *restrict t, const double *restrict p,
                      double *restrict y, double *restrict pull, double *error, double *residual)
{
    enum { STRANDS = 4 };
    double sum[STRANDS] = {0}, rest[STRANDS] = {0};
    const double u = s->u, inverse = s->inverse, after = s->after, cut = s->cut;
    for (size_t first = 0; first < n; first += STRANDS) {
        size_t count = n - first < STRANDS ? n - first : STRANDS;
        for (size_t i = 0; i < count; i++) {
            double there = t[first + i], here = p[first + i];
            double a = there - here - y[first + i] * inverse;
            double held = a < cut ? a : cut;
            double e = a - (held > -cut ? held : -cut), left = there - e - here;
            double multiplier = y[first + i] - u * left;
            y[first + i] = multiplier;
            pull[first + i] += there - e - multiplier * after;
            sum[i] += fabs(e);
            rest[i] += fabs(left);
        }
    }
    *error += (sum[0] + sum[1]) + (sum[2] + sum[3]);
    *residual = fmax(*residual, (rest[0] + rest[1]) + (rest[2] + rest[3]));
}

/* E, Y and Z of the piece's rows, and what the next P step needs of them. */
static onefold_status split_piece(void *task, size_t index, int worker)
{
    of_rmsc *run = task;
    (void)worker;
    size_t n = run->samples, first, end;
    piece_columns(run, index, &first, &end);
    double u = run->penalty, next = fmin(u * run->options.growth, run->options.most_penalty);
    split parts = {u, 1 / u, 1 / next, run->options.lambda / u};
    for (size_t j = first; j < end; j++) {
        double *pull = run->pull + j * n, *z = run->z + j * n, *figure = run->column + 3 * j;
        const double *p = run->p + j * n, *q = run->q + j * n;
        figure[0] = figure[1] = figure[2] = 0;
        memset(pull, 0, n * sizeof *pull);
        for (size_t i = 0; i < run->views; i++)
            split_row(&parts, n, run->transition[i] + j * n, p, run->multiplier[i] + j * n, pull,
                      &figure[0], &figure[1]);
        for (size_t i = 0; i < n; i++) {
            double gap = p[i] - q[i];
            z[i] += u * gap;
            figure[2] = fabs(gap) > figure[2] ? fabs(gap) : figure[2];
        }
    }
    return ONEFOLD_OK;
}

onefold_status of_rmsc_step(of_context *context, of_rmsc *run)
{
    size_t n = run->samples, pieces = piece_count(n);
    OF_TRY(of_team_run(context, pieces, project_piece, run));
    OF_TRY(of_threshold_singular(context, n, n, run->pull, n, 1 / run->penalty, run->q, n,
                                 &run->rank, &run->nuclear));
    OF_TRY(of_team_run(context, pieces, split_piece, run));
    run->error = run->residual = run->gap = 0;
    for (size_t j = 0; j < n; j++) {
        run->error += run->column[3 * j];
        run->residual = fmax(run->residual, run->column[3 * j + 1]);
        run->gap = fmax(run->gap, run->column[3 * j + 2]);
    }
    run->penalty = fmin(run->penalty * run->options.growth, run->options.most_penalty);
    run->iterations++;
    return ONEFOLD_OK;
}
