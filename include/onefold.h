/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Onefold: one set of labels from several views of the same samples.
 *
 * This is the only public header. The library never prints, exits or aborts. Every fallible
 * function returns an onefold_status: 0, or one of the pinned negative codes below;
 * onefold_last_error() then holds a sentence for people. When a call fails its out-parameters are
 * unchanged.
 *
 * Any number of threads may call at once, each with a context of its own or with NULL, and get the
 * bits of a call that is alone. Data sets, results and models may be shared by calls that only read
 * them (const), but for data that was read with pass_once; what changes or frees an object must be
 * alone with it. The last error belongs to its thread. What the process has one of is the number of
 * threads of OpenBLAS: while any call works it is 1, for the host too, and when the last one ends
 * it is what it was; a host must not raise it meanwhile. After fork() the child can go on and call,
 * with all threads, unless a call was at work in another thread at that moment.
 *
 * The shortest program:
 *
 *     onefold_dataset *data = NULL;
 *     onefold_result *result = NULL;
 *     onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
 *     const char *path = "views.mat";
 *     options.clusters = 7;
 *     if (onefold_dataset_read(&data, NULL, &path, 1, NULL) != ONEFOLD_OK ||
 *         onefold_fit(&result, NULL, data, &options) != ONEFOLD_OK)
 *         fprintf(stderr, "%s\n", onefold_last_error());
 *
 * Structs that are handed over begin with struct_size, which their initialiser sets, so that they
 * can grow: a struct of an older header is taken, its missing end standing for the defaults; one of
 * a newer header is taken where what this library does not know is zero. Any other size, and 0, is
 * refused. VERSIONING.md says what else may change and when.
 *
 * Names: onefold_<noun>_describe fills the onefold_<...>_info of an object; what an object has
 * several of is asked for by index; onefold_<set>_name gives the word for a value of an enum, NULL
 * for a value that is none. Sets that may grow from release to release (methods, kernels) are
 * words; closed ones are enums, whose values keep their numbers.
 */
#ifndef ONEFOLD_H
#define ONEFOLD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ONEFOLD_VERSION_MAJOR 0
#define ONEFOLD_VERSION_MINOR 2
#define ONEFOLD_VERSION_PATCH 0
#define ONEFOLD_VERSION "0.2.0"

#if defined(__GNUC__)
#define ONEFOLD_API __attribute__((visibility("default")))
#else
#define ONEFOLD_API
#endif

/* ---- status ------------------------------------------------------------------------------- */

/* What a call came to. The numbers are pinned; the command's exit status is minus the number
 * (130 for ONEFOLD_INTERRUPTED). */
typedef enum onefold_status {
    ONEFOLD_OK = 0,
    ONEFOLD_FAULT = -1,    /* a fault in the library itself */
    ONEFOLD_USAGE = -2,    /* an argument or option that makes no sense */
    ONEFOLD_BAD_DATA = -3, /* data that cannot be used: unreadable, inconsistent, too few samples */
    ONEFOLD_NO_MEMORY = -4,   /* more memory than there is, or than was allowed */
    ONEFOLD_IO = -5,          /* a file that cannot be read or written */
    ONEFOLD_UNSUPPORTED = -6, /* left out of this build */
    ONEFOLD_INTERRUPTED = -7  /* the cancel hook asked to stop */
} onefold_status;

/* The sets that have words for their values. */
typedef enum onefold_names {
    ONEFOLD_NAMES_STATUS = 0, /* "ok", "fault", "usage", "bad-data", "no-memory", "io",
                                 "unsupported", "interrupted", as in the command's JSON */
    ONEFOLD_NAMES_STORAGE,    /* "dense", ... */
    ONEFOLD_NAMES_TYPE,       /* "float64", ... */
    ONEFOLD_NAMES_IMPUTE,
    ONEFOLD_NAMES_START,
    ONEFOLD_NAMES_VARIANT,
    ONEFOLD_NAMES_STOP,
    ONEFOLD_NAMES_BASE,
    ONEFOLD_NAMES_PRECISION,
    ONEFOLD_NAMES_ROUTE,
    ONEFOLD_NAMES_PREP,
    ONEFOLD_NAMES_KMEANS_START,
    ONEFOLD_NAMES_MEASURE
} onefold_names;

/* The word for a value of a set; NULL where it has no such value, of a status "fault".
 * onefold_name(ONEFOLD_NAMES_TYPE, ONEFOLD_UINT8) is "uint8". */
ONEFOLD_API const char *onefold_name(onefold_names set, int value);

/* The sentence of this thread's last failed call: what is wrong and where. Never NULL. */
ONEFOLD_API const char *onefold_last_error(void);

/* What to do about it, or "" where nothing is known. Never NULL. */
ONEFOLD_API const char *onefold_last_hint(void);

/* Ends a text or bytes that a call has made. */
ONEFOLD_API void onefold_free(void *memory);

/* "0.2.0". */
ONEFOLD_API const char *onefold_version(void);

/* What this build can do, as a line of words: "threads zlib hdf5 json ...". */
ONEFOLD_API const char *onefold_capabilities(void);

/* ---- context ------------------------------------------------------------------------------ */

/* How far a long call has come. `stage` is a static word ("read", "base", "fit"); `done` of `total`
 * steps of it are finished (`total` 0: not known); `detail` is a line for people or NULL. */
typedef struct onefold_progress {
    const char *stage;
    double done, total;
    const char *detail;
} onefold_progress;

/* What the library may call back. Any member may be NULL. `allocate` returns memory of at least
 * `size` bytes (any alignment) or NULL; it and `release` may be called on any thread. The others
 * are called on the calling thread only, while threads of the library do the work: `progress` at
 * every new stage and at least four times a second, with what was said last where nothing is new;
 * `cancel` at least ten times a second, and the work ends with ONEFOLD_INTERRUPTED soon after it
 * returned non-zero. None of them may call the library with the same context, or fork. */
typedef struct onefold_hooks {
    size_t struct_size;
    void *user;
    void *(*allocate)(void *user, size_t size);
    void (*release)(void *user, void *memory);
    void (*log)(void *user, const char *line);
    void (*progress)(void *user, const onefold_progress *progress);
    int (*cancel)(void *user);
} onefold_hooks;
#define ONEFOLD_HOOKS_INIT                                                                         \
    {                                                                                              \
        sizeof(onefold_hooks), NULL, NULL, NULL, NULL, NULL, NULL                                  \
    }

/* Threads, memory limit and hooks for the calls that are given it. Every call that takes a context
 * takes NULL for the default one: all cores, no limit, no hooks. One context serves one call at a
 * time. Data sets and results made with a context must be freed before it. */
typedef struct onefold_context onefold_context;

/* Makes a context. `hooks` is copied and may be NULL. */
ONEFOLD_API onefold_status onefold_context_create(onefold_context **context,
                                                  const onefold_hooks *hooks);
ONEFOLD_API void onefold_context_free(onefold_context *context);

/* Number of threads; 0 is all cores. Results are the same bits for any number. */
ONEFOLD_API onefold_status onefold_context_set_threads(onefold_context *context, int threads);

/* The most bytes that may be taken at once; 0 is no limit. What a fit will need is computed and
 * held against this before it starts. */
ONEFOLD_API onefold_status onefold_context_set_memory_limit(onefold_context *context, size_t bytes);

/* Where the work over all samples is done: by the CPU (the default); on a card, which is opened by
 * this call, or refused with the reason where there is none; or on a card where there is one, for
 * problems large enough to gain by it. What a card cannot do the CPU does (docs/gpu.md). A context
 * holds its card until it ends or is set back. */
typedef enum onefold_device {
    ONEFOLD_DEVICE_CPU,
    ONEFOLD_DEVICE_GPU,
    ONEFOLD_DEVICE_AUTO
} onefold_device;
ONEFOLD_API onefold_status onefold_context_set_device(onefold_context *context,
                                                      onefold_device device);

/* The card that is there, its memory and its driver: "NVIDIA H200, 139.7 GB, driver for CUDA 13.0";
 * or "none: " and why. Until the thread's next call of it. */
ONEFOLD_API const char *onefold_device_description(void);

/* Starts the driver of the first card in a thread of its own, which takes a quarter of a second or
 * more, so that a program can read its data meanwhile; onefold_context_set_device waits for it.
 * Does nothing where there is no card. */
ONEFOLD_API void onefold_device_start(void);

/* Makes this process one of those that mpirun (or srun) started together: from then on the calls
 * that are given the context are made by all of them, with the same arguments, and each works on a
 * part of the samples. Results are the same bits as those of one process. The cores of a machine
 * are shared out among its processes; onefold_context_set_threads changes that. A process that was
 * not started so stays alone, and this does nothing. ONEFOLD_UNSUPPORTED in a build without MPI
 * that was started so. A call that fails on one of them fails on all, with the same status. */
ONEFOLD_API onefold_status onefold_context_join(onefold_context *context);

/* The number of threads and the memory limit as they are set. */
ONEFOLD_API int onefold_context_threads(const onefold_context *context);
ONEFOLD_API size_t onefold_context_memory_limit(const onefold_context *context);

/* Memory that the system could give now: the least of what is free, what a control group allows and
 * what is left of the process's own limit (ulimit -v). */
ONEFOLD_API size_t onefold_free_memory(void);

/* Outputs that belong together. From `hold` on, files that are written with the context are
 * finished on disk and kept from their places; `place` moves all of them there, or fails and leaves
 * what was there before. Files that they replace are moved away first, so that a process that is
 * killed in between leaves none of them, and never old ones beside new. What is still held when the
 * context ends is removed. Devices and pipes are written as they come. */
