/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An output file that appears whole or not at all: written under a temporary name in the folder of
 * its place, then synced and renamed. Every write is checked, so a disk that fills up is an error.
 *
 *     OF_ATOMIC_FILE(file);                            removed again by any return before commit
 *     OF_TRY(of_atomic_open(&file, context, path));
 *     OF_TRY(of_atomic_write(&file, bytes, size));
 *     return of_atomic_commit(&file);
 */
#ifndef OF_IO_ATOMIC_FILE_H
#define OF_IO_ATOMIC_FILE_H

#include "data/dataset.h"
#include "io/build.h"

typedef struct of_atomic_file {
    of_context *context;
    of_arena arena;       /* holds the names and the buffer */
    const char *path;     /* as it was given, for messages */
    const char *place;    /* where it will be: the path with symbolic links followed */
    char *temporary;      /* its name until then; NULL where it is written in place (a device) */
    int descriptor;       /* -1: not open */
    unsigned char *block; /* bytes not yet handed to the system */
    size_t filled;
    uint64_t position; /* bytes written so far, buffered ones included */
    uint32_t crc;      /* of those handed to the system; set to 0 it begins again */
} of_atomic_file;

/* A variable that abandons its file when the scope is left. */
#define OF_ATOMIC_FILE(name)                                                                       \
    __attribute__((cleanup(of_atomic_abandon))) of_atomic_file name = {.descriptor = -1}

/* Makes the temporary file. An existing regular file stays as it is until the commit, which keeps
 * its permissions; a device or pipe is opened and written in place. */
onefold_status of_atomic_open(of_atomic_file *file, of_context *context, const char *path);

onefold_status of_atomic_write(of_atomic_file *file, const void *bytes, size_t size);
/* A short text: of less than 256 bytes. */
onefold_status of_atomic_print(of_atomic_file *file, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Hands what is buffered to the system. */
onefold_status of_atomic_flush(of_atomic_file *file);

/* Writes over bytes that are already there (a length that was not known before). */
onefold_status of_atomic_patch(of_atomic_file *file, uint64_t position, const void *bytes,
                               size_t size);

/* Hands everything to the disk and puts the file in its place. On failure nothing is left. */
onefold_status of_atomic_commit(of_atomic_file *file);

/* The first step of a commit: everything is on the disk. */
onefold_status of_atomic_finish(of_atomic_file *file);

/* Removes what was written. Does nothing after a commit or before an open. */
void of_atomic_abandon(of_atomic_file *file);

/* ---- the files of a run: those that were read with a context, which none of its outputs may be,
 * and outputs that wait until all of them are finished ---- */

/* Notes what an open descriptor is of: by device and number, whatever name it was opened by. Only
 * where onefold_context_hold_outputs was called before. */
onefold_status of_run_files_read(of_context *context, int descriptor);

/* Holds finished files that belong together, or places them. */
onefold_status of_run_files_place(of_atomic_file *const *files, size_t count);

/* ==== what is written to them: labels, matrices and data sets, in the format of the path's ending.
 * The same input gives the same bytes: no dates are written. ==== */

/* ---- elements (write_container.c) ----------------------------------------------------------- */

typedef enum of_order { OF_ORDER_ROWS, OF_ORDER_COLUMNS } of_order;

/* All elements of a view in a type: sample by sample, or column by column. Where it is held in
 * another type, or is sparse, that is OF_F64, and the order sample by sample. */
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
    uint64_t start;     /* of the contents of the member that is written */
    uint64_t wide_from; /* sizes and offsets from here on need 64 bits; tests lower it */
} of_zip;

of_zip of_zip_make(of_arena *arena, of_atomic_file *file);
/* The next member, of `size` bytes, which are then written to the file. */
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

/* An .npy array (write_container.c): what stands before so many numbers; and all of a view. */
onefold_status of_npy_header(of_atomic_file *file, of_type type, size_t count);
onefold_status of_write_npy(of_atomic_file *file, const of_view *view);

/* A data set as a .mat or an .npz (write_container.c). The views are a cell `X` (1 x views, each
 * samples x columns), in an .npz `X1`, `X2`, ...; or kernels `KH` (samples x samples x views). A
 * sparse view of an .npz is the parts that SciPy saves it in: X1.data, X1.indices, X1.indptr,
 * X1.shape and X1.format. The truth is `Y`; labels that are no integers are texts. dataset->present
 * is `MissingStatus`, and names are `view_names`, `column_names1`, ..., `sample_names`. */
onefold_status of_write_container(of_atomic_file *file, of_format in, const of_dataset *dataset);

/* Labels as a .mat or an .npz: `labels` (samples x 1), `confidence` and `sample_names`, of which
 * the latter two may be NULL. */
onefold_status of_write_labels(of_atomic_file *file, of_format in, const int32_t *labels,
                               const double *confidence, const char *const *names, size_t samples);

/* One array as a .mat. */
onefold_status of_write_mat(of_atomic_file *file, const char *name, const of_view *view);

/* The true labels: the name of each sample's class, and the integers that these are, NULL where one
 * is none. */
onefold_status of_write_truth(of_arena *arena, int64_t **labels, const char *const **text,
                              const of_dataset *dataset);

/* Lines of numbers with `separator` between them, after a line of column names if there are any.
 * With names of samples these come before each line, under a header in any case; columns without
 * names are numbered from 1 there. */
onefold_status of_write_text(of_atomic_file *file, const of_view *view, const char *const *names,
                             char separator);

/* Matrix Market: coordinates for a sparse view, else an array. */
onefold_status of_write_mtx(of_atomic_file *file, const of_view *view);

/* The fewest digits, from 15 up (from 6 when `single`, a float), that read back as the same number;
 * zeros at the end are left out. `text` has room for 32 characters. */
int of_number_text(char *text, double number, int single);

#endif
