/* SPDX-License-Identifier: Apache-2.0 */
/* One dense table of counts gives the adjusted Rand index and the best overlap of each cluster. */
#include "score/recurrence.h"

#include <math.h>

static double pairs(size_t count)
{
    return 0.5 * (double)count * ((double)count - 1);
}

/* Pairs that are together in both, in the first, in the second; the form loses no digits. Where it
 * is 0/0 the two labellings are alike: both one cluster, or every sample alone in both. */
static double adjusted_rand(double both, double first, double second, double all)
{
    double only_first = first - both, only_second = second - both,
           neither = all - first - only_second;
    double below = (both + only_first) * (only_first + neither) +
                   (both + only_second) * (only_second + neither);
    return below > 0 ? 2 * (both * neither - only_first * only_second) / below : 1;
}

onefold_status of_recurrence(of_context *context, const int32_t *first, size_t first_clusters,
                             const int32_t *second, size_t second_clusters, size_t samples,
                             double *ari, double *jaccard)
{
    OF_SCRATCH(scratch, context);
    size_t *table, *rows, *columns;
    OF_TRY(OF_NEW_ZERO(&scratch, &table, first_clusters, second_clusters));
    OF_TRY(OF_NEW_ZERO(&scratch, &rows, first_clusters, 1));
    OF_TRY(OF_NEW_ZERO(&scratch, &columns, second_clusters, 1));
    for (size_t j = 0; j < samples; j++) {
        table[(size_t)first[j] * second_clusters + (size_t)second[j]]++;
        rows[first[j]]++;
        columns[second[j]]++;
    }
    double both = 0, in_first = 0, in_second = 0;
    for (size_t a = 0; a < first_clusters; a++) {
        double best = rows[a] ? 0 : NAN;
        for (size_t b = 0; b < second_clusters; b++) {
            size_t shared = table[a * second_clusters + b];
            both += pairs(shared);
            if (shared)
                best = fmax(best, (double)shared / (double)(rows[a] + columns[b] - shared));
        }
        in_first += pairs(rows[a]);
        jaccard[a] = best;
    }
    for (size_t b = 0; b < second_clusters; b++)
        in_second += pairs(columns[b]);
    *ari = adjusted_rand(both, in_first, in_second, pairs(samples));
    return ONEFOLD_OK;
}

/* x log x, 0 at 0. */
static double x_log_x(double x)
{
    return x > 0 ? x * log(x) : 0;
}

onefold_status of_recurrence_nmi(of_context *context, const int32_t *first, size_t first_clusters,
                                 const int32_t *second, size_t second_clusters, size_t samples,
                                 double *nmi)
{
    OF_SCRATCH(scratch, context);
    size_t *table, *rows, *columns;
    OF_TRY(OF_NEW_ZERO(&scratch, &table, first_clusters, second_clusters));
    OF_TRY(OF_NEW_ZERO(&scratch, &rows, first_clusters, 1));
    OF_TRY(OF_NEW_ZERO(&scratch, &columns, second_clusters, 1));
    for (size_t j = 0; j < samples; j++) {
        table[(size_t)first[j] * second_clusters + (size_t)second[j]]++;
        rows[first[j]]++;
        columns[second[j]]++;
    }
    double n = (double)samples, of_first = 0, of_second = 0, of_both = 0;
    for (size_t a = 0; a < first_clusters; a++)
        of_first -= x_log_x((double)rows[a] / n);
    for (size_t b = 0; b < second_clusters; b++)
        of_second -= x_log_x((double)columns[b] / n);
    for (size_t e = 0; e < first_clusters * second_clusters; e++)
        of_both -= x_log_x((double)table[e] / n);
    double larger = fmax(of_first, of_second);
    if (!samples)
        *nmi = 0;
    else if (!(larger > 0))
        *nmi = 1; /* both one cluster */
    else
        *nmi = fmin(fmax((of_first + of_second - of_both) / larger, 0), 1);
    return ONEFOLD_OK;
}
