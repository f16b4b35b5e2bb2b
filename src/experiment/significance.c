/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether methods differ: Wilcoxon's signed-rank test of every pair with Holm's correction,
 * Friedman's test with average ranks, and Nemenyi's critical difference (Demsar, JMLR 7, 2006).
 * Statistics and p-values are those of R's wilcox.test, friedman.test, p.adjust and qtukey.
 */
#include "model/engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEVEL 0.05
enum { MOST = 1000000 }; /* rows or methods */

struct onefold_comparison {
    of_arena arena;
    onefold_comparison_info info;
};

/* ---- distributions -------------------------------------------------------------------------- */

static double normal_below(double z)
{
    return 0.5 * erfc(-z / sqrt(2));
}

/* P(chi-square > x): the upper incomplete gamma function of a = degrees / 2 at x / 2. It is summed
 * from Q(a + 1, y) = Q(a, y) + y^a e^-y / Gamma(a + 1), which starts at a = 1/2 or 1. */
static double chi_square_above(double x, size_t degrees)
{
    double y = x / 2, a = degrees % 2 ? 0.5 : 1, sum = degrees % 2 ? erfc(sqrt(y)) : exp(-y);
    for (; y > 0 && a + 0.5 < (double)degrees / 2; a += 1)
        sum += exp(a * log(y) - y - lgamma(a + 1));
    return fmin(1, sum);
}

/* P(range of `count` standard normal numbers < q). */
static double range_below(double q, size_t count)
{
    enum { STEPS = 4000 };
    const double from = -8, width = (16 + q) / STEPS;
    double sum = 0;
    for (int i = 0; i <= STEPS; i++) { /* Simpson's rule over the largest number */
        double z = from + i * width, weight = i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2;
        sum += weight * exp(-z * z / 2) *
               pow(normal_below(z) - normal_below(z - q), (double)count - 1);
    }
    return sum * width / 3 * (double)count / sqrt(2 * acos(-1));
}

/* The range that is exceeded with probability LEVEL. */
static double range_limit(size_t count)
{
    enum { HALVINGS = 60 };
    double low = 0, high = 20;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        if (range_below(middle, count) < 1 - LEVEL)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* P(V <= v) of Wilcoxon's V for n differences of different sizes: each rank counts or does not. */
static onefold_status signed_rank_below(of_arena *scratch, size_t n, double v, double *p)
{
    size_t most = n * (n + 1) / 2;
    double *ways, sum = 0;
    OF_TRY(OF_NEW_ZERO(scratch, &ways, most + 1, 1));
    ways[0] = 1;
    for (size_t rank = 1; rank <= n; rank++)
        for (size_t at = most; at >= rank; at--)
            ways[at] += ways[at - rank];
    for (size_t at = 0; at <= most && (double)at <= v; at++)
        sum += ways[at];
    of_arena_release(scratch, ways);
    *p = ldexp(sum, -(int)n);
    return ONEFOLD_OK;
}

/* ---- ranks ---------------------------------------------------------------------------------- */

typedef struct ranked {
    double value, rank;
    size_t place;
} ranked;

static int compare_values(const void *a, const void *b)
{
    double x = ((const ranked *)a)->value, y = ((const ranked *)b)->value;
    return (x > y) - (x < y);
}

/* Means of the same numbers in another order differ in their last digits: they are ties. */
static int is_tie(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b));
}

/* Ranks from 1 in rising order; ties have their mean rank. Returns the sum of t^3 - t over groups
 * of t ties; 0: there are none. */
static double rank_all(ranked *list, size_t count)
{
    double ties = 0;
    qsort(list, count, sizeof *list, compare_values);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && is_tie(list[end].value, list[first].value);)
            end++;
        double t = (double)(end - first);
        ties += t * t * t - t;
        for (size_t i = first; i < end; i++)
            list[i].rank = (double)(first + end + 1) / 2;
    }
    return ties;
}

/* ---- pairs ---------------------------------------------------------------------------------- */

/* p of Wilcoxon's test: exact for fewer than 50 differences without ties and zeros, else by the
 * normal distribution with a continuity correction. */
static onefold_status test_pair(of_arena *scratch, const double *values, size_t rows,
                                size_t methods, ranked *list, onefold_pair_test *pair)
{
    enum { LARGE = 50 };
    size_t n = 0;
    double ties, v = 0;
    for (size_t r = 0; r < rows; r++) {
        double a = values[r * methods + pair->first], b = values[r * methods + pair->second];
        if (!is_tie(a, b))
            list[n++] = (ranked){.value = fabs(a - b), .place = a > b};
    }
    ties = rank_all(list, n);
    for (size_t i = 0; i < n; i++)
        v += list[i].place ? list[i].rank : 0;
    double mean = (double)(n * (n + 1)) / 4;
    pair->differing = n;
    pair->statistic = v;
    pair->exact = n < LARGE && n == rows && ties == 0;
    pair->p = 1;
    if (pair->exact) {
        double below, above;
        OF_TRY(signed_rank_below(scratch, n, v, &below));
        OF_TRY(signed_rank_below(scratch, n, v - 1, &above));
        pair->p = fmin(1, 2 * (v > mean ? 1 - above : below));
    } else if (n > 0) {
        double spread = sqrt(mean * (double)(2 * n + 1) / 6 - ties / 48), off = v - mean;
        double z = (off - (off > 0 ? 0.5 : off < 0 ? -0.5 : 0)) / spread;
        pair->p = fmin(1, 2 * normal_below(-fabs(z)));
    }
    return ONEFOLD_OK;
}

