/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The choice: of the candidates that are eligible, the one whose five highest agreements (NMI) with
 * the other labellings are highest on average. Not all of them: whole families of labellings may be
 * wrong together on a kind of data, and are not to outvote the right one.
 */
#include "method/onefold_parts.h"

#include <math.h>

enum { HIGHEST = 5 };

static double entropy(size_t count, const size_t *size, double n)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        if (size[i])
            sum -= (double)size[i] / n * log((double)size[i] / n);
    return sum;
}

onefold_status of_contest_agreement(of_context *context, size_t n, size_t mu, const int32_t *a,
                                    const int32_t *b, double *nmi)
{
    OF_SCRATCH(scratch, context);
    size_t *table, *rows, *columns;
    OF_TRY(OF_NEW_ZERO(&scratch, &table, mu, mu));
    OF_TRY(OF_NEW_ZERO(&scratch, &rows, mu, 1));
    OF_TRY(OF_NEW_ZERO(&scratch, &columns, mu, 1));
    for (size_t j = 0; j < n; j++) {
        table[(size_t)a[j] * mu + (size_t)b[j]]++;
        rows[a[j]]++;
        columns[b[j]]++;
    }
    double all = (double)n, ha = entropy(mu, rows, all), hb = entropy(mu, columns, all),
           both = entropy(mu * mu, table, all);
    *nmi = ha > 0 && hb > 0 ? (ha + hb - both) / sqrt(ha * hb) : (double)(ha == hb);
    return ONEFOLD_OK;
}

/* Labelling o: of the candidates, then of the voters. */
static const int32_t *labels_of(const of_contest *contest, size_t o)
{
    return o < contest->count ? contest->candidate[o].labels : contest->vote[o - contest->count];
}

/* The mean of the highest agreements of candidate i with the others. */
static onefold_status score(of_context *context, const of_contest *contest, size_t i, double *mean)
{
    const of_problem *problem = contest->pool->problem;
    double highest[HIGHEST] = {0};
    size_t others = contest->count + contest->voters,
           count = others - 1 < HIGHEST ? others - 1 : HIGHEST;
    for (size_t o = 0; o < others; o++) {
        double nmi;
        if (o == i)
            continue;
        OF_TRY(of_contest_agreement(context, contest->samples, problem->options->clusters,
                                    labels_of(contest, i), labels_of(contest, o), &nmi));
        for (size_t r = 0; r < HIGHEST; r++)
            if (nmi > highest[r]) {
                double less = highest[r];
                highest[r] = nmi;
                nmi = less;
            }
    }
    *mean = count ? 0 : 1;
    for (size_t r = 0; r < count; r++)
        *mean += highest[r] / (double)count;
    return ONEFOLD_OK;
}

onefold_status of_contest_choose(of_context *context, of_contest *contest)
{
    OF_SCRATCH(scratch, context);
    const of_problem *problem = contest->pool->problem;
    double best = 0, *x = NULL;
    size_t d = 0;
    /* The columns are those of all samples of the pool, so labels have to be, too. They are: with
     * few columns a contest on a sample has a pool of that sample (of_sample_suits), except in a
     * quick fit, which has one candidate. */
    contest->likely = contest->pool->few && contest->count > 1;
    if (contest->likely)
        OF_TRY(of_likelihood_columns(context, &scratch, problem, &x, &d));
    contest->chosen = SIZE_MAX;
    for (size_t i = 0; i < contest->count; i++) {
        of_candidate *one = &contest->candidate[i];
        OF_TRY(score(context, contest, i, &one->agreement));
        double value = one->agreement;
        if (contest->likely)
            OF_TRY(of_label_likelihood(context, d, contest->samples, x, problem->options->clusters,
                                       one->labels, &value));
        if (one->eligible && (contest->chosen == SIZE_MAX || value > best)) {
            best = value;
            contest->chosen = i;
        }
    }
    return ONEFOLD_OK;
}
