/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Onefold: one set of labels from several views of the same samples. The only public header.
 *
 *     onefold_dataset *data = NULL;
 *     onefold_result *result = NULL;
 *     onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
 *     const char *path = "views.mat";
 *     options.clusters = 7;
 *     if (onefold_dataset_read(&data, NULL, &path, 1, NULL) ||
 *         onefold_fit(&result, NULL, data, &options))
 *         fprintf(stderr, "%s\n", onefold_last_error());
 *     else
 *         printf("%d\n", onefold_result_describe(result)->labels[0]);
 *
 * Failures. The library never prints, exits or aborts. A function that can fail returns an
 * onefold_status. When it fails, out-parameters and objects are as they were before the call; the
 * caller's arrays (values, coordinates, those of a prediction) may be partly filled, and of a
 * labels writer no more than its freeing is left.
 * Structs. Those that a caller fills begin with struct_size, which their initialiser sets. Fields
 * that an older header lacks have their defaults; fields that the library lacks must be zero.
 * onefold_<noun>_describe returns the onefold_<...>_info of an object, NULL for NULL; the library
 * owns it, and it lives as long as the object. Lists in it are lists of pointers, with their length
 * in another field. VERSIONING.md lists what may change and when.
 * Threads. Any number of threads may call at once, each with a context of its own or NULL; results
 * are the same bits. Objects passed as const may be shared, except data read with
 * pass_once. After fork() the child may call, unless a call was running in another thread.
 * Host. Loading the library changes nothing in the process. A call changes no environment, locale,
 * rounding or affinity. OpenBLAS's thread count is process-wide: it is 1 while any call runs, and
 * then the host's again. Threads of the library wait between calls; the first call registers what
 * fork() needs (pthread_atfork). The library has no signal handler.
 * Costs are given in samples n and columns d.
 */
#ifndef ONEFOLD_H
#define ONEFOLD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

#define ONEFOLD_VERSION_MAJOR 1
#define ONEFOLD_VERSION_MINOR 0
#define ONEFOLD_VERSION_PATCH 0
#define ONEFOLD_VERSION "1.0.0"

/* Objects. Each is freed by its onefold_..._free, which accepts NULL. */
typedef struct onefold_context onefold_context;       /* threads, limits and hooks of calls */
typedef struct onefold_dataset onefold_dataset;       /* views of the same samples, and truth */
typedef struct onefold_estimate onefold_estimate;     /* route, memory and time of a fit */
typedef struct onefold_result onefold_result;         /* of a fit */
typedef struct onefold_model onefold_model;           /* labels new samples */
typedef struct onefold_predictor onefold_predictor;   /* a model prepared for use */
typedef struct onefold_choice onefold_choice;         /* evidence for numbers of clusters */
typedef struct onefold_experiment onefold_experiment; /* methods compared on a data set */
typedef struct onefold_comparison onefold_comparison; /* tests of whether methods differ */
typedef struct onefold_study onefold_study; /* a file that describes experiments */
typedef struct onefold_labels_writer onefold_labels_writer;

/* ---- status, names, memory ------------------------------------------------------------------ */

/* Status of a call. The numbers are fixed; the command's exit status is minus the number (130
 * for ONEFOLD_INTERRUPTED). */
typedef enum onefold_status {
    ONEFOLD_OK = 0,
    ONEFOLD_FAULT = -1,       /* a fault in the library itself */
    ONEFOLD_USAGE = -2,       /* an invalid argument or option */
    ONEFOLD_BAD_DATA = -3,    /* data that is unreadable, inconsistent, or has too few samples */
    ONEFOLD_NO_MEMORY = -4,   /* more memory than available or allowed */
    ONEFOLD_IO = -5,          /* a file that cannot be read or written */
    ONEFOLD_UNSUPPORTED = -6, /* not in this build */
    ONEFOLD_INTERRUPTED = -7  /* the cancel hook asked to stop */
} onefold_status;

/* Message of this thread's last failed call, and what to do about it ("" if unknown). */
const char *onefold_last_error(void);
const char *onefold_last_hint(void);
const char *onefold_version(void);      /* "1.0.0" */
const char *onefold_capabilities(void); /* "threads zlib hdf5 ..."; seccomp: of the kernel */

/* The enums whose values have names. Names of statuses are those of the command's JSON. */
typedef enum onefold_names {
    ONEFOLD_NAMES_STATUS = 0, ONEFOLD_NAMES_STORAGE, ONEFOLD_NAMES_TYPE, ONEFOLD_NAMES_IMPUTE,
    ONEFOLD_NAMES_START, ONEFOLD_NAMES_VARIANT, ONEFOLD_NAMES_STOP, ONEFOLD_NAMES_BASE,
    ONEFOLD_NAMES_PRECISION, ONEFOLD_NAMES_ROUTE, ONEFOLD_NAMES_PREP, ONEFOLD_NAMES_KMEANS_START,
    ONEFOLD_NAMES_MEASURE
} onefold_names;

/* onefold_name(ONEFOLD_NAMES_TYPE, ONEFOLD_UINT8) is "uint8". NULL if the enum has no such value;
 * for a status, "fault". */
const char *onefold_name(onefold_names set, int value);
/* The name in the list that is nearest to a mistyped name; NULL: none is near. */
const char *onefold_nearest(const char *name, const char *const *list, size_t count);
void onefold_free(void *memory); /* text or bytes returned by a call */
/* Memory available now, considering free memory, control groups and ulimit -v. */
size_t onefold_free_memory(void);

/* ---- context -------------------------------------------------------------------------------- */

/* Progress of a call: `done` of `total` steps (0: unknown) of `stage`, a static word ("read",
 * "base", "fit"); `detail` is a line for people or NULL. */
typedef struct onefold_progress {
    const char *stage;
    double done, total;
    const char *detail;
} onefold_progress;

/* Callbacks; any member may be NULL. `allocate` and `release` may be called on
 * any thread, the others on the calling thread only: `progress` at every new stage and at least
 * four times a second, `cancel` at least ten times a second (non-zero: the call ends with
 * ONEFOLD_INTERRUPTED). None of them may call the library with the same context, or fork. */
typedef struct onefold_hooks {
    size_t struct_size;
    void *user;
    void *(*allocate)(void *user, size_t size); /* any alignment, or NULL */
    void (*release)(void *user, void *memory);
    void (*log)(void *user, const char *line);
    void (*progress)(void *user, const onefold_progress *progress);
    int (*cancel)(void *user);
} onefold_hooks;
#define ONEFOLD_HOOKS_INIT {sizeof(onefold_hooks), NULL, NULL, NULL, NULL, NULL, NULL}

/* Makes a context; `hooks` is copied and may be NULL. In place of a context, NULL is a default
 * context: all cores, no limit, no hooks. A context allows one call at a time, and objects
 * made with it must be freed before it. */
onefold_status onefold_context_create(onefold_context **context, const onefold_hooks *hooks);
void onefold_context_free(onefold_context *context);
/* Number of threads; 0: all cores. Results are the same bits for any number. */
onefold_status onefold_context_set_threads(onefold_context *context, int threads);

/* Limit of bytes held at once; 0: no limit. A fit that needs more is refused before it starts. */
onefold_status onefold_context_set_memory_limit(onefold_context *context, size_t bytes);

