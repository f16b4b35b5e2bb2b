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

/* ---- what the name of a variable or a column suggests (groups.c) ---------------------------- */

/* Whether a text equals, or where `contains` contains, one of the words of a list, which blanks
 * separate. */
int of_is_one_of(const char *text, const char *list, int contains);

/* Labels: 2 a usual name, 1 a name that mentions them, 0 no. */
int of_name_of_labels(const char *name);

/* An index, a split, a mask or the like, which is no view. */
int of_name_of_decoy(const char *name);

/* Ids of samples: a column or a list of texts. */
int of_name_of_ids(const char *name);

/* Names of features: gene, symbol, probe, ... */
int of_name_of_features(const char *name);

/* Which sample has which view: 1, or -1 where a 1 in it means that the view is missing; 0 no. */
int of_name_of_present(const char *name);

/* Names of columns, as a list of texts. *number is the number of the view, from 1, where the name
 * ends in one, else 0. */
int of_name_of_columns(const char *name, size_t *number);

/* Whether a list, which commas separate, has a name, or a column's number from 1. `column` is from
 * 0; SIZE_MAX: none. */
int of_name_listed(const char *list, const char *name, size_t column);

/* ---- labels (label_file.c) ------------------------------------------------------------------ */

typedef struct of_labels {
    const char *name;
    size_t length;
    int64_t *value;          /* per sample; of strings, the number of the class */
    const char **class_name; /* of strings, in order; else NULL */
    size_t classes;
    int certainty;          /* of_name_of_labels */
    const char *how;        /* "one-hot", ...; NULL: a plain list */
    const char *const *ids; /* of the samples, or NULL */
    const of_file *file;
} of_labels;

/* The labels that a variable holds; their length is 0 where it holds none. */
onefold_status of_labels_from(of_arena *arena, const of_variable *variable, of_labels *labels);

/* Makes the labels the truth of a data set with as many samples. */
onefold_status of_labels_assign(of_dataset *dataset, const of_labels *labels);

/* ---- samples matched across files by their ids (match.c; docs/tables.md has the rules) ------ */

/* The names of one side of a matrix, or of a list of labels. */
typedef struct of_ids {
    const char *const *name; /* NULL: there are none */
    size_t count;
    int usable;   /* none is empty or repeated */
    int counting; /* they are the row numbers 0, 1, 2, ... or 1, 2, 3, ... */
    of_name_index index;
} of_ids;

/* Lists of ids match if they share at least this part of the shorter list. */
#define OF_MIN_OVERLAP 0.1

onefold_status of_ids_make(of_arena *arena, const char *const *names, size_t count, of_ids *ids);

/* The shared ids over the length of the shorter list. */
double of_ids_overlap(const of_ids *a, const of_ids *b);

/* ---- groups (groups.c) ---------------------------------------------------------------------- */

/* A matrix that may be a view. */
typedef struct of_found {
    of_matrix matrix;
    of_file *file;
    of_top *top;
    unsigned char kernel;
    const of_variable *named_by; /* the list that names its columns or rows; NULL: its own names */
    const of_variable *ids_by;   /* the list of the ids of its samples, or NULL */
    of_listed listed;
    onefold_side side;        /* of the samples; AUTO until ids or the number of samples decide */
    unsigned char absent;     /* some samples have no line in it, by their ids */
    const size_t *sample_row; /* the row of each sample in the file; NULL: in order */
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
    uint64_t rating; /* how likely its matrices are the views */
} of_group;

/* The lengths, at most two, that a side of every matrix has. */
size_t of_sides_common(const of_found *found, size_t count, size_t common[2]);

/* Whether every matrix is a list of (sample, column, value). *samples is the number of samples, or
 * 0, which is replaced by the number that all lists share. */
int of_triplets_are(const of_found *found, size_t count, size_t *samples);

/* ---- the state of reading a data set, in the order in which it is set ----------------------- */

typedef struct of_reading {
    of_arena *arena; /* of everything below */
    const onefold_read_options *given;
    onefold_read_options options; /* the same, but for samples_are when files are read again */
    const char *truth;            /* the option `truth`; NULL with `no_truth` */
    int reread;                   /* categories were read from a table with samples as columns */
    of_notes notes;
    /* files (read.c) */
    of_file *file;
    size_t file_count; /* the data */
    size_t opened;     /* with the files of the truth and of who is present */
    /* candidates for labels, the most certain first (label_file.c); match.c reorders their samples
     */
    of_labels *labels;
    size_t label_count;
    size_t label_total; /* with those that the option `truth` rules out */
    /* which sample has which view (read.c) */
    const of_variable *present; /* or NULL */
    int present_named;          /* it is from the file of the option `present` */
    /* the matrices that become views (find_views.c) */
    of_found *found;
    size_t found_count;
    const of_found *all; /* before the option `views` selects some */
    size_t all_count;
    const of_variable *view_names; /* names of the views in their file, or NULL */
    int may_repeat;                /* free-named matrices, which may be copies of each other */
    /* samples matched by id (match.c) */
    size_t matched; /* how many; 0: not matched */
    const char *const *ids;
    int reordered;       /* some file has other samples, or another order */
    size_t *present_row; /* the row of each sample in `present`; NULL: in order */
    /* samples (read.c) */
    size_t samples;
    const of_labels *true_labels; /* the labels that fit, or NULL */
    int triplets;                 /* the matrices are lists of (sample, column, value) */
    const char *side;             /* why samples are rows or columns: the end of a note */
    size_t *matrix_of_view;       /* for each view of the data set (assemble_dataset.c) */
} of_reading;

/* Finds candidates for labels among the variables of all files. */
onefold_status of_reading_find_labels(of_reading *reading);

/* Reads a file of labels, or of who is present. Options for columns of the data do not apply. */
onefold_status of_reading_beside(of_reading *reading, const char *path, const char *truth,
                                 of_file **file);

/* Groups the matrices of a file, the likeliest group first. The lengths of labels are possible
 * numbers of samples. */
onefold_status of_groups_make(const of_reading *reading, of_file *file);

/* Finds the matrices that become views, by rule or by the option `views`. */
onefold_status of_reading_find_views(of_reading *reading);

/* Copies the words of tables about the samples into the data set. */
onefold_status of_reading_assign_metadata(of_reading *reading, of_dataset *dataset);

/* Adds a note on what was assumed. */
#define of_reading_note(reading, ...) OF_NOTE((reading)->arena, &(reading)->notes, __VA_ARGS__)

/* Matches samples by id, where files have ids: reorders matrices, labels and who is present. */
onefold_status of_reading_match(of_reading *reading);

/* Makes the views, the truth and the notes. */
onefold_status of_assemble_dataset(of_reading *reading, of_dataset *dataset);

#endif
