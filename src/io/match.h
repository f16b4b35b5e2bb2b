/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples matched across files by their ids. A matrix may have names on both of its sides; those
 * that several files share are the samples' (docs/tables.md has the rules).
 */
#ifndef OF_IO_MATCH_H
#define OF_IO_MATCH_H

#include "data/dataset.h"
#include "io/read.h"

/* The names of one side of a matrix, or of a list of labels. */
typedef struct of_ids {
    const char *const *name; /* NULL: it has none */
    size_t count;
    int usable;   /* every one is there, and no two are the same */
    int counting; /* they are 0, 1, 2, ... or 1, 2, 3, ...: a count of rows */
    of_name_index index;
} of_ids;

#define OF_HARDLY 0.1 /* of the shorter list of ids: below this they do not meet */

onefold_status of_ids_make(of_arena *arena, const char *const *names, size_t count, of_ids *ids);

/* The ids that both have, and their share of the shorter list. */
size_t of_ids_common(const of_ids *a, const of_ids *b);
double of_ids_overlap(const of_ids *a, const of_ids *b);

/* The first that another list lacks, "" where there is none. */
const char *of_ids_first_missing(const of_ids *ids, const of_ids *from);

/* The sentence for ids that (hardly) meet: how many, and two of each. */
onefold_status of_ids_refuse(const char *one, const of_ids *a, const char *other, const of_ids *b);

/* The matrix with its lines in another order: line j of its rows, or columns, is line from[j], and
 * missing (NaN) where that is SIZE_MAX. `both`: a square one, of which both sides are. Its values
 * are copied into `store`. */
onefold_status of_matrix_reorder(of_owner *store, of_matrix *matrix, int rows, int both,
                                 const size_t *from, size_t count);

#endif
