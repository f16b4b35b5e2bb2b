/* SPDX-License-Identifier: Apache-2.0 */
/* Samples matched by id, as the files that do it see each other. */
#ifndef OF_IO_MATCH_PARTS_H
#define OF_IO_MATCH_PARTS_H

#include "io/match.h"

enum { OF_MATCH_ROWS, OF_MATCH_COLUMNS, OF_MATCH_NONE };

/* A matrix, or labels, whose samples may have ids. */
typedef struct of_match_party {
    const char *name;
    of_ids side[2];
    int chosen;      /* the side that is the samples, or OF_MATCH_NONE */
    of_found *found; /* a matrix, or */
    of_labels *labels;
    of_read_metadata *metadata;
} of_match_party;

typedef struct of_matching {
    of_reading *reading;
    of_match_party *party;
    size_t count, matrices; /* the first of them are matrices */
    of_match_party *first;  /* the matrix that gives the order */
} of_matching;

int of_match_has_ids(const of_match_party *one);

/* ---- which side of each matrix the samples are (match_sides.c) ------------------------------ */

/* The side of the first matrix whose ids the others have too, OF_MATCH_NONE where nobody else has
 * ids. */
onefold_status of_match_choose_sides(of_matching *match, int *chosen);

/* Where one file alone has ids: the side of it that is as long as one of every other file's, or
 * OF_MATCH_NONE. */
int of_match_side_by_length(const of_matching *match);

/* The sides of all, once that of the first matrix is known. */
void of_match_set_sides(of_matching *match, int side);

/* ---- the samples, and everything in their order (match_place.c) ----------------------------- */

/* Those of the first matrix in its order, then those it lacks as they come. */
onefold_status of_match_list_samples(of_matching *match);

onefold_status of_match_place_matrix(of_matching *match, of_match_party *one);

/* The labels in the order of the samples. Those that are not of these samples are left as they are,
 * with a length that fits nothing. */
onefold_status of_match_place_labels(of_matching *match, of_match_party *one);

/* Where the samples are in a table about them. */
onefold_status of_match_place_metadata(of_matching *match, of_match_party *one);

/* Who is present, by the ids of its rows. */
onefold_status of_match_place_present(of_matching *match);

/* Matrices without ids: refused, or taken in the order of the first one's file. */
onefold_status of_match_place_others(of_matching *match);

#endif
