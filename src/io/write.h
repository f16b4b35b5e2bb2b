/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing labels, matrices and data sets, in the format of the path's ending. Every file appears
 * whole or not at all. The same input gives the same bytes: no dates are written.
 */
#ifndef OF_IO_WRITE_H
#define OF_IO_WRITE_H

#include "data/dataset.h"
#include "io/packing.h"

/* Refuses a path whose ending names no format for labels with what is known of their samples. */
onefold_status of_write_label_format(const char *path);

/* ---- labels that come a batch at a time ----------------------------------------------------- */

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
 * `sample_names`). What onefold_labels_write writes without extras has the same bytes. `extras` may
 * be NULL; its names must live until the file is committed. */
onefold_status of_label_file_open(of_label_file *file, of_context *context, const char *path,
                                  size_t samples, const of_label_extras *extras);
onefold_status of_label_file_add(of_label_file *file, const int32_t *labels,
                                 const double *confidence, size_t count);
onefold_status of_label_file_commit(of_label_file *file);

/* Removes what was written. Does nothing after a commit or before an open. */
void of_label_file_abandon(of_label_file *file);

/* ---- elements (write_array.c) --------------------------------------------------------------- */

typedef enum of_order { OF_ORDER_ROWS, OF_ORDER_COLUMNS } of_order;

/* All elements of a dense or kernel view in the type they are held in: sample by sample, or column
 * by column. */
onefold_status of_write_elements(of_context *context, of_sink sink, const of_view *view,
                                 of_order order);

/* All elements of any view as float64, sample by sample; a sparse one with its zeros. */
onefold_status of_write_doubles(of_context *context, of_sink sink, const of_view *view);

/* A kernel, in the type it is held in or as float64. It is symmetric, so no order is asked for. */
onefold_status of_write_kernel(of_context *context, of_sink sink, const of_view *view, int as_held);

/* A view of samples x columns numbers, a sample contiguous. */
of_view of_view_over(const void *values, of_type type, size_t samples, size_t columns, size_t step);

/* The true labels as integers: those of the file they came from where all class names are integers
 * (*named is 0), else the number of the class from 0 (*named is 1). */
onefold_status of_write_truth(of_arena *arena, int64_t **labels, int *named,
                              const of_dataset *dataset);

/* The data set as it is written: what a view holds of a sample that lacks it is NaN, its row and,
 * in a kernel, its column. A sparse view cannot say it: it has an empty row there, and
 * shown->present is then left for a table of its own (else it is NULL). */

of_view of_write_present(const of_dataset *dataset); /* that table: samples x views, uint8 */

/* Whether every view is a kernel, and then whether all are held in the same type. */
int of_all_kernels(const of_dataset *dataset, int *same_type);

/* Whether the views have names other than those a reader gives views without any: then a list of
 * them, view_names, is written too. */
int of_views_are_named(const of_dataset *dataset);

/* ---- a zip archive (write_npz.c) ------------------------------------------------------------ */

typedef struct of_zip_member {
    const char *name;
    uint64_t offset, size, packed;
    uint32_t crc;
    int wide; /* its sizes are 64 bits long */
} of_zip_member;

typedef struct of_zip {
    of_atomic_file *file;
    of_arena *arena;
    of_zip_member *members;
    size_t count, room;
    uint64_t wide_from; /* sizes and offsets from here on need 64 bits; tests lower it */
    of_deflate deflate;
} of_zip;

onefold_status of_zip_open(of_zip *zip, of_arena *arena, of_atomic_file *file, size_t room);
/* The next of at most `room` members, of `size` bytes, which are then written to the sink. */
onefold_status of_zip_begin(of_zip *zip, of_sink *sink, const char *name, uint64_t size);
onefold_status of_zip_end(of_zip *zip);
onefold_status of_zip_finish(of_zip *zip);

/* ---- formats -------------------------------------------------------------------------------- */

typedef enum of_format {
    OF_NPY,
    OF_CSV,
    OF_TSV,
    OF_TXT,
    OF_MTX,
    OF_MAT,
    OF_NPZ,
    OF_FORMATS
} of_format;
int of_is_stream(const char *path); /* there, and no file: a device, a pipe (write.c) */

/* An .npy array (write_array.c): numbers, or texts of up to `characters` code points. */
typedef struct of_npy {
    of_type type;
    size_t characters; /* 0: numbers */
    size_t dimensions, shape[3];
    of_order order;
} of_npy;

uint64_t of_npy_bytes(const of_npy *array); /* of the whole file */
onefold_status of_npy_header(of_sink sink, const of_npy *array);
of_npy of_npy_of_view(const of_view *view); /* samples x columns; sparse becomes float64 */
onefold_status of_write_npy(of_context *context, of_sink sink, const of_view *view);

/* Views `X1`, `X2`, ... or kernels `KH`, and truth `Y` in an .npz (write_npz.c). A sparse view is
 * the parts that SciPy saves it in: X1.data, X1.indices, X1.indptr, X1.shape and X1.format. Labels
 * that are no integers are texts. dataset->present is `MissingStatus`, and names of samples are
 * `sample_names`, in a .mat too. */
onefold_status of_write_npz(of_atomic_file *file, const of_dataset *dataset);

/* Cell `X` (1 x views, each samples x columns) or kernels `KH` (samples x samples x views), and
 * truth `Y` in a compressed .mat of version 5 (write_mat.c); labels that are no integers are a cell
 * of texts. */
onefold_status of_write_mat(of_atomic_file *file, const of_dataset *dataset);
onefold_status of_write_mat_variable(of_atomic_file *file, const char *name, const of_view *view);

/* Labels with what is known of their samples, each of which may be NULL, into an open file:
 * `labels` (samples x 1), `confidence`, `sample_names`. */
onefold_status of_write_mat_labels(of_atomic_file *file, const int32_t *labels,
                                   const double *confidence, const char *const *names,
                                   size_t samples);
onefold_status of_write_npz_labels(of_atomic_file *file, const int32_t *labels,
                                   const double *confidence, const char *const *names,
                                   size_t samples);

/* A name as a field of text, in quotes where it holds what would end it, and `after` behind it. */
onefold_status of_write_name(of_atomic_file *file, const char *name, char separator, char after);

/* Lines of numbers with `separator` between them, after a line of column names if there are any
 * (write_array.c). */
onefold_status of_write_text(of_atomic_file *file, const of_view *view, char separator);

/* The same with the samples' names before each line, under a header; columns without names are
 * numbered from 1. */
onefold_status of_write_named_text(of_atomic_file *file, const of_view *view,
                                   const char *const *names, char separator);

/* Matrix Market: coordinates for a sparse view, else an array. */
onefold_status of_write_mtx(of_atomic_file *file, const of_view *view);

/* The fewest digits, from 15 up (from 6 when `single`, a float), that read back as the same number;
 * zeros at the end are left out. `text` has room for 32 characters. */
int of_number_text(char *text, double number, int single);

#endif