/* Where the work over all samples is done: on the CPU (default), on the GPU (opened by this call,
 * or refused with the reason), or on the GPU where that is faster. The CPU does what the GPU
 * cannot do (docs/gpu.md). */
typedef enum { ONEFOLD_DEVICE_CPU, ONEFOLD_DEVICE_GPU, ONEFOLD_DEVICE_AUTO } onefold_device;
onefold_status onefold_context_set_device(onefold_context *context, onefold_device device);

/* The GPU with its memory and driver, or "none: " and why; valid until the next call of this
 * function in the thread. onefold_device_start starts the driver in the background. */
const char *onefold_device_description(void);
void onefold_device_start(void);

/* Files are read into memory. With `on`, files that are read from now on are mapped where numbers
 * can stay as they are stored, which takes no memory and no time for a copy. Where another process
 * then cuts a file short, an access raises SIGBUS: the program's handler passes the address (si_addr)
 * to onefold_mapped_fault, which is non-zero where it lies in a file that the library has mapped.
 * There are zeros now, and calls on the data end with ONEFOLD_IO. */
void onefold_map_files(int on);
int onefold_mapped_fault(const void *address);

/* Lines "processor ...", "BLAS ...", "kernels ...", and "warning ..." if the kernels of the BLAS
 * are older than the processor; valid until the next call of this function in the thread. */
const char *onefold_machine_description(void);

/* Joins the processes that mpirun (or srun) started. All processes must then make the same calls
 * with the context; each works on its share of the samples. Results have the bits of one process;
 * rank 0 gets all. No effect in a single process. ONEFOLD_UNSUPPORTED without MPI. Each context has
 * a communicator of its own, which returns errors. A context may be freed at any time: in ranks
 * that go on, calls fail. MPI that the host has not started ends with the process. */
onefold_status onefold_context_join(onefold_context *context);
/* Ends a section of work of all processes: each gets the status of the first one that failed. */
onefold_status onefold_context_agree(onefold_context *context, onefold_status status);

typedef struct onefold_context_info {
    int threads, rank, ranks; /* rank: number of this process, from 0; ranks: how many there are */
    int failed_rank;          /* the first that failed; -1: none */
    size_t split_from;        /* problems of so many samples or more are split over processes */
} onefold_context_info;

/* The present state; the next call for the same context overwrites it. */
const onefold_context_info *onefold_context_describe(onefold_context *context);

/* Outputs that belong together: after `hold`, files written with the context are temporary;
 * `place` moves all to their paths, one after the other. Freeing the context removes the rest.
 * Devices and pipes are written at once. */
onefold_status onefold_context_hold_outputs(onefold_context *context);
onefold_status onefold_context_place_outputs(onefold_context *context);
/* ONEFOLD_USAGE if `path` is one of the files read with the context since `hold`. */
onefold_status onefold_context_check_output(onefold_context *context, const char *path);

/* ---- data sets ------------------------------------------------------------------------------ */

typedef enum {
    ONEFOLD_STORAGE_DENSE = 0, ONEFOLD_STORAGE_SPARSE, ONEFOLD_STORAGE_KERNEL } onefold_storage;
typedef enum onefold_type {
    ONEFOLD_FLOAT64 = 0, ONEFOLD_FLOAT32, ONEFOLD_INT8, ONEFOLD_UINT8, ONEFOLD_INT16,
    ONEFOLD_UINT16, ONEFOLD_INT32, ONEFOLD_UINT32, ONEFOLD_INT64, ONEFOLD_UINT64
} onefold_type;

/* Which side of a matrix the samples are; how samples of several files are matched, by ids (if the
 * files have them) or by order; whether the first line of a table is a header (docs/tables.md). */
typedef enum { ONEFOLD_SIDE_AUTO = 0, ONEFOLD_SIDE_ROWS, ONEFOLD_SIDE_COLUMNS } onefold_side;
typedef enum onefold_match { ONEFOLD_MATCH_IDS = 0, ONEFOLD_MATCH_ORDER } onefold_match;
typedef enum { ONEFOLD_HEADER_AUTO = 0, ONEFOLD_HEADER_YES, ONEFOLD_HEADER_NO } onefold_header;

/* Single missing values (NaN) in samples that have other values: refused or filled. */
typedef enum onefold_impute {
    ONEFOLD_IMPUTE_NONE = 0, /* refused, with their number */
    ONEFOLD_IMPUTE_MEAN, ONEFOLD_IMPUTE_MEDIAN, /* of the column's other values */
    ONEFOLD_IMPUTE_MODEL /* filled by the model in onefold_predict; no fit is possible */
} onefold_impute;

/* How files become a data set. Strings are only read during the call; NULL: by rule. */
typedef struct onefold_read_options {
    size_t struct_size;
    onefold_side samples_are; /* used where the data do not determine it */
    const char *views;   /* "a,b,3": views to take, by name or number from 1; NULL: all */
    const char *truth;   /* a variable or column, a file, or "FILE:COLUMN": the true labels */
    int no_truth;        /* non-zero: ignore true labels */
    const char *present; /* a file of samples x views of 0 and 1 (1: the sample has the view) */
    onefold_impute impute;
    int pass_once;   /* non-zero: onefold_predict will read the samples once, in order, and .npy
                        files by rows are streamed where they are mapped; no fit is possible */
    const char *ids; /* column of a table with the ids of its rows: its name or number, or "none" */
    onefold_match match;
    onefold_header header;
    /* Columns of tables, by name or number, separated by commas: not features; the only features;
     * categories; numbers (docs/tables.md). */
    const char *drop, *columns, *as_category, *as_number;
    const char *const *expected; /* a model's columns, which determine how words are encoded */
    size_t expected_count;
} onefold_read_options;
#define ONEFOLD_READ_OPTIONS_INIT \
    {sizeof(onefold_read_options), ONEFOLD_SIDE_AUTO, NULL, NULL, 0, NULL, ONEFOLD_IMPUTE_NONE, \
    0, NULL, ONEFOLD_MATCH_IDS, ONEFOLD_HEADER_AUTO, NULL, NULL, NULL, NULL, NULL, 0}

/* Reads one container with all the views, or one file per view (docs/formats.md). A path may be a
 * folder with matrix.mtx in it; one path may be "-", standard input. `options` may be NULL. */
onefold_status onefold_dataset_read(onefold_dataset **dataset, onefold_context *context,
    const char *const *paths, size_t path_count, const onefold_read_options *options);

/* Writes views, truth and names of samples into one container (.mat, .npz) or a file per view
 * (.npy, .csv, .tsv, .mtx), whole or not at all (docs/formats.md). */
onefold_status onefold_dataset_write(const onefold_dataset *dataset, onefold_context *context,
    const char *path);
/* The files that onefold_dataset_write would make, one per line; free the text by onefold_free. */
onefold_status onefold_dataset_outputs(char **text, const onefold_dataset *dataset,
    const char *path);
/* An empty data set, to which views are added. */
onefold_status onefold_dataset_create(onefold_dataset **dataset, onefold_context *context,
    size_t samples);
void onefold_dataset_free(onefold_dataset *dataset);

/* Adds a view, copied: O(n d). `name` may be NULL. An array longer than memory is refused.
 * - dense: element (sample j, column i) is values[j * sample_step + i * column_step];
 * - sparse: sample j has the entries start[j] .. start[j+1]-1 of `column` and `value`;
 * - kernel: samples x samples, symmetric. */
