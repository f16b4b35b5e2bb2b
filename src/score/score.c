/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How one labelling agrees with another. Where a score is 0/0 by its formula it is 1 if the two
 * labellings are the same up to names, and 0 otherwise:
 *
 *     nmi         both are one cluster: 1; only one of them is: 0
 *     ari         both are one cluster, or both have every sample alone: 1
 *     precision   the labels join no pair: 1 if the truth joins none either, else 0
 *     recall      the truth joins no pair: 1 if the labels join none either, else 0
 *
 * One sample alone agrees with itself in every score.
 */
#include "base/structs.h"
#include "score/assignment.h"
#include "score/pairs.h"

#include <math.h>

static double entropy(const size_t *sum, size_t count, double samples)
{
    double total = 0;
    for (size_t i = 0; i < count; i++)
        total -= (double)sum[i] / samples * log((double)sum[i] / samples);
    return total > 0 ? total : 0; /* one cluster gives -0 */
}

static double mutual_information(const of_contingency *table)
{
    double total = 0, samples = (double)table->samples;
    for (size_t i = 0; i < table->rows; i++)
        for (size_t e = table->start[i]; e < table->start[i + 1]; e++) {
            double share = (double)table->count[e] / samples,
                   by_row = (double)table->count[e] / (double)table->row_sum[i],
                   by_column = (double)table->column_sum[table->column[e]] / samples;
            total += share * log(by_row / by_column);
        }
    return total > 0 ? total : 0;
}

/* Rounding may lift a ratio above 1 by its last digit. */
static double ratio(double part, double whole)
{
    return whole > 0 ? fmin(part / whole, 1) : 0;
}

static void score_information(onefold_scores *scores, const of_contingency *table)
{
    double information = mutual_information(table),
           a = entropy(table->row_sum, table->rows, (double)table->samples),
           b = entropy(table->column_sum, table->columns, (double)table->samples);
    int both_one = table->rows == 1 && table->columns == 1;
    scores->nmi_max = both_one ? 1 : ratio(information, fmax(a, b));
    scores->nmi_sum = both_one ? 1 : ratio(2 * information, a + b);
    scores->nmi_sqrt = both_one ? 1 : ratio(information, sqrt(a * b));
    scores->nmi = scores->nmi_max;
}

static double pairs_within(const size_t *sum, size_t count)
{
    double total = 0;
    for (size_t i = 0; i < count; i++)
        total += of_pairs(sum[i]);
    return total;
}

static void score_pairs(onefold_scores *scores, const of_contingency *table)
{
    double both = pairs_within(table->count, table->start[table->rows]),
           joined = pairs_within(table->row_sum, table->rows),
           true_pairs = pairs_within(table->column_sum, table->columns);
    scores->ari = of_adjusted_rand(both, joined, true_pairs, of_pairs(table->samples));
    int no_pairs = joined == 0 && true_pairs == 0;
    scores->precision = no_pairs ? 1 : ratio(both, joined);
    scores->recall = no_pairs ? 1 : ratio(both, true_pairs);
    scores->f = no_pairs ? 1 : ratio(2 * both, joined + true_pairs);
}

static double purity(const of_contingency *table)
{
    size_t total = 0;
    for (size_t i = 0; i < table->rows; i++) {
        size_t most = 0;
        for (size_t e = table->start[i]; e < table->start[i + 1]; e++)
            most = table->count[e] > most ? table->count[e] : most;
        total += most;
    }
    return (double)total / (double)table->samples;
}

onefold_status onefold_score(onefold_scores *scores, const int64_t *labels, const int64_t *truth,
                             size_t samples)
{
    if (!scores || ((!labels || !truth) && samples > 0))
        return of_fail(ONEFOLD_USAGE, "scoring needs two labellings and a place for the scores");
    if (samples == 0)
        return of_fail(ONEFOLD_BAD_DATA, "there are no samples to score");
    OF_SCRATCH(scratch, NULL);
    of_contingency table;
    size_t matched;
    onefold_scores all = ONEFOLD_SCORES_INIT;
    OF_TRY(of_contingency_make(&scratch, &table, labels, truth, samples));
    OF_TRY(of_assignment(scratch.context, &table, &matched, NULL));
    all.acc = (double)matched / (double)samples;
    all.purity = purity(&table);
    score_information(&all, &table);
    score_pairs(&all, &table);
    all.clusters = table.rows;
    all.classes = table.columns;
    return OF_STRUCT_WRITE(scores, &all, onefold_scores);
}

onefold_status onefold_score_classes(onefold_scores *scores, const int32_t *labels,
                                     const int32_t *truth, size_t samples)
{
    if (!scores || !labels || !truth)
        return of_fail(ONEFOLD_USAGE, "scoring needs labels, a truth and a place for the scores");
    OF_SCRATCH(scratch, of_context_or_default(NULL));
    int64_t *ours, *theirs;
    OF_TRY(OF_NEW(&scratch, &ours, samples, 1));
    OF_TRY(OF_NEW(&scratch, &theirs, samples, 1));
    for (size_t i = 0; i < samples; i++) {
        ours[i] = labels[i];
        theirs[i] = truth[i];
    }
    return onefold_score(scores, ours, theirs, samples);
}