ONEFOLD_API onefold_status onefold_context_hold_outputs(onefold_context *context);
ONEFOLD_API onefold_status onefold_context_place_outputs(onefold_context *context);

/* ONEFOLD_USAGE where `path` is one of the files that were read with the context since `hold`, by
 * whatever name: the data itself, a file that lies beside it, standard input. */
ONEFOLD_API onefold_status onefold_context_check_output(onefold_context *context, const char *path);

/* Which of the processes this is, from 0, and how many there are: 0 of 1 where it is alone. */
ONEFOLD_API int onefold_context_rank(const onefold_context *context);
ONEFOLD_API int onefold_context_ranks(const onefold_context *context);

/* Non-zero where a problem of so many samples is split over the processes; smaller ones are worked
 * by each of them alike. */
ONEFOLD_API int onefold_context_splits(const onefold_context *context, size_t samples);

/* Ends a stretch of work that all the processes do: where it failed for one of them, each gets that
 * status; elsewhere its own. The rank of the first that failed, -1 for none. */
ONEFOLD_API onefold_status onefold_context_agree(onefold_context *context, onefold_status status);
ONEFOLD_API int onefold_context_failed_rank(const onefold_context *context);

/* The most bytes the context has held at once so far. */
ONEFOLD_API size_t onefold_context_peak_bytes(const onefold_context *context);

/* ---- data sets ---------------------------------------------------------------------------- */

/* Several views of the same samples, perhaps with true labels, which serve for scoring only. */
typedef struct onefold_dataset onefold_dataset;

/* How a view is held. */
typedef enum onefold_storage {
    ONEFOLD_STORAGE_DENSE = 0,
    ONEFOLD_STORAGE_SPARSE,
    ONEFOLD_STORAGE_KERNEL
} onefold_storage;

/* How a value is held. */
typedef enum onefold_type {
    ONEFOLD_FLOAT64 = 0,
    ONEFOLD_FLOAT32,
    ONEFOLD_INT8,
    ONEFOLD_UINT8,
    ONEFOLD_INT16,
    ONEFOLD_UINT16,
    ONEFOLD_INT32,
    ONEFOLD_UINT32,
    ONEFOLD_INT64,
    ONEFOLD_UINT64
} onefold_type;

typedef enum onefold_side {
    ONEFOLD_SIDE_AUTO = 0,
    ONEFOLD_SIDE_ROWS,
    ONEFOLD_SIDE_COLUMNS
} onefold_side;

/* What becomes of single values that are missing (NaN) in samples that have others. */
typedef enum onefold_impute {
    ONEFOLD_IMPUTE_NONE = 0, /* they are refused, with their number */
    ONEFOLD_IMPUTE_MEAN,     /* the column's mean over the samples that have a value there */
    ONEFOLD_IMPUTE_MEDIAN,
    /* They are left to onefold_predict, which fills them in with what the model keeps of the
     * training samples' columns (onefold_model_info.impute). Such data cannot be fitted. */
    ONEFOLD_IMPUTE_MODEL
} onefold_impute;

/* How samples of several files are brought together (docs/tables.md). */
typedef enum onefold_match {
    ONEFOLD_MATCH_IDS = 0, /* by their ids where files have them, else by order */
    ONEFOLD_MATCH_ORDER    /* by the order of the rows, whatever ids there are */
} onefold_match;

/* Whether the first line of a table is a header. */
typedef enum onefold_header {
    ONEFOLD_HEADER_AUTO = 0,
    ONEFOLD_HEADER_YES,
    ONEFOLD_HEADER_NO
} onefold_header;

/* How files become a data set. Strings are only read during the call. */
typedef struct onefold_read_options {
    size_t struct_size;
    onefold_side samples_are; /* which side of a matrix the samples are, where it cannot be known */
    const char *views;        /* "a,b,3": views to take, by name or number from 1; NULL: all */
    const char *truth; /* name of a variable or a column, path of a file, or "FILE:COLUMN", with the
                          true labels; NULL: by rule */
    int no_truth;      /* non-zero: ignore true labels */
    /* Path of a file that says which sample has which view: samples x views of 0 and 1 (1: it has);
     * NULL: as the data says. */
    const char *present;
    onefold_impute impute;
    /* Non-zero: onefold_predict will ask for the samples once, from the first to the last. What
     * lies in a file (.npy with samples as rows; .csv and its like) is then read as it is passed,
     * and released, so that memory does not grow with the file. Whether values are missing turns
     * out on the way: onefold_predict takes a row of NaN for a sample that lacks the view, and
     * refuses single ones unless `impute` is ONEFOLD_IMPUTE_MODEL. Data read so cannot be fitted.
     */
    int pass_once;
    /* Column of a table that holds the ids of its rows: its name, its number from 1, or "none" (no
     * column does); NULL: by rule. */
    const char *ids;
    onefold_match match;
    onefold_header header;
    /* Columns of tables, by name or by number from 1, with commas between them: those that are no
     * features, or the only ones that are, and those that are categories or numbers whatever their
     * cells look like (docs/tables.md); NULL: by rule. */
    const char *drop, *columns, *as_category, *as_number;
    /* Names of the columns that a model has (onefold_model_columns): a column of words is encoded
     * as they say; NULL: by rule. */
    const char *const *expected;
    size_t expected_count;
} onefold_read_options;
#define ONEFOLD_READ_OPTIONS_INIT                                                                  \
    {                                                                                              \
        sizeof(onefold_read_options), ONEFOLD_SIDE_AUTO, NULL, NULL, 0, NULL, ONEFOLD_IMPUTE_NONE, \
            0, NULL, ONEFOLD_MATCH_IDS, ONEFOLD_HEADER_AUTO, NULL, NULL, NULL, NULL, NULL, 0       \
    }

/* Reads one container with all the views, or one file per view. A path may be a folder with
 * matrix.mtx in it, as 10x Genomics writes it, and one may be "-", standard input. */
ONEFOLD_API onefold_status onefold_dataset_read(onefold_dataset **dataset, onefold_context *context,
                                                const char *const *paths, size_t path_count,
                                                const onefold_read_options *options);

/* Writes views and truth into one container (.mat, .npz) or, for .npy, .csv, .tsv, .mtx, one file
 * per view with its number before the ending when there are several (out.1.npy, out.2.npy) and the
 * truth beside them (out.truth.npy; a .txt for .mtx and for labels that are no integers). Samples
 * that lack a view are rows of NaN in it; where it is sparse, a table says who has which view
 * (MissingStatus, or out.present.npy). Names of samples are the first column of .csv and .tsv, a
 * list `sample_names` in containers, and out.samples.txt beside .npy and .mtx. Files appear whole
 * or not at all. */
ONEFOLD_API onefold_status onefold_dataset_write(const onefold_dataset *dataset,
                                                 onefold_context *context, const char *path);

/* The files that onefold_dataset_write makes of a data set for a path, one a line;
 * onefold_free ends the text. */
ONEFOLD_API onefold_status onefold_dataset_outputs(char **text, const onefold_dataset *dataset,
                                                   const char *path);

/* An empty data set for `samples` samples, to which views are added. */
ONEFOLD_API onefold_status onefold_dataset_create(onefold_dataset **dataset,
                                                  onefold_context *context, size_t samples);
ONEFOLD_API void onefold_dataset_free(onefold_dataset *dataset);

/* Adds a dense view; element (sample j, column i) is values[j * sample_step + i * column_step].
 * Copied. `name` may be NULL. */
ONEFOLD_API onefold_status onefold_dataset_add_dense(onefold_dataset *dataset, const char *name,
                                                     const double *values, size_t columns,
                                                     size_t sample_step, size_t column_step);
ONEFOLD_API onefold_status onefold_dataset_add_dense_single(onefold_dataset *dataset,
                                                            const char *name, const float *values,
                                                            size_t columns, size_t sample_step,
                                                            size_t column_step);

/* Adds a sparse view by sample: sample j has the entries start[j] .. start[j+1]-1 of `column` and
 * `value`; start has samples + 1 entries. Copied. */
ONEFOLD_API onefold_status onefold_dataset_add_sparse(onefold_dataset *dataset, const char *name,
                                                      size_t columns, const size_t *start,
                                                      const uint32_t *column, const double *value);

/* Adds a kernel, samples x samples, symmetric. Copied. */
ONEFOLD_API onefold_status onefold_dataset_add_kernel(onefold_dataset *dataset, const char *name,
                                                      const double *values);

/* Views whose arrays stay the caller's: nothing is copied, and the caller keeps them alive and
 * unchanged until the data set is freed. Values are looked through once, as with the functions
 * above, and the same is refused. Labels are those that the same values would give if they were
 * added. Only where something has to be changed is there a copy in the data set: single missing
 * values that onefold_dataset_set_impute says are to be filled in, and column numbers of a sparse
 * view that do not rise within a sample.
 *
 * Element (sample j, column i) of a dense view or kernel is number
 * j * sample_step + i * column_step of `values`, of `type`; both steps are above 0. */
ONEFOLD_API onefold_status onefold_dataset_borrow_dense(onefold_dataset *dataset, const char *name,
                                                        const void *values, onefold_type type,
                                                        size_t columns, size_t sample_step,
                                                        size_t column_step);
ONEFOLD_API onefold_status onefold_dataset_borrow_kernel(onefold_dataset *dataset, const char *name,
                                                         const void *values, onefold_type type,
                                                         size_t row_step, size_t column_step);

