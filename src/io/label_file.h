/* SPDX-License-Identifier: Apache-2.0 */
/* A file of labels that come a batch at a time. It appears whole or not at all. */
#ifndef OF_IO_LABEL_FILE_H
#define OF_IO_LABEL_FILE_H

#include "io/atomic_file.h"

/* What is known of the samples beside their labels. */
typedef struct of_label_extras {
    const char *const *names; /* NULL: in a table they are numbered from 1 */
    int confidence;           /* non-zero: it comes with every label */
    int table;                /* non-zero: .csv and .tsv have a header, names and confidence */
} of_label_extras;

typedef struct of_label_file {
    of_atomic_file file;
    of_label_extras extras;
    int binary;              /* .npy; else text */
    char separator;          /* of a table; 0: a label a line */
    size_t samples, written; /* promised, and there */
    /* .mat and .npz: the whole is needed at the end */
    char *path;
    of_arena arena;
    int32_t *held;
    double *sure;
} of_label_file;
#define OF_LABEL_FILE_INIT                                                                         \
    {                                                                                              \
        .file = {.descriptor = -1 }                                                                \
    }

/* Opens a file for so many labels: .npy (int32) and .txt (a label a line); .csv and .tsv (a label a
 * line, or a table: sample, cluster, confidence); .mat and .npz (`labels`, `confidence`,
 * `sample_names`). What of_write_labels writes without extras has the same bytes. `extras` may be
 * NULL; its names must live until the file is committed. */
onefold_status of_label_file_open(of_label_file *file, of_context *context, const char *path,
                                  size_t samples, const of_label_extras *extras);
onefold_status of_label_file_add(of_label_file *file, const int32_t *labels,
                                 const double *confidence, size_t count);
onefold_status of_label_file_commit(of_label_file *file);

/* Removes what was written. Does nothing after a commit or before an open. */
void of_label_file_abandon(of_label_file *file);

#endif