onefold_status onefold_dataset_add_dense(onefold_dataset *dataset, const char *name,
    const double *values, size_t columns, size_t sample_step, size_t column_step);
onefold_status onefold_dataset_add_dense_single(onefold_dataset *dataset, const char *name,
    const float *values, size_t columns, size_t sample_step, size_t column_step);
onefold_status onefold_dataset_add_sparse(onefold_dataset *dataset, const char *name,
    size_t columns, const size_t *start, const uint32_t *column, const double *value);
onefold_status onefold_dataset_add_kernel(onefold_dataset *dataset, const char *name,
    const double *values);

/* Adds a view whose arrays remain the caller's, unchanged until the data set is freed; they are
 * copied only where necessary. Steps are above 0, in elements of `type`. `start` (samples + 1) and
 * `index` are of `index_type`, a 32- or 64-bit integer; sparse values are float64 or float32. */
onefold_status onefold_dataset_borrow_dense(onefold_dataset *dataset, const char *name,
    const void *values, onefold_type type, size_t columns, size_t sample_step, size_t column_step);
onefold_status onefold_dataset_borrow_kernel(onefold_dataset *dataset, const char *name,
    const void *values, onefold_type type, size_t row_step, size_t column_step);
onefold_status onefold_dataset_borrow_sparse(onefold_dataset *dataset, const char *name,
    size_t columns, const void *start, const void *index, onefold_type index_type,
    const void *value, onefold_type value_type);
/* Names the columns of a view (number from 0) other than a kernel, each by one name. Copied. */
onefold_status onefold_dataset_set_column_names(onefold_dataset *dataset, size_t view,
    const char *const *names);

/* Groups the columns of a view: adjacent columns with the same number are the values of a category
 * and weigh as one column. Copied. */
onefold_status onefold_dataset_set_column_units(onefold_dataset *dataset, size_t view,
    const uint32_t *units);
/* Names the samples, each by one name. Copied. */
onefold_status onefold_dataset_set_sample_names(onefold_dataset *dataset, const char *const *names);

/* Sets the true labels, any integers, and the names of their classes, in the order of rising
 * labels (NULL: their numbers). Copied. */
onefold_status onefold_dataset_set_truth(onefold_dataset *dataset, const int64_t *labels,
    const char *const *class_names);

/* Marks missing views: present[sample * views + view] is 0 where a sample lacks the view. A row of
 * NaN is always missing. A sample without any view is refused. Copied. */
onefold_status onefold_dataset_set_present(onefold_dataset *dataset, const uint8_t *present);
/* How single missing values are treated in views that are added after this. */
onefold_status onefold_dataset_set_impute(onefold_dataset *dataset, onefold_impute impute);

/* Content of a data set; valid until it is changed or freed. */
typedef struct onefold_dataset_info {
    size_t samples, views;
    const char *const *sample_names; /* NULL: they have none */
    const int32_t *truth;            /* the class of each sample, from 0; NULL: none */
    size_t classes;
    const char *const *class_names; /* as the file or the caller has them ("3", "sport") */
    const uint8_t *present;         /* samples x views, 0: missing; NULL: every sample has all */
    size_t notes;                   /* what was found and why, a sentence each */
    const char *const *note;
    size_t assumptions; /* the notes that a user should check before trusting the result */
    const char *const *assumption;
} onefold_dataset_info;
const onefold_dataset_info *onefold_dataset_describe(const onefold_dataset *dataset);

/* One view as it was found. Strings live as long as the data set. */
typedef struct onefold_view_info {
    size_t struct_size;
    const char *name;
    onefold_storage storage;
    onefold_type type;
    size_t columns, nonzeros, bytes;
    size_t missing;                  /* samples that lack it */
    const char *const *column_names; /* NULL: they have none */
    const uint32_t *units; /* by onefold_dataset_set_column_units; NULL: there is no category */
} onefold_view_info;
#define ONEFOLD_VIEW_INFO_INIT {sizeof(onefold_view_info), NULL, ONEFOLD_STORAGE_DENSE, \
    ONEFOLD_FLOAT64, 0, 0, 0, 0, NULL, NULL}

/* Describes a view; O(n d), because its entries are counted. */
onefold_status onefold_dataset_view(const onefold_dataset *dataset, size_t index,
    onefold_view_info *info);

/* The values of a view for samples first .. first+count-1, as doubles: columns x count, a sample
 * contiguous. Values of missing views are undefined. */
onefold_status onefold_dataset_values(double *values, const onefold_dataset *dataset, size_t view,
    size_t first, size_t count);
/* The kernel that "auto" takes for a view, and why: static texts. O(n d). */
onefold_status onefold_dataset_kernel(const onefold_dataset *dataset, size_t view,
    const char **kernel, const char **reason);

/* Synthetic data with known clusters. */
typedef struct onefold_synth_options {
    size_t struct_size;
    size_t samples, views, clusters; /* 1000, 3, 5 */
    const size_t *columns;           /* one per view; NULL: 20 each */
    double separation; /* 4: distance of cluster centres over the noise; for counts, the ratio of
                          probabilities of entries in a cluster's own columns, less 1 */
    double noise;   /* 0: share of columns without clusters, and of pairs of clusters that a
                       view merges, different in every view */
    double density; /* 1: dense; below 1: sparse counts, about this share of them non-zero */
    double missing; /* 0: share of (sample, view) pairs left out, every sample keeping one */
    uint64_t seed;
    double balance; /* 1: size of the smallest cluster over the largest, in geometric progression */
} onefold_synth_options;
#define ONEFOLD_SYNTH_OPTIONS_INIT \
    {sizeof(onefold_synth_options), 1000, 3, 5, NULL, 4, 0, 1, 0, 0, 1}

/* Makes synthetic data, with its truth. `options` NULL: all defaults. */
onefold_status onefold_dataset_synth(onefold_dataset **dataset, onefold_context *context,
    const onefold_synth_options *options);

/* ---- options of a fit ----------------------------------------------------------------------- */

typedef enum onefold_start { ONEFOLD_START_ALIGNED = 0, ONEFOLD_START_PAPER } onefold_start;
typedef enum onefold_variant { ONEFOLD_VARIANT_EXACT = 0, ONEFOLD_VARIANT_PRINTED } onefold_variant;
/* Relative change of the objective; the paper's rule; or longer steps until labels are stable. */
typedef enum { ONEFOLD_STOP_RELATIVE = 0, ONEFOLD_STOP_PAPER, ONEFOLD_STOP_SETTLED } onefold_stop;
typedef enum { ONEFOLD_BASE_AUTO = 0, ONEFOLD_BASE_EXACT, ONEFOLD_BASE_NYSTROM } onefold_base;
typedef enum onefold_precision { ONEFOLD_DOUBLE = 0, ONEFOLD_SINGLE } onefold_precision;
/* Of the method "onefold": recipes compared; one recipe, with equal weights; recipes compared, with
 * 10 restarts of the fit of all samples. */
typedef enum {
    ONEFOLD_EFFORT_NORMAL = 0, ONEFOLD_EFFORT_QUICK, ONEFOLD_EFFORT_THOROUGH } onefold_effort;

