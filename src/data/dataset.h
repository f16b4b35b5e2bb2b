/* SPDX-License-Identifier: Apache-2.0 */
/* A data set: views of the same samples, the true classes, which sample has which view, and notes
 * on how these were found. */
#ifndef OF_DATA_DATASET_H
#define OF_DATA_DATASET_H

#include "base/memory.h"
#include "data/view.h"

/* A column of words about the samples that is not a feature. */
typedef struct of_metadata {
    const char *name;
    const char *const *text; /* one per sample, "" where there is none */
} of_metadata;

typedef struct of_dataset {
    of_arena arena; /* holds everything below, and what views without an owner point to */
    union {
        struct {
            size_t samples;
            size_t view_count;
            const char *const *sample_names; /* one per sample, or NULL */
            int32_t *truth;                  /* class of each sample from 0, or NULL */
            size_t class_count;
            const char *const *class_names;
            uint8_t *present; /* samples x views, a sample contiguous, 0: missing; NULL: all 1 */
            size_t note_count;
            const char **notes; /* what was found and why */
            size_t assumption_count;
            const char **assumptions; /* the notes that a person should see */
        };
        onefold_dataset_info info; /* the same fields, for callers */
    };
    of_view *views;
    size_t metadata_count;
    of_metadata *metadata;
    onefold_impute impute; /* how single missing entries are filled in */
    int unsettled;         /* missing entries may remain, for onefold_predict to find */
    /* Where the truth was read from: "Y of a.mat". NULL: the caller set it, or there is none. And
     * other labels that disagree with it and might as well be meant; or NULL. */
    const char *truth_name, *other_truth;
} of_dataset;

/* The public handle. */
struct onefold_dataset {
    of_dataset set;
};

OF_PRIVATE onefold_status of_dataset_make(of_dataset **dataset, of_context *context,
                                          size_t samples);
void of_dataset_free(of_dataset *dataset);

/* Appends a view with as many samples as the data set, and retains its owner. The arrays of a view
 * without an owner must outlive the data set. A NULL name becomes "view 1", ...
 * of_dataset_push_kept takes over `kept`, which holds what the view points to; samples with keep[j]
 * == 0 lack the view (NULL: none). An error leaves the data set as it was. */
OF_PRIVATE onefold_status of_dataset_push(of_dataset *dataset, const of_view *view);
onefold_status of_dataset_push_kept(of_dataset *dataset, of_arena *kept, const of_view *view,
                                    const uint8_t *keep);

/* Appends a formatted sentence to a list; to the notes of a data set. */
onefold_status of_sentence_add(of_arena *arena, const char ***list, size_t *count,
                               const char *format, ...) __attribute__((format(printf, 4, 5)));
#define of_dataset_note(dataset, ...)                                                              \
    of_sentence_add(&(dataset)->arena, &(dataset)->notes, &(dataset)->note_count, __VA_ARGS__)

/* `status`, or ONEFOLD_IO where a mapped file of the data set has changed since it was read.
 * Callers check this before they return what they computed from its values. */
OF_PRIVATE onefold_status of_dataset_intact(const of_dataset *dataset, onefold_status status);

/* Sets the true classes from integers, one per sample. Classes are numbered by rising label, and
 * named in this order (NULL: by their labels). An error leaves the data set as it was. */
OF_PRIVATE onefold_status of_dataset_set_labels(of_dataset *dataset, const int64_t *labels,
                                                const char *const *class_names);

/* ---- who is present where ------------------------------------------------------------------- */

/* How many samples have a view, and how many lack it. */
size_t of_present_count(const of_dataset *dataset, size_t view);
size_t of_present_missing(const of_dataset *dataset, size_t view);

/* Whether a sample has a view. */
static inline int of_present_at(const of_dataset *dataset, size_t sample, size_t view)
{
    return !dataset->present || dataset->present[sample * dataset->view_count + view];
}

/* Marks the samples j with keep[j * step] == 0 as missing from a view. */
OF_PRIVATE onefold_status of_present_leave_out(of_dataset *dataset, size_t view,
                                               const uint8_t *keep, size_t step);

/* Refuses a sample without any view. A view without any sample is allowed: a model can still label
 * the data set, and a fit refuses it. */
onefold_status of_present_check(const of_dataset *dataset);

/* The samples that are present in a view, as a view: the data set's own where none is missing, else
 * a copy in `arena`. `square`: only their columns too, as a kernel or a graph needs. */
onefold_status of_present_view(of_arena *arena, const of_dataset *dataset, size_t view, int square,
                               const of_view **compact);

