/* SPDX-License-Identifier: Apache-2.0 */
/* A data set: views of the same samples, their truth, and how they were found. */
#ifndef OF_DATA_DATASET_H
#define OF_DATA_DATASET_H

#include "data/view.h"

/* Words about the samples that are no feature. */
typedef struct of_metadata {
    const char *name;
    const char *const *text; /* one per sample, "" where there is none */
} of_metadata;

typedef struct of_dataset {
    of_arena arena; /* holds everything below, and what views without an owner point to */
    size_t samples;
    size_t view_count;
    of_view *views;
    int32_t *truth; /* class of each sample from 0, or NULL */
    size_t class_count;
    const char *const *class_names;
    size_t note_count;
    const char **notes; /* what was found and why */
    size_t assumption_count;
    const char **assumptions;        /* those that a person should see */
    const char *const *sample_names; /* one per sample, or NULL */
    size_t metadata_count;
    of_metadata *metadata;
    uint8_t *present; /* samples x views, a sample contiguous, 0: view missing; NULL: all there */
    onefold_impute impute; /* what becomes of single missing entries */
    int unsettled;         /* some may be left for onefold_predict to find */
} of_dataset;

/* The public handle is the same thing. */
struct onefold_dataset {
    of_dataset set;
};

onefold_status of_dataset_make(of_dataset **dataset, of_context *context, size_t samples);
void of_dataset_free(of_dataset *dataset);

/* Appends a view, whose owner the data set holds then; without one its arrays already live in the
 * data set's arena. It is checked that it has the data set's number of samples. A NULL name becomes
 * "view 1", ... */
onefold_status of_dataset_push(of_dataset *dataset, const of_view *view);

/* Appends a sentence on what was found and why. */
onefold_status of_dataset_note(of_dataset *dataset, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Appends a sentence on what was assumed, which is also a note. */
onefold_status of_dataset_assume(of_dataset *dataset, const char *sentence);

/* `status`, or ONEFOLD_IO with a sentence where a file that values lie in was changed since it was
 * read: for who has computed from them, before it is handed out. */
onefold_status of_dataset_intact(const of_dataset *dataset, onefold_status status);

/* Sets the truth from any integers, one per sample: classes are numbered by rising label. */
onefold_status of_dataset_set_labels(of_dataset *dataset, const int64_t *labels);

#endif