/* A sparse view as onefold_dataset_add_sparse has it: `start` (samples + 1) and `index` are of
 * `index_type`, one of the 32- and 64-bit integers, and `value` is of `value_type`, ONEFOLD_FLOAT64
 * or ONEFOLD_FLOAT32. At most 2^32 - 1 columns; a column that a sample has twice is refused. */
ONEFOLD_API onefold_status onefold_dataset_borrow_sparse(onefold_dataset *dataset, const char *name,
                                                         size_t columns, const void *start,
                                                         const void *index, onefold_type index_type,
                                                         const void *value,
                                                         onefold_type value_type);

/* Names the columns of view `view`, from 0, which is there and no kernel: one name for each. They
 * are what onefold_fit_options.explain speaks of. Copied. Files bring their own: the header of a
 * table, a list of texts in a container (docs/formats.md). */
ONEFOLD_API onefold_status onefold_dataset_set_column_names(onefold_dataset *dataset, size_t view,
                                                            const char *const *names);

/* Which columns of view `view`, from 0, which is there and no kernel, are the values of one
 * category, as 0 and 1: a number for each column, the same for those beside each other that belong
 * together. They weigh as one column where columns are standardised. Copied. */
ONEFOLD_API onefold_status onefold_dataset_set_column_units(onefold_dataset *dataset, size_t view,
                                                            const uint32_t *units);

/* The name of a column, or NULL where the view's columns have none. */
ONEFOLD_API const char *onefold_dataset_column_name(const onefold_dataset *dataset, size_t view,
                                                    size_t column);

/* Names the samples: one name for each. Copied. Files bring their own: a column of ids, the names
 * of rows, or of columns where those are the samples (docs/tables.md). */
ONEFOLD_API onefold_status onefold_dataset_set_sample_names(onefold_dataset *dataset,
                                                            const char *const *names);

/* The name of a sample, or NULL where they have none. */
ONEFOLD_API const char *onefold_dataset_sample_name(const onefold_dataset *dataset, size_t sample);

/* Sets the true labels: any integers, one per sample. Copied. */
ONEFOLD_API onefold_status onefold_dataset_set_truth(onefold_dataset *dataset,
                                                     const int64_t *labels);

/* Names the classes of the true labels: one name for each, in the order of rising labels. Copied.
 * Without it, a class is named by its number. */
ONEFOLD_API onefold_status onefold_dataset_set_class_names(onefold_dataset *dataset,
                                                           const char *const *names);

/* A sample may lack some of the views, though not all. A row of NaN in a dense view or a kernel
 * (and its column there) says so when the view is added. This says it for all the views that are
 * there: present[sample * view_count + view] is 0 where a sample lacks a view; what it has of it is
 * then never looked at. A row of NaN is missing whatever this says. A sample without any view is
 * refused. Copied. */
ONEFOLD_API onefold_status onefold_dataset_set_present(onefold_dataset *dataset,
                                                       const uint8_t *present);

/* Non-zero where the sample has the view. */
ONEFOLD_API int onefold_dataset_present(const onefold_dataset *dataset, size_t sample, size_t view);

/* What becomes of single missing values in the views that are added after this; at first they are
 * refused. */
ONEFOLD_API onefold_status onefold_dataset_set_impute(onefold_dataset *dataset,
                                                      onefold_impute impute);

ONEFOLD_API size_t onefold_dataset_samples(const onefold_dataset *dataset);
ONEFOLD_API size_t onefold_dataset_view_count(const onefold_dataset *dataset);

/* Classes among the true labels; 0 when there are none. */
ONEFOLD_API size_t onefold_dataset_class_count(const onefold_dataset *dataset);

/* The true label of each sample as a class number from 0, or NULL. */
ONEFOLD_API const int32_t *onefold_dataset_truth(const onefold_dataset *dataset);

/* The name of a class as the file or the caller has it ("3", "-1", "sport"). */
ONEFOLD_API const char *onefold_dataset_class_name(const onefold_dataset *dataset,
                                                   size_t class_index);

/* What was found and why, a sentence each ("X{1}: samples are columns, as gt has 544 entries"). */
ONEFOLD_API size_t onefold_dataset_note_count(const onefold_dataset *dataset);
ONEFOLD_API const char *onefold_dataset_note(const onefold_dataset *dataset, size_t index);

/* Those of the notes that a person should see before the result is believed: what was assumed where
 * the files did not tell, and what matching by id came to. */
ONEFOLD_API size_t onefold_dataset_assumption_count(const onefold_dataset *dataset);
ONEFOLD_API const char *onefold_dataset_assumption(const onefold_dataset *dataset, size_t index);

/* One view as it was found. Strings live as long as the data set. */
typedef struct onefold_view_info {
    size_t struct_size;
    const char *name;
    onefold_storage storage;
    onefold_type type;
    size_t columns;
    size_t nonzeros; /* entries that are not 0; 0 of text that is read as it is passed */
    size_t bytes;    /* memory it takes */
    size_t missing;  /* samples that lack it */
    int named;       /* non-zero: its columns have names */
    /* A number for each column, the same for those of one category (onefold_dataset_set_column_
     * units); NULL: there is no category. */
    const uint32_t *units;
} onefold_view_info;
#define ONEFOLD_VIEW_INFO_INIT                                                                     \
    {                                                                                              \
        sizeof(onefold_view_info), NULL, ONEFOLD_STORAGE_DENSE, ONEFOLD_FLOAT64, 0, 0, 0, 0, 0,    \
            NULL                                                                                   \
    }
ONEFOLD_API onefold_status onefold_dataset_view(const onefold_dataset *dataset, size_t index,
                                                onefold_view_info *info);

/* The values of a view for samples first .. first+count-1, as doubles: columns x count, a sample
 * contiguous, whatever the view is held as. What a sample lacks means nothing. */
ONEFOLD_API onefold_status onefold_dataset_values(double *values, const onefold_dataset *dataset,
                                                  size_t view, size_t first, size_t count);

/* The kernel that "auto" takes for a view, and why: static texts. */
ONEFOLD_API onefold_status onefold_dataset_kernel(const onefold_dataset *dataset, size_t view,
                                                  const char **kernel, const char **reason);

/* Synthetic data with known clusters, for trying things out. */
typedef struct onefold_synth_options {
    size_t struct_size;
    size_t samples, views, clusters; /* 1000, 3, 5 */
    const size_t *columns;           /* one per view, or NULL: 20 each */
    /* Root mean square distance between cluster centres in units of the noise; for counts, how many
     * times likelier, less one, an entry is in a cluster's own columns; 4. */
    double separation;
    /* Share of the views' columns that carry no cluster; 0. Above 0, each of several views also
     * takes up to this share of neighbouring pairs of clusters for one, no two views the same. */
    double noise;
    double density; /* 1: dense; below 1: sparse counts, about this share of them non-zero */
    double missing; /* share of (sample, view) pairs left out, every sample keeping one; 0 */
    uint64_t seed;
    /* Size of the smallest cluster over that of the largest, above 0 up to 1; sizes fall in
     * geometric progression from the first cluster to the last; 1: alike. */
    double balance;
} onefold_synth_options;
#define ONEFOLD_SYNTH_OPTIONS_INIT                                                                 \
    {                                                                                              \
        sizeof(onefold_synth_options), 1000, 3, 5, NULL, 4, 0, 1, 0, 0, 1                          \
    }
/* Makes it, with its truth: the same for any number of threads. `options` NULL: all defaults. */
ONEFOLD_API onefold_status onefold_dataset_synth(onefold_dataset **dataset,
                                                 onefold_context *context,
                                                 const onefold_synth_options *options);

/* ---- fitting ------------------------------------------------------------------------------ */

typedef enum onefold_start { ONEFOLD_START_ALIGNED = 0, ONEFOLD_START_PAPER } onefold_start;
typedef enum onefold_variant { ONEFOLD_VARIANT_EXACT = 0, ONEFOLD_VARIANT_PRINTED } onefold_variant;
/* Relative change of the objective; the paper's rule; or longer steps that end where labels have
 * settled, which takes far fewer iterations where data is noisy. */
typedef enum onefold_stop {
    ONEFOLD_STOP_RELATIVE = 0,
    ONEFOLD_STOP_PAPER,
    ONEFOLD_STOP_SETTLED
} onefold_stop;
typedef enum onefold_base {
    ONEFOLD_BASE_AUTO = 0,
    ONEFOLD_BASE_EXACT,
    ONEFOLD_BASE_NYSTROM
} onefold_base;
typedef enum onefold_precision { ONEFOLD_DOUBLE = 0, ONEFOLD_SINGLE } onefold_precision;
/* What the method "onefold" compares: a pool of labellings; one labelling, views weighed alike and
 * without a score; the pool, with 10 starts of each fit. */
typedef enum onefold_effort {
    ONEFOLD_EFFORT_NORMAL = 0,
    ONEFOLD_EFFORT_QUICK,
    ONEFOLD_EFFORT_THOROUGH
} onefold_effort;

/* The route by which a base partition was reached. */
typedef enum onefold_route {
    ONEFOLD_ROUTE_NONE = 0, /* the method makes no base partitions */
    ONEFOLD_ROUTE_GRAM,     /* eigenproblem of the columns' Gram matrix */
    ONEFOLD_ROUTE_KRYLOV,   /* block Krylov on implicit products with sparse features */
    ONEFOLD_ROUTE_DENSE,    /* the kernel matrix itself */
    ONEFOLD_ROUTE_TILES,    /* tiles of an rbf kernel made on the fly */
    ONEFOLD_ROUTE_NYSTROM,  /* landmarks of an rbf kernel */
    ONEFOLD_ROUTE_LANDMARKS /* the spectrum of a landmark graph */
} onefold_route;

