/* SPDX-License-Identifier: Apache-2.0 */
/* The simplified silhouette: distances to the means of clusters, all sums in sample order. */
#include "score/silhouette.h"

#include <math.h>

/* A column at unit length. */
static void unit(size_t rows, const double *from, double *to)
{
    double square = 0;
    for (size_t i = 0; i < rows; i++)
        square += from[i] * from[i];
    double scale = square > 0 ? 1 / sqrt(square) : 0;
    for (size_t i = 0; i < rows; i++)
        to[i] = scale * from[i];
}

static double distance(size_t rows, const double *x, const double *y)
{
    double square = 0;
    for (size_t i = 0; i < rows; i++)
        square += (x[i] - y[i]) * (x[i] - y[i]);
    return sqrt(square);
}

/* One sample's part; `own` is its cluster. */
static double part(size_t rows, size_t clusters, const double *x, const double *means,
                   const size_t *count, size_t own)
{
    double a = distance(rows, x, means + own * rows), b = INFINITY;
    if (count[own] == 1)
        return 0;
    for (size_t c = 0; c < clusters; c++)
        if (c != own && count[c])
            b = fmin(b, distance(rows, x, means + c * rows));
    if (isinf(b) || !(fmax(a, b) > 0))
        return 0;
    return (b - a) / fmax(a, b);
}

onefold_status of_silhouette(of_context *context, size_t rows, size_t samples, const double *X,
                             size_t ldx, const int32_t *labels, size_t clusters, double *silhouette)
{
    OF_SCRATCH(scratch, context);
    double *means, *column, sum = 0;
    size_t *count;
    OF_TRY(OF_NEW_ZERO(&scratch, &means, rows, clusters));
    OF_TRY(OF_NEW(&scratch, &column, rows, 1));
    OF_TRY(OF_NEW_ZERO(&scratch, &count, clusters, 1));
    for (size_t j = 0; j < samples; j++) {
        size_t c = (size_t)labels[j];
        unit(rows, X + j * ldx, column);
        for (size_t i = 0; i < rows; i++)
            means[i + c * rows] += column[i];
        count[c]++;
    }
    for (size_t c = 0; c < clusters; c++)
        for (size_t i = 0; count[c] && i < rows; i++)
            means[i + c * rows] /= (double)count[c];
    for (size_t j = 0; j < samples; j++) {
        unit(rows, X + j * ldx, column);
        sum += part(rows, clusters, column, means, count, (size_t)labels[j]);
    }
    *silhouette = sum / (double)samples;
    return ONEFOLD_OK;
}