/* Every option of a fit, with its default. Strings are only read during the call. */
typedef struct onefold_fit_options {
    size_t struct_size;
    size_t clusters;            /* required */
    const char *method;         /* NULL: "onefold" */
    const char *method_options; /* "name=value,..." of the method's own options */
    const char *kernel;         /* one for all, or "rbf,graph,...": one per view; NULL: "auto" */
    size_t dims, anchors;       /* k and m; 0: twice the clusters */
    size_t restarts; /* 0: 10; of the method "onefold" 2, unless effort is thorough */
    onefold_start start;
    onefold_variant variant;
    int nonneg; /* non-zero: the compressed subspace S is constrained to be non-negative */
    onefold_stop stop;
    double tolerance;      /* 1e-6: relative change of the objective at which a run stops */
    size_t max_iterations; /* 100 */
    onefold_base base;
    size_t landmarks; /* 0: chosen */
    onefold_precision precision;
    uint64_t seed;
    int keep_model; /* non-zero: keep a model; labels are then computed by it */
    size_t explain; /* at most so many columns are named that set a cluster apart; 0: none */
    int bare;       /* non-zero: labels and weights only, no explanations */
    int picture;    /* non-zero: keep the data of the pictures of onefold_report_write */
    const char *weights; /* of the views: "auto", "0.5" (fixed), "0.2..0.6" (bounded), with commas
                            between them; they add up to 1 (of "os-lfmvc-cs" their squares) */
    int view_parts;        /* non-zero: keep each view's part in each label (onefold_fit_info) */
    size_t neighbours;     /* of "knn" and "subspace": landmarks that a sample links to; 0: 8 */
    onefold_effort effort; /* of the method "onefold" */
    int no_embedding;      /* non-zero: the embedding may be left out, 8 dims bytes a sample */
} onefold_fit_options;
#define ONEFOLD_FIT_OPTIONS_INIT \
    {sizeof(onefold_fit_options), 0, NULL, NULL, NULL, 0, 0, 0, ONEFOLD_START_ALIGNED, \
    ONEFOLD_VARIANT_EXACT, 0, ONEFOLD_STOP_RELATIVE, 1e-6, 100, ONEFOLD_BASE_AUTO, 0, \
    ONEFOLD_DOUBLE, 0, 0, 0, 0, 0, NULL, 0, 0, ONEFOLD_EFFORT_NORMAL, 0}

/* Checks options without data; `clusters` may be 0. onefold_fit checks them too. */
onefold_status onefold_fit_options_check(const onefold_fit_options *options);

typedef struct onefold_method_info {
    const char *name, *title; /* "os-lfmvc-cs", and a line for people */
    const char *grid;         /* its published settings (onefold_experiment_options); NULL: none */
    size_t options;           /* number of its own options */
    int takes_missing;        /* samples may lack views */
    int has_model, has_weights, has_view_parts, takes_dims; /* these options apply */
    int can_split;      /* its samples can be split over processes */
    int ends_in_kmeans; /* labels come from k-means on its embedding */
} onefold_method_info;

typedef struct onefold_method_option_info {
    const char *name;   /* "lambda" */
    const char *words;  /* NULL: its value is a number; else one of "a|b|c" */
    double standard;    /* its default; of words, the place in the list */
    double least, most; /* range of a number */
    const char *help;   /* a line */
} onefold_method_option_info;

/* Methods, their own options, kernels ("auto" first), by index; static; NULL past the last. */
const onefold_method_info *onefold_method_describe(size_t index);
const onefold_method_option_info *onefold_method_option(size_t method, size_t index);
const char *onefold_kernel_name(size_t index);

/* ---- the estimate of a fit ------------------------------------------------------------------ */

/* The route to a base partition. */
typedef enum onefold_route {
    ONEFOLD_ROUTE_NONE = 0, /* the method makes no base partitions */
    ONEFOLD_ROUTE_GRAM,     /* eigenproblem of the columns' Gram matrix */
    ONEFOLD_ROUTE_KRYLOV,   /* block Krylov on implicit products with sparse features */
    ONEFOLD_ROUTE_DENSE,    /* the kernel matrix itself */
    ONEFOLD_ROUTE_TILES,    /* tiles of an rbf kernel made on the fly */
    ONEFOLD_ROUTE_NYSTROM,  /* landmarks of an rbf kernel */
    ONEFOLD_ROUTE_LANDMARKS /* the spectrum of a landmark graph */
} onefold_route;

/* A view in a fit, an estimate, a choice or an experiment: unknown fields are 0. */
typedef struct onefold_view_fit {
    const char *name, *kernel;
    onefold_route route;
    double weight;   /* of "os-lfmvc-cs" beta; 0 where the method has none */
    double residual; /* largest ||K v - lambda v|| / lambda_1 of its partition; of the nystrom
                        route, the relative error of the kernel on held-out samples */
    size_t rank, columns; /* eigenvectors kept, <= dims; columns of the view */
    onefold_storage storage;
    size_t missing; /* samples that lack it */
    int named;      /* non-zero: its columns have names */
    size_t passes, landmarks; /* estimated: over the view; of the nystrom route */
    double seconds;           /* estimated */
} onefold_view_fit;

typedef struct onefold_estimate_info {
    const char *method;
    size_t samples, views, clusters, dims, anchors, restarts;
    int threads;
    size_t input_bytes, partition_bytes; /* the views in memory; the base partitions */
    size_t peak_bytes;                   /* peak, input included */
    size_t model_bytes;                  /* of the model that is kept, about */
    int has_time;                        /* non-zero: seconds and iterations were estimated */
    double seconds, seconds_prepare, seconds_base, seconds_fit; /* of the fit, and stages */
    size_t iterations, passes; /* assumed, of all restarts; passes over the partitions */
    size_t gpu_bytes;          /* peak on the GPU; 0: not used */
    const onefold_view_fit *const *view; /* `views` of them; routes with `measure` alone */
} onefold_estimate_info;

/* Estimates a fit. Views are read once, O(n d). Zero `measure`: bytes. Non-zero: seconds too, after
 * measuring the machine for tens of milliseconds.
 * Refuses what onefold_fit would refuse, except a memory limit that is too low. */
onefold_status onefold_fit_estimate(onefold_estimate **estimate, onefold_context *context,
    const onefold_dataset *dataset, const onefold_fit_options *options, int measure);
void onefold_estimate_free(onefold_estimate *estimate);
const onefold_estimate_info *onefold_estimate_describe(const onefold_estimate *estimate);
/* Refuses an estimate above the context's memory limit, as onefold_fit does. */
onefold_status onefold_estimate_check_memory(const onefold_estimate *estimate);

/* ---- fitting -------------------------------------------------------------------------------- */

/* Clusters a data set. Not converging is no error (onefold_fit_info). Memory and time are those of
 * onefold_fit_estimate: linear in n, except for exact kernels. */
onefold_status onefold_fit(onefold_result **result, onefold_context *context,
    const onefold_dataset *dataset, const onefold_fit_options *options);
void onefold_result_free(onefold_result *result);