/* What is done to a sample before a kernel sees it. */
typedef enum onefold_prep {
    ONEFOLD_PREP_NONE = 0,
    ONEFOLD_PREP_STANDARDISE,
    ONEFOLD_PREP_TFIDF
} onefold_prep;

/* Every option of a fit, with its default. Strings are only read during the call. */
typedef struct onefold_fit_options {
    size_t struct_size;
    size_t clusters;            /* required */
    const char *method;         /* NULL: "onefold" */
    const char *method_options; /* "name=value,..." of the method's own options; NULL: defaults */
    const char *kernel; /* "auto", or one for all, or "rbf,graph,...": one per view; NULL: auto */
    size_t dims;        /* k; 0: twice the clusters */
    size_t anchors;     /* m; 0: twice the clusters */
    size_t restarts;    /* 10; left at that, 2 for the method "onefold" unless effort is thorough */
    onefold_start start;
    onefold_variant variant;
    int nonneg; /* non-zero: the compressed subspace S is held non-negative */
    onefold_stop stop;
    double tolerance;      /* 1e-6: relative change of the objective at which a run stops */
    size_t max_iterations; /* 100 */
    onefold_base base;
    size_t landmarks; /* 0: chosen */
    onefold_precision precision;
    uint64_t seed;
    /* A folder. Where the memory limit would be passed, the base partitions go to a nameless file
     * there, which is gone however the program ends. NULL: such a fit is refused. */
    const char *spill;
    /* Non-zero: keep what labels new samples (onefold_result_model). The labels are then those that
     * the model gives the samples it was fitted on, so that predicting them gives the same again.
     * Methods that have no model (onefold_method_info) refuse. */
    int keep_model;
    /* Name up to so many columns that set each cluster apart, in every view whose columns have
     * names (onefold_result_column); 0: none. */
    size_t explain;
    /* Non-zero: labels and weights alone. What onefold_fit_info says of why, and the time it takes,
     * is left out. */
    int bare;
    /* Non-zero: keep what onefold_report_write draws besides: each view's own picture and part in
     * every label, spectra, and the objective of every restart, as far as the method can tell. */
    int picture;
    /* The views' weights, one word for each with commas between them: "auto" leaves a weight to the
     * method, "0.5" fixes it, "0.2..0.6" bounds it. Weights add up to 1 (of the method
     * "os-lfmvc-cs" their squares): weights that are all fixed are scaled to that; of some, they
     * may add up to 1 at most. NULL: all auto. Methods that have no such weights
     * (onefold_method_info) refuse. */
    const char *weights;
    /* Non-zero: keep each view's part in each sample's label (onefold_result_view_parts). Methods
     * that cannot tell refuse. */
    int view_parts;
    /* Of the kernels "knn" and "subspace": landmarks that each sample is tied to; 0: 8. Their
     * number of landmarks is `landmarks`, 0: 1000. */
    size_t neighbours;
    onefold_effort effort; /* of the method "onefold" */
    /* Non-zero: onefold_fit_info.embedding may be NULL. It takes 8 dims bytes a sample, which of
     * many samples is time as well: on a card, a third of the solver's. */
    int no_embedding;
} onefold_fit_options;
#define ONEFOLD_FIT_OPTIONS_INIT                                                                   \
    {                                                                                              \
        sizeof(onefold_fit_options), 0, NULL, NULL, NULL, 0, 0, 10, ONEFOLD_START_ALIGNED,         \
            ONEFOLD_VARIANT_EXACT, 0, ONEFOLD_STOP_RELATIVE, 1e-6, 100, ONEFOLD_BASE_AUTO, 0,      \
            ONEFOLD_DOUBLE, 0, NULL, 0, 0, 0, 0, NULL, 0, 0, ONEFOLD_EFFORT_NORMAL, 0              \
    }

/* Refuses what is wrong whatever the data: names of methods, of their options and of kernels, and
 * numbers that contradict each other. `clusters` may still be 0. onefold_fit does this too. */
ONEFOLD_API onefold_status onefold_fit_options_check(const onefold_fit_options *options);

/* ---- methods and kernels ------------------------------------------------------------------- */

/* What a method can do. */
typedef struct onefold_method_info {
    const char *name;   /* "os-lfmvc-cs" */
    const char *title;  /* a line for people */
    const char *grid;   /* settings its authors published, as onefold_experiment_options.grid has
                           them; NULL: there is nothing to tune */
    size_t options;     /* how many of its own it has */
    int takes_missing;  /* samples may lack views */
    int has_model;      /* keep_model means something to it */
    int has_weights;    /* weights means something to it */
    int has_view_parts; /* view_parts means something to it */
    int takes_dims;     /* dims and anchors mean something to it */
    int can_spill;      /* spill means something to it */
    int can_split;      /* its samples can be split over processes */
    int ends_in_kmeans; /* labels come from k-means on its embedding */
} onefold_method_info;

/* The method of an index from 0 on, NULL past the last. What it points to is static. */
ONEFOLD_API const onefold_method_info *onefold_method_describe(size_t index);

/* One of a method's own options, for onefold_fit_options.method_options. */
typedef struct onefold_method_option_info {
    const char *name;   /* "lambda" */
    const char *words;  /* NULL: it takes a number; else one of "a|b|c" */
    double standard;    /* its default; of words, the place in the list */
    double least, most; /* that a number may be */
    const char *help;   /* a line */
} onefold_method_option_info;

/* An option of a method, both by index, NULL past the last. */
ONEFOLD_API const onefold_method_option_info *onefold_method_option(size_t method, size_t index);

/* The kernels, "auto" first; NULL past the last. */
ONEFOLD_API const char *onefold_kernel_name(size_t index);

/* The name of the list that a mistyped one is nearest to, NULL where none is near: for a question
 * like "did you mean ...?". */
ONEFOLD_API const char *onefold_nearest(const char *name, const char *const *list, size_t count);

/* ---- what a fit would take ----------------------------------------------------------------- */

/* What a fit would do and take, found out without fitting. */
typedef struct onefold_estimate onefold_estimate;

typedef struct onefold_estimate_info {
    size_t struct_size;
    const char *method;
    size_t samples, views, clusters, dims, anchors, restarts;
    int threads;            /* that it would have */
    size_t input_bytes;     /* the views as they are held */
    size_t partition_bytes; /* the stacked base partitions; 0: the method makes none */
    size_t peak_bytes;      /* the most held at once, input included */
    size_t spill_bytes;     /* of the partitions, those that go to a file: all or none */
    size_t model_bytes;     /* of the model that is kept, about; 0: none is */
    int has_time;           /* non-zero: what follows was estimated; else it is 0 */
    double seconds;         /* of the whole fit */
    double seconds_prepare, seconds_base, seconds_fit;
    size_t iterations; /* that are assumed, over all restarts: the data decides */
    size_t passes;     /* over the partitions */
    size_t card_bytes; /* that the context's card would hold at the most; 0: it has no part in it */
} onefold_estimate_info;
#define ONEFOLD_ESTIMATE_INFO_INIT                                                                 \
    {                                                                                              \
        sizeof(onefold_estimate_info), NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
            0, 0                                                                                   \
    }

typedef struct onefold_estimate_view_info {
    size_t struct_size;
    const char *name;
    onefold_storage storage;
    const char *kernel;
    size_t columns;
    onefold_route route; /* as what follows: none, or 0, without `measure` */
    size_t passes;       /* over the view; those of an iterative route are typical */
    size_t landmarks;    /* of the nystrom route, else 0 */
    double seconds;      /* 0 without time */
} onefold_estimate_view_info;
#define ONEFOLD_ESTIMATE_VIEW_INFO_INIT                                                            \
    {                                                                                              \
        sizeof(onefold_estimate_view_info), NULL, ONEFOLD_STORAGE_DENSE, NULL, 0,                  \
            ONEFOLD_ROUTE_NONE, 0, 0, 0                                                            \
    }

/* Estimates a fit. Zero `measure`: what it would hold, from shapes alone (of sparse views also how
 * many entries each sample has); no value is read, so that a dense view that is left to the kernel
 * "auto" counts as one without zeros. Non-zero: the kernels are made, for which the views are read
 * once, and it also says how long the fit would take on this machine, which is measured for some
 * tens of milliseconds, or for longer where eigenvectors are tried; not every method can tell.
 * Refuses the options that onefold_fit would refuse, but for a memory limit that is too low. */
ONEFOLD_API onefold_status onefold_fit_estimate(onefold_estimate **estimate,
                                                onefold_context *context,
                                                const onefold_dataset *dataset,
                                                const onefold_fit_options *options, int measure);
ONEFOLD_API void onefold_estimate_free(onefold_estimate *estimate);
ONEFOLD_API onefold_status onefold_estimate_describe(const onefold_estimate *estimate,
                                                     onefold_estimate_info *info);
ONEFOLD_API onefold_status onefold_estimate_view(const onefold_estimate *estimate, size_t index,
                                                 onefold_estimate_view_info *info);

/* Refuses, with the figure, what would pass the context's memory limit, as onefold_fit does. */
ONEFOLD_API onefold_status onefold_estimate_check_memory(const onefold_estimate *estimate);

/* ---- results ------------------------------------------------------------------------------- */

typedef struct onefold_result onefold_result;

/* Clusters a data set. The data set is only read. "Did not converge" is not an error: see
 * onefold_fit_info. */
