/* SPDX-License-Identifier: Apache-2.0 */
/* From the scores of repeats to means, spreads, best cells and the agreement between methods. */
#include "experiment/experiment_parts.h"

#include <math.h>

double of_measure_of(const onefold_scores *scores, onefold_measure measure)
{
    switch (measure) {
    case ONEFOLD_ACC:
        return scores->acc;
    case ONEFOLD_NMI:
        return scores->nmi;
    case ONEFOLD_PURITY:
        return scores->purity;
    default:
        return scores->ari;
    }
}

of_spread of_spread_of(const double *figures, size_t count)
{
    of_spread spread = {0, 0};
    for (size_t i = 0; i < count; i++)
        spread.mean += figures[i] / (double)count;
    for (size_t i = 0; i < count; i++)
        spread.deviation += (figures[i] - spread.mean) * (figures[i] - spread.mean);
    spread.deviation = count > 1 ? sqrt(spread.deviation / (double)(count - 1)) : 0;
    return spread;
}

onefold_status of_cell_summarise(of_context *context, of_cell *cell)
{
    const of_cell_result *result = &cell->result;
    OF_SCRATCH(scratch, context);
    double *figures;
    OF_TRY(OF_NEW(&scratch, &figures, result->repeats, 1));
    for (int m = 0; result->scores && m < ONEFOLD_MEASURES; m++) {
        for (size_t r = 0; r < result->repeats; r++)
            figures[r] = of_measure_of(&result->scores[r], (onefold_measure)m);
        cell->spread[m] = of_spread_of(figures, result->repeats);
    }
    return ONEFOLD_OK;
}

/* The mean of a measure over the first repeats, as many as all cells of a grid have. */
static double mean_to_choose_by(const of_experiment *experiment, const of_cell *cell, int measure)
{
    size_t count = cell->result.repeats;
    double sum = 0;
    if (!cell->method->ends_in_kmeans && experiment->options.grid_repeats < count)
        count = experiment->options.grid_repeats;
    for (size_t r = 0; r < count; r++)
        sum += of_measure_of(&cell->result.scores[r], (onefold_measure)measure);
    return sum / (double)count;
}

/* The first of the cells of largest mean. */
static void choose_best(const of_experiment *experiment, of_contender *contender)
{
    for (size_t i = 0; i < experiment->cell_count; i++) {
        const of_cell *cell = &experiment->cells[i];
        if (cell->method != contender->method || !(cell->roles & ONEFOLD_CELL_GRID))
            continue;
        contender->grid_cells++;
        contender->grid_failed += cell->result.status != ONEFOLD_OK;
        if (!cell->result.scores)
            continue;
        for (int m = 0; m < ONEFOLD_MEASURES; m++) {
            int by = contender->picks_view ? m : ONEFOLD_ACC;
            size_t best = contender->best[m];
            if (best == ONEFOLD_NO_CELL ||
                mean_to_choose_by(experiment, cell, by) >
                    mean_to_choose_by(experiment, &experiment->cells[best], by))
                contender->best[m] = i;
        }
    }
}

void of_experiment_choose(of_experiment *experiment)
{
    for (size_t i = 0; i < experiment->contender_count; i++)
        choose_best(experiment, &experiment->contenders[i]);
}

static onefold_status agreement_of(of_context *context, size_t samples, const of_cell_result *a,
                                   const of_cell_result *b, double *nmi)
{
    onefold_scores scores = ONEFOLD_SCORES_INIT;
    int64_t *one, *other;
    *nmi = NAN;
    if (!a->labels || !b->labels)
        return ONEFOLD_OK;
    OF_SCRATCH(scratch, context);
    OF_TRY(OF_NEW(&scratch, &one, samples, 1));
    OF_TRY(OF_NEW(&scratch, &other, samples, 1));
    for (size_t j = 0; j < samples; j++) {
        one[j] = a->labels[j];
        other[j] = b->labels[j];
    }
    OF_TRY(onefold_score(&scores, one, other, samples));
    *nmi = scores.nmi;
    return ONEFOLD_OK;
}

onefold_status of_experiment_summarise(of_context *context, of_experiment *experiment)
{
    size_t count = experiment->contender_count;
    OF_TRY(OF_NEW(&experiment->arena, &experiment->agreement, count, count));
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            OF_TRY(agreement_of(context, experiment->dataset->samples,
                                &experiment->cells[experiment->contenders[i].standard].result,
                                &experiment->cells[experiment->contenders[j].standard].result,
                                &experiment->agreement[i * count + j]));
    return ONEFOLD_OK;
}