/* One of the recipes that the method "onefold" compares (docs/method.md section 11). */
typedef struct onefold_candidate {
    const char *name;        /* of the recipe */
    size_t rows, partitions; /* rows of each partition, with the constant; number of partitions */
    double agreement;        /* mean adjusted Rand index of its labels between subsamples */
    int eligible;            /* non-zero: it may be chosen */
    int chosen;              /* non-zero: it gave the labels */
    double told, entropy;    /* told / entropy: share of its labels' entropy that neighbours tell */
    double chance;           /* share of the most that they tell where columns are shuffled */
    double score;            /* the largest is chosen */
    double agreement_beyond, told_beyond; /* beyond chance: S and T of docs/method.md section 11 */
} onefold_candidate;

/* Whether the labels are more than chance (docs/choose.md). Chance is one cloud of samples: it has
 * the correlations and margins of the columns, and no clusters. */
typedef struct onefold_finding {
    double stable, chance;    /* mean adjusted Rand index between subsamples; the same by chance */
    double told, told_chance; /* share of the entropy of labels that neighbours tell, in the view
                                 where it differs most from chance */
    double beyond;            /* their difference, in deviations of chance */
    int found;                /* non-zero: labels are more than chance */
    const char *verdict;      /* "more than chance", "no more than chance" or "not judged" */
} onefold_finding;

/* Everything about a fit. */
typedef struct onefold_fit_info {
    const int32_t *labels; /* of each sample, 0 to clusters - 1 */
    const char *method;
    size_t samples, clusters, clusters_used, dims, anchors, views; /* 0 dims, anchors: none */
    uint64_t seed;
    int threads;
    size_t restarts, best_restart, iterations; /* 0 restarts: there is no objective */
    int converged;
    double objective;
    const double *trace; /* objective after each iteration of the best restart: `iterations` */
    const double *restart_objective; /* of each restart, as the next two; NULL: unknown */
    const size_t *restart_iterations, *restart_clusters_used;
    const size_t *sizes;     /* samples in each cluster */
    const double *embedding; /* fused: embedding_rows x samples, a sample contiguous; NULL: none */
    size_t embedding_rows;
    double seconds_base, seconds_fit;
    const char *note; /* a remark of the method, or "" */
    /* Explanations (docs/explain.md); NULL above 1024 clusters, or with options.bare. */
    const double *agreement;         /* views: NMI of a view's own labels with the fused ones */
    const double *view_agreement;    /* views x views: NMI of their own labels */
    const double *cluster_agreement; /* views x clusters, a cluster contiguous: Jaccard index of the
                                        cluster with its best match among the view's own */
    const double *confidence;        /* samples: share of subsamples in which it stays with its
                                        cluster, 0 to 1; without `stability` a margin */
    size_t explain; /* columns for a cluster and view, at most (onefold_result_column) */
    int explained;  /* non-zero: options.explain asked for columns */
    const onefold_view_fit *const *view; /* `views` of them */
    size_t candidates;                   /* 0: the method makes one labelling only */
    const onefold_candidate *const *candidate;
    const char *const *sample_names; /* as the data set had them; NULL: it had none */
    const onefold_model *model;      /* with options.keep_model; else NULL */
    /* With options.view_parts, views x samples, a sample contiguous: each view's part beta_i c_y'
     * W_i h_ij in the score of a sample's label y (docs/method.md), 0 where it lacks the view. */
    const double *view_parts;
    const char *run; /* run number: hash of names and labels, 16 digits, in all outputs */
    size_t first, held; /* arrays have `held` samples from `first` on; of rank 0: all samples */
    double seconds_labels; /* of seconds_fit: the k-means that ends a comparison method */
    const onefold_finding *finding; /* NULL: the method does not judge its labels */
    const double *stability; /* clusters: mean over subsamples of the Jaccard index with the most
                                similar cluster there; NULL: there are no subsamples */
} onefold_fit_info;
const onefold_fit_info *onefold_result_describe(const onefold_result *result);

/* A column that sets a cluster apart in a view. */
typedef struct onefold_column {
    const char *name;
    size_t index;    /* in its view, from 0 */
    double strength; /* correlation with membership in the cluster, -1 to 1 */
} onefold_column;

/* The columns that options.explain asked for, strongest first; NULL past the last.
 *     for (r = 0; (column = onefold_result_column(result, view, cluster, r)); r++) */
const onefold_column *onefold_result_column(const onefold_result *result, size_t view,
    size_t cluster, size_t rank);

typedef enum onefold_layout_kind {
    ONEFOLD_LAYOUT_AUTO = 0, /* t-SNE where there are more than four clusters, else components */
    ONEFOLD_LAYOUT_PCA,      /* the two leading principal components */
    ONEFOLD_LAYOUT_TSNE      /* preserves neighbourhoods, not large distances */
} onefold_layout_kind;
typedef struct onefold_layout_options {
    size_t struct_size;
    onefold_layout_kind kind;
    size_t most;       /* 10000: samples of t-SNE; others are placed beside their nearest ones */
    double perplexity; /* 30: effective number of neighbours */
    double theta;      /* 0.7: Barnes-Hut approximation of far samples; 0: exact */
    size_t iterations; /* 750 */
    uint64_t seed;     /* of the draw of `most` samples, if there are more */
} onefold_layout_options;
#define ONEFOLD_LAYOUT_OPTIONS_INIT \
    {sizeof(onefold_layout_options), ONEFOLD_LAYOUT_AUTO, 10000, 30, 0.7, 750, 0}

/* Two-dimensional layout of the samples, from the fit's embedding: coordinates[2 * sample] and the
 * next. `options` may be NULL. ONEFOLD_UNSUPPORTED without an embedding. O(n), and for t-SNE of m
 * samples O(m log m) per iteration. */
onefold_status onefold_layout(double *coordinates, onefold_context *context,
    const onefold_result *result, const onefold_layout_options *options);

/* ---- models --------------------------------------------------------------------------------- */

/* Writes a model, whole or not at all: the same bytes on any machine (docs/model-format.md). Reads
 * one; damaged or truncated files and other formats are refused with ONEFOLD_BAD_DATA. */
onefold_status onefold_model_write(const onefold_model *model, onefold_context *context,
    const char *path);
onefold_status onefold_model_read(onefold_model **model, onefold_context *context,
    const char *path);
/* The same in memory: the bytes of the file, freed by onefold_free. */
onefold_status onefold_model_encode(void **bytes, size_t *size, onefold_context *context,
    const onefold_model *model);
onefold_status onefold_model_decode(onefold_model **model, onefold_context *context,
    const void *bytes, size_t size);
/* Frees a model that was read or decoded. Not for the model of a result. */
void onefold_model_free(onefold_model *model);
/* Non-zero: the file begins as a model does. */
int onefold_model_is_file(const char *path);

/* Preparation of columns before the kernel. */
typedef enum { ONEFOLD_PREP_NONE = 0, ONEFOLD_PREP_STANDARDISE, ONEFOLD_PREP_TFIDF } onefold_prep;

/* One view of a model. */
typedef struct onefold_model_view_info {
    const char *name, *kernel;
    onefold_storage storage; /* of the training view */
    onefold_prep prep;
    onefold_route route;          /* to the base partition */
    size_t columns, kept_columns; /* columns of a new sample; of these, the columns used */
    size_t rank;                  /* rows of the base partition */
    size_t points;                /* landmarks or training samples that it keeps; 0: none */
    int holds_samples;            /* non-zero: it stores data of every training sample */
    double weight;                /* in the fusion */
    size_t bytes;
    const char *const *column_names; /* `columns` of them; NULL: none */
} onefold_model_view_info;