ONEFOLD_API onefold_status onefold_fit(onefold_result **result, onefold_context *context,
                                       const onefold_dataset *dataset,
                                       const onefold_fit_options *options);
ONEFOLD_API void onefold_result_free(onefold_result *result);

/* The label of each sample, 0 to clusters - 1. */
ONEFOLD_API const int32_t *onefold_result_labels(const onefold_result *result);

/* Everything about a fit but the labels. Pointers live as long as the result. */
typedef struct onefold_fit_info {
    size_t struct_size;
    const char *method;
    size_t samples, clusters, clusters_used, dims, anchors, views;
    uint64_t seed;
    int threads;                   /* that it was made with */
    size_t restarts, best_restart; /* 0 restarts: the labels are not those of a fit, and there is
                                      no objective (method "onefold") */
    size_t iterations;
    int converged;
    double objective;
    const double *trace; /* objective after each iteration of the best restart: `iterations` */
    const double *restart_objective;     /* one per restart, as the next two; NULL: unknown */
    const size_t *restart_iterations;    /* or NULL */
    const size_t *restart_clusters_used; /* or NULL */
    const size_t *sizes;                 /* samples in each cluster */
    /* The fused embedding, embedding_rows x samples, a sample contiguous; NULL: the method has
     * none, or samples are split over processes. */
    const double *embedding;
    size_t embedding_rows;
    double seconds_base, seconds_fit;
    const char *note; /* a sentence the method wants said, or "" */
    /* Why (docs/explain.md); NULL where there are more than 1024 clusters, or options.bare. A
     * view's own labels are those it would give by itself. */
    const double *agreement;         /* views: NMI of its own labels with the fused ones */
    const double *view_agreement;    /* views x views: NMI of their own labels */
    const double *cluster_agreement; /* views x clusters, a cluster contiguous: Jaccard index of the
                                        cluster with its best match among the view's own */
    const double *confidence;        /* samples: margin between its two best clusters, 0 to 1 */
    /* Columns that were asked for by options.explain, cut to the widest named view: so many at most
     * has onefold_result_column for a cluster and view. */
    size_t explain;
    int explained;     /* non-zero: options.explain asked for columns */
    size_t candidates; /* onefold_result_candidate has so many; 0: the method fits one alone */
    /* The number of the run, which its model, its JSON, its page and a table of its labels have
     * too: 16 digits that are made of the samples' names and labels, so that the same labels have
     * the same number. */
    const char *run;
} onefold_fit_info;
#define ONEFOLD_FIT_INFO_INIT                                                                      \
    {                                                                                              \
        sizeof(onefold_fit_info), NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL,   \
            NULL, NULL, NULL, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, 0, 0, 0, NULL                 \
    }
ONEFOLD_API onefold_status onefold_result_describe(const onefold_result *result,
                                                   onefold_fit_info *info);

/* One of the labellings that the method "onefold" chooses from. Strings live as long as the result.
 */
typedef struct onefold_candidate {
    size_t struct_size;
    const char *name;        /* what it was read off, and how views were weighed */
    size_t rows, partitions; /* rows of each, the constant among them; how many are fused */
    double agreement;        /* mean NMI of its labels with the others' */
    int eligible;            /* non-zero: it may be chosen; 0: of one view by itself, it votes */
    int chosen;              /* non-zero: the labels are its */
    double told;             /* what neighbours tell of its labels, in nats */
    double score;            /* the labelling of the best score is chosen (docs/method.md) */
} onefold_candidate;
#define ONEFOLD_CANDIDATE_INIT                                                                     \
    {                                                                                              \
        sizeof(onefold_candidate), NULL, 0, 0, 0, 0, 0, 0, 0                                       \
    }
ONEFOLD_API onefold_status onefold_result_candidate(const onefold_result *result, size_t index,
                                                    onefold_candidate *candidate);

/* One view's part in a fit. Strings live as long as what it was asked of. */
typedef struct onefold_view_fit {
    size_t struct_size;
    const char *name;
    const char *kernel; /* "rbf", ... */
    onefold_route route;
    double weight; /* of "onefold" what the view earned, all adding up to 1; of "os-lfmvc-cs" beta;
                      else the method's own, 0 where it has none */
    double residual; /* largest ||K v - lambda v|| / lambda_1 of its partition; of the nystrom
                        route, the relative error of the kernel on held-out samples */
    size_t rank;     /* eigenvectors kept, <= dims */
    size_t columns;
    onefold_storage storage;
    size_t missing; /* samples that lack it */
    int named;      /* non-zero: its columns have names */
} onefold_view_fit;
#define ONEFOLD_VIEW_FIT_INIT                                                                      \
    {                                                                                              \
        sizeof(onefold_view_fit), NULL, NULL, ONEFOLD_ROUTE_NONE, 0, 0, 0, 0,                      \
            ONEFOLD_STORAGE_DENSE, 0, 0                                                            \
    }
ONEFOLD_API onefold_status onefold_result_view(const onefold_result *result, size_t index,
                                               onefold_view_fit *view);

/* How many columns set a cluster apart in a view, where options.explain asked for them: none where
 * the view's columns have no names. */
ONEFOLD_API size_t onefold_result_column_count(const onefold_result *result, size_t view,
                                               size_t cluster);

/* One of them: the strongest has rank 0. */
typedef struct onefold_column {
    size_t struct_size;
    const char *name;
    size_t index;    /* in its view, from 0 */
    double strength; /* its correlation with belonging to the cluster, -1 to 1: above 0 where it is
                        larger in the cluster than outside */
} onefold_column;
#define ONEFOLD_COLUMN_INIT                                                                        \
    {                                                                                              \
        sizeof(onefold_column), NULL, 0, 0                                                         \
    }
ONEFOLD_API onefold_status onefold_result_column(const onefold_result *result, size_t view,
                                                 size_t cluster, size_t rank,
                                                 onefold_column *column);

/* Where options.view_parts asked for it, each view's part in the score that gave a sample its
 * label: views x samples, a sample contiguous; entry i of sample j with label y is beta_i c_y' W_i
 * h_ij (docs/method.md), over all of the view's partitions and its terms of joint ones where it has
 * several; 0 where the sample lacks the view. The parts of a sample add up to its score. Else NULL.
 */
ONEFOLD_API const double *onefold_result_view_parts(const onefold_result *result);

/* The name of a sample as the data set had it (onefold_dataset_sample_name), NULL where it had
 * none; a copy, which lives as long as the result. */
ONEFOLD_API const char *onefold_result_sample_name(const onefold_result *result, size_t sample);

/* ---- pictures ------------------------------------------------------------------------------ */

/* How a layout puts samples into two dimensions. */
typedef enum onefold_layout_kind {
    ONEFOLD_LAYOUT_AUTO = 0, /* t-SNE where there are more than four clusters, else components */
    ONEFOLD_LAYOUT_PCA,      /* the two leading principal components */
    ONEFOLD_LAYOUT_TSNE      /* keeps neighbours together: says little about far distances */
} onefold_layout_kind;

typedef struct onefold_layout_options {
    size_t struct_size;
    onefold_layout_kind kind;
    /* Of t-SNE: */
    size_t most;       /* 10000: samples it works on; the others are put beside their nearest */
    double perplexity; /* 30: neighbours that count, about */
    double theta;      /* 0.7: how coarsely far samples are taken together; 0: not at all */
    size_t iterations; /* 750 */
    uint64_t seed;     /* of the draw of samples where there are more than `most` */
} onefold_layout_options;
#define ONEFOLD_LAYOUT_OPTIONS_INIT                                                                \
    {                                                                                              \
        sizeof(onefold_layout_options), ONEFOLD_LAYOUT_AUTO, 10000, 30, 0.7, 750, 0                \
    }

/* Lays the samples of a fit out for a picture, from its fused embedding: coordinates[2 * sample]
 * and the number after it. The same for any number of threads. `options` NULL: all defaults.
 * ONEFOLD_UNSUPPORTED where the result has no embedding. */
ONEFOLD_API onefold_status onefold_layout(double *coordinates, onefold_context *context,
                                          const onefold_result *result,
                                          const onefold_layout_options *options);

/* ---- models ------------------------------------------------------------------------------- */

/* Everything that labels a new sample: how each view is prepared, its kernel, what projects it, and
 * how the views are fused. It holds training samples only where an rbf kernel was worked exactly or
 * a kernel was given. */
typedef struct onefold_model onefold_model;

/* The model of a fit that had options.keep_model, else NULL. It lives as long as the result. */
ONEFOLD_API const onefold_model *onefold_result_model(const onefold_result *result);

/* Writes a model to a file, whole or not at all: the same bytes for the same model, on any machine
 * and for any number of threads. docs/model-format.md has the format. */
ONEFOLD_API onefold_status onefold_model_write(const onefold_model *model, onefold_context *context,
                                               const char *path);

/* Reads one. A file that is damaged, cut short, of a newer format or contradicts itself is refused
 * with ONEFOLD_BAD_DATA. The model must be freed before the context. */
ONEFOLD_API onefold_status onefold_model_read(onefold_model **model, onefold_context *context,
                                              const char *path);

/* The same in memory: the bytes of the file. onefold_free ends them. */
ONEFOLD_API onefold_status onefold_model_encode(void **bytes, size_t *size,
                                                onefold_context *context,
                                                const onefold_model *model);
ONEFOLD_API onefold_status onefold_model_decode(onefold_model **model, onefold_context *context,
                                                const void *bytes, size_t size);

/* Non-zero where a file starts as a model does. */
ONEFOLD_API int onefold_model_is_file(const char *path);

