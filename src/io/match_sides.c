/* SPDX-License-Identifier: Apache-2.0 */
/* Which side of each matrix is the samples: the one whose ids the other files have too. */
#include "io/match_parts.h"

#define HARDLY 0.1 /* of the shorter list of ids: below this they do not meet */

static int better_side(const of_match_party *one, const of_ids *with, double *overlap)
{
    double rows = of_ids_overlap(with, &one->side[OF_MATCH_ROWS]),
           columns = of_ids_overlap(with, &one->side[OF_MATCH_COLUMNS]);
    *overlap = rows >= columns ? rows : columns;
    return rows >= columns ? OF_MATCH_ROWS : OF_MATCH_COLUMNS;
}

/* The least overlap of a side of the first matrix with the others, and whose it is. */
static double least_overlap(const of_matching *match, int side, const of_match_party **worst)
{
    double least = 1, overlap;
    size_t others = 0;
    for (size_t p = 0; p < match->count; p++) {
        const of_match_party *other = &match->party[p];
        if (other == match->first || !of_match_has_ids(other) ||
            (other->labels && !match->reading->labels.truth))
            continue;
        better_side(other, &match->first->side[side], &overlap);
        if (!others++ || overlap < least) {
            least = overlap;
            *worst = other;
        }
    }
    return others ? least : -1;
}

/* Ids of rows come first; the names of columns are samples' where those of rows do not meet. */
onefold_status of_match_choose_sides(of_matching *match, int *chosen)
{
    const of_match_party *worst[2] = {NULL, NULL}, *first = match->first;
    double least[2];
    for (int side = OF_MATCH_ROWS; side <= OF_MATCH_COLUMNS; side++)
        least[side] = first->side[side].usable ? least_overlap(match, side, &worst[side]) : -1;
    *chosen = least[OF_MATCH_ROWS] >= HARDLY      ? OF_MATCH_ROWS
              : least[OF_MATCH_COLUMNS] >= HARDLY ? OF_MATCH_COLUMNS
                                                  : OF_MATCH_NONE;
    if (*chosen == OF_MATCH_NONE && (worst[OF_MATCH_ROWS] || worst[OF_MATCH_COLUMNS])) {
        int side = worst[OF_MATCH_ROWS] ? OF_MATCH_ROWS : OF_MATCH_COLUMNS;
        double overlap;
        int other = better_side(worst[side], &first->side[side], &overlap);
        if (!worst[side]->side[other].usable)
            other = !other;
        return of_ids_refuse(first->name, &first->side[side], worst[side]->name,
                             &worst[side]->side[other]);
    }
    if (*chosen == OF_MATCH_ROWS && least[OF_MATCH_COLUMNS] >= 0.5 &&
        first->found->matrix.rows != first->found->matrix.columns)
        OF_TRY(of_reading_say(match->reading, OF_SAID_BOTH_SIDES, first->name));
    if (*chosen == OF_MATCH_COLUMNS)
        OF_TRY(of_reading_say(match->reading, OF_SAID_COLUMNS, first->name));
    return ONEFOLD_OK;
}

int of_match_side_by_length(const of_matching *match)
{
    const of_file *own = match->first->found->file;
    for (int side = OF_MATCH_ROWS; side <= OF_MATCH_COLUMNS; side++) {
        size_t length = match->first->side[side].count, others = 0, fitting = 0;
        for (size_t p = 0; p < match->matrices; p++) {
            const of_matrix *matrix = &match->party[p].found->matrix;
            if (match->party[p].found->file == own)
                continue;
            others++;
            fitting += matrix->rows == length || matrix->columns == length;
        }
        if (match->first->side[side].usable && others && fitting == others)
            return side;
    }
    return OF_MATCH_NONE;
}

void of_match_set_sides(of_matching *match, int side)
{
    match->first->chosen = side;
    for (size_t p = 0; p < match->count; p++) {
        of_match_party *other = &match->party[p];
        double overlap;
        if (other == match->first || !of_match_has_ids(other))
            continue;
        int best = better_side(other, &match->first->side[side], &overlap);
        if (overlap >= HARDLY)
            other->chosen = best;
    }
}
