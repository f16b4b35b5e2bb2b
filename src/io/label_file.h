/* SPDX-License-Identifier: Apache-2.0 */
/* A file of labels that come a batch at a time. It appears whole or not at all. */
#ifndef OF_IO_LABEL_FILE_H
#define OF_IO_LABEL_FILE_H

#include "io/atomic_file.h"

typedef struct of_label_file {
    of_atomic_file file;
    int binary;              /* .npy; else a label a line */
    size_t samples, written; /* promised, and there */
    /* .mat: the whole is needed at the end */
    char *path;
    of_arena arena;
    int32_t *held;
} of_label_file;
#define OF_LABEL_FILE_INIT                                                                         \
    {                                                                                              \
        .file = {.descriptor = -1 }                                                                \
    }

/* Opens a file for so many labels: .npy (int32), .csv and .txt (a label a line), .mat (`labels`).
 * What of_write_labels writes has the same bytes. */
onefold_status of_label_file_open(of_label_file *file, of_context *context, const char *path,
                                  size_t samples);
onefold_status of_label_file_add(of_label_file *file, const int32_t *labels, size_t count);
onefold_status of_label_file_commit(of_label_file *file);

/* Removes what was written. Does nothing after a commit or before an open. */
void of_label_file_abandon(of_label_file *file);

#endif