typedef struct onefold_model_info {
    const char *version; /* of the library that made it */
    size_t samples, clusters, dims, views;
    uint64_t seed;
    onefold_precision precision;
    size_t bytes;                        /* of its file */
    int holds_samples;                   /* of any view */
    double distance_mean, distance_most; /* of the training samples (onefold_prediction) */
    onefold_impute impute; /* what missing values are filled in with: the mean, or the median */
    const onefold_model_view_info *const *view; /* `views` of them */
    const char *run; /* of the fit that made it (onefold_fit_info); "": none */
} onefold_model_info;
const onefold_model_info *onefold_model_describe(const onefold_model *model);

/* Remarks on a data set for onefold_predict, one per line: ignored columns, absent views. Free the
 * text by onefold_free. */
onefold_status onefold_model_remarks(char **text, const onefold_model *model,
    const onefold_dataset *dataset);

/* Output for new samples: arrays of the caller, with room for each sample, or NULL. If samples are
 * split over processes, rank 0 gets all, and the arrays of other processes are not used. */
typedef struct onefold_prediction {
    size_t struct_size;
    int32_t *labels;    /* 0 to clusters - 1 */
    double *confidence; /* margin between the two best clusters, 0 to 1 */
    double *distance;   /* from the training samples, 0 to 1: root of the share of its squared
                           length in feature space outside the base partitions */
    double *embedding; /* dims x samples, a sample contiguous: its fused embedding */
    double *view_part; /* views x samples, a sample contiguous: as onefold_fit_info.view_parts */
} onefold_prediction;
#define ONEFOLD_PREDICTION_INIT {sizeof(onefold_prediction), NULL, NULL, NULL, NULL, NULL}

/* Labels samples first .. first+count-1 of a data set with the model's views: O(count d), memory
 * O(1). In a graph view, a sample has its links to the training samples; in a kernel view, its
 * kernel with them and, if known, with itself in one more column. */
onefold_status onefold_predict(onefold_prediction *prediction, onefold_context *context,
    const onefold_model *model, const onefold_dataset *dataset, size_t first, size_t count);

/* The same for batches of samples, each of any data set. Work that depends on the model alone is
 * done once. The model must outlive the predictor. */
onefold_status onefold_predictor_create(onefold_predictor **predictor, onefold_context *context,
    const onefold_model *model);
void onefold_predictor_free(onefold_predictor *predictor);
onefold_status onefold_predictor_feed(onefold_predictor *predictor, const onefold_dataset *dataset,
    size_t first, size_t count, onefold_prediction *prediction);
size_t onefold_predictor_on_gpu(const onefold_predictor *predictor); /* samples a GPU labelled */

/* ---- how many clusters ---------------------------------------------------------------------- */

typedef struct onefold_choose_options {
    size_t struct_size;
    size_t least, most; /* 2; 0: 20, or a third of the samples where that is less */
} onefold_choose_options;
#define ONEFOLD_CHOOSE_OPTIONS_INIT {sizeof(onefold_choose_options), 2, 0}

/* Fits every number of clusters from `least` to `most` by the method "onefold", to at most 4096
 * samples, and compares the evidence; true labels are not used. Of `fit` (NULL: defaults) it uses
 * kernel, restarts, landmarks, neighbours and seed, and refuses other options. */
onefold_status onefold_choose(onefold_choice **choice, onefold_context *context,
    const onefold_dataset *dataset, const onefold_fit_options *fit,
    const onefold_choose_options *options);
void onefold_choice_free(onefold_choice *choice);

/* The evidence for one number of clusters (docs/choose.md). */
typedef struct onefold_choose_point {
    size_t clusters;
    size_t clusters_used; /* 0: too few samples to compare so many clusters */
    double agreement; /* mean adjusted Rand index between the labels of subsamples */
    /* The share of the entropy that neighbours tell of the labels; the same share where the values
     * of every column are shuffled. */
    double told, chance;
    double evidence; /* agreement_beyond^2 * told_beyond^(1/2) * entropy */
    double entropy;  /* of as many clusters of equal size, in nats */
    double agreement_beyond, told_beyond; /* both beyond chance, 0 to 1 */
} onefold_choose_point;

typedef struct onefold_choose_info {
    size_t samples, views, points;            /* points: numbers that were tried */
    const onefold_choose_point *const *point; /* of each number, rising */
    const onefold_view_fit *const *view;      /* `views` of them, without results of a fit */
    size_t suggested; /* a number of clusters; 0: none is more than chance */
    size_t reasons;                           /* number of sentences on why */
    const char *const *reason;
    size_t curve_samples;     /* samples that were fitted: fewer where there are many */
    size_t restarts, classes; /* classes of the true labels, which are not used */
    double seconds_curve;
    uint64_t seed;
    int threads;
    const char *method; /* whose labels were compared */
    onefold_finding finding; /* of the smallest number with nearly the most evidence */
    /* Numbers that stand out, the suggested one first; and the share of samples by which each
     * labelling holds, or lies within, that of the suggested number. */
    size_t numbers;
    const size_t *number;
    const double *nested;
} onefold_choose_info;
const onefold_choose_info *onefold_choice_describe(const onefold_choice *choice);

/* ---- scores, and files of labels and numbers ------------------------------------------------ */

/* Agreement of two labellings; all from 0 (ari: -1) to 1. Where a formula gives 0/0, the score is 1
 * if the two agree up to names, else 0; never NaN. */
typedef struct onefold_scores {
    size_t struct_size;
    double acc;                  /* agreement under the best one-to-one matching of names */
    double nmi, nmi_max;         /* mutual information over the larger entropy, both */
    double nmi_sum, nmi_sqrt;    /* over the mean of the entropies, over their geometric mean */
    double purity;               /* samples of the most frequent class of their cluster */
    double ari;                  /* adjusted Rand index */
    double f, precision, recall; /* over pairs of samples */
    size_t clusters, classes;
} onefold_scores;
#define ONEFOLD_SCORES_INIT {sizeof(onefold_scores), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}

/* Scores labels against the truth: any integers of `type`, ONEFOLD_INT32 or ONEFOLD_INT64. At least
 * one sample. O(n log n), and at most cubic in the number of clusters. */
onefold_status onefold_score(onefold_scores *scores, onefold_type type, const void *labels,
    const void *truth, size_t samples);

/* Reads the labels of a file, integers or words; "FILE:COLUMN" names a column or variable. The
 * result is a data set without views. Its truth is the labels; its two notes are their name in the
 * file and the number of the run that wrote them (onefold_fit_info; "": unknown). */
onefold_status onefold_labels_read(onefold_dataset **labels, onefold_context *context,
    const char *path);

/* Brings labels into the order of those of another file, by id; *matched (may be NULL) is 1 if both
 * files have ids. Labels of other samples are dropped; a sample without a label is refused. */
onefold_status onefold_labels_match(onefold_dataset *labels, const onefold_dataset *with,
    int *matched);

/* Writes labels, whole or not at all: .csv and .tsv have a header and rows `sample,cluster,
 * confidence`, samples by name in the data set or by number from 1; .mat and .npz have `labels`,
 * `confidence`, `sample_names`; .txt and .npy labels alone. `confidence`, `dataset` may be NULL. */
