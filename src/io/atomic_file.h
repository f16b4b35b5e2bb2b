/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An output file that appears whole or not at all: it is written under a temporary name in the same
 * folder, then synced and renamed. Every write is checked, so that a full disk is an error.
 *
 *     OF_ATOMIC_FILE(file);                            removed by any return before the commit
 *     OF_TRY(of_atomic_open(&file, context, path));
 *     OF_TRY(of_atomic_write(&file, bytes, size));
 *     return of_atomic_commit(&file);
 */
#ifndef OF_IO_ATOMIC_FILE_H
#define OF_IO_ATOMIC_FILE_H

#include "data/dataset.h"
#include "io/build.h"

#include <sys/types.h>

typedef struct of_atomic_file {
    of_context *context;
    of_arena arena;    /* holds the names and the buffer */
    const char *path;  /* as it was given, for messages */
    const char *place; /* the path with symbolic links followed, and its folder */
    dev_t folder_device;
    ino_t folder_number;
    char *temporary;      /* the name until the commit; NULL: written in place, as to a device */
    int descriptor;       /* -1: not open */
    unsigned char *block; /* buffered bytes */
    size_t filled;
    uint64_t position; /* bytes written so far, buffered ones included */
    uint32_t crc;      /* of the bytes written, buffered ones excluded; 0 starts it again */
} of_atomic_file;

/* A file that is abandoned when its scope is left. */
#define OF_ATOMIC_FILE(name)                                                                       \
    __attribute__((cleanup(of_atomic_abandon))) of_atomic_file name = {.descriptor = -1}

/* Makes the temporary file. An existing regular file is replaced by the commit, and its permissions
 * are kept. A device or pipe is written in place. */
onefold_status of_atomic_open(of_atomic_file *file, of_context *context, const char *path);

onefold_status of_atomic_write(of_atomic_file *file, const void *bytes, size_t size);
/* A text of less than 256 bytes. */
onefold_status of_atomic_print(of_atomic_file *file, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes the buffered bytes. */
onefold_status of_atomic_flush(of_atomic_file *file);

/* Overwrites bytes, such as a length that was not known before. */
onefold_status of_atomic_patch(of_atomic_file *file, uint64_t position, const void *bytes,
                               size_t size);

/* Syncs the file and puts it in its place. On failure nothing is left. */
onefold_status of_atomic_commit(of_atomic_file *file);

/* The first step of a commit: syncs and closes the file. */
onefold_status of_atomic_finish(of_atomic_file *file);

/* Removes what was written. Does nothing after a commit or before an open. */
void of_atomic_abandon(of_atomic_file *file);

/* ---- the files of a run: inputs, which no output may overwrite, and outputs that are placed
 * together ---- */

/* Remembers the file of a descriptor, by device and inode, once onefold_context_hold_outputs was
 * called. */
onefold_status of_run_files_read(of_context *context, int descriptor);

/* Places finished files, or holds them until onefold_context_place_outputs. */
onefold_status of_run_files_place(of_atomic_file *const *files, size_t count);

/* ==== writing labels, matrices and data sets, in the format of the path's ending. The same input
 * gives the same bytes: no dates are written. ==== */

/* ---- elements (write_container.c) ----------------------------------------------------------- */

typedef enum of_order { OF_ORDER_ROWS, OF_ORDER_COLUMNS } of_order;

/* Writes all elements of a view in its own type, in either order; or as OF_F64, sample by sample.
 */
onefold_status of_write_elements(of_atomic_file *file, const of_view *view, of_type type,
                                 of_order order);

/* ---- a zip archive (write_container.c) ------------------------------------------------------ */

typedef struct of_zip_member {
    const char *name;
    uint64_t offset, size;
    uint32_t crc;
} of_zip_member;

typedef struct of_zip {
    of_atomic_file *file;
    of_arena *arena;
    of_zip_member *members;
    size_t count, room;
    uint64_t start;     /* of the contents of the current member */
    uint64_t wide_from; /* larger sizes and offsets need 64 bits; tests lower it */
} of_zip;

of_zip of_zip_make(of_arena *arena, of_atomic_file *file);
/* Begins a member of `size` bytes, which the caller then writes to the file. */
onefold_status of_zip_begin(of_zip *zip, const char *name, uint64_t size);
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

/* The header of an .npy array of `count` numbers; a view as an .npy array (write_container.c). */
onefold_status of_npy_header(of_atomic_file *file, of_type type, size_t count);
onefold_status of_write_npy(of_atomic_file *file, const of_view *view);

/* A data set as a .mat or an .npz (write_container.c). Views are a cell `X` (1 x views, each
 * samples x columns), in an .npz `X1`, `X2`, ...; or kernels `KH` (samples x samples x views). A
 * sparse view of an .npz has the parts of SciPy's: X1.data, X1.indices, X1.indptr, X1.shape and
 * X1.format. The truth is `Y`, as texts where a label is no integer. dataset->present is
 * `MissingStatus`. Names are `view_names`, `column_names1`, ..., `sample_names`. */
onefold_status of_write_container(of_atomic_file *file, of_format format,
                                  const of_dataset *dataset);

/* Labels as a .mat or an .npz: `labels` (samples x 1), and, unless NULL, `confidence` and
 * `sample_names`. */
onefold_status of_write_labels(of_atomic_file *file, of_format format, const int32_t *labels,
                               const double *confidence, const char *const *names, size_t samples);

/* One array as a .mat. */
onefold_status of_write_mat(of_atomic_file *file, const char *name, const of_view *view);

/* The name of the class of each sample, and these as integers; *labels is NULL unless every name is
 * an integer as it is printed. */
onefold_status of_write_truth(of_arena *arena, int64_t **labels, const char *const **text,
                              const of_dataset *dataset);

/* A view as lines of numbers, after a header where columns or samples have names. Names of samples
 * come first in each line; columns without names are then numbered from 1 in the header. */
onefold_status of_write_text(of_atomic_file *file, const of_view *view, const char *const *names,
                             char separator);

/* Matrix Market: coordinates for a sparse view, else an array. */
onefold_status of_write_mtx(of_atomic_file *file, const of_view *view);

#endif
