/* SPDX-License-Identifier: Apache-2.0 */
/* Files made byte by byte, in the formats the readers read, right or wrong in any one place. */
#ifndef OF_TESTS_SUPPORT_MADE_H
#define OF_TESTS_SUPPORT_MADE_H

#include "data/view.h"

/* Bytes that grow. Zero-filled is empty; made_free() ends them. */
typedef struct made {
    unsigned char *data;
    size_t size, room;
} made;

void made_free(made *bytes);
void made_put(made *bytes, const void *data, size_t size);
void made_text(made *bytes, const char *text);
/* A number of 1, 2, 4 or 8 bytes, little or big end first. */
void made_number(made *bytes, uint64_t value, int size, int big);
/* The value in the type, little or big end first. */
void made_value(made *bytes, of_type type, double value, int big);
void made_save(const made *bytes, const char *path);
/* The first `size` bytes only. */
void made_save_part(const made *bytes, size_t size, const char *path);
/* Text straight into a file. */
void made_file(const char *path, const char *text);
/* The bytes packed: "zlib", "raw" or "gzip". */
made made_packed(const made *bytes, const char *how);

/* ---- .npy and zip ------------------------------------------------------------------------- */

/* "<f8", shape "(3, 4)". Only the header. */
void made_npy_header(made *bytes, const char *descr, int fortran, const char *shape);

/* A zip: entries, then the directory. */
typedef struct made_zip {
    made bytes, directory;
    unsigned entries;
    int zip64; /* sizes and offsets go into extra fields */
} made_zip;
void made_zip_add(made_zip *zip, const char *name, const made *contents, int deflate);
/* Ends the zip; its bytes are then in zip->bytes. */
void made_zip_end(made_zip *zip);
void made_zip_free(made_zip *zip);

/* ---- .mat --------------------------------------------------------------------------------- */

/* MATLAB's numbers of stored types and classes. */
enum {
    MADE_CELL = 1,
    MADE_STRUCT = 2,
    MADE_CHAR = 4,
    MADE_SPARSE = 5,
    MADE_DOUBLE = 6,
    MADE_SINGLE = 7,
    MADE_UINT8 = 9
};
enum { MADE_COMPLEX = 0x800 };

void made_mat_header(made *bytes, int big);
void made_mat_element(made *bytes, int type, const void *data, size_t size, int big);

/* An array of a class with two or three sides (0: two) around its parts, as a whole element. */
void made_mat_array(made *bytes, int class, const size_t side[3], const char *name,
                    const made *parts, int big);

/* A dense matrix of class double whose values are of the stored type; values by column. */
void made_mat_dense(made *bytes, const char *name, size_t rows, size_t columns, of_type type,
                    const double *values, int big);
/* Pages of it one after the other. */
void made_mat_tensor(made *bytes, const char *name, size_t rows, size_t columns, size_t pages,
                     const double *values);
/* The same as a sparse matrix: values that are not 0. */
void made_mat_sparse(made *bytes, const char *name, size_t rows, size_t columns, of_type type,
                     const double *values, int big);
void made_mat_text(made *bytes, const char *name, size_t rows, size_t columns, const char *text);
/* Puts the last array, which starts at `start`, into a packed element. */
void made_mat_pack(made *bytes, size_t start);

#endif