onefold_status onefold_labels_write(const int32_t *labels, const double *confidence, size_t samples,
    const onefold_dataset *dataset, onefold_context *context, const char *path);

/* The same for batches of labels. The file appears when onefold_labels_writer_finish is called, and
 * not if the writer is freed before. The data set must outlive the writer. */
onefold_status onefold_labels_writer_create(onefold_labels_writer **writer,
    onefold_context *context, const char *path, size_t samples, const onefold_dataset *dataset,
    int confidence);
onefold_status onefold_labels_writer_add(onefold_labels_writer *writer, const int32_t *labels,
    const double *confidence, size_t count);
onefold_status onefold_labels_writer_finish(onefold_labels_writer *writer);
void onefold_labels_writer_free(onefold_labels_writer *writer);

/* Writes rows x columns numbers, row i being values[i * step] .. values[i * step + columns - 1]:
 * .npy (float64), .csv and .txt (a row a line, digits that read back to the same), .mat (`X`). */
onefold_status onefold_matrix_write(const double *values, size_t rows, size_t columns, size_t step,
    onefold_context *context, const char *path);

/* Writes bytes to a file, whole or not at all. */
onefold_status onefold_text_write(const char *text, size_t size, onefold_context *context,
    const char *path);

/* ---- comparing methods ---------------------------------------------------------------------- */

typedef enum { ONEFOLD_KMEANS_PLUSPLUS = 0, ONEFOLD_KMEANS_SAMPLES } onefold_kmeans_start;
typedef enum { ONEFOLD_ACC = 0, ONEFOLD_NMI, ONEFOLD_PURITY, ONEFOLD_ARI } onefold_measure;
#define ONEFOLD_MEASURES 4

/* The paper's experiments on one data set (docs/results.md): every method at its default and over a
 * grid of settings, each figure with its spread over repeats. A repeat is a run of the whole method
 * with the next seed. What of it draws nothing is computed once: of most methods that end in
 * k-means, all but the k-means. Every cell has all repeats. */
typedef struct onefold_experiment_options {
    size_t struct_size;
    const char *methods;        /* names with commas between them; NULL or "all": all of them */
    const char *method_options; /* "method:name=value,...;method:..."; NULL: defaults */
    const char *grid;    /* NULL, "default" or "paper": the published grid of every method that has
                            one; "none"; "method:cells;...", where "method:paper" is its own */
    size_t repeats;      /* 20 */
    size_t grid_repeats; /* unused */
    onefold_kmeans_start kmeans_start;
    size_t replicates;       /* 10: of each k-means; the best is kept */
    const char *sensitivity; /* "1,2,4": k and m in clusters; NULL: that, where there is a grid */
    const char *store;       /* file that keeps finished cells from run to run; NULL: none */
} onefold_experiment_options;
#define ONEFOLD_EXPERIMENT_OPTIONS_INIT \
    {sizeof(onefold_experiment_options), NULL, NULL, NULL, 20, 5, ONEFOLD_KMEANS_PLUSPLUS, 10, \
    NULL, NULL}

/* Checks options without data. */
onefold_status onefold_experiment_check(const onefold_fit_options *fit,
    const onefold_experiment_options *options);

/* Runs an experiment. `fit` is for every method (0 clusters: as many as classes; method,
 * method_options, keep_model, explain, bare, weights, view_parts are refused). Cells that fail have
 * no figures; the call fails if all cells fail, or if the data came with two truths that disagree. The data set must outlive the experiment. */
onefold_status onefold_experiment_run(onefold_experiment **experiment, onefold_context *context,
    const onefold_dataset *dataset, const onefold_fit_options *fit,
    const onefold_experiment_options *options);
/* The same without running it: methods, cells with the results that the store has, and estimates. */
onefold_status onefold_experiment_plan(onefold_experiment **experiment, onefold_context *context,
    const onefold_dataset *dataset, const onefold_fit_options *fit,
    const onefold_experiment_options *options);
void onefold_experiment_free(onefold_experiment *experiment);

/* A method of an experiment. Cells are given by their index in the experiment's list. */
#define ONEFOLD_NO_CELL ((size_t)-1)
typedef struct onefold_experiment_method_info {
    const char *name, *title;
    size_t standard, published;     /* cell of its default; cells of its published grid */
    size_t grid_cells, grid_failed; /* cells of the given grid, cells that failed; 0: no grid */
    int has_grid, takes_dims, ends_in_kmeans;
    int picks_view;                /* its grid is over the views */
    size_t best[ONEFOLD_MEASURES]; /* for every measure the same cell: of largest mean ACC among
                                      `tried`, by the labels, the first of equals; or NO_CELL */
    size_t peak_bytes;             /* estimated for its default */
    size_t tried;      /* with a grid, cells with scores: of the grid, the default, the sensitivity
                          table; of a grid over the views, the grid */
    size_t near_best;  /* of these, others within a standard error (deviation / sqrt(repeats)) of
                          the best mean ACC */
    size_t median;     /* of these, the cell of median mean ACC, the lower of two; or NO_CELL */
    int whole_runs;    /* a repeat is a whole fit; 0: only its k-means, as nothing else draws */
    const char *drawn; /* what a repeat draws, for people */
    double seconds;    /* estimated for all cells; 0: unknown */
} onefold_experiment_method_info;

/* Purposes of a cell; it may have several. */
enum {
    ONEFOLD_CELL_STANDARD = 1,   /* a method at its default */
    ONEFOLD_CELL_GRID = 2,       /* a setting of its grid */
    ONEFOLD_CELL_SENSITIVITY = 4 /* a setting of the sensitivity table */
};

/* One method at one setting. */
typedef struct onefold_experiment_cell_info {
    size_t method;         /* its index in the experiment */
    const char *setting;   /* for people: "default", "k 14, m 7", "l1=2,l2=8" */
    unsigned roles;        /* ONEFOLD_CELL_... */
    int kept;              /* taken from the store */
    size_t dims, anchors;  /* 0 where the method takes none */
    onefold_status status; /* ONEFOLD_OK, or why there are no figures */
    const char *reason;    /* message of the failure; "": none */
    size_t repeats;        /* 0 after a failure; the fields below are then empty */
    const onefold_scores *const *scores; /* of each repeat; NULL: none, nor the next two */
    double mean[ONEFOLD_MEASURES], deviation[ONEFOLD_MEASURES]; /* deviation over repeats - 1 */
    const double *objectives; /* of each repeat: the cost of k-means, or the method's objective */
    size_t answer;            /* the repeat of a fit: least k-means cost, or the first */
    const int32_t *labels;    /* samples: of that repeat */
    size_t clusters_used;
    double silhouette; /* of these labels on the embedding */
    double objective;  /* of the first fit, as are the fields below */
    const double *trace;
    const onefold_view_fit *const *view; /* weight, route, rank, residual of each */
    size_t iterations;
    int converged;
    const char *note; /* "" */
    /* Mean parts of a run on `threads` threads, from features in memory to labels, which add up to
     * seconds_run: kernels, base partitions and other preparations; iterations; final k-means. */
    double seconds_base, seconds_fit, seconds_kmeans;
    double seconds;     /* of the whole cell, with all repeats */
    size_t peak_bytes;  /* peak, the data included */
    double seconds_run; /* of one run */
    size_t only_view;   /* the view that all figures are of, from 1; 0: of all views together */
    double seconds_expected; /* of all repeats, by counting operations; 0: unknown */
} onefold_experiment_cell_info;

