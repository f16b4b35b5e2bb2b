/* SPDX-License-Identifier: Apache-2.0 */
/* Proximal steps on singular values and on columns. */
#include "linalg/threshold.h"

#include "linalg/blas.h"
#include "linalg/parallel.h"

#include <math.h>

/* to = scale[j] * column j of from, both rows x columns and packed. */
static void scale_columns(size_t rows, size_t columns, const double *from, const double *scale,
                          double *to)
{
    for (size_t j = 0; j < columns; j++)
        for (size_t i = 0; i < rows; i++)
            to[i + j * rows] = from[i + j * rows] * scale[j];
}

/* B = W F W'A (W the left vectors, as A has fewer rows) or A W F W'. Thin factors where few vectors
 * are left, else the square matrix W F W' once. */
onefold_status of_spectrum_scale(of_context *context, size_t rows, size_t columns, const double *a,
                                 size_t lda, const of_spectrum *spectrum, const double *factor,
                                 double *b, size_t ldb)
{
    size_t rank = spectrum->rank;
    int left = rows <= columns;
    size_t side = left ? rows : columns, longer = left ? columns : rows;
    const double *vector = left ? spectrum->left : spectrum->right;
    OF_SCRATCH(scratch, context);
    double *scaled, *product;
    OF_TRY(OF_NEW(&scratch, &scaled, side, rank));
    scale_columns(side, rank, vector, factor, scaled);
    if (2 * rank > side) {
        OF_TRY(OF_NEW(&scratch, &product, side, side));
        OF_TRY(of_team_gemm_symmetric(context, 'N', 'T', side, rank, 1, scaled, side, vector, side,
                                      0, product, side));
        return left ? of_team_gemm(context, 'N', 'N', rows, columns, side, 1, product, side, a, lda,
                                   0, b, ldb)
                    : of_team_gemm(context, 'N', 'N', rows, columns, side, 1, a, lda, product, side,
                                   0, b, ldb);
    }
    OF_TRY(OF_NEW(&scratch, &product, longer, rank));
    OF_TRY(of_team_gemm(context, left ? 'T' : 'N', 'N', longer, rank, side, 1, a, lda, scaled, side,
                        0, product, longer));
    return left ? of_team_gemm(context, 'N', 'T', rows, columns, rank, 1, vector, side, product,
                               longer, 0, b, ldb)
                : of_team_gemm(context, 'N', 'T', rows, columns, rank, 1, product, longer, vector,
                               side, 0, b, ldb);
}

onefold_status of_threshold_singular(of_context *context, size_t rows, size_t columns,
                                     const double *a, size_t lda, double cut, double *b, size_t ldb,
                                     size_t *rank, double *sum)
{
    OF_SCRATCH(scratch, context);
    of_spectrum spectrum;
    double *factor, total = 0;
    OF_TRY(of_spectrum_above_short(context, &scratch, rows, columns, a, lda, cut, &spectrum));
    OF_TRY(OF_NEW(&scratch, &factor, spectrum.rank, 1));
    for (size_t i = 0; i < spectrum.rank; i++) {
        factor[i] = (spectrum.value[i] - cut) / spectrum.value[i];
        total += spectrum.value[i] - cut;
    }
    OF_TRY(of_spectrum_scale(context, rows, columns, a, lda, &spectrum, factor, b, ldb));
    if (rank)
        *rank = spectrum.rank;
    if (sum)
        *sum = total;
    return ONEFOLD_OK;
}

double of_power_cut(double weight, double power)
{
    if (!(weight > 0))
        return 0;
    double edge = pow(2 * weight * (1 - power), 1 / (2 - power));
    return edge + weight * power * pow(edge, power - 1);
}

double of_power_threshold(double value, double weight, double power)
{
    if (!(value > of_power_cut(weight, power)))
        return 0;
    double x = value;
    for (int step = 0; step < 3; step++)
        x = value - weight * power * pow(x, power - 1);
    return x;
}

double of_threshold_columns(size_t rows, size_t columns, double *a, size_t lda, double cut)
{
    double sum = 0;
    for (size_t j = 0; j < columns; j++) {
        double *column = a + j * lda;
        double length = sqrt(of_dot(rows, 1, column, lda, column, lda));
        double factor = length > cut ? (length - cut) / length : 0;
        for (size_t i = 0; i < rows; i++)
            column[i] *= factor;
        sum += factor * length;
    }
    return sum;
}
