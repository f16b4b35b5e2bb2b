/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Onefold: one set of labels from several views of the same samples.
 *
 * This is the only public header. The library never prints, exits or aborts, and keeps no global
 * state but the last error of each thread. Every fallible function returns an onefold_status: 0, or
 * one of the pinned negative codes below; onefold_last_error() then holds a sentence for people.
 * When a call fails its out-parameters are unchanged.
 *
 * The shortest program:
 *
 *     onefold_dataset *data = NULL;
 *     onefold_result *result = NULL;
 *     onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
 *     const char *path = "views.mat";
 *     options.clusters = 7;
 *     if (onefold_dataset_read(&data, NULL, &path, 1, NULL) || onefold_fit(&result, NULL, data,
 * &options)) fprintf(stderr, "%s\n", onefold_last_error());
 */
#ifndef ONEFOLD_H
#define ONEFOLD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ONEFOLD_VERSION_MAJOR 0
#define ONEFOLD_VERSION_MINOR 1
#define ONEFOLD_VERSION_PATCH 0
#define ONEFOLD_VERSION "0.1.0"

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

/* The word for a status, as in the command's JSON: "ok", "fault", "usage", "bad-data", "no-memory",
 * "io", "unsupported", "interrupted". */
ONEFOLD_API const char *onefold_status_name(onefold_status status);

/* The sentence of this thread's last failed call: what is wrong and where. Never NULL. */
ONEFOLD_API const char *onefold_last_error(void);

/* What to do about it, or "" where nothing is known. Never NULL. */
ONEFOLD_API const char *onefold_last_hint(void);

/* "0.1.0". */
ONEFOLD_API const char *onefold_version(void);

/* What this build can do, as a line of words: "hdf5 json openmp ...". */
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
 * `size` bytes (any alignment) or NULL. `progress` is called on the calling thread only; `cancel`
 * may be called on any thread, and stops the work with ONEFOLD_INTERRUPTED when it returns
 * non-zero.
 */
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

/* Makes this process one of those that mpirun (or srun) started together: from then on the calls
 * that are given the context are made by all of them, with the same arguments, and each works on a
 * part of the samples. Results are the same bits as those of one process. The cores of a machine
 * are shared out among its processes; onefold_context_set_threads changes that. A process that was
 * not started so stays alone, and this does nothing. ONEFOLD_UNSUPPORTED in a build without MPI
 * that was started so. A call that fails on one of them fails on all, with the same status. */
ONEFOLD_API onefold_status onefold_context_join(onefold_context *context);

/* Which of the processes this is, from 0, and how many there are: 0 of 1 where it is alone. */
ONEFOLD_API int onefold_context_rank(const onefold_context *context);
ONEFOLD_API int onefold_context_ranks(const onefold_context *context);

/* The most bytes the context has held at once so far. */
ONEFOLD_API size_t onefold_context_peak_bytes(const onefold_context *context);

/* ---- data sets ---------------------------------------------------------------------------- */

/* Several views of the same samples, perhaps with true labels, which serve for scoring only. */
typedef struct onefold_dataset onefold_dataset;

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

/* How files become a data set. Strings are only read during the call. */
typedef struct onefold_read_options {
    size_t struct_size;
    onefold_side samples_are; /* which side of a matrix the samples are, where it cannot be known */
    const char *views;        /* "a,b,3": views to take, by name or number from 1; NULL: all */
    const char
        *truth;   /* name of a variable, or path of a file, with the true labels; NULL: by rule */
    int no_truth; /* non-zero: ignore true labels */
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
} onefold_read_options;
#define ONEFOLD_READ_OPTIONS_INIT                                                                  \
    {                                                                                              \
        sizeof(onefold_read_options), ONEFOLD_SIDE_AUTO, NULL, NULL, 0, NULL, ONEFOLD_IMPUTE_NONE, \
            0                                                                                      \
    }

/* Reads one container with all the views, or one file per view. */
ONEFOLD_API onefold_status onefold_dataset_read(onefold_dataset **dataset, onefold_context *context,
                                                const char *const *paths, size_t path_count,
                                                const onefold_read_options *options);

/* Writes views and truth into one container (.mat, .npz) or, for .npy, .csv, .tsv, .mtx, one file
 * per view with its number before the ending when there are several (out.1.npy, out.2.npy) and the
 * truth beside them (out.truth.npy; a .txt for .mtx and for labels that are no integers). Samples
 * that lack a view are rows of NaN in it; where it is sparse, a table says who has which view
 * (MissingStatus, or out.present.npy). Files appear whole or not at all. */
ONEFOLD_API onefold_status onefold_dataset_write(const onefold_dataset *dataset,
                                                 onefold_context *context, const char *path);

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

