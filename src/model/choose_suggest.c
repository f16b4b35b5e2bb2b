/* SPDX-License-Identifier: Apache-2.0 */
/* From the curve to a number, and the sentences that say why. */
#include "model/choose.h"

#include <math.h>

/* Below the first, nothing stands out: not half of what lies above chance was reached anywhere. A
 * number counts whose evidence is at least the second share of the largest: fewer clusters than
 * there are can come back as well as all of them, more cannot, so the largest such number is it. */
static const double LEAST_EVIDENCE = 0.5, NEAR_BEST = 0.75;

/* How much of what lies above chance was reached. */
static double above(double value, double chance)
{
    return chance < 1 ? (value - chance) / (1 - chance) : 0;
}

void of_choose_weigh(onefold_choose_point *points, size_t count)
{
    double chance = -1, weakest = 0;
    for (size_t c = count; c-- > 0;) {
        onefold_choose_point *point = &points[c];
        point->chance = chance = fmax(chance, point->chance);
        point->weakest_chance = weakest = fmax(weakest, point->weakest_chance);
        double evidence = fmin(above(point->stability, chance), above(point->weakest, weakest));
        point->evidence = fmax(evidence, 0);
    }
}

size_t of_choose_suggest(const onefold_choose_point *points, size_t count)
{
    size_t suggested = 0;
    double best = 0;
    for (size_t c = 0; c < count; c++)
        best = fmax(best, points[c].evidence);
    if (!(best >= LEAST_EVIDENCE))
        return 0;
    for (size_t c = 0; c < count; c++)
        if (points[c].evidence >= NEAR_BEST * best)
            suggested = points[c].clusters;
    return suggested;
}

enum { MOST_REASONS = 6 };

typedef struct writer {
    of_arena *arena;
    const char **reason;
    size_t count;
} writer;

#define SAY(writer, ...)                                                                           \
    of_arena_string((writer)->arena, (char **)&(writer)->reason[(writer)->count++], __VA_ARGS__)

static const onefold_choose_point *best_of(const onefold_choice *choice)
{
    const onefold_choose_point *best = choice->point;
    for (size_t c = 1; c < choice->info.points; c++)
        if (choice->point[c].evidence > best->evidence)
            best = &choice->point[c];
    return best;
}

static onefold_status say_nothing(writer *to, const onefold_choice *choice)
{
    const onefold_choose_point *best = best_of(choice);
    OF_TRY(SAY(to, "nothing stands out: labels come back hardly better than those of samples "
                   "without clusters"));
    return SAY(to, "the most evidence is %.2f, for %zu clusters; it takes %.2f", best->evidence,
               best->clusters, LEAST_EVIDENCE);
}

/* What the next number loses, or that it was not tried. */
static onefold_status say_next(writer *to, const onefold_choice *choice,
                               const onefold_choose_point *it)
{
    if (it == choice->point + choice->info.points - 1)
        return SAY(to, "it is the largest number tried: there may be more clusters");
    const onefold_choose_point *next = it + 1;
    if (next->clusters_used < next->clusters)
        return SAY(to, "asked for %zu, only %zu clusters are used", next->clusters,
                   next->clusters_used);
    return SAY(to, "with %zu clusters the weakest comes back to %.0f %% (by chance %.0f %%)",
               next->clusters, 100 * next->weakest, 100 * next->weakest_chance);
}

static onefold_status say_others(writer *to, const onefold_choice *choice,
                                 const onefold_choose_point *it)
{
    const onefold_choose_point *best = best_of(choice);
    if (best->evidence > it->evidence + 0.005) /* more by what is printed */
        OF_TRY(SAY(to, "%zu clusters have more evidence (%.2f against %.2f): a coarser grouping",
                   best->clusters, best->evidence, it->evidence));
    size_t agree = 0;
    for (size_t v = 0; v < choice->info.views; v++)
        agree += choice->info.gap_clusters[v] == it->clusters;
    if (agree)
        OF_TRY(SAY(to, "the eigenvalues of %zu of %zu views fall most at this number", agree,
                   choice->info.views));
    return ONEFOLD_OK;
}

onefold_status of_choose_reasons(onefold_choice *choice)
{
    onefold_choose_info *info = &choice->info;
    writer to = {.arena = &choice->arena};
    OF_TRY(OF_NEW(to.arena, &to.reason, MOST_REASONS, 1));
    if (info->suggested) {
        const onefold_choose_point *it =
            choice->point + (info->suggested - choice->point[0].clusters);
        OF_TRY(SAY(&to,
                   "labels come back to %.0f %% in subsamples (by chance %.0f %%), the weakest "
                   "cluster to %.0f %% (%.0f %%)",
                   100 * it->stability, 100 * it->chance, 100 * it->weakest,
                   100 * it->weakest_chance));
        OF_TRY(say_next(&to, choice, it));
        OF_TRY(say_others(&to, choice, it));
    } else {
        OF_TRY(say_nothing(&to, choice));
    }
    if (info->curve_samples < info->samples)
        OF_TRY(SAY(&to, "the curve is that of %zu of the %zu samples", info->curve_samples,
                   info->samples));
    choice->reason = to.reason;
    info->reasons = to.count;
    return ONEFOLD_OK;
}
