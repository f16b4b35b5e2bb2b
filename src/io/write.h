/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing labels, matrices and data sets, in the format of the path's ending. Every file appears
 * whole or not at all. The same input gives the same bytes: no dates are written.
 */
#ifndef OF_IO_WRITE_H
#define OF_IO_WRITE_H

#include "data/dataset.h"
#include "io/atomic_file.h"
#include "io/build.h"

#include <zlib.h>

/* ---- elements (write_container.c) ----------------------------------------------------------- */

typedef enum of_order { OF_ORDER_ROWS, OF_ORDER_COLUMNS } of_order;

/* All elements of a view in a type: sample by sample, or column by column. Where it is held in
 * another type, or is sparse, that is OF_F64, and the order sample by sample. */
onefold_status of_write_elements(of_context *context, of_sink sink, const of_view *view,
                                 of_type type, of_order order);

/* ---- a zip archive (write_container.c) ------------------------------------------------------ */

typedef struct of_zip_member {
    const char *name;
    uint64_t offset, size, packed;
    uint32_t crc;
    int wide; /* its sizes are 64 bits long */
} of_zip_member;

/* Clears a stream, and gives it memory from the arena (file.c). */
void of_zlib_memory(z_stream *stream, of_arena *arena);

/* A compressed stream on its way to a file. */
typedef struct of_deflate {
    z_stream stream;
    of_arena *arena;
    of_atomic_file *file;
    unsigned char *block;
    uint32_t crc;     /* of what went in */
    uint64_t in, out; /* bytes */
} of_deflate;

typedef struct of_zip {
    of_atomic_file *file;
    of_arena *arena;
    of_zip_member *members;
    size_t count, room;
    uint64_t wide_from; /* sizes and offsets from here on need 64 bits; tests lower it */
    of_deflate deflate;
} of_zip;

of_zip of_zip_make(of_arena *arena, of_atomic_file *file);
/* The next member, of `size` bytes, which are then written to the sink. */
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

/* An .npy array (write_container.c): what stands before so many numbers; and all of a view. */
onefold_status of_npy_header(of_sink sink, of_type type, size_t count);
onefold_status of_write_npy(of_context *context, of_sink sink, const of_view *view);

/* A data set as a .mat or an .npz (write_container.c). The views are a cell `X` (1 x views, each
 * samples x columns), in an .npz `X1`, `X2`, ...; or kernels `KH` (samples x samples x views). A
 * sparse view of an .npz is the parts that SciPy saves it in: X1.data, X1.indices, X1.indptr,
 * X1.shape and X1.format. The truth is `Y`; labels that are no integers are texts. dataset->present
 * is `MissingStatus`, and names are `view_names`, `column_names1`, ..., `sample_names`. */
onefold_status of_write_container(of_context *context, const char *path, of_format in,
                                  const of_dataset *dataset);

/* Labels as a .mat or an .npz: `labels` (samples x 1), `confidence` and `sample_names`, of which
 * the latter two may be NULL. */
onefold_status of_write_labels(of_context *context, const char *path, of_format in,
                               const int32_t *labels, const double *confidence,
                               const char *const *names, size_t samples);

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