static int compare_pairs(const void *a, const void *b)
{
    const onefold_pair_test *const *x = a, *const *y = b;
    return ((*x)->p > (*y)->p) - ((*x)->p < (*y)->p);
}

/* Holm's correction, and whether so few rows can reach the level after it. */
static onefold_status correct_pairs(of_arena *scratch, onefold_pair_test *pairs, size_t count)
{
    onefold_pair_test **by_p;
    double so_far = 0;
    OF_TRY(OF_NEW(scratch, &by_p, count, 1));
    for (size_t i = 0; i < count; i++)
        by_p[i] = &pairs[i];
    qsort(by_p, count, sizeof(onefold_pair_test *), compare_pairs);
    for (size_t i = 0; i < count; i++) {
        so_far = fmax(so_far, fmin(1, (double)(count - i) * by_p[i]->p));
        by_p[i]->p_holm = so_far;
        by_p[i]->can_tell =
            (double)count * ldexp(2, -(int)of_size_least(by_p[i]->differing, 1000)) <= LEVEL;
    }
    return ONEFOLD_OK;
}

static onefold_status test_pairs(onefold_comparison *made, const double *values)
{
    OF_SCRATCH(scratch, made->arena.context);
    onefold_comparison_info *info = &made->info;
    size_t count = info->methods * (info->methods - 1) / 2, at = 0;
    onefold_pair_test *pairs;
    ranked *list;
    OF_TRY(OF_NEW_ZERO(&made->arena, &pairs, count, 1));
    OF_TRY(OF_NEW(&scratch, &list, info->rows, 1));
    for (size_t a = 0; a < info->methods; a++)
        for (size_t b = a + 1; b < info->methods; b++, at++) {
            pairs[at].first = a;
            pairs[at].second = b;
            OF_TRY(test_pair(&scratch, values, info->rows, info->methods, list, &pairs[at]));
        }
    OF_TRY(correct_pairs(&scratch, pairs, count));
    info->pairs = count;
    return OF_LIST(&made->arena, &info->pair, pairs, count);
}

/* ---- all methods ---------------------------------------------------------------------------- */

static onefold_status test_all(onefold_comparison *made, const double *values)
{
    OF_SCRATCH(scratch, made->arena.context);
    onefold_comparison_info *info = &made->info;
    size_t k = info->methods, n = info->rows;
    double *rank, ties = 0, square = 0;
    ranked *list;
    OF_TRY(OF_NEW_ZERO(&made->arena, &rank, k, 1));
    OF_TRY(OF_NEW(&scratch, &list, k, 1));
    for (size_t r = 0; r < n; r++) {
        for (size_t m = 0; m < k; m++) /* the largest value has rank 1 */
            list[m] = (ranked){.value = -values[r * k + m], .place = m};
        ties += rank_all(list, k);
        for (size_t m = 0; m < k; m++)
            rank[list[m].place] += list[m].rank / (double)n;
    }
    double rows = (double)n, methods = (double)k,
           spread = rows * methods * (methods + 1) - ties / (methods - 1);
    for (size_t m = 0; m < k; m++) {
        double off = rows * rank[m] - rows * (methods + 1) / 2;
        square += off * off;
    }
    info->rank = rank;
    info->chi_square = spread > 0 ? 12 * square / spread : 0;
    info->p = chi_square_above(info->chi_square, k - 1);
    info->can_tell = chi_square_above(rows * (methods - 1), k - 1) <= LEVEL;
    info->critical_difference =
        range_limit(k) / sqrt(2) * sqrt(methods * (methods + 1) / (6 * rows));
    return ONEFOLD_OK;
}

onefold_status onefold_compare(onefold_comparison **comparison, onefold_context *context,
                               const double *values, size_t rows, size_t methods)
{
    if (!comparison || !values || rows < 1 || methods < 2 || rows > MOST || methods > MOST)
        return of_fail(ONEFOLD_USAGE,
                       "onefold_compare needs a place for the comparison, and values of at least "
                       "two methods on at least one set");
    for (size_t i = 0; i < rows * methods; i++)
        if (!isfinite(values[i]))
            return of_hint(of_fail(ONEFOLD_BAD_DATA,
                                   "onefold_compare: method %zu has no value in row %zu",
                                   i % methods + 1, i / methods + 1),
                           "leave out methods or sets with missing values");
    onefold_comparison *made;
    OF_TRY(OF_OBJECT(of_context_or_default(context), &made));
    made->info.rows = rows;
    made->info.methods = methods;
    onefold_status status = test_all(made, values);
    if (status == ONEFOLD_OK)
        status = test_pairs(made, values);
    return of_object_give(comparison, made, status);
}

const onefold_comparison_info *onefold_comparison_describe(const onefold_comparison *comparison)
{
    return comparison ? &comparison->info : NULL;
}

void onefold_comparison_free(onefold_comparison *comparison)
{
    of_object_free(comparison);
}