typedef struct onefold_experiment_info {
    size_t samples, views, clusters, classes; /* 0 classes: there are no scores */
    size_t methods;                           /* compared */
    const onefold_experiment_method_info *const *method;
    size_t cells; /* settings of methods */
    const onefold_experiment_cell_info *const *cell;
    const onefold_view_fit *const *view; /* name, columns, storage, kernel; the rest is 0 */
    uint64_t seed;
    int threads;
    size_t restarts, repeats, grid_repeats, replicates, kmeans_iterations; /* grid_repeats: repeats */
    onefold_kmeans_start kmeans_start;
    const char *fingerprint; /* of the data */
    /* The sensitivity table: multiples of the clusters, and for each pair the cell, k down and m
     * across; NULL: none. */
    size_t times_count;
    const size_t *times, *sensitivity;
    const double *agreement; /* methods x methods: NMI of the defaults' labels; NaN: none */
    double seconds;
    double expected_seconds; /* estimated before the first cell; 0: unknown */
    const char *truth; /* where the true labels were read from: "Y of a.mat"; NULL: the caller set
                          them, or there are none */
} onefold_experiment_info;
const onefold_experiment_info *onefold_experiment_describe(const onefold_experiment *experiment);

/* ---- the file of a study: many data sets x many methods ------------------------------------- */

/* A figure of a publication, in percent; deviation NaN: not known. */
typedef struct onefold_study_figure {
    const char *method;
    size_t measure; /* an onefold_measure */
    double mean, deviation;
} onefold_study_figure;

/* An option of the comparison: its name, and its value as one text; NULL: it takes none. */
typedef struct onefold_study_option {
    const char *name, *value;
} onefold_study_option;

typedef struct onefold_study_set {
    const char *name;
    size_t paths, options, figures;
    const char *const *path;
    const onefold_study_option *const *option;
    const onefold_study_figure *const *figure;
} onefold_study_set;

/* A method of somebody else: a command that is run for each set and repeat, or files of labels. */
typedef struct onefold_study_other {
    const char *name, *cite; /* cite: an entry of BibTeX; NULL: none */
    const char *command;     /* for sh; NULL: the labels are in files */
    const char *ending;      /* of the file of labels that the command writes: ".csv" */
    size_t files;
    const char *const *set, *const *file; /* the set of each file */
    const double *seconds;                /* of a repeat; NaN: not known */
} onefold_study_other;

enum {
    ONEFOLD_WANT_SCORES = 1, ONEFOLD_WANT_CONVERGENCE = 2, ONEFOLD_WANT_SENSITIVITY = 4,
    ONEFOLD_WANT_TIMES = 8, ONEFOLD_WANT_TESTS = 16
};

typedef struct onefold_study_info {
    const char *name;
    size_t sets, others, options;
    const onefold_study_set *const *set;
    const onefold_study_other *const *other;
    const onefold_study_option *const *option; /* of all sets */
    unsigned wanted; /* ONEFOLD_WANT_... */
} onefold_study_info;

/* Reads the file of a study (docs/experiment.md). Its paths start from its folder. */
onefold_status onefold_study_read(onefold_study **study, onefold_context *context,
    const char *path);
const onefold_study_info *onefold_study_describe(const onefold_study *study);
void onefold_study_free(onefold_study *study);

/* ---- whether methods differ ----------------------------------------------------------------- */

/* Two methods compared by Wilcoxon's signed-rank test. It is exact for fewer than 50 rows without
 * ties and rows without a difference, else by the normal distribution with a correction. */
typedef struct onefold_pair_test {
    size_t first, second; /* methods */
    size_t differing;     /* rows in which they differ */
    double statistic;     /* V: the sum of the ranks of rows in which the first is larger */
    double p, p_holm;     /* two-sided; with Holm's correction for all pairs */
    int exact;
    int can_tell; /* 0: so few rows differ that no p_holm could reach 0.05 */
} onefold_pair_test;

typedef struct onefold_comparison_info {
    size_t rows, methods;
    const double *rank;         /* average rank of each method; 1: the largest value */
    double chi_square, p;       /* Friedman's test, methods - 1 degrees of freedom */
    int can_tell;               /* 0: so few rows that no p could reach 0.05 */
    double critical_difference; /* Nemenyi's, of average ranks, at 0.05 */
    size_t pairs;
    const onefold_pair_test *const *pair;
} onefold_comparison_info;

/* Tests whether methods differ: values[row * methods + method] is a score, the larger the better,
 * and a row is a data set, or a repeat (Demsar 2006). */
onefold_status onefold_compare(onefold_comparison **comparison, onefold_context *context,
    const double *values, size_t rows, size_t methods);
const onefold_comparison_info *onefold_comparison_describe(const onefold_comparison *comparison);
void onefold_comparison_free(onefold_comparison *comparison);

/* ---- JSON and report pages ------------------------------------------------------------------ */

/* Content of a report. NULL, 0, or seconds below 0 leave an item out. It is only read during the
 * call. */
typedef struct onefold_report {
    size_t struct_size;
    const onefold_result *result; /* for a page, fit with options.picture and options.explain */
    const onefold_choice *choice;
    const onefold_experiment *experiment;
    const onefold_prediction *prediction; /* of `samples` samples by `model` */
    const onefold_model *model;
    const onefold_dataset *dataset; /* truth, columns, names of samples, missing views */
    const onefold_estimate *estimate;
    const onefold_scores *scores; /* of the labels against the truth */
    size_t samples;               /* of the prediction or the scores */
    const char *const *paths;     /* files of the data; a page lists them with their SHA-256 */
    size_t path_count;
    const char *name, *model_path; /* of the data, for people; the model's file */
    double seconds_read, seconds_predict, seconds_total;
    int threads;                          /* of a prediction */
    size_t peak_bytes, free_bytes;        /* peak of the process; free memory */
    const onefold_fit_options *options;   /* listed in a page */
    const char *command;                  /* to make the page again */
    const onefold_layout_options *layout; /* of a page; NULL: defaults, with the fit's seed */
    size_t points;                        /* 200000: most samples that a page shows */
} onefold_report;
#define ONEFOLD_REPORT_INIT \
    {sizeof(onefold_report), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, 0, NULL, \
    NULL, -1, -1, -1, 0, 0, 0, NULL, NULL, NULL, 200000}

/* One JSON object on one line, as the command prints with --json (docs/json.md), of the first given
 * of result, choice, experiment, prediction, model, dataset, estimate and scores, with the other
 * known values. Numbers have 17 significant digits. Free the text by onefold_free. */
onefold_status onefold_report_json(char **text, const onefold_report *report);

/* Writes one page of a result, a choice, an experiment or a prediction (exactly one is given) that
 * opens without a network (docs/report.md). It appears whole or not at all. */
onefold_status onefold_report_write(const onefold_report *report, onefold_context *context,
    const char *path);

/* The page of a fit from the file that holds its JSON, or of two fits of the same samples side by
 * side (count 1 or 2). Samples are matched by name where both have names. */
onefold_status onefold_report_from_json(const char *const *results, size_t count,
    onefold_context *context, const char *path);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