/* How a number is held. */
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

/* The name of a column, or NULL where the view's columns have none. */
ONEFOLD_API const char *onefold_dataset_column_name(const onefold_dataset *dataset, size_t view,
                                                    size_t column);

/* Sets the true labels: any integers, one per sample. Copied. */
ONEFOLD_API onefold_status onefold_dataset_set_truth(onefold_dataset *dataset,
                                                     const int64_t *labels);

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

/* The name of a class as the file has it ("3", "-1", "sport"). */
ONEFOLD_API const char *onefold_dataset_class_name(const onefold_dataset *dataset,
                                                   size_t class_index);

/* What was found and why, a sentence each ("X{1}: samples are columns, as gt has 544 entries"). */
ONEFOLD_API size_t onefold_dataset_note_count(const onefold_dataset *dataset);
ONEFOLD_API const char *onefold_dataset_note(const onefold_dataset *dataset, size_t index);

/* One view as it was found. Strings live as long as the data set. */
typedef struct onefold_view_info {
    size_t struct_size;
    const char *name;
    const char *storage; /* "dense", "sparse" or "kernel" */
    const char *type;    /* how a value is held: "float64", "float32", "uint8", ... */
    size_t columns;
    size_t nonzeros; /* entries that are not 0; 0 of text that is read as it is passed */
    size_t bytes;    /* memory it takes */
    size_t missing;  /* samples that lack it */
    int named;       /* non-zero: its columns have names */
} onefold_view_info;
#define ONEFOLD_VIEW_INFO_INIT                                                                     \
    {                                                                                              \
        sizeof(onefold_view_info), NULL, NULL, NULL, 0, 0, 0, 0, 0                                 \
    }
ONEFOLD_API onefold_status onefold_dataset_view(const onefold_dataset *dataset, size_t index,
                                                onefold_view_info *info);

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
typedef enum onefold_stop { ONEFOLD_STOP_RELATIVE = 0, ONEFOLD_STOP_PAPER } onefold_stop;
typedef enum onefold_base {
    ONEFOLD_BASE_AUTO = 0,
    ONEFOLD_BASE_EXACT,
    ONEFOLD_BASE_NYSTROM
} onefold_base;
typedef enum onefold_precision { ONEFOLD_DOUBLE = 0, ONEFOLD_SINGLE } onefold_precision;

/* Every option of a fit, with its default. Strings are only read during the call. */
typedef struct onefold_fit_options {
    size_t struct_size;
    size_t clusters;            /* required */
    const char *method;         /* NULL: "os-lfmvc-cs" */
    const char *method_options; /* "name=value,..." of the method's own options; NULL: defaults */
    const char *kernel; /* "auto", or one for all, or "rbf,graph,...": one per view; NULL: auto */
    size_t dims;        /* k; 0: twice the clusters */
    size_t anchors;     /* m; 0: twice the clusters */
    size_t restarts;    /* 10 */
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
     * For "os-lfmvc-cs" alone; other methods have no model, and refuse. */
    int keep_model;
    /* Name up to so many columns that set each cluster apart, in every view whose columns have
     * names (onefold_fit_info.column); 0: none. */
    size_t explain;
    /* Non-zero: labels and weights alone. What onefold_fit_info says of why, and the time it takes,
     * is left out. */
    int bare;
    /* Non-zero: keep what onefold_report_write draws besides: each view's own picture and part in
     * every label, spectra, and the objective of every restart. Methods other than the paper's keep
     * nothing of it. */
    int picture;
} onefold_fit_options;
#define ONEFOLD_FIT_OPTIONS_INIT                                                                   \
    {                                                                                              \
        sizeof(onefold_fit_options), 0, NULL, NULL, NULL, 0, 0, 10, ONEFOLD_START_ALIGNED,         \
            ONEFOLD_VARIANT_EXACT, 0, ONEFOLD_STOP_RELATIVE, 1e-6, 100, ONEFOLD_BASE_AUTO, 0,      \
            ONEFOLD_DOUBLE, 0, NULL, 0, 0, 0, 0                                                    \
    }

/* What a fit will take, computed from shapes alone. */
typedef struct onefold_cost {
    size_t struct_size;
    size_t input_bytes;     /* the views as they are held */
    size_t partition_bytes; /* the stacked base partitions */
    size_t peak_bytes;      /* the most held at once, input included */
    double seconds;         /* an estimate for this machine, 0 where none is made */
    size_t spill_bytes;     /* of the partitions, those that go to a file: all or none */
    size_t model_bytes;     /* of the model that is kept, about; 0: none is */
} onefold_cost;
#define ONEFOLD_COST_INIT                                                                          \
    {                                                                                              \
        sizeof(onefold_cost), 0, 0, 0, 0, 0, 0                                                     \
    }