/* Replaces a matrix by a copy, from `arena`, with its rows or columns in another order: line j is
 * line from[j]. A line with SIZE_MAX is missing: NaN, or, where `empty` and sparse, without
 * entries. `both`: rows and columns of a square matrix. */
onefold_status of_matrix_reorder(of_arena *arena, of_matrix *matrix, int rows, int both, int empty,
                                 const size_t *from, size_t count);

/* ---- names ---------------------------------------------------------------------------------- */

/* A copy of `count` names in one block of `arena`; a NULL becomes "". */
onefold_status of_dataset_names_copy(of_arena *arena, size_t count, const char *const *names,
                                     const char *const **copy);

/* ---- a hash table over a list of names ------------------------------------------------------ */

typedef struct of_name_index {
    const char *const *name; /* the list, which must outlive the index */
    size_t count;
    size_t repeated;   /* names that stand earlier in the list too */
    size_t empty;      /* names that are "" */
    size_t first_twin; /* the first repeated name, or SIZE_MAX */
    uint64_t key;      /* of the hash */
    size_t mask;
    uint32_t *slot; /* UINT32_MAX: free */
} of_name_index;

onefold_status of_name_index_make(of_arena *arena, const char *const *names, size_t count,
                                  of_name_index *index);

/* The first place of a name in the list, or SIZE_MAX. */
size_t of_name_index_find(const of_name_index *index, const char *name);

/* ---- fingerprints: a hash of everything that a clustering sees of a data set ---------------- */

/* 32 hexadecimal digits and a closing zero. They cover the number of samples; the name, storage,
 * shape, categories and values of every view; who is present where; and the true classes. They do
 * not cover files, nor the stored type of a value. They detect mistakes, not malice. */
enum { OF_FINGERPRINT = 33 };

/* Of a data set with more than `most` samples, only the values of the first `most` count, whatever
 * their storage. */
enum { OF_FINGERPRINT_SAMPLES = 64 };
OF_PRIVATE onefold_status of_dataset_fingerprint(of_context *context, const of_dataset *dataset,
                                                 size_t most, char text[OF_FINGERPRINT]);

/* The number of a run: a hash of the samples' names (their numbers from 1 where they have none)
 * with their labels, in any order. Every output of a run carries it, or lets it be computed from
 * its labels. 0 is no run. It is of_run_end of the sum of all samples' of_run_part. `name` has
 * `size` bytes; NULL: the sample's number counts, from 0. An apostrophe that guards a name against
 * spreadsheets does not count. */
uint64_t of_run_part(const char *name, size_t size, size_t sample, int32_t label);
uint64_t of_run_end(uint64_t sum, size_t samples);

/* 16 hexadecimal digits and a closing zero; "" for 0. */
enum { OF_RUN_TEXT = 17 };
void of_run_text(uint64_t number, char text[OF_RUN_TEXT]);

/* ---- missing values (NaN) ------------------------------------------------------------------- */

/* A sample of NaN alone is missing from a view. A single NaN of a sample that is present is refused
 * or filled in. Infinite values are always refused. */
typedef struct of_gaps {
    size_t entries, samples; /* single NaN, and samples with some */
    size_t empty;            /* samples of NaN alone; sparse: with entries, all of them NaN */
    int infinite;            /* some value is infinite */
    size_t sample, column;   /* of the first infinite value, else of the first NaN */
} of_gaps;

/* Counts over the samples with present[j * step] != 0 (NULL: all). Of a kernel, only the columns of
 * these samples count. keep[j], unless NULL, becomes 0 for samples of NaN alone. */
onefold_status of_gaps_find(of_context *context, const of_view *view, const uint8_t *present,
                            size_t step, uint8_t *keep, of_gaps *gaps);

/* The error for gaps; ONEFOLD_OK where there are none. `where` names the matrix ("X{1}") and `line`
 * its lines ("row", "sample"). Row and column are those of the first gap, and `name` is the name of
 * the column (NULL: its number). */
onefold_status of_gaps_refuse(const of_gaps *gaps, const char *where, const char *line, size_t row,
                              size_t column, const char *name);

/* Fills the NaN of samples that are present with the mean or median of their column over the
 * samples present with a value. The new values are allocated from `arena`. A column without any
 * value is refused. */
onefold_status of_gaps_fill(of_arena *arena, of_view *view, const uint8_t *present, size_t step,
                            onefold_impute how);

/* The median of each column over all samples of a view without gaps. */
onefold_status of_gaps_medians(of_context *context, const of_view *view, double *medians);

#endif
