/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What subsamples say of a labelling (docs/choose.md): how stable its clusters are, and how often
 * a sample stays with its cluster, which is its confidence.
 */
#include "model/fit.h"

#include "base/comm.h"
#include "score/score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* KNOTS: of the line from margin to confidence, at most. EACH: samples for a knot. */
enum { KNOTS = 16, EACH = 20 };

typedef struct drawn {
    size_t count, mu;    /* samples of the table, clusters */
    int32_t *labels;     /* count: of the fit */
    double *margin;      /* count */
    double *stays, *all; /* count: subsamples in which it stays with its cluster; that have it */
} drawn;

/* The cluster of the fit that each cluster of a draw shares most samples with, one to one. */
static onefold_status match_clusters(of_context *context, const drawn *t, const int32_t *own,
                                     int32_t *match /* mu */)
{
    OF_SCRATCH(scratch, context);
    of_contingency table;
    int64_t *first, *second, *to;
    size_t n = 0, *total = &(size_t){0};
    int32_t *fit; /* the label of each column of the table */
    OF_TRY(OF_NEW(&scratch, &first, t->count, 1));
    OF_TRY(OF_NEW(&scratch, &second, t->count, 1));
    OF_TRY(OF_NEW(&scratch, &to, t->mu, 1));
    OF_TRY(OF_NEW_ZERO(&scratch, &fit, t->mu, 1));
    for (size_t j = 0; j < t->count; j++)
        if (own[j] >= 0) {
            first[n] = own[j];
            second[n++] = t->labels[j];
        }
    OF_TRY(of_contingency_make(&scratch, &table, first, second, NULL, n));
    OF_TRY(of_assignment(context, &table, total, to));
    for (size_t c = 0; c < t->mu; c++)
        match[c] = -1;
    for (size_t j = 0; j < n; j++) /* which labels occur, and their rank */
        match[first[j]] = 0, fit[second[j]] = 1;
    size_t column = 0, row = 0;
    for (size_t c = 0; c < t->mu; c++)
        if (fit[c])
            fit[column++] = (int32_t)c;
    for (size_t c = 0; c < t->mu; c++)
        if (match[c] == 0) {
            match[c] = to[row] == OF_UNMATCHED ? -1 : fit[to[row]];
            row++;
        }
    return ONEFOLD_OK;
}

static onefold_status count_stays(of_context *context, const of_draws *draws, drawn *t,
                                  double *stability)
{
    OF_SCRATCH(scratch, context);
    int32_t *match;
    double *jaccard, *times;
    OF_TRY(OF_NEW(&scratch, &match, t->mu, 1));
    OF_TRY(OF_NEW_ALL_ZERO(&scratch, {&jaccard, t->mu, 1}, {&times, t->mu, 1}));
    for (size_t d = 0; d < draws->count; d++) {
        const int32_t *own = draws->labels + d * t->count;
        OF_TRY(of_recurrence(context, t->labels, t->mu, own, t->mu, t->count, 0, NULL, jaccard));
        for (size_t c = 0; c < t->mu; c++)
            if (!isnan(jaccard[c])) {
                stability[c] += jaccard[c];
                times[c] += 1;
            }
        OF_TRY(match_clusters(context, t, own, match));
        for (size_t j = 0; j < t->count; j++)
            if (own[j] >= 0) {
                t->all[j] += 1;
                t->stays[j] += match[own[j]] == t->labels[j];
            }
    }
    for (size_t c = 0; c < t->mu; c++)
        stability[c] = times[c] > 0 ? stability[c] / times[c] : NAN;
    return ONEFOLD_OK;
}

/* ---- the confidence of a margin -------------------------------------------------------------- */

typedef struct knot {
    double margin, stays, all, samples; /* sums */
} knot;

static int by_margin(const void *a, const void *b)
{
    const knot *x = a, *y = b;
    return (x->margin > y->margin) - (x->margin < y->margin);
}

static void add_knot(const knot *from, knot *to)
{
    to->margin += from->margin;
    to->stays += from->stays;
    to->all += from->all;
    to->samples += from->samples;
}

