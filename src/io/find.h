/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding views and labels among the variables of files, by rule:
 *
 *  - labels are whole numbers or strings, one per sample, or one-hot, under one of the usual names;
 *  - views are matrices that belong together: the elements of a cell, the pages of a tensor,
 *    numbered variables, or else the free-named matrices that share a side;
 *  - the samples are the side that all the views of the chosen group, and the labels, share.
 */
#ifndef OF_IO_FIND_H
#define OF_IO_FIND_H

#include "data/dataset.h"
#include "io/file.h"
#include "io/notes.h"

/* ---- names (groups.c) ----------------------------------------------------------------------- */

/* Whether a text is one of the words of a list with blanks between them, or holds one of them. */
int of_is_one_of(const char *text, const char *list, int holds);

/* How surely a name is that of labels: 0 not at all, 1 it speaks of them, 2 one of the usual. */
int of_name_of_labels(const char *name);

/* Whether it is that of an index, a split, a mask or the like, which is no view. */
int of_name_of_decoy(const char *name);

/* Whether it is one under which ids of samples stand: of a column, or of a list of texts. */
int of_name_of_ids(const char *name);

/* Whether it is what a column of names of features is called: gene, symbol, probe, ... */
int of_name_of_features(const char *name);

/* Whether it is one under which files say which sample has which view: 1, or -1 where a 1 would
 * then mean that the view is missing. */
int of_name_of_present(const char *name);

/* Whether it is one under which a list of texts names columns; *number is the view's, from 1, where
 * the name ends in one, else 0. */
int of_name_of_columns(const char *name, size_t *number);

/* Whether a list of names with commas between them has this one, or the number of its column from 1
 * (SIZE_MAX: it has none). */
int of_name_listed(const char *list, const char *name, size_t column);

/* ---- labels (label_file.c) ------------------------------------------------------------------ */

typedef struct of_labels {
    const char *name;
    size_t length;
    int64_t *value;          /* length; the numbers of classes in the order of their names, where */
    const char **class_name; /* they are strings; else NULL */
    size_t classes;
    int surely;             /* of_name_of_labels */
    const char *how;        /* "one-hot", ...: NULL where there is nothing to say */
    const char *const *ids; /* of the samples they are of, or NULL */
    const of_file *file;    /* that they are from */
} of_labels;

/* Labels out of a variable; their length is 0 where its contents are none. */
onefold_status of_labels_from(of_arena *arena, const of_variable *variable, of_labels *labels);

/* Makes them the truth of a data set with as many samples. */
onefold_status of_labels_assign(of_dataset *dataset, const of_labels *labels);

/* ---- samples matched across files by their ids (match.c; docs/tables.md has the rules) ------ */

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

/* The share of the shorter list that both have. */
double of_ids_overlap(const of_ids *a, const of_ids *b);

/* The matrix with its lines in another order: line j of its rows, or columns, is line from[j], and
 * missing (NaN, or where `bare` without entries in a sparse one) where that is SIZE_MAX. `both`: a
 * square one, of which both sides are. Its values are copied, into the arena. */
onefold_status of_matrix_reorder(of_arena *arena, of_matrix *matrix, int rows, int both, int bare,
                                 const size_t *from, size_t count);

/* ---- groups (groups.c) ---------------------------------------------------------------------- */

/* A matrix that may be a view, with what is known of it. */
typedef struct of_found {
    of_matrix matrix;
    of_file *file;
    of_top *top;
    unsigned char kernel;        /* it is one */
    const of_variable *named_by; /* the list its names were taken from, or NULL: its own */
    const of_variable *ids_by;   /* the list that its samples' ids are from, or NULL */
    of_listed listed;
    onefold_side side;  /* that the samples are; until it is a view AUTO unless their ids tell */
    size_t absent;      /* samples that it has no line for, by their ids */
    const size_t *from; /* the row of the file that each sample was; NULL: they were not moved */
} of_found;

