/* SPDX-License-Identifier: Apache-2.0 */
/* How far labels come back, from the definitions: pairs of samples, sets, medians. */
#include "oracle/choose.h"

#include "oracle/plain.h"

#include <math.h>
#include <stdlib.h>

/* The adjusted Rand index over the samples both have, pair by pair. */
static double rand_index(size_t n, const int32_t *a, const int32_t *b)
{
    double both = 0, first = 0, second = 0, all = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            if (a[i] < 0 || b[i] < 0 || a[j] < 0 || b[j] < 0)
                continue;
            all++;
            first += a[i] == a[j];
            second += b[i] == b[j];
            both += a[i] == a[j] && b[i] == b[j];
        }
    double expected = first * second / all, most = (first + second) / 2;
    return most > expected ? (both - expected) / (most - expected) : 1;
}

/* The Jaccard index of cluster x of a with its best match in b; NaN where it has no sample. */
static double best_match(size_t n, const int32_t *a, const int32_t *b, int32_t x, size_t clusters)
{
    double best = NAN;
    for (int32_t y = 0; y < (int32_t)clusters; y++) {
        double both = 0, either = 0, own = 0;
        for (size_t j = 0; j < n; j++)
            if (a[j] >= 0 && b[j] >= 0) {
                own += a[j] == x;
                both += a[j] == x && b[j] == y;
                either += a[j] == x || b[j] == y;
            }
        if (own > 0)
            best = fmax(best, either > 0 ? both / either : 0);
    }
    return best;
}

/* The middle one of those that are numbers, or the mean of the two middle ones; 0 of none. */
static double middle(size_t count, const double *values)
{
    double *sorted = plain_new(count + 1, 1);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (isnan(values[i]))
            continue;
        size_t at = kept++;
        for (; at > 0 && sorted[at - 1] > values[i]; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = values[i];
    }
    double found = kept == 0 ? 0 : (sorted[(kept - 1) / 2] + sorted[kept / 2]) / 2;
    free(sorted);
    return found;
}

void choose_literal_compare(size_t n, size_t runs, size_t clusters, const int32_t *labels,
                            choose_literal_point *point)
{
    double *index = plain_new(runs, 1), *back = plain_new(runs, 1), best = -2;
    for (size_t r = 0; r < runs; r++) {
        double mean = 0, square = 0, weakest = 1;
        for (size_t s = 0; s < runs; s++)
            index[s] = s == r ? NAN : rand_index(n, labels + r * n, labels + s * n);
        double median = middle(runs, index);
        if (!(median > best))
            continue;
        best = median;
        for (size_t s = 0; s < runs; s++)
            mean += s == r ? 0 : index[s] / (double)(runs - 1);
        for (size_t s = 0; s < runs; s++)
            square += s == r ? 0 : pow(index[s] - mean, 2);
        for (size_t x = 0; x < clusters; x++) {
            for (size_t s = 0; s < runs; s++)
                back[s] = s == r
                              ? NAN
                              : best_match(n, labels + r * n, labels + s * n, (int32_t)x, clusters);
            weakest = fmin(weakest, middle(runs, back));
        }
        point->stability = median;
        point->deviation = sqrt(square / (double)(runs - 2));
        point->weakest = weakest;
    }
    free(index);
    free(back);
}