/* Means of runs of samples by rising margin; runs are joined until the shares rise, too. */
static onefold_status make_knots(of_arena *arena, const drawn *t, of_rule *rule)
{
    OF_SCRATCH(scratch, arena->context);
    knot *one, run[KNOTS + 1];
    double *margin, *share;
    size_t wanted = of_size_least(KNOTS, t->count / EACH ? t->count / EACH : 1), found = 0;
    OF_TRY(OF_NEW(&scratch, &one, t->count, 1));
    OF_TRY(OF_NEW_ALL(arena, {&margin, KNOTS, 1}, {&share, KNOTS, 1}));
    for (size_t j = 0; j < t->count; j++)
        one[j] = (knot){t->margin[j], t->stays[j], t->all[j], 1};
    qsort(one, t->count, sizeof *one, by_margin);
    for (size_t r = 0, j = 0; r < wanted; r++) {
        size_t end = of_part_start(t->count, wanted, r + 1);
        run[found] = (knot){0};
        for (; j < end; j++)
            add_knot(&one[j], &run[found]);
        if (!(run[found].all > 0))
            continue;
        for (found++; found > 1; found--) {
            knot *low = &run[found - 2], *high = low + 1;
            if (low->margin / low->samples < high->margin / high->samples &&
                low->stays / low->all <= high->stays / high->all)
                break;
            add_knot(high, low);
        }
    }
    for (size_t i = 0; i < found; i++) {
        margin[i] = run[i].margin / run[i].samples;
        share[i] = run[i].stays / run[i].all;
    }
    rule->knots = found;
    rule->margin = margin;
    rule->share = share;
    return ONEFOLD_OK;
}

/* ---- the stability --------------------------------------------------------------------------- */

/* Labels and margins of the table's samples, on every process. */
static onefold_status take_drawn(of_context *context, size_t n, const of_draws *draws,
                                 const of_outcome *outcome, drawn *t)
{
    of_range own = of_comm_own(context, n);
    for (size_t j = 0; j < t->count; j++)
        if (draws->place[j] >= own.first && draws->place[j] < own.end) {
            size_t at = draws->place[j] - own.first;
            t->labels[j] = outcome->labels[at];
            t->margin[j] = outcome->confidence ? outcome->confidence[at] : 0;
        }
    if (!of_comm_splits(context, n))
        return ONEFOLD_OK;
    OF_TRY(of_comm_gather_chosen(context, t->labels, sizeof *t->labels, n, draws->place, t->count));
    return of_comm_gather_chosen(context, t->margin, sizeof *t->margin, n, draws->place, t->count);
}

/* A sample of the table has the share of the subsamples in which it stays with its cluster, and of
 * one more by its margin; other samples have that of their margin. */
static void fill_confidence(of_context *context, size_t n, const of_draws *draws, const drawn *t,
                            const of_rule *rule, double *confidence)
{
    of_range own = of_comm_own(context, n);
    for (size_t j = 0; j < own.end - own.first; j++)
        confidence[j] = of_rule_confidence(rule, confidence[j]);
    for (size_t j = 0; j < t->count; j++)
        if (draws->place[j] >= own.first && draws->place[j] < own.end) {
            double *one = &confidence[draws->place[j] - own.first];
            *one = (t->stays[j] + *one) / (t->all[j] + 1);
        }
}

onefold_status of_stability_make(of_context *context, const of_fit_plan *plan, of_outcome *outcome)
{
    OF_SCRATCH(scratch, context);
    const of_draws *draws = &outcome->draws;
    size_t n = plan->problem.dataset->samples, mu = plan->options.clusters;
    drawn t = {.count = draws->samples, .mu = mu};
    if (!draws->count || mu > OF_MOST_EXPLAINED)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW_ZERO(&outcome->arena, &outcome->stability, mu, 1));
    OF_TRY(OF_NEW(&scratch, &t.labels, t.count, 1));
    OF_TRY(OF_NEW_ALL_ZERO(&scratch, {&t.margin, t.count, 1}, {&t.stays, t.count, 1},
                           {&t.all, t.count, 1}));
    OF_COUNTED(context);
    OF_TRY(take_drawn(context, n, draws, outcome, &t));
    OF_TRY(count_stays(context, draws, &t, outcome->stability));
    if (!outcome->confidence)
        return ONEFOLD_OK;
    OF_TRY(make_knots(&outcome->arena, &t, &outcome->rule));
    fill_confidence(context, n, draws, &t, &outcome->rule, outcome->confidence);
    return ONEFOLD_OK;
}