/* Ends a model that was read or decoded. Not for the model of a result. */
ONEFOLD_API void onefold_model_free(onefold_model *model);

/* What is in a model. Pointers live as long as the model. */
typedef struct onefold_model_info {
    size_t struct_size;
    const char *version; /* of the library that made it */
    size_t samples, clusters, dims, views;
    uint64_t seed;
    onefold_precision precision;
    size_t bytes;                        /* of its file */
    int holds_samples;                   /* of any view */
    double distance_mean, distance_most; /* of the training samples; see onefold_prediction */
    onefold_impute impute; /* what it keeps to fill in missing values with: the mean, or the median
                              where the training data was read with ONEFOLD_IMPUTE_MEDIAN */
    const char *run;       /* of the fit that made it (onefold_fit_info); "": its file is older */
} onefold_model_info;
#define ONEFOLD_MODEL_INFO_INIT                                                                    \
    {                                                                                              \
        sizeof(onefold_model_info), NULL, 0, 0, 0, 0, 0, ONEFOLD_DOUBLE, 0, 0, 0, 0,               \
            ONEFOLD_IMPUTE_NONE, NULL                                                              \
    }
ONEFOLD_API onefold_status onefold_model_describe(const onefold_model *model,
                                                  onefold_model_info *info);

/* One view of a model. */
typedef struct onefold_model_view_info {
    size_t struct_size;
    const char *name;
    onefold_storage storage; /* of the training view */
    const char *kernel;      /* "rbf", ... */
    onefold_prep prep;       /* what is done to a sample first */
    onefold_route route;     /* that reached the base partition */
    size_t columns;          /* that a new sample must have */
    size_t kept_columns;     /* of these, those that count */
    size_t rank;             /* rows of the base partition */
    size_t points;           /* landmarks or training samples it is held against; 0: none */
    int holds_samples;       /* non-zero: something is held for every training sample */
    double weight;           /* in the fusion */
    size_t bytes;            /* it takes */
} onefold_model_view_info;
#define ONEFOLD_MODEL_VIEW_INFO_INIT                                                               \
    {                                                                                              \
        sizeof(onefold_model_view_info), NULL, ONEFOLD_STORAGE_DENSE, NULL, ONEFOLD_PREP_NONE,     \
            ONEFOLD_ROUTE_NONE, 0, 0, 0, 0, 0, 0, 0                                                \
    }
ONEFOLD_API onefold_status onefold_model_view(const onefold_model *model, size_t index,
                                              onefold_model_view_info *info);

/* The names of the columns of a view of the model, and how many; NULL where it has none. For
 * onefold_read_options.expected, those of all views in one list. */
ONEFOLD_API const char *const *onefold_model_columns(const onefold_model *model, size_t view,
                                                     size_t *count);

/* What onefold_predict makes of a data set's columns that a person should know, a sentence a line:
 * those that the model does not have, and that are passed over, and views that are not there. ""
 * where there is nothing to say.
 * onefold_free ends the text. */
ONEFOLD_API onefold_status onefold_model_remarks(char **text, const onefold_model *model,
                                                 const onefold_dataset *dataset);

/* ---- predicting ---------------------------------------------------------------------------- */

/* Where the labels of new samples go: arrays of the caller, with room for each sample; any of them
 * may be NULL. When the call fails, what they hold means nothing. */
typedef struct onefold_prediction {
    size_t struct_size;
    int32_t *labels;    /* 0 to clusters - 1 */
    double *confidence; /* margin between the two best clusters, from 0 to 1 */
    /* How far the sample is from what was seen in training, from 0 to 1: the root of the share of
     * its squared length in feature space that the base partitions leave out, views weighted as in
     * the fusion. Training samples have the mean and the largest that onefold_model_info says. */
    double *distance;
    double *embedding; /* dims x samples, a sample contiguous: its fused embedding */
    double *view_part; /* views x samples, a sample contiguous: as onefold_result_view_parts */
} onefold_prediction;
#define ONEFOLD_PREDICTION_INIT                                                                    \
    {                                                                                              \
        sizeof(onefold_prediction), NULL, NULL, NULL, NULL, NULL                                   \
    }

/* Labels samples first .. first+count-1 of a data set with the model's views, in their order and
 * with as many columns. Memory does not depend on how many samples there are. A view fitted as a
 * graph takes each sample's links to the training samples; one fitted as a kernel takes its kernel
 * against the training samples and, if it is known, against itself after that. */
ONEFOLD_API onefold_status onefold_predict(onefold_prediction *prediction, onefold_context *context,
                                           const onefold_model *model,
                                           const onefold_dataset *dataset, size_t first,
                                           size_t count);

/* The same for samples that come a few at a time: what depends on the model alone is made once. The
 * model must outlive the predictor, which must be freed before the context. */
typedef struct onefold_predictor onefold_predictor;
ONEFOLD_API onefold_status onefold_predictor_create(onefold_predictor **predictor,
                                                    onefold_context *context,
                                                    const onefold_model *model);
ONEFOLD_API void onefold_predictor_free(onefold_predictor *predictor);

/* Labels samples first .. first+count-1 of a data set, which may be another one in every call. */
ONEFOLD_API onefold_status onefold_predictor_feed(onefold_predictor *predictor,
                                                  const onefold_dataset *dataset, size_t first,
                                                  size_t count, onefold_prediction *prediction);

/* How many samples it has labelled on a card (onefold_context_set_device); the others were labelled
 * by the CPU. */
ONEFOLD_API size_t onefold_predictor_on_card(const onefold_predictor *predictor);

/* ---- how many clusters -------------------------------------------------------------------- */

/* What is tried for the number of clusters. */
typedef struct onefold_choose_options {
    size_t struct_size;
    size_t least;      /* 2 */
    size_t most;       /* 0: 20, or what the samples and the rank of the views allow */
    size_t subsamples; /* 7: drawn for every number */
    double share;      /* 0.5: of the samples, in each of them */
    /* Whose labels are compared: NULL or "os-lfmvc-cs", on a partition of each view, or "onefold",
     * on the joint partitions of all views, which see small clusters (docs/choose.md). */
    const char *method;
} onefold_choose_options;
#define ONEFOLD_CHOOSE_OPTIONS_INIT                                                                \
    {                                                                                              \
        sizeof(onefold_choose_options), 2, 0, 7, 0.5, NULL                                         \
    }

typedef struct onefold_choice onefold_choice;

/* Tries every number of clusters from `least` to `most`. Base partitions are made once; true labels
 * play no part. Of `fit`, NULL for defaults, these count: kernel, restarts (runs on all samples
 * at each number; 1 where `fit` is NULL), variant, nonneg, stop, tolerance, max_iterations, base,
 * landmarks, precision, seed; another that is not its default is refused. `options` NULL: all
 * defaults. */
ONEFOLD_API onefold_status onefold_choose(onefold_choice **choice, onefold_context *context,
                                          const onefold_dataset *dataset,
                                          const onefold_fit_options *fit,
                                          const onefold_choose_options *options);
ONEFOLD_API void onefold_choice_free(onefold_choice *choice);

/* What came out. Pointers live as long as the choice. */
typedef struct onefold_choose_info {
    size_t struct_size;
    size_t samples, views;
    size_t points;              /* numbers that were tried */
    size_t suggested;           /* a number of clusters; 0: nothing stands out */
    size_t reasons;             /* sentences on why */
    const size_t *gap_clusters; /* one per view: the number where its eigenvalues fall most */
    size_t curve_samples;       /* samples the curve was drawn from: fewer where there are many */
    size_t subsamples, restarts;
    double share;
    size_t classes; /* among the true labels, which played no part; 0: there are none */
    uint64_t seed;
    int threads;
    double seconds_base, seconds_curve;
    const char *method; /* whose labels were compared; static */
} onefold_choose_info;
#define ONEFOLD_CHOOSE_INFO_INIT                                                                   \
    {                                                                                              \
        sizeof(onefold_choose_info), 0, 0, 0, 0, 0, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL          \
    }
ONEFOLD_API onefold_status onefold_choice_describe(const onefold_choice *choice,
                                                   onefold_choose_info *info);

/* The evidence for one number of clusters (docs/choose.md). */
typedef struct onefold_choose_point {
    size_t struct_size;
    size_t clusters;
    size_t clusters_used; /* by the run on all samples */
    /* How far labels agree over runs on subsamples, each with a start of its own: the median
     * adjusted Rand index of the run that agrees best with the others, its standard deviation, and
     * the median for samples without clusters. */
    double stability, deviation, chance;
    /* How far the least stable cluster of that run comes back: median Jaccard index of its best
     * match; and the same for samples without clusters. */
    double weakest, weakest_chance;
    /* How much of what lies above chance was reached, by the lesser of the two: 0 to 1. */
    double evidence;
    double objective;  /* of the run on all samples */
    const double *gap; /* one per view: fall of its eigenvalues at this number, relative */
} onefold_choose_point;
#define ONEFOLD_CHOOSE_POINT_INIT                                                                  \
    {                                                                                              \
        sizeof(onefold_choose_point), 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL                              \
    }

/* A point, by rising number of clusters; a view, without weight; a reason, NULL past the last. */
ONEFOLD_API onefold_status onefold_choice_point(const onefold_choice *choice, size_t index,
                                                onefold_choose_point *point);
ONEFOLD_API onefold_status onefold_choice_view(const onefold_choice *choice, size_t index,
                                               onefold_view_fit *view);
ONEFOLD_API const char *onefold_choice_reason(const onefold_choice *choice, size_t index);