ONEFOLD_API onefold_status onefold_fit_cost(onefold_cost *cost, onefold_context *context,
                                            const onefold_dataset *dataset,
                                            const onefold_fit_options *options);

typedef struct onefold_result onefold_result;

/* Clusters a data set. The data set is only read. "Did not converge" is not an error: see
 * onefold_fit_info. */
ONEFOLD_API onefold_status onefold_fit(onefold_result **result, onefold_context *context,
                                       const onefold_dataset *dataset,
                                       const onefold_fit_options *options);
ONEFOLD_API void onefold_result_free(onefold_result *result);

/* The label of each sample, 0 to clusters - 1. */
ONEFOLD_API const int32_t *onefold_result_labels(const onefold_result *result);

/* One view's part in a fit. */
typedef struct onefold_view_fit {
    const char *name;
    const char *kernel; /* "rbf", ... */
    const char
        *base;     /* route to the base partition: "gram", "krylov", "dense", "tiles", "nystrom" */
    double weight; /* beta, or the method's weight of the view; 0 where it has none */
    double residual; /* largest ||K v - lambda v|| / lambda_1 of its partition */
    size_t rank;     /* eigenvectors kept, <= dims */
    size_t columns;
    const char *storage;
    size_t missing; /* samples that lack it */
    int named;      /* non-zero: its columns have names */
} onefold_view_fit;

/* A column that sets a cluster apart. */
typedef struct onefold_column {
    const char *name;
    size_t index;    /* in its view, from 0 */
    double strength; /* its correlation with belonging to the cluster, -1 to 1: above 0 where it is
                        larger in the cluster than outside */
} onefold_column;

/* Everything about a fit but the labels. Pointers live as long as the result. */
typedef struct onefold_fit_info {
    size_t struct_size;
    const char *method;
    size_t samples, clusters, clusters_used, dims, anchors, views;
    const onefold_view_fit *view; /* one per view */
    size_t restarts, best_restart;
    size_t iterations;
    int converged;
    double objective;
    const double
        *trace; /* objective after each iteration of the best restart; `iterations` of them */
    const double *restart_objective;     /* one per restart */
    const size_t *restart_iterations;    /* one per restart */
    const size_t *restart_clusters_used; /* one per restart */
    const size_t *sizes;                 /* samples in each cluster */
    const double *embedding; /* fused embedding, embedding_rows x samples, a sample contiguous; NULL
                                if none */
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
    /* The columns that set each cluster apart, strongest first, where options.explain asked for
     * them, else NULL. View v has column_count[c * views + v] for cluster c, at most `explain`,
     * which start at column[(c * views + v) * explain]; none where its columns have no names. */
    size_t explain;
    const size_t *column_count;
    const onefold_column *column;
} onefold_fit_info;
#define ONEFOLD_FIT_INFO_INIT                                                                      \
    {                                                                                              \
        .struct_size = sizeof(onefold_fit_info)                                                    \
    }
ONEFOLD_API onefold_status onefold_result_info(const onefold_result *result,
                                               onefold_fit_info *info);

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

/* The methods this build has, and a line on each. */
ONEFOLD_API size_t onefold_method_count(void);
ONEFOLD_API const char *onefold_method_name(size_t index);
ONEFOLD_API const char *onefold_method_title(size_t index);

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
/* Ends a model that was read. Not for the model of a result. */
ONEFOLD_API void onefold_model_free(onefold_model *model);

/* One view of a model. */
typedef struct onefold_model_view {
    const char *name;
    const char *storage; /* of the training view: "dense", "sparse" or "kernel" */
    const char *kernel;  /* "rbf", ... */
    const char *prep;    /* what is done to a sample first: "none", "standardise" or "tf-idf" */
    const char *base;    /* route that reached the base partition */
    size_t columns;      /* that a new sample must have */
    size_t kept_columns; /* of these, those that count */
    size_t rank;         /* rows of the base partition */
    size_t points;       /* landmarks or training samples it is held against; 0: none */
    int holds_samples;   /* non-zero: something is held for every training sample */
    double weight;       /* in the fusion */
    size_t bytes;        /* it takes */
} onefold_model_view;