typedef enum of_group_kind {
    OF_GROUP_CELL,
    OF_GROUP_PAGES,
    OF_GROUP_NUMBERED,
    OF_GROUP_FREE
} of_group_kind;

/* Matrices that belong together. */
typedef struct of_group {
    of_group_kind kind;
    const char *name;
    size_t count, room;
    of_found *found;
    uint64_t rating; /* how likely it is that of the views */
} of_group;

/* The lengths, at most two, that a side of every matrix has. */
size_t of_sides_common(const of_found *found, size_t count, size_t common[2]);

/* Whether every matrix is a list of (sample, column, value); `samples` is 0 where it is not known,
 * and then set to the number they agree on. */
int of_triplets_are(const of_found *found, size_t count, size_t *samples);

/* ---- what the reading of a data set knows on its way from files to views -------------------- */

typedef struct of_reading {
    of_arena *arena; /* of everything below, until the data set is there */
    const onefold_read_options *given;
    onefold_read_options options; /* these, and that samples are columns once that was found out */
    int again;                    /* its words were made numbers, and must not be */
    of_notes notes;               /* what was assumed or done that a person should know */
    /* In the order in which they are written. The files: read.c opens those with views, and others
     * theirs. */
    of_file *file;
    size_t file_count; /* those with views */
    size_t opened;     /* these, and the files of the truth and of who is present */
    /* Candidates for labels, the surest first (label_file.c; match.c brings them into order). */
    of_labels *labels;
    size_t label_count;
    size_t label_all;  /* with those that would be, had the first not been asked for */
    const char *truth; /* the name of the one that was asked for, or NULL */
    /* Which sample has which view (read.c). */
    const of_variable *present; /* says so, or NULL */
    int present_asked;          /* it is from the file that was named for it */
    /* The matrices that become views (find_views.c). */
    of_found *found;
    size_t found_count;
    const of_found *all; /* those there were before some were picked */
    size_t all_count;
    const of_variable *view_names; /* texts that name the views of a file that holds all, or NULL */
    int may_repeat; /* free-named matrices, among which the same may be there twice */
    /* Samples that were matched by id (match.c). */
    size_t matched; /* how many; 0: they were not */
    const char *const *ids;
    int moved;            /* some file had them in another order, or others */
    size_t *present_from; /* the row of the table of who is present, for each; NULL: its own */
    /* What the samples are (read.c). */
    size_t samples;
    const of_labels *true_labels; /* those that fit, or NULL */
    int triplets;                 /* the matrices are lists of (sample, column, value) */
    const char *side;             /* why the samples are the side they are: a sentence's end */
    size_t *source; /* the matrix that each view of the data set is (assemble_dataset.c) */
} of_reading;

/* Finds the candidates for labels among the variables (labels of every file). */
onefold_status of_reading_find_labels(of_reading *reading);

/* Reads a file of labels, or of who is present: what was asked of columns is not asked of it. */
onefold_status of_reading_beside(of_reading *reading, const char *path, const char *truth,
                                 of_file **file);

/* All the groups of a file, the likeliest first: the lengths of labels say how many samples there
 * may be. */
onefold_status of_groups_make(const of_reading *reading, of_file *file);

/* Finds the matrices that become views, by rule or by the names that were asked for. */
onefold_status of_reading_find_views(of_reading *reading);

/* The words of tables about the samples into the data set. */
onefold_status of_reading_assign_metadata(of_reading *reading, of_dataset *dataset);

/* Keeps a sentence on what was assumed; it becomes one of the data set's. */
#define of_reading_note(reading, ...) OF_NOTE((reading)->arena, &(reading)->notes, __VA_ARGS__)

/* Matches samples by id, where files have ids: matrices, labels and who is present come into one
 * order (match.c). */
onefold_status of_reading_match(of_reading *reading);

/* Makes the views, the truth and the notes. */
onefold_status of_assemble_dataset(of_reading *reading, of_dataset *dataset);

#endif
