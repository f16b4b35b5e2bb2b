/* SPDX-License-Identifier: Apache-2.0 */
/* The singular values above a cut, from the Gram matrix of the shorter side, and proximal steps. */
#include "peers/common.h"

#include <math.h>
#include <string.h>

/* A Gram matrix gives a singular value s to about eps * s_1^2 / s. Above this share of s_1 the
 * error is at most 1e-11 s_1; for lower cuts the matrix itself is decomposed. */
static const double LEAST_SHARE = 1e-5;

/* Eigenvalues are kept from a little below the square of the cut, as rounding may have moved them
 * below it. */
static const double SLACK = 1e-6;

/* A bound on singular values: sqrt(largest column sum times largest row sum of moduli). */
static onefold_status norm_bound(of_context *context, size_t rows, size_t columns, const double *a,
                                 double *bound)
{
    OF_SCRATCH(scratch, context);
    double *row, most_column = 0, most_row = 0;
    OF_TRY(OF_NEW_ZERO(&scratch, &row, rows, 1));
    OF_COUNTED(context);
    for (size_t j = 0; j < columns; j++) {
        double sum = 0;
        for (size_t i = 0; i < rows; i++) {
            double size = fabs(a[i + j * rows]);
            sum += size;
            row[i] += size;
        }
        most_column = fmax(most_column, sum);
    }
    for (size_t i = 0; i < rows; i++)
        most_row = fmax(most_row, row[i]);
    *bound = sqrt(most_column) * sqrt(most_row);
    return ONEFOLD_OK;
}

/* ---- the spectrum -------------------------------------------------------------------------- */

/* The singular value decomposition above the cut, with both sides. */
static onefold_status decompose_above(of_context *context, of_arena *arena, size_t rows,
                                      size_t columns, const double *a, double cut,
                                      of_spectrum *spectrum)
{
    size_t side = of_size_least(rows, columns);
    OF_SCRATCH(scratch, context);
    double *copy, *vt;
    OF_TRY(OF_NEW_ALL(&scratch, {&copy, rows, columns}, {&vt, side, columns}));
    OF_TRY(OF_NEW_ALL(arena, {&spectrum->value, side, 1}, {&spectrum->left, rows, side}));
    if (!of_counts(context))
        memcpy(copy, a, rows * columns * sizeof *copy);
    OF_TRY(of_svd(context, rows, columns, copy, spectrum->value, spectrum->left, vt));
    size_t rank = 0;
    while (rank < side && (of_counts(context) || spectrum->value[rank] > cut))
        rank++;
    OF_TRY(OF_NEW(arena, &spectrum->right, columns, rank));
    spectrum->rank = rank;
    OF_COUNTED(context);
    for (size_t i = 0; i < rank; i++)
        cblas_dcopy((int)columns, vt + i, (int)side, spectrum->right + i * columns, 1);
    return ONEFOLD_OK;
}

/* Eigenpairs of the shorter side's Gram matrix from a little below the cut up. *done is 0 where the
 * cut is too low for this. */
static onefold_status gram_above(of_context *context, of_arena *arena, size_t rows, size_t columns,
                                 const double *a, double cut, of_spectrum *spectrum, int *done)
{
    size_t side = of_size_least(rows, columns), longer = rows + columns - side, count = side;
    double **kept = rows <= columns ? &spectrum->left : &spectrum->right;
    OF_TRY(OF_NEW_ALL(arena, {&spectrum->value, side, 1}, {kept, side, side}));
    OF_TRY(of_team_syrk(context, rows <= columns ? 'N' : 'T', side, longer, 1, a, rows, 0, *kept,
                        side));
    OF_TRY(of_eigh(context, side, *kept, spectrum->value));
    *done = 1;
    spectrum->rank = count;
    OF_COUNTED(context);
    *done = cut > LEAST_SHARE * sqrt(fmax(0, spectrum->value[0]));
    if (!*done) {
        of_arena_release(arena, spectrum->value);
        of_arena_release(arena, *kept);
        return ONEFOLD_OK;
    }
    while (count > 0 && !(spectrum->value[count - 1] > cut * cut * (1 - SLACK)))
        count--;
    for (size_t i = 0; i < count; i++)
        spectrum->value[i] = sqrt(spectrum->value[i]);
    spectrum->rank = count;
    return ONEFOLD_OK;
}

/* Singular triplets of A within the span of the shorter side's vectors. The values and the longer
 * side then come from A itself, without the loss of digits by squaring. */