/* What is in a model. Pointers live as long as the model. */
typedef struct onefold_model_info {
    size_t struct_size;
    const char *version; /* of the library that made it */
    size_t samples, clusters, dims, views;
    const onefold_model_view *view; /* one per view */
    uint64_t seed;
    const char *precision;               /* "double" or "single" */
    size_t bytes;                        /* of its file */
    int holds_samples;                   /* of any view */
    double distance_mean, distance_most; /* of the training samples; see onefold_prediction */
    const char *impute; /* what it keeps to fill in missing values with: "mean", or "median" where
                           the training data was read with ONEFOLD_IMPUTE_MEDIAN */
} onefold_model_info;
#define ONEFOLD_MODEL_INFO_INIT                                                                    \
    {                                                                                              \
        .struct_size = sizeof(onefold_model_info)                                                  \
    }
ONEFOLD_API onefold_status onefold_model_describe(const onefold_model *model,
                                                  onefold_model_info *info);

/* Where the labels of new samples go: arrays of the caller, one entry for each sample; any of them
 * may be NULL. When the call fails, what they hold means nothing. */
typedef struct onefold_prediction {
    size_t struct_size;
    int32_t *labels;    /* 0 to clusters - 1 */
    double *confidence; /* margin between the two best clusters, from 0 to 1 */
    /* How far the sample is from what was seen in training, from 0 to 1: the root of the share of
     * its squared length in feature space that the base partitions leave out, views weighted as in
     * the fusion. Training samples have the mean and the largest that onefold_model_info says. */
    double *distance;
} onefold_prediction;
#define ONEFOLD_PREDICTION_INIT                                                                    \
    {                                                                                              \
        sizeof(onefold_prediction), NULL, NULL, NULL                                               \
    }

/* Labels samples first .. first+count-1 of a data set with the model's views, in their order and
 * with as many columns. Memory does not depend on how many samples there are. A view fitted as a
 * graph takes each sample's links to the training samples; one fitted as a kernel takes its kernel
 * against the training samples and, if it is known, against itself after that. */
ONEFOLD_API onefold_status onefold_predict(onefold_prediction *prediction, onefold_context *context,
                                           const onefold_model *model,
                                           const onefold_dataset *dataset, size_t first,
                                           size_t count);
/* ---- how many clusters -------------------------------------------------------------------- */

/* What is tried for the number of clusters. */
typedef struct onefold_choose_options {
    size_t struct_size;
    size_t least;      /* 2 */
    size_t most;       /* 0: 20, or what the samples and the rank of the views allow */
    size_t subsamples; /* 7: drawn for every number */
    double share;      /* 0.5: of the samples, in each of them */
} onefold_choose_options;
#define ONEFOLD_CHOOSE_OPTIONS_INIT                                                                \
    {                                                                                              \
        sizeof(onefold_choose_options), 2, 0, 7, 0.5                                               \
    }

/* The evidence for one number of clusters (docs/choose.md). */
typedef struct onefold_choose_point {
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

/* What came out. Pointers live as long as the choice. */
typedef struct onefold_choose_info {
    size_t struct_size;
    size_t samples, views;
    size_t points;
    const onefold_choose_point *point; /* by rising number of clusters */
    size_t suggested;                  /* a number of clusters; 0: nothing stands out */
    size_t reasons;
    const char *const *reason;    /* sentences */
    const onefold_view_fit *view; /* one per view, without weights */
    const size_t *gap_clusters;   /* one per view: the number where its eigenvalues fall most */
    size_t curve_samples;         /* samples the curve was drawn from: fewer where there are many */
    double seconds_base, seconds_curve;
} onefold_choose_info;
#define ONEFOLD_CHOOSE_INFO_INIT                                                                   \
    {                                                                                              \
        .struct_size = sizeof(onefold_choose_info)                                                 \
    }

typedef struct onefold_choice onefold_choice;

/* Tries every number of clusters from `least` to `most`. Base partitions are made once; true labels
 * play no part. Of `fit`, NULL for defaults, these count: kernel, restarts (runs on all samples
 * at each number; 1 where `fit` is NULL), variant, nonneg, tolerance, max_iterations, base,
 * landmarks, precision, seed. `options` NULL: all defaults. */
ONEFOLD_API onefold_status onefold_choose(onefold_choice **choice, onefold_context *context,
                                          const onefold_dataset *dataset,
                                          const onefold_fit_options *fit,
                                          const onefold_choose_options *options);
ONEFOLD_API void onefold_choice_free(onefold_choice *choice);
ONEFOLD_API onefold_status onefold_choice_info(const onefold_choice *choice,
                                               onefold_choose_info *info);

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
/* Scores labels against the truth, both any integers; names and order do not matter. At least one
 * sample. */
ONEFOLD_API onefold_status onefold_score(onefold_scores *scores, const int64_t *labels,
                                         const int64_t *truth, size_t samples);

#ifdef __cplusplus
}
#endif
#endif
