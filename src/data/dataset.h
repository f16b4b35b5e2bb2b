/* SPDX-License-Identifier: Apache-2.0 */
/* A data set: views of the same samples, their truth, who is present where, and how they were
 * found. */
#ifndef OF_DATA_DATASET_H
#define OF_DATA_DATASET_H

#include "base/memory.h"
#include "data/view.h"

/* Words about the samples that are no feature. */
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
            uint8_t
                *present; /* samples x views, a sample contiguous, 0: missing; NULL: all there */
            size_t note_count;
            const char **notes; /* what was found and why */
            size_t assumption_count;
            const char **assumptions; /* those that a person should see */
        };
        onefold_dataset_info info; /* the same, as callers see it */
    };
    of_view *views;
    size_t metadata_count;
    of_metadata *metadata;
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

/* Appends a sentence for a person to a list of them; and to the notes on what was found and why. */
onefold_status of_sentence_add(of_arena *arena, const char ***list, size_t *count,
                               const char *format, ...) __attribute__((format(printf, 4, 5)));
#define of_dataset_note(dataset, ...)                                                              \
    of_sentence_add(&(dataset)->arena, &(dataset)->notes, &(dataset)->note_count, __VA_ARGS__)

/* `status`, or ONEFOLD_IO with a sentence where a file that values lie in was changed since it was
 * read: for who has computed from them, before it is handed out. */
onefold_status of_dataset_intact(const of_dataset *dataset, onefold_status status);

/* Sets the truth from any integers, one per sample: classes are numbered by rising label. */
onefold_status of_dataset_set_labels(of_dataset *dataset, const int64_t *labels);

/* ---- who is present where ------------------------------------------------------------------- */

/* Samples that a view has, and those it lacks. */
size_t of_present_count(const of_dataset *dataset, size_t view);
size_t of_present_missing(const of_dataset *dataset, size_t view);

/* Whether a sample has a view. */
static inline int of_present_at(const of_dataset *dataset, size_t sample, size_t view)
{
    return !dataset->present || dataset->present[sample * dataset->view_count + view];
}

/* Takes the samples with a 0 in keep[0 .. samples-1], `step` apart, out of a view. */
onefold_status of_present_leave_out(of_dataset *dataset, size_t view, const uint8_t *keep,
                                    size_t step);

/* Refuses a sample that no view has, naming it. (A view that nobody has can still be labelled by a
 * model; a fit refuses it.) */
onefold_status of_present_check(const of_dataset *dataset);

/* ---- names ---------------------------------------------------------------------------------- */

/* A copy of `count` names from `arena`, packed into one block; a NULL among them becomes "". */
onefold_status of_dataset_names_copy(of_arena *arena, size_t count, const char *const *names,
                                     const char *const **copy);

/* ---- a list of names in which any of them is found at once ---------------------------------- */

typedef struct of_name_index {
    const char *const *name; /* the list, which must outlive the index */
    size_t count;
    size_t repeated;   /* names that are there before, */
    size_t empty;      /* and those that are "" */
    size_t first_twin; /* the first that was there before, or SIZE_MAX */
    size_t mask, *slot;
} of_name_index;

onefold_status of_name_index_make(of_arena *arena, const char *const *names, size_t count,
                                  of_name_index *index);

/* Where a name is in the list: the first place of it, or SIZE_MAX. */
size_t of_name_index_find(const of_name_index *index, const char *name);

/* ---- whether two data sets are the same one: a number of all that a clustering sees of it --- */

/* 32 hexadecimal digits and a closing zero: of the samples, every view's name, storage, shape,
 * which of its columns are one category, and values, who is present where, and the true classes.
 * Not of the files it came from, nor of the type a value was stored in. Guards against mistakes,
 * not against malice. */
enum { OF_FINGERPRINT = 33 };

/* Where there are more than `most` samples, of the values of that many alone, whatever they are
 * stored as. */
enum { OF_FINGERPRINT_SAMPLES = 64 };
onefold_status of_dataset_fingerprint(of_context *context, const of_dataset *dataset, size_t most,
                                      char text[OF_FINGERPRINT]);

/* The number of a run: of the label of every sample by its name, or by its number from 1 where it
 * has none, in any order. All outputs of a run have it or, as files of labels, can be asked for it;
 * the same labels are the same run. Never 0, which is no run. The apostrophe by which a table
 * guards a name against spreadsheets (`guard`) is no part of it. It is the sum of all samples'
 * parts, ended. `name` has `size` bytes; NULL: the sample's number, from 0. */
uint64_t of_run_part(const char *name, size_t size, size_t sample, int32_t label);
uint64_t of_run_end(uint64_t sum, size_t samples);

/* 16 hexadecimal digits and a closing zero; "" of 0. */
enum { OF_RUN_TEXT = 17 };
void of_run_text(uint64_t number, char text[OF_RUN_TEXT]);

/* Values that are not there (NaN): whole samples, which are missing from a view, and single entries
 * of samples that are present, which are refused or filled in. Infinite ones are always refused. */

/* What is wrong with the values of samples that are present. */
typedef struct of_gaps {
    size_t entries, samples; /* NaN, and samples that have some */
    size_t empty;            /* and those that have nothing else: of a sparse view, entries and
                                all of them NaN */
    int infinite;          /* there is an infinite value: the first of these, else the first NaN */
    size_t sample, column; /* is here */
} of_gaps;

/* Looks through the samples with present[j * step] != 0 (NULL: all). Of a kernel, only the columns
 * of these samples count. keep[j], unless NULL, is 0 of samples that hold nothing but NaN. */
onefold_status of_gaps_find(of_context *context, const of_view *view, const uint8_t *present,
                            size_t step, uint8_t *keep, of_gaps *gaps);

/* The sentence for gaps that are not to be filled, or infinite: `where` is what holds them
 * ("X{1}"), `line` what its lines are called ("row", "sample"); row and column are those of the
 * first, and `name` what the column is called (NULL: its number). ONEFOLD_OK where none is. */
onefold_status of_gaps_refuse(const of_gaps *gaps, const char *where, const char *line, size_t row,
                              size_t column, const char *name);

/* Fills NaN of samples that are present with the mean or median of the column over those present
 * that have a value; the view's new numbers are from `arena`. A column without any is refused. */
onefold_status of_gaps_fill(of_arena *arena, of_view *view, const uint8_t *present, size_t step,
                            onefold_impute how);

/* The median of each column over all samples, which have no gaps. */
onefold_status of_gaps_medians(of_context *context, const of_view *view, double *medians);

#endif