/* ---- scores ------------------------------------------------------------------------------- */

/* How one labelling agrees with another; all from 0 (ari: -1) to 1. What is 0/0 by its formula (one
 * cluster, or every sample alone) is 1 where the two agree up to names, else 0; never NaN. */
typedef struct onefold_scores {
    size_t struct_size;
    double acc; /* samples in agreement under the best one-to-one matching of names */
    double nmi; /* mutual information over the larger entropy (= nmi_max) */
    double nmi_max, nmi_sum,
        nmi_sqrt;                /* over the larger entropy, their mean, their geometric mean */
    double purity;               /* samples of each cluster's commonest class */
    double ari;                  /* adjusted Rand index */
    double f, precision, recall; /* over pairs of samples */
    size_t clusters, classes;
} onefold_scores;
#define ONEFOLD_SCORES_INIT                                                                        \
    {                                                                                              \
        sizeof(onefold_scores), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0                                 \
    }

/* Scores labels against the truth: any integers of `type`, ONEFOLD_INT32 or ONEFOLD_INT64, whose
 * values and order do not matter. At least one sample. */
ONEFOLD_API onefold_status onefold_score(onefold_scores *scores, onefold_type type,
                                         const void *labels, const void *truth, size_t samples);

/* ---- files of labels and numbers ------------------------------------------------------------ */

/* The labels of a file (.npy, .csv, .txt, .mat, ...): integers or words, one for each sample. The
 * path may name a column or variable: "FILE:COLUMN". */
typedef struct onefold_labels onefold_labels;
ONEFOLD_API onefold_status onefold_labels_read(onefold_labels **labels, onefold_context *context,
                                               const char *path);
ONEFOLD_API void onefold_labels_free(onefold_labels *labels);
ONEFOLD_API size_t onefold_labels_samples(const onefold_labels *labels);

/* What they are called in their file: the column's heading, or the variable's name. */
ONEFOLD_API const char *onefold_labels_name(const onefold_labels *labels);

/* Each sample's class, from 0, in the order of rising numbers or of the alphabet; how many classes;
 * and the name of one as the file has it, NULL past the last. */
ONEFOLD_API const int32_t *onefold_labels_classes(const onefold_labels *labels);
ONEFOLD_API size_t onefold_labels_class_count(const onefold_labels *labels);
ONEFOLD_API const char *onefold_labels_class_name(const onefold_labels *labels, size_t class_index);

/* The id of a sample as the file has it, NULL where it has none. */
ONEFOLD_API const char *onefold_labels_sample_name(const onefold_labels *labels, size_t sample);

/* The number of the run whose labels these are (onefold_fit_info), where the file is one of those
 * that hold names or numbers of samples beside labels, as fits and predictions write them; NULL: it
 * is none. */
ONEFOLD_API const char *onefold_labels_run(const onefold_labels *labels);

/* Brings labels into the order of another file's, by the samples' ids, where both have them:
 * *matched, if given, is then 1, and else 0. Labels of samples that the other has not are dropped;
 * refused where the other has samples that these have not. */
ONEFOLD_API onefold_status onefold_labels_match(onefold_labels *labels, const onefold_labels *with,
                                                int *matched);

/* Writes labels, one per sample: .npy (int32), .csv and .txt (a label a line), .mat (`labels`). The
 * file appears whole or not at all, as the next one. */
ONEFOLD_API onefold_status onefold_labels_write(const int32_t *labels, size_t samples,
                                                onefold_context *context, const char *path);

/* Writes labels with what is known of their samples, as the command does: .csv and .tsv have a
 * header and a row `sample,cluster,confidence` each, the sample by its name in the data set or else
 * by its number from 1; .mat and .npz have `labels`, `confidence` and `sample_names`; .txt and .npy
 * the labels alone. `confidence` and `dataset` may be NULL: then that is left out, and samples are
 * numbered. */
ONEFOLD_API onefold_status onefold_labels_write_table(const int32_t *labels,
                                                      const double *confidence, size_t samples,
                                                      const onefold_dataset *dataset,
                                                      onefold_context *context, const char *path);

/* Writes rows x columns numbers, row i being values[i * step] .. values[i * step + columns - 1]:
 * .npy (float64), .csv and .txt (a row a line, digits that read back to the same), .mat (`X`). */
ONEFOLD_API onefold_status onefold_matrix_write(const double *values, size_t rows, size_t columns,
                                                size_t step, onefold_context *context,
                                                const char *path);

/* A file of so many labels that come a few at a time; it appears when the writer is finished. The
 * bytes are those of onefold_labels_write. Freeing it before removes what was written. */
typedef struct onefold_labels_writer onefold_labels_writer;
ONEFOLD_API onefold_status onefold_labels_writer_create(onefold_labels_writer **writer,
                                                        onefold_context *context, const char *path,
                                                        size_t samples);
ONEFOLD_API onefold_status onefold_labels_writer_add(onefold_labels_writer *writer,
                                                     const int32_t *labels, size_t count);

/* The same for labels with what is known of their samples: as onefold_labels_write_table, with a
 * confidence for each label where `confidence` is not 0. The data set must outlive the writer. */
ONEFOLD_API onefold_status onefold_labels_writer_create_table(onefold_labels_writer **writer,
                                                              onefold_context *context,
                                                              const char *path, size_t samples,
                                                              const onefold_dataset *dataset,
                                                              int confidence);
ONEFOLD_API onefold_status onefold_labels_writer_add_sure(onefold_labels_writer *writer,
                                                          const int32_t *labels,
                                                          const double *confidence, size_t count);
ONEFOLD_API onefold_status onefold_labels_writer_finish(onefold_labels_writer *writer);
ONEFOLD_API void onefold_labels_writer_free(onefold_labels_writer *writer);

/* ---- comparing methods ---------------------------------------------------------------------- */

typedef enum onefold_kmeans_start {
    ONEFOLD_KMEANS_PLUSPLUS = 0,
    ONEFOLD_KMEANS_SAMPLES
} onefold_kmeans_start;

/* The figures that methods are compared by. */
typedef enum onefold_measure {
    ONEFOLD_ACC = 0,
    ONEFOLD_NMI,
    ONEFOLD_PURITY,
    ONEFOLD_ARI
} onefold_measure;
#define ONEFOLD_MEASURES 4

/* The paper's experiments on one data set: every method at its fixed default and over a grid of
 * settings, each figure with its spread over repeats. A method that ends in k-means is run once for
 * a setting, and the k-means on its embedding is repeated; of the others every repeat is a fit with
 * the next seed. Strings are only read during the call. */
typedef struct onefold_experiment_options {
    size_t struct_size;
    const char *methods;        /* names with commas between them; NULL or "all": all of them */
    const char *method_options; /* "method:name=value,...;method:..."; NULL: defaults */
    /* "paper": the published grids; "default": those of the paper's own method and of the methods
     * that pick a view by labels; "none"; or "method:cells;...", cells a grid or "paper" (docs/
     * results.md). NULL: "default". */
    const char *grid;
    size_t repeats;      /* 20 */
    size_t grid_repeats; /* 5: most in a cell of a grid where a repeat is a whole fit */
    onefold_kmeans_start kmeans_start;
    size_t replicates;       /* 10: of each k-means, the best of which counts */
    const char *sensitivity; /* "1,2,4": k and m in clusters; NULL: that, where there is a grid */
    /* Path of a file that keeps finished cells from run to run: cells found there are not computed
     * again. Made where there is none; one run at a time may have it. NULL: nothing is kept. */
    const char *store;
} onefold_experiment_options;
#define ONEFOLD_EXPERIMENT_OPTIONS_INIT                                                            \
    {                                                                                              \
        sizeof(onefold_experiment_options), NULL, NULL, NULL, 20, 5, ONEFOLD_KMEANS_PLUSPLUS, 10,  \
            NULL, NULL                                                                             \
    }

typedef struct onefold_experiment onefold_experiment;

/* Refuses what is wrong whatever the data: numbers, names of methods, of grids, of options. */
ONEFOLD_API onefold_status onefold_experiment_check(const onefold_fit_options *fit,
                                                    const onefold_experiment_options *options);

/* Runs it. `fit` is for every method; its clusters may be 0: as many as there are classes; method,
 * method_options, keep_model, explain, bare, weights and view_parts are refused. Cells that fail
 * are figures that are missing; only an interruption, a store that cannot be written and data or
 * options that no method could take end it. Where not one cell came out, the first one's failure is
 * returned. The data set must outlive the experiment, which must be freed before the context. */
ONEFOLD_API onefold_status onefold_experiment_run(onefold_experiment **experiment,
                                                  onefold_context *context,
                                                  const onefold_dataset *dataset,
                                                  const onefold_fit_options *fit,
                                                  const onefold_experiment_options *options);
ONEFOLD_API void onefold_experiment_free(onefold_experiment *experiment);

/* What was run. Pointers live as long as the experiment. */
typedef struct onefold_experiment_info {
    size_t struct_size;
    size_t samples, views, clusters;
    size_t classes; /* among the true labels; 0: there are none, and no scores */
    size_t methods; /* that took part */
    size_t cells;   /* settings of methods */
    uint64_t seed;
    int threads;
    size_t restarts, repeats, grid_repeats, replicates;
    onefold_kmeans_start kmeans_start;
    const char *fingerprint; /* of the data */
    /* The sensitivity to k and m: `times` multiples of the clusters, and for each pair the cell, k
     * down and m across; NULL: none was asked for. */
    size_t times_count;
    const size_t *times, *sensitivity;
    const double *agreement; /* methods x methods: NMI of the defaults' answers; NaN: none */
    double seconds;
    size_t kmeans_iterations; /* at most, of each k-means */
} onefold_experiment_info;
#define ONEFOLD_EXPERIMENT_INFO_INIT                                                               \
    {                                                                                              \
        sizeof(onefold_experiment_info), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,                       \
            ONEFOLD_KMEANS_PLUSPLUS, NULL, 0, NULL, NULL, NULL, 0, 0                               \
    }
