/* SPDX-License-Identifier: Apache-2.0 */
/* What the reading of a data set knows on its way from files to views. */
#ifndef OF_IO_READ_H
#define OF_IO_READ_H

#include "io/find.h"
#include "io/said.h"

/* Samples that were matched by id. */
typedef struct of_match {
    size_t samples; /* 0: they were not */
    const char *const *ids;
    int moved;            /* some file had them in another order, or others */
    size_t *present_from; /* the row of the table of who is present, for each; NULL: its own */
} of_match;

/* The files; read.c opens those with views, labels.c and find_present.c theirs. */
typedef struct of_read_files {
    of_file *file;
    size_t count;             /* those with views */
    size_t opened;            /* these, and the files of the truth and of who is present */
    unsigned char **is_label; /* per file, per top variable; or it says who is present */
} of_read_files;

/* Candidates for labels, the surest first (labels.c; match.c brings them into order). */
typedef struct of_read_labels {
    of_labels *list;
    size_t count;
    size_t *length;    /* theirs */
    of_labels *passed; /* those that would be, had another not been asked for */
    size_t passed_count;
    const char *truth; /* the name of the one that was asked for, or NULL */
} of_read_labels;

/* Which sample has which view (find_present.c). */
typedef struct of_read_present {
    const of_variable *variable; /* says so, or NULL */
    int asked;                   /* it is from the file that was named for it */
} of_read_present;

/* The matrices that become views (find_views.c). */
typedef struct of_read_views {
    of_group **groups; /* per file */
    size_t *group_count;
    of_found *found;
    size_t count;
    const of_found *all; /* those there were before some were picked */
    size_t all_count;
    const of_variable *names; /* texts that name the views of a file that holds all, or NULL */
    int may_repeat;           /* free-named matrices, among which the same may be there twice */
} of_read_views;

/* What the samples are (read.c). */
typedef struct of_read_samples {
    size_t count;
    const of_labels *labels; /* those that fit, or NULL */
    int triplets;            /* the matrices are lists of (sample, column, value) */
    const char *side;        /* why the samples are the side they are: a sentence's end */
} of_read_samples;

/* A table about the samples (find_views.c). */
typedef struct of_read_metadata {
    const of_file *file;
    const of_variable **column;
    size_t count;
    const char *const *ids; /* of its rows, or NULL */
    size_t rows;
    const size_t *from; /* the row of each sample, SIZE_MAX: none; NULL: as they come */
} of_read_metadata;

/* The views of the data set (assemble_dataset.c). */
typedef struct of_read_made {
    size_t *source;      /* the matrix that each is, */
    unsigned char *rows; /* and whether its samples are rows */
} of_read_made;

typedef struct of_reading {
    of_arena *arena; /* of everything below, until the data set is there */
    of_table_wishes wishes;
    int alone;         /* there is one file of data */
    int again;         /* its words were made numbers, and must not be */
    const char **said; /* what was assumed or done that a person should know */
    size_t said_count;
    /* in the order in which they are written */
    of_read_files files;
    of_read_labels labels;
    of_read_present present;
    of_read_views views;
    of_read_metadata *metadata;
    size_t metadata_count;
    of_match match;
    of_read_samples samples;
    of_read_made made;
} of_reading;

/* Finds the candidates for labels among the variables (labels of every file). */
onefold_status of_reading_find_labels(of_reading *reading, const onefold_read_options *options);

/* Finds the variable that says which sample has which view: in the file named for it, or by its
 * name and its contents, zeros and ones. */
onefold_status of_reading_find_present(of_reading *reading, const onefold_read_options *options);

/* Who is present, once the views are there: rows of NaN, and what such a variable says. Then single
 * missing values are filled or refused. */
onefold_status of_reading_assign_present(of_reading *reading, const onefold_read_options *options,
                                         of_dataset *dataset);

/* Finds the matrices that become views, by rule or by the names that were asked for. */
onefold_status of_reading_find_views(of_reading *reading, const onefold_read_options *options);

/* Finds the tables about the samples, once the views are known; whether a file is one; and their
 * words into the data set. */

int of_reading_is_metadata(const of_reading *reading, const of_file *file);
onefold_status of_reading_assign_metadata(of_reading *reading, of_dataset *dataset);

/* Keeps a sentence on what was assumed; it becomes one of the data set's. */
onefold_status of_reading_say(of_reading *reading, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Matches samples by id, where files have ids: matrices, labels and who is present come into one
 * order (match.c). */
onefold_status of_reading_match(of_reading *reading, const onefold_read_options *options);

/* Makes the views, the truth and the notes. */
onefold_status of_assemble_dataset(of_reading *reading, const onefold_read_options *options,
                                   of_dataset *dataset);

#endif
