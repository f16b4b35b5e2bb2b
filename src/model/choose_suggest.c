/* SPDX-License-Identifier: Apache-2.0 */
/* From the curve to a number, and the sentences that say why. */
#include "model/choose.h"

#include <math.h>
#include <stdio.h>

/* Below the first, nothing stands out: not half of what lies above chance was reached anywhere.
 * Fewer clusters than there are can come back as well as all of them, more cannot, so it is the
 * largest number that counts: one whose evidence is about the largest (the second share of it), or
 * one that has the third share and comes back better than the number before it. A number that has
 * less than the one before it is where a level of evidence ends, and speaks for nothing of its own.
 */
static const double LEAST_EVIDENCE = 0.5, ABOUT_BEST = 0.85, NEAR_BEST = 0.75;

/* Graphs show clusters so plainly that nearly all of what lies above chance is reached with the
 * right number, and much of it with one or two more: there, a number must have this share. They
 * split samples without clusters much the same way each time, too: there it takes more. */
static const double BEST_JOINT = 0.95, LEAST_JOINT = 0.8;

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

size_t of_choose_suggest(const onefold_choose_point *points, size_t count, int joint,
                         of_joint_pieces pieces)
{
    size_t suggested = 0;
    double best = 0;
    for (size_t c = 0; c < count; c++)
        if (points[c].clusters == pieces.clear) /* refits need not say it too */
            return pieces.clear;
    while (pieces.most && count && points[count - 1].clusters > pieces.most)
        count--; /* a piece would be cut */
    for (size_t c = 0; c < count; c++)
        best = fmax(best, points[c].evidence);
    if (!(best >= (joint ? LEAST_JOINT : LEAST_EVIDENCE)))
        return 0;
    for (size_t c = 0; c < count; c++) {
        int rises = c == 0 || points[c].evidence > points[c - 1].evidence;
        double share = joint ? BEST_JOINT : rises ? NEAR_BEST : ABOUT_BEST;
        if (points[c].evidence >= share * best)
            suggested = points[c].clusters;
    }
    return suggested;
}

enum { MOST_REASONS = 8 };

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
    OF_TRY(SAY(to,
               "nothing stands out: refitting on some of the samples reproduces the labels hardly "
               "better than it would for samples without clusters"));
    return SAY(to, "the most evidence is %.2f, for %zu clusters; it takes %.2f", best->evidence,
               best->clusters, choice->joint ? LEAST_JOINT : LEAST_EVIDENCE);
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
    return SAY(to, "with %zu the weakest cluster is reproduced with Jaccard %.2f (chance %.2f)",
               next->clusters, next->weakest, next->weakest_chance);
}

/* Names the numbers from `from` up to before `end` with enough evidence: "2 (evidence 1.00), 3
 * (0.98)". */
static onefold_status say_groupings(writer *to, const onefold_choice *choice, size_t from,
                                    size_t end, const char *what)
{
    char list[256] = "";
    size_t used = 0, named = 0;
    for (size_t c = from; c < end && named < 4; c++) {
        const onefold_choose_point *it = &choice->point[c];
        if (it->evidence < LEAST_EVIDENCE)
            continue;
        used += (size_t)snprintf(list + used, 48, "%s%zu (%s%.2f)", named ? ", " : "", it->clusters,
                                 named ? "" : "evidence ", it->evidence);
        named++;
    }
    return named ? SAY(to, "%s %s", what, list) : ONEFOLD_OK;
}

static onefold_status say_others(writer *to, const onefold_choice *choice,
                                 const onefold_choose_point *it)
{
    size_t at = (size_t)(it - choice->point), agree = 0;
    OF_TRY(say_groupings(to, choice, 0, at, "coarser groupings: into"));
    OF_TRY(
        say_groupings(to, choice, at + 1, choice->info.points, "finer groupings, less sure: into"));
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
        if (info->suggested == choice->pieces.clear)
            OF_TRY(SAY(&to,
                       "the graph of nearest neighbours of all views falls apart into %zu pieces: "
                       "one more cut would cost over ten times what the last does",
                       info->suggested));
        OF_TRY(SAY(
            &to,
            "refitting on %.0f %% of the samples reproduces the labels, ARI %.2f (chance %.2f), "
            "and the weakest cluster, Jaccard %.2f (%.2f)",
            100 * info->share, it->stability, it->chance, it->weakest, it->weakest_chance));
        OF_TRY(say_next(&to, choice, it));
        OF_TRY(say_others(&to, choice, it));
    } else {
        OF_TRY(say_nothing(&to, choice));
    }
    if (info->curve_samples < info->samples)
        OF_TRY(SAY(&to, "the curve is that of %zu of the %zu samples", info->curve_samples,
                   info->samples));
    choice->info.reason = to.reason;
    info->reasons = to.count;
    return ONEFOLD_OK;
}