ONEFOLD_API onefold_status onefold_experiment_describe(const onefold_experiment *experiment,
                                                       onefold_experiment_info *info);

/* A view as it was worked on: name, columns, storage, kernel; the rest is 0. */
ONEFOLD_API onefold_status onefold_experiment_view(const onefold_experiment *experiment,
                                                   size_t index, onefold_view_fit *view);

/* A method among the others. Cells are places in the experiment's list. */
#define ONEFOLD_NO_CELL ((size_t)-1)
typedef struct onefold_experiment_method_info {
    size_t struct_size;
    const char *name, *title;
    size_t standard;                /* the cell of its fixed default */
    size_t published;               /* cells of its published grid; 1: nothing to tune */
    size_t grid_cells, grid_failed; /* of the grid that was asked for; 0: none was */
    int has_grid, takes_dims, ends_in_kmeans;
    int picks_view; /* its grid is over the views */
    /* The cell of the grid to show for a measure, ONEFOLD_NO_CELL where there is none: that of
     * largest mean ACC for all of them; where it picks a view, the best for each. Chosen with
     * labels. */
    size_t best[ONEFOLD_MEASURES];
    size_t peak_bytes; /* estimated for its default */
} onefold_experiment_method_info;
#define ONEFOLD_EXPERIMENT_METHOD_INFO_INIT                                                        \
    {                                                                                              \
        sizeof(onefold_experiment_method_info), NULL, NULL, 0, 0, 0, 0, 0, 0, 0, 0, {0, 0, 0, 0},  \
            0                                                                                      \
    }
ONEFOLD_API onefold_status onefold_experiment_method(const onefold_experiment *experiment,
                                                     size_t index,
                                                     onefold_experiment_method_info *info);

/* What a cell is there for; it may be several things. */
enum {
    ONEFOLD_CELL_STANDARD = 1,   /* a method at its fixed default */
    ONEFOLD_CELL_GRID = 2,       /* one of its grid */
    ONEFOLD_CELL_SENSITIVITY = 4 /* one of the sensitivity table */
};

/* One method at one setting. */
typedef struct onefold_experiment_cell_info {
    size_t struct_size;
    size_t method;         /* which of the experiment's */
    const char *setting;   /* for people: "default", "k 14, m 7", "l1=2,l2=8" */
    unsigned roles;        /* ONEFOLD_CELL_... */
    int kept;              /* not computed in this run but found in the store */
    size_t dims, anchors;  /* 0 where the method takes none */
    onefold_status status; /* ONEFOLD_OK, or why there are no figures */
    const char *reason;    /* the sentence of a failure; "" */
    size_t repeats;        /* 0 after a failure, as all that follows */
    int scored;            /* non-zero: there are scores, and mean and deviation of each measure */
    double mean[ONEFOLD_MEASURES], deviation[ONEFOLD_MEASURES]; /* deviation over repeats - 1 */
    const double *objectives; /* one per repeat: the cost of k-means, or the method's objective */
    size_t answer;         /* the repeat a fit would give: least k-means cost, or the first seed */
    const int32_t *labels; /* samples: the answer's */
    size_t clusters_used;
    double silhouette; /* of the answer on its embedding */
    double objective;  /* of the first fit, as what follows */
    const double *trace;
    size_t iterations;
    int converged;
    const char *note;                 /* "" */
    double seconds_base, seconds_fit; /* of one fit, the mean over seeds */
    double seconds_kmeans;            /* of one repeat of the k-means; 0 where it ends in none */
    double seconds;                   /* of the whole cell */
    size_t peak_bytes;                /* the most held at once, the data included */
} onefold_experiment_cell_info;
#define ONEFOLD_EXPERIMENT_CELL_INFO_INIT                                                          \
    {                                                                                              \
        sizeof(onefold_experiment_cell_info), 0, NULL, 0, 0, 0, 0, ONEFOLD_OK, NULL, 0, 0,         \
            {0, 0, 0, 0}, {0, 0, 0, 0}, NULL, 0, NULL, 0, 0, 0, NULL, 0, 0, NULL, 0, 0, 0, 0, 0    \
    }
ONEFOLD_API onefold_status onefold_experiment_cell(const onefold_experiment *experiment,
                                                   size_t index,
                                                   onefold_experiment_cell_info *info);

/* The scores of one repeat of a cell that has them; and a view's part in its first fit: weight,
 * route, rank, residual. */
ONEFOLD_API onefold_status onefold_experiment_scores(const onefold_experiment *experiment,
                                                     size_t cell, size_t repeat,
                                                     onefold_scores *scores);
ONEFOLD_API onefold_status onefold_experiment_cell_view(const onefold_experiment *experiment,
                                                        size_t cell, size_t view,
                                                        onefold_view_fit *info);

/* ---- JSON ----------------------------------------------------------------------------------- */

/* What the text is to say besides what the object knows: NULL, 0 or below 0 leaves it out. */
typedef struct onefold_json_extras {
    size_t struct_size;
    const char *const *paths; /* files of the data */
    size_t path_count;
    const char *name;                                    /* of the data, for people */
    const char *model;                                   /* path of the model's file */
    const onefold_scores *scores;                        /* of the labels against the truth */
    double seconds_read, seconds_predict, seconds_total; /* that these took */
    int threads;                                         /* that a prediction was made with */
    size_t peak_bytes;                                   /* the most that the process has held */
    size_t free_bytes;                                   /* memory that is free */
    const onefold_estimate *estimate;                    /* of a fit to the data set */
    const onefold_dataset *dataset; /* whose samples have names, which are then listed */
} onefold_json_extras;
#define ONEFOLD_JSON_EXTRAS_INIT                                                                   \
    {                                                                                              \
        sizeof(onefold_json_extras), NULL, 0, NULL, NULL, NULL, -1, -1, -1, 0, 0, 0, NULL, NULL    \
    }

/* Each is one object on one line, without a line end: what the command prints with --json. Numbers
 * have 17 significant digits. `extras` may be NULL. ONEFOLD_UNSUPPORTED in a build without JSON.
 * onefold_free ends the text. */
ONEFOLD_API onefold_status onefold_result_json(char **text, const onefold_result *result,
                                               const onefold_json_extras *extras);
ONEFOLD_API onefold_status onefold_estimate_json(char **text, const onefold_estimate *estimate,
                                                 const onefold_json_extras *extras);
ONEFOLD_API onefold_status onefold_model_json(char **text, const onefold_model *model,
                                              const onefold_json_extras *extras);
ONEFOLD_API onefold_status onefold_prediction_json(char **text, const onefold_model *model,
                                                   const onefold_prediction *prediction,
                                                   size_t samples,
                                                   const onefold_json_extras *extras);
ONEFOLD_API onefold_status onefold_choice_json(char **text, const onefold_choice *choice,
                                               const onefold_json_extras *extras);
ONEFOLD_API onefold_status onefold_scores_json(char **text, const onefold_scores *scores,
                                               size_t samples);
ONEFOLD_API onefold_status onefold_experiment_json(char **text,
                                                   const onefold_experiment *experiment,
                                                   const onefold_json_extras *extras);
ONEFOLD_API onefold_status onefold_dataset_json(char **text, const onefold_dataset *dataset,
                                                const onefold_json_extras *extras);

/* ---- report pages --------------------------------------------------------------------------- */

/* What a page shows. Of result, choice, experiment and prediction one is given, the others are
 * NULL. All of it is only read during the call. */
typedef struct onefold_report {
    size_t struct_size;
    const onefold_result *result; /* best of a fit with options.picture and options.explain */
    const onefold_choice *choice;
    const onefold_experiment *experiment;
    const onefold_prediction *prediction; /* of `predicted` samples by `model` */
    const onefold_model *model;
    size_t predicted;
    const onefold_dataset *dataset;       /* truth, columns, who lacks what; NULL: nothing of it */
    const onefold_fit_options *options;   /* listed in the page; or NULL */
    const onefold_json_extras *extras;    /* as for the JSON; files are listed with their SHA-256 */
    const char *command;                  /* that runs it again; or NULL */
    const onefold_layout_options *layout; /* NULL: defaults, with the fit's seed */
    size_t points; /* 200000: samples shown at most; beyond, a seeded draw of them */
} onefold_report;
#define ONEFOLD_REPORT_INIT                                                                        \
    {                                                                                              \
        sizeof(onefold_report), NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL,     \
            200000                                                                                 \
    }

/* Writes one page that holds all it shows: it opens from a disk or an e-mail, without a network
 * (docs/report.md). It appears whole or not at all. ONEFOLD_UNSUPPORTED in a build without JSON. */
ONEFOLD_API onefold_status onefold_report_write(const onefold_report *report,
                                                onefold_context *context, const char *path);

/* The page of a fit from the file that holds its JSON (onefold_result_json), or of two fits of the
 * same samples side by side: count is 1 or 2. Samples are matched by name where both have names. */
ONEFOLD_API onefold_status onefold_report_from_json(const char *const *results, size_t count,
                                                    onefold_context *context, const char *path);

#ifdef __cplusplus
}
#endif
#endif