static onefold_status refine(of_context *context, of_arena *arena, size_t rows, size_t columns,
                             const double *a, of_spectrum *spectrum)
{
    size_t side = of_size_least(rows, columns), longer = rows + columns - side,
           rank = spectrum->rank;
    int left_is_short = rows <= columns;
    double *short_side = left_is_short ? spectrum->left : spectrum->right, *long_side, *turn,
           *image;
    OF_SCRATCH(scratch, context);
    OF_TRY(OF_NEW(arena, &long_side, longer, rank));
    OF_TRY(OF_NEW_ALL(&scratch, {&image, longer, rank}, {&turn, rank, rank}));
    OF_TRY(of_team_gemm(context, left_is_short ? 'T' : 'N', 'N', longer, rank, side, 1, a, rows,
                        short_side, side, 0, image, longer));
    OF_TRY(of_svd(context, longer, rank, image, spectrum->value, long_side, turn));
    double *turned;
    OF_TRY(OF_NEW(arena, &turned, side, rank));
    OF_TRY(of_team_gemm(context, 'N', 'T', side, rank, rank, 1, short_side, side, turn, rank, 0,
                        turned, side));
    of_arena_release(arena, short_side);
    spectrum->left = left_is_short ? turned : long_side;
    spectrum->right = left_is_short ? long_side : turned;
    return ONEFOLD_OK;
}

onefold_status of_spectrum_above(of_context *context, of_arena *arena, size_t rows, size_t columns,
                                 const double *a, double cut, int both, of_spectrum *out)
{
    of_spectrum found = {0, NULL, NULL, NULL};
    int done = 0;
    double bound = INFINITY;
    if (cut > 0)
        OF_TRY(norm_bound(context, rows, columns, a, &bound));
    if (bound <= cut * (1 - SLACK)) { /* nothing to find: empty arrays */
        OF_TRY(OF_NEW_ALL(arena, {&found.value, 0, 1}, {&found.left, rows, 0},
                          {&found.right, columns, 0}));
        *out = found;
        return ONEFOLD_OK;
    }
    if (cut > 0 && rows > 0 && columns > 0)
        OF_TRY(gram_above(context, arena, rows, columns, a, cut, &found, &done));
    if (!done)
        OF_TRY(decompose_above(context, arena, rows, columns, a, cut, &found));
    else if (both)
        OF_TRY(refine(context, arena, rows, columns, a, &found));
    while (!of_counts(context) && found.rank > 0 && !(found.value[found.rank - 1] > cut))
        found.rank--;
    *out = found;
    return ONEFOLD_OK;
}

/* ---- proximal steps on singular values and on columns ---------------------------------------- */

/* B = A (rows x columns) with singular value i of the spectrum times factor[i] and all others 0:
 * W F W'A with the left vectors W where A has fewer rows, else A W F W' with the right ones. */
static onefold_status scale_spectrum(of_context *context, size_t rows, size_t columns,
                                     const double *a, const of_spectrum *spectrum,
                                     const double *factor, double *b)
{
    size_t rank = spectrum->rank;
    int left = rows <= columns;
    size_t side = left ? rows : columns, longer = left ? columns : rows;
    const double *vector = left ? spectrum->left : spectrum->right;
    OF_SCRATCH(scratch, context);
    double *scaled, *product;
    OF_TRY(OF_NEW(&scratch, &scaled, side, rank));
    for (size_t j = 0; j < rank && !of_counts(context); j++)
        for (size_t i = 0; i < side; i++)
            scaled[i + j * side] = vector[i + j * side] * factor[j];
    OF_TRY(OF_NEW(&scratch, &product, longer, rank));
    OF_TRY(of_team_gemm(context, left ? 'T' : 'N', 'N', longer, rank, side, 1, a, rows, scaled,
                        side, 0, product, longer));
    return left ? of_team_gemm(context, 'N', 'T', rows, columns, rank, 1, vector, side, product,
                               longer, 0, b, rows)
                : of_team_gemm(context, 'N', 'T', rows, columns, rank, 1, product, longer, vector,
                               side, 0, b, rows);
}

onefold_status of_threshold_singular(of_context *context, size_t rows, size_t columns,
                                     const double *a, double cut, double *b, size_t *rank,
                                     double *sum)
{
    OF_SCRATCH(scratch, context);
    of_spectrum spectrum;
    double *factor;
    *sum = 0;
    OF_TRY(of_spectrum_above(context, &scratch, rows, columns, a, cut, 0, &spectrum));
    OF_TRY(OF_NEW(&scratch, &factor, spectrum.rank, 1));
    for (size_t i = 0; i < spectrum.rank && !of_counts(context); i++) {
        factor[i] = (spectrum.value[i] - cut) / spectrum.value[i];
        *sum += spectrum.value[i] - cut;
    }
    OF_TRY(scale_spectrum(context, rows, columns, a, &spectrum, factor, b));
    *rank = spectrum.rank;
    return ONEFOLD_OK;
}

double of_threshold_columns(size_t rows, size_t columns, double *a, double cut)
{
    double sum = 0;
    for (size_t j = 0; j < columns; j++) {
        double *column = a + j * rows;
        double length = sqrt(of_dot(rows, 1, column, column));
        double factor = length > cut ? (length - cut) / length : 0;
        for (size_t i = 0; i < rows; i++)
            column[i] *= factor;
        sum += factor * length;
    }
    return sum;
}
