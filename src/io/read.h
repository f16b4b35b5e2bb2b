/* SPDX-License-Identifier: Apache-2.0 */
/* What the reading of a data set knows on its way from files to views. */
#ifndef OF_IO_READ_H
#define OF_IO_READ_H

#include "io/find.h"
#include "io/said.h"

typedef struct of_reading {
    of_arena *arena; /* of everything below, until the data set is there */
    const onefold_read_options *options;
    onefold_read_options wishes; /* these, and that samples are columns once that was found out */
    int again;                   /* its words were made numbers, and must not be */
    of_said said;                /* what was assumed or done that a person should know */
    /* In the order in which they are written. The files: read.c opens those with views, and others
     * theirs. */
    of_file *file;
    size_t file_count; /* those with views */
    size_t opened;     /* these, and the files of the truth and of who is present */
    /* Candidates for labels, the surest first (label_file.c; match.c brings them into order). */
    of_labels *labels;
    size_t label_count;
    of_labels *passed; /* those that would be, had another not been asked for */
    size_t passed_count;
    const char *truth; /* the name of the one that was asked for, or NULL */
    /* Which sample has which view (assemble_dataset.c). */
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

/* Finds the variable that says which sample has which view: in the file named for it, or by its
 * name and its contents, zeros and ones. */
onefold_status of_reading_find_present(of_reading *reading);

/* Reads a file of labels, or of who is present: nothing that was asked of columns is asked of it.
 */
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
#define of_reading_say(reading, ...) of_say((reading)->arena, &(reading)->said, __VA_ARGS__)

/* Matches samples by id, where files have ids: matrices, labels and who is present come into one
 * order (match.c). */
onefold_status of_reading_match(of_reading *reading);

/* Makes the views, the truth and the notes. */
onefold_status of_assemble_dataset(of_reading *reading, of_dataset *dataset);

#endif
